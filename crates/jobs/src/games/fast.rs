//! Fast games of new weights against old ones, at the end of a fit.
//!
//! Errors do not tell whether an engine plays better; games of a hundred positions
//! a move do, as docs/lab/strength.md shows, and take seconds.

use super::{Arena, GamesConfig, GamesProgress, GamesStanding};
use crate::{Job, NamedSet, Result};
use tuner_base::break_if;
use tuner_engine::LinkedSpec;
use tuner_play::{ContestSettings, Limit, MatchTexts, Thinking};
use tuner_record::FastGamesRecord;
use tuner_tournament::{EloUnit, Frequencies as _, Sprt, Tally};

/// Positions to search a move. Chosen by measurements, which docs/lab/strength.md has.
const NODES: u64 = 100;

/// Most games, unless told otherwise. Chosen: the test is mostly decided before.
pub(crate) const FAST_GAMES: u64 = 4_000;

/// The hypotheses of the test that new weights must pass, in normalised Elo: that they are not
/// stronger, and that they are 20 stronger. Weights that are 40 stronger pass after some six
/// hundred games.
const HYPOTHESES: [f64; 2] = [0.0, 20.0];
/// Both risks of the test: of passing weights that are not stronger, of failing ones that are.
const RISK: f64 = 0.05;

/// Returns how fast games are played: with searches to `depth`, or where it is `None` with
/// `NODES` (100) positions a move; all else is as in a match by default.
pub(crate) fn fast_config(depth: Option<u32>) -> GamesConfig {
    GamesConfig {
        thinking: Thinking::Move(depth.map_or(Limit::Nodes(NODES), Limit::Depth)),
        ..GamesConfig::default()
    }
}

impl Arena<'_> {
    /// Returns the settings of fast games between players of this arena, with searches to `depth`;
    /// `None`: 100 positions a move.
    pub(crate) fn fast_settings(&self, depth: Option<u32>) -> Result<ContestSettings> {
        let (game, judged) = (self.game()?, self.is_seeing()?);
        // 0 openings are drawn of a Polyglot book, as fast games begin with random moves; no texts
        // of the games are wanted.
        fast_config(depth).settings(game, judged, 0, MatchTexts::default())
    }
}

/// Plays new weights against old ones, in this order in `weights`, until the sequential test is
/// decided or `games` games are played, and returns what they came to. `depth`: of the search for a
/// move; `None`: 100 positions a move.
pub(crate) fn fast_games(
    job: &Job,
    arena: &Arena<'_>,
    linked: &LinkedSpec,
    weights: [&[f64]; 2],
    games: u64,
    depth: Option<u32>,
) -> Result<FastGamesRecord> {
    let settings = [arena.fast_settings(depth)?];
    let names = ["the new weights", "the old weights"];
    let [new, old] = [0, 1].map(|side| NamedSet::of(names[side], weights[side].to_vec()));
    let players = arena.pairs(job, &settings, &[&new, &old], linked)??;
    let pairs = games.div_ceil(2);
    // `0`: fast games are not resumed, so no earlier run has played some of them.
    let progress = GamesProgress::new(job, 2 * pairs, 0);
    let [elo0, elo1] = HYPOTHESES;
    let test = Sprt::new(elo0, elo1, RISK, RISK, EloUnit::Normalised)?;
    let mut tally = Tally::default();
    players.play(job, 0..pairs, |number, pair| {
        tally.add_pair(&pair);
        let llr = test.llr(&tally.pairs);
        progress.test(2 * (number + 1), llr, &test);
        Ok(break_if(test.verdict(llr).is_some()))
    })?;
    // Only the first rank takes the games of all ranks; the others learn its verdict.
    let passed = job.ranks.any(job.ranks.is_first() && tally.passes(&test));
    let standing = GamesStanding::from(&tally);
    Ok(FastGamesRecord {
        words: words(&standing, passed, depth),
        passed,
        standing: standing.record(Some(&test)),
    })
}

/// Returns a sentence on what the games came to. `passed`: whether the new weights passed the test;
/// `depth`: of the search for a move, `None` where 100 positions a move limited it.
fn words(standing: &GamesStanding, passed: bool, depth: Option<u32>) -> String {
    // Without a passed test, weights are weaker where the whole 95 % interval of Elo is below 0.
    let what = match standing.counts.interval() {
        _ if passed => "stronger than before",
        Some((_, high)) if high < 0.0 => "weaker than before",
        _ => "as strong as before, as far as these games tell",
    };
    let elo = standing.elo_words();
    let elo = elo.map_or_else(String::new, |elo| format!(": {elo}"));
    let games = standing.number_of_games();
    let limit = depth.map_or(format!("{NODES} positions"), |depth| {
        format!("depth {depth}")
    });
    format!("{what}{elo} in {games} fast games ({limit} a move)")
}
