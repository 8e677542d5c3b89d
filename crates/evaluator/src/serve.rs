//! A conversation on standard input and output.

use std::io::{self, BufReader, Read, Write};
use std::process::ExitCode;

use crate::engine::Engine;
use crate::plays::Plays;
use crate::server::Server;
use tuner_base::{Fingerprint, panics_tell_their_place};

/// Size of the buffers for commands and for answers, in bytes; answers are written once they fill
/// half of it. Chosen: the size of a pipe.
const FULL: usize = 1 << 16;

/// Answers what Tuner asks of an engine on standard input, until that ends: the whole
/// `main` of an evaluator.
///
/// What the evaluation itself prints goes to standard error.
pub fn serve<E: Engine>(engine: &E) -> ExitCode {
    run(Server::new(engine, build()))
}

/// Answers what Tuner asks of an engine that plays, also about games, on standard input until that
/// ends.
pub fn serve_playing<E: Plays>(engine: &E) -> ExitCode {
    run(Server::playing(engine, build()))
}

/// Fingerprint of the file of this program, 16 hexadecimal digits, which tells this build from
/// others; empty where the file cannot be read.
fn build() -> String {
    let bytes = std::env::current_exe().and_then(std::fs::read);
    let hex = |bytes: Vec<u8>| format!("{:016x}", Fingerprint::of_bytes(&bytes));
    bytes.map(hex).unwrap_or_default()
}

/// Answers commands on standard input and output until the input ends; returns the exit status. It
/// is a success too if nobody reads the answers any more. Changes the process: panics that are
/// caught print nothing, as their message goes into the answer, and on Unix what the evaluation
/// prints goes to standard error.
fn run<E: Engine>(server: Server<'_, E>) -> ExitCode {
    panics_tell_their_place();
    let answered = answers().and_then(|to| conversation(server, io::stdin().lock(), to));
    match answered {
        // Whoever asks has ended.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error is where a person looks.
            let _ = writeln!(io::stderr(), "evaluator: {error}");
            ExitCode::FAILURE
        }
        Ok(()) => ExitCode::SUCCESS,
    }
}

/// Where answers go: what was standard output. From now on that is standard error, so that
/// nothing the evaluation prints is taken for an answer.
#[cfg(unix)]
fn answers() -> io::Result<impl Write> {
    let answers = rustix::io::dup(io::stdout())?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(std::fs::File::from(answers))
}

/// Where answers go: standard output itself. Unlike on Unix it is not moved out of the way, so what
/// the evaluation prints there gets among the answers.
#[cfg(not(unix))]
fn answers() -> io::Result<impl Write> {
    Ok(io::stdout())
}

/// Reads commands and writes answers until the input ends or says `quit`. Answers are written when
/// no whole command is left in the buffer of the input, so that a batch of questions costs one
/// wait, or when they are 32 KiB, half of `FULL`.
fn conversation<E: Engine>(
    mut server: Server<'_, E>,
    from: impl Read,
    mut to: impl Write,
) -> io::Result<()> {
    let mut from = BufReader::with_capacity(FULL, from);
    let mut answers = Vec::with_capacity(FULL);
    loop {
        if !answers.is_empty() && (!from.buffer().contains(&b'\n') || answers.len() >= FULL / 2) {
            to.write_all(&answers)?;
            to.flush()?;
            answers.clear();
        }
        if !server.answer(&mut from, &mut answers)? {
            return to.write_all(&answers);
        }
    }
}
