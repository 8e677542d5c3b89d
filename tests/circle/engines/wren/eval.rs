//! Material, ranks, mobility, pawns.

use shakmaty::{Board, Chess, Color, File, Position, Role, attacks};

use crate::pair::S;
use crate::weights::WEIGHTS;

/// Centipawns, for the side to move.
pub fn evaluate(pos: &Chess) -> i32 {
    let (board, us) = (pos.board(), pos.turn());
    let score = side(board, us) - side(board, !us) + WEIGHTS.tempo;
    let phase = phase(board);
    (score.0 * phase + score.1 * (24 - phase)) / 24
}

fn side(board: &Board, us: Color) -> S {
    let mut score = S(0, 0);
    let ours = board.by_color(us);
    for square in ours {
        let Some(role) = board.role_at(square) else {
            continue;
        };
        let rank = us.fold_wb(square, square.flip_vertical()).rank() as usize;
        if role == Role::King {
            score += WEIGHTS.king.ranks[rank];
            let shield = attacks::king_attacks(square) & ours & board.pawns();
            score += WEIGHTS.king.shield * shield.count() as i32;
            continue;
        }
        let man = &WEIGHTS.men[role as usize - 1];
        score += man.value + man.ranks[rank];
        if role != Role::Pawn {
            let reached = board.attacks_from(square) & !ours;
            score += man.moves * reached.count() as i32;
        }
    }
    if (ours & board.bishops()).count() >= 2 {
        score += WEIGHTS.pair;
    }
    let pawns = ours & board.pawns();
    for file in File::ALL {
        let here = (pawns & file).count() as i32;
        let beside = [-1, 1].into_iter().filter_map(|by| file.offset(by));
        if here > 1 {
            score += WEIGHTS.pawns.doubled * (here - 1);
        }
        if here > 0 && beside.into_iter().all(|file| (pawns & file).is_empty()) {
            score += WEIGHTS.pawns.isolated;
        }
    }
    score
}

fn phase(board: &Board) -> i32 {
    let light = (board.knights() | board.bishops()).count() as i32;
    (light + 2 * board.rooks().count() as i32 + 4 * board.queens().count() as i32).min(24)
}

#[cfg(feature = "tune")]
tuner_core::traced!();
