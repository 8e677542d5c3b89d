//! `data rescore`, `playout`, `resolve`: new labels of positions, each by work of its own.
//!
//! Positions are taken in blocks, which several threads label; the order stays. What an
//! engine has said is kept in `OUTPUT.part`, a line a position, so that `--resume` asks
//! for the rest alone; the output has its name only once it is whole.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::args::{EngineArgs, FileArgs, LabelArgs};
use super::kept::{Label, LabelJournal};
use super::transform::{Outputs, nothing_out};
use super::{InputSet, Means};
use crate::Failure;
use crate::interrupt::Interrupt;
use crate::play::{RuleArgs, Treatment, limit_words, program, with_rules};
use crate::progress::StatusLine;
use tuner_data::AnyGame;
use tuner_data::tools::KeyedPosition;
use tuner_engine::EvaluatorGames;
use tuner_play::{
    Limit, Player, PlayerFault, PlayoutSettings, SettingsText as _, playout as play_out,
    search_score,
};
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

/// The question to an engine about positions.
#[derive(Clone, Copy)]
enum Question {
    /// Their scores, by searches of so much.
    Score(Limit),
    /// The results of games from there.
    Result(PlayoutSettings),
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
            let found = found.map_err(|error| PlayerFault::Unusable(error.to_string()));
            Ok(match found? {
                Ok(leaf) => Label::Position(leaf),
                Err(words) => Label::Fault(words),
            })
        }))
    };
    let unit = "without a quiet end, left out";
    Work::new("resolve", unit, args, &seat, interrupt).run(rules, None)
}

/// Who labels positions on one thread, each by its text; told whether it is to begin anew.
type Seat<'s> = Box<dyn FnMut(&str, bool) -> Result<Label, PlayerFault> + 's>;

impl EngineArgs {
    fn limit(&self) -> Limit {
        match self.movetime {
            Some(time) => Limit::Time(Duration::from_millis(u64::from(time))),
            None => self.thinking.limit(),
        }
    }
}

/// Asks a program that was named, or the evaluator, for scores of positions; with rules of
/// games for their results.
pub(super) fn by_engine(
    rules: &AnyGame,
    means: &Means<'_>,
    args: &LabelArgs,
    played: Option<&RuleArgs>,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let limit = args.engine.limit();
    let question = match played {
        None => Question::Score(limit),
        Some(played) => Question::Result(PlayoutSettings {
            limit,
            adjudication: played.adjudication(),
        }),
    };
    let (what, how) = match &question {
        Question::Score(limit) => ("rescore", limit_words(*limit)),
        Question::Result(settings) => ("playout", settings.line()),
    };
    // Each game is a new one.
    let is_new = move |fresh: bool| fresh || matches!(question, Question::Result(_));
    let unit = "without a score from the engine";
    let (engine, output) = (&args.engine, &args.output);
    let settings = |who: Value| json!({ "what": what, "engine": who, "how": how });
    if let Some(command) = &engine.engine {
        let protocol = Protocol::of_notation(with_rules(rules, what)?.name());
        let treatment = Treatment {
            options: engine.option.clone(),
            patience: engine.patience,
        };
        let program = program(command, protocol, &treatment)?;
        // One that does not even start is told before anything is read.
        External::new(program.clone()).start()?;
        let settings = settings(json!([program.command, program.options]));
        let seat = || -> Result<Seat<'_>, PlayerFault> {
            let mut player = External::new(program.clone());
            Ok(Box::new(move |text, fresh| {
                if is_new(fresh) {
                    Player::<AnyGame>::new_game(&mut player)?;
                }
                let position = match rules.parse(text) {
                    Ok(position) => position,
                    Err(fault) => return Ok(Label::Fault(fault.to_string())),
                };
                let player = &mut player;
                match &question {
                    Question::Score(limit) => {
                        search_score(rules, player, position, *limit).map(Label::Score)
                    }
                    Question::Result(settings) => {
                        play_out(rules, player, position, settings).map(Label::Result)
                    }
                }
            }))
        };
        let work = Work::new(what, unit, output, &seat, interrupt);
        return work.run(rules, Some((&settings, engine.resume)));
    }
    let own = means.evaluation.as_ref().filter(|(own, _)| own.plays());
    let Some((evaluation, values)) = own else {
        return Err(Failure::Usage(format!(
            "{what}: no evaluator that plays is here; name an engine by --engine, or a folder with \
             tuner.toml by -C"
        )));
    };
    if !engine.option.is_empty() {
        let words = "--option: is for an engine that --engine names";
        return Err(Failure::Usage(words.to_owned()));
    }
    let games = EvaluatorGames::of_positions(evaluation)?;
    let seat = || -> Result<Seat<'_>, PlayerFault> {
        let mut player = games.player(values)?;
        Ok(Box::new(move |text, fresh| {
            if is_new(fresh) {
                player.new_game()?;
            }
            match &question {
                Question::Score(limit) => player.search_score(text, *limit).map(Label::Score),
                Question::Result(settings) => player.playout(text, settings).map(Label::Result),
            }
        }))
    };
    let settings = settings(json!(means.weights));
    let work = Work::new(what, unit, output, &seat, interrupt);
    work.run(rules, Some((&settings, engine.resume)))
}

/// Positions that are labelled: what has been done, and how fast.
struct Work<'a, S> {
    what: &'static str,
    /// Positions that got no label, in words.
    unit: &'static str,
    args: &'a FileArgs,
    /// Makes who labels on a thread.
    seat: &'a S,
    interrupt: &'a Interrupt,
    outputs: Outputs,
    kept: LabelJournal,
    line: StatusLine,
    begun: Instant,
    /// Positions that wait for their labels.
    block: Vec<KeyedPosition>,
    labelled: u64,
    /// Those among them that an earlier run has labelled.
    before: u64,
    without: u64,
    /// Faults one after the other.
    row: usize,
}

impl<'a, 's, S: Fn() -> Result<Seat<'s>, PlayerFault> + Sync> Work<'a, S> {
    fn new(
        what: &'static str,
        unit: &'static str,
        args: &'a FileArgs,
        seat: &'a S,
        interrupt: &'a Interrupt,
    ) -> Self {
        Self {
            what,
            unit,
            args,
            seat,
            interrupt,
            outputs: Outputs::new(Vec::new(), Vec::new()),
            kept: LabelJournal::default(),
            line: StatusLine::new(!args.inputs.json),
            begun: Instant::now(),
            block: Vec::new(),
            labelled: 0,
            before: 0,
            without: 0,
            row: 0,
        }
    }

    /// Labels all positions. `kept`: what labels depend on, where they are kept, and whether
    /// those of an interrupted run are taken.
    fn run(mut self, rules: &AnyGame, kept: Option<(&Value, bool)>) -> Result<(), Failure> {
        let (args, interrupt) = (self.args, self.interrupt);
        let given = InputSet::new(rules, &args.inputs, false, interrupt)?;
        given.check_output(&args.output)?;
        let name = args.output.display().to_string();
        self.outputs = Outputs::new(vec![args.writer(rules)?], vec![name]);
        // After all that may be wrong with the output: it makes a file.
        if let Some((settings, resume)) = kept {
            self.kept = LabelJournal::open(&args.output, settings, resume)?;
        }
        let mut failed = None;
        let found = given.transform(rules, &nothing_out(1), interrupt, &mut |position| {
            self.next(position).unwrap_or_else(|failure| {
                failed = Some(failure);
                ControlFlow::Break(())
            })
        });
        if failed.is_none() && found.is_ok() {
            failed = self.label().err();
        }
        self.line.end();
        let resumable = self.kept.flush()?;
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
        say!(
            "{}: {} positions in {:.1} s, {:.0} a second",
            self.what,
            self.labelled - self.before,
            self.begun.elapsed().as_secs_f64(),
            self.speed()
        );
        if self.without > 0 {
            say!("{} {}", self.without, self.unit);
        }
        (self.outputs).finish(Ok(found), interrupt, args.inputs.json, &Value::Null)?;
        self.kept.remove();
        Ok(())
    }

    /// Takes a position that was labelled before, or puts it into the block.
    fn next(&mut self, position: KeyedPosition) -> Result<ControlFlow<()>, Failure> {
        // What was kept comes before everything else.
        if let Some(known) = self.kept.next(&position)? {
            self.begun = Instant::now();
            self.before += 1;
            self.take(position, known)?;
        } else {
            self.block.push(position);
            if self.block.len() == BLOCK {
                self.label()?;
            }
        }
        Ok(self.interrupt.flow())
    }

    /// Labels the block on several threads, and takes it in its order.
    fn label(&mut self) -> Result<(), Failure> {
        let (block, interrupt) = (std::mem::take(&mut self.block), self.interrupt);
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
        in_order(&batch, self.seat, each, |found| {
            let Some((number, labels)) = found else {
                return Ok(interrupt.flow());
            };
            // A fault after an interrupt may be its doing, and is asked for again.
            let is_fault = |label: &Label| matches!(label, Label::Fault(_));
            if interrupt.asked() && labels.iter().any(is_fault) {
                return Ok(ControlFlow::Break(()));
            }
            let mut labelled = unit(number).iter().zip(labels);
            let taken = labelled.try_for_each(|(position, label)| {
                self.kept.add(position.key, &label)?;
                self.take(position.clone(), label)
            });
            taken.map(|()| interrupt.flow())
        })
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
            Label::Position(None) => return self.leave_out(None),
            Label::Fault(words) => return self.leave_out(Some(&words)),
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

    /// Leaves out a position without a label, perhaps for a fault.
    fn leave_out(&mut self, fault: Option<&str>) -> Result<(), Failure> {
        self.without += 1;
        self.outputs.left_over += 1;
        if let Some(words) = fault.filter(|_| self.without <= 10) {
            say!("{words}: this position is left out");
        }
        match fault {
            Some(words) if self.row >= HOPELESS => Err(format!(
                "{words}; so did {HOPELESS} positions one after the other, the engine is out of order"
            )
            .into()),
            _ => Ok(()),
        }
    }

    fn speed(&self) -> f64 {
        (self.labelled - self.before) as f64 / self.begun.elapsed().as_secs_f64().max(1e-3)
    }
}
