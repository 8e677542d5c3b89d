//! A type of tables that another crate declares: the macros see one crate, and whatever they say of
//! such scores follows from that.

use std::collections::BTreeMap;

use super::compiler::Mistake;
use super::modules::Modules;
use tuner_source::{Const, Holds, Scan, Standing};

/// What the macros say where they see no weights at all.
pub(super) const NO_WEIGHTS: &str = "no const or static of this crate";

/// Returns the one mistake that explains the others, if these are about such a type.
pub(super) fn cause(modules: &Modules, left: &[Mistake]) -> Option<Mistake> {
    let texts: Vec<&str> = modules.files.iter().map(|file| &*file.text).collect();
    let consts = Scan::of(&texts).ok()?.consts;
    let mut tables: BTreeMap<&str, Vec<&Const>> = BTreeMap::new();
    for one in &consts {
        let is_weight = one.standing != Standing::Frozen && !one.literals.is_empty();
        if let (Holds::Unknown(name), true) = (&one.holds, is_weight) {
            tables.entry(name).or_default().push(one);
        }
    }
    let has_no_weights = left.iter().any(|one| one.text.contains(NO_WEIGHTS));
    let is_named = |name: &str| {
        let name = format!("`{name}`");
        left.iter().any(|one| one.text.contains(&name))
    };
    let is_declared = |name: &str| {
        let mut all = modules.model.modules.iter();
        all.any(|module| module.types.contains(name) || module.aliases.contains_key(name))
    };
    let (name, tables) = tables
        .into_iter()
        .filter(|(name, tables)| {
            let are_pairs = || tables.iter().all(|one| one.lanes() == Some(2));
            (is_named(name) || has_no_weights && are_pairs()) && !is_declared(name)
        })
        .max_by_key(|(_, tables)| tables.len())?;
    let first = tables.first()?;
    let path = &modules.files[first.file].path;
    let line = first.location.line;
    let others = match tables.len() {
        1 => String::new(),
        count => format!(" and {} others", count - 1),
    };
    let text = format!(
        "{}:{line}: `{name}`, the type of {}{others}, is of another crate, and the macros see one crate: move \
         it with its operators into a file of this crate, or write both here once more and name that one in \
         these tables (of the {} other mistakes most follow from it)",
        path.display(),
        first.name,
        left.len()
    );
    Some(Mistake {
        text,
        place: Some((path.clone(), line)),
        file: None,
        cures: Vec::new(),
    })
}
