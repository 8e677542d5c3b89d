//! From the state at the end to the summary.

use super::state::State;
use super::{KnownCurvature, Solution, Summary, Termination};

/// Findings of a method about the variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    pub(super) unseen: Vec<usize>,
    /// How many combinations of variables the data leave undetermined; `None` where the method does
    /// not find out.
    pub(super) undetermined: Option<usize>,
    pub(super) separated: Vec<usize>,
    /// The curvature matrix of the last steps, where one was formed from all rows.
    pub(super) curvature: Option<KnownCurvature>,
}

impl State<'_> {
    /// Makes the solution of a descent that has ended at the state's point, with its summary.
    /// *Cost*: a pass over the held-out games where the state is at a better point than the last
    /// record. If that pass fails, the failure becomes the termination.
    pub(super) fn finish(self, termination: Termination, findings: Findings) -> Solution {
        let bounds = self.problem.bounds;
        let at_bound = |&i: &usize| {
            (self.point.x[i] <= bounds[i].0 && self.point.gradient[i] > 0.0)
                || (self.point.x[i] >= bounds[i].1 && self.point.gradient[i] < 0.0)
        };
        let at_bound = (0..self.point.x.len()).filter(at_bound).collect();
        let binds = |&i: &usize| {
            let row = &self.problem.constraints[i];
            !row.terms.is_empty() && row.at_limits(&self.point.x).contains(&true)
        };
        let binding = (0..self.problem.constraints.len()).filter(binds).collect();
        let last = self.records.last();
        let held_out_error = match self.problem.held_out {
            // The best point need not be the last.
            Some(held_out) if last.is_some_and(|last| self.point.value < last.objective) => {
                held_out.value(&self.point.x).map(Some)
            }
            _ => Ok(last.and_then(|record| record.held_out_error)),
        };
        let (held_out_error, termination) = match held_out_error {
            Ok(error) => (error, termination),
            Err(error) => (None, error.into()),
        };
        let first = self.records.first();
        let summary = Summary {
            initial_error: first.map_or_else(|| self.error(), |record| record.error),
            error: self.error(),
            objective: self.point.value,
            held_out_error,
            termination,
            iterations: self.iterations(),
            cost: self.cost(),
            gradient: self.residual(),
            unseen: findings.unseen,
            undetermined: findings.undetermined,
            separated: findings.separated,
            at_bound,
            kept: (self.problem.prior).map_or_else(Vec::new, |prior| prior.kept(&self.point.x)),
            binding,
            fallbacks: self.fallbacks,
            records: self.records,
        };
        Solution {
            x: self.point.x,
            gradient: self.point.gradient,
            summary,
            curvature: findings.curvature,
        }
    }
}
