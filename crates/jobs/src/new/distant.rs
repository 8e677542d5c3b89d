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

/// Returns the one mistake that most mistakes of `left` follow from, if that is a type of tables of
/// weights that another crate declares, as the macros see one crate. It is so where a mistake names
/// the type, or where a mistake says that there are no weights and all tables of the type have two
/// phases. Otherwise `None`.
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

/// Returns a sentence that tables of a type that another crate declares are not seen as weights, if
/// these tables all have two phases and are more than the `weights` that were found, so that they
/// are likely the evaluation's. `None` where there is no such type.
pub(super) fn unseen(modules: &Modules, weights: usize) -> Option<String> {
    let (text, _) = undeclared(modules, |_, tables| {
        are_pairs(tables) && tables.len() > weights
    })?;
    Some(format!("{text}; until then they hold no weights"))
}

/// Tells whether all tables have two phases, middlegame and endgame.
fn are_pairs(tables: &[&Const]) -> bool {
    tables.iter().all(|one| one.lanes() == Some(2))
}

/// Finds a type of tables that no module of the engine's crate declares and that `is_meant`
/// accepts, by its name and its tables; of several the one with most tables. Returns a message with
/// a cure, and the file and line of the first table; `None` if there is no such type.
fn undeclared(
    modules: &Modules,
    is_meant: impl Fn(&str, &[&Const]) -> bool,
) -> Option<(String, (PathBuf, usize))> {
    let texts: Vec<&str> = modules.files.iter().map(|file| &*file.text).collect();
    let consts = Scan::of(&texts).ok()?.consts;
    // By type: its tables. `Holds::Unknown` has the name of a type that the reader does not know.
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
