//! bulletformat: one position in 32 bytes.
//!
//! *Layout* (little endian): 8 bytes of occupied squares, 16 bytes with a
//! nibble a piece (1 to 6, pawn to king, counted from 0; 8 added for the other
//! side), a 2-byte score, a byte of result (0, 1, 2), both king squares, 3
//! bytes without meaning here. Everything is the side to move's, which sits at
//! the bottom and is read as White: the format does not say which colour it
//! had, nor castling rights, en passant, or counters.
//!
//! *Rejects* records whose kings are elsewhere than they say, other results,
//! positions that are not legal. *Source*: crate bulletformat 1.8.

use shakmaty::{Chess, Color};
use tuner_data::Outcome;
use tuner_data::{
    Around, Fault, LabelledPosition, MATE, RecordEvent, RecordPlace, RecordUnit, Records,
};

use super::board::{Packed, ROLES, fault, position, truncated};

const SIZE: usize = Packed::SIZE;

/// Records that decide whether an input is of this format.
const SAMPLED: usize = 64;

/// bulletformat; the [module](self) says what is accepted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bullet;

impl Records<Chess> for Bullet {
    fn name(&self) -> &'static str {
        "bulletformat"
    }

    fn pattern(&self) -> &'static str {
        "32 bytes a position"
    }

    fn unit(&self) -> RecordUnit {
        RecordUnit::Records
    }

    fn recognises(&self, first: &[u8], _: bool) -> bool {
        let records = first.as_chunks::<SIZE>().0;
        let sampled = &records[..records.len().min(SAMPLED)];
        let good = sampled.iter().filter(|bytes| record(bytes).is_ok()).count();
        // One record in ten may be damaged; other files have hardly a good one.
        good > 0 && good * 10 >= sampled.len() * 9
    }

    fn cut(&self, bytes: &[u8]) -> Option<usize> {
        let end = bytes.len() / SIZE * SIZE;
        (end > 0).then_some(end)
    }

    fn count(&self, bytes: &[u8]) -> u64 {
        bytes.len().div_ceil(SIZE) as u64
    }

    fn parse(&self, bytes: &[u8], to: &mut dyn FnMut(RecordEvent<Chess>)) {
        let (records, rest) = bytes.as_chunks::<SIZE>();
        for (line, bytes) in (0..).zip(records) {
            let place = RecordPlace { line, column: 1 };
            match record(bytes) {
                Ok(labelled) => {
                    to(RecordEvent::Position(place, labelled));
                    to(RecordEvent::Unit);
                }
                Err(fault) => to(RecordEvent::Rejected(place, fault)),
            }
        }
        if !rest.is_empty() {
            let place = RecordPlace {
                line: records.len() as u64,
                column: 1,
            };
            to(RecordEvent::Rejected(
                place,
                truncated(rest.len(), "records of 32 bytes"),
            ));
        }
    }
}

fn record(bytes: &[u8; SIZE]) -> Result<LabelledPosition<Chess>, Fault> {
    let packed = Packed::new(bytes);
    let occupied = u64::from_le_bytes(packed.occupied);
    let setup = packed.board(occupied, |_, _, nibble| {
        let role = ROLES.get(usize::from(nibble & 7))?;
        Some(role.of(Color::from_white(nibble < 8)))
    })?;
    let [low, high, result, king, other, ..] = packed.rest;
    let kings = [(Color::White, king), (Color::Black, other ^ 0b11_1000)];
    for (colour, stated) in kings {
        let found = setup.board.king_of(colour);
        if found.map(u32::from) != Some(u32::from(stated)) {
            return Err(fault(
                format!("a king's square, {stated}, where the king is not"),
                "the squares of both kings",
            ));
        }
    }
    let outcome = match result {
        0 => Outcome::Loss,
        1 => Outcome::Draw,
        2 => Outcome::Win,
        _ => return Err(fault(format!("the result {result}"), "0, 1 or 2")),
    };
    let score = i32::from(i16::from_le_bytes([low, high]));
    Ok(LabelledPosition {
        position: position(&setup)?,
        outcome: outcome.into(),
        search_score: (score.abs() <= MATE).then_some(score),
        game: None,
        ply: None,
        around: Around::default(),
    })
}
