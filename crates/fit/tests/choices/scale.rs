//! Another scale.

use std::ops::ControlFlow;

use tuner_base::{LaneId, WeightId};
use tuner_fit::model::{SampleWeighting, Sigmoid, TargetBlend};
use tuner_fit::{
    Anchor, AnchorError, Fit, FitError, FitInputs, FitProgress, FitTask, Reason, SavedFit, Search,
    Settings, Targets, fit,
};
use tuner_rows::TraceSet;
use tuner_solve::{Reduction, ReductionParts, Termination, Tie};

use super::data::*;

#[test]
fn another_scale_is_the_same_fit_where_all_is_linear() {
    let traces = traces(3000, 0.0);
    let reduction = Reduction::of_lanes(8);
    let plain = run(&traces, &reduction, &settings()).unwrap();
    let found = run(&traces, &reduction, &anchored(0, 100.0)).unwrap();
    let scale = found.anchored.unwrap();
    assert_eq!(found.weights[0], 100.0);
    assert_eq!(found.written[0], 100.0);
    assert_eq!(scale.weight, 0);
    assert!((scale.factor - 100.0 / plain.weights[0]).abs() < 1e-12);
    assert!((scale.k_before / plain.k - 1.0).abs() < 1e-12);
    assert!((found.k * scale.factor / plain.k - 1.0).abs() < 1e-12);
    for (new, old) in found.weights.iter().zip(&plain.weights) {
        assert!((new - scale.factor * old).abs() < 1e-6, "{new} {old}");
    }
    assert!((found.error - plain.error).abs() < 1e-12);
    let held_out = found.held_out_error.unwrap() - plain.held_out_error.unwrap();
    assert!(held_out.abs() < 1e-10);
    assert_eq!(found.held_out_start, plain.held_out_start);
    assert_eq!(found.summary.initial_error, plain.summary.initial_error);
    assert!(found.pinned.is_empty());
}

#[test]
fn what_does_not_come_along_is_fitted_again_in_the_new_scale() {
    // A constant of 40 centipawns in each score, and a frozen weight.
    let traces = traces(3000, 40.0);
    let mut frozen = [false; 8];
    frozen[4] = true;
    let tie = [Tie {
        weight: WeightId(2),
        root: WeightId(0),
        factor: 0.5,
        difference: 1.0,
    }];
    let mut initial = START;
    initial[2] = 36.0;
    let free = (f64::NEG_INFINITY, f64::INFINITY);
    let reduction = Reduction::new(&ReductionParts {
        lane_count: 8,
        lanes: &[0, 1, 2, 3, 4, 5, 6, 7].map(LaneId),
        frozen: &frozen,
        ties: &tie,
        bounds: &[free; 8],
        constraints: &[],
        initial: &initial,
    })
    .unwrap();
    // The tied weight is anchored: 51 = 0.5·x + 1.
    let mut wanted = anchored(2, 51.0);
    wanted.prior = None;
    wanted.integers = true;
    let found = run(&traces, &reduction, &wanted).unwrap();
    assert_eq!((found.written[2], found.written[0]), (51.0, 100.0));
    assert_eq!(found.written[4], initial[4]);
    assert!(found.written.iter().all(|weight| weight.fract() == 0.0));
    // No optimum of other weights at that K and that value is better.
    let again = Settings {
        k: Some(found.k),
        integers: false,
        anchor: wanted.anchor.map(|anchor| Anchor {
            factor: Some(1.0),
            ..anchor
        }),
        ..wanted
    };
    let direct = run(&traces, &reduction, &again).unwrap();
    assert_eq!(direct.weights[2], 51.0);
    assert_eq!(direct.k, found.k);
    for (a, b) in direct.weights[..6].iter().zip(&found.weights) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
}

#[test]
fn anchors_that_say_nothing_are_named() {
    let traces = traces(3000, 0.0);
    let mut frozen = [false; 8];
    frozen[1] = true;
    let tie = [Tie {
        weight: WeightId(3),
        root: WeightId(1),
        factor: 1.0,
        difference: 40.0,
    }];
    let bounds = [(-150.0, 150.0); 8];
    let reduction = Reduction::new(&ReductionParts {
        lane_count: 8,
        lanes: &[0, 1, 2, 3, 4, 5, 6, 7].map(LaneId),
        frozen: &frozen,
        ties: &tie,
        bounds: &bounds,
        constraints: &[],
        initial: &START,
    })
    .unwrap();
    let reason = |weight, value: f64| {
        let settings = Settings {
            integers: true,
            ..anchored(weight, value)
        };
        match run(&traces, &reduction, &settings) {
            Err(FitError::Anchor(AnchorError { reason, .. })) => Some(reason),
            _ => None,
        }
    };
    assert_eq!(reason(1, 50.0), Some(Reason::Fixed));
    assert_eq!(reason(3, 50.0), Some(Reason::Fixed));
    assert_eq!(reason(99, 50.0), Some(Reason::Fixed));
    assert_eq!(reason(6, 50.0), Some(Reason::Unread));
    assert_eq!(reason(0, 0.0), Some(Reason::Zero));
    assert_eq!(reason(0, f64::NAN), Some(Reason::Zero));
    assert_eq!(reason(0, 200.0), Some(Reason::Bounds(-150.0, 150.0)));
    assert_eq!(reason(0, 99.5), Some(Reason::NotWhole));
    assert!(matches!(reason(0, -100.0), Some(Reason::Sign(fitted)) if fitted > 0.0));
    assert_eq!(reason(0, 100.0), None);
    for reason in [
        Reason::Fixed,
        Reason::Unread,
        Reason::Zero,
        Reason::Bounds(-1.0, 1.0),
        Reason::NotWhole,
        Reason::Sign(-3.0),
        Reason::Far(1e-9),
    ] {
        let error = AnchorError {
            weight: 5,
            value: 100.0,
            reason,
        };
        assert!(
            error
                .to_string()
                .starts_with("weight 5 cannot be anchored at 100: ")
        );
    }
}

/// A fit as text, without the time that it took.
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

/// Scores with a constant, so that the second descent has something to do.
fn everything_chosen() -> (TraceSet, Targets, Settings) {
    let targets = Targets {
        mix: Some(TargetBlend {
            lambda: 0.7,
            sigmoid: Sigmoid::new(1.2),
        }),
        weighing: SampleWeighting::Sqrt,
    };
    let settings = Settings {
        anchor: Some(Anchor {
            weight: 0,
            value: 200.0,
            factor: None,
        }),
        loss: "power:1.8".parse().unwrap(),
        integers: true,
        search: Search::All,
        ..settings()
    };
    (traces(900, 30.0), targets, settings)
}

#[test]
fn an_anchored_fit_resumes_from_each_iteration_in_either_scale() {
    let (traces, targets, settings) = everything_chosen();
    let reduction = Reduction::of_lanes(8);
    let with = |saved: Option<&SavedFit>,
                observer: &mut dyn FnMut(&FitProgress<'_>) -> ControlFlow<()>| {
        let given = FitInputs {
            saved,
            ..FitInputs::at(&START)
        };
        let task = FitTask::new(&traces, &reduction, &given, &settings);
        targets.fit(&task, observer).unwrap()
    };
    let mut all = Vec::new();
    let whole = with(None, &mut |at| {
        let text = serde_json::to_string(&at.save()).unwrap();
        all.push(serde_json::from_str::<SavedFit>(&text).unwrap());
        ControlFlow::Continue(())
    });
    assert_eq!(whole.written[0], 200.0);
    assert!(whole.written.iter().all(|weight| weight.fract() == 0.0));
    let factor = whole.anchored.unwrap().factor;
    let in_new: Vec<bool> = all
        .iter()
        .map(|saved| saved.factor() == Some(factor))
        .collect();
    assert!(in_new.is_sorted() && !in_new[2] && in_new[all.len() - 3]);
    let whole = timeless(whole);
    for saved in &all {
        let found = with(Some(saved), &mut |_| ControlFlow::Continue(()));
        assert_eq!(timeless(found), whole, "from {}", saved.iteration());
    }
    // Interrupted, it ends in the new scale, and resumed reaches the same end.
    for stop in 0..all.len() {
        let (mut calls, mut last) = (0, None);
        let found = with(None, &mut |at| {
            last = Some(at.save());
            calls += 1;
            if calls > stop {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        assert_eq!(found.summary.termination, Termination::Interrupted);
        assert_eq!(found.written[0], 200.0, "{stop}");
        assert!(found.written.iter().all(|weight| weight.fract() == 0.0));
        assert_eq!(calls, stop + 1, "none is asked again");
        let found = with(last.as_ref(), &mut |_| ControlFlow::Continue(()));
        assert_eq!(timeless(found), whole, "stopped at {stop}");
    }
}

#[test]
fn interrupted_before_any_factor_leads_to_the_new_scale_it_stays_in_the_old() {
    let (traces, _, settings) = everything_chosen();
    let given = FitInputs {
        start: &[0.0; 8],
        ..FitInputs::at(&START)
    };
    let reduction = Reduction::of_lanes(8);
    let found = fit(&traces, &reduction, &given, &settings, &mut |_| {
        ControlFlow::Break(())
    })
    .unwrap();
    assert_eq!(found.summary.termination, Termination::Interrupted);
    assert_eq!((found.anchored, &found.written[..6]), (None, &[0.0; 6][..]));
}
