//! Which identifiers the twins use.

use std::collections::HashSet;

use quote::ToTokens;
use syn::{ImplItem, ImplItemFn, Item, Visibility};

use super::World;
use super::item::{identifiers, operator, place, type_name};

impl World {
    /// Collects the identifiers that are used by what the twins hold.
    pub(super) fn reach(&mut self) {
        let mut waiting = Vec::new();
        for (index, unit) in self.units.iter().enumerate() {
            for item in &unit.items {
                match item {
                    Item::Const(item) => identifiers(item.expr.to_token_stream(), &mut self.used),
                    Item::Static(item) => identifiers(item.expr.to_token_stream(), &mut self.used),
                    Item::Fn(item) => identifiers(item.block.to_token_stream(), &mut self.used),
                    Item::Impl(block) => {
                        let owner = type_name(&block.self_ty).unwrap_or_default();
                        let copied = self.copied(&owner, &mut Vec::new());
                        if copied && block.trait_.is_some() && operator(block).is_none() {
                            continue;
                        }
                        for member in &block.items {
                            let ImplItem::Fn(f) = member else { continue };
                            let mut names = HashSet::new();
                            identifiers(f.block.to_token_stream(), &mut names);
                            let of_trait = block.trait_.is_some();
                            if copied && !of_trait && !self.is_entry(index, f) {
                                waiting.push((f.sig.ident.to_string(), names));
                            } else {
                                self.used.extend(names);
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
                .partition(|(name, _)| self.used.contains(name));
            if now.is_empty() {
                return;
            }
            for (_, names) in now {
                self.used.extend(names);
            }
            waiting = later;
        }
    }

    /// Whether a method is one that other crates may ask for a score.
    pub(crate) fn is_entry(&self, unit: usize, method: &ImplItemFn) -> bool {
        let found = self.function_at(unit, place(method.sig.ident.span()));
        matches!(method.vis, Visibility::Public(_))
            && found.is_some_and(|f| self.differs(&self.functions[f].returned))
    }

    /// Whether any twin names this identifier.
    pub(crate) fn is_used(&self, name: &str) -> bool {
        self.used.contains(name)
    }
}
