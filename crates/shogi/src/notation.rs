//! Shogi positions as SFEN.

#[cfg(feature = "data")]
use tuner_game::Records;
use tuner_game::{Fault, PositionNotation, of_other_player};

#[cfg(feature = "data")]
use crate::records::{CSA, HCPE, HCPE3, JKF, KI2, KIF, PSV, USI};
use crate::{Color, PieceType, Position, SfenError};

/// Shogi positions in the notation of Forsyth and Edwards as shogi engines
/// write it.
///
/// *Accepts* what [`Position::from_sfen`] does, with or without the word
/// `sfen` before, and `startpos`: three fields (board, side to move, hands) or
/// four (and the number of the move).
///
/// *Rejects* any other number of fields, positions that are not legal (kings
/// missing, the side not to move in check, pieces where they could never move,
/// two pawns of a side on a file, more pieces than there are).
///
/// *Ignores* nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sfen;

impl PositionNotation for Sfen {
    type Position = Position;

    fn name(&self) -> &'static str {
        "SFEN"
    }

    /// Returns the letter of sente, who is the first player: SFEN and USI call that side black.
    fn first_letter(&self) -> Option<char> {
        Some('b')
    }

    /// Reads `startpos`, or an SFEN with or without the word `sfen` before it.
    fn parse(&self, text: &str) -> Result<Position, Fault> {
        if text == "startpos" {
            return Ok(Position::start());
        }
        let rest = text.strip_prefix("sfen ").unwrap_or(text);
        let before = text.len() - rest.len();
        Position::from_sfen(rest).map_err(|error| fault(error, before))
    }

    /// Turns the board by half a turn and exchanges the sides; `None` if the text is not a
    /// position.
    ///
    /// That is done on the text, with its letters read backwards and in the other case: the board;
    /// the side to move; and the hands, of which the second player's come first afterwards.
    fn mirrored(&self, text: &str) -> Option<String> {
        let sfen = self.describe(&self.parse(text).ok()?);
        let [board, turn, hands, number] = sfen.split(' ').collect::<Vec<_>>()[..] else {
            return None;
        };
        // A `+` is in front of its piece, also when the board is read backwards.
        let mut turned: Vec<char> = Vec::new();
        for c in board.chars().rev().map(of_other_player) {
            match c {
                '+' => turned.insert(turned.len() - 1, c),
                c => turned.push(c),
            }
        }
        let board: String = turned.into_iter().collect();
        // The hand of the second player begins with the count in front of its first piece.
        let own = match hands.find(|c: char| c.is_ascii_lowercase()) {
            Some(at) => hands[..at].trim_end_matches(|c: char| c.is_ascii_digit()),
            None => hands,
        };
        let (first, second) = hands.split_at(own.len());
        let hands = (second.chars().chain(first.chars())).map(of_other_player);
        let hands: String = hands.collect();
        let turn = if turn == "b" { "w" } else { "b" };
        Some(format!("{board} {turn} {hands} {number}"))
    }

    fn describe(&self, position: &Position) -> String {
        position.to_sfen()
    }

    fn first_player_to_move(&self, position: &Position) -> bool {
        position.turn() == Color::Sente
    }

    /// Sente's material less gote's, in hundredths of a pawn, by the values of Kōji Tanigawa, from
    /// 100 for a pawn to 1,700 for a dragon; pieces in hand count.
    fn balance(&self, position: &Position) -> Option<i32> {
        let of_side = |color| {
            let own = position.on_board().filter(|(_, of)| of.color == color);
            let own = own.map(|(_, piece)| value(piece.kind));
            let in_hand = position.hand(color).pieces();
            let in_hand = in_hand.map(|(kind, count)| i32::from(count) * value(kind));
            own.chain(in_hand).sum::<i32>()
        };
        Some(of_side(Color::Sente) - of_side(Color::Gote))
    }

    /// The material on the board, of both sides, in hundredths of a pawn, from 100 for a pawn to
    /// 1,700 for a dragon. Pieces in hand do not count: pieces leave the board, but never the game.
    fn material(&self, position: &Position) -> Option<i32> {
        let values = position.on_board().map(|(_, piece)| value(piece.kind));
        Some(values.sum())
    }

    fn pieces(&self, position: &Position) -> Option<u32> {
        Some(position.on_board().count() as u32)
    }

    /// Returns the formats of shogi that are not one position a line. Without the crate's feature
    /// `data` this function is the trait's own: there are none.
    #[cfg(feature = "data")]
    fn records(&self) -> &[&Records<Position>] {
        &[&USI, &CSA, &JKF, &KIF, &KI2, &HCPE, &PSV, &HCPE3]
    }
}

/// Values of kinds in pawns, by their index.
const VALUES: [i32; PieceType::COUNT] = [1, 5, 6, 8, 9, 13, 15, 0, 12, 10, 10, 9, 15, 17];

/// Returns the value of a piece, in hundredths of a pawn.
const fn value(kind: PieceType) -> i32 {
    100 * VALUES[kind.index()]
}

/// Turns the error of an SFEN into a fault of the text that it is in, in which it begins at the
/// byte `before`.
pub(crate) fn fault(error: SfenError, before: usize) -> Fault {
    Fault {
        offset: before + error.offset,
        found: error.found,
        expected: error.expected.into(),
        cure: "correct the position or leave it out".into(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn the_board_is_turned_and_turned_back() {
        for (text, turned) in [
            (
                "4k4/9/4+P4/9/9/9/9/9/4K4 b G2p 1",
                "4k4/9/9/9/9/9/4+p4/9/4K4 w 2Pg 1",
            ),
            ("3k5/9/9/9/9/9/9/9/8K w - 7", "k8/9/9/9/9/9/9/9/5K3 b - 7"),
        ] {
            assert_eq!(Sfen.mirrored(text).as_deref(), Some(turned));
            assert_eq!(Sfen.mirrored(turned).as_deref(), Some(text));
        }
        let start = Sfen.mirrored("startpos").unwrap();
        assert_eq!(start, Position::start().to_sfen().replace(" b ", " w "));
    }

    #[test]
    fn positions_are_read_with_and_without_a_word_before() {
        let start = Position::start();
        let sfen = start.to_sfen();
        for text in [&sfen, "startpos", &format!("sfen {sfen}")] {
            assert_eq!(Sfen.parse(text).unwrap(), start);
        }
        assert_eq!(Sfen.describe(&start), sfen);
        assert!(Sfen.first_player_to_move(&start));
        assert_eq!(Sfen.balance(&start), Some(0));
        // 18 pawns, and 4 of each of lance, knight, silver, gold.
        let pieces = 18 + 4 * (5 + 6 + 8 + 9) + 2 * (13 + 15);
        assert_eq!(Sfen.material(&start), Some(100 * pieces));
    }

    #[test]
    fn faults_are_placed_in_the_whole_text() {
        let fault = Sfen.parse("sfen 4k4/9/9/9/9/9/9/9/4K4 x - 1").unwrap_err();
        assert_eq!((fault.offset, fault.found.as_str()), (27, "\"x\""));
        assert!(Sfen.parse("").is_err() && Sfen.parse("sfen").is_err());
    }

    #[test]
    fn hands_count_in_the_balance_and_not_on_the_board() {
        let position = Sfen.parse("4k4/9/9/9/9/9/9/4+p4/4K4 b R2p 1");
        assert!(position.is_ok(), "a tokin gives check");
        let position = Sfen.parse("4k4/4+p4/9/9/9/9/9/9/4K4 b R2p 1").unwrap();
        assert_eq!(Sfen.balance(&position), Some(1_500 - 200 - 1_200));
        assert_eq!(Sfen.material(&position), Some(1_200));
    }
}
