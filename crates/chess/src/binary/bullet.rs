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

use shakmaty::{Chess, Color, Position};
use tuner_data::in_bytes::{fault, score};
use tuner_data::{Fault, LabelledPosition, Outcome, Records, fixed_records};

use crate::{fen, plain};

use super::board::{Packed, ROLES, outcome, position};

const SIZE: usize = Packed::SIZE;

/// bulletformat; the [module](self) says what is accepted.
pub(crate) const BULLET: Records<Chess> = fixed_records!("bulletformat", 32, record);

/// Writes a position in 32 bytes of the format bulletformat, which has board, score and result as
/// the side to move sees them: if Black is to move, colours are swapped and ranks reversed. The
/// error says, in words, that the position has no score, or one that 16 bits do not hold, that it
/// has a probability for a result, or that it cannot be read.
pub(crate) fn write(labelled: &LabelledPosition<String>) -> Result<Vec<u8>, String> {
    let (score, outcome) = plain::of_mover(labelled)?;
    let score = score.and_then(|score| i16::try_from(score).ok());
    let score = score.ok_or(
        "found no score, which this format needs; write a table, or leave such positions out",
    )?;
    let text = &labelled.position;
    let black = fen::fields(text).nth(1) == Some("b");
    let turned = black.then(|| fen::mirrored(text));
    let text = turned.unwrap_or_else(|| Some(text.clone()));
    let position = text.and_then(|text| fen::parse(&text).ok());
    let position = position.ok_or("found no position of chess")?;
    let board = position.board();
    let mut bytes = [0; SIZE];
    bytes[..8].copy_from_slice(&board.occupied().0.to_le_bytes());
    for (number, (_, piece)) in board.iter().enumerate() {
        let code = ROLES.iter().position(|role| *role == piece.role);
        let theirs = if piece.color.is_black() { 8 } else { 0 };
        // Every piece has a number, so that the 0 is not needed.
        let nibble = code.unwrap_or(0) as u8 | theirs;
        bytes[8 + number / 2] |= nibble << (4 * (number % 2));
    }
    bytes[24..26].copy_from_slice(&score.to_le_bytes());
    bytes[26] = match outcome {
        Outcome::Loss => 0,
        Outcome::Draw => 1,
        Outcome::Win => 2,
    };
    // The square of the other side's king is as that side sees it, with ranks reversed: squares
    // have the rank in their upper three bits. A legal position has both kings, so that the 0 is
    // not needed.
    let king = |colour, turned| {
        let king = board.king_of(colour);
        king.map_or(0, |at| u32::from(at) as u8 ^ turned)
    };
    bytes[27] = king(Color::White, 0);
    bytes[28] = king(Color::Black, 0b11_1000);
    Ok(bytes.to_vec())
}

/// Reads a record of bulletformat: board, score, result and the squares of both kings, all as the
/// side to move sees them, which is read as White. A fault if a king is not on its square, four
/// bits do not code a piece, the result is not 0, 1 or 2, or the position is not legal. A score
/// beyond that of a mate (32,000) is left out, but for 32,002, which marks a position to be left
/// out.
fn record(bytes: &[u8; SIZE]) -> Result<LabelledPosition<Chess>, Fault> {
    let packed = Packed::new(bytes);
    let occupied = u64::from_le_bytes(packed.occupied);
    let setup = packed.board(occupied, |_, _, nibble| {
        let role = ROLES.get(usize::from(nibble & 7))?;
        Some(role.of(Color::from_white(nibble < 8)))
    })?;
    let [low, high, result, king, other, ..] = packed.rest;
    // The square of the other side's king is written as that side sees it, with ranks reversed: the
    // upper three bits of a square are its rank.
    let kings = [(Color::White, king), (Color::Black, other ^ 0b11_1000)];
    for (colour, stated) in kings {
        let found = setup.board.king_of(colour);
        if found.map(u32::from) != Some(u32::from(stated)) {
            let found = format!("a king's square, {stated}, where the king is not");
            return Err(fault(found, "the squares of both kings"));
        }
    }
    let outcome = outcome(result)?;
    Ok(LabelledPosition {
        search_score: score(i16::from_le_bytes([low, high])),
        ..LabelledPosition::new(position(&setup)?, outcome.into())
    })
}
