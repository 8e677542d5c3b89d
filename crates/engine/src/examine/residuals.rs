//! Where residuals gather.

use super::bins::{BinnedBy, Bins, add_to_bins, merge_bins};
use super::objective::ExaminationObjective;
use super::pass::{Examination, ExaminationReport};
use super::weights::WeightSet;
use tuner_data::ReadError;
use tuner_judge::{ResidualSums, ResidualTable};

/// Computes the mean residual, target (the result R, as a rule) minus p, in bins of positions.
///
/// *Cost*: a pass.
///
/// # Errors
/// As [`Examination::pass`].
pub fn residual_tables(
    examination: &Examination<'_>,
    at: &WeightSet,
    objective: &ExaminationObjective,
    by: &[BinnedBy],
) -> Result<(ExaminationReport, Vec<ResidualTable>), ReadError> {
    let empty = || -> Vec<Bins<ResidualSums>> { by.iter().map(|&by| Bins::new(by)).collect() };
    let mut all = empty();
    let report = examination.pass(
        &[at],
        empty,
        |bins, position| {
            let expectation = objective.sigmoid.expectation(position.points[0].score());
            add_to_bins(bins, position, expectation, |sums| {
                sums.add(
                    position.game,
                    objective.weight(position),
                    expectation,
                    objective.target(position),
                );
            });
        },
        |block| merge_bins(&mut all, block),
    )?;
    let table = |bins: Bins<ResidualSums>| {
        let name = bins.by.name();
        let (bins, other) = bins.labelled(objective.sigmoid.beta());
        ResidualTable::new(name, bins, other)
    };
    Ok((report, all.into_iter().map(table).collect()))
}
