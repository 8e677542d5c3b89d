//! The curvature between the most frequent variables, for the preconditioner.

use serde::{Deserialize, Serialize};

use super::scales::Scales;
use crate::linalg::Symmetric;
use crate::most_frequent;
use crate::state::State;
use crate::{Curvature, Objective as _, PassResult, Penalised, Preconditioner, Subset};

/// Most variables of the block. Chosen: its matrix takes 2 MB.
const FREQUENT: usize = 500;

/// Number of products, of earlier steps too, after which the block is formed. With a few hundred
/// weights it costs about as much as so many products, so at most twice the cost of the better
/// choice is spent; and many problems never need it.
pub(super) const SLOW: usize = 6;

/// Number of products of one step after which the block is formed anew, if it was formed elsewhere.
pub(super) const SLOW_AGAIN: usize = 24;

/// The matrix of Gauss and Newton between the most frequent variables, a prior's part included.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FrequentBlock {
    /// Where it was formed; `None` while few products were needed.
    pub(super) formed_at: Option<Vec<f64>>,
    /// The variables and the matrix; `None` also after a pause, until it is restored.
    #[serde(skip)]
    formed: Option<(Subset, Symmetric)>,
}

/// Two are equal if they were formed at one point, which decides on the matrix.
impl PartialEq for FrequentBlock {
    fn eq(&self, other: &Self) -> bool {
        // The point decides on the matrix, which a checkpoint does not hold.
        self.formed_at == other.formed_at
    }
}

impl FrequentBlock {
    /// Forms the matrix of Gauss and Newton at `x`, a prior's part included, between the
    /// [`FREQUENT`] variables with the largest `diagonal`, and notes where; whoever calls counts
    /// the pass that it takes.
    pub(super) fn form(
        &mut self,
        function: &Penalised<'_>,
        x: &[f64],
        diagonal: &[f64],
    ) -> PassResult<()> {
        let subset = most_frequent(diagonal, FREQUENT, &[]);
        let matrix = function.curvature_between(x, Curvature::GaussNewton, &subset)?;
        self.formed = Some((subset, matrix));
        self.formed_at = Some(x.to_vec());
        Ok(())
    }

    /// Forms the matrix of Gauss and Newton, a prior's part included, at the point of the state,
    /// between the [`FREQUENT`] variables with the largest scales, and counts the pass.
    pub(super) fn form_here(&mut self, state: &mut State<'_>, scales: &Scales) -> PassResult<()> {
        state.cost.passes += 1;
        self.form(&state.function, &state.point.x, &scales.now)
    }

    /// Forms the matrix again, where it had been formed, if the descent was resumed from a
    /// checkpoint, which does not hold it; else does nothing. The pass is not counted: it was
    /// before the checkpoint.
    pub(super) fn restore(&mut self, state: &State<'_>, scales: &Scales) -> PassResult<()> {
        match (&self.formed, self.formed_at.clone()) {
            (None, Some(x)) => self.form(&state.function, &x, &scales.now),
            _ => Ok(()),
        }
    }

    /// Returns the preconditioner with the matrix between the most frequent variables as a block,
    /// or the diagonal one while that matrix has not been formed. `inverse`: 1 over the diagonal, 0
    /// for variables that do not move. *Cost*: an inverse of the matrix.
    pub(super) fn preconditioner(&self, inverse: Vec<f64>) -> Preconditioner {
        let of_diagonal = Preconditioner::of_diagonal(inverse);
        match &self.formed {
            Some((subset, matrix)) => of_diagonal.with_block(subset, matrix),
            None => of_diagonal,
        }
    }
}
