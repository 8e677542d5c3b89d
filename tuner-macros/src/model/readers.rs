//! What may read a weight: functions, methods, consts and macros, annotated
//! or not, with the names that they use.

use std::collections::HashMap;

use quote::ToTokens;
use syn::{Block, Ident, ImplItem, Item, ReturnType, Signature, TraitItem, Type, parse_quote};

use super::modules::inline_modules;
use super::units::is_test;
use super::uses::{self, Locals, Use};
use super::{Location, Model, attributes, has_attribute, location, location_of, table, type_name};

/// The type or trait around a reader, and the location of its impl block.
type Owner = (Option<String>, Option<Location>);

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
            let mut own = (None, None);
            match item {
                Item::Fn(i) => self.function(module, &own, &i.sig, &i.block),
                Item::Macro(i) if i.mac.path.is_ident("macro_rules") => {
                    if let Some(name) = &i.ident {
                        self.push(module, name, &own, &i.mac.tokens, none())
                            .is_macro = true;
                    }
                }
                Item::Impl(block) => {
                    own = (type_name(&block.self_ty), Some(location_of(item)));
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
                    own.0 = Some(item.ident.to_string());
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
        let locals = Locals::of(Some(sig), block, own.0.as_deref());
        let reader = self.push(module, &sig.ident, own, block, locals);
        if let ReturnType::Type(_, ty) = &sig.output {
            reader.gives = given(ty);
        }
    }

    fn push(
        &mut self,
        module: usize,
        ident: &Ident,
        (owner, block): &Owner,
        value: &impl ToTokens,
        locals: Locals,
    ) -> &mut Reader {
        let (name, number) = (ident.to_string(), self.all.len());
        self.by_name.entry(name.clone()).or_default().push(number);
        self.all.push(Reader {
            module,
            owner: owner.clone(),
            name,
            is_macro: false,
            location: location(ident.span()),
            block: *block,
            uses: uses::uses(value, &locals),
            locals,
            gives: Vec::new(),
        });
        &mut self.all[number]
    }
}

fn given(ty: &Type) -> Vec<Use> {
    uses::uses(ty, &Locals::default())
}
