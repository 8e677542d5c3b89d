//! The evaluation: what a position is worth, in centipawns.
//!
//! Every term is counted for one colour by a function that returns a tapered
//! score, and the opponent's count is subtracted. [`evaluate`] is the entry;
//! each file holds the terms of its name. All numbers come from
//! [`crate::tuned_weights`]. The score is linear in most of them; where it is
//! not (king danger, the endgame's scale, the phase) the function says so.

mod attacks;
mod endgame;
mod king;
mod pawns;
mod pieces;
mod threats;

use shakmaty::{Board, Chess, Color, Position, Role, Square};
use tuner_core::tunable;

use crate::tuned_weights::{BISHOP_PAIR, ENDGAME_LIMIT, MATERIAL, MIDGAME_LIMIT, PST, S, TEMPO};
use attacks::Attacks;

/// Scores a position from the side to move, in centipawns.
///
/// It does not know mate, stalemate or draws: the search does.
///
/// *Cost*: no allocation; attack sets are computed once.
#[tunable(nonlinear)]
pub fn evaluate(pos: &Chess) -> i32 {
    let board = pos.board();
    let attacks = Attacks::new(board);
    let us = pos.turn();
    let score = one_side(pos, &attacks, us) - one_side(pos, &attacks, us.other()) + TEMPO;
    let (mg, eg) = (score.mg(), endgame::scaled(score.eg(), board, us));
    let (phase, full) = (phase(board), MIDGAME_LIMIT - ENDGAME_LIMIT);
    (mg * phase + eg * (full - phase)) / full
}

/// All terms that speak for one colour.
#[tunable]
fn one_side(pos: &Chess, attacks: &Attacks, us: Color) -> S {
    let board = pos.board();
    placement(board, us)
        + pawns::structure(board, us)
        + pawns::passed(board, attacks, us)
        + pieces::mobility(board, attacks, us)
        + pieces::minors(board, attacks, us)
        + pieces::rooks(board, attacks, us)
        + threats::threats(board, attacks, us)
        + threats::pressure(board, attacks, us)
        + threats::on_queen(board, attacks, us)
        + threats::pins(board, attacks, us)
        + king::castling(pos.castles(), us)
        + king::flank_pawns(board, attacks, us)
        + king::safety(board, attacks, us)
}

/// Material and piece-square tables.
#[tunable]
fn placement(board: &Board, us: Color) -> S {
    let mut score = S::ZERO;
    for role in Role::ALL {
        for square in board.by_piece(role.of(us)) {
            score += MATERIAL[role_index(role)] + PST[role_index(role)][relative(square, us)];
        }
    }
    if (board.bishops() & board.by_color(us)).more_than_one() {
        score += BISHOP_PAIR;
    }
    score
}

/// How much of the middlegame is left: all of it above one limit of material
/// on the board, nothing below another. A minor piece counts 10, a rook 20, a
/// queen 40.
#[tunable(nonlinear)]
fn phase(board: &Board) -> i32 {
    let minors = (board.knights() | board.bishops()).count();
    let material = 10 * (minors + 2 * board.rooks().count() + 4 * board.queens().count()) as i32;
    material.clamp(ENDGAME_LIMIT, MIDGAME_LIMIT) - ENDGAME_LIMIT
}

/// Pawn 0 … king 5.
fn role_index(role: Role) -> usize {
    usize::from(role) - 1
}

/// The square as its owner sees it, a1 = 0: Black's are turned upside down.
fn relative(square: Square, us: Color) -> usize {
    square.to_usize() ^ us.fold_wb(0, 56)
}

#[cfg(test)]
mod tests;
