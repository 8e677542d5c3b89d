//! Which positions are taken, and why others are not.

use std::fmt;

use crate::Outcome;
use crate::rules::Rules;
use crate::{MATE, Sample};

/// A static score and that of a quiescence search, both of the same side;
/// `None` if the search gave none.
pub type QuietLook<'a, P> = dyn Fn(&P) -> Option<[i32; 2]> + Sync + 'a;

/// What is left out. By default nothing.
///
/// What an input does not tell (a move, a score, a ply) leaves a position in,
/// and is counted.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a filter of its own")]
pub struct Filters<'a, P> {
    /// Positions with fewer half-moves before them.
    pub opening_plies: Option<u32>,
    /// Positions in check.
    pub in_check: bool,
    /// Positions that a capture or promotion led to.
    pub last_tactical: bool,
    /// Positions in which a capture or promotion was played, or is best.
    pub next_tactical: bool,
    /// Positions whose search score is a mate, or above this, in centipawns.
    pub most_score: Option<i32>,
    /// Positions whose search score says the opposite of the result by so many
    /// centipawns; of a draw, that somebody is better by so many.
    pub against_result: Option<i32>,
    /// Positions after more half-moves without progress.
    pub most_idle: Option<u32>,
    /// Positions with fewer half-moves to the end of the game.
    pub plies_left: Option<u32>,
    /// Positions of games that ended otherwise than by the moves.
    pub forfeits: bool,
    /// Positions whose static score and quiescence score differ by more than
    /// so many centipawns, and the function that gives both.
    pub quiet: Option<(&'a QuietLook<'a, P>, i32)>,
}

impl<P> Filters<'_, P> {
    /// Leaves nothing out.
    pub const fn none() -> Self {
        Self {
            opening_plies: None,
            in_check: false,
            last_tactical: false,
            next_tactical: false,
            most_score: None,
            against_result: None,
            most_idle: None,
            plies_left: None,
            forfeits: false,
            quiet: None,
        }
    }
}

impl<P> fmt::Debug for Filters<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filters").finish_non_exhaustive()
    }
}

/// Why a position is left out; the first reason that holds, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Filter {
    /// Too few half-moves before.
    Opening,
    /// The game ended otherwise than by the moves.
    Forfeit,
    /// In check.
    Check,
    /// A capture or promotion led here.
    LastMove,
    /// A capture or promotion was played here, or is best.
    BestMove,
    /// A mate, or a large score.
    Score,
    /// The score says the opposite of the result.
    AgainstResult,
    /// Too long without progress.
    Idle,
    /// Too near the end.
    End,
    /// Static score and quiescence score differ.
    Noisy,
    /// The position was there before.
    Duplicate,
    /// Enough of the game were taken.
    PerGame,
}

impl Filter {
    /// All reasons, in their order.
    pub const ALL: [Self; 12] = [
        Self::Opening,
        Self::Forfeit,
        Self::Check,
        Self::LastMove,
        Self::BestMove,
        Self::Score,
        Self::AgainstResult,
        Self::Idle,
        Self::End,
        Self::Noisy,
        Self::Duplicate,
        Self::PerGame,
    ];

    /// The option that asks for it, without dashes.
    pub const fn name(self) -> &'static str {
        self.texts().0
    }

    /// Name, and which positions it leaves out.
    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Opening => ("opening-plies", "in the opening"),
            Self::Forfeit => (
                "forfeits",
                "of games that ended otherwise than by the moves",
            ),
            Self::Check => ("in-check", "in check"),
            Self::LastMove => ("last-move", "after a capture or promotion"),
            Self::BestMove => ("best-move", "whose move or best move captures or promotes"),
            Self::Score => ("max-score", "with a mate or a large score"),
            Self::AgainstResult => ("against-result", "whose score contradicts the result"),
            Self::Idle => ("max-idle", "too long without progress"),
            Self::End => ("plies-left", "too near the end of the game"),
            Self::Noisy => ("quiet", "that are not quiet"),
            Self::Duplicate => ("duplicates", "that were there before"),
            Self::PerGame => ("per-game", "of games of which enough were taken"),
        }
    }
}

/// How many positions were left out, and of how many it could not be said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filtered {
    taken: [u64; Filter::ALL.len()],
    untold: [u64; Filter::ALL.len()],
}

impl Filtered {
    /// Positions left out for a reason.
    pub fn by(&self, filter: Filter) -> u64 {
        self.taken[filter as usize]
    }

    /// Positions left out.
    pub fn total(&self) -> u64 {
        self.taken.iter().sum()
    }

    pub(super) fn count(&mut self, filter: Filter) {
        self.taken[filter as usize] += 1;
    }

    pub(super) fn join(&mut self, part: &Self) {
        for number in 0..Filter::ALL.len() {
            self.taken[number] += part.taken[number];
            self.untold[number] += part.untold[number];
        }
    }

    /// One sentence for each reason that held, and for each that could not be
    /// judged.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        for filter in Filter::ALL {
            let (taken, untold) = (self.by(filter), self.untold[filter as usize]);
            let (name, which) = filter.texts();
            if taken > 0 {
                words.push(format!("{taken} positions {which} left out"));
            }
            if untold > 0 {
                words.push(format!(
                    "{untold} positions not judged by --{name} because the input does not tell"
                ));
            }
        }
        words
    }
}

impl<P> Filters<'_, P> {
    /// Returns why a position is left out, if it is. Duplicates and samples of
    /// games come later.
    pub(super) fn reason<R>(
        &self,
        rules: &R,
        sample: &Sample<P>,
        filtered: &mut Filtered,
    ) -> Option<Filter>
    where
        R: Rules<Position = P>,
    {
        let around = &sample.labelled.around;
        let position = &sample.labelled.position;
        let score = sample.labelled.search_score;
        // Whether a reason holds, if it is asked for; none if nobody knows.
        let quiet = |(quiet, most): (&QuietLook<'_, P>, i32)| {
            let [still, searched] = quiet(position)?;
            Some(still.abs_diff(searched) > most.unsigned_abs())
        };
        let ply = sample.labelled.ply;
        let opening = (self.opening_plies).map(|least| ply.map(|ply| ply < least));
        let large = (self.most_score).map(|most| score.map(|score| large(score, most)));
        let against = (self.against_result)
            .map(|margin| score.and_then(|score| against(sample, score, margin)));
        let idle = (self.most_idle).map(|most| Some(rules.idle_plies(position) > most));
        let end = (self.plies_left).map(|least| around.plies_left.map(|left| left < least));
        let judged = [
            (Filter::Opening, opening),
            (Filter::Forfeit, self.forfeits.then_some(around.forfeit)),
            (
                Filter::Check,
                self.in_check.then(|| Some(rules.is_check(position))),
            ),
            (
                Filter::LastMove,
                self.last_tactical.then_some(around.last_tactical),
            ),
            (
                Filter::BestMove,
                self.next_tactical.then_some(around.next_tactical),
            ),
            (Filter::Score, large),
            (Filter::AgainstResult, against),
            (Filter::Idle, idle),
            (Filter::End, end),
        ];
        for (filter, holds) in judged {
            match holds {
                Some(Some(true)) => return Some(filter),
                // The first position of a game has no move before it.
                Some(None) if filter == Filter::LastMove && around.plies_left.is_some() => {}
                Some(None) => filtered.untold[filter as usize] += 1,
                _ => {}
            }
        }
        // Last, as it is a search.
        match self.quiet.map(quiet) {
            Some(Some(true)) => Some(Filter::Noisy),
            Some(None) => {
                filtered.untold[Filter::Noisy as usize] += 1;
                None
            }
            _ => None,
        }
    }
}

/// Mates count from a thousand half-moves on, as in [`MATE`].
const fn large(score: i32, most: i32) -> bool {
    score.unsigned_abs() > most.unsigned_abs() || score.unsigned_abs() >= (MATE - 1_000) as u32
}

/// Whether a score says the opposite of the result; none of a probability.
fn against<P>(sample: &Sample<P>, score: i32, margin: i32) -> Option<bool> {
    Some(match sample.labelled.outcome.outcome()? {
        Outcome::Win => score <= -margin,
        Outcome::Draw => score.abs() >= margin,
        Outcome::Loss => score >= margin,
    })
}
