//! One fit of several descents: what it reports.

#![allow(clippy::unwrap_used)] // a failing test may end with a panic

use tuner_core::fit::{Given, Settings, fit};
use tuner_core::model::{Loss, Objective, Part, Reduction, Regression, Sigmoid};
use tuner_core::solve::{Flow, Options};
use tuner_core::trace::rows::{RowDraft, RowInfo, Segment, TraceSet};

#[test]
fn the_errors_before_are_those_of_the_start_though_a_weight_runs_away() {
    // Slot 1 stands in won rows only.
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
            entries: vec![(0, count), (1, i16::from(won))],
        }];
        let draft = RowDraft {
            constant: 0.0,
            segments,
            expression: None,
        };
        let info = RowInfo::new(outcome, row);
        assert!(traces.push(&draft, &info).is_ok());
    }
    let reduction = Reduction::of_lanes(4);
    let start = [200.0, 0.0, 10.0, 0.0];
    let given = Given {
        anchor: &start,
        start: &start,
        believed: &start,
    };
    let settings = Settings {
        k: Some(1.0),
        loss: Loss::Squared,
        held_out: 0.0,
        prior: None,
        solver: Options::default(),
        integers: false,
    };
    let found = fit(&traces, &reduction, &given, &settings, &mut |_| {
        Flow::Continue
    })
    .unwrap();
    assert_eq!(found.held, [2]);
    assert!((found.written[2] - 10.0).abs() < f64::EPSILON);
    assert!(
        found.summary.at_bound.is_empty(),
        "the bound is none of the author's"
    );
    let sigmoid = Sigmoid::new(1.0);
    let all = Regression::new(&traces, &reduction, Loss::Squared, sigmoid, Part::All).unwrap();
    let before = all.value(&start);
    assert!((found.summary.initial_error - before).abs() < 1e-15);
    assert_eq!(found.summary.records.len(), found.summary.iterations + 1);
}
