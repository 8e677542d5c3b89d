//! Bytes as other programs write them, and damaged bytes.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod fixed;

use proptest::prelude::*;
use sfbinpack::chess::color::Color as SfColor;
use sfbinpack::chess::coords::Square as SfSquare;
use sfbinpack::chess::r#move::Move as SfMove;
use sfbinpack::chess::piece::Piece as SfPiece;
use sfbinpack::chess::piecetype::PieceType as SfPieceType;
use sfbinpack::{CompressedTrainingDataEntryWriter, TrainingDataEntry};
use shakmaty::{Chess, EnPassantMode, Move, Position, fen};
use tuner_data::Outcome;
use tuner_data::{LabelledPosition, PositionNotation, RecordEvent, Records, StatedScores};

use super::{BINPACK, BULLET, MARLIN, NODCHIP, VIRI};
use crate::Fen;

const FORMATS: [&Records<Chess>; 5] = [&BINPACK, &BULLET, &MARLIN, &NODCHIP, &VIRI];

#[derive(Default)]
struct All {
    positions: Vec<LabelledPosition<Chess>>,
    units: usize,
    rejected: Vec<(u64, u64, String)>,
    unread: u64,
}

fn parse(format: &Records<Chess>, bytes: &[u8]) -> All {
    let mut all = All::default();
    (format.parse)(bytes, StatedScores::default(), &mut |found| match found {
        RecordEvent::Position(_, labelled) => all.positions.push(labelled),
        RecordEvent::Unit => all.units += 1,
        RecordEvent::Text => {}
        RecordEvent::Unread(_, count, _) => all.unread += count,
        RecordEvent::Unfinished => panic!("games of bytes have results"),
        RecordEvent::Rejected(place, fault) => {
            all.rejected
                .push((place.line, place.column, fault.to_string()));
        }
    });
    all
}

/// Legal moves drawn from a start, with the positions before them.
fn game(start: &str, choices: &[usize]) -> Vec<(Chess, Move)> {
    let mut position = Fen.parse(start).unwrap();
    let mut game = Vec::new();
    for choice in choices {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let m = moves[choice % moves.len()];
        game.push((position.clone(), m));
        position.play_unchecked(m);
    }
    game
}

/// What the formats hold of a position: all but clocks, and the en passant
/// square only if the pawn can be captured.
fn comparable(position: &Chess) -> String {
    let fen = fen::Fen::from_position(position, EnPassantMode::Legal).to_string();
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

const STARTS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "4k3/1P6/8/8/2pP4/8/6p1/4K2R b K d3 0 20",
];

/// The nibbles of a board, by what a piece is in the format.
fn packed(position: &Chess, code: impl Fn(shakmaty::Square, shakmaty::Piece) -> u8) -> [u8; 16] {
    let mut nibbles = [0; 16];
    for (number, square) in position.board().occupied().into_iter().enumerate() {
        let piece = position.board().piece_at(square).unwrap();
        nibbles[number / 2] |= code(square, piece) << (4 * (number % 2));
    }
    nibbles
}

/// A game of viriformat, as its description says.
fn viri(game: &[(Chess, Move)], result: u8, scores: i16) -> Vec<u8> {
    let start = &game[0].0;
    let rights = start.castles().castling_rights();
    let nibbles = packed(start, |square, piece| {
        let role = if rights.contains(square) {
            6
        } else {
            piece.role as u8 - 1
        };
        role + 8 * u8::from(piece.color.is_black())
    });
    let passant = start
        .ep_square(EnPassantMode::Legal)
        .map_or(64, |square| square as u8);
    let mut bytes = start.board().occupied().0.to_le_bytes().to_vec();
    bytes.extend(nibbles);
    bytes.push(passant + 128 * u8::from(start.turn().is_black()));
    bytes.push(start.halfmoves() as u8);
    bytes.extend((start.fullmoves().get() as u16).to_le_bytes());
    bytes.extend([0, 0, result, 0]);
    for (_, m) in game {
        let from = m.from().unwrap() as u16;
        let (to, kind) = match *m {
            Move::Castle { rook, .. } => (rook, 0x8000),
            Move::EnPassant { to, .. } => (to, 0x4000),
            _ => {
                let promotion = m
                    .promotion()
                    .map_or(0, |role| (role as u16 - 2) << 12 | 0xc000);
                (m.to(), promotion)
            }
        };
        bytes.extend((from | (to as u16) << 6 | kind).to_le_bytes());
        bytes.extend(scores.to_le_bytes());
    }
    bytes.extend([0; 4]);
    bytes
}

/// A record of bulletformat, as its description says.
fn bullet(fen: &str, score: i16, result: u8) -> [u8; 32] {
    let position = Fen.parse(fen).unwrap();
    assert!(
        position.turn().is_white(),
        "the side to move is at the bottom"
    );
    let nibbles = packed(&position, |_, piece| {
        piece.role as u8 - 1 + 8 * u8::from(piece.color.is_black())
    });
    let king = |colour| position.board().king_of(colour).unwrap() as u8;
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&position.board().occupied().0.to_le_bytes());
    bytes[8..24].copy_from_slice(&nibbles);
    bytes[24..26].copy_from_slice(&score.to_le_bytes());
    bytes[26] = result;
    bytes[27] = king(shakmaty::Color::White);
    bytes[28] = king(shakmaty::Color::Black) ^ 0o70;
    bytes
}

/// A binpack, written by the crate that defines it.
fn binpack(game: &[(Chess, Move)], result: i16) -> Vec<u8> {
    let mut writer = CompressedTrainingDataEntryWriter::new_in_memory().unwrap();
    let first = u16::from(game[0].0.turn().is_black());
    for (ply, (position, m)) in (first..).zip(game) {
        let square = |square: shakmaty::Square| SfSquare::new(square as u32);
        let from = square(m.from().unwrap());
        let mv = match *m {
            Move::Castle { rook, .. } => SfMove::castle(from, square(rook)),
            Move::EnPassant { to, .. } => SfMove::en_passant(from, square(to)),
            _ => match m.promotion() {
                Some(role) => {
                    let colour = if position.turn().is_white() {
                        SfColor::White
                    } else {
                        SfColor::Black
                    };
                    let piece = SfPiece::new(SfPieceType::from_ordinal(role as u8 - 1), colour);
                    SfMove::promotion(from, square(m.to()), piece)
                }
                None => SfMove::normal(from, square(m.to())),
            },
        };
        let fen = fen::Fen::from_position(position, EnPassantMode::Legal).to_string();
        let mut pos = sfbinpack::chess::position::Position::from_fen(&fen).unwrap();
        pos.set_ply(ply);
        let sign = if ply % 2 == 0 { 1 } else { -1 };
        let entry = TrainingDataEntry {
            pos,
            mv,
            score: (100 + (ply - first) as i16) * sign,
            ply,
            result: result * sign,
        };
        writer.write_entry(&entry).unwrap();
    }
    writer.into_bytes().unwrap()
}

#[test]
fn a_record_of_bulletformat_is_the_side_to_moves() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w - - 0 1";
    let bytes = [
        bullet(fen, -37, 0),
        bullet(STARTS[0].replace("KQkq", "-").as_str(), 5, 1),
    ]
    .concat();
    let all = parse(&BULLET, &bytes);
    assert_eq!((all.units, all.rejected.len()), (2, 0));
    let first = &all.positions[0];
    assert_eq!(Fen.describe(&first.position), fen);
    assert_eq!(
        (first.outcome, first.search_score),
        (Outcome::Loss.into(), Some(-37))
    );
    assert_eq!(all.positions[1].outcome, Outcome::Draw);
    assert!((BULLET.recognises)(&bytes, true) && !(BULLET.recognises)(&bytes[1..], true));
}

#[test]
fn scores_beyond_a_mate_are_counted() {
    let played = game(STARTS[0], &[3, 1, 4]);
    for (score, beyond) in [
        (0, false),
        (-32_000, false),
        (32_002, false),
        (32_001, true),
    ] {
        for (bytes, format, count) in [
            (
                bullet(&STARTS[0].replace("KQkq", "-"), score, 1).to_vec(),
                &BULLET,
                1,
            ),
            (viri(&played, 1, score), &VIRI, 3),
        ] {
            let all = parse(format, &bytes);
            assert!(all.rejected.is_empty(), "{:?}", all.rejected);
            assert_eq!(all.unread, if beyond { count } else { 0 }, "{score}");
        }
    }
    let mut bytes = binpack(&played, 0);
    bytes[8 + 26..][..2].copy_from_slice(&[0xff; 2]);
    assert_eq!(parse(&BINPACK, &bytes).unread, 3);
}

#[test]
fn a_bad_record_of_bulletformat_is_rejected_alone() {
    let good = bullet("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", 0, 2);
    let with = |at: usize, byte: u8| {
        let mut bad = good;
        bad[at] = byte;
        bad
    };
    for (bad, part) in [
        (with(26, 3), "found the result 3"),
        (with(27, 5), "a king's square"),
        (with(8, 0x57), "found 7 on e1"),
        (with(8, 0x50), "a king's square"),
        ([0; 32], "a king's square"),
        ([0xff; 32], "found 64 pieces"),
    ] {
        let all = parse(&BULLET, &[good, bad, good].concat());
        assert_eq!((all.units, all.rejected.len()), (2, 1));
        assert_eq!(all.rejected[0].0, 1);
        assert!(
            all.rejected[0].2.contains(part),
            "{part}: {:?}",
            all.rejected
        );
    }
    let truncated = [&good[..], &good[..17]].concat();
    assert!((BULLET.recognises)(&truncated, true));
    let all = parse(&BULLET, &truncated);
    assert_eq!((all.units, all.rejected.len()), (1, 1));
    assert!(all.rejected[0].2.contains("17 bytes at the end"));
}

/// The first entry, with its move and result, is that of many chains.
#[test]
fn chains_of_a_binpack_that_begin_alike_are_games_of_their_own() {
    let chain = |choices: &[usize]| binpack(&game(STARTS[0], choices), 1);
    let bytes = [
        chain(&[3, 5, 8]),
        chain(&[3, 6, 8]),
        chain(&[3, 5]),
        chain(&[3, 5, 8]),
    ]
    .concat();
    let all = parse(&BINPACK, &bytes);
    assert_eq!((all.units, all.rejected.len()), (4, 0));
    let games: Vec<_> = all.positions.iter().map(|p| p.game.unwrap()).collect();
    let [one, two, three] = [games[0], games[3], games[6]];
    assert_eq!(
        games,
        [one, one, one, two, two, two, three, three, one, one, one]
    );
    assert!(one != two && two != three && one != three);
}

#[test]
fn bad_games_of_viriformat_are_rejected_alone() {
    let good = viri(&game(STARTS[0], &[3, 5, 8, 13]), 1, 20);
    let with = |at: usize, byte: u8| {
        let mut bad = good.clone();
        bad[at] = byte;
        bad
    };
    for (bad, column, part) in [
        (with(30, 9), 1, "found the result 9"),
        (with(24, 77), 1, "the en passant square 77"),
        (with(8, 7), 1, "found 7 on a1"),
        (with(36, 0xff), 2, "in rnbqkbnr"),
    ] {
        let all = parse(&VIRI, &[good.clone(), bad, good.clone()].concat());
        assert_eq!(
            (all.units, all.rejected.len()),
            (2, 1),
            "{part}: {:?}",
            all.rejected
        );
        assert_eq!((all.rejected[0].0, all.rejected[0].1), (1, column));
        assert!(
            all.rejected[0].2.contains(part),
            "{part}: {:?}",
            all.rejected
        );
    }
    for end in [good.len() - 1, 40, 33, 31, 1] {
        let all = parse(&VIRI, &[&good[..], &good[..end]].concat());
        assert_eq!((all.units, all.rejected.len()), (1, 1), "{end}");
    }
}

#[test]
fn a_damaged_chain_ends_where_it_is_damaged() {
    let good = binpack(&game(STARTS[1], &[1, 2, 3, 4, 5, 6]), 1);
    let all = parse(&BINPACK, &good);
    assert_eq!(
        (all.units, all.positions.len(), all.rejected.len()),
        (1, 6, 0)
    );
    let cut = parse(&BINPACK, &good[..good.len() - 3]);
    assert_eq!((cut.units, cut.rejected.len()), (0, 1));
    assert!(cut.rejected[0].2.contains("whole chunks"));
    let mut shorter = good.clone();
    let size = (good.len() as u32 - 8 - 3).to_le_bytes();
    shorter.truncate(good.len() - 3);
    shorter[4..8].copy_from_slice(&size);
    let all = parse(&BINPACK, &shorter);
    assert!(all.positions.len() < 6);
    assert!(
        all.rejected[0].2.contains("the end of the chunk"),
        "{:?}",
        all.rejected
    );
    let noise = parse(&BINPACK, &[&good[..], b"noise and more"].concat());
    assert_eq!((noise.units, noise.rejected.len()), (1, 1));
    assert!(noise.rejected[0].2.contains("BINP"));
    assert_eq!((BINPACK.cut)(b"noise and more"), Some(14));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn games_come_back_as_they_were_played(
        start in prop::sample::select(&STARTS[..]),
        choices in prop::collection::vec(any::<usize>(), 1..120),
        result in 0_u8..3,
    ) {
        let game = game(start, &choices);
        let outcome = [Outcome::Loss, Outcome::Draw, Outcome::Win][usize::from(result)];
        let bytes = viri(&game, result, -71);
        prop_assert!((VIRI.recognises)(&bytes, true));
        prop_assert!(!(BULLET.recognises)(&bytes, true) && !(BINPACK.recognises)(&bytes, true));
        for (all, scored) in [
            (parse(&VIRI, &bytes.repeat(2)), true),
            (parse(&BINPACK, &binpack(&game, i16::from(result) - 1).repeat(2)), false),
        ] {
            prop_assert_eq!((all.units, all.rejected), (2, Vec::new()));
            prop_assert_eq!(all.positions.len(), 2 * game.len());
            for (number, (read, (position, m))) in all.positions.iter().zip(&game).enumerate() {
                prop_assert_eq!(comparable(&read.position), comparable(position));
                prop_assert_eq!(read.outcome, outcome);
                let score = if scored { -71 } else { 100 + number as i32 };
                prop_assert_eq!(read.search_score, Some(score));
                let tactical = m.is_capture() || m.is_promotion();
                prop_assert_eq!(read.around.next_tactical, Some(tactical));
            }
        }
    }

    #[test]
    fn no_bytes_panic_and_every_unit_is_counted(
        choices in prop::collection::vec(any::<usize>(), 1..40),
        changes in prop::collection::vec((any::<usize>(), any::<u8>()), 0..8),
        cut in any::<usize>(),
        which in 0_usize..3,
    ) {
        let game = game(STARTS[1], &choices);
        let mut bytes = match which {
            0 => binpack(&game, 0).repeat(3),
            1 => bullet("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", 9, 1).repeat(9),
            _ => viri(&game, 0, 3).repeat(3),
        };
        for (at, byte) in changes {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        bytes.truncate(cut % (2 * bytes.len()));
        for format in FORMATS {
            let whole = parse(format, &bytes);
            let _ = (format.recognises)(&bytes, true);
            if bytes.is_empty() {
                prop_assert_eq!(whole.units + whole.rejected.len(), 0);
                continue;
            }
            prop_assert!(whole.units + whole.rejected.len() > 0 || format.name == "binpack");
            if let Some(end) = (format.cut)(&bytes) {
                let (first, second) = (parse(format, &bytes[..end]), parse(format, &bytes[end..]));
                prop_assert_eq!(whole.units, first.units + second.units);
                prop_assert_eq!(whole.positions.len(), first.positions.len() + second.positions.len());
                prop_assert_eq!(whole.rejected.len(), first.rejected.len() + second.rejected.len());
            }
        }
    }
}

#[test]
fn what_is_written_is_read_again() {
    let choices: Vec<usize> = (0..120).map(|n| n * n + 3).collect();
    for (n, (position, _)) in game(STARTS[0], &choices).into_iter().enumerate() {
        let outcome = [Outcome::Win, Outcome::Draw, Outcome::Loss][n % 3];
        let text = Fen.describe(&position);
        let written = LabelledPosition {
            search_score: Some(37 * n as i32 - 900),
            ply: Some(n as u32),
            ..LabelledPosition::new(text.clone(), outcome.into())
        };
        let bytes = Fen.record_writer("plain").unwrap()(&written).unwrap();
        let plain = parse(&crate::plain::PLAIN, &bytes).positions;
        let [found] = &plain[..] else {
            panic!("{text}")
        };
        assert_eq!(found.clone().with_position(|p| Fen.describe(&p)), written);
        // The side to move is White there, and has no rights.
        let bytes = Fen.record_writer("bulletformat").unwrap()(&written).unwrap();
        let bullet = parse(&BULLET, &bytes).positions;
        let [found] = &bullet[..] else {
            panic!("{text}")
        };
        let is_white = position.turn().is_white();
        let (score, outcome, text) = if is_white {
            (written.search_score, outcome, text)
        } else {
            let score = written.search_score.map(|score| -score);
            (score, outcome.flipped(), Fen.mirrored(&text).unwrap())
        };
        let board = |text: &str| text.split(' ').next().unwrap().to_owned();
        assert_eq!(board(&Fen.describe(&found.position)), board(&text));
        assert_eq!((found.search_score, found.outcome), (score, outcome.into()));
    }
    let bare = LabelledPosition::new(Fen.describe(&Chess::default()), Outcome::Win.into());
    let error = Fen.record_writer("bulletformat").unwrap()(&bare).unwrap_err();
    assert!(error.contains("found no score"), "{error}");
    assert!(Fen.record_writer("viriformat").is_none());
}
