//! Which positions of a game are kept as data.

use std::collections::HashSet;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::player::{MoveChoice, Player, Score};
use tuner_game::rules::{Game, Rules};

/// The positions of a game that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Most positions of a game, drawn evenly: those of one game share its
    /// result, but each has a score of its own.
    pub positions: usize,
    /// No position before this ply: too close to the opening.
    pub first_ply: usize,
    /// Whether to keep positions in check.
    pub checks: bool,
    /// Whether to keep those whose best move captures or promotes.
    pub tactical: bool,
    /// Whether to keep those where quiescence finds something to do.
    pub noisy: bool,
}

/// A position that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampledPosition {
    /// The position in its notation.
    pub position: String,
    /// The search's score in centipawns, for the first player.
    pub score: i32,
    /// Moves played before it, both sides counted.
    pub ply: usize,
}

/// Declares the counts of [`Left`], each with its words.
macro_rules! left {
    ($($(#[$about:meta])* $count:ident $words:literal,)+) => {
        /// Positions that were not kept, by the reason; each counts once.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Left {
            $($(#[$about])* pub $count: u64,)+
        }

        impl Left {
            /// Returns the counts, each with its name in files, in the order in which the reasons
            /// are tried.
            pub fn counts(&self) -> [(&'static str, u64); 7] {
                [$((stringify!($count), self.$count)),+]
            }

            /// Returns the counts to be changed, each with its name in files.
            pub fn counts_mut(&mut self) -> [(&'static str, &mut u64); 7] {
                [$((stringify!($count), &mut self.$count)),+]
            }

            /// Returns the counts, each with words for its reason, in the order in which the
            /// reasons are tried.
            pub fn named(&self) -> [(&'static str, u64); 7] {
                [$(($words, self.$count)),+]
            }
        }
    };
}

left! {
    /// Before the first ply.
    early "too early",
    /// Without a score, or the score announces a mate.
    mates "mate announced",
    /// In check.
    checks "in check",
    /// The best move captures or promotes.
    tactical "best move captures or promotes",
    /// Quiescence finds something to do.
    noisy "not quiet",
    /// Seen before in the game.
    repeated "repeated",
    /// More than wanted of one game.
    surplus "surplus of a game",
}

impl Left {
    /// Adds the counts of another game.
    pub fn add(&mut self, other: &Self) {
        for ((_, sum), (_, count)) in self.counts_mut().into_iter().zip(other.counts()) {
            *sum += count;
        }
    }
}

/// The positions that are kept of a game under way, and counts of those that are not.
#[derive(Default)]
pub(super) struct GamePositions {
    samples: Vec<SampledPosition>,
    keys: HashSet<u64>,
    pub(super) left: Left,
}

impl GamePositions {
    /// Looks at the present position of a game and the move that was chosen there: keeps the
    /// position, with the score of that move, or counts the first reason not to. A position is
    /// quiet where the evaluation and the score of the quiescence search are equal, by what
    /// `player` tells of them; where it cannot tell, the position counts as quiet.
    pub(super) fn see<R: Rules + ?Sized>(
        &mut self,
        game: &Game<'_, R>,
        choice: &MoveChoice<R::Move>,
        player: &mut dyn Player<R>,
        sampling: &Sampling,
    ) {
        let (rules, position) = (game.rules(), game.position());
        let ply = game.moves().len();
        let left = &mut self.left;
        let noisy = |look: super::Look| look.standing != look.quiet;
        let reason = match choice.score {
            _ if ply < sampling.first_ply => &mut left.early,
            None | Some(Score::Mate(_)) => &mut left.mates,
            _ if !sampling.checks && rules.is_check(position) => &mut left.checks,
            _ if !sampling.tactical && rules.is_tactical(position, choice.best) => {
                &mut left.tactical
            }
            _ if !sampling.noisy && player.look(position).is_some_and(noisy) => &mut left.noisy,
            _ if !self.keys.insert(rules.key(position)) => &mut left.repeated,
            Some(Score::Centipawns(score)) => {
                let first = rules.first_player_to_move(position);
                self.samples.push(SampledPosition {
                    position: rules.describe(position),
                    score: if first { score } else { score.saturating_neg() },
                    ply,
                });
                return;
            }
        };
        *reason += 1;
    }

    /// Draws `max` of the positions kept, each with the same chance and in their order, or all if
    /// they are fewer. Returns them with the counts of what was left out, those that were not drawn
    /// included.
    pub(super) fn draw(mut self, max: usize, rng: &mut ChaCha8Rng) -> (Vec<SampledPosition>, Left) {
        while self.samples.len() > max {
            self.samples.remove(rng.random_range(0..self.samples.len()));
            self.left.surplus += 1;
        }
        (self.samples, self.left)
    }
}
