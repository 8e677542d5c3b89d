//! Positions as bytes: hcpe of Apery and dlshogi, psv of YaneuraOu; and games,
//! hcpe3 of dlshogi, with a module of its own.
//!
//! hcpe and psv hold a position in 32 bytes, a score, the best move and a result. The
//! readers check every byte that matters.
//!
//! | bytes | hcpe (38) | psv (40) |
//! |---|---|---|
//! | position | 32, a Huffman code | 32, another one |
//! | score | 2, the side to move's | 2, the side to move's |
//! | best move | 2 | 2 |
//! | ply | | 2 |
//! | result | 1: 0 a draw, 1 sente won, 2 gote won; with 4 (repetition), 8 (declaration) or 16 (too long) added | 1: 1, 0, -1, the side to move's |
//! | rest | 1 | 1 |
//!
//! *Positions* have no games: each counts as one of its own. The best move, if
//! it is legal, says whether it captures or promotes; an illegal one is ignored,
//! because converters omit the move. *Scores* beyond ±32,000 are none.
//!
//! *Rejects* records with other results, invalid codes, a piece too many or too
//! few, positions that are not legal, and bytes after the last whole record.
//!
//! *Sources*: `HuffmanCodedPosAndEval` of Apery (Hiraoka), `PackedSfenValue` of
//! YaneuraOu (Yane), and their reader in rsshogi 1.7, which tests compare with.

mod hcpe3;
mod huffman;

use tuner_data::fixed::{self, ReadRecord};
use tuner_data::in_bytes::{fault, movers_result, movers_score};
use tuner_data::{Around, Fault, LabelledPosition, Outcome, Records, fixed_records};

pub(crate) use hcpe3::HCPE3;

use crate::{Color, Move, PieceType, Position, Square};
use huffman::Tables;

/// Positions of Apery and dlshogi; the [module](self) says what is accepted.
pub(crate) const HCPE: Records<Position> = Records {
    recognises: |first, whole| fits(first, whole, hcpe),
    ..fixed_records!("hcpe", 38, hcpe)
};

/// Positions of YaneuraOu; the [module](self) says what is accepted.
pub(crate) const PSV: Records<Position> = Records {
    recognises: |first, whole| fits(first, whole, psv),
    ..fixed_records!("psv", 40, psv)
};

/// Kinds of pieces in hand by Apery's and YaneuraOu's numbers, from 1.
const KINDS: [PieceType; 7] = [
    PieceType::Pawn,
    PieceType::Lance,
    PieceType::Knight,
    PieceType::Silver,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Gold,
];

/// Tells whether an input is of records of `SIZE` bytes that `read` reads; if `first` is all of the
/// input, which `whole` says, its length must be a multiple of that.
fn fits<const SIZE: usize>(first: &[u8], whole: bool, read: ReadRecord<Position, SIZE>) -> bool {
    fixed::fits(first, read) && (!whole || first.len().is_multiple_of(SIZE))
}

/// Reads a record of hcpe: 32 bytes of a position, 2 of score, 2 of the best move, a byte of
/// result.
fn hcpe(bytes: &[u8; 38]) -> Result<LabelledPosition<Position>, Fault> {
    let position = position(bytes, &huffman::HCP)?;
    let outcome = hcp_result(bytes[36])?;
    let best = hcp_move(word(bytes, 34));
    Ok(labelled(&position, outcome, word(bytes, 32), best))
}

/// Reads sente's result as hcpe and hcpe3 have it: 0 a draw, 1 a win, 2 a loss, with higher bits
/// that say why.
fn hcp_result(result: u8) -> Result<Outcome, Fault> {
    // The bits 4, 8 and 16 say why the game ended.
    match (result, result & 3) {
        (..32, 0) => Ok(Outcome::Draw),
        (..32, 1) => Ok(Outcome::Win),
        (..32, 2) => Ok(Outcome::Loss),
        _ => Err(fault(format!("the result {result}"), "0, 1 or 2")),
    }
}

/// Reads a move as hcpe and hcpe3 have it: seven bits of the target, seven of the origin, which is
/// 81 and more for pieces in hand, and one for promotion. `None` if these are no move, legal or
/// not.
fn hcp_move(bits: u16) -> Option<Move> {
    let origin = usize::from(bits >> 7 & 0x7f);
    // Drops begin with that of a pawn, as 81; kinds are numbered from 1.
    let dropped = origin.checked_sub(Square::COUNT).map(|index| index + 1);
    moved(bits & 0x7f, origin, dropped, bits & 1 << 14 != 0)
}

/// Reads a record of psv: 32 bytes of a position, 2 of score, 2 of the best move, 2 of the number
/// of the next move, from 1, a byte of result for the side to move, and one that is not read. The
/// move has seven bits of the target, seven of the origin or of the piece in hand, and one each for
/// a drop and for promotion.
fn psv(bytes: &[u8; 40]) -> Result<LabelledPosition<Position>, Fault> {
    let position = position(bytes, &huffman::PSV)?;
    let best = word(bytes, 34);
    let outcome = movers_result(bytes[38].cast_signed().into(), is_first(&position))?;
    let origin = usize::from(best >> 7 & 0x7f);
    let dropped = (best & 1 << 14 != 0).then_some(origin);
    let best = moved(best & 0x7f, origin, dropped, best & 1 << 15 != 0);
    let mut labelled = labelled(&position, outcome, word(bytes, 32), best);
    labelled.ply = u32::from(word(bytes, 36)).checked_sub(1);
    Ok(labelled)
}

/// Reads the position of the first 32 bytes of a record, by the codes of `tables`; a fault if it is
/// not legal.
fn position(bytes: &[u8], tables: &Tables) -> Result<Position, Fault> {
    let packed = bytes.first_chunk();
    let packed = packed.ok_or_else(|| fault("a short record", "32 bytes"))?;
    let setup = huffman::decode(packed, tables)?;
    let illegal = |illegal: crate::IllegalSetup| fault(illegal.to_string(), "a legal position");
    Position::from_setup(&setup).map_err(illegal)
}

/// Returns the two bytes from `at` on as a number, the lower one first; bytes behind the end count
/// as 0.
fn word(bytes: &[u8], at: usize) -> u16 {
    let byte = |at: usize| u16::from(bytes.get(at).copied().unwrap_or_default());
    byte(at) | byte(at + 1) << 8
}

/// Makes a move between squares given by their index or, if `dropped` is the number of a kind of
/// piece, its drop: 1 to 7 are pawn, lance, knight, silver, bishop, rook and gold. `from` does not
/// count for a drop. `None` if there is no such square or kind.
fn moved(to: u16, from: usize, dropped: Option<usize>, promotes: bool) -> Option<Move> {
    let to = Square::from_index(usize::from(to))?;
    if let Some(number) = dropped {
        return Move::drop(*KINDS.get(number.checked_sub(1)?)?, to);
    }
    let from = Square::from_index(from)?;
    Some(Move::on_board(from, to, promotes))
}

/// Tells whether it is the first player's turn.
fn is_first(position: &Position) -> bool {
    position.turn() == Color::Sente
}

/// Makes a position with its labels: `outcome` is sente's, `score` has the bits of a signed number,
/// the side to move's; it is left out if it is beyond that of a mate (32,000), but for 32,002,
/// which marks a position to be left out. A `best` move that is not legal, or ends where it begins,
/// is left out: converters write such bytes where they have no move.
fn labelled(
    position: &Position,
    outcome: Outcome,
    score: u16,
    best: Option<Move>,
) -> LabelledPosition<Position> {
    let best = best.filter(|m| m.from() != Some(m.to()) && position.is_legal(*m));
    LabelledPosition {
        search_score: movers_score(score.cast_signed(), is_first(position)),
        around: Around {
            next_tactical: best.map(|m| position.is_tactical(m)),
            ..Around::default()
        },
        ..LabelledPosition::new(*position, outcome.into())
    }
}

#[cfg(test)]
mod tests;
