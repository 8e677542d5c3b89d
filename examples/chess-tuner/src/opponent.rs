//! A UCI engine as a child process. Every answer has a time limit.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{EnPassantMode, Move};

use crate::game::Game;

/// How long an engine may be silent.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running engine. Dropping it ends the process.
#[derive(Debug)]
pub struct Opponent {
    name: String,
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Opponent {
    /// Starts an engine and waits until it is ready.
    ///
    /// # Errors
    ///
    /// It does not start, does not answer in time, or ends.
    pub fn start(program: &Path) -> Result<Opponent, String> {
        let name = program.display().to_string();
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{name}: does not start: {error}"))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{name}: has no standard input or output"));
        };
        let (sender, lines) = channel();
        thread::spawn(move || {
            let read = BufReader::new(stdout).lines().map_while(Result::ok);
            // The receiver is gone when the opponent was dropped.
            let _ = read.map(|line| sender.send(line)).find(Result::is_err);
        });
        let mut opponent = Opponent {
            name,
            child,
            stdin,
            lines,
        };
        opponent.ask("uci", "uciok")?;
        Ok(opponent)
    }

    /// Makes the engine forget the last game.
    ///
    /// # Errors
    ///
    /// It does not answer in time, or has ended.
    pub fn new_game(&mut self) -> Result<(), String> {
        self.ask("ucinewgame\nisready", "readyok").map(drop)
    }

    /// Asks for a move at a fixed number of nodes.
    ///
    /// # Errors
    ///
    /// It does not answer in time, has ended, or the move is not legal.
    pub fn choose(
        &mut self,
        start: &str,
        moves: &[UciMove],
        game: &Game,
        nodes: u64,
    ) -> Result<Move, String> {
        let mut question = format!("position fen {start}");
        for (index, m) in moves.iter().enumerate() {
            question.push_str(if index == 0 { " moves " } else { " " });
            m.append_to_string(&mut question);
        }
        let answer = self.ask(&format!("{question}\ngo nodes {nodes}"), "bestmove")?;
        let text = answer.split_whitespace().nth(1).unwrap_or_default();
        let uci: Option<UciMove> = text.parse().ok();
        uci.and_then(|uci| uci.to_move(game.pos()).ok())
            .ok_or_else(|| {
                let fen = Fen::from_position(game.pos(), EnPassantMode::Legal);
                format!("{}: `{answer}` is no legal move in {fen}", self.name)
            })
    }

    /// Sends a command and waits for the line whose first word is the answer.
    fn ask(&mut self, command: &str, answer: &str) -> Result<String, String> {
        writeln!(self.stdin, "{command}")
            .and_then(|()| self.stdin.flush())
            .map_err(|error| format!("{}: takes no commands: {error}", self.name))?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let rest = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(rest) {
                Ok(line) if line.split_whitespace().next() == Some(answer) => return Ok(line),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => {
                    let seconds = PATIENCE.as_secs();
                    return Err(format!("{}: no `{answer}` in {seconds} seconds", self.name));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(format!("{}: ended instead of saying `{answer}`", self.name));
                }
            }
        }
    }
}

impl Drop for Opponent {
    fn drop(&mut self) {
        // Whatever state it is in: it must not outlive the match.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)] // a failure is a failed test

    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use super::*;
    use std::sync::{Mutex, MutexGuard};

    /// One test at a time: a process started while another test still writes
    /// its script would keep that file open, and it could not be run.
    static SERIAL: Mutex<()> = Mutex::new(());

    fn serial() -> MutexGuard<'static, ()> {
        SERIAL
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// An engine that answers as a shell script says.
    fn script(folder: &Path, name: &str, answers: &str) -> PathBuf {
        let path = folder.join(name);
        let text = format!(
            "#!/bin/sh\nwhile read -r word rest; do case $word in\n\
             uci) echo uciok;; isready) echo readyok;;\n{answers}\nesac; done\n"
        );
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn first_move(engine: &Path) -> Result<Move, String> {
        let mut opponent = Opponent::start(engine)?;
        opponent.new_game()?;
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        opponent.choose(start, &[], &Game::default(), 10)
    }

    #[test]
    fn a_legal_move_is_taken() {
        let _serial = serial();
        let folder = tempfile::tempdir().unwrap();
        let engine = script(
            folder.path(),
            "legal",
            "go) echo info depth 1; echo bestmove e2e4;;",
        );
        assert_eq!(first_move(&engine).unwrap().to().to_string(), "e4");
    }

    #[test]
    fn illegal_moves_and_nonsense_are_refused() {
        let _serial = serial();
        let folder = tempfile::tempdir().unwrap();
        for (index, answer) in ["e2e5", "0000", "(none)", ""].iter().enumerate() {
            let say = format!("go) echo 'bestmove {answer}';;");
            let engine = script(folder.path(), &format!("illegal{index}"), &say);
            let error = first_move(&engine).unwrap_err();
            assert!(error.contains("is no legal move in rnbqkbnr"), "{error}");
        }
    }

    #[test]
    fn a_crash_is_an_error() {
        let _serial = serial();
        let folder = tempfile::tempdir().unwrap();
        let engine = script(folder.path(), "crash", "go) exit 1;;");
        let error = first_move(&engine).unwrap_err();
        assert!(
            error.contains("ended instead of saying `bestmove`"),
            "{error}"
        );
        let missing = first_move(&folder.path().join("missing")).unwrap_err();
        assert!(missing.contains("does not start"), "{missing}");
    }
}
