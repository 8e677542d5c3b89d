//! The score at other weights as a trace predicts it, and how exact that is.

use super::expression::ExpressionValues;
use super::sweep::Trace;

/// The score of one trace at some weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Predicted {
    /// The score: the sum of linear part, constant and expression.
    pub score: f64,
    /// How far truncation, and the rounding of floats, may have moved the evaluation's own score
    /// from this one.
    pub bound: f64,
    /// Whether a branch would be taken the other way there, so that the
    /// evaluation may say something else.
    pub changed_branch: bool,
    /// Whether truncation may have taken a branch the other way there.
    pub near_branch: bool,
    /// Whether a branch was taken another way than values far from 0 say. At the weights of the
    /// trace, that is a mistake of the program that recorded it.
    pub contradicts_branch: bool,
}

impl Trace {
    /// Returns the score that the trace predicts at the weights `values`, by leaf number, how far
    /// off that may be, and three things about the branches that were taken when it was recorded:
    /// whether one would be taken the other way at these weights; whether one is so near that
    /// truncation may have decided it; and whether one would clearly be taken the other way,
    /// farther off than truncation and rounding explain. All three are false of a trace without
    /// expression. `evaluation` is memory, where the values of the expression's steps are left.
    ///
    /// *Numerics*: the bound adds up what truncation took at most from the linear part (`slack`),
    /// what it takes from the steps of the expression, carried on to its value, and the rounding of
    /// the evaluation's floats, a part (`rounding`) of the sizes of all terms; that is 0 where the
    /// evaluation computes in integers.
    pub fn score_at(&self, values: &[f64], evaluation: &mut ExpressionValues) -> Predicted {
        let (mut score, mut size, inputs) = self.linear_at(values);
        let mut bound = self.slack;
        let [mut changed_branch, mut near_branch, mut contradicts_branch] = [false; 3];
        if let Some(expression) = &self.expression {
            let steps = &expression.steps;
            let value = evaluation.value(steps, &expression.constants, &inputs);
            score += value;
            size += value.abs();
            let bounds = evaluation.bounds(steps, &self.step_slack);
            // The value is that of the last step; without steps it is 0, and exact.
            bound += bounds.last().copied().unwrap_or(0.0);
            changed_branch = evaluation.changes_branch(steps);
            near_branch = evaluation.is_near_branch(steps, &bounds);
            contradicts_branch = changed_branch && evaluation.contradicts_branch(steps, &bounds);
        }
        Predicted {
            score,
            bound: bound + self.rounding * size,
            changed_branch,
            near_branch,
            contradicts_branch,
        }
    }

    /// Computes at the weights `values`, by leaf number: the score without the expression; the sum
    /// of the sizes of its terms, without their signs; and the value of each form, which the
    /// expression takes as inputs.
    fn linear_at(&self, values: &[f64]) -> (f64, f64, Vec<f64>) {
        let (mut score, mut size) = (self.constant, self.constant.abs());
        let mut inputs = Vec::with_capacity(self.forms.len());
        for form in &self.forms {
            let mut value = 0.0;
            for &(leaf, c) in &form.terms {
                let term = c as f64 * values[leaf.index()];
                value += term;
                size += (form.factor * term).abs();
            }
            score += form.factor * value;
            inputs.push(value);
        }
        (score, size, inputs)
    }

    /// Adds the derivative of the score by each weight to `to`, at the weights `values`; both lists
    /// are by leaf number. What `scratch` holds is lost.
    pub fn add_derivatives(&self, values: &[f64], scratch: &mut ExpressionValues, to: &mut [f64]) {
        // The derivative of the score by each form: its factor in the linear part, and, where there
        // is an expression, that of the expression by it.
        let mut factors: Vec<f64> = self.forms.iter().map(|form| form.factor).collect();
        if let Some(expression) = &self.expression {
            // For the values of the steps, which are left in `scratch`.
            self.score_at(values, scratch);
            scratch.add_slopes(&expression.steps, &mut factors);
        }
        for (form, factor) in self.forms.iter().zip(factors) {
            for &(leaf, coefficient) in &form.terms {
                to[leaf.index()] += factor * coefficient as f64;
            }
        }
    }
}
