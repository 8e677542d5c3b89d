//! Which identifiers the twins use.

use std::collections::HashSet;

use quote::ToTokens;
use syn::{ImplItem, Item};

use super::World;
use super::item::{identifiers, type_name};

impl World {
    /// Collects the identifiers that are used by what the twins hold.
    pub(super) fn reach(&mut self) {
        let mut waiting = Vec::new();
        for unit in &self.units {
            for item in &unit.items {
                match item {
                    Item::Const(item) => identifiers(item.expr.to_token_stream(), &mut self.used),
                    Item::Static(item) => identifiers(item.expr.to_token_stream(), &mut self.used),
                    Item::Fn(item) => identifiers(item.block.to_token_stream(), &mut self.used),
                    Item::Impl(block) => {
                        let owner = type_name(&block.self_ty).unwrap_or_default();
                        for member in &block.items {
                            let ImplItem::Fn(f) = member else { continue };
                            let mut names = HashSet::new();
                            identifiers(f.block.to_token_stream(), &mut names);
                            if block.trait_.is_none() && self.copied(&owner, &mut Vec::new()) {
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

    /// Whether any twin names this identifier.
    pub(crate) fn is_used(&self, name: &str) -> bool {
        self.used.contains(name)
    }
}
