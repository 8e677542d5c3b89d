//! Features that the text of a position tells: men, material, moves played.
//!
//! FEN and SFEN, which write boards alike: rows parted by `/`, capital letters for
//! the first player, `+` before a promoted piece.

use std::collections::BTreeMap;

/// Letters of pieces by what is named first, of chess and shogi.
const ORDER: &str = "KQRBGSNLP";

/// Rows of the board of a notation that writes hands.
const ROWS_WITH_HANDS: usize = 9;

/// Returns how many men are on the board; 0 of a text without one.
pub fn men(text: &str) -> u32 {
    let board = text.split_whitespace().next().unwrap_or_default();
    board.chars().filter(char::is_ascii_alphabetic).count() as u32
}

/// Returns the half-moves before the position, as its own text numbers the moves: the sixth field
/// of FEN counts moves from 1, the fourth of SFEN half-moves. `None` of a text that is neither, or
/// has no number there.
pub fn ply(text: &str) -> Option<u32> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let second_to_move = fields.get(1) == Some(&"b");
    match fields.len() {
        6 => {
            let number: u32 = fields[5].parse().ok()?;
            let before = number.saturating_sub(1).saturating_mul(2);
            Some(before.saturating_add(u32::from(second_to_move)))
        }
        4 if has_hands(fields[0]) => Some(fields[3].parse::<u32>().ok()?.saturating_sub(1)),
        _ => None,
    }
}

/// Returns the pieces of both players, the first one's before `v`: `KRP3 v KRP2`, those in hand in
/// brackets.
pub fn material(text: &str) -> String {
    let mut fields = text.split_whitespace();
    let board = fields.next().unwrap_or_default();
    // The third field of SFEN, behind the player to move, has the pieces in hand.
    let hands = fields.nth(1).filter(|_| has_hands(board));
    let hands = hands.unwrap_or_default();
    // Numbers count pieces in hand, but empty squares on the board.
    let (on_board, in_hand) = (pieces(board, false), pieces(hands, true));
    let of = |first: bool| {
        let hand = written(&in_hand, first);
        let board = written(&on_board, first);
        if hand.is_empty() {
            board
        } else {
            format!("{board}[{hand}]")
        }
    };
    format!("{} v {}", of(true), of(false))
}

/// Tells whether a board is of SFEN, which writes pieces in hand: of nine rows parted by `/`.
pub(super) fn has_hands(board: &str) -> bool {
    board.split('/').count() == ROWS_WITH_HANDS
}

/// Counts each piece of a field of FEN or SFEN, by its place in [`ORDER`] (the king first, letters
/// that are not in it last), its letter, and whether it is promoted; the case of the letter tells
/// the player. `numbers_count`: whether a number in front of a letter says how many of it there
/// are, as in hands; on boards it counts empty squares.
fn pieces(field: &str, numbers_count: bool) -> BTreeMap<(usize, char, bool), u32> {
    let mut found = BTreeMap::new();
    let (mut promoted, mut number) = (false, 0_u32);
    for c in field.chars() {
        if c == '+' {
            promoted = true;
        } else if let Some(digit) = c.to_digit(10) {
            number = number.saturating_mul(10).saturating_add(digit);
        } else if c.is_ascii_alphabetic() {
            let capital = c.to_ascii_uppercase();
            let place = ORDER.find(capital).unwrap_or(ORDER.len());
            let count = if numbers_count { number.max(1) } else { 1 };
            let sum: &mut u32 = found.entry((place, c, promoted)).or_default();
            *sum = sum.saturating_add(count);
            (promoted, number) = (false, 0);
        }
    }
    found
}

/// Writes the pieces of one player, each followed by its number if there are several: `KR2P8`.
/// `pieces`: counts by place in the order, letter and promotion; `first`: whether the first
/// player's, which have capital letters, are written.
fn written(pieces: &BTreeMap<(usize, char, bool), u32>, first: bool) -> String {
    let mut text = String::new();
    for (&(_, letter, promoted), &count) in pieces {
        if letter.is_ascii_uppercase() == first {
            if promoted {
                text.push('+');
            }
            text.push(letter.to_ascii_uppercase());
            if count > 1 {
                text.push_str(&count.to_string());
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const SHOGI: &str = "lnsgk1snl/1r4gb+P/p1ppppppp/9/1p7/9/PP1PPPPPP/1B5R1/LNSGKGSNL b 2Pp 12";

    #[test]
    fn chess_is_read() {
        assert_eq!(men(START), 32);
        assert_eq!(ply(START), Some(0));
        assert_eq!(material(START), "KQR2B2N2P8 v KQR2B2N2P8");
        let ending = "8/5pk1/6p1/8/8/1R4P1/5PK1/8 b - - 3 41";
        assert_eq!((men(ending), ply(ending)), (7, Some(81)));
        assert_eq!(material(ending), "KRP2 v KP2");
        assert_eq!(ply("8/8/8/8/8/8/8/K1k5 w - -"), None);
        assert_eq!(ply("8/8/8/8/8/8/8/K1k5 b - - 0 4294967295"), Some(u32::MAX));
    }

    #[test]
    fn shogi_is_read_with_hands() {
        assert_eq!(ply(SHOGI), Some(11));
        assert_eq!(material(SHOGI), "KRBG2S2N2L2P8+P[P2] v KRBG2S2N2L2P9[P]");
        assert_eq!(men(SHOGI), 40);
        let much = "4k4/9/9/9/9/9/9/9/4K4 b 99999999999P9P2p 1";
        assert_eq!(material(much), format!("K[P{}] v K[P2]", u32::MAX));
    }
}
