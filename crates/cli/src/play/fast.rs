//! Fast games of new weights against old ones, at the end of a fit.
//!
//! Errors do not tell whether an engine plays better; games of a hundred positions
//! a move do, as docs/strength.md shows, and take seconds.

use serde_json::Value;

use super::super::Failure;
use super::super::interrupt::Interrupt;
use super::super::ranks::ranks;
use super::args::{BALANCE, RANDOM_PLIES};
use super::scoreboard::{self, Progress, Standing};
use tuner_engine::{AtWeights, LinkedSpec, Plays, player_at};
use tuner_play::{
    Adjudication, Batch, Contest, Frequencies, Limit, Openings, Seats, Tally, Thinking, WinRule,
    contest,
};

/// Positions to search a move. Chosen: see docs/strength.md.
pub(crate) const NODES: u64 = 100;

/// Games, unless told otherwise: they tell 20 Elo.
pub(crate) const GAMES: u64 = 1_000;

/// As in `match`.
const WIN: WinRule = WinRule {
    score: 1_000,
    plies: 10,
};
const LONGEST: usize = 500;

/// What the games came to.
pub(crate) struct FastGames(Tally);

/// Plays new weights against old ones; the interrupt ends it early.
pub(crate) fn run<E: Plays>(
    engine: &E,
    linked: &LinkedSpec,
    [new, old]: [&[f64]; 2],
    games: u64,
    visible: bool,
    interrupt: &Interrupt,
) -> Result<FastGames, Failure> {
    let at = |weights| AtWeights::new(engine, &linked.link, weights);
    let (new, old, source) = (at(new), at(old), AtWeights::source(engine));
    let seats = || {
        Ok(Seats {
            first: player_at(&new),
            second: player_at(&old),
            judge: Some(player_at(&source)),
        })
    };
    let rules = engine.notation();
    let setup = Contest {
        seed: 1,
        thinking: Thinking::Move(Limit::Nodes(NODES)),
        openings: Openings::Random {
            plies: RANDOM_PLIES,
            bound: Some(BALANCE),
        },
        adjudication: Adjudication {
            win: Some(WIN),
            draw: None,
            longest: LONGEST,
        },
    };
    let pairs = games.div_ceil(2);
    let batch = Batch::new(0..pairs, rayon::current_num_threads()).among(ranks());
    let progress = Progress::new(visible, 2 * pairs, 0);
    let mut tally = Tally::default();
    let played = contest(rules, &setup, &batch, seats, |done| {
        if let Some((number, pair)) = done {
            let faults = pair.faults().map(|faults| faults.len() as u8);
            tally.add(pair.half_points(), faults, pair.late());
            progress.games(2 * (number + 1), String::new);
        }
        interrupt.flow()
    });
    progress.done();
    played?;
    Ok(FastGames(tally))
}

impl FastGames {
    /// Tells whether the new weights made less than half of the points: they are more
    /// likely weaker than stronger.
    pub(crate) fn are_lost(&self) -> bool {
        let [won, _, lost] = self.0.games;
        won < lost
    }

    /// Tells whether more than chance says so.
    pub(crate) fn are_surely_lost(&self) -> bool {
        let interval = self.0.pairs.interval();
        interval.is_some_and(|(_, high)| high < 0.0)
    }

    pub(crate) fn words(&self) -> String {
        let games: u64 = self.0.games.iter().sum();
        let interval = self.0.pairs.interval();
        let what = match interval {
            Some((low, _)) if low > 0.0 => "stronger than before",
            Some((_, high)) if high < 0.0 => "weaker than before",
            _ => "as strong as before, as far as these games tell",
        };
        let elo = (self.0.pairs.elo().zip(interval)).map_or_else(String::new, |(elo, interval)| {
            format!(": {}", scoreboard::elo_words(elo, interval))
        });
        format!("{what}{elo} in {games} fast games ({NODES} positions a move)")
    }

    pub(crate) fn json(&self) -> Value {
        Standing::from(&self.0).json(None)
    }
}
