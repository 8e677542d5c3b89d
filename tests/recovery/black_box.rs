//! Every solver finds known weights of a score that is only a closure.

use tuner_core::fit::Settings;
use tuner_core::fit::run::{ClosureRows, FitRun, ProbedPosition, RunConfig, Variables};
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
        let zero = vec![0.0; data.truth.len()];
        let variables = Variables {
            names: (0..zero.len()).map(|weight| weight.to_string()).collect(),
            reduction,
            initial: Some(zero.clone()),
            ..Variables::of_features(0)
        };
        for bound in SOLVERS {
            let settings = Settings {
                k: Some(Synthetic::SIGMOID.k()),
                loss: case.loss,
                solver: Options::of(bound.solver),
                ..Settings::default()
            };
            let config = RunConfig {
                settings,
                ..RunConfig::default()
            };
            let reduction = &variables.reduction;
            let rows = ClosureRows::new(score, &positions, reduction, &zero, 16.0);
            let run = FitRun::new(&variables, config, &mut ()).expect("a good configuration");
            let run = run.run(&mut rows.expect("good positions"), &mut ());
            let found = run.expect("a good source").fit;
            let worst = max_abs(&data.errors(&found.weights)) / max_abs(&data.truth);
            let termination = found.summary.termination;
            let ended = bound.is_baseline() || termination.is_optimum();
            if worst > bound.weights || !ended {
                failures.push(format!(
                    "{case}, {}: off by {worst:.1e}: {termination}",
                    bound.solver
                ));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
