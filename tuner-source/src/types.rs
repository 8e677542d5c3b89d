//! Which types hold weights, as far as some files tell.

use std::collections::HashMap;

use syn::{Fields, GenericArgument, Item, PathArguments, Type};

const SIGNED: [&str; 7] = ["i8", "i16", "i32", "i64", "isize", "f32", "f64"];
const OTHERS: [&str; 10] = [
    "u8", "u16", "u32", "u64", "u128", "usize", "i128", "bool", "char", "str",
];

/// Aliases that lead to aliases, structs that hold structs: more is a circle.
const DEEPEST: usize = 32;

/// What the values of a type are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Signed numbers, of these primitive types.
    Numbers(Vec<String>),
    /// Perhaps: this type is declared elsewhere.
    Unknown(String),
    /// No weights, because of this type.
    Nothing(String),
}

impl Holds {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing(name), _) | (_, Self::Nothing(name)) => Self::Nothing(name),
            (Self::Unknown(name), _) | (_, Self::Unknown(name)) => Self::Unknown(name),
            (Self::Numbers(mut mine), Self::Numbers(theirs)) => {
                mine.extend(theirs);
                mine.sort_unstable();
                mine.dedup();
                Self::Numbers(mine)
            }
        }
    }

    fn all(parts: impl Iterator<Item = Self>, otherwise: &str) -> Self {
        parts
            .reduce(Self::and)
            .unwrap_or_else(|| Self::Nothing(otherwise.to_owned()))
    }
}

/// The types that some files declare, by name.
#[derive(Debug, Default)]
pub(crate) struct Types {
    /// Aliases: what they stand for. Structs: their fields. Enums and the
    /// like: nothing.
    declared: HashMap<String, Vec<Type>>,
}

impl Types {
    pub(crate) fn add(&mut self, item: &Item) {
        let (name, holds) = match item {
            Item::Type(item) => (&item.ident, vec![(*item.ty).clone()]),
            Item::Struct(item) => (&item.ident, fields(&item.fields)),
            Item::Enum(item) => (&item.ident, Vec::new()),
            Item::Union(item) => (&item.ident, Vec::new()),
            _ => return,
        };
        self.declared.entry(name.to_string()).or_insert(holds);
    }

    pub(crate) fn holds(&self, ty: &Type) -> Holds {
        self.within(ty, DEEPEST)
    }

    fn within(&self, ty: &Type, depth: usize) -> Holds {
        let nothing = || Holds::Nothing(quote::ToTokens::to_token_stream(ty).to_string());
        let Some(depth) = depth.checked_sub(1) else {
            return nothing();
        };
        match ty {
            Type::Array(t) => self.within(&t.elem, depth),
            Type::Slice(t) => self.within(&t.elem, depth),
            Type::Reference(t) => self.within(&t.elem, depth),
            Type::Paren(t) => self.within(&t.elem, depth),
            Type::Group(t) => self.within(&t.elem, depth),
            Type::Tuple(t) => Holds::all(t.elems.iter().map(|t| self.within(t, depth)), "()"),
            Type::Path(t) => {
                let Some(last) = t.path.segments.last() else {
                    return nothing();
                };
                let name = last.ident.to_string();
                if SIGNED.contains(&name.as_str()) {
                    return Holds::Numbers(vec![name]);
                }
                if OTHERS.contains(&name.as_str()) {
                    return Holds::Nothing(name);
                }
                let inner = arguments(&last.arguments)
                    .map(|t| self.within(t, depth))
                    .reduce(Holds::and);
                match (self.declared.get(&name), inner) {
                    // A generic struct: its fields name the parameters.
                    (Some(parts), Some(inner)) if !parts.is_empty() => inner,
                    (Some(parts), _) => {
                        Holds::all(parts.iter().map(|t| self.within(t, depth)), &name)
                    }
                    (None, Some(nothing @ Holds::Nothing(_))) => nothing,
                    (None, _) => Holds::Unknown(name),
                }
            }
            _ => nothing(),
        }
    }
}

fn fields(fields: &Fields) -> Vec<Type> {
    fields.iter().map(|field| field.ty.clone()).collect()
}

fn arguments(arguments: &PathArguments) -> impl Iterator<Item = &Type> {
    let list = match arguments {
        PathArguments::AngleBracketed(list) => Some(&list.args),
        _ => None,
    };
    list.into_iter().flatten().filter_map(|arg| match arg {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}
