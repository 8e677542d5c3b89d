//! Where residuals gather.

use super::bins::{BinnedBy, Bins, add_to_bins, merge_bins};
use super::pass::{Examination, ExaminationReport};
use super::weights::WeightSet;
use crate::engine::Engine;
use tuner_data::ReadError;
use tuner_fit::model::Sigmoid;
use tuner_judge::{ResidualSums, ResidualTable};

/// Computes the mean residual R − p in bins of positions.
///
/// *Cost*: a pass.
///
/// # Errors
/// As [`Examination::pass`].
pub fn residual_tables<E: Engine>(
    examination: &Examination<'_, E>,
    at: &WeightSet,
    sigmoid: Sigmoid,
    by: &[BinnedBy],
) -> Result<(ExaminationReport, Vec<ResidualTable>), ReadError> {
    let empty = || -> Vec<Bins<ResidualSums>> { by.iter().map(|&by| Bins::new(by)).collect() };
    let mut all = empty();
    let report = examination.pass(
        &[at],
        empty,
        |bins, position| {
            let expectation = sigmoid.expectation(position.points[0].score());
            add_to_bins(bins, position, expectation, |sums| {
                sums.add(
                    position.game,
                    position.weight,
                    expectation,
                    position.outcome,
                );
            });
        },
        |block| merge_bins(&mut all, block),
    )?;
    let table = |bins: Bins<ResidualSums>| {
        let name = bins.by.name();
        let (bins, other) = bins.labelled(sigmoid.beta());
        ResidualTable::new(name, bins, other)
    };
    Ok((report, all.into_iter().map(table).collect()))
}
