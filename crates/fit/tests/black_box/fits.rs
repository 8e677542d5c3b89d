//! Fits that are more than one descent on rows: K, prior, held-out games,
//! integers, the observer.

use std::ops::ControlFlow;

use std::sync::atomic::{AtomicU64, Ordering};

use tuner_base::WeightId;
use tuner_fit::black_box::{
    BlackBoxEnd, BlackBoxError, BlackBoxEvent, ProbedPosition, RoundOptions, Visits,
};
use tuner_fit::{FitInputs, Search, fit as fit_traces};
use tuner_solve::{Options, PriorSpec, Reduction, Solver, Termination};

use super::support::*;

const ZERO: [f64; 2 * FEATURES] = [0.0; 2 * FEATURES];

#[test]
fn every_solver_recovers_a_score_that_is_linear() {
    let positions = expected(1000, |c| tapered(&TRUE, c));
    let reduction = Reduction::of_lanes(2 * FEATURES);
    let source = source(&positions, &reduction, tapered);
    for (solver, near) in [
        (Solver::Auto, 1e-5),
        (Solver::GaussNewton, 1e-5),
        (Solver::Newton, 1e-5),
        (Solver::NewtonCg, 1e-2),
        (Solver::Cg, 1e-2),
        (Solver::Lbfgs, 1e-2),
        (Solver::Adam, 1.0),
        (Solver::Gd, 1.0),
    ] {
        let mut settings = settings();
        settings.solver = Options::of(solver);
        let found = fit(&source, &ZERO, &settings).unwrap();
        let off = farthest(&found.fit.weights, &TRUE);
        assert!(off < near, "{solver}: off by {off}");
        assert_eq!(found.end, BlackBoxEnd::AsPredicted, "{solver}");
        // The start, one set of rows, and the end.
        assert_eq!(found.evaluations, 1000 * (1 + (1 + 2 * 8) + 1));
    }
}

#[test]
fn all_that_a_fit_has_comes_out_as_from_traces() {
    let positions = drawn(3000, |c| tapered(&TRUE, c));
    let reduction = Reduction::of_lanes(2 * FEATURES);
    let source = source(&positions, &reduction, tapered);
    let start = TRUE.map(|w| w + 11.0);
    let mean = TRUE.map(|w| w + 4.0);
    let settings = tuner_fit::Settings {
        k: None,
        held_out: 0.25,
        prior: Some(5.0),
        integers: true,
        ..settings()
    };
    let spec = PriorSpec {
        laplace: std::collections::BTreeMap::new(),
        deviations: [(WeightId(3), 0.5)].into(),
        ..PriorSpec::default()
    };
    let mut given = FitInputs {
        prior: &spec,
        ..FitInputs::at(&start)
    };
    given.prior_mean = &mean;
    let mut go = |_: &BlackBoxEvent<'_>| ControlFlow::Continue(());
    let found = source
        .fit(&given, &settings, &RoundOptions::default(), &mut go)
        .unwrap();
    let traces = source.rows(&start).unwrap().traces;
    let mut go = |_: &tuner_fit::FitProgress<'_>| ControlFlow::Continue(());
    let by_trace = fit_traces(&traces, &reduction, &given, &settings, &mut go).unwrap();
    let fit = &found.fit;
    assert_eq!(fit.written, by_trace.written);
    assert!((fit.k / by_trace.k - 1.0).abs() < 1e-9);
    assert!(fit.k_fit.is_some());
    assert_eq!(fit.rows, by_trace.rows);
    for (a, b) in [
        (Some(fit.error), Some(by_trace.error)),
        (fit.held_out_error, by_trace.held_out_error),
        (fit.held_out_start, by_trace.held_out_start),
        (
            Some(fit.summary.objective),
            Some(by_trace.summary.objective),
        ),
        (
            found.rounds[0].held_out_error,
            by_trace.summary.held_out_error,
        ),
    ] {
        assert!((a.unwrap() / b.unwrap() - 1.0).abs() < 1e-8, "{a:?} {b:?}");
    }
}

#[test]
fn integers_are_chosen_by_true_scores() {
    // A score with a kink at every unit: rows know nothing of that.
    let score = |w: &[f64], c: &Counts| tapered(w, c) + 3.0 * (w[0] * 1.7).sin();
    let positions = drawn(800, |c| tapered(&TRUE, c));
    let reduction = Reduction::of_lanes(2 * FEATURES);
    let source = source(&positions, &reduction, score);
    let mut settings = settings();
    settings.integers = true;
    let found = fit(&source, &TRUE, &settings).unwrap();
    assert!(found.fit.written.iter().all(|w| w.fract() == 0.0));
    assert!(found.fit.error <= found.fit.summary.initial_error);
    // From what was found no round makes it worse.
    let again = fit(&source, &found.fit.written, &settings).unwrap();
    assert!(again.fit.error <= found.fit.error);
}

#[test]
fn texels_search_runs_on_a_black_box() {
    let positions = expected(500, |c| truncated(&TRUE, c));
    let reduction = Reduction::of_lanes(2 * FEATURES);
    let mut source = source(&positions, &reduction, truncated);
    source.probing.visits = Visits::Whole;
    let mut settings = settings();
    settings.integers = true;
    settings.search = Search::Alone;
    settings.solver.iterations = 2000;
    let start = TRUE.map(|w| w - 9.0);
    let found = fit(&source, &start, &settings).unwrap();
    assert!(
        farthest(&found.fit.written, &TRUE) <= 2.0,
        "{:?}",
        found.fit.written
    );
    assert!(found.end.is_optimum(), "{}", found.end);
}

#[test]
fn the_start_stays_where_nothing_is_better() {
    let positions = expected(500, |c| tapered(&TRUE, c));
    let reduction = Reduction::of_lanes(2 * FEATURES);
    let mut settings = settings();
    settings.integers = true;
    let found = fit(&source(&positions, &reduction, tapered), &TRUE, &settings).unwrap();
    assert_eq!(found.fit.written, TRUE);
    assert_eq!(found.end, BlackBoxEnd::Settled);
    assert!(found.rounds.is_empty());
}

#[test]
fn the_observer_ends_a_fit_with_the_best_weights() {
    let score =
        |w: &[f64], c: &Counts| tapered(w, c) + w[0] * w[1] * f64::from(c.features[0]) / 60.0;
    let positions = drawn(1000, |c| score(&TRUE, c));
    let reduction = Reduction::of_lanes(2 * FEATURES);
    let source = source(&positions, &reduction, score);
    let run = |stop: &dyn Fn(&BlackBoxEvent<'_>) -> bool| {
        source.fit(
            &FitInputs::at(&ZERO),
            &settings(),
            &RoundOptions::default(),
            &mut |event| {
                if stop(event) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        )
    };
    let whole = run(&|_| false).unwrap();
    assert!(
        whole.rounds.len() > 2 && whole.end.is_optimum(),
        "{}",
        whole.end
    );
    let one = run(&|event| matches!(event, BlackBoxEvent::Round(_))).unwrap();
    assert_eq!((one.end, one.rounds.len()), (BlackBoxEnd::Interrupted, 1));
    assert_eq!(one.rounds[0], whole.rounds[0]);
    assert!((one.fit.error - one.rounds[0].error).abs() < 1e-15);
    let none = run(&|event| matches!(event, BlackBoxEvent::Iteration(_))).unwrap();
    assert_eq!(none.end, BlackBoxEnd::Interrupted);
    assert_eq!(none.fit.summary.termination, Termination::Interrupted);
    assert_eq!(none.fit.written, ZERO);
    let rows = AtomicU64::new(0);
    let second = run(&|event| {
        matches!(event, BlackBoxEvent::Rows { .. }) && rows.fetch_add(1, Ordering::Relaxed) > 0
    });
    assert_eq!(second.unwrap().end, BlackBoxEnd::Interrupted);
    let early = run(&|event| {
        matches!(
            event,
            BlackBoxEvent::Rows {
                done: 1000,
                of: 1000
            }
        )
    });
    assert_eq!(early.unwrap_err(), [BlackBoxError::Interrupted]);
    for most in [0, 1] {
        let rounds = RoundOptions {
            most,
            ..RoundOptions::default()
        };
        let mut go = |_: &BlackBoxEvent<'_>| ControlFlow::Continue(());
        let limited = source.fit(&FitInputs::at(&ZERO), &settings(), &rounds, &mut go);
        let limited = limited.unwrap();
        assert_eq!(
            (limited.end, limited.rounds.len()),
            (BlackBoxEnd::RoundLimit, most)
        );
        assert_eq!(limited.fit.written == ZERO, most == 0);
    }
}

#[test]
fn a_position_may_be_anything() {
    let positions = ["wq", "wqq", "b", ""].map(|text| ProbedPosition {
        position: text.to_owned(),
        info: tuner_rows::RowInfo::new(if text.contains('w') { 0.75 } else { 0.25 }, 0),
    });
    let reduction = Reduction::of_lanes(2);
    let queens = |w: &[f64], text: &String| {
        let side = if text.starts_with('w') { w[1] } else { -w[1] };
        side + w[0] * text.matches('q').count() as f64
    };
    let found = fit(
        &source(&positions, &reduction, queens),
        &[0.0, 0.0],
        &settings(),
    )
    .unwrap();
    assert!(found.fit.error < 1e-12, "{:?}", found.fit);
}
