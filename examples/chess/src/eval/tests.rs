#![allow(clippy::unwrap_used)] // the positions below are written here

use super::*;
use crate::tuned_weights::{
    BACKWARD_PAWN, BLOCKED_PASSED_PAWN, CANDIDATE_PAWN, CASTLING, CONTESTED, DEFENDED_PASSED_PAWN,
    DOUBLED_PAWN, FLANK_ATTACK, FLANK_DEFENCE, FREE_PASSED_PAWN, HANGING, ISOLATED_PAWN,
    KING_ATTACKER, KING_RING_ATTACK, KNIGHT_MOBILITY, MINOR_BEHIND_PAWN, ONLY_OPPOSITE_BISHOPS,
    OPPOSITE_BISHOPS, PASSED_ENEMY_KING, PASSED_OWN_KING, PASSED_PAWN, PAWNLESS, PHALANX_PAWN,
    PINNED, PUSH_THREAT, ROOK_OPEN_FILE, SAFE_CHECK, SHELTER, STORM, SUPPORTED_PAWN,
    THREAT_BY_KING, THREAT_BY_MINOR, THREAT_BY_PAWN, WEAK_RING,
};
use shakmaty::{CastlingMode, EnPassantMode, Setup, fen::Fen};

fn position(fen: &str) -> Chess {
    fen.parse::<Fen>()
        .unwrap()
        .into_position(CastlingMode::Standard)
        .unwrap()
}

fn mirrored(pos: &Chess) -> Chess {
    let setup: Setup = pos.to_setup(EnPassantMode::Legal).into_mirrored();
    setup.position(CastlingMode::Standard).unwrap()
}

const POSITIONS: [&str; 6] = [
    "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "4k3/P6p/8/3N4/2P5/8/1q4PP/4K2R b K - 0 30",
    "2kr3r/pp3p1p/2n1p1p1/3pP3/3P1q2/2PB1N2/P4PPP/R2Q1RK1 w - - 0 17",
];

#[test]
fn colours_are_treated_alike() {
    for fen in POSITIONS {
        let pos = position(fen);
        assert_eq!(evaluate(&pos), evaluate(&mirrored(&pos)), "{fen}");
    }
}

#[test]
fn the_start_is_worth_a_tempo() {
    assert_eq!(evaluate(&Chess::default()), TEMPO.mg());
}

#[test]
fn a_queen_up_is_a_queen_up() {
    let pos = position("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!(evaluate(&pos) > 700);
}

#[test]
fn the_phase_runs_between_its_limits() {
    let phase = |fen| phase(position(fen).board());
    let full = MIDGAME_LIMIT - ENDGAME_LIMIT;
    assert_eq!(super::phase(Chess::default().board()), full);
    assert_eq!(phase("4k3/8/8/8/8/8/8/QQQQK1QQ w - - 0 1"), full);
    assert_eq!(phase("4k3/8/8/8/8/8/8/N3K3 w - - 0 1"), 0);
    assert_eq!(
        phase("3qk3/8/8/8/8/8/n6b/R3K3 w - - 0 1"),
        80 - ENDGAME_LIMIT
    );
}

#[test]
fn endgames_that_are_hard_to_win_are_scaled() {
    let scaled = |fen, score| endgame::scaled(score, position(fen).board(), Color::White);
    let bishops = "4kb2/8/8/8/8/8/4P3/4KB2 w - - 0 1";
    assert_eq!(scaled(bishops, 640), 10 * ONLY_OPPOSITE_BISHOPS);
    let with_rooks = "4kb1r/8/8/8/8/8/4P3/4KB1R w - - 0 1";
    assert_eq!(scaled(with_rooks, -640), -10 * OPPOSITE_BISHOPS);
    let same_colour = "2b1k3/8/8/8/8/4p3/4P3/4KB2 w - - 0 1";
    assert_eq!(scaled(same_colour, 640), 640);
    // Only the side that is better needs a pawn.
    let without = "4k3/4p3/8/8/8/8/8/4KB2 w - - 0 1";
    assert_eq!(scaled(without, 640), 10 * PAWNLESS);
    assert_eq!(scaled(without, -640), -640);
}

#[test]
fn single_terms_count_what_they_say() {
    // A knight in the corner of an empty board reaches two squares.
    let corner = position("7k/8/8/8/8/8/8/N6K w - - 0 1");
    let attacks = Attacks::new(corner.board());
    assert_eq!(
        pieces::mobility(corner.board(), &attacks, Color::White),
        KNIGHT_MOBILITY[2]
    );
    // A rook on a file without pawns.
    let rooks = |fen| {
        let pos = position(fen);
        pieces::rooks(pos.board(), &Attacks::new(pos.board()), Color::White)
    };
    let open = rooks("7k/6p1/8/8/8/8/6P1/R6K w - - 0 1");
    assert_eq!(open, ROOK_OPEN_FILE);
    let behind = position("4k3/8/8/8/8/4P3/4N3/4K3 w - - 0 1");
    let attacks = Attacks::new(behind.board());
    assert_eq!(
        pieces::minors(behind.board(), &attacks, Color::White),
        MINOR_BEHIND_PAWN
    );
    let castles = Chess::default().castles().clone();
    assert_eq!(
        king::castling(&castles, Color::Black),
        CASTLING[0] + CASTLING[1]
    );
}

#[test]
fn pawns_are_recognised() {
    let structure = |fen| pawns::structure(position(fen).board(), Color::White);
    let alone = structure("4k3/8/8/8/P7/8/8/4K3 w - - 0 1");
    assert_eq!(alone, ISOLATED_PAWN[2]);
    let doubled = structure("4k3/8/8/8/P7/P7/8/4K3 w - - 0 1");
    assert_eq!(
        doubled,
        ISOLATED_PAWN[1] + ISOLATED_PAWN[2] + DOUBLED_PAWN[1]
    );
    let pair = structure("4k3/8/8/8/8/8/PP6/4K3 w - - 0 1");
    assert_eq!(pair, PHALANX_PAWN[0] * 2);
    let chain = structure("4k3/8/8/8/P7/1P6/8/4K3 w - - 0 1");
    assert_eq!(chain, SUPPORTED_PAWN[2]);
    let backward = structure("4k3/8/8/P1p5/8/1P6/8/4K3 w - - 0 1");
    assert_eq!(backward, BACKWARD_PAWN[1]);
    let candidate = structure("4k3/8/4p3/8/2PP4/8/8/4K3 w - - 0 1");
    assert_eq!(candidate, PHALANX_PAWN[2] * 2 + CANDIDATE_PAWN[2]);
}

#[test]
fn passed_pawns_are_recognised() {
    let passed = |fen| {
        let pos = position(fen);
        pawns::passed(pos.board(), &Attacks::new(pos.board()), Color::White)
    };
    assert_eq!(passed("4k3/1p6/8/8/P7/8/8/4K3 w - - 0 1"), S::ZERO);
    let free = passed("4k3/8/8/8/Pp6/8/8/4K3 w - - 0 1");
    let pawn = PASSED_PAWN[2] + PASSED_OWN_KING[4] + PASSED_ENEMY_KING[4];
    assert_eq!(free, pawn + FREE_PASSED_PAWN[2]);
    let blocked = passed("4k3/8/8/n7/P7/8/8/4K3 w - - 0 1");
    assert_eq!(blocked, pawn + BLOCKED_PASSED_PAWN[2]);
    let helped = passed("4k3/8/8/8/P7/1N6/8/4K3 w - - 0 1");
    assert_eq!(helped, free + DEFENDED_PASSED_PAWN[2]);
}

#[test]
fn the_shelter_counts_three_files_or_two() {
    let shelter = |fen| {
        let pos = position(fen);
        king::shelter(pos.board(), &Attacks::new(pos.board()), Color::White)
    };
    let castled = shelter("4k3/8/8/6p1/8/7P/5PP1/6K1 w - - 0 1");
    let own = SHELTER[0][1] + SHELTER[1][1] + SHELTER[1][2];
    assert_eq!(castled, own + STORM[0][4] + STORM[1][0] * 2);
    let corner = shelter("4k3/8/8/8/8/8/7P/7K w - - 0 1");
    assert_eq!(
        corner,
        SHELTER[0][1] + SHELTER[1][0] + STORM[0][0] + STORM[1][0]
    );
}

#[test]
fn threats_see_what_hangs() {
    let threats = |fen| {
        let pos = position(fen);
        threats::threats(pos.board(), &Attacks::new(pos.board()), Color::White)
    };
    // The knight attacks a defended rook; the pawn attacks the loose bishop.
    assert_eq!(
        threats("4k3/5p2/4r3/2b5/1P1N4/8/8/4K3 w - - 0 1"),
        THREAT_BY_PAWN[1] + HANGING[2] + THREAT_BY_MINOR[3]
    );
    assert_eq!(
        threats("4k3/8/2n5/8/1P6/8/8/4K3 w - - 0 1"),
        PUSH_THREAT + CONTESTED
    );
    assert_eq!(
        threats("8/8/8/8/8/8/3n4/4K2k w - - 0 1"),
        THREAT_BY_KING[1] + HANGING[1]
    );
}

#[test]
fn a_piece_is_pinned_alone_on_the_line_to_its_king() {
    let pins = |fen| {
        let pos = position(fen);
        threats::pins(pos.board(), &Attacks::new(pos.board()), Color::White)
    };
    assert_eq!(pins("4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1"), PINNED[3]);
    assert_eq!(pins("4k3/4r3/4n3/8/8/8/4R3/4K3 w - - 0 1"), S::ZERO);
    assert_eq!(pins("4k3/8/4N3/8/8/8/4R3/4K3 w - - 0 1"), S::ZERO);
    let two = pins("4k3/3p1n2/8/1B5Q/8/8/8/4K3 w - - 0 1");
    assert_eq!(two, PINNED[0] + PINNED[1]);
}

#[test]
fn attack_units_count_squares_pieces_and_checks() {
    let units = |fen| {
        let pos = position(fen);
        king::attack_units(pos.board(), &Attacks::new(pos.board()), Color::Black)
    };
    // The rook touches no square of the ring, and could check from a8. Black defends nine
    // squares of its flank.
    assert_eq!(
        units("6k1/8/8/8/8/8/6r1/R3K3 w - - 0 1"),
        SAFE_CHECK[2] + FLANK_DEFENCE * 9
    );
    // From d5 the knight could check on e7 and f6; on e5 it touches f7, which only the
    // king defends, and g6 is defended. Each time it attacks three squares of its flank.
    let flank = FLANK_ATTACK * 3 + FLANK_DEFENCE * 7;
    let far = units("6k1/5p1p/8/3N4/8/8/8/4K3 w - - 0 1");
    assert_eq!(far, SAFE_CHECK[0] * 2 + flank);
    let near = units("6k1/5p1p/8/4N3/8/8/8/4K3 w - - 0 1");
    assert_eq!(
        near,
        KING_ATTACKER[0] + KING_RING_ATTACK[0] + WEAK_RING + flank
    );
}

#[test]
fn danger_counts_by_its_square_and_never_below_nothing() {
    let sides = |fen| {
        let pos = position(fen);
        let attacks = Attacks::new(pos.board());
        let of = |f: fn(&Board, &Attacks, Color) -> S| f(pos.board(), &attacks, Color::Black);
        let units = king::attack_units(pos.board(), &attacks, Color::Black);
        (units, of(king::shelter), of(king::safety))
    };
    let (units, shelter, safety) = sides("6k1/5ppp/8/8/8/8/8/4K3 w - - 0 1");
    assert!(units < shelter.mg());
    assert_eq!(safety, shelter);
    let (units, shelter, safety) = sides("6k1/8/5Q1p/4N3/8/8/8/4KR2 w - - 0 1");
    let danger = units - shelter.mg();
    assert!(danger > 100);
    assert_eq!(
        safety,
        shelter
            - S::new(
                danger * danger / king::DANGER_SQUARED,
                danger / king::DANGER
            )
    );
}
