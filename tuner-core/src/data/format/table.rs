//! Columns under a header, separated by tabs or commas.

use super::POSITION;
use crate::data::field::{Fields, described, fault, outcome, ply, score};
use crate::data::{Fault, GameKey};

/// The columns that are read.
const RESULT: &str = "result";
const SCORE: &str = "score_cp";
const GAME: &str = "game";
const PLY: &str = "ply";

/// Which column holds what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::data) struct Columns {
    separator: char,
    count: usize,
    position: usize,
    result: usize,
    score: Option<usize>,
    game: Option<usize>,
    ply: Option<usize>,
}

impl Columns {
    /// Tells whether a line looks like a header: it names results.
    pub(in crate::data) fn is_header(line: &str) -> bool {
        let separator = separator(line);
        let mut names = line.split(separator).map(str::trim_ascii);
        line.contains(separator) && names.any(|name| name == RESULT)
    }

    /// Reads a header. Returns the columns, and the names that nobody reads.
    ///
    /// All mistakes of the header are returned together.
    pub(in crate::data) fn from_header(
        line: &str,
        notation: &str,
    ) -> Result<(Self, Vec<String>), Vec<Fault>> {
        let position_name = notation.to_ascii_lowercase();
        let separator = separator(line);
        let names: Vec<&str> = line.split(separator).map(str::trim_ascii).collect();
        let mut faults = Vec::new();
        let mut find = |wanted: &str| {
            let mut found = (0..names.len()).filter(|&i| names[i] == wanted);
            let first = found.next();
            if let Some(second) = found.next() {
                let words = format!("a second column \"{wanted}\"");
                faults.push(described(line, names[second], words, "each column once"));
            }
            first
        };
        let [position, result, score, game, ply] =
            [&position_name, RESULT, SCORE, GAME, PLY].map(&mut find);
        for (column, name) in [(position, position_name.as_str()), (result, RESULT)] {
            if column.is_none() {
                faults.push(Fault {
                    offset: 0,
                    found: format!("no column \"{name}\""),
                    expected: format!("columns \"{position_name}\" and \"{RESULT}\"").into(),
                    cure: "name the columns in the first line".into(),
                });
            }
        }
        let (Some(position), Some(result), true) = (position, result, faults.is_empty()) else {
            return Err(faults);
        };
        let columns = Self {
            separator,
            count: names.len(),
            position,
            result,
            score,
            game,
            ply,
        };
        let read = [Some(position), Some(result), score, game, ply];
        let ignored = (0..names.len()).filter(|&i| !read.contains(&Some(i)));
        Ok((columns, ignored.map(|i| names[i].to_owned()).collect()))
    }

    pub(super) fn fields(self, line: &str) -> Result<Fields<'_>, Fault> {
        // Stands for columns that the header lacks; reads as empty.
        let (mut position, mut result) = ("", "");
        let [mut search_score, mut game, mut plies] = [None; 3];
        let mut count = 0;
        for (column, part) in line.split(self.separator).enumerate() {
            let part = part.trim_ascii();
            count += 1;
            if column == self.position {
                position = part;
            } else if column == self.result {
                result = part;
            } else if Some(column) == self.score {
                search_score = Some(part);
            } else if Some(column) == self.game {
                game = Some(part);
            } else if Some(column) == self.ply {
                plies = Some(part);
            }
        }
        if count != self.count {
            let end = &line[line.trim_ascii_end().len()..];
            let found = format!("{count} fields");
            return Err(described(
                line,
                end,
                found,
                "as many fields as the header has",
            ));
        }
        if position.is_empty() {
            return Err(fault(line, position, POSITION));
        }
        if let Some(game @ "") = game {
            return Err(fault(line, game, "the id of a game"));
        }
        let filled = |part: &&str| !part.is_empty();
        Ok(Fields {
            search_score: search_score
                .filter(filled)
                .map(|part| score(line, part))
                .transpose()?,
            game: game.map(GameKey::of),
            ply: plies
                .filter(filled)
                .map(|part| ply(line, part))
                .transpose()?,
            ..Fields::new(position, result, outcome(line, result)?)
        })
    }
}

/// What a header's names are separated by.
fn separator(header: &str) -> char {
    if header.contains('\t') { '\t' } else { ',' }
}
