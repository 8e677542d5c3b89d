//! One row on its way into a [`TraceSet`](super::TraceSet), and what can be
//! wrong with it.

use tuner_base::Slot;
use tuner_trace::{Expression, NonlinearOp, Step};

/// The largest exponent: beyond it no score is finite, and its derivatives would
/// count past the smallest integer.
const MOST_POWER: u32 = 1 << 20;

/// One position's trace while it is being built; a buffer to be reused.
///
/// `score = constant + Σ_segments Σ_entries (f₁·c₁·w[2·slot] + f₂·c₂·w[2·slot+1]) +
/// expression`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowDraft {
    /// The part of the score that no weight explains, in centipawns.
    pub constant: f64,
    /// The linear part. Order does not matter, a slot may occur repeatedly.
    pub segments: Vec<Segment>,
    /// The part that is not linear: its input `2·i + l` is Σ c·w[2·slot + l]
    /// over lane `l` of the entries of segment `i`.
    pub expression: Option<Expression>,
}

/// A part of a score: entries that share one pair of factors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Segment {
    /// The factors of lane 0 and lane 1 of every slot: ρ and 1 − ρ for
    /// a tapered pair, 1 and 0 for an untapered weight.
    pub factors: [f64; 2],
    /// Slots, and for each the coefficients of its lanes 0 and 1.
    pub entries: Vec<(Slot, [i16; 2])>,
}

impl Segment {
    /// Makes a segment whose slots count the same in both lanes, as a tapered pair does. `factors`:
    /// of lanes 0 and 1; `entries`: slots and their coefficients.
    pub fn same(factors: [f64; 2], entries: impl IntoIterator<Item = (Slot, i16)>) -> Self {
        let entries = entries.into_iter().map(|(slot, c)| (slot, [c; 2]));
        Self {
            factors,
            entries: entries.collect(),
        }
    }

    /// Returns Σ c·w over the entries, for each of the two lanes, c the coefficients and w the
    /// weights in `lanes`, two per slot; factors are not applied.
    ///
    /// # Panics
    /// If `lanes` is shorter than the largest slot asks for.
    pub fn sums(&self, lanes: &[f64]) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for &(slot, counts) in &self.entries {
            for lane in 0..2 {
                sums[lane] += f64::from(counts[lane]) * lanes[2 * slot.index() + lane];
            }
        }
        sums
    }
}

/// The facts about a position that its trace does not hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowInfo {
    /// The result R that the fit regresses on, in [0, 1], for the first player.
    pub outcome: f64,
    /// The game that the position comes from; equal numbers are one game.
    pub game: u32,
    /// How often the position counts, at least 0; 1 by default.
    pub weight: f64,
    /// The score of a search, in centipawns, for the first player.
    pub search_score: Option<i32>,
}

impl RowInfo {
    /// Returns the facts about a position of weight 1 without a search score. `outcome`: R for the
    /// first player; `game`: a number that its other positions share.
    pub const fn new(outcome: f64, game: u32) -> Self {
        Self {
            outcome,
            game,
            weight: 1.0,
            search_score: None,
        }
    }

    /// Fails with the first thing that is wrong with the facts: an outcome outside [0, 1], then a
    /// weight that is negative or not finite.
    pub(crate) fn check(&self) -> Result<(), RowError> {
        if !(0.0..=1.0).contains(&self.outcome) {
            return Err(RowError::Outcome(self.outcome));
        }
        if !self.weight.is_finite() || self.weight < 0.0 {
            return Err(RowError::Weight(self.weight));
        }
        Ok(())
    }
}

impl RowDraft {
    /// Negates the score: it is then from the other player's side.
    pub fn turn(&mut self) {
        self.constant = -self.constant;
        if let Some(expression) = &mut self.expression {
            expression.negate();
        }
        for segment in &mut self.segments {
            segment.factors = segment.factors.map(|factor| -factor);
        }
    }

    /// Fails with the first thing that is wrong with the row for a set of `slots` slots: a number
    /// that is not finite, a slot that the set does not have, or a step of the expression that
    /// refers to something missing.
    pub(crate) fn check(&self, slots: usize) -> Result<(), RowError> {
        if !self.constant.is_finite() {
            return Err(RowError::NotFinite("constant", self.constant));
        }
        for segment in &self.segments {
            if let Some(&factor) = segment.factors.iter().find(|f| !f.is_finite()) {
                return Err(RowError::NotFinite("factor", factor));
            }
            if let Some(&(slot, _)) = segment.entries.iter().find(|e| e.0.index() >= slots) {
                return Err(RowError::SlotOutOfRange { slot, slots });
            }
        }
        self.expression.as_ref().map_or(Ok(()), |expression| {
            let sums = 2 * self.segments.len() as u32;
            check_steps(&expression.steps, &expression.constants, sums)
        })
    }
}

/// Fails with the first thing that is wrong with the steps of an expression: a constant or an input
/// that does not exist (inputs are the row's sums, numbered below `sums`), a constant that is not
/// finite, an operand that is not an earlier step, or an exponent above 2²⁰ in size.
pub(crate) fn check_steps(steps: &[Step], constants: &[f64], sums: u32) -> Result<(), RowError> {
    if let Some(&constant) = constants.iter().find(|c| !c.is_finite()) {
        return Err(RowError::NotFinite("constant of the expression", constant));
    }
    for (number, &step) in (0..).zip(steps) {
        let mut known = match step {
            Step::Input(input) => input < sums,
            Step::Constant(i) => (i as usize) < constants.len(),
            Step::Nonlinear(NonlinearOp::Power(_, n)) => n.unsigned_abs() <= MOST_POWER,
            _ => true,
        };
        step.each_operand(|operand| known &= operand < number);
        if !known {
            return Err(RowError::Step(number));
        }
    }
    Ok(())
}

/// Why a row was refused; nothing of it has been stored.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum RowError {
    /// A number that must be finite is not: which, and its value.
    #[error("the {0} is {1}; expected a finite number")]
    NotFinite(&'static str, f64),
    /// An entry names a slot that the set does not have.
    #[error("an entry names slot {slot}; expected a slot below {slots}")]
    SlotOutOfRange {
        /// The slot found.
        slot: Slot,
        /// The number of slots of the set.
        slots: usize,
    },
    /// The outcome is outside [0, 1].
    #[error("the outcome is {0}; expected a number from 0 (loss) to 1 (win)")]
    Outcome(f64),
    /// The weight is negative or not finite.
    #[error("the weight of the row is {0}; expected a finite number of at least 0")]
    Weight(f64),
    /// A step of the expression refers to what is not there: which.
    #[error(
        "step {0} of the expression refers to what is not there; expected an earlier step, a \
         constant or a sum of the row, and powers up to {MOST_POWER}"
    )]
    Step(u32),
}
