//! `loop.json`: how a loop of play, fit and test went.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::games::StandingRecord;
use tuner_fit::run::OptionsSnapshot;
use tuner_judge::{ErrorDifference, FitVerdict};
use tuner_tournament::{RecordError, is_even, read_state};

/// Version of `loop.json`; another one is refused.
pub const LOOP_FORMAT: u64 = 1;

/// A loop as far as it got.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LoopRecord {
    /// The version.
    pub format: u64,
    /// The engine, which must be the same when it continues.
    pub engine: LoopEngine,
    /// How it was begun.
    pub options: OptionsSnapshot,
    /// K of the weights of the start, by which all rounds fit, once it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<f64>,
    /// Its rounds, in their order.
    pub rounds: Vec<LoopRound>,
}

/// The engine of a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LoopEngine {
    /// Its name.
    pub name: String,
    /// Hash of its spec.
    pub spec: String,
    /// Fingerprint of the weights of the source.
    pub source: String,
    /// Fingerprint of the weights of the start.
    pub start: String,
}

/// A round as far as it got.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LoopRound {
    /// Number of fits that are done.
    pub fitted: u32,
    /// The last of them, once there is one: that of the new weights in the end.
    pub fit: Option<LoopFit>,
    /// Whether the weights were kept, once that is decided.
    pub kept: Option<bool>,
    /// Why the weights were kept or not, in words.
    pub why: String,
    /// The new weights against the best before.
    pub test: Option<StandingRecord>,
    /// The new weights against those of the start, where the test was against other weights.
    pub start: Option<StandingRecord>,
    /// Whether nothing is left to do in the round.
    pub done: bool,
}

/// The fit of a round.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LoopFit {
    /// Where it is, seen from the folder of the loop.
    pub folder: String,
    /// Whether the new weights are better on held-out games.
    pub verdict: FitVerdict,
    /// E on the held-out games.
    pub held_out: Option<ErrorDifference>,
    /// Positions fitted.
    pub positions: u64,
}

/// A difference in Elo, measured or added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoopElo {
    /// The difference.
    pub elo: f64,
    /// Its 95 % interval, where it is known; an end may be infinite.
    pub interval: Option<[f64; 2]>,
    /// The games that it was measured by; `None` of a sum over rounds.
    pub games: Option<u64>,
    /// Whether it is what the difference is at least, as all games were won.
    pub least: bool,
}

impl LoopRecord {
    /// Reads a `loop.json`, if there is one.
    ///
    /// # Errors
    /// If it cannot be read, is of another version, or is damaged: with the line and column.
    pub fn read(file: &Path) -> Result<Option<Self>, RecordError> {
        read_state(file, LOOP_FORMAT, "begin in another folder")
    }

    /// Returns the last round whose weights were kept, counted from 1; 0 if none were, for the
    /// weights of the start.
    pub fn best(&self) -> usize {
        self.best_before(self.rounds.len() + 1)
    }

    /// Returns the last round before round `number` whose weights were kept; rounds are counted
    /// from 1, and 0 is the start.
    pub fn best_before(&self, number: usize) -> usize {
        let mut before = self.rounds.iter().take(number.saturating_sub(1));
        let kept = before.rposition(LoopRound::is_kept);
        kept.map_or(0, |index| index + 1)
    }

    /// Says in a sentence which round's weights are the best, and what they are worth against those
    /// of the start, if that is known: Elo, its 95 % interval, and how many games that was measured
    /// by, or that it is a sum over rounds.
    pub fn headline(&self) -> String {
        let best = self.best();
        if best == 0 {
            return "the weights of the start are the best".to_owned();
        }
        let elo = self.elo().pop().flatten();
        let elo = elo.map(|elo| format!(": {}", elo.words(" Elo against the start")));
        let (rounds, elo) = (self.rounds.len(), elo.unwrap_or_default());
        format!("the weights of round {best} of {rounds} are the best{elo}")
    }

    /// Returns what the best weights after each round are worth against those of the start; the
    /// first entry is the start itself, 0. `None` where it was not measured. A round whose weights
    /// were not kept has the entry before it again.
    ///
    /// Where there was no match against the start, or all of it was won, the tests of the
    /// rounds are added up; a test that was all won counts what it shows at least.
    pub fn elo(&self) -> Vec<Option<LoopElo>> {
        let mut best = Some(LoopElo::default());
        let mut elo = vec![best];
        let mut is_start = true;
        for round in &self.rounds {
            if round.is_kept() {
                // Games against the start: the test itself in the first round that was kept, as the
                // start was the best before; in later rounds those played for that.
                let direct = if is_start { &round.test } else { &round.start };
                let direct = direct.as_ref().and_then(LoopElo::of);
                let test = round.test.as_ref().and_then(LoopElo::of_winner);
                let is_finite = |ends: [f64; 2]| ends.iter().all(|end| end.is_finite());
                // Measured with both ends of the interval; else the tests of the rounds are added
                // up.
                best = match direct.filter(|elo| elo.interval.is_some_and(is_finite)) {
                    Some(measured) => Some(measured),
                    None if is_start => test,
                    None => best.zip(test).map(|(best, test)| best.plus(test)),
                };
                is_start = false;
            }
            elo.push(best);
        }
        elo
    }
}

impl LoopRound {
    /// Tells whether the weights of the round were kept.
    pub fn is_kept(&self) -> bool {
        self.kept == Some(true)
    }

    /// Returns the difference in Elo of the round's new weights against the best weights before. If
    /// they won all games and were kept, that is the least that the games show. `None` where no
    /// test was played, or Elo is not known or infinite.
    pub fn against_best(&self) -> Option<LoopElo> {
        let test = self.test.as_ref()?;
        if self.is_kept() {
            LoopElo::of_winner(test)
        } else {
            LoopElo::of(test)
        }
    }
}

impl LoopElo {
    /// Takes the difference in Elo from the standing of games; `None` where it is not known or
    /// infinite. An end of its interval that is not known is infinite.
    pub fn of(games: &StandingRecord) -> Option<Self> {
        let infinite = [f64::NEG_INFINITY, f64::INFINITY];
        let ends = |ends: [Option<f64>; 2]| [0, 1].map(|at| ends[at].unwrap_or(infinite[at]));
        Some(Self {
            elo: games.elo?,
            interval: games.elo_interval.map(ends),
            games: Some(games.games),
            least: false,
        })
    }

    /// Takes the difference in Elo from the standing of games of weights that won. If they won all
    /// n games, Elo has no bound above; the difference is then the least at which winning all has a
    /// probability of 5 %: with an expectation p such that pⁿ = 0.05, it is 400·log₁₀(p/(1 − p)).
    /// `None` where no game was played, or where Elo is not known although some games were lost.
    pub fn of_winner(games: &StandingRecord) -> Option<Self> {
        let count = games.games;
        Self::of(games).or_else(|| {
            let share = 0.05_f64.powf(1.0 / count as f64);
            let is_won = count > 0 && games.losses.unwrap_or(0) == 0;
            is_won.then(|| Self {
                elo: 400.0 * (share / (1.0 - share)).log10(),
                interval: None,
                games: Some(count),
                least: true,
            })
        })
    }

    /// Adds a difference in Elo that was measured by other games. The sum has an interval where
    /// both have one; each of its ends is as far from it as the root of the sum of the squares of
    /// the two distances. Where one is a least value, so is the sum.
    fn plus(self, other: Self) -> Self {
        let elo = self.elo + other.elo;
        let interval = self.interval.zip(other.interval).map(|(mine, others)| {
            let reach = |end: usize| (mine[end] - self.elo).hypot(others[end] - other.elo);
            [elo - reach(0), elo + reach(1)]
        });
        Self {
            elo,
            interval,
            games: None,
            least: self.least || other.least,
        }
    }

    /// Says the difference in Elo with its 95 % interval and its games; `unit` follows the number
    /// and its interval, as ` Elo against the start`. Of an interval that is nearly even on both
    /// sides half the width is given behind a `±`; any other one is given in brackets.
    pub fn words(&self, unit: &str) -> String {
        let least = if self.least { "at least " } else { "" };
        let error = match self.interval {
            None => String::new(),
            Some([low, high]) if is_even(self.elo, low, high) => {
                format!(" ± {:.0}", (high - low) / 2.0)
            }
            Some(ends) => {
                let [low, high] = ends.map(|end| match end {
                    f64::INFINITY => "∞".to_owned(),
                    f64::NEG_INFINITY => "-∞".to_owned(),
                    end => format!("{end:+.0}"),
                });
                format!(" [{low}, {high}]")
            }
        };
        let games = self.games.map(|games| format!("{games} games"));
        let games = games.unwrap_or_else(|| "rounds added up".to_owned());
        format!("{least}{:+.0}{error}{unit} ({games})", self.elo)
    }
}
