//! Scores that are not linear reach the optimum that their expressions reach.

use std::ops::ControlFlow;

use tuner_base::LaneId;
use tuner_fit::black_box::{
    BlackBox, BlackBoxEvent, ProbeSteps, ProbedPosition, Probing, RoundOptions,
};
use tuner_fit::model::Loss;
use tuner_fit::{Fit, FitInputs, Progress, Settings, fit as fit_traces};
use tuner_rows::Compactor;
use tuner_rows::{RowDraft, TraceSet};
use tuner_solve::Reduction;
use tuner_trace::nonlinear::{clamp, mul};
use tuner_trace::{Recorder, Tr, Trace};

use super::support::*;

const AT: [f64; 6] = [80.0, 20.0, 6.0, 9.0, 15.0, 12.0];
const START: [f64; 6] = [60.0, 35.0, 3.0, 4.0, 8.0, 10.0];

/// A product of weights, a square, and a limit.
fn plain(w: &[f64], c: &Counts) -> f64 {
    let [a, b, d, e] = c.features.map(f64::from);
    let danger = w[2] * d + w[5] * 0.5;
    w[0] * a
        + w[1] * b
        + w[2] * w[3] * d * 0.5
        + danger * danger * e * 0.02
        + (w[4] * b * d).clamp(-60.0, 45.0)
}

/// The same as a trace has it.
fn traced(c: &Counts) -> Tr<f64> {
    let w = |leaf: u32| Tr::weight(START[leaf as usize], leaf);
    let [a, b, d, e] = c.features.map(f64::from);
    let danger = w(2) * d + w(5) * 0.5;
    w(0) * a
        + w(1) * b
        + mul(w(2), w(3)) * (d * 0.5)
        + mul(danger, danger) * (e * 0.02)
        + clamp(w(4) * (b * d), -60.0, 45.0)
}

/// Rows with expressions.
fn expressions(positions: &[ProbedPosition<Counts>]) -> TraceSet {
    let mut set = TraceSet::new(3);
    let mut recorder = Recorder::new();
    let mut compactor = Compactor::new((0..6).map(LaneId).collect());
    let (mut draft, mut trace) = (RowDraft::default(), Trace::default());
    for labelled in positions {
        recorder.record_at(&START, || traced(&labelled.position), &mut trace);
        compactor.draft(&trace, &mut draft);
        set.push(&draft, &labelled.info).unwrap();
    }
    set
}

#[test]
fn the_optimum_is_that_of_the_expressions() {
    for loss in [Loss::Squared, Loss::CrossEntropy] {
        let positions = drawn(4000, |c| plain(&AT, c));
        let reduction = Reduction::of_lanes(6);
        let mut settings = settings();
        settings.loss = loss;
        let source = BlackBox {
            probing: Probing {
                steps: ProbeSteps::Same(1.0 / 64.0),
                ..Probing::default()
            },
            ..source(&positions, &reduction, plain)
        };
        let found = fit(&source, &START, &settings).unwrap();
        let by_expression = fit_traces(
            &expressions(&positions),
            &reduction,
            &FitInputs::at(&START),
            &settings,
            &mut |_| ControlFlow::Continue(()),
        )
        .unwrap();
        let errors = [found.fit.error, by_expression.error];
        assert!(
            (errors[0] / errors[1] - 1.0).abs() < 1e-8,
            "{loss}: {errors:?}"
        );
        let off = farthest(&found.fit.weights, &by_expression.weights);
        assert!(off < 0.01, "{loss}: off by {off}");
        assert!(
            found.end.is_optimum() && found.rounds.len() > 2,
            "{}",
            found.end
        );
        assert!(found.rounds.len() < 12, "{} rounds", found.rounds.len());
        // Every round lowers the true objective.
        let values: Vec<f64> = found.rounds.iter().map(|r| r.objective).collect();
        assert!(
            values.windows(2).all(|pair| pair[1] < pair[0]),
            "{values:?}"
        );
    }
}

#[test]
fn k_and_the_prior_are_measured_by_true_scores() {
    let positions = drawn(3000, |c| plain(&AT, c));
    let reduction = Reduction::of_lanes(6);
    let settings = Settings {
        k: None,
        prior: Some(2.0),
        held_out: 0.2,
        ..settings()
    };
    // All at places of their own, where rows of the others say nothing true;
    // weight 4 far from where the limit has kinks.
    let mean = [85.0, 25.0, 9.0, 12.0, 17.5, 20.0];
    let given = FitInputs {
        anchor: &AT,
        start: &START,
        ..FitInputs::at(&mean)
    };
    let source = BlackBox {
        probing: Probing {
            steps: ProbeSteps::Same(1.0 / 64.0),
            ..Probing::default()
        },
        ..source(&positions, &reduction, plain)
    };
    let go_on = &mut |_: &BlackBoxEvent<'_>| ControlFlow::Continue(());
    let found = source.fit(&given, &settings, &RoundOptions::default(), go_on);
    let fit = found.unwrap().fit;
    let traces = expressions(&positions);
    let go_on = &mut |_: &Progress<'_>| ControlFlow::Continue(());
    let by_expression = fit_traces(&traces, &reduction, &given, &settings, go_on).unwrap();
    let held_out = |fit: &Fit| [fit.held_out_start.unwrap(), fit.held_out_error.unwrap()];
    let ([start, end], [other_start, other_end]) = (held_out(&fit), held_out(&by_expression));
    // At an optimum the objective is the same to second order, its parts are not.
    let objectives = [fit.summary.objective, by_expression.summary.objective];
    for (a, b, near) in [
        (fit.k, by_expression.k, 1e-9),
        (start, other_start, 1e-9),
        (objectives[0], objectives[1], 1e-6),
        (fit.error, by_expression.error, 1e-5),
        (end, other_end, 1e-5),
    ] {
        assert!((a / b - 1.0).abs() < near, "{a} {b}");
    }
    assert!(farthest(&fit.weights, &by_expression.weights) < 0.01);
}

#[test]
fn what_is_not_linear_is_counted() {
    let positions = expected(640, |c| plain(&AT, c));
    let reduction = Reduction::of_lanes(6);
    let rows = source(&positions, &reduction, plain).rows(&AT).unwrap();
    let nonlinearity = rows.nonlinearity;
    assert_eq!(nonlinearity.compared, 640 * 6);
    // Weights 0, 1 and 3 move the score along a line, with the others fixed.
    let weights: Vec<usize> = nonlinearity.by_weight.keys().copied().collect();
    assert_eq!(weights, [2, 4, 5]);
    assert_eq!(
        nonlinearity.by_weight.values().sum::<u64>(),
        nonlinearity.quotients
    );
    // s(w + h) + s(w − h) − 2·s(w) of the square is 2·0.02·e·(d·h)².
    let squares = |c: &Counts| c.features[2] != 0 && c.features[3] != 0;
    let expected = positions.iter().filter(|p| squares(&p.position)).count();
    assert_eq!(nonlinearity.by_weight[&2], expected as u64);
    let moved = positions.iter().filter(|p| p.position.features[3] != 0);
    assert!(nonlinearity.positions as usize >= moved.count());
    assert!(nonlinearity.positions <= 640 && nonlinearity.quotients > nonlinearity.positions);
    let largest = nonlinearity.largest.unwrap();
    assert!((largest.second.abs() - 2.0 * 0.02 * 3.0 * (3.0 * 16.0_f64).powi(2)).abs() < 1e-6);
    let features = positions[largest.position].position.features;
    assert_eq!(
        (largest.weight, features[2].abs(), features[3].abs()),
        (2, 3, 3)
    );
}

#[test]
fn a_step_too_long_is_shortened() {
    // Saturates: rows at the start promise far more than there is.
    let score = |w: &[f64], c: &Counts| 200.0 * (w[0] * f64::from(c.features[0]) / 40.0).tanh();
    let positions = expected(400, |c| score(&[70.0, 0.0], c));
    let reduction = Reduction::of_lanes(2);
    let source = BlackBox {
        probing: Probing {
            steps: ProbeSteps::Same(0.125),
            ..Probing::default()
        },
        ..source(&positions, &reduction, score)
    };
    let found = fit(&source, &[130.0, 5.0], &settings()).unwrap();
    assert!((found.fit.weights[0] - 70.0).abs() < 1e-2, "{found:?}");
    assert!(found.rounds.iter().any(|round| round.step < 1.0));
    assert!(found.rounds.iter().all(|round| round.deviation > 0.0));
}
