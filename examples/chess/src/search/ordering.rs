//! Which move to try first: the table's move, captures, killers, history.

use shakmaty::{Color, Move, MoveList, Role, Square};

use super::MAX_PLY;

/// Values for exchanges, pawn to king. They order moves and bound captures;
/// they are no part of the evaluation.
const EXCHANGE: [i32; 6] = [100, 300, 320, 500, 900, 10_000];

const TABLE_MOVE: i32 = 1_000_000;
const CAPTURE: i32 = 500_000;
const KILLER: i32 = 400_000;
/// Larger than any history score.
const HISTORY_LIMIT: i32 = 16_384;

/// Returns the value of a piece in an exchange.
pub(super) fn exchange_value(role: Role) -> i32 {
    EXCHANGE[usize::from(role) - 1]
}

/// Returns what a move gains at once: the captured piece, and by promotion.
pub(super) fn immediate_gain(m: Move) -> i32 {
    let promotion = m
        .promotion()
        .map_or(0, |role| exchange_value(role) - exchange_value(Role::Pawn));
    m.capture().map_or(0, exchange_value) + promotion
}

/// Neither a capture nor a promotion.
pub(super) fn is_quiet(m: Move) -> bool {
    !m.is_capture() && !m.is_promotion()
}

/// Two quiet moves a ply that refuted a sister position.
#[derive(Debug)]
pub(super) struct Killers(Vec<[Option<Move>; 2]>);

impl Killers {
    pub(super) fn new() -> Killers {
        Killers(vec![[None; 2]; MAX_PLY + 1])
    }

    pub(super) fn add(&mut self, ply: usize, m: Move) {
        let [first, second] = &mut self.0[ply];
        if *first != Some(m) {
            *second = first.replace(m);
        }
    }
}

/// How often a quiet move, by colour, from and to, was a refutation.
#[derive(Debug)]
pub(super) struct History(Vec<i32>);

impl History {
    pub(super) fn new() -> History {
        History(vec![0; 2 * 64 * 64])
    }

    /// Halves all scores, so that those of a new search soon prevail.
    pub(super) fn fade(&mut self) {
        for score in &mut self.0 {
            *score /= 2;
        }
    }

    pub(super) fn get(&self, us: Color, m: Move) -> i32 {
        self.0[index(us, m)]
    }

    /// Adds a bonus to the refutation, and a malus to the quiet moves before it.
    pub(super) fn update(&mut self, us: Color, refutation: Move, before: &[Move], depth: i32) {
        let bonus = (depth * depth).min(400);
        self.add(us, refutation, bonus);
        for &m in before {
            self.add(us, m, -bonus);
        }
    }

    /// Moves a score towards the limit, by less the nearer it is.
    fn add(&mut self, us: Color, m: Move, bonus: i32) {
        let score = &mut self.0[index(us, m)];
        *score += bonus - *score * bonus.abs() / HISTORY_LIMIT;
    }
}

fn index(us: Color, m: Move) -> usize {
    let from = m.from().map_or(0, Square::to_usize);
    (us.fold_wb(0, 64) + from) * 64 + m.to().to_usize()
}

/// Returns moves best first, and sorts no more of them than are taken.
pub(super) struct Picker {
    moves: MoveList,
    scores: [i32; 256],
    next: usize,
}

impl Picker {
    /// Orders captures by the most valuable victim, then by the least
    /// valuable attacker.
    pub(super) fn captures(moves: MoveList) -> Picker {
        Picker::new(moves, capture_score)
    }

    /// Orders all moves of a position.
    pub(super) fn all(
        moves: MoveList,
        table_move: Option<Move>,
        killers: &Killers,
        history: impl Fn(Move) -> i32,
        ply: usize,
    ) -> Picker {
        let killers = killers.0[ply];
        Picker::new(moves, |m| {
            if Some(m) == table_move {
                TABLE_MOVE
            } else if !is_quiet(m) {
                CAPTURE + capture_score(m)
            } else if let Some(rank) = killers.iter().position(|&killer| killer == Some(m)) {
                KILLER - rank as i32
            } else {
                history(m)
            }
        })
    }

    fn new(moves: MoveList, score: impl Fn(Move) -> i32) -> Picker {
        let mut scores = [0; 256];
        for (slot, &m) in scores.iter_mut().zip(&moves) {
            *slot = score(m);
        }
        Picker {
            moves,
            scores,
            next: 0,
        }
    }
}

fn capture_score(m: Move) -> i32 {
    16 * immediate_gain(m) - exchange_value(m.role()) / 16
}

impl Iterator for Picker {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        let rest = &self.scores[self.next..self.moves.len()];
        // The first of the best, so that the order is deterministic.
        let (best, _) = rest
            .iter()
            .enumerate()
            .rev()
            .max_by_key(|&(_, score)| *score)?;
        let (best, next) = (self.next + best, self.next);
        self.moves.swap(best, next);
        self.scores.swap(best, next);
        self.next += 1;
        Some(self.moves[next])
    }
}
