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

use crate::failure::AtPath as _;
use crate::folder::lock;
use crate::games::{Arena, BOOK_PLIES, GamesStanding, OpeningSource};
use crate::job::is_utf8;
use crate::positions::same_program;
use crate::weights::named_lines;
use crate::{Failure, Job, NamedSet, Project, Result, fingerprint};
use steps::{check, step_words};
use tuner_base::{Ranks, shell_word, shell_words, write_atomically};
use tuner_engine::LinkedSpec;
use tuner_fit::run::OptionsSnapshot;
use tuner_record::{LOOP_FORMAT, LoopElo, LoopEngine, LoopRecord, LoopRound};
use tuner_report::loop_page;
use tuner_tournament::{Journal, Sprt, Tally, Verdict};

/// So many rounds in a row whose weights were not kept end the loop.
const REJECTIONS: usize = 2;

/// A loop from zero climbs until a round surely wins less Elo than this.
const SETTLED: f64 = 100.0;
/// The divisor of the games of a round as long as a loop from zero climbs. Chosen: a few thousand
/// games are worth hundreds of Elo then, and better weights soon play again.
const EARLY: u64 = 4;

/// A loop of rounds that play, fit and test.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopConfig {
    /// The folder of the loop, which holds all its files.
    pub folder: PathBuf,
    /// Rounds in all.
    pub rounds: u32,
    /// Weights of the start: `spec`, `source`, `zero`, or a file.
    pub from: String,
    /// Games to play a round.
    pub games: u64,
    /// Positions to search a move of these games.
    pub nodes: u64,
    /// Depth of all searches, in place of numbers of positions; `None`: those count.
    pub depth: Option<u32>,
    /// Most positions to keep of a game.
    pub positions: u64,
    /// Positions to search for the score of a kept position; 0: the score is that of the search
    /// that played.
    pub score_nodes: u64,
    /// How often the positions of a fit are scored anew and fitted again; `None`: once, or never
    /// where scores change nothing.
    pub refits: Option<u32>,
    /// How many rounds, the last ones, have their games fitted; `None`: the default of the loop.
    pub keep: Option<u32>,
    /// Part of the result in the target of a fit, from 0 to 1; `None`: the default of the loop.
    pub lambda: Option<f64>,
    /// The test that new weights must pass.
    pub sprt: Sprt,
    /// Most games of a test.
    pub test_games: u64,
    /// Positions to search a move of a test.
    pub test_nodes: u64,
    /// Book of its openings; random ones without it.
    pub book: Option<PathBuf>,
    /// Games against the weights of the start; 0 for none.
    pub start_games: u64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Threads of each step; `None` for all.
    pub threads: Option<u16>,
    /// Options for each fit, in words.
    pub fit: Vec<String>,
    /// The options of the command: they must be the same where the loop continues.
    pub options: OptionsSnapshot,
}

impl LoopConfig {
    /// Returns the option of a command, name and value, that limits a search: `--nodes` with
    /// `nodes`, or `--depth` if the options of the loop give a depth.
    fn thinking(&self, nodes: u64) -> (&'static str, String) {
        let by_nodes = || ("--nodes", nodes.to_string());
        (self.depth).map_or_else(by_nodes, |depth| ("--depth", depth.to_string()))
    }
}

/// Runs steps, each a command of the program in words, of which the first is the name of the
/// command, such as `selfplay`.
pub trait StepRunner {
    /// Fails unless the words are a command of this program with options that it accepts. Nothing
    /// is run.
    ///
    /// # Errors
    /// What is wrong with the words.
    fn check(&self, words: &[String]) -> Result<(), String>;

    /// Runs a command of this program, given by its words, without the program's name.
    ///
    /// # Errors
    /// If the command fails.
    fn run(&self, words: &[String]) -> Result<()>;
}

/// Runs nothing.
impl StepRunner for () {
    /// Always fails: there are no commands.
    fn check(&self, _: &[String]) -> Result<(), String> {
        Err("this program runs no commands".to_owned())
    }

    /// Always fails: there are no commands.
    fn run(&self, words: &[String]) -> Result<()> {
        Err(self.check(words).err().unwrap_or_default().into())
    }
}

/// Says the words of a step, a command of this program, so that the user could type it, and runs
/// it. If the step is interrupted, the failure has the message `interrupted`.
pub(crate) fn run_step(
    job: &Job,
    steps: &dyn StepRunner,
    words: &[String],
    interrupted: &str,
) -> Result<()> {
    job.say(format_args!("$ {}", shell_words(words)));
    steps.run(words).map_err(|failure| match failure {
        Failure::Interrupted(_) => Failure::Interrupted(interrupted.to_owned()),
        other => other,
    })
}

/// Runs a loop of rounds: plays games, fits the weights to them, tests the new weights against the
/// best ones so far, and keeps them if they pass. Each step is a command that `steps` runs. The
/// first rank decides, and returns the record of the loop; the others run the steps that the first
/// tells them, and return `None`.
///
/// # Errors
/// If a step fails, or the loop in the folder is another one.
pub fn run_loop(
    job: &Job,
    project: &Project,
    config: &LoopConfig,
    steps: &dyn StepRunner,
) -> Result<Option<LoopRecord>> {
    let linked = project.linked()?;
    same_program(job, project, &linked, &[])?;
    check(config, steps)?;
    // 0 may be outside of a weight's bounds.
    let start = NamedSet::read(job, &config.from, &linked)?;
    let start = if config.from == "zero" {
        start.within_bounds(&linked)
    } else {
        start
    };
    if job.ranks.is_first() {
        let done = first_rank(job, project, config, steps, &linked, &start);
        // Without words: the other ranks end, also where the loop failed.
        say_step(job.ranks, &[]);
        return done.map(Some);
    }
    // The other ranks take part in each step: they receive the words of the command that the first
    // rank broadcasts by `say_step`, with 0 bytes between, and end at an empty message.
    loop {
        let told = job.ranks.broadcast(Vec::new());
        if told.is_empty() {
            return Ok(None);
        }
        let words = String::from_utf8_lossy(&told);
        let words: Vec<_> = words.split(SEPARATOR).map(str::to_owned).collect();
        steps.run(&words)?;
    }
}

/// What separates the words of a step in the message to other ranks.
const SEPARATOR: char = '\0';

/// Tells the other ranks the words of the next step; without words there is no further step, and
/// they end. The first rank alone calls it, while the others wait in `broadcast`.
fn say_step(ranks: Ranks, words: &[String]) {
    let words = words.join(&SEPARATOR.to_string());
    // A broadcast returns the message that the first rank sent, which it knows.
    let _ = ranks.broadcast(words.into_bytes());
}

/// Runs all rounds of the loop on the first rank, from where it was interrupted if its folder has a
/// record, and returns the record. `start`: the weights that the first round plays with.
fn first_rank(
    job: &Job,
    project: &Project,
    config: &LoopConfig,
    steps: &dyn StepRunner,
    linked: &LinkedSpec,
    start: &NamedSet,
) -> Result<LoopRecord> {
    let folder = &config.folder;
    is_utf8(folder)?;
    fs::create_dir_all(folder).at(folder)?;
    let _lock = lock(folder)?;
    let engine = LoopEngine {
        name: project.evaluation()?.name().to_owned(),
        spec: linked.spec.hash().to_owned(),
        source: fingerprint(&linked.link.source_weights()),
        start: start.fingerprint(),
    };
    // Fails before anything is done if neither engine nor evaluator plays, or the book is wrong.
    Arena::of(project, linked)?;
    if let Some(file) = config.book.clone() {
        is_utf8(&file)?;
        let book = OpeningSource::Book {
            file,
            plies: BOOK_PLIES,
            shuffled: true,
        };
        book.check(project.evaluation()?.game())?;
    }
    let mut running = LoopRun {
        job,
        steps,
        config,
        state: opened(config, engine, start.k)?,
        begun: Instant::now(),
        in_steps: Duration::ZERO,
    };
    // K of the start is known if the file of its weights has it, or once the first fit found it.
    let k = running.state.k;
    running.write("start.txt", linked, &start.weights, k)?;
    let begun = running.state.rounds.iter();
    let begun = begun.filter(|round| round.done).count();
    if begun > 0 {
        let folder = folder.display();
        job.say(format_args!("{folder}: continued after {begun} rounds"));
    }
    while running.continues() {
        running.round()?;
    }
    running.end(linked)?;
    Ok(running.state)
}

/// A loop on its way.
struct LoopRun<'a> {
    job: &'a Job,
    steps: &'a dyn StepRunner,
    config: &'a LoopConfig,
    state: LoopRecord,
    begun: Instant,
    /// Time spent in steps.
    in_steps: Duration,
}

/// Returns the record of the loop that its folder has already, or a new one without rounds. A new
/// one has `k` as the scaling constant K of the weights of its start, `None` if it is not known.
/// Fails if the record that is there was begun with other options or another engine.
fn opened(config: &LoopConfig, engine: LoopEngine, k: Option<f64>) -> Result<LoopRecord> {
    let path = config.folder.join("loop.json");
    let options = config.options.clone();
    let name = path.display();
    let Some(found) = LoopRecord::read(&path)? else {
        return Ok(LoopRecord {
            format: LOOP_FORMAT,
            engine,
            options,
            k,
            rounds: Vec::new(),
        });
    };
    if let Some(words) = found.options.differences(&options).next() {
        fail!("{name}: the loop was begun with other options: {words}");
    }
    let parts = [
        ("name", found.engine.name == engine.name),
        ("spec", found.engine.spec == engine.spec),
        ("source", found.engine.source == engine.source),
        ("start", found.engine.start == engine.start),
    ];
    if let Some((changed, _)) = parts.iter().find(|(_, is_same)| !is_same) {
        fail!(
            "{name}: the {changed} of the engine changed since the loop began, so its rounds do \
             not compare; go on in another folder with --from {}, which takes weights over by name",
            shell_word(&config.folder.join("best.txt"))
        );
    }
    Ok(found)
}

impl LoopRun<'_> {
    /// Tells whether a round was interrupted, or another one is to be played.
    fn continues(&self) -> bool {
        let rounds = &self.state.rounds;
        if rounds.last().is_some_and(|round| !round.done) {
            return true;
        }
        rounds.len() < self.config.rounds as usize && !self.is_exhausted()
    }

    /// Tells whether the weights of the last [`REJECTIONS`] (2) rounds were all not kept: then
    /// another round is not worth its games.
    fn is_exhausted(&self) -> bool {
        let rejected = self.state.rounds.iter().rev();
        let rejected = rejected.take_while(|round| round.kept == Some(false));
        rejected.count() >= REJECTIONS
    }

    /// Plays, fits and tests the next round, or completes the last one if that was interrupted.
    /// What was done is in the record, and is not repeated.
    fn round(&mut self) -> Result<()> {
        if self.state.rounds.last().is_none_or(|round| round.done) {
            self.state.rounds.push(LoopRound::default());
            self.save()?;
        }
        let number = self.state.rounds.len();
        self.job
            .say(format_args!("round {number} of {}", self.config.rounds));
        let folder = self.folder(number);
        fs::create_dir_all(&folder).at(&folder)?;
        if self.at(number).kept.is_none() {
            if self.at(number).fitted == 0 {
                self.play(number)?;
            }
            self.fit(number)?;
        }
        if self.at(number).kept.is_none() {
            self.test(number)?;
        }
        // As long as the best weights before are those of the start (number 0), the test itself was
        // against the start.
        if self.at(number).is_kept()
            && self.state.best_before(number) != 0
            && self.config.start_games > 0
        {
            self.against_start(number)?;
        }
        self.at(number).done = true;
        self.save()?;
        self.job.say(self.line(number));
        Ok(())
    }

    /// Plays the games of round `number` with the best weights before it, by `selfplay`. As long as
    /// each round of a loop from zero wins much, it plays a quarter of the games ([`EARLY`]).
    fn play(&mut self, number: usize) -> Result<()> {
        let config = self.config;
        let games = if self.is_early(number) {
            config.games.div_ceil(EARLY)
        } else {
            config.games
        };
        let mut typed = vec![
            ("--weights", self.weights(self.state.best_before(number))),
            ("--games", games.to_string()),
            config.thinking(config.nodes),
            ("--positions", config.positions.to_string()),
            ("--seed", self.seed(number)),
        ];
        // With a depth no second search scores a position: the search that played had that depth
        // already.
        if config.score_nodes > 0 && config.depth.is_none() {
            typed.push(("--score-nodes", config.score_nodes.to_string()));
        }
        self.resume("selfplay", &[&self.games(number)], &typed)
    }

    /// Plays the new weights of round `number` against the best ones before it, and decides whether
    /// they are kept: by the sequential test (SPRT), or, where its games did not suffice for that,
    /// by whether all its games together show that they are better.
    fn test(&mut self, number: usize) -> Result<()> {
        let journal = self.folder(number).join("test.jsonl");
        let best = self.weights(self.state.best_before(number));
        let sprt = &self.config.sprt;
        let (elo0, elo1) = sprt.hypotheses();
        let typed = [
            ("--sprt", format!("{elo0},{elo1}")),
            ("--games", self.config.test_games.to_string()),
        ];
        let tally = self.games_between(number, &best, &journal, &typed)?;
        let (kept, why) = match sprt.decides(&tally.pairs) {
            Some(Verdict::Passed) => (true, "the test is passed"),
            Some(Verdict::Failed) => (false, "the test is failed"),
            None if tally.is_won() => (true, "all games of the test are surely better"),
            None => (false, "the games of the test do not decide"),
        };
        let round = self.at(number);
        round.kept = Some(kept);
        why.clone_into(&mut round.why);
        round.test = Some(GamesStanding::from(&tally).record(Some(sprt)));
        self.save()
    }

    /// Plays the new weights of round `number` against those of the start of the loop. The result
    /// is only for the record.
    fn against_start(&mut self, number: usize) -> Result<()> {
        let journal = self.folder(number).join("start.jsonl");
        let typed = [("--games", self.config.start_games.to_string())];
        let tally = self.games_between(number, &self.weights(0), &journal, &typed)?;
        self.at(number).start = Some(GamesStanding::from(&tally).record(None));
        self.save()
    }

    /// Plays a match of the new weights of round `number` against those in the file `other`.
    /// Returns the counts of all games in the journal of the match, also those before an
    /// interruption. `options`: further options of the command `match`, name and value of each.
    fn games_between(
        &mut self,
        number: usize,
        other: &str,
        journal: &Path,
        options: &[(&str, String)],
    ) -> Result<Tally> {
        let common = [
            self.config.thinking(self.config.test_nodes),
            ("--seed", self.seed(number)),
            ("--journal", journal.display().to_string()),
        ];
        let book = self.config.book.as_ref();
        let book = book.map(|book| ("--book", book.display().to_string()));
        let options: Vec<_> = (options.iter().cloned().chain(common).chain(book)).collect();
        self.resume("match", &[&self.weights(number), other], &options)?;
        Ok(*Journal::read(journal)?.tally())
    }

    /// Runs a step with the flag `--resume`, so that it continues what an interruption left.
    /// `command`: the command of this program; `names`: its arguments that are not options;
    /// `options`: name and value of each.
    fn resume(&mut self, command: &str, names: &[&str], options: &[(&str, String)]) -> Result<()> {
        let words = step_words(self.config, command, names, options, &["--resume"]);
        self.step(command, &words)
    }

    /// Says a step, a command with its words, and runs it; on the other ranks too, unless the
    /// command works in one process.
    fn step(&mut self, command: &str, words: &[String]) -> Result<()> {
        // `data` works in one process, and the other ranks wait.
        if command != "data" {
            say_step(self.job.ranks, words);
        }
        let begun = Instant::now();
        let round = self.state.rounds.len();
        let interrupted =
            format!("in round {round}; what was done is kept, the same `loop` continues");
        let done = run_step(self.job, self.steps, words, &interrupted);
        self.in_steps += begun.elapsed();
        done
    }

    /// Returns the record of round `number`, counted from 1.
    fn at(&mut self, number: usize) -> &mut LoopRound {
        &mut self.state.rounds[number - 1]
    }

    /// Returns the path of the folder of round `number`, counted from 1.
    fn folder(&self, number: usize) -> PathBuf {
        self.config.folder.join(format!("round-{number}"))
    }

    /// Returns the path of the file with the weights of round `number`, counted from 1; for 0 that
    /// of the weights of the start.
    fn weights(&self, number: usize) -> String {
        let path = match number {
            0 => self.config.folder.join("start.txt"),
            _ => self.folder(number).join("fit").join("weights.txt"),
        };
        path.display().to_string()
    }

    /// Returns the path of the table with the games of round `number`, counted from 1.
    fn games(&self, number: usize) -> String {
        let path = self.folder(number).join("games.tsv.zst");
        path.display().to_string()
    }

    /// Tells whether this is a loop from zero and each round before round `number` has won much, by
    /// a result of its test that does not exclude 100 Elo. Then the round plays fewer games, and
    /// fits its own games alone.
    fn is_early(&self, number: usize) -> bool {
        self.config.from == "zero" && self.settled(number).is_none()
    }

    /// Returns the number, from 1, of the first round before round `number` whose weights were not
    /// kept, or surely won less than [`SETTLED`] (100) Elo: at the upper end of the interval of the
    /// Elo. `None` if there is no such round.
    fn settled(&self, number: usize) -> Option<usize> {
        let before = &self.state.rounds[..number - 1];
        let index = before.iter().position(|round| {
            let test = round.test.as_ref();
            let most = test.and_then(|test| Some(test.elo? + test.elo_error?));
            round.kept == Some(false) || most.is_some_and(|most| most < SETTLED)
        });
        index.map(|index| index + 1)
    }

    /// Returns the seed of round `number`, for an option of a command: each round has another one,
    /// so that its games are others.
    fn seed(&self, number: usize) -> String {
        self.config.seed.wrapping_add(number as u64).to_string()
    }

    /// Writes the record of the loop, `loop.json`, and its page, `report.html`.
    fn save(&self) -> Result<()> {
        let path = self.config.folder.join("loop.json");
        let text = serde_json::to_string_pretty(&self.state)? + "\n";
        write_atomically(&path, &text).at(&path)?;
        let page = path.with_file_name("report.html");
        write_atomically(&page, &loop_page(&self.state)).at(&page)
    }

    /// Returns a line for the user on the result of round `number`: whether its weights were kept
    /// and why, and their Elo against the best before and against the start, as far as they were
    /// played.
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

    /// Ends the loop: writes the best weights into `best.txt`, and says what the rounds came to.
    /// `linked`: has the names of the weights.
    fn end(&self, linked: &LinkedSpec) -> Result<()> {
        let rounds = self.state.rounds.len();
        for number in 1..=rounds {
            self.job.say(self.line(number));
        }
        // The loop may have been killed between writing the record and the page.
        self.save()?;
        let best = self.state.best();
        let read = NamedSet::read(self.job, &self.weights(best), linked)?;
        self.write("best.txt", linked, &read.weights, read.k)?;
        self.job.say(format_args!(
            "{}: rounds and Elo",
            self.config.folder.join("report.html").display()
        ));
        if self.is_exhausted() {
            self.job.say(format_args!(
                "the weights of {REJECTIONS} rounds in a row were not kept: the loop is done"
            ));
        }
        self.job.say(self.state.headline());
        let all = self.begun.elapsed().as_secs_f64();
        let steps = self.in_steps.as_secs_f64();
        self.job.say(format_args!(
            "{all:.1} s, of which its commands took {:.1} %",
            100.0 * steps / all
        ));
        Ok(())
    }

    /// Writes weights, in the order of the spec, and the scaling constant K, if it is known, into
    /// the file `name` in the folder of the loop, unless the file has this text already.
    fn write(&self, name: &str, linked: &LinkedSpec, values: &[f64], k: Option<f64>) -> Result<()> {
        let lines = named_lines(linked.spec.layout(), k, values);
        // `""`: the message of an error needs no further words.
        self.job.file(&self.config.folder.join(name), &lines, "")
    }
}
