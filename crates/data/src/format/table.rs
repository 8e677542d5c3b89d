//! Columns under a header, separated by tabs, commas or semicolons.

use crate::field::{self, Fields, at_end, described, fault, outcome};
use crate::{Around, Fault, GameKey, LabelledPosition};

/// The columns that are read, beside that of positions, in the order in which they are
/// written; only the first is needed.
pub(crate) const TABLE_COLUMNS: [&str; 9] = [
    RESULT,
    "score_cp",
    "game",
    "ply",
    "last_tactical",
    "next_tactical",
    "plies_left",
    "forfeit",
    "book",
];
const RESULT: &str = "result";

/// Which column holds what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    separator: char,
    /// How many there are, and the number of that of positions, from 0.
    count: usize,
    position: usize,
    /// The number of the column, from 0, of each of [`TABLE_COLUMNS`]; `None` if the header lacks
    /// it.
    places: [Option<usize>; TABLE_COLUMNS.len()],
}

impl Columns {
    /// Tells whether a line looks like the header of a table: it has a separator, and one of its
    /// fields is `result` or the name of the game's notation.
    pub(crate) fn is_header(line: &str, notation: &str) -> bool {
        // The line is cut as if it were its own header.
        let mut names = Self::parts(line, line);
        let is_named =
            |name: &str| name.eq_ignore_ascii_case(notation) || name.eq_ignore_ascii_case(RESULT);
        line.contains(separator(line)) && names.any(is_named)
    }

    /// Cuts a line of a table at the separator that `header` has, and returns its fields without
    /// the blanks and quotation marks around them.
    pub(crate) fn parts<'a>(header: &str, line: &'a str) -> impl Iterator<Item = &'a str> {
        cut(line, separator(header)).map(unquoted)
    }

    /// Reads the header of a table; `notation` is the name of the column of positions. Returns the
    /// columns, and the names that nobody reads.
    ///
    /// All mistakes of the header are returned together.
    pub(crate) fn from_header(
        line: &str,
        notation: &str,
    ) -> Result<(Self, Vec<String>), Vec<Fault>> {
        let position_name = notation.to_ascii_lowercase();
        let separator = separator(line);
        // The header is cut at the sign that it has itself.
        let names: Vec<&str> = Self::parts(line, line).collect();
        let mut faults = Vec::new();
        let mut find = |wanted: &str| {
            let mut found = (0..names.len()).filter(|&i| names[i].eq_ignore_ascii_case(wanted));
            let first = found.next();
            if let Some(second) = found.next() {
                let words = format!("a second column \"{wanted}\"");
                faults.push(described(line, names[second], words, "each column once"));
            }
            first
        };
        let position = find(&position_name);
        let places = TABLE_COLUMNS.map(&mut find);
        // The first two of `TABLE_COLUMNS` are result and score, and a score may take the place of
        // a result.
        let result = places[0].or(places[1]);
        for (column, name) in [(position, position_name.as_str()), (result, RESULT)] {
            if column.is_none() {
                faults.push(Fault {
                    offset: 0,
                    found: format!("no column \"{name}\""),
                    expected: format!("columns \"{position_name}\" and \"{RESULT}\"").into(),
                    cure:
                        "name the columns in the first line; scores without results are a column \
                        score_cp, read with --results-from-scores"
                            .into(),
                });
            }
        }
        let (Some(position), true) = (position, faults.is_empty()) else {
            return Err(faults);
        };
        let columns = Self {
            separator,
            count: names.len(),
            position,
            places,
        };
        let read = |i: &usize| *i == position || places.contains(&Some(*i));
        let ignored = (0..names.len()).filter(|i| !read(i));
        Ok((columns, ignored.map(|i| names[i].to_owned()).collect()))
    }

    /// Cuts a line by the columns that the header names. An empty field says nothing, as if its
    /// column were missing; but position, game and result must not be empty where they have a
    /// column.
    pub(super) fn fields(self, line: &str) -> Result<Fields<'_>, Fault> {
        // `parts` are the fields of `TABLE_COLUMNS` in their order; `None` if the header lacks the
        // column.
        let (mut position, mut parts) = ("", [None; TABLE_COLUMNS.len()]);
        let mut count = 0;
        for (column, part) in cut(line, self.separator).enumerate() {
            let part = unquoted(part);
            count += 1;
            if column == self.position {
                position = part;
            } else if let Some(at) = self.places.iter().position(|at| *at == Some(column)) {
                parts[at] = Some(part);
            }
        }
        let [result, score, game, ply, last, next, left, forfeit, book] = parts;
        if count != self.count {
            let found = format!("{count} fields");
            return Err(at_end(line, found, "as many fields as the header has"));
        }
        let position = field::position(line, position)?;
        if let Some(game @ "") = game {
            return Err(fault(line, game, "the id of a game"));
        }
        // Without a column of results the line has none, and the empty text is not read.
        let result = result.unwrap_or_default();
        // In the order of `TABLE_COLUMNS`, and the result last: the first mistake is told.
        let score = filled(line, score, field::score)?;
        let ply = filled(line, ply, field::ply)?;
        let around = Around {
            last_tactical: filled(line, last, field::truth)?,
            next_tactical: filled(line, next, field::truth)?,
            plies_left: filled(line, left, field::ply)?,
            forfeit: filled(line, forfeit, field::truth)?,
            book: filled(line, book, field::truth)?,
        };
        // The first of `TABLE_COLUMNS` is the result.
        let mut fields = match self.places[0] {
            Some(_) => Fields::new(position, result, outcome(line, result)?),
            None => Fields::unlabelled(position),
        };
        // `position-` and digits, as Tuner writes them in the place of an id, are not a game.
        fields.labelled = LabelledPosition {
            game: game.and_then(GameKey::if_any),
            ply,
            around,
            ..fields.labelled
        };
        (fields.game_id, fields.score) = (game, score);
        Ok(fields)
    }
}

/// Reads a field of a table by `read`, which gets the line and the field; `None` if the column is
/// missing or the field is empty.
fn filled<'a, T>(
    line: &str,
    part: Option<&'a str>,
    read: impl Fn(&str, &'a str) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    let part = part.filter(|part| !part.is_empty());
    part.map(|part| read(line, part)).transpose()
}

/// Cuts a line of a table at its separators, without copies of the parts, as a parser of CSV would
/// make them. Commas and semicolons between quotation marks do not separate; where tabs separate,
/// quotation marks mean nothing.
fn cut(line: &str, separator: char) -> impl Iterator<Item = &str> {
    let takes_quotes = separator != '\t';
    // `is_quoted`: whether the next character is between quotation marks. `begins`: whether a mark
    // there would begin a quoted piece, which it does where a field begins, and right behind a mark
    // that ends a piece, so that `""` within a piece ends it and begins the next. Elsewhere a mark
    // is like other characters.
    let (mut is_quoted, mut begins) = (false, takes_quotes);
    line.split(move |c: char| {
        let was_quoted = is_quoted;
        is_quoted ^= c == '"' && (is_quoted || begins);
        let ends = c == separator && !is_quoted;
        begins = takes_quotes && (ends || begins && c == ' ' || was_quoted && !is_quoted);
        ends
    })
}

/// Returns a field of a table without the blanks and the pair of quotation marks around it.
fn unquoted(part: &str) -> &str {
    let part = part.trim_ascii();
    let quoted = (part.strip_prefix('"')).and_then(|part| part.strip_suffix('"'));
    quoted.unwrap_or(part)
}

/// Returns what separates the names of a table's header: a tab if there is one, else a comma, else
/// a semicolon; a comma if the header has no such sign.
fn separator(header: &str) -> char {
    let found = ['\t', ',', ';'].into_iter().find(|c| header.contains(*c));
    found.unwrap_or(',')
}
