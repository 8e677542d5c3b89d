//! Where games begin.
//!
//! A game begins at a line that is a tag, where the line before is none: after
//! a blank line, or right after a result. A tag `Event` begins a game after any
//! line other than a tag. Without tags it begins behind a blank line that follows a
//! result. None begins within a comment, which is one that ends: where the next brace
//! opens another, or none is near, a comment was not closed, and costs one game.
//! The text itself decides, so that games are the same in blocks of any size.

/// Tells whether a line is a tag: `[Name "value"]`.
pub(super) fn is_tag(line: &[u8]) -> bool {
    let Some(rest) = line.trim_ascii().strip_prefix(b"[") else {
        return false;
    };
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let name = rest.iter().take_while(is_name);
    let value = rest[name.count()..].trim_ascii_start();
    rest.first().is_some_and(u8::is_ascii_alphabetic) && value.starts_with(b"\"")
}

/// Tells whether a line ends with a result.
pub(super) fn ends_with_result(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let mut results = [&b"1-0"[..], b"0-1", b"1/2-1/2", b"*"].into_iter();
    results.any(|result| {
        let before = line.strip_suffix(result);
        before.is_some_and(|before| before.last().is_none_or(u8::is_ascii_whitespace))
    })
}

/// How far from where a game may begin the comment around it may end; a longer one is not closed.
const LONGEST_COMMENT: usize = 1 << 16;

/// Tells whether a game begins at a line outside of comments. `before` is the last line of the game
/// so far that is not blank, empty if there is none; `blank` tells whether blank lines are between
/// the two.
///
/// - Right at the beginning of a game, where `before` is empty, no other game begins.
/// - A tag begins a game if `before` ends with a result.
/// - A tag `Event` begins one also behind a blank line, or if `before` is not a tag.
/// - Another tag begins one also behind a blank line, if `before` is not a tag.
/// - A line other than a tag begins one behind a blank line, if `before` ends with a result.
fn begins(line: &[u8], before: &[u8], blank: bool) -> bool {
    if before.is_empty() {
        return false;
    }
    if is_tag(line) {
        let event = line.trim_ascii_start().starts_with(b"[Event ");
        let follows = !is_tag(before);
        return blank && (event || follows) || event && follows || ends_with_result(before);
    }
    blank && ends_with_result(before)
}

/// Walks over lines from the start of a game, and notes where comments are.
#[derive(Debug, Default)]
struct Walk<'a> {
    /// The last line that is not blank, of the game.
    before: &'a [u8],
    /// Whether blank lines follow it.
    blank: bool,
    in_comment: bool,
}

impl<'a> Walk<'a> {
    /// Takes the next line of a file, with which `rest`, the bytes left, begins, and tells whether
    /// a game begins at it; `None` where bytes that are not there yet decide. Within a comment a
    /// game begins only if that comment is not closed: the next brace opens another one, or there
    /// is none within 64 KiB. The game that begins is then outside of comments. `is_last`: nothing
    /// follows `rest`.
    fn next(&mut self, line: &'a [u8], rest: &[u8], is_last: bool) -> Option<bool> {
        if line.trim_ascii().is_empty() {
            self.blank = true;
            return Some(false);
        }
        let mut starts = begins(line, self.before, self.blank);
        if starts && self.in_comment {
            let near = &rest[..rest.len().min(LONGEST_COMMENT)];
            starts = match memchr::memchr2(b'{', b'}', near) {
                Some(at) => near[at] == b'{',
                None if is_last || near.len() == LONGEST_COMMENT => true,
                None => return None,
            };
        }
        self.in_comment &= !starts;
        self.over(line);
        // For the next line: the last one that is not blank, and that no blank one follows it yet.
        (self.before, self.blank) = (line, false);
        Some(starts)
    }

    /// Notes which comments in braces begin and end in a line, so that it is known whether the next
    /// line begins within one. A comment that begins with `;` ends with the line, and a line that
    /// begins with `%` is passed over.
    fn over(&mut self, line: &[u8]) {
        let mut rest = line;
        if !self.in_comment && is_tag(line) {
            // Braces in values of tags mean nothing; a tag that does not end is passed over as a
            // whole.
            let end = memchr::memmem::rfind(line, b"\"]");
            rest = &line[end.map_or(line.len(), |end| end + 2)..];
        } else if !self.in_comment && line.starts_with(b"%") {
            return;
        }
        loop {
            let found = if self.in_comment {
                memchr::memchr(b'}', rest)
            } else {
                memchr::memchr2(b'{', b';', rest)
            };
            let Some(at) = found.filter(|&at| rest[at] != b';') else {
                return;
            };
            self.in_comment = !self.in_comment;
            rest = &rest[at + 1..];
        }
    }
}

/// Returns the byte where the last game in `bytes` begins, which may be incomplete; `None` if there
/// is only one. Where bytes that are not there yet decide whether a game begins, the search ends.
pub(super) fn last_start(bytes: &[u8]) -> Option<usize> {
    let mut walk = Walk::default();
    let (mut start, mut found) = (0, None);
    // `false`: more bytes may follow.
    for end in memchr::memchr_iter(b'\n', bytes).map(|at| at + 1) {
        match walk.next(&bytes[start..end], &bytes[start..], false) {
            Some(true) => found = Some(start),
            Some(false) => {}
            None => break,
        }
        start = end;
    }
    found
}

/// Cuts bytes into games, each with the number of its first line, counted from 0; blank lines
/// between two games belong to the first of them.
pub(super) fn games(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let mut rest = bytes;
    let mut line = 0;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (end, lines) = first_end(rest);
        let (game, after) = rest.split_at(end);
        rest = after;
        line += lines;
        Some((line - lines, game))
    })
}

/// Returns the byte where the first game ends, and how many lines it has. `bytes` are all that is
/// left of the input.
fn first_end(bytes: &[u8]) -> (usize, u64) {
    let mut walk = Walk::default();
    let mut start = 0;
    let mut lines = 0;
    // `true`: nothing follows, so that the answer is never left open.
    let ends = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
    for end in ends.chain([bytes.len()]) {
        if walk.next(&bytes[start..end], &bytes[start..], true) == Some(true) {
            return (start, lines);
        }
        start = end;
        lines += 1;
    }
    (bytes.len(), lines)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    const GAMES: &str = "[Event \"a\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n\
        [Event \"b\"]\n\n[Site \"x\"]\n\n1. d4 {a\n\n[%eval 3]} d5\n0-1\n\
        [Event \"c\"]\r\n\r\n1. c4 *\r\n\r\n\
        [Event \"no moves\"]\n[Result \"*\"]\n\n\
        [Event \"d\"]\n\n1. f4 {never ends\n\n\
        [White \"no event\"]\n\n1. e4 1-0 \n\n1. d4 1/2-1/2\n\n\n2. c4 {x}\n";

    #[test]
    fn games_begin_at_the_same_lines_in_any_surroundings() {
        let found: Vec<&str> = games(GAMES.as_bytes())
            .map(|(_, game)| std::str::from_utf8(game).unwrap().trim())
            .collect();
        let starts: Vec<&str> = found
            .iter()
            .map(|game| game.get(..9).unwrap_or(game))
            .collect();
        assert_eq!(
            starts,
            [
                "[Event \"a",
                "[Event \"b",
                "[Event \"c",
                "[Event \"n",
                "[Event \"d",
                "[White \"n",
                "1. d4 1/2",
                "2. c4 {x}"
            ]
        );
    }

    #[test]
    fn the_last_start_is_one_of_the_starts() {
        let bytes = GAMES.as_bytes();
        let mut starts = vec![0];
        for (line, game) in games(bytes) {
            let before = &bytes[..*starts.last().unwrap()];
            assert_eq!(line, before.split(|&b| b == b'\n').count() as u64 - 1);
            starts.push(starts.last().unwrap() + game.len());
        }
        for end in 0..bytes.len() {
            if let Some(start) = last_start(&bytes[..end]) {
                assert!(starts.contains(&start), "{end} {start}");
            }
        }
        assert_eq!(last_start(bytes), Some(starts[starts.len() - 2]));
    }
}
