//! Weights that are consts of impl blocks: as if each were a const of its module,
//! `SAFETY_LIMIT` for `Safety::LIMIT`, and every path to it led there.

use std::collections::{HashMap, HashSet};

use syn::{Ident, ImplItem, Item, ItemImpl, Type};
use tuner_source::{TracedArgs, associated_weights, is_associated_weight};

use super::{Location, Model, has_attribute, location, name_of, path_names};

/// The consts of impl blocks that have `#[tunable]`.
#[derive(Default)]
pub(crate) struct AssociatedWeights {
    /// Those that are weights, by the module and the path of the type as the block says it.
    taken: Vec<Taken>,
    /// What all of them are, by name and location.
    marked: HashMap<(String, Location), Standing>,
}

/// What `#[tunable]` does to a const of an impl block.
#[derive(Clone)]
pub(crate) enum Standing {
    Weight,
    /// Nothing: the block is none whose consts can be weights.
    Refused,
    /// Nothing: the module has an item of the name, which is given.
    NameTaken(String),
}

struct Taken {
    module: Vec<String>,
    owner: Vec<String>,
    name: String,
    constant: String,
}

impl AssociatedWeights {
    /// Puts the weights among the consts of impl blocks next to these blocks, in modules
    /// that are traced as a whole.
    pub(crate) fn take_out(&mut self, module: &[String], items: &mut Vec<Item>, whole: bool) {
        let whole = whole || items.iter().any(|item| TracedArgs::of(item).is_some());
        let mut names: HashSet<String> = items.iter().filter_map(name_of).collect();
        let mut all = Vec::new();
        for mut item in std::mem::take(items) {
            let mut taken = Vec::new();
            match &mut item {
                Item::Mod(inner) => {
                    let whole = has_attribute(&inner.attrs, "tunable");
                    if let Some((_, items)) = &mut inner.content {
                        let path = [module, &[inner.ident.to_string()]].concat();
                        self.take_out(&path, items, whole);
                    }
                }
                Item::Impl(block) if whole => taken = self.of_block(module, block, &mut names),
                Item::Impl(block) => self.refuse(block),
                _ => {}
            }
            all.push(item);
            all.extend(taken);
        }
        *items = all;
    }

    /// Notes the consts of a block in which no const can be a weight.
    fn refuse(&mut self, block: &ItemImpl) {
        for member in &block.items {
            if let ImplItem::Const(c) = member
                && is_associated_weight(member)
            {
                self.mark(&c.ident, Standing::Refused);
            }
        }
    }

    fn mark(&mut self, ident: &Ident, standing: Standing) {
        let key = (ident.to_string(), location(ident.span()));
        // Of those that files have at the same place, the first.
        self.marked.entry(key).or_insert(standing);
    }

    fn of_block(
        &mut self,
        module: &[String],
        block: &mut ItemImpl,
        names: &mut HashSet<String>,
    ) -> Vec<Item> {
        let mut found = associated_weights(block);
        if found.is_empty() {
            self.refuse(block);
        }
        found.retain(|weight| {
            let constant = weight.item.ident.to_string();
            let is_new = names.insert(constant.clone());
            let standing = if is_new {
                Standing::Weight
            } else {
                Standing::NameTaken(constant)
            };
            self.mark(&weight.ident, standing);
            is_new
        });
        let is_taken = |member: &ImplItem| matches!(member, ImplItem::Const(c) if found.iter().any(|w| w.ident == c.ident));
        block.items.retain(|member| !is_taken(member));
        if let Type::Path(owner) = &*block.self_ty {
            self.taken.extend(found.iter().map(|weight| Taken {
                module: module.to_vec(),
                owner: path_names(&owner.path),
                name: weight.ident.to_string(),
                constant: weight.item.ident.to_string(),
            }));
        }
        found.into_iter().map(|w| Item::Const(w.item)).collect()
    }

    /// What a const of an impl block is that has `#[tunable]`; `None` of any other.
    pub(crate) fn of(&self, ident: &Ident) -> Option<&Standing> {
        let key = (ident.to_string(), location(ident.span()));
        self.marked.get(&key)
    }
}

impl Model {
    /// The path of the const in the place of a weight of an impl block: by the path of its type,
    /// which leads to what `type_of` says, and its name there.
    pub(super) fn associated_path(
        &self,
        name: &str,
        type_of: impl FnOnce() -> Option<(usize, String)>,
    ) -> Option<Vec<String>> {
        let taken = self.associated_weights.taken.iter();
        let mut named = taken.filter(|taken| taken.name == name).peekable();
        named.peek()?;
        let of = type_of()?;
        let mut named = named.filter_map(|taken| {
            let module = self.module(&taken.module)?;
            let is_it = self.type_behind(module, &taken.owner)? == of;
            is_it.then_some((module, &taken.constant))
        });
        let (module, constant) = named.next_back()?;
        Some(self.modules[module].path_of(constant))
    }

    /// The type that a path stands for, its module and its name there.
    pub(super) fn type_behind(&self, from: usize, path: &[String]) -> Option<(usize, String)> {
        let full = self.unaliased(from, path);
        self.item_behind(from, full.as_deref().unwrap_or(path))
    }
}
