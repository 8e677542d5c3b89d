//! Second derivatives of rows side by side, by the sums over their segments.
//!
//! With ∇a the derivatives of operand a of a step by the sums, v̄ the derivative of the value by
//! that step, and f″ the second derivatives of its operation, the matrix is
//!
//! ```text
//! Σ over nonlinear steps of v̄·(f″_aa·∇a∇aᵀ + f″_ab·(∇a∇bᵀ + ∇b∇aᵀ) + f″_bb·∇b∇bᵀ)
//! ```
//!
//! Most sums go into the value linearly: they have no row and no column here. For one row alone
//! [`ExpressionValues::add_seconds`](tuner_trace::ExpressionValues::add_seconds) computes this.

use super::batch::{Lanes, WIDTH, lanes, slopes_of};
use tuner_trace::{NonlinearOp, Step};

const NOTHING: Lanes = [0.0; WIDTH];

/// Marks an input without a column, or a step without a line.
const NONE: u32 = u32::MAX;

/// The second derivatives of rows with one list of steps, and how to compute them.
#[derive(Clone, Debug, Default)]
pub(super) struct SecondDerivatives {
    /// The segments by which there are second derivatives, ascending, by their numbers in a row.
    pub(super) segments: Vec<u32>,
    /// By step, the number of its line in `tangents`, or [`NONE`] where that is not needed.
    lines: Vec<u32>,
    /// The steps that have a line, or second derivatives by their operands, ascending.
    steps: Vec<u32>,
    /// By input (number of a sum), its column in `tangents` and in `all`, or [`NONE`].
    columns: Vec<u32>,
    /// Derivatives ∇ of steps by the inputs: lines × columns, each number for all rows.
    tangents: Vec<Lanes>,
    /// The second derivatives: columns × columns, each number for all rows.
    all: Vec<Lanes>,
}

/// Tells whether an operation has second derivatives by the inputs, the sums over segments.
/// `depends`: whether an operand, by its number, depends on any input. A minimum, a maximum and an
/// absolute value have none: on both sides of their kink they are linear. So is a product with a
/// constant, or a quotient by one.
fn has_seconds(op: NonlinearOp<u32>, depends: impl Fn(u32) -> bool) -> bool {
    match op {
        NonlinearOp::Min(..) | NonlinearOp::Max(..) | NonlinearOp::Abs(_) => false,
        NonlinearOp::Mul(a, b) => depends(a) && depends(b),
        NonlinearOp::Div(_, b) => depends(b),
        NonlinearOp::PowerOf(a, b) => depends(a) || depends(b),
        NonlinearOp::Power(a, _)
        | NonlinearOp::Sqrt(a)
        | NonlinearOp::Exp(a)
        | NonlinearOp::Ln(a)
        | NonlinearOp::Tanh(a) => depends(a),
    }
}

/// Calls `each` with the number of each operand of a step. The operand of a guard (a branch that
/// was taken) is left out: the guard's value, 0, depends on nothing.
fn operands(step: Step, each: impl FnMut(u32)) {
    if !matches!(step, Step::Guard(..)) {
        step.each_operand(each);
    }
}

impl SecondDerivatives {
    /// Prepares `compute` for a list of steps: finds the steps whose gradients ∇ are needed, the
    /// derivatives by the inputs (the sums over segments). They are the operands of live operations
    /// that have second derivatives, and, as each ∇ is a sum over those of the operands, the
    /// operands of these steps in turn. Gives each a line of `tangents`, and the inputs among them
    /// columns. `live`: by step, whether the value depends on it.
    pub(super) fn plan(&mut self, steps: &[Step], live: &[bool]) {
        let mut depends: Vec<bool> = Vec::with_capacity(steps.len());
        for &step in steps {
            let mut any = matches!(step, Step::Input(_));
            operands(step, |a| any |= depends[a as usize]);
            depends.push(any);
        }
        let depends = |step: u32| depends[step as usize];
        let is_wanted =
            |step: Step| matches!(step, Step::Nonlinear(op) if has_seconds(op, depends));
        self.lines.clear();
        self.lines.resize(steps.len(), NONE);
        // From the last step back: what is wanted, or has a line, gives its operands one.
        let (mut count, mut inputs) = (0, Vec::new());
        for (index, &step) in steps.iter().enumerate().rev() {
            if self.lines[index] != NONE || (live[index] && is_wanted(step)) {
                operands(step, |a| {
                    let line = &mut self.lines[a as usize];
                    if *line == NONE && depends(a) {
                        *line = count;
                        count += 1;
                    }
                });
            }
            if let (Step::Input(input), true) = (step, self.lines[index] != NONE) {
                inputs.push(input);
            }
        }
        self.steps.clear();
        self.steps
            .extend((0..).zip(steps).filter_map(|(index, &step)| {
                let has_line = self.lines[index as usize] != NONE;
                (has_line || (live[index as usize] && is_wanted(step))).then_some(index)
            }));
        self.give_columns(&inputs);
        self.tangents.clear();
        self.tangents
            .resize(count as usize * 2 * self.segments.len(), [0.0; WIDTH]);
    }

    /// Lists in `segments` those to which the inputs belong, ascending, and in `columns`, by input,
    /// its column in the matrix of second derivatives, or `NONE`. `inputs`: those by which there
    /// are second derivatives. Inputs 2·i and 2·i + 1 are the sums over the two lanes of segment i;
    /// both get a column, even if only one is listed, as second derivatives are read by pairs of
    /// segments.
    fn give_columns(&mut self, inputs: &[u32]) {
        self.segments.clear();
        self.segments.extend(inputs.iter().map(|input| input / 2));
        self.segments.sort_unstable();
        self.segments.dedup();
        self.columns.clear();
        for (number, &segment) in (0..).zip(&self.segments) {
            self.columns.resize(2 * segment as usize, NONE);
            self.columns.extend([2 * number, 2 * number + 1]);
        }
    }

    /// Computes the matrix of second derivatives of each row's expression by the inputs, the sums
    /// over segments: Σ over nonlinear steps of v̄·(f″_aa·∇a∇aᵀ + f″_ab·(∇a∇bᵀ + ∇b∇aᵀ) +
    /// f″_bb·∇b∇bᵀ). v̄ is the derivative of the value by the step, f″ are the second derivatives
    /// of the step's operation by its operands a and b, ∇a are the derivatives of a by the inputs.
    ///
    /// `steps`: the list that `plan` was given; `values`: the result of each step; `adjoints`: v̄
    /// of each step.
    #[inline(always)] // into kernels
    pub(super) fn compute(&mut self, steps: &[Step], values: &[Lanes], adjoints: &[Lanes]) {
        let width = 2 * self.segments.len();
        self.all.clear();
        self.all.resize(width * width, [0.0; WIDTH]);
        for number in 0..self.steps.len() {
            let index = self.steps[number];
            let step = steps[index as usize];
            let line = self.lines[index as usize];
            if line != NONE {
                let line = line as usize * width..(line as usize + 1) * width;
                self.tangent(step, line, values, index);
            }
            let Step::Nonlinear(op) = step else { continue };
            let adjoint = &adjoints[index as usize];
            // The operands a and b, and v̄ times f″ by aa, ab and bb; of a product f″_ab is 1, the
            // others are 0.
            let found = match op {
                NonlinearOp::Mul(a, b) => Some(([a, b], [NOTHING, *adjoint, NOTHING])),
                op => seconds_of(op, values, index as usize, adjoint),
            };
            let Some(([a, b], [aa, ab, bb])) = found else {
                continue;
            };
            for (left, right, by) in [(a, a, &aa), (a, b, &ab), (b, a, &ab), (b, b, &bb)] {
                self.add_product(left, right, by);
            }
        }
    }

    /// Computes the gradient ∇ of a step, its derivatives by the inputs (the sums over segments),
    /// from those of its operands by the chain rule. `line`: the place of its numbers in
    /// `tangents`; `values`: the result of each step; `index`: the number of the step.
    #[inline(always)] // into kernels
    fn tangent(&mut self, step: Step, line: std::ops::Range<usize>, values: &[Lanes], index: u32) {
        let (start, width) = (line.start, line.len());
        self.tangents[line].fill(NOTHING);
        // Each operand with the derivative of the step by it; the second is unused where there is
        // one.
        let operands = match step {
            Step::Input(input) => {
                // Every input that has a line has a column.
                let column = self.columns.get(input as usize).map_or(0, |&c| c as usize);
                self.tangents[start + column] = [1.0; WIDTH];
                return;
            }
            Step::Constant(_) | Step::Guard(..) => return,
            Step::Add(a, b) => [(a, [1.0; WIDTH]), (b, [1.0; WIDTH])],
            Step::Neg(a) => [(a, [-1.0; WIDTH]), (a, NOTHING)],
            Step::Nonlinear(NonlinearOp::Mul(a, b)) => {
                [(a, values[b as usize]), (b, values[a as usize])]
            }
            Step::Nonlinear(op) => slopes_of(op, values, index as usize),
        };
        for (operand, slopes) in &operands {
            let line = self.lines[*operand as usize];
            if line == NONE || is_zero(slopes) {
                continue;
            }
            let from = line as usize * width;
            for column in 0..width {
                let of = self.tangents[from + column];
                let to = &mut self.tangents[start + column];
                for k in 0..WIDTH {
                    to[k] += product(slopes[k], of[k]);
                }
            }
        }
    }

    /// Adds `by`·∇a·∇bᵀ to the matrix of each row; ∇a are the derivatives of step `a` by the
    /// inputs, a line of `tangents`. A step without a line depends on no input, and nothing is
    /// added.
    #[inline(always)] // into kernels
    fn add_product(&mut self, a: u32, b: u32, by: &Lanes) {
        let [a, b] = [a, b].map(|step| self.lines[step as usize]);
        if a == NONE || b == NONE || is_zero(by) {
            return;
        }
        let width = 2 * self.segments.len();
        let [a, b] = [a, b].map(|line| line as usize * width);
        for row in 0..width {
            let left = self.tangents[a + row];
            if is_zero(&left) {
                continue;
            }
            let left = lanes(|k| product(by[k], left[k]));
            for column in 0..width {
                let right = &self.tangents[b + column];
                let to = &mut self.all[row * width + column];
                for k in 0..WIDTH {
                    to[k] += product(left[k], right[k]);
                }
            }
        }
    }

    /// Returns the second derivatives of a row's score by the sums of two segments: by lanes 0 and
    /// 0, 0 and 1, 1 and 0, 1 and 1 of the first and the second segment. `row`: its place among the
    /// rows side by side; the segments: their places in `self.segments`, the list of those that
    /// have second derivatives.
    #[inline]
    pub(super) fn block(&self, row: usize, [left, right]: [usize; 2]) -> [f64; 4] {
        let width = 2 * self.segments.len();
        let at = |x: usize, y: usize| self.all[(2 * left + x) * width + 2 * right + y][row];
        [at(0, 0), at(0, 1), at(1, 0), at(1, 1)]
    }
}

/// Returns the operands a and b of the operation at step `index`, and its second derivatives by aa,
/// ab and bb, in each row times the adjoint (the derivative of the expression's value by the step);
/// 0 in rows whose adjoint is 0. `None` where the operation has no second derivatives in any row,
/// or all adjoints are 0. `values`: the result of each step.
#[inline(never)] // a dozen cases, of which the most call functions: once for all kernels
fn seconds_of(
    op: NonlinearOp<u32>,
    values: &[Lanes],
    index: usize,
    adjoint: &Lanes,
) -> Option<([u32; 2], [Lanes; 3])> {
    let (mut all, mut of) = ([NOTHING; 3], None);
    for k in 0..WIDTH {
        let at = |step: u32| values[step as usize][k];
        let found = op.seconds(at, values[index][k]);
        if let Some((a, b, seconds)) = found.filter(|_| adjoint[k] != 0.0) {
            of = Some([a, b]);
            for (pair, second) in all.iter_mut().zip(seconds) {
                pair[k] = adjoint[k] * second;
            }
        }
    }
    of.map(|of| (of, all))
}

/// Tells whether a number is 0 in all of the rows side by side.
#[inline(always)] // into kernels
fn is_zero(numbers: &Lanes) -> bool {
    numbers.iter().all(|&number| number == 0.0)
}

/// Multiplies two derivatives. One of 0 makes 0 even where the other is infinite.
#[inline(always)] // into kernels
fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}
