//! The evaluation as the tuner sees it: something that answers questions about positions.
//!
//! Start with [`Evaluation`], an evaluator that is asked over a pipe or within this program.
//! [`Link`] ties its weights to those that the spec declares. [`Tracer`] makes rows of
//! positions, each checked on the way, of an evaluator that only scores by difference quotients
//! ([`ScoreProbe`]); [`Tracing`] does it for files, and [`Agreement`] is
//! what `check` reports, with the [`differences()`] of derivatives. What is noted of
//! positions meanwhile is in [`notes`]. [`EvaluatorGames`] are games that it plays.
//!
//! All that is done for each position is here, so this crate is optimised for speed.
//!
//! Not here: the evaluator's side (`tuner-evaluator`), fits (`tuner-engine`), reading
//! positions (`data`), what games say (`tuner-tournament`).

mod agreement;
mod asked;
mod black_box;
mod collect;
mod connection;
mod differences;
mod drawn;
mod evaluation;
mod games;
mod link;
pub mod notes;
mod positions;
mod resolve;
mod room;
mod session;
mod tracer;

pub use agreement::{Agreement, Constants, Correlation, Mismatch, Occasions, ParameterTerm, Place};
pub use asked::AskedScore;
pub use black_box::ScoreProbe;
pub use collect::{Collected, Tracing, read_asking, thinned};
pub use connection::{EvaluatorProgram, UciEvaluator};
pub use differences::{Difference, Differences, TwoScores, differences};
pub use drawn::DrawnResults;
pub use evaluation::{Evaluation, KnownGame, PATIENCE};
pub use games::{EvaluatorGames, EvaluatorPlayer};
pub use link::{Link, LinkError};
pub use positions::{NO_INPUT, Positions};
pub use resolve::{Resolve, Resolved};
pub use room::bytes_to_read;
pub use session::{Answer, EvaluationError, EvaluationProblem, EvaluationResult};
pub use tracer::{NoRow, TracedPosition, Tracer, TracingTimes};
