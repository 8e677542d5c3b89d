//! Positions as bytes: hcpe of Apery and dlshogi, psv of YaneuraOu.
//!
//! Both hold a position in 32 bytes, a score, the best move and a result. The
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

mod huffman;

use tuner_data::Outcome;
use tuner_data::{
    Around, Fault, LabelledPosition, MATE, RecordEvent, RecordPlace, RecordUnit, Records,
};

use crate::rules::wins;
use crate::{Color, Move, PieceType, Position, Square};
use huffman::Code;

/// Positions of Apery and dlshogi; the [module](self) says what is accepted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hcpe;

/// Positions of YaneuraOu; the [module](self) says what is accepted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Psv;

/// Records that decide whether an input is of a format.
const SAMPLED: usize = 64;

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

type Read = fn(&[u8]) -> Result<LabelledPosition<Position>, Fault>;

impl Records<Position> for Hcpe {
    fn name(&self) -> &'static str {
        "hcpe"
    }

    fn pattern(&self) -> &'static str {
        "38 bytes a position"
    }

    fn unit(&self) -> RecordUnit {
        RecordUnit::Records
    }

    fn recognises(&self, first: &[u8], whole: bool) -> bool {
        fits(first, whole, 38, hcpe)
    }

    fn cut(&self, bytes: &[u8]) -> Option<usize> {
        cut(bytes, 38)
    }

    fn count(&self, bytes: &[u8]) -> u64 {
        bytes.len().div_ceil(38) as u64
    }

    fn parse(&self, bytes: &[u8], to: &mut dyn FnMut(RecordEvent<Position>)) {
        parse(bytes, 38, hcpe, to);
    }
}

impl Records<Position> for Psv {
    fn name(&self) -> &'static str {
        "psv"
    }

    fn pattern(&self) -> &'static str {
        "40 bytes a position"
    }

    fn unit(&self) -> RecordUnit {
        RecordUnit::Records
    }

    fn recognises(&self, first: &[u8], whole: bool) -> bool {
        fits(first, whole, 40, psv)
    }

    fn cut(&self, bytes: &[u8]) -> Option<usize> {
        cut(bytes, 40)
    }

    fn count(&self, bytes: &[u8]) -> u64 {
        bytes.len().div_ceil(40) as u64
    }

    fn parse(&self, bytes: &[u8], to: &mut dyn FnMut(RecordEvent<Position>)) {
        parse(bytes, 40, psv, to);
    }
}

fn cut(bytes: &[u8], size: usize) -> Option<usize> {
    let end = bytes.len() / size * size;
    (end > 0).then_some(end)
}

/// Tells whether bytes are such records: one in ten may be damaged; other files
/// have hardly a good one.
fn fits(first: &[u8], whole: bool, size: usize, read: Read) -> bool {
    let sampled = (first.len() / size).min(SAMPLED);
    let records = first.chunks_exact(size).take(sampled);
    let good = records.filter(|bytes| read(bytes).is_ok()).count();
    good > 0 && good * 10 >= sampled * 9 && (!whole || first.len().is_multiple_of(size))
}

fn parse(bytes: &[u8], size: usize, read: Read, to: &mut dyn FnMut(RecordEvent<Position>)) {
    for (line, bytes) in (0..).zip(bytes.chunks(size)) {
        let place = RecordPlace { line, column: 1 };
        let record = if bytes.len() == size {
            read(bytes)
        } else {
            let found = format!("{} bytes at the end", bytes.len());
            Err(fault(found, "whole records"))
        };
        match record {
            Ok(labelled) => {
                to(RecordEvent::Position(place, labelled));
                to(RecordEvent::Unit);
            }
            Err(fault) => to(RecordEvent::Rejected(place, fault)),
        }
    }
}

fn hcpe(bytes: &[u8]) -> Result<LabelledPosition<Position>, Fault> {
    let position = position(bytes, Code::Hcp)?;
    let best = word(bytes, 34);
    let outcome = match bytes.get(36).copied().unwrap_or(u8::MAX) {
        // Higher bits say why the game ended.
        result if result < 32 && result & 3 < 3 => match result & 3 {
            0 => Outcome::Draw,
            1 => Outcome::Win,
            _ => Outcome::Loss,
        },
        other => return Err(fault(format!("the result {other}"), "0, 1 or 2")),
    };
    let origin = usize::from(best >> 7 & 0x7f);
    let dropped = origin.checked_sub(Square::COUNT).map(|index| index + 1);
    let best = moved(best & 0x7f, origin, dropped, best & 1 << 14 != 0);
    Ok(labelled(&position, outcome, word(bytes, 32), best))
}

fn psv(bytes: &[u8]) -> Result<LabelledPosition<Position>, Fault> {
    let position = position(bytes, Code::Psv)?;
    let best = word(bytes, 34);
    let us = position.turn();
    let outcome = match bytes.get(38).copied().unwrap_or(u8::MAX).cast_signed() {
        0 => Outcome::Draw,
        1 => wins(us),
        -1 => wins(!us),
        other => return Err(fault(format!("the result {other}"), "1, 0 or -1")),
    };
    let origin = usize::from(best >> 7 & 0x7f);
    let dropped = (best & 1 << 14 != 0).then_some(origin);
    let best = moved(best & 0x7f, origin, dropped, best & 1 << 15 != 0);
    let mut labelled = labelled(&position, outcome, word(bytes, 32), best);
    labelled.ply = u32::from(word(bytes, 36)).checked_sub(1);
    Ok(labelled)
}

fn position(bytes: &[u8], code: Code) -> Result<Position, Fault> {
    let packed = bytes
        .first_chunk()
        .ok_or_else(|| fault("a short record", "32 bytes"))?;
    let setup =
        huffman::decode(packed, code).map_err(|error| fault(error.to_string(), "a position"))?;
    let illegal = |illegal: crate::IllegalSetup| fault(illegal.to_string(), "a legal position");
    Position::from_setup(&setup).map_err(illegal)
}

/// Two bytes as a number.
fn word(bytes: &[u8], at: usize) -> u16 {
    let byte = |at: usize| u16::from(bytes.get(at).copied().unwrap_or_default());
    byte(at) | byte(at + 1) << 8
}

fn moved(to: u16, from: usize, dropped: Option<usize>, promotes: bool) -> Option<Move> {
    let to = Square::from_index(usize::from(to))?;
    if let Some(number) = dropped {
        return Move::drop(*KINDS.get(number.checked_sub(1)?)?, to);
    }
    let from = Square::from_index(from)?;
    Some(if promotes {
        Move::promoting(from, to)
    } else {
        Move::new(from, to)
    })
}

fn labelled(
    position: &Position,
    outcome: Outcome,
    score: u16,
    best: Option<Move>,
) -> LabelledPosition<Position> {
    let score = i32::from(score.cast_signed());
    let score = match position.turn() {
        Color::Sente => score,
        Color::Gote => -score,
    };
    let best = best.filter(|m| m.from() != Some(m.to()) && position.is_legal(*m));
    LabelledPosition {
        outcome: outcome.into(),
        search_score: (score.abs() <= MATE).then_some(score),
        game: None,
        ply: None,
        around: Around {
            next_tactical: best.map(|m| position.is_tactical(m)),
            ..Around::default()
        },
        position: *position,
    }
}

fn fault(found: impl Into<String>, expected: &'static str) -> Fault {
    Fault {
        offset: 0,
        found: found.into(),
        expected: expected.into(),
        cure: "the file is damaged or of another format; pass over bad records with \
               --on-bad-line skip"
            .into(),
    }
}

#[cfg(test)]
mod tests;
