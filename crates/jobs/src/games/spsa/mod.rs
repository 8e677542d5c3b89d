//! `spsa`: weights of an evaluation and options of a program, moved by games alone.
//!
//! Pairs are played in batches with the same numbers, so that the games depend on the
//! options and not on the threads. `spsa.json` is written after each batch; the same
//! command with `--resume` continues from it. At the end the numbers play those of the start.

mod numbers;
mod options;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::arena::{Side, SidesOf};
use super::matches::complain;
use super::{
    Arena, Games, GamesConfig, GamesProgress, MatchConfig, MatchSide, Treatment, identity,
    run_match, with_rules,
};
use crate::failure::AtPath as _;
use crate::folder::lock;
use crate::{Failure, Job, Project, Result};
use numbers::{MovedNumbers, MovedWeights};
pub use options::MovedOption;
use tuner_base::write_if_changed;
use tuner_data::AnyGame;
use tuner_engine::LinkedSpec;
use tuner_fit::run::weight_lines;
use tuner_play::{
    ContestSettings, MatchTexts, PairRecord, PlayerFault, SettingsText as _, Thinking,
};
use tuner_record::{NamedValues, StandingRecord};
use tuner_report::{MovedNumber, SpsaRecord, spsa_page};
use tuner_spec::FrozenChoice;
use tuner_tournament::{Program, check_settings, read_state, write_state};

/// Version of `spsa.json`; another one is refused.
const FORMAT: u64 = 1;

/// Pairs that are played with the same numbers. Chosen: as many as a large machine has
/// threads; what the first of them teach comes a moment late.
const BATCH: u64 = 32;

/// Most points of the course of the numbers that are kept, for the picture.
const POINTS: u64 = 200;

/// How many of the numbers that moved most are named.
const SHOWN: usize = 10;

/// Standard deviations of a 95 % interval.
const NORMAL: f64 = 1.96;

/// Numbers that are moved by games.
#[derive(Clone, Debug, PartialEq)]
pub struct SpsaConfig {
    /// The folder to write into: `weights.txt`, `options.txt`, `spsa.json`, `spsa.html`.
    pub out: PathBuf,
    /// The program whose options are moved, with its arguments; else the engine of the project
    /// plays.
    pub program: Option<String>,
    /// Options that are moved.
    pub options: Vec<MovedOption>,
    /// How programs are treated.
    pub treatment: Treatment,
    /// An option that only programs heed, if one was given; an evaluator refuses it.
    pub for_programs: Option<&'static str>,
    /// Weights of the start: `spec`, `source`, or a file.
    pub from: String,
    /// The weights that are moved. Its `start` is set by the run.
    pub choice: FrozenChoice,
    /// How far weights are moved either way at the end: sizes for all parameters, or by name.
    pub perturbations: Vec<Perturbation>,
    /// What a won game of the end moves a number by, as a part of its perturbation.
    pub rate: f64,
    /// Games in all, those of an interrupted run included.
    pub count: u64,
    /// Games of the test at the end.
    pub test_games: u64,
    /// How they are played.
    pub games: GamesConfig,
}

/// A size, for all parameters or for those of a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Perturbation {
    /// The name, in which `*` stands for anything.
    pub name: Option<String>,
    /// The size, in the unit of the weights.
    pub size: f64,
}

/// The result of tuning by games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpsaSummary {
    /// Games played.
    pub games: u64,
    /// Games in all.
    pub of: u64,
    /// Where the numbers that were moved are.
    pub weights: NamedValues,
    /// How far from its start chance alone moves each number, in 95 % of such runs.
    pub noise: NamedValues,
    /// The games of the numbers of the end against those of the start, if they were played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<StandingRecord>,
}

/// The content of `spsa.json`.
#[derive(Debug, Default, Deserialize, Serialize)]
struct SpsaState {
    format: u64,
    /// The identity that a run that resumes must have in common.
    identity: Value,
    /// Pairs that were learnt from.
    pairs: u64,
    /// The sum over pairs of (half points − 2)².
    squares: u64,
    /// Games that were lost by a fault of the engine.
    faults: u64,
    /// Where the numbers are, by their names.
    variables: Vec<(String, f64)>,
    /// The course: where the numbers were, in their order, after so many pairs.
    course: Vec<(u64, Vec<f64>)>,
}

impl SpsaState {
    /// Returns the values of the numbers that are moved (weights, then options), in their order.
    fn numbers(&self) -> Vec<f64> {
        self.variables.iter().map(|(_, at)| *at).collect()
    }

    /// Returns the variance of the half points of a pair, about the 2 of an even pair: the mean of
    /// (half points − 2)² over all pairs; 0 without pairs.
    fn variance(&self) -> f64 {
        self.squares as f64 / self.pairs.max(1) as f64
    }
}

/// Tunes numbers by games alone (SPSA) and returns where they are and what they won. With
/// `config.program` the numbers are options of that program; else weights of the engine of
/// `project`, and, where builds of it play, options too. `game` gives the rules that a program
/// plays by, and is not called for a project.
///
/// # Errors
/// If the engine does not play, options are not what it offers, files cannot be written, no number
/// is free. An interruption is not an error: the summary says how many games were played, and has
/// no test at the end.
pub fn spsa<'a>(
    job: &Job,
    project: Option<&Project>,
    game: impl FnOnce() -> Result<&'a AnyGame>,
    config: &SpsaConfig,
) -> Result<SpsaSummary> {
    // Makes the run, of options of a program or of weights of a project.
    let tuning = |project, numbers| Tuning {
        job,
        project,
        config,
        numbers,
    };
    if let Some(command) = &config.program {
        if config.options.is_empty() {
            misuse!(
                "spsa {command}: nothing is moved; name options by --option, or a file of them"
            );
        }
        let rules = with_rules(game()?, "spsa")?;
        let (program, _) = config.treatment.started(command, rules)?;
        let numbers = MovedNumbers::new(job, config, None)?;
        let who = Players::Program {
            rules,
            program,
            file: None,
        };
        return tuning(None, numbers).run(&who);
    }
    let project = project.ok_or_else(|| {
        Failure::usage(
            "found no tuner.toml here or above, whose weights could be moved; to move options of a \
             program, name it: spsa ./engine --option …",
        )
    })?;
    let linked = project.linked()?;
    let weights = MovedWeights::of(job, config, &linked)?;
    let numbers = MovedNumbers::new(job, config, Some(weights))?;
    let arena = Arena::of(project, &linked)?;
    let who = match &arena {
        Arena::Evaluator(_) => {
            let told = config.for_programs;
            if let Some(option) = told.or((!config.options.is_empty()).then_some("--option")) {
                misuse!(
                    "{option}: is for programs; an evaluator plays at --nodes or --depth. Name the \
                     program of the engine to move its options: spsa ./engine --option …"
                );
            }
            Players::Evaluator(project, &linked)
        }
        Arena::Builds(builds) => {
            let (program, option) = builds.with_option(job, &config.treatment)?;
            Players::Program {
                rules: builds.game,
                program,
                file: Some((builds, option)),
            }
        }
    };
    tuning(Some(project), numbers).run(&who)
}

/// Who plays both sides of a pair.
enum Players<'a> {
    /// The evaluator, at any weights.
    Evaluator(&'a Project, &'a LinkedSpec),
    /// A program by its options, of which one may take a file of weights.
    Program {
        rules: &'a AnyGame,
        program: Program,
        file: Option<(&'a super::Builds<'a>, &'a str)>,
    },
}

impl Players<'_> {
    /// Returns what tells the players from others where a run is resumed: the name of the
    /// evaluator's engine, or the command and options of the program.
    fn name(&self) -> Result<Value> {
        Ok(match self {
            Self::Evaluator(project, _) => project.evaluation()?.name().into(),
            Self::Program { program, .. } => {
                serde_json::to_value((&program.command, &program.options))?
            }
        })
    }

    /// Returns the game that is played, and its rules if they are known here.
    fn game(&self) -> Result<&AnyGame> {
        match self {
            Self::Program { rules, .. } => Ok(*rules),
            Self::Evaluator(project, _) => project.game(),
        }
    }

    /// Returns how one side of a pair plays where the numbers that are tuned have the values `at`:
    /// an evaluator gets weights, a program options. A program that reads weights from a file gets
    /// them in `file`, which is written now, and named by one of the options.
    fn side(&self, numbers: &MovedNumbers<'_>, at: &[f64], file: &Path) -> Result<Side> {
        let weights = numbers.weights(at);
        let mut side = Side {
            options: numbers.options(at),
            ..Side::default()
        };
        match (self, weights) {
            (Self::Evaluator(_, linked), Some(weights)) => side.values = weights.values(linked),
            (
                Self::Program {
                    file: Some((builds, option)),
                    ..
                },
                Some(weights),
            ) => {
                builds.write(&weights, file)?;
                let file = std::path::absolute(file)?.display().to_string();
                side.options.push(((*option).to_owned(), file));
            }
            // A program of which options alone are moved has no weights.
            _ => {}
        }
        Ok(side)
    }

    /// Returns the pairs of games, by number, of these players against themselves, with weights or
    /// options that `sides` gives for each pair. The outer error is about the players, the inner
    /// one about the book of openings.
    fn games<'a>(
        &'a self,
        contest: &'a ContestSettings,
        sides: SidesOf<'a>,
    ) -> Result<Result<Games<'a, PairRecord>, String>> {
        match self {
            Self::Evaluator(project, _) => {
                Games::of_evaluator_by_pair(project.evaluation()?, contest, sides)
            }
            Self::Program { rules, program, .. } => Ok(Games::of_program_by_pair(
                *rules,
                contest,
                program.clone(),
                sides,
            )),
        }
    }
}

/// A run: the numbers that are moved, and how.
struct Tuning<'a> {
    job: &'a Job,
    project: Option<&'a Project>,
    config: &'a SpsaConfig,
    numbers: MovedNumbers<'a>,
}

impl Tuning<'_> {
    /// Tunes in the folder of the run, from its state there if it resumes: plays what is left,
    /// writes the result, and tests it once all pairs are played. Before the first game it is found
    /// out whether a program heeds the options that are moved.
    fn run(&self, who: &Players<'_>) -> Result<SpsaSummary> {
        let (config, settings) = (self.config, &self.numbers.settings);
        fs::create_dir_all(&config.out)
            .map_err(|error| format!("--out {}: {error}", config.out.display()))?;
        let _lock = lock(&config.out)?;
        // An evaluator that plays can tell if a random opening is balanced, a program cannot.
        let judged = matches!(who, Players::Evaluator(..));
        let (game, pairs) = (who.game()?, settings.pairs);
        let contest = (config.games).settings(game, judged, pairs, MatchTexts::default())?;
        // What must be the same where the run resumes; `weights` are the names of all numbers,
        // options included.
        let start = match &self.numbers.weights {
            Some(weights) => weights.start.fingerprint().into(),
            None => Value::from(self.numbers.start.clone()),
        };
        let option_file = (self.numbers).option_file(&self.numbers.start, config.rate);
        let about = [
            ("engine", who.name()?),
            ("start", start),
            ("weights", self.numbers.names.clone().into()),
            ("perturbations", settings.perturbations.clone().into()),
            ("rate", config.rate.into()),
            ("options", option_file.into()),
            ("pairs", settings.pairs.into()),
        ];
        let identity = identity(about, &contest.line(), &contest.openings);
        let mut state = self.begun(identity)?;
        if let (Players::Program { rules, program, .. }, 0) = (who, state.pairs)
            && !config.options.is_empty()
        {
            // The limit of trial searches; searches that time limits are never alike.
            let limit = match config.games.thinking {
                Thinking::Move(limit) if !limit.is_time() => Some(limit),
                _ => None,
            };
            options::check(self.job, *rules, program, &config.options, limit)?;
        }
        self.play(who, &contest, &mut state)?;
        let mut summary = self.report(&state)?;
        if state.pairs == settings.pairs && config.test_games > 0 && !self.job.is_interrupted() {
            summary.test = self.test(who, &state)?;
        }
        Ok(summary)
    }

    /// Returns the state in `spsa.json` to continue from, or a new one where no such file is there.
    /// Fails if it is there and the run is not to resume, or if it was begun with other players,
    /// numbers or settings than `identity` has.
    fn begun(&self, identity: Value) -> Result<SpsaState> {
        let path = self.config.out.join("spsa.json");
        let name = path.display();
        let cure = "name another folder by --out";
        let Some(state) = read_state::<SpsaState>(&path, FORMAT, cure)? else {
            let start = self.numbers.start.iter().copied();
            return Ok(SpsaState {
                format: FORMAT,
                identity,
                variables: self.numbers.names.iter().cloned().zip(start).collect(),
                ..SpsaState::default()
            });
        };
        if !self.config.games.resume {
            let words =
                "it is there already; --resume continues it, or name another folder by --out";
            fail!("{name}: {words}");
        }
        check_settings(&state.identity, &identity).map_err(|words| format!("{name}: {words}"))?;
        self.job
            .say(format_args!("resumed after {} games", 2 * state.pairs));
        Ok(state)
    }

    /// Plays all pairs that are left, in batches of `BATCH` (32) with the same numbers, and moves
    /// the numbers after each batch, by its results in the order of pairs. From a batch that was
    /// interrupted nothing is learnt. Fails where all games of a batch were lost on time.
    fn play(
        &self,
        who: &Players<'_>,
        contest: &ContestSettings,
        state: &mut SpsaState,
    ) -> Result<()> {
        let (job, openings) = (self.job, &self.config.games.openings);
        let now = RwLock::new(state.numbers());
        // Files of weights, one for each side of the pairs that are being played, where a program
        // reads weights from a file.
        let files = self.config.out.join("sides");
        let sides = |pair: u64| -> Result<[Side; 2], PlayerFault> {
            let now = now.read().unwrap_or_else(PoisonError::into_inner);
            // The numbers, moved one way for the first side and the other way for the second.
            let [first, second] = self.numbers.settings.sides(&now, pair);
            let side = |numbers: &[f64], name: &str| {
                let file = files.join(format!("{pair}-{name}.txt"));
                let side = who.side(&self.numbers, numbers, &file);
                side.map_err(|failure| PlayerFault::Unusable(failure.words().to_owned()))
            };
            Ok([side(&first, "first")?, side(&second, "second")?])
        };
        let games = who.games(contest, &sides)?;
        let games = games.map_err(|words| openings.refused(&words))?;
        openings.say(job, games.openings);
        if matches!(who, Players::Program { file: Some(_), .. }) {
            fs::create_dir_all(&files)?;
        }
        job.observer.listen()?;
        let all = self.numbers.settings.pairs;
        // How many batches are between two points of the course.
        let every = all.div_ceil(BATCH).div_ceil(POINTS);
        let progress = GamesProgress::new(job, 2 * all, 2 * state.pairs);
        let path = self.config.out.join("spsa.json");
        let mut complained = 0;
        while state.pairs < all {
            let end = (state.pairs + BATCH).min(all);
            let (mut results, mut late) = (Vec::new(), 0);
            let before = complained;
            games.play(job, state.pairs..end, |number, pair| {
                complain(job, &pair, number, &mut complained);
                late += pair.late().iter().sum::<u8>();
                results.push(pair.half_points().iter().sum::<u8>());
                Ok(job.flow())
            })?;
            // `results` has the half points, 0 to 4, of each pair; `late` counts games lost on
            // time, of two a pair.
            if late > 0 && usize::from(late) == 2 * results.len() {
                fail!("the last {late} games were lost on time: give more of it, or --time-margin");
            }
            if results.len() as u64 == end - state.pairs {
                let mut numbers = state.numbers();
                for (pair, points) in (state.pairs..).zip(results) {
                    self.numbers.settings.learn(&mut numbers, pair, points);
                    state.squares += u64::from(points.abs_diff(2)).pow(2);
                }
                for ((_, at), number) in state.variables.iter_mut().zip(&numbers) {
                    *at = *number;
                }
                state.pairs = end;
                state.faults += complained - before;
                if end == all || end.div_ceil(BATCH).is_multiple_of(every) {
                    state.course.push((end, numbers.clone()));
                }
                *now.write().unwrap_or_else(PoisonError::into_inner) = numbers;
                write_state(&path, state)?;
                progress.games(2 * state.pairs, String::new);
            }
            if job.is_interrupted() {
                break;
            }
        }
        job.status_ended();
        // Often there is no such folder; one that cannot be removed does no harm.
        let _ = fs::remove_dir_all(&files);
        Ok(())
    }

    /// Returns how far chance alone moves each number in `pairs` pairs, in 95 % of runs, in the
    /// unit of the number. `variance`: of the half points of a pair.
    fn noise(&self, pairs: u64, variance: f64) -> Vec<f64> {
        let settings = &self.numbers.settings;
        let noise = NORMAL * settings.noise(pairs, variance);
        let each = settings.perturbations.iter().zip(&settings.rates);
        each.map(|(size, rate)| size * rate * noise).collect()
    }

    /// Writes the numbers, rounded to their steps, and the page, tells the user what moved most,
    /// and returns the summary. Its `test` is `None`: whoever calls this plays the test and adds
    /// it.
    fn report(&self, state: &SpsaState) -> Result<SpsaSummary> {
        let (job, config, numbers) = (self.job, self.config, &self.numbers);
        let rounded = numbers.rounded(&state.numbers());
        let noise = self.noise(state.pairs, state.variance());
        let mut written = Vec::new();
        let mut write = |name: &str, text: &str| {
            let path = config.out.join(name);
            write_if_changed(&path, text).at(&path)?;
            written.push(path.display().to_string());
            Ok::<_, Failure>(())
        };
        if let (Some(of), Some(set)) = (&numbers.weights, numbers.weights(&rounded)) {
            // As counts of steps and back: the floats nearest to multiples of the steps, which
            // print with few digits.
            let layout = of.spec.layout();
            let values = layout.values(&layout.counts(&set.weights)?);
            let lines = weight_lines(of.start.k, of.names.iter().zip(values));
            write("weights.txt", &lines)?;
        }
        if !config.options.is_empty() {
            write("options.txt", &numbers.option_file(&rounded, config.rate))?;
        }
        let moved: Vec<MovedNumber> = (numbers.names.iter().enumerate())
            .map(|(index, name)| MovedNumber {
                name: name.clone(),
                start: numbers.start[index],
                value: state.variables[index].1,
                noise: noise[index],
                size: numbers.settings.perturbations[index],
                rate: numbers.settings.rates[index],
                course: state.course.iter().map(|(_, at)| at[index]).collect(),
            })
            .collect();
        // For the picture: after how many pairs the numbers were recorded, and how far chance alone
        // moves a number of rate 1 until then, in its perturbations (`unit`: one standard
        // deviation).
        let unit = |pairs: &u64| numbers.settings.noise(*pairs, state.variance());
        let pairs: Vec<u64> = state.course.iter().map(|(pairs, _)| *pairs).collect();
        let record = SpsaRecord {
            command: job.command.to_string(),
            games: 2 * state.pairs,
            of: 2 * numbers.settings.pairs,
            noise: pairs.iter().map(|at| NORMAL * unit(at)).collect(),
            after: pairs.iter().map(|pairs| 2 * pairs).collect(),
            numbers: moved,
        };
        write("spsa.html", &spsa_page(&record))?;
        job.say(format_args!(
            "{} games of {}; what moved most, and ± what chance alone moves it by (95 %):",
            record.games, record.of
        ));
        for number in record.by_moves().iter().take(SHOWN) {
            job.say(format_args!("  {}", number.words()));
        }
        if state.pairs > 0 && state.squares == 0 {
            job.say("no pair was won, so nothing was learnt: give other openings or another limit");
        }
        if state.faults > 0 {
            let (faults, games) = (state.faults, record.games);
            job.say(format_args!(
                "{faults} of {games} games were lost by faults of the engine"
            ));
        }
        job.say(format_args!("written: {}", written.join(", ")));
        Ok(SpsaSummary {
            games: record.games,
            of: record.of,
            weights: NamedValues(state.variables.clone()),
            noise: NamedValues(numbers.names.iter().cloned().zip(noise).collect()),
            test: None,
        })
    }

    /// Plays a match of the numbers of the end, rounded as they are written, against those of the
    /// start, and returns what it came to. `None` where both are the same, on a rank other than the
    /// first, or where the user interrupts it.
    fn test(&self, who: &Players<'_>, state: &SpsaState) -> Result<Option<StandingRecord>> {
        let (job, config) = (self.job, self.config);
        let ends = [
            self.numbers.rounded(&state.numbers()),
            self.numbers.start.clone(),
        ];
        if ends[0] == ends[1] {
            job.say("all numbers are where they started: there is nothing to test");
            return Ok(None);
        }
        // A program differs by its options alone; an engine of a project by its weights, and
        // options too.
        let weights = config.out.join("weights.txt").display().to_string();
        let sides = match &config.program {
            Some(program) => [program.clone(), program.clone()],
            None => [weights, config.from.clone()],
        };
        let side = |(named, numbers): (String, Vec<f64>)| {
            let mut treatment = config.treatment.clone();
            treatment.options.extend(self.numbers.options(&numbers));
            MatchSide {
                named,
                treatment,
                ..MatchSide::default()
            }
        };
        let journal = config.out.join("test.jsonl");
        let test = MatchConfig {
            sides: sides.into_iter().zip(ends).map(side).collect(),
            games: GamesConfig {
                // Other openings than those that were learnt from.
                seed: config.games.seed.wrapping_add(1),
                resume: journal.exists(),
                ..config.games.clone()
            },
            pairs: config.test_games.div_ceil(2),
            journal: Some(journal),
            ..MatchConfig::default()
        };
        job.say(format_args!(
            "a test of {} games against the start:",
            config.test_games
        ));
        // On a rank other than the first there is no result.
        let Some(found) = run_match(job, self.project, || who.game(), &test)? else {
            return Ok(None);
        };
        if found.end.is_err() && job.is_interrupted() {
            return Ok(None);
        }
        found.end?;
        Ok(Some(found.standing.record(None)))
    }
}
