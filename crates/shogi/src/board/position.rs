//! A position: pieces, hands, side to move, and what a move changes.

use std::fmt;

use super::{Color, Hand, Move, Piece, PieceType, Setup, Square, Squares, attacks, zobrist};

/// A legal position of shogi.
///
/// Both kings are on the board, and the side not to move is not in check.
///
/// *Cost*: [`play`](Self::play) computes the pieces that give check to the next
/// side to move, and its pinned pieces; getters look up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The squares of each kind, of both sides.
    kinds: [Squares; PieceType::COUNT],
    /// The squares of each side.
    colors: [Squares; 2],
    /// Of the side to move: the pieces that give it check, and its own that are pinned.
    checkers: Squares,
    pinned: Squares,
    key: u64,
    /// The board by squares, hands, side and number.
    pub(super) setup: Setup,
    kings: [Square; 2],
}

impl Position {
    /// Returns the position that games begin with.
    pub fn start() -> Self {
        Self::of(&Setup::start())
    }

    /// Makes a position of the pieces, hands and side to move of a setup, whether or not it is
    /// legal, which the caller checks where it is not known. A king that is missing counts as one
    /// on square 0.
    pub(super) fn of(setup: &Setup) -> Self {
        let mut position = Self {
            kinds: [Squares::EMPTY; PieceType::COUNT],
            colors: [Squares::EMPTY; 2],
            checkers: Squares::EMPTY,
            pinned: Squares::EMPTY,
            key: 0,
            setup: Setup {
                board: Setup::EMPTY.board,
                ..*setup
            },
            kings: [Square(0); 2],
        };
        for square in Square::all() {
            if let Some(piece) = setup.board[square.index()] {
                position.toggle(piece, square);
            }
        }
        for color in Color::ALL {
            for (kind, count) in setup.hands[color.index()].pieces() {
                position.key ^= zobrist::hand(color, kind, count);
            }
        }
        if setup.turn == Color::Gote {
            position.key ^= zobrist::TURN;
        }
        position.look_at_king();
        position
    }

    /// Returns the piece on a square; `None` of an empty one.
    #[inline]
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        self.setup.board[square.index()]
    }

    /// Returns the squares of a kind, of both sides.
    #[inline]
    pub const fn kind(&self, kind: PieceType) -> Squares {
        self.kinds[kind.index()]
    }

    /// Returns the squares of a side.
    #[inline]
    pub const fn color(&self, color: Color) -> Squares {
        self.colors[color.index()]
    }

    /// Returns the squares of a kind of a side.
    #[inline]
    pub fn pieces(&self, color: Color, kind: PieceType) -> Squares {
        self.color(color) & self.kind(kind)
    }

    /// Returns all squares that are not empty.
    #[inline]
    pub fn occupied(&self) -> Squares {
        self.colors[0] | self.colors[1]
    }

    /// Returns all pieces on the board with their squares, by the square's
    /// index.
    pub fn on_board(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        let squares = self.occupied().into_iter();
        squares.filter_map(|square| self.piece_at(square).map(|piece| (square, piece)))
    }

    /// Returns what a side has in hand.
    #[inline]
    pub const fn hand(&self, color: Color) -> Hand {
        self.setup.hands[color.index()]
    }

    /// Returns where a side's king is.
    #[inline]
    pub const fn king(&self, color: Color) -> Square {
        self.kings[color.index()]
    }

    /// Returns the side to move.
    #[inline]
    pub const fn turn(&self) -> Color {
        self.setup.turn
    }

    /// Returns the number of the next move, from 1 in most games.
    pub const fn move_number(&self) -> u32 {
        self.setup.number
    }

    /// Returns the Zobrist key of board, hands and side to move. The number of
    /// the move is not part of it.
    #[inline]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// Returns the pieces that give check to the side to move.
    #[inline]
    pub const fn checkers(&self) -> Squares {
        self.checkers
    }

    /// Tells whether the side to move is in check.
    #[inline]
    pub const fn is_check(&self) -> bool {
        !self.checkers.is_empty()
    }

    /// Returns the pieces of the side to move that are pinned to its king.
    #[inline]
    pub const fn pinned(&self) -> Squares {
        self.pinned
    }

    /// Returns the pieces of a side that are pinned to its king: those that stand alone between it
    /// and a lance, bishop or rook of the other side that would attack it on an empty board.
    pub fn pinned_of(&self, color: Color) -> Squares {
        let (king, them) = (self.king(color), self.color(!color));
        let none = Squares::EMPTY;
        let from = |kind| attacks(kind, color, king, none);
        let lances = from(PieceType::Lance) & self.kind(PieceType::Lance);
        let bishops = self.kind(PieceType::Bishop) | self.kind(PieceType::Horse);
        let rooks = self.kind(PieceType::Rook) | self.kind(PieceType::Dragon);
        let bishops = from(PieceType::Bishop) & bishops;
        let rooks = from(PieceType::Rook) & rooks;
        let occupied = self.occupied();
        let mut pinned = none;
        for slider in (lances | bishops | rooks) & them {
            let between = Squares::between(slider, king) & occupied;
            if !between.is_several() {
                pinned |= between & self.color(color);
            }
        }
        pinned
    }

    /// Tells whether a side attacks a square, on this board if the squares `occupied`, and no
    /// others, were not empty.
    #[inline]
    pub fn is_attacked(&self, by: Color, square: Square, occupied: Squares) -> bool {
        !self.attackers_of(by, square, occupied).is_empty()
    }

    /// Returns the pieces of the side `by` that attack a square, if just `occupied` were not empty:
    /// a piece attacks it from where one of its kind and the other side, on the square, would
    /// attack the piece.
    #[inline]
    fn attackers_of(&self, by: Color, square: Square, occupied: Squares) -> Squares {
        use PieceType::{Bishop, Gold, King, Knight, Lance, Pawn, Rook, Silver};
        let from = |kind| attacks(kind, !by, square, occupied);
        // `kinds` has a set of squares for each kind, in the order of [`PieceType`].
        let [pawns, lances, knights, silvers, golds, ..] = self.kinds;
        let [.., tokins, narikyos, narikeis, narigins, _, _] = self.kinds;
        let [.., bishops, rooks, kings, _, _, _, _, horses, dragons] = self.kinds;
        let golds = golds | tokins | narikyos | narikeis | narigins;
        (from(Pawn) & pawns
            | from(Lance) & lances
            | from(Knight) & knights
            | from(Silver) & silvers
            | from(Gold) & golds
            | from(Bishop) & (bishops | horses)
            | from(Rook) & (rooks | dragons)
            | from(King) & (kings | horses | dragons))
            & self.color(by)
    }

    /// Returns the piece that a move captures; `None` if its target is empty.
    #[inline]
    pub fn captured(&self, m: Move) -> Option<Piece> {
        self.piece_at(m.to())
    }

    /// Returns the kind of piece that a move moves or drops, as it is before; `None` if no piece is
    /// on its origin.
    #[inline]
    pub fn moved(&self, m: Move) -> Option<PieceType> {
        match m.from() {
            Some(from) => self.piece_at(from).map(|piece| piece.kind),
            None => m.dropped(),
        }
    }

    /// Tells whether a move captures a piece or promotes one.
    #[inline]
    pub fn is_tactical(&self, m: Move) -> bool {
        m.promotes() || self.captured(m).is_some()
    }

    /// Plays a legal move. An illegal move gives an invalid position, without a
    /// panic.
    #[inline]
    pub fn play(&mut self, m: Move) {
        let (us, to) = (self.setup.turn, m.to());
        if let Some(from) = m.from() {
            if let Some(captured) = self.piece_at(to) {
                self.toggle(captured, to);
                self.count_hand(us, captured.kind.unpromoted(), Hand::add);
            }
            if let Some(piece) = self.piece_at(from) {
                self.toggle(piece, from);
                let kind = match piece.kind.promoted() {
                    Some(promoted) if m.promotes() => promoted,
                    _ => piece.kind,
                };
                self.toggle(Piece { kind, ..piece }, to);
            }
        } else if let Some(kind) = m.dropped() {
            self.count_hand(us, kind, Hand::take);
            self.toggle(Piece { color: us, kind }, to);
        }
        self.pass_turn();
    }

    /// Makes a null move, as searches do to prune; returns `false` and changes
    /// nothing if the side to move is in check.
    #[must_use]
    pub fn pass(&mut self) -> bool {
        let passes = !self.is_check();
        if passes {
            self.pass_turn();
        }
        passes
    }

    /// Makes it the other side's turn: counts the move, changes the key, and finds the pieces that
    /// give check to that side's king, and those pinned to it.
    #[inline]
    fn pass_turn(&mut self) {
        self.setup.turn = !self.setup.turn;
        self.setup.number = self.setup.number.saturating_add(1);
        self.key ^= zobrist::TURN;
        self.look_at_king();
    }

    /// Finds the pieces that give check to the side to move, and its pinned pieces.
    #[inline]
    fn look_at_king(&mut self) {
        let us = self.turn();
        let king = self.king(us);
        self.checkers = self.attackers_of(!us, king, self.occupied());
        self.pinned = self.pinned_of(us);
    }

    /// Puts a piece on a square that is empty, or takes it from the square that it is on; the
    /// exclusive or of the board's fields does either. The key changes with it.
    #[inline]
    fn toggle(&mut self, piece: Piece, square: Square) {
        let on = &mut self.setup.board[square.index()];
        *on = on.xor(Some(piece));
        self.kinds[piece.kind.index()] ^= Squares::of(square);
        self.colors[piece.color.index()] ^= Squares::of(square);
        self.key ^= zobrist::piece(piece, square);
        if piece.kind == PieceType::King {
            self.kings[piece.color.index()] = square;
        }
    }

    /// Adds a piece to a side's hand or takes one from it, as `change` does, and updates the key,
    /// which has a number for each count of a kind.
    #[inline]
    fn count_hand(&mut self, color: Color, kind: PieceType, change: fn(&mut Hand, PieceType)) {
        let hand = &mut self.setup.hands[color.index()];
        self.key ^= zobrist::hand(color, kind, hand.count(kind));
        change(hand, kind);
        self.key ^= zobrist::hand(color, kind, hand.count(kind));
    }

    /// Returns the position as the other side sees it: the board turned by half a
    /// turn, colours and hands swapped, and the other side to move.
    #[must_use]
    pub fn rotated(&self) -> Self {
        let mut setup = self.setup;
        setup.board.reverse();
        for piece in setup.board.iter_mut().flatten() {
            piece.color = !piece.color;
        }
        setup.hands.reverse();
        setup.turn = !setup.turn;
        Self::of(&setup)
    }
}

impl Default for Position {
    fn default() -> Self {
        Self::start()
    }
}

/// Writes the position in SFEN.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_sfen())
    }
}
