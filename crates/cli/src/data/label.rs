//! `data rescore`, `playout`, `resolve`: new labels of positions, each by work of its own.
//!
//! Positions are taken in blocks, which several threads label; the order stays. What an
//! engine has said is kept in `OUTPUT.part`, a line a position, so that `--resume` asks
//! for the rest alone; the output has its name only once it is whole.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::args::{EngineArgs, FileArgs, LabelArgs, PlayoutArgs};
use super::kept::{Label, LabelJournal};
use super::transform::{Outputs, nothing_out};
use super::{InputSet, Means};
use crate::Failure;
use crate::interrupt::{Broken, Interrupt};
use crate::play::{limit_words, program, with_rules};
use crate::progress::StatusLine;
use tuner_data::tools::KeyedPosition;
use tuner_data::{AnyGame, PositionNotation as _};
use tuner_engine::EvaluatorGames;
use tuner_play::{Limit, Player, PlayerFault, PlayoutSettings, playout as play_out, search_score};
use tuner_tournament::{Batch, External, Protocol, in_order};

/// Positions that one thread labels one after the other. An engine is told of a new game
/// before the first, for which Stockfish takes as long as for 2,000 nodes; what it
/// remembers depends on the positions before, and on no thread.
pub(super) const UNIT: usize = 16;

/// Positions of a block. Chosen: an engine that is started anew for each is started
/// rarely, and what waits to be written is small.
const BLOCK: usize = UNIT << 10;

/// Positions without an answer, one after the other, that end the command: the engine is
/// out of order. Chosen.
const HOPELESS: usize = 20;

/// What an engine is asked about positions.
#[derive(Clone, Copy)]
enum Question {
    /// Their scores, by searches of so much.
    Score(Limit),
    /// The results of games from there.
    Result(PlayoutSettings),
}

pub(super) fn rescore(
    rules: &AnyGame,
    means: &Means<'_>,
    args: &LabelArgs,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let limit = args.engine.limit();
    let how = limit_words(limit);
    Job::new("rescore", rules, means, args, &how)?.run(interrupt, Question::Score(limit))
}

pub(super) fn playout(
    rules: &AnyGame,
    means: &Means<'_>,
    args: &PlayoutArgs,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let settings = PlayoutSettings {
        limit: args.label.engine.limit(),
        adjudication: args.rules.adjudication(),
    };
    let how = settings.write();
    Job::new("playout", rules, means, &args.label, &how)?.run(interrupt, Question::Result(settings))
}

pub(super) fn resolve(
    rules: &AnyGame,
    means: &Means<'_>,
    args: &FileArgs,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let Some((evaluation, values)) = &means.evaluation else {
        let words = "resolve: needs an evaluator, and there is no tuner.toml here; -C DIR names its \
                     folder";
        return Err(Failure::Usage(words.to_owned()));
    };
    let seat = || -> Result<Seat<'_>, PlayerFault> {
        Ok(Box::new(|text, _| {
            let found = evaluation.quiet_position(values, text);
            Ok(match found.map_err(unusable)? {
                Ok(leaf) => Label::Position(leaf),
                Err(words) => Label::Fault(words),
            })
        }))
    };
    Work {
        what: "resolve",
        args,
        kept: None,
        unit: "without a quiet end, left out",
    }
    .run(rules, interrupt, seat)
}

/// Who labels positions on one thread, each by its text; told whether it is to begin anew.
type Seat<'s> = Box<dyn FnMut(&str, bool) -> Result<Label, PlayerFault> + 's>;

fn unusable(error: impl std::fmt::Display) -> PlayerFault {
    PlayerFault::Unusable(error.to_string())
}

impl EngineArgs {
    fn limit(&self) -> Limit {
        match self.movetime {
            Some(time) => Limit::Time(Duration::from_millis(u64::from(time))),
            None => self.thinking.limit(),
        }
    }
}

/// Work that an engine does.
struct Job<'a, 'm> {
    what: &'static str,
    rules: &'a AnyGame,
    args: &'a LabelArgs,
    means: &'a Means<'m>,
    /// Of an engine that is no part of this program.
    program: Option<tuner_tournament::Program>,
    settings: Value,
}

impl<'a, 'm> Job<'a, 'm> {
    fn new(
        what: &'static str,
        rules: &'a AnyGame,
        means: &'a Means<'m>,
        args: &'a LabelArgs,
        how: &str,
    ) -> Result<Self, Failure> {
        let engine = &args.engine;
        let program = match &engine.engine {
            Some(command) => Some(program(
                command,
                Protocol::of_notation(with_rules(rules, what)?.name()),
                &engine.option,
                engine.patience,
            )?),
            None if !means
                .evaluation
                .as_ref()
                .is_some_and(|(found, _)| found.plays()) =>
            {
                let words = format!(
                    "{what}: no evaluator that plays is here; name an engine by --engine, or a folder \
                     with tuner.toml by -C"
                );
                return Err(Failure::Usage(words));
            }
            None if !engine.option.is_empty() => {
                let words = "--option: is for an engine that --engine names";
                return Err(Failure::Usage(words.to_owned()));
            }
            None => None,
        };
        if let Some(program) = &program {
            // One that does not even start is told before anything is read.
            External::new(program.clone()).start()?;
        }
        let who = match &program {
            Some(program) => json!([program.command, program.options]),
            None => json!(means.weights),
        };
        Ok(Self {
            what,
            rules,
            args,
            means,
            program,
            settings: json!({ "what": what, "engine": who, "how": how }),
        })
    }

    fn run(&self, interrupt: &Interrupt, question: Question) -> Result<(), Failure> {
        let rules = self.rules;
        let games = match (&self.program, &self.means.evaluation) {
            (None, Some((evaluation, values))) => {
                Some((EvaluatorGames::of_positions(evaluation)?, values))
            }
            _ => None,
        };
        let seat = || -> Result<Seat<'_>, PlayerFault> {
            if let Some((games, values)) = &games {
                let mut player = games.player(values).map_err(unusable)?;
                return Ok(Box::new(move |text, fresh| {
                    if question.begins_anew(fresh) {
                        player.new_game()?;
                    }
                    match &question {
                        Question::Score(limit) => {
                            player.search_score(text, *limit).map(Label::Score)
                        }
                        Question::Result(settings) => {
                            player.playout(text, settings).map(Label::Result)
                        }
                    }
                }));
            }
            let program = (self.program.clone()).ok_or_else(|| unusable("there is no engine"))?;
            let mut player = External::new(program);
            Ok(Box::new(move |text, fresh| {
                if question.begins_anew(fresh) {
                    Player::<AnyGame>::new_game(&mut player)?;
                }
                let position = match rules.parse(text) {
                    Ok(position) => position,
                    Err(fault) => return Ok(Label::Fault(fault.to_string())),
                };
                match &question {
                    Question::Score(limit) => {
                        search_score(rules, &mut player, position, *limit).map(Label::Score)
                    }
                    Question::Result(settings) => {
                        play_out(rules, &mut player, position, settings).map(Label::Result)
                    }
                }
            }))
        };
        let work = Work {
            what: self.what,
            args: &self.args.output,
            kept: Some((&self.settings, self.args.engine.resume)),
            unit: "without a score from the engine",
        };
        work.run(rules, interrupt, seat)
    }
}

impl Question {
    /// Tells whether the engine is told of a new game before it is asked; each game is one.
    const fn begins_anew(&self, fresh: bool) -> bool {
        fresh || matches!(self, Self::Result(_))
    }
}

struct Work<'a> {
    what: &'static str,
    args: &'a FileArgs,
    /// What labels depend on, where they are kept, and whether those of an interrupted run
    /// are taken.
    kept: Option<(&'a Value, bool)>,
    /// What became of positions that got no label.
    unit: &'static str,
}

impl Work<'_> {
    fn run<'s>(
        self,
        rules: &AnyGame,
        interrupt: &Interrupt,
        seat: impl Fn() -> Result<Seat<'s>, PlayerFault> + Sync,
    ) -> Result<(), Failure> {
        let json = self.args.inputs.json;
        let given = InputSet::new(rules, &self.args.inputs, false, interrupt)?;
        given.check_output(&self.args.output)?;
        let mut state = State {
            outputs: Outputs::new(
                vec![self.args.writer(rules)?],
                vec![self.args.output.display().to_string()],
            ),
            // After all that may be wrong with the output: it makes a file.
            kept: match self.kept {
                Some((settings, resume)) => {
                    LabelJournal::open(&self.args.output, settings, resume)?
                }
                None => LabelJournal::nothing(),
            },
            line: StatusLine::new(!json),
            what: self.what,
            begun: Instant::now(),
            labelled: 0,
            before: 0,
            without: 0,
            row: 0,
        };
        let mut block: Vec<KeyedPosition> = Vec::new();
        let mut broken = Broken::default();
        let options = nothing_out(1);
        let found = given.transform(rules, &options, interrupt, &mut |position| {
            broken.flow(state.next(position, &mut block, interrupt, &seat))
        });
        let mut failed = broken.failure();
        if failed.is_none() && found.is_ok() {
            failed = state.label(&mut block, interrupt, &seat).err();
        }
        state.line.end();
        let resumable = state.kept.flush()?;
        if let Some(failure) = failed {
            if let Some(words) = &resumable {
                say!("{words}");
            }
            return Err(failure);
        }
        if interrupt.asked() {
            let words = resumable.unwrap_or_else(|| "nothing was written".to_owned());
            return Err(Failure::Interrupted(words));
        }
        let found = found?;
        state.words(self.unit);
        state
            .outputs
            .finish(Ok(found), interrupt, json, &Value::Null)?;
        state.kept.remove();
        Ok(())
    }
}

/// What has been done, and how fast.
struct State {
    outputs: Outputs,
    kept: LabelJournal,
    line: StatusLine,
    what: &'static str,
    begun: Instant,
    labelled: u64,
    /// Those among them that an earlier run has labelled.
    before: u64,
    without: u64,
    /// Faults one after the other.
    row: usize,
}

impl State {
    /// Takes a position that was labelled before, or puts it into the block.
    fn next<'s>(
        &mut self,
        position: KeyedPosition,
        block: &mut Vec<KeyedPosition>,
        interrupt: &Interrupt,
        seat: &(impl Fn() -> Result<Seat<'s>, PlayerFault> + Sync),
    ) -> Result<ControlFlow<()>, Failure> {
        // What was kept comes before everything else.
        if let Some(known) = self.kept.next(&position)? {
            self.begun = Instant::now();
            self.before += 1;
            self.take(position, known)?;
        } else {
            block.push(position);
            if block.len() == BLOCK {
                self.label(block, interrupt, seat)?;
            }
        }
        Ok(interrupt.flow())
    }

    /// Labels a block on several threads, and takes it in its order.
    fn label<'s>(
        &mut self,
        block: &mut Vec<KeyedPosition>,
        interrupt: &Interrupt,
        seat: &(impl Fn() -> Result<Seat<'s>, PlayerFault> + Sync),
    ) -> Result<(), Failure> {
        let batch = Batch::new(
            0..block.len().div_ceil(UNIT) as u64,
            rayon::current_num_threads(),
        );
        let unit = |number: u64| {
            let begin = number as usize * UNIT;
            &block[begin..block.len().min(begin + UNIT)]
        };
        let each = |seat: &mut Seat<'s>, number: u64| {
            // Whoever has failed begins anew.
            let mut fresh = true;
            let mut labels = Vec::with_capacity(UNIT);
            for position in unit(number) {
                // Whatever becomes of a position, there is a label: a fault is one.
                let label = match seat(&position.labelled.position, fresh) {
                    Err(fault @ PlayerFault::Unusable(_)) => return Err(fault),
                    Err(fault) => Label::Fault(fault.to_string()),
                    Ok(label) => label,
                };
                fresh = matches!(label, Label::Fault(_));
                labels.push(label);
            }
            Ok(labels)
        };
        let mut broken = Broken::default();
        let worked = in_order(&batch, seat, each, |found| {
            let Some((number, labels)) = found else {
                return interrupt.flow();
            };
            // A fault after an interrupt may be its doing, and is asked for again.
            let is_fault = |label: &Label| matches!(label, Label::Fault(_));
            if interrupt.asked() && labels.iter().any(is_fault) {
                return ControlFlow::Break(());
            }
            let mut labelled = unit(number).iter().zip(labels);
            let taken = labelled.try_for_each(|(position, label)| {
                self.kept.add(position.key, &label)?;
                self.take(position.clone(), label)
            });
            broken.flow(taken.map(|()| interrupt.flow()))
        });
        block.clear();
        broken.failure().map_or(Ok(()), Err)?;
        Ok(worked?)
    }

    fn take(&mut self, mut position: KeyedPosition, label: Label) -> Result<(), Failure> {
        self.labelled += 1;
        self.row = match &label {
            Label::Fault(_) => self.row + 1,
            _ => 0,
        };
        match label {
            Label::Score(score) => {
                self.without += u64::from(score.is_none());
                position.labelled.search_score = score;
            }
            Label::Result(result) => position.labelled.outcome = result.into(),
            Label::Position(Some(text)) => position.labelled.position = text,
            Label::Position(None) => {
                self.without += 1;
                self.outputs.left_over += 1;
                return Ok(());
            }
            Label::Fault(words) => {
                self.without += 1;
                if self.without <= 10 {
                    say!("{words}: this position is left out");
                }
                if self.row >= HOPELESS {
                    return Err(format!(
                        "{words}; so did {HOPELESS} positions one after the other, the engine is \
                         out of order"
                    )
                    .into());
                }
                self.outputs.left_over += 1;
                return Ok(());
            }
        }
        let speed = self.speed();
        self.line.set(format!(
            "{}: {} positions, {speed:.0} a second",
            self.what, self.labelled
        ));
        match self.outputs.write(0, &position) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(self.outputs.take_lost()),
        }
    }

    fn speed(&self) -> f64 {
        (self.labelled - self.before) as f64 / self.begun.elapsed().as_secs_f64().max(1e-3)
    }

    fn words(&self, unit: &str) {
        say!(
            "{}: {} positions in {:.1} s, {:.0} a second",
            self.what,
            self.labelled - self.before,
            self.begun.elapsed().as_secs_f64(),
            self.speed()
        );
        if self.without > 0 {
            say!("{} {unit}", self.without);
        }
    }
}
