//! Scores in comments.

use shakmaty::Color;
use tuner_data::MATE;

/// Whose view a score has, and whether it is of the position before or after the
/// move that the comment follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// The mover's, of the position before the move.
    Mover,
    /// White's, of the position before the move.
    White,
    /// White's, of the position after the move.
    WhiteNext,
}

/// Reads the score of a comment, in centipawns; mates as [`MATE`] says.
///
/// `None` for other comments, and for `book`. `next` is who moves next.
pub(super) fn score(comment: &[u8], next: Color) -> Option<(View, i32)> {
    let mut text = comment.trim_ascii();
    // Most comments begin with a score, and then need no search.
    if !matches!(text.first()?, b'+' | b'-' | b'0'..=b'9' | b'M' | b'(') {
        if let Some(rest) = after(comment, b"wv=") {
            return Some((View::White, value(rest)?.0));
        }
        if let Some(rest) = after(comment, b"[%eval ") {
            let (score, _) = value(rest)?;
            // Mate in n moves is 2n plies, or 2n - 1 if the mating side is to
            // move.
            let mates = signed(rest).1.starts_with(b"#") && (score > 0) == next.is_white();
            let sooner = if mates { score.signum() } else { 0 };
            return Some((View::WhiteNext, (score + sooner).clamp(-MATE, MATE)));
        }
    }
    if let Some(rest) = text.strip_prefix(b"(") {
        // WinBoard's move, or the principal variation.
        let end = rest.iter().position(|&byte| byte == b')')?;
        text = rest[end + 1..].trim_ascii_start();
    }
    let (value, rest) = value(text)?;
    // A decimal point and a depth tell a score from other numbers and results.
    let written = &text[..text.len() - rest.len()];
    let score = written
        .iter()
        .any(|byte| matches!(byte, b'.' | b'M' | b'#'));
    let deep = matches!(rest, [b'/', b'0'..=b'9', ..]);
    (score && deep).then_some((View::Mover, value))
}

/// Returns what follows a word at the start of a comment or after a space or
/// comma.
fn after<'a>(comment: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let at = memchr::memmem::find(comment, word)?;
    let starts = at == 0 || matches!(comment[at - 1], b' ' | b',' | b'\n' | b'\r' | b'{');
    let rest = &comment[at + word.len()..];
    (starts || word.starts_with(b"[")).then_some(rest)
}

/// Reads `+0.30`, `-1.2`, `0`, `M5`, `-M5` or `#-3`, and not `+1.#INF`; returns
/// the value and what follows.
fn value(text: &[u8]) -> Option<(i32, &[u8])> {
    let (mut sign, mut rest) = signed(text);
    if let [mark @ (b'M' | b'm' | b'#'), after @ ..] = rest {
        let (second, after) = signed(after);
        (sign, rest) = (sign * second, after);
        let (count, rest) = digits(rest)?;
        // cutechess counts plies, lichess moves.
        let plies = if *mark == b'#' {
            count.checked_mul(2)?
        } else {
            count
        };
        return Some((sign * (MATE - plies.min(1_000)), rest));
    }
    let (pawns, mut rest) = digits(rest)?;
    let mut centipawns = pawns.checked_mul(100)?;
    if let [b'.', after @ ..] = rest {
        let (_, end) = digits(after)?;
        let places = &after[..after.len() - end.len()];
        let digit = |place: usize| places.get(place).map_or(0, |byte| i32::from(byte - b'0'));
        let third = i32::from(digit(2) >= 5);
        centipawns = centipawns.checked_add(digit(0) * 10 + digit(1) + third)?;
        rest = end;
    }
    // Some engines write mates as 320 pawns and more.
    let centipawns = centipawns.min(MATE);
    Some((sign * centipawns, rest))
}

fn signed(text: &[u8]) -> (i32, &[u8]) {
    match text {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        _ => (1, text),
    }
}

/// Reads a number, and returns what follows.
fn digits(text: &[u8]) -> Option<(i32, &[u8])> {
    let end = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&text[..end]).ok()?.parse().ok()?;
    Some((number, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read_with_their_view() {
        use View::{Mover, White, WhiteNext};
        for (comment, expected) in [
            ("+0.30/12 0.5s", Some((Mover, 30))),
            (
                "-0.62/8 0.48s, White wins by adjudication",
                Some((Mover, -62)),
            ),
            ("0.00/1 0s", Some((Mover, 0))),
            ("+12.345/9 1s", Some((Mover, 1235))),
            ("+M12/20 0.1s", Some((Mover, MATE - 12))),
            ("-M3/20", Some((Mover, -MATE + 3))),
            ("(Bf8-b4+) -0.10/12 3", Some((Mover, -10))),
            ("(b1c3) -0.01/8\n 7", Some((Mover, -1))),
            (" d=19, wv=0.42, ", Some((White, 42))),
            (
                "d=35, sd=84, pv=e5 h6, wv=-1.05, R50=50",
                Some((White, -105)),
            ),
            ("wv=-M7,", Some((White, -MATE + 7))),
            ("wv=M7,", Some((White, MATE - 7))),
            ("[%eval 0.17] [%clk 0:05]", Some((WhiteNext, 17))),
            ("[%clk 0:05] [%eval #-3]", Some((WhiteNext, -MATE + 6))),
            ("[%eval #3]", Some((WhiteNext, MATE - 5))),
            ("[%eval #0]", Some((WhiteNext, MATE))),
            ("book", None),
            ("", None),
            ("0.30", None),
            ("+0.30 pawns", None),
            ("1/2-1/2", None),
            ("99999999999/3", None),
            ("20000000.00/3", Some((Mover, MATE))),
            ("(never closed 0.3/4", None),
            ("+/3", None),
            ("adwv=1.0", None),
            ("1938.10.11", None),
        ] {
            assert_eq!(
                score(comment.as_bytes(), Color::White),
                expected,
                "{comment}"
            );
        }
    }
}
