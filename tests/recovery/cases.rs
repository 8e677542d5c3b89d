//! The rows of the table.

use std::fmt;

use tuner_core::fit::model::Loss;

/// What holds some weights back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constraint {
    /// Nothing.
    None,
    /// Every fourth weight is frozen at its true value.
    Frozen,
    /// Every odd weight follows the one before it, half of them mirrored.
    Tied,
    /// All weights have bounds around the truth, some of them close.
    Bounded,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) loss: Loss,
    pub(crate) tapered: bool,
    pub(crate) constraint: Constraint,
}

/// Returns {squared, cross-entropy} × {tapered, untapered} × {none, frozen,
/// tied, bounded}.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for loss in [Loss::Squared, Loss::CrossEntropy] {
        for tapered in [true, false] {
            for constraint in [
                Constraint::None,
                Constraint::Frozen,
                Constraint::Tied,
                Constraint::Bounded,
            ] {
                cases.push(Case {
                    loss,
                    tapered,
                    constraint,
                });
            }
        }
    }
    cases
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let taper = if self.tapered { "tapered" } else { "untapered" };
        let constraint = match self.constraint {
            Constraint::None => "free",
            Constraint::Frozen => "frozen",
            Constraint::Tied => "tied",
            Constraint::Bounded => "bounded",
        };
        write!(f, "{}, {taper}, {constraint}", self.loss)
    }
}
