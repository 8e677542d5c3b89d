//! The time that a node takes: of the engine itself, built with one set of weights and with
//! another. A compiler leaves out what only zeros are added by, so weights of 0 show what a term
//! costs.

use std::time::Instant;

use super::Builds;
use super::fast::fast_config;
use crate::{Job, NamedSet, Result};
use tuner_data::AnyGame;
use tuner_play::{Limit, MatchTexts, Player, generator};
use tuner_record::NodeTime;
use tuner_tournament::External;

/// Positions that both builds search, one after the other. Chosen: the interval is within 1 % where
/// nothing else runs.
const POSITIONS: u64 = 40;

/// Nodes of a search. Chosen: a tenth of a second, in which no clock is coarse.
const NODES: u64 = 100_000;

/// Returns the time of a node of a build with the weights `sides[0]`, divided by that of a build
/// with `sides[1]`, with its interval; `None` if the job is to end. Both search the same
/// `POSITIONS` (40) positions in turn, on one thread, with 100 000 nodes each.
///
/// # Errors
/// If the engine cannot be built, or a search fails or does not tell how many nodes it took.
pub(crate) fn node_time(
    job: &Job,
    builds: &Builds<'_>,
    sides: [&NamedSet; 2],
) -> Result<Option<NodeTime>> {
    let rules = builds.game;
    // Of these settings the seed and the random openings are used; nothing is played. `false`: no
    // evaluator tells whether an opening is balanced; `0`: no book is drawn from.
    let settings = fast_config(None).settings(rules, false, 0, MatchTexts::default())?;
    let openings = settings.openings.resolve(rules)?;
    let mut players: Vec<External> = (builds.programs(job, &sides)?.into_iter())
        .map(External::new)
        .collect();
    let mut logarithms = Vec::new();
    for number in 0..POSITIONS {
        if job.is_interrupted() {
            return Ok(None);
        }
        // The position to search: an opening without further random moves (`0`).
        let mut rng = generator(settings.seed, number);
        let game = openings.game(rules, number, 0, &mut rng, &mut players[0])?;
        let mut seconds = [0.0; 2];
        // The second search of a position may find caches of the machine warm, so the builds take
        // turns in being first.
        for turn in 0..2 {
            let side = usize::from((number + turn) % 2 == 1);
            let player = &mut players[side];
            Player::<AnyGame>::new_game(player)?;
            let begun = Instant::now();
            let chosen = player.choose(&game, Limit::Nodes(NODES))?;
            if chosen.nodes == 0 {
                fail!("the engine does not say how many nodes it searched: `info … nodes N`");
            }
            seconds[side] = begun.elapsed().as_secs_f64() / chosen.nodes as f64;
        }
        logarithms.push((seconds[0] / seconds[1]).ln());
    }
    Ok(Some(of_logarithms(&mut logarithms)))
}

/// Returns the median of the ratios whose natural logarithms are given, and its 95 % interval. A
/// median, as searches that another process slowed down then hardly matter.
///
/// The number of n draws below their median is binomial, n/2 on average with standard deviation
/// √n/2, so the ends of the interval are the values that are 1.96·√n/2 places from the middle.
fn of_logarithms(logarithms: &mut [f64]) -> NodeTime {
    logarithms.sort_by(f64::total_cmp);
    let count = logarithms.len();
    // 1.96·√n/2.
    let half = 0.98 * (count as f64).sqrt();
    let low = (count as f64 / 2.0 - half).floor().max(0.0) as usize;
    let middle = f64::midpoint(logarithms[(count - 1) / 2], logarithms[count / 2]);
    NodeTime {
        ratio: middle.exp(),
        interval: [low, count - 1 - low].map(|at| logarithms[at].exp()),
    }
}
