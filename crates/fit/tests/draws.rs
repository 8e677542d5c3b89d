//! Fits of win, draw and loss to games with known weights.

#![allow(clippy::unwrap_used)] // a failing test may end with a panic

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tuner_base::{LaneId, Scaling};
use tuner_fit::model::{DrawWidth, Loss, Sigmoid};
use tuner_fit::run::{ClosureRows, FinishedRun, FitRun, ProbedPosition, RunConfig, Variables};
use tuner_rows::RowInfo;

const TRUE: [f64; 3] = [90.0, 31.0, -18.0];
const START: [f64; 3] = [80.0, 40.0, -10.0];
const WIDTH: f64 = 1.2;

type Counts = [f64; 3];

fn evaluate(weights: &[f64], counts: &Counts) -> f64 {
    weights
        .iter()
        .zip(counts)
        .map(|(weight, count)| weight * count)
        .sum()
}

/// Games by the true weights at K = 1, a position each.
fn games(count: u32) -> Vec<ProbedPosition<Counts>> {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let game = |game| {
        let position: Counts = std::array::from_fn(|_| f64::from(rng.random_range(-3..=3)));
        let z = Sigmoid::new(1.0).beta() * evaluate(&TRUE, &position);
        let chance = |z: f64| 1.0 / (1.0 + (WIDTH - z).exp());
        let drawn: f64 = rng.random();
        let outcome = if drawn < chance(z) {
            1.0
        } else if drawn < chance(z) + chance(-z) {
            0.0
        } else {
            0.5
        };
        ProbedPosition {
            position,
            info: RowInfo::new(outcome, game),
        }
    };
    (0..count).map(game).collect()
}

fn variables() -> Variables {
    let names = ["A", "B", "C"].map(str::to_owned);
    let lanes = [0, 2, 4].map(LaneId);
    let mut variables = Variables::free(names.into_iter().zip(lanes).collect(), 3);
    variables.initial = Some(START.to_vec());
    variables
}

/// The K, draw width and weights of a run by a loss.
fn fitted(
    games: &[ProbedPosition<Counts>],
    loss: Loss,
    handed: Option<Scaling>,
) -> (f64, Loss, Vec<f64>) {
    let variables = variables();
    let mut rows = ClosureRows::new(evaluate, games, &variables.reduction, &START, 1.0).unwrap();
    let mut config = RunConfig {
        spec_scaling: handed,
        ..RunConfig::default()
    };
    let settings = &mut config.settings;
    (settings.loss, settings.prior, settings.integers) = (loss, None, false);
    let run: FinishedRun<'_> = FitRun::new(&variables, config, &mut ())
        .unwrap()
        .run(&mut rows, &mut ())
        .unwrap();
    (run.fit.k, run.settings.loss, run.fit.weights)
}

#[test]
fn weights_and_width_come_back_from_wins_draws_and_losses() {
    let games = games(20_000);
    let (k, loss, weights) = fitted(&games, Loss::Wdl(None), None);
    // K is of the initial weights; with the weights it has the scale of the games.
    for (weight, expected) in weights.iter().zip(TRUE) {
        assert!((k * weight - expected).abs() < 2.0, "{k} {weights:?}");
    }
    let width = loss.draw_width().unwrap();
    assert!((width - WIDTH).abs() < 0.05, "{width}");
}

#[test]
fn a_scaling_is_handed_on_to_its_own_loss_alone() {
    let games = games(2_000);
    let handed = |draw_width| Some(Scaling { k: 0.9, draw_width });
    let given = Loss::Wdl(DrawWidth::new(1.1));
    for (loss, draw_width, is_kept) in [
        (Loss::Wdl(None), Some(1.1), true),
        (given, Some(1.1), true),
        (given, Some(0.7), false),
        (given, None, false),
        (Loss::Wdl(None), None, false),
        (Loss::Squared, None, true),
        (Loss::Squared, Some(1.1), false),
    ] {
        let (k, used, _) = fitted(&games, loss, handed(draw_width));
        assert_eq!(
            k.to_bits() == 0.9_f64.to_bits(),
            is_kept,
            "{loss} {draw_width:?}: {k}"
        );
        if is_kept {
            assert_eq!(used.draw_width(), draw_width, "{loss}");
        }
    }
}

#[test]
fn results_that_are_not_win_draw_or_loss_are_refused() {
    let mut games = games(500);
    games[7].info.outcome = 0.6;
    let variables = variables();
    let mut rows = ClosureRows::new(evaluate, &games, &variables.reduction, &START, 1.0).unwrap();
    let mut config = RunConfig::default();
    (config.settings.loss, config.settings.prior) = (Loss::Wdl(DrawWidth::new(1.0)), None);
    let run = FitRun::new(&variables, config, &mut ()).unwrap();
    let error = run.run(&mut rows, &mut ()).unwrap_err().to_string();
    assert!(error.contains("1 positions have another result"), "{error}");
}
