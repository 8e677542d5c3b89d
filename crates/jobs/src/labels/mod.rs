//! New labels of positions, each by work of its own.
//!
//! Positions are taken in blocks, which several threads label; the order stays. What an
//! engine has said is kept in `OUTPUT.part`, a line a position, so that it is asked
//! for the rest alone where the job resumes; the output has its name only once it is whole.

mod journal;

use std::ops::{ControlFlow, Range};
use std::time::Instant;

use serde_json::{Value, json};

use crate::games::{Treatment, limit_words, with_rules};
use crate::transform::{Outputs, nothing_out};
use crate::{
    EvaluatorAt, Failure, InputSet, InputsConfig, Job, LineOutput, Result, Shard, TransformSummary,
};
use journal::{Label, LabelJournal};
use tuner_data::AnyGame;
use tuner_data::tools::KeyedPosition;
use tuner_engine::EvaluatorGames;
use tuner_play::{
    Limit, Player, PlayerFault, PlayoutSettings, SettingsText as _, playout, search_score,
};
use tuner_tournament::{Batch, External, in_order};

/// Positions that one thread labels one after the other, as a unit. An engine is told of a new game
/// before the first, for which Stockfish takes as long as for 2,000 nodes. What the engine
/// remembers then depends on the positions of the unit, and on no thread.
const UNIT: usize = 16;

/// Positions of a block. Chosen: an engine that is started anew for each is started
/// rarely, and what waits to be written is small.
const BLOCK: usize = UNIT << 10;

/// Positions or games without an answer, one after the other, that end the command: the engine is
/// out of order. Chosen.
pub(crate) const HOPELESS: usize = 20;

/// Positions that get a label.
#[derive(Debug)]
pub struct LabelConfig {
    /// The data.
    pub inputs: InputsConfig,
    /// The file to write.
    pub output: LineOutput,
    /// The label.
    pub question: LabelQuestion,
    /// The command of a UCI or USI program that gives the label; `None`: the evaluator gives it, or
    /// the engine built at its weights.
    pub engine: Option<String>,
    /// Options and patience of the program that `engine` names.
    pub treatment: Treatment,
    /// Whether to continue an interrupted run.
    pub resume: bool,
    /// The part of the positions that is labelled here.
    pub shard: Shard,
}

/// The label that positions get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelQuestion {
    /// The score of a search of so much.
    Score(Limit),
    /// The result of a game from there.
    Result(PlayoutSettings),
    /// The end of the quiescence search, in their place.
    QuietEnd,
}

/// What one thread labels positions with: called with the text of a position, and whether to begin
/// anew, as a new game does.
type Seat<'s> = Box<dyn FnMut(&str, bool) -> Result<Label, PlayerFault> + 's>;

/// Gives positions labels, and writes them; everything else about them stays. The labels come from
/// the program that `config.engine` names. Without one they come from `evaluator` if it plays games
/// itself, or else from the engine's own program, built at the evaluator's weights. The end of a
/// quiescence search comes from the evaluator in any case. `rules`: the game of the positions.
///
/// # Errors
/// If there is nobody to ask, the data cannot be read, or the file not be written.
pub fn label_positions(
    job: &Job,
    rules: &AnyGame,
    evaluator: Option<&EvaluatorAt<'_>>,
    config: LabelConfig,
) -> Result<TransformSummary> {
    // `what`: the command; `how`: its settings in words, for the journal; `limit`: of each search;
    // `played`: how a game is played out, `None` where only a score is asked for.
    let (what, how, limit, played) = match config.question {
        LabelQuestion::Score(limit) => ("rescore", limit_words(limit), limit, None),
        LabelQuestion::Result(of) => ("playout", of.line(), of.limit, Some(of)),
        LabelQuestion::QuietEnd => return resolve(job, rules, evaluator, config),
    };
    // An engine is told of a new game before each playout, before a search only now and then.
    let is_new = move |fresh: bool| fresh || played.is_some();
    let without = "without a score from the engine";
    let settings = |who: Value| json!({"what": what, "engine": who, "how": how});
    // The program of `config.engine`. If it does not even start, that is said before anything is
    // read. `who` tells engines apart in the settings of the journal.
    let named = (config.engine.as_ref())
        .map(|command| {
            let (program, _) = (config.treatment).started(command, with_rules(rules, what)?)?;
            let who = serde_json::to_value((&program.command, &program.options))?;
            Ok::<_, Failure>((program, who))
        })
        .transpose()?;
    // The engine's own program, where no program was named and the evaluator does not play. In the
    // journal it is told by the fingerprint of its weights, and by its options if it has some.
    let own = evaluator.filter(|at| config.engine.is_none() && !at.evaluation.plays());
    let own = own.and_then(|at| {
        let (who, options) = (&at.fingerprint, &config.treatment.options);
        let with_options = || json!((who, options));
        let who = options.is_empty().then(|| json!(who));
        Some((at.program.clone()?, who.unwrap_or_else(with_options)))
    });
    // `seat` makes what each thread labels positions with: a player that it asks.
    if let Some((program, who)) = named.or(own) {
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
                match &played {
                    Some(settings) => playout(rules, player, position, settings).map(Label::Result),
                    None => search_score(rules, player, position, limit).map(Label::Score),
                }
            }))
        };
        return Work::new(job, rules, what, without, &seat).run(config, Some(&settings(who)));
    }
    let Some(at) = evaluator.filter(|at| at.evaluation.plays()) else {
        misuse!(
            "{what}: no evaluator that plays is here; name an engine by --engine, or in [engine] of \
             tuner.toml, or a folder that has one by -C"
        );
    };
    if config.treatment != Treatment::default() {
        misuse!("--option and --patience: are for an engine that --engine names");
    }
    let games = EvaluatorGames::of_positions(at.evaluation)?;
    let seat = || -> Result<Seat<'_>, PlayerFault> {
        let mut player = games.player(&at.values)?;
        Ok(Box::new(move |text, fresh| {
            if is_new(fresh) {
                player.new_game()?;
            }
            match &played {
                Some(settings) => player.playout(text, settings).map(Label::Result),
                None => player.search_score(text, limit).map(Label::Score),
            }
        }))
    };
    let settings = settings(at.fingerprint.clone().into());
    Work::new(job, rules, what, without, &seat).run(config, Some(&settings))
}

/// Replaces each position by the end of its quiescence search, for which the evaluator is asked at
/// its weights; the command `resolve`. A position without such an end is left out. No journal is
/// kept, so an interrupted run begins anew.
fn resolve(
    job: &Job,
    rules: &AnyGame,
    evaluator: Option<&EvaluatorAt<'_>>,
    config: LabelConfig,
) -> Result<TransformSummary> {
    let at = evaluator.ok_or_else(|| {
        Failure::usage(
            "resolve: needs an evaluator, and there is no tuner.toml here; -C DIR names its folder",
        )
    })?;
    // What each thread labels positions with: it asks the evaluator about one position.
    let seat = || -> Result<Seat<'_>, PlayerFault> {
        Ok(Box::new(|text, _| {
            let found = at.evaluation.quiet_position(&at.values, text);
            let found = found.map_err(|error| PlayerFault::Unusable(error.to_string()));
            Ok(match found? {
                Ok(leaf) => Label::Position(leaf),
                Err(words) => Label::Fault(words),
            })
        }))
    };
    let without = "without a quiet end, left out";
    Work::new(job, rules, "resolve", without, &seat).run(config, None)
}

/// The labelling of positions: the outputs, the journal, and the counts so far.
struct Work<'a, S> {
    job: &'a Job,
    rules: &'a AnyGame,
    what: &'static str,
    /// What is said behind the number of positions that got no label.
    unlabelled: &'static str,
    /// Makes the [`Seat`] of a thread.
    seat: &'a S,
    outputs: Outputs,
    kept: LabelJournal,
    begun: Instant,
    /// Positions that wait for their labels, at most [`BLOCK`].
    block: Vec<KeyedPosition>,
    /// Positions that are done, those without a label included.
    labelled: u64,
    /// How many of `labelled` an interrupted run has labelled.
    before: u64,
    /// Positions that got no label.
    without: u64,
    /// How many of the last positions in a row had a fault.
    row: usize,
}

impl<'a, 's, S: Fn() -> Result<Seat<'s>, PlayerFault> + Sync> Work<'a, S> {
    /// Prepares the labelling of positions, of which nothing has been done yet. `what`: the
    /// command, for messages; `unlabelled`: what is said behind the number of positions that got no
    /// label; `seat`: makes what one thread asks for labels.
    fn new(
        job: &'a Job,
        rules: &'a AnyGame,
        what: &'static str,
        unlabelled: &'static str,
        seat: &'a S,
    ) -> Self {
        Self {
            job,
            rules,
            what,
            unlabelled,
            seat,
            outputs: Outputs::default(),
            kept: LabelJournal::default(),
            begun: Instant::now(),
            block: Vec::new(),
            labelled: 0,
            before: 0,
            without: 0,
            row: 0,
        }
    }

    /// Labels all positions of `config`, and writes the output. `settings`: what labels depend on,
    /// which is written into a journal with each label, so that an interrupted run can be resumed;
    /// `None`: no journal is kept.
    fn run(mut self, config: LabelConfig, settings: Option<&Value>) -> Result<TransformSummary> {
        let (job, rules) = (self.job, self.rules);
        // `false`: the progress that is shown is that of the labels, not that of the reading.
        let given = InputSet::new(job, rules, &config.inputs, false)?;
        let target = (config.output.stream.is_none()).then(|| config.output.path.clone());
        // `part`: the numbers of the positions that are labelled; `all`: how many there are in all.
        let (part, all) = self.part(&given, config.shard)?;
        let mut output = config.output;
        // The output of a later part continues that of the part before, without a line of heads.
        output.is_continued = !config.shard.is_first();
        self.outputs.add(&given, rules, output)?;
        // The journal is opened after all that may be wrong with the output: opening makes a file.
        if let Some(settings) = settings {
            let mut settings = settings.clone();
            if let Some(shard) = config.shard.identity(all) {
                settings["shard"] = shard.into();
            }
            self.kept = LabelJournal::open(job, target.as_deref(), &settings, config.resume)?;
        }
        // `failed`: why the labelling ended; `number`: of the next position, from 0. The seed `1`
        // draws nothing, as no position is left out.
        let (mut failed, mut number) = (None, 0);
        let found = given.transform(job, rules, &nothing_out(1), &mut |position| {
            number += 1;
            if !part.contains(&(number - 1)) {
                self.outputs.leave("in other parts");
                return job.flow();
            }
            self.next(position).unwrap_or_else(|failure| {
                failed = Some(failure);
                ControlFlow::Break(())
            })
        });
        // The last block is not full.
        if failed.is_none() && found.is_ok() {
            failed = self.label().err();
        }
        job.status_ended();
        // A sentence that says how to resume; `None` where no journal is kept.
        let resumable = self.kept.flush()?;
        if let Some(failure) = failed {
            job.say_all(resumable);
            return Err(failure);
        }
        if job.is_interrupted() {
            let words = resumable.unwrap_or_else(|| "nothing was written".to_owned());
            return Err(Failure::Interrupted(words));
        }
        let found = found?;
        job.say(format_args!(
            "{}: {} positions in {:.1} s, {:.0} a second",
            self.what,
            self.labelled - self.before,
            self.begun.elapsed().as_secs_f64(),
            self.speed()
        ));
        if self.without > 0 {
            job.say(format_args!("{} {}", self.without, self.unlabelled));
        }
        let summary = self.outputs.finish(job, Ok(found))?;
        self.kept.remove();
        Ok(summary)
    }

    /// Returns the range of the numbers, from 0, of the positions that `shard` stands for, and the
    /// number of positions in all. If it is one part of several, the data are read once to count
    /// the positions; if it is the whole job, they are not counted, and `u64::MAX` is returned as
    /// their number.
    fn part(&self, given: &InputSet, shard: Shard) -> Result<(Range<u64>, u64)> {
        let mut all = u64::MAX;
        if shard != Shard::default() {
            all = 0;
            // Without filters (`nothing_out`, whose seed draws nothing then) each position counts.
            given.transform(self.job, self.rules, &nothing_out(1), &mut |_| {
                all += 1;
                self.job.flow()
            })?;
        }
        Ok((shard.range(all, UNIT as u64), all))
    }

    /// Takes the next position. If an interrupted run has labelled it, writes it with that label;
    /// otherwise puts it into the block, and labels the block once it is full. Returns `Break`
    /// where the job is to end.
    fn next(&mut self, position: KeyedPosition) -> Result<ControlFlow<()>> {
        // The positions that an earlier run has labelled come first, so the time that labels take
        // is measured from the last of them.
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
        Ok(self.job.flow())
    }

    /// Labels the positions of the block, in units of [`UNIT`] (16) positions that one thread
    /// labels, and writes them in their order; the block is empty then. At the beginning of a unit
    /// the engine is told of a new game, so that labels do not depend on the number of threads.
    fn label(&mut self) -> Result<()> {
        let (block, job) = (std::mem::take(&mut self.block), self.job);
        let batch = Batch::new(0..block.len().div_ceil(UNIT) as u64, job.players());
        let unit = |number: u64| {
            let begin = number as usize * UNIT;
            &block[begin..block.len().min(begin + UNIT)]
        };
        // The labels of unit `number`, asked on one thread. `fresh`: whether the engine is to begin
        // as with a new game, as it does at the start of a unit and after a fault.
        let each = |seat: &mut Seat<'s>, number: u64| {
            let mut fresh = true;
            let mut labels = Vec::with_capacity(UNIT);
            for position in unit(number) {
                // A fault of the engine is a label too, unless the engine cannot be used any more.
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
                return Ok(job.flow());
            };
            // A fault after an interrupt may have come from that. The unit is not written, so that
            // a resumed run asks for its labels again.
            let is_fault = |label: &Label| matches!(label, Label::Fault(_));
            if job.is_interrupted() && labels.iter().any(is_fault) {
                return Ok(ControlFlow::Break(()));
            }
            let mut labelled = unit(number).iter().zip(labels);
            let taken = labelled.try_for_each(|(position, label)| {
                self.kept.add(position.key, &label)?;
                self.take(position.clone(), label)
            });
            taken.map(|()| job.flow())
        })
    }

    /// Writes a position with its label to the output. If the engine gave no score it is written
    /// without one; if it has no quiet end, or the engine had a fault, it is left out and counted.
    /// The caller calls this in the order of the data.
    fn take(&mut self, mut position: KeyedPosition, label: Label) -> Result<()> {
        self.labelled += 1;
        // `row`: how many of the last positions in a row had a fault.
        if !matches!(label, Label::Fault(_)) {
            self.row = 0;
        }
        match label {
            Label::Score(score) => {
                self.without += u64::from(score.is_none());
                position.labelled.search_score = score;
            }
            Label::Result(result) => position.labelled.outcome = result.into(),
            Label::Position(Some(text)) => {
                // In the position that replaces the old one the other player may be to move. If its
                // text cannot be read, the second player counts as to move.
                let read = self.rules.parse(&text);
                let is_first = |read| self.rules.first_player_to_move(&read);
                position.first_to_move = read.is_ok_and(is_first);
                position.labelled.position = text;
            }
            Label::Position(None) => {
                self.leave_out();
                return Ok(());
            }
            Label::Fault(words) => return self.fault(&words),
        }
        let speed = self.speed();
        self.job.status(&format!(
            "{}: {} positions, {speed:.0} a second",
            self.what, self.labelled
        ));
        match self.outputs.write(0, &position) {
            ControlFlow::Continue(()) => Ok(()),
            // `write` has stored the message of the error in `lost`.
            ControlFlow::Break(()) => Err(self.outputs.lost.take().unwrap_or_default().into()),
        }
    }

    /// Counts a position that gets no label and is left out of the output.
    fn leave_out(&mut self) {
        self.without += 1;
        self.outputs.leave("without an answer");
    }

    /// Leaves out a position for a fault of the engine, of which `words` tell, and says so as long
    /// as no more than 10 positions are without a label. Fails after [`HOPELESS`] (20) faults in a
    /// row.
    fn fault(&mut self, words: &str) -> Result<()> {
        self.row += 1;
        self.leave_out();
        if self.without <= 10 {
            self.job
                .say(format_args!("{words}: this position is left out"));
        }
        if self.row >= HOPELESS {
            fail!(
                "{words}; so did {HOPELESS} positions one after the other, the engine is out of order"
            );
        }
        Ok(())
    }

    /// Returns how many positions this run labelled a second; those that an earlier, interrupted
    /// run labelled are not counted.
    fn speed(&self) -> f64 {
        (self.labelled - self.before) as f64 / self.begun.elapsed().as_secs_f64().max(1e-3)
    }
}
