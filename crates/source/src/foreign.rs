//! Attributes of others that have the names of ours: an engine may have a `#[tunable]` of
//! its own, for what its search is tuned by.

use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Item, ItemMod};

use crate::modules::flatten;
use crate::syntax::{ends_in, is_ours};

/// Names of attributes of this project that other crates may use as well.
const NAMES: [&str; 2] = ["tunable", "frozen"];

/// Takes out attributes named `tunable` or `frozen` that are of another crate: a `use` of their
/// module brings the name in from there, or a path names it there. A name that comes from `crate`,
/// `self` or `super` may be this project's, and stays.
pub fn take_out_foreign(items: &mut [Item]) {
    let names = brought_in(items, [false; 2]);
    let mut foreign = Foreign { names };
    for item in items {
        foreign.visit_item_mut(item);
    }
}

/// Takes foreign attributes out of what it visits.
struct Foreign {
    /// For each of [`NAMES`], whether a `use` of the module brings it in from another crate.
    names: [bool; 2],
}

impl VisitMut for Foreign {
    /// Visits an inline module, for which it finds anew whether `tunable` and `frozen` are names of
    /// another crate there.
    fn visit_item_mod_mut(&mut self, module: &mut ItemMod) {
        self.visit_attributes_mut(&mut module.attrs);
        let Some((_, items)) = &mut module.content else {
            return;
        };
        let outside = self.names;
        self.names = brought_in(items, outside);
        for item in items {
            visit_mut::visit_item_mut(self, item);
        }
        self.names = outside;
    }

    /// Takes out the attributes named `tunable` or `frozen` whose path is of another crate, or that
    /// are a name which is imported from one.
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        let names = self.names;
        attributes.retain(|attribute| {
            let path = attribute.path();
            NAMES.iter().zip(names).all(|(name, is_foreign)| {
                let is_bare = path.get_ident().is_some();
                !ends_in(path, name) || (is_ours(path, name) && !(is_bare && is_foreign))
            })
        });
    }
}

/// For `tunable` and `frozen`, in this order, whether a `use` among the items brings the name in
/// from another crate. `outside`: the answer for the module around, which `use super::*` takes
/// over.
fn brought_in(items: &[Item], outside: [bool; 2]) -> [bool; 2] {
    let mut imports = Vec::new();
    for item in items {
        if let Item::Use(item) = item {
            flatten(&item.tree, &mut Vec::new(), &mut imports);
        }
    }
    let may_be_ours = ["tuner_core", "crate", "self", "super"];
    let is_foreign = |path: &[String]| path.len() > 1 && !may_be_ours.contains(&path[0].as_str());
    std::array::from_fn(|which| {
        let mut imports = imports.iter();
        imports.any(|(brought, path)| match brought.as_str() {
            "*" => outside[which] && path.first().is_some_and(|first| first == "super"),
            brought => brought == NAMES[which] && is_foreign(path),
        })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;
    use quote::ToTokens;

    fn left(text: &str) -> String {
        let mut file = syn::parse_file(text).unwrap();
        take_out_foreign(&mut file.items);
        file.to_token_stream().to_string()
    }

    #[test]
    fn ours_stay_and_those_of_other_crates_go() {
        for ours in [
            "use tuner_core::tunable; #[tunable] mod a {}",
            "use crate::prelude::{tunable, other}; #[tunable] const A: i32 = 1;",
            "use macros::other; #[tunable] fn a() {}",
            "#[tuner_core::tunable] const A: i32 = 1;",
            "use macros::tunable; mod a { #[tunable] const A: i32 = 1; }",
            "use macros::tunable as theirs; #[tunable] const A: i32 = 1;",
        ] {
            let whole = syn::parse_file(ours).unwrap().to_token_stream().to_string();
            assert_eq!(left(ours), whole, "{ours}");
        }
        for foreign in [
            "use macros::tunable; #[tunable] pub mod a { pub static A: i32 = 1; }",
            "use macros::{attributes::{tunable}, other}; #[tunable(1)] const A: i32 = 1;",
            "use macros::theirs as tunable; impl A { #[tunable] const A: i32 = 1; }",
            "#[macros::tunable] fn a() {}",
            "use macros::tunable; mod a { use super::*; #[tunable] const A: i32 = 1; }",
            "mod a { use macros::tunable; #[tunable] struct A; }",
        ] {
            assert!(!left(foreign).contains("# ["), "{}", left(foreign));
        }
    }
}
