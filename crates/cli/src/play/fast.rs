//! Fast games of new weights against old ones, at the end of a fit.
//!
//! Errors do not tell whether an engine plays better; games of a hundred positions
//! a move do, as docs/strength.md shows, and take seconds.

use std::ops::ControlFlow;

use super::super::Failure;
use super::super::interrupt::Interrupt;
use super::super::ranks::ranks;
use super::arena::Arena;
use super::args::{BALANCE, RANDOM_PLIES};
use super::scoreboard::{self, Progress, Standing};
use crate::weights::NamedSet;
use tuner_engine::LinkedSpec;
use tuner_play::{
    Adjudication, ContestSettings, Limit, MatchTexts, OpeningChoice, Thinking, WinRule,
};
use tuner_record::FastGamesRecord;
use tuner_tournament::{EloUnit, Frequencies as _, Sprt, Tally};

/// Positions to search a move. Chosen: see docs/strength.md.
pub(crate) const NODES: u64 = 100;

/// Most games, unless told otherwise. Chosen: the test is mostly decided before.
pub(crate) const GAMES: u64 = 4_000;

/// The test that new weights must pass: surely stronger than before. What is 20 better
/// passes it with the same certainty, after some six hundred games where it is 40 better.
/// In units of normalised Elo.
const HYPOTHESES: [f64; 2] = [0.0, 20.0];
const RISK: f64 = 0.05;

/// As in `match`.
const WIN: WinRule = WinRule {
    score: 1_000,
    plies: 10,
};
const LONGEST: usize = 500;

/// Plays new weights against old ones until the test is decided, or so many games; the
/// interrupt ends it early.
pub(crate) fn run(
    arena: &Arena<'_>,
    linked: &LinkedSpec,
    weights: [&[f64]; 2],
    games: u64,
    visible: bool,
    interrupt: &Interrupt,
) -> Result<FastGamesRecord, Failure> {
    let settings = ContestSettings {
        seed: 1,
        thinking: Thinking::Move(Limit::Nodes(NODES)),
        openings: OpeningChoice::Random {
            plies: RANDOM_PLIES,
            bound: arena.is_evaluator().then_some(BALANCE),
        },
        adjudication: Adjudication {
            win: Some(WIN),
            draw: None,
            longest: LONGEST,
        },
        texts: MatchTexts::default(),
    };
    let names = ["the new weights", "the old weights"];
    let [new, old] = [0, 1].map(|side| NamedSet::of(names[side], weights[side].to_vec()));
    let players = arena.pairs(&settings, [&new, &old], linked)??;
    let pairs = games.div_ceil(2);
    let progress = Progress::new(visible, 2 * pairs, 0);
    let [elo0, elo1] = HYPOTHESES;
    let test = Sprt::new(elo0, elo1, RISK, RISK, EloUnit::Normalised)?;
    let mut tally = Tally::default();
    let played = players.play(0..pairs, rayon::current_num_threads(), |done| {
        if let Some((number, pair)) = done {
            tally.add_pair(&pair);
            progress.games(2 * (number + 1), String::new);
            if test.decides(&tally.pairs).is_some() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(interrupt.flow())
    });
    progress.done();
    played?;
    // The first rank alone has seen the games of all.
    let passed = if ranks().is_first() {
        f64::from(u8::from(tally.passes(&test)))
    } else {
        f64::INFINITY
    };
    let passed = ranks().least(passed) > 0.0;
    let standing = Standing::from(&tally);
    Ok(FastGamesRecord {
        words: words(&standing, passed),
        passed,
        standing: standing.record(Some(&test)),
    })
}

fn words(standing: &Standing, passed: bool) -> String {
    let (counts, interval) = (&standing.counts, standing.counts.interval());
    let what = match interval {
        _ if passed => "stronger than before",
        Some((_, high)) if high < 0.0 => "weaker than before",
        _ => "as strong as before, as far as these games tell",
    };
    let elo = (counts.elo().zip(interval)).map_or_else(String::new, |(elo, interval)| {
        format!(": {}", scoreboard::elo_words(elo, interval))
    });
    let games = standing.number_of_games();
    format!("{what}{elo} in {games} fast games ({NODES} positions a move)")
}
