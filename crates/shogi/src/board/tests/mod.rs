//! Positions against published counts and independent generators.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod oracle;
mod rules;

use super::{Move, PieceType, Position, Square};

/// All moves that any board can have.
pub(super) fn all_moves() -> Vec<Move> {
    let mut moves = Vec::new();
    for to in Square::all() {
        for from in Square::all().filter(|from| *from != to) {
            moves.extend([Move::new(from, to), Move::promoting(from, to)]);
        }
        let drops = PieceType::IN_HAND.into_iter();
        moves.extend(drops.filter_map(|kind| Move::drop(kind, to)));
    }
    moves
}

/// Counts the leaves of the tree of legal moves.
fn perft(position: &Position, depth: u32) -> u64 {
    let moves = position.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    let after = |m: &Move| {
        let mut next = *position;
        next.play(*m);
        perft(&next, depth - 1)
    };
    moves.iter().map(after).sum()
}

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"))
}

/// The counts are those that engine authors publish; the second and third
/// position are YaneuraOu's `matsuri` and the one of most moves.
#[test]
fn trees_have_the_known_number_of_leaves() {
    for (sfen, counts) in [
        (
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            &[30, 900, 25_470, 719_731][..],
        ),
        (
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
            &[207, 28_684],
        ),
        (
            "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
            &[593, 105_677],
        ),
    ] {
        for (depth, count) in (1..).zip(counts) {
            assert_eq!(perft(&position(sfen), depth), *count, "{sfen} {depth}");
        }
    }
}

/// Prints how many leaves a second are counted:
///
/// `cargo test --release -p tuner-shogi -- --ignored --nocapture perft`
///
/// The count of depth 5 is YaneuraOu's.
#[test]
#[ignore = "measures speed"]
#[allow(clippy::print_stderr, reason = "it prints what it measured")]
fn speed_of_perft() {
    let start = std::time::Instant::now();
    let leaves = perft(&Position::start(), 5);
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(leaves, 19_861_490);
    eprintln!(
        "perft 5: {leaves} leaves, {seconds:.3} s, {:.1} million a second",
        leaves as f64 / seconds / 1e6
    );
}
