//! Where residuals gather.

use super::bins::{AllBins, BinnedBy};
use super::objective::ExaminationObjective;
use super::pass::{Examination, ExaminationReport};
use super::weights::WeightSet;
use tuner_data::ReadError;
use tuner_judge::{BinTable, Residual};

/// Computes the mean residual, target (the result R, as a rule) minus p, in bins of positions: a
/// table for each kind in `by`.
///
/// *Cost*: a pass.
///
/// # Errors
/// If positions cannot be read, or one cannot be scored and bad lines are not skipped.
pub fn residual_tables(
    examination: &Examination<'_>,
    at: &WeightSet,
    objective: &ExaminationObjective,
    by: &[BinnedBy],
) -> Result<(ExaminationReport, Vec<BinTable<Residual>>), ReadError> {
    let mut all = AllBins::new(by);
    let report = examination.pass(
        &[at],
        || AllBins::new(by),
        |bins, position| {
            let expectation = objective.sigmoid.expectation(position.points[0].score());
            let (target, weight) = (objective.target(position), objective.weight(position));
            bins.add(position, expectation, weight, [expectation, target]);
        },
        |block| all.merge(block),
    )?;
    Ok((report, all.tables(objective.sigmoid.beta())))
}
