//! The curvature matrix in use, and where it was formed.

use super::SecondOrderState;
use crate::linalg::Symmetric;
use crate::state::State;
use crate::{Curvature, Objective, PassError};

/// The curvature of all variables, without the prior's part.
#[derive(Clone, Debug)]
pub(super) struct CurvatureMatrix {
    pub(super) values: Symmetric,
    pub(super) kind: Curvature,
    /// Whether it was formed from a sample.
    pub(super) rough: bool,
    /// Where it was formed.
    pub(super) formed_at: Vec<f64>,
    /// The variables at the start: which are in play, and what the data leave
    /// undetermined, was found out there.
    pub(super) start: Vec<f64>,
    /// Gauss-Newton's curvature of each variable at the start.
    pub(super) first_diagonal: Vec<f64>,
}

impl CurvatureMatrix {
    /// Forms Gauss-Newton's at the start.
    pub(super) fn at_start(state: &mut State<'_, '_>) -> Result<Self, PassError> {
        let mut values = Symmetric::zeros(state.point.x.len());
        state.curvature(Curvature::GaussNewton, &mut values)?;
        Ok(Self::first(values, &state.point.x))
    }

    /// Forms Gauss-Newton's at the start of a saved descent.
    pub(super) fn restored_start(
        objective: &dyn Objective,
        saved: &SecondOrderState,
    ) -> Result<Self, PassError> {
        let mut values = Symmetric::zeros(saved.start.len());
        objective.curvature(&saved.start, Curvature::GaussNewton, &mut values)?;
        Ok(Self::first(values, &saved.start))
    }

    /// `values` are Gauss-Newton's at the start.
    fn first(values: Symmetric, start: &[f64]) -> Self {
        Self {
            first_diagonal: values.diagonal(),
            values,
            kind: Curvature::GaussNewton,
            rough: false,
            formed_at: start.to_vec(),
            start: start.to_vec(),
        }
    }

    /// Forms the one that was in use when the descent was saved.
    pub(super) fn restore(
        &mut self,
        objective: &dyn Objective,
        saved: &SecondOrderState,
    ) -> Result<(), PassError> {
        self.kind = saved.kind;
        self.rough = saved.rough;
        self.formed_at.clone_from(&saved.formed_at);
        if self.formed_at == self.start && self.kind == Curvature::GaussNewton {
            return Ok(());
        }
        if self.rough {
            objective.rough_curvature(&self.formed_at, self.kind, &mut self.values)?;
            self.complete();
            Ok(())
        } else {
            objective.curvature(&self.formed_at, self.kind, &mut self.values)
        }
    }

    /// Forms the matrix where the state is, of Gauss-Newton's from a sample of the
    /// rows if wanted.
    pub(super) fn form(
        &mut self,
        kind: Curvature,
        sample: bool,
        state: &mut State<'_, '_>,
    ) -> Result<(), PassError> {
        self.rough = sample && kind == Curvature::GaussNewton;
        if self.rough {
            self.rough = state.rough_curvature(kind, &mut self.values)?;
            self.complete();
        } else {
            state.curvature(kind, &mut self.values)?;
        }
        self.kind = kind;
        self.formed_at.clone_from(&state.point.x);
        Ok(())
    }

    /// Gives variables that a sample has hardly any row of at least half of the
    /// curvature that they had at the start, shrunk as that of the others has:
    /// their steps would be far too long.
    fn complete(&mut self) {
        if !self.rough {
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
