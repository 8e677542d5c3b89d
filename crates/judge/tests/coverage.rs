//! Whether intervals cover, in a few simulated data sets; the benchmark `coverage`
//! has a thousand of each kind.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod simulation;

use simulation::{Kind, run};
use tuner_fit::model::Loss;
use tuner_judge::FitVerdict;

/// Of 40 data sets with 12 weights, 3 standard errors of a coverage of 0.95.
const DATA_SETS: u64 = 40;
const LEAST: f64 = 0.92;

#[test]
fn intervals_cover_the_weights_that_games_were_drawn_with() {
    for (loss, nonlinear, prior, constrained) in [
        (Loss::Squared, false, false, false),
        (Loss::CrossEntropy, true, false, false),
        (Loss::Squared, false, true, false),
        (Loss::Squared, false, false, true),
    ] {
        let kind = Kind {
            loss,
            nonlinear,
            prior,
            constrained,
            ..Kind::default()
        };
        let score = run(kind, DATA_SETS);
        assert!(score.coverage() > LEAST, "{kind:?}: {score:?}");
        assert!(score.coverage() < 0.98, "{kind:?}: {score:?}");
    }
}

#[test]
fn intervals_without_games_are_too_short() {
    let naive = Kind {
        naive: true,
        ..Kind::default()
    };
    // 91 % of a thousand data sets.
    let score = run(naive, 2 * DATA_SETS);
    assert!(score.coverage() < 0.93, "{score:?}");
}

#[test]
fn few_of_the_weights_kept_are_zero() {
    let score = run(Kind::default(), DATA_SETS);
    assert!(score.false_discovery_rate() < 0.08, "{score:?}");
    assert!(score.kept > 4 * DATA_SETS as usize, "{score:?}");
}

#[test]
fn weights_that_games_were_drawn_with_are_better_than_none() {
    let kind = Kind {
        held_out: true,
        ..Kind::default()
    };
    let (judgement, _) = simulation::judged(kind, 1);
    assert_eq!(judgement.verdict, FitVerdict::Better);
    let noise = judgement.noise.unwrap();
    let (observed, error) = (noise.observed.unwrap(), noise.observed_error.unwrap());
    assert!((noise.predicted.unwrap() - observed).abs() < 4.0 * error);
}
