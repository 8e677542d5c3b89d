//! `loop`: rounds of play, fit and test, each from the best weights so far.
//!
//! Each step is a command of this program. It is said before it is run, so it can
//! be typed as well, and it resumes by itself. What has been decided is in
//! `loop.json`, which is written after each step; what a step leaves is in the
//! folder of its round:
//!
//! ```text
//! start.txt              the weights of the start
//! report.html            rounds and Elo, after each step
//! round-1/games.tsv.zst  self-play of the best weights so far
//! round-1/fit-1/         the fit to the games of the last rounds, unless it is the last one
//! round-1/scored-1/      the positions of these rounds, scored by its weights
//! round-1/fit/           the last fit, which has the new weights
//! round-1/test.jsonl     new against best: kept if the test is passed
//! round-1/start.jsonl    new against those of the start, where they were kept
//! best.txt               the weights kept last
//! ```

mod fits;
mod steps;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, CommandFactory, FromArgMatches};

use super::super::args::{MOST_THREADS, TunerArgs, TunerCommand, number_within};
use super::super::folder::lock;
use super::super::options::TypedOptions;
use super::super::output::{self, is_utf8};
use super::super::ranks::{is_shared, ranks};
use super::super::run::same_program;
use super::super::{CommandContext, Failure};
use super::arena::Arena;
use super::args::parse_hypotheses;
use super::scoreboard::Standing;
use crate::help::heading;
use crate::project::Project;
use crate::weights::{NamedSet, fingerprint};
use steps::{check, sprt, step_words};
use tuner_base::{shell_word, write_atomically};
use tuner_engine::LinkedSpec;
use tuner_fit::run::{OptionsSnapshot, weight_lines};
use tuner_record::{LOOP_FORMAT, LoopElo, LoopEngine, LoopRecord, LoopRound};
use tuner_report::loop_page;
use tuner_tournament::{Journal, Tally, Verdict};

/// A loop ends after so many rounds in a row whose weights were not kept.
const REJECTIONS: usize = 2;

/// The risks of a test, those of `match`.
const RISK: f64 = 0.05;

/// A loop from zero climbs until a round surely wins less Elo than this.
const SETTLED: f64 = 100.0;
/// Until then a round plays a part of its games: a few thousand are worth hundreds of Elo,
/// and soon played again by better weights.
const EARLY: u64 = 4;

/// Plays games, fits the weights to them, tests the new weights against the best
/// ones so far, keeps them if they pass; and again.
///
/// The same command continues a loop that was interrupted or killed, to the same
/// files; with more --rounds one that was done. Words behind `--` are options for
/// each `fit`.
#[derive(Args, Debug)]
pub(crate) struct LoopArgs {
    /// The folder of the loop.
    pub(super) folder: PathBuf,
    /// Rounds in all. It ends earlier where the weights of two rounds in a row are
    /// not kept.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Weights of the start: those of the spec, of the source, all zero (or as near
    /// as their bounds allow), or of a file [possible values: spec, source, zero,
    /// FILE].
    #[arg(long, default_value = "spec", value_name = "FROM")]
    from: String,
    /// Games to play a round; from zero a quarter of them, as long as each round wins 100
    /// Elo or more.
    #[arg(long, value_name = "N", default_value_t = 48_000, value_parser = clap::value_parser!(u64).range(1..), help_heading = heading::GAMES)]
    games: u64,
    /// Positions to search a move of these games.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..), help_heading = heading::GAMES)]
    nodes: u64,
    /// Positions to keep of a game, at most.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..))]
    positions: u64,
    /// Positions to search for the score of a position that is kept; 0 for the score of the
    /// search that played.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    score_nodes: u64,
    /// Times that all positions of a fit are scored anew, by the weights that were fitted to
    /// them, and fitted again [default: 1; 0 where scores change nothing, with
    /// --score-nodes 0 or --lambda 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=100))]
    refits: Option<u32>,
    /// The last rounds whose games are fitted; with --refits 0 those of a round count half
    /// as much as those of the next [default: 3; from zero 1 as long as
    /// each round wins 100 Elo or more, and then none of before].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    /// Part of the result in the target of the fit, the rest is the search's score
    /// [default: 0.2]. From zero the first fit is to results alone.
    #[arg(long, value_name = "SHARE", value_parser = parse_share, help_heading = heading::FITTED)]
    lambda: Option<f64>,
    /// The test that new weights must pass, as in `match`.
    #[arg(
        long,
        value_name = "ELO0,ELO1",
        default_value = "0,10",
        value_parser = parse_hypotheses,
        allow_hyphen_values = true,
        help_heading = heading::TEST
    )]
    sprt: [f64; 2],
    /// Most games of a test. Where they do not decide it, the weights are kept if the
    /// 95 % interval of their Elo is above 0.
    #[arg(long, value_name = "N", default_value_t = 4_000, value_parser = clap::value_parser!(u64).range(2..))]
    test_games: u64,
    /// Positions to search a move of a test.
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..))]
    test_nodes: u64,
    /// Games against the weights of the start, after each round whose weights are
    /// kept; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 400)]
    start_games: u64,
    /// Seed of all random numbers.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = heading::GAMES)]
    seed: u64,
    /// Number of threads; the result is the same for any [default: all].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS), help_heading = heading::METHOD)]
    threads: Option<u16>,
    /// Print one JSON object at the end.
    #[arg(long, help_heading = heading::OUTPUT)]
    json: bool,
    /// Options for each fit, such as `-- --prior 20`.
    #[arg(last = true, value_name = "FIT OPTION")]
    fit: Vec<String>,
}

pub(crate) fn run(
    context: &CommandContext<'_>,
    args: &LoopArgs,
    options: OptionsSnapshot,
) -> Result<(), Failure> {
    let project = context.project()?;
    let linked = project.linked()?;
    same_program(project, &linked, &[])?;
    check(args)?;
    let start = start(&linked, &args.from)?;
    if ranks().is_first() {
        let done = first_rank(context, project, args, options, &linked, &start);
        say_step(&[]);
        return done;
    }
    // Others take part in each step.
    while let Some(words) = heard_step() {
        let (command, options) = parsed(&words)?;
        context.run(command, options)?;
    }
    Ok(())
}

/// Between the words of a step on their way to other ranks.
const SEPARATOR: char = '\0';

/// Tells the other ranks which step comes; none: no further one.
fn say_step(words: &[String]) {
    let words = words.join(&SEPARATOR.to_string());
    // The first rank needs no answer.
    let _ = ranks().broadcast(words.into_bytes());
}

/// Returns the command that the first rank has sent.
fn heard_step() -> Option<Vec<String>> {
    let told = ranks().broadcast(Vec::new());
    let words = String::from_utf8_lossy(&told);
    (!words.is_empty()).then(|| words.split(SEPARATOR).map(str::to_owned).collect())
}

fn first_rank(
    context: &CommandContext<'_>,
    project: &Project,
    args: &LoopArgs,
    options: OptionsSnapshot,
    linked: &LinkedSpec,
    start: &[f64],
) -> Result<(), Failure> {
    is_utf8(&args.folder)?;
    fs::create_dir_all(&args.folder)
        .map_err(|error| format!("{}: {error}", args.folder.display()))?;
    let _lock = lock(&args.folder)?;
    let engine = LoopEngine {
        name: project.evaluation()?.name().to_owned(),
        spec: linked.spec.hash().to_owned(),
        source: fingerprint(&linked.link.source_weights()),
        start: fingerprint(start),
    };
    // Nobody to play is told before anything is done.
    Arena::of(project, linked)?;
    let mut running = LoopRun {
        command: context,
        args,
        state: opened(&args.folder, engine, options)?,
        begun: Instant::now(),
        in_steps: Duration::ZERO,
    };
    running.write("start.txt", linked, start)?;
    let begun = running.state.rounds.iter();
    let begun = begun.filter(|round| round.done).count();
    if begun > 0 {
        say!("{}: continued after {begun} rounds", args.folder.display());
    }
    while running.continues() {
        running.round()?;
    }
    running.end(linked)
}

/// A loop on its way.
struct LoopRun<'a> {
    command: &'a CommandContext<'a>,
    args: &'a LoopArgs,
    state: LoopRecord,
    begun: Instant,
    /// Spent in commands.
    in_steps: Duration,
}

/// Reads `loop.json`, if there is one.
fn opened(
    folder: &Path,
    engine: LoopEngine,
    options: OptionsSnapshot,
) -> Result<LoopRecord, Failure> {
    let path = folder.join("loop.json");
    let name = path.display();
    let Some(found) = LoopRecord::read(&path)? else {
        return Ok(LoopRecord {
            format: LOOP_FORMAT,
            engine,
            options,
            rounds: Vec::new(),
        });
    };
    if let Some(words) = found.options.differences(&options).next() {
        return Err(format!("{name}: the loop was begun with other options: {words}").into());
    }
    let parts = [
        ("name", found.engine.name == engine.name),
        ("spec", found.engine.spec == engine.spec),
        ("source", found.engine.source == engine.source),
        ("start", found.engine.start == engine.start),
    ];
    if let Some((changed, _)) = parts.iter().find(|(_, is_same)| !is_same) {
        return Err(format!(
            "{name}: the {changed} of the engine changed since the loop began, so its rounds do \
             not compare; go on in another folder with --from {}, which takes weights over by name",
            shell_word(&folder.join("best.txt"))
        )
        .into());
    }
    Ok(found)
}

impl LoopRun<'_> {
    /// Tells whether there is another round, or the rest of one.
    fn continues(&self) -> bool {
        let rounds = &self.state.rounds;
        if rounds.last().is_some_and(|round| !round.done) {
            return true;
        }
        rounds.len() < self.args.rounds as usize && !self.is_exhausted()
    }

    /// Tells whether the last rounds changed nothing.
    fn is_exhausted(&self) -> bool {
        let rejected = self.state.rounds.iter().rev();
        let rejected = rejected.take_while(|round| round.kept == Some(false));
        rejected.count() >= REJECTIONS
    }

    /// Plays, fits and tests.
    fn round(&mut self) -> Result<(), Failure> {
        if self.state.rounds.last().is_none_or(|round| round.done) {
            self.state.rounds.push(LoopRound::default());
            self.save()?;
        }
        let number = self.state.rounds.len();
        say!("round {number} of {}", self.args.rounds);
        let folder = self.folder(number);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        if self.at(number).kept.is_none() {
            if self.at(number).fitted == 0 {
                self.play(number)?;
            }
            self.fit(number)?;
        }
        if self.at(number).kept.is_none() {
            self.test(number)?;
        }
        // In the first round the test was against them.
        if self.at(number).is_kept() && self.best_before(number) != 0 && self.args.start_games > 0 {
            self.against_start(number)?;
        }
        self.at(number).done = true;
        self.save()?;
        say!("{}", self.line(number));
        Ok(())
    }

    fn play(&mut self, number: usize) -> Result<(), Failure> {
        let args = self.args;
        let games = if self.is_early(number) {
            args.games.div_ceil(EARLY)
        } else {
            args.games
        };
        let mut typed = vec![
            ("--weights", self.weights(self.best_before(number))),
            ("--games", games.to_string()),
            ("--nodes", args.nodes.to_string()),
            ("--positions", args.positions.to_string()),
            ("--seed", self.seed(number)),
        ];
        if args.score_nodes > 0 {
            typed.push(("--score-nodes", args.score_nodes.to_string()));
        }
        self.resume("selfplay", &[&self.games(number)], &typed)
    }

    fn test(&mut self, number: usize) -> Result<(), Failure> {
        let journal = self.folder(number).join("test.jsonl");
        let best = self.weights(self.best_before(number));
        let [elo0, elo1] = self.args.sprt;
        let typed = [
            ("--sprt", format!("{elo0},{elo1}")),
            ("--games", self.args.test_games.to_string()),
        ];
        let tally = self.games_between(number, &best, &journal, &typed)?;
        let sprt = sprt(self.args)?;
        let (kept, why) = match sprt.decides(&tally.pairs) {
            Some(Verdict::Passed) => (true, "the test is passed"),
            Some(Verdict::Failed) => (false, "the test is failed"),
            // The games were too few for the test.
            None if tally.is_won() => (true, "all games of the test are surely better"),
            None => (false, "the games of the test do not decide"),
        };
        let round = self.at(number);
        round.kept = Some(kept);
        why.clone_into(&mut round.why);
        round.test = Some(Standing::from(&tally).record(Some(&sprt)));
        self.save()
    }

    fn against_start(&mut self, number: usize) -> Result<(), Failure> {
        let journal = self.folder(number).join("start.jsonl");
        let typed = [("--games", self.args.start_games.to_string())];
        let tally = self.games_between(number, &self.weights(0), &journal, &typed)?;
        self.at(number).start = Some(Standing::from(&tally).record(None));
        self.save()
    }

    /// The new weights of a round against others.
    fn games_between(
        &mut self,
        number: usize,
        other: &str,
        journal: &Path,
        options: &[(&str, String)],
    ) -> Result<Tally, Failure> {
        let common = [
            ("--nodes", self.args.test_nodes.to_string()),
            ("--seed", self.seed(number)),
            ("--journal", journal.display().to_string()),
        ];
        let options: Vec<_> = options.iter().cloned().chain(common).collect();
        self.resume("match", &[&self.weights(number), other], &options)?;
        Ok(*Journal::read(journal)?.tally())
    }

    /// Runs a command that resumes by itself.
    fn resume(
        &mut self,
        command: &str,
        names: &[&str],
        options: &[(&str, String)],
    ) -> Result<(), Failure> {
        let words = step_words(self.args, command, names, options, &["--resume"]);
        self.step(command, &words)
    }

    /// Says a command and runs it, with the other ranks if they can.
    fn step(&mut self, command: &str, words: &[String]) -> Result<(), Failure> {
        // Others wait where one process does it.
        if is_shared(command) {
            say_step(words);
        }
        let begun = Instant::now();
        let round = self.state.rounds.len();
        let interrupted =
            format!("in round {round}; what was done is kept, the same `loop` continues");
        let done = self.command.step(words, &interrupted);
        self.in_steps += begun.elapsed();
        done
    }

    /// A round, counted from 1.
    fn at(&mut self, number: usize) -> &mut LoopRound {
        &mut self.state.rounds[number - 1]
    }

    /// The round whose weights were the best before a round; 0 for the start.
    fn best_before(&self, number: usize) -> usize {
        self.state.best_before(number)
    }

    fn folder(&self, number: usize) -> PathBuf {
        self.args.folder.join(format!("round-{number}"))
    }

    /// The weights of a round; those of round 0 are those of the start.
    fn weights(&self, number: usize) -> String {
        let path = match number {
            0 => self.args.folder.join("start.txt"),
            _ => self.folder(number).join("fit").join("weights.txt"),
        };
        path.display().to_string()
    }

    fn games(&self, number: usize) -> String {
        self.folder(number)
            .join("games.tsv.zst")
            .display()
            .to_string()
    }

    /// Tells whether a loop from zero climbs: each round before has won much.
    fn is_early(&self, number: usize) -> bool {
        self.args.from == "zero" && self.settled(number).is_none()
    }

    /// The first round before this one that surely won little.
    fn settled(&self, number: usize) -> Option<usize> {
        let before = &self.state.rounds[..number - 1];
        let index = before.iter().position(|round| {
            let test = round.test.as_ref();
            let most = test.and_then(|test| Some(test.elo? + test.elo_error?));
            round.kept == Some(false) || most.is_some_and(|most| most < SETTLED)
        });
        index.map(|index| index + 1)
    }

    /// Other games each round, and ids of their own.
    fn seed(&self, number: usize) -> String {
        self.args.seed.wrapping_add(number as u64).to_string()
    }

    fn save(&self) -> Result<(), Failure> {
        let path = self.args.folder.join("loop.json");
        let text = serde_json::to_string_pretty(&self.state)? + "\n";
        write_atomically(&path, &text).map_err(|error| format!("{}: {error}", path.display()))?;
        let page = path.with_file_name("report.html");
        write_atomically(&page, &loop_page(&self.state))
            .map_err(|error| format!("{}: {error}", page.display()))?;
        Ok(())
    }

    /// Returns the line on the result of a round.
    fn line(&self, number: usize) -> String {
        let round = &self.state.rounds[number - 1];
        let what = if round.is_kept() { "kept" } else { "not kept" };
        let elo = |elo: Option<LoopElo>, against: &str| {
            elo.map_or_else(String::new, |elo| {
                format!(", {}", elo.words(&format!(" Elo against {against}")))
            })
        };
        let start = round.start.as_ref().and_then(LoopElo::of_winner);
        format!(
            "round {number}: {what}: {}{}{}",
            round.why,
            elo(round.against_best(), "the best before"),
            elo(start, "the start")
        )
    }

    /// Writes the best weights, and says what the loop came to.
    fn end(&self, linked: &LinkedSpec) -> Result<(), Failure> {
        let rounds = self.state.rounds.len();
        for number in 1..=rounds {
            say!("{}", self.line(number));
        }
        let best = self.state.best();
        let read = NamedSet::read(&self.weights(best), linked)?;
        self.write("best.txt", linked, &read.weights)?;
        say!(
            "{}: rounds and Elo",
            self.args.folder.join("report.html").display()
        );
        if self.is_exhausted() {
            say!("the weights of {REJECTIONS} rounds in a row were not kept: the loop is done");
        }
        say!("{}", self.state.headline());
        let (all, steps) = (
            self.begun.elapsed().as_secs_f64(),
            self.in_steps.as_secs_f64(),
        );
        say!(
            "{all:.1} s, of which its commands took {:.1} %",
            100.0 * steps / all
        );
        if self.args.json {
            output::line(&serde_json::to_string(&self.state)?)?;
        }
        Ok(())
    }

    /// Writes weights into the folder, if they are others.
    fn write(&self, name: &str, linked: &LinkedSpec, weights: &[f64]) -> Result<(), Failure> {
        let layout = linked.spec.layout();
        let names: Vec<String> = layout
            .weight_ids()
            .map(|weight| layout.name(weight))
            .collect();
        let lines = weight_lines(names.iter().zip(weights.iter().copied()));
        output::file(&self.args.folder.join(name), &lines, "")
    }
}

/// The weights to start from.
fn start(linked: &LinkedSpec, from: &str) -> Result<Vec<f64>, Failure> {
    let set = NamedSet::read(from, linked)?;
    let set = if from == "zero" {
        set.within_bounds(linked)
    } else {
        set
    };
    Ok(set.weights)
}

/// Reads words as this program does when they are typed.
pub(crate) fn parsed(words: &[String]) -> Result<(TunerCommand, TypedOptions), clap::Error> {
    let command = TunerArgs::command();
    let name = [command.get_name().to_owned()];
    let matches = command
        .clone()
        .try_get_matches_from(name.iter().chain(words))?;
    let options = TypedOptions::new(&command, &matches);
    Ok((TunerArgs::from_arg_matches(&matches)?.command, options))
}

fn read(file: &str) -> Result<String, Failure> {
    Ok(fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?)
}

fn parse_share(text: &str) -> Result<f64, String> {
    number_within(text, 0.0..=1.0, "a number from 0 to 1")
}
