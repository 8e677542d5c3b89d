//! What has a twin, and under which name.

use std::collections::HashSet;

use quote::ToTokens;

use super::item::identifiers;
use super::{Function, World};
use crate::shape::Shape;

impl World {
    /// Whether the twin needs its own copy of a struct.
    pub(crate) fn is_copied(&self, name: &str) -> bool {
        self.copied(name, &mut Vec::new())
    }

    pub(super) fn copied<'a>(&'a self, name: &'a str, above: &mut Vec<&'a str>) -> bool {
        let Some(index) = self.structure(name) else {
            return false;
        };
        if above.contains(&name) {
            return false;
        }
        above.push(name);
        let copied = self.structs[index]
            .fields
            .iter()
            .any(|(_, shape)| self.is_traced(shape, above));
        above.pop();
        copied
    }

    fn is_traced<'a>(&'a self, shape: &'a Shape, above: &mut Vec<&'a str>) -> bool {
        match shape {
            Shape::Score => true,
            Shape::Named(name) => self.copied(name, above),
            Shape::Tuple(parts) => parts.iter().any(|part| self.is_traced(part, above)),
            Shape::Plain | Shape::Never => false,
        }
    }

    /// Whether a value of this shape is of another type in the twin.
    pub(crate) fn differs(&self, shape: &Shape) -> bool {
        self.is_traced(shape, &mut Vec::new())
    }

    /// Whether the author says that a function is to have no twin; what it
    /// puts where is nobody's concern then.
    pub(crate) fn is_untraced(&self, index: usize) -> bool {
        let function = &self.functions[index];
        let untraced = &self.units[function.unit].untraced;
        untraced.contains(&function.name)
    }

    /// Whether a function gives a score and is not to be left without twin.
    pub(crate) fn is_wanted(&self, function: &Function) -> bool {
        self.differs(&function.returned)
            && !self.units[function.unit].untraced.contains(&function.name)
    }

    /// Whether the twin has a version of this function.
    pub(crate) fn has_twin(&self, index: usize) -> bool {
        let function = &self.functions[index];
        if function.reads_state || self.is_untraced(index) {
            return false;
        }
        let owner_copied = function
            .owner
            .as_deref()
            .is_some_and(|owner| self.is_copied(owner));
        let marked_free = !self.units[function.unit].whole && function.owner.is_none();
        owner_copied
            || marked_free
            || self.differs(&function.returned)
            || function.params.iter().any(|p| self.differs(p))
    }

    /// Whether the head of an operator's impl block names a struct that the
    /// twin has a copy of, or some body needs the operator for a score.
    pub(crate) fn names_copied(&self, block: &syn::ItemImpl) -> bool {
        let mut names = HashSet::new();
        identifiers(block.self_ty.to_token_stream(), &mut names);
        if let Some((path, _)) = &block.trait_ {
            identifiers(path.to_token_stream(), &mut names);
        }
        let methods = block.items.iter().filter_map(|member| match member {
            syn::ImplItem::Fn(f) => Some(f.sig.ident.span()),
            _ => None,
        });
        let mut functions = methods.flat_map(|at| {
            let at = super::place(at);
            self.functions.iter().filter(move |f| f.place == at)
        });
        names.iter().any(|name| self.is_copied(name)) || functions.any(|f| f.scored.is_some())
    }

    /// Whether a call of one of the crate's own macros writes items, operators
    /// mostly, for structs that the twin has a copy of: it is made there too.
    pub(crate) fn writes_for_twins(&self, mac: &syn::Macro) -> bool {
        let Some(name) = mac.path.get_ident().map(ToString::to_string) else {
            return false;
        };
        let Some(output) = self.outputs.get(&name) else {
            return false;
        };
        let mut names = output.clone();
        identifiers(mac.tokens.clone(), &mut names);
        let structs = self.structs.iter().map(|s| &s.name);
        let mut named = structs.filter(|s| names.contains(*s)).peekable();
        names.contains("impl") && named.peek().is_some() && named.all(|s| self.is_copied(s))
    }

    /// Whether a method is reached under another name: its type is
    /// production's, where the name is taken.
    pub(crate) fn is_renamed(&self, index: usize) -> bool {
        let function = &self.functions[index];
        let owner = function.owner.as_deref();
        owner.is_some_and(|owner| !self.is_copied(owner))
            && !function.operator
            && self.has_twin(index)
    }
}
