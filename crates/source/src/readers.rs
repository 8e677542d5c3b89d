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
    /// How a function takes `self`: by value, `&` or `&mut`. `None` if it has no `self`, or the
    /// item is not a function.
    pub fn receiver(&self) -> Option<Passing> {
        Some(match &self.signature.as_ref()?.receiver()?.kind {
            ReceiverKind::Reference(_, _, None) => Passing::Shared,
            ReceiverKind::Reference(_, _, Some(_)) => Passing::Mutable,
            _ => Passing::Value,
        })
    }

    /// How a function takes its arguments other than `self`, and the last names of their types
    /// without `&`; the name is empty for a type without one, such as a tuple. Empty if the item is
    /// not a function.
    pub fn parameters(&self) -> Vec<(Passing, String)> {
        let parameter = |arg: &PatType| match &*arg.ty {
            Type::Reference(ty) if ty.mutability.is_some() => (Passing::Mutable, kind(&ty.elem)),
            Type::Reference(ty) => (Passing::Shared, kind(&ty.elem)),
            ty => (Passing::Value, kind(ty)),
        };
        let inputs = self.signature.iter().flat_map(|sig| &sig.inputs);
        typed(inputs).map(parameter).collect()
    }

    /// The return type of a function: its text, and its last name, which is empty for a tuple or
    /// the like. `None` if the function returns nothing, or the item is not a function.
    pub fn returned(&self) -> Option<(String, String)> {
        match &self.signature.as_ref()?.output {
            ReturnType::Type(_, ty) => Some((ty.to_token_stream().to_string(), kind(ty))),
            ReturnType::Default => None,
        }
    }

    /// Tells whether a function takes a text as any type that gives one, `impl AsRef<str>` or `T:
    /// Into<String>`, and has at most one generic parameter.
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

    /// Tells whether a function has parameters for types, consts or lifetimes; false if the item is
    /// not a function.
    pub fn is_generic(&self) -> bool {
        let mut signature = self.signature.iter();
        signature.any(|sig| !sig.generics.params.is_empty())
    }
}

/// The last name of a type that is a path; empty for any other type.
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
    /// The numbers, in `all`, of the readers called `name`: items that may read a weight. `None` if
    /// there are none.
    pub fn named(&self, name: &str) -> Option<&[usize]> {
        self.by_name.get(name).map(Vec::as_slice)
    }

    /// Adds the items of a module that may read a weight: functions, methods, consts, statics,
    /// macros, and values of enums; left out are tests and frozen consts. Which of them do read one
    /// is found later, from the names that they use.
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
                                // A method without a body reads nothing.
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
                    // A const or a static that is not frozen.
                    let table = table(item).filter(|_| *standing != Standing::Frozen);
                    if let Some((ident, ty, expr)) = table {
                        self.push(module, ident, &own, expr, none()).gives = given(ty);
                    }
                }
            }
        }
    }

    /// Adds a function or a method as a reader and returns it, so that the caller can change it.
    /// `module`: its file and module; `own`: the type or trait around it. A method in an impl of a
    /// trait is as public as the trait.
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

    /// Adds as readers the items that a macro call may write, by their names: functions, by the
    /// rules of a macro of the crate, or what follows `static`, `const` and `fn` in a call of
    /// another crate's macro. Each may read all that the call names.
    fn written(&mut self, model: &CrateModel, module: Place, call: &ItemMacro) {
        let by = last_name(&call.mac.path);
        let known = model.written_functions.get(&by);
        // Of another crate's macro nothing is known: it may write what it is given, as
        // `thread_local! { static … }` does.
        let mut names = known.cloned().unwrap_or_else(|| items_in(&call.mac.tokens));
        // In the rules `$` follows `fn`: a name that the call gives is that of the function.
        if names.remove("$") {
            let mut given = HashSet::new();
            identifiers(call.mac.tokens.clone(), &mut given);
            names.extend(given.into_iter().filter(|name| may_be_function(name)));
        }
        // What follows `fn` may also be a sign or a keyword.
        names.retain(|name| syn::parse_str::<Ident>(name).is_ok());
        let span = call.mac.bang_token.span;
        // Sorted, as a set has another order each time.
        let mut names: Vec<String> = names.into_iter().collect();
        names.sort_unstable();
        for name in names {
            let none = Locals::default();
            let own = Owner::default();
            let reader = self.push(module, &Ident::new(&name, span), &own, call, none);
            reader.written_by = Some(by.clone());
        }
    }

    /// Adds a reader, an item that may read a weight, and returns it, so that the caller can set
    /// its other fields. `value`: its body or initialiser, of which the uses of names are noted;
    /// `locals`: the names that this declares; `own`: the type or trait around it.
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

/// The names that follow `static`, `const` and `fn` among the tokens, also behind `mut` and `ref`;
/// those in groups aside.
fn items_in(tokens: &TokenStream) -> HashSet<String> {
    let tokens = tokens.clone().into_iter().map(|token| token.to_string());
    let tokens: Vec<String> = tokens.filter(|t| !matches!(&**t, "mut" | "ref")).collect();
    let is_word = |word: &str| matches!(word, "static" | "const" | "fn");
    let pairs = tokens.windows(2).filter(|pair| is_word(&pair[0]));
    pairs.map(|pair| pair[1].clone()).collect()
}

/// Tells whether a name in a macro call may be the name of a function that the macro writes: it
/// begins with a small letter, and is not that of a primitive type.
fn may_be_function(name: &str) -> bool {
    let is_known = is_plain(name) || SIGNED.contains(&name);
    name.starts_with(char::is_lowercase) && !is_known
}

/// The uses of names in a type.
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
    /// The place of the uses in the body of `reader`, an item that may read a weight; `number` is
    /// its number.
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
    /// The numbers of the readers (items that may read a weight) that a use of a name at `place`
    /// may mean, and whether it surely means one of them: by a path to an item, by a macro's name,
    /// or by the type that a path or a receiver says. A path of small letters that leads to no item
    /// means what a macro writes under its last name. A method of an unknown type may be any of the
    /// name with as many arguments. `None` if the crate has no reader of the name, or the method is
    /// one of a standard type.
    pub fn behind(&self, place: &UsePlace<'_>, used: &Use) -> Option<(Vec<usize>, bool)> {
        let all = &self.readers.all;
        let target = self.item_used(place, used);
        let name = target.as_ref().map_or(used.path.last()?, |(_, name)| name);
        let named = self.readers.named(name)?;
        // The numbers of the readers of that name for which `keep` holds.
        let with = |keep: &dyn Fn(&Reader) -> bool| -> Vec<usize> {
            named.iter().copied().filter(|&n| keep(&all[n])).collect()
        };
        if let Some((module, _)) = target {
            let is_item = |n: &Reader| n.owner.is_none() && !n.is_macro && n.written_by.is_none();
            return Some((with(&|n| n.module == module && is_item(n)), true));
        }
        // The type that the use says, if it does, and the number of arguments of a method call.
        let (of, given) = match &used.kind {
            UseKind::Macro => {
                // A macro of the module itself is meant before those of other modules.
                let own = with(&|n| n.is_macro && n.module == place.module);
                let all = || with(&|n| n.is_macro);
                return Some((if own.is_empty() { all() } else { own }, true));
            }
            UseKind::Method(method) => {
                // The type of the receiver: that of the variable, then of one field after the
                // other.
                let of = method.on.as_ref().and_then(|on| {
                    let mut fields = method.fields.iter();
                    let of = fields.try_fold(on.as_str(), |on, field| self.field_type(on, field));
                    of.map(str::to_owned)
                });
                // A method of a number, a text or a `Vec` that the crate has no impl for is not the
                // crate's.
                if of.as_deref().is_some_and(is_standard_type)
                    && with(&|n| n.owner == of).is_empty()
                {
                    return None;
                }
                (of, method.arguments)
            }
            UseKind::Path => {
                // In `Type::name` the type is what is in front of the last name.
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
        // Without a type: any method, or what a macro writes, that can be meant by name and
        // arguments.
        let fits = |n: &Reader| given.is_none() || n.arguments == given;
        let is_method = matches!(used.kind, UseKind::Method(_));
        let is_meant =
            |n: &Reader| n.owner.is_some() && fits(n) || is_method && n.written_by.is_some();
        Some((with(&is_meant), false))
    }

    /// The item that a use of a name at `place` leads to by its path: the number of the item's
    /// module, and its name there. `None` for methods and macros, which have no path to an item,
    /// and where the path leads to a module or out of the crate.
    pub fn item_used(&self, place: &UsePlace<'_>, used: &Use) -> Option<(usize, String)> {
        let is_path = matches!(used.kind, UseKind::Path);
        is_path.then(|| self.item_behind(place.module, &self.spelt(place, used)))?
    }

    /// For each use of a name in the body of a reader (an item that may read a weight, by its
    /// number): the readers that it may mean, and whether it surely means one of them. Uses that
    /// mean no reader of the crate are left out.
    pub fn used_by(&self, reader: usize) -> impl Iterator<Item = (Vec<usize>, bool)> {
        let body = &self.readers.all[reader];
        let place = UsePlace::of(reader, body);
        let uses = body.uses.iter();
        uses.filter_map(move |used| self.behind(&place, used))
    }

    /// The path of a use of a name at `place`. Where a `use` inside the body brings in its first
    /// name, the path is written in full; else it is unchanged.
    pub fn spelt<'u>(&self, place: &UsePlace<'_>, used: &'u Use) -> Cow<'u, [String]> {
        let full = match used.kind {
            UseKind::Path => self.full_path(place.module, place.locals, &used.path),
            _ => None,
        };
        full.map_or(Cow::Borrowed(&used.path), Cow::Owned)
    }
}
