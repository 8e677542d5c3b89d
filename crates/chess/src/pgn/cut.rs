//! Where games begin.
//!
//! A game begins at a line that is a tag, where the line before is none: after
//! a blank line, or right after a result. A tag `Event` begins a game after any
//! blank line. Without tags it begins behind a blank line that follows a
//! result. The lines themselves decide, so that games are the same in blocks of
//! any size, and a comment that does not end costs one game.

use tuner_data::lines;

/// Tells whether a line is a tag: `[Name "value"]`.
pub(super) fn is_tag(line: &[u8]) -> bool {
    let Some(rest) = line.trim_ascii().strip_prefix(b"[") else {
        return false;
    };
    let name = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
    let value = rest[name.count()..].trim_ascii_start();
    rest.first().is_some_and(u8::is_ascii_alphabetic) && value.starts_with(b"\"")
}

/// Tells whether a line ends with a result.
fn ends_with_result(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    [&b"1-0"[..], b"0-1", b"1/2-1/2", b"*"]
        .iter()
        .any(|result| {
            let before = line.strip_suffix(*result);
            before.is_some_and(|before| before.last().is_none_or(u8::is_ascii_whitespace))
        })
}

/// Tells whether a game begins at a line, by the last line before that is not
/// blank and whether there are blank lines between.
fn begins(line: &[u8], before: &[u8], blank: bool) -> bool {
    if is_tag(line) {
        let event = line.trim_ascii_start().starts_with(b"[Event ");
        return blank && (event || !is_tag(before)) || ends_with_result(before);
    }
    blank && ends_with_result(before)
}

/// Returns where the last game in `bytes` begins, if another is before it.
pub(super) fn last_start(bytes: &[u8]) -> Option<usize> {
    // The last line may be incomplete.
    let mut end = line_start(bytes, bytes.len());
    while end > 0 {
        let start = line_start(bytes, end - 1);
        let line = &bytes[start..end];
        if !line.trim_ascii().is_empty() {
            let mut before_end = start;
            let mut blank = false;
            while before_end > 0 {
                let before = line_start(bytes, before_end - 1);
                if !bytes[before..before_end].trim_ascii().is_empty() {
                    if begins(line, &bytes[before..before_end], blank) {
                        return Some(start);
                    }
                    break;
                }
                blank = true;
                before_end = before;
            }
        }
        end = start;
    }
    None
}

/// Where the line that holds the byte before `end` begins.
fn line_start(bytes: &[u8], end: usize) -> usize {
    lines::last_end(&bytes[..end]).unwrap_or(0)
}

/// Cuts bytes into games, each with the number of its first line, counted from
/// 0; blank lines belong to the game before.
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

/// Where the first game ends, and how many lines it has.
fn first_end(bytes: &[u8]) -> (usize, u64) {
    let mut before: &[u8] = b"";
    let mut blank = false;
    let mut start = 0;
    let mut lines = 0;
    let ends = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
    for end in ends.chain([bytes.len()]) {
        let line = &bytes[start..end];
        if line.trim_ascii().is_empty() {
            blank = true;
        } else {
            if !before.is_empty() && begins(line, before, blank) {
                return (start, lines);
            }
            before = line;
            blank = false;
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
        [White \"no event\"]\n\n1. e4 1-0 \n\n1. d4 1/2-1/2\n\n\n2. c4\n";

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
                "2. c4"
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
