//! Comparison of legal moves with those of two independent generators, on positions that
//! random games reach.

use haitaka::Board;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rsshogi::board::{Move32List, generate_legal_all_move32, position_from_sfen};

use super::super::{Color, Move, PieceType, Position, Setup, Square, Squares};

/// What the positions had, to assert that all of it was tested.
#[derive(Debug, Default)]
struct Seen {
    positions: usize,
    checks: usize,
    double_checks: usize,
    pins: usize,
    drops: usize,
    mates: usize,
    pawn_mates: usize,
    double_pawns: usize,
}

fn sorted(mut moves: Vec<String>) -> Vec<String> {
    moves.sort_unstable();
    moves
}

fn haitaka(board: &Board) -> Vec<String> {
    let mut moves = Vec::new();
    let mut listen = |group: haitaka::PieceMoves| {
        moves.extend(group.into_iter().map(|m| m.to_string()));
        false
    };
    board.generate_moves(&mut listen);
    // Of pawn drops haitaka 0.3.2 looks for a mate at the first square alone.
    moves.retain(|m| !m.starts_with("P*") || !mates(board, m));
    sorted(moves)
}

/// Tells by haitaka whether a move mates.
fn mates(board: &Board, m: &str) -> bool {
    let mut after = board.clone();
    after.play_unchecked(m.parse().unwrap());
    !after.checkers().is_empty() && !after.generate_moves(|_| true)
}

fn rsshogi(sfen: &str) -> Vec<String> {
    let position = position_from_sfen(sfen).unwrap();
    let mut moves = Move32List::new();
    generate_legal_all_move32(&position, &mut moves);
    sorted(moves.iter().map(|m| m.to_usi()).collect())
}

fn compare(position: &Position, seen: &mut Seen) {
    let sfen = position.to_sfen();
    let again = Position::from_sfen(&sfen).unwrap();
    assert_eq!(
        again, *position,
        "{sfen}: the position after a move is the one that is read"
    );
    let moves = position.legal_moves();
    let ours = sorted(moves.iter().map(ToString::to_string).collect());
    let board = Board::from_sfen(&sfen).unwrap_or_else(|error| panic!("{sfen}: {error:?}"));
    assert_eq!(ours, haitaka(&board), "{sfen}");
    assert_eq!(ours, rsshogi(&sfen), "{sfen}");
    assert_eq!(position.has_legal_moves(), !moves.is_empty(), "{sfen}");

    let tactical: Vec<Move> = position.tactical_moves().to_vec();
    let expected = moves.iter().copied().filter(|m| position.is_tactical(*m));
    let (mut tactical, mut expected) = (tactical, expected.collect::<Vec<Move>>());
    tactical.sort_unstable();
    expected.sort_unstable();
    assert_eq!(tactical, expected, "{sfen}");

    seen.positions += 1;
    seen.checks += usize::from(position.is_check());
    seen.double_checks += usize::from(position.checkers().is_several());
    seen.pins += usize::from(!position.pinned().is_empty());
    seen.drops += usize::from(moves.iter().any(|m| m.is_drop()));
    seen.mates += usize::from(moves.is_empty());
    special(position, seen);
}

/// Counts pawn drops that only the rules of pawn drops forbid.
fn special(position: &Position, seen: &mut Seen) {
    let us = position.turn();
    if position.hand(us).count(PieceType::Pawn) == 0 || position.is_check() {
        return;
    }
    let king = position.king(!us);
    let before = super::super::attacks(PieceType::Pawn, !us, king, Squares::EMPTY);
    let Some(square) = before.first() else { return };
    if position.piece_at(square).is_some() {
        return;
    }
    let file = position.pieces(us, PieceType::Pawn) & Squares::file_of(square);
    let m = Move::drop(PieceType::Pawn, square).unwrap();
    if !file.is_empty() {
        seen.double_pawns += 1;
        assert!(!position.is_legal(m));
    } else if !position.is_legal(m) {
        let mut after = *position;
        after.play(m);
        assert!(after.is_check() && !after.has_legal_moves());
        seen.pawn_mates += 1;
    }
}

/// Plays to the end and prefers checks and captures: purely random play hardly
/// ever attacks a king.
fn play(seed: u64, seen: &mut Seen) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut position = Position::start();
    for _ in 0..300 {
        compare(&position, seen);
        let moves = position.legal_moves();
        if moves.is_empty() {
            return;
        }
        let candidates = [(); 3].map(|()| moves[random.random_range(0..moves.len())]);
        let gives_check = |m: &Move| {
            let mut after = position;
            after.play(*m);
            after.is_check()
        };
        let checks: Vec<Move> = moves.iter().copied().filter(gives_check).collect();
        let chosen = if !checks.is_empty() && random.random_range(0..3) == 0 {
            checks[random.random_range(0..checks.len())]
        } else {
            let tactical = candidates.into_iter().find(|m| position.is_tactical(*m));
            tactical.unwrap_or(candidates[0])
        };
        position.play(chosen);
    }
}

#[test]
fn legal_moves_are_those_of_two_other_generators() {
    let mut seen = Seen::default();
    for seed in 0..100 {
        play(seed, &mut seen);
    }
    assert!(seen.positions > 10_000, "{seen:?}");
    assert!(seen.checks > 1_000 && seen.double_checks > 3, "{seen:?}");
    assert!(seen.pins > 1_000 && seen.drops > 5_000, "{seen:?}");
    assert!(seen.mates > 10 && seen.double_pawns > 100, "{seen:?}");
}

/// Kings in corners with a hand of pawns: where mates by pawns are common.
#[test]
fn pawn_drops_that_mate_are_found_as_others_find_them() {
    let mut seen = Seen::default();
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut kinds = ChaCha8Rng::seed_from_u64(8);
    while seen.pawn_mates < 50 {
        let mut setup = Setup::EMPTY;
        let mut put = |color, kind, near: Option<Square>| {
            let square = match near {
                None => Square::from_index(random.random_range(0..81)).unwrap(),
                Some(king) => {
                    let file = (i32::from(king.file()) + random.random_range(-2..3)).clamp(1, 9);
                    let rank = (i32::from(king.rank()) + random.random_range(-2..3)).clamp(1, 9);
                    Square::new(file as u8, rank as u8).unwrap()
                }
            };
            setup.board[square.index()] = Some(super::super::Piece { color, kind });
            square
        };
        let king = put(
            Color::Gote,
            PieceType::King,
            Some(Square::new(1, 1).unwrap()),
        );
        put(Color::Sente, PieceType::King, None);
        for _ in 0..4 {
            let kind = PieceType::ALL[put_kind(&mut kinds)];
            put(Color::Sente, kind, Some(king));
            put(Color::Gote, PieceType::Silver, Some(king));
        }
        setup.hands[0].add(PieceType::Pawn);
        // haitaka refuses three checkers, which no game has.
        if let Ok(position) = Position::from_setup(&setup)
            && position.checkers().count() < 3
        {
            compare(&position, &mut seen);
        }
        assert!(seen.positions < 100_000, "{seen:?}");
    }
}

fn put_kind(random: &mut ChaCha8Rng) -> usize {
    // All but kings.
    [0, 1, 2, 3, 4, 5, 6, 8, 12, 13][random.random_range(0..10)]
}

/// Of all moves that any board can have, those are legal that are listed.
#[test]
fn a_move_is_legal_if_it_is_listed() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut position = Position::start();
    for _ in 0..200 {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        for m in super::all_moves() {
            assert_eq!(position.is_legal(m), moves.contains(&m), "{position} {m}");
        }
        position.play(moves[random.random_range(0..moves.len())]);
    }
}
