//! Finds the legal move that a written move stands for.

use super::words::{Hint, WrittenMove};
use crate::{Color, Move, PieceType, Position, Square};

/// Why a written move is not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoveError {
    Illegal,
    /// Several pieces could make it.
    Ambiguous,
}

/// Finds the legal move that a written move of KIF or KI2 means: a drop, a move from a square that
/// is written, or one of which hints tell which piece makes it. `last` is where the last move went,
/// which is the target if 同 (the same square) is written.
pub(super) fn resolve(
    position: &Position,
    last: Option<Square>,
    written: &WrittenMove,
) -> Result<Move, MoveError> {
    let to = written.to.or(last).ok_or(MoveError::Illegal)?;
    let promotes = written.promotes == Some(true);
    let dropped = || Move::drop(written.kind, to).filter(|m| position.is_legal(*m));
    if written.drop {
        let plain = written.from.is_none() && written.promotes.is_none();
        return dropped().filter(|_| plain).ok_or(MoveError::Illegal);
    }
    // Who writes the origin has no need of hints; with both the text is damaged.
    if let Some(from) = written.from {
        let there = position.piece_at(from);
        let named = there.is_some_and(|piece| piece.kind == written.kind);
        let m = Move::on_board(from, to, promotes);
        let legal = named && written.hints.is_empty() && position.is_legal(m);
        return legal.then_some(m).ok_or(MoveError::Illegal);
    }
    // The pieces that could make the move.
    let pieces = position.pieces(position.turn(), written.kind).into_iter();
    let legal =
        |from: &Square| *from != to && position.is_legal(Move::on_board(*from, to, promotes));
    let found = pieces.filter(legal).collect();
    let found = disambiguate(found, to, position.turn(), written);
    match found.as_slice() {
        [from] => Ok(Move::on_board(*from, to, promotes)),
        // 打 may be omitted where no piece on the board could go there.
        [] if written.hints.is_empty() && written.promotes.is_none() => {
            dropped().ok_or(MoveError::Illegal)
        }
        [] => Err(MoveError::Illegal),
        _ => Err(MoveError::Ambiguous),
    }
}

/// Returns those of the squares `from` that agree with the hints, which say how a piece moves to
/// `to` as its side (`color`) sees it, with files counted from the right and ranks from the far
/// side. Right and left come last, as they are among the pieces that remain: of bishops and rooks,
/// promoted or not, the one farthest to that side; of other pieces those on that side of the
/// target.
fn disambiguate(
    mut from: Vec<Square>,
    to: Square,
    color: Color,
    written: &WrittenMove,
) -> Vec<Square> {
    let to = to.relative(color);
    let at = |square: &Square| square.relative(color);
    for hint in &written.hints {
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
    for hint in &written.hints {
        from.retain(|square| {
            let file = at(square).file();
            match hint {
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
