//! `elo` and `sprt`: what results tell that are there already.

use std::path::Path;

use clap::Args;

use super::super::{Failure, output};
use super::args::{TestArgs, parse_hypotheses};
use super::paste::{Matched, Paste};
use super::results;
use super::scoreboard::Standing;
use crate::help::heading;
use tuner_record::MatchHead;
use tuner_tournament::{Journal, Sprt};

/// Says how far a sequential test of results is.
#[derive(Args, Debug)]
pub(crate) struct SprtArgs {
    /// The hypotheses: passed is what is surely above the first, failed what is surely
    /// below the second.
    #[arg(id = "sprt", long = "elo", value_name = "ELO0,ELO1", value_parser = parse_hypotheses, allow_hyphen_values = true, help_heading = heading::TEST)]
    elo: [f64; 2],
    #[command(flatten)]
    test: TestArgs,
    #[command(flatten)]
    results: ResultArgs,
}

/// Results of games.
#[derive(Args, Debug)]
pub(crate) struct ResultArgs {
    /// Games won, drawn and lost (W D L); pairs by half points (LL LD WL+DD WD WW); or a
    /// file: games in PGN, or the --journal of a match.
    #[arg(required = true, num_args = 1.., value_name = "COUNTS | FILE")]
    results: Vec<String>,
    /// Whose results are counted in games of PGN [default: White's of the first game].
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// How the result is written on standard output.
    #[arg(long, value_enum, default_value_t, conflicts_with = "json", help_heading = heading::DATA)]
    format: Paste,
    /// Print one JSON object.
    #[arg(long, help_heading = heading::OUTPUT)]
    json: bool,
}

pub(crate) fn elo(results: &ResultArgs) -> Result<(), Failure> {
    results.tell(None)
}

pub(crate) fn sprt(args: &SprtArgs) -> Result<(), Failure> {
    let sprt = args.test.of(args.elo);
    let sprt = sprt.map_err(|error| Failure::Usage(format!("--elo: {error}")))?;
    args.results.tell(Some(&sprt))
}

impl ResultArgs {
    fn tell(&self, sprt: Option<&Sprt>) -> Result<(), Failure> {
        let (standing, names) = self.read()?;
        if standing.number_of_games() == 0 {
            return Err("found no game that is over, so nothing can be told".into());
        }
        if self.json {
            return output::line(&serde_json::to_string(&standing.record(sprt))?);
        }
        let names = names.as_ref().map(|[first, second]| [&**first, &**second]);
        let matched = Matched {
            names: names.unwrap_or(["first", "second"]),
            ..Matched::default()
        };
        output::text(&self.format.text(&matched, &standing, sprt))
    }

    /// The results, and who played where a file says so.
    fn read(&self) -> Result<(Standing, Option<[String; 2]>), Failure> {
        if let [file] = &self.results[..]
            && file.parse::<u64>().is_err()
        {
            return self.file(Path::new(file));
        }
        if self.player.is_some() {
            let words = "--player is for a file of games: counts do not say who played";
            return Err(Failure::Usage(words.to_owned()));
        }
        let numbers: Option<Vec<u64>> = (self.results.iter())
            .map(|text| text.parse().ok().filter(|&n| n <= MOST))
            .collect();
        let standing = match numbers.as_deref() {
            Some(&[wins, draws, losses]) => {
                Standing::new(Some([wins, draws, losses]), &[losses, draws, wins])
            }
            Some(pairs @ [_, _, _, _, _]) => Standing::new(None, pairs),
            _ => {
                let found = self.results.join(" ");
                return Err(Failure::Usage(format!(
                    "found {found}, expected three counts (won, drawn, lost), five (pairs by half \
                     points: LL LD WL+DD WD WW), or one file"
                )));
            }
        };
        Ok((standing, None))
    }

    fn file(&self, path: &Path) -> Result<(Standing, Option<[String; 2]>), Failure> {
        if super::is_match(path) {
            if self.player.is_some() {
                let words = "--player is for games in PGN: a journal counts its first player's";
                return Err(Failure::Usage(words.to_owned()));
            }
            let record = Journal::read(path)?;
            let names = MatchHead::of(record.about()).map(|head| head.names);
            return Ok((Standing::from(record.tally()), names));
        }
        let found = results::of_pgn(path, self.player.as_deref())?;
        say!("{}", found.words(path));
        Ok((found.standing(), Some(found.names())))
    }
}

/// More games than were ever played of a test; sums of counts stay exact.
const MOST: u64 = 1 << 40;
