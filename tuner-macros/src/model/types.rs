//! Types: which shape a type has.

use std::collections::HashMap;

use syn::{GenericArgument, PathArguments, Type};

use tuner_source::{SIGNED, element, is_plain};

use super::shape::Shape;

/// Unsigned types that packed pairs pass through on their way.
const PASSED_THROUGH: [&str; 3] = ["u16", "u32", "u64"];

/// What names of types mean in this crate.
#[derive(Default)]
pub(crate) struct Types {
    /// Structs of the units, but for generic ones.
    pub(crate) structs: Vec<String>,
    /// Generic structs of the units: containers of their type arguments,
    /// which the twin shares with production.
    pub(crate) generic: Vec<String>,
    /// `type NAME = …;` of the units, by what they stand for.
    pub(crate) aliases: HashMap<String, Shape>,
    /// Aliases of signed numbers.
    pub(crate) numbers: Vec<String>,
    /// Aliases of tuples, arrays and generic types, by what they stand for: the type, and its
    /// text for tokens that go to the compiler.
    pub(crate) containers: HashMap<String, (Type, String)>,
}

impl Types {
    /// The shape that a value of the type has before any weight flows in.
    pub(crate) fn shape(&self, ty: &Type, owner: Option<&str>) -> Shape {
        match ty {
            Type::Ptr(t) => self.shape(&t.elem, owner),
            Type::Tuple(t) => Shape::tuple(t.elems.iter().map(|e| self.shape(e, owner))),
            Type::Never(_) => Shape::Never,
            Type::Path(t) => {
                let Some(last) = t.path.segments.last() else {
                    return Shape::Plain;
                };
                let name = last.ident.to_string();
                let name = if name == "Self" {
                    owner.unwrap_or("Self").to_owned()
                } else {
                    name
                };
                if self.structs.contains(&name) {
                    return Shape::Named(name);
                }
                if let Some(shape) = self.aliases.get(&name) {
                    return shape.clone();
                }
                if let Some((ty, _)) = self.containers.get(&name) {
                    return self.shape(ty, owner);
                }
                arguments(last)
                    .last()
                    .map_or(Shape::Plain, |inner| self.shape(inner, owner))
            }
            ty => element(ty).map_or(Shape::Plain, |ty| self.shape(ty, owner)),
        }
    }

    /// Whether the entries of a table of this type can be weights: signed
    /// numbers, structs of the units, tuples and arrays of them.
    pub(crate) fn can_hold_weights(&self, ty: &Type) -> bool {
        match ty {
            Type::Tuple(t) => {
                !t.elems.is_empty() && t.elems.iter().all(|e| self.can_hold_weights(e))
            }
            Type::Path(t) => t.path.segments.last().is_some_and(|last| {
                let name = last.ident.to_string();
                self.is_number(&name)
                    || matches!(self.shape(ty, None), Shape::Named(_))
                    || self
                        .containers
                        .get(&name)
                        .is_some_and(|(ty, _)| self.can_hold_weights(ty))
                    // A container, of whatever crate.
                    || arguments(last)
                        .last()
                        .is_some_and(|ty| self.can_hold_weights(ty))
            }),
            ty => element(ty).is_some_and(|ty| self.can_hold_weights(ty)),
        }
    }

    /// Whether values of a type are single signed numbers.
    pub(crate) fn is_number_type(&self, ty: &Type) -> bool {
        matches!(ty, Type::Path(t) if t.path.get_ident().is_some_and(|i| self.is_number(&i.to_string())))
    }

    pub(crate) fn is_number(&self, name: &str) -> bool {
        SIGNED.contains(&name) || self.numbers.iter().any(|n| n == name)
    }
}

/// Whether a cast to this type takes a score out of the signed numbers.
pub(crate) fn is_unsigned(ty: &Type) -> bool {
    matches!(ty, Type::Path(t) if t.path.get_ident().is_some_and(|i| is_never_traced(&i.to_string())))
}

pub(crate) fn is_never_traced(name: &str) -> bool {
    is_plain(name) && !PASSED_THROUGH.contains(&name)
}

fn arguments(segment: &syn::PathSegment) -> Vec<&Type> {
    let PathArguments::AngleBracketed(args) = &segment.arguments else {
        return Vec::new();
    };
    let types = args.args.iter().filter_map(|arg| match arg {
        GenericArgument::Type(ty) => Some(ty),
        GenericArgument::AssocType(binding) => Some(&binding.ty),
        _ => None,
    });
    types.collect()
}
