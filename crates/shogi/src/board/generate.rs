//! Legal moves.

use std::fmt;
use std::ops::Deref;

use super::{Color, Move, Piece, PieceType, Position, Square, Squares, attacks};

/// More moves than any position has: 593 is the most (Nomura, Shogi World,
/// 1996).
const MOST: usize = 600;

/// The moves of a position, without heap.
#[derive(Clone)]
pub struct MoveList {
    moves: [Move; MOST],
    len: usize,
}

impl MoveList {
    /// No move.
    #[inline]
    pub const fn new() -> Self {
        Self {
            moves: [Move::new(Square(0), Square(0)); MOST],
            len: 0,
        }
    }

    #[inline]
    fn push(&mut self, m: Move) {
        if let Some(slot) = self.moves.get_mut(self.len) {
            *slot = m;
            self.len += 1;
        }
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        self.moves.get(..self.len).unwrap_or_default()
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Where pieces may go so that the king is not in check.
struct Targets {
    /// Pieces on the board, other than the king.
    moves: Squares,
    /// Pieces in hand.
    drops: Squares,
}

impl Position {
    /// Returns the legal moves, always in the same order. Moves that could
    /// promote and do not are among them.
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.legal_moves_into(&mut list);
        list
    }

    /// Replaces what is in a list by the legal moves, as
    /// [`legal_moves`](Self::legal_moves) returns them.
    pub fn legal_moves_into(&self, list: &mut MoveList) {
        list.len = 0;
        let targets = self.targets();
        self.board_moves(&targets, Squares::ALL, Squares::ALL, list);
        self.drops(&targets, list);
    }

    /// Returns the legal moves that take a piece or promote one, always in the
    /// same order.
    pub fn tactical_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        let enemies = self.color(!self.turn());
        self.board_moves(&self.targets(), enemies, Squares::ALL, &mut list);
        list
    }

    /// Tells whether there is a legal move; without one the side to move has
    /// lost.
    pub fn has_legal_moves(&self) -> bool {
        let targets = self.targets();
        let mut pieces = self.color(self.turn()).into_iter();
        pieces.any(|from| !self.reached(from, &targets).is_empty())
            || self
                .hand(self.turn())
                .pieces()
                .any(|(kind, _)| !self.dropped_to(kind, &targets).is_empty())
    }

    /// Tells whether a move is legal here.
    pub fn is_legal(&self, m: Move) -> bool {
        let us = self.turn();
        let targets = self.targets();
        let Some(from) = m.from() else {
            return m.dropped().is_some_and(|kind| {
                self.hand(us).count(kind) > 0 && self.dropped_to(kind, &targets).contains(m.to())
            });
        };
        let Some(piece) = self.piece_at(from).filter(|piece| piece.color == us) else {
            return false;
        };
        let (promotes, stays) = choices(piece, from, m.to());
        (if m.promotes() { promotes } else { stays })
            && self.reached(from, &targets).contains(m.to())
    }

    /// Reads a legal move as USI writes it; `None` if it is not legal.
    pub fn read_usi(&self, text: &str) -> Option<Move> {
        Move::from_usi(text).filter(|m| self.is_legal(*m))
    }

    fn targets(&self) -> Targets {
        let free = !self.color(self.turn());
        let empty = !self.occupied();
        match self.checkers().first() {
            None => Targets {
                moves: free,
                drops: empty,
            },
            Some(checker) if !self.checkers().is_several() => {
                let between = Squares::between(checker, self.king(self.turn()));
                Targets {
                    moves: between | Squares::of(checker),
                    drops: between,
                }
            }
            Some(_) => Targets {
                moves: Squares::EMPTY,
                drops: Squares::EMPTY,
            },
        }
    }

    /// Returns where a piece of the side to move may go.
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

    fn king_reaches(&self, from: Square) -> Squares {
        let us = self.turn();
        let mut reached = super::attacks::king(from) - self.color(us);
        // The king does not shield the squares behind it.
        let occupied = self.occupied() - Squares::of(from);
        for to in reached {
            if self.is_attacked(!us, to, occupied) {
                reached.remove(to);
            }
        }
        reached
    }

    /// Lists moves on the board; those that do not promote only to `staying`,
    /// those that do only to `promoting`.
    #[inline]
    fn board_moves(
        &self,
        targets: &Targets,
        staying: Squares,
        promoting: Squares,
        list: &mut MoveList,
    ) {
        let us = self.turn();
        let zone = Squares::promotion_zone(us);
        for from in self.color(us) {
            let Some(piece) = self.piece_at(from) else {
                continue;
            };
            let reached = self.reached(from, targets);
            if piece.kind.promoted().is_some() {
                let promoted = if zone.contains(from) {
                    reached
                } else {
                    reached & zone
                };
                for to in promoted & promoting {
                    list.push(Move::promoting(from, to));
                }
                let dead = dead(piece.kind, us);
                for to in (reached & staying) - dead {
                    list.push(Move::new(from, to));
                }
            } else {
                for to in reached & staying {
                    list.push(Move::new(from, to));
                }
            }
        }
    }

    fn drops(&self, targets: &Targets, list: &mut MoveList) {
        for (kind, _) in self.hand(self.turn()).pieces() {
            for to in self.dropped_to(kind, targets) {
                list.push(Move::drop_at(kind.index(), to));
            }
        }
    }

    /// Returns where a piece in the hand of the side to move may be dropped.
    fn dropped_to(&self, kind: PieceType, targets: &Targets) -> Squares {
        let us = self.turn();
        let mut to = targets.drops - dead(kind, us);
        if kind == PieceType::Pawn {
            for pawn in self.pieces(us, PieceType::Pawn) {
                to -= Squares::file_of(pawn);
            }
            let check = attacks(PieceType::Pawn, !us, self.king(!us), Squares::EMPTY) & to;
            if let Some(square) = check.first()
                && self.mates_by_pawn(square)
            {
                to.remove(square);
            }
        }
        to
    }

    /// Tells whether a pawn dropped before the enemy king mates
    /// (uchifuzume), which is not allowed.
    fn mates_by_pawn(&self, to: Square) -> bool {
        let us = self.turn();
        let (them, king) = (!us, self.king(!us));
        let occupied = self.occupied() | Squares::of(to);
        let pinned = self.pinned_of(them);
        let defenders = (self.attackers(to, occupied) & self.color(them)) - Squares::of(king);
        let takes = |from: Square| !pinned.contains(from) || Squares::line(king, from).contains(to);
        if defenders.into_iter().any(takes) {
            return false;
        }
        let around = super::attacks::king(king) - self.color(them);
        let occupied = occupied - Squares::of(king);
        around
            .into_iter()
            .all(|square| self.is_attacked(us, square, occupied))
    }
}

/// Returns the squares from which a piece could never move, where it may not go.
#[inline]
fn dead(kind: PieceType, color: Color) -> Squares {
    Squares::farthest_ranks(color, usize::from(kind.dead_ranks()))
}

/// Tells whether a piece that goes there may promote, and whether it may stay
/// what it is.
fn choices(piece: Piece, from: Square, to: Square) -> (bool, bool) {
    let zone = Squares::promotion_zone(piece.color);
    let promotes = piece.kind.promoted().is_some() && (zone.contains(from) || zone.contains(to));
    (promotes, !dead(piece.kind, piece.color).contains(to))
}
