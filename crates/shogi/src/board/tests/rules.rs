//! Single rules.

use super::super::{Color, IllegalSetup, PieceType, Position, Setup, Square, Squares};
use super::position;

fn legal(sfen: &str, m: &str) -> bool {
    position(sfen).read_usi(m).is_some()
}

#[test]
fn pawns_are_dropped_by_their_rules() {
    // Nifu; a promoted pawn does not count.
    let sfen = "4k4/9/9/9/9/9/4P4/3+P5/4K4 b P 1";
    assert!(!legal(sfen, "P*5d") && legal(sfen, "P*6d") && legal(sfen, "P*4d"));
    assert!(!legal(sfen, "P*4a") && !legal(sfen, "P*5g"));
    // No mate by a pawn from hand (uchifuzume)...
    assert!(!legal("7lk/9/7G1/9/9/9/9/9/4K4 b P 1", "P*1b"));
    // ... but if the king takes it, or flees, or a piece takes it...
    assert!(legal("7lk/9/9/9/9/9/9/9/4K4 b P 1", "P*1b"));
    assert!(legal("8k/9/7G1/9/9/9/9/9/4K4 b P 1", "P*1b"));
    assert!(legal("7gk/9/7G1/9/9/9/9/9/4K4 b P 1", "P*1b"));
    // ... which a pinned one cannot, unless along its line.
    assert!(!legal("R6gk/9/7G1/9/9/9/9/9/4K4 b P 1", "P*1b"));
    // A pawn on the board may mate, and so may other pieces from hand.
    assert!(legal("7lk/9/7GP/9/9/9/9/9/4K4 b - 1", "1c1b"));
    assert!(legal("7lk/9/7G1/9/9/9/9/9/4K4 b L 1", "L*1b"));
}

#[test]
fn pieces_promote_where_they_may_and_must() {
    let sfen = "4k4/P8/L8/2S6/9/9/9/9/4K4 b - 1";
    assert!(legal(sfen, "9b9a+") && !legal(sfen, "9b9a"));
    assert!(!legal(sfen, "9b9c+"), "pawns do not go back");
    assert!(legal(sfen, "7d7c") && legal(sfen, "7d7c+"));
    assert!(legal("4k4/9/9/N8/9/9/9/9/4K4 b - 1", "9d8b+"));
    assert!(!legal("4k4/9/9/N8/9/9/9/9/4K4 b - 1", "9d8b"));
    assert!(legal("4k4/9/N8/9/9/9/9/9/4K4 w - 1", "5a5b"));
    assert!(!legal("4k4/9/9/9/G8/9/9/9/4K4 b - 1", "9e9d+"));
    // Out of the zone, too.
    assert!(legal("4k4/S8/9/9/9/9/9/9/4K4 b - 1", "9b8c+"));
    assert!(legal("4k4/9/S8/9/9/9/9/9/4K4 b - 1", "9c8d+"));
}

#[test]
fn what_is_no_position_is_refused() {
    for (sfen, illegal) in [
        (
            "9/9/9/9/9/9/9/9/4K4 b - 1",
            IllegalSetup::NoKing(Color::Gote),
        ),
        (
            "4k4/9/9/9/9/9/9/9/3KK4 b - 1",
            IllegalSetup::SeveralKings(Color::Sente),
        ),
        (
            "4k4/9/9/9/RRR6/9/9/9/4K4 b - 1",
            IllegalSetup::TooMany(PieceType::Rook),
        ),
        (
            "4k4/9/9/9/9/9/9/9/4K4 b 2Rr 1",
            IllegalSetup::TooMany(PieceType::Rook),
        ),
        (
            "4k4/9/9/9/+P8/P8/P8/9/4K4 b - 1",
            IllegalSetup::TwoPawns(Color::Sente, 9),
        ),
        ("4k4/9/9/9/9/9/9/4r4/4K4 w - 1", IllegalSetup::OppositeCheck),
    ] {
        let error = Position::from_sfen(sfen).unwrap_err();
        assert_eq!(
            (error.offset, error.found),
            (0, illegal.to_string()),
            "{sfen}"
        );
    }
    for (sfen, offset) in [
        ("4k3P/9/9/9/9/9/9/9/4K4 b - 1", 3),
        ("4k4/9/9/9/9/9/9/9/1l2K4 b - 1", 19),
        ("4k4/1N7/9/9/9/9/9/9/4K4 b - 1", 5),
        ("4k4/9/9/9/9/9/9/n8/4K4 b - 1", 16),
    ] {
        let error = Position::from_sfen(sfen).unwrap_err();
        assert_eq!(error.offset, offset, "{sfen} {error}");
        assert!(error.found.contains("never move"), "{error}");
    }
}

#[test]
fn a_wrong_sfen_says_where() {
    const BOARD: &str = "4k4/9/9/9/9/9/9/9/4K4";
    for (rest, offset) in [
        ("", 21),
        (" b", 23),
        (" x - 1", 22),
        (" b * 1", 24),
        (" b P2 1", 26),
        (" b 0P 1", 24),
        (" b 19P 1", 25),
        (" b PP 1", 25),
        (" b K 1", 24),
        (" b +P 1", 24),
        (" b - x", 26),
        (" b - -1", 26),
        (" b - 1 2", 28),
        (" b - 99999999999999999999", 26),
        (" b - 歩", 26),
    ] {
        let text = format!("{BOARD}{rest}");
        assert_eq!(
            Position::from_sfen(&text).unwrap_err().offset,
            offset,
            "{text}"
        );
    }
    for (board, offset) in [
        ("4k4/9/9/9/9/9/9/9/4K5", 20),
        ("4k4/9/9/9/9/9/9/9/4K", 20),
        ("4k4/9/9/9/9/9/9/9/4K4/9", 21),
        ("4k4/9/9/9/9/9/9/4K4", 19),
        ("4k4/9/9/9/9/9/9/9/4K3+", 22),
        ("4k4/9/9/9/9/9/9/9/4+K4", 20),
        ("4k4/9/9/9/9/9/+9/9/4K4", 15),
        ("4k4/9/9/王8/9/9/9/9/4K4", 8),
        ("4k4/0/9/9/9/9/9/9/4K4", 4),
        ("4k44/9/9/9/9/9/9/9/4K4", 3),
    ] {
        let text = format!("{board} b - 1");
        let error = Position::from_sfen(&text).unwrap_err();
        assert_eq!(error.offset, offset, "{text} {error}");
    }
}

#[test]
fn positions_are_written_as_they_are_read() {
    for sfen in [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 512",
    ] {
        assert_eq!(position(sfen).to_sfen(), sfen);
        assert_eq!(Setup::from(&position(sfen)).turn, position(sfen).turn());
        assert_eq!(position(sfen).rotated().rotated(), position(sfen));
        assert_eq!(
            position(sfen).rotated().legal_moves().len(),
            position(sfen).legal_moves().len()
        );
    }
    let three = "4k4/9/9/9/9/9/9/9/4K4 w b2P";
    assert_eq!(position(three).to_sfen(), "4k4/9/9/9/9/9/9/9/4K4 w 2Pb 1");
    assert_eq!(
        position(three),
        position("4k4/9/9/9/9/9/9/9/4K4  w  2Pb  1")
    );
    assert_eq!(Position::start().rotated().turn(), Color::Gote);
}

#[test]
fn keys_tell_positions_apart() {
    let moves = |text: &str| {
        let mut position = Position::start();
        for m in text.split(' ') {
            position.play(position.read_usi(m).unwrap());
        }
        position
    };
    let there = moves("2h3h 8b7b 3h2h 7b8b");
    assert_eq!(there.key(), Position::start().key());
    assert_ne!(there, Position::start(), "the number of the move differs");
    assert_eq!(moves("7g7f 3c3d 2g2f").key(), moves("2g2f 3c3d 7g7f").key());
    assert_ne!(moves("7g7f").key(), Position::start().key());
    let mut passed = Position::start();
    assert!(passed.pass());
    assert_ne!(passed.key(), Position::start().key());
    let check = position("4k4/9/9/9/9/9/9/4r4/4K4 b - 1");
    let mut same = check;
    assert!(!same.pass());
    assert_eq!(same, check);
    // Hands count.
    let keys = ["-", "P", "2P", "p", "2p", "Pp"]
        .map(|hands| position(&format!("4k4/9/9/9/9/9/9/9/4K4 b {hands} 1")).key());
    for (number, key) in keys.iter().enumerate() {
        assert!(!keys[..number].contains(key));
    }
}

#[test]
fn attackers_are_those_that_attack() {
    let positions = [
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        "ln1g3nl/1r1k2+P2/p1pp4p/4Spp2/1p3b1P1/2P1P1P2/PP1P1P2P/1B1K1S1R1/LN1G1G1NL b SGPs 1",
    ];
    for position in positions.map(position) {
        let occupied = position.occupied();
        for square in Square::all() {
            let attacking = position.on_board().filter(|(from, piece)| {
                super::super::attacks(piece.kind, piece.color, *from, occupied).contains(square)
            });
            let attacking = attacking.map(|(from, _)| Squares::of(from));
            let expected = attacking.fold(Squares::EMPTY, |all, one| all | one);
            for color in Color::ALL {
                let attacked = !(expected & position.color(color)).is_empty();
                assert_eq!(
                    position.is_attacked(color, square, occupied),
                    attacked,
                    "{square}"
                );
            }
        }
    }
}

/// Camps with the points that are asked for, and one less.
#[test]
fn a_win_is_declared_by_the_27_point_rule() {
    // Ten pieces and the king in the camp: 2 rooks, 2 bishops, 6 others.
    let ten = "KRRBB4/GGSSLL3/9/9/9/9/9/9/8k";
    for (hands, points, may) in [("-", 26, false), ("P", 27, false), ("2P", 28, true)] {
        let position = position(&format!("{ten} b {hands} 1"));
        assert_eq!(
            (position.points(Color::Sente), position.may_declare()),
            (points, may)
        );
    }
    // Gote needs one less.
    let gote = position(&format!("{ten} b P 1")).rotated();
    assert_eq!((gote.turn(), gote.points(Color::Gote)), (Color::Gote, 27));
    assert!(gote.may_declare());
    // In check, and the same without.
    let checked = "KRRBG4/2GSSLLP1/9/9/4b4/9/9/9/8k b 10P 1";
    assert!(position(checked).is_check() && !position(checked).may_declare());
    assert!(position(&checked.replace("4b4", "9")).may_declare());
    for sfen in [
        // Nine pieces, whatever they are worth.
        "KRRBB4/GGSSL4/9/9/9/9/9/9/8k b 17P 1",
        // The king outside.
        "1RRBB4/GGSSLL3/9/K8/9/9/9/9/8k b 17P 1",
        // The other side's turn.
        "KRRBB4/GGSSLL3/9/9/9/9/9/9/8k w 2P 1",
    ] {
        assert!(!position(sfen).may_declare(), "{sfen}");
    }
}
