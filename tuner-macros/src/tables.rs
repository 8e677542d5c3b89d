//! The twins of consts and statics: handles of weights, or a function where
//! they are computed from weights.

use std::collections::HashSet;

use proc_macro2::Ident;
use syn::{Attribute, Item, parse_quote};
use tuner_source::Leaves;

use crate::diag::Mistake;
use crate::refuse;
use crate::thin::thin;
use crate::twin::Twin;
use crate::walk::Walk;
use crate::weights;
use crate::world::{World, derived};

/// Structs that hold structs: more is a circle.
const DEEPEST: usize = 16;

impl Twin<'_> {
    pub(crate) fn constant(
        &mut self,
        ident: &Ident,
        ty: &mut syn::Type,
        expr: &mut syn::Expr,
    ) -> bool {
        let (name, at) = (ident.to_string(), ident.span());
        let found = self.world.constant(self.unit, &name);
        let found = found.map(|c| (c.first, c.body, c.conditional, c.shape.clone()));
        let Some((first, body, conditional, shape)) = found else {
            let is_weight = self.world.holds_numbers(ty, DEEPEST)
                && !self.world.units[self.unit].frozen.contains(&name);
            if is_weight && derived::is_blob(expr) {
                self.mistakes.push(Mistake::new(at, refuse::BLOB));
            } else if is_weight {
                self.mistakes.extend(unread(&Leaves::of(expr)));
            }
            return false;
        };
        let Some(kept) = derived::kept_value(ty, expr) else {
            self.mistakes.push(Mistake::new(at, refuse::LAZY));
            return false;
        };
        let leaves = Leaves::of(expr);
        let misread = weights::mistakes(&leaves);
        let understood = misread.is_empty();
        self.mistakes.extend(misread);
        self.mistakes.extend(unread(&leaves));
        if !leaves.leaves.is_empty() && conditional {
            self.mistakes.push(Mistake::new(at, refuse::CFG));
        }
        let unknown = leaves.constructors.into_iter().filter(|(name, _)| {
            !self.world.types.structs.contains(name)
                && !self.world.types.generic.contains(name)
                && self.world.named(name).is_empty()
                && name != "Some"
                && !names_generic(ty, name)
        });
        let mut mistakes: Vec<Mistake> = unknown
            .map(|(name, at)| Mistake::new(at, refuse::unknown_constructor(&name)))
            .collect();
        mistakes.extend(self.world.plain_values(self.unit, None, expr));
        let is_derived = self
            .world
            .constant(self.unit, &name)
            .is_some_and(|c| self.world.is_derived(c));
        if is_derived {
            *ty = derived::kept_type(ty, expr);
            *expr = kept;
        }
        if !leaves.leaves.is_empty() {
            weights::plant(expr, first);
        }
        let mut walk = Walk::new(self.world, self.unit, None, true);
        walk.constant(Some(body), expr, &shape);
        if understood {
            mistakes.extend(walk.into_mistakes());
        }
        self.world.types.trace(ty, &shape);
        let is_whole = mistakes.is_empty();
        self.mistakes.extend(mistakes);
        is_whole
    }

    /// The function that stands for a const computed from weights.
    pub(crate) fn computed(
        &self,
        ident: &Ident,
        attrs: &[Attribute],
        ty: &syn::Type,
        expr: &syn::Expr,
    ) -> Option<syn::ItemFn> {
        let constant = self.world.constant(self.unit, &ident.to_string())?;
        self.world.is_derived(constant).then(|| {
            parse_quote! {
                #(#attrs)*
                pub fn #ident() -> &'static #ty {
                    ::tuner_core::trace::derived(|| -> #ty { #expr })
                }
            }
        })
    }
}

/// Macros around literals that nobody can count.
fn unread(leaves: &Leaves) -> Vec<Mistake> {
    let unread = leaves.unread.iter();
    unread
        .map(|(name, at)| Mistake::new(*at, refuse::unread_macro(name)))
        .collect()
}

/// Whether a table's type is generic and of this name: `Table::new([…])`
/// holds whatever its entries are.
fn names_generic(ty: &syn::Type, name: &str) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.segments.last().is_some_and(|last| {
        last.ident == name && !last.arguments.is_none()
    }))
}

/// Names of weights that have no twin, because what they are is refused.
pub(crate) fn refused(world: &mut World) -> HashSet<String> {
    let mut refused = HashSet::new();
    for unit in 0..world.units.len() {
        for item in world.units[unit].items.clone() {
            let (ident, mut ty, mut expr) = match item {
                Item::Const(item) => (item.ident, item.ty, item.expr),
                Item::Static(item) => (item.ident, item.ty, item.expr),
                _ => continue,
            };
            thin(&mut expr);
            let mut twin = Twin::new(world, unit);
            if !twin.constant(&ident, &mut ty, &mut expr) && !twin.mistakes.is_empty() {
                refused.insert(ident.to_string());
            }
        }
    }
    refused
}
