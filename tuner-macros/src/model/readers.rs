//! What may read a weight: functions, methods, consts and macros, annotated
//! or not, with the names that they use.

use std::collections::{HashMap, HashSet};

use quote::ToTokens;
use syn::{
    Block, Ident, ImplItem, Item, ItemMacro, ReturnType, Signature, TraitItem, Type, parse_quote,
};

use super::macro_input::macro_name;
use super::modules::inline_modules;
use super::types::{SIGNED, is_plain};
use super::units::is_test;
use super::uses::{self, Locals, Use};
use super::{
    Location, Model, attributes, has_attribute, identifiers, last_name, location, location_of,
    table, type_name,
};

/// What is around a reader: its type or trait, the trait that the impl block is of, and
/// the location of that block.
#[derive(Default)]
struct Owner {
    name: Option<String>,
    of_trait: Option<String>,
    block: Option<Location>,
}

/// An item that can read a weight.
pub(crate) struct Reader {
    pub(crate) module: usize,
    /// The type or trait around it.
    pub(crate) owner: Option<String>,
    pub(crate) name: String,
    /// The trait of the impl block.
    pub(crate) of_trait: Option<String>,
    pub(crate) is_macro: bool,
    /// Of a method: how many arguments it takes beside `self`.
    pub(crate) arguments: Option<usize>,
    /// The macro of the crate that writes it.
    pub(crate) written_by: Option<String>,
    pub(crate) location: Location,
    /// The location of its impl block.
    pub(crate) block: Option<Location>,
    pub(crate) locals: Locals,
    pub(crate) uses: Vec<Use>,
    /// Its type, or what it returns.
    pub(crate) gives: Vec<Use>,
}

/// The readers of a crate.
#[derive(Default)]
pub(crate) struct Readers {
    pub(crate) all: Vec<Reader>,
    by_name: HashMap<String, Vec<usize>>,
}

impl Readers {
    pub(crate) fn named(&self, name: &str) -> Option<&[usize]> {
        self.by_name.get(name).map(Vec::as_slice)
    }

    /// Adds the items of a module; which of them read weights is inferred.
    pub(super) fn add(&mut self, model: &Model, path: &[String], items: &[Item]) {
        let Some(module) = model.module(path) else {
            return;
        };
        for item in items {
            let attrs = attributes(item);
            if is_test(attrs) || has_attribute(attrs, "test") {
                continue;
            }
            let none = Locals::default;
            let mut own = Owner::default();
            match item {
                Item::Fn(i) => self.function(module, &own, &i.sig, &i.block),
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
                            ImplItem::Fn(f) => self.function(module, &own, &f.sig, &f.block),
                            ImplItem::Const(c) => {
                                self.push(module, &c.ident, &own, &c.expr, none());
                            }
                            _ => {}
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
                                self.function(module, &own, &f.sig, block);
                            }
                            TraitItem::Const(c) => {
                                let value = c.default.as_ref().map(|(_, value)| value);
                                self.push(module, &c.ident, &own, &value, none());
                            }
                            _ => {}
                        }
                    }
                }
                Item::Mod(_) => {
                    for (name, items) in inline_modules(std::slice::from_ref(item)) {
                        self.add(model, &[path, &[name]].concat(), items);
                    }
                }
                item => {
                    let table = table(item).filter(|_| !has_attribute(attrs, "frozen"));
                    if let Some((ident, ty, expr)) = table {
                        self.push(module, ident, &own, expr, none()).gives = given(ty);
                    }
                }
            }
        }
    }

    fn function(&mut self, module: usize, own: &Owner, sig: &Signature, block: &Block) {
        let locals = Locals::of(Some(sig), block, own.name.as_deref());
        let reader = self.push(module, &sig.ident, own, block, locals);
        reader.arguments = sig.receiver().map(|_| sig.inputs.len() - 1);
        if let ReturnType::Type(_, ty) = &sig.output {
            reader.gives = given(ty);
        }
    }

    /// The functions that a call of one of the crate's macros writes: each may read all
    /// that the macro and the call name.
    fn written(&mut self, model: &Model, module: usize, call: &ItemMacro) {
        let by = macro_name(&call.mac);
        let mut names = model
            .written_functions
            .get(&by)
            .cloned()
            .unwrap_or_default();
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

    fn push(
        &mut self,
        module: usize,
        ident: &Ident,
        own: &Owner,
        value: &impl ToTokens,
        locals: Locals,
    ) -> &mut Reader {
        let (name, number) = (ident.to_string(), self.all.len());
        self.by_name.entry(name.clone()).or_default().push(number);
        self.all.push(Reader {
            module,
            owner: own.name.clone(),
            of_trait: own.of_trait.clone(),
            name,
            is_macro: false,
            arguments: None,
            written_by: None,
            location: location(ident.span()),
            block: own.block,
            uses: uses::uses(value, &locals),
            locals,
            gives: Vec::new(),
        });
        &mut self.all[number]
    }
}

/// Whether a name that a macro is given may be that of a function that it writes.
fn may_be_function(name: &str) -> bool {
    let is_known = is_plain(name) || SIGNED.contains(&name);
    name.starts_with(char::is_lowercase) && !is_known
}

fn given(ty: &Type) -> Vec<Use> {
    uses::uses(ty, &Locals::default())
}
