//! Which identifiers the twins use.

use std::collections::HashSet;

use syn::{ImplItem, ImplItemFn, Item, Visibility};

use super::Facts;
use crate::model::{location, names_of, operator, type_name};

impl Facts {
    /// The identifiers that are used by what the twins hold.
    pub(super) fn reached(&self) -> HashSet<String> {
        let mut used = HashSet::new();
        let mut waiting = Vec::new();
        for (index, unit) in self.units.iter().enumerate() {
            for item in &unit.items {
                match item {
                    Item::Const(item) => used.extend(names_of(&item.expr)),
                    Item::Static(item) => used.extend(names_of(&item.expr)),
                    Item::Fn(item) => used.extend(names_of(&item.block)),
                    Item::Impl(block) => {
                        let owner = type_name(&block.self_ty).unwrap_or_default();
                        let copied = self.is_copied(&owner);
                        if copied && block.trait_.is_some() && operator(block).is_none() {
                            continue;
                        }
                        for member in &block.items {
                            let ImplItem::Fn(f) = member else { continue };
                            let names = names_of(&f.block);
                            let of_trait = block.trait_.is_some();
                            if copied && !of_trait && !self.is_entry(index, f) {
                                waiting.push((f.sig.ident.to_string(), names));
                            } else {
                                used.extend(names);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        loop {
            let (now, later): (Vec<_>, Vec<_>) = waiting
                .into_iter()
                .partition(|(name, _)| used.contains(name));
            if now.is_empty() {
                return used;
            }
            for (_, names) in now {
                used.extend(names);
            }
            waiting = later;
        }
    }

    /// Whether a method is one that other crates may ask for a score.
    pub(super) fn is_entry(&self, unit: usize, method: &ImplItemFn) -> bool {
        let found = self.function_at(unit, location(method.sig.ident.span()));
        matches!(method.vis, Visibility::Public(_))
            && found.is_some_and(|f| self.differs(&self.bodies[f].returned))
    }

    /// Whether any twin names this identifier.
    pub(super) fn is_used(&self, name: &str) -> bool {
        self.used.contains(name)
    }
}
