//! Solvers on regressions whose rows are drawn.

#![allow(clippy::unwrap_used)] // a failing test may end with a panic
#![allow(clippy::float_cmp)] // what must not move must not move at all

mod ends;
mod failing;
mod format;
mod matrix_free;
mod near;
mod resume;
mod sampled;

use std::ops::ControlFlow;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use tuner_base::Slot;
use tuner_fit::model::{Loss, Part, Regression, Sigmoid};
use tuner_rows::{RowDraft, RowInfo, Segment, TraceSet};
use tuner_solve::linalg::max_abs;
use tuner_solve::*;

const SIGMOID: Sigmoid = Sigmoid::new(1.0);
const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// Untapered rows of `counts(row)` over `slots` slots, results drawn at the
/// score of the weights 60, −40, 20, … of the first three slots.
fn traces(
    slots: usize,
    rows: u32,
    mut counts: impl FnMut(&mut ChaCha8Rng) -> Vec<(Slot, i16)>,
) -> TraceSet {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut set = TraceSet::new(slots);
    let mut lanes = vec![0.0; 2 * slots];
    for (slot, weight) in [60.0, -40.0, 20.0].into_iter().enumerate().take(slots) {
        lanes[2 * slot] = weight;
    }
    for row in 0..rows {
        let entries = counts(&mut rng);
        let draft = untapered(entries);
        set.push(&draft, &RowInfo::new(0.5, row)).unwrap();
    }
    let mut drawn = TraceSet::new(slots);
    for (index, row) in set.rows(0..set.len()).enumerate() {
        let wins = rng.random::<f64>() < SIGMOID.expectation(row.score(&lanes));
        let entries = row
            .segments()
            .flat_map(|s| {
                s.entries()
                    .map(|(slot, c)| (slot, c[0]))
                    .collect::<Vec<_>>()
            })
            .collect();
        let draft = untapered(entries);
        drawn
            .push(
                &draft,
                &RowInfo::new(f64::from(u8::from(wins)), index as u32),
            )
            .unwrap();
    }
    drawn
}

fn untapered(entries: Vec<(Slot, i16)>) -> RowDraft {
    let segments = vec![Segment::same([1.0, 0.0], entries)];
    RowDraft {
        constant: 0.0,
        segments,
        expression: None,
    }
}

fn small(rng: &mut ChaCha8Rng) -> i16 {
    (rng.next_u32() % 7) as i16 - 3
}

fn three(rng: &mut ChaCha8Rng) -> Vec<(Slot, i16)> {
    [0, 1, 2].map(|slot| (Slot(slot), small(rng))).to_vec()
}

/// Minimises over all lanes.
fn fit(
    traces: &TraceSet,
    loss: Loss,
    start: &[f64],
    bounds: &[(f64, f64)],
    options: &Options,
) -> (Solution, Vec<f64>) {
    let reduction = Reduction::of_lanes(2 * traces.slots());
    let objective = Regression::new(traces, &reduction, loss, SIGMOID, Part::All).unwrap();
    let problem = Problem {
        objective: &objective,
        held_out: None,
        bounds,
        constraints: &[],
        prior: None,
        needs_retrace: None,
    };
    let solution = minimise(&problem, start, options, &mut |_| ControlFlow::Continue(()));
    let mut gradient = vec![0.0; start.len()];
    objective.gradient(&solution.x, &mut gradient).unwrap();
    (solution, gradient)
}

#[test]
fn all_solvers_agree_on_a_convex_problem() {
    let traces = traces(3, 3000, three);
    let with = |solver| {
        let options = Options {
            solver,
            ..Options::default()
        };
        fit(&traces, Loss::CrossEntropy, &[0.0; 6], &[FREE; 6], &options).0
    };
    let auto = with(Solver::Auto);
    assert_eq!(auto.summary.termination, Termination::GradientAtRounding);
    assert!(auto.summary.gradient < 1e-15);
    for solver in [Solver::GaussNewton, Solver::Newton] {
        let other = with(solver);
        assert!(other.summary.termination.is_optimum());
        assert!(
            other
                .x
                .iter()
                .zip(&auto.x)
                .all(|(a, b)| (a - b).abs() < 1e-8)
        );
    }
}

#[test]
fn unseen_weights_do_not_move_and_are_named() {
    let traces = traces(4, 2000, three);
    let start = [0.0, 7.0, 0.0, 7.0, 0.0, 7.0, 5.0, -3.25];
    let (solution, _) = fit(
        &traces,
        Loss::Squared,
        &start,
        &[FREE; 8],
        &Options::default(),
    );
    // Lanes 1 of untapered slots, and both lanes of slot 3.
    assert_eq!(solution.summary.unseen, [1, 3, 5, 6, 7]);
    for &lane in &solution.summary.unseen {
        assert_eq!(solution.x[lane], start[lane]);
    }
    assert!((solution.x[0] - 60.0).abs() < 10.0);
}

/// A piece's value (slot 0) and its table (slots 1 to 4): the value occurs as
/// often as all entries of the table together.
fn collinear(rng: &mut ChaCha8Rng) -> Vec<(Slot, i16)> {
    let table: Vec<(Slot, i16)> = (1..5).map(|slot| (Slot(slot), small(rng))).collect();
    let sum = table.iter().map(|entry| entry.1).sum();
    [vec![(Slot(0), sum)], table].concat()
}

#[test]
fn collinear_directions_do_not_drift() {
    let traces = traces(5, 3000, collinear);
    let start: Vec<f64> = (0..10).map(|j| f64::from(j) * 10.0).collect();
    for loss in [Loss::Squared, Loss::CrossEntropy] {
        let (solution, _) = fit(&traces, loss, &start, &[FREE; 10], &Options::default());
        assert_eq!(solution.summary.undetermined, Some(1));
        assert_eq!(
            solution.summary.termination,
            Termination::GradientAtRounding
        );
        assert!(solution.summary.gradient < 1e-12);
        // LinePoint (−1, 1, 1, 1, 1) nothing has changed: the solution is the one
        // nearest to the start.
        let change = |slot: usize| solution.x[2 * slot] - start[2 * slot];
        let along = (1..5).map(change).sum::<f64>() - change(0);
        assert!(along.abs() < 1e-6, "{loss:?}: {along}");
        assert!(change(0).abs() > 1.0);
    }
}

#[test]
fn bounds_active_at_the_optimum_are_found() {
    let traces = traces(3, 4000, three);
    let free = fit(
        &traces,
        Loss::Squared,
        &[0.0; 6],
        &[FREE; 6],
        &Options::default(),
    )
    .0;
    assert!(free.x[0] > 50.0 && free.x[2] < -30.0);
    let bounds = [
        (-10.0, 30.0),
        FREE,
        (-20.0, 20.0),
        FREE,
        (-100.0, 100.0),
        FREE,
    ];
    for solver in [Solver::Auto, Solver::GaussNewton, Solver::Newton] {
        let options = Options {
            solver,
            ..Options::default()
        };
        let (solution, gradient) = fit(&traces, Loss::Squared, &[0.0; 6], &bounds, &options);
        assert_eq!((solution.x[0], solution.x[2]), (30.0, -20.0), "{solver:?}");
        assert_eq!(solution.summary.at_bound, [0, 2]);
        // Pushed outward at the bounds, nothing elsewhere.
        assert!(gradient[0] < -1e-6 && gradient[2] > 1e-6);
        let residual = max_abs(&kkt_residual(&solution.x, &gradient, &bounds));
        assert!(residual < 1e-15, "{solver:?}: {residual:e}");
        assert!(solution.summary.error > free.summary.error);
    }
}

#[test]
fn a_bound_met_on_the_way_is_left_again() {
    let traces = traces(3, 4000, three);
    // Starts at a bound, on the far side of the optimum.
    let bounds = [(0.0, 300.0), FREE, (-300.0, 0.0), FREE, FREE, FREE];
    let start = [300.0, 0.0, 0.0, 0.0, -200.0, 0.0];
    let free = fit(
        &traces,
        Loss::Squared,
        &[0.0; 6],
        &[FREE; 6],
        &Options::default(),
    )
    .0;
    let (solution, _) = fit(&traces, Loss::Squared, &start, &bounds, &Options::default());
    assert!(solution.summary.at_bound.is_empty());
    assert!(
        solution
            .x
            .iter()
            .zip(&free.x)
            .step_by(2)
            .all(|(a, b)| (a - b).abs() < 1e-6)
    );
}

#[test]
fn separated_weights_are_named_and_stay_finite() {
    // Slot 3 occurs in a tenth of the rows, all of them won.
    let base = traces(3, 3000, three);
    let mut set = TraceSet::new(4);
    for row in base.rows(0..base.len()) {
        let mut entries: Vec<(Slot, i16)> = Vec::new();
        for segment in row.segments() {
            entries.extend(segment.entries().map(|(slot, c)| (slot, c[0])));
        }
        let outcome = if row.index % 10 == 0 {
            1.0
        } else {
            row.outcome()
        };
        if row.index % 10 == 0 {
            entries.push((Slot(3), 1));
        }
        let draft = untapered(entries);
        set.push(&draft, &RowInfo::new(outcome, row.game()))
            .unwrap();
    }
    for loss in [Loss::Squared, Loss::CrossEntropy] {
        for solver in [Solver::Auto, Solver::GaussNewton, Solver::Newton] {
            let options = Options {
                solver,
                ..Options::default()
            };
            let (solution, _) = fit(&set, loss, &[0.0; 8], &[FREE; 8], &options);
            assert!(solution.x.iter().all(|x| x.is_finite() && x.abs() < 1e5));
            assert_eq!(solution.summary.separated, [6], "{loss:?} {solver:?}");
            assert!(
                solution.summary.termination.is_optimum(),
                "{loss:?} {solver:?}"
            );
        }
    }
}

#[test]
fn a_separated_combination_is_not_followed_for_long() {
    // Slots 0 and 1 are determined as a sum only, but for won rows in which
    // one counts against the other; slot 2 goes with slot 0.
    let base = traces(1, 3000, |rng| vec![(Slot(0), small(rng))]);
    let mut set = TraceSet::new(3);
    for row in base.rows(0..base.len()) {
        let counts = row
            .segments()
            .map(|s| s.entries().map(|(_, c)| c[0]).sum::<i16>());
        let count: i16 = counts.sum();
        let (outcome, counts) = if row.index % 10 == 0 {
            (1.0, [1, -1, 1])
        } else {
            (row.outcome(), [count; 3])
        };
        let draft = untapered((0..3).map(Slot).zip(counts).collect());
        set.push(&draft, &RowInfo::new(outcome, row.game()))
            .unwrap();
    }
    let options = Options::default();
    let (solution, _) = fit(&set, Loss::Squared, &[0.0; 6], &[FREE; 6], &options);
    assert_eq!(solution.summary.termination, Termination::Tail);
    assert_eq!(solution.summary.undetermined, Some(1));
    assert!(solution.summary.iterations < 40);
}

#[test]
fn ends_name_their_reason() {
    let traces = traces(3, 1000, three);
    let one = Options {
        iterations: 1,
        ..Options::default()
    };
    let (solution, _) = fit(&traces, Loss::Squared, &[0.0; 6], &[FREE; 6], &one);
    assert_eq!(solution.summary.termination, Termination::IterationLimit);
    assert_eq!(
        (
            solution.summary.iterations,
            solution.summary.cost.curvature_evaluations
        ),
        (1, 1)
    );

    let fixed: Vec<(f64, f64)> = (0..6).map(|j| (f64::from(j), f64::from(j))).collect();
    let (solution, _) = fit(
        &traces,
        Loss::Squared,
        &[9.0; 6],
        &fixed,
        &Options::default(),
    );
    assert_eq!(solution.summary.termination, Termination::NothingToFit);
    assert_eq!(solution.x, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);

    let start = [f64::NAN, 0.0, 0.0, 0.0, 0.0, 0.0];
    let (solution, _) = fit(
        &traces,
        Loss::Squared,
        &start,
        &[FREE; 6],
        &Options::default(),
    );
    assert_eq!(solution.summary.termination, Termination::NotFinite);
}

#[test]
fn the_observer_sees_every_iteration_and_can_stop() {
    let traces = traces(3, 1000, three);
    let reduction = Reduction::of_lanes(6);
    let f = Regression::new(&traces, &reduction, Loss::Squared, SIGMOID, Part::All).unwrap();
    let problem = Problem {
        objective: &f,
        held_out: Some(&f),
        bounds: reduction.bounds(),
        constraints: &[],
        prior: None,
        needs_retrace: None,
    };
    let mut seen = Vec::new();
    let solution = minimise(&problem, &[0.0; 6], &Options::default(), &mut |progress| {
        seen.push((progress.record.iteration, progress.record.error));
        assert_eq!(
            progress.record.held_out_error,
            Some(f.value(progress.x).unwrap())
        );
        if progress.record.iteration == 2 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(solution.summary.termination, Termination::Interrupted);
    assert_eq!(seen.iter().map(|s| s.0).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(seen[0].1 > seen[1].1 && seen[1].1 > seen[2].1);
    assert_eq!(solution.summary.error, seen[2].1);
    assert_eq!(f.value(&solution.x).unwrap(), seen[2].1);
}

#[test]
fn a_far_start_comes_home() {
    let traces = traces(3, 3000, three);
    let home = fit(
        &traces,
        Loss::Squared,
        &[0.0; 6],
        &[FREE; 6],
        &Options::default(),
    )
    .0;
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for solver in [Solver::Auto, Solver::GaussNewton, Solver::Newton] {
        let start: Vec<f64> = (0..6).map(|_| rng.random_range(-250.0..250.0)).collect();
        let options = Options {
            solver,
            ..Options::default()
        };
        let (solution, _) = fit(&traces, Loss::Squared, &start, &[FREE; 6], &options);
        let error = solution.summary.error / home.summary.error - 1.0;
        assert!(error.abs() < 1e-12, "{solver:?} from {start:?}: {error:e}");
    }
}

#[test]
fn a_prior_decides_what_the_data_leave_open() {
    // The fourth slot is in no row, and the second lane of none counts.
    let traces = traces(4, 2000, three);
    let reduction = Reduction::of_lanes(8);
    let f = Regression::new(&traces, &reduction, Loss::Squared, SIGMOID, Part::All).unwrap();
    let toward = vec![30.0; 8];
    let error = f.value(&toward).unwrap();
    let prior = Prior::new(toward, 20.0, Loss::Squared.prior_unit(error, 2000));
    let problem = Problem {
        objective: &f,
        held_out: None,
        bounds: reduction.bounds(),
        constraints: &[],
        prior: Some(&prior),
        needs_retrace: None,
    };
    let solve = |start: f64| {
        let start = vec![start; 8];
        minimise(&problem, &start, &Options::default(), &mut |_| {
            ControlFlow::Continue(())
        })
    };
    let (near, far) = (solve(30.0), solve(-10.0));
    assert_eq!(far.summary.unseen, [1, 3, 5, 6, 7]);
    assert!((far.x[6] - 30.0).abs() < 1e-9 && (far.x[7] - 30.0).abs() < 1e-9);
    // One optimum, wherever the descent starts, and the gradient of F is 0 there.
    let mut gradient = vec![0.0; 8];
    f.gradient(&far.x, &mut gradient).unwrap();
    for ((near, far), slope) in near.x.iter().zip(&far.x).zip(&gradient) {
        assert!((near - far).abs() < 1e-6, "{near} {far}");
        let pull = prior.strengths()[0] * (far - 30.0);
        assert!((slope + pull).abs() < 1e-12);
    }
    assert!(far.summary.objective > far.summary.error);
}
