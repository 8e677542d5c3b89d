//! Ways to an evaluator: a pipe to a process, or none, within this one.

mod local;
mod pipe;
mod uci;

use std::time::Duration;

pub(crate) use local::Local;
pub use pipe::EvaluatorProgram;
pub(crate) use pipe::{Messages, Pipe};
pub(crate) use uci::Uci;
pub use uci::UciEvaluator;

/// Bytes that any pipe holds, so that neither side waits for the other to read.
pub(crate) const HELD: usize = 1 << 13;

/// Bytes there and back. Answers come in the order of the questions.
pub(crate) trait Connection: Send {
    /// Sends some whole lines, and the bytes that belong to them; answers may be under way.
    fn send(&mut self, request: &[u8]) -> Result<(), Lost>;

    /// Appends more of the answers to `to`, at least one byte but not always whole lines, waiting
    /// for `patience` at most.
    fn receive(&mut self, to: &mut Vec<u8>, patience: Duration) -> Result<(), Lost>;
}

/// Why an answer does not come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// The evaluator has ended; how, and what it said last, in words that follow.
    Ended(String, String),
    /// It was silent for so long.
    Silent(Duration),
}

/// Nobody at the other end.
struct Closed;

impl Default for Box<dyn Connection> {
    /// Makes a connection to nobody, which fails whenever it is used.
    fn default() -> Self {
        Box::new(Closed)
    }
}

/// The reason of a conversation in which nothing more comes.
fn over() -> Lost {
    Lost::Ended("the conversation is over".to_owned(), String::new())
}

impl Connection for Closed {
    /// Always fails, as nobody is at the other end.
    fn send(&mut self, _: &[u8]) -> Result<(), Lost> {
        Err(over())
    }

    /// Always fails, as nobody is at the other end.
    fn receive(&mut self, _: &mut Vec<u8>, _: Duration) -> Result<(), Lost> {
        Err(over())
    }
}
