//! Scores that are not linear: trace, row, objective and fit of evaluations
//! with king-safety curves, limits, branches and quotients.

#![allow(clippy::unwrap_used, reason = "a failing test may end with a panic")]

use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tuner_base::LaneId;
use tuner_fit::model::{Loss, Part, Regression, Sigmoid};
use tuner_rows::Compactor;
use tuner_rows::{Linearised, RowDraft, RowInfo, TraceSet};
use tuner_solve::{Curvature, Objective, Reduction};
use tuner_solve::{Options, Problem, minimise};
use tuner_trace::nonlinear::{abs, clamp, div, gt, max, min, mul, pow, powi, sqrt, tanh};
use tuner_trace::{Recorder, Tr, Trace, cast};

/// Weights: four tapered pairs (lanes 0 to 7), then untapered ones.
const WEIGHTS: usize = 12;
const TRUE: [f64; WEIGHTS] = [
    100.0, 120.0, 30.0, 20.0, -15.0, -25.0, 12.0, 8.0, 40.0, 25.0, 90.0, 16.0,
];

/// What a position counts.
#[derive(Clone, Copy, Debug)]
struct Counts {
    material: i32,
    open: i32,
    weak: i32,
    attackers: [i32; 2],
    phase: i32,
}

impl Counts {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        Self {
            material: rng.random_range(-2..=2),
            open: rng.random_range(-2..=2),
            weak: rng.random_range(-3..=3),
            attackers: [rng.random_range(0..=5), rng.random_range(0..=5)],
            phase: rng.random_range(0..=24),
        }
    }
}

fn w(leaf: u32) -> Tr<i32> {
    Tr::weight(TRUE[leaf as usize] as i32, leaf)
}

/// A king-safety curve, as engines have it: units accumulate, are cut below,
/// squared and divided; the endgame half is scaled by a branch on its sign.
fn integers(c: &Counts) -> Tr<i32> {
    let mut mg = w(0) * c.material + w(2) * c.open + w(4) * c.weak;
    let mut eg = w(1) * c.material + w(3) * c.open + w(5) * c.weak;
    for (side, &attackers) in c.attackers.iter().enumerate() {
        let units = w(8) * attackers - w(10) + w(9) * (attackers / 2) + 7;
        let danger = pow(max(units, 0), 2) / 64;
        let danger = min(danger, w(10) * 3);
        let sign = if side == 0 { 1 } else { -1 };
        mg += danger * sign;
        eg += div(mul(danger, w(11)), 64) * sign;
    }
    mg += clamp(w(6) * c.weak * c.material, -30, 40);
    eg += abs(w(7) * c.open - w(6)) * c.material;
    let scale = if gt(eg, 0) { 48 } else { 64 };
    let eg = eg * scale / 64;
    (mg * c.phase + eg * (24 - c.phase)) / 24
}

/// The same kinds of terms without truncation.
fn floats(c: &Counts) -> Tr<f64> {
    let w = |leaf: u32| Tr::weight(TRUE[leaf as usize], leaf);
    let count = f64::from;
    let mut score = w(0) * count(c.material) + w(3) * count(c.open);
    for (side, &attackers) in c.attackers.iter().enumerate() {
        let units = w(8) * count(attackers) + w(9) * count(c.weak) + w(10);
        let danger = tanh(powi(units * 0.01, 3)) * 60.0 + sqrt(max(units, 1.0));
        let ratio = div(units, max(w(10), 1.0));
        let sign = if side == 0 { 1.0 } else { -1.0 };
        score += danger * sign + mul(ratio, w(11)) * sign;
    }
    let rho = min(div(w(2) + count(c.phase), w(1)), 1.0);
    mul(score, rho) + mul(w(5) * count(c.weak), 1.0 - rho)
}

/// Traces positions at given weights; also returns the traces.
fn traced<P: tuner_trace::Primitive>(
    positions: &[Counts],
    values: &[f64],
    twin: impl Fn(&Counts) -> Tr<P>,
) -> (TraceSet, Vec<Trace>) {
    let mut set = TraceSet::new(WEIGHTS / 2);
    let mut recorder = Recorder::new();
    let mut compactor = Compactor::new((0..WEIGHTS as u32).map(LaneId).collect());
    let mut draft = RowDraft::default();
    let mut traces = Vec::new();
    for (row, position) in positions.iter().enumerate() {
        let mut trace = Trace::default();
        recorder.record_at(values, || twin(position), &mut trace);
        compactor.draft(&trace, &mut draft);
        set.push(&draft, &RowInfo::new(0.5, row as u32)).unwrap();
        traces.push(trace);
    }
    (set, traces)
}

fn positions(count: usize) -> Vec<Counts> {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    (0..count).map(|_| Counts::random(&mut rng)).collect()
}

/// Weights near the true ones.
fn moved(rng: &mut ChaCha8Rng, by: f64) -> Vec<f64> {
    TRUE.iter()
        .map(|w| (w + by * (2.0 * rng.random::<f64>() - 1.0)).round())
        .collect()
}

#[test]
fn rows_have_the_score_of_the_evaluation_at_other_weights() {
    let positions = positions(400);
    let (set, _) = traced(&positions, &[], floats);
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for _ in 0..20 {
        let values = moved(&mut rng, 15.0);
        for (row, position) in positions.iter().enumerate() {
            let score = Recorder::defined_at(&values, || floats(position)).0;
            let by_row = set.score(row, &values);
            assert!(
                (score - by_row).abs() < 1e-9 * (1.0 + score.abs()),
                "{position:?}: {score} {by_row}"
            );
        }
    }
}

/// How far truncation may have moved the score of a trace.
fn slack(trace: &Trace, values: &[f64]) -> f64 {
    let expression = trace.expression.as_ref().unwrap();
    let inputs: Vec<f64> = trace
        .forms
        .iter()
        .map(|form| {
            let terms = form.terms.iter();
            terms
                .map(|&(leaf, c)| c as f64 * values[leaf.index()])
                .sum()
        })
        .collect();
    let mut evaluation = tuner_trace::ExpressionValues::default();
    evaluation.value(&expression.steps, &expression.constants, &inputs);
    let bounds = evaluation.bounds(&expression.steps, &trace.step_slack);
    trace.slack + bounds.last().unwrap() + 1e-9
}

#[test]
fn truncation_stays_within_its_bound_and_guards_tell_where_rows_end() {
    let positions = positions(400);
    let (set, traces) = traced(&positions, &[], integers);
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (mut flipped, mut kept) = (0, 0);
    for round in 0..20 {
        let values = if round == 0 {
            TRUE.to_vec()
        } else {
            moved(&mut rng, 12.0)
        };
        let table = set.table(&values);
        for (row, position) in positions.iter().enumerate() {
            let view = set.row(row);
            let mut linearised = Linearised::default();
            let by_row = linearised.at(&view, &table);
            if linearised.changes_branch(&view) {
                flipped += 1;
                continue;
            }
            kept += 1;
            let score = Recorder::defined_at(&values, || integers(position)).0;
            let slack = slack(&traces[row], &values);
            assert!(
                (score - by_row).abs() <= slack,
                "{position:?}: {score} {by_row} ± {slack}"
            );
            assert!(slack < 20.0, "a bound that says nothing: {slack}");
        }
    }
    assert!(flipped > 50 && kept > 5000, "{flipped} {kept}");
}

#[test]
fn a_new_trace_takes_the_other_branch() {
    let positions = positions(200);
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let values = moved(&mut rng, 30.0);
    let (set, traces) = traced(&positions, &values, integers);
    for (row, position) in positions.iter().enumerate() {
        let score = Recorder::defined_at(&values, || integers(position)).0;
        assert!((traces[row].score - score).abs() < 1e-12);
        assert!((set.score(row, &values) - score).abs() <= slack(&traces[row], &values));
    }
}

/// Rows with results drawn at the true weights; every row four times.
fn labelled(positions: &[Counts]) -> TraceSet {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let sigmoid = Sigmoid::new(1.0);
    let mut set = TraceSet::new(WEIGHTS / 2);
    let mut recorder = Recorder::new();
    let mut compactor = Compactor::new((0..WEIGHTS as u32).map(LaneId).collect());
    let (mut trace, mut draft) = (Trace::default(), RowDraft::default());
    for (row, position) in positions.iter().enumerate() {
        recorder.record(|| floats(position), &mut trace);
        compactor.draft(&trace, &mut draft);
        for _ in 0..4 {
            let wins = rng.random::<f64>() < sigmoid.expectation(trace.score);
            let outcome = f64::from(u8::from(wins));
            set.push(&draft, &RowInfo::new(outcome, row as u32))
                .unwrap();
        }
    }
    set
}

#[test]
fn the_objective_has_the_derivatives_of_its_value() {
    let traces = labelled(&positions(300));
    let reduction = Reduction::of_lanes(WEIGHTS);
    for loss in [Loss::Squared, Loss::CrossEntropy] {
        let f = Regression::new(&traces, &reduction, loss, Sigmoid::new(1.0), Part::All).unwrap();
        let x: Vec<f64> = TRUE.iter().map(|w| w * 1.1 + 1.0).collect();
        let mut gradient = vec![0.0; WEIGHTS];
        let value = f.gradient(&x, &mut gradient).unwrap();
        assert!((value - f.value(&x).unwrap()).abs() < 1e-14);
        let along: Vec<f64> = (0..WEIGHTS).map(|i| f64::from(i as u8) - 5.0).collect();
        let product = f
            .curvature_product(&x, Curvature::GaussNewton, &along)
            .unwrap();
        let mut matrix = tuner_solve::linalg::Symmetric::zeros(WEIGHTS);
        f.curvature(&x, Curvature::GaussNewton, &mut matrix)
            .unwrap();
        let diagonal = f.diagonal(&x, Curvature::GaussNewton).unwrap();
        let by_matrix = matrix.multiply(&along);
        for i in 0..WEIGHTS {
            let at = |h: f64| {
                let mut moved = x.clone();
                moved[i] += h;
                f.value(&moved).unwrap()
            };
            let slope = (at(1e-3) - at(-1e-3)) / 2e-3;
            assert!(
                (slope - gradient[i]).abs() < 1e-9,
                "{i}: {slope} {}",
                gradient[i]
            );
            assert!((product[i] - by_matrix[i]).abs() < 1e-12 * (1.0 + by_matrix[i].abs()));
            assert!((diagonal[i] - matrix.get(i, i)).abs() < 1e-15);
        }
    }
}

#[test]
fn noiseless_weights_come_back() {
    let positions = positions(3000);
    let sigmoid = Sigmoid::new(1.0);
    let mut set = TraceSet::new(WEIGHTS / 2);
    let (traces, _) = traced(&positions, &[], floats);
    let mut compactor = Compactor::new((0..WEIGHTS as u32).map(LaneId).collect());
    let (mut trace, mut draft) = (Trace::default(), RowDraft::default());
    for (row, position) in positions.iter().enumerate() {
        Recorder::new().record(|| floats(position), &mut trace);
        compactor.draft(&trace, &mut draft);
        let expected = sigmoid.expectation(traces.score(row, &TRUE));
        set.push(&draft, &RowInfo::new(expected, row as u32))
            .unwrap();
    }
    // Lanes that the evaluation does not read, and one that only scales others,
    // are held.
    let free = [0, 3, 5, 8, 9, 11];
    let frozen: Vec<bool> = (0..WEIGHTS).map(|i| !free.contains(&i)).collect();
    let parts = tuner_solve::ReductionParts {
        lane_count: WEIGHTS,
        lanes: &(0..WEIGHTS as u32).map(LaneId).collect::<Vec<_>>(),
        frozen: &frozen,
        ties: &[],
        bounds: &[(f64::NEG_INFINITY, f64::INFINITY); WEIGHTS],
        initial: &TRUE,
        constraints: &[],
    };
    let reduction = Reduction::new(&parts).unwrap();
    let f = Regression::new(&set, &reduction, Loss::Squared, sigmoid, Part::All).unwrap();
    let problem = Problem {
        objective: &f,
        held_out: None,
        bounds: reduction.bounds(),
        constraints: &[],
        prior: None,
        needs_retrace: None,
    };
    let start: Vec<f64> = reduction
        .start(&TRUE)
        .iter()
        .map(|w| w * 0.8 + 3.0)
        .collect();
    let solution = minimise(&problem, &start, &Options::default(), &mut |_| {
        ControlFlow::Continue(())
    });
    assert!(solution.summary.termination.is_optimum());
    assert!(
        solution.summary.iterations <= 20,
        "{}",
        solution.summary.iterations
    );
    for (found, wanted) in reduction.weights(&solution.x).iter().zip(TRUE) {
        assert!(
            (found - wanted).abs() < 1e-6 * wanted.abs(),
            "{found} {wanted}"
        );
    }
}

#[test]
fn linear_evaluations_have_no_expression() {
    let mut trace = Trace::default();
    let counts = positions(1)[0];
    let twin = || {
        let mg = w(0) * counts.material;
        cast::<i32, _>(mul(mg, 3) + div(mg, 2) + max(5, 3))
    };
    Recorder::new().record(twin, &mut trace);
    assert!(trace.expression.is_none());
}
