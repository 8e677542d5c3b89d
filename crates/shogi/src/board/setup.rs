//! Pieces set up freely, and when they are a legal position.

use std::error::Error;
use std::fmt;

use super::{Color, Hand, Piece, PieceType, Position, Square, Squares, attacks};

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

    /// The pieces at the start of a game.
    pub fn start() -> Self {
        use PieceType::{Bishop, Gold, King, Knight, Lance, Pawn, Rook, Silver};
        let mut setup = Self::EMPTY;
        let back = [
            Lance, Knight, Silver, Gold, King, Gold, Silver, Knight, Lance,
        ];
        for (file, kind) in (1..).zip(back) {
            setup.both(file, 9, kind);
            setup.both(file, 7, Pawn);
        }
        setup.both(8, 8, Bishop);
        setup.both(2, 8, Rook);
        setup
    }

    /// Puts a piece of sente, and gote's on the same square from gote's view.
    fn both(&mut self, file: u8, rank: u8, kind: PieceType) {
        if let Some(square) = Square::new(file, rank) {
            for color in Color::ALL {
                let square = square.relative(color);
                self.board[square.index()] = Some(Piece { color, kind });
            }
        }
    }

    /// Checks that it is a legal position; if not, returns the first reason in the
    /// order of [`IllegalSetup`].
    pub(super) fn check(&self) -> Result<(), IllegalSetup> {
        for color in Color::ALL {
            match self.count(Piece {
                color,
                kind: PieceType::King,
            }) {
                0 => return Err(IllegalSetup::NoKing(color)),
                1 => {}
                _ => return Err(IllegalSetup::SeveralKings(color)),
            }
        }
        self.check_counts()?;
        for square in Square::all() {
            let Some(piece) = self.board[square.index()] else {
                continue;
            };
            if square.relative_rank(piece.color) <= piece.kind.dead_ranks() {
                return Err(IllegalSetup::Immobile(piece, square));
            }
            if piece.kind == PieceType::Pawn {
                let file = Squares::file_of(square);
                let pawns = file
                    .into_iter()
                    .filter(|at| self.board[at.index()] == Some(piece));
                if pawns.count() > 1 {
                    return Err(IllegalSetup::TwoPawns(piece.color, square.file()));
                }
            }
        }
        if self.can_take_king() {
            return Err(IllegalSetup::OppositeCheck);
        }
        Ok(())
    }

    fn count(&self, piece: Piece) -> usize {
        self.board.iter().filter(|on| **on == Some(piece)).count()
    }

    fn check_counts(&self) -> Result<(), IllegalSetup> {
        let mut kinds = PieceType::IN_HAND.into_iter();
        match kinds.find(|kind| self.in_all(*kind) > usize::from(kind.in_a_set())) {
            Some(kind) => Err(IllegalSetup::TooMany(kind)),
            None => Ok(()),
        }
    }

    /// Counts pieces of a kind, promoted or not, on the board and in hand.
    pub(crate) fn in_all(&self, kind: PieceType) -> usize {
        let on_board = self.board.iter().flatten();
        let on_board = on_board.filter(|piece| piece.kind.unpromoted() == kind);
        let in_hand = self.hands.iter().map(|hand| usize::from(hand.count(kind)));
        on_board.count() + in_hand.sum::<usize>()
    }

    fn can_take_king(&self) -> bool {
        let occupied: Squares = Square::all()
            .filter(|square| self.board[square.index()].is_some())
            .collect();
        let king = Piece {
            color: !self.turn,
            kind: PieceType::King,
        };
        let mut movers = occupied.into_iter().filter_map(|square| {
            let piece = self.board[square.index()]?;
            (piece.color == self.turn).then_some((square, piece))
        });
        movers.any(|(square, piece)| {
            let attacked = attacks(piece.kind, piece.color, square, occupied);
            attacked
                .into_iter()
                .any(|at| self.board[at.index()] == Some(king))
        })
    }
}

impl From<&Position> for Setup {
    fn from(position: &Position) -> Self {
        let mut setup = Self {
            hands: Color::ALL.map(|color| position.hand(color)),
            turn: position.turn(),
            number: position.move_number(),
            ..Self::EMPTY
        };
        for square in Square::all() {
            setup.board[square.index()] = position.piece_at(square);
        }
        setup
    }
}

/// Why pieces are no legal position of shogi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IllegalSetup {
    /// A side has no king.
    NoKing(Color),
    /// A side has more than one king.
    SeveralKings(Color),
    /// There are more pieces of a kind, promoted or not, than in a set.
    TooMany(PieceType),
    /// A pawn, lance or knight is on a square from which it could never move.
    Immobile(Piece, Square),
    /// A side has two pawns on a file (nifu).
    TwoPawns(Color, u8),
    /// The side to move could take the king.
    OppositeCheck,
}

impl fmt::Display for IllegalSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKing(color) => write!(f, "no king of {}", name(*color)),
            Self::SeveralKings(color) => write!(f, "several kings of {}", name(*color)),
            Self::TooMany(kind) => write!(
                f,
                "more than {} pieces {}, promoted or not",
                kind.in_a_set(),
                kind.letter()
            ),
            Self::Immobile(piece, square) => {
                write!(f, "a piece {piece} on {square}, where it could never move")
            }
            Self::TwoPawns(color, file) => {
                write!(f, "two pawns of {} on file {file}", name(*color))
            }
            Self::OppositeCheck => f.write_str("the side not to move in check"),
        }
    }
}

impl Error for IllegalSetup {}

const fn name(color: Color) -> &'static str {
    match color {
        Color::Sente => "sente",
        Color::Gote => "gote",
    }
}
