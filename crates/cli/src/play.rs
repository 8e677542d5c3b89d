//! Games: `selfplay`, `match`, `spsa`, `loop`, and what results tell that are there already.

use std::path::Path;

use serde_json::json;

use crate::output;
use crate::play_args::{
    LoopArgs, MatchArgs, ResultArgs, ResultFormatArg, SelfPlayArgs, SprtArgs, SpsaArgs,
};
use tuner_data::AnyGame;
use tuner_fit::run::OptionsSnapshot;
use tuner_jobs::{
    GamesStanding, Job, JobFailure as Failure, JobResult as Result, MatchConditions, MatchConfig,
    PgnResults, Project, ResultFormat, SpsaConfig, StepRunner, fail, is_match, misuse, opponents,
    run_loop,
};
use tuner_record::MatchHead;
use tuner_tournament::{Journal, Sprt};

/// Runs `selfplay`: plays the engine against itself; the first of several processes prints what the
/// games came to.
pub(crate) fn selfplay(job: &Job, project: &Project, args: &SelfPlayArgs) -> Result<()> {
    let summary = tuner_jobs::selfplay(job, project, &args.config())?;
    (summary.iter()).try_for_each(|summary| args.play.print.show(summary))
}

/// Runs `match`: plays a match, and prints its result in the format of `--format`, on the first of
/// several processes. `game` gives the rules that programs play by; weights need none.
pub(crate) fn run_match<'a>(
    job: &Job,
    project: Option<&Project>,
    game: impl FnOnce() -> Result<&'a AnyGame>,
    args: &MatchArgs,
    config: &MatchConfig,
) -> Result<()> {
    let Some(found) = tuner_jobs::run_match(job, project, game, config)? else {
        return Ok(());
    };
    let sprt = config.sprt.as_ref();
    for (opponent, standing) in &found.opponents {
        // In words the result was said on standard error already.
        if args.format == ResultFormatArg::Plain {
            break;
        }
        let conditions = MatchConditions {
            names: [&found.name, opponent],
            // The limit of the first side, its own or the one that is typed for all.
            thinking: Some(config.sides[0].thinking.unwrap_or(config.games.thinking)),
            book: args.play.openings.book.as_deref(),
            options: &args.option,
        };
        let format = ResultFormat::from(args.format);
        output::text(&format.text(&conditions, standing, sprt))?;
    }
    if args.play.print.json {
        let mut record = json!(found.standing.record(sprt));
        if found.opponents.len() > 1 {
            let opponents = found.opponents.iter();
            // `None`: a test has one opponent, so there is none here.
            let opponents = opponents.map(|(name, standing)| (name, standing.record(None)));
            record["opponents"] = json!(opponents.collect::<Vec<_>>());
        }
        output::json(&record)?;
    }
    found.end
}

/// Runs `loop`: rounds of games, fit and test. `options`: those that must be the same where it
/// continues; `steps` runs the commands that rounds are made of.
pub(crate) fn rounds(
    job: &Job,
    project: &Project,
    args: &LoopArgs,
    options: OptionsSnapshot,
    steps: &dyn StepRunner,
) -> Result<()> {
    let record = run_loop(job, project, &args.config(options)?, steps)?;
    match record.filter(|_| args.json) {
        Some(record) => output::json(&record),
        None => Ok(()),
    }
}

/// Runs `spsa`: moves weights or options by games, of an engine or of a program, for which `game`
/// gives the rules. If it is interrupted before all games are played, or before the test at their
/// end, that is a failure, which is returned after the summary was printed.
pub(crate) fn spsa<'a>(
    job: &Job,
    project: Option<&Project>,
    game: impl FnOnce() -> Result<&'a AnyGame>,
    args: &SpsaArgs,
    config: &SpsaConfig,
) -> Result<()> {
    let summary = tuner_jobs::spsa(job, project, game, config)?;
    args.play.print.show(&summary)?;
    let is_untested = config.test_games > 0 && summary.test.is_none() && job.is_interrupted();
    if summary.games < summary.of || is_untested {
        let words = format!("after {} games; --resume continues", summary.games);
        return Err(Failure::Interrupted(words));
    }
    Ok(())
}

/// Runs `sprt`: prints how far a sequential test is by results that are there already.
pub(crate) fn sprt(args: &SprtArgs) -> Result<()> {
    let sprt = args.test.of(args.elo);
    let sprt = sprt.map_err(|error| Failure::Usage(format!("--elo: {error}")))?;
    args.results.tell(Some(&sprt))
}

impl ResultArgs {
    /// Prints what the results tell of strength, and of the test `sprt`, if one is given. Sides
    /// whose names no file says are `first` and `second`. Fails where no game is over.
    pub(crate) fn tell(&self, sprt: Option<&Sprt>) -> Result<()> {
        let (standing, names) = self.read()?;
        if standing.number_of_games() == 0 {
            fail!("found no game that is over, so nothing can be told");
        }
        if self.print.json {
            return output::json(&standing.record(sprt));
        }
        let names = names.as_ref().map(|[first, second]| [&**first, &**second]);
        let conditions = MatchConditions {
            names: names.unwrap_or(["first", "second"]),
            ..MatchConditions::default()
        };
        let format = ResultFormat::from(self.format);
        output::text(&format.text(&conditions, &standing, sprt))
    }

    /// Reads the results that were typed: three counts of games (won, drawn, lost), five of pairs
    /// (by half points, 0 to 4), or a file of games. With them are the names of both sides, where a
    /// file says them.
    fn read(&self) -> Result<(GamesStanding, Option<[String; 2]>)> {
        if let [file] = &self.results[..]
            && file.parse::<u64>().is_err()
        {
            return self.file(Path::new(file));
        }
        if self.player.is_some() {
            misuse!("--player is for a file of games: counts do not say who played");
        }
        // `None` if one is no count, or above 2⁴⁰ (`MOST`).
        let numbers: Option<Vec<u64>> = (self.results.iter())
            .map(|text| text.parse().ok().filter(|&n| n <= MOST))
            .collect();
        let standing = match numbers.as_deref() {
            Some(&[wins, draws, losses]) => {
                GamesStanding::new(Some([wins, draws, losses]), &[losses, draws, wins])
            }
            Some(pairs @ [_, _, _, _, _]) => GamesStanding::new(None, pairs),
            _ => {
                let found = self.results.join(" ");
                misuse!(
                    "found {found}, expected three counts (won, drawn, lost), five (pairs by half \
                     points: LL LD WL+DD WD WW), or one file"
                );
            }
        };
        Ok((standing, None))
    }

    /// Reads the results of the journal of a match, or of games in PGN, and the names of both
    /// sides; a journal may have none. Says what was found.
    fn file(&self, path: &Path) -> Result<(GamesStanding, Option<[String; 2]>)> {
        if is_match(path) {
            if self.player.is_some() {
                misuse!("--player is for games in PGN: a journal counts its first player's");
            }
            let record = Journal::read(path)?;
            let head = MatchHead::of(record.about());
            if let Some(head) = &head {
                output::say_all(GamesStanding::table(&opponents(head, record.played())));
            }
            let names = head.map(|head| head.names);
            return Ok((GamesStanding::from(record.tally()), names));
        }
        let found = PgnResults::read(path, self.player.as_deref())?;
        say!("{}", found.words(path));
        Ok((found.standing(), Some(found.names())))
    }
}

/// Largest count of games that is read. Chosen: more than any test has; sums stay exact.
const MOST: u64 = 1 << 40;
