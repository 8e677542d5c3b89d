//! Chess positions as FEN, and the formats of chess games and records.

use shakmaty::fen;
use shakmaty::{Bitboard, Chess, Color, EnPassantMode, Position, Role};
use tuner_game::{Fault, PositionNotation};
#[cfg(feature = "data")]
use tuner_game::{FeatureCode, FeatureLanguage, RecordWriter, Records};

#[cfg(feature = "data")]
use crate::binary::{BINPACK, BULLET, MARLIN, NODCHIP, VIRI};
#[cfg(feature = "data")]
use crate::evals::EVALS;
#[cfg(feature = "data")]
use crate::features;
use crate::moves;
#[cfg(feature = "data")]
use crate::pgn::PGN;
#[cfg(feature = "data")]
use crate::plain::PLAIN;

/// Standard chess positions in Forsyth-Edwards notation.
///
/// *Accepts* four fields (board, side to move, castling, en passant square) or
/// six (with half-move clock and move number); castling rights as `KQkq` or by
/// the rook's file, as X-FEN writes them; Chess960, with kings and rooks
/// anywhere on the first rank; an en passant square behind a pawn that has just
/// moved two squares, whether or not it can be captured; positions in which the
/// game is over, because an evaluation scores them like others.
///
/// *Rejects* any other number of fields, positions that are not legal
/// (kings missing or adjacent, the side not to move in check,
/// pawns on the first or last rank, impossible checks, more pieces than
/// promotion can explain), castling rights without king and rook on their first
/// rank, en passant squares without pawn, pockets and check counts of variants,
/// and underscores instead of spaces.
///
/// *Ignores* nothing.
///
/// *Cost*: that of shakmaty's parser and of its legality checks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fen;

impl PositionNotation for Fen {
    type Position = Chess;

    fn name(&self) -> &'static str {
        "FEN"
    }

    /// Returns the letter of White, who is the first player, in results that name the winner by
    /// colour.
    fn first_letter(&self) -> Option<char> {
        Some('w')
    }

    fn parse(&self, text: &str) -> Result<Chess, Fault> {
        crate::fen::parse(text)
    }

    /// Appends half-move clock (`idle`) and move number (`number`) to a FEN of four fields. `None`
    /// for any other number of fields: a FEN of six has both already.
    fn with_clocks(&self, text: &str, idle: &str, number: &str) -> Option<String> {
        (crate::fen::fields(text).count() == 4).then(|| format!("{text} {idle} {number}"))
    }

    /// Returns the FEN with colours swapped and ranks reversed; `None` if it has fewer than four
    /// fields.
    fn mirrored(&self, text: &str) -> Option<String> {
        crate::fen::mirrored(text)
    }

    /// Writes the FEN, with an en passant square only where a pawn may legally be taken so.
    fn describe(&self, position: &Chess) -> String {
        fen::Fen::from_position(position, EnPassantMode::Legal).to_string()
    }

    fn first_player_to_move(&self, position: &Chess) -> bool {
        position.turn() == Color::White
    }

    /// White's material less Black's, with pawn, knight, bishop, rook and queen as 100, 300, 300,
    /// 500 and 900.
    fn balance(&self, position: &Chess) -> Option<i32> {
        let white = position.board().white();
        Some(2 * value(position, white) - value(position, Bitboard::FULL))
    }

    /// The material of both sides, with pawn, knight, bishop, rook and queen as 100, 300, 300, 500
    /// and 900.
    fn material(&self, position: &Chess) -> Option<i32> {
        Some(value(position, Bitboard::FULL))
    }

    fn pieces(&self, position: &Chess) -> Option<u32> {
        Some(position.board().occupied().count() as u32)
    }

    /// Returns the formats of chess that are not one position a line. Without the crate's feature
    /// `data` this function is the trait's own: there are none.
    #[cfg(feature = "data")]
    fn records(&self) -> &[&Records<Chess>] {
        &[
            &BINPACK, &EVALS, &PGN, &PLAIN, &VIRI, &BULLET, &MARLIN, &NODCHIP,
        ]
    }

    /// Returns the function that writes records of `plain` or of bulletformat; `None` for other
    /// formats. Without the crate's feature `data` this function is the trait's own: always `None`.
    #[cfg(feature = "data")]
    fn record_writer(&self, format: &str) -> Option<RecordWriter> {
        match format {
            "plain" => Some(crate::plain::write),
            "bulletformat" => Some(crate::binary::write_bullet),
            _ => None,
        }
    }

    /// Returns the words of all features that an evaluation may have terms for, such as "rooks on
    /// open files". Without the crate's feature `data` this function is the trait's own: no words.
    #[cfg(feature = "data")]
    fn feature_words(&self) -> Vec<String> {
        features::words()
    }

    /// Returns, for each of `feature_words`, how often it counts for White less how often for
    /// Black. Without the crate's feature `data` this function is the trait's own: no counts.
    #[cfg(feature = "data")]
    fn feature_counts(&self, position: &Chess) -> Vec<i16> {
        features::counts(position)
    }

    /// Returns code that counts some of `feature_words`, `chosen` by their numbers from 0; `None`
    /// at a number that no feature has. Without the crate's feature `data` this function is the
    /// trait's own: `None`.
    #[cfg(feature = "data")]
    fn feature_code(&self, chosen: &[usize], language: FeatureLanguage) -> Option<FeatureCode> {
        features::code(chosen, language)
    }
}

/// Returns the value of the pieces on some squares, but of kings, in hundredths of a pawn.
fn value(position: &Chess, squares: Bitboard) -> i32 {
    let of = |role| {
        let pieces = position.board().by_role(role) & squares;
        100 * moves::value(role) * pieces.count() as i32
    };
    let roles = Role::ALL.into_iter().filter(|role| *role != Role::King);
    roles.map(of).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_described_position_is_read_again() {
        let text = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/Pp2P3/2N2Q1p/1PPBBPPP/R3K2R b KQkq a3 0 1";
        let position = Fen.parse(text).unwrap();
        assert_eq!(Fen.describe(&position), text);
        assert!(Fen.first_player_to_move(&Chess::default()));
        assert!(!Fen.first_player_to_move(&position));
    }

    #[test]
    fn colours_are_swapped_and_swapped_back() {
        for (text, expected) in [
            (
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/Pp2P3/2N2Q1p/1PPBBPPP/R3K2R b KQk a3 0 9",
                "r3k2r/1ppbbppp/2n2q1P/pP2p3/3pn3/BN2PNP1/P1PPQPB1/R3K2R w Kkq a6 0 9",
            ),
            ("4k3/8/8/8/8/8/P7/4K3 w - -", "4k3/p7/8/8/8/8/8/4K3 b - -"),
        ] {
            assert_eq!(Fen.mirrored(text).as_deref(), Some(expected));
            assert_eq!(Fen.mirrored(expected).as_deref(), Some(text));
            assert!(Fen.parse(expected).is_ok());
        }
    }

    #[test]
    fn operations_give_the_clocks_of_four_fields() {
        let four = "4k3/8/8/8/8/8/8/4K3 w - -";
        let text = Fen.with_clocks(four, "7", "40").unwrap();
        assert_eq!(Fen.describe(&Fen.parse(&text).unwrap()), text);
        assert!(text.ends_with(" - - 7 40"), "{text}");
        assert_eq!(Fen.with_clocks(&text, "1", "2"), None);
    }
}
