//! The `main.rs` of a crate of random evaluations: answers questions about them, a
//! line each. The test writes the crate, `made.rs` included, and asks.

#![allow(unused, reason = "drawn code has parentheses and variables to spare")]

mod made;

use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, BufRead, Write};

use tuner_core::trace::{ExpressionValues, Recorder, Registry, Tangents, Tr, Trace};

/// A position, as far as the evaluations look at it.
pub struct Board {
    pub men: [i32; 4],
    pub squares: [usize; 4],
    pub phase: i32,
    pub side: bool,
}

/// What is called of a program.
pub struct ProgramFns {
    pub tables: &'static [&'static str],
    pub production: fn(&Board) -> i32,
    pub twin: fn(&Board) -> Tr<i32>,
}

fn registry() -> &'static Registry {
    tuner_core::registry!()
}

fn main() -> Result<(), Box<dyn Error>> {
    let parameters = registry().parameters;
    let source: Vec<f64> = (parameters.iter())
        .flat_map(|p| p.values.iter().copied())
        .collect();
    let leaves = |fns: &ProgramFns| -> Vec<usize> {
        let declared = (fns.tables.iter())
            .filter_map(|name| parameters.iter().find(|p| p.name == *name));
        let of = |p: &tuner_core::trace::Declared| {
            let first = p.first as usize;
            first..first + p.values.len()
        };
        declared.flat_map(of).collect()
    };
    let programs: Vec<(&ProgramFns, Vec<usize>)> =
        made::PROGRAMS.iter().map(|fns| (fns, leaves(fns))).collect();
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let numbers: Result<Vec<i64>, _> = line.split(' ').map(str::parse).collect();
        let numbers = numbers?;
        let (fns, leaves) = &programs[numbers[0] as usize];
        let board = Board {
            men: std::array::from_fn(|man| numbers[1 + man] as i32),
            squares: std::array::from_fn(|man| numbers[5 + man] as usize),
            phase: numbers[9] as i32,
            side: numbers[10] != 0,
        };
        let mut values = source.clone();
        if numbers.len() != 11 + leaves.len() {
            return Err(format!("{} weights, not {}", leaves.len(), numbers.len() - 11).into());
        }
        for (&leaf, &value) in leaves.iter().zip(&numbers[11..]) {
            values[leaf] = value as f64;
        }
        writeln!(out, "{}", answer(fns, leaves, &board, &source, &values))?;
    }
    Ok(())
}

/// Production's score; the twin's; whether it wrapped; the twin's at other weights, what
/// the trace predicts of it, the slack, whether a branch changes; the first and the
/// second derivatives.
fn answer(
    fns: &ProgramFns,
    leaves: &[usize],
    board: &Board,
    source: &[f64],
    values: &[f64],
) -> String {
    let mut trace = Trace::default();
    Recorder::new().record(|| (fns.twin)(board), &mut trace);
    let exact = Recorder::defined_at(values, || (fns.twin)(board)).0;
    let (predicted, slack, flipped) = predicted(&trace, values);
    let mut out = format!(
        "{} {:?} {} {exact:?} {predicted:?} {slack:?} {}",
        (fns.production)(board),
        trace.score,
        u8::from(trace.wrapped),
        u8::from(flipped)
    );
    for derivative in derivatives(&trace, leaves, source) {
        // A string takes what is written to it.
        let _ = write!(out, " {derivative:?}");
    }
    out
}

/// The values of the forms.
fn inputs(trace: &Trace, values: &[f64]) -> Vec<f64> {
    let forms = trace.forms.iter().map(|form| {
        let terms = form.terms.iter();
        terms
            .map(|&(leaf, c)| c as f64 * values[leaf.index()])
            .sum::<f64>()
    });
    forms.collect()
}

fn predicted(trace: &Trace, values: &[f64]) -> (f64, f64, bool) {
    let inputs = inputs(trace, values);
    let linear = trace.forms.iter().zip(&inputs).map(|(f, x)| f.factor * x);
    let mut score = trace.constant + linear.sum::<f64>();
    let (mut slack, mut flipped) = (trace.slack + 1e-6, false);
    if let Some(expression) = &trace.expression {
        let mut evaluation = ExpressionValues::default();
        score += evaluation.value(&expression.steps, &expression.constants, &inputs);
        let bounds = evaluation.bounds(&expression.steps, &trace.step_slack);
        slack += bounds.last().unwrap();
        flipped = evaluation.changes_branch(&expression.steps);
    }
    (score, slack, flipped)
}

/// The first derivatives of a trace, then the second ones row by row.
fn derivatives(trace: &Trace, leaves: &[usize], source: &[f64]) -> Vec<f64> {
    let count = leaves.len();
    let mut first = vec![0.0; count];
    let mut second = vec![0.0; count * count];
    let mut own = vec![usize::MAX; source.len()];
    for (at, &leaf) in leaves.iter().enumerate() {
        own[leaf] = at;
    }
    let forms = trace.forms.iter().map(|form| {
        let mut row = vec![0.0; count];
        for &(leaf, coefficient) in &form.terms {
            row[own[leaf.index()]] += coefficient as f64;
        }
        row
    });
    let forms: Vec<Vec<f64>> = forms.collect();
    for (form, row) in trace.forms.iter().zip(&forms) {
        for (slope, &coefficient) in first.iter_mut().zip(row) {
            *slope += form.factor * coefficient;
        }
    }
    if let Some(expression) = &trace.expression {
        let inputs = inputs(trace, source);
        let mut evaluation = ExpressionValues::default();
        evaluation.value(&expression.steps, &expression.constants, &inputs);
        let mut slopes = vec![0.0; inputs.len()];
        evaluation.add_slopes(&expression.steps, &mut slopes);
        let mut bends = vec![0.0; inputs.len() * inputs.len()];
        let tangents = &mut Tangents::default();
        evaluation.add_seconds(&expression.steps, inputs.len(), tangents, &mut bends);
        for (form, row) in forms.iter().enumerate() {
            for (at, &coefficient) in row.iter().enumerate().filter(|(_, c)| **c != 0.0) {
                first[at] += slopes[form] * coefficient;
                for (other, column) in forms.iter().enumerate() {
                    let bend = bends[form * inputs.len() + other] * coefficient;
                    for (to, &factor) in column.iter().enumerate() {
                        second[at * count + to] += bend * factor;
                    }
                }
            }
        }
    }
    first.extend(second);
    first
}
