//! The terms whose weights are 0 count what they say, for both colours: the evaluation at
//! other weights shows it.

use chess_engine::evaluator::ChessEngine;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, Setup, fen::Fen};
use tuner_core::engine::{Evaluation, Link};
use tuner_core::evaluator::AtWeights;
use tuner_core::spec::{Layout, Spec};

use crate::chess::support::root;

fn position(fen: &str) -> Chess {
    let fen: Fen = fen.parse().unwrap();
    fen.into_position(CastlingMode::Standard).unwrap()
}

/// The same with the colours exchanged, so the same for the side to move.
fn mirrored(position: &Chess) -> Chess {
    let setup: Setup = position.to_setup(EnPassantMode::Legal).into_mirrored();
    setup.position(CastlingMode::Standard).unwrap()
}

fn layout() -> Layout {
    let spec = Spec::load(&root().join("specs/chess.toml")).unwrap();
    spec.layout().clone()
}

fn names(layout: &Layout) -> Vec<String> {
    layout
        .weight_ids()
        .map(|weight| layout.name(weight))
        .collect()
}

/// Scores of a position, and mirrored, with some weights changed.
fn scores(layout: &Layout, position: &Chess, changes: &[(String, f64)]) -> [i32; 2] {
    let evaluation = Evaluation::playing(ChessEngine).unwrap();
    let link = Link::new(evaluation.weights(), layout).unwrap();
    let names = names(layout);
    let mut weights = layout.initial().clone();
    for (name, value) in changes {
        weights[names.iter().position(|other| other == name).unwrap()] = *value;
    }
    let values = link.weights().iter().map(|weight| weights[weight.index()]);
    let values: Vec<f64> = values.collect();
    let at = AtWeights::new(&ChessEngine, &values);
    [position.clone(), mirrored(position)].map(|position| at.evaluate(&position))
}

/// Positions, weights, and what they count in endgames, where the score is that of the endgame
/// alone: White's less Black's.
const COUNTED: &[(&str, &str, i32)] = &[
    // d4 is held up by e6 alone, and c4 is beside it.
    (
        "4k3/8/4p3/8/2PP4/8/8/4K3 w - - 0 1",
        "CANDIDATE_PAWN[2].eg",
        1,
    ),
    (
        "4k3/7p/8/8/P7/8/8/4K3 w - - 0 1",
        "FREE_PASSED_PAWN[2].eg",
        1,
    ),
    // The knight attacks a7.
    (
        "4k3/7p/2n5/8/P7/8/8/4K3 w - - 0 1",
        "FREE_PASSED_PAWN[2].eg",
        0,
    ),
    (
        "4k3/7p/8/8/P7/8/8/4K3 w - - 0 1",
        "DEFENDED_PASSED_PAWN[2].eg",
        0,
    ),
    (
        "4k3/7p/8/8/P7/1N6/8/4K3 w - - 0 1",
        "DEFENDED_PASSED_PAWN[2].eg",
        1,
    ),
    (
        "4k3/p7/8/8/8/4P3/4N3/4K3 w - - 0 1",
        "MINOR_BEHIND_PAWN.eg",
        1,
    ),
    (
        "4k3/p7/8/8/4N3/4P3/8/4K3 w - - 0 1",
        "MINOR_BEHIND_PAWN.eg",
        0,
    ),
    (
        "8/p7/8/8/8/P7/3n4/4K2k w - - 0 1",
        "THREAT_BY_KING[knight].eg",
        1,
    ),
    // b5 would attack c6.
    ("4k3/7p/2n5/8/1P6/8/8/4K3 w - - 0 1", "PUSH_THREAT.eg", 1),
    ("4k3/7p/2n5/1b6/1P6/8/8/4K3 w - - 0 1", "PUSH_THREAT.eg", 0),
    // a5, which the knight attacks as well.
    ("4k3/7p/2n5/8/1P6/8/8/4K3 w - - 0 1", "CONTESTED.eg", 1),
    (
        "4k3/4n2p/8/8/8/8/P3R3/4K3 w - - 0 1",
        "PINNED[knight].eg",
        1,
    ),
    (
        "4k3/4n2p/4p3/8/8/8/P3R3/4K3 w - - 0 1",
        "PINNED[knight].eg",
        0,
    ),
    (
        "4k3/7p/8/4N3/8/8/P3R3/4K3 w - - 0 1",
        "PINNED[knight].eg",
        0,
    ),
    // The king is seven moves from a8, the pawn four.
    ("8/7p/8/8/P7/8/8/4K2k w - - 0 1", "UNSTOPPABLE_PAWN.eg", 1),
    ("4k3/7p/8/8/P7/8/8/4K3 w - - 0 1", "UNSTOPPABLE_PAWN.eg", 0),
    ("8/7p/2n5/8/P7/8/8/4K2k w - - 0 1", "UNSTOPPABLE_PAWN.eg", 0),
    (
        "R7/p4k2/8/8/8/8/7P/4K3 w - - 0 1",
        "ENEMY_ROOK_BEHIND.eg",
        -1,
    ),
    (
        "8/p4k2/8/8/8/8/7P/R3K3 w - - 0 1",
        "ENEMY_ROOK_BEHIND.eg",
        0,
    ),
    // From b4 to d5, which e4 covers.
    (
        "4k3/p7/8/8/1N2P3/8/8/4K3 w - - 0 1",
        "REACHABLE_OUTPOST.eg",
        1,
    ),
    (
        "4k3/2p5/8/8/1N2P3/8/8/4K3 w - - 0 1",
        "REACHABLE_OUTPOST.eg",
        0,
    ),
    ("4k3/7p/8/8/8/8/PP6/RK6 w - - 0 1", "TRAPPED_ROOK.eg", 1),
    ("4k3/7p/8/8/8/8/PP6/1KR5 w - - 0 1", "TRAPPED_ROOK.eg", 0),
    ("4k3/7p/8/8/8/8/1P6/RK6 w - - 0 1", "TRAPPED_ROOK.eg", 0),
    // King and knight attack d5, which the pawn on e6 defends.
    (
        "4k3/p7/8/3n4/4K3/2N5/7P/8 w - - 0 1",
        "OUTNUMBERED[knight].eg",
        1,
    ),
    (
        "4k3/p7/4p3/3n4/4K3/2N5/7P/8 w - - 0 1",
        "OUTNUMBERED[knight].eg",
        0,
    ),
    // Both attack b4; e3 White twice, or once.
    ("4k3/p7/8/3n4/8/8/2N1K2P/8 w - - 0 1", "RESTRICTED.eg", 1),
    ("4k3/p7/8/3n4/8/8/2N4P/4K3 w - - 0 1", "RESTRICTED.eg", 0),
    ("4k3/4p3/8/8/8/8/7P/K7 w - - 0 1", "PAWNLESS_FLANK.eg", 1),
    ("4k3/4p3/8/8/8/8/1P6/K7 w - - 0 1", "PAWNLESS_FLANK.eg", 0),
    ("5k2/7p/8/8/P7/8/8/4K3 w - - 0 1", "UNSTOPPABLE_PAWN.eg", 0),
    ("6k1/7p/8/8/P7/8/8/4K3 w - - 0 1", "UNSTOPPABLE_PAWN.eg", 1),
    ("8/K6p/8/8/P7/8/8/7k w - - 0 1", "UNSTOPPABLE_PAWN.eg", 0),
    ("4k3/7p/8/8/8/8/6PP/6KR w - - 0 1", "TRAPPED_ROOK.eg", 1),
    ("4k3/7p/8/8/8/8/5PPP/4NRK1 w - - 0 1", "TRAPPED_ROOK.eg", 0),
    ("4k3/7p/8/P7/8/8/1P6/RK6 w - - 0 1", "TRAPPED_ROOK.eg", 1),
    ("4k3/7p/P7/8/8/8/1P6/RK6 w - - 0 1", "TRAPPED_ROOK.eg", 0),
    ("4k3/7p/8/8/8/P7/RP6/1K6 w - - 0 1", "TRAPPED_ROOK.eg", 0),
    ("4k3/4p3/8/8/1p6/8/7P/K7 w - - 0 1", "PAWNLESS_FLANK.eg", 0),
    ("4k3/4p3/8/8/8/8/2P5/K7 w - - 0 1", "PAWNLESS_FLANK.eg", 0),
    ("4k3/1p2p3/8/8/8/8/7P/K7 w - - 0 1", "PAWNLESS_FLANK.eg", 1),
    (
        "4k3/p1n5/8/3n4/4K3/2N5/7P/8 w - - 0 1",
        "OUTNUMBERED[knight].eg",
        1,
    ),
    (
        "4k3/p7/8/8/4P3/4N3/8/4K3 w - - 0 1",
        "REACHABLE_OUTPOST.eg",
        1,
    ),
    (
        "4k3/7p/8/8/8/8/2P5/2N1K3 w - - 0 1",
        "REACHABLE_OUTPOST.eg",
        0,
    ),
    (
        "4k3/7p/8/3P4/2P5/4N3/8/4K3 w - - 0 1",
        "REACHABLE_OUTPOST.eg",
        0,
    ),
    (
        "4k3/p7/8/3n4/1N2P3/8/8/4K3 w - - 0 1",
        "REACHABLE_OUTPOST.eg",
        1,
    ),
    (
        "r7/p4k2/8/8/8/8/7P/4K3 w - - 0 1",
        "ENEMY_ROOK_BEHIND.eg",
        0,
    ),
    (
        "Q7/p4k2/8/8/8/8/7P/4K3 w - - 0 1",
        "ENEMY_ROOK_BEHIND.eg",
        0,
    ),
    (
        "R7/5k2/n7/p7/8/8/7P/4K3 w - - 0 1",
        "ENEMY_ROOK_BEHIND.eg",
        -1,
    ),
    (
        "R7/R7/6k1/p7/8/8/7P/4K3 w - - 0 1",
        "ENEMY_ROOK_BEHIND.eg",
        -2,
    ),
    ("4k3/p7/8/8/8/8/P7/4K2R w K - 0 1", "CASTLING[0].eg", 1),
    ("4k3/p7/8/8/8/8/P7/R3K3 w Q - 0 1", "CASTLING[1].eg", 1),
    ("4k3/p7/8/8/8/8/P7/R3K3 w - - 0 1", "CASTLING[1].eg", 0),
];

#[test]
fn terms_count_what_they_say() {
    let layout = layout();
    for &(fen, name, count) in COUNTED {
        let position = position(fen);
        let before = scores(&layout, &position, &[]);
        let after = scores(&layout, &position, &[(name.to_owned(), 100.0)]);
        let counted = [0, 1].map(|side| after[side] - before[side]);
        assert_eq!(counted, [100 * count; 2], "{name} in {fen}");
    }
}

/// With a queen on the board the score is mostly that of the endgame, so both phases change.
#[test]
fn queens_are_looked_at() {
    let layout = layout();
    for (fen, name, count) in [
        // From c6 the knight will attack d8, which b7 covers.
        ("3qk3/p7/8/8/1N6/8/7P/4K3 w - - 0 1", "KNIGHT_ON_QUEEN", 1),
        ("3qk3/1p6/8/8/1N6/8/7P/4K3 w - - 0 1", "KNIGHT_ON_QUEEN", 0),
        // The rook goes to d4, where the king helps it.
        ("3qk3/p7/8/8/R7/4K3/7P/8 w - - 0 1", "SLIDER_ON_QUEEN", 1),
        ("3qk3/p7/8/8/R7/8/7P/4K3 w - - 0 1", "SLIDER_ON_QUEEN", 0),
        // Its own pawn stands on c6.
        ("3qk3/p7/2P5/8/1N6/8/8/4K3 w - - 0 1", "KNIGHT_ON_QUEEN", 0),
        // The bishop goes to f6; the pawn on d7 is in the rook's way.
        ("3qk3/p7/6K1/8/8/2B5/7P/8 w - - 0 1", "SLIDER_ON_QUEEN", 1),
        ("3qk3/p2p4/8/8/R7/4K3/7P/8 w - - 0 1", "SLIDER_ON_QUEEN", 0),
        ("3qk3/4p3/8/8/7B/8/7P/4K3 w - - 0 1", "WEAK_QUEEN", 1),
        ("3qk3/4p3/8/8/7R/8/7P/4K3 w - - 0 1", "WEAK_QUEEN", 0),
        ("3qk3/8/8/8/7B/8/7P/4K3 w - - 0 1", "WEAK_QUEEN", 0),
        ("3qk3/p7/8/8/3P4/8/7P/3RK3 w - - 0 1", "WEAK_QUEEN", 1),
        ("3qk3/8/8/8/3p4/8/7P/3QK3 w - - 0 1", "WEAK_QUEEN", 0),
        ("3qk3/8/8/8/3p4/8/7P/3RK3 w - - 0 1", "WEAK_QUEEN", 1),
        ("3qk3/3p4/8/8/3p4/8/7P/3RK3 w - - 0 1", "WEAK_QUEEN", 0),
    ] {
        let position = position(fen);
        let both = ["mg", "eg"].map(|phase| (format!("{name}.{phase}"), 100.0));
        let before = scores(&layout, &position, &[]);
        let after = scores(&layout, &position, &both);
        let counted = [0, 1].map(|side| after[side] - before[side]);
        assert_eq!(counted, [100 * count; 2], "{name} in {fen}");
    }
}

#[test]
fn an_ending_of_pawns_has_a_scale_of_its_own() {
    let layout = layout();
    let nothing = [("PAWN_ENDING".to_owned(), 0.0)];
    let pawns = position("4k3/p7/8/8/8/8/PP6/4K3 w - - 0 1");
    assert_ne!(scores(&layout, &pawns, &[]), [0, 0]);
    assert_eq!(scores(&layout, &pawns, &nothing), [0, 0]);
    let knight = position("4k3/p7/8/8/8/8/PP6/4KN2 w - - 0 1");
    assert_eq!(
        scores(&layout, &knight, &nothing),
        scores(&layout, &knight, &[])
    );
}

/// Attack units count once danger is above 0: a sixteenth of them in the endgame.
#[test]
fn attack_units_count_what_they_say() {
    let layout = layout();
    // The knight attacks f7, which only the king defends, g6 and g4. Black defends seven
    // squares of its flank, White nine of its own.
    let knight = "6k1/5p1p/8/4N3/8/8/P7/4K3 w - - 0 1";
    // The knight could check on e7, and on f6, which a pawn covers.
    let check = "6k1/5ppp/8/3N4/8/8/P7/4K3 w - - 0 1";
    for (fen, name, count) in [
        (knight, "WEAK_RING", 1),
        (knight, "FLANK_ATTACK", 3),
        (knight, "FLANK_DEFENCE", 7 - 9),
        (check, "SAFE_CHECK[knight]", 1),
        (check, "UNSAFE_CHECK[knight]", 1),
        (knight, "UNSAFE_CHECK[knight]", 0),
        (knight, "RING_TWICE", 0),
        // The rook attacks f7 as well.
        ("6k1/5p1p/8/4N3/8/8/P7/4KR2 w - - 0 1", "RING_TWICE", 1),
        // The bishop defends it as well.
        ("4b1k1/5p1p/8/4N3/8/8/P7/4KR2 w - - 0 1", "RING_TWICE", 0),
    ] {
        let position = position(fen);
        let [once, twice] =
            [1600.0, 3200.0].map(|value| scores(&layout, &position, &[(name.to_owned(), value)]));
        let counted = [0, 1].map(|side| twice[side] - once[side]);
        assert_eq!(counted, [100 * count; 2], "{name}");
    }
}

#[test]
fn colours_are_treated_alike_at_any_weights() {
    let layout = layout();
    let names = names(&layout);
    let zero = names
        .iter()
        .zip(layout.initial())
        .filter(|(_, value)| value.abs() <= 0.0);
    let changes: Vec<(String, f64)> = (zero.enumerate())
        .map(|(number, (name, _))| (name.clone(), (7 * number % 41) as f64 - 11.0))
        .filter(|(name, _)| !name.starts_with("PST") && !name.starts_with("MATERIAL"))
        .collect();
    for fen in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r1bqkb1r/pp3ppp/2n1pn2/3p4/2PP4/2N2N2/PP3PPP/R1BQKB1R w KQkq - 0 7",
        "4k3/P6p/8/3N4/2P5/8/1q4PP/4K2R b K - 0 30",
        "2kr3r/pp3p1p/2n1p1p1/3pP3/3P1q2/2PB1N2/P4PPP/R2Q1RK1 w - - 0 17",
    ] {
        let position = position(fen);
        let [here, there] = scores(&layout, &position, &changes);
        assert_eq!(here, there, "{fen}");
        assert_ne!([here, there], scores(&layout, &position, &[]), "{fen}");
    }
}
