//! Types as the twin writes them.

use std::collections::HashSet;

use quote::quote;
use syn::visit_mut::{self, VisitMut};
use syn::{GenericArgument, PathArguments, PathSegment, ReturnType, Type, TypeParamBound};

use crate::model::shape::Shape;
use crate::model::types::{Types, is_never_traced};

/// Puts `Tr<…>` around the numbers in the type `ty` that are scores. `shape`: which parts of a
/// value of the type are scores. Aliases of tuples and arrays are written out for it. In `Result`
/// all arguments are looked into, in other generic types the last; `Self::Output` and the like
/// stay. Where the whole value is a score, `Shape::Score`, each name without generic arguments
/// counts as a number, but for `u8`, `u128`, `usize`, `bool`, `char`, `_`, `Self` and `String`.
pub(crate) fn trace(types: &Types, ty: &mut Type, shape: &Shape) {
    if !shape.has_score() {
        return;
    }
    match ty {
        Type::Array(t) => trace(types, &mut t.elem, shape),
        Type::Slice(t) => trace(types, &mut t.elem, shape),
        Type::Reference(t) => trace(types, &mut t.elem, shape),
        Type::Ptr(t) => trace(types, &mut t.elem, shape),
        Type::Paren(t) => trace(types, &mut t.elem, shape),
        Type::Group(t) => trace(types, &mut t.elem, shape),
        Type::Tuple(t) => {
            for (index, elem) in t.elems.iter_mut().enumerate() {
                match shape {
                    Shape::Tuple(parts) => {
                        trace(types, elem, parts.get(index).unwrap_or(&Shape::Plain));
                    }
                    _ => trace(types, elem, shape),
                }
            }
        }
        Type::Path(t) => {
            let of_self = t.path.segments.len() > 1 && t.path.segments[0].ident == "Self";
            // `Self::Output` is traced where the impl block says what it is.
            let Some(last) = t.path.segments.last_mut().filter(|_| !of_self) else {
                return;
            };
            if last.ident == "Result" {
                each_argument(last, &mut |inner| trace(types, inner, shape));
                return;
            }
            let name = last.ident.to_string();
            let alias = types.aliases.get(&name);
            if let Some(container) = alias.and_then(|alias| alias.text.as_ref()) {
                if let Ok(container) = syn::parse_str(container) {
                    *ty = container;
                    trace(types, ty, shape);
                }
            } else if types.is_number(&name)
                || (shape.is_score()
                    && last.arguments.is_none()
                    && !is_never_traced(&name)
                    && name != "String")
            {
                if let Ok(traced) = syn::parse2(quote!(::tuner_core::trace::Tr<#t>)) {
                    *ty = traced;
                }
            } else if let Some(inner) = argument(last) {
                trace(types, inner, shape);
            }
        }
        Type::FnPtr(t) => trace_output(types, &mut t.output, shape),
        Type::ImplTrait(t) => trace_bounds(types, &mut t.bounds, shape),
        Type::TraitObject(t) => trace_bounds(types, &mut t.bounds, shape),
        _ => {}
    }
}

/// Puts `Tr<…>` around the numbers in a return type that are scores. `shape`: which parts of the
/// returned value are scores.
pub(super) fn trace_output(types: &Types, output: &mut ReturnType, shape: &Shape) {
    if let ReturnType::Type(_, ty) = output {
        trace(types, ty, shape);
    }
}

/// Puts `Tr<…>` around the numbers in bounds, `Fn(…) -> i32`, `Iterator<Item = i32>`, `Into<i32>`,
/// that are scores. `shape`: which parts of what comes out of such a value are scores.
pub(crate) fn trace_bounds<'b>(
    types: &Types,
    bounds: impl IntoIterator<Item = &'b mut TypeParamBound>,
    shape: &Shape,
) {
    for bound in bounds {
        let TypeParamBound::Trait(bound) = bound else {
            continue;
        };
        let Some(last) = bound.path.segments.last_mut() else {
            continue;
        };
        match &mut last.arguments {
            PathArguments::Parenthesized(of) => trace_output(types, &mut of.output, shape),
            PathArguments::AngleBracketed(of) => {
                // What comes out of an `Into<i32>` is its argument.
                let is_into = last.ident == "Into";
                for argument in &mut of.args {
                    match argument {
                        GenericArgument::AssocType(item) => trace(types, &mut item.ty, shape),
                        GenericArgument::Type(ty) if is_into => trace(types, ty, shape),
                        _ => {}
                    }
                }
            }
            PathArguments::None => {}
        }
    }
}

/// Takes `Tr<…>` off type parameters, which may themselves be traced numbers; holds their names.
pub(crate) struct Parameters(pub(crate) HashSet<String>);

impl VisitMut for Parameters {
    /// Replaces `Tr<T>` and `Tr<T::Output>`, where `T` is one of the type parameters held in
    /// `self`, by what is inside; other types stay.
    fn visit_type_mut(&mut self, ty: &mut Type) {
        visit_mut::visit_type_mut(self, ty);
        let Type::Path(path) = &mut *ty else { return };
        let last = path.path.segments.last_mut();
        let Some(last) = last.filter(|last| last.ident == "Tr") else {
            return;
        };
        // Whether a type is a parameter, `T`, or begins with one, `T::Output`.
        let is_of_parameter = |inner: &Type| {
            matches!(inner, Type::Path(path) if path.qself.is_none()
                && path.path.segments.first().is_some_and(|of| self.0.contains(&of.ident.to_string())))
        };
        if let Some(inner) = argument(last)
            && is_of_parameter(inner)
        {
            *ty = inner.clone();
        }
    }
}

/// Calls `each` on every type in the angle brackets of a name in a path, to change it.
pub(super) fn each_argument(segment: &mut PathSegment, each: &mut dyn FnMut(&mut Type)) {
    if let PathArguments::AngleBracketed(args) = &mut segment.arguments {
        for arg in &mut args.args {
            if let GenericArgument::Type(inner) = arg {
                each(inner);
            }
        }
    }
}

/// The last type in the angle brackets of a name in a path, mutable; `None` without one.
pub(super) fn argument(segment: &mut PathSegment) -> Option<&mut Type> {
    let PathArguments::AngleBracketed(args) = &mut segment.arguments else {
        return None;
    };
    args.args.iter_mut().rev().find_map(|arg| match arg {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    })
}
