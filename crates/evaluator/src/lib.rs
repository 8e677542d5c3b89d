//! The author's side: an evaluation that answers over a pipe.
//!
//! ```no_run
//! use tuner_evaluator::{Engine, serve};
//!
//! /// The whole `main` of an evaluator.
//! fn evaluator<E: Engine>(engine: &E) -> std::process::ExitCode {
//!     serve(engine)
//! }
//! ```
//!
//! Start with [`Engine`], what an author says of his engine; [`FunctionEngine`] is one of
//! two functions. [`Plays`] is for engines whose games can be played by rules:
//! [`serve_playing`] then answers what self-play and matches ask. [`AtWeights`] is the
//! evaluation at any weights.
//!
//! [`Server`] answers commands without a pipe: what [`serve`] runs on standard input and
//! output, and what Tuner runs where an engine is tuned within one process.
//!
//! Not here: who asks (`tuner-engine`), the language in which it is asked
//! (`tuner-protocol`).

mod engine;
mod function_engine;
mod games;
mod plays;
mod resolve;
mod serve;
mod server;

pub use engine::{Engine, PositionOf};
pub use function_engine::FunctionEngine;
pub use plays::{AtWeights, Plays, player_at};
pub use serve::{serve, serve_playing};
pub use server::Server;
