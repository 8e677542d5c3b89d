//! The rules of chess, by shakmaty.

use shakmaty::san::{San, SanPlus};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position};
use tuner_game::Outcome;
use tuner_game::rules::{EndReason, Ending, Rules, Seen};

use crate::{Fen, moves};

/// Plies without capture or pawn move after which a game is drawn.
const FIFTY_MOVES: u32 = 100;

/// FIDE's rules as engines play them: the third occurrence of a position and
/// fifty moves without capture or pawn move draw at once.
impl Rules for Fen {
    type Move = Move;

    fn initial(&self) -> Chess {
        Chess::default()
    }

    /// Names the variant of a position whose castling rights are read as those of Chess960.
    fn variant(&self, position: &Chess) -> Option<&'static str> {
        (position.castles().mode() == CastlingMode::Chess960).then_some("Chess960")
    }

    fn legal_moves(&self, position: &Chess) -> Vec<Move> {
        position.legal_moves().into_iter().collect()
    }

    fn play(&self, position: &mut Chess, m: Move) {
        position.play_unchecked(m);
    }

    fn is_check(&self, position: &Chess) -> bool {
        position.is_check()
    }

    fn is_tactical(&self, _: &Chess, m: Move) -> bool {
        moves::is_tactical(m)
    }

    /// Returns how much a move wins by what it takes and by promotion, to order moves.
    fn gain(&self, _: &Chess, m: Move) -> i32 {
        moves::gain(m)
    }

    /// Returns the Zobrist key; an en passant square changes it only where a pawn may legally be
    /// taken so.
    fn key(&self, position: &Chess) -> u64 {
        position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
    }

    /// Returns the half-move clock: the plies since the last capture or pawn move.
    fn idle_plies(&self, position: &Chess) -> u32 {
        position.halfmoves()
    }

    /// Returns how the game has ended, if it has: by checkmate, or as a draw by stalemate, too
    /// little material, the third occurrence of the position, or 100 plies without capture or pawn
    /// move. `before` are the earlier positions of the game.
    fn ending(&self, position: &Chess, before: &[Seen]) -> Option<Ending> {
        let is_over = position.legal_moves().is_empty();
        if is_over && position.is_check() {
            return Some(Ending {
                outcome: position.turn().fold_wb(Outcome::Loss, Outcome::Win),
                reason: EndReason::CHECKMATE,
            });
        }
        let key = self.key(position);
        let reason = if is_over {
            EndReason::STALEMATE
        } else if position.is_insufficient_material() {
            EndReason::MATERIAL
        } else if before.iter().filter(|seen| seen.key == key).count() >= 2 {
            EndReason::REPETITION
        } else if position.halfmoves() >= FIFTY_MOVES {
            EndReason::IDLE
        } else {
            return None;
        };
        Some(Ending {
            outcome: Outcome::Draw,
            reason,
        })
    }

    fn read_move(&self, position: &Chess, text: &str) -> Option<Move> {
        moves::from_uci(position, text)
    }

    /// Writes a move in the notation of UCI. Castling is king takes rook in Chess960, elsewhere the
    /// king's two steps.
    fn write_move(&self, position: &Chess, m: Move) -> String {
        m.to_uci(position.castles().mode()).to_string()
    }

    /// Reads a legal move in SAN, perhaps with `+` or `#` behind it, or in the notation of UCI,
    /// such as `g1f3`.
    fn read_record_move(&self, position: &Chess, text: &str) -> Option<Move> {
        let san = text.trim_end_matches(['+', '#']).parse::<San>().ok();
        // `g1f3` can be read as SAN, as the move of a pawn. If that is not legal, the text is read
        // as UCI.
        let m = san.and_then(|san| san.to_move(position).ok());
        m.or_else(|| self.read_move(position, text))
    }

    /// Writes a move in SAN, with `+` or `#` where it gives check or mate.
    fn write_record_move(&self, position: &Chess, m: Move) -> String {
        SanPlus::from_move(position.clone(), m).to_string()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use tuner_game::PositionNotation;
    use tuner_game::rules::Game;

    use super::*;

    fn after<'r>(rules: &'r Fen, start: Chess, moves: &str) -> Game<'r, Fen> {
        let mut game = Game::new(rules, start);
        for text in moves.split_whitespace() {
            game.play(Fen.read_move(game.position(), text).unwrap());
        }
        game
    }

    fn ends(start: &str, moves: &str) -> Option<Ending> {
        let start = match start {
            "" => Fen.initial(),
            text => Fen.parse(text).unwrap(),
        };
        after(&Fen, start, moves).ending()
    }

    #[test]
    fn moves_of_records_are_those_of_engines_too() {
        let initial = Fen.initial();
        for (text, expected) in [
            ("Nf3", Some("g1f3")),
            ("g1f3", Some("g1f3")),
            ("e2e4", Some("e2e4")),
            ("e4", Some("e2e4")),
            ("Nf3+", Some("g1f3")),
            ("g1g3", None),
        ] {
            let found = Fen.read_record_move(&initial, text);
            let found = found.map(|m| Fen.write_move(&initial, m));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn games_end_by_the_rules() {
        let end = |outcome, reason| Some(Ending { outcome, reason });
        for (start, moves, expected) in [
            ("", "e2e4", None),
            (
                "",
                "f2f3 e7e5 g2g4 d8h4",
                end(Outcome::Loss, EndReason::CHECKMATE),
            ),
            (
                "",
                "e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7",
                end(Outcome::Win, EndReason::CHECKMATE),
            ),
            ("", "g1f3 g8f6 f3g1 f6g8", None),
            (
                "",
                "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8",
                end(Outcome::Draw, EndReason::REPETITION),
            ),
            (
                "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1",
                "f1f7",
                end(Outcome::Draw, EndReason::STALEMATE),
            ),
            ("7k/8/6K1/8/8/8/6p1/8 w - - 0 1", "g6f7 g2g1q", None),
            (
                "7k/8/6K1/8/8/8/8/6n1 w - - 0 1",
                "g6g5",
                end(Outcome::Draw, EndReason::MATERIAL),
            ),
            (
                "7k/8/6K1/8/8/8/8/4R3 w - - 99 90",
                "e1e2",
                end(Outcome::Draw, EndReason::IDLE),
            ),
            (
                "7k/8/6K1/8/8/8/8/4R3 w - - 99 90",
                "e1e8",
                end(Outcome::Win, EndReason::CHECKMATE),
            ),
        ] {
            assert_eq!(ends(start, moves), expected, "{start} {moves}");
        }
    }

    #[test]
    fn moves_are_read_as_they_are_written() {
        let text = "r3k2r/pPppqpb1/bn2pnp1/3PN3/Pp2P3/2N2Q1p/2PBBPPP/R3K2R w KQkq - 0 1";
        let position = Fen.parse(text).unwrap();
        let moves = Fen.legal_moves(&position);
        for m in &moves {
            let text = Fen.write_move(&position, *m);
            assert_eq!(Fen.read_move(&position, &text), Some(*m), "{text}");
        }
        assert!(
            moves
                .iter()
                .any(|m| Fen.write_move(&position, *m) == "e1g1")
        );
        for text in ["e1g8", "0000", "(none)", "", "b7a8"] {
            assert_eq!(Fen.read_move(&position, text), None, "{text}");
        }
    }

    #[test]
    fn captures_and_promotions_are_tactical() {
        let position = Fen.parse("r3k3/1P6/8/3pP3/8/8/8/4K3 w - d6 0 1").unwrap();
        let tactical = |text: &str| {
            let m = Fen.read_move(&position, text).unwrap();
            Fen.is_tactical(&position, m)
        };
        assert!(tactical("b7a8q") && tactical("b7b8n") && tactical("e5d6"));
        assert!(!tactical("e5e6") && !tactical("e1e2"));
    }
}
