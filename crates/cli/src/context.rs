//! Commands, run: of the engine of a folder, or of none.

use std::sync::Arc;

use clap::{CommandFactory, FromArgMatches};

use crate::check_args::AgreementArgs;
use crate::data::DataCommand;
use crate::launch::{self, ranks};
use crate::options::{TypedOptions, typed_words};
use crate::play_args::GameArgs;
use crate::terminal::{Talk, Terminal};
use crate::tuner_args::{TunerArgs, TunerCommand};
use crate::{
    check, data, diagnose, fit, help, new_args, output, pages, patch, play, recover, runs, spec,
};
use tuner_base::joined;
use tuner_data::AnyGame;
use tuner_engine::KnownGame;
use tuner_jobs::{
    EvaluatorAt, Job, JobFailure as Failure, JobResult as Result, NamedSet, Project, StepRunner,
    check_files, engine_at, fingerprint, is_weights, misuse,
};

/// Runs the command that was typed, on this process and others if there are some. `games`: those
/// that the program knows; `options`: which options were typed. At the end, what the evaluator has
/// written to standard error is said.
pub(crate) fn run(games: &[KnownGame], args: TunerArgs, options: TypedOptions) -> Result<()> {
    let project = if args.command.uses_engine() {
        // `false`: no progress is shown.
        Project::find(&job(false, None), args.engine_folder.as_deref(), games)?
    } else {
        None
    };
    let context = CommandContext {
        project: project.as_ref(),
        games,
        game: args.game.as_deref(),
        is_step: false,
    };
    let done = context.run(args.command, options);
    if let Some(project) = &project {
        project.pass_on_messages();
    }
    done
}

/// Makes the job of a command that says everything. `visible`: whether progress is shown;
/// `threads`: the number that was typed, `None` where none was.
fn job(visible: bool, threads: Option<u16>) -> Job {
    watched_job(Terminal::new(visible, Talk::All), threads)
}

/// Makes the job of a command whose words and progress `terminal` shows. Where `threads` is `None`
/// the job has all threads of the machine, or this process's part of them if a launcher such as
/// `mpirun` started several processes.
fn watched_job(terminal: Terminal, threads: Option<u16>) -> Job {
    Job {
        observer: Arc::new(terminal),
        ranks: ranks(),
        threads: threads.map(usize::from).or_else(launch::threads),
        command: typed_words().join(" ").into(),
    }
}

/// Parses the words of a command line, without the name of the program, as if a user had typed
/// them; returns the command and which options were typed.
fn parsed(words: &[String]) -> Result<(TunerCommand, TypedOptions), clap::Error> {
    let command = TunerArgs::command();
    let name = [command.get_name().to_owned()];
    let matches = command
        .clone()
        .try_get_matches_from(name.iter().chain(words))?;
    let options = TypedOptions::new(&command, &matches);
    Ok((TunerArgs::from_arg_matches(&matches)?.command, options))
}

/// The context that a command is run in.
struct CommandContext<'a> {
    project: Option<&'a Project>,
    games: &'a [KnownGame],
    /// The name of the game that was typed; `None` where none was.
    game: Option<&'a str>,
    /// Whether the command is a step of another command, such as a fit of a loop.
    is_step: bool,
}

impl StepRunner for CommandContext<'_> {
    /// Parses the words of a step and does not run it, so that mistakes are found before the first
    /// step. The error is clap's message without `error: `.
    fn check(&self, words: &[String]) -> Result<(), String> {
        parsed(words).map(|_| ()).map_err(|error| {
            let error = error.to_string();
            error.strip_prefix("error: ").unwrap_or(&error).to_owned()
        })
    }

    /// Runs the words of a step, a command line without the program's name, as part of this
    /// command.
    fn run(&self, words: &[String]) -> Result<()> {
        // A step has no other process, engine or game than the command that it is a step of.
        let (command, options) = parsed(words)?;
        let step = Self {
            is_step: true,
            ..*self
        };
        step.run(command, options)
    }
}

impl CommandContext<'_> {
    /// Returns the engine of the folder, for a command that needs one; fails with what to do where
    /// there is none.
    fn project(&self) -> Result<&Project> {
        self.project.ok_or_else(|| {
            Failure::usage(
                "found no tuner.toml here or above, which says how the evaluator of an engine is \
                 built and started; go to its folder, name it by -C DIR, or let `tuner new` write \
                 one, in C++ `tuner new --cpp`",
            )
        })
    }

    /// Returns the game that `--game` names, else that of the engine, else the first one that the
    /// program knows. Fails for a name that the program does not know.
    fn game(&self) -> Result<&AnyGame> {
        let of_project = self
            .project
            .and_then(|project| project.file.game.as_deref());
        if let Some(name) = self.game.or(of_project) {
            if let Some(known) = self.games.iter().find(|known| known.name == name) {
                return Ok(known.game);
            }
            let names = joined(self.games.iter().map(|known| known.name), ", ");
            misuse!("game: found {name:?}, expected one of {names}");
        }
        if let Some(project) = self.project {
            // Its evaluator says it, where `tuner.toml` does not.
            return project.game();
        }
        let first = self.games.first();
        Ok(first.ok_or("this program knows no game")?.game)
    }

    /// Fails if `--game` was typed for weights, which play the game of their engine.
    /// `is_of_weights`: whether the command is about weights rather than programs.
    fn check_game(&self, is_of_weights: bool) -> Result<()> {
        if let Some(game) = self.game.filter(|_| is_of_weights) {
            misuse!("--game {game}: weights play the game of their engine; leave it out");
        }
        Ok(())
    }

    /// Runs a command: finds what it is about, the engine or a game, makes its job, and leaves the
    /// rest to its module. A command that needs an engine fails where there is none.
    fn run(&self, command: TunerCommand, options: TypedOptions) -> Result<()> {
        // Jobs without progress (`false`), of commands that play games, and of those that compare
        // traces. With `--json` the other two show no progress either.
        let needs_none = job(false, None);
        let of_games = |play: &GameArgs| job(!play.print.json, play.threads);
        let of_check = |of: &AgreementArgs| job(!of.print.json, of.threads.threads);
        match command {
            TunerCommand::New(args) => new_args::run(&needs_none, &args, self.game),
            TunerCommand::Data(command) => self.data(&command),
            TunerCommand::Match(args) => {
                let config = args.config()?;
                self.check_game(config.sides.iter().all(|side| is_weights(&side.named)))?;
                let job = of_games(&args.play);
                play::run_match(&job, self.project, || self.game(), &args, &config)
            }
            TunerCommand::Spsa(args) => {
                let config = args.config()?;
                self.check_game(config.program.is_none())?;
                let job = of_games(&args.play);
                play::spsa(&job, self.project, || self.game(), &args, &config)
            }
            // The commands before this one heed `--game`, all that follow do not.
            _ if self.game.is_some() => {
                misuse!("--game is for new, data, match and spsa; leave it out")
            }
            TunerCommand::Completions { shell } => help::completions(shell),
            TunerCommand::Man { folder } => help::pages(&folder),
            TunerCommand::Elo(args) => args.tell(None),
            TunerCommand::Sprt(args) => play::sprt(&args),
            TunerCommand::Spec(args) => spec::run(&args, || self.project()),
            TunerCommand::Patch(args) => patch::run(self.project, &args),
            TunerCommand::Runs(args) => runs::run(&args),
            TunerCommand::Report(args) => pages::run(&args),
            TunerCommand::Fit(args) => {
                let visible = !args.print.json && !args.quiet;
                let talk = args.talk();
                let terminal = Terminal::new(visible, talk.clone());
                let job = watched_job(terminal, args.threads.threads);
                // With `--spec` rows made elsewhere are fitted, also in the folder of an engine.
                let project = self.project.filter(|_| args.spec.is_none());
                let done = fit::run(&job, project, &args, options.snapshot, self, self.is_step);
                // What `--quiet` has kept back explains a failure.
                if matches!(done, Err(Failure::Error(_) | Failure::Usage(_))) {
                    talk.say_kept();
                }
                done
            }
            TunerCommand::Doctor => doctor(&needs_none, self.project()?),
            TunerCommand::Check(args) => {
                check::check(&of_check(&args.agreement), self.project()?, &args)
            }
            TunerCommand::Recover(args) => {
                let job = job(!args.json, args.threads.threads);
                recover::run(&job, self.project()?, &args)
            }
            TunerCommand::Trace(args) => {
                check::trace(&of_check(&args.agreement), self.project()?, &args)
            }
            TunerCommand::Explain(args) => {
                let job = args.examination.job(job);
                diagnose::explain(&job, self.project()?, &args, &options)
            }
            TunerCommand::Outliers(args) => {
                diagnose::outliers(&args.examination.job(job), self.project()?, &args)
            }
            TunerCommand::Residuals(args) => {
                let job = args.examination.job(job);
                diagnose::residuals(&job, self.project()?, &args, &options)
            }
            TunerCommand::Suggest(args) => {
                diagnose::suggest(&args.examination.job(job), self.project()?, &args)
            }
            TunerCommand::Effect(args) => {
                diagnose::effect(&args.examination.job(job), self.project()?, &args)
            }
            TunerCommand::Profile(args) => {
                diagnose::profile(&args.examination.job(job), self.project()?, &args)
            }
            TunerCommand::Selfplay(args) => {
                play::selfplay(&of_games(&args.play), self.project()?, &args)
            }
            TunerCommand::Loop(args) => {
                let project = self.project()?;
                play::rounds(&needs_none, project, &args, options.snapshot, self)
            }
        }
    }

    /// Runs a command on data. Where it asks an evaluator, that is the one of the engine, at the
    /// weights that the command names, else at those of the source; `--game` is then refused. Where
    /// the evaluator plays no games, a command that searches asks the program of the engine, if
    /// `tuner.toml` names one.
    fn data(&self, command: &DataCommand) -> Result<()> {
        let inputs = command.inputs();
        check_files(&inputs.data)?;
        let job = job(!inputs.print.json, inputs.threads.threads);
        let Some(project) = self.project.filter(|_| command.asks_evaluator()) else {
            return data::run(&job, self.game()?, None, command);
        };
        if let Some(game) = self.game {
            misuse!("--game {game}: no evaluator is asked where the game is named; leave it out");
        }
        let evaluation = project.evaluation()?;
        // Whether positions are searched by the engine's program, as its evaluator has no search.
        let is_by_engine = project.file.engine.is_some() && !evaluation.plays();
        let engine = command.engine().filter(|_| is_by_engine);
        let mut at = EvaluatorAt {
            evaluation,
            // Empty: the weights of the source.
            values: Vec::new(),
            fingerprint: fingerprint(&evaluation.weights().values()),
            program: None,
        };
        if command.weights().is_some() || engine.is_some() {
            let linked = project.linked()?;
            let typed = command.weights().unwrap_or("source");
            // Clamped to the bounds of the spec, as a fit does with its start.
            let set = NamedSet::read(&job, typed, &linked)?.within_bounds(&linked);
            if let Some(args) = engine {
                at.program = engine_at(&job, project, &linked, &set, &args.treatment())?;
            }
            at.values = set.values(&linked);
            at.fingerprint = set.fingerprint();
        }
        data::run(&job, self.game()?, Some(&at), command)
    }
}

/// Tells the user, a line each, what would stop the commands of a project. Fails if some lines are
/// not mere notes, which begin with `note: `.
fn doctor(job: &Job, project: &Project) -> Result<()> {
    let found = tuner_jobs::examine(job, project);
    output::say_all(&found);
    let stopping = found.iter().filter(|line| !line.starts_with("note: "));
    let count = stopping.count();
    if count > 0 {
        return Err(format!("findings: {count}").into());
    }
    let nothing = if found.is_empty() {
        "nothing"
    } else {
        "nothing else"
    };
    if project.file.sources.is_empty() {
        let instead = patch::instead(project)?;
        say!("{nothing} would stop check, fit or games here; patch: no sources, {instead}");
    } else {
        say!("{nothing} would stop check, fit, games or patch here");
    }
    Ok(())
}
