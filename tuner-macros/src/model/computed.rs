//! Consts and statics that are computed from weights: the twin computes them
//! when they are first used, as `tuner_core::trace::derived` says.

use std::collections::HashSet;

use syn::{Expr, GenericArgument, Item, PathArguments, Type, parse_quote};

use tuner_source::Leaves;

use super::shape::Shape;
use super::{Model, names_of, type_name};

/// Types whose value is computed when it is first used.
const LAZY: [&str; 3] = ["Lazy", "LazyCell", "LazyLock"];

/// What makes a value of bytes.
const BLOBS: [&str; 3] = ["include", "include_bytes", "transmute"];

/// Whether a type's value is computed when it is first used.
pub(crate) fn is_lazy(ty: &Type) -> bool {
    type_name(ty).is_some_and(|name| LAZY.contains(&name.as_str()))
}

/// The type of the table itself, without what computes or borrows it.
pub(crate) fn table_type(ty: &Type, expr: &Expr) -> Type {
    if is_lazy(ty)
        && let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
        && let PathArguments::AngleBracketed(args) = &last.arguments
        && let Some(GenericArgument::Type(inner)) = args.args.first()
    {
        return inner.clone();
    }
    if let (Type::Reference(ty), Expr::Reference(expr)) = (ty, expr)
        && let Expr::Array(array) = &*expr.expr
    {
        return match &*ty.elem {
            Type::Slice(slice) => {
                let (elem, count) = (&slice.elem, array.elems.len());
                parse_quote!([#elem; #count])
            }
            elem => elem.clone(),
        };
    }
    ty.clone()
}

/// Whether bodies name the table by reference: its type is not the table's own.
pub(crate) fn is_by_reference(ty: &Type, expr: &Expr) -> bool {
    is_lazy(ty) || table_type(ty, expr) != *ty
}

/// What computes the table; `None` if the macro cannot see it.
pub(crate) fn table_value(ty: &Type, expr: &Expr) -> Option<Expr> {
    match expr {
        Expr::Call(call) if is_lazy(ty) && is_new(&call.func) => match call.args.first()? {
            Expr::Closure(closure) if call.args.len() == 1 => Some((*closure.body).clone()),
            function @ Expr::Path(_) if call.args.len() == 1 => Some(parse_quote!(#function())),
            _ => None,
        },
        _ if is_lazy(ty) => None,
        Expr::Reference(e) if is_by_reference(ty, expr) => Some((*e.expr).clone()),
        _ => Some(expr.clone()),
    }
}

/// Whether the value comes as bytes.
pub(crate) fn is_blob(expr: &Expr) -> bool {
    let names = names_of(expr);
    BLOBS.iter().any(|name| names.contains(*name))
}

/// `LazyLock::new`.
fn is_new(function: &Expr) -> bool {
    matches!(function, Expr::Path(path)
        if path.path.segments.last().is_some_and(|last| last.ident == "new"))
}

impl Model {
    /// Whether a table of this type holds signed numbers, perhaps in structs.
    pub(crate) fn holds_numbers(&self, ty: &Type, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        if !self.types.can_hold_weights(ty) {
            return false;
        }
        let Shape::Named(name) = self.types.shape(ty, None) else {
            return true;
        };
        let items = self.units.iter().flat_map(|unit| &unit.items);
        let mut structs = items.filter_map(|item| match item {
            Item::Struct(item) if item.ident == name => Some(&item.fields),
            _ => None,
        });
        let mut fields = structs.by_ref().flatten();
        fields.any(|field| self.holds_numbers(&field.ty, depth))
    }

    /// Names of consts, statics and functions whose tokens lead to a weight.
    pub(super) fn alive(&self) -> HashSet<String> {
        let mut alive = HashSet::new();
        let mut waiting = Vec::new();
        for unit in &self.units {
            for item in &unit.items {
                let (name, ty, expr) = match item {
                    Item::Const(i) => (i.ident.to_string(), &i.ty, &i.expr),
                    Item::Static(i) => (i.ident.to_string(), &i.ty, &i.expr),
                    Item::Fn(i) => {
                        waiting.push((i.sig.ident.to_string(), names_of(&i.block)));
                        continue;
                    }
                    Item::Impl(block) => {
                        for member in &block.items {
                            if let syn::ImplItem::Fn(f) = member {
                                waiting.push((f.sig.ident.to_string(), names_of(&f.block)));
                            }
                        }
                        continue;
                    }
                    _ => continue,
                };
                if unit.frozen.contains(&name) {
                    continue;
                }
                let holds = self.types.can_hold_weights(&table_type(ty, expr));
                if holds && !Leaves::of(expr).leaves.is_empty() {
                    alive.insert(name);
                } else {
                    waiting.push((name, names_of(expr)));
                }
            }
        }
        loop {
            let (now, later): (Vec<_>, Vec<_>) = waiting
                .into_iter()
                .partition(|(_, names)| !names.is_disjoint(&alive));
            if now.is_empty() {
                return alive;
            }
            alive.extend(now.into_iter().map(|(name, _)| name));
            waiting = later;
        }
    }

    /// Names of functions whose bodies name, apart from their own arguments, what
    /// leads to a weight.
    pub(super) fn reading(&self, alive: &HashSet<String>) -> HashSet<String> {
        let functions = self.units.iter().flat_map(|unit| &unit.items);
        let functions = functions.flat_map(|item| match item {
            Item::Fn(f) => vec![(&f.sig, &*f.block)],
            Item::Impl(block) => {
                let functions = block.items.iter().filter_map(|member| match member {
                    syn::ImplItem::Fn(f) => Some((&f.sig, &f.block)),
                    _ => None,
                });
                functions.collect()
            }
            _ => Vec::new(),
        });
        let reads = |&(sig, block): &(&syn::Signature, &syn::Block)| {
            let (names, own) = (names_of(block), names_of(&sig.inputs));
            names.iter().any(|n| alive.contains(n) && !own.contains(n))
        };
        let reading = functions.filter(reads);
        reading.map(|(sig, _)| sig.ident.to_string()).collect()
    }
}
