//! An evaluator within this process.

use std::time::Duration;

use super::{Connection, Lost};
use tuner_evaluator::{Engine, Next, Server};

/// A conversation without a pipe: questions are answered as they are sent.
pub(crate) struct Local<'e, E: Engine> {
    server: Server<'e, E>,
    answers: Vec<u8>,
}

impl<'e, E: Engine> Local<'e, E> {
    pub(crate) fn new(server: Server<'e, E>) -> Self {
        Self {
            server,
            answers: Vec::new(),
        }
    }
}

impl<E: Engine> Connection for Local<'_, E> {
    fn send(&mut self, request: &[u8]) -> Result<(), Lost> {
        let mut rest = request;
        while !rest.is_empty() {
            let end = rest.iter().position(|&byte| byte == b'\n');
            let (line, behind) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
            rest = behind;
            let line = String::from_utf8_lossy(line);
            match self.server.answer(&line, &mut self.answers) {
                Next::Command => {}
                Next::Bytes(length) => {
                    let (bytes, behind) = rest.split_at(length.min(rest.len()));
                    self.server.take_bytes(bytes, &mut self.answers);
                    rest = behind;
                }
                Next::Ended => return Ok(()),
            }
        }
        Ok(())
    }

    fn receive(&mut self, to: &mut Vec<u8>, _: Duration) -> Result<(), Lost> {
        if self.answers.is_empty() {
            return Err(Lost::Ended("the conversation is over".to_owned()));
        }
        to.append(&mut self.answers);
        Ok(())
    }
}
