//! The numbers that the fit must reach, measured on real traces.
//!
//! `TUNER_DATA=FOLDER cargo bench -p tuner-core --bench solve`, with FOLDER
//! holding `traces/engine_quiet_150.arrow` and `traces/wukong_selfplay_150.arrow`.
//! One line per number: what, goal, measured, `met` or `missed`.

#![allow(clippy::print_stdout)] // a benchmark prints

use std::path::{Path, PathBuf};
use std::time::Instant;

use tuner_core::linalg::Symmetric;
use tuner_core::model::{Curvature, Loss, Objective, Part, Reduction, Regression, Sigmoid};
use tuner_core::solve::{Flow, Options, Problem, Solution, Solver, minimise};
use tuner_core::trace::rows::TraceSet;

/// σ(s) = 1/(1 + e^(−2.1·s/400)) in the convention of the project.
const SIGMOID: Sigmoid = Sigmoid::new(0.912_018_412);

/// A set of traces and what is known of its optimum from an independent fit.
struct Known {
    file: &'static str,
    /// E with all weights 0, to nine digits.
    start: Option<f64>,
    /// E at the optimum, to thirteen digits.
    optimum: f64,
    /// Most curvature matrices.
    evaluations: usize,
}

const SETS: [Known; 2] = [
    Known {
        file: "engine_quiet_150.arrow",
        start: Some(0.160_226_705),
        optimum: 0.100_322_308_143_8,
        evaluations: 10,
    },
    Known {
        file: "wukong_selfplay_150.arrow",
        start: None,
        optimum: 0.103_957_906_133_8,
        evaluations: 14,
    },
];

fn main() {
    let Some(folder) = std::env::var_os("TUNER_DATA") else {
        println!("TUNER_DATA is not set; expected the folder of the data sets; nothing measured");
        return;
    };
    for known in &SETS {
        let path = PathBuf::from(&folder).join("traces").join(known.file);
        if path.exists() {
            measure(&path, known);
        } else {
            println!("{}: not found; nothing measured", path.display());
        }
    }
}

/// Fits one set from zero and prints its numbers.
fn measure(path: &Path, known: &Known) {
    let began = Instant::now();
    let traces = match tuner_core::trace::arrow::read(path) {
        Ok(read) => read.traces,
        Err(error) => {
            println!("{error}");
            return;
        }
    };
    let reading = began.elapsed().as_secs_f64();
    let threads = rayon::current_num_threads();
    println!(
        "{}: {} rows, {threads} threads, read in {reading:.2} s",
        known.file,
        traces.len()
    );
    let reduction = Reduction::of_lanes(2 * traces.slots());
    let f = match Regression::new(&traces, &reduction, Loss::Squared, SIGMOID, Part::All) {
        Ok(f) => f,
        Err(error) => {
            println!("{error}");
            return;
        }
    };
    let problem = Problem {
        objective: &f,
        held_out: None,
        bounds: reduction.bounds(),
        prior: None,
    };
    let zero = vec![0.0; f.len()];
    let fit = minimise(&problem, &zero, &Options::default(), &mut |_| {
        Flow::Continue
    });
    print_fit(known, &fit);
    print_cost(&traces, &f, &fit.x);
    print_solvers(known, &problem);
}

/// Prints what each method that converges takes to within 1e-6 of the optimum.
fn print_solvers(known: &Known, problem: &Problem<'_>) {
    for solver in [Solver::Auto, Solver::NewtonCg, Solver::Cg, Solver::Lbfgs] {
        let near = 1.0 + 1e-6;
        let zero = vec![0.0; problem.objective.len()];
        let mut found = None;
        minimise(problem, &zero, &Options::of(solver), &mut |at| {
            if at.record.error > near * known.optimum {
                return Flow::Continue;
            }
            found = Some(at.record.clone());
            Flow::Stop
        });
        let words = found.map_or_else(
            || "not reached".to_owned(),
            |record| {
                format!(
                    "{} iterations, {} passes, {} of scores alone, {:.2} s",
                    record.iteration, record.passes, record.score_passes, record.seconds
                )
            },
        );
        println!("  {} to within 1e-6: {words}", solver.name());
    }
}

/// Prints what the fit reached.
fn print_fit(known: &Known, fit: &Solution) {
    let summary = &fit.summary;
    if let Some(start) = known.start {
        let met = (summary.initial_error - start).abs() < 1e-9;
        line(
            "E at zero",
            &format!("{start:.9}"),
            &format!("{:.9}", summary.initial_error),
            met,
        );
    }
    // Ten digits: half a unit of the tenth.
    let met = (summary.error - known.optimum).abs() < 0.5e-10;
    let goal = format!("{:.13} to 10 digits", known.optimum);
    line(
        "E at the optimum",
        &goal,
        &format!("{:.13}", summary.error),
        met,
    );
    let gradient = format!("{:.1e}", summary.gradient);
    line(
        "largest gradient component",
        "at most 5e-14",
        &gradient,
        summary.gradient <= 5e-14,
    );
    let evaluations = summary.curvature_evaluations;
    let goal = format!("at most {}", known.evaluations);
    line(
        "curvature matrices",
        &goal,
        &evaluations.to_string(),
        evaluations <= known.evaluations,
    );
    println!(
        "  fit: {:.3} s, {} passes; {}",
        summary.seconds, summary.passes, summary.termination
    );
    println!(
        "  {} weights unseen, {} combinations undetermined, {} running away",
        summary.unseen.len(),
        summary.undetermined.unwrap_or(0),
        summary.runaway.len()
    );
}

/// Prints what passes and memory cost.
fn print_cost(traces: &TraceSet, f: &Regression<'_>, x: &[f64]) {
    let mut gradient = vec![0.0; f.len()];
    let mut matrix = Symmetric::zeros(f.len());
    let pass = best_of(10, || {
        f.gradient(x, &mut gradient);
    });
    let curvature = best_of(5, || f.curvature(x, Curvature::Newton, &mut matrix));
    println!("  one gradient pass: {:.2} ms", pass * 1e3);
    println!("  one curvature matrix: {:.2} ms", curvature * 1e3);
    let ratio = curvature / pass;
    line(
        "curvature over gradient",
        "at most 5",
        &format!("{ratio:.1}"),
        ratio <= 5.0,
    );
    let segments = |row| {
        traces
            .row(row)
            .segments()
            .map(|s| s.tokens().count())
            .sum::<usize>()
    };
    let coefficients: usize = (0..traces.len()).map(segments).sum();
    let rows = traces.len() as f64;
    let budget = 24.0 + 4.0 * coefficients as f64 / rows;
    let bytes = traces.bytes() as f64 / rows;
    line(
        "bytes a row",
        &format!("at most {budget:.1}"),
        &format!("{bytes:.1}"),
        bytes <= budget,
    );
}

/// Prints one number.
fn line(what: &str, goal: &str, measured: &str, met: bool) {
    let verdict = if met { "met" } else { "missed" };
    println!("  {what}: goal {goal}, measured {measured}, {verdict}");
}

/// Returns the shortest of several runs, in seconds.
fn best_of(runs: usize, mut run: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let began = Instant::now();
        run();
        best = best.min(began.elapsed().as_secs_f64());
    }
    best
}
