//! Tokens of a game's movetext.

use shakmaty::CastlingSide;
use shakmaty::san::{San, SanPlus};
use tuner_data::RecordPlace;

use super::end::GameEnd;

/// A token that matters; numbers, glyphs and variations do not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Move(San),
    Comment(&'a [u8]),
    /// `1-0`, `*` …
    Result(&'a [u8]),
}

/// Text that is not a token of a game, and what was expected.
type BadToken<'a> = (&'a [u8], &'static str);

/// A token and where it begins.
type NextToken<'a> = Result<(usize, Token<'a>), BadToken<'a>>;

/// Cuts text into tokens; skips numbers, glyphs, variations.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
    /// The line that has been reached, and the byte at which it begins.
    line: u64,
    line_start: usize,
}

const TOKEN: &str = "a move, a comment, a variation or a result";
const COMMENT: &str = "a comment that ends with }";

impl<'a> Tokens<'a> {
    /// Begins to cut `text` into tokens at the byte `at`, which is in line `line` of the input.
    pub(super) fn new(text: &'a [u8], at: usize, line: u64) -> Self {
        let line_start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1);
        Self {
            text,
            at,
            line,
            line_start,
        }
    }

    /// Returns the place, as line and column, of the token that was read last and begins at `at`;
    /// not of a comment, which may end in a later line.
    pub(super) const fn place(&self, at: usize) -> RecordPlace {
        RecordPlace::new(self.line, (at - self.line_start) as u64 + 1)
    }

    /// Moves forward to a byte, and counts the lines on the way.
    fn advance_to(&mut self, to: usize) {
        for end in memchr::memchr_iter(b'\n', &self.text[self.at..to]) {
            self.line += 1;
            self.line_start = self.at + end + 1;
        }
        self.at = to;
    }

    /// Returns the next token and where it begins; `None` at the end. Bad text is not passed over:
    /// reading ends there.
    pub(super) fn next(&mut self) -> Option<NextToken<'a>> {
        loop {
            let rest = &self.text[self.at..];
            let start = self.at;
            match *rest.first()? {
                // The byte 0x1a is the end of files of DOS.
                b' ' | b'\t' | b'\r' | 0x1a | b'.' | b'!' | b'?' => self.at += 1,
                b'\n' => {
                    self.advance_to(start + 1);
                    if rest.get(1) == Some(&b'%') {
                        self.skip_line();
                    }
                }
                b'{' => {
                    let comment = self.comment().map(Token::Comment);
                    return Some(comment.map(|token| (start, token)).ok_or((rest, COMMENT)));
                }
                b';' => {
                    self.skip_line();
                    let comment = &self.text[start + 1..self.at];
                    return Some(Ok((start, Token::Comment(comment))));
                }
                b'(' => {
                    if let Err(bad) = self.variation() {
                        return Some(Err(bad));
                    }
                }
                b'$' => self.at += 1 + digits(&rest[1..]),
                b'e' if rest.starts_with(b"e.p.") => self.at += 4,
                // The byte 0xc2 begins the `½` of a draw in UTF-8.
                b'0'..=b'9' | b'*' | 0xc2 => match self.number_or_result(rest) {
                    Some(token) => return Some(token),
                    None => self.at += digits(rest),
                },
                _ => return Some(self.san(rest)),
            }
        }
    }

    /// Reads a result, or castling written with zeros, with which `rest`, the text from here on,
    /// may begin; `None` if it begins with the number of a move, which is not passed over. Any
    /// other word is bad text.
    fn number_or_result(&mut self, rest: &'a [u8]) -> Option<NextToken<'a>> {
        let start = self.at;
        let end = (rest.iter().position(|&byte| ends(byte))).unwrap_or(rest.len());
        let word = &rest[..end];
        if GameEnd::parse(word).is_some() {
            self.at += end;
            return Some(Ok((start, Token::Result(word))));
        }
        let castle = match word.trim_ascii_end() {
            b"0-0" | b"0-0+" | b"0-0#" => Some(CastlingSide::KingSide),
            b"0-0-0" | b"0-0-0+" | b"0-0-0#" => Some(CastlingSide::QueenSide),
            _ => None,
        };
        if let Some(side) = castle {
            self.at += end;
            return Some(Ok((start, Token::Move(San::Castle(side)))));
        }
        let number = digits(rest);
        let behind = rest.get(number);
        let is_number = number > 0 && behind.is_none_or(|byte| b". \t\r\n".contains(byte));
        (!is_number).then_some(Err((word, TOKEN)))
    }

    /// Reads a move in algebraic notation, which `rest` begins with; any other word is bad text.
    fn san(&mut self, rest: &'a [u8]) -> NextToken<'a> {
        let start = self.at;
        if let Ok((san, length)) = SanPlus::from_ascii_prefix(rest)
            && rest.get(length).copied().is_none_or(ends)
        {
            self.at += length;
            return Ok((start, Token::Move(san.san)));
        }
        let end = (rest.iter().position(|&byte| ends(byte))).unwrap_or(rest.len());
        // A byte that ends words, such as `}`, is bad text by itself.
        Err((&rest[..end.max(1)], TOKEN))
    }

    /// Reads a comment in braces; `None` if it does not end.
    fn comment(&mut self) -> Option<&'a [u8]> {
        let rest = &self.text[self.at + 1..];
        let end = memchr::memchr(b'}', rest)?;
        self.advance_to(self.at + end + 2);
        Some(&rest[..end])
    }

    /// Moves forward to the end of the line, before its line break.
    fn skip_line(&mut self) {
        let rest = &self.text[self.at..];
        let end = rest[1..].iter().position(|&byte| byte == b'\n');
        self.at += end.map_or(rest.len(), |end| end + 1);
    }

    /// Skips a variation, with comments and further variations in it. If it, or a comment in it,
    /// does not end, that is bad text.
    fn variation(&mut self) -> Result<(), BadToken<'a>> {
        let start = self.at;
        let mut depth = 0_usize;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'{' => {
                    let from = self.at;
                    if self.comment().is_none() {
                        return Err((&self.text[from..], COMMENT));
                    }
                    continue;
                }
                b';' => {
                    self.skip_line();
                    continue;
                }
                _ => {}
            }
            self.advance_to(self.at + 1);
            if depth == 0 {
                return Ok(());
            }
        }
        self.at = start;
        Err((&self.text[start..], "a variation that ends with )"))
    }
}

/// Tells whether a byte ends a token.
fn ends(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b'\r' | b'{' | b'}' | b'(' | b')' | b'!' | b'?' | b'$' | b';' | b'.'
    )
}

/// Counts the digits that a text begins with.
fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}
