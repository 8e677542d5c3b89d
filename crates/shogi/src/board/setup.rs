//! Pieces set up freely, and when they are a legal position.

use super::{Color, Hand, Piece, PieceType, Position, Square, Squares};

/// Pieces on a board and in hand, legal or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The piece on a square, by the square's index.
    pub board: [Option<Piece>; 81],
    /// The pieces in hand of sente and of gote.
    pub hands: [Hand; 2],
    /// The side to move.
    pub turn: Color,
    /// The number of the next move, from 1.
    pub number: u32,
}

impl Setup {
    /// An empty board, sente to move.
    pub const EMPTY: Self = Self {
        board: [None; 81],
        hands: [Hand::EMPTY; 2],
        turn: Color::Sente,
        number: 1,
    };

    /// Counts the pieces of an unpromoted kind on the board, promoted or not, and in both hands.
    pub(crate) fn in_all(&self, kind: PieceType) -> usize {
        let on_board = self.board.iter().flatten();
        let on_board = on_board.filter(|piece| piece.kind.unpromoted() == kind);
        let in_hand = self.hands.iter().map(|hand| usize::from(hand.count(kind)));
        on_board.count() + in_hand.sum::<usize>()
    }
}

/// An empty board.
impl Default for Setup {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Position {
    /// Makes a position of the pieces of a setup, its hands, its side to move and its move number.
    ///
    /// # Errors
    ///
    /// Fails if the position is not legal, with the first reason in the order of [`IllegalSetup`].
    pub fn from_setup(setup: &Setup) -> Result<Self, IllegalSetup> {
        let position = Self::of(setup);
        for color in Color::ALL {
            match position.pieces(color, PieceType::King).count() {
                0 => return Err(IllegalSetup::NoKing(color)),
                1 => {}
                _ => return Err(IllegalSetup::SeveralKings(color)),
            }
        }
        let too_many = |kind: &PieceType| setup.in_all(*kind) > usize::from(kind.in_a_set());
        if let Some(kind) = PieceType::IN_HAND.into_iter().find(too_many) {
            return Err(IllegalSetup::TooMany(kind));
        }
        for (square, piece) in position.on_board() {
            if square.relative_rank(piece.color) <= piece.kind.dead_ranks() {
                return Err(IllegalSetup::Immobile(piece, square));
            }
            let pawns = position.pieces(piece.color, PieceType::Pawn) & Squares::file_of(square);
            if piece.kind == PieceType::Pawn && pawns.is_several() {
                return Err(IllegalSetup::TwoPawns(piece.color, square.file()));
            }
        }
        let king = position.king(!setup.turn);
        if position.is_attacked(setup.turn, king, position.occupied()) {
            return Err(IllegalSetup::OppositeCheck);
        }
        Ok(position)
    }
}

impl From<&Position> for Setup {
    fn from(position: &Position) -> Self {
        position.setup
    }
}

/// Why pieces are not a legal position of shogi.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalSetup {
    /// A side has no king.
    #[error("no king of {}", name(*.0))]
    NoKing(Color),
    /// A side has more than one king.
    #[error("several kings of {}", name(*.0))]
    SeveralKings(Color),
    /// There are more pieces of a kind, promoted or not, than in a set.
    #[error("more than {} pieces {}, promoted or not", .0.in_a_set(), .0.letter())]
    TooMany(PieceType),
    /// A pawn, lance or knight is on a square from which it could never move.
    #[error("a piece {0} on {1}, where it could never move")]
    Immobile(Piece, Square),
    /// A side has two pawns on a file (nifu).
    #[error("two pawns of {} on file {}", name(*.0), .1)]
    TwoPawns(Color, u8),
    /// The side to move could take the king.
    #[error("the side not to move in check")]
    OppositeCheck,
}

/// Returns the name of a side in messages.
const fn name(color: Color) -> &'static str {
    ["sente", "gote"][color.index()]
}
