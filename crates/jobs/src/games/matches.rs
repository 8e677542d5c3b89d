//! A match: two players, until the games are played or the test is decided.

use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::page::match_record;
use super::settings::thinking_words;
use super::{
    Arena, Games, GamesConfig, GamesProgress, GamesStanding, Treatment, identity, with_rules,
};
use crate::job::writable;
use crate::positions::same_program;
use crate::{Failure, Job, NamedSet, Project, Shard};
use tuner_base::write_if_changed;
use tuner_data::AnyGame;
use tuner_play::{ContestSettings, Limit, MatchTexts, PairRecord, SettingsText as _, Thinking};
use tuner_record::MatchHead;
use tuner_report::match_page;
use tuner_spec::PROJECT_FILE;
use tuner_tournament::{Journal, Program, Sprt, Tally, Verdict, is_begun};

/// A match between two sets of weights of an engine, or two programs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchConfig {
    /// Both sides: weights (`spec`, `source`, `zero`, or a file), or programs with their arguments.
    /// The results of the first one are counted.
    pub sides: [String; 2],
    /// How games are played.
    pub games: GamesConfig,
    /// Pairs of games; with a test the most that are played.
    pub pairs: u64,
    /// The part of them that is played.
    pub shard: Shard,
    /// The test that ends it.
    pub sprt: Option<Sprt>,
    /// How programs are treated.
    pub treatment: [Treatment; 2],
    /// An option that only programs heed.
    pub for_programs: Option<&'static str>,
    /// Whether the first one is to pass the test, or to be surely stronger.
    pub must_pass: bool,
    /// The file of the games.
    pub pgn: Option<PathBuf>,
    /// The folder of files of single games.
    pub records: Option<PathBuf>,
    /// The file of the pairs, by which it resumes.
    pub journal: Option<PathBuf>,
    /// The page on it.
    pub report: Option<PathBuf>,
}

/// The result of a match.
#[derive(Debug)]
pub struct MatchResult {
    /// Names of both sides.
    pub names: [String; 2],
    /// What it has come to.
    pub standing: GamesStanding,
    /// Whether it ended as it was to.
    pub end: Result<(), Failure>,
}

/// Plays two sets of weights of an engine, or two programs of a game; the first rank returns the
/// result.
///
/// # Errors
/// If they cannot be played, or files not be written.
pub fn run_match<'a>(
    job: &Job,
    project: Option<&Project>,
    game: impl FnOnce() -> Result<&'a AnyGame, Failure>,
    config: &MatchConfig,
) -> Result<Option<MatchResult>, Failure> {
    let [first, second] = &config.sides;
    match ([first, second].map(|named| is_weights(named)), project) {
        ([false, false], _) => of_programs(job, game()?, config),
        ([true, true], Some(project)) => of_weights(job, project, config),
        ([true, true], None) => Err(Failure::Usage(format!(
            "match {first} {second}: weights are played by an engine, and there is no \
             {PROJECT_FILE} here; -C DIR names its folder"
        ))),
        _ => Err(Failure::Usage(format!(
            "match {first} {second}: found weights and a program, expected two of a kind"
        ))),
    }
}

fn of_weights(
    job: &Job,
    project: &Project,
    config: &MatchConfig,
) -> Result<Option<MatchResult>, Failure> {
    let linked = project.linked()?;
    same_program(job, project, &linked, &[])?;
    let read = |side: usize| NamedSet::read(job, &config.sides[side], &linked);
    let [first, second] = [read(0)?, read(1)?];
    let mut arena = Arena::of(project, &linked)?;
    match (&mut arena, config.for_programs) {
        (Arena::Builds(builds), _) => builds.treatment.clone_from(&config.treatment),
        (Arena::Evaluator(_), None) => {}
        (Arena::Evaluator(_), Some(option)) => {
            misuse!(
                "{option}: is for programs; an evaluator plays at --nodes or --depth. Where it plays \
                 no games, builds of the engine that [engine] in {} names play by the clock",
                project.file.file.display()
            );
        }
    }
    let event = project.evaluation()?.name();
    let texts = config.texts(event, [&first.name, &second.name]);
    let settings = config.games.settings(arena.is_evaluator(), texts)?;
    let mut who: Vec<Value> = vec![
        event.into(),
        first.fingerprint().into(),
        second.fingerprint().into(),
    ];
    if !arena.is_evaluator() {
        for treatment in &config.treatment {
            who.push(serde_json::to_value(&treatment.options)?);
        }
    }
    let players = arena.pairs(job, &settings, [&first, &second], &linked)?;
    Match::new(job, config, &settings, who.into(), players)?.play()
}

fn of_programs(
    job: &Job,
    game: &AnyGame,
    config: &MatchConfig,
) -> Result<Option<MatchResult>, Failure> {
    let rules = with_rules(game, "match")?;
    // A program that does not even start is told before anything is written.
    let started = |side: usize| -> Result<(Program, String), Failure> {
        let (program, own) = config.treatment[side].started(&config.sides[side], rules)?;
        let file = program.command.first().cloned().unwrap_or_default();
        let name = own.map_or_else(|| file.clone(), |own| format!("{own} ({file})"));
        Ok((program, name))
    };
    let ((first, name), (second, mut other)) = (started(0)?, started(1)?);
    if name == other {
        // Whoever reads the games has to tell them apart.
        other.push_str(" #2");
    }
    let settings = (config.games).settings(false, config.texts("match", [&name, &other]))?;
    let who = [&first, &second].map(|program| (&program.command, &program.options));
    let who = serde_json::to_value(who)?;
    let players = Games::of_programs(rules, &settings, [first, second]);
    Match::new(job, config, &settings, who, players)?.play()
}

/// Tells whether what was named are weights, and no program: a name of some, or a file that
/// cannot be run.
fn is_weights(named: &str) -> bool {
    if ["spec", "source", "zero"].contains(&named) {
        return true;
    }
    std::fs::metadata(named).is_ok_and(|file| file.is_dir() || (file.is_file() && !runs(&file)))
        || Path::new(named)
            .extension()
            .is_some_and(|e| e == "txt" || e == "json")
}

#[cfg(unix)]
fn runs(file: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn runs(_: &std::fs::Metadata) -> bool {
    true
}

impl MatchConfig {
    /// Which texts of the games are wanted. `names`: of both sides.
    fn texts(&self, event: &str, names: [&str; 2]) -> MatchTexts {
        MatchTexts {
            event: event.to_owned(),
            names: names.map(str::to_owned),
            text: self.pgn.is_some(),
            files: self.records.is_some(),
        }
    }
}

struct Match<'a> {
    job: &'a Job,
    players: Games<'a, PairRecord>,
    config: &'a MatchConfig,
    settings: &'a ContestSettings,
    /// The identity that a match that resumes must have in common. Numbers of games, tests,
    /// and how the players are named may change.
    identity: Value,
}

impl<'a> Match<'a> {
    /// `who`: what tells the players from others. The error of `players` is about the book.
    fn new(
        job: &'a Job,
        config: &'a MatchConfig,
        settings: &'a ContestSettings,
        who: Value,
        players: Result<Games<'a, PairRecord>, String>,
    ) -> Result<Self, Failure> {
        let mut nameless = settings.clone();
        nameless.texts = MatchTexts {
            text: config.pgn.is_some(),
            ..MatchTexts::default()
        };
        let openings = &config.games.openings;
        let part = config.shard.identity(2 * config.pairs);
        let part = part.map(|part| ("shard", part.into()));
        let who = [("players", who)].into_iter().chain(part);
        Ok(Self {
            job,
            players: players.map_err(|words| openings.refused(&words))?,
            config,
            settings,
            identity: identity(who, &nameless.line(), &settings.openings),
        })
    }

    fn play(self) -> Result<Option<MatchResult>, Failure> {
        let (job, config, sprt) = (self.job, self.config, self.config.sprt.as_ref());
        config.games.openings.say(job, self.players.openings);
        let (pairs, part) = (self.pairs(), self.part());
        let head = self.head();
        job.agree(&[("settings", self.identity.to_string())])?;
        let opened = job.on_first(|| {
            if let Some(report) = &config.report {
                // Found out before the games.
                writable(report, "--report")?;
            }
            if let Some(folder) = &config.records {
                std::fs::create_dir_all(folder)
                    .map_err(|error| format!("--records {}: {error}", folder.display()))?;
            }
            self.journal(&head)
        })?;
        let Some(mut journal) = opened else {
            return self.players.join(job).map(|()| None);
        };
        if journal.pairs() > 0 {
            job.say(format_args!("resumed after {} games", 2 * journal.pairs()));
        }
        job.observer.listen()?;
        let progress = GamesProgress::new(job, 2 * (part.end - part.start), 2 * journal.pairs());
        let mut complained = 0;
        // A match that was resumed may have been decided before.
        let over = decided(journal.tally(), sprt).is_some();
        let begin = part.start + journal.pairs();
        let end = if over { 0 } else { part.end };
        let numbers = begin..end.max(begin);
        let played = self.players.play(job, numbers, |number, pair| {
            // Not every system keeps the keyboard's interrupt from engines: what
            // failed after it may be its doing, and is played again.
            if job.is_interrupted() && pair.faults().iter().any(|faults| !faults.is_empty()) {
                return Ok(ControlFlow::Break(()));
            }
            complain(job, &pair, number, &mut complained);
            // The files first: what the journal holds is not written again.
            self.files(&pair, number)?;
            journal.add(&pair, &pair.text())?;
            let tally = journal.tally();
            progress.games(2 * journal.pairs(), || {
                format!(": {}", GamesStanding::from(tally).words(sprt).join("; "))
            });
            Ok(match decided(tally, sprt) {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            })
        });
        if pairs < config.pairs {
            job.say(format_args!(
                "the book has {pairs} openings, so {pairs} pairs are all: at a limit of nodes or \
                 depth more would be the same games again"
            ));
        }
        let standing = GamesStanding::from(journal.tally());
        job.say_all(standing.words(sprt));
        if let Some(report) = &config.report {
            let record = match_record(head, journal.played());
            let cure = "; name another file by --report";
            job.file(report, &match_page(&record), cure)?;
        }
        played?;
        Ok(Some(MatchResult {
            names: self.settings.texts.names.clone(),
            standing,
            end: self.end(journal.tally()),
        }))
    }

    fn pairs(&self) -> u64 {
        let wanted = self.config.pairs;
        match (self.settings.thinking, self.players.openings) {
            (Thinking::Move(Limit::Nodes(_) | Limit::Depth(_)), Some(count)) => wanted.min(count),
            _ => wanted,
        }
    }

    /// The numbers of the pairs that are played here.
    fn part(&self) -> Range<u64> {
        self.config.shard.range(self.pairs(), 1)
    }

    fn end(&self, tally: &Tally) -> Result<(), Failure> {
        let sprt = self.config.sprt.as_ref();
        let verdict = decided(tally, sprt);
        let (games, part): (u64, _) = (tally.games.iter().sum(), self.part());
        if self.job.is_interrupted() && verdict.is_none() && games < 2 * (part.end - part.start) {
            let next = match self.config.journal {
                Some(_) => "the same command with --resume continues",
                None => "with --journal FILE it could be resumed",
            };
            return Err(Failure::Interrupted(format!("after {games} games; {next}")));
        }
        let passed = match sprt {
            Some(_) => verdict == Some(Verdict::Passed),
            None => tally.is_won(),
        };
        if passed || !self.config.must_pass {
            return Ok(());
        }
        let words = format!("{} has not passed", self.settings.texts.names[0]);
        Err(Failure::NotPassed(words))
    }

    /// Returns the head of the page of the match.
    fn head(&self) -> MatchHead {
        let settings = self.settings;
        let setup = [
            ("event", settings.texts.event.clone()),
            ("thinking", thinking_words(settings.thinking)),
            ("openings", self.config.games.openings.words()),
            ("seed", settings.seed.to_string()),
            (
                "longest game",
                format!("{} half-moves", settings.adjudication.longest),
            ),
        ];
        MatchHead {
            names: settings.texts.names.clone(),
            setup: setup.map(|(what, how)| (what.to_owned(), how)).to_vec(),
            sprt: self.config.sprt,
        }
    }

    fn journal(&self, head: &MatchHead) -> Result<Journal, Failure> {
        let (config, resume) = (self.config, self.config.games.resume);
        let games = config.pgn.as_deref();
        let Some(path) = &config.journal else {
            if resume {
                fail!("--resume: expected --journal FILE, with the file of the match");
            }
            return Ok(Journal::new(games)?);
        };
        Ok(if resume && is_begun(path) {
            Journal::resume(path, &self.identity, games)?
        } else {
            Journal::create(path, &self.identity, &serde_json::to_value(head)?, games)?
        })
    }

    /// Writes both games of a pair to the folder of `--records`.
    fn files(&self, pair: &PairRecord, number: u64) -> Result<(), Failure> {
        let Some(folder) = &self.config.records else {
            return Ok(());
        };
        let files = pair.0.iter().map(|game| &game.file).enumerate();
        for (index, file) in files.filter_map(|(index, file)| Some((index, file.as_ref()?))) {
            let name = format!("{:05}-{}.{}", number + 1, index + 1, file.ending);
            let path = folder.join(name);
            write_if_changed(&path, &file.text)
                .map_err(|error| format!("--records {}: {error}", path.display()))?;
        }
        Ok(())
    }
}

/// Says which games of a pair a fault has lost, the first ones of all; returns how many.
pub(super) fn complain(job: &Job, pair: &PairRecord, number: u64, complained: &mut usize) -> u64 {
    let mut faults = 0;
    for fault in pair.faults().into_iter().flatten() {
        if *complained < SHOWN {
            job.say(format_args!(
                "pair {}: {fault}: the game is lost",
                number + 1
            ));
        }
        *complained += 1;
        faults += 1;
    }
    faults
}

/// Faults that are shown as they come; all are counted.
const SHOWN: usize = 10;

fn decided(tally: &Tally, sprt: Option<&Sprt>) -> Option<Verdict> {
    sprt?.decides(&tally.pairs)
}
