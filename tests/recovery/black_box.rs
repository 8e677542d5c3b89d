//! Every solver finds known weights of a score that is only a closure: each in six cases, and in
//! all of them by `TUNER_ALL_SOLVERS=1 cargo test --release -p tuner-tests --test recovery`.

use tuner_core::fit::Settings;
use tuner_core::fit::run::{ClosureRows, FitRun, ProbedPosition, RunConfig, Variables};
use tuner_core::rows::RowInfo;
use tuner_core::solve::Options;
use tuner_core::solve::linalg::max_abs;

use super::cases::cases;
use super::solvers::{ROWS, SOLVERS};
use super::synthetic::{Results, Synthetic};

/// The constant of a score, and its derivative by the weights that it has any by.
type Position = (f64, Vec<(usize, f64)>);

/// The positions behind synthetic rows.
fn positions(data: &Synthetic) -> Vec<ProbedPosition<Position>> {
    let row = |(index, (derivative, outcome)): (usize, &(Vec<f64>, f64))| {
        let by_weight = data.lanes.iter().map(|&lane| derivative[lane]).enumerate();
        let derivative = by_weight.filter(|(_, d)| d.abs() > 0.0);
        ProbedPosition {
            position: (data.traces.row(index).constant(), derivative.collect()),
            info: RowInfo::new(*outcome, index as u32),
        }
    };
    data.rows.iter().enumerate().map(row).collect()
}

fn score(weights: &[f64], (constant, derivative): &Position) -> f64 {
    let terms = derivative.iter();
    constant + terms.map(|&(weight, d)| weights[weight] * d).sum::<f64>()
}

#[test]
fn every_solver_recovers_the_weights_behind_a_closure() {
    let mut failures = Vec::new();
    let solvers = if std::env::var_os("TUNER_ALL_SOLVERS").is_some() {
        SOLVERS.len()
    } else {
        3
    };
    for (number, case) in cases().into_iter().enumerate() {
        let data = Synthetic::draw_rows(case, Results::Expected, ROWS);
        let (positions, reduction) = (positions(&data), data.reduction(case));
        let zero = vec![0.0; data.truth.len()];
        let variables = Variables {
            names: (0..zero.len()).map(|weight| weight.to_string()).collect(),
            reduction,
            initial: Some(zero.clone()),
            ..Variables::of_features(0)
        };
        // Those behind the ones of the case before.
        for bound in SOLVERS.iter().cycle().skip(3 * number).take(solvers) {
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
