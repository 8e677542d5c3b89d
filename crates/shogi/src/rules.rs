//! The rules of shogi, as engines play them.

use tuner_game::Outcome;
use tuner_game::rules::{EndReason, Ending, GameFile, PlayedGame, Rules, Seen};

use crate::kif_text;
use crate::{Color, Move, PieceType, Position, Sfen};

/// The occurrence of a position that ends a game.
const REPETITIONS: usize = 4;

/// Values of kinds in pawns, by their index, as beginners learn them.
const VALUES: [i32; PieceType::COUNT] = [1, 4, 5, 7, 8, 11, 13, 15, 8, 8, 8, 8, 15, 17];

/// The rules of computer shogi:
///
/// - the side to move without legal move has lost, mated or not;
/// - the fourth occurrence of a position (same board, hands and side to move)
///   draws (sennichite), unless one side gave check with every move since the
///   first: that side loses (perpetual check);
/// - a side that [may declare](Position::may_declare) a win by the 27-point
///   rule when it is to move has won (impasse).
///
/// Mate takes precedence over both, and a repetition over a declaration, because
/// no side declared when the position occurred before. Two pawns on a file, mate
/// by a dropped pawn, and pieces that could never move are illegal moves.
impl Rules for Sfen {
    type Move = Move;

    fn initial(&self) -> Position {
        Position::start()
    }

    fn legal_moves(&self, position: &Position) -> Vec<Move> {
        position.legal_moves().to_vec()
    }

    fn play(&self, position: &mut Position, m: Move) {
        position.play(m);
    }

    fn is_check(&self, position: &Position) -> bool {
        position.is_check()
    }

    fn is_tactical(&self, position: &Position, m: Move) -> bool {
        position.is_tactical(m)
    }

    /// Twenty times what is captured less the piece that captures, so that a greater victim always
    /// counts for more; and one for a promotion.
    fn gain(&self, position: &Position, m: Move) -> i32 {
        let value = |kind: PieceType| VALUES[kind.index()];
        let victim = position.captured(m).map_or(0, |piece| value(piece.kind));
        let own = position.moved(m).map_or(0, value);
        let captured = if victim == 0 { 0 } else { 20 * victim - own };
        captured + i32::from(m.promotes())
    }

    fn key(&self, position: &Position) -> u64 {
        position.key()
    }

    /// Always 0: shogi has no count of moves since the last capture or pawn's move.
    fn idle_plies(&self, _: &Position) -> u32 {
        0
    }

    /// Returns how the game has ended, if it has: the side to move has lost if it has no legal
    /// move; else the fourth occurrence of the position ends the game; else the side to move has
    /// won if it may declare a win by impasse. `before` are the earlier positions of the game.
    fn ending(&self, position: &Position, before: &[Seen]) -> Option<Ending> {
        let us = position.turn();
        if !position.has_legal_moves() {
            return Some(won_by(!us, EndReason::CHECKMATE));
        }
        if let Some(ending) = repetition(position, before) {
            return Some(ending);
        }
        let declares = position.may_declare();
        declares.then(|| won_by(us, EndReason::IMPASSE))
    }

    fn read_move(&self, position: &Position, text: &str) -> Option<Move> {
        position.read_usi(text)
    }

    /// Writes a move as USI does: `7g7f`, `8h2b+` with promotion, `P*5e` for a drop.
    fn write_move(&self, _: &Position, m: Move) -> String {
        m.to_string()
    }

    /// Writes the result and then the game as a line of USI, which the format `usi` reads.
    fn write_record(&self, start: &Position, moves: &[Move], outcome: Outcome) -> Option<String> {
        let mut text = match outcome {
            Outcome::Win => "1.0 position ",
            Outcome::Draw => "0.5 position ",
            Outcome::Loss => "0.0 position ",
        }
        .to_owned();
        if *start == Position::start() {
            text.push_str("startpos");
        } else {
            text.push_str("sfen ");
            text.push_str(&start.to_sfen());
        }
        for (number, m) in moves.iter().enumerate() {
            text.push_str(if number == 0 { " moves " } else { " " });
            text.push_str(&m.to_string());
        }
        text.push('\n');
        Some(text)
    }

    /// Writes the game as a file in KIF.
    fn write_file(&self, played: &PlayedGame<'_, Position, Move>) -> Option<GameFile> {
        Some(GameFile {
            ending: "kif",
            text: kif_text::write(played),
        })
    }
}

/// Returns the end of a game by the fourth occurrence of a position: a draw, or a loss of the side
/// that gave check with all of its moves since the first of these four; `None` if the position was
/// there less often. `before` are the earlier positions of the game, oldest first.
fn repetition(position: &Position, before: &[Seen]) -> Option<Ending> {
    let key = position.key();
    let mut same = (0..before.len()).rev().filter(|at| before[*at].key == key);
    let first = same.nth(REPETITIONS - 2)?;
    // A side gave check with every move since then if the opponent was in check in each position in
    // which the opponent was to move. Those two sides take turns; in the position at `first` the
    // same side is to move as now, because the key depends on it.
    let us = position.turn();
    let since = &before[first..];
    if position.is_check() && since.iter().step_by(2).all(|seen| seen.check) {
        return Some(won_by(us, EndReason::PERPETUAL_CHECK));
    }
    if since.iter().skip(1).step_by(2).all(|seen| seen.check) {
        return Some(won_by(!us, EndReason::PERPETUAL_CHECK));
    }
    Some(Ending {
        outcome: Outcome::Draw,
        reason: EndReason::REPETITION,
    })
}

/// Makes the end of a game that a side has won for this reason.
const fn won_by(color: Color, reason: EndReason) -> Ending {
    Ending {
        outcome: wins(color),
        reason,
    }
}

/// Returns the outcome of a game that a side has won, as sente, the first player, sees it.
pub(crate) const fn wins(color: Color) -> Outcome {
    match color {
        Color::Sente => Outcome::Win,
        Color::Gote => Outcome::Loss,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use tuner_game::PositionNotation;
    use tuner_game::rules::Game;

    use super::*;

    fn ends(start: &str, moves: &str) -> Option<Ending> {
        let mut game = Game::new(&Sfen, Sfen.parse(start).unwrap());
        for text in moves.split_whitespace() {
            assert_eq!(game.ending(), None, "{start}: before {text}");
            game.play(Sfen.read_move(game.position(), text).unwrap());
        }
        game.ending()
    }

    const DRAW: Option<Ending> = Some(Ending {
        outcome: Outcome::Draw,
        reason: EndReason::REPETITION,
    });

    #[test]
    fn the_fourth_time_draws() {
        let round = "2h3h 8b7b 3h2h 7b8b ".repeat(3);
        assert_eq!(ends("startpos", &round), DRAW);
        // A position of the middle, from the first move on.
        let round = format!("7g7f {}", "8b7b 2h3h 7b8b 3h2h ".repeat(3));
        assert_eq!(ends("startpos", &round), DRAW);
        // The same board with other hands is another position.
        let moves = "2h3h 8b7b 3h2h 7b8b ".repeat(2);
        assert_eq!(ends("startpos", &moves), None);
    }

    #[test]
    fn perpetual_check_loses_for_the_side_that_gives_it() {
        // The rook checks on two squares, the king goes to and fro.
        let start = "4k4/9/9/9/9/9/9/9/4K3R b - 1";
        let round = "1i1a 5a5b 1a1b 5b5a 1b1a ";
        let more = "5a5b 1a1b 5b5a 1b1a ";
        let gote = Some(won_by(Color::Gote, EndReason::PERPETUAL_CHECK));
        assert_eq!(ends(start, &[round, more, more].concat()), gote);
        // The same with colours changed, and gote giving check.
        let start = "4k3r/9/9/9/9/9/9/9/4K4 w - 1";
        let round = "1a1i 5i5h 1i1h 5h5i 1h1i ";
        let more = "5i5h 1i1h 5h5i 1h1i ";
        let sente = Some(won_by(Color::Sente, EndReason::PERPETUAL_CHECK));
        assert_eq!(ends(start, &[round, more, more].concat()), sente);
    }

    #[test]
    fn one_move_without_check_makes_it_a_draw() {
        // The king comes back to a square where no check is given.
        let start = "4k4/9/9/9/9/9/9/9/4K3R b - 1";
        let there = "5a5b 1a1b 5b5a 1b2b 5a4a 2b1b 4a5a ";
        assert_eq!(ends(start, &format!("1i1a {there} 1b1a {there}")), DRAW);
    }

    #[test]
    fn mate_loses_and_so_does_having_no_move() {
        let sente = Some(won_by(Color::Sente, EndReason::CHECKMATE));
        assert_eq!(ends("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b"), sente);
        assert_eq!(ends("4k4/9/9/9/9/9/9/9/4K4 b G 1", "G*5b"), None);
        // No check, and no move.
        assert_eq!(ends("8k/9/8G/9/9/9/9/9/4K2R1 b - 1", "5i5h"), sente);
        assert_eq!(ends("8k/9/8G/9/9/9/9/9/4K2R1 b p 1", "5i5h"), None);
    }

    /// The core's own search asks the rules what it is worth to have no move.
    #[test]
    fn quiescence_knows_that_having_no_move_loses() {
        let score = |sfen: &str| {
            let position = Sfen.parse(sfen).unwrap();
            tuner_game::quiescence(&Sfen, &position, &|_| 0, 30_000).score
        };
        assert_eq!(score("8k/9/8G/9/9/9/9/7R1/4K4 w - 1"), -30_000);
        assert_eq!(score("8k/9/8G/9/9/9/9/7R1/4K4 w p 1"), 0);
    }

    #[test]
    fn a_declaration_ends_the_game() {
        let sente = Some(won_by(Color::Sente, EndReason::IMPASSE));
        let camp = "1RRBB4/KGGSSLL2/9/9/9/9/9/9/8k";
        assert_eq!(ends(&format!("{camp} b 2P 1"), ""), sente);
        assert_eq!(ends(&format!("{camp} b P 1"), ""), None);
        let before = "1RRBB4/KGGSSLL2/9/9/9/9/9/9/8k w 2P 1";
        assert_eq!(ends(before, "1i1h"), sente);
    }

    #[test]
    fn games_are_written_as_lines_that_are_read_again() {
        let moves = "7g7f 3c3d 8h2b+ 3a2b B*4e";
        for start in ["startpos", "4k4/9/9/9/9/9/9/9/4K3R w - 4"] {
            let mut game = Game::new(&Sfen, Sfen.parse(start).unwrap());
            let moves = if start == "startpos" {
                moves
            } else {
                "5a5b 1i1a"
            };
            for m in moves.split(' ') {
                game.play(Sfen.read_move(game.position(), m).unwrap());
            }
            let text = Sfen.write_record(game.start(), game.moves(), Outcome::Loss);
            let text = text.unwrap();
            let start = if start == "startpos" {
                start
            } else {
                &format!("sfen {start}")
            };
            assert_eq!(text, format!("0.0 position {start} moves {moves}\n"));
            #[cfg(feature = "data")]
            let read = crate::records::tests::read(&crate::records::USI, text.as_bytes());
            #[cfg(feature = "data")]
            assert_eq!(read.result(), Some((Outcome::Loss, false)));
        }
    }

    #[test]
    fn moves_are_read_as_they_are_written() {
        let position = Sfen
            .parse("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1")
            .unwrap();
        for m in Sfen.legal_moves(&position) {
            let text = Sfen.write_move(&position, m);
            assert_eq!(Sfen.read_move(&position, &text), Some(m));
        }
        for text in ["", "resign", "win", "7g7f", "P*5e+"] {
            assert_eq!(Sfen.read_move(&position, text), None, "{text}");
        }
    }
}
