//! Records of so many bytes: marlinformat and `bin`, written as their descriptions
//! say.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use shakmaty::{CastlingSide, Chess, Color, EnPassantMode, File, Move, Position, Rank, Square};
use tuner_data::{Outcome, PositionNotation};

use super::{BULLET, MARLIN, NODCHIP, STARTS, VIRI, comparable, game, parse, viri};
use crate::Fen;

/// A record of marlinformat, which begins as a game of viriformat does.
fn marlin(position: &Chess, score: i16, result: u8) -> [u8; 32] {
    let m = position.legal_moves()[0];
    let header = viri(&[(position.clone(), m)], result, 0);
    let mut bytes: [u8; 32] = *header.first_chunk().unwrap();
    bytes[28..30].copy_from_slice(&score.to_le_bytes());
    bytes
}

/// Writes bits, the lowest of a byte first.
#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn put(&mut self, value: u32, count: u32) {
        self.0.extend((0..count).map(|bit| value >> bit & 1 == 1));
    }

    fn bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (at, _) in self.0.iter().enumerate().filter(|(_, set)| **set) {
            bytes[at / 8] |= 1 << (at % 8);
        }
        bytes
    }
}

/// A record of `bin`.
fn nodchip(position: &Chess, m: Move, score: i16, result: i8) -> [u8; 40] {
    let board = position.board();
    let mut bits = Bits::default();
    bits.put(u32::from(position.turn().is_black()), 1);
    for colour in [Color::White, Color::Black] {
        bits.put(board.king_of(colour).unwrap() as u32, 6);
    }
    for rank in Rank::ALL.into_iter().rev() {
        for file in File::ALL {
            match board.piece_at(Square::from_coords(file, rank)) {
                None => bits.put(0, 1),
                Some(piece) if piece.role == shakmaty::Role::King => {}
                Some(piece) => {
                    bits.put(2 * (piece.role as u32 - 1) + 1, 4);
                    bits.put(u32::from(piece.color.is_black()), 1);
                }
            }
        }
    }
    for colour in [Color::White, Color::Black] {
        for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
            bits.put(u32::from(position.castles().has(colour, side)), 1);
        }
    }
    match position.ep_square(EnPassantMode::Legal) {
        None => bits.put(0, 1),
        Some(square) => {
            bits.put(1, 1);
            bits.put(square as u32, 6);
        }
    }
    let (idle, number) = (position.halfmoves(), position.fullmoves().get());
    bits.put(idle, 6);
    bits.put(number, 8);
    bits.put(number >> 8, 8);
    bits.put(idle >> 6, 1);
    let (to, kind) = match m {
        Move::Castle { rook, .. } => (rook, 0xc000),
        Move::EnPassant { to, .. } => (to, 0x8000),
        _ => {
            let promotion = m.promotion();
            (
                m.to(),
                promotion.map_or(0, |role| (role as u16 - 2) << 12 | 0x4000),
            )
        }
    };
    let bits_of_move = to as u16 | (m.from().unwrap() as u16) << 6 | kind;
    let mut bytes = [0; 40];
    bytes[..32].copy_from_slice(&bits.bytes());
    bytes[32..34].copy_from_slice(&score.to_le_bytes());
    bytes[34..36].copy_from_slice(&bits_of_move.to_le_bytes());
    bytes[36..38].copy_from_slice(&77_u16.to_le_bytes());
    bytes[38] = result.cast_unsigned();
    bytes
}

/// Bytes made by hand from the description, not by the writers above.
#[test]
fn bytes_by_hand_are_read() {
    let mut bin = [0; 40];
    // Kings on e1 (4) and e8 (60), 62 empty squares, clock 5, move 9.
    (bin[0], bin[1], bin[10], bin[11]) = (0x08, 0x1e, 0x45, 0x02);
    (bin[32], bin[38]) = (25, 0xff);
    let all = parse(&NODCHIP, &bin);
    let read = &all.positions[0];
    assert_eq!(
        Fen.describe(&read.position),
        "4k3/8/8/8/8/8/8/4K3 w - - 5 9"
    );
    assert_eq!((read.search_score, read.ply), (Some(25), Some(0)));
    assert_eq!(read.outcome, Outcome::Loss);
    let mut marlin = [0; 32];
    // e1: king (5); h1: a rook that may castle (6); e8: Black's king (5 + 8).
    (marlin[0], marlin[7]) = (0x90, 0x10);
    (marlin[8], marlin[9]) = (0x65, 0x0d);
    (marlin[24], marlin[25], marlin[26]) = (64 + 128, 3, 7);
    (marlin[28], marlin[29], marlin[30], marlin[31]) = (0xfe, 0xff, 2, 99);
    let all = parse(&MARLIN, &marlin);
    let read = &all.positions[0];
    assert_eq!(
        Fen.describe(&read.position),
        "4k3/8/8/8/8/8/8/4K2R b K - 3 7"
    );
    assert_eq!((read.search_score, read.ply), (Some(-2), Some(13)));
    assert_eq!(read.outcome, Outcome::Win);
}

#[test]
fn bad_records_are_rejected_alone() {
    let (position, m) = game(STARTS[1], &[1, 2, 3]).pop().unwrap();
    let good = nodchip(&position, m, 10, 1);
    let with = |at: usize, byte: u8| {
        let mut bad = good;
        bad[at] = byte;
        bad
    };
    for (bad, part) in [
        (with(38, 2), "found the result 2"),
        ([0; 40], "both kings on a1"),
        ([0xff; 40], "both kings on h8"),
        (with(2, 0xff), ""),
    ] {
        let all = parse(&NODCHIP, &[good, bad, good].concat());
        assert_eq!((all.units, all.rejected.len()), (2, 1), "{part}");
        assert_eq!(all.rejected[0].0, 1);
        assert!(all.rejected[0].2.contains(part), "{:?}", all.rejected);
    }
    let marlin_good = marlin(&position, 10, 1);
    for (at, byte, part) in [
        (30, 3, "found the result 3"),
        (24, 77, "the en passant square 77"),
        (8, 7, "found 7 on a1"),
    ] {
        let mut bad = marlin_good;
        bad[at] = byte;
        let all = parse(&MARLIN, &[marlin_good, bad, marlin_good].concat());
        assert_eq!((all.units, all.rejected.len()), (2, 1), "{part}");
        assert!(all.rejected[0].2.contains(part), "{:?}", all.rejected);
    }
    let cut = parse(&NODCHIP, &[&good[..], &good[..39]].concat());
    assert!(cut.rejected[0].2.contains("39 bytes at the end"));
    let cut = parse(&MARLIN, &[&marlin_good[..], &[1]].concat());
    assert!(cut.rejected[0].2.contains("1 bytes at the end"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn positions_come_back_as_they_were_written(
        start in prop::sample::select(&STARTS[..]),
        choices in prop::collection::vec(any::<usize>(), 12..120),
        result in 0_u8..3,
    ) {
        let game = game(start, &choices);
        let outcome = [Outcome::Loss, Outcome::Draw, Outcome::Win][usize::from(result)];
        let records = game.iter().map(|(position, _)| marlin(position, -71, result));
        let marlin: Vec<u8> = records.flatten().collect();
        let records = game.iter().map(|(position, m)| {
            let sign = if position.turn().is_white() { 1 } else { -1 };
            nodchip(position, *m, -71 * i16::from(sign), (result.cast_signed() - 1) * sign)
        });
        let bin: Vec<u8> = records.flatten().collect();
        if game.len() > 10 {
            prop_assert!((MARLIN.recognises)(&marlin, true) && (NODCHIP.recognises)(&bin, true));
            for other in [&BULLET, &VIRI, &NODCHIP] {
                prop_assert!(!(other.recognises)(&marlin, true), "{}", other.name);
            }
            for other in [&BULLET, &VIRI, &MARLIN] {
                prop_assert!(!(other.recognises)(&bin, true), "{}", other.name);
            }
        }
        for (all, moves) in [(parse(&MARLIN, &marlin), false), (parse(&NODCHIP, &bin), true)] {
            prop_assert_eq!((all.units, all.rejected), (game.len(), Vec::new()));
            for (read, (position, m)) in all.positions.iter().zip(&game) {
                prop_assert_eq!(comparable(&read.position), comparable(position));
                prop_assert_eq!(read.position.halfmoves(), position.halfmoves());
                prop_assert_eq!(read.position.fullmoves(), position.fullmoves());
                prop_assert_eq!(read.outcome, outcome);
                prop_assert_eq!(read.search_score, Some(-71));
                let tactical = m.is_capture() || m.is_promotion();
                prop_assert_eq!(read.around.next_tactical, moves.then_some(tactical));
            }
        }
    }
}
