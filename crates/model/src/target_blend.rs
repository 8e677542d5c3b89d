//! Targets of the fit: results, blended with the scores of a search.

use super::{KError, KFit, Part, Sigmoid, fit_score_k};
use tuner_rows::{Row, TraceSet, Traces};

/// The target `λ·R + (1 − λ)·σ_search(score)` of a position.
///
/// A position without a search score keeps R.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetBlend {
    /// λ, the part of the result, from 0 to 1.
    pub lambda: f64,
    /// The sigmoid of the search scores: they have a K of their own, as a search
    /// sees more than the evaluation that it uses.
    pub sigmoid: Sigmoid,
}

impl TargetBlend {
    /// Returns the target λ·R + (1 − λ)·σ(score) of a position with the result R, `outcome`, and a
    /// search score in centipawns for the first player. It is rounded to `f32`, as rows store it:
    /// 10⁻⁷ of a result is nothing. Without a search score it is the result.
    pub fn target(self, outcome: f64, search_score: Option<i32>) -> f64 {
        let Some(score) = search_score else {
            return outcome;
        };
        let expected = self.sigmoid.expectation(f64::from(score));
        let target = self.lambda * outcome + (1.0 - self.lambda) * expected;
        f64::from(target as f32).clamp(0.0, 1.0)
    }

    /// Makes the blend with the K of the search scores: `k`, or else the one fitted to those of
    /// `part`, which is returned as well. `lambda`: the part of the result, from 0 to 1.
    ///
    /// # Errors
    /// If K is to be fitted, and the scores do not determine it or rows cannot be read.
    pub fn new(
        lambda: f64,
        k: Option<f64>,
        traces: Traces<'_>,
        part: Part,
    ) -> Result<(Self, Option<KFit>), KError> {
        let fit = match k {
            Some(_) => None,
            None => Some(fit_score_k(traces, part)?),
        };
        // One of both is there: without `k` it was fitted.
        let k = k.or(fit.map(|fit| fit.k)).unwrap_or(1.0);
        let sigmoid = Sigmoid::new(k);
        Ok((Self { lambda, sigmoid }, fit))
    }

    /// Replaces the outcome of each row by its target; applied twice it would blend twice.
    pub fn apply(self, traces: &mut TraceSet) {
        let rows = traces.rows(0..traces.len());
        let target = |row: Row<'_>| self.target(row.outcome(), row.search_score());
        let targets: Vec<f64> = rows.map(target).collect();
        traces.map_outcomes(|row, _| targets[row]);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;
    use tuner_rows::{RowDraft, RowInfo};

    fn traces(samples: &[(f64, Option<i32>)]) -> TraceSet {
        let mut set = TraceSet::new(0);
        for (game, &(outcome, search_score)) in (0..).zip(samples) {
            let info = RowInfo {
                search_score,
                ..RowInfo::new(outcome, game)
            };
            set.push(&RowDraft::default(), &info).unwrap();
        }
        set
    }

    #[test]
    fn targets_lie_between_result_and_search() {
        let results = traces(&[
            (1.0, Some(-400)),
            (0.0, Some(0)),
            (0.5, None),
            (1.0, Some(i32::MAX)),
        ]);
        let mut set = results.clone();
        let mix = TargetBlend {
            lambda: 0.3,
            sigmoid: Sigmoid::new(2.0),
        };
        mix.apply(&mut set);
        let targets: Vec<f64> = set.rows(0..4).map(|row| row.outcome()).collect();
        let expected = [0.3 + 0.7 / 101.0, 0.35, 0.5, 1.0];
        for (target, expected) in targets.iter().zip(expected) {
            assert!((target - expected).abs() < 1e-7, "{targets:?}");
        }
        // Of the rows that it was made of nothing changes.
        let own: Vec<f64> = results.rows(0..4).map(|row| row.outcome()).collect();
        assert_eq!(own, [1.0, 0.0, 0.5, 1.0]);
    }

    #[test]
    fn the_scores_have_a_k_of_their_own() {
        let sigmoid = Sigmoid::new(1.7);
        let samples: Vec<(f64, Option<i32>)> = (-40..40)
            .map(|s| (sigmoid.expectation(f64::from(s) * 20.0), Some(s * 20)))
            .chain([(0.5, None), (1.0, None)])
            .collect();
        let (mix, fit) =
            TargetBlend::new(0.5, None, (&traces(&samples)).into(), Part::All).unwrap();
        assert!((mix.sigmoid.k() - 1.7).abs() < 1e-9);
        assert!(
            fit.unwrap().error < 1e-18,
            "rows without score take no part"
        );
        let (given, fit) =
            TargetBlend::new(0.5, Some(0.9), (&traces(&samples)).into(), Part::All).unwrap();
        assert!((given.sigmoid.k() - 0.9).abs() < 1e-15 && fit.is_none());
        let none = TargetBlend::new(0.5, None, (&traces(&[(0.0, None)])).into(), Part::All);
        assert_eq!(none, Err(KError::NoScores));
    }
}
