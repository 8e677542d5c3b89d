//! `match`: two players, until the games are played or the test is decided.

use std::ops::ControlFlow;

use serde_json::{Value, json};

use super::super::interrupt::Interrupt;
use super::super::ranks::{agree, on_first, ranks};
use super::super::run::{linked, same_program};
use super::super::{Failure, output};
use super::args::{GamesArgs, MatchArgs, limit};
use super::page;
use super::paste::{Matched, Paste};
use super::scoreboard::{Progress, Standing};
use super::weights::NamedSet;
use tuner_base::write_if_changed;
use tuner_data::rules::Rules;
use tuner_engine::{AtWeights, Plays, player_at};
use tuner_play::{
    Contest, GameTexts, Limit, MatchTags, PairRecord, PlayError, PlayerFault, Seats, Thinking,
    play_pair,
};
use tuner_report::match_page;
use tuner_tournament::{Batch, Frequencies, Journal, Sprt, Tally, Verdict, pairs_in_order};

/// Nodes a move unless told otherwise. Chosen: enough for the evaluation to
/// matter more than a capture overlooked.
pub(crate) const NODES: u64 = 5_000;

/// Two sets of weights of one engine.
pub(crate) fn run<E: Plays>(engine: &E, args: &MatchArgs) -> Result<(), Failure> {
    let linked = linked(engine)?;
    same_program(engine, &linked, &[])?;
    let [first, second] = [
        NamedSet::read(&args.first, &linked)?,
        NamedSet::read(&args.second, &linked)?,
    ];
    let (at_first, at_second) = (first.at(engine, &linked), second.at(engine, &linked));
    let source = AtWeights::source(engine);
    let seats = || {
        Ok(Seats {
            first: player_at(&at_first),
            second: player_at(&at_second),
            judge: Some(player_at(&source)),
        })
    };
    let names = [first.name.as_str(), second.name.as_str()];
    let thinking = limit(args.nodes, args.depth, NODES);
    let setup = Setup {
        rules: engine.notation(),
        args: &args.games,
        contest: (args.games).contest(engine.notation(), Thinking::Move(thinking), true)?,
        event: engine.name(),
        options: &[],
        names,
        identity: json!([engine.name(), first.identity(), second.identity()]),
    };
    setup.play(seats)
}

pub(super) struct Setup<'a, R: Rules> {
    pub(super) rules: &'a R,
    pub(super) args: &'a GamesArgs,
    pub(super) contest: Contest<R>,
    pub(super) event: &'a str,
    /// Set in both engines.
    pub(super) options: &'a [(String, String)],
    pub(super) names: [&'a str; 2],
    /// What a match that resumes must have in common, beside options.
    pub(super) identity: Value,
}

impl<R: Rules> Setup<'_, R> {
    pub(super) fn play<'p>(
        self,
        seats: impl Fn() -> Result<Seats<'p, R>, PlayerFault> + Sync,
    ) -> Result<(), Failure> {
        let args = self.args;
        let sprt = args.test()?;
        let pairs = self.pairs();
        let about = self.about(sprt.as_ref());
        agree(&[("settings", self.identity()?.to_string())])?;
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
        let seats = || seats().map_err(PlayError::Player);
        let one = |seats: &mut Seats<'p, R>, number| {
            let pair = play_pair(self.rules, &self.contest, number, seats)?;
            Ok(PairRecord::of(&pair, &self.texts(number)))
        };
        let batch = |numbers| Batch::new(numbers, args.common.threads()).among(ranks());
        let Some(mut journal) = opened else {
            // Others play what the first one asks for.
            let go_on = |_| ControlFlow::Continue(());
            pairs_in_order(&batch(0..0), seats, one, go_on)?;
            return Ok(());
        };
        if journal.pairs() > 0 {
            say!("resumed after {} games", 2 * journal.pairs());
        }
        let interrupt = Interrupt::watch()?;
        let progress = Progress::new(!args.common.json, 2 * pairs, 2 * journal.pairs());
        let mut failed: Option<Failure> = None;
        let mut complained = 0;
        // A match that was resumed may have been decided before.
        let over = decided(journal.tally(), sprt.as_ref()).is_some();
        let end = if over { 0 } else { pairs };
        let batch = batch(journal.pairs()..end.max(journal.pairs()));
        let played = pairs_in_order(&batch, seats, one, |done| {
            let Some((number, pair)) = done else {
                return interrupt.flow();
            };
            // Not every system keeps the keyboard's interrupt from engines: what
            // failed after it may be its doing, and is played again.
            if interrupt.asked() && pair.faults().iter().any(|faults| !faults.is_empty()) {
                return ControlFlow::Break(());
            }
            complain(&pair, number, &mut complained);
            // The files first: what the journal holds is not written again.
            let added = self
                .files(&pair, number)
                .and_then(|()| Ok(journal.add(&pair, &pair.text())?));
            if let Err(error) = added {
                failed = Some(error);
                return ControlFlow::Break(());
            }
            let tally = journal.tally();
            progress.games(2 * journal.pairs(), || {
                format!(
                    ": {}",
                    Standing::from(tally).words(sprt.as_ref()).join("; ")
                )
            });
            match decided(tally, sprt.as_ref()) {
                Some(_) => ControlFlow::Break(()),
                None => interrupt.flow(),
            }
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
            let record = page::record(&about, journal.played());
            output::file(
                report,
                &match_page(&record),
                "; name another file by --report",
            )?;
        }
        if let Some(error) = failed {
            return Err(error);
        }
        played?;
        if args.format != Paste::Plain {
            let matched = Matched {
                names: self.names,
                thinking: Some(self.contest.thinking),
                book: args.openings.book.as_deref(),
                options: self.options,
            };
            output::text(&args.format.text(&matched, &standing, sprt.as_ref()))?;
        }
        if args.common.json {
            output::line(&standing.json(sprt.as_ref()).to_string())?;
        }
        self.end(&tally, sprt.as_ref(), interrupt.asked())
    }

    fn pairs(&self) -> u64 {
        let contest = &self.contest;
        match contest.thinking {
            Thinking::Move(limit) => contest.openings.different(self.args.pairs(), limit),
            Thinking::Game(_) => self.args.pairs(),
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
            None => (tally.pairs.interval()).is_some_and(|(low, _)| low > 0.0),
        };
        if passed {
            return Ok(());
        }
        let words = format!("{} has not passed", self.names[0]);
        Err(Failure::NotPassed(words))
    }

    /// What the page says of the match, beside its games.
    fn about(&self, sprt: Option<&Sprt>) -> Value {
        let args = self.args;
        let thinking = thinking_words(self.contest.thinking);
        let setup = [
            ("event", self.event.to_owned()),
            ("thinking", thinking),
            ("openings", args.openings.words()),
            ("seed", args.common.seed.to_string()),
            ("longest game", format!("{} half-moves", args.longest)),
        ];
        let risks = [args.alpha, args.beta];
        let test = sprt.map(|sprt| (sprt, risks, args.unit()));
        page::about(self.names, &setup, test)
    }

    fn journal(&self, about: &Value) -> Result<Journal, Failure> {
        let args = self.args;
        let games = args.pgn.as_deref();
        let identity = self.identity()?;
        let Some(path) = &args.journal else {
            if args.common.resume {
                return Err("--resume: expected --journal FILE, with the file of the match".into());
            }
            return Ok(Journal::new(games)?);
        };
        Ok(if args.common.resume && Journal::is_begun(path) {
            Journal::resume(path, &identity, games)?
        } else {
            Journal::create(path, &identity, about, games)?
        })
    }

    /// What a match that resumes must have in common. Numbers of games
    /// and tests may change.
    fn identity(&self) -> Result<Value, Failure> {
        let args = self.args;
        let limit = match self.contest.thinking {
            Thinking::Move(Limit::Nodes(nodes)) => json!({ "nodes": nodes }),
            Thinking::Move(Limit::Depth(depth)) => json!({ "depth": depth }),
            Thinking::Move(Limit::Time(time)) => json!({ "milliseconds": time.as_millis() as u64 }),
            other => json!({ "clock": thinking_words(other) }),
        };
        let rules = &self.contest.adjudication;
        Ok(json!({
            "players": self.identity,
            "seed": args.common.seed,
            "thinking": limit,
            "openings": args.openings.identity()?,
            "win": rules.win.map(|rule| (rule.score, rule.plies)),
            "draw": rules.draw.map(|rule| (rule.score, rule.plies, rule.from)),
            "longest": rules.longest,
            "pgn": args.pgn.is_some(),
        }))
    }

    /// Which texts are made of a pair, and what they say of the match.
    fn texts(&self, number: u64) -> GameTexts<'_> {
        let tags = MatchTags {
            event: self.event,
            names: self.names,
            time_control: match self.contest.thinking {
                Thinking::Game(control) => Some(control),
                Thinking::Move(_) => None,
            },
        };
        GameTexts {
            tags: Some(tags),
            text: self.args.pgn.is_some(),
            files: self.args.records.is_some(),
            number,
        }
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

/// How much both sides may think, in words.
pub(super) fn thinking_words(thinking: Thinking) -> String {
    match thinking {
        Thinking::Move(limit) => limit_words(limit),
        Thinking::Game(control) => {
            format!("{control}, {} ms of margin", control.margin.as_millis())
        }
    }
}

/// The same of a single move.
pub(crate) fn limit_words(limit: Limit) -> String {
    match limit {
        Limit::Nodes(nodes) => format!("{nodes} nodes a move"),
        Limit::Depth(depth) => format!("depth {depth}"),
        Limit::Time(time) => format!("{} ms a move", time.as_millis()),
        Limit::Clock(_) => "clocks".to_owned(),
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
    let sprt = sprt?;
    sprt.verdict(sprt.llr(&tally.pairs))
}
