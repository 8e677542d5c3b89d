//! Legal moves.

use arrayvec::ArrayVec;

use super::{Color, Move, PieceType, Position, Square, Squares, attacks};

/// More moves than any position has: 593 is the most (Nomura, Shogi World,
/// 1996).
const MOST: usize = 600;

/// The moves of a position, without heap.
pub type MoveList = ArrayVec<Move, MOST>;

/// Appends a move to a list, which has room for the moves of every legal position; of others the
/// moves beyond that are left out.
#[inline]
fn push(list: &mut MoveList, m: Move) {
    let _ = list.try_push(m);
}

/// Where pieces may go so that the king is not in check.
struct Targets {
    /// Pieces on the board, other than the king.
    moves: Squares,
    /// Pieces in hand.
    drops: Squares,
    /// Pieces that move without promotion, as far as such moves are asked for.
    staying: Squares,
}

impl Position {
    /// Returns the legal moves, always in the same order. Moves that could
    /// promote and do not are among them.
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        let (mut list, targets) = (MoveList::new(), self.targets());
        self.board_moves(&targets, &mut list);
        self.drops(&targets, &mut list);
        list
    }

    /// Returns the legal moves that take a piece or promote one, always in the
    /// same order.
    pub fn tactical_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        // Moves without promotion may go only to these squares (`staying`), as they have to
        // capture.
        let targets = Targets {
            staying: self.color(!self.turn()),
            ..self.targets()
        };
        self.board_moves(&targets, &mut list);
        list
    }

    /// Tells whether the side to move has a legal move; without one it has lost.
    pub fn has_legal_moves(&self) -> bool {
        let targets = self.targets();
        let mut pieces = self.color(self.turn()).into_iter();
        let mut in_hand = self.hand(self.turn()).pieces();
        pieces.any(|from| !self.reached(from, &targets).is_empty())
            || in_hand.any(|(kind, _)| !self.dropped_to(kind, &targets).is_empty())
    }

    /// Tells whether a move is legal in this position.
    pub fn is_legal(&self, m: Move) -> bool {
        let (us, targets) = (self.turn(), self.targets());
        if let Some(kind) = m.dropped() {
            return self.hand(us).count(kind) > 0
                && self.dropped_to(kind, &targets).contains(m.to());
        }
        let mut list = MoveList::new();
        if let Some(from) = m.from()
            && self.color(us).contains(from)
        {
            self.piece_moves(from, &targets, &mut list);
        }
        list.contains(&m)
    }

    /// Reads a legal move as USI writes it; `None` if it is not legal.
    pub fn read_usi(&self, text: &str) -> Option<Move> {
        Move::from_usi(text).filter(|m| self.is_legal(*m))
    }

    /// Returns where the side to move, but for its king, may go. Not in check: moves to all squares
    /// without an own piece, drops onto empty ones. In check: both to between the king and the
    /// piece that gives it, moves also onto that piece; nowhere if several pieces give check. Moves
    /// without promotion (`staying`) are not limited further: who wants only some of them narrows
    /// that.
    fn targets(&self) -> Targets {
        let (us, checkers) = (self.turn(), self.checkers());
        let (moves, drops) = match checkers.first() {
            None => (!self.color(us), !self.occupied()),
            Some(_) if checkers.is_several() => (Squares::EMPTY, Squares::EMPTY),
            Some(checker) => {
                let between = Squares::between(checker, self.king(us));
                (between | checkers, between)
            }
        };
        Targets {
            moves,
            drops,
            staying: Squares::ALL,
        }
    }

    /// Returns where the piece of the side to move on `from` may go by a legal move; empty if there
    /// is no piece. `targets` are the squares to which moves may go so that the king is not left in
    /// check; they are not for the king itself, which goes where it is safe. A pinned piece stays
    /// on the line of its pin.
    #[inline]
    fn reached(&self, from: Square, targets: &Targets) -> Squares {
        let us = self.turn();
        let Some(piece) = self.piece_at(from) else {
            return Squares::EMPTY;
        };
        if piece.kind == PieceType::King {
            return self.king_reaches(from);
        }
        let reached = attacks(piece.kind, us, from, self.occupied()) & targets.moves;
        if self.pinned().contains(from) {
            return reached & Squares::line(self.king(us), from);
        }
        reached
    }

    /// Returns where the king of the side to move may go: next to it, where nothing attacks it.
    fn king_reaches(&self, from: Square) -> Squares {
        let us = self.turn();
        let mut reached = attacks(PieceType::King, us, from, Squares::EMPTY) - self.color(us);
        // The king does not shield the squares behind it.
        let occupied = self.occupied() - Squares::of(from);
        for to in reached {
            if self.is_attacked(!us, to, occupied) {
                reached.remove(to);
            }
        }
        reached
    }

    /// Appends the legal moves of all pieces on the board of the side to move. `targets` are the
    /// squares to which moves may go so that the king is not left in check.
    #[inline]
    fn board_moves(&self, targets: &Targets, list: &mut MoveList) {
        for from in self.color(self.turn()) {
            self.piece_moves(from, targets, list);
        }
    }

    /// Appends the moves of the piece on `from`: those that promote it, if they begin or end in the
    /// promotion zone, then those that do not promote, but on the farthest ranks, from which it
    /// could never move again. `targets` are the squares to which moves may go so that the king is
    /// not left in check; `staying` are those for moves without promotion.
    #[inline]
    fn piece_moves(&self, from: Square, targets: &Targets, list: &mut MoveList) {
        let us = self.turn();
        let Some(piece) = self.piece_at(from) else {
            return;
        };
        let reached = self.reached(from, targets);
        if piece.kind.promoted().is_some() {
            let zone = Squares::promotion_zone(us);
            let all = zone.contains(from);
            for to in if all { reached } else { reached & zone } {
                push(list, Move::promoting(from, to));
            }
        }
        for to in (reached & targets.staying) - dead(piece.kind, us) {
            push(list, Move::new(from, to));
        }
    }

    /// Appends the drops of the side to move. `targets.drops` are the empty squares onto which a
    /// drop does not leave the king in check.
    fn drops(&self, targets: &Targets, list: &mut MoveList) {
        for (kind, _) in self.hand(self.turn()).pieces() {
            let to = self.dropped_to(kind, targets).into_iter();
            to.filter_map(|to| Move::drop(kind, to))
                .for_each(|m| push(list, m));
        }
    }

    /// Returns where a piece in the hand of the side to move may be dropped: on a square of
    /// `targets.drops`, which are empty and where a drop does not leave the king in check, from
    /// which the piece could still move. A pawn may not be dropped on a file with another
    /// unpromoted pawn of its side, nor where it mates.
    fn dropped_to(&self, kind: PieceType, targets: &Targets) -> Squares {
        let us = self.turn();
        let mut to = targets.drops - dead(kind, us);
        if kind == PieceType::Pawn {
            for pawn in self.pieces(us, PieceType::Pawn) {
                to -= Squares::file_of(pawn);
            }
            // No mate by a dropped pawn (uchifuzume). It gives check from the square that a pawn
            // of the other side would attack from where its king is.
            let check = attacks(PieceType::Pawn, !us, self.king(!us), Squares::EMPTY) & to;
            let drop = |square| Move::drop(kind, square);
            if let Some(m) = check.first().and_then(drop) {
                let mut after = *self;
                after.play(m);
                if !after.has_legal_moves() {
                    to -= check;
                }
            }
        }
        to
    }
}

/// Returns the farthest ranks, from which a piece of this kind could never move, so that it may not
/// go there without promotion.
#[inline]
fn dead(kind: PieceType, color: Color) -> Squares {
    Squares::farthest_ranks(color, usize::from(kind.dead_ranks()))
}
