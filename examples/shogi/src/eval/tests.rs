#![allow(clippy::unwrap_used)] // the positions below are written here

use super::*;
use crate::bench;
use crate::tuned_weights::{
    BISHOP_MOBILITY, CASTLE, DROP_CHECK, ESCAPES, GUARD, HAND_ATTACKER, HANGING, HORSE_GUARD,
    KING_ATTACKER, KING_RING_ATTACK, LANCE_MOBILITY, LANCES_IN_HAND, PAWN_DROP_FILES,
    PAWNS_IN_HAND, PINNED, THREAT_BY_PAWN, WEAK_RING,
};
use tuner_shogi::{Hand, Setup};

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap()
}

/// The same position seen in a mirror: left is right.
fn mirrored(pos: &Position) -> Position {
    let mut setup = Setup {
        hands: Color::ALL.map(|side| pos.hand(side)),
        turn: pos.turn(),
        ..Setup::EMPTY
    };
    for (square, piece) in pos.on_board() {
        setup.board[square.mirrored().index()] = Some(piece);
    }
    Position::from_setup(&setup).unwrap()
}

#[test]
fn sides_are_treated_alike() {
    for pos in bench::positions() {
        assert_eq!(evaluate(&pos), evaluate(&pos.rotated()), "{pos}");
    }
}

#[test]
fn left_and_right_are_treated_alike() {
    for pos in bench::positions() {
        assert_eq!(evaluate(&pos), evaluate(&mirrored(&pos)), "{pos}");
    }
}

#[test]
fn the_start_is_worth_a_tempo() {
    assert_eq!(evaluate(&Position::start()), TEMPO.mg());
}

#[test]
fn a_rook_up_is_a_rook_up() {
    let pos = position("lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
    assert!(evaluate(&pos) > 800);
    let in_hand = position("lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b R 1");
    assert!(evaluate(&in_hand) > 1_600);
}

#[test]
fn the_phase_runs_between_its_limits() {
    let fight = |sfen| super::fight(&position(sfen));
    assert_eq!(super::fight(&Position::start()), 0);
    assert_eq!(
        fight("4k4/9/9/9/9/9/9/9/4K4 b R2GSPrb2g3s 1"),
        ENDGAME_LIMIT - OPENING_LIMIT
    );
    // A rook and two pawns in hand, a tokin, and a silver in the enemy's camp;
    // a king at home is none.
    let sum = 40 + 20 + 20 + 20;
    assert_eq!(
        fight("4k4/9/2S6/9/9/9/4+P4/9/4K4 b R2p 1"),
        sum - OPENING_LIMIT
    );
}

#[test]
fn a_hand_counts_by_numbers() {
    let hand = |sfen| hand::hand(&position(sfen), Color::Sente);
    let none = hand("4k4/9/9/9/9/9/P8/9/4K4 b - 1");
    assert_eq!(none, S::ZERO);
    // Eight files are free for pawns.
    let some = hand("4k4/9/9/9/9/9/P8/9/4K4 b 2L3P 1");
    assert_eq!(
        some,
        PAWNS_IN_HAND[3] + LANCES_IN_HAND[2] + PAWN_DROP_FILES[8]
    );
    let mut hand = Hand::EMPTY;
    (0..18).for_each(|_| hand.add(PieceType::Pawn));
    assert_eq!(
        usize::from(hand.count(PieceType::Pawn)),
        PAWNS_IN_HAND.len() - 1
    );
}

#[test]
fn mobility_counts_what_is_safe() {
    let mobility = |sfen| {
        let pos = position(sfen);
        pieces::mobility(&pos, &Attacks::new(&pos), Color::Sente)
    };
    // Eight squares up an empty file; two up to a pawn that it takes.
    assert_eq!(mobility("4k4/9/9/9/9/9/9/9/4K3L b - 1"), LANCE_MOBILITY[8]);
    assert_eq!(mobility("4k4/9/9/9/9/9/8p/9/4K3L b - 1"), LANCE_MOBILITY[1]);
    // From 5e sixteen squares on an empty board.
    assert_eq!(
        mobility("4k4/9/9/9/4B4/9/9/9/4K4 b - 1"),
        BISHOP_MOBILITY[16]
    );
}

#[test]
fn castles_are_recognised_on_both_wings() {
    let named = |sfen: &str| {
        let pos = position(sfen);
        assert_eq!(
            castle::named(&pos, Color::Sente),
            castle::named(&mirrored(&pos), Color::Sente)
        );
        let turned = pos.rotated();
        assert_eq!(
            castle::named(&pos, Color::Sente),
            castle::named(&turned, Color::Gote)
        );
        castle::named(&pos, Color::Sente)
    };
    let castles = [
        "4k4/9/9/9/9/9/9/6SK1/5G2L b - 1",
        "4k4/9/9/9/9/9/5GS2/6GK1/9 b - 1",
        "4k4/9/9/9/9/9/9/7SL/6G1K b - 1",
        "4k4/9/9/9/9/9/9/4G1K2/5GS2 b - 1",
        "4k4/9/9/9/9/9/9/4GSG2/5K3 b - 1",
    ];
    for (number, sfen) in castles.into_iter().enumerate() {
        assert_eq!(named(sfen), CASTLE[number], "{sfen}");
    }
    assert_eq!(named("4k4/9/9/9/9/9/9/6SK1/6G1L b - 1"), S::ZERO);
}

#[test]
fn guards_count_by_where_they_stand() {
    let shelter = |sfen| king::shelter(&position(sfen), Color::Sente);
    // A gold one file inwards on the king's rank, a pawn two ranks ahead, a
    // silver too far away.
    let right = shelter("4k4/9/9/9/9/7P1/9/6GK1/9 b - 1");
    assert_eq!(right, GUARD[4][13] + GUARD[0][2]);
    let left = shelter("4k4/9/9/9/9/1P7/9/1KG6/9 b - 1");
    assert_eq!(left, right);
    assert_eq!(shelter("4k4/9/9/9/9/9/9/3S3K1/9 b - 1"), S::ZERO);
    // Two behind is nowhere, a horse counts by distance.
    assert_eq!(shelter("4k4/9/9/9/9/7K1/9/7G1/9 b - 1"), S::ZERO);
    assert_eq!(shelter("4k4/9/9/9/4+B4/9/9/7K1/9 b - 1"), HORSE_GUARD[2]);
}

#[test]
fn threats_see_what_hangs_what_pawns_attack_and_what_is_pinned() {
    let threats = |sfen| {
        let pos = position(sfen);
        threats::threats(&pos, &Attacks::new(&pos), Color::Sente)
    };
    // The pawn attacks a silver that nothing defends.
    let silver = threats("4k4/9/9/9/2s6/2P6/9/9/4K4 b - 1");
    assert_eq!(silver, HANGING[3] + THREAT_BY_PAWN[3]);
    // A lance pins a gold that the king defends.
    assert_eq!(threats("4k4/4g4/9/9/4L4/9/9/9/4K4 b - 1"), PINNED[4]);
}

#[test]
fn attack_units_count_pieces_squares_hands_and_flights() {
    let units = |sfen| {
        let pos = position(sfen);
        king::attack_units(&pos, &Attacks::new(&pos), Color::Gote)
    };
    // No piece is there, and five squares are free.
    assert_eq!(units("4k4/9/9/9/9/9/9/9/4K4 b - 1"), ESCAPES[5]);
    // A gold on 5c reaches 4b, 5b, 6b, which only the king guards.
    assert_eq!(
        units("4k4/9/4G4/9/9/9/9/9/4K4 b - 1"),
        ESCAPES[2] + KING_ATTACKER[4] + 3 * KING_RING_ATTACK[4] + 3 * WEAK_RING
    );
    // With a pawn in hand: on 5b, which the gold protects, it would check.
    assert_eq!(
        units("4k4/9/4G4/9/9/9/9/9/4K4 b P 1") - units("4k4/9/4G4/9/9/9/9/9/4K4 b - 1"),
        HAND_ATTACKER[0] + DROP_CHECK[0]
    );
    // A lance may check from afar too: all of the file but the square next to
    // the king, three at most; a rook from anywhere.
    let lance = units("4k4/9/9/9/9/9/9/9/3K5 b L 1");
    assert_eq!(lance, ESCAPES[5] + HAND_ATTACKER[1] + 3 * DROP_CHECK[1]);
}

#[test]
fn danger_counts_by_its_square_and_never_below_nothing() {
    let sides = |sfen| {
        let pos = position(sfen);
        let attacks = Attacks::new(&pos);
        let units = king::attack_units(&pos, &attacks, Color::Gote);
        let safety = king::safety(&pos, &attacks, Color::Gote);
        (units, king::shelter(&pos, Color::Gote), safety)
    };
    let (units, shelter, safety) = sides("lnsgkgsnl/9/ppppppppp/9/9/9/9/9/4K4 b - 1");
    assert!(units < shelter.mg());
    assert_eq!(safety, shelter);
    let (units, shelter, safety) = sides("4k4/9/4G4/3S5/9/9/9/9/4K4 b RGS 1");
    let danger = units - shelter.mg();
    assert!(danger > 100);
    let [opening, endgame] = king::DANGER_SQUARED;
    assert_eq!(
        safety,
        shelter - S::new(danger * danger / opening, danger * danger / endgame)
    );
}
