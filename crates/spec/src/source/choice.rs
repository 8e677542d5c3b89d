//! Which consts a person wants.

use tuner_source::Const;

use crate::text::fits;

/// Which consts are wanted: patterns in which `*` matches anything.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Only consts that fit one of these patterns; all if empty.
    pub only: Vec<String>,
    /// No consts that fit one of these patterns, whatever `only` says.
    pub except: Vec<String>,
}

impl Choice {
    /// Tells whether a const is chosen: a pattern may mean its name, or that of a struct it is in.
    pub(super) fn takes(&self, found: &Const) -> bool {
        self.takes_what(|pattern| names(pattern, found))
    }

    /// Tells whether a parameter of this name is chosen, by its name alone.
    pub fn takes_name(&self, name: &str) -> bool {
        self.takes_what(|pattern| fits(pattern, name))
    }

    /// Tells whether something is chosen: a pattern in `only` means it, or `only` is empty, and no
    /// pattern in `except` means it. `fits`: whether a pattern means it.
    fn takes_what(&self, fits: impl Fn(&str) -> bool) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| fits(pattern));
        (self.only.is_empty() || any(&self.only)) && !any(&self.except)
    }
}

/// Tells whether a pattern, in which `*` is any text, means a const: by its name, or by the name of
/// the item that it is a field of; the name of a struct of tables means all its fields.
pub(super) fn names(pattern: &str, found: &Const) -> bool {
    fits(pattern, &found.name) || fits(pattern, &found.item) || fits(pattern, found.root())
}
