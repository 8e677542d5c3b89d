//! What is believed of the variables of a fit, and what that means for those
//! that no position speaks of.

use super::{Given, Settings, within};
use crate::model::Regression;
use tuner_solve::Solution;
use tuner_solve::{Objective, PassError, Prior};

/// Returns the prior, if there is to be one. `error`: E at what is believed,
/// where that is known.
pub(super) fn prior(
    objective: &Regression<'_>,
    error: Option<f64>,
    games: usize,
    given: &Given<'_>,
    settings: &Settings,
) -> Result<Option<Prior>, PassError> {
    let (Some(deviation), loss) = (settings.prior, settings.loss) else {
        return Ok(None);
    };
    let reduction = objective.reduction();
    let toward = within(&reduction.start(given.believed), reduction.bounds());
    let error = error.map_or_else(|| objective.value(&toward), Ok)?;
    let unit = loss.prior_unit(error, games);
    Ok(Some(Prior::new(toward, deviation, unit).with(
        given.beliefs,
        reduction,
        unit,
    )))
}

/// Puts what no position speaks of where the author says it is; but what
/// neighbours join to what positions do speak of stays with these, and is
/// returned.
pub(super) fn settle(
    solution: &mut Solution,
    prior: Option<&Prior>,
    believed: &[f64],
) -> Vec<usize> {
    let unseen = &mut solution.summary.unseen;
    let mut joined = vec![true; believed.len()];
    for &variable in unseen.iter() {
        joined[variable] = false;
    }
    if let Some(prior) = prior {
        prior.join(&mut joined);
    }
    let followed = unseen.extract_if(.., |variable| joined[*variable]);
    let followed = followed.collect();
    for &variable in unseen.iter() {
        solution.x[variable] = believed[variable];
    }
    followed
}
