//! One fit of several descents: what it reports.

#![allow(clippy::unwrap_used, clippy::panic)] // a failing test may end with a panic
#![allow(clippy::float_cmp)] // what must not move must not move at all

use std::ops::ControlFlow;

use tuner_base::{LaneId, Slot};
use tuner_fit::integers::RoundedBy;
use tuner_fit::model::{Loss, Part, Regression, Sigmoid};
use tuner_fit::{
    Fit, FitError, FitInputs, FitProgress, LEAST_GAIN, NoMatrix, SavedFit, Search, Settings, fit,
};
use tuner_rows::{RowDraft, RowInfo, Segment, TraceSet};
use tuner_solve::{Objective, Options, Reduction, ReductionParts, Solver, Termination};

/// Rows in which the data separate weight 2: slot 1 is in won rows only.
fn separated() -> TraceSet {
    let mut traces = TraceSet::new(2);
    for row in 0..600_u32 {
        let count = (row * 7 % 5) as i16 - 2;
        let won = row % 10 == 0;
        let outcome = match (won, row % 3) {
            (true, _) => 1.0,
            (false, third) => f64::from(third) / 2.0,
        };
        let segments = vec![Segment {
            factors: [1.0, 0.0],
            entries: vec![(Slot(0), [count; 2]), (Slot(1), [i16::from(won); 2])],
        }];
        let draft = RowDraft {
            constant: 0.0,
            segments,
            expression: None,
        };
        let info = RowInfo::new(outcome, row);
        assert!(traces.push(&draft, &info).is_ok());
    }
    traces
}

#[test]
fn the_errors_before_are_those_of_the_start_though_a_weight_is_separated() {
    let traces = separated();
    let reduction = Reduction::of_lanes(4);
    let start = [200.0, 0.0, 10.0, 0.0];
    let given = FitInputs::at(&start);
    let settings = Settings {
        k: Some(1.0),
        ..Settings::default()
    };
    let found = fit(&traces, &reduction, &given, &settings, &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(found.pinned, [2]);
    assert!((found.written[2] - 10.0).abs() < f64::EPSILON);
    assert!(
        found.summary.at_bound.is_empty(),
        "the bound is none of the author's"
    );
    let sigmoid = Sigmoid::new(1.0);
    let all = Regression::new(&traces, &reduction, Loss::Squared, sigmoid, Part::All).unwrap();
    let before = all.value(&start).unwrap();
    assert!((found.summary.initial_error - before).abs() < 1e-15);
    assert_eq!(found.summary.records.len(), found.summary.iterations + 1);
}

/// Rows over slot 0 of `slots`, results that its weight explains.
fn one_of(slots: usize) -> TraceSet {
    let mut traces = TraceSet::new(slots);
    for row in 0..400_u32 {
        let segments = vec![Segment {
            factors: [1.0, 0.0],
            entries: vec![(Slot(0), [(row * 7 % 5) as i16 - 2; 2])],
        }];
        let draft = RowDraft {
            constant: 0.0,
            segments,
            expression: None,
        };
        let outcome = f64::from(row * 7 % 5 + row % 3) / 6.0;
        assert!(traces.push(&draft, &RowInfo::new(outcome, row)).is_ok());
    }
    traces
}

fn settings() -> Settings {
    Settings {
        k: Some(1.0),
        prior: Some(20.0),
        integers: true,
        ..Settings::default()
    }
}

/// Games of four positions, with results that four weights explain in part.
fn noisy() -> TraceSet {
    let mut traces = TraceSet::new(2);
    let mut state = 1_u64;
    let mut draw = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    for game in 0..1500_u32 {
        let counts = [draw(7), draw(5)].map(|count| count as i16 - 2);
        let score = 60.0 * f64::from(counts[0]) - 25.0 * f64::from(counts[1]);
        let won = (draw(1000) as f64) < 1000.0 * Sigmoid::new(1.0).expectation(score);
        for position in 0..4 {
            let phase = f64::from(position) / 3.0;
            let entries = (0..).map(Slot).zip(counts);
            let draft = RowDraft {
                segments: vec![Segment::same([phase, 1.0 - phase], entries)],
                ..RowDraft::default()
            };
            let info = RowInfo::new(f64::from(u8::from(won)), game);
            assert!(traces.push(&draft, &info).is_ok());
        }
    }
    traces
}

#[test]
fn a_fit_ends_where_the_data_say_no_more_unless_it_is_to_be_exact() {
    let traces = noisy();
    let reduction = Reduction::of_lanes(4);
    let start = [30.0; 4];
    let with = |least_gain, prior| {
        let settings = Settings {
            least_gain,
            prior,
            ..settings()
        };
        let given = FitInputs::at(&start);
        fit(&traces, &reduction, &given, &settings, &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap()
    };
    let (early, exact) = (with(LEAST_GAIN, Some(20.0)), with(0.0, Some(20.0)));
    assert_eq!(early.summary.termination, Termination::WithinStandardError);
    assert_eq!(exact.summary.termination, Termination::GradientAtRounding);
    assert!(early.summary.cost.passes < exact.summary.cost.passes);
    for (early, exact) in early.weights.iter().zip(&exact.weights) {
        assert!((early - exact).abs() < 0.1, "{early} {exact}");
    }
    // What has no prior may have no optimum, and to see that takes all steps.
    let without = with(LEAST_GAIN, None).summary.termination;
    assert_eq!(without, Termination::GradientAtRounding);

    // The standard error of the mean over games, each the mean of its positions.
    let sigmoid = Sigmoid::new(1.0);
    let all = Regression::new(&traces, &reduction, Loss::Squared, sigmoid, Part::All).unwrap();
    let lanes = reduction.lanes(&exact.weights);
    let rows: Vec<f64> = (traces.rows(0..traces.len()))
        .map(|row| (sigmoid.expectation(row.score(&lanes)) - row.outcome()).powi(2))
        .collect();
    let games: Vec<f64> = rows
        .chunks(4)
        .map(|rows| rows.iter().sum::<f64>() / 4.0)
        .collect();
    let count = games.len() as f64;
    let mean = games.iter().sum::<f64>() / count;
    let squares: f64 = games.iter().map(|game| (game - mean).powi(2)).sum();
    let expected = (squares / (count - 1.0) / count).sqrt();
    let found = all.standard_error(&exact.weights).unwrap();
    // Some of the clusters are of two games.
    assert!((found / expected - 1.0).abs() < 0.05, "{found} {expected}");
}

#[test]
fn weights_that_no_position_reads_cost_no_memory() {
    // 200,000 variables would ask for 320 GB a matrix.
    let slots = 100_000;
    let traces = one_of(slots);
    let reduction = Reduction::of_lanes(2 * slots);
    let start: Vec<f64> = (0..2 * slots).map(|lane| (lane % 50) as f64).collect();
    let given = FitInputs {
        start: &vec![0.0; 2 * slots],
        ..FitInputs::at(&start)
    };
    let found = fit(&traces, &reduction, &given, &settings(), &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(found.summary.unseen, (1..2 * slots).collect::<Vec<_>>());
    assert!(found.written[0] > 10.0);
    assert_eq!(found.written[1..], start[1..]);
    assert_eq!(found.rounding.unwrap().x, found.written);
}

#[test]
fn a_fit_that_asks_for_too_much_memory_is_refused_before_it_takes_any() {
    let traces = one_of(2);
    let reduction = Reduction::of_lanes(4);
    let start = [5.0; 4];
    let given = FitInputs::at(&start);
    let with = |memory, solver| {
        let settings = Settings {
            memory,
            solver: Options::of(solver),
            ..settings()
        };
        fit(&traces, &reduction, &given, &settings, &mut |_| {
            ControlFlow::Continue(())
        })
    };
    assert!(with(Some(1_000_000), Solver::Newton).is_ok());
    let Err(FitError::TooLarge(error)) = with(Some(10), Solver::Newton) else {
        panic!("four matrices of one variable are more than ten bytes");
    };
    assert_eq!(
        (&error.variables[..], error.available),
        (&[0][..], Some(10))
    );
    assert!(error.bytes > 32);
    let words = error.to_string();
    for part in ["1 weights", "GB", "newton-cg", "frozen = true", "[[tie]]"] {
        assert!(words.contains(part), "{words}");
    }
    // Nothing but the memory keeps `auto` from a matrix, so it does without.
    let (dense, without) = (with(None, Solver::Auto), with(Some(10), Solver::Auto));
    let (dense, without) = (dense.unwrap(), without.unwrap());
    assert_eq!(dense.fallback, None);
    let Some(fallback @ NoMatrix::Memory { variables: 1, .. }) = without.fallback else {
        panic!("{:?}", without.fallback);
    };
    assert!(fallback.to_string().contains("newton-cg"), "{fallback}");
    assert!((without.weights[0] - dense.weights[0]).abs() < 1e-4);
    let by = [dense, without].map(|found| found.rounding.unwrap().by);
    assert_eq!(by, [RoundedBy::Curvature, RoundedBy::Diagonal]);
    // What needs no matrix is never refused.
    let named = with(Some(10), Solver::Lbfgs).unwrap();
    assert_eq!(
        (named.fallback, named.summary.cost.curvature_evaluations),
        (None, 0)
    );
}

#[test]
fn many_weights_are_fitted_without_a_matrix() {
    // More variables than a matrix is formed of, though there is memory.
    let slots = 3200_u32;
    let mut traces = TraceSet::new(slots as usize);
    for row in 0..12_000_u32 {
        let entries = (0..4).map(|k| ((row * (7 + 10 * k) + k * 1499) % slots, 1 - (k % 3) as i16));
        let entries: Vec<(u32, i16)> = entries.filter(|entry| entry.1 != 0).collect();
        let score = entries.iter().map(|&(slot, c)| f64::from(c) * truth(slot));
        let outcome = Sigmoid::new(1.0).expectation(score.sum());
        let draft = RowDraft {
            constant: 0.0,
            segments: vec![Segment::same(
                [1.0, 0.0],
                entries.into_iter().map(|(slot, c)| (Slot(slot), c)),
            )],
            expression: None,
        };
        assert!(traces.push(&draft, &RowInfo::new(outcome, row)).is_ok());
    }
    let reduction = Reduction::of_lanes(2 * slots as usize);
    let start = vec![0.0; 2 * slots as usize];
    let given = FitInputs::at(&start);
    let settings = Settings {
        loss: Loss::CrossEntropy,
        prior: None,
        ..settings()
    };
    let found = fit(&traces, &reduction, &given, &settings, &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!(matches!(found.fallback, Some(NoMatrix::Time { .. })));
    assert_eq!(found.summary.cost.curvature_evaluations, 0);
    assert!(found.summary.termination.is_optimum());
    let rounding = found.rounding.as_ref().unwrap();
    assert!(rounding.error <= rounding.error_plain);
    assert!(rounding.x.iter().all(|x| x.fract() == 0.0));
    let searched = found.searched.as_ref().unwrap();
    assert_eq!(searched.error_before, rounding.error);
    assert!(searched.error <= rounding.error && !searched.rounds.is_empty());
    assert!(found.written.iter().all(|weight| weight.fract() == 0.0));
}

#[test]
fn a_fit_without_a_matrix_resumes_without_one_though_there_is_memory_by_then() {
    let traces = separated();
    let reduction = Reduction::of_lanes(4);
    let given = FitInputs {
        start: &[200.0, 0.0, 10.0, 0.0],
        prior_mean: &[0.0; 4],
        ..FitInputs::at(&[50.0, 0.0, 40.0, 0.0])
    };
    let with = |memory, saved: Option<&SavedFit>, stop: usize| {
        let given = FitInputs { saved, ..given };
        let settings = Settings {
            memory,
            search: Search::All,
            ..settings()
        };
        let mut last = None;
        let found = fit(&traces, &reduction, &given, &settings, &mut |at| {
            last = Some(at.save());
            if at.record.iteration < stop {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        (found, last)
    };
    // The search for integers takes some, a matrix even of two weights more
    // than all that its rows do.
    let none = Some(10);
    let (whole, _) = with(none, None, usize::MAX);
    let whole = whole.unwrap();
    assert!(matches!(whole.fallback, Some(NoMatrix::Memory { .. })));
    for stop in 0..3 {
        let (_, saved) = with(none, None, stop);
        let (found, _) = with(none, saved.as_ref(), usize::MAX);
        assert_eq!(timeless(found.unwrap()), timeless(whole.clone()));
        // With memory the search continues as well, but the descent is the same.
        let (found, _) = with(None, saved.as_ref(), usize::MAX);
        let found = found.unwrap();
        assert_eq!(
            (found.fallback, &found.weights),
            (whole.fallback, &whole.weights)
        );
        assert_eq!(found.rounding, whole.rounding);
    }
    // The other way round a fit cannot resume.
    let (_, saved) = with(None, None, 1);
    let (found, _) = with(none, saved.as_ref(), usize::MAX);
    assert!(matches!(found, Err(FitError::TooLarge(_))));
}

/// A weight for each slot.
fn truth(slot: u32) -> f64 {
    f64::from(slot * 37 % 101) - 50.0
}

#[test]
fn what_an_earlier_fit_pinned_stays_pinned() {
    let traces = one_of(1);
    let reduction = Reduction::of_lanes(2);
    let start = [5.0; 2];
    let mut given = FitInputs::at(&start);
    let with = |given: &FitInputs<'_>| {
        fit(&traces, &reduction, given, &settings(), &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap()
    };
    assert!(with(&given).written[0] > 10.0);
    given.pinned = &[0];
    let found = with(&given);
    assert_eq!((found.pinned, found.written), (vec![0], vec![5.0; 2]));
}

/// All of a fit but the seconds.
fn timeless(mut found: Fit) -> String {
    found.summary.cost.seconds = 0.0;
    if let Some(searched) = &mut found.searched {
        searched.cost.seconds = 0.0;
    }
    for record in &mut found.summary.records {
        record.cost.seconds = 0.0;
    }
    serde_json::to_string(&found).unwrap()
}

#[test]
fn a_fit_resumes_from_each_of_its_iterations_also_after_a_separation() {
    let traces = separated();
    let reduction = Reduction::of_lanes(4);
    let given = FitInputs {
        start: &[200.0, 0.0, 10.0, 0.0],
        prior_mean: &[0.0; 4],
        ..FitInputs::at(&[50.0, 0.0, 40.0, 0.0])
    };
    let settings = Settings {
        k: Some(1.0),
        held_out: 0.3,
        prior: None,
        ..settings()
    };
    let mut all = Vec::new();
    let whole = fit(&traces, &reduction, &given, &settings, &mut |at| {
        let text = serde_json::to_string(&at.save()).unwrap();
        all.push(serde_json::from_str::<SavedFit>(&text).unwrap());
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(whole.pinned, [2]);
    let descents = whole.summary.records.len() + 1; // the second start is no record
    let rounds = whole.searched.as_ref().unwrap().rounds.len();
    assert_eq!(all.len(), descents + rounds);
    let whole = timeless(whole);
    for saved in &all {
        let given = FitInputs {
            saved: Some(saved),
            ..given
        };
        let go_on = &mut |_: &FitProgress<'_>| ControlFlow::Continue(());
        let found = fit(&traces, &reduction, &given, &settings, go_on).unwrap();
        assert_eq!(timeless(found), whole, "from {}", saved.iteration());
        let fewer = Reduction::of_lanes(2);
        assert!(matches!(
            fit(
                &one_of(1),
                &fewer,
                &FitInputs {
                    anchor: &[5.0; 2],
                    start: &[5.0; 2],
                    prior_mean: &[5.0; 2],
                    ..given
                },
                &settings,
                go_on
            ),
            Err(FitError::SavedFit(_))
        ));
    }
}

/// All wins have a positive score: the error falls ever further as the weight grows.
#[test]
fn where_there_is_no_optimum_it_is_said_and_a_bound_or_a_prior_gives_one() {
    let mut traces = TraceSet::new(1);
    for row in 0..400_u32 {
        let count = [-2, -1, 1, 2][row as usize % 4];
        let draft = RowDraft {
            constant: 0.0,
            segments: vec![Segment {
                factors: [1.0, 0.0],
                entries: vec![(Slot(0), [count; 2])],
            }],
            expression: None,
        };
        let won = f64::from(u8::from(count > 0));
        traces.push(&draft, &RowInfo::new(won, row)).unwrap();
    }
    let end = |bound: f64, prior: Option<f64>, loss: Loss, solver: Solver| {
        let reduction = Reduction::new(&ReductionParts {
            lane_count: 2,
            lanes: &[LaneId(0)],
            frozen: &[false],
            ties: &[],
            bounds: &[(-bound, bound)],
            initial: &[7.0],
            constraints: &[],
        });
        let settings = Settings {
            k: Some(1.0),
            loss,
            prior,
            solver: Options::of(solver),
            ..Settings::default()
        };
        let inputs = FitInputs::at(&[7.0]);
        fit(
            &traces,
            &reduction.unwrap(),
            &inputs,
            &settings,
            &mut |_| ControlFlow::Continue(()),
        )
        .unwrap()
    };
    for loss in [Loss::Squared, Loss::CrossEntropy] {
        for solver in [Solver::Auto, Solver::NewtonCg] {
            let found = end(f64::INFINITY, None, loss, solver);
            assert_eq!(found.summary.termination, Termination::NoOptimum);
            let said = found.summary.termination.to_string();
            assert!(said.contains("a prior or bounds give it one"), "{said}");
            assert_eq!((&*found.pinned, found.written[0]), (&[0][..], 7.0));
            for bound in [300.0, 3000.0] {
                let found = end(bound, None, loss, solver);
                assert!(found.summary.termination.is_optimum());
                assert!(found.pinned.is_empty() && found.error < 0.2);
                let beyond = bound > 1000.0 && found.error < 1e-8;
                assert!(found.written[0] == bound || beyond, "{:?}", found.written);
            }
            let found = end(f64::INFINITY, Some(100.0), loss, solver);
            assert!(found.summary.termination.is_optimum());
            assert!(
                found.pinned.is_empty() && found.written[0] > 100.0,
                "{found:?}"
            );
        }
    }
}
