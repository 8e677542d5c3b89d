//! Synthetic recovery: weights are drawn, results are made from σ of the
//! score, and the fit must find the weights again.
//!
//! `cargo test --release -p tuner-tests --test recovery -- --nocapture` prints
//! the table. Two kinds of results:
//!
//! - *expected*: R = σ(score). The truth is the exact optimum; it must be
//!   recovered to 1e-6 of the largest weight.
//! - *drawn*: R is 0, ½ or 1, drawn with expectation σ(score). Then an
//!   estimate is off by about its standard error, which the curvature predicts
//!   (the sandwich formula H⁻¹·S·H⁻¹). No weight may be off by more than five
//!   of them: for the 468 estimates of the table, errors that large have a
//!   chance of 1 in 3,700 in all, and the seeds are fixed. And their mean
//!   square must be near 1, or the prediction would be empty.

#![allow(clippy::print_stdout)] // the table

mod recovery {
    mod black_box;
    pub(crate) mod cases;
    mod independent;
    pub(crate) mod solvers;
    pub(crate) mod synthetic;
    mod tables;
    mod targets;
}

use recovery::cases::{Case, cases};
use recovery::solvers::fit;
use recovery::synthetic::{Results, Synthetic};
use tuner_core::solve::{Solution, Solver};

#[test]
fn weights_are_recovered() {
    println!(
        "{:<56} {:>9} {:>5} {:>12} {:>6} {:>6}",
        "case", "variables", "steps", "error", "bound", ""
    );
    let (mut failures, mut squares) = (Vec::new(), Vec::new());
    for case in cases() {
        let mut data = Synthetic::draw(case, Results::Expected);
        let reduction = data.reduction(case);
        let solution = fit(&data, case, &reduction, Solver::Auto);
        let largest = data.truth.iter().fold(0.0_f64, |max, w| max.max(w.abs()));
        let errors = data.errors(&reduction.weights(&solution.x));
        let worst = errors.iter().fold(0.0_f64, |max, e| max.max(e.abs())) / largest;
        report(case, "expected", &solution, worst, 1e-6, &mut failures);

        data = Synthetic::draw(case, Results::Drawn);
        let reduction = data.reduction(case);
        let solution = fit(&data, case, &reduction, Solver::Auto);
        let scores = data.standardised(case, &reduction, &solution.x);
        let worst = scores.iter().fold(0.0_f64, |max, z| max.max(z.abs()));
        report(
            case,
            "drawn, in standard errors",
            &solution,
            worst,
            5.0,
            &mut failures,
        );
        squares.extend(scores.iter().map(|z| z * z));
    }
    // Estimates of one data set are correlated, so the squares of a case
    // scatter widely around 1: by 0.3 over twenty seeds. The table has eight
    // data sets, their mean scatters by 0.1, and four times that is allowed.
    let mean_square = squares.iter().sum::<f64>() / squares.len() as f64;
    println!(
        "mean square of {} errors in standard errors: {mean_square:.3}",
        squares.len()
    );
    if (mean_square - 1.0).abs() > 0.4 {
        failures.push(format!("mean square {mean_square:.2}, expected 1 ± 0.4"));
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// Prints a line of the table and keeps what failed.
fn report(
    case: Case,
    results: &str,
    solution: &Solution,
    worst: f64,
    bound: f64,
    failures: &mut Vec<String>,
) {
    let good = worst <= bound && solution.summary.termination.is_optimum();
    let line = format!(
        "{:<56} {:>9} {:>5} {worst:>12.2e} {bound:>6.0e} {:>6}",
        format!("{case}, {results}"),
        solution.x.len(),
        solution.summary.cost.curvature_evaluations,
        if good { "ok" } else { "FAILED" },
    );
    println!("{line}");
    if !good {
        failures.push(format!("{line} ({})", solution.summary.termination));
    }
}
