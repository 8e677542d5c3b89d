//! A quiescence search for engines that bring none of their own.

use std::cmp::Reverse;

use crate::Outcome;
use crate::rules::Rules;

/// Deepest line of captures. Chosen: no exchange of real games is longer.
const DEEPEST: usize = 32;

/// Plies in which evasions of a check are searched; deeper, a check is taken
/// for quiet. Chosen, so that checks cannot go on for ever.
const EVASIONS: usize = 4;

/// Where a quiescence search ends.
#[derive(Clone, Debug, PartialEq)]
pub struct QuietPosition<P> {
    /// The score that the search returns, in the unit of the evaluation, from
    /// the side to move at its root.
    pub score: i32,
    /// The last position of the principal variation: its evaluation is the
    /// score. `None` where the line ends with the game, which no evaluation explains.
    pub leaf: Option<P>,
}

/// Searches captures and promotions until none is better than standing still, and in the first four
/// plies all moves in check; deeper a check is taken for quiet. No line is longer than 32 plies.
///
/// `evaluate` scores from the side to move, in the unit of the result. `mate` is a score beyond all
/// of its values: a side that is mated in `position` has -`mate`, and one point more for each ply
/// later.
///
/// *Cost*: a few to some hundred evaluations.
pub fn quiescence<R: Rules>(
    rules: &R,
    position: &R::Position,
    evaluate: &dyn Fn(&R::Position) -> i32,
    mate: i32,
) -> QuietPosition<R::Position> {
    quiescence_within(rules, position, evaluate, mate, [-mate, mate])
}

/// Searches captures and promotions until none is better than standing still, and in the first four
/// plies all moves in check, at most 32 plies deep, within the window from `alpha` to `beta`. A
/// result at or below `alpha` is an upper bound of the score, one at or above `beta` is a lower
/// bound.
///
/// `evaluate` scores from the side to move, in the unit of the result. `mate` is a score beyond all
/// of its values: a side that is mated in `position` has -`mate`, and one point more for each ply
/// later.
pub fn quiescence_within<R: Rules>(
    rules: &R,
    position: &R::Position,
    evaluate: &dyn Fn(&R::Position) -> i32,
    mate: i32,
    [alpha, beta]: [i32; 2],
) -> QuietPosition<R::Position> {
    let search = Search {
        rules,
        evaluate,
        mate,
    };
    search.node(position, alpha, beta, 0)
}

/// What a search needs at every node.
struct Search<'a, R: Rules> {
    rules: &'a R,
    evaluate: &'a dyn Fn(&R::Position) -> i32,
    mate: i32,
}

impl<R: Rules> Search<'_, R> {
    /// Returns the score, from the side to move, of a position in which that side has no legal
    /// move. The rules decide: in chess it is mated or the game is drawn, in shogi it has lost in
    /// any case. A draw is 0, as is a game that the rules do not end. A lost game is `ply`, the
    /// half-moves from the root of the search, minus the score of a mate, so that a later mate is
    /// less bad; a won one is the opposite.
    fn over(&self, position: &R::Position, ply: usize) -> i32 {
        let lost = ply as i32 - self.mate;
        let ending = self.rules.ending(position, &[]);
        let first = self.rules.first_player_to_move(position);
        match ending.map(|ending| ending.outcome) {
            Some(Outcome::Draw) | None => 0,
            Some(Outcome::Win) if first => -lost,
            Some(Outcome::Loss) if !first => -lost,
            Some(_) => lost,
        }
    }

    /// Searches a position that is `ply` half-moves from the root, by negamax within the window
    /// from `alpha` to `beta`. Returns its score from the side to move, and the last position of
    /// the best line, whose evaluation that score is; `None` for the latter where the line ends
    /// with the game.
    fn node(
        &self,
        position: &R::Position,
        mut alpha: i32,
        beta: i32,
        ply: usize,
    ) -> QuietPosition<R::Position> {
        let rules = self.rules;
        let mut moves = rules.legal_moves(position);
        let check = rules.is_check(position);
        if moves.is_empty() {
            let score = self.over(position, ply);
            return QuietPosition { score, leaf: None };
        }
        // A side in check may not keep its evaluation by standing still, and is mated if no evasion
        // helps. Deeper, a check is taken for quiet, so that no line of checks is endless.
        let evading = check && ply < EVASIONS;
        let (score, leaf) = if evading {
            (ply as i32 - self.mate, None)
        } else {
            ((self.evaluate)(position), Some(position.clone()))
        };
        let mut best = QuietPosition { score, leaf };
        if best.score >= beta || ply >= DEEPEST {
            return best;
        }
        alpha = alpha.max(best.score);
        if !evading {
            moves.retain(|&m| rules.is_tactical(position, m));
        }
        moves.sort_by_cached_key(|&m| Reverse(rules.gain(position, m)));
        for m in moves {
            let mut after = position.clone();
            rules.play(&mut after, m);
            let found = self.node(&after, -beta, -alpha, ply + 1);
            let score = -found.score;
            if score > best.score {
                best = QuietPosition { score, ..found };
                alpha = alpha.max(score);
                if score >= beta {
                    break;
                }
            }
        }
        best
    }
}
