//! Which positions and games move one weight.

use std::collections::BTreeMap;

use serde::Serialize;

use super::objective::ExaminationObjective;
use super::origin::PositionOrigin;
use super::pass::{Examination, ExaminationReport, ExaminedPosition};
use super::ranking::{MostOf, Ranking};
use super::weights::WeightSet;
use tuner_base::{LaneId, WeightId};
use tuner_data::{ReadError, SampleLocation};
use tuner_solve::Curvature;

/// A position that pulls a weight. Values are the first player's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PositionPull {
    /// Where it comes from, and its result.
    #[serde(flatten)]
    pub origin: PositionOrigin,
    /// The expectation p.
    pub expectation: f64,
    /// Its target: R, or R and the search score.
    pub target: f64,
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
    /// The game: the id that the data give it, or else where its first position that
    /// reads the weight is, `FILE:LINE`.
    pub game: String,
    /// Its positions that read the weight.
    pub positions: u64,
    /// The file of the one that pulls most, either way.
    pub file: String,
    /// Its line, or the number of its record.
    pub line: u64,
    /// Its part of the [step](Pulls::step), in the unit of the weight.
    pub pull: f64,
}

/// The value that a weight would have without one game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WithoutGame {
    /// The game, named as in [`GamePull`].
    pub game: String,
    /// The weight after the step without this game; to be compared with
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
#[derive(Clone, Debug)]
struct PullSums {
    positions: u64,
    /// −Σ of the slopes of the loss by the weight.
    pull: f64,
    /// Second derivatives, those of Gauss and Newton: their steps stay near even where
    /// the weight is far off.
    curvature: f64,
    /// The largest pull of one position, and where that was read.
    largest: f64,
    location: SampleLocation,
    /// Where the first position was read.
    first: SampleLocation,
    id: Option<Box<str>>,
}

impl PullSums {
    /// Adds the sums of later positions of the game. Of two equally large pulls the place of the
    /// earlier one stays, and so do the place of the first position and the game's id.
    fn merge(&mut self, later: &Self) {
        self.positions += later.positions;
        self.pull += later.pull;
        self.curvature += later.curvature;
        if later.largest > self.largest {
            (self.largest, self.location) = (later.largest, later.location);
        }
    }
}

/// The sums of one block.
struct BlockSums {
    games: BTreeMap<u32, PullSums>,
    up: Ranking<PositionPull>,
    down: Ranking<PositionPull>,
}

/// Finds what moves one weight.
///
/// With g the slope of E by the weight and h its curvature, both sums over positions, Newton's step
/// is −g/h, and the part of a position or a game in it its own −gᵢ/h. Without a game the step is
/// that of the sums without its own.
///
/// `most`: positions each way; as many games.
/// *Cost*: a pass; some 150 bytes for each game that reads the weight.
///
/// # Errors
/// If positions cannot be read, or one cannot be scored and bad lines are not skipped.
///
/// # Panics
/// If there is no such weight.
pub fn pulls(
    examination: &Examination<'_>,
    at: &WeightSet,
    weight: WeightId,
    objective: &ExaminationObjective,
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
    let each = |block: &mut BlockSums, position: &ExaminedPosition<'_>| {
        add(block, examination, position, lane, objective);
    };
    let report = examination.pass(&[at], empty, each, |block| {
        for (game, sums) in block.games {
            add_to_game(&mut all.games, game, sums);
        }
        all.up.merge(block.up);
        all.down.merge(block.down);
    })?;
    // Over all games: minus the slope of E by the weight, and its curvature, up to one factor.
    let of_games = || all.games.values();
    let positions = of_games().map(|sums| sums.positions).sum();
    let total_pull: f64 = of_games().map(|sums| sums.pull).sum();
    let total_curvature: f64 = of_games().map(|sums| sums.curvature).sum();
    let curvature = Some(total_curvature).filter(|curvature| *curvature > 0.0);
    let step = curvature.map(|curvature| total_pull / curvature);
    let value = at.weights()[weight.index()];
    // Where E is not curved there is no step, and pulls are 0.
    let scale = curvature.map_or(0.0, |curvature| 1.0 / curvature);
    // The games of the largest pulls, up if `sign` is 1 and down if it is −1, and what the weight
    // would be without the first of them.
    let games = |sign: f64| -> (Vec<GamePull>, Option<WithoutGame>) {
        let one_each = MostOf { game: 1, ..most };
        let mut ranking = Ranking::new(one_each);
        for (&game, sums) in all.games.iter().filter(|(_, sums)| sign * sums.pull > 0.0) {
            ranking.add(sign * sums.pull, game, || sums);
        }
        let sorted: Vec<&PullSums> = ranking.into_sorted();
        let name = |sums: &PullSums| examination.game(sums.id.as_deref(), sums.first);
        let without = sorted.first().and_then(|sums| {
            let curvature = total_curvature - sums.curvature;
            (curvature > 0.0).then(|| WithoutGame {
                game: name(sums),
                value: value + (total_pull - sums.pull) / curvature,
            })
        });
        let pull = |sums: &PullSums| GamePull {
            game: name(sums),
            positions: sums.positions,
            file: examination.positions.file(sums.location),
            line: sums.location.line,
            pull: scale * sums.pull,
        };
        (sorted.into_iter().map(pull).collect(), without)
    };
    let ((games_up, without_up), (games_down, without_down)) = (games(1.0), games(-1.0));
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
        positions,
        games: all.games.len(),
        step,
        value_after_step: step.map(|step| value + step),
        without_up,
        without_down,
        up: scaled(all.up),
        down: scaled(all.down),
        games_up,
        games_down,
    };
    Ok((report, found))
}

/// Adds the sums over positions of a game to those that the game has already.
fn add_to_game(games: &mut BTreeMap<u32, PullSums>, game: u32, sums: PullSums) {
    let of_game = games.entry(game).and_modify(|all| all.merge(&sums));
    of_game.or_insert(sums);
}

/// Adds a position, if it reads the weight of `lane`: its part of slope and curvature to the sums
/// of its game, and itself to the ranking of positions that pull the weight up, or of those that
/// pull it down. A pull is minus the slope of the loss so far; it is divided by the curvature over
/// all positions once that is known.
fn add(
    block: &mut BlockSums,
    examination: &Examination<'_>,
    position: &ExaminedPosition<'_>,
    lane: LaneId,
    objective: &ExaminationObjective,
) {
    let point = &position.points[0];
    let derivative = point.derivative(lane);
    if derivative.abs() <= 0.0 {
        return;
    }
    // Log-odds z = β·score, and their derivative by the weight.
    let beta = objective.sigmoid.beta();
    let (z, along) = (beta * point.score(), beta * derivative);
    let (target, weight) = (objective.target(position), objective.weight(position));
    let pull = -weight * objective.penalty(point.score(), target).slope * along;
    let curvature = (objective.loss).curvature(Curvature::GaussNewton, z, target);
    let sums = PullSums {
        positions: 1,
        pull,
        curvature: weight * curvature * along * along,
        largest: pull.abs(),
        location: position.read.location,
        first: position.read.location,
        id: position.read.game_id.as_deref().map(Box::from),
    };
    add_to_game(&mut block.games, position.game, sums);
    if pull.abs() <= 0.0 {
        return;
    }
    let BlockSums { up, down, .. } = block;
    let ranking = if pull > 0.0 { up } else { down };
    ranking.add(pull.abs(), position.game, || PositionPull {
        origin: examination.origin(position),
        expectation: objective.sigmoid.expectation(point.score()),
        target,
        score: point.score(),
        derivative,
        pull,
    });
}
