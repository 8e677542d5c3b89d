//! What may read a weight: functions, methods, consts and macros, annotated
//! or not, with the names that they use.

use std::collections::HashMap;

use quote::ToTokens;
use syn::{Block, ImplItem, Item, ReturnType, Signature, TraitItem, Type, parse_quote};

use super::units::is_test;
use super::uses::{self, Locals, Use};
use super::{Location, Model, attributes, has_attribute, location, location_of, type_name};

/// An item that can read a weight.
pub(crate) struct Reader {
    pub(crate) module: usize,
    /// The type or trait around it.
    pub(crate) owner: Option<String>,
    pub(crate) name: String,
    pub(crate) is_macro: bool,
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
    /// The readers of this name.
    pub(crate) fn named(&self, name: &str) -> Option<&[usize]> {
        self.by_name.get(name).map(Vec::as_slice)
    }

    /// Adds the items of a module; which of them read weights is inferred.
    pub(super) fn add(&mut self, model: &Model, path: &[String], items: &[Item]) {
        let Some(module) = model.module(path) else {
            return;
        };
        for item in items {
            if is_test(attributes(item)) || has_attribute(attributes(item), "test") {
                continue;
            }
            let own = (None, None);
            match item {
                Item::Const(i) if !has_attribute(&i.attrs, "frozen") => {
                    let at = location(i.ident.span());
                    self.push(module, i.ident.to_string(), at, own, &i.expr);
                    self.gives(&i.ty);
                }
                Item::Static(i) if !has_attribute(&i.attrs, "frozen") => {
                    let at = location(i.ident.span());
                    self.push(module, i.ident.to_string(), at, own, &i.expr);
                    self.gives(&i.ty);
                }
                Item::Fn(i) => self.function(module, own, &i.sig, &i.block),
                Item::Macro(i) if i.mac.path.is_ident("macro_rules") => {
                    if let Some(name) = &i.ident {
                        let at = location(name.span());
                        self.push(module, name.to_string(), at, own, &i.mac.tokens);
                        if let Some(reader) = self.all.last_mut() {
                            reader.is_macro = true;
                        }
                    }
                }
                Item::Impl(block) => {
                    let own = (type_name(&block.self_ty), Some(location_of(item)));
                    for member in &block.items {
                        match member {
                            ImplItem::Fn(f) => self.function(module, own.clone(), &f.sig, &f.block),
                            ImplItem::Const(c) => {
                                let (name, at) = (c.ident.to_string(), location(c.ident.span()));
                                self.push(module, name, at, own.clone(), &c.expr);
                            }
                            _ => {}
                        }
                    }
                }
                Item::Trait(item) => {
                    let own = (Some(item.ident.to_string()), None);
                    for member in &item.items {
                        match member {
                            TraitItem::Fn(f) => {
                                let none = parse_quote!({});
                                let block = f.default.as_ref().unwrap_or(&none);
                                self.function(module, own.clone(), &f.sig, block);
                            }
                            TraitItem::Const(c) => {
                                let (name, at) = (c.ident.to_string(), location(c.ident.span()));
                                let value = c.default.as_ref().map(|(_, value)| value);
                                self.push(module, name, at, own.clone(), &value);
                            }
                            _ => {}
                        }
                    }
                }
                Item::Mod(item) if !is_test(&item.attrs) => {
                    if let Some((_, items)) = &item.content {
                        let mut path = path.to_vec();
                        path.push(item.ident.to_string());
                        self.add(model, &path, items);
                    }
                }
                _ => {}
            }
        }
    }

    fn function(
        &mut self,
        module: usize,
        own: (Option<String>, Option<Location>),
        sig: &Signature,
        block: &Block,
    ) {
        let locals = Locals::of(Some(sig), block, own.0.as_deref());
        self.push(
            module,
            sig.ident.to_string(),
            location(sig.ident.span()),
            own,
            &"",
        );
        if let Some(reader) = self.all.last_mut() {
            reader.uses = uses::uses(block, &locals);
            reader.locals = locals;
        }
        if let ReturnType::Type(_, ty) = &sig.output {
            self.gives(ty);
        }
    }

    /// Notes the type of the last reader.
    fn gives(&mut self, ty: &Type) {
        if let Some(reader) = self.all.last_mut() {
            reader.gives = uses::uses(ty, &Locals::default());
        }
    }

    fn push(
        &mut self,
        module: usize,
        name: String,
        location: Location,
        (owner, block): (Option<String>, Option<Location>),
        value: &impl ToTokens,
    ) {
        let named = self.by_name.entry(name.clone()).or_default();
        named.push(self.all.len());
        let locals = Locals::default();
        self.all.push(Reader {
            module,
            owner,
            name,
            is_macro: false,
            location,
            block,
            uses: uses::uses(value, &locals),
            locals,
            gives: Vec::new(),
        });
    }
}
