//! Scores of which nothing is known but their value: rows by difference
//! quotients, Texel's original way, for the same solvers.
//!
//! An evaluation that cannot be annotated (another language, a network, a
//! library without its source) is a closure from weights and a position to a
//! score. [`BlackBox::rows`] moves one weight after the other, up and down, and
//! makes of the quotients the rows that a trace would have made;
//! [`BlackBox::fit`] fits them, takes rows again at the weights found, and so on
//! as long as the *true* error falls: the fit of a score that is not linear.
//! Not here: any knowledge of the closure, reading of positions, threads.
//!
//! ```
//! use tuner_fit::black_box::{BlackBox, ProbedPosition, Probing, RoundOptions};
//! use tuner_fit::{FitInputs, Settings};
//! use tuner_fit::model::Sigmoid;
//! use std::ops::ControlFlow;
//! use tuner_rows::RowInfo;
//! use tuner_solve::Reduction;
//!
//! // An evaluation over two weights: material, and mobility that saturates.
//! let evaluate = |weights: &[f64], &(material, moves): &(f64, f64)| {
//!     weights[0] * material + 100.0 * (weights[1] * moves / 100.0).tanh()
//! };
//!
//! // Positions with their results; here those that weights 90 and 7 explain.
//! let mut positions = Vec::new();
//! for game in 0..400_u32 {
//!     let position = (f64::from(game % 7) - 3.0, f64::from(game % 31) - 15.0);
//!     let outcome = Sigmoid::new(1.0).expectation(evaluate(&[90.0, 7.0], &position));
//!     positions.push(ProbedPosition { position, info: RowInfo::new(outcome, game) });
//! }
//!
//! let reduction = Reduction::of_lanes(2); // two weights, free and unbounded
//! let source = BlackBox {
//!     score: evaluate,
//!     positions: &positions,
//!     reduction: &reduction,
//!     probing: Probing::default(),
//! };
//! let start = [60.0, 2.0];
//! let inputs = FitInputs::at(&start);
//! let settings = Settings { k: Some(1.0), integers: true, ..Settings::default() };
//! let found = source
//!     .fit(&inputs, &settings, &RoundOptions::default(), &mut |_| ControlFlow::Continue(()))
//!     .map_err(|errors| format!("{errors:?}"))?;
//! assert_eq!(found.fit.written, [90.0, 7.0]);
//! println!("{} after {} rounds", found.end, found.rounds.len());
//! # Ok::<(), String>(())
//! ```
//!
//! # What it costs
//!
//! For each position, an evaluation and two more for each variable (a weight
//! that is neither frozen nor tied, nor fixed by equal bounds), in every round,
//! and one for each weight vector that is tried in between: 300 weights and
//! 100,000 positions at 1 µs are a minute a round and core. A trace costs as
//! much as a few evaluations, so annotate what can be annotated.

mod error;
mod events;
mod moves;
mod nonlinearity;
mod rounds;
mod rows;

pub use error::BlackBoxError;
pub use events::{BlackBoxEnd, BlackBoxEvent, BlackBoxFit, BlackBoxRound, RoundOptions};
pub use nonlinearity::{NonlinearQuotient, NonlinearityReport};
pub use rows::Quotients;

use tuner_rows::RowInfo;
use tuner_solve::Reduction;

/// A score that is only a closure, and the positions it is fitted on.
///
/// The closure gets all weights, in the order of the reduction's weights, tied
/// and frozen ones too, and returns the score in centipawns for the first
/// player. It runs on all threads, and must return the same for the same
/// arguments. Weights change only after a block of [`BLOCK`](Self::BLOCK)
/// positions, so one that makes tables of the weights may keep them until
/// then (in thread-local memory). A panic of the closure goes to the caller.
#[derive(Clone, Debug)]
pub struct BlackBox<'a, P, S> {
    /// The evaluation.
    pub score: S,
    /// The positions.
    pub positions: &'a [ProbedPosition<P>],
    /// Which weights move together, and between which bounds; outside of these
    /// nothing is evaluated.
    pub reduction: &'a Reduction,
    /// How weights are moved.
    pub probing: Probing,
}

/// A position, and what is known of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbedPosition<P> {
    /// The position that the closure reads.
    pub position: P,
    /// Its result and its game.
    pub info: RowInfo,
}

/// How weights are moved to see what they do.
#[derive(Clone, Debug, PartialEq)]
pub struct Probing {
    /// How far each weight is moved, up and down.
    pub steps: ProbeSteps,
    /// At which weights the closure may be asked. Default: [`Visits::Real`].
    pub visits: Visits,
    /// How far rounding inside the evaluation may move its score, in
    /// centipawns, from 0 up: where scores are whole numbers, a quotient counts
    /// as [nonlinear](NonlinearityReport) only beyond twice that. Default: 1, one division that
    /// truncates; raise it by 1 for each further one.
    pub rounding: f64,
}

impl Default for Probing {
    fn default() -> Self {
        Self {
            steps: ProbeSteps::Same(16.0),
            visits: Visits::Real,
            rounding: 1.0,
        }
    }
}

/// How far weights are moved, in their unit; above 0.
///
/// The quotient over a step h of a score that is rounded to integers is off by
/// up to 1/h, and one over a step of 1 mostly sees nothing, or too much: in
/// `(mg·phase + eg·(24 − phase))/24` an endgame weight moves a middlegame
/// score by whole centipawns or not at all. Over long steps a score that is
/// not linear nonlinearity, by its third derivative times h²/6, and passes its limits.
/// So take 16 to 64 for integers that are linear, 1 or less for floats
/// that are not; where both are asked for, no step is good.
/// Powers of two make quotients exact. Default: 16, chosen among the steps that
/// `docs/black-box.md` measures.
#[derive(Clone, Debug, PartialEq)]
pub enum ProbeSteps {
    /// One step for all weights.
    Same(f64),
    /// One for each weight of the reduction; those of frozen and tied weights
    /// are not used, for a variable is moved by the step of its root.
    Each(Vec<f64>),
}

impl ProbeSteps {
    /// Returns the step of a weight.
    fn of(&self, weight: usize) -> f64 {
        match self {
            Self::Same(step) => *step,
            Self::Each(steps) => steps[weight],
        }
    }
}

/// Which weights the closure can make something of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visits {
    /// Real numbers.
    #[default]
    Real,
    /// Whole numbers only, as an engine that keeps its weights in integers.
    /// Every round of the fit then ends on whole weights, and steps must be
    /// whole. A closure that rounds real weights by itself would instead give
    /// rows whose constant is wrong by what was rounded.
    Whole,
}
