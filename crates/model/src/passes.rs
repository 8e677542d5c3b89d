//! Passes over all rows, wherever they are: what a [`Pass`] adds up of one set,
//! added up over sets, and these sums over ranks.

use super::deterministic_reduce::add_up;
use super::{Loss, Part, PassError, PassResult, Split};
use tuner_rows::{AHEAD, TraceSet, Traces};

/// Calls `map` with each set of this rank, on several threads, and `fold` with what it returns, in
/// the order of the sets. `ahead`: how many blocks of a stream may be in memory for each thread.
///
/// # Errors
/// If rows cannot be read; `fold` has seen only some then.
pub fn each<T: Send>(
    traces: Traces<'_>,
    ahead: usize,
    map: impl Fn(&TraceSet) -> T + Sync,
    fold: impl FnMut(T),
) -> PassResult<()> {
    let is_read = traces.each(ahead, map, fold);
    is_read.then_some(()).ok_or_else(|| unreadable(traces))
}

/// Returns `count`, what a pass has counted, unless rows could not be read meanwhile: then the
/// count is too low.
///
/// # Errors
/// If rows could not be read.
pub fn counted<T>(traces: Traces<'_>, count: T) -> PassResult<T> {
    (traces.failure()).map_or(Ok(count), |reason| Err(PassError::new(reason)))
}

/// Makes the error that rows could not be read, with the reason if there is one.
pub(super) fn unreadable(traces: Traces<'_>) -> PassError {
    let reason = traces.failure();
    PassError::new(reason.unwrap_or_else(|| "rows could not be read".to_owned()))
}

/// Rows, which of them are read, and the loss by which they are judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged<T> {
    pub(super) traces: T,
    pub(super) part: Part,
    /// Games of the part that are read; `None` for all.
    pub(super) sample: Option<Split>,
    pub(super) loss: Loss,
    /// Log-odds per centipawn.
    pub(super) beta: f64,
}

/// A pass over the rows of one set, in memory: its sums are over rows, not means, in lanes, not
/// variables, and have derivatives by z = β·score.
pub(super) type Pass<'a> = Judged<&'a TraceSet>;

/// Passes over all rows, wherever they are.
pub(super) type Passes<'a> = Judged<Traces<'a>>;

impl Passes<'_> {
    /// Returns the pass over the rows of one set, with the part, sample, loss and β of these
    /// passes.
    pub(super) fn over<'s>(&self, traces: &'s TraceSet) -> Pass<'s> {
        Pass {
            traces,
            part: self.part,
            sample: self.sample,
            loss: self.loss,
            beta: self.beta,
        }
    }

    /// Adds up a number and a list over all ranks, in one message: overwrites the list `sums` with
    /// its sum, and returns that of the number `total`. A rank that is alone leaves both.
    fn add_ranks(&self, total: f64, sums: &mut [f64]) -> f64 {
        let ranks = self.traces.ranks();
        if ranks.is_alone() {
            return total;
        }
        let mut all = Vec::with_capacity(sums.len() + 1);
        all.extend_from_slice(sums);
        all.push(total);
        ranks.sum(&mut all);
        let total = all.pop(); // always there: it was pushed above
        sums.copy_from_slice(&all);
        total.unwrap_or_default()
    }

    /// Returns the sum of what `of` returns for the pass over each set, over sets and ranks.
    pub(super) fn sum(&self, of: impl Fn(Pass<'_>) -> f64 + Sync) -> PassResult<f64> {
        self.vector(&mut [], |pass, _| of(pass))
    }

    /// Adds up the weights of all rows that are read.
    pub(super) fn total_weight(&self) -> PassResult<f64> {
        self.sum(|pass| pass.total_weight())
    }

    /// Overwrites `sums` with the lists that `of` writes for each set, added up over sets and
    /// ranks; returns the sum of the numbers that it returns. The list that `of` gets is 0
    /// everywhere.
    pub(super) fn vector(
        &self,
        sums: &mut [f64],
        of: impl Fn(Pass<'_>, &mut [f64]) -> f64 + Sync,
    ) -> PassResult<f64> {
        let count = sums.len();
        let mut total = 0.0;
        sums.fill(0.0);
        let map = |set: &TraceSet| {
            let mut part = vec![0.0; count];
            (of(self.over(set), &mut part), part)
        };
        each(self.traces, AHEAD, map, |(value, part)| {
            total += value;
            add_up(sums, part);
        })?;
        Ok(self.add_ranks(total, sums))
    }
}
