//! Whether a row says what it says of itself.

use tuner_trace::{ExpressionValues, Trace};

/// How a row contradicts what it says itself at the weights where it was traced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RowFault {
    /// Constant + Σ c·w misses the score by more than its bound.
    Sum {
        /// The difference, without sign.
        residual: f64,
        /// The difference that truncation and rounding can explain.
        bound: f64,
    },
    /// A branch was taken that the weights do not lead to.
    Branch,
}

impl RowFault {
    /// Compares a trace with the score that it gives for itself. `values`: the weights at which it
    /// was traced, by leaf number; `evaluation`: memory for the values of its expression.
    ///
    /// `None` if they agree within the bound that truncation and rounding explain. `None` too if
    /// only the sum is off, but an integer of the evaluation overflowed (`Trace::wrapped`), which
    /// callers report. A bound so wide that any score would agree is a fault.
    pub fn of(trace: &Trace, values: &[f64], evaluation: &mut ExpressionValues) -> Option<Self> {
        let predicted = trace.score_at(values, evaluation);
        if predicted.contradicts_branch {
            return Some(Self::Branch);
        }
        let residual = (predicted.score - trace.score).abs();
        // To the trace's own bound comes the rounding of the sums in f64 here.
        let bound = predicted.bound + 1e-9 * (1.0 + trace.score.abs());
        // A sum that overflowed is off by a power of two, such as 2³².
        // The bound is how far truncated divisions and rounded floats may move the sum away from
        // the score: where it is larger than `loosest`, nearly any row would pass, and agreement
        // says nothing. Chosen: far above the bound of products that are truncated twice.
        let loosest = 10.0 * (1000.0 + trace.score.abs());
        let is_near = residual <= bound && bound <= loosest;
        (!is_near && !trace.wrapped).then_some(Self::Sum { residual, bound })
    }

    /// Says what is wrong, as a part of a sentence about the row.
    pub fn words(self) -> String {
        match self {
            Self::Sum { residual, bound } if residual <= bound => format!(
                "slack and rounding of the row allow any score within {bound:.1e}, so that it says nothing"
            ),
            Self::Sum { residual, bound } => format!(
                "the row misses the score that it gives by {residual:.3e} (bound {bound:.1e})"
            ),
            Self::Branch => {
                "a guard of the row contradicts the weights at which it was traced".to_owned()
            }
        }
    }
}
