//! Books: openings in a file, one a line, or the first moves of games.
//!
//! *Accepts* lines that are a position in the game's notation, alone, or with
//! EPD operations behind it (`id "a"; hmvc 0;`), or with moves
//! (`POSITION moves e2e4 e7e5`, `startpos moves e2e4`, with the word `position`
//! before or without); and PGN, of which the
//! tag `FEN` and the moves are read, as many as asked for.
//! *Ignores* blank lines, lines that begin with `#`, EPD operations; in PGN
//! other tags, comments, variations and glyphs.
//! *Rejects* everything else, with the number of the line.

use rand::seq::SliceRandom;

use super::opening::{Opening, generator};
use tuner_game::rules::Rules;

/// The stream of random numbers that shuffles a book; no game has this number.
const SHUFFLING: u64 = u64::MAX;

/// Openings of a file.
#[derive(Clone, Debug)]
pub struct Book<R: Rules + ?Sized> {
    openings: Vec<Opening<R>>,
}

impl<R: Rules + ?Sized> Book<R> {
    /// Reads a book: of games in PGN the first `plies` moves, of lines all that they have. A text
    /// that begins with `[`, behind blanks if there are any, is PGN, as tags come first there.
    ///
    /// # Errors
    /// The number of the first line that is not an opening, with what was found and what was
    /// expected; if there is none at all.
    pub fn parse(rules: &R, text: &str, plies: usize) -> Result<Self, String> {
        // A file may begin with a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let openings = if text.trim_start().starts_with('[') {
            games(rules, text, plies)?
        } else {
            lines(rules, text)?
        };
        if openings.is_empty() {
            let words = "found no opening; expected a position a line, or games in PGN";
            return Err(words.to_owned());
        }
        Ok(Self { openings })
    }

    /// Puts the openings into an order that the seed decides.
    #[must_use]
    pub fn shuffled(mut self, seed: u64) -> Self {
        self.openings.shuffle(&mut generator(seed, SHUFFLING));
        self
    }

    /// Returns how many openings there are.
    #[allow(clippy::len_without_is_empty, reason = "a book is never empty")]
    pub fn len(&self) -> usize {
        self.openings.len()
    }

    /// Returns the opening with this number, counted from 0; after the last the first comes again.
    pub(super) fn opening(&self, number: u64) -> &Opening<R> {
        &self.openings[(number % self.openings.len() as u64) as usize]
    }
}

/// Reads a text of one opening a line, without blank lines and comments (`#`); an error begins
/// with the number of its line.
fn lines<R: Rules + ?Sized>(rules: &R, text: &str) -> Result<Vec<Opening<R>>, String> {
    let mut openings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let opening = opening(rules, line);
        openings.push(opening.map_err(|words| format!("{}: {words}", index + 1))?);
    }
    Ok(openings)
}

/// Reads the opening of a line of a book: `POSITION`, `POSITION moves e2e4 …`, or `POSITION` with
/// EPD operations behind it; `startpos` is the initial position.
fn opening<R: Rules + ?Sized>(rules: &R, line: &str) -> Result<Opening<R>, String> {
    // The line may be a command of UCI or USI, `position fen POSITION moves …`.
    let line = line.strip_prefix("position ").unwrap_or(line);
    let line = line.strip_prefix("fen ").unwrap_or(line);
    let (head, moves) = line.split_once(" moves ").unwrap_or((line, ""));
    let mut opening: Opening<R> = Opening {
        start: match head {
            "startpos" => rules.initial(),
            _ => position(rules, head)?,
        },
        moves: Vec::new(),
    };
    let mut position: R::Position = opening.start.clone();
    for text in moves.split_whitespace() {
        let m =
            (rules.read_move(&position, text)).ok_or_else(|| illegal(rules, &position, text))?;
        rules.play(&mut position, m);
        opening.moves.push(m);
    }
    Ok(opening)
}

/// Returns the message that `word` is not a legal move in a position.
fn illegal<R: Rules + ?Sized>(rules: &R, position: &R::Position, word: &str) -> String {
    let place = rules.describe(position);
    format!("found {word:?}, expected a legal move in {place}")
}

/// Reads a position, with or without EPD operations behind it; the error is what is wrong with the
/// text as a position without operations.
fn position<R: Rules + ?Sized>(rules: &R, text: &str) -> Result<R::Position, String> {
    let whole = match rules.parse(text) {
        Ok(position) => return Ok(position),
        Err(fault) => fault.to_string(),
    };
    // EPD operations end with a semicolon; the position is the longest beginning of the text that
    // can be read as one.
    if text.ends_with(';') {
        for (at, _) in text.rmatch_indices(' ') {
            if let Ok(position) = rules.parse(text[..at].trim_end_matches([' ', ';'])) {
                return Ok(position);
            }
        }
    }
    Err(whole)
}

/// A token of a PGN text that a book reads: a tag pair without its brackets, or a word of the
/// moves.
enum Token<'t> {
    Tag(&'t str),
    Word(&'t str),
}

/// Reads openings from games in PGN: of each game the first `plies` moves, from the position of its
/// tag `FEN` or `SFEN` if it has one. A game ends with its result or, where that is missing, at the
/// tags of the next game.
fn games<R: Rules + ?Sized>(rules: &R, pgn: &str, plies: usize) -> Result<Vec<Opening<R>>, String> {
    let mut openings = Vec::new();
    // The game being read: its opening, the position reached, and whether a move was read.
    let mut game: Option<(Opening<R>, R::Position, bool)> = None;
    let fresh = || {
        let (start, moves) = (rules.initial(), Vec::new());
        (Opening { start, moves }, rules.initial(), false)
    };
    let mut tokens = Tokens { text: pgn, at: 0 };
    while let Some(token) = tokens.next() {
        let (at, token) = token.map_err(|at| fault(pgn, at, endless(&pgn[at..])))?;
        match token {
            Token::Tag(tag) => {
                // Tags behind moves are of the next game.
                let before = game.take_if(|(_, _, begun)| *begun);
                openings.extend(before.map(|(opening, ..)| opening));
                let (opening, position, _) = game.get_or_insert_with(fresh);
                if let Some(fen) = value_of(tag, "FEN").or_else(|| value_of(tag, "SFEN")) {
                    let start = rules.parse(fen);
                    opening.start = start.map_err(|error| fault(pgn, at, &error.to_string()))?;
                    *position = opening.start.clone();
                }
            }
            Token::Word("1-0" | "0-1" | "1/2-1/2" | "*") => {
                openings.extend(game.take().map(|(opening, ..)| opening));
            }
            Token::Word(word) => {
                let (opening, position, begun) = game.get_or_insert_with(fresh);
                *begun = true;
                // The rest of the game is not looked at, and need not be legal.
                if opening.moves.len() >= plies {
                    continue;
                }
                let m = rules.read_record_move(position, word);
                let m = m.ok_or_else(|| fault(pgn, at, &illegal(rules, position, word)))?;
                rules.play(position, m);
                opening.moves.push(m);
            }
        }
    }
    openings.extend(game.map(|(opening, ..)| opening));
    Ok(openings)
}

/// Returns a message on a fault at the byte `at` of the text: the number of its line, and `words`.
fn fault(text: &str, at: usize, words: &str) -> String {
    format!("{}: {words}", text[..at].matches('\n').count() + 1)
}

/// Returns the message that a tag, a variation or a comment, with which `text` begins, has no end.
fn endless(text: &str) -> &'static str {
    match text.as_bytes().first() {
        Some(b'[') => "found no end of a tag, expected `]`",
        Some(b'(') => "found no end of a variation, expected `)`",
        _ => "found no end of a comment, expected `}`",
    }
}

/// Returns the value of a tag pair of this name, such as `FEN "…"`, as it is written; `None` if it
/// is another tag, or has no value in quotation marks.
fn value_of<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let rest = tag.trim().strip_prefix(name)?.trim_start();
    rest.strip_prefix('"')?.strip_suffix('"')
}

/// Cuts a PGN text into tokens; comments, variations and glyphs are passed over.
struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    /// Returns the text from the place that was reached up to the first of the characters `ends`,
    /// which is passed over; `None` where no such character follows.
    fn until(&mut self, ends: &[char]) -> Option<&'t str> {
        let rest = &self.text[self.at..];
        let length = rest.find(ends)?;
        self.at += length + 1;
        Some(&rest[..length])
    }

    /// Returns the text of a tag, whose opening bracket was passed over, and passes over it and its
    /// closing bracket. Within quotation marks, which end in their line, a bracket is a part of the
    /// value, and `\` in front of a quotation mark too; where the line ends before they do, the
    /// first bracket ends the tag. `None` where it has no end.
    fn tag(&mut self) -> Option<&'t str> {
        let rest = &self.text[self.at..];
        let (mut is_quoted, mut is_escaped) = (false, false);
        let end = rest.find(|c: char| {
            is_quoted ^= c == '"' && !is_escaped;
            is_escaped = is_quoted && c == '\\' && !is_escaped;
            c == if is_quoted { '\n' } else { ']' }
        });
        match end.filter(|&end| rest[end..].starts_with(']')) {
            Some(end) => {
                self.at += end + 1;
                Some(&rest[..end])
            }
            None => self.until(&[']']),
        }
    }

    /// Passes over a variation in round brackets, from its opening bracket on, with those inside it
    /// and their comments; `None` where it has no end.
    fn variation(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            let rest = &self.text[self.at..];
            let c = rest.chars().next()?;
            self.at += c.len_utf8();
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                '{' => drop(self.until(&['}'])?),
                _ => {}
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// Returns the next tag or word of a PGN text, with the byte where it begins. The error is the
    /// byte where a tag, comment or variation begins that has no end. `None` at the end of the
    /// text.
    fn next(&mut self) -> Option<Result<(usize, Token<'t>), usize>> {
        loop {
            let rest = &self.text[self.at..];
            let skipped = rest.len() - rest.trim_start().len();
            self.at += skipped;
            let start = self.at;
            let first = self.text[start..].chars().next()?;
            let passed = match first {
                '[' => {
                    self.at += 1;
                    let tag = self.tag();
                    return Some(tag.map(|tag| (start, Token::Tag(tag))).ok_or(start));
                }
                '{' => self.until(&['}']).map(drop),
                '(' => self.variation(),
                // Comments to the end of the line.
                ';' | '%' => {
                    if self.until(&['\n']).is_none() {
                        self.at = self.text.len();
                    }
                    Some(())
                }
                // What `word` returns `None` of, such as a glyph, is passed over.
                _ => {
                    if let Some(word) = self.word() {
                        return Some(Ok((start, Token::Word(word))));
                    }
                    Some(())
                }
            };
            if passed.is_none() {
                return Some(Err(start));
            }
        }
    }

    /// Reads a word of the moves of a PGN text, and returns it without the number of a move in
    /// front and signs such as `!` behind; `None` if nothing else is there, or it is a glyph such
    /// as `$1`.
    fn word(&mut self) -> Option<&'t str> {
        let rest = &self.text[self.at..];
        let ends = |c: char| c.is_whitespace() || "{}()[];".contains(c);
        let length = rest.find(ends).unwrap_or(rest.len());
        // A closing bracket without an opening one has length 0 so far: it is passed over as a word
        // of its own.
        let length = length.max(rest.chars().next().map_or(0, char::len_utf8));
        let word = &rest[..length];
        self.at += length;
        if word.starts_with('$') {
            return None;
        }
        // `12.e4` and `12...` begin with the number, and `12` is one; a result begins with digits
        // as well, and is a word.
        let behind = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let has_digits = behind.len() < word.len();
        let word = if has_digits && (behind.is_empty() || behind.starts_with('.')) {
            behind.trim_start_matches('.')
        } else {
            word
        };
        let word = word.trim_end_matches(['!', '?']);
        (!word.is_empty()).then_some(word)
    }
}
