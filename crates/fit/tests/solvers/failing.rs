//! Data that cannot be read any more end a descent, at any pass.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use tuner_solve::linalg::Symmetric;
use tuner_solve::{Curvature, PassError, PassResult};

/// A function of which only so many passes can be made.
struct Failing<'a> {
    function: &'a Regression<'a>,
    left: AtomicUsize,
}

impl Failing<'_> {
    fn pass(&self) -> Result<(), PassError> {
        let less = |left: usize| left.checked_sub(1);
        let order = Ordering::SeqCst;
        match self.left.fetch_update(order, order, less) {
            Ok(_) => Ok(()),
            Err(_) => Err(PassError::new("the disk is gone")),
        }
    }
}

impl Objective for Failing<'_> {
    fn len(&self) -> usize {
        self.function.len()
    }
    fn value(&self, x: &[f64]) -> Result<f64, PassError> {
        self.pass()?;
        self.function.value(x)
    }
    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, PassError> {
        self.pass()?;
        self.function.gradient(x, gradient)
    }
    fn curvature(
        &self,
        x: &[f64],
        kind: Curvature,
        matrix: &mut Symmetric,
    ) -> Result<(), PassError> {
        self.pass()?;
        self.function.curvature(x, kind, matrix)
    }
    fn diagonal(&self, x: &[f64], kind: Curvature) -> PassResult<Vec<f64>> {
        self.pass()?;
        self.function.diagonal(x, kind)
    }
    fn curvature_product(&self, x: &[f64], kind: Curvature, v: &[f64]) -> PassResult<Vec<f64>> {
        self.pass()?;
        self.function.curvature_product(x, kind, v)
    }
}

#[test]
fn a_pass_that_fails_ends_every_solver_with_the_reason_and_the_best_point() {
    let traces = traces(3, 400, three);
    let reduction = Reduction::of_lanes(6);
    let function = Regression::new(&traces, &reduction, Loss::Squared, SIGMOID, Part::All).unwrap();
    let start = function.value(&[0.0; 6]).unwrap();
    for solver in [
        Solver::Auto,
        Solver::GaussNewton,
        Solver::Newton,
        Solver::NewtonCg,
        Solver::Cg,
        Solver::Lbfgs,
        Solver::Adam,
        Solver::Gd,
    ] {
        let mut ended = false;
        for passes in 0..200 {
            let failing = Failing {
                function: &function,
                left: AtomicUsize::new(passes),
            };
            let problem = Problem {
                objective: &failing,
                held_out: Some(&failing),
                bounds: &[FREE; 6],
                constraints: &[],
                prior: None,
                needs_retrace: None,
            };
            let options = Options {
                iterations: 12,
                ..Options::of(solver)
            };
            let solution = minimise(&problem, &[0.0; 6], &options, &mut |_| {
                ControlFlow::Continue(())
            });
            let Termination::PassFailed(error) = &solution.summary.termination else {
                ended = true;
                break;
            };
            assert_eq!(error, &PassError::new("the disk is gone"));
            assert!(!solution.summary.termination.is_optimum());
            let reached = function.value(&solution.x).unwrap();
            assert!(reached <= start, "{solver:?} after {passes} passes");
        }
        assert!(ended, "{solver:?}: more passes than the test allows");
    }
}
