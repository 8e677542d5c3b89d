//! A match: two players, until the games are played or the test is decided.

use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::page::{match_record, opponents};
use super::settings::thinking_words;
use super::{
    Arena, Games, GamesConfig, GamesProgress, GamesStanding, Treatment, identity, with_rules,
};
use crate::job::writable;
use crate::positions::same_program;
use crate::{Failure, Job, NamedSet, Project, Result, Shard};
use tuner_base::{break_if, write_if_changed};
use tuner_data::AnyGame;
use tuner_play::{
    ContestSettings, Limit, MatchTexts, PairRecord, SettingsText as _, Thinking, Word as _,
};
use tuner_record::MatchHead;
use tuner_report::match_page;
use tuner_spec::PROJECT_FILE;
use tuner_tournament::{Journal, Program, Sprt, Tally, Verdict, is_begun};

/// A side of a match: weights of an engine, or a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchSide {
    /// Weights (`spec`, `source`, `zero`, or a file), or a program with its arguments.
    pub named: String,
    /// Its name in what is written; `None`: the name of its weights, or that a program gives
    /// itself.
    pub name: Option<String>,
    /// Options and patience, for a program.
    pub treatment: Treatment,
    /// How long it thinks; `None`: as `MatchConfig::games` says.
    pub thinking: Option<Thinking>,
}

/// A match of a set of weights or a program against others of its kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchConfig {
    /// The side whose results are counted, then each opponent.
    pub sides: Vec<MatchSide>,
    /// How games are played.
    pub games: GamesConfig,
    /// Pairs of games against each opponent; with a test the most that are played.
    pub pairs: u64,
    /// The part of all pairs that is played here.
    pub shard: Shard,
    /// The test that ends it early, if any.
    pub sprt: Option<Sprt>,
    /// An option that only programs heed, if one was given; weights that an evaluator plays refuse
    /// it.
    pub for_programs: Option<&'static str>,
    /// Whether it fails unless the first side passes the test, or, without one, is surely stronger.
    pub must_pass: bool,
    /// The file to which games are written, as PGN or in the game's own format.
    pub pgn: Option<PathBuf>,
    /// The folder to which each game is written as a file of its own.
    pub records: Option<PathBuf>,
    /// The file of the pairs, by which it resumes.
    pub journal: Option<PathBuf>,
    /// The file of the page on the match.
    pub report: Option<PathBuf>,
}

/// The result of a match.
#[derive(Debug)]
pub struct MatchResult {
    /// The name of the side whose results are counted.
    pub name: String,
    /// Opponents, and what the games against each have come to.
    pub opponents: Vec<(String, GamesStanding)>,
    /// What all games have come to.
    pub standing: GamesStanding,
    /// Whether it ended as it was to.
    pub end: Result<()>,
}

/// Plays a match of sets of weights, which the engine of `project` plays, or of programs that speak
/// UCI or USI. The first rank returns the result, the others `None`. `game` gives the rules that
/// programs play by; it is not called for weights.
///
/// # Errors
/// If there are fewer than two sides, weights and programs are mixed, the sequential test has more
/// than one opponent, games cannot be played, or files cannot be written.
pub fn run_match<'a>(
    job: &Job,
    project: Option<&Project>,
    game: impl FnOnce() -> Result<&'a AnyGame>,
    config: &MatchConfig,
) -> Result<Option<MatchResult>> {
    let sides: Vec<&str> = config.sides.iter().map(|side| &*side.named).collect();
    let weights = sides.iter().filter(|named| is_weights(named)).count();
    let named = sides.join(" ");
    if sides.len() < 2 {
        misuse!("match {named}: expected two or more sides, the first and its opponents");
    }
    if config.sprt.is_some() && sides.len() > 2 {
        misuse!("--sprt: tests one side against one; name one opponent, or leave it out");
    }
    match project {
        _ if weights == 0 => of_programs(job, game()?, config),
        _ if weights < sides.len() => {
            misuse!("match {named}: found weights and a program, expected all of a kind")
        }
        Some(project) => of_weights(job, project, config),
        None => misuse!(
            "match {named}: weights are played by an engine, and there is no {PROJECT_FILE} here; \
             -C DIR names its folder"
        ),
    }
}

/// Plays a match of the engine with itself at other weights, and returns its result; `None` on
/// ranks other than the first.
fn of_weights(job: &Job, project: &Project, config: &MatchConfig) -> Result<Option<MatchResult>> {
    let linked = project.linked()?;
    same_program(job, project, &linked, &[])?;
    let sides: Vec<NamedSet> = (config.sides.iter())
        .map(|side| NamedSet::read(job, &side.named, &linked))
        .collect::<Result<_, _>>()?;
    let mut arena = Arena::of(project, &linked)?;
    match (&mut arena, config.for_programs) {
        (Arena::Builds(builds), _) => {
            let treatment = config.sides.iter().map(|side| side.treatment.clone());
            builds.treatment = treatment.collect();
        }
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
    let names = sides.iter().map(|side| side.name.clone()).collect();
    let settings = config.settings(arena.game()?, arena.is_seeing()?, event, names)?;
    // A match resumes only with the same players: their engine, their weights, and options of
    // builds.
    let mut who: Vec<Value> = vec![event.into()];
    who.extend(sides.iter().map(|side| Value::from(side.fingerprint())));
    if !arena.is_evaluator() {
        for side in &config.sides {
            who.push(serde_json::to_value(&side.treatment.options)?);
        }
    }
    let sides: Vec<&NamedSet> = sides.iter().collect();
    let players = arena.pairs(job, &settings, &sides, &linked)?;
    Match::new(job, config, &settings, who.into(), players)?.play()
}

/// Plays a match of programs that speak UCI or USI, by rules of a game that is known here, and
/// returns its result; `None` on ranks other than the first. Before the games each program is
/// started once, for the name it gives itself.
fn of_programs(job: &Job, game: &AnyGame, config: &MatchConfig) -> Result<Option<MatchResult>> {
    let rules = with_rules(game, "match")?;
    // Starting all programs now tells of one that does not start before anything is written.
    let started = |side: &MatchSide| -> Result<(Program, String)> {
        let (program, own) = side.treatment.started(&side.named, rules)?;
        let file = program.command.first().cloned().unwrap_or_default();
        let name = own.map_or_else(|| file.clone(), |own| format!("{own} ({file})"));
        Ok((program, name))
    };
    let started = config.sides.iter().map(started);
    let (programs, names): (Vec<Program>, Vec<String>) =
        started.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    // `false`, and `None` below: there is no evaluator to tell whether an opening is balanced.
    let settings = config.settings(rules, false, "match", names)?;
    let who = programs.iter();
    let who = who.map(|program| (&program.command, &program.options));
    let who = serde_json::to_value(who.collect::<Vec<_>>())?;
    let players = Games::of_programs(rules, &settings, programs, None);
    Match::new(job, config, &settings, who, players)?.play()
}

/// Tells whether `named`, a side of a match as the user wrote it, are weights and not a program:
/// `spec`, `source` or `zero`; a name that ends in `.txt` or `.json`, also where no such file is
/// there; the folder of a fit; or any file that cannot be run.
pub fn is_weights(named: &str) -> bool {
    if ["spec", "source", "zero"].contains(&named) {
        return true;
    }
    std::fs::metadata(named).is_ok_and(|file| file.is_dir() || (file.is_file() && !runs(&file)))
        || Path::new(named)
            .extension()
            .is_some_and(|e| e == "txt" || e == "json")
}

/// Tells whether a file can be run: its owner, its group or all others have the permission to.
#[cfg(unix)]
fn runs(file: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.permissions().mode() & 0o111 != 0
}

/// Tells whether a file can be run. This system has no such permission, so any file may be run.
#[cfg(not(unix))]
fn runs(_: &std::fs::Metadata) -> bool {
    true
}

impl MatchConfig {
    /// Returns the settings of the games against each opponent: of sides 1, 2 and so on against
    /// side 0. `judged`: whether an evaluator can tell if a random opening is balanced; `event`:
    /// the tag `Event` of the games; `names`: of all sides, which names in the configuration
    /// override. Where two sides have the same name, the later gets a number.
    fn settings(
        &self,
        game: &AnyGame,
        judged: bool,
        event: &str,
        mut names: Vec<String>,
    ) -> Result<Vec<ContestSettings>> {
        for at in 0..names.len() {
            if let Some(name) = &self.sides[at].name {
                names[at].clone_from(name);
            }
            if names[..at].contains(&names[at]) {
                // Readers of the games have to tell the sides apart.
                let number = format!(" #{}", at + 1);
                names[at] += &number;
            }
        }
        let all = (self.games).settings(game, judged, self.pairs, MatchTexts::default())?;
        let thinking = |side: usize| self.sides[side].thinking.unwrap_or(self.games.thinking);
        let opponents = (1..names.len()).map(|opponent| ContestSettings {
            thinking: [thinking(0), thinking(opponent)],
            texts: MatchTexts {
                event: event.to_owned(),
                names: [names[0].clone(), names[opponent].clone()],
                text: self.pgn.is_some(),
                files: self.records.is_some(),
            },
            ..all.clone()
        });
        Ok(opponents.collect())
    }
}

/// From so many pairs in which both games have one end and length, and no pair without, it is said
/// that the sides may be the same. Chosen: so many are not by chance.
const ALIKE: u64 = 10;

/// A match that is ready to be played.
struct Match<'a> {
    job: &'a Job,
    players: Games<'a, PairRecord>,
    config: &'a MatchConfig,
    /// Settings of the games against each opponent, in the order of the opponents.
    settings: &'a [ContestSettings],
    /// What must be the same where a match resumes. Numbers of games, tests, and how the players
    /// are named may change.
    identity: Value,
}

impl<'a> Match<'a> {
    /// Prepares a match. `who`: the players' engine, weights or commands, which must be the same
    /// where the match resumes. The error of `players` is about the book of openings.
    fn new(
        job: &'a Job,
        config: &'a MatchConfig,
        settings: &'a [ContestSettings],
        who: Value,
        players: Result<Games<'a, PairRecord>, String>,
    ) -> Result<Self> {
        // What may change where the match resumes is left out of the identity: names of players and
        // which files are written. But the file of games stays in, as the journal counts its bytes.
        let mut nameless = settings[0].clone();
        nameless.texts = MatchTexts {
            text: config.pgn.is_some(),
            ..MatchTexts::default()
        };
        let openings = &config.games.openings;
        let part = config.shard.identity(2 * config.pairs);
        let part = part.map(|part| ("shard", part.into()));
        let all: Vec<String> = settings.iter().map(|one| one.thinking.word()).collect();
        // The line of settings has the thinking times of the first opponent alone, so where
        // opponents differ the times of all of them are added.
        let odds = all.iter().any(|one| *one != all[0]);
        let odds = odds.then(|| ("thinking of each", all.into()));
        let who = [("players", who)].into_iter().chain(part).chain(odds);
        Ok(Self {
            job,
            players: players.map_err(|words| openings.refused(&words))?,
            config,
            settings,
            identity: identity(who, &nameless.line(), &settings[0].openings),
        })
    }

    /// Plays the games that are not in the journal yet, says what the match came to, and writes the
    /// journal, the games and the page. The first rank does so and returns the result; the others
    /// play games for it and return `None`.
    fn play(self) -> Result<Option<MatchResult>> {
        let (job, config, sprt) = (self.job, self.config, self.config.sprt.as_ref());
        config.games.openings.say(job, self.players.openings);
        let (pairs, part) = (self.pairs(), self.part());
        let head = self.head();
        job.agree(&[("settings", self.identity.to_string())])?;
        let opened = job.on_first(|| self.opened(&head))?;
        let Some(mut journal) = opened else {
            return self.players.join(job).map(|()| None);
        };
        if journal.pairs() > 0 {
            job.say(format_args!("resumed after {} games", 2 * journal.pairs()));
        }
        job.observer.listen()?;
        let progress = GamesProgress::new(job, 2 * (part.end - part.start), 2 * journal.pairs());
        // `complained`: faults of engines so far; `twins`: pairs of this run in which both games
        // had the same end and length.
        let (mut complained, mut twins) = (0, 0);
        // Where a match resumes, the test may be decided by the games of the journal.
        let is_over = decided(journal.tally(), sprt).is_some();
        let begin = part.start + journal.pairs();
        let end = if is_over { begin } else { part.end };
        let numbers = begin..end.max(begin);
        let played = self.players.play(job, numbers, |number, pair| {
            // Ctrl-C may reach the engines too: a pair with a fault after it is not counted, but
            // played again where the match resumes.
            if job.is_interrupted() && pair.faults().iter().any(|faults| !faults.is_empty()) {
                return Ok(ControlFlow::Break(()));
            }
            complain(job, &pair, number, &mut complained);
            twins += u64::from(pair.is_twice_the_same());
            // Files before the journal: a pair that is in the journal is never played again, and so
            // its files would never be written.
            self.files(&pair, number)?;
            journal.add(&pair, &pair.text())?;
            let tally = journal.tally();
            progress.games(2 * journal.pairs(), || {
                format!(": {}", GamesStanding::from(tally).words(sprt).join("; "))
            });
            Ok(break_if(decided(tally, sprt).is_some()))
        });
        if pairs < config.pairs {
            job.say(format_args!(
                "the book has {pairs} openings, so {pairs} pairs are all: at a limit of nodes or \
                 depth more would be the same games again"
            ));
        }
        let played = match played {
            // Without a single game there is no result to tell, only the failure.
            Err(failure) if journal.pairs() == 0 => return Err(failure),
            played => played,
        };
        let standing = GamesStanding::from(journal.tally());
        let opponents = opponents(&head, journal.played());
        job.say_all(GamesStanding::table(&opponents));
        job.say_all(standing.words(sprt));
        // All pairs of this run are twins if there are as many twins as the journal has more pairs
        // than it began with; `ALIKE` (10) of them are not so by chance.
        if twins >= ALIKE && begin + twins == part.start + journal.pairs() {
            job.say(format_args!(
                "  in all {twins} pairs both games have the same end and length: the sides play \
                 alike; does the engine read its weights, and then compute anew what it computes \
                 of them at its start?"
            ));
        }
        if let Some(report) = &config.report {
            let record = match_record(head, journal.played());
            let cure = "; name another file by --report";
            job.file(report, &match_page(&record), cure)?;
        }
        played?;
        Ok(Some(MatchResult {
            name: self.settings[0].texts.names[0].clone(),
            opponents,
            standing,
            end: self.end(journal.tally()),
        }))
    }

    /// Returns how many pairs are played against each opponent. Where nodes or depth limit all
    /// moves, a second pair of one opening would be the same two games again, so there are at most
    /// as many pairs as the book has openings.
    fn pairs(&self) -> u64 {
        let wanted = self.config.pairs;
        let counts = |thinking: &Thinking| {
            matches!(thinking, Thinking::Move(Limit::Nodes(_) | Limit::Depth(_)))
        };
        let mut all = self.settings.iter().flat_map(|one| &one.thinking);
        match self.players.openings {
            Some(count) if all.all(counts) => wanted.min(count),
            _ => wanted,
        }
    }

    /// Returns the numbers of the pairs that this process and its ranks play: all, or those of
    /// `--shard`. Pair `n` is of opening `n / opponents`, and all pairs of one opening are in one
    /// part.
    fn part(&self) -> Range<u64> {
        let opponents = self.settings.len() as u64;
        (self.config.shard).range(self.pairs() * opponents, opponents)
    }

    /// Tells how the match ended, after the games in `tally`: by an interruption before the test
    /// was decided and all games played; with `must_pass`, not passed, which without a test means
    /// not surely stronger; or well.
    fn end(&self, tally: &Tally) -> Result<()> {
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
        let words = format!("{} has not passed", self.settings[0].texts.names[0]);
        Err(Failure::NotPassed(words))
    }

    /// Returns the head of the page and of the journal of the match: who plays, and how, in words.
    /// Its list of opponents is empty where there is one alone, whose name `names` has.
    fn head(&self) -> MatchHead {
        let settings = &self.settings[0];
        let mut thinking: Vec<String> = (self.settings.iter())
            .map(|one| thinking_words(one.thinking))
            .collect();
        // Where opponents in a row think alike, how they think is said once.
        thinking.dedup();
        let setup = [
            ("event", settings.texts.event.clone()),
            ("thinking", thinking.join("; ")),
            ("openings", self.config.games.openings.words()),
            ("seed", settings.seed.to_string()),
            (
                "longest game",
                format!("{} half-moves", settings.adjudication.longest),
            ),
        ];
        let opponents = self.settings.iter().map(|one| one.texts.names[1].clone());
        let opponents: Vec<String> = opponents.collect();
        MatchHead {
            names: [settings.texts.names[0].clone(), opponents.join(", ")],
            opponents: Some(opponents)
                .filter(|all| all.len() > 1)
                .unwrap_or_default(),
            setup: setup.map(|(what, how)| (what.to_owned(), how)).to_vec(),
            sprt: self.config.sprt,
        }
    }

    /// Prepares the files of the match before its games: fails if the page cannot be written, makes
    /// the folder of `--records`, and opens the journal, which is returned. `head`: what a new
    /// journal begins with.
    fn opened(&self, head: &MatchHead) -> Result<Journal> {
        if let Some(report) = &self.config.report {
            writable(report, "--report")?;
        }
        if let Some(folder) = &self.config.records {
            std::fs::create_dir_all(folder)
                .map_err(|error| format!("--records {}: {error}", folder.display()))?;
        }
        self.journal(head)
    }

    /// Opens the journal, the file of the pairs played: that of the match to resume, a new one with
    /// `head` in it, or without `--journal` one that is only in memory.
    fn journal(&self, head: &MatchHead) -> Result<Journal> {
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

    /// Writes both games of a pair to the folder of `--records`, if there is one. `number`: of the
    /// pair, from 0; names of files count pairs from 1, then games of the pair, 1 and 2.
    fn files(&self, pair: &PairRecord, number: u64) -> Result<()> {
        let Some(folder) = &self.config.records else {
            return Ok(());
        };
        for (index, game) in (1..).zip(&pair.0) {
            let Some(file) = &game.file else {
                continue;
            };
            let name = format!("{:05}-{index}.{}", number + 1, file.ending);
            let path = folder.join(name);
            write_if_changed(&path, &file.text)
                .map_err(|error| format!("--records {}: {error}", path.display()))?;
        }
        Ok(())
    }
}

/// Tells the user of each game of a pair that was lost by a fault, up to `SHOWN` (10) games in a
/// run, and adds all of them to `complained`, the faults of the run so far. `number`: of the pair,
/// from 0; it is shown from 1.
pub(super) fn complain(job: &Job, pair: &PairRecord, number: u64, complained: &mut u64) {
    for fault in pair.faults().into_iter().flatten() {
        if *complained < SHOWN {
            job.say(format_args!(
                "pair {}: {fault}: the game is lost",
                number + 1
            ));
        }
        *complained += 1;
    }
}

/// How many faults are shown as they come; further ones are only counted.
const SHOWN: u64 = 10;

/// Returns how the sequential test ended by the games so far; `None` without a test, or while it is
/// undecided.
fn decided(tally: &Tally, sprt: Option<&Sprt>) -> Option<Verdict> {
    sprt?.decides(&tally.pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_has_two_sides() {
        for names in [&[][..], &["zero"], &["./engine"]] {
            let side = |name: &&str| MatchSide {
                named: (*name).to_owned(),
                ..MatchSide::default()
            };
            let config = MatchConfig {
                sides: names.iter().map(side).collect(),
                ..MatchConfig::default()
            };
            let game = || Err(Failure::Error("not asked".to_owned()));
            let played = run_match(&Job::default(), None, game, &config);
            let is_refused = matches!(
                &played,
                Err(Failure::Usage(words)) if words.contains("expected two or more")
            );
            assert!(is_refused, "{played:?}");
        }
    }
}
