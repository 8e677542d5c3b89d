//! `#[tunable]` on a method of an unmarked impl block.

use std::collections::HashSet;
use std::path::Path;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::visit_mut::VisitMut;
use syn::{FnArg, Item};

use super::is_in;
use crate::diagnostics::{self, Diagnostic, messages};
use crate::emit::imports::{self, Paths};
use crate::emit::module;
use crate::emit::twin::Twin;
use crate::infer::Facts;
use crate::infer::check::Check;
use crate::model::{conditions, location};
use crate::package;

/// Expands `#[tunable]` on a method of an impl block that has no `#[tunable]` itself, to its twin:
/// a method `__traced_NAME` next to it, whose body imports what it needs. It is an error on a
/// method of an operator, and on one that no weight reaches. `None` if `item` is not such a method.
pub(super) fn single_method(facts: &Facts, file: &Path, item: &Item) -> Option<TokenStream> {
    let Item::Fn(item) = item else { return None };
    let at = location(item.sig.ident.span());
    let found = facts.functions.iter().position(|f| {
        f.single
            && f.location == Some(at)
            && item.sig.ident == f.name
            && is_in(facts, &facts.units[f.unit], file)
    })?;
    let function = &facts.functions[found];
    let unit = function.unit;
    // A method that is renamed has a twin, under the name `__traced_NAME`.
    if !facts.is_renamed(found) {
        let message = if function.operator {
            messages::operator_method()
        } else {
            messages::unreached_method()
        };
        return Some(Diagnostic::new(item.sig.ident.span(), message).compile_error());
    }
    // Paths are written in full, as inference saw them.
    let mut spelt = Item::Fn(item.clone());
    facts.normalise(facts.units[unit].place, &mut spelt);
    let Item::Fn(mut item) = spelt else {
        return None;
    };
    let mut check = Check::new(facts, unit);
    let owner = function.owner.as_deref();
    let verdict = check.function(found, owner, &item.sig, &item.block);
    Twin { facts, unit }.function(found, verdict, &mut item.sig, &mut item.block);
    let diagnostics = check.into_diagnostics();
    let errors = diagnostics::compile_errors(diagnostics);
    item.attrs = conditions(&item.attrs);
    item.vis = module::public();
    item.sig.ident = format_ident!("__traced_{}", item.sig.ident);
    Paths { facts, unit }.visit_item_fn_mut(&mut item);
    // The signature is in production's module, where a struct's name means production's.
    let mut qualify = Qualify(facts);
    for arg in &mut item.sig.inputs {
        if let FnArg::Typed(arg) = arg {
            qualify.visit_type_mut(&mut arg.ty);
        }
    }
    qualify.visit_return_type_mut(&mut item.sig.output);
    // The body imports what it names of this module's twin, the twin's traits, and the twins of
    // other modules.
    let mut used = HashSet::new();
    imports::needed(item.block.to_token_stream(), &mut used);
    let module = imports::traced_module(facts, unit);
    let own = used.iter().filter(|name| facts.defines(unit, name));
    let own = own.map(|name| format_ident!("{name}"));
    let mut own: TokenStream = own.map(|name| quote!(use #module::#name;)).collect();
    for (index, item) in facts.units[unit].items.iter().enumerate() {
        if imports::has_extension(facts, unit, item) {
            let name = imports::extension(index);
            own.extend(quote!(use #module::#name as _;));
        }
    }
    // Not of a module of its own: the twins of this module are in `own`.
    let in_own_module = false;
    let others = imports::imports(facts, unit, &used, in_own_module, &[]);
    let statements = &item.block.stmts;
    let (attrs, vis, sig) = (&item.attrs, &item.vis, &item.sig);
    let silence = module::silence();
    let feature = package::feature();
    Some(quote! {
        #errors
        #(#attrs)*
        #[cfg(feature = #feature)]
        #[doc(hidden)]
        #silence
        #vis #sig {
            #own
            #others
            #(#statements)*
        }
    })
}

/// Replaces the names of structs that have a copy in the twin by full paths of the copies.
struct Qualify<'f>(&'f Facts);

impl VisitMut for Qualify<'_> {
    /// Replaces a struct's name, written without a path, by the full path of the struct's copy in
    /// the twin, if it has one there; other paths stay.
    fn visit_type_path_mut(&mut self, ty: &mut syn::TypePath) {
        syn::visit_mut::visit_type_path_mut(self, ty);
        let Some(name) = ty.path.get_ident().map(ToString::to_string) else {
            return;
        };
        let facts = self.0;
        let index = facts.structure(&name);
        let Some(index) = index.filter(|_| facts.is_copied(&name)) else {
            return;
        };
        let module = imports::traced_module(facts, facts.structs[index].unit);
        let name = format_ident!("{name}");
        if let Ok(path) = syn::parse2(quote!(#module::#name)) {
            ty.path = path;
        }
    }
}
