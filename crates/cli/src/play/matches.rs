//! `match`: two players, until the games are played or the test is decided.

use std::ops::ControlFlow;
use std::path::Path;

use serde_json::{Value, json};

use super::super::interrupt::Interrupt;
use super::super::ranks::{agree, on_first};
use super::super::run::same_program;
use super::super::{Failure, output};
use super::arena::{Arena, Games};
use super::args::{MatchArgs, identity, thinking_words};
use super::paste::{Matched, Paste};
use super::scoreboard::{Progress, Standing};
use super::{external, page};
use crate::project::Project;
use crate::weights::NamedSet;
use tuner_base::write_if_changed;
use tuner_data::AnyGame;
use tuner_play::{ContestSettings, Limit, MatchTexts, PairRecord, SettingsText as _, Thinking};
use tuner_record::MatchHead;
use tuner_report::match_page;
use tuner_spec::PROJECT_FILE;
use tuner_tournament::{Journal, Sprt, Tally, Verdict, is_begun};

/// Plays two sets of weights of an engine, or two programs.
pub(crate) fn run<'a>(
    project: Option<&Project>,
    game: impl FnOnce() -> Result<&'a AnyGame, Failure>,
    args: &MatchArgs,
) -> Result<(), Failure> {
    let kinds = [&args.first, &args.second].map(|typed| is_weights(typed));
    let project = match (kinds, project) {
        ([false, false], _) => return external::run(game()?, args),
        ([true, true], Some(project)) => project,
        ([true, true], None) => {
            return Err(Failure::Usage(format!(
                "match {} {}: weights are played by an engine, and there is no {PROJECT_FILE} here; \
                 -C DIR names its folder",
                args.first, args.second
            )));
        }
        _ => {
            return Err(Failure::Usage(format!(
                "match {} {}: found weights and a program, expected two of a kind",
                args.first, args.second
            )));
        }
    };
    let linked = project.linked()?;
    same_program(project, &linked, &[])?;
    let [first, second] = [
        NamedSet::read(&args.first, &linked)?,
        NamedSet::read(&args.second, &linked)?,
    ];
    let names = [first.name.as_str(), second.name.as_str()];
    let mut arena = Arena::of(project, &linked)?;
    match (&mut arena, args.about_programs()) {
        (Arena::Builds(builds), _) => builds.treatment = args.treatment(),
        (Arena::Evaluator(_), None) => {}
        (Arena::Evaluator(_), Some(option)) => {
            return Err(Failure::Usage(format!(
                "{option}: is for programs; an evaluator plays at --nodes or --depth. Where it plays \
                 no games, builds of the engine that [engine] in {} names play by the clock",
                project.file.file.display()
            )));
        }
    }
    let event = project.evaluation()?.name();
    let texts = args.texts(event, names);
    let settings = (args.play).settings(args.thinking(), arena.is_evaluator(), texts)?;
    let options = args.treatment().map(|each| json!(each.options));
    let mut who = vec![
        json!(event),
        json!(first.fingerprint()),
        json!(second.fingerprint()),
    ];
    if matches!(arena, Arena::Builds(_)) {
        who.extend(options);
    }
    let who = json!(who);
    let players = arena.pairs(&settings, [&first, &second], &linked)?;
    Setup::new(args, &settings, &who, players)?.play()
}

/// Tells whether what was typed are weights, and no program: a name of some, or a file that
/// cannot be run.
fn is_weights(typed: &str) -> bool {
    if ["spec", "source", "zero"].contains(&typed) {
        return true;
    }
    std::fs::metadata(typed).is_ok_and(|file| file.is_dir() || (file.is_file() && !runs(&file)))
        || Path::new(typed)
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

pub(super) struct Setup<'a> {
    players: Games<'a, PairRecord>,
    args: &'a MatchArgs,
    settings: &'a ContestSettings,
    /// Returns the identity that a match that resumes must have in common. Numbers of games, tests,
    /// and how the players are named may change.
    identity: Value,
}

impl<'a> Setup<'a> {
    /// `who`: what tells the players from others. The error of `players` is about the book.
    pub(super) fn new(
        args: &'a MatchArgs,
        settings: &'a ContestSettings,
        who: &Value,
        players: Result<Games<'a, PairRecord>, String>,
    ) -> Result<Self, Failure> {
        let mut nameless = settings.clone();
        nameless.texts = MatchTexts {
            text: args.pgn.is_some(),
            ..MatchTexts::default()
        };
        let who = json!({ "players": who });
        Ok(Self {
            players: players.map_err(|words| args.play.openings.refused(&words))?,
            args,
            settings,
            identity: identity(who, &nameless.line(), &settings.openings),
        })
    }

    pub(super) fn play(self) -> Result<(), Failure> {
        let args = self.args;
        let sprt = args.sprt()?;
        args.play.openings.say(self.players.openings);
        let pairs = self.pairs();
        let about = self.about(sprt.as_ref());
        agree(&[("settings", self.identity.to_string())])?;
        let opened = on_first(|| {
            if let Some(report) = &args.report {
                // Found out before the games.
                output::writable(report, "--report")?;
            }
            if let Some(folder) = &args.records {
                std::fs::create_dir_all(folder)
                    .map_err(|error| format!("--records {}: {error}", folder.display()))?;
            }
            self.journal(&about)
        })?;
        let threads = args.play.threads();
        let Some(mut journal) = opened else {
            return self.players.join(threads);
        };
        if journal.pairs() > 0 {
            say!("resumed after {} games", 2 * journal.pairs());
        }
        let interrupt = Interrupt::watch()?;
        let progress = Progress::new(!args.play.json, 2 * pairs, 2 * journal.pairs());
        let mut complained = 0;
        // A match that was resumed may have been decided before.
        let over = decided(journal.tally(), sprt.as_ref()).is_some();
        let end = if over { 0 } else { pairs };
        let numbers = journal.pairs()..end.max(journal.pairs());
        let played = self.players.play(numbers, threads, |done| {
            let Some((number, pair)) = done else {
                return Ok(interrupt.flow());
            };
            // Not every system keeps the keyboard's interrupt from engines: what
            // failed after it may be its doing, and is played again.
            if interrupt.asked() && pair.faults().iter().any(|faults| !faults.is_empty()) {
                return Ok(ControlFlow::Break(()));
            }
            complain(&pair, number, &mut complained);
            // The files first: what the journal holds is not written again.
            self.files(&pair, number)?;
            journal.add(&pair, &pair.text())?;
            let tally = journal.tally();
            progress.games(2 * journal.pairs(), || {
                format!(
                    ": {}",
                    Standing::from(tally).words(sprt.as_ref()).join("; ")
                )
            });
            Ok(match decided(tally, sprt.as_ref()) {
                Some(_) => ControlFlow::Break(()),
                None => interrupt.flow(),
            })
        });
        progress.done();
        let tally = *journal.tally();
        if pairs < args.pairs() {
            say!(
                "the book has {pairs} openings, so {pairs} pairs are all: at a limit of nodes or \
                 depth more would be the same games again"
            );
        }
        let standing = Standing::from(&tally);
        for line in standing.words(sprt.as_ref()) {
            say!("{line}");
        }
        if let Some(report) = &args.report {
            let record = page::record(about, journal.played());
            output::file(
                report,
                &match_page(&record),
                "; name another file by --report",
            )?;
        }
        played?;
        if args.format != Paste::Plain {
            let matched = Matched {
                names: self.names(),
                thinking: Some(self.settings.thinking),
                book: args.play.openings.book.as_deref(),
                options: &self.args.option,
            };
            output::text(&args.format.text(&matched, &standing, sprt.as_ref()))?;
        }
        if args.play.json {
            let record = standing.record(sprt.as_ref());
            output::line(&serde_json::to_string(&record)?)?;
        }
        self.end(&tally, sprt.as_ref(), interrupt.asked())
    }

    fn names(&self) -> [&str; 2] {
        let [first, second] = &self.settings.texts.names;
        [first, second]
    }

    fn pairs(&self) -> u64 {
        let wanted = self.args.pairs();
        match (self.settings.thinking, self.players.openings) {
            (Thinking::Move(Limit::Nodes(_) | Limit::Depth(_)), Some(count)) => wanted.min(count),
            _ => wanted,
        }
    }

    fn end(&self, tally: &Tally, sprt: Option<&Sprt>, interrupted: bool) -> Result<(), Failure> {
        let verdict = decided(tally, sprt);
        let games: u64 = tally.games.iter().sum();
        if interrupted && verdict.is_none() && games < 2 * self.pairs() {
            let next = match self.args.journal {
                Some(_) => "the same command with --resume continues",
                None => "with --journal FILE it could be resumed",
            };
            return Err(Failure::Interrupted(format!("after {games} games; {next}")));
        }
        if !self.args.must_pass {
            return Ok(());
        }
        let passed = match sprt {
            Some(_) => verdict == Some(Verdict::Passed),
            None => tally.is_won(),
        };
        if passed {
            return Ok(());
        }
        let words = format!("{} has not passed", self.names()[0]);
        Err(Failure::NotPassed(words))
    }

    /// Returns the head of the page of the match.
    fn about(&self, sprt: Option<&Sprt>) -> MatchHead {
        let args = self.args;
        let thinking = thinking_words(self.settings.thinking);
        let setup = [
            ("event", self.settings.texts.event.clone()),
            ("thinking", thinking),
            ("openings", args.play.openings.words()),
            ("seed", self.settings.seed.to_string()),
            (
                "longest game",
                format!("{} half-moves", self.settings.adjudication.longest),
            ),
        ];
        MatchHead {
            names: self.names().map(str::to_owned),
            setup: setup.map(|(what, how)| (what.to_owned(), how)).to_vec(),
            sprt: sprt.copied(),
        }
    }

    fn journal(&self, about: &MatchHead) -> Result<Journal, Failure> {
        let args = self.args;
        let games = args.pgn.as_deref();
        let Some(path) = &args.journal else {
            if args.play.resume {
                return Err("--resume: expected --journal FILE, with the file of the match".into());
            }
            return Ok(Journal::new(games)?);
        };
        Ok(if args.play.resume && is_begun(path) {
            Journal::resume(path, &self.identity, games)?
        } else {
            Journal::create(path, &self.identity, &json!(about), games)?
        })
    }

    /// Writes both games of a pair to the folder of `--records`.
    fn files(&self, pair: &PairRecord, number: u64) -> Result<(), Failure> {
        let Some(folder) = &self.args.records else {
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

/// Faults that are shown as they come; all are counted.
const SHOWN: usize = 10;

fn complain(pair: &PairRecord, number: u64, complained: &mut usize) {
    for fault in pair.faults().into_iter().flatten() {
        if *complained < SHOWN {
            say!("pair {}: {fault}: the game is lost", number + 1);
        }
        *complained += 1;
    }
}

fn decided(tally: &Tally, sprt: Option<&Sprt>) -> Option<Verdict> {
    sprt?.decides(&tally.pairs)
}
