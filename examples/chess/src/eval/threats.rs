//! Threats: attacks on pieces worth more, and on what is not defended; pins.

use shakmaty::attacks::{between, bishop_attacks, knight_attacks, rook_attacks};
use shakmaty::{Bitboard, Board, Color, Role};
use tuner_core::tunable;

use super::attacks::{Attacks, one_step_behind, pawn_attacks};
use super::role_index;
use crate::tuned_weights::{
    CONTESTED, HANGING, KNIGHT_ON_QUEEN, OUTNUMBERED, PINNED, PUSH_THREAT, RESTRICTED, S,
    SLIDER_ON_QUEEN, THREAT_BY_KING, THREAT_BY_MINOR, THREAT_BY_PAWN, THREAT_BY_ROOK, WEAK_QUEEN,
};

/// All that can be taken.
const VICTIMS: [Role; 5] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
];

/// What one side attacks of the other.
#[tunable]
pub(super) fn threats(board: &Board, attacks: &Attacks, us: Color) -> S {
    let ours = &attacks.side[us];
    let theirs = &attacks.side[us.other()];
    let minors = ours.by.knight | ours.by.bishop;

    let mut score = S::ZERO;
    for role in VICTIMS {
        let victims = board.by_piece(role.of(us.other()));
        let loose = victims & !theirs.by.pawn;
        let role = role_index(role);
        // A pawn is a target where no pawn defends it, a piece everywhere.
        let targets = if role == 0 { loose } else { victims };
        for _ in minors & targets {
            score += THREAT_BY_MINOR[role];
        }
        for _ in ours.by.rook & loose {
            score += THREAT_BY_ROOK[role];
        }
        for _ in ours.by.king & loose {
            score += THREAT_BY_KING[role];
        }
        for _ in ours.all & victims & !theirs.all {
            score += HANGING[role];
        }
        if role > 0 {
            for _ in ours.by.pawn & victims {
                score += THREAT_BY_PAWN[role - 1];
            }
        }
    }
    let contested = ours.by.pawn & theirs.all;
    score + pushes(board, attacks, us) + CONTESTED * contested.count() as i32
}

/// Pieces that a pawn attacks after a step to a square where it is safe.
#[tunable]
fn pushes(board: &Board, attacks: &Attacks, us: Color) -> S {
    let ours = &attacks.side[us];
    let theirs = &attacks.side[us.other()];
    // Two steps at once are left out.
    let steps = one_step_behind(board.by_piece(us.pawn()), us.other()) & !board.occupied();
    let safe = steps & !theirs.by.pawn & (ours.all | !theirs.all);
    let pieces = board.by_color(us.other()) & !board.pawns() & !board.kings();
    PUSH_THREAT * (pawn_attacks(safe, us) & pieces).count() as i32
}

/// What one side attacks twice where no pawn defends, and the squares that both attack and the
/// other does not hold.
#[tunable]
pub(super) fn pressure(board: &Board, attacks: &Attacks, us: Color) -> S {
    let ours = &attacks.side[us];
    let theirs = &attacks.side[us.other()];
    let restricted = ours.all & theirs.all & !held(attacks, us.other());

    let mut score = RESTRICTED * restricted.count() as i32;
    for role in VICTIMS {
        let loose = board.by_piece(role.of(us.other())) & !theirs.by.pawn;
        score += OUTNUMBERED[role_index(role)] * (loose & ours.twice).count() as i32;
    }
    score
}

/// Squares from which a knight, a bishop or a rook will attack a queen, where the other side
/// does not hold them, and queens that a bishop or a rook looks at through one piece.
#[tunable]
pub(super) fn on_queen(board: &Board, attacks: &Attacks, us: Color) -> S {
    let ours = &attacks.side[us];
    let safe = !board.by_color(us) & !held(attacks, us.other());

    let mut score = S::ZERO;
    for queen in board.by_piece(us.other().queen()) {
        let hops = knight_attacks(queen) & ours.by.knight & safe;
        score += KNIGHT_ON_QUEEN * hops.count() as i32;
        let diagonal = bishop_attacks(queen, board.occupied()) & ours.by.bishop;
        let straight = rook_attacks(queen, board.occupied()) & ours.by.rook;
        // Where another piece helps.
        let slides = (diagonal | straight) & ours.twice & safe;
        score += SLIDER_ON_QUEEN * slides.count() as i32;
        let lines = (bishop_attacks(queen, Bitboard::EMPTY) & board.bishops())
            | (rook_attacks(queen, Bitboard::EMPTY) & board.rooks());
        for slider in lines & board.by_color(us) {
            let between = between(queen, slider) & board.occupied();
            if between.single_square().is_some() {
                score += WEAK_QUEEN;
            }
        }
    }
    score
}

/// What a side holds against the other: by a pawn, or by two where the other has not two.
fn held(attacks: &Attacks, us: Color) -> Bitboard {
    let ours = &attacks.side[us];
    ours.by.pawn | (ours.twice & !attacks.side[us.other()].twice)
}

/// What one side pins to the other's king.
#[tunable]
pub(super) fn pins(board: &Board, attacks: &Attacks, us: Color) -> S {
    let king = attacks.side[us.other()].king;
    let straight = rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens();
    let diagonal = bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens();

    let mut score = S::ZERO;
    for piece in (straight | diagonal) & board.by_color(us) {
        let between = between(king, piece) & board.occupied();
        // The only piece between, if it is theirs.
        let pinned = between & board.by_color(us.other());
        if let (Some(_), Some(square)) = (between.single_square(), pinned.first())
            && let Some(role) = board.role_at(square)
        {
            score += PINNED[role_index(role)];
        }
    }
    score
}
