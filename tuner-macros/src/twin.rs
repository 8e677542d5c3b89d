//! Writes the twin of an item.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::visit_mut::VisitMut;
use syn::{Attribute, FnArg, ImplItem, Item, ItemImpl, ItemStruct, Pat, Visibility, parse_quote};

use crate::aliases;
use crate::diag::Mistake;
use crate::imports::{self, Paths};
use crate::refuse;
use crate::scored::scored_block;
use crate::walk::Walk;
use crate::world::{self, Function, World};

/// Twins of items of one unit, and the mistakes found on the way.
pub(crate) struct Twin<'w> {
    pub(crate) world: &'w mut World,
    pub(crate) unit: usize,
    pub(crate) mistakes: Vec<Mistake>,
    /// Structs with a method that nobody here asks for a score, and others may.
    entered: HashSet<String>,
    /// Such methods left out, by struct: perhaps nobody wants them.
    left_out: Vec<(String, Vec<Mistake>)>,
}

impl<'w> Twin<'w> {
    pub(crate) fn new(world: &'w mut World, unit: usize) -> Self {
        Self {
            world,
            unit,
            mistakes: Vec::new(),
            entered: HashSet::new(),
            left_out: Vec::new(),
        }
    }

    /// What is wrong with the items so far. Of a struct that no method is
    /// left to ask for a score, also what is wrong with those left out.
    pub(crate) fn take_mistakes(&mut self) -> Vec<Mistake> {
        let mut mistakes = std::mem::take(&mut self.mistakes);
        for (owner, left_out) in self.left_out.drain(..) {
            if !self.entered.contains(&owner) {
                mistakes.extend(left_out);
            }
        }
        mistakes
    }

    /// The twin of an item, number `index` of its unit; empty if it needs none.
    pub(crate) fn item(&mut self, item: &Item, index: usize) -> TokenStream {
        let mut item = item.clone();
        aliases::spell_out(self.world, &self.world.units[self.unit].module, &mut item);
        let mut twin = match &item {
            Item::Const(item) => {
                let mut item = item.clone();
                if !self.constant(&item.ident, &mut item.ty, &mut item.expr) {
                    return TokenStream::new();
                }
                item.attrs = kept(&item.attrs);
                item.vis = public();
                match self.computed(&item.ident, &item.attrs, &item.ty, &item.expr) {
                    Some(function) => Item::Fn(function),
                    None => Item::Const(item),
                }
            }
            Item::Static(item) => {
                let mut item = item.clone();
                if self.world.written.contains(&item.ident.to_string()) {
                    let functions = &self.world.functions;
                    let read = |f: &Function| {
                        let asked_for = f.called || f.public || !self.world.units[f.unit].whole;
                        f.reads_state && asked_for && self.world.is_wanted(f)
                    };
                    if functions.iter().any(read) {
                        let at = item.ident.span();
                        self.mistakes.push(Mistake::new(at, refuse::STATIC_MUT));
                    }
                    return TokenStream::new();
                }
                if !self.constant(&item.ident, &mut item.ty, &mut item.expr) {
                    return TokenStream::new();
                }
                item.attrs = kept(&item.attrs);
                item.vis = public();
                // Nobody writes to it: the weights change by other ways.
                item.mutability = syn::StaticMutability::None;
                match self.computed(&item.ident, &item.attrs, &item.ty, &item.expr) {
                    Some(function) => Item::Fn(function),
                    None => Item::Static(item),
                }
            }
            Item::Fn(item) => {
                let mut item = item.clone();
                let function = self
                    .world
                    .function_at(self.unit, world::place(item.sig.ident.span()));
                if !function.is_some_and(|f| self.world.has_twin(f)) {
                    return TokenStream::new();
                }
                self.function(function, None, &mut item.sig, &mut item.block);
                item.attrs = kept(&item.attrs);
                item.vis = public();
                Item::Fn(item)
            }
            Item::Struct(item) if self.world.is_copied(&item.ident.to_string()) => {
                Item::Struct(self.structure(item))
            }
            Item::Type(item) if self.world.defines(self.unit, &item.ident.to_string()) => {
                let mut item = item.clone();
                item.attrs = kept(&item.attrs);
                item.vis = public();
                Item::Type(item)
            }
            Item::Impl(block) => return self.block(block, index),
            Item::Macro(call) if self.world.writes_for_twins(&call.mac) => {
                Item::Macro(call.clone())
            }
            _ => return TokenStream::new(),
        };
        Paths {
            world: self.world,
            unit: self.unit,
        }
        .visit_item_mut(&mut twin);
        twin.into_token_stream()
    }

    pub(crate) fn function(
        &mut self,
        function: Option<usize>,
        owner: Option<String>,
        sig: &mut syn::Signature,
        block: &mut syn::Block,
    ) {
        let mut mistakes = self
            .world
            .plain_reads(self.unit, owner.as_deref(), sig, block);
        let mut walk = Walk::new(self.world, self.unit, owner, true);
        walk.body(function, sig, block);
        mistakes.extend(walk.into_mistakes());
        let mut names = HashSet::new();
        world::identifiers(block.to_token_stream(), &mut names);
        if !mistakes.is_empty() || !names.is_disjoint(&self.world.refused) {
            // Callers see the twin's signature: one mistake is one message.
            *block = parse_quote!({ loop {} });
        }
        self.mistakes.extend(mistakes);
        // Operators of a traced number are not const; constructors stay so.
        if function.is_some_and(|f| self.world.functions[f].arithmetic) {
            sig.constness = None;
        }
    }

    fn structure(&self, item: &ItemStruct) -> ItemStruct {
        let mut item = item.clone();
        let name = item.ident.to_string();
        let index = self.world.structure(&name);
        item.attrs = kept_with_derives(&item.attrs);
        item.vis = public();
        for (position, field) in item.fields.iter_mut().enumerate() {
            field.vis = public();
            field.attrs = kept(&field.attrs);
            let shape = index.and_then(|i| self.world.structs[i].fields.get(position));
            if let Some((_, shape)) = shape {
                self.world.types.trace(&mut field.ty, shape);
            }
        }
        item
    }

    /// The twin of an impl block: the same block for a struct that the twin
    /// copies, else a trait of its own.
    fn block(&mut self, block: &ItemImpl, index: usize) -> TokenStream {
        let owner = world::type_name(&block.self_ty);
        let copied = owner
            .as_deref()
            .is_some_and(|owner| self.world.is_copied(owner));
        let operator = world::operator(block).is_some();
        if block.trait_.is_some() && copied && !operator {
            return TokenStream::new();
        }
        // An operator whose types are all production's stands there already.
        if operator && !copied && !self.world.names_copied(block) {
            return TokenStream::new();
        }
        let mut methods = Vec::new();
        let mut scored = Vec::new();
        let mut others = Vec::new();
        for member in &block.items {
            match member {
                ImplItem::Fn(f) => {
                    let function = self
                        .world
                        .function_at(self.unit, world::place(f.sig.ident.span()));
                    let Some(found) = function else { continue };
                    let reached =
                        !copied || operator || self.world.is_used(&f.sig.ident.to_string());
                    let only_entry = !reached && self.world.is_entry(self.unit, f);
                    let reached = reached || only_entry;
                    if !self.world.has_twin(found) || self.world.functions[found].lone || !reached {
                        continue;
                    }
                    let production = f;
                    let mut f = f.clone();
                    let before = self.mistakes.len();
                    self.function(function, owner.clone(), &mut f.sig, &mut f.block);
                    // What no body calls need not have one.
                    let spare = copied && !operator && !self.world.functions[found].called;
                    let is_entry = spare
                        && self.world.functions[found].returned.has_score()
                        && self.world.is_entry(self.unit, production);
                    if (only_entry || spare) && self.mistakes.len() > before {
                        let left_out = self.mistakes.split_off(before);
                        if is_entry && let Some(owner) = &owner {
                            self.left_out.push((owner.clone(), left_out));
                        }
                        continue;
                    }
                    if is_entry {
                        self.entered.extend(owner.clone());
                    }
                    f.attrs = kept(&f.attrs);
                    methods.push(f);
                    scored.extend(self.scored(found, production, owner.clone()));
                }
                ImplItem::Const(c) if copied => others.push(self.associated(c, owner.clone())),
                ImplItem::Type(t) if operator => others.push(t.to_token_stream()),
                _ => {}
            }
        }
        if methods.is_empty() && (others.is_empty() || operator) {
            return TokenStream::new();
        }
        let twin = if copied || operator {
            if !operator {
                for f in &mut methods {
                    f.vis = public();
                }
            }
            let (generics, self_ty) = (&block.generics, &block.self_ty);
            let bounds = &block.generics.where_clause;
            let of = block
                .trait_
                .as_ref()
                .map(|(path, for_)| quote!(#path #for_));
            let scored = scored_block(self.world, block, &others, &scored);
            quote!(impl #generics #of #self_ty #bounds { #(#others)* #(#methods)* } #scored)
        } else {
            extension(block, index, &mut methods)
        };
        let Ok(mut file) = syn::parse2::<syn::File>(twin) else {
            return TokenStream::new();
        };
        Paths {
            world: self.world,
            unit: self.unit,
        }
        .visit_file_mut(&mut file);
        file.into_token_stream()
    }

    /// The twin of a const in an impl block.
    fn associated(&mut self, c: &syn::ImplItemConst, owner: Option<String>) -> TokenStream {
        let mut c = c.clone();
        let want = self.world.types.shape(&c.ty, owner.as_deref());
        let mut mistakes = self
            .world
            .plain_values(self.unit, owner.as_deref(), &c.expr);
        let body = self
            .world
            .associated
            .get(&(self.unit, world::place(c.ident.span())));
        let body = body.copied();
        let mut walk = Walk::new(self.world, self.unit, owner, true);
        walk.constant(body, &mut c.expr, &want);
        mistakes.extend(walk.into_mistakes());
        self.mistakes.extend(mistakes);
        c.attrs = kept(&c.attrs);
        c.vis = public();
        if body.is_some_and(|f| self.world.functions[f].arithmetic) {
            let (attrs, name, ty, value) = (&c.attrs, &c.ident, &c.ty, &c.expr);
            quote!(#(#attrs)* pub fn #name() -> #ty { #value })
        } else {
            c.into_token_stream()
        }
    }
}

/// A trait with the methods, renamed, and its impl for production's type.
fn extension(block: &ItemImpl, index: usize, methods: &mut [syn::ImplItemFn]) -> TokenStream {
    let name = imports::extension(index);
    let (impl_generics, type_generics, bounds) = block.generics.split_for_impl();
    let self_ty = &block.self_ty;
    let mut declared = Vec::new();
    for f in methods.iter_mut() {
        f.sig.ident = format_ident!("__traced_{}", f.sig.ident);
        f.vis = Visibility::Inherited;
        f.sig.constness = None;
        let mut sig = f.sig.clone();
        for (position, arg) in sig.inputs.iter_mut().enumerate() {
            if let FnArg::Typed(arg) = arg {
                let ident = format_ident!("argument_{position}");
                *arg.pat = Pat::Verbatim(ident.into_token_stream());
            }
        }
        declared.push(quote!(#sig;));
    }
    let declared_generics = &block.generics;
    quote! {
        pub trait #name #declared_generics #bounds { #(#declared)* }
        impl #impl_generics #name #type_generics for #self_ty #bounds { #(#methods)* }
    }
}

/// The module around the twins of a unit's items; whoever places it says under
/// which `#[cfg]`.
pub(crate) fn module(
    world: &World,
    unit: usize,
    name: &Ident,
    body: &TokenStream,
    own: bool,
    here: &[String],
) -> TokenStream {
    let mut used = HashSet::new();
    imports::needed(body.clone(), &mut used);
    let imports = imports::imports(world, unit, &used, own, here);
    let exports = if own {
        TokenStream::new()
    } else {
        imports::exports(world, unit, &used)
    };
    let reexport = if own {
        quote!(
            use super::*;
        )
    } else {
        quote!(
            pub use super::*;
        )
    };
    let silence = silence();
    quote! {
        #[doc(hidden)]
        #silence
        pub mod #name {
            #reexport
            #[allow(unused_imports)]
            use ::core::ops::{
                Add as _, AddAssign as _, Div as _, Mul as _, MulAssign as _, Neg as _,
                Shl as _, Shr as _, Sub as _, SubAssign as _,
            };
            #imports
            #exports
            #body
        }
    }
}

/// Generated code is no concern of the author's lints.
pub(crate) fn silence() -> TokenStream {
    quote! {
        #[allow(warnings, missing_docs, missing_debug_implementations, unreachable_pub)]
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
    }
}

pub(crate) fn public() -> Visibility {
    parse_quote!(pub)
}

/// Attributes that decide whether an item exists.
pub(crate) fn kept(attrs: &[Attribute]) -> Vec<Attribute> {
    attrs
        .iter()
        .filter(|a| a.path().is_ident("cfg"))
        .cloned()
        .collect()
}

/// The same, with the derives that a struct of traced numbers can have.
fn kept_with_derives(attrs: &[Attribute]) -> Vec<Attribute> {
    const POSSIBLE: [&str; 4] = ["Clone", "Copy", "Debug", "Default"];
    let mut all = kept(attrs);
    let mut derives = Vec::new();
    for attr in attrs.iter().filter(|a| a.path().is_ident("derive")) {
        let _ = attr.parse_nested_meta(|meta| {
            if let Some(last) = meta.path.segments.last()
                && POSSIBLE.contains(&last.ident.to_string().as_str())
            {
                derives.push(meta.path.clone());
            }
            Ok(())
        });
    }
    if !derives.is_empty() {
        all.push(parse_quote!(#[derive(#(#derives),*)]));
    }
    all
}
