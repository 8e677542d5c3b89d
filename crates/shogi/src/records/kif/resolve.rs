//! A move as it is written to the legal move that it is.

use super::words::{Hint, Written};
use crate::{Color, Move, PieceType, Position, Square};

/// Why it is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unclear {
    Illegal,
    /// Several pieces could be meant.
    Several,
}

/// Finds the legal move; `last` is where the last one went.
pub(super) fn resolve(
    position: &Position,
    last: Option<Square>,
    written: &Written,
) -> Result<Move, Unclear> {
    let to = written.to.or(last).ok_or(Unclear::Illegal)?;
    let dropped = || Move::drop(written.kind, to).filter(|m| position.is_legal(*m));
    if written.drop {
        let plain = written.from.is_none() && written.promotes.is_none();
        return dropped().filter(|_| plain).ok_or(Unclear::Illegal);
    }
    if let Some(from) = written.from {
        let named = position
            .piece_at(from)
            .is_some_and(|piece| piece.kind == written.kind);
        let m = match written.promotes {
            Some(true) => Move::promoting(from, to),
            _ => Move::new(from, to),
        };
        let legal = named && written.hints.is_empty() && position.is_legal(m);
        return if legal { Ok(m) } else { Err(Unclear::Illegal) };
    }
    let found = origins(position, to, written);
    let found = told_apart(found, to, position.turn(), written);
    match found.as_slice() {
        [from] if written.promotes == Some(true) => Ok(Move::promoting(*from, to)),
        [from] => Ok(Move::new(*from, to)),
        // 打 may be left out where nothing on the board could go there.
        [] if written.hints.is_empty() && written.promotes.is_none() => {
            dropped().ok_or(Unclear::Illegal)
        }
        [] => Err(Unclear::Illegal),
        _ => Err(Unclear::Several),
    }
}

/// The squares of the pieces that could be meant.
fn origins(position: &Position, to: Square, written: &Written) -> Vec<Square> {
    let promotes = written.promotes == Some(true);
    let pieces = position.pieces(position.turn(), written.kind).into_iter();
    let legal = |from: &Square| {
        let m = if promotes {
            Move::promoting(*from, to)
        } else {
            Move::new(*from, to)
        };
        *from != to && position.is_legal(m)
    };
    pieces.filter(legal).collect()
}

/// Those of them that the hints leave.
fn told_apart(mut from: Vec<Square>, to: Square, color: Color, written: &Written) -> Vec<Square> {
    let to = to.relative(color);
    let sides: Vec<Hint> = written.hints.clone();
    let at = |square: &Square| square.relative(color);
    for hint in &sides {
        from.retain(|square| {
            let (file, rank) = (at(square).file(), at(square).rank());
            match hint {
                Hint::Right | Hint::Left => true,
                Hint::Straight => file == to.file() && rank > to.rank(),
                Hint::Forward => rank > to.rank(),
                Hint::Sideways => rank == to.rank(),
                Hint::Back => rank < to.rank(),
            }
        });
    }
    let far = matches!(
        written.kind,
        PieceType::Horse | PieceType::Dragon | PieceType::Bishop | PieceType::Rook
    );
    let files = || from.iter().map(|square| at(square).file());
    let (least, most) = (files().min(), files().max());
    for hint in &sides {
        from.retain(|square| {
            let file = at(square).file();
            match hint {
                // Of these pieces one may be straight below.
                Hint::Right if far => Some(file) == least,
                Hint::Left if far => Some(file) == most,
                Hint::Right => file < to.file(),
                Hint::Left => file > to.file(),
                _ => true,
            }
        });
    }
    from
}
