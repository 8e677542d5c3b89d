//! marlinformat: one position in 32 bytes.
//!
//! *Layout* (little endian): that of the first 32 bytes of viriformat's games,
//! which is derived from it: 8 bytes of occupied squares, 16 with a nibble a
//! piece (pawn to king from 0, 6 a rook that may castle, 8 added for Black), a
//! byte with the en passant square, 64 if none, and 128 if Black moves;
//! half-move clock; 2 bytes of move number, 2 of White's score; result 0, 1, 2
//! for White; a byte that programs use as they like, and that is ignored.
//!
//! *Plies* are counted from the move number; writers that do not count write 0
//! or 1 throughout, which is not told. *Rejects* other results, positions that
//! are not legal, and bytes after the last whole record.
//! *Source*: `PackedBoard` of marlinflow (jnlt3), as Sirius and Leorik read it.

use shakmaty::Chess;
use tuner_data::in_bytes::score;
use tuner_data::{Fault, LabelledPosition, Records, fixed_records};

use super::board::{Packed, labelled_board};
use crate::moves::plies_before;

const SIZE: usize = Packed::SIZE;

/// marlinformat; the [module](self) says what is accepted.
pub(crate) const MARLIN: Records<Chess> = fixed_records!("marlinformat", 32, record);

/// Reads a record of marlinformat: a board with its counters, White's score and White's result. A
/// score beyond that of a mate (32,000) is left out, but for 32,002, which marks a position to be
/// left out. Plies come from the number of the move; those of a first move are left out, as
/// programs that do not count moves write 0 or 1 for all.
fn record(bytes: &[u8; SIZE]) -> Result<LabelledPosition<Chess>, Fault> {
    let (position, outcome) = labelled_board(bytes)?;
    let [_, _, _, _, low, high, ..] = Packed::new(bytes).rest;
    Ok(LabelledPosition {
        search_score: score(i16::from_le_bytes([low, high])),
        ply: Some(plies_before(&position)).filter(|plies| *plies > 1),
        ..LabelledPosition::new(position, outcome.into())
    })
}
