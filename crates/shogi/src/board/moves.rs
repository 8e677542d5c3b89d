//! Moves.

use std::fmt;

use super::{PieceType, Square};

/// A move or drop, in 16 bits, to be read together with its position: seven bits of the target's
/// index, seven of the origin, and one that is set if the piece promotes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u16);

/// Where the bits of the origin begin.
const FROM: u16 = 7;
/// Seven bits.
const LOW: u16 = 0x7f;
const PROMOTES: u16 = 1 << 14;
/// The origin of a drop is this and the piece's index.
const DROP: u16 = Square::COUNT as u16;

impl Move {
    /// Makes the move of a piece on the board, without promotion.
    #[inline]
    pub const fn new(from: Square, to: Square) -> Self {
        Self((from.index() as u16) << FROM | to.index() as u16)
    }

    /// Makes the move of a piece on the board that promotes it.
    #[inline]
    pub const fn promoting(from: Square, to: Square) -> Self {
        Self::on_board(from, to, true)
    }

    /// Makes the move of a piece on the board, which promotes it or not.
    #[inline]
    pub(crate) const fn on_board(from: Square, to: Square, promotes: bool) -> Self {
        Self(Self::new(from, to).0 | (promotes as u16 * PROMOTES))
    }

    /// Makes the drop of a piece; `None` for a kind that is never in hand. In the bits of the
    /// origin a drop has a number beyond all squares, and with it the index of the kind.
    #[inline]
    pub const fn drop(kind: PieceType, to: Square) -> Option<Self> {
        let from = DROP + kind.index() as u16;
        if kind.index() < PieceType::IN_HAND.len() {
            Some(Self(from << FROM | to.index() as u16))
        } else {
            None
        }
    }

    /// Returns where the piece goes, which the lowest seven bits say.
    #[inline]
    pub const fn to(self) -> Square {
        Square((self.0 & LOW) as u8)
    }

    /// Returns where the piece comes from; `None` if it is dropped, as the seven bits of the origin
    /// are then beyond all squares.
    #[inline]
    pub fn from(self) -> Option<Square> {
        Square::from_index((self.0 >> FROM & LOW) as usize)
    }

    /// Returns the kind of piece that is dropped, which is in the seven bits of the origin as a
    /// number beyond those of squares; `None` if a piece on the board is moved.
    #[inline]
    pub fn dropped(self) -> Option<PieceType> {
        let index = (self.0 >> FROM & LOW).checked_sub(DROP)?;
        PieceType::IN_HAND.get(index as usize).copied()
    }

    /// Tells whether a piece is dropped: the seven bits of the origin are beyond all squares then.
    #[inline]
    pub const fn is_drop(self) -> bool {
        self.0 >> FROM & LOW >= DROP
    }

    /// Tells whether the piece promotes.
    #[inline]
    pub const fn promotes(self) -> bool {
        self.0 & PROMOTES != 0
    }

    /// Reads a move as USI writes it, `7g7f`, `8h2b+` or `P*5e`, whether or not it is legal
    /// anywhere; `None` of other text, and of a move that ends where it begins.
    pub fn from_usi(text: &str) -> Option<Self> {
        let (head, tail) = (text.get(..2)?, text.get(2..)?);
        if let &[letter, b'*'] = head.as_bytes() {
            return Self::drop(PieceType::from_letter(letter)?, Square::from_usi(tail)?);
        }
        let from = Square::from_usi(head)?;
        let promoting = tail.strip_suffix('+');
        let to = Square::from_usi(promoting.unwrap_or(tail))?;
        (from != to).then(|| Self::on_board(from, to, promoting.is_some()))
    }
}

/// Writes the move as USI does: `7g7f`, `8h2b+` or `P*5e`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.dropped(), self.from()) {
            (Some(kind), _) => write!(f, "{}*{}", kind.letter(), self.to()),
            (None, Some(from)) if self.promotes() => write!(f, "{from}{}+", self.to()),
            (None, Some(from)) => write!(f, "{from}{}", self.to()),
            // Every move has a square that it begins on or a piece that is dropped, so this is not
            // reached.
            (None, None) => f.write_str("none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::all_moves;
    use super::*;

    #[test]
    fn all_moves_are_written_and_read() {
        let moves = all_moves();
        assert_eq!(moves.len(), 2 * 81 * 80 + 7 * 81);
        for m in moves {
            assert_eq!(Move::from_usi(&m.to_string()), Some(m));
            assert_eq!(m.is_drop(), m.dropped().is_some());
            assert_eq!(m.is_drop(), m.from().is_none());
        }
    }

    #[test]
    fn other_texts_are_no_moves() {
        for text in [
            "",
            "7g",
            "7g7",
            "7g7f-",
            "7g7f++",
            "P*",
            "P*5j",
            "K*5e",
            "p*5e",
            "+P*5e",
            "P*5e+",
            "7g7g",
            "resign",
            "win",
            "0000",
            "７七七六",
            "P＊",
        ] {
            assert_eq!(Move::from_usi(text), None, "{text}");
        }
    }
}
