//! Boards drawn with letters.

use std::fmt::Write as _;

/// Draws the board of a position in FEN or SFEN; `None` of a text that holds none.
///
/// Chess from White's side, shogi from sente's, with the files and ranks of its
/// moves, hands and side to move below. Capitals are the first player's, `+` is a
/// promoted piece.
pub fn diagram(text: &str) -> Option<String> {
    let mut fields = text.split_whitespace();
    let rows: Vec<Vec<String>> = fields
        .next()?
        .split('/')
        .map(cells)
        .collect::<Option<_>>()?;
    let size = rows.len();
    if !(size == 8 || size == 9) || rows.iter().any(|row| row.len() != size) {
        return None;
    }
    let shogi = size == 9;
    let mut drawn = String::new();
    let width = if shogi { 3 } else { 2 };
    let files = (0..size).map(|file| {
        if shogi {
            format!("{:>width$}", size - file)
        } else {
            format!("{:>width$}", char::from(b'a' + file as u8))
        }
    });
    let files: String = files.collect();
    for (number, row) in rows.iter().enumerate() {
        let rank = if shogi {
            char::from(b'a' + number as u8).to_string()
        } else {
            (size - number).to_string()
        };
        drawn.push_str(&rank);
        for cell in row {
            // Writing into a string cannot fail.
            let _ = write!(drawn, "{cell:>width$}");
        }
        drawn.push('\n');
    }
    drawn.push(' ');
    drawn.push_str(&files);
    drawn.push('\n');
    // `w` moves first in chess, `b` in shogi.
    let first = if shogi { "b" } else { "w" };
    let turn = fields.next()?;
    let player = if turn == first { "first" } else { "second" };
    let _ = write!(drawn, "{player} player to move");
    if let Some(hands) = fields.next().filter(|hands| shogi && *hands != "-") {
        let _ = write!(drawn, ", in hand {hands}");
    }
    drawn.push('\n');
    Some(drawn)
}

/// The squares of a row; `None` where something else stands.
fn cells(row: &str) -> Option<Vec<String>> {
    let (mut cells, mut promoted) = (Vec::new(), "");
    for c in row.chars() {
        match c.to_digit(10) {
            Some(empty) => cells.extend((0..empty).map(|_| ".".to_owned())),
            None if c == '+' => promoted = "+",
            None if c.is_ascii_alphabetic() => {
                cells.push(format!("{promoted}{c}"));
                promoted = "";
            }
            None => return None,
        }
    }
    Some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chess_is_drawn_from_the_first_rank_up() {
        let drawn = diagram("6k1/8/8/3N4/8/8/8/K7 w - - 0 1").unwrap_or_default();
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[0], "8 . . . . . . k .");
        assert_eq!(lines[3], "5 . . . N . . . .");
        assert_eq!(lines[8], "  a b c d e f g h");
        assert_eq!(lines[9], "first player to move");
    }

    #[test]
    fn shogi_is_drawn_with_promotions_and_hands() {
        let text = "4k4/9/3+P5/9/9/9/9/9/4K4 w 2Gp 7";
        let drawn = diagram(text).unwrap_or_default();
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[2], "c  .  .  . +P  .  .  .  .  .");
        assert_eq!(lines[9], "   9  8  7  6  5  4  3  2  1");
        assert_eq!(lines[10], "second player to move, in hand 2Gp");
    }

    #[test]
    fn what_is_no_board_is_not_drawn() {
        for text in ["", "hello", "8/8 w", "8/8/8/8/8/8/8/7 w", "8/8/8/8/8/8/8/8"] {
            assert_eq!(diagram(text), None, "{text}");
        }
    }
}
