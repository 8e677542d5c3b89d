//! A player in another process, by UCI or USI.
//!
//! Every answer has a time limit; an engine that is silent, ends, or names an
//! illegal move loses the game, and is started again for the next one. By USI an
//! engine may resign. It need not declare a win: the rules end a game where it
//! could, so `bestmove win` elsewhere is not a legal move.

mod guard;
mod options;
mod process;
mod protocol;

use std::time::Duration;

pub use guard::GuardedChild;
pub use options::{EngineOption, OptionKind, offered};
use process::Process;
pub use protocol::Protocol;

use tuner_game::rules::{Game, Rules};
use tuner_play::{ChosenMove, Limit, MoveChoice, Player, PlayerFault};

/// How an engine is started and spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The program, and its arguments.
    pub command: Vec<String>,
    /// The protocol.
    pub protocol: Protocol,
    /// Options to set, name and value.
    pub options: Vec<(String, String)>,
    /// How long it may be silent. A limit of time for a move is added to it.
    pub patience: Duration,
}

/// An engine that is started when it is first needed.
#[derive(Debug)]
pub struct External {
    program: Program,
    process: Option<Process>,
    /// Options that are set before the next games, in addition to the program's.
    options: Vec<(String, String)>,
    /// Whether a search with a limit of nodes has ended near the limit once.
    counts_nodes: bool,
}

/// How long an engine that was told to stop may take.
const STOPPED: Duration = Duration::from_secs(2);

/// Most nodes that a search with a limit of nodes may take, in times of the limit and beyond it.
/// Chosen: engines that look at the limit now and then, or end a depth first, stay far below.
const MOST_NODES: (u64, u64) = (20, 1_000_000);

impl External {
    /// Makes a player of an engine that is started when it is first needed.
    pub fn new(program: Program) -> Self {
        Self {
            program,
            process: None,
            options: Vec::new(),
            counts_nodes: false,
        }
    }

    /// Starts the engine, if it does not run, waits until it is ready, and returns the name that it
    /// gives itself; `None` if it says no name.
    ///
    /// # Errors
    /// [`PlayerFault::Unusable`] if that fails.
    pub fn start(&mut self) -> Result<Option<String>, PlayerFault> {
        self.running().map(|process| process.name.clone())
    }

    /// Starts the engine, if it does not run, and returns the options that it offers.
    ///
    /// # Errors
    /// [`PlayerFault::Unusable`] if that fails.
    pub fn offers(&mut self) -> Result<&[EngineOption], PlayerFault> {
        self.running().map(|process| &*process.offered)
    }

    /// Sets the options, name and value, that the engine is told before the next games, in addition
    /// to those that it is started with.
    pub fn set_options(&mut self, options: Vec<(String, String)>) {
        self.options = options;
    }

    /// Returns the process of the engine, started if it does not run. A start that fails, for
    /// whatever reason, makes the engine unusable.
    fn running(&mut self) -> Result<&mut Process, PlayerFault> {
        let process = match self.process.take() {
            Some(process) => process,
            None => Process::start(&self.program)
                // An engine that does not start can play no other game either.
                .map_err(|fault| PlayerFault::Unusable(fault.to_string()))?,
        };
        Ok(self.process.insert(process))
    }

    /// Returns the result as it is. Where it is an error it ends the process, which is out of
    /// order, so that the next game gets a new one.
    fn end_if_faulty<T>(&mut self, result: Result<T, PlayerFault>) -> Result<T, PlayerFault> {
        if result.is_err() {
            self.process = None;
        }
        result
    }
}

impl<R: Rules + ?Sized> Player<R> for External {
    /// Starts the engine if it does not run, sets the options for the next games, tells it that a
    /// game begins, and waits until it is ready. On a fault its process is ended.
    fn new_game(&mut self) -> Result<(), PlayerFault> {
        let (protocol, patience) = (self.program.protocol, self.program.patience);
        let options = self.options.clone();
        let process = self.running()?;
        let command = format!("{}\nisready", protocol.new_game());
        let asked = (process.set_options(&options))
            .and_then(|()| process.ask(&command, "readyok", patience, |_| {}));
        self.end_if_faulty(asked).map(drop)
    }

    /// Asks for a move: `isready`, the position and `go`, then waits for `bestmove`.
    ///
    /// An engine whose clock has run out is told to stop: if it does, it is late, has lost the game
    /// and plays the next one; if not, it is silent. An engine that ignores the limit of `go
    /// nodes`, as it searches until it is told to stop or searches far more nodes, is unusable;
    /// that is checked until it has answered `go nodes` once.
    fn choose(&mut self, game: &Game<'_, R>, limit: Limit) -> ChosenMove<R::Move> {
        let (protocol, patience) = (self.program.protocol, self.program.patience);
        let first = game.rules().first_player_to_move(game.position());
        let allowed = match limit {
            Limit::Time(time) => patience + time,
            // The clock and a margin. An engine that has not answered then has lost the game, and
            // is told to stop below.
            Limit::Clock(clock) => clock.left[usize::from(!first)] + clock.margin,
            Limit::Nodes(_) | Limit::Depth(_) => patience,
        };
        let command = format!("{}\n{}", protocol.position(game), protocol.go(limit));
        // The command that is sent again to an engine that did not hear it. With a limit of time it
        // is not: the time for the move has run meanwhile.
        let again = matches!(limit, Limit::Nodes(_) | Limit::Depth(_)).then_some(&*command);
        // Some engines say `bestmove` a moment before they can take the next search.
        let is_ready = self.running()?.ask("isready", "readyok", patience, |_| {});
        self.end_if_faulty(is_ready)?;
        let mut seen = protocol::Seen::default();
        let variant = game.rules().variant(game.start());
        let is_first = !self.counts_nodes;
        let told = (self.running()?).set_chess960(variant == Some("Chess960"));
        self.end_if_faulty(told)?;
        let process = self.running()?;
        let name = process.title.clone();
        let (times, beyond) = MOST_NODES;
        // An engine that searches more nodes than this ignores its limit, and is not listened to
        // any longer. That is looked at until it has answered `go nodes` once.
        let most = match limit {
            Limit::Nodes(nodes) if is_first => nodes.saturating_mul(times).saturating_add(beyond),
            _ => u64::MAX,
        };
        // 0, unless the engine did not hear a search before.
        std::thread::sleep(process.pause);
        let told = process.tell(&command);
        self.end_if_faulty(told)?;
        let process = self.running()?;
        let mut answer = process.wait_while("bestmove", allowed, again, |line| {
            seen.line(line);
            seen.nodes <= most
        });
        if let (Limit::Clock(_), Err(PlayerFault::Silent(_))) = (limit, &answer) {
            match out_of_time(process, patience, game.moves().len() + 1) {
                // Its process stays, as it can play the next game.
                late @ PlayerFault::Late(_) => return Err(late),
                silent => answer = Err(silent),
            }
        }
        if let (Limit::Nodes(nodes), true) = (limit, is_first) {
            // Its process is ended, also where it has answered in the end.
            if let Some(fault) = ignored_nodes(process, &answer, nodes, most, seen.nodes) {
                return self.end_if_faulty(Err(fault));
            }
            self.counts_nodes = answer.is_ok();
        }
        let answer = answer.map_err(|fault| {
            let position = game.rules().describe(game.position());
            in_position(fault, &position, seen.depth.is_none())
        });
        let answer = self.end_if_faulty(answer)?;
        // A `bestmove` without a move is refused as a move that is not legal.
        let text = answer.split_whitespace().nth(1).unwrap_or_default();
        if protocol.resigns(text) {
            return Err(PlayerFault::Resigned);
        }
        let Some(best) = game.rules().read_move(game.position(), text) else {
            let position = game.rules().describe(game.position());
            let fault = PlayerFault::Illegal(format!(
                "{name}: found {answer:?}, expected a legal move in {position}"
            ));
            return self.end_if_faulty(Err(fault));
        };
        Ok(MoveChoice {
            best,
            score: seen.score,
            nodes: seen.nodes,
            depth: seen.depth,
            time: None,
        })
    }

    /// Returns the time of two questions and answers, as found when the engine was started; 0 while
    /// it does not run.
    fn overhead(&self) -> Duration {
        // For each move it is asked twice: whether it is ready, and for the move.
        (self.process.as_ref()).map_or(Duration::ZERO, |process| 2 * process.overhead)
    }
}

/// Tells an engine whose clock has run out to stop, and returns its fault: it is late if it then
/// names any move within `patience`, else silent, or it has ended. `ply`: the number of the move,
/// from 1.
fn out_of_time(process: &mut Process, patience: Duration, ply: usize) -> PlayerFault {
    let stopped = process.tell("stop");
    match stopped.and_then(|()| process.wait("bestmove", patience, |_| {})) {
        Ok(_) => PlayerFault::Late(format!("{}: out of time in ply {ply}", process.title)),
        Err(fault) => fault,
    }
}

/// Returns the fault of an engine that ignores the limit of its first `go nodes`: it has told of
/// more nodes than `most`, or it has not answered in time but answers when it is told to stop.
/// `None` of any other engine. `answer`: its answer to the search for so many `nodes`; `seen`: the
/// nodes that it told of, 0 if it told nothing.
fn ignored_nodes(
    process: &mut Process,
    answer: &Result<String, PlayerFault>,
    nodes: u64,
    most: u64,
    seen: u64,
) -> Option<PlayerFault> {
    let searches_on = matches!(answer, Err(PlayerFault::Silent(_)))
        && process.tell("stop").is_ok()
        && process.wait("bestmove", STOPPED, |_| {}).is_ok();
    if !searches_on && seen <= most {
        return None;
    }
    let what = match seen {
        0 => "searches on".to_owned(),
        seen => format!("searched {seen} nodes"),
    };
    Some(PlayerFault::Unusable(format!(
        "{}: {what} after `go nodes {nodes}`, which it ignores; give --depth N or \
         --movetime MS instead of --nodes",
        process.title
    )))
}

/// Adds the position that was searched to the words of a fault, if the engine was silent or has
/// ended; of a silent one that told nothing of its search (`is_mute`) also the probable reason.
/// Other faults stay as they are.
fn in_position(fault: PlayerFault, position: &str, is_mute: bool) -> PlayerFault {
    let place = |words: String| format!("{words}, in {position}");
    match fault {
        PlayerFault::Silent(words) if is_mute => PlayerFault::Silent(format!(
            "{}; it said nothing of a search: perhaps its last one had not ended when it said \
             `bestmove`",
            place(words)
        )),
        PlayerFault::Silent(words) => PlayerFault::Silent(place(words)),
        PlayerFault::Ended(words) => PlayerFault::Ended(place(words)),
        other => other,
    }
}
