//! Pools against one table and many, with known truth. `TUNER_POOLED=64`: so many tables, and
//! more games.

#![allow(clippy::unwrap_used)] // a failing test may end with a panic
#![allow(clippy::print_stdout)] // tables, where a test fails

use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tuner_base::{LaneId, Slot};
use tuner_fit::model::Sigmoid;
use tuner_fit::{FitInputs, FitTask, PartOfGames, Settings, WeightGroup};
use tuner_rows::{RowDraft, RowInfo, Segment, TraceSet};
use tuner_solve::{PoolPrior, PriorSpec, Reduction, ReductionParts, Tie, WeightId};

/// The common values of a table, and where the author has them.
const COMMON: [f64; 6] = [95.0, 62.0, 31.0, -18.0, 12.0, 45.0];
const START: [f64; 6] = [80.0, 60.0, 40.0, -10.0, 5.0, 30.0];
const ENTRIES: usize = COMMON.len();

/// Tables of an engine, a table a bucket, that differ by a standard deviation.
struct World {
    truth: Vec<f64>,
    buckets: usize,
}

/// How the tables are fitted.
#[derive(Clone, Copy, Debug)]
enum Tables {
    One,
    Pooled,
    Each,
}

impl World {
    fn new(buckets: usize, apart: f64, rng: &mut ChaCha8Rng) -> Self {
        let mut normal = || {
            let uniform: [f64; 2] = [rng.random::<f64>().max(1e-12), rng.random()];
            (-2.0 * uniform[0].ln()).sqrt() * (std::f64::consts::TAU * uniform[1]).cos()
        };
        let entries =
            (0..buckets * ENTRIES).map(|entry| COMMON[entry % ENTRIES] + apart * normal());
        Self {
            truth: entries.collect(),
            buckets,
        }
    }

    fn counts(&self, rng: &mut ChaCha8Rng) -> (usize, [i16; ENTRIES]) {
        let bucket = rng.random_range(0..self.buckets);
        (bucket, std::array::from_fn(|_| rng.random_range(-2..=2)))
    }

    fn score(weights: &[f64], bucket: usize, counts: &[i16; ENTRIES]) -> f64 {
        let table = &weights[bucket * ENTRIES..][..ENTRIES];
        let terms = table.iter().zip(counts);
        terms
            .map(|(weight, &count)| weight * f64::from(count))
            .sum()
    }

    fn games(&self, games: u32, rng: &mut ChaCha8Rng) -> TraceSet {
        let mut set = TraceSet::new(self.truth.len());
        for game in 0..games {
            let (bucket, counts) = self.counts(rng);
            let chance = Sigmoid::new(1.0).expectation(Self::score(&self.truth, bucket, &counts));
            let slots =
                (0..ENTRIES as u32).map(|entry| Slot(bucket as u32 * ENTRIES as u32 + entry));
            let draft = RowDraft {
                segments: vec![Segment::same([1.0, 0.0], slots.zip(counts))],
                ..RowDraft::default()
            };
            let won = rng.random_bool(chance);
            set.push(&draft, &RowInfo::new(f64::from(u8::from(won)), game))
                .unwrap();
        }
        set
    }

    /// The squared error of expected results on new positions, beyond that of chance.
    fn error(&self, weights: &[f64]) -> f64 {
        const POSITIONS: u32 = 5000;
        let mut rng = ChaCha8Rng::seed_from_u64(99);
        let mut sum = 0.0;
        for _ in 0..POSITIONS {
            let (bucket, counts) = self.counts(&mut rng);
            let [own, true_one] = [weights, &self.truth].map(|weights| {
                Sigmoid::new(1.0).expectation(Self::score(weights, bucket, &counts))
            });
            sum += (own - true_one).powi(2);
        }
        sum / f64::from(POSITIONS)
    }

    /// The weights that a fit by the evidence finds, and what it says of the prior.
    fn fitted(&self, games: &TraceSet, tables: Tables) -> Vec<f64> {
        let size = self.truth.len();
        let all = || (0..size).map(WeightId);
        let ties: Vec<Tie> = all()
            .filter(|weight| matches!(tables, Tables::One) && weight.index() >= ENTRIES)
            .map(|weight| Tie {
                weight,
                root: WeightId(weight.index() % ENTRIES),
                factor: 1.0,
                difference: 0.0,
            })
            .collect();
        let start: Vec<f64> = (0..size).map(|entry| START[entry % ENTRIES]).collect();
        let parts = ReductionParts {
            lane_count: 2 * size,
            lanes: &(0..size)
                .map(|slot| LaneId(2 * slot as u32))
                .collect::<Vec<_>>(),
            frozen: &vec![false; size],
            ties: &ties,
            bounds: &vec![(f64::NEG_INFINITY, f64::INFINITY); size],
            constraints: &[],
            initial: &start,
        };
        let reduction = Reduction::new(&parts).unwrap();
        let sets = (0..ENTRIES).map(|entry| {
            let buckets = 0..self.buckets;
            buckets
                .map(|bucket| WeightId(bucket * ENTRIES + entry))
                .collect()
        });
        let pools = matches!(tables, Tables::Pooled).then(|| PoolPrior {
            name: "TABLE".to_owned(),
            sets: sets.collect(),
            deviation: None,
        });
        let prior = PriorSpec {
            pools: pools.into_iter().collect(),
            ..PriorSpec::default()
        };
        let given = FitInputs {
            prior: &prior,
            ..FitInputs::at(&start)
        };
        let settings = Settings {
            k: Some(1.0),
            held_out: 0.01,
            prior: Some(20.0),
            integers: false,
            ..Settings::default()
        };
        let groups = [WeightGroup {
            name: "TABLE".to_owned(),
            weights: all().collect(),
        }];
        let task = FitTask::new(games, &reduction, &given, &settings);
        let part = PartOfGames::Fitted(1.0);
        let fit = task.fit_part(part, Some(&groups), &mut |_| ControlFlow::Continue(()));
        fit.unwrap().weights
    }

    fn errors(&self, games: u32, rng: &mut ChaCha8Rng) -> [f64; 3] {
        let games = self.games(games, rng);
        [Tables::One, Tables::Pooled, Tables::Each]
            .map(|tables| self.error(&self.fitted(&games, tables)))
    }
}

/// Mean errors over worlds of one table, pooled tables and tables each by itself, and the mean
/// of what pools are worse by than one table, with its standard error.
fn mean_errors(buckets: usize, apart: f64, games: u32, worlds: u64) -> ([f64; 3], [f64; 2]) {
    let errors = (0..worlds).map(|seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let world = World::new(buckets, apart, &mut rng);
        world.errors(games * buckets as u32, &mut rng)
    });
    let errors: Vec<[f64; 3]> = errors.collect();
    let mean = |of: &dyn Fn(&[f64; 3]) -> f64| errors.iter().map(of).sum::<f64>() / worlds as f64;
    let worse = mean(&|errors| errors[1] - errors[0]);
    let variance = mean(&|errors| (errors[1] - errors[0] - worse).powi(2));
    let means = [0, 1, 2].map(|tables| mean(&|errors| errors[tables]));
    println!("{buckets} buckets, apart {apart}, {games} games each: {means:.7?}");
    (means, [worse, (variance / (worlds as f64 - 1.0)).sqrt()])
}

/// Pools of the same tables are one table, those of different ones better than both.
fn pools_are_best(buckets: usize, games: &[u32]) {
    for &games in games {
        let worlds = if games > 10_000 { 2 } else { 8 };
        let ([one, pooled, each], [worse, error]) = mean_errors(buckets, 0.0, games, worlds);
        assert!(
            worse < 2.0 * error + 0.02 * one && pooled < each,
            "{worse} {error} {one}"
        );
        let ([one, pooled, each], _) = mean_errors(buckets, 10.0, games, worlds);
        assert!(pooled < one && pooled < each, "{one} {pooled} {each}");
    }
}

#[test]
fn pools_are_never_worse_than_the_better_of_one_table_and_many() {
    match std::env::var("TUNER_POOLED") {
        Ok(tables) => pools_are_best(tables.parse().unwrap(), &[100, 1000, 10_000, 100_000]),
        Err(_) => pools_are_best(16, &[100, 1000]),
    }
}
