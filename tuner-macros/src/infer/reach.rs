//! Which identifiers the twins use.

use std::collections::HashSet;

use syn::{ImplItemFn, Item, Visibility};

use super::Facts;
use crate::model::{is_operator, methods, names_of, table, type_name};

impl Facts {
    /// All identifiers in the code that the twins may have. For a struct of which the twin has a
    /// copy, the code of a method counts only if the method's name is one of these identifiers, or
    /// other crates may ask the method for a score. So code is added until no further method is
    /// named.
    pub(super) fn reached(&self) -> HashSet<String> {
        let mut used = HashSet::new();
        // Methods whose code may still be added: name, and identifiers in the body.
        let mut waiting = Vec::new();
        for (index, unit) in self.units.iter().enumerate() {
            for item in &unit.items {
                match item {
                    Item::Fn(item) => used.extend(names_of(&item.block)),
                    Item::Impl(block) => {
                        // A type without a name, as a tuple, is not a copied struct.
                        let owner = type_name(&block.self_ty).unwrap_or_default();
                        let copied = self.is_copied(&owner);
                        let of_trait = block.trait_.is_some();
                        // The copy of a struct does not implement traits, other than operators.
                        if copied && of_trait && !is_operator(block) {
                            continue;
                        }
                        for f in methods(block) {
                            let names = names_of(&f.block);
                            if copied && !of_trait && !self.is_entry(index, f) {
                                waiting.push((f.sig.ident.to_string(), names));
                            } else {
                                used.extend(names);
                            }
                        }
                    }
                    item => {
                        if let Some((.., expr)) = table(item) {
                            used.extend(names_of(expr));
                        }
                    }
                }
            }
        }
        loop {
            let before = waiting.len();
            waiting.retain_mut(|(name, names)| {
                let is_used = used.contains(name);
                if is_used {
                    used.extend(names.drain());
                }
                !is_used
            });
            if waiting.len() == before {
                return used;
            }
        }
    }

    /// Whether a method in the annotated module `unit` is public and gives a score, or a value with
    /// a score in it, so that other crates may ask the method for one.
    pub(super) fn is_entry(&self, unit: usize, method: &ImplItemFn) -> bool {
        let found = self.function_of(unit, &method.sig);
        matches!(method.vis, Visibility::Public(_))
            && found.is_some_and(|f| self.differs(&self.bodies[f].returned))
    }
}
