//! Scores given only as closures: rows by difference quotients, and runs of them.

#![allow(clippy::unwrap_used, reason = "a failing test may end with a panic")]

use std::sync::atomic::{AtomicU64, Ordering};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tuner_base::{LaneId, Slot, WeightId};
use tuner_fit::model::{Loss, Sigmoid};
use tuner_fit::run::{
    ClosureRows, FinishedRun, FitRun, FixedRows, PriorChoice, ProbedPosition, RowSource, RunConfig,
    RunEvent, RunObserver, Variables,
};
use tuner_fit::{Search, Settings};
use tuner_rows::{Compactor, Row, RowDraft, RowInfo, Segment, TraceSet};
use tuner_solve::{Reduction, ReductionParts, Termination, Tie};
use tuner_trace::nonlinear::{clamp, mul};
use tuner_trace::{Recorder, Tr, Trace};

const K: f64 = 1.1;

const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// Features; each has a weight for the middlegame and one for the endgame.
const FEATURES: usize = 4;

/// The weights that results come from: pairs.
const TRUE: [f64; 2 * FEATURES] = [90.0, 120.0, 25.0, 10.0, -14.0, -33.0, 7.0, 3.0];

/// What a position counts.
#[derive(Clone, Copy, Debug)]
struct Counts {
    features: [i16; FEATURES],
    /// From 0 to 24.
    phase: i16,
    constant: i16,
}

/// The tapered evaluation, exact.
fn tapered(weights: &[f64], counts: &Counts) -> f64 {
    let rho = f64::from(counts.phase) / 24.0;
    let mut score = f64::from(counts.constant);
    for (feature, &count) in counts.features.iter().enumerate() {
        let [mg, eg] = [weights[2 * feature], weights[2 * feature + 1]];
        score += f64::from(count) * (rho * mg + (1.0 - rho) * eg);
    }
    score
}

/// The tapered evaluation as an engine has it: integers, and a division that truncates.
fn truncated(weights: &[f64], counts: &Counts) -> f64 {
    assert!(weights.iter().all(|w| w.fract() == 0.0), "{weights:?}");
    let sum = |side: usize| -> i32 {
        let terms = counts.features.iter().enumerate();
        terms
            .map(|(feature, &count)| i32::from(count) * weights[2 * feature + side] as i32)
            .sum()
    };
    let phase = i32::from(counts.phase);
    let score = (sum(0) * phase + sum(1) * (24 - phase)) / 24;
    f64::from(score + i32::from(counts.constant))
}

/// Positions whose results are what `score` makes expect.
fn expected(number: usize, score: impl Fn(&Counts) -> f64) -> Vec<ProbedPosition<Counts>> {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut draw = |low, high| rng.random_range(low..=high);
    let mut positions = Vec::new();
    for game in 0..number as u32 {
        let position = Counts {
            features: std::array::from_fn(|_| draw(-3, 3)),
            phase: draw(0, 24),
            constant: draw(-20, 20),
        };
        let outcome = Sigmoid::new(K).expectation(score(&position));
        let info = RowInfo::new(outcome, game);
        positions.push(ProbedPosition { position, info });
    }
    positions
}

/// Positions whose results are drawn: 0 or 1 with what `score` makes expect.
fn drawn(number: usize, score: impl Fn(&Counts) -> f64) -> Vec<ProbedPosition<Counts>> {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    let mut positions = expected(number, score);
    for position in &mut positions {
        let won = rng.random::<f64>() < position.info.outcome;
        position.info.outcome = f64::from(u8::from(won));
    }
    positions
}

/// Weights of a reduction that begin at some values.
fn variables(reduction: Reduction, start: &[f64]) -> Variables {
    Variables {
        reduction,
        names: (0..start.len())
            .map(|weight| format!("w{weight}"))
            .collect(),
        initial: Some(start.to_vec()),
        ..Variables::of_features(start.len().div_ceil(2))
    }
}

/// Real weights by squared error, K known, no prior, nothing held out.
fn config() -> RunConfig {
    RunConfig {
        settings: Settings {
            k: Some(K),
            ..Settings::default()
        },
        prior_choice: PriorChoice::Declared,
        max_retraces: 30,
        ..RunConfig::default()
    }
}

fn run<'v>(
    variables: &'v Variables,
    config: &RunConfig,
    source: &mut dyn RowSource,
) -> FinishedRun<'v> {
    let run = FitRun::new(variables, config.clone(), &mut ()).unwrap();
    run.run(source, &mut ()).unwrap()
}

/// Takes rows at the initial weights and fits them.
fn fitted<'v, P: Sync>(
    positions: &[ProbedPosition<P>],
    variables: &'v Variables,
    score: impl Fn(&[f64], &P) -> f64 + Sync,
    steps: f64,
    config: &RunConfig,
) -> FinishedRun<'v> {
    let start = variables.initial.as_deref().unwrap();
    let mut rows = ClosureRows::new(score, positions, &variables.reduction, start, steps).unwrap();
    run(variables, config, &mut rows)
}

/// The largest difference of two lists.
fn farthest(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f64::max)
}

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

/// The traces that the tapered evaluation would make.
fn direct(positions: &[ProbedPosition<Counts>]) -> TraceSet {
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

/// Rows at weights in the order of the positions.
fn rows_at(
    positions: &[ProbedPosition<Counts>],
    reduction: &Reduction,
    score: impl Fn(&[f64], &Counts) -> f64 + Sync,
    at: &[f64],
    steps: f64,
) -> Vec<(f64, Vec<f64>)> {
    let source = ClosureRows::new(score, positions, reduction, at, steps).unwrap();
    let set = source.rows().in_memory().unwrap();
    let lanes = reduction.lane_count();
    let mut rows: Vec<Row<'_>> = set.rows(0..set.len()).collect();
    rows.sort_by_key(Row::game);
    let of = |row: &Row<'_>| (row.constant(), dense(row, lanes));
    rows.iter().map(of).collect()
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
    let rows = rows_at(&positions, &reduction, tapered, &at, 16.0);
    for ((constant, row), direct) in rows.iter().zip(direct(&positions).rows(0..500)) {
        assert_eq!((*constant, row), (direct.constant(), &dense(&direct, 8)));
    }
}

#[test]
fn a_run_is_that_of_traces() {
    let positions = drawn(3000, |c| tapered(&TRUE, c));
    let start = TRUE.map(|w| w + 11.0);
    let variables = variables(Reduction::of_lanes(2 * FEATURES), &start);
    let mut config = config();
    config.settings = Settings {
        k: None,
        held_out: 0.25,
        prior: Some(5.0),
        integers: true,
        ..config.settings
    };
    let by_closure = fitted(&positions, &variables, tapered, 16.0, &config);
    let by_trace = run(
        &variables,
        &config,
        &mut FixedRows::in_memory(direct(&positions), true),
    );
    let (a, b) = (&by_closure.fit, &by_trace.fit);
    assert_eq!(a.written, b.written);
    assert_eq!(a.rows, b.rows);
    for (a, b) in [
        (a.k, b.k),
        (a.error, b.error),
        (a.held_out_error.unwrap(), b.held_out_error.unwrap()),
        (a.held_out_start.unwrap(), b.held_out_start.unwrap()),
    ] {
        assert!((a / b - 1.0).abs() < 1e-8, "{a} {b}");
    }
    let again = variables_at(&variables, &a.written);
    let once_more = fitted(&positions, &again, tapered, 16.0, &config);
    assert!(once_more.fit.error <= a.error * (1.0 + 1e-9));
}

fn variables_at(variables: &Variables, start: &[f64]) -> Variables {
    Variables {
        initial: Some(start.to_vec()),
        ..variables.clone()
    }
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    // A score with everything: nonlinear terms, real coefficients, truncation.
    let score = |w: &[f64], c: &Counts| tapered(w, c) + (w[0] * w[1] / 77.0).floor() + w[2].sin();
    let positions = drawn(1500, |c| tapered(&TRUE, c));
    let variables = variables(Reduction::of_lanes(2 * FEATURES), &[20.0; 2 * FEATURES]);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let found = fitted(&positions, &variables, score, 16.0, &config());
            let weights = found.fit.weights.iter().map(|w| w.to_bits());
            (weights.collect::<Vec<u64>>(), found.facts.rows)
        })
    };
    let one = on(1);
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
    let lanes: Vec<LaneId> = (0..8).map(LaneId).collect();
    let reduction = Reduction::new(&ReductionParts {
        lane_count: 8,
        lanes: &lanes,
        frozen: &[false; 8],
        ties: &[],
        bounds: &bounds,
        constraints: &[],
        initial: &[0.0; 8],
    });
    let positions = expected(300, |c| tapered(&TRUE, c));
    let count = AtomicU64::new(0);
    let careful = |weights: &[f64], counts: &Counts| {
        count.fetch_add(1, Ordering::Relaxed);
        for (weight, (low, high)) in weights.iter().zip(bounds) {
            assert!((low..=high).contains(weight), "{weights:?}");
        }
        tapered(weights, counts)
    };
    // Beyond bounds, at bounds, and less than a step away from them.
    let at = [100.0, 0.0, 0.0, 9.0, 3.0, 4.0, 0.5, 1.0];
    let variables = variables(reduction.unwrap(), &at);
    let rows = rows_at(&positions, &variables.reduction, careful, &at, 16.0);
    assert_eq!(count.load(Ordering::Relaxed), 300 * (1 + 2 * 7));
    for ((_, row), counts) in rows.iter().zip(&positions) {
        let rho = f64::from(counts.position.phase) / 24.0;
        for (lane, found) in row.iter().enumerate() {
            let side = if lane % 2 == 0 { rho } else { 1.0 - rho };
            // Weight 1 does not move, so it is part of the constant.
            let feature = f64::from(counts.position.features[lane / 2]);
            let expected = if lane == 1 { 0.0 } else { feature * side };
            assert!(
                (found - expected).abs() < 1e-11,
                "{lane}: {found} {expected}"
            );
        }
    }
    let found = fitted(&positions, &variables, careful, 16.0, &config());
    assert_eq!(found.fit.summary.at_bound, [0, 2, 4, 6]);
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
    let rows = rows_at(&positions, &reduction, score, &[4.0, 0.0, 0.0], 16.0);
    let lanes = reduction.lanes(&[10.0]);
    for ((constant, row), counts) in rows.iter().zip(&positions) {
        let terms = row.iter().zip(&lanes).map(|(c, lane)| c * lane);
        let score = score(&reduction.weights(&[10.0]), &counts.position);
        assert!((constant + terms.sum::<f64>() - score).abs() < 1e-12);
    }
}

#[test]
fn integers_are_asked_at_integers_alone() {
    let positions = expected(600, |c| truncated(&TRUE, c));
    for search in [Search::Promising, Search::Alone] {
        let start = TRUE.map(|w| w - 9.0);
        let variables = variables(Reduction::of_lanes(2 * FEATURES), &start);
        let mut config = config();
        (config.settings.integers, config.settings.search) = (true, search);
        config.settings.solver.iterations = 2000;
        let found = fitted(&positions, &variables, truncated, 16.0, &config).fit;
        let off = farthest(&found.written, &TRUE);
        assert!(off <= 2.0, "{search:?}: {:?}", found.written);
    }
}

#[test]
fn the_start_stays_where_nothing_is_better() {
    let positions = expected(500, |c| tapered(&TRUE, c));
    let variables = variables(Reduction::of_lanes(2 * FEATURES), &TRUE);
    let mut config = config();
    config.settings.integers = true;
    let found = fitted(&positions, &variables, tapered, 16.0, &config);
    assert_eq!(found.fit.written, TRUE);
}

/// Counts the steps that were tried, and ends the run after so many of them.
struct Steps {
    tried: Vec<(f64, bool)>,
    most: usize,
}

impl RunObserver for Steps {
    fn event(&mut self, event: &RunEvent<'_>) {
        if let RunEvent::Verified { step, falls, .. } = event {
            self.tried.push((*step, *falls));
        }
    }

    fn is_interrupted(&self) -> bool {
        self.tried.len() >= self.most
    }
}

#[test]
fn a_step_too_long_is_shortened_and_an_interrupted_run_keeps_the_best() {
    // Saturates: rows at the start predict far more than there is.
    let score = |w: &[f64], c: &Counts| 200.0 * (w[0] * f64::from(c.features[0]) / 40.0).tanh();
    let positions = expected(400, |c| score(&[70.0, 0.0], c));
    let variables = variables(Reduction::of_lanes(2), &[130.0, 5.0]);
    let start = [130.0, 5.0];
    let run = |most: usize| {
        let mut steps = Steps {
            tried: Vec::new(),
            most,
        };
        let mut rows =
            ClosureRows::new(score, &positions, &variables.reduction, &start, 0.125).unwrap();
        let run = FitRun::new(&variables, config(), &mut steps).unwrap();
        let fit = run.run(&mut rows, &mut steps).unwrap().fit;
        (fit, steps.tried)
    };
    let (fit, tried) = run(usize::MAX);
    assert!((fit.weights[0] - 70.0).abs() < 1e-2, "{fit:?}");
    assert!(
        tried.iter().any(|&(step, falls)| step < 1.0 && falls),
        "{tried:?}"
    );
    let first = 1 + tried.iter().position(|step| step.1).unwrap();
    let (cut, _) = run(first + 1);
    assert_eq!(cut.summary.termination, Termination::Interrupted);
    assert!(cut.error < fit.summary.initial_error && cut.error >= fit.error);
}

#[test]
fn a_position_may_be_anything() {
    let positions = ["wq", "wqq", "b", ""].map(|text| ProbedPosition {
        position: text.to_owned(),
        info: RowInfo::new(if text.contains('w') { 0.75 } else { 0.25 }, 0),
    });
    let queens = |w: &[f64], text: &String| {
        let side = if text.starts_with('w') { w[1] } else { -w[1] };
        side + w[0] * text.matches('q').count() as f64
    };
    let variables = variables(Reduction::of_lanes(2), &[0.0, 0.0]);
    let found = fitted(&positions, &variables, queens, 16.0, &config());
    assert!(found.fit.error < 1e-12, "{:?}", found.fit);
}

#[test]
fn what_cannot_be_asked_is_refused_with_its_place() {
    let mut positions = expected(200, |_| 0.0);
    let reduction = Reduction::of_lanes(2);
    let message = |positions: &[ProbedPosition<Counts>], steps: f64, bad: f64| {
        let score = |w: &[f64], c: &Counts| {
            let is_bad = w[0] > 20.0 && std::ptr::eq(c, &raw const positions[77].position);
            if is_bad { bad } else { w[0] }
        };
        let rows = ClosureRows::new(score, positions, &reduction, &[10.0, 0.0], steps);
        rows.map(|_| ()).unwrap_err().to_string()
    };
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let words = message(&positions, 16.0, bad);
        let begins = format!("the score of position 77 is {bad} at the weights [26.0, 0.0]; ");
        assert!(words.starts_with(&begins), "{words}");
    }
    assert!(message(&[], 16.0, 0.0).starts_with("there are no positions"));
    for steps in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(message(&positions, steps, 0.0).contains("expected a number above 0"));
    }
    positions[130].info.outcome = 1.5;
    assert!(message(&positions, 16.0, 0.0).starts_with("position 130: "));
    // Differences beyond what a number holds.
    let huge = |w: &[f64], _: &Counts| f64::MAX * w[0].signum();
    assert!(ClosureRows::new(huge, &positions, &reduction, &[1.0, 1.0], 16.0).is_err());
    // In a run, too.
    let variables = variables(reduction.clone(), &[30.0, 0.0]);
    let bad = |w: &[f64], c: &Counts| {
        let good = w[0] >= 5.0;
        if good {
            w[0] * f64::from(c.features[0])
        } else {
            f64::NAN
        }
    };
    let positions = expected(200, |_| 0.0);
    let mut rows = ClosureRows::new(bad, &positions, &reduction, &[30.0, 0.0], 16.0).unwrap();
    let run = FitRun::new(&variables, config(), &mut ()).unwrap();
    let words = run.run(&mut rows, &mut ()).map(|_| ()).unwrap_err();
    assert!(
        words.to_string().contains("is NaN at the weights"),
        "{words}"
    );
}

/// How far coefficients of the truncated evaluation are off on average, and
/// the part of them that is lost, over a step.
fn errors_over(step: f64) -> (f64, f64) {
    let positions = expected(2000, |c| truncated(&TRUE, c));
    let reduction = Reduction::of_lanes(2 * FEATURES);
    let rows = rows_at(&positions, &reduction, truncated, &TRUE, step);
    let (mut off, mut lost, mut count) = (0.0, 0.0, 0.0);
    for ((_, row), direct) in rows.iter().zip(direct(&positions).rows(0..2000)) {
        for (found, exact) in row.iter().zip(dense(&direct, 8)) {
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

/// The score of [`plain`] as a trace has it.
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
    let positions = drawn(4000, |c| plain(&AT, c));
    let variables = variables(Reduction::of_lanes(6), &START);
    for loss in [Loss::Squared, Loss::CrossEntropy] {
        let mut config = config();
        config.settings.loss = loss;
        let found = fitted(&positions, &variables, plain, 1.0 / 64.0, &config).fit;
        let mut rows = FixedRows::in_memory(expressions(&positions), true);
        let by_expression = run(&variables, &config, &mut rows).fit;
        let errors = [found.error, by_expression.error];
        assert!(
            (errors[0] / errors[1] - 1.0).abs() < 1e-6,
            "{loss}: {errors:?}"
        );
        let off = farthest(&found.weights, &by_expression.weights);
        assert!(off < 0.1, "{loss}: off by {off}");
    }
}

#[test]
fn k_and_the_prior_are_measured_by_true_scores() {
    let positions = drawn(3000, |c| plain(&AT, c));
    // Weight 4 far from where the limit has kinks.
    let mean = [85.0, 25.0, 9.0, 12.0, 17.5, 20.0];
    let variables = variables(Reduction::of_lanes(6), &mean);
    let mut config = config();
    config.settings = Settings {
        k: None,
        prior: Some(2.0),
        held_out: 0.2,
        ..config.settings
    };
    let found = fitted(&positions, &variables, plain, 1.0 / 64.0, &config).fit;
    let mut rows = FixedRows::in_memory(expressions(&positions), true);
    let by_expression = run(&variables, &config, &mut rows).fit;
    for (a, b, near) in [
        (found.k, by_expression.k, 1e-9),
        (
            found.held_out_start.unwrap(),
            by_expression.held_out_start.unwrap(),
            1e-9,
        ),
        (found.error, by_expression.error, 1e-4),
    ] {
        assert!((a / b - 1.0).abs() < near, "{a} {b}");
    }
    // By true scores it is never worse, and where the limit has a kink it may be better.
    let objectives = [&found, &by_expression].map(|fit| fit.summary.objective);
    assert!(
        objectives[0] < objectives[1] * (1.0 + 1e-6),
        "{objectives:?}"
    );
    assert!(farthest(&found.weights, &by_expression.weights) < 0.5);
}
