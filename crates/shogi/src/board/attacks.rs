//! Which squares a piece attacks.

use rsshogi::board::attack_tables::{bishop_attacks, lance_attacks, rook_attacks};

use super::{Color, PieceType, Square, Squares};

type Table = [[Squares; 81]; 2];

/// Steps of files and ranks, as sente sees them.
type Steps = &'static [(i8, i8)];

static PAWN: Table = table(&[(0, -1)]);
static KNIGHT: Table = table(&[(-1, -2), (1, -2)]);
static SILVER: Table = table(&[(-1, -1), (0, -1), (1, -1), (-1, 1), (1, 1)]);
static GOLD: Table = table(&[(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (0, 1)]);
static KING: Table = table(&[
    (-1, -1),
    (0, -1),
    (1, -1),
    (-1, 0),
    (1, 0),
    (-1, 1),
    (0, 1),
    (1, 1),
]);

const fn table(steps: Steps) -> Table {
    let mut table = [[Squares::EMPTY; 81]; 2];
    let mut square = 0;
    while square < 81 {
        table[0][square] = reached(square as i8, steps, 1);
        table[1][square] = reached(square as i8, steps, -1);
        square += 1;
    }
    table
}

const fn reached(square: i8, steps: Steps, forward: i8) -> Squares {
    let mut bits = 0;
    let mut number = 0;
    while number < steps.len() {
        let (file, rank) = steps[number];
        let (file, rank) = (square / 9 + forward * file, square % 9 + forward * rank);
        if 0 <= file && file < 9 && 0 <= rank && rank < 9 {
            bits |= 1 << (9 * file + rank);
        }
        number += 1;
    }
    Squares::from_bits(bits)
}

/// Returns the squares that a piece attacks from a square, on a board where the
/// squares `occupied` are not empty. Own pieces count as attacked.
#[inline]
pub fn attacks(kind: PieceType, color: Color, from: Square, occupied: Squares) -> Squares {
    match kind {
        PieceType::Pawn => PAWN[color.index()][from.index()],
        PieceType::Lance => {
            let set = lance_attacks(from.inner(), occupied.inner(), inner(color));
            Squares::from_inner(set)
        }
        PieceType::Knight => KNIGHT[color.index()][from.index()],
        PieceType::Silver => SILVER[color.index()][from.index()],
        PieceType::Gold
        | PieceType::Tokin
        | PieceType::PromotedLance
        | PieceType::PromotedKnight
        | PieceType::PromotedSilver => GOLD[color.index()][from.index()],
        PieceType::Bishop => bishop(from, occupied),
        PieceType::Rook => rook(from, occupied),
        PieceType::King => king(from),
        PieceType::Horse => bishop(from, occupied) | king(from),
        PieceType::Dragon => rook(from, occupied) | king(from),
    }
}

#[inline]
pub(super) fn bishop(from: Square, occupied: Squares) -> Squares {
    Squares::from_inner(bishop_attacks(from.inner(), occupied.inner()))
}

#[inline]
pub(super) fn rook(from: Square, occupied: Squares) -> Squares {
    Squares::from_inner(rook_attacks(from.inner(), occupied.inner()))
}

#[inline]
pub(super) fn king(from: Square) -> Squares {
    KING[0][from.index()]
}

#[inline]
const fn inner(color: Color) -> rsshogi::types::Color {
    match color {
        Color::Sente => rsshogi::types::Color::BLACK,
        Color::Gote => rsshogi::types::Color::WHITE,
    }
}
