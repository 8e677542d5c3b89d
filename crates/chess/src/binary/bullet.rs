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
use tuner_data::in_bytes::{fault, score};
use tuner_data::{Fault, LabelledPosition, Records, fixed_records};

use super::board::{Packed, ROLES, outcome, position};

const SIZE: usize = Packed::SIZE;

/// bulletformat; the [module](self) says what is accepted.
pub(crate) const BULLET: Records<Chess> = fixed_records!("bulletformat", 32, record);

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
    let outcome = outcome(result)?;
    Ok(LabelledPosition {
        search_score: score(i16::from_le_bytes([low, high])),
        ..LabelledPosition::new(position(&setup)?, outcome.into())
    })
}
