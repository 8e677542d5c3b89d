//! A type of tables that another crate declares: the macros see one crate, and whatever they say of
//! such scores follows from that.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::compiler::Mistake;
use super::modules::Modules;
use tuner_source::{Const, Holds, Scan, Standing};

/// What the macros say where they see no weights at all.
pub(super) const NO_WEIGHTS: &str = "no const or static of this crate";

/// What is said of a type of tables that another crate declares.
pub(super) const OF_ANOTHER: &str = "is of another crate, and the macros see one crate";

/// Returns the one mistake that explains those of `left`, if these are about a type of tables that
/// another crate declares: they name it, or say that there are no weights while all its tables have
/// two phases; else `None`.
pub(super) fn cause(modules: &Modules, left: &[Mistake]) -> Option<Mistake> {
    let has_no_weights = left.iter().any(|one| one.text.contains(NO_WEIGHTS));
    let is_named = |name: &str| {
        let name = format!("`{name}`");
        left.iter().any(|one| one.text.contains(&name))
    };
    let (text, place) = undeclared(modules, |name, tables| {
        is_named(name) || has_no_weights && are_pairs(tables)
    })?;
    let others = left.len();
    Some(Mistake {
        text: format!("{text} (of the {others} other mistakes most follow from it)"),
        place: Some(place),
        ..Mistake::default()
    })
}

/// Says that tables of a type that another crate declares hold no weights, if these tables are more
/// than the `weights` that were found, and so likely those of the evaluation. `None` where they are
/// fewer.
pub(super) fn unseen(modules: &Modules, weights: usize) -> Option<String> {
    let (text, _) = undeclared(modules, |_, tables| {
        are_pairs(tables) && tables.len() > weights
    })?;
    Some(format!("{text}; until then they hold no weights"))
}

/// Tells whether all tables have two phases.
fn are_pairs(tables: &[&Const]) -> bool {
    tables.iter().all(|one| one.lanes() == Some(2))
}

/// Among the types that no module declares and that `is_meant` takes (by name and tables), finds
/// the one of most tables. Returns what to do about it, and the file and line of its first table;
/// `None` without such a type.
fn undeclared(
    modules: &Modules,
    is_meant: impl Fn(&str, &[&Const]) -> bool,
) -> Option<(String, (PathBuf, usize))> {
    let texts: Vec<&str> = modules.files.iter().map(|file| &*file.text).collect();
    let consts = Scan::of(&texts).ok()?.consts;
    let mut tables: BTreeMap<&str, Vec<&Const>> = BTreeMap::new();
    for one in &consts {
        let is_weight = one.standing != Standing::Frozen && !one.literals.is_empty();
        if let (Holds::Unknown(name), true) = (&one.holds, is_weight) {
            tables.entry(name).or_default().push(one);
        }
    }
    let is_declared = |name: &str| {
        let mut all = modules.model.modules.iter();
        all.any(|module| module.types.contains(name) || module.aliases.contains_key(name))
    };
    let meant = tables.into_iter();
    let meant = meant.filter(|(name, tables)| is_meant(name, tables) && !is_declared(name));
    let (name, tables) = meant.max_by_key(|(_, tables)| tables.len())?;
    let first = tables.first()?;
    let path = &modules.files[first.file].path;
    let line = first.location.line;
    let others = match tables.len() {
        1 => String::new(),
        count => format!(" and {} others", count - 1),
    };
    let text = format!(
        "{}:{line}: `{name}`, the type of {}{others}, {OF_ANOTHER}: move it with its \
         operators into a file of this crate, or write both here once more and name that one in these tables",
        path.display(),
        first.name,
    );
    Some((text, (path.clone(), line)))
}
