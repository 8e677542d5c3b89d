//! `#[tunable]` on a method of an unmarked impl block.

use std::collections::HashSet;
use std::path::Path;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::visit_mut::VisitMut;
use syn::{FnArg, Item};

use super::is_in;
use crate::aliases;
use crate::diag::{self, Mistake};
use crate::imports::{self, Paths};
use crate::refuse;
use crate::twin;
use crate::walk::Walk;
use crate::world::{self, World};

/// A marked method of an unmarked impl block: its twin stands beside it,
/// under another name, and imports what it needs in its body.
pub(super) fn lone_method(world: &mut World, file: &Path, item: &Item) -> Option<TokenStream> {
    let Item::Fn(item) = item else { return None };
    let place = world::place(item.sig.ident.span());
    let found = world.functions.iter().position(|f| {
        f.lone
            && f.place == place
            && item.sig.ident == f.name
            && is_in(world, &world.units[f.unit], file)
    })?;
    let (unit, owner) = (
        world.functions[found].unit,
        world.functions[found].owner.clone(),
    );
    if !world.is_renamed(found) {
        let span = item.sig.ident.span();
        let message = if world.functions[found].operator {
            refuse::OPERATOR_METHOD
        } else {
            refuse::UNREACHED_METHOD
        };
        return Some(diag::compile_errors(&[Mistake::new(span, message)]));
    }
    let mut spelt = Item::Fn(item.clone());
    aliases::spell_out(world, &world.units[unit].module, &mut spelt);
    let Item::Fn(mut item) = spelt else {
        return None;
    };
    let mut mistakes = world.plain_reads(unit, owner.as_deref(), &item.sig, &item.block);
    let mut walk = Walk::new(world, unit, owner, true);
    walk.body(Some(found), &mut item.sig, &mut item.block);
    mistakes.extend(walk.into_mistakes());
    if !mistakes.is_empty() {
        item.block = syn::parse_quote!({ loop {} });
    }
    let errors = diag::compile_errors(&mistakes);
    item.attrs = twin::kept(&item.attrs);
    item.vis = twin::public();
    item.sig.ident = format_ident!("__traced_{}", item.sig.ident);
    Paths { world, unit }.visit_item_fn_mut(&mut item);
    // Unqualified names of the signature resolve in production's module.
    let mut qualify = Qualify { world };
    for arg in &mut item.sig.inputs {
        if let FnArg::Typed(arg) = arg {
            qualify.visit_type_mut(&mut arg.ty);
        }
    }
    qualify.visit_return_type_mut(&mut item.sig.output);
    let mut used = HashSet::new();
    imports::needed(item.block.to_token_stream(), &mut used);
    let module = imports::traced_module(world, unit);
    let own = used
        .iter()
        .filter(|name| world.defines(unit, name))
        .map(|name| {
            let name = format_ident!("{name}");
            quote!(use #module::#name;)
        });
    let mut own: TokenStream = own.collect();
    for (index, item) in world.units[unit].items.iter().enumerate() {
        if imports::has_extension(world, unit, item) {
            let name = imports::extension(index);
            own.extend(quote!(use #module::#name as _;));
        }
    }
    let others = imports::imports(world, unit, &used, false, &[]);
    let statements = &item.block.stmts;
    let (attrs, vis, sig) = (&item.attrs, &item.vis, &item.sig);
    let silence = twin::silence();
    Some(quote! {
        #errors
        #(#attrs)*
        #[cfg(feature = "tune")]
        #[doc(hidden)]
        #silence
        #vis #sig {
            #own
            #others
            #(#statements)*
        }
    })
}

/// Writes the twin's structs by their full path.
struct Qualify<'w> {
    world: &'w World,
}

impl VisitMut for Qualify<'_> {
    fn visit_type_path_mut(&mut self, ty: &mut syn::TypePath) {
        syn::visit_mut::visit_type_path_mut(self, ty);
        let Some(name) = ty.path.get_ident().map(ToString::to_string) else {
            return;
        };
        let Some(index) = self
            .world
            .structure(&name)
            .filter(|_| self.world.is_copied(&name))
        else {
            return;
        };
        let unit = self.world.structs[index].unit;
        let (module, name) = (
            imports::traced_module(self.world, unit),
            format_ident!("{name}"),
        );
        if let Ok(path) = syn::parse2(quote!(#module::#name)) {
            ty.path = path;
        }
    }
}
