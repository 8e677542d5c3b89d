//! Which positions and games move one weight.

use std::collections::BTreeMap;

use serde::Serialize;

use super::pass::{Examination, ExaminationReport, ExaminedPosition};
use super::ranking::{MostOf, Ranking};
use super::weights::WeightSet;
use crate::engine::Engine;
use tuner_base::{LaneId, WeightId};
use tuner_data::ReadError;
use tuner_fit::model::{Loss, Sigmoid};
use tuner_solve::Curvature;

/// A position that pulls a weight. Values are the first player's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PositionPull {
    /// The position, as the data have it.
    pub position: String,
    /// Its file.
    pub file: String,
    /// Its line, or the number of its record.
    pub line: u64,
    /// The number of its game; `None` if the data do not know games.
    pub game: Option<u32>,
    /// The expectation p.
    pub expectation: f64,
    /// The result R.
    pub outcome: f64,
    /// The evaluation's score, in centipawns.
    pub score: f64,
    /// How much the score changes with the weight.
    pub derivative: f64,
    /// Its part of the [step](Pulls::step), in the unit of the weight.
    pub pull: f64,
}

/// A game that pulls a weight.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GamePull {
    /// The number of the game.
    pub game: u32,
    /// Its positions that read the weight.
    pub positions: u64,
    /// The file of the one that pulls most, either way.
    pub file: String,
    /// Its line, or the number of its record.
    pub line: u64,
    /// Its part of the [step](Pulls::step), in the unit of the weight.
    pub pull: f64,
}

/// What a weight would be without one game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WithoutGame {
    /// The number of the game.
    pub game: u32,
    /// The weight after the step without it; to be compared with
    /// [`Pulls::value_after_step`].
    pub value: f64,
}

/// Which positions and games move one weight, all others staying as they are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pulls {
    /// The name of the weight.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Positions that read it.
    pub positions: u64,
    /// Games that read it; positions of data without games count as games.
    pub games: usize,
    /// By how much it would change for the least E if it changed alone, by slope
    /// and Gauss-Newton curvature here: the sum of the pulls of all positions. No prior has a
    /// say. `None` where E is not curved, and pulls are 0 then.
    pub step: Option<f64>,
    /// The weight after that step.
    pub value_after_step: Option<f64>,
    /// The positions that pull it up most, the most first.
    pub up: Vec<PositionPull>,
    /// The positions that pull it down most, the most first.
    pub down: Vec<PositionPull>,
    /// The games that pull it up most, the most first.
    pub games_up: Vec<GamePull>,
    /// The games that pull it down most, the most first.
    pub games_down: Vec<GamePull>,
    /// The weight after the step without the game that pulls it up most.
    pub without_up: Option<WithoutGame>,
    /// The weight after the step without the game that pulls it down most.
    pub without_down: Option<WithoutGame>,
}

/// Sums over the positions of a game that read the weight.
#[derive(Clone, Copy, Debug, Default)]
struct PullSums {
    positions: u64,
    /// −Σ of the slopes of the loss by the weight.
    pull: f64,
    /// Second derivatives, those of Gauss and Newton: their steps stay near even where
    /// the weight is far off.
    curvature: f64,
    /// The largest pull of one position, and where that was read.
    largest: f64,
    location: (u32, u64),
}

impl PullSums {
    fn merge(&mut self, later: Self) {
        self.positions += later.positions;
        self.pull += later.pull;
        self.curvature += later.curvature;
        if later.largest > self.largest {
            (self.largest, self.location) = (later.largest, later.location);
        }
    }
}

/// What one block adds.
struct BlockSums {
    games: BTreeMap<u32, PullSums>,
    up: Ranking<PositionPull>,
    down: Ranking<PositionPull>,
}

/// Finds what moves one weight, by the squared error.
///
/// `most`: positions each way; as many games.
/// *Cost*: a pass; some 80 bytes for each game that reads the weight.
///
/// # Errors
/// As [`Examination::pass`].
///
/// # Panics
/// If there is no such weight.
pub fn pulls<E: Engine>(
    examination: &Examination<'_, E>,
    at: &WeightSet,
    weight: WeightId,
    sigmoid: Sigmoid,
    most: MostOf,
) -> Result<(ExaminationReport, Pulls), ReadError> {
    let layout = examination.linked.spec.layout();
    let lane = layout.lane(weight);
    let empty = || BlockSums {
        games: BTreeMap::new(),
        up: Ranking::new(most),
        down: Ranking::new(most),
    };
    let mut all = empty();
    let each = |block: &mut BlockSums, position: &ExaminedPosition<'_, E>| {
        add(block, position, (lane, sigmoid), |position| {
            examination.file(position)
        });
    };
    let report = examination.pass(&[at], empty, each, |block| {
        for (game, sums) in block.games {
            all.games.entry(game).or_default().merge(sums);
        }
        all.up.merge(block.up);
        all.down.merge(block.down);
    })?;
    let mut totals = PullSums::default();
    for sums in all.games.values() {
        totals.merge(*sums);
    }
    let curvature = Some(totals.curvature).filter(|curvature| *curvature > 0.0);
    let step = curvature.map(|curvature| totals.pull / curvature);
    let value = at.weights()[weight.index()];
    let scale = curvature.map_or(0.0, |curvature| 1.0 / curvature);
    let file = |input: u32| {
        let input = examination.positions.inputs.get(input as usize);
        input.map_or_else(String::new, |input| input.name().display().to_string())
    };
    let games = |sign: f64| -> Vec<GamePull> {
        let one_each = MostOf { game: 1, ..most };
        let mut ranking = Ranking::new(one_each);
        for (&game, sums) in all.games.iter().filter(|(_, sums)| sign * sums.pull > 0.0) {
            ranking.add(sign * sums.pull, game, || GamePull {
                game,
                positions: sums.positions,
                file: file(sums.location.0),
                line: sums.location.1,
                pull: scale * sums.pull,
            });
        }
        ranking.into_sorted()
    };
    let (games_up, games_down) = (games(1.0), games(-1.0));
    let without = |games: &[GamePull]| {
        let game = games.first()?.game;
        let sums = all.games.get(&game)?;
        let curvature = totals.curvature - sums.curvature;
        (curvature > 0.0).then(|| WithoutGame {
            game,
            value: value + (totals.pull - sums.pull) / curvature,
        })
    };
    let scaled = |ranking: Ranking<PositionPull>| -> Vec<PositionPull> {
        let mut pulls = ranking.into_sorted();
        for pull in &mut pulls {
            pull.pull *= scale;
        }
        pulls
    };
    let found = Pulls {
        name: layout.name(weight),
        value,
        positions: totals.positions,
        games: all.games.len(),
        step,
        value_after_step: step.map(|step| value + step),
        without_up: without(&games_up),
        without_down: without(&games_down),
        up: scaled(all.up),
        down: scaled(all.down),
        games_up,
        games_down,
    };
    Ok((report, found))
}

/// Adds a position, if it reads the weight.
fn add<E: Engine>(
    block: &mut BlockSums,
    position: &ExaminedPosition<'_, E>,
    (lane, sigmoid): (LaneId, Sigmoid),
    file: impl Fn(&ExaminedPosition<'_, E>) -> String,
) {
    let point = &position.points[0];
    let derivative = point.derivative(lane);
    if derivative.abs() <= 0.0 {
        return;
    }
    let (z, along) = (sigmoid.beta() * point.score(), sigmoid.beta() * derivative);
    let (outcome, weight) = (position.outcome, position.weight);
    let pull = -weight * Loss::Squared.penalty(z, outcome).slope * along;
    let curvature = Loss::Squared.curvature(Curvature::GaussNewton, z, outcome);
    let location = (position.location.input, position.location.line);
    block
        .games
        .entry(position.game)
        .or_default()
        .merge(PullSums {
            positions: 1,
            pull,
            curvature: weight * curvature * along * along,
            largest: pull.abs(),
            location,
        });
    if pull.abs() <= 0.0 {
        return;
    }
    let ranking = if pull > 0.0 {
        &mut block.up
    } else {
        &mut block.down
    };
    ranking.add(pull.abs(), position.game, || PositionPull {
        position: position.text(),
        file: file(position),
        line: location.1,
        game: position.has_game.then_some(position.game),
        expectation: sigmoid.expectation(point.score()),
        outcome,
        score: point.score(),
        derivative,
        pull,
    });
}
