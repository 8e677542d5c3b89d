//! Second derivatives of an expression, for Newton's method.
//!
//! `∂²f = Σ_steps (∂f/∂step) · Σ_ab step_ab · ∂a ⊗ ∂b`: only operations that
//! bend contribute, each by the derivatives of its operands by the inputs.

use super::expression::{ExpressionValues, Step};

/// Derivatives of all steps by all inputs; buffers to be reused.
#[derive(Clone, Debug, Default)]
pub struct Tangents {
    /// A row for each step: its derivatives by all inputs.
    by_input: Vec<f64>,
    /// Whether any of a step's derivatives is not 0.
    depends: Vec<bool>,
}

impl ExpressionValues {
    /// Adds the second derivatives of the expression's value by all pairs of inputs to `to`. To be
    /// called after [`value`](Self::value) and [`add_slopes`](Self::add_slopes) for the same steps.
    /// `inputs`: how many inputs there are; `along`: memory for the derivatives of steps by inputs.
    ///
    /// *Shapes*: `to` is inputs × inputs, row by row, symmetric. *Cost*: inputs × steps, and
    /// inputs² for each operation that has second derivatives.
    #[inline]
    pub fn add_seconds(&self, steps: &[Step], inputs: usize, along: &mut Tangents, to: &mut [f64]) {
        debug_assert_eq!(to.len(), inputs * inputs, "inputs × inputs");
        along.by_input.clear();
        along.depends.clear();
        for (index, &step) in steps.iter().enumerate() {
            let at = |a: u32| self.values[a as usize];
            along.extend(step, inputs, at, self.values[index]);
            let Step::Nonlinear(op) = step else { continue };
            let adjoint = self.adjoints[index];
            // The value does not depend on this step; the derivatives of its operands by the inputs
            // may be infinite, and 0 times these NaN.
            if adjoint == 0.0 {
                continue;
            }
            let Some((a, b, [aa, ab, bb])) = op.seconds(at, self.values[index]) else {
                continue;
            };
            // By a and b, and by b and a: the matrix is symmetric.
            let pairs = [(a, a, aa), (a, b, ab), (b, a, ab), (b, b, bb)];
            for (left, right, second) in pairs {
                if second != 0.0 {
                    along.add_product(left, right, adjoint * second, inputs, to);
                }
            }
        }
    }
}

impl Tangents {
    /// Appends a row for the next step: its derivatives by all inputs, Σ slope·(derivatives of the
    /// operand) over its operands. `at` gives the values of the operands by their numbers, `y` is
    /// the value of the step.
    fn extend(&mut self, step: Step, inputs: usize, at: impl Fn(u32) -> f64, y: f64) {
        let start = self.by_input.len();
        self.by_input.resize(start + inputs, 0.0);
        let mut depends = false;
        let mut add = |a: u32, slope: f64| {
            if slope != 0.0 && self.depends[a as usize] {
                depends = true;
                let (before, row) = self.by_input.split_at_mut(start);
                let operand = &before[a as usize * inputs..][..inputs];
                let pairs = row.iter_mut().zip(operand);
                pairs.for_each(|(sum, by_input)| *sum += slope * by_input);
            }
        };
        match step {
            Step::Input(_) | Step::Constant(_) | Step::Guard(..) => {}
            Step::Add(a, b) => {
                add(a, 1.0);
                add(b, 1.0);
            }
            Step::Neg(a) => add(a, -1.0),
            Step::Nonlinear(op) => {
                for (operand, slope) in op.slopes(at, y) {
                    add(operand, slope);
                }
            }
        }
        if let Step::Input(input) = step {
            self.by_input[start + input as usize] = 1.0;
            depends = true;
        }
        self.depends.push(depends);
    }

    /// Adds `by`·∂a/∂i·∂b/∂j to the matrix `to`, for all pairs of inputs i and j: ∂a/∂i is the
    /// derivative of step `a` by input i, ∂b/∂j that of step `b` by input j.
    fn add_product(&self, a: u32, b: u32, by: f64, inputs: usize, to: &mut [f64]) {
        let [a, b] = [a, b].map(|step| step as usize);
        if !self.depends[a] || !self.depends[b] {
            return;
        }
        let row = |step: usize| &self.by_input[step * inputs..][..inputs];
        for (line, &left) in to.chunks_exact_mut(inputs).zip(row(a)) {
            if left != 0.0 {
                let left = by * left;
                let pairs = line.iter_mut().zip(row(b));
                pairs.for_each(|(sum, right)| *sum += left * right);
            }
        }
    }
}
