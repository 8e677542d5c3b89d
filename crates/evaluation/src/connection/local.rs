//! An evaluator within this process.

use std::time::Duration;

use super::{Connection, Lost};
use tuner_evaluator::{Engine, Server};

/// A conversation without a pipe: questions are answered as they are sent.
pub(crate) struct Local<'e, E: Engine> {
    server: Server<'e, E>,
    answers: Vec<u8>,
}

impl<'e, E: Engine> Local<'e, E> {
    /// Begins a conversation with a server.
    pub(crate) fn new(server: Server<'e, E>) -> Self {
        Self {
            server,
            answers: Vec::new(),
        }
    }
}

impl<E: Engine> Connection for Local<'_, E> {
    /// Answers all questions in `request` at once; the answers are kept until `receive` takes them.
    /// Never fails.
    fn send(&mut self, request: &[u8]) -> Result<(), Lost> {
        let mut rest = request;
        let mut answered = |rest: &mut &[u8]| self.server.answer(rest, &mut self.answers);
        // `false` once the request is at its end, or asked to quit; reading from memory cannot
        // fail.
        while answered(&mut rest).unwrap_or(false) {}
        Ok(())
    }

    /// Appends the answers that are kept to `to`. Fails if there are none.
    fn receive(&mut self, to: &mut Vec<u8>, _: Duration) -> Result<(), Lost> {
        // Questions are answered as they are sent: without answers nothing was asked.
        if self.answers.is_empty() {
            return Err(super::over());
        }
        to.append(&mut self.answers);
        Ok(())
    }
}
