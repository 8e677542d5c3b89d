//! The protocol between Tuner and an evaluator, which talk over a pipe.
//!
//! An evaluator reads [`Command`]s, a line each, on its standard input and answers them in
//! their order on its standard output, as UCI engines do; a person can type to it.
//! `docs/evaluator.md` in the repository is the reference for who writes one in another
//! language. Both sides of the Rust implementation write and read with this crate.
//!
//! ```
//! use tuner_protocol::Command;
//!
//! assert_eq!(Command::read("set 0=82 7=-3.5"), Ok(Command::Set(vec![(0, 82.0), (7, -3.5)])));
//! assert_eq!(Command::Trace.to_string(), "trace");
//! ```
//!
//! - [`About`]: who the evaluator is and what it can do.
//! - [`WeightTable`]: its weights, in their order.
//! - [`row`]: how a score depends on them, as a line of text; [`bytes`]: the same in fewer
//!   bytes, for evaluators that offer it.
//! - [`tape`]: the operations of an evaluation in their order, in place of a row.
//! - [`steps`]: the operations of a score that is not linear, by name and by number.
//! - [`answer`]: the other answers.
//!
//! Not here: who reads the pipe (`tuner-evaluator`, `tuner-engine`), how games are written
//! (`tuner-play`).

mod about;
pub mod answer;
pub mod bytes;
mod command;
pub mod row;
pub mod steps;
pub mod tape;
mod weights;
mod words;

pub use about::{Ability, About};
pub use command::Command;
pub use weights::{WeightParameter, WeightTable, weight_lines};

/// The version of the protocol that this crate speaks.
pub const VERSION: u32 = 1;

/// The last line of an answer of several lines, and the answer to a command that asks for
/// nothing.
pub const DONE: &str = "ok";

/// The first word of the answer to a command that cannot be done; the reason follows.
pub const ERROR: &str = "error";

/// The first word of a line that is not an answer: a sign of life, or a message for the user.
pub const INFO: &str = "info";
