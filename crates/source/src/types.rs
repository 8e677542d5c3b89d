//! Which types hold weights, as far as some files tell.

use std::collections::HashMap;

use syn::visit_mut::{self, VisitMut};
use syn::{Fields, GenericArgument, Generics, Item, PathArguments, Type};

use crate::groups::bare_name;
use crate::item::{field_name, type_name};
use crate::syntax::doc;

/// The types of numbers that can be weights.
pub const SIGNED: [&str; 7] = ["i8", "i16", "i32", "i64", "isize", "f32", "f64"];

/// Types whose values are never weights: unsigned numbers, `bool`, `char`.
const UNSIGNED: [&str; 8] = ["u8", "u16", "u32", "u64", "u128", "usize", "bool", "char"];

/// Tells whether a type of this name is never one of scores: unsigned numbers, `bool`, `char`. Also
/// for `_` and `Self`, which name no type by themselves.
pub fn is_plain(name: &str) -> bool {
    UNSIGNED.contains(&name) || name == "_" || name == "Self"
}

/// Tells whether a type of this name never has a weight in it: unsigned numbers, `bool`, `char`,
/// `i128`, texts, times, atomics, and what is shared or behind a lock.
pub fn is_never_of_weights(name: &str) -> bool {
    match name {
        "i128" | "str" | "String" | "Duration" | "Instant" | "SystemTime" | "Arc" | "Rc"
        | "Mutex" | "RwLock" | "OnceLock" | "OnceCell" | "RefCell" => true,
        name => UNSIGNED.contains(&name) || name.starts_with("Atomic"),
    }
}

/// Tells whether a method that is called on a value of this type is not one of the crate's, unless
/// the crate has a trait for it. These are numbers and common containers, and `_` and `Self`, which
/// name no type. If a name is missing here, methods of the crate may be taken to be meant.
pub fn is_standard_type(name: &str) -> bool {
    SIGNED.contains(&name) || is_plain(name) || matches!(name, "HashMap" | "String" | "Vec" | "str")
}

/// How deep aliases may lead to aliases, and structs hold structs: more is a circle.
const DEEPEST: usize = 32;

/// Returns the type that an array, a slice or a reference holds, or that is in parentheses; `None`
/// for another type.
pub fn element(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Array(t) => Some(&t.elem),
        Type::Slice(t) => Some(&t.elem),
        Type::Reference(t) => Some(&t.elem),
        Type::Paren(t) => Some(&t.elem),
        Type::Group(t) => Some(&t.elem),
        _ => None,
    }
}

/// Whether values of a type hold weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Signed numbers, of these primitive types, which may be weights.
    Numbers(Vec<String>),
    /// Unknown, as the type of this name is declared elsewhere.
    Unknown(String),
    /// No weights, as the type of this name has none.
    Nothing(String),
}

impl Holds {
    /// Returns what a value holds that has a part of this kind and one of the kind `other`: no
    /// weights if one part has none, unknown if one is unknown, else numbers of the types of both.
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

    /// Returns what a value holds that has these parts. Without parts it holds no weights;
    /// `otherwise` is then the type named as the reason.
    fn all(parts: impl Iterator<Item = Self>, otherwise: &str) -> Self {
        let all = parts.reduce(Self::and);
        all.unwrap_or_else(|| Self::Nothing(otherwise.to_owned()))
    }
}

/// The types that some files declare, by name.
#[derive(Debug, Default)]
pub(crate) struct Types {
    declared: HashMap<String, Declaration>,
}

/// What a file declares a type as.
#[derive(Debug, Default)]
struct Declaration {
    /// Names of the type parameters.
    parameters: Vec<String>,
    /// Names of the fields of a struct, in order; empty for an alias.
    names: Vec<String>,
    /// Doc comments of the fields, in their order.
    docs: Vec<String>,
    /// Of a struct the types of its fields, in their order; of an alias the type that it stands
    /// for; of an enum and the like nothing.
    types: Vec<Type>,
}

impl Types {
    /// Adds the struct, alias, enum or union that an item declares; of several of one name the
    /// first counts.
    pub(crate) fn add(&mut self, item: &Item) {
        let (name, declaration) = match item {
            Item::Type(i) => (&i.ident, Declaration::alias(&i.generics, &i.ty)),
            Item::Struct(i) => (&i.ident, Declaration::record(&i.generics, &i.fields)),
            Item::Enum(i) => (&i.ident, Declaration::default()),
            Item::Union(i) => (&i.ident, Declaration::default()),
            _ => return,
        };
        self.declared.entry(name.to_string()).or_insert(declaration);
    }

    /// The type and the doc comment of the field `name` in a struct literal; `None` unless these
    /// files declare the struct. `of`: the type that the path in front of the literal names; `ty`:
    /// the type that the literal is to have, which also says the arguments of a generic struct.
    pub(crate) fn field(&self, ty: Option<&Type>, of: &Type, name: &str) -> Option<(Type, String)> {
        let of = self.resolved(of.clone());
        let is_same = |ty: &Type| type_name(ty) == type_name(&of);
        // `ty` counts if it is the same struct.
        let ty = ty.map(|ty| self.resolved(ty.clone())).filter(is_same);
        let ty = ty.unwrap_or(of);
        let Type::Path(path) = &ty else { return None };
        let last = path.path.segments.last()?;
        let declaration = self.declared.get(&last.ident.to_string())?;
        let position = declaration.names.iter().position(|known| known == name)?;
        let ty = declaration.with(&declaration.types[position], &last.arguments);
        Some((ty, declaration.docs[position].clone()))
    }

    /// The type of the entries of an array or a slice, also behind a reference or an alias; `None`
    /// for another type.
    pub(crate) fn entry(&self, ty: &Type) -> Option<Type> {
        let ty = self.resolved(ty.clone());
        match ty {
            Type::Array(t) => Some(*t.elem),
            Type::Slice(t) => Some(*t.elem),
            ty => self.entry(element(&ty)?),
        }
    }

    /// Tells whether a type is an array, a slice or a `Vec`, also behind a reference.
    pub(crate) fn is_list(&self, ty: &Type) -> bool {
        match self.resolved(ty.clone()) {
            Type::Array(_) | Type::Slice(_) => true,
            ty => match element(&ty) {
                Some(behind) => self.is_list(behind),
                None => type_name(&ty).is_some_and(|name| name == "Vec"),
            },
        }
    }

    /// Tells whether a type is one of unsigned numbers, `bool` or `char`, or an array, a slice or a
    /// reference of them, also by an alias.
    pub(crate) fn is_never_of_weights(&self, ty: &Type) -> bool {
        let ty = self.resolved(ty.clone());
        match (element(&ty), type_name(&ty)) {
            (Some(behind), _) => self.is_never_of_weights(behind),
            (None, Some(name)) => UNSIGNED.contains(&name.as_str()),
            (None, None) => false,
        }
    }

    /// The type that an alias stands for, with its arguments put in, also through aliases of
    /// aliases, up to [`DEEPEST`] (32) of them, as more are a circle; any other type is returned
    /// unchanged.
    fn resolved(&self, mut ty: Type) -> Type {
        for _ in 0..DEEPEST {
            let Type::Path(path) = &ty else { return ty };
            let Some(last) = path.path.segments.last() else {
                return ty;
            };
            match self.declared.get(&last.ident.to_string()) {
                // An alias has one type and no names of fields.
                Some(d) if d.names.is_empty() && d.types.len() == 1 => {
                    ty = d.with(&d.types[0], &last.arguments);
                }
                _ => return ty,
            }
        }
        ty
    }

    /// Returns what the values of a type hold: numbers that may be weights, no weights, or what
    /// these files do not tell.
    pub(crate) fn holds(&self, ty: &Type) -> Holds {
        self.within(ty, DEEPEST)
    }

    /// Returns what the values of a type hold, looking into types up to `depth` levels down; what
    /// is deeper counts as no weights, so that a circle of types ends.
    fn within(&self, ty: &Type, depth: usize) -> Holds {
        let nothing = || Holds::Nothing(quote::ToTokens::to_token_stream(ty).to_string());
        let Some(depth) = depth.checked_sub(1) else {
            return nothing();
        };
        match ty {
            Type::Tuple(t) => Holds::all(t.elems.iter().map(|t| self.within(t, depth)), "()"),
            Type::Path(t) => {
                let Some(last) = t.path.segments.last() else {
                    return nothing();
                };
                let name = last.ident.to_string();
                if SIGNED.contains(&name.as_str()) {
                    return Holds::Numbers(vec![name]);
                }
                if is_never_of_weights(&name) {
                    return Holds::Nothing(name);
                }
                let inner = type_arguments(&last.arguments).map(|t| self.within(t, depth));
                let inner = inner.reduce(Holds::and);
                match (self.declared.get(&name), inner) {
                    // Of a generic struct the arguments in angle brackets count, as its fields name
                    // the parameters.
                    (Some(d), Some(inner)) if !d.types.is_empty() => inner,
                    (Some(d), _) => {
                        Holds::all(d.types.iter().map(|t| self.within(t, depth)), &name)
                    }
                    (None, Some(nothing @ Holds::Nothing(_))) => nothing,
                    (None, _) => Holds::Unknown(name),
                }
            }
            ty => element(ty).map_or_else(nothing, |ty| self.within(ty, depth)),
        }
    }
}

impl Declaration {
    /// The declaration of an alias of the type `ty`.
    fn alias(generics: &Generics, ty: &Type) -> Self {
        Self {
            parameters: parameters(generics),
            types: vec![ty.clone()],
            ..Self::default()
        }
    }

    /// The declaration of a struct with these fields.
    fn record(generics: &Generics, fields: &Fields) -> Self {
        let names = fields.iter().enumerate();
        let name = |(index, field)| bare_name(&field_name(index, field)).to_owned();
        Self {
            parameters: parameters(generics),
            names: names.map(name).collect(),
            docs: fields.iter().map(|field| doc(&field.attrs)).collect(),
            types: fields.iter().map(|field| field.ty.clone()).collect(),
        }
    }

    /// The type `ty` of this declaration, such as that of a field, with the type parameters
    /// replaced by the types in `list`, the arguments of the declared type.
    fn with(&self, ty: &Type, list: &PathArguments) -> Type {
        let mut ty = ty.clone();
        let parameters = self.parameters.iter().map(String::as_str);
        let mut given = GivenTypes(parameters.zip(type_arguments(list)).collect());
        given.visit_type_mut(&mut ty);
        ty
    }
}

/// The names of the type parameters among generics.
fn parameters(generics: &Generics) -> Vec<String> {
    let params = generics.type_params();
    params.map(|param| param.ident.to_string()).collect()
}

/// Replaces type parameters, by their names, by types.
struct GivenTypes<'a>(HashMap<&'a str, &'a Type>);

impl VisitMut for GivenTypes<'_> {
    /// Replaces a type that is a parameter by the type given for it, or else looks into it.
    fn visit_type_mut(&mut self, ty: &mut Type) {
        let name = match ty {
            Type::Path(path) => path.path.get_ident().map(ToString::to_string),
            _ => None,
        };
        match name.and_then(|name| self.0.get(name.as_str()).copied()) {
            Some(given) => *ty = given.clone(),
            None => visit_mut::visit_type_mut(self, ty),
        }
    }
}

/// The types in angle brackets behind a name; of `Iterator<Item = T>` it is `T`.
pub fn type_arguments(arguments: &PathArguments) -> impl DoubleEndedIterator<Item = &Type> {
    let list = match arguments {
        PathArguments::AngleBracketed(list) => Some(&list.args),
        _ => None,
    };
    list.into_iter().flatten().filter_map(|arg| match arg {
        GenericArgument::Type(ty) => Some(ty),
        GenericArgument::AssocType(binding) => Some(&binding.ty),
        _ => None,
    })
}
