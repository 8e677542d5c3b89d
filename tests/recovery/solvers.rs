//! Every solver finds known weights under every loss and constraint.
//!
//! Results are expected ones, so that the truth is the exact optimum.

use std::ops::ControlFlow;

use tuner_core::fit::model::{Loss, Part, Regression};
use tuner_core::solve::linalg::max_abs;
use tuner_core::solve::{Objective, Reduction};
use tuner_core::solve::{Options, Problem, Solution, Solver, kkt_residual, minimise};

use super::cases::{Case, Constraint, cases};
use super::synthetic::{Results, Synthetic};

/// Enough for weights to be determined; few, as the baselines take thousands
/// of passes.
pub(crate) const ROWS: u32 = 1000;

/// All solvers, and how near each comes.
pub(crate) const SOLVERS: [Bound; 8] = [
    Bound::new(Solver::Auto, 1e-6, 1e-14),
    Bound::new(Solver::GaussNewton, 1e-6, 1e-14),
    Bound::new(Solver::Newton, 1e-6, 1e-14),
    Bound::new(Solver::NewtonCg, 1e-5, 1e-9),
    Bound::new(Solver::Cg, 1e-5, 1e-9),
    Bound::new(Solver::Lbfgs, 1e-5, 1e-9),
    Bound::new(Solver::Adam, 1e-2, 1e-6),
    Bound::new(Solver::Gd, 1e-2, 1e-6),
];

/// How near a solver must come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    pub(crate) solver: Solver,
    /// Of weights, in parts of the largest.
    pub(crate) weights: f64,
    /// Of the optimality residual, in units of E per centipawn.
    pub(crate) residual: f64,
}

impl Bound {
    const fn new(solver: Solver, weights: f64, residual: f64) -> Self {
        Self {
            solver,
            weights,
            residual,
        }
    }

    /// Tells whether it is one of the baselines, which end anywhere near.
    pub(crate) fn is_baseline(&self) -> bool {
        matches!(self.solver, Solver::Adam | Solver::Gd)
    }
}

/// The objective of a case.
pub(crate) fn objective<'a>(
    data: &'a Synthetic,
    case: Case,
    reduction: &'a Reduction,
) -> Regression<'a> {
    let sigmoid = Synthetic::SIGMOID;
    Regression::new(&data.traces, reduction, case.loss, sigmoid, Part::All).expect("there are rows")
}

/// Fits the data of a case from weights that are all 0.
pub(crate) fn fit(data: &Synthetic, case: Case, reduction: &Reduction, solver: Solver) -> Solution {
    let objective = objective(data, case, reduction);
    let problem = Problem {
        constraints: &[],
        objective: &objective,
        held_out: None,
        bounds: reduction.bounds(),
        prior: None,
        needs_retrace: None,
    };
    let start = reduction.start(&vec![0.0; data.truth.len()]);
    minimise(&problem, &start, &Options::of(solver), &mut |_| {
        ControlFlow::Continue(())
    })
}

#[test]
fn every_solver_recovers_the_weights_of_every_case() {
    let mut failures = Vec::new();
    for case in cases() {
        let data = Synthetic::draw_rows(case, Results::Expected, ROWS);
        let reduction = data.reduction(case);
        let largest = max_abs(&data.truth);
        for bound in SOLVERS {
            let solution = fit(&data, case, &reduction, bound.solver);
            let worst = max_abs(&data.errors(&reduction.weights(&solution.x))) / largest;
            let ended = bound.is_baseline() || solution.summary.termination.is_optimum();
            if worst > bound.weights || !ended {
                let summary = &solution.summary;
                failures.push(format!(
                    "{case}, {}: off by {worst:.1e} after {} passes: {}",
                    bound.solver, summary.cost.passes, summary.termination
                ));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn every_solver_meets_bounds_that_exclude_the_truth() {
    for loss in [Loss::Squared, Loss::CrossEntropy] {
        let case = Case {
            loss,
            tapered: true,
            constraint: Constraint::None,
        };
        let data = Synthetic::draw_rows(case, Results::Drawn, ROWS);
        // Every third weight may come only half the way from 0 to its truth.
        let halfway = |(j, &w): (usize, &f64)| {
            if j % 3 == 0 {
                (w.min(0.0) / 2.0, w.max(0.0) / 2.0)
            } else {
                (-1e4, 1e4)
            }
        };
        let bounds: Vec<(f64, f64)> = data.truth.iter().enumerate().map(halfway).collect();
        let reduction = data.reduction_with_bounds(case, &bounds);
        let objective = objective(&data, case, &reduction);
        let first = fit(&data, case, &reduction, Solver::Auto);
        for bound in SOLVERS {
            let solution = fit(&data, case, &reduction, bound.solver);
            let mut gradient = vec![0.0; solution.x.len()];
            objective
                .gradient(&solution.x, &mut gradient)
                .expect("rows in memory");
            let residual = max_abs(&kkt_residual(&solution.x, &gradient, &bounds));
            let name = bound.solver.to_string();
            assert!(residual < bound.residual, "{loss:?} {name}: {residual:e}");
            assert_eq!(solution.summary.at_bound, first.summary.at_bound, "{name}");
            for &j in &solution.summary.at_bound {
                let bits = solution.x[j].to_bits();
                assert!(bits == bounds[j].0.to_bits() || bits == bounds[j].1.to_bits());
            }
        }
        assert!(first.summary.at_bound.len() >= 5);
    }
}
