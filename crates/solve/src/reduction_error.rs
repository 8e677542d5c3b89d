//! What can be wrong with a set of variables.

use std::fmt;

/// One mistake; all of them are returned at once. Weights are numbers in the
/// order of the layout: the caller knows their names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReductionError {
    /// A list has another length than there are weights: which, found, expected.
    Length(&'static str, usize, usize),
    /// A weight's lane does not exist: weight, lane.
    NoSuchLane(usize, usize),
    /// Two weights have the same lane.
    SharedLane(usize, usize),
    /// An initial value, bound, factor or difference is not a number: weight.
    NotFinite(usize),
    /// A weight's lower bound is above its upper bound.
    BoundsCross(usize),
    /// A tie names a weight that does not exist.
    NoSuchWeight(usize),
    /// A weight is tied more than once.
    TiedTwice(usize),
    /// A tie's root is itself tied (or the weight itself): weight, root.
    RootIsTied(usize, usize),
    /// A weight is frozen but tied to one that is not: weight, root.
    FrozenTied(usize, usize),
    /// The bounds of tied weights leave no value to their root.
    TiesLeaveNothing(usize),
}

impl fmt::Display for ReductionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Length(what, found, expected) => {
                write!(f, "{found} {what}; expected one per weight, {expected}")
            }
            Self::NoSuchLane(weight, lane) => {
                write!(f, "weight {weight} has lane {lane}, which does not exist")
            }
            Self::SharedLane(a, b) => write!(f, "weights {a} and {b} have the same lane"),
            Self::NotFinite(weight) => write!(
                f,
                "weight {weight} has an initial value, bound or tie that is not a number"
            ),
            Self::BoundsCross(weight) => {
                write!(f, "weight {weight} has a lower bound above its upper bound")
            }
            Self::NoSuchWeight(weight) => {
                write!(f, "a tie names weight {weight}, which does not exist")
            }
            Self::TiedTwice(weight) => write!(f, "weight {weight} is tied twice; keep one tie"),
            Self::RootIsTied(weight, root) => write!(
                f,
                "weight {weight} is tied to weight {root}, which is tied itself; tie both to \
                 the same third weight"
            ),
            Self::FrozenTied(weight, root) => write!(
                f,
                "weight {weight} is frozen but tied to weight {root}, which is not; freeze \
                 both or neither"
            ),
            Self::TiesLeaveNothing(root) => write!(
                f,
                "the bounds of the weights tied to weight {root} leave no value to it; widen one"
            ),
        }
    }
}

impl std::error::Error for ReductionError {}
