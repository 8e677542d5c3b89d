//! Which consts a person wants.

use tuner_source::Const;

use crate::text::fits;

/// Which consts are wanted: patterns in which `*` matches anything.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Only these; all if empty.
    pub only: Vec<String>,
    /// Not these.
    pub except: Vec<String>,
}

impl Choice {
    /// Whether a const is wanted.
    pub(super) fn takes(&self, found: &Const) -> bool {
        self.takes_what(|pattern| names(pattern, found))
    }

    /// Whether a parameter of this name is wanted.
    pub fn takes_name(&self, name: &str) -> bool {
        self.takes_what(|pattern| fits(pattern, name))
    }

    /// Whether something is wanted, of which `fits` says which patterns mean it.
    fn takes_what(&self, fits: impl Fn(&str) -> bool) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| fits(pattern));
        (self.only.is_empty() || any(&self.only)) && !any(&self.except)
    }
}

/// Whether a pattern means a const; the name of a struct of tables means all.
pub(super) fn names(pattern: &str, found: &Const) -> bool {
    fits(pattern, &found.name) || fits(pattern, &found.item) || fits(pattern, found.root())
}
