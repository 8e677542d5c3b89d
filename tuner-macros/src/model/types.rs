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
    /// The shape of a value of the type, which says what in it may be a score, before any weight
    /// has flowed in: a number is plain, a struct of an annotated module has its name, and a
    /// container the shape of its elements. `owner`: the type that `Self` means.
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
                // A container holds its last type argument: `HashMap<K, V>` holds `V`.
                let inner = type_arguments(&last.arguments).next_back();
                inner.map_or(Shape::Plain, |inner| self.shape(inner, owner))
            }
            ty => element(ty).map_or(Shape::Plain, |ty| self.shape(ty, owner)),
        }
    }

    /// Tells whether the entries of a table of this type can be weights: signed integers, floats,
    /// structs of annotated modules with fields that can be, tuples of nothing else, and containers
    /// of one of these.
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
                // An alias, or a container, of whatever crate, by what is in it: in a container the
                // last type argument, `V` of `HashMap<K, V>`.
                let alias = self.aliases.get(&name).map(|alias| &alias.ty);
                let inner = type_arguments(&last.arguments).next_back();
                self.is_number(&name)
                    || alias.is_some_and(|ty| self.can_hold_weights(ty))
                    || inner.is_some_and(|ty| self.can_hold_weights(ty))
            }),
            ty => element(ty).is_some_and(|ty| self.can_hold_weights(ty)),
        }
    }

    /// Tells whether values of a type surely never hold weights: they are unsigned numbers or the
    /// like, or structs whose fields cannot hold any. For a tuple one such part is enough, as a
    /// tuple holds weights only if all its parts can.
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

    /// Tells whether a type is one name of a signed integer or a float, also an alias of one.
    pub(crate) fn is_number_type(&self, ty: &Type) -> bool {
        matches!(ty, Type::Path(t) if t.path.get_ident().is_some_and(|i| self.is_number(&i.to_string())))
    }

    /// Tells whether a name is that of a signed integer or a float, such as `i32`, or an alias of
    /// one.
    pub(crate) fn is_number(&self, name: &str) -> bool {
        let is_one = |alias: &Alias| type_name(&alias.ty).is_some_and(|name| self.is_number(&name));
        SIGNED.contains(&name) || self.aliases.get(name).is_some_and(is_one)
    }
}

/// Tells whether a score that is cast to this type can no longer be traced. So it is for `i128` and
/// unsigned types, but not for `u16`, `u32` and `u64`, to which a half of a packed pair of scores
/// is cast on its way.
pub(crate) fn is_unsigned(ty: &Type) -> bool {
    let is_one = |name: &str| is_never_traced(name) || name == "i128";
    matches!(ty, Type::Path(t) if t.path.get_ident().is_some_and(|i| is_one(&i.to_string())))
}

/// Tells whether a number of the type of this name is never a score. The types `u16`, `u32` and
/// `u64` may be: a half of a packed pair is cast to them on its way.
pub(crate) fn is_never_traced(name: &str) -> bool {
    is_plain(name) && !PASSED_THROUGH.contains(&name)
}
