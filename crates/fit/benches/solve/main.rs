//! The numbers that the fit must reach, measured on real traces.
//!
//! `TUNER_DATA=FOLDER cargo bench -p tuner-fit --features arrow --bench solve`, with FOLDER
//! holding `traces/engine_quiet_150.arrow` and `traces/wukong_selfplay_150.arrow`.
//! One line per number: what, goal, measured, `met` or `missed`. With `FACTOR=SIZE,SIZE…` in
//! the environment it measures factorisations of such sizes alone.

#![allow(clippy::print_stdout)] // a benchmark prints

mod factor;
mod memory;
mod plain;
mod streamed;

use std::ops::ControlFlow;

use std::path::{Path, PathBuf};
use std::time::Instant;

use plain::Plain;
use rayon::prelude::*;

use tuner_fit::model::{Loss, Part, Regression, Sigmoid};
use tuner_rows::TraceSet;
use tuner_solve::linalg::Symmetric;
use tuner_solve::{Curvature, Objective, Reduction};
use tuner_solve::{Options, Problem, Solution, Solver, minimise};

/// σ(s) = 1/(1 + e^(−2.1·s/400)) in the convention of the project.
const SIGMOID: Sigmoid = Sigmoid::new(0.912_018_412);

/// A set of traces and what is known of its optimum from an independent fit.
struct Example {
    file: &'static str,
    /// E with all weights 0, to nine digits.
    start: Option<f64>,
    /// E at the optimum, to thirteen digits.
    optimum: f64,
    /// Most curvature matrices.
    evaluations: usize,
    /// How often the rows are repeated for the race against Adam, and how many
    /// times faster the fit must be.
    race: (usize, f64),
}

const SETS: [Example; 2] = [
    Example {
        file: "engine_quiet_150.arrow",
        start: Some(0.160_226_705),
        optimum: 0.100_322_308_143_8,
        evaluations: 10,
        race: (1, 100.0),
    },
    Example {
        file: "wukong_selfplay_150.arrow",
        start: None,
        optimum: 0.103_957_906_133_8,
        evaluations: 14,
        race: (13, 200.0),
    },
];

fn main() {
    if let Some(file) = std::env::var_os(streamed::FILE) {
        streamed::fit_file(Path::new(&file));
        return;
    }
    if let Some(file) = std::env::var_os(memory::FILE) {
        memory::fit_file(Path::new(&file));
        return;
    }
    if let Ok(sizes) = std::env::var(factor::SIZES) {
        factor::print(&sizes);
        return;
    }
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
fn measure(path: &Path, known: &Example) {
    let began = Instant::now();
    let traces = match tuner_rows::import::read(path, None) {
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
        constraints: &[],
        prior: None,
        needs_retrace: None,
    };
    let zero = vec![0.0; f.len()];
    let fit = minimise(&problem, &zero, &Options::default(), &mut |_| {
        ControlFlow::Continue(())
    });
    print_fit(known, &fit);
    let ratio = reading / fit.summary.cost.seconds;
    line(
        "reading over the fit",
        "at most 1.5 times",
        &format!("{ratio:.2}"),
        ratio <= 1.5,
    );
    print_cost(&traces, &f, &fit.x);
    memory::print(path, BYTES_A_ROW * traces.len() as f64);
    print_solvers(known, &problem);
    print_threads(&f, &fit.x);
    print_race(known, &traces);
    if known.race.0 == 1 {
        streamed::print(&traces, &reduction);
    }
}

/// Most bytes of a row of these sets.
const BYTES_A_ROW: f64 = 82.0;

/// Most epochs that Adam may take.
const MOST_EPOCHS: usize = 10_000;

/// Prints how much longer Adam takes than the fit to within 1e-6 of the
/// optimum, and an epoch than a gradient pass.
fn print_race(known: &Example, traces: &TraceSet) {
    let mut repeated = TraceSet::new(traces.slots());
    for _ in 0..known.race.0 {
        repeated.append(traces);
    }
    repeated.finish();
    let reduction = Reduction::of_lanes(2 * traces.slots());
    let Ok(f) = Regression::new(&repeated, &reduction, Loss::Squared, SIGMOID, Part::All) else {
        return;
    };
    println!("  {} rows against Adam:", repeated.len());
    let mut gradient = vec![0.0; f.len()];
    let pass = best_of(10, || {
        f.gradient(&vec![1.0; gradient.len()], &mut gradient)
            .expect("rows in memory");
    });
    let bandwidth = bandwidth();
    let speed = repeated.bytes() as f64 / pass;
    let share = speed / bandwidth;
    let goal = "at least half of the memory bandwidth";
    let measured = format!("{:.1} of {:.1} GB/s", speed / 1e9, bandwidth / 1e9);
    line("speed of a gradient pass", goal, &measured, share >= 0.5);
    let problem = Problem {
        objective: &f,
        held_out: None,
        bounds: reduction.bounds(),
        constraints: &[],
        prior: None,
        needs_retrace: None,
    };
    let near = known.optimum * (1.0 + 1e-6);
    let mut reached = None;
    minimise(
        &problem,
        &vec![0.0; f.len()],
        &Options::default(),
        &mut |at| {
            if at.record.error > near {
                return ControlFlow::Continue(());
            }
            reached = Some(at.record.clone());
            ControlFlow::Break(())
        },
    );
    let (Some(ours), Some(mut adam)) = (reached, Plain::new(&repeated, SIGMOID.beta())) else {
        println!("  no race: the rows are of another kind, or the fit did not get there");
        return;
    };
    let began = Instant::now();
    let mut epochs = 0;
    let mut error = f64::INFINITY;
    while error > near && epochs < MOST_EPOCHS {
        error = adam.epoch();
        epochs += 1;
    }
    let theirs = began.elapsed().as_secs_f64();
    let epoch = theirs / epochs as f64;
    let ratio = epoch / pass;
    let measured = format!(
        "{ratio:.2} ({:.1} ms, {:.1} epochs a second; {:.1} ms)",
        epoch * 1e3,
        1.0 / epoch,
        pass * 1e3
    );
    line(
        "an epoch of Adam over a gradient pass",
        "at least 3",
        &measured,
        ratio >= 3.0,
    );
    let ratio = theirs / ours.cost.seconds;
    let end = if error > near {
        "not there after"
    } else {
        "there after"
    };
    let (seconds, passes, matrices) = (
        ours.cost.seconds,
        ours.cost.passes,
        ours.cost.curvature_evaluations,
    );
    let measured = format!(
        "{ratio:.0} ({seconds:.2} s, {passes} passes, {matrices} of them matrices; \
         Adam {end} {epochs} epochs, {theirs:.1} s)"
    );
    let goal = format!("at least {:.0} times", known.race.1);
    line(
        "time to within 1e-6 of the optimum",
        &goal,
        &measured,
        ratio >= known.race.1,
    );
}

/// Bytes a second that all threads together read from memory.
fn bandwidth() -> f64 {
    let numbers: Vec<u64> = (0..50_000_000).collect();
    let sum = |part: &[u64]| part.iter().fold(0_u64, |sum, n| sum.wrapping_add(*n));
    let best = best_of(5, || {
        let total: u64 = numbers.par_chunks(1 << 16).map(sum).sum();
        std::hint::black_box(total);
    });
    8.0 * numbers.len() as f64 / best
}

/// Prints what a second thread brings.
fn print_threads(f: &Regression<'_>, x: &[f64]) {
    let mut times = Vec::new();
    for threads in [1, 2] {
        let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else {
            return;
        };
        let mut gradient = vec![0.0; f.len()];
        let mut matrix = Symmetric::zeros(f.len());
        times.push(pool.install(|| {
            best_of(5, || {
                f.gradient(x, &mut gradient).expect("rows in memory");
                f.curvature(x, Curvature::Newton, &mut matrix)
                    .expect("rows in memory");
            })
        }));
    }
    let ratio = times[0] / times[1];
    line(
        "two threads against one, a gradient and a matrix",
        "at least 1.8",
        &format!("{ratio:.2}"),
        ratio >= 1.8,
    );
}

/// Prints what each method that converges takes to within 1e-6 of the optimum.
fn print_solvers(known: &Example, problem: &Problem<'_>) {
    for solver in [Solver::Auto, Solver::NewtonCg, Solver::Cg, Solver::Lbfgs] {
        let near = 1.0 + 1e-6;
        let zero = vec![0.0; problem.objective.len()];
        let mut found = None;
        minimise(problem, &zero, &Options::of(solver), &mut |at| {
            if at.record.error > near * known.optimum {
                return ControlFlow::Continue(());
            }
            found = Some(at.record.clone());
            ControlFlow::Break(())
        });
        if solver == Solver::NewtonCg {
            let passes = found
                .as_ref()
                .map_or(usize::MAX, |record| record.cost.passes);
            let measured = passes.to_string();
            line("passes of newton-cg", "at most 40", &measured, passes <= 40);
        }
        let words = found.map_or_else(
            || "not reached".to_owned(),
            |record| {
                format!(
                    "{} iterations, {} passes, {} of scores alone, {:.2} s",
                    record.iteration,
                    record.cost.passes,
                    record.cost.score_passes,
                    record.cost.seconds
                )
            },
        );
        println!("  {solver} to within 1e-6: {words}");
    }
}

/// Prints what the fit reached.
fn print_fit(known: &Example, fit: &Solution) {
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
    let evaluations = summary.cost.curvature_evaluations;
    let goal = format!("at most {}", known.evaluations);
    line(
        "curvature matrices",
        &goal,
        &evaluations.to_string(),
        evaluations <= known.evaluations,
    );
    println!(
        "  fit: {:.3} s, {} passes; {}",
        summary.cost.seconds, summary.cost.passes, summary.termination
    );
    println!(
        "  {} weights unseen, {} combinations undetermined, {} separated",
        summary.unseen.len(),
        summary.undetermined.unwrap_or(0),
        summary.separated.len()
    );
}

/// Prints what passes and memory cost; returns the bytes that all rows may take.
fn print_cost(traces: &TraceSet, f: &Regression<'_>, x: &[f64]) {
    let mut gradient = vec![0.0; f.len()];
    let mut matrix = Symmetric::zeros(f.len());
    let pass = best_of(10, || {
        f.gradient(x, &mut gradient).expect("rows in memory");
    });
    let curvature = best_of(5, || {
        f.curvature(x, Curvature::Newton, &mut matrix)
            .expect("rows in memory");
    });
    println!("  one gradient pass: {:.2} ms", pass * 1e3);
    // Five passes of 18 ms, as they were on two quiet cores for 640,753 rows.
    let most = 90e-3 * traces.len() as f64 / 640_753.0;
    line(
        "one curvature matrix",
        &format!("at most {:.0} ms", most * 1e3),
        &format!("{:.0} ms, {:.1} passes", curvature * 1e3, curvature / pass),
        curvature <= most,
    );
    let rows = traces.len() as f64;
    let bytes = traces.bytes() as f64 / rows;
    line(
        "bytes a row",
        &format!("at most {BYTES_A_ROW:.0}"),
        &format!("{bytes:.1}"),
        bytes <= BYTES_A_ROW,
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
