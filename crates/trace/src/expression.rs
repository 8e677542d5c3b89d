//! The part of a score that is not linear in the weights: a small expression
//! over linear forms.
//!
//! An [`Expression`] is a list of [`Step`]s in the order of computation; its
//! inputs are values of linear forms, its constants those of the position.
//! Kept apart from its constants, the list of steps is the same for most
//! positions of an evaluation, so a trace set stores each list once.
//!
//! Not here: how a tape becomes an expression (`lower`), where inputs come
//! from (`rows`).

use std::cmp::Ordering;

use super::nonlinear_op::NonlinearOp;

/// One operation of an expression. Operands are numbers of earlier steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The value of the linear form with this number.
    Input(u32),
    /// The constant with this number; constants belong to the position.
    Constant(u32),
    /// a + b
    Add(u32, u32),
    /// −a
    Neg(u32),
    /// An operation that is not linear.
    Nonlinear(NonlinearOp<u32>),
    /// A branch that was taken because the operand has this relation to 0 or, if the last field is
    /// false, because it has not. The step has the value 0.
    Guard(u32, Relation, bool),
}

impl Step {
    /// Returns the step with its operands replaced: `f` gives the new number of each.
    #[must_use]
    pub fn map(self, mut f: impl FnMut(u32) -> u32) -> Self {
        match self {
            Self::Input(_) | Self::Constant(_) => self,
            Self::Add(a, b) => Self::Add(f(a), f(b)),
            Self::Neg(a) => Self::Neg(f(a)),
            Self::Nonlinear(op) => Self::Nonlinear(op.map(f)),
            Self::Guard(a, relation, holds) => Self::Guard(f(a), relation, holds),
        }
    }

    /// Calls a function with the number of each step that this step is computed from.
    pub fn each_operand(self, mut f: impl FnMut(u32)) {
        let _ = self.map(|operand| {
            f(operand);
            operand
        });
    }
}

/// How a number compares with 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// It is negative.
    Negative,
    /// It is positive.
    Positive,
    /// It is 0.
    Zero,
}

impl Relation {
    /// Tells whether a number has this relation to 0; NaN has no relation.
    #[inline]
    pub fn holds(self, value: f64) -> bool {
        let order = match self {
            Self::Negative => Ordering::Less,
            Self::Positive => Ordering::Greater,
            Self::Zero => Ordering::Equal,
        };
        value.partial_cmp(&0.0) == Some(order)
    }
}

/// A list of steps, the last of which is the value, and their constants.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expression {
    /// The steps; none: the expression is 0.
    pub steps: Vec<Step>,
    /// The constants that [`Step::Constant`] refers to.
    pub constants: Vec<f64>,
}

/// Values and derivatives of one expression; buffers to be reused.
#[derive(Clone, Debug, Default)]
pub struct ExpressionValues {
    /// By step: its value.
    pub(super) values: Vec<f64>,
    /// By step: the derivative of the expression's value by the value of the step.
    pub(super) adjoints: Vec<f64>,
}

impl Expression {
    /// Rewrites the expression over other inputs: each old input becomes the sum Σ factor·input
    /// over the new inputs and factors that `sum` returns for the old one's number.
    #[must_use]
    pub fn with_inputs(&self, mut sum: impl FnMut(u32) -> Vec<(u32, f64)>) -> Self {
        let mut to = Self {
            steps: Vec::with_capacity(self.steps.len()),
            constants: self.constants.clone(),
        };
        // By step of this expression, its number in the new one.
        let mut renamed: Vec<u32> = Vec::with_capacity(self.steps.len());
        for &step in &self.steps {
            let at = |step: u32| renamed[step as usize];
            let number = match step {
                Step::Input(input) => to.push_sum(&sum(input)),
                step => to.push(step.map(at)),
            };
            renamed.push(number);
        }
        to
    }

    /// Changes the sign of the value.
    pub fn negate(&mut self) {
        if let Some(last) = self.steps.len().checked_sub(1) {
            self.push(Step::Neg(last as u32));
        }
    }

    /// Appends a step and returns its number.
    pub(super) fn push(&mut self, step: Step) -> u32 {
        self.steps.push(step);
        self.steps.len() as u32 - 1
    }

    /// Appends a constant as a step and returns the number of the step.
    pub(super) fn push_constant(&mut self, value: f64) -> u32 {
        self.constants.push(value);
        self.push(Step::Constant(self.constants.len() as u32 - 1))
    }

    /// Appends steps that compute Σ factor·input, over pairs of an input's number and a factor, and
    /// returns the number of the last step. Without inputs that is the constant 0.
    fn push_sum(&mut self, inputs: &[(u32, f64)]) -> u32 {
        let mut sum = None;
        for &(input, factor) in inputs {
            let mut term = self.push(Step::Input(input));
            if factor.to_bits() != 1.0_f64.to_bits() {
                let factor = self.push_constant(factor);
                term = self.push(Step::Nonlinear(NonlinearOp::Mul(term, factor)));
            }
            sum = Some(sum.map_or(term, |before| self.push(Step::Add(before, term))));
        }
        sum.unwrap_or_else(|| self.push_constant(0.0))
    }
}

impl ExpressionValues {
    /// Computes the value of the expression that has these steps and constants, 0 without steps.
    /// The values of all steps are kept, for the derivatives and for guards (branches that were
    /// taken). *Shapes*: `inputs` has a value for each input.
    #[inline]
    pub fn value(&mut self, steps: &[Step], constants: &[f64], inputs: &[f64]) -> f64 {
        self.values.clear();
        for &step in steps {
            let at = |step: u32| self.values[step as usize];
            let value = match step {
                Step::Input(i) => inputs[i as usize],
                Step::Constant(i) => constants[i as usize],
                Step::Add(a, b) => at(a) + at(b),
                Step::Neg(a) => -at(a),
                Step::Nonlinear(op) => op.value(at),
                Step::Guard(..) => 0.0,
            };
            self.values.push(value);
        }
        self.values.last().copied().unwrap_or(0.0)
    }

    /// Adds to `by_input` the derivative of the expression's value by each input, where
    /// [`value`](Self::value) was computed last, for the same steps. The derivatives by each step
    /// are kept for second derivatives. *Cost*: a sweep from the last step to the first.
    #[inline]
    pub fn add_slopes(&mut self, steps: &[Step], by_input: &mut [f64]) {
        self.adjoints.clear();
        self.adjoints.resize(steps.len(), 0.0);
        if let Some(last) = self.adjoints.last_mut() {
            *last = 1.0;
        }
        // From the last step back, each passes its derivative times its slope on to its operands.
        for (index, &step) in steps.iter().enumerate().rev() {
            let adjoint = self.adjoints[index];
            // The value does not depend on this step, whose slopes may be infinite.
            if adjoint == 0.0 {
                continue;
            }
            match step {
                Step::Input(input) => by_input[input as usize] += adjoint,
                Step::Constant(_) | Step::Guard(..) => {}
                Step::Add(a, b) => {
                    self.adjoints[a as usize] += adjoint;
                    self.adjoints[b as usize] += adjoint;
                }
                Step::Neg(a) => self.adjoints[a as usize] -= adjoint,
                Step::Nonlinear(op) => {
                    let at = |step: u32| self.values[step as usize];
                    for (operand, slope) in op.slopes(at, self.values[index]) {
                        self.adjoints[operand as usize] += adjoint * slope;
                    }
                }
            }
        }
    }

    /// Tells whether some guard, a branch that was taken, does not hold where
    /// [`value`](Self::value) was computed last: the branch would be taken the other way.
    #[inline]
    pub fn changes_branch(&self, steps: &[Step]) -> bool {
        steps.iter().any(|step| match *step {
            Step::Guard(a, relation, holds) => relation.holds(self.values[a as usize]) != holds,
            _ => false,
        })
    }

    /// Returns for each step how far its value may be off at most, if each step by itself is off by
    /// at most `slack`; where [`value`](Self::value) was computed last.
    ///
    /// *Numerics*: rigorous for sums, products, quotients and monotone functions; for even powers
    /// exact unless 0 is within the operand's slack. *Shapes*: a bound for each step; steps beyond
    /// the end of `slack` have no slack of their own.
    pub fn bounds(&self, steps: &[Step], slack: &[f64]) -> Vec<f64> {
        let mut bounds: Vec<f64> = Vec::with_capacity(steps.len());
        for (index, &step) in steps.iter().enumerate() {
            let at = |a: u32| (self.values[a as usize], bounds[a as usize]);
            let passed = match step {
                Step::Input(_) | Step::Constant(_) | Step::Guard(..) => 0.0,
                Step::Add(a, b) => at(a).1 + at(b).1,
                Step::Neg(a) => at(a).1,
                Step::Nonlinear(op) => op.bound(at, self.values[index]),
            };
            bounds.push(passed + slack.get(index).copied().unwrap_or(0.0));
        }
        bounds
    }

    /// Tells whether the operand of some guard, a branch that was taken, is nearer to 0 than
    /// truncation may have moved it, where [`value`](Self::value) was computed last: then
    /// truncation may have taken the branch the other way.
    ///
    /// *Shapes*: `bounds` has for each step how far its value may be off, in the unit of the value,
    /// as [`bounds`](Self::bounds) tells it.
    ///
    /// # Panics
    /// If there are fewer bounds than steps.
    pub fn is_near_branch(&self, steps: &[Step], bounds: &[f64]) -> bool {
        steps.iter().any(|step| match *step {
            Step::Guard(a, ..) => self.values[a as usize].abs() < bounds[a as usize],
            _ => false,
        })
    }

    /// Tells whether some branch was taken another way than the values say that
    /// [`value`](Self::value) computed last, and they say so clearly: the number whose sign decides
    /// is farther from 0 than 8 times its bound, plus 1, plus a hundredth of the largest value. An
    /// evaluation in integers may round weights and what is computed from them.
    ///
    /// *Shapes*: `bounds` has for each step how far its value may be off, in the unit of the value,
    /// as [`bounds`](Self::bounds) tells it.
    ///
    /// # Panics
    /// If there are fewer bounds than steps.
    pub fn contradicts_branch(&self, steps: &[Step], bounds: &[f64]) -> bool {
        // Chosen: wide enough for any rounding, and far below what a wrong branch differs by.
        const BOUNDS: f64 = 8.0;
        const PART: f64 = 0.01;
        let largest = (self.values.iter()).fold(0.0, |max: f64, value| max.max(value.abs()));
        steps.iter().any(|step| match *step {
            Step::Guard(a, relation, holds) => {
                let value = self.values[a as usize];
                let near = BOUNDS * bounds[a as usize] + 1.0 + PART * largest;
                relation.holds(value) != holds && value.abs() > near
            }
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)] // small integers are exact

    use super::super::second::Tangents;
    use super::*;

    const CONSTANTS: [f64; 2] = [3.0, 0.7];

    /// Two inputs, both constants, and the operation on the inputs.
    fn steps(step: Step) -> Vec<Step> {
        vec![
            Step::Input(0),
            Step::Input(1),
            Step::Constant(0),
            Step::Constant(1),
            step,
            Step::Nonlinear(NonlinearOp::Mul(4, 2)),
        ]
    }

    fn operations() -> [Step; 16] {
        let ops = [
            NonlinearOp::Mul(0, 1),
            NonlinearOp::Div(0, 1),
            NonlinearOp::Min(0, 1),
            NonlinearOp::Max(0, 1),
            NonlinearOp::Abs(1),
            NonlinearOp::Power(0, 3),
            NonlinearOp::Power(1, -2),
            NonlinearOp::PowerOf(0, 3),
            NonlinearOp::Sqrt(0),
            NonlinearOp::Exp(1),
            NonlinearOp::Ln(0),
            NonlinearOp::Tanh(1),
        ]
        .map(Step::Nonlinear);
        let mut all = [Step::Input(1); 16];
        all[1..4].copy_from_slice(&[Step::Constant(1), Step::Add(0, 1), Step::Neg(0)]);
        all[4..].copy_from_slice(&ops);
        all
    }

    #[test]
    fn a_branch_is_near_where_truncation_may_reach_it() {
        let steps = [Step::Input(0), Step::Guard(0, Relation::Positive, true)];
        let mut evaluation = ExpressionValues::default();
        let mut is_near = |input: f64, slack: f64| {
            evaluation.value(&steps, &[], &[input]);
            let bounds = evaluation.bounds(&steps, &[slack]);
            evaluation.is_near_branch(&steps, &bounds)
        };
        assert!(is_near(0.9, 1.0) && is_near(-0.9, 1.0));
        assert!(!is_near(1.1, 1.0) && !is_near(0.0, 0.0));
    }

    #[test]
    fn derivatives_are_those_of_the_values() {
        for operation in operations() {
            let steps = steps(operation);
            for inputs in [[2.0, 0.5], [0.3, -1.25], [1.5, 1.75]] {
                let mut evaluation = ExpressionValues::default();
                evaluation.value(&steps, &CONSTANTS, &inputs);
                let mut slopes = [0.0; 2];
                evaluation.add_slopes(&steps, &mut slopes);
                for i in 0..2 {
                    let mut at = |h: f64| {
                        let mut moved = inputs;
                        moved[i] += h;
                        evaluation.value(&steps, &CONSTANTS, &moved)
                    };
                    let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                    let close = (slope - slopes[i]).abs() < 1e-7 * (1.0 + slope.abs());
                    assert!(close, "{operation:?} {inputs:?}: {slope} {slopes:?}");
                    let mut slopes_at = |h: f64| {
                        let mut moved = inputs;
                        moved[i] += h;
                        let mut slopes = [0.0; 2];
                        evaluation.value(&steps, &CONSTANTS, &moved);
                        evaluation.add_slopes(&steps, &mut slopes);
                        slopes
                    };
                    let (low, high) = (slopes_at(-1e-5), slopes_at(1e-5));
                    let mut seconds = [0.0; 4];
                    evaluation.value(&steps, &CONSTANTS, &inputs);
                    evaluation.add_slopes(&steps, &mut [0.0; 2]);
                    let mut tangents = Tangents::default();
                    evaluation.add_seconds(&steps, 2, &mut tangents, &mut seconds);
                    for j in 0..2 {
                        let second = (high[j] - low[j]) / 2e-5;
                        let close = (second - seconds[2 * i + j]).abs();
                        let close = close < 1e-6 * (1.0 + second.abs());
                        assert!(close, "{operation:?} {inputs:?}: {second} {seconds:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_derivative_of_an_extreme_is_that_of_the_operand_taken() {
        let (first, second) = ([1.0, 0.0], [0.0, 1.0]);
        for (inputs, of_min, of_max) in [
            ([2.0, 3.0], first, second),
            ([3.0, 2.0], second, first),
            ([2.0, f64::NAN], first, first),
            ([f64::NAN, 2.0], second, second),
        ] {
            let ops = [NonlinearOp::Min(0, 1), NonlinearOp::Max(0, 1)];
            for (op, expected) in ops.into_iter().zip([of_min, of_max]) {
                let steps = [Step::Input(0), Step::Input(1), Step::Nonlinear(op)];
                let (mut evaluation, mut slopes) = (ExpressionValues::default(), [0.0; 2]);
                evaluation.value(&steps, &[], &inputs);
                evaluation.add_slopes(&steps, &mut slopes);
                assert_eq!(slopes, expected, "{op:?} of {inputs:?}");
            }
        }
    }

    #[test]
    fn a_guard_tells_when_it_would_turn() {
        let steps = [
            Step::Input(0),
            Step::Guard(0, Relation::Positive, true),
            Step::Neg(0),
        ];
        let mut evaluation = ExpressionValues::default();
        for (value, changes) in [(2.0, false), (0.0, true), (-1.0, true)] {
            assert_eq!(evaluation.value(&steps, &[], &[value]), -value);
            assert_eq!(evaluation.changes_branch(&steps), changes);
        }
    }

    #[test]
    fn the_bound_holds_for_every_operation() {
        let slack = [0.1, 0.05];
        // The first reads an input again, whose slack here is that of a step.
        for &operation in &operations()[1..] {
            let steps = steps(operation);
            let mut evaluation = ExpressionValues::default();
            let inputs = [2.0, 0.6];
            let value = evaluation.value(&steps, &CONSTANTS, &inputs);
            let bounds = evaluation.bounds(&steps, &slack);
            let bound = bounds[bounds.len() - 1];
            for corner in 0..4 {
                let sign = |bit: u32| if corner >> bit & 1 == 0 { 1.0 } else { -1.0 };
                let moved = [
                    inputs[0] + sign(0) * slack[0],
                    inputs[1] + sign(1) * slack[1],
                ];
                let off = evaluation.value(&steps, &CONSTANTS, &moved) - value;
                assert!(
                    off.abs() <= bound * (1.0 + 1e-9),
                    "{operation:?} {off} {bound}"
                );
            }
        }
    }

    #[test]
    fn no_step_is_nothing() {
        assert_eq!(ExpressionValues::default().value(&[], &[], &[]), 0.0);
    }
}
