//! What is wrong with a black box is said, with the place.

use std::ops::ControlFlow;

use tuner_base::WeightId;
use tuner_fit::black_box::{
    BlackBoxError as E, BlackBoxEvent, ProbeSteps, ProbedPosition, RoundOptions, Visits,
};
use tuner_fit::integers::GridError;
use tuner_fit::model::KError;
use tuner_fit::{Anchor, FitError, FitInputs, Settings};
use tuner_rows::{RowError, RowInfo};
use tuner_solve::Reduction;
use tuner_solve::{Neighbours, PriorSpec};

use super::support::*;

fn few() -> Vec<ProbedPosition<f64>> {
    (0..200_u32)
        .map(|game| ProbedPosition {
            position: f64::from(game),
            info: RowInfo::new(f64::from(game % 3) / 2.0, game),
        })
        .collect()
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as a black box wants it
fn sum(weights: &[f64], position: &f64) -> f64 {
    weights[0] + weights[1] * position
}

#[test]
fn scores_that_are_no_numbers_are_named() {
    let (positions, reduction) = (few(), Reduction::of_lanes(2));
    let at = [10.0, 0.0];
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let score = |w: &[f64], p: &f64| if *p > 76.5 { bad } else { w[0] };
        let error = source(&positions, &reduction, score).rows(&at).unwrap_err();
        let expected = format!(
            "the score of position 77 is {bad} at the weights that it is fitted from; expected a \
             finite number; mend the closure, or keep it away by bounds or a smaller step"
        );
        assert_eq!(
            error.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [expected]
        );
        let score = |w: &[f64], p: &f64| if w[1] > 3.0 && *p > 150.5 { bad } else { w[0] };
        let error = source(&positions, &reduction, score).rows(&at).unwrap_err();
        let E::Score {
            position: 151,
            moved: Some((1, at)),
            ..
        } = error[0]
        else {
            unreachable!("{error:?}")
        };
        assert!((at - 16.0).abs() < 1e-12);
        // On the way of a fit, too.
        let score = |w: &[f64], p: &f64| if w[0] < 5.0 { bad } else { w[0] * p };
        let start = [30.0, 0.0];
        let error = fit(&source(&positions, &reduction, score), &start, &settings()).unwrap_err();
        assert!(
            matches!(error[..], [E::Score { position: 0, .. }]),
            "{error:?}"
        );
    }
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let (positions, reduction) = (few(), Reduction::of_lanes(2));
    let good = source(&positions, &reduction, sum);
    let rows = |source: &tuner_fit::black_box::BlackBox<'_, f64, _>, at: &[f64]| {
        source.rows(at).unwrap_err()
    };
    assert_eq!(
        rows(&source(&[], &reduction, sum), &[0.0; 2]),
        [E::NoPositions]
    );
    assert_eq!(rows(&good, &[0.0; 3]), [E::Length("weights", 3, 2)]);
    let nan = rows(&good, &[1.0, f64::INFINITY]);
    assert_eq!(nan, [E::NotFinite("weights", 1, f64::INFINITY)]);

    let mut steps = good.clone();
    for bad in [0.0, -1.0, f64::INFINITY] {
        steps.probing.steps = ProbeSteps::Each(vec![1.0, bad]);
        assert_eq!(rows(&steps, &[0.0; 2]), [E::Step(1, bad)]);
        steps.probing.steps = ProbeSteps::Same(bad);
        assert_eq!(rows(&steps, &[0.0; 2]), [E::Step(0, bad), E::Step(1, bad)]);
    }
    steps.probing.steps = ProbeSteps::Same(f64::NAN);
    assert_eq!(rows(&steps, &[0.0; 2]).len(), 2);
    steps.probing.steps = ProbeSteps::Each(vec![1.0; 3]);
    assert_eq!(rows(&steps, &[0.0; 2]), [E::Length("steps", 3, 2)]);
    steps.probing.steps = ProbeSteps::Same(1.0);
    let lost = rows(&steps, &[1e300, 0.0]);
    assert_eq!(lost, [E::StepLost(0, 1e300, 1.0)]);
    steps.probing.steps = ProbeSteps::Same(f64::MAX);
    assert_eq!(
        rows(&steps, &[f64::MAX, 0.0]),
        [E::StepLost(0, f64::MAX, f64::MAX)]
    );

    let mut whole = good.clone();
    whole.probing.visits = Visits::Whole;
    whole.probing.steps = ProbeSteps::Each(vec![2.0, 1.5]);
    assert_eq!(rows(&whole, &[0.0; 2]), [E::StepNotWhole(1, 1.5, 1.0)]);
    let narrow = bounded(&[FREE, (0.25, 0.75)]);
    whole.reduction = &narrow;
    let none = E::Fit(FitError::Grid(vec![GridError::Bounds(WeightId(1))]));
    assert_eq!(rows(&whole, &[0.0; 2]), [none]);

    let mut rounding = good.clone();
    rounding.probing.rounding = -1.0;
    assert_eq!(rows(&rounding, &[0.0; 2]), [E::Rounding(-1.0)]);
    let odd = Reduction::of_lanes(3);
    let mut three = good.clone();
    three.reduction = &odd;
    assert_eq!(rows(&three, &[0.0; 3]), [E::OddLanes(3)]);

    let mut positions = few();
    positions[130].info.outcome = 1.5;
    positions[131].info.weight = -1.0;
    let error = rows(&source(&positions, &reduction, sum), &[0.0; 2]);
    assert_eq!(error, [E::Row(130, RowError::Outcome(1.5))]);
}

#[test]
fn mistakes_of_a_fit_come_all_at_once() {
    let (positions, reduction) = (few(), Reduction::of_lanes(2));
    let source = source(&positions, &reduction, sum);
    let spec = PriorSpec {
        laplace: std::collections::BTreeMap::new(),
        deviations: [(WeightId(2), 1.0)].into(),
        neighbours: vec![Neighbours {
            weights: [0, 9].map(WeightId),
            deviation: 1.0,
        }],
    };
    let mut given = FitInputs {
        prior: &spec,
        ..FitInputs::at(&[0.0; 2])
    };
    given.start = &[0.0, f64::NEG_INFINITY];
    given.prior_mean = &[];
    let settings = Settings {
        anchor: Some(Anchor {
            weight: 0,
            value: 100.0,
            factor: None,
        }),
        ..settings()
    };
    let go = &mut |_: &BlackBoxEvent<'_>| ControlFlow::Continue(());
    let errors = source
        .fit(&given, &settings, &RoundOptions::default(), go)
        .unwrap_err();
    assert_eq!(
        errors,
        [
            E::NotFinite("weights to start from", 1, f64::NEG_INFINITY),
            E::Length("weights of the prior mean", 0, 2),
            E::NoSuchWeight(2),
            E::NoSuchWeight(9),
            E::Anchor,
        ]
    );
    assert!(errors.iter().all(|error| !error.to_string().is_empty()));
}

#[test]
fn what_a_fit_refuses_is_refused() {
    let (positions, reduction) = (few(), Reduction::of_lanes(2));
    let mut settings = settings();
    settings.k = None;
    let constant = source(&positions, &reduction, |_: &[f64], _: &f64| 0.0);
    let errors = fit(&constant, &[0.0; 2], &settings).unwrap_err();
    assert_eq!(errors, [E::Fit(FitError::K(KError::OneScore(0.0)))]);
    let mut weightless = few();
    for labelled in &mut weightless {
        labelled.info.weight = 0.0;
    }
    settings.k = Some(1.0);
    let errors = fit(&source(&weightless, &reduction, sum), &[0.0; 2], &settings).unwrap_err();
    assert_eq!(errors, [E::Fit(FitError::NoRows("games to fit on"))]);
    // A score that no weight moves is no mistake, but there is nothing to fit.
    let found = fit(&constant, &[3.0, 4.0], &settings).unwrap();
    assert_eq!(found.fit.written, [3.0, 4.0]);
}

#[test]
fn numbers_at_the_edge_are_no_panic() {
    let positions = few();
    let reduction = Reduction::of_lanes(2);
    // Differences beyond what a number holds.
    let huge = |w: &[f64], _: &f64| f64::MAX * w[0].signum();
    let error = source(&positions, &reduction, huge)
        .rows(&[1.0, 1.0])
        .unwrap_err();
    assert!(
        matches!(error[..], [E::Row(0, RowError::NotFinite(..))]),
        "{error:?}"
    );
    // A large constant hides no small slope, and small slopes are no constants.
    let beside = |w: &[f64], p: &f64| 1e9 + w[0] * p * 1e-3;
    let rows = source(&positions, &reduction, beside)
        .rows(&[1.0, 1.0])
        .unwrap();
    let moved = reduction.lanes_of(&[1001.0, 1.0]);
    for (row, labelled) in rows.traces.rows(0..200).zip(&positions) {
        let difference = row.score(&moved) - row.score(&rows.weights);
        assert!(
            (difference - labelled.position).abs() < 1e-3,
            "{difference}"
        );
    }
}
