//! Agreement with an optimiser that shares no line with ours: L-BFGS of the
//! crate argmin on plain vectors, with an objective written out plainly.

use argmin::core::{CostFunction, Error, Executor, Gradient};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use tuner_core::fit::model::Loss;

use super::cases::{Case, Constraint};
use super::solvers::{ROWS, SOLVERS, fit};
use super::synthetic::{Results, Synthetic};

/// Centipawns in the unit of the other optimiser, which knows no scaling.
const UNIT: f64 = 100.0;

struct Plain {
    data: Synthetic,
    case: Case,
}

impl Plain {
    fn at(&self, x: &[f64]) -> (f64, Vec<f64>) {
        let weights: Vec<f64> = x.iter().map(|x| UNIT * x).collect();
        let (error, gradient) = self.data.plain(self.case, &weights);
        (error, gradient.iter().map(|g| UNIT * g).collect())
    }
}

impl CostFunction for &Plain {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.at(x).0)
    }
}

impl Gradient for &Plain {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(self.at(x).1)
    }
}

/// The lowest error that the other optimiser finds.
fn lowest(plain: &Plain) -> f64 {
    let search = MoreThuenteLineSearch::new();
    let solver = LBFGS::new(search, 20)
        .with_tolerance_grad(1e-7)
        .and_then(|solver| solver.with_tolerance_cost(0.0))
        .expect("good tolerances");
    let zero = vec![0.0; plain.data.truth.len()];
    let result = Executor::new(plain, solver)
        .configure(|state| state.param(zero).max_iters(1000))
        .run()
        .expect("it ends");
    result.state().get_best_cost()
}

#[test]
fn all_solvers_agree_with_an_independent_optimiser() {
    for loss in [Loss::CrossEntropy, Loss::Squared] {
        let case = Case {
            loss,
            tapered: false,
            constraint: Constraint::None,
        };
        let data = Synthetic::draw_rows(case, Results::Drawn, ROWS);
        let plain = Plain { data, case };
        let expected = lowest(&plain);
        let reduction = plain.data.reduction(case);
        for bound in SOLVERS {
            let found = fit(&plain.data, case, &reduction, bound.solver);
            let error = found.summary.error / expected - 1.0;
            let most = if bound.is_baseline() { 1e-6 } else { 1e-8 };
            let name = bound.solver.to_string();
            assert!(error.abs() < most, "{loss:?} {name}: {error:e}");
            let (there, _) = plain.at(&found.x.iter().map(|x| x / UNIT).collect::<Vec<_>>());
            assert!((there / found.summary.error - 1.0).abs() < 1e-12, "{name}");
        }
    }
}
