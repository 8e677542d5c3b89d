//! Rows against direct traces of the same score.

use std::ops::ControlFlow;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use tuner_base::{LaneId, Slot, WeightId};
use tuner_fit::black_box::{BlackBox, ProbeSteps, Probing, Quotients, Visits};
use tuner_fit::{FitInputs, fit as fit_traces};
use tuner_rows::{Row, RowDraft, Segment, TraceSet};
use tuner_solve::{Reduction, ReductionParts, Tie};

use super::support::*;

/// The coefficients of a row by lanes.
fn dense(row: &Row<'_>, lanes: usize) -> Vec<f64> {
    let mut dense = vec![0.0; lanes];
    for segment in row.segments() {
        for (slot, coefficients) in segment.entries() {
            for side in 0..2 {
                dense[2 * slot.index() + side] +=
                    segment.factors[side] * f64::from(coefficients[side]);
            }
        }
    }
    dense
}

/// The trace that the tapered evaluation would make.
fn direct(positions: &[tuner_fit::black_box::ProbedPosition<Counts>]) -> TraceSet {
    let mut set = TraceSet::new(FEATURES);
    for labelled in positions {
        let counts = labelled.position;
        let rho = f64::from(counts.phase) / 24.0;
        let draft = RowDraft {
            constant: f64::from(counts.constant),
            segments: vec![Segment::same(
                [rho, 1.0 - rho],
                (0..).map(Slot).zip(counts.features),
            )],
            expression: None,
        };
        set.push(&draft, &labelled.info).unwrap();
    }
    set
}

#[test]
#[allow(clippy::float_cmp)] // halves, quarters and small integers are exact
fn a_linear_score_has_exactly_the_rows_of_its_trace() {
    let mut positions = expected(500, |c| tapered(&TRUE, c));
    for labelled in &mut positions {
        labelled.position.phase = 3 * (labelled.position.phase / 3); // eighths
    }
    let reduction = Reduction::of_lanes(2 * FEATURES);
    let at = [80.0, 100.0, 30.5, 0.0, -10.0, -20.0, 0.0, 1.0];
    let rows = source(&positions, &reduction, tapered).rows(&at).unwrap();
    let direct = direct(&positions);
    assert_eq!(rows.weights, at);
    assert_eq!(rows.nonlinearity.quotients, 0);
    assert_eq!(rows.nonlinearity.compared, 500 * 8);
    assert_eq!(rows.evaluations, 500 * (1 + 2 * 8));
    for (a, b) in rows.traces.rows(0..500).zip(direct.rows(0..500)) {
        assert_eq!(dense(&a, 8), dense(&b, 8));
        assert_eq!(a.constant(), b.constant());
        assert_eq!(
            (a.outcome(), a.game(), a.weight()),
            (b.outcome(), b.game(), b.weight())
        );
    }
}

#[test]
fn a_tapered_row_takes_few_segments_and_no_more_memory_than_twice_its_trace() {
    let positions = expected(5000, |c| tapered(&TRUE, c));
    let reduction = Reduction::of_lanes(2 * FEATURES);
    let mut rows = source(&positions, &reduction, tapered).rows(&TRUE).unwrap();
    let mut direct = direct(&positions);
    let mut segments = BTreeMap::new();
    for (a, b) in rows.traces.rows(0..5000).zip(direct.rows(0..5000)) {
        *segments.entry(a.segments().count()).or_insert(0) += 1;
        assert!(farthest(&dense(&a, 8), &dense(&b, 8)) < 1e-12);
        let score = a.score(&reduction.lanes_of(&TRUE));
        assert!((score - b.score(&reduction.lanes_of(&TRUE))).abs() < 1e-12);
    }
    assert!(segments.keys().all(|&count| count <= 3), "{segments:?}");
    rows.traces.finish();
    direct.finish();
    let bytes = [rows.traces.bytes(), direct.bytes()];
    assert!(bytes[0] < 2 * bytes[1], "{bytes:?}");
}

#[test]
fn both_rows_lead_to_the_same_fit() {
    let positions = drawn(2000, |c| tapered(&TRUE, c));
    let reduction = Reduction::of_lanes(2 * FEATURES);
    let start = [50.0; 2 * FEATURES];
    let settings = settings();
    let found = fit(&source(&positions, &reduction, tapered), &start, &settings).unwrap();
    let given = FitInputs::at(&start);
    let by_trace = fit_traces(
        &direct(&positions),
        &reduction,
        &given,
        &settings,
        &mut |_| ControlFlow::Continue(()),
    )
    .unwrap();
    assert!(farthest(&found.fit.weights, &by_trace.weights) < 1e-6);
    assert!((found.fit.error / by_trace.error - 1.0).abs() < 1e-12);
    assert_eq!(found.rounds.len(), 1);
}

/// Everything of rows that has bits.
fn bits(found: &Quotients) -> (String, u64, String) {
    (
        found.traces.fingerprint(),
        found.evaluations,
        format!("{:?}", found.nonlinearity),
    )
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    // A score with everything: nonlinear terms, real coefficients, truncation.
    let score = |w: &[f64], c: &Counts| tapered(w, c) + (w[0] * w[1] / 77.0).floor() + w[2].sin();
    let positions = drawn(1500, |c| tapered(&TRUE, c));
    let reduction = Reduction::of_lanes(2 * FEATURES);
    let source = source(&positions, &reduction, score);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let rows = source.rows(&[20.0; 2 * FEATURES]).unwrap();
            let found = fit(&source, &[20.0; 2 * FEATURES], &settings()).unwrap();
            let weights: Vec<u64> = found.fit.weights.iter().map(|w| w.to_bits()).collect();
            (bits(&rows), weights, found.rounds, found.end)
        })
    };
    let one = on(1);
    assert!(one.0.2.contains("largest: Some"), "{}", one.0.2);
    for threads in [2, 3, 7] {
        assert_eq!(on(threads), one, "{threads} threads");
    }
}

#[test]
fn nothing_is_evaluated_beyond_the_bounds() {
    let bounds = [
        (0.0, 100.0),
        (10.0, 10.0),
        (-5.0, 5.0),
        FREE,
        (20.0, f64::INFINITY),
        (f64::NEG_INFINITY, 4.0),
        (0.0, 1.0),
        FREE,
    ];
    let reduction = bounded(&bounds);
    let positions = expected(300, |c| tapered(&TRUE, c));
    let count = AtomicU64::new(0);
    let careful = |weights: &[f64], counts: &Counts| {
        count.fetch_add(1, Ordering::Relaxed);
        for (weight, (low, high)) in weights.iter().zip(bounds) {
            assert!((low..=high).contains(weight), "{weights:?}");
        }
        tapered(weights, counts)
    };
    let source = source(&positions, &reduction, careful);
    // Beyond bounds, at bounds, and less than a step away from them.
    let rows = source
        .rows(&[100.0, 0.0, 0.0, 9.0, 3.0, 4.0, 0.5, 1.0])
        .unwrap();
    assert_eq!(rows.weights, [100.0, 10.0, 0.0, 9.0, 20.0, 4.0, 0.5, 1.0]);
    for (row, counts) in rows.traces.rows(0..300).zip(&positions) {
        let rho = f64::from(counts.position.phase) / 24.0;
        for (lane, found) in dense(&row, 8).into_iter().enumerate() {
            let side = if lane % 2 == 0 { rho } else { 1.0 - rho };
            // Weight 1 does not move, so it is part of the constant.
            let feature = f64::from(counts.position.features[lane / 2]);
            let expected = if lane == 1 { 0.0 } else { feature * side };
            assert!(
                (found - expected).abs() < 1e-11,
                "{lane}: {found} {expected}"
            );
        }
        assert!(
            (row.score(&rows.weights) - tapered(&rows.weights, &counts.position)).abs() < 1e-11
        );
    }
    // At a bound one of two evaluations is that of the weights themselves.
    assert_eq!(rows.evaluations, 300 * (1 + 2 * 7 - 3));
    assert_eq!(rows.evaluations, count.load(Ordering::Relaxed));
    assert_eq!(rows.nonlinearity.compared, 300 * 4);
    assert_eq!(rows.nonlinearity.quotients, 0);
    let found = fit(&source, &[50.0; 8], &settings()).unwrap();
    let by_trace = fit_traces(
        &direct(&positions),
        &reduction,
        &FitInputs::at(&[50.0; 8]),
        &settings(),
        &mut |_| ControlFlow::Continue(()),
    );
    let by_trace = by_trace.unwrap();
    // The trace knows of weight 1, too, whose bounds are equal.
    assert_eq!(found.fit.summary.at_bound, [0, 2, 4, 6]);
    assert_eq!(by_trace.summary.at_bound, [0, 1, 2, 4, 6]);
    let weights = [&found.fit.weights, &by_trace.weights];
    assert!(farthest(weights[0], weights[1]) < 1e-6, "{weights:?}");
}

#[test]
fn ties_move_together_and_frozen_weights_not_at_all() {
    let ties = [Tie {
        weight: WeightId(2),
        root: WeightId(0),
        factor: -2.0,
        difference: 5.0,
    }];
    let reduction = Reduction::new(&ReductionParts {
        lane_count: 6,
        lanes: &[1, 2, 5].map(LaneId),
        frozen: &[false, true, false],
        ties: &ties,
        bounds: &[FREE; 3],
        constraints: &[],
        initial: &[1.0, 7.0, 3.0],
    })
    .unwrap();
    let positions = expected(200, |_| 0.0);
    let score = |w: &[f64], c: &Counts| {
        assert!((w[1] - 7.0).abs() < 1e-12 && (w[2] + 2.0 * w[0] - 5.0).abs() < 1e-12);
        let [a, b, d, _] = c.features.map(f64::from);
        a * w[0] + b * w[1] + d * w[2]
    };
    let rows = source(&positions, &reduction, score)
        .rows(&[4.0, 0.0, 0.0])
        .unwrap();
    assert_eq!(rows.weights, [4.0, 7.0, -3.0]);
    assert_eq!(rows.evaluations, 200 * 3);
    let lanes = reduction.lanes(&[10.0]);
    for (row, counts) in rows.traces.rows(0..200).zip(&positions) {
        let score = score(&reduction.weights(&[10.0]), &counts.position);
        assert!((row.score(&lanes) - score).abs() < 1e-12);
    }
}

#[test]
fn whole_weights_are_all_that_is_visited() {
    let score = |weights: &[f64], counts: &Counts| {
        assert!(weights.iter().all(|w| w.fract() == 0.0), "{weights:?}");
        truncated(weights, counts)
    };
    let positions = expected(600, |c| truncated(&TRUE, c));
    let reduction = bounded(&[(-50.5, 150.5); 2 * FEATURES]);
    let mut source = source(&positions, &reduction, score);
    source.probing.visits = Visits::Whole;
    let found = fit(&source, &[30.4; 2 * FEATURES], &settings()).unwrap();
    assert!(found.fit.written.iter().all(|w| w.fract() == 0.0));
    assert!(
        farthest(&found.fit.written, &TRUE) <= 2.0,
        "{:?}",
        found.fit.written
    );
    assert!(found.fit.error < found.fit.summary.initial_error / 1e3);
}

/// How far coefficients of the truncated evaluation are off on average, and
/// the part of them that is lost, over a step.
fn errors_over(step: f64) -> (f64, f64) {
    let positions = expected(2000, |c| truncated(&TRUE, c));
    let reduction = Reduction::of_lanes(2 * FEATURES);
    let source = BlackBox {
        probing: Probing {
            steps: ProbeSteps::Each(vec![step; 2 * FEATURES]),
            visits: Visits::Whole,
            ..Probing::default()
        },
        ..source(&positions, &reduction, truncated)
    };
    let rows = source.rows(&TRUE).unwrap();
    assert_eq!(rows.nonlinearity.quotients, 0, "one division is no bend");
    let (mut off, mut lost, mut count) = (0.0, 0.0, 0.0);
    for (row, direct) in rows
        .traces
        .rows(0..2000)
        .zip(direct(&positions).rows(0..2000))
    {
        for (found, exact) in dense(&row, 8).into_iter().zip(dense(&direct, 8)) {
            if exact.abs() > 0.0 {
                count += 1.0;
                off += (found - exact).abs();
                lost += f64::from(u8::from(found.abs() < 1e-12));
            }
        }
    }
    (off / count, lost / count)
}

#[test]
#[allow(clippy::print_stdout)] // the table of docs/black-box.md
fn integers_want_long_steps() {
    let steps = [1.0, 4.0, 16.0, 64.0];
    let found = steps.map(errors_over);
    for (step, (off, lost)) in steps.iter().zip(found) {
        println!(
            "step {step:>2}: off by {off:.4}, lost {:.1} %",
            100.0 * lost
        );
    }
    for (step, (off, _)) in steps.iter().zip(found) {
        assert!(off < 0.5 / step, "{step}: {off}");
    }
    assert!(found.windows(2).all(|pair| pair[1].0 < pair[0].0 / 2.0));
    assert!(
        found[0].1 > 0.02 && found[3].1 < found[0].1 / 4.0,
        "{found:?}"
    );
}
