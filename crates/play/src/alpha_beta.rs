//! A search for engines that bring none: it plays with any evaluation, by the rules of
//! any game.
//!
//! Iterative deepening over principal variation search (Marsland and Campbell 1982)
//! with a transposition table, quiescence, killer moves and late moves reduced. It is
//! weaker than the search of an engine that is made for its game; what weights are
//! worth in games shows all the same.

use std::cell::Cell;
use std::cmp::Reverse;
use std::time::Instant;

use tuner_base::{GOLDEN_GAMMA, mix};
use tuner_game::quiescence_within;
use tuner_game::rules::{Game, Rules};

use crate::{ChosenMove, Limit, Look, MoveChoice, Player, PlayerFault, Score};

/// Mate on the board; mate in n plies is n less.
const MATE: i32 = 1_000_000;

/// A score beyond is a mate; evaluations are cut there.
const MATE_BOUND: i32 = MATE - 1_000;

/// Most plies from the root.
const DEEPEST: usize = 64;

/// Entries of the transposition table. Chosen: several for each position of a move of
/// some thousand.
const ENTRIES: usize = 1 << 14;

/// Positions whose evaluation is kept. Chosen: 256 KB, which processors keep near by.
const EVALUATED: u64 = 1 << 14;

/// From this depth on, and behind so many moves, quiet moves are searched a ply less.
const REDUCED: (i32, usize) = (3, 4);

/// A player that searches with an evaluation from the side to move, in centipawns.
///
/// With a limit of nodes or depth its moves depend on the game alone. A node is a
/// position that it evaluates or searches. *Cost*: the evaluation, and the legal moves of
/// each position; nothing is made in between. A search comes to many positions more
/// than once, so evaluations are kept: of positions with the same [`key`](Rules::key),
/// [`idle_plies`](Rules::idle_plies) and player to move `evaluate` must say the same.
pub struct AlphaBeta<'r, R: Rules, F> {
    rules: &'r R,
    evaluate: F,
    /// The keys of positions, and what the evaluation says of them.
    evaluated: Vec<Cell<(u64, i32)>>,
    /// The transposition table, by the key of a position modulo its length.
    table: Vec<Option<Entry<R::Move>>>,
    /// By ply, the last quiet move that refuted another line there.
    killers: [Option<R::Move>; DEEPEST],
    /// Keys of the positions before, of the game and of the line.
    path: Vec<u64>,
    /// The best move at the root so far, and its score.
    best: Option<(R::Move, i32)>,
    nodes: Cell<u64>,
    limit: Limit,
    began: Instant,
    /// Whether the limit was reached, so that all that returns now has no meaning.
    ends: bool,
}

/// An entry of the hash table.
#[derive(Clone, Copy, Debug)]
struct Entry<M> {
    key: u64,
    best: Option<M>,
    depth: i32,
    score: i32,
    bound: Bound,
}

/// What a score of a search is, by the window that it was searched with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

impl<R: Rules, F> std::fmt::Debug for AlphaBeta<'_, R, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AlphaBeta")
            .field("nodes", &self.nodes)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

impl<'r, R: Rules, F: Fn(&R::Position) -> i32> AlphaBeta<'r, R, F> {
    /// Makes a player; `evaluate` scores a position from its side to move.
    pub fn new(rules: &'r R, evaluate: F) -> Self {
        Self {
            rules,
            evaluate,
            // The place of an entry is its key modulo the length, so a key that belongs to the
            // place next to it marks an empty entry.
            evaluated: (0..EVALUATED)
                .map(|place| Cell::new((place ^ 1, 0)))
                .collect(),
            table: vec![None; ENTRIES],
            killers: [None; DEEPEST],
            path: Vec::new(),
            best: None,
            nodes: Cell::new(0),
            limit: Limit::Depth(1),
            began: Instant::now(),
            ends: false,
        }
    }

    /// Returns the evaluation of a position as it stands (the *stand-pat* score), from the side to
    /// move, cut to the scores below a mate. It is kept by the position's key, idle plies and side
    /// to move, and computed only if it is not known.
    fn standing(&self, position: &R::Position) -> i32 {
        let rules = self.rules;
        let first = u64::from(rules.first_player_to_move(position));
        let more = 2 * u64::from(rules.idle_plies(position)) + first;
        let key = mix(rules.key(position) ^ more.wrapping_mul(GOLDEN_GAMMA));
        let known = &self.evaluated[(key % EVALUATED) as usize];
        if known.get().0 != key {
            let score = (self.evaluate)(position).clamp(1 - MATE_BOUND, MATE_BOUND - 1);
            known.set((key, score));
        }
        known.get().1
    }

    /// Returns the score of a quiescence search from the side to move, within the window from alpha
    /// to beta. `ply`: distance of the position from the root; a mate is worth less the more plies
    /// it is from the root.
    fn quiet(&self, position: &R::Position, [alpha, beta]: [i32; 2], ply: usize) -> i32 {
        let evaluate = |position: &R::Position| {
            self.nodes.set(self.nodes.get() + 1);
            self.standing(position)
        };
        // The quiescence search counts the plies to a mate from `position`, and the caller from the
        // root, which is `ply` plies farther away.
        let ply = ply as i32;
        let score = quiescence_within(self.rules, position, &evaluate, MATE, [alpha, beta]).score;
        match score {
            score if score >= MATE_BOUND => score - ply,
            score if score <= -MATE_BOUND => score + ply,
            score => score,
        }
    }

    /// Tells whether the limit of nodes or time is reached, and notes in `ends` that it is, so that
    /// it stays so; a clock was turned into a time before. A first move at the root is always
    /// searched.
    fn is_late(&mut self) -> bool {
        self.ends = self.ends
            || self.best.is_some()
                && match self.limit {
                    Limit::Nodes(nodes) => self.nodes.get() >= nodes,
                    Limit::Depth(_) | Limit::Clock(_) => false,
                    Limit::Time(time) => self.began.elapsed() >= time,
                };
        self.ends
    }

    /// Returns the legal moves of a position in the order in which they are tried: `first`, the
    /// best move by the transposition table, then by what they gain at once, and of those that gain
    /// alike the killer of this ply, the last quiet move that refuted another line there.
    fn ordered(&self, position: &R::Position, first: Option<R::Move>, ply: usize) -> Vec<R::Move> {
        let mut moves = self.rules.legal_moves(position);
        let killer = self.killers.get(ply).copied().flatten();
        moves.sort_by_cached_key(|&m| {
            let gain = self.rules.gain(position, m);
            Reverse((Some(m) == first, gain, Some(m) == killer))
        });
        moves
    }

    /// Searches a position to a depth, in the window from alpha to beta, by principal variation
    /// search. Returns its score from the side to move, which has no meaning once the limit is
    /// reached. A score at or below alpha is an upper bound, one at or above beta a lower bound.
    /// `ply`: distance from the root. Below the root, a position that was there before in the line
    /// or the game is a draw; the best move at the root is kept in `best`.
    fn search(
        &mut self,
        position: &R::Position,
        depth: i32,
        [mut alpha, beta]: [i32; 2],
        ply: usize,
    ) -> i32 {
        let rules = self.rules;
        let check = rules.is_check(position);
        // A position in check is searched a ply deeper, in the first half of the plies allowed.
        let depth = depth + i32::from(check && ply < DEEPEST / 2);
        if depth <= 0 || ply + 1 >= DEEPEST {
            return self.quiet(position, [alpha, beta], ply);
        }
        self.nodes.set(self.nodes.get() + 1);
        if self.is_late() {
            return 0;
        }
        let key = rules.key(position);
        if ply > 0 && self.path.contains(&key) {
            return 0;
        }
        let place = key as usize % ENTRIES;
        let known = self.table[place].filter(|entry| entry.key == key);
        // At the root a score is not enough: a move is wanted.
        if let Some(known) = known.filter(|known| ply > 0 && known.depth >= depth) {
            match known.bound {
                Bound::Exact => return known.score,
                Bound::AtLeast if known.score >= beta => return known.score,
                Bound::AtMost if known.score <= alpha => return known.score,
                _ => {}
            }
        }
        let moves = self.ordered(position, known.and_then(|known| known.best), ply);
        // Mate or stalemate, which the quiescence search scores.
        if moves.is_empty() {
            return self.quiet(position, [alpha, beta], ply);
        }
        let (low, mut best, mut score) = (alpha, None, -MATE);
        self.path.push(key);
        for (number, &m) in moves.iter().enumerate() {
            let mut after = position.clone();
            rules.play(&mut after, m);
            let is_quiet = !check && !rules.is_tactical(position, m);
            let is_reduced = is_quiet && depth >= REDUCED.0 && number >= REDUCED.1;
            // The first move is searched with the whole window. The others are tried with an empty
            // window, which only tells whether they are better, perhaps a ply less deep; if so,
            // they are searched again.
            let mut found = beta; // Replaced for every move, by one of the two searches or both.
            if number > 0 {
                let depth = depth - 1 - i32::from(is_reduced);
                found = -self.search(&after, depth, [-alpha - 1, -alpha], ply + 1);
            }
            if number == 0 || (found > alpha && (is_reduced || found < beta)) {
                found = -self.search(&after, depth - 1, [-beta, -alpha], ply + 1);
            }
            if self.ends {
                break;
            }
            if found > score {
                (score, best) = (found, Some(m));
                if ply == 0 {
                    self.best = Some((m, found));
                }
            }
            alpha = alpha.max(score);
            if alpha >= beta {
                if is_quiet {
                    self.killers[ply] = Some(m);
                }
                break;
            }
        }
        self.path.pop();
        // Scores of mates count plies from the root, and would be wrong if the position came up at
        // another ply, so they are not stored in the table.
        if !self.ends && score.abs() < MATE_BOUND {
            let bound = match score {
                score if score >= beta => Bound::AtLeast,
                score if score <= low => Bound::AtMost,
                _ => Bound::Exact,
            };
            // Whatever has this place gives way, also an entry of a greater depth.
            self.table[place] = Some(Entry {
                key,
                best,
                depth,
                score,
                bound,
            });
        }
        score
    }
}

impl<R: Rules, F: Fn(&R::Position) -> i32 + Send> Player<R> for AlphaBeta<'_, R, F> {
    /// Forgets the scores and best moves of positions that earlier games have left in the table.
    /// Evaluations are kept, as they do not depend on the game.
    fn new_game(&mut self) -> Result<(), PlayerFault> {
        self.table.fill(None);
        Ok(())
    }

    /// Searches to the depths 1, 2, … until the limit, to half of `DEEPEST` at most, or until a
    /// mate is found. A depth begins with the best move of the one before, so that the best move of
    /// an unfinished depth counts as well. Of a clock the search takes the share of one move. Fails
    /// if there is no legal move.
    fn choose(&mut self, game: &Game<'_, R>, limit: Limit) -> ChosenMove<R::Move> {
        self.killers = [None; DEEPEST];
        self.path = game.before().iter().map(|seen| seen.key).collect();
        let first = game.rules().first_player_to_move(game.position());
        let limit = match limit {
            Limit::Clock(clock) => Limit::Time(clock.share(first)),
            limit => limit,
        };
        (self.best, self.ends, self.limit) = (None, false, limit);
        self.nodes.set(0);
        self.began = Instant::now();
        let deepest = match limit {
            Limit::Depth(depth) => depth.clamp(1, DEEPEST as u32 / 2),
            _ => DEEPEST as u32 / 2,
        };
        let mut finished = 0;
        for depth in 1..=deepest {
            self.search(game.position(), depth as i32, [-MATE, MATE], 0);
            if self.ends {
                break;
            }
            finished = depth;
            let is_mate = |(_, score): (R::Move, i32)| score.abs() >= MATE_BOUND;
            if self.best.is_some_and(is_mate) || self.is_late() {
                break;
            }
        }
        let (best, score) = self.best.ok_or_else(|| {
            PlayerFault::Illegal("found no move in a game that is not over".to_owned())
        })?;
        Ok(MoveChoice {
            best,
            score: Some(self::score(score)),
            nodes: self.nodes.get(),
            depth: Some(finished),
            time: None,
        })
    }

    /// Returns the evaluation of the position as it is and the score of a quiescence search of it,
    /// both from the side to move.
    fn look(&mut self, position: &R::Position) -> Option<Look> {
        Some(Look {
            standing: self.standing(position),
            quiet: self.quiet(position, [-MATE, MATE], 0),
        })
    }
}

/// Turns a score of the search into one of a player. In the search a mate is `MATE` less its plies
/// from the root; a player's mate is a number of moves of the mating side.
fn score(score: i32) -> Score {
    if score >= MATE_BOUND {
        Score::Mate((MATE - score + 1) / 2)
    } else if score <= -MATE_BOUND {
        Score::Mate(-(MATE + score) / 2)
    } else {
        Score::Centipawns(score)
    }
}
