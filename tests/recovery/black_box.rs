//! Every solver finds known weights of a score that is only a closure.

use std::ops::ControlFlow;

use tuner_core::fit::black_box::{BlackBox, BlackBoxEnd, ProbedPosition, Probing, RoundOptions};
use tuner_core::fit::{FitInputs, Settings};
use tuner_core::rows::RowInfo;
use tuner_core::solve::Options;
use tuner_core::solve::linalg::max_abs;

use super::cases::cases;
use super::solvers::{ROWS, SOLVERS};
use super::synthetic::{Results, Synthetic};

/// The constant of a score, and its derivative by weights.
type Position = (f64, Vec<f64>);

/// The positions behind synthetic rows.
fn positions(data: &Synthetic) -> Vec<ProbedPosition<Position>> {
    let row = |(index, (derivative, outcome)): (usize, &(Vec<f64>, f64))| {
        let derivative = data.lanes.iter().map(|&lane| derivative[lane]).collect();
        ProbedPosition {
            position: (data.traces.row(index).constant(), derivative),
            info: RowInfo::new(*outcome, index as u32),
        }
    };
    data.rows.iter().enumerate().map(row).collect()
}

fn score(weights: &[f64], (constant, derivative): &Position) -> f64 {
    let terms = weights.iter().zip(derivative);
    constant + terms.map(|(w, d)| w * d).sum::<f64>()
}

#[test]
fn every_solver_recovers_the_weights_behind_a_closure() {
    let mut failures = Vec::new();
    for case in cases() {
        let data = Synthetic::draw_rows(case, Results::Expected, ROWS);
        let (positions, reduction) = (positions(&data), data.reduction(case));
        let source = BlackBox {
            score,
            positions: &positions,
            reduction: &reduction,
            probing: Probing::default(),
        };
        let zero = vec![0.0; data.truth.len()];
        let given = FitInputs::at(&zero);
        for bound in SOLVERS {
            let settings = Settings {
                k: Some(Synthetic::SIGMOID.k()),
                loss: case.loss,
                solver: Options::of(bound.solver),
                ..Settings::default()
            };
            let found = source.fit(&given, &settings, &RoundOptions::default(), &mut |_| {
                ControlFlow::Continue(())
            });
            let found = found.expect("a good source");
            let worst = max_abs(&data.errors(&found.fit.weights)) / max_abs(&data.truth);
            let termination = found.fit.summary.termination;
            let ended = bound.is_baseline() || termination.is_optimum();
            if worst > bound.weights || !ended || found.end != BlackBoxEnd::AsPredicted {
                failures.push(format!(
                    "{case}, {}: off by {worst:.1e}: {termination}; {}",
                    bound.solver, found.end
                ));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
