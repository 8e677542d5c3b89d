//! Expressions with each value computed once.
//!
//! A trace has a step for every operation of the evaluation. Here equal steps become one,
//! operations on constants a constant, and a sum counts each of its terms once: of products
//! of weights over 81 squares there are as many as differ.

use std::mem::take;

use fnv::FnvHashMap;
use tuner_base::add_alike;
use tuner_trace::{Expression, NonlinearOp, Step};

/// Marks a step that is not written yet.
const NONE: u32 = u32::MAX;

/// Rewrites expressions; keeps its buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sharing {
    /// By step of the old expression, how often other steps refer to it.
    uses: Vec<u32>,
    /// By step of the old expression, its number in the new one, or [`NONE`].
    renamed: Vec<u32>,
    /// By step of the old expression, the sum that it is, until that is written.
    sums: Vec<Sum>,
    /// Numbers of the new steps, to find equal ones.
    numbers: FnvHashMap<Step, u32>,
    /// The numbers of constants by their bits.
    constants: FnvHashMap<u64, u32>,
    /// In a sum, the place in `groups` of each factor, by its bits.
    by_factor: FnvHashMap<u64, usize>,
    /// In a sum, the factors, and for each the steps that it multiplies.
    groups: Vec<(f64, Vec<u32>)>,
    /// The new expression.
    to: Expression,
}

/// A sum Σ factor·step + constant, of steps of the new expression.
#[derive(Clone, Debug, Default)]
struct Sum {
    terms: Vec<(u32, f64)>,
    constant: f64,
}

impl Sum {
    /// Makes the sum Σ factor·step + constant; `terms`: steps of the expression that is written,
    /// each with its factor.
    fn of(terms: Vec<(u32, f64)>, constant: f64) -> Self {
        Self { terms, constant }
    }

    /// Multiplies the sum by a factor.
    fn times(mut self, factor: f64) -> Self {
        for term in &mut self.terms {
            term.1 *= factor;
        }
        self.constant *= factor;
        self
    }
}

impl Sharing {
    /// Returns an expression of equal value and guards (branches that were taken), over the inputs
    /// of `from`, in which each value is computed once. Sums, multiples and constants of `from` are
    /// not written at once, but collected as Σ factor·step + constant, until an operation that is
    /// not a sum needs their value.
    ///
    /// *Numerics*: equal up to the order of sums, and to rounding where a sum's terms are
    /// multiplied together. *Cost*: linear in the steps, but for sorting the terms of sums.
    pub(crate) fn shared(&mut self, from: &Expression) -> Expression {
        self.count_uses(&from.steps);
        self.renamed.clear();
        self.renamed.resize(from.steps.len(), NONE);
        self.sums.clear();
        self.sums.resize(from.steps.len(), Sum::default());
        self.numbers.clear();
        self.constants.clear();
        for (index, &step) in from.steps.iter().enumerate() {
            // What is a sum waits in `sums`; any other step is written at once.
            self.sums[index] = match step {
                Step::Constant(i) => {
                    // One that the expression does not have counts as 0.
                    let constant = from.constants.get(i as usize).copied();
                    Sum::of(Vec::new(), constant.unwrap_or_default())
                }
                Step::Add(a, b) => {
                    let (mut sum, more) = (self.terms(a), self.terms(b));
                    sum.terms.extend(more.terms);
                    sum.constant += more.constant;
                    sum
                }
                Step::Neg(a) => self.terms(a).times(-1.0),
                Step::Nonlinear(NonlinearOp::Mul(a, b)) => self.product(a, b),
                _ => {
                    let step = step.map(|a| self.written(a));
                    self.renamed[index] = self.push(step);
                    continue;
                }
            };
        }
        if let Some(last) = from.steps.len().checked_sub(1) {
            let value = self.written(last as u32);
            // The value of an expression is that of its last step.
            if value as usize + 1 < self.to.steps.len() {
                let zero = self.constant(0.0);
                self.to.steps.push(Step::Add(value, zero));
            }
        }
        take(&mut self.to)
    }

    /// Counts for each step how often other steps have it as an operand, also guards, which are
    /// branches that were taken.
    fn count_uses(&mut self, steps: &[Step]) {
        self.uses.clear();
        self.uses.resize(steps.len(), 0);
        for &step in steps {
            step.each_operand(|a| self.uses[a as usize] += 1);
        }
    }

    /// The value of a step of the expression that is rewritten, if it is a constant: a sum without
    /// terms that is not written yet. `None` for any other step.
    fn known(&self, step: u32) -> Option<f64> {
        let sum = &self.sums[step as usize];
        let is_sum = self.renamed[step as usize] == NONE;
        (is_sum && sum.terms.is_empty()).then_some(sum.constant)
    }

    /// The product of two steps of the expression that is rewritten, as a sum: the multiple of one
    /// if the other is a constant, else a new step of its own. The operand with the smaller number
    /// comes first, so that a·b and b·a are one step.
    fn product(&mut self, a: u32, b: u32) -> Sum {
        match (self.known(a), self.known(b)) {
            (Some(a), Some(b)) => Sum::of(Vec::new(), a * b),
            (Some(factor), None) => self.scaled(b, factor),
            (None, Some(factor)) => self.scaled(a, factor),
            (None, None) => {
                let (a, b) = (self.written(a), self.written(b));
                let step = Step::Nonlinear(NonlinearOp::Mul(a.min(b), a.max(b)));
                Sum::of(vec![(self.push(step), 1.0)], 0.0)
            }
        }
    }

    /// A step of the expression that is rewritten times a constant, as a sum. If the step is a sum
    /// of several terms it is written first: it is then added up once and multiplied once, and not
    /// each term multiplied.
    fn scaled(&mut self, step: u32, factor: f64) -> Sum {
        if self.sums[step as usize].terms.len() > 1 {
            self.written(step);
        }
        self.terms(step).times(factor)
    }

    /// A step of the expression that is rewritten as a part of a sum. A step that is itself a sum,
    /// not written yet, gives its terms if nothing else refers to it, or if it has at most one:
    /// then it need not be written. Any other step is a single term with factor 1.
    fn terms(&mut self, step: u32) -> Sum {
        let index = step as usize;
        if self.renamed[index] == NONE {
            let sum = &self.sums[index];
            if self.uses[index] == 1 {
                return take(&mut self.sums[index]);
            }
            if sum.terms.len() + usize::from(sum.constant != 0.0) <= 1 {
                return sum.clone();
            }
        }
        Sum::of(vec![(self.written(step), 1.0)], 0.0)
    }

    /// The number in the new expression of a step of the one that is rewritten. The step is written
    /// now, unless it was before.
    fn written(&mut self, step: u32) -> u32 {
        let index = step as usize;
        if self.renamed[index] == NONE {
            let sum = take(&mut self.sums[index]);
            self.renamed[index] = self.write(sum);
        }
        self.renamed[index]
    }

    /// Writes a sum as steps of the new expression and returns the number of the last one. Steps
    /// that have the same factor are added up before they are multiplied by it.
    fn write(&mut self, mut sum: Sum) -> u32 {
        sum.terms.sort_by_key(|term| term.0); // stable: sums in a fixed order
        add_alike(&mut sum.terms);
        // By factor, in the order in which factors come first: the steps that have it.
        let mut groups = take(&mut self.groups);
        self.by_factor.clear();
        for (step, factor) in sum.terms.into_iter().filter(|term| term.1 != 0.0) {
            let number = *(self.by_factor.entry(factor.to_bits())).or_insert_with(|| {
                groups.push((factor, Vec::new()));
                groups.len() - 1
            });
            groups[number].1.push(step);
        }
        let mut all = None;
        for (factor, steps) in groups.drain(..) {
            let mut group = None;
            for step in steps {
                group = Some(self.added(group, step));
            }
            if let Some(mut part) = group {
                if factor.to_bits() == (-1.0_f64).to_bits() {
                    part = self.push(Step::Neg(part));
                } else if factor.to_bits() != 1.0_f64.to_bits() {
                    let factor = self.constant(factor);
                    part = self.push(Step::Nonlinear(NonlinearOp::Mul(part, factor)));
                }
                all = Some(self.added(all, part));
            }
        }
        self.groups = groups;
        // The constant comes last.
        match all {
            Some(all) if sum.constant == 0.0 => all,
            _ => {
                let constant = self.constant(sum.constant);
                self.added(all, constant)
            }
        }
    }

    /// The number of the step `sum` + `step`, which is `step` where there is no sum yet.
    fn added(&mut self, sum: Option<u32>, step: u32) -> u32 {
        sum.map_or(step, |sum| self.push(Step::Add(sum, step)))
    }

    /// The number of the step of the new expression that is a constant of this value; it is added
    /// if there is none yet.
    fn constant(&mut self, value: f64) -> u32 {
        let constants = &mut self.to.constants;
        let number = *self.constants.entry(value.to_bits()).or_insert_with(|| {
            constants.push(value);
            constants.len() as u32 - 1
        });
        self.push(Step::Constant(number))
    }

    /// The number of a step in the new expression; a step that is not there yet is added.
    fn push(&mut self, step: Step) -> u32 {
        let steps = &mut self.to.steps;
        *self.numbers.entry(step).or_insert_with(|| {
            steps.push(step);
            steps.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuner_trace::{ExpressionValues, Relation};

    /// Some of everything, and most of it twice.
    fn example() -> Expression {
        let mul = |a, b| Step::Nonlinear(NonlinearOp::Mul(a, b));
        let steps = vec![
            Step::Input(0),
            Step::Input(1),
            mul(0, 1),
            Step::Constant(0),
            mul(2, 3),
            Step::Input(1),
            Step::Input(0),
            mul(5, 6),
            Step::Constant(1),
            mul(7, 8),
            Step::Add(4, 9),
            Step::Neg(6),
            Step::Add(10, 11),
            Step::Guard(12, Relation::Negative, true),
            Step::Nonlinear(NonlinearOp::Max(12, 1)),
            mul(8, 3),
            Step::Add(15, 14),
            Step::Add(16, 12),
        ];
        Expression {
            steps,
            constants: vec![0.5, 0.25],
        }
    }

    #[test]
    fn value_and_slopes_are_the_same_in_fewer_steps() {
        let from = example();
        let to = Sharing::default().shared(&from);
        assert!(to.steps.len() < from.steps.len(), "{:?}", to.steps);
        let products = |e: &Expression| {
            let is_product = |step: &&Step| matches!(step, Step::Nonlinear(NonlinearOp::Mul(..)));
            e.steps.iter().filter(is_product).count()
        };
        assert_eq!((products(&from), products(&to)), (5, 2), "{:?}", to.steps);
        for inputs in [[2.0, 0.5], [-3.0, 7.0], [4.0, 0.0]] {
            let at = |e: &Expression| {
                let mut evaluation = ExpressionValues::default();
                let value = evaluation.value(&e.steps, &e.constants, &inputs);
                let mut slopes = [0.0; 2];
                evaluation.add_slopes(&e.steps, &mut slopes);
                (value, slopes, evaluation.changes_branch(&e.steps))
            };
            assert_eq!(at(&from), at(&to), "{inputs:?}");
        }
    }

    #[test]
    fn products_over_squares_are_as_many_as_differ() {
        let mut steps = Vec::new();
        let mut sum: Option<u32> = None;
        let mut push = |step| {
            steps.push(step);
            steps.len() as u32 - 1
        };
        for square in 0..81 {
            let (a, b) = (
                push(Step::Input(square % 3)),
                push(Step::Input(3 + square % 9)),
            );
            let product = push(Step::Nonlinear(NonlinearOp::Mul(a, b)));
            let factor = push(Step::Constant(square));
            let term = push(Step::Nonlinear(NonlinearOp::Mul(product, factor)));
            sum = Some(sum.map_or(term, |sum| push(Step::Add(sum, term))));
        }
        let constants = vec![1.0 / 1024.0; 81];
        let from = Expression { steps, constants };
        let to = Sharing::default().shared(&from);
        // Inputs, products, their sum, and its factor.
        assert_eq!(to.steps.len(), 12 + 9 + 8 + 2);
        assert_eq!(to.constants, [9.0 / 1024.0]);
    }

    #[test]
    fn what_is_a_number_is_one_constant() {
        let steps = vec![
            Step::Constant(0),
            Step::Constant(0),
            Step::Add(0, 1),
            Step::Neg(2),
        ];
        let from = Expression {
            steps,
            constants: vec![1.5],
        };
        let to = Sharing::default().shared(&from);
        assert_eq!(
            (to.steps, to.constants),
            (vec![Step::Constant(0)], vec![-3.0])
        );
        let nothing = Sharing::default().shared(&Expression::default());
        assert_eq!(nothing, Expression::default());
    }
}
