//! Readers of weights: functions, methods, consts and macros, annotated
//! or not, with the names that they use.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{
    Block, Ident, ImplItem, Item, ItemMacro, PatType, ReceiverKind, ReturnType, Signature,
    TraitItem, Type, Visibility, parse_quote,
};

use crate::annotated::{AnnotatedModule, Standing};
use crate::item::{
    TokenLocation, attributes, identifiers, location, location_of, table, type_name, typed,
};
use crate::modules::CrateModel;
use crate::syntax::{has_attribute, last_name};
use crate::types::{SIGNED, is_plain, is_standard_type};
use crate::uses::{self, Locals, Use, UseKind};

/// The surroundings of a reader: its type or trait, the trait that the impl block is of, and
/// the location of that block.
#[derive(Default)]
struct Owner {
    name: Option<String>,
    of_trait: Option<String>,
    block: Option<TokenLocation>,
}

/// An item that can read a weight.
#[derive(Debug, Default)]
pub struct Reader {
    /// The number of its file.
    pub file: usize,
    /// The number of its module.
    pub module: usize,
    /// The name of the type or trait around it; `None` outside.
    pub owner: Option<String>,
    /// Its own name.
    pub name: String,
    /// The name of the trait of its impl block, if any.
    pub of_trait: Option<String>,
    /// Whether it is a method with a body in the declaration of a trait.
    pub is_provided: bool,
    /// Whether it is a macro, `macro_rules!`.
    pub is_macro: bool,
    /// Of a function: whether every crate that sees its module or type sees it.
    pub is_public: bool,
    /// The signature of a function; `None` of anything else.
    pub signature: Option<Signature>,
    /// The number of arguments beside `self`, if it is a method.
    pub arguments: Option<usize>,
    /// The name of the crate's macro whose call writes it, if any.
    pub written_by: Option<String>,
    /// The location of its name.
    pub location: TokenLocation,
    /// The location of its impl block, if it is in one.
    pub block: Option<TokenLocation>,
    /// The names that its body declares, as variables.
    pub locals: Locals,
    /// The names that its body uses.
    pub uses: Vec<Use>,
    /// The types in its type, or in what it returns.
    pub gives: Vec<Use>,
}

/// How a value is handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// By value.
    Value,
    /// By `&`.
    Shared,
    /// By `&mut`.
    Mutable,
}

impl Reader {
    /// How a function takes `self`; `None` if it does not, or the reader is not a function.
    pub fn receiver(&self) -> Option<Passing> {
        Some(match &self.signature.as_ref()?.receiver()?.kind {
            ReceiverKind::Reference(_, _, None) => Passing::Shared,
            ReceiverKind::Reference(_, _, Some(_)) => Passing::Mutable,
            _ => Passing::Value,
        })
    }

    /// How a function takes its arguments other than `self`, and the last names of their types,
    /// without `&`; the name is empty for a type without one, such as a tuple.
    pub fn parameters(&self) -> Vec<(Passing, String)> {
        let parameter = |arg: &PatType| match &*arg.ty {
            Type::Reference(ty) if ty.mutability.is_some() => (Passing::Mutable, kind(&ty.elem)),
            Type::Reference(ty) => (Passing::Shared, kind(&ty.elem)),
            ty => (Passing::Value, kind(ty)),
        };
        let inputs = self.signature.iter().flat_map(|sig| &sig.inputs);
        typed(inputs).map(parameter).collect()
    }

    /// The return type of a function as it is written, and the last name of that type; `None` if it
    /// returns nothing, or the reader is not a function.
    pub fn returned(&self) -> Option<(String, String)> {
        match &self.signature.as_ref()?.output {
            ReturnType::Type(_, ty) => Some((ty.to_token_stream().to_string(), kind(ty))),
            ReturnType::Default => None,
        }
    }

    /// Whether a function takes texts of any type, `impl AsRef<str>` or `T: Into<String>`, and has
    /// no second generic parameter.
    pub fn takes_any_text(&self) -> bool {
        const TRAITS: [&str; 4] = [
            "AsRef < str >",
            "Borrow < str >",
            "Into < String >",
            "ToString",
        ];
        self.signature.as_ref().is_some_and(|sig| {
            let text = sig.to_token_stream().to_string();
            sig.generics.params.len() < 2 && TRAITS.iter().any(|name| text.contains(name))
        })
    }

    /// Whether a function has parameters for types, consts or lifetimes.
    pub fn is_generic(&self) -> bool {
        let mut signature = self.signature.iter();
        signature.any(|sig| !sig.generics.params.is_empty())
    }
}

/// The last name of a type; empty of one without.
fn kind(ty: &Type) -> String {
    let name = matches!(ty, Type::Path(_)).then(|| type_name(ty));
    name.flatten().unwrap_or_default()
}

/// A file of the crate, and a module of it.
#[derive(Clone, Copy)]
struct Place {
    file: usize,
    module: usize,
}

/// The readers of a crate.
#[derive(Debug, Default)]
pub struct Readers {
    /// All readers, file by file.
    pub all: Vec<Reader>,
    by_name: HashMap<String, Vec<usize>>,
}

impl Readers {
    /// The numbers in `all` of the readers of a name; `None` if there are none.
    pub fn named(&self, name: &str) -> Option<&[usize]> {
        self.by_name.get(name).map(Vec::as_slice)
    }

    /// Adds the items of a module that may read a weight: functions, methods, consts, macros, and
    /// values of enums, but for tests and frozen tables. Which of them do is inferred from `uses`
    /// later.
    pub(crate) fn add(&mut self, model: &CrateModel, of: &AnnotatedModule) {
        let Some(module) = model.module(&of.path) else {
            return;
        };
        let file = of.file;
        let module = Place { file, module };
        for (item, standing) in &of.items {
            if has_attribute(attributes(item), "test") {
                continue;
            }
            let none = Locals::default;
            let mut own = Owner::default();
            match item {
                Item::Fn(i) => {
                    self.function(module, &own, &i.vis, &i.sig, &i.block);
                }
                Item::Macro(i) if i.mac.path.is_ident("macro_rules") => {
                    if let Some(name) = &i.ident {
                        self.push(module, name, &own, &i.mac.tokens, none())
                            .is_macro = true;
                    }
                }
                Item::Macro(call) => self.written(model, module, call),
                Item::Impl(block) => {
                    let of_trait = block.trait_.as_ref();
                    own = Owner {
                        name: type_name(&block.self_ty),
                        of_trait: of_trait.map(|(path, _)| last_name(path)),
                        block: Some(location_of(item)),
                    };
                    for member in &block.items {
                        match member {
                            ImplItem::Fn(f) => {
                                self.function(module, &own, &f.vis, &f.sig, &f.block);
                            }
                            ImplItem::Const(c) => {
                                self.push(module, &c.ident, &own, &c.expr, none());
                            }
                            _ => {}
                        }
                    }
                }
                Item::Enum(item) => {
                    own.name = Some(item.ident.to_string());
                    for variant in &item.variants {
                        if let Some((_, value)) = &variant.discriminant {
                            self.push(module, &variant.ident, &own, value, none());
                        }
                    }
                }
                Item::Trait(item) => {
                    own.name = Some(item.ident.to_string());
                    for member in &item.items {
                        match member {
                            TraitItem::Fn(f) => {
                                let none = parse_quote!({});
                                let block = f.default.as_ref().unwrap_or(&none);
                                self.function(module, &own, &item.vis, &f.sig, block)
                                    .is_provided = f.default.is_some();
                            }
                            TraitItem::Const(c) => {
                                let value = c.default.as_ref().map(|(_, value)| value);
                                self.push(module, &c.ident, &own, &value, none());
                            }
                            _ => {}
                        }
                    }
                }
                item => {
                    let table = table(item).filter(|_| *standing != Standing::Frozen);
                    if let Some((ident, ty, expr)) = table {
                        self.push(module, ident, &own, expr, none()).gives = given(ty);
                    }
                }
            }
        }
    }

    /// Adds a function or a method and returns it. `own`: what is around it. A method of an `impl`
    /// of a trait is as public as the trait.
    fn function(
        &mut self,
        module: Place,
        own: &Owner,
        vis: &Visibility,
        sig: &Signature,
        block: &Block,
    ) -> &mut Reader {
        let locals = Locals::of(Some(sig), block, own.name.as_deref());
        let reader = self.push(module, &sig.ident, own, block, locals);
        reader.arguments = sig.receiver().map(|_| sig.inputs.len() - 1);
        reader.is_public = matches!(vis, Visibility::Public(_)) || own.of_trait.is_some();
        reader.signature = Some(sig.clone());
        if let ReturnType::Type(_, ty) = &sig.output {
            reader.gives = given(ty);
        }
        reader
    }

    /// Adds the functions that a call of a macro writes. Each may read all that the call names, and
    /// the macro. A macro of another crate writes the items that are in the call.
    fn written(&mut self, model: &CrateModel, module: Place, call: &ItemMacro) {
        let by = last_name(&call.mac.path);
        let known = model.written_functions.get(&by);
        // A macro of another crate writes what it is given: `thread_local! { static … }`.
        let mut names = known.cloned().unwrap_or_else(|| items_in(&call.mac.tokens));
        if names.remove("$") {
            let mut given = HashSet::new();
            identifiers(call.mac.tokens.clone(), &mut given);
            names.extend(given.into_iter().filter(|name| may_be_function(name)));
        }
        // What follows `fn` in a macro may be no name, as in `$fn:ident`.
        names.retain(|name| syn::parse_str::<Ident>(name).is_ok());
        let span = call.mac.bang_token.span;
        let mut names: Vec<String> = names.into_iter().collect();
        names.sort_unstable();
        for name in names {
            let none = Locals::default();
            let own = Owner::default();
            let reader = self.push(module, &Ident::new(&name, span), &own, call, none);
            reader.written_by = Some(by.clone());
        }
    }

    /// Adds a reader with the uses in `value`, its body or initialiser, and returns it, so that the
    /// caller can set its other fields. `locals`: the names that the value declares.
    fn push(
        &mut self,
        Place { file, module }: Place,
        ident: &Ident,
        own: &Owner,
        value: &impl ToTokens,
        locals: Locals,
    ) -> &mut Reader {
        let (name, number) = (ident.to_string(), self.all.len());
        self.by_name.entry(name.clone()).or_default().push(number);
        self.all.push(Reader {
            file,
            module,
            owner: own.name.clone(),
            of_trait: own.of_trait.clone(),
            name,
            location: location(ident.span()),
            block: own.block,
            uses: uses::uses(value, &locals),
            locals,
            ..Reader::default()
        });
        &mut self.all[number]
    }
}

/// Names behind `static`, `const` and `fn` among the tokens, but not in groups.
fn items_in(tokens: &TokenStream) -> HashSet<String> {
    let tokens: Vec<String> = tokens.clone().into_iter().map(|t| t.to_string()).collect();
    let is_word = |word: &str| matches!(word, "static" | "const" | "fn");
    let pairs = tokens.windows(2).filter(|pair| is_word(&pair[0]));
    pairs.map(|pair| pair[1].clone()).collect()
}

/// Tells whether a name that a macro is given may be the name of a function that it writes: it
/// begins with a small letter, and is not a type of numbers.
fn may_be_function(name: &str) -> bool {
    let is_known = is_plain(name) || SIGNED.contains(&name);
    name.starts_with(char::is_lowercase) && !is_known
}

/// The uses of the types that a type names.
fn given(ty: &Type) -> Vec<Use> {
    uses::uses(ty, &Locals::default())
}

/// The surroundings of a use of a name.
#[derive(Debug)]
pub struct UsePlace<'a> {
    /// The number of the reader whose body it is in; `None` outside of readers.
    pub reader: Option<usize>,
    /// The number of the module.
    pub module: usize,
    /// The name of the type around it, if any.
    pub owner: Option<&'a str>,
    /// The names that the body declares.
    pub locals: &'a Locals,
}

impl<'a> UsePlace<'a> {
    /// The place of the uses in a reader's body; `number` is that of the reader.
    pub fn of(number: usize, reader: &'a Reader) -> Self {
        Self {
            reader: Some(number),
            module: reader.module,
            owner: reader.owner.as_deref(),
            locals: &reader.locals,
        }
    }
}

impl CrateModel {
    /// The numbers of the readers that a use may mean, and whether it surely means one of them: by
    /// a path to an item, by a macro's name, or by the type that a path or a receiver says. A path
    /// of small letters that leads to no item means what a macro writes under its last name. A
    /// method of an unknown type may be any one of the name with as many arguments. `None` if the
    /// crate has no such reader.
    pub fn behind(&self, place: &UsePlace<'_>, used: &Use) -> Option<(Vec<usize>, bool)> {
        let all = &self.readers.all;
        let target = self.item_used(place, used);
        let name = target.as_ref().map_or(used.path.last()?, |(_, name)| name);
        let named = self.readers.named(name)?;
        let with = |keep: &dyn Fn(&Reader) -> bool| -> Vec<usize> {
            named.iter().copied().filter(|&n| keep(&all[n])).collect()
        };
        if let Some((module, _)) = target {
            let is_item = |n: &Reader| n.owner.is_none() && !n.is_macro && n.written_by.is_none();
            return Some((with(&|n| n.module == module && is_item(n)), true));
        }
        let (of, given) = match &used.kind {
            UseKind::Macro => {
                // One of its own module is before those of others.
                let own = with(&|n| n.is_macro && n.module == place.module);
                let all = || with(&|n| n.is_macro);
                return Some((if own.is_empty() { all() } else { own }, true));
            }
            UseKind::Method(method) => {
                let of = method.on.as_ref().and_then(|on| {
                    let mut fields = method.fields.iter();
                    let of = fields.try_fold(on.as_str(), |on, field| self.field_type(on, field));
                    of.map(str::to_owned)
                });
                // No method of the crate is meant.
                if of.as_deref().is_some_and(is_standard_type)
                    && with(&|n| n.owner == of).is_empty()
                {
                    return None;
                }
                (of, method.arguments)
            }
            UseKind::Path => {
                let spelt = self.spelt(place, used);
                let (_, before) = spelt.split_last()?;
                let of = before.last();
                let Some(of) = of.filter(|of| of.starts_with(char::is_uppercase)) else {
                    return Some((with(&|n| n.written_by.is_some()), true));
                };
                let of = match self.item_behind(place.module, before) {
                    Some((_, name)) => Some(name),
                    _ if of == "Self" => place.owner.map(str::to_owned),
                    _ => Some(of.clone()),
                };
                (of, None)
            }
        };
        let own = with(&|n| of.is_some() && (n.owner == of || n.of_trait == of));
        if !own.is_empty() {
            return Some((own, true));
        }
        let fits = |n: &Reader| given.is_none() || n.arguments == given;
        let is_method = matches!(used.kind, UseKind::Method(_));
        let is_meant =
            |n: &Reader| n.owner.is_some() && fits(n) || is_method && n.written_by.is_some();
        Some((with(&is_meant), false))
    }

    /// The item that a use leads to by its path: the number of its module, and its name there.
    /// `None` for methods and macros, which have no path to an item, and where the path leads to a
    /// module or out of the crate.
    pub fn item_used(&self, place: &UsePlace<'_>, used: &Use) -> Option<(usize, String)> {
        let is_path = matches!(used.kind, UseKind::Path);
        is_path.then(|| self.item_behind(place.module, &self.spelt(place, used)))?
    }

    /// For each use in the body of a reader (by its number): the readers that it may mean, and
    /// whether it surely means one of them. Uses of what the crate does not have are left out.
    pub fn used_by(&self, reader: usize) -> impl Iterator<Item = (Vec<usize>, bool)> {
        let body = &self.readers.all[reader];
        let place = UsePlace::of(reader, body);
        let uses = body.uses.iter();
        uses.filter_map(move |used| self.behind(&place, used))
    }

    /// The path of a use, in full where a `use` of the body brings in its first name; else
    /// unchanged.
    pub fn spelt<'u>(&self, place: &UsePlace<'_>, used: &'u Use) -> Cow<'u, [String]> {
        let full = match used.kind {
            UseKind::Path => self.full_path(place.module, place.locals, &used.path),
            _ => None,
        };
        full.map_or(Cow::Borrowed(&used.path), Cow::Owned)
    }
}
