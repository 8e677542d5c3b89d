//! What can be told of the parts of a reduction before it is made.

use super::{Parts, ReductionError};

/// Finds all mistakes that do not need the variables.
pub(super) fn check(parts: &Parts<'_>) -> Result<(), Vec<ReductionError>> {
    let count = parts.lanes.len();
    let lengths = [
        ("frozen flags", parts.frozen.len()),
        ("bounds", parts.bounds.len()),
        ("initial values", parts.initial.len()),
    ];
    let mut errors: Vec<ReductionError> = lengths
        .iter()
        .filter(|(_, found)| *found != count)
        .map(|&(what, found)| ReductionError::Length(what, found, count))
        .collect();
    if !errors.is_empty() {
        return Err(errors); // nothing below makes sense then
    }
    let mut owner = vec![None; parts.lane_count];
    for (weight, &lane) in parts.lanes.iter().enumerate() {
        match owner.get_mut(lane) {
            None => errors.push(ReductionError::NoSuchLane(weight, lane)),
            Some(Some(other)) => errors.push(ReductionError::SharedLane(*other, weight)),
            Some(owner) => *owner = Some(weight),
        }
        let (low, high) = parts.bounds[weight];
        if !parts.initial[weight].is_finite() || low.is_nan() || high.is_nan() {
            errors.push(ReductionError::NotFinite(weight));
        } else if low > high {
            errors.push(ReductionError::BoundsCross(weight));
        }
    }
    check_ties(parts, &mut errors);
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

/// Finds ties that name nothing, each other, or no numbers.
fn check_ties(parts: &Parts<'_>, errors: &mut Vec<ReductionError>) {
    let count = parts.lanes.len();
    let mut tied = vec![false; count];
    for tie in parts.ties {
        match tied.get_mut(tie.weight) {
            None => errors.push(ReductionError::NoSuchWeight(tie.weight)),
            Some(true) => errors.push(ReductionError::TiedTwice(tie.weight)),
            Some(tied) => *tied = true,
        }
        if !tie.factor.is_finite() || !tie.difference.is_finite() {
            errors.push(ReductionError::NotFinite(tie.weight));
        }
    }
    for tie in parts.ties {
        match tied.get(tie.root) {
            None => errors.push(ReductionError::NoSuchWeight(tie.root)),
            Some(true) => errors.push(ReductionError::RootIsTied(tie.weight, tie.root)),
            Some(false) => {}
        }
    }
}
