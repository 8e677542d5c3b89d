//! The curvature matrix in use, and where it was formed.

use serde::{Deserialize, Serialize};

use crate::linalg::Symmetric;
use crate::state::State;
use crate::{Curvature, Objective, PassResult};

/// The curvature of all variables, without the prior's part.
#[derive(Clone, Debug)]
pub(super) struct CurvatureMatrix {
    pub(super) values: Symmetric,
    pub(super) formed: FormedAt,
    /// Gauss-Newton's curvature of each variable at the start.
    pub(super) first_diagonal: Vec<f64>,
}

/// All that it takes to form the matrix again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FormedAt {
    /// The variables at the start: which are in play, and what the data leave
    /// undetermined, was found out there.
    pub(super) start: Vec<f64>,
    /// The variables where the matrix was formed.
    pub(super) x: Vec<f64>,
    pub(super) kind: Curvature,
    /// Whether it was formed from a sample.
    pub(super) rough: bool,
}

impl CurvatureMatrix {
    /// Takes `values`, the Gauss-Newton matrix at the point `start` where the descent begins.
    pub(super) fn at_start(values: Symmetric, start: &[f64]) -> Self {
        Self {
            first_diagonal: values.diagonal(),
            values,
            formed: FormedAt {
                start: start.to_vec(),
                x: start.to_vec(),
                kind: Curvature::GaussNewton,
                rough: false,
            },
        }
    }

    /// Forms the matrix again that was in use when the descent was saved; `saved` says where it was
    /// formed, of which kind, and whether from a sample. `self` must hold the Gauss-Newton matrix
    /// at the start, which is what was in use if `saved` says so.
    pub(super) fn restore(
        &mut self,
        objective: &dyn Objective,
        saved: &FormedAt,
    ) -> PassResult<()> {
        self.formed = saved.clone();
        if saved.x == saved.start && saved.kind == Curvature::GaussNewton {
            return Ok(());
        }
        if saved.rough {
            objective.rough_curvature(&saved.x, saved.kind, &mut self.values)?;
            self.raise_rare();
            Ok(())
        } else {
            objective.curvature(&saved.x, saved.kind, &mut self.values)
        }
    }

    /// Forms the matrix of a kind at the state's point. `sample`: a Gauss-Newton matrix may be from
    /// a sample of the rows; `formed.rough` then tells whether it was, as the objective may take
    /// all rows. Of one from a sample, diagonal elements are raised where hardly any row of the
    /// sample has the variable, as its steps would be far too long.
    pub(super) fn form(
        &mut self,
        kind: Curvature,
        sample: bool,
        state: &mut State<'_>,
    ) -> PassResult<()> {
        self.formed.rough = sample && kind == Curvature::GaussNewton;
        if self.formed.rough {
            self.formed.rough = state.rough_curvature(kind, &mut self.values)?;
            self.raise_rare();
        } else {
            state.curvature(kind, &mut self.values)?;
        }
        self.formed.kind = kind;
        self.formed.x.clone_from(&state.point.x);
        Ok(())
    }

    /// Where the matrix is of a sample, raises diagonal elements that are too small because the
    /// sample has hardly any rows of their variable: the steps of these would be far too long. Each
    /// gets at least half of its value at the start, times how the sum of the diagonal has changed
    /// since.
    fn raise_rare(&mut self) {
        if !self.formed.rough {
            return;
        }
        let diagonal = self.values.diagonal();
        let first: f64 = self.first_diagonal.iter().sum();
        let shrunk = diagonal.iter().sum::<f64>() / first;
        for (i, (now, first)) in diagonal.iter().zip(&self.first_diagonal).enumerate() {
            let missing = 0.5 * shrunk * first - now;
            if missing > 0.0 {
                self.values.add(i, i, missing);
            }
        }
    }
}
