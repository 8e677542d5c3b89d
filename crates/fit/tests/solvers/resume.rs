//! A descent that resumes from a file must not know of it.

#![allow(clippy::panic)] // a failing test may end with a panic

use serde_json::json;

use super::*;
use tuner_solve::linalg::Symmetric;
use tuner_solve::{Curvature, PassError, PassResult};

/// Everything of a solution but the time.
fn timeless(solution: &Solution) -> String {
    let mut summary = solution.summary.clone();
    summary.cost.seconds = 0.0;
    for record in &mut summary.records {
        record.cost.seconds = 0.0;
    }
    let bits: Vec<u64> = solution.x.iter().map(|x| x.to_bits()).collect();
    format!("{bits:x?} {summary:?}")
}

/// What an observer saved at every iteration, through the text of a file.
fn saved_all(
    problem: &Problem<'_>,
    start: &[f64],
    options: &Options,
) -> (Solution, Vec<Checkpoint>) {
    let mut all = Vec::new();
    let solution = minimise(problem, start, options, &mut |progress| {
        let text = serde_json::to_string(&progress.save()).unwrap();
        let saved: Checkpoint = serde_json::from_str(&text).unwrap();
        assert_eq!(saved, progress.save());
        all.push(saved);
        ControlFlow::Continue(())
    });
    (solution, all)
}

/// Resumes at every iteration, and stops and resumes at every one in turn.
pub(super) fn resumes(
    name: &str,
    problem: &Problem<'_>,
    start: &[f64],
    options: &Options,
) -> Solution {
    let (whole, all) = saved_all(problem, start, options);
    let expected = timeless(&whole);
    assert_eq!(all.len(), whole.summary.records.len());
    for saved in &all {
        let mut seen = saved.iteration();
        let resumed = resume(problem, saved, options, &mut |progress| {
            seen += 1;
            assert_eq!(progress.record.iteration, seen, "no iteration comes twice");
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(
            timeless(&resumed),
            expected,
            "{name} at {}",
            saved.iteration()
        );
        assert!(
            resumed.summary.cost.seconds >= whole.summary.records[saved.iteration()].cost.seconds
        );
    }
    let mut saved = all[0].clone();
    let resumed = loop {
        let resumed = resume(problem, &saved.clone(), options, &mut |progress| {
            saved = progress.save();
            ControlFlow::Break(())
        })
        .unwrap();
        if resumed.summary.termination != Termination::Interrupted {
            break resumed;
        }
        // Adam goes back to its best point in the end.
        let adam = options.solver == Solver::Adam;
        assert!(adam || resumed.x == saved.x());
    };
    assert_eq!(timeless(&resumed), expected, "{name}, one step a run");
    whole
}

#[test]
fn a_resumed_descent_ends_with_the_same_bits() {
    let plain = traces(3, 2000, three);
    let singular = traces(5, 1000, collinear);
    let bounds = |count: usize, bound: (f64, f64)| vec![bound; count];
    let far = [180.0, 0.0, -200.0, 0.0, 230.0, 0.0, 10.0, 0.0, 10.0, 0.0];
    for (name, traces, bound) in [
        ("free", &plain, FREE),
        ("bounded", &plain, (-25.0, 30.0)),
        ("singular", &singular, FREE),
        ("singular, bounded", &singular, (-25.0, 260.0)),
    ] {
        let count = 2 * traces.slots();
        let reduction = Reduction::of_lanes(count);
        for loss in [Loss::Squared, Loss::CrossEntropy] {
            let f = Regression::new(traces, &reduction, loss, SIGMOID, Part::All).unwrap();
            let toward = vec![10.0; count];
            let prior = Prior::new(
                toward.clone(),
                20.0,
                loss.prior_unit(f.value(&toward).unwrap(), 900),
            );
            for prior in [None, Some(&prior)] {
                let problem = Problem {
                    objective: &f,
                    held_out: Some(&f),
                    bounds: &bounds(count, bound),
                    constraints: &[],
                    prior,
                    needs_retrace: None,
                };
                for solver in [Solver::Auto, Solver::GaussNewton, Solver::Newton] {
                    let options = Options {
                        solver,
                        ..Options::default()
                    };
                    let name = format!("{name} {loss:?} {solver:?} {}", prior.is_some());
                    resumes(&name, &problem, &far[..count], &options);
                }
            }
        }
    }
}

#[test]
fn a_resumed_descent_continues_behind_its_limit() {
    let traces = traces(3, 1000, three);
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
    let start = [150.0, 0.0, 90.0, 0.0, 0.0, 0.0];
    let short = Options {
        iterations: 2,
        ..Options::default()
    };
    let (limited, all) = saved_all(&problem, &start, &short);
    assert_eq!(limited.summary.termination, Termination::IterationLimit);
    let whole = minimise(&problem, &start, &Options::default(), &mut |_| {
        ControlFlow::Continue(())
    });
    let resumed = resume(&problem, &all[2], &Options::default(), &mut |_| {
        ControlFlow::Continue(())
    });
    assert_eq!(timeless(&resumed.unwrap()), timeless(&whole));
}

/// A function whose Hessian is indefinite away from its minimum, so that
/// steps are damped and rejected: Rosenbrock's.
struct Valley;

impl Objective for Valley {
    fn len(&self) -> usize {
        2
    }
    fn value(&self, x: &[f64]) -> Result<f64, PassError> {
        Ok(1.0 + 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2))
    }
    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, PassError> {
        let above = x[1] - x[0] * x[0];
        gradient[0] = -400.0 * x[0] * above - 2.0 * (1.0 - x[0]);
        gradient[1] = 200.0 * above;
        self.value(x)
    }
    fn curvature(
        &self,
        x: &[f64],
        kind: Curvature,
        matrix: &mut Symmetric,
    ) -> Result<(), PassError> {
        matrix.clear();
        let second = match kind {
            Curvature::Newton => -400.0 * (x[1] - x[0] * x[0]),
            Curvature::GaussNewton => 0.0,
        };
        matrix.add(0, 0, 800.0 * x[0] * x[0] + 2.0 + second);
        matrix.add(0, 1, -400.0 * x[0]);
        matrix.add(1, 1, 200.0);
        Ok(())
    }
    fn diagonal(&self, x: &[f64], kind: Curvature) -> PassResult<Vec<f64>> {
        Ok(self.curvature_at(x, kind)?.diagonal())
    }
    fn curvature_product(&self, x: &[f64], kind: Curvature, v: &[f64]) -> PassResult<Vec<f64>> {
        Ok(self.curvature_at(x, kind)?.multiply(v))
    }
}

#[test]
fn damping_and_its_reasons_come_back() {
    let mut damped = 0;
    let mut fallbacks = 0;
    for solver in [Solver::Auto, Solver::GaussNewton, Solver::Newton] {
        for start in [[-1.2, 1.0], [0.0, 2.0], [-3.0, -4.0]] {
            let options = Options {
                solver,
                ..Options::default()
            };
            let problem = Problem {
                objective: &Valley,
                held_out: None,
                bounds: &[FREE; 2],
                constraints: &[],
                prior: None,
                needs_retrace: None,
            };
            let whole = resumes(&format!("{solver:?}"), &problem, &start, &options);
            let records = &whole.summary.records;
            damped += records.iter().filter(|r| r.damping > 0.0).count();
            fallbacks += whole.summary.fallbacks.len();
        }
    }
    assert!(damped > 10 && fallbacks > 2, "{damped} {fallbacks}");
}

#[test]
fn a_state_of_something_else_is_refused() {
    let traces = traces(3, 500, three);
    let reduction = Reduction::of_lanes(6);
    let f = Regression::new(&traces, &reduction, Loss::Squared, SIGMOID, Part::All).unwrap();
    let problem = |bounds| Problem {
        objective: &f,
        held_out: None,
        bounds,
        constraints: &[],
        prior: None,
        needs_retrace: None,
    };
    let free = [FREE; 6];
    let (_, all) = saved_all(&problem(&free), &[0.0; 6], &Options::default());
    let good = serde_json::to_value(&all[2]).unwrap();
    let refusal = |text: serde_json::Value, bounds| {
        let resumed = serde_json::from_value::<Checkpoint>(text).map(|saved| {
            let options = Options::default();
            resume(&problem(bounds), &saved, &options, &mut |_| {
                ControlFlow::Break(())
            })
        });
        match resumed {
            Ok(Ok(_)) => panic!("resumed"),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        }
    };
    for (expected, place, value) in [
        ("variables", "/x", json!([0, 0, 0, 0, 0])),
        ("gradient", "/gradient", json!([0, 0, 0, 0, 0, 0, 0])),
        ("iterations", "/records", json!([])),
        ("iterations", "/records/1/iteration", json!(7)),
        ("vector", "/state/scale", json!([1, 1])),
        (
            "vector",
            "/state/matrix/start",
            json!([1, 1, 1, 1, 1, 1, 1]),
        ),
        ("damping", "/state/damping/value", json!(-1)),
        ("damping", "/state/factor/asked", json!(-1)),
        ("scale of one", "/state/scale/1", json!(-1)),
        ("no method", "/state", json!({ "family": "start" })),
        ("null", "/value", json!(null)),
        ("unknown variant", "/state/family", json!("magic")),
    ] {
        let mut text = good.clone();
        *text.pointer_mut(place).unwrap() = value;
        let words = refusal(text, &free);
        assert!(words.contains(expected), "{expected}: {words}");
    }
    let words = refusal(good, &[(-1e9, -1e8); 6]);
    assert!(words.contains("bounds"), "{words}");
    for (solver, place, value) in [
        (Solver::Gd, "/state/method/gd/rate", json!(-1)),
        (Solver::Cg, "/state/scales/now", json!([-1, 1, 1, 1, 1, 1])),
    ] {
        let options = Options {
            solver,
            ..Options::default()
        };
        let (_, all) = saved_all(&problem(&free), &[0.0; 6], &options);
        let mut text = serde_json::to_value(&all[2]).unwrap();
        *text.pointer_mut(place).unwrap() = value;
        let words = refusal(text, &free);
        assert!(words.contains("cannot be"), "{words}");
    }
}
