//! Types as the twin writes them.

use quote::quote;
use syn::{GenericArgument, PathArguments, PathSegment, Type};

use crate::model::shape::Shape;
use crate::model::types::{Types, is_never_traced};

/// Writes `Tr<…>` around the numbers of a type that hold scores.
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
            let Some(last) = t.path.segments.last_mut() else {
                return;
            };
            let name = last.ident.to_string();
            let alias = types.aliases.get(&name);
            if let Some(container) = alias.and_then(|alias| alias.text.as_ref()) {
                if let Ok(container) = syn::parse_str(container) {
                    *ty = container;
                    trace(types, ty, shape);
                }
            } else if types.is_number(&name)
                || (shape.is_score() && is_bare(last) && !is_never_traced(&name))
            {
                if let Ok(traced) = syn::parse2(quote!(::tuner_core::trace::Tr<#t>)) {
                    *ty = traced;
                }
            } else if let Some(inner) = argument(last) {
                trace(types, inner, shape);
            }
        }
        _ => {}
    }
}

/// The last type in the angle brackets.
pub(super) fn argument(segment: &mut PathSegment) -> Option<&mut Type> {
    let PathArguments::AngleBracketed(args) = &mut segment.arguments else {
        return None;
    };
    args.args.iter_mut().rev().find_map(|arg| match arg {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    })
}

fn is_bare(segment: &PathSegment) -> bool {
    matches!(segment.arguments, PathArguments::None)
}
