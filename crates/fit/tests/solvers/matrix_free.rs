//! The methods that form no matrix.

use super::resume::resumes;
use super::*;
use tuner_solve::{Penalised, Prior};

const ALL: [Solver; 5] = [
    Solver::NewtonCg,
    Solver::Cg,
    Solver::Lbfgs,
    Solver::Adam,
    Solver::Gd,
];

/// Those that reach the optimum to the last digits.
const EXACT: [Solver; 3] = [Solver::NewtonCg, Solver::Cg, Solver::Lbfgs];

#[test]
fn they_agree_with_the_dense_ones_on_a_convex_problem() {
    let traces = traces(3, 3000, three);
    let with = |solver| {
        let options = Options::of(solver);
        fit(&traces, Loss::CrossEntropy, &[0.0; 6], &[FREE; 6], &options).0
    };
    let auto = with(Solver::Auto);
    for solver in ALL {
        let found = with(solver);
        let error = found.summary.error / auto.summary.error - 1.0;
        assert!(error.abs() < 1e-9, "{solver:?}: {error:e}");
        let summary = &found.summary;
        assert_eq!(summary.cost.curvature_evaluations, 0);
        assert_eq!(
            (&summary.unseen[..], summary.undetermined),
            (&[1, 3, 5][..], None)
        );
        if EXACT.contains(&solver) {
            assert!(
                summary.termination.is_optimum(),
                "{:?}",
                summary.termination
            );
            assert!(
                summary.cost.passes < 100,
                "{solver:?}: {} passes",
                summary.cost.passes
            );
            assert!(error.abs() < 1e-13);
        }
    }
}

#[test]
fn bounds_active_at_the_optimum_are_found_by_all() {
    let traces = traces(3, 4000, three);
    let bounds = [
        (-10.0, 30.0),
        FREE,
        (-20.0, 20.0),
        FREE,
        (-100.0, 100.0),
        FREE,
    ];
    // From within, and from the far side of the optimum.
    for start in [[0.0; 6], [-10.0, 0.0, 20.0, 0.0, -100.0, 0.0]] {
        for solver in ALL {
            let options = Options::of(solver);
            let (solution, gradient) = fit(&traces, Loss::Squared, &start, &bounds, &options);
            assert_eq!((solution.x[0], solution.x[2]), (30.0, -20.0), "{solver:?}");
            assert_eq!(solution.summary.at_bound, [0, 2]);
            assert!(gradient[0] < -1e-6 && gradient[2] > 1e-6);
            let residual = max_abs(&kkt_residual(&solution.x, &gradient, &bounds));
            let most = if EXACT.contains(&solver) { 1e-10 } else { 1e-7 };
            assert!(residual < most, "{solver:?}: {residual:e}");
        }
    }
}

#[test]
fn a_bound_met_on_the_way_is_left_again_by_all() {
    let traces = traces(3, 4000, three);
    let bounds = [(0.0, 300.0), FREE, (-300.0, 0.0), FREE, FREE, FREE];
    let start = [300.0, 0.0, 0.0, 0.0, -200.0, 0.0];
    let options = Options::default();
    let free = fit(&traces, Loss::CrossEntropy, &[0.0; 6], &[FREE; 6], &options).0;
    for solver in ALL {
        let options = Options::of(solver);
        let (solution, _) = fit(&traces, Loss::CrossEntropy, &start, &bounds, &options);
        assert!(solution.summary.at_bound.is_empty());
        let error = solution.summary.error / free.summary.error - 1.0;
        assert!(error.abs() < 1e-8, "{solver:?}: {error:e}");
    }
}

#[test]
fn collinear_directions_do_not_drift_without_a_matrix_either() {
    let traces = traces(5, 3000, collinear);
    let start: Vec<f64> = (0..10).map(|j| f64::from(j) * 10.0).collect();
    let options = Options::default();
    let dense = fit(&traces, Loss::CrossEntropy, &start, &[FREE; 10], &options).0;
    for solver in EXACT {
        let options = Options::of(solver);
        let (solution, _) = fit(&traces, Loss::CrossEntropy, &start, &[FREE; 10], &options);
        assert!(solution.summary.termination.is_optimum());
        let error = solution.summary.error / dense.summary.error - 1.0;
        assert!(error.abs() < 1e-12, "{solver:?}: {error:e}");
        // Nothing pulls along (−1, 1, 1, 1, 1), but the scales turn a step a
        // little that way; it goes no further than the weights move anyway.
        let change = |slot: usize| solution.x[2 * slot] - start[2 * slot];
        let along = ((1..5).map(change).sum::<f64>() - change(0)) / 5.0;
        let moved = (0..5).map(|slot| change(slot).abs()).fold(0.0, f64::max);
        assert!(along.abs() < moved, "{solver:?}: {along} of {moved}");
    }
}

#[test]
fn a_prior_decides_what_the_data_leave_open_for_all() {
    let traces = traces(4, 2000, three);
    let reduction = Reduction::of_lanes(8);
    let f = Regression::new(&traces, &reduction, Loss::CrossEntropy, SIGMOID, Part::All).unwrap();
    let toward = vec![30.0; 8];
    let error = f.value(&toward).unwrap();
    let prior = Prior::new(toward, 20.0, Loss::CrossEntropy.prior_unit(error, 2000));
    let problem = Problem {
        objective: &f,
        held_out: None,
        bounds: reduction.bounds(),
        constraints: &[],
        prior: Some(&prior),
        needs_retrace: None,
    };
    for solver in EXACT {
        let options = Options::of(solver);
        let found = minimise(&problem, &[-10.0; 8], &options, &mut |_| {
            ControlFlow::Continue(())
        });
        assert!((found.x[6] - 30.0).abs() < 1e-4 && (found.x[7] - 30.0).abs() < 1e-4);
        assert_eq!(found.summary.unseen, [1, 3, 5, 6, 7]);
        let penalised = Penalised {
            objective: &f,
            prior: Some(&prior),
        };
        let mut gradient = vec![0.0; 8];
        let value = penalised.gradient(&found.x, &mut gradient).unwrap();
        assert!(max_abs(&gradient) < 1e-9, "{solver:?}");
        assert_eq!(found.summary.objective, value);
        assert!(found.summary.error < value);
    }
}

#[test]
fn the_end_is_the_same_bits_on_any_number_of_threads() {
    let traces = traces(3, 9000, three);
    let bounds = [(-10.0, 30.0), FREE, FREE, FREE, FREE, FREE];
    for solver in ALL {
        let options = Options {
            iterations: 40,
            ..Options::of(solver)
        };
        let results: Vec<(Vec<u64>, usize, usize)> = [1, 2, 3, 7]
            .map(|threads| {
                let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
                let run = || fit(&traces, Loss::Squared, &[0.0; 6], &bounds, &options).0;
                let found = builder.build().unwrap().install(run);
                let bits = found.x.iter().map(|x| x.to_bits()).collect();
                (
                    bits,
                    found.summary.cost.passes,
                    found.summary.cost.score_passes,
                )
            })
            .into();
        assert!(
            results.windows(2).all(|pair| pair[0] == pair[1]),
            "{solver:?}"
        );
    }
}

#[test]
fn all_of_them_resume_to_the_same_bits() {
    let traces = traces(3, 2000, three);
    let reduction = Reduction::of_lanes(6);
    let f = Regression::new(&traces, &reduction, Loss::Squared, SIGMOID, Part::All).unwrap();
    let bounds = [(-10.0, 30.0), FREE, (-20.0, 20.0), FREE, FREE, FREE];
    for bounds in [&bounds, &[FREE; 6]] {
        let problem = Problem {
            objective: &f,
            held_out: Some(&f),
            bounds,
            constraints: &[],
            prior: None,
            needs_retrace: None,
        };
        for solver in ALL {
            let options = Options {
                iterations: solver.iterations().min(40),
                ..Options::of(solver)
            };
            let whole = resumes(&solver.to_string(), &problem, &[0.0; 6], &options);
            let iterations = whole.summary.iterations;
            assert!(iterations > 2, "{solver:?}: {iterations}");
        }
    }
}

/// Features that go together: of slot 0 to a last one that is drawn.
fn nested(rng: &mut ChaCha8Rng) -> Vec<(Slot, i16)> {
    let last = rng.next_u32() % 24;
    let sign = if rng.next_u32().is_multiple_of(2) {
        1
    } else {
        -1
    };
    (0..=last).map(|slot| (Slot(slot), sign)).collect()
}

#[test]
fn weights_that_go_together_need_few_passes_and_resume() {
    let traces = traces(24, 4000, nested);
    let reduction = Reduction::of_lanes(48);
    let f = Regression::new(&traces, &reduction, Loss::Squared, SIGMOID, Part::All).unwrap();
    // The last of them may not move far, so that it is held at its bound.
    let mut bounds = [FREE; 48];
    bounds[46] = (-1.0, 1.0);
    for bounds in [[FREE; 48], bounds] {
        let problem = Problem {
            objective: &f,
            held_out: None,
            bounds: &bounds,
            constraints: &[],
            prior: None,
            needs_retrace: None,
        };
        let options = Options::of(Solver::NewtonCg);
        let whole = resumes("nested", &problem, &[0.0; 48], &options);
        assert!(whole.summary.termination.is_optimum());
        let passes = whole.summary.cost.passes;
        assert!(passes < 60, "{passes} passes");
        let auto = minimise(&problem, &[0.0; 48], &Options::default(), &mut |_| {
            ControlFlow::Continue(())
        });
        let error = whole.summary.error / auto.summary.error - 1.0;
        assert!(error.abs() < 1e-12, "{error:e}");
        let mut saved = String::new();
        minimise(&problem, &[0.0; 48], &options, &mut |at| {
            saved = serde_json::to_string(&at.save()).unwrap();
            ControlFlow::Continue(())
        });
        assert!(saved.contains("formed_at"), "the matrix was not needed");
        // Those of all steps until then, and no more.
        assert!(saved.contains(r#""products":6"#), "{saved}");
    }
}

#[test]
fn many_bounds_on_weights_that_go_together_are_no_obstacle() {
    let traces = traces(24, 4000, nested);
    for loss in [Loss::Squared, Loss::CrossEntropy] {
        for width in [0.5, 2.0, 10.0, 30.0] {
            let mut bounds = [FREE; 48];
            (0..24)
                .step_by(2)
                .for_each(|slot| bounds[2 * slot] = (-width, width));
            let with = |solver| {
                let options = Options::of(solver);
                fit(&traces, loss, &[0.0; 48], &bounds, &options).0.summary
            };
            let (auto, found) = (with(Solver::Auto), with(Solver::NewtonCg));
            let error = found.error / auto.error - 1.0;
            let said = format!(
                "{loss:?} ± {width}: {error:e}, {} passes",
                found.cost.passes
            );
            assert!(
                found.termination.is_optimum() && error.abs() < 1e-9,
                "{said}"
            );
            assert!(found.cost.passes < 200, "{said}");
        }
    }
}

#[test]
fn an_inconsistent_state_is_refused() {
    let traces = traces(3, 500, three);
    let reduction = Reduction::of_lanes(6);
    let f = Regression::new(&traces, &reduction, Loss::Squared, SIGMOID, Part::All).unwrap();
    let problem = Problem {
        objective: &f,
        held_out: None,
        bounds: reduction.bounds(),
        constraints: &[],
        prior: None,
        needs_retrace: None,
    };
    let vectors = ["now", "direction", "step", "mean"];
    let solvers = [Solver::NewtonCg, Solver::Cg, Solver::Lbfgs, Solver::Adam];
    for (solver, vector) in solvers.into_iter().zip(vectors) {
        let options = Options::of(solver);
        let mut text = String::new();
        minimise(&problem, &[0.0; 6], &options, &mut |progress| {
            text = serde_json::to_string(&progress.save()).unwrap();
            if progress.record.iteration == 2 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        let good: Checkpoint = serde_json::from_str(&text).unwrap();
        assert!(good.check(&problem).is_ok());
        let (head, tail) = text.split_once(&format!("\"{vector}\":[")).unwrap();
        let short = format!("{head}\"{vector}\":[1.0,{tail}");
        let long: Checkpoint = serde_json::from_str(&short).unwrap();
        assert!(long.check(&problem).is_err(), "{solver:?}");
    }
}

/// Adam as a tuner would write it.
fn plain_adam(f: &Regression<'_>, start: &[f64], steps: usize) -> (f64, Vec<f64>) {
    let count = start.len();
    let (mut x, mut g) = (start.to_vec(), vec![0.0; count]);
    let (mut m, mut v) = (vec![0.0; count], vec![0.0; count]);
    let mut best = (f.gradient(&x, &mut g).unwrap(), x.clone());
    for _ in 0..steps {
        for i in 0..count {
            m[i] = 0.9 * m[i] + (1.0 - 0.9) * g[i];
            v[i] = 0.999 * v[i] + (1.0 - 0.999) * g[i] * g[i];
            x[i] -= m[i] / (1e-8 + v[i].sqrt());
        }
        let error = f.gradient(&x, &mut g).unwrap();
        if error < best.0 {
            best = (error, x.clone());
        }
    }
    best
}

#[test]
fn adam_is_that_of_other_tuners_and_keeps_its_best_point() {
    let traces = traces(3, 1000, three);
    let reduction = Reduction::of_lanes(6);
    let f = Regression::new(&traces, &reduction, Loss::Squared, SIGMOID, Part::All).unwrap();
    let options = Options {
        iterations: 300,
        ..Options::of(Solver::Adam)
    };
    let (found, _) = fit(&traces, Loss::Squared, &[0.0; 6], &[FREE; 6], &options);
    let (error, x) = plain_adam(&f, &[0.0; 6], 300);
    assert_eq!(found.summary.error, error);
    assert_eq!(found.x, x);
    // The first step of all seen weights is 0.1/√0.001 of the rate.
    let records = &found.summary.records;
    assert!((records[1].step - 0.1 / 0.001_f64.sqrt()).abs() < 1e-2);
    let last = records.last().unwrap().error;
    assert!(found.summary.error <= last);
    assert_eq!(found.summary.termination, Termination::IterationLimit);
    let long = Options::of(Solver::Adam);
    let (found, _) = fit(&traces, Loss::Squared, &[0.0; 6], &[FREE; 6], &long);
    assert_eq!(found.summary.termination, Termination::NoImprovement);
    assert!(!found.summary.termination.is_optimum());
}

#[test]
fn gradient_descent_is_the_plain_one() {
    let traces = traces(3, 1000, three);
    let reduction = Reduction::of_lanes(6);
    let f = Regression::new(&traces, &reduction, Loss::Squared, SIGMOID, Part::All).unwrap();
    let options = Options {
        iterations: 8,
        ..Options::of(Solver::Gd)
    };
    let (found, _) = fit(&traces, Loss::Squared, &[0.0; 6], &[FREE; 6], &options);
    // The rate that is exact for the parabola along the first gradient.
    let (mut x, mut g) = (vec![0.0; 6], vec![0.0; 6]);
    let mut error = f.gradient(&x, &mut g).unwrap();
    let product = f
        .curvature_product(&x, tuner_solve::Curvature::GaussNewton, &g)
        .unwrap();
    let mut rate = tuner_solve::linalg::dot(&g, &g) / tuner_solve::linalg::dot(&g, &product);
    for _ in 0..8 {
        loop {
            let tried: Vec<f64> = x.iter().zip(&g).map(|(x, g)| x - rate * g).collect();
            let mut there = vec![0.0; 6];
            let value = f.gradient(&tried, &mut there).unwrap();
            if value <= error {
                (x, g, error) = (tried, there, value);
                break;
            }
            rate /= 2.0;
        }
    }
    assert_eq!(found.x, x);
    assert_eq!(found.summary.error, error);
}

#[test]
fn separated_weights_are_named_without_a_matrix_too() {
    let base = traces(3, 3000, three);
    let mut set = TraceSet::new(4);
    for row in base.rows(0..base.len()) {
        let mut entries: Vec<(Slot, i16)> = Vec::new();
        for segment in row.segments() {
            entries.extend(segment.entries().map(|(slot, c)| (slot, c[0])));
        }
        let won = row.index % 10 == 0;
        entries.push((Slot(3), i16::from(won)));
        let outcome = if won { 1.0 } else { row.outcome() };
        set.push(&untapered(entries), &RowInfo::new(outcome, row.game()))
            .unwrap();
    }
    for loss in [Loss::Squared, Loss::CrossEntropy] {
        for solver in EXACT {
            let options = Options::of(solver);
            let (solution, _) = fit(&set, loss, &[0.0; 8], &[FREE; 8], &options);
            assert!(solution.x.iter().all(|x| x.is_finite()));
            let summary = &solution.summary;
            assert_eq!(
                summary.separated,
                [6],
                "{loss:?} {solver:?} {}",
                solution.x[6]
            );
            assert!(summary.termination.is_optimum(), "{}", summary.termination);
        }
    }
}
