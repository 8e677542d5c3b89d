//! Types: which shape a type has.

use std::collections::{HashMap, HashSet};

use syn::Type;

use tuner_source::{SIGNED, element, is_never_of_weights, is_plain, type_arguments};

use super::shape::Shape;
use super::type_name;

/// Unsigned types that halves of packed pairs are cast to meanwhile.
const PASSED_THROUGH: [&str; 3] = ["u16", "u32", "u64"];

/// What names of types mean in this crate.
#[derive(Default)]
pub(crate) struct Types {
    /// Names of the structs of the units, the annotated modules, without generic ones.
    pub(crate) structs: Vec<String>,
    /// Names of those among them whose fields cannot hold weights.
    pub(crate) plain: HashSet<String>,
    /// Names of the generic structs of the units: containers, which the twin shares with
    /// production.
    pub(crate) generic: Vec<String>,
    /// Aliases `type NAME = …;`, where weights can be in the type, or it is more than a name.
    pub(crate) aliases: HashMap<String, Alias>,
}

/// What an alias stands for.
pub(crate) struct Alias {
    pub(crate) ty: Type,
    /// The type as text, if it is a tuple, an array or generic: tokens for the compiler are made of
    /// it.
    pub(crate) text: Option<String>,
}

impl Types {
    /// The shape of a value of the type before any weight has flowed in; of a container the shape
    /// of its elements. `owner`: the type that `Self` means.
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
                if let Some(alias) = self.aliases.get(&name) {
                    return self.shape(&alias.ty, owner);
                }
                let inner = type_arguments(&last.arguments).next_back();
                inner.map_or(Shape::Plain, |inner| self.shape(inner, owner))
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
                if is_never_of_weights(&name) {
                    return false;
                }
                if let Shape::Named(name) = self.shape(ty, None) {
                    return !self.plain.contains(&name);
                }
                // An alias, or a container, of whatever crate, by what is in it.
                let alias = self.aliases.get(&name).map(|alias| &alias.ty);
                let inner = type_arguments(&last.arguments).next_back();
                self.is_number(&name)
                    || alias.is_some_and(|ty| self.can_hold_weights(ty))
                    || inner.is_some_and(|ty| self.can_hold_weights(ty))
            }),
            ty => element(ty).is_some_and(|ty| self.can_hold_weights(ty)),
        }
    }

    /// Tells whether values of a type surely never hold weights: they are unsigned, or of a plain
    /// struct. For a tuple one such part is enough, as it holds weights only if all parts can
    /// ([`can_hold_weights`](Self::can_hold_weights)).
    pub(super) fn is_never_of_weights(&self, ty: &Type) -> bool {
        match ty {
            Type::Tuple(t) => t.elems.iter().any(|ty| self.is_never_of_weights(ty)),
            Type::Path(t) => t.path.segments.last().is_some_and(|last| {
                let name = last.ident.to_string();
                is_never_of_weights(&name) || self.plain.contains(&name)
            }),
            ty => element(ty).is_some_and(|ty| self.is_never_of_weights(ty)),
        }
    }

    /// Whether values of a type are single signed numbers.
    pub(crate) fn is_number_type(&self, ty: &Type) -> bool {
        matches!(ty, Type::Path(t) if t.path.get_ident().is_some_and(|i| self.is_number(&i.to_string())))
    }

    /// Whether a type of this name is a signed number, also by an alias.
    pub(crate) fn is_number(&self, name: &str) -> bool {
        let is_one = |alias: &Alias| type_name(&alias.ty).is_some_and(|name| self.is_number(&name));
        SIGNED.contains(&name) || self.aliases.get(name).is_some_and(is_one)
    }
}

/// Whether a cast to this type takes a score out of the signed numbers that can be traced: it is
/// unsigned, but for those that packed pairs pass through, or `i128`.
pub(crate) fn is_unsigned(ty: &Type) -> bool {
    let is_one = |name: &str| is_never_traced(name) || name == "i128";
    matches!(ty, Type::Path(t) if t.path.get_ident().is_some_and(|i| is_one(&i.to_string())))
}

/// Whether a number of this type is never a score, not even on its way as half of a packed pair.
pub(crate) fn is_never_traced(name: &str) -> bool {
    is_plain(name) && !PASSED_THROUGH.contains(&name)
}
