//! The module around twins, and what is around an item.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Attribute, Visibility, parse_quote};

use super::imports;
use crate::infer::Facts;
use crate::model::conditions;

/// Makes the module `name` around `body`, the twins of items of the unit (an annotated module),
/// with the imports that they need; without `#[cfg]` in front. `own`: whether it is the module of
/// one item with `#[tunable]`, whose name is in `here`; its imports are private then.
pub(crate) fn module(
    facts: &Facts,
    unit: usize,
    name: &Ident,
    body: &TokenStream,
    own: bool,
    here: &[String],
) -> TokenStream {
    let mut used = HashSet::new();
    imports::needed(body.clone(), &mut used);
    let imports = imports::imports(facts, unit, &used, own, here);
    // Where each marked item has a module, the module `__traced` that gathers these re-exports what
    // is needed.
    let shown = (!own).then(public);
    let exports = (!own).then(|| imports::exports(facts, unit, &used));
    let silence = silence();
    quote! {
        #[doc(hidden)]
        #silence
        pub mod #name {
            #shown use super::*;
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

/// Attributes that switch all lints off: those that the author switched on are not meant for
/// generated code.
pub(crate) fn silence() -> TokenStream {
    quote! {
        #[allow(warnings, missing_docs, missing_debug_implementations, unreachable_pub)]
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
    }
}

/// The visibility of everything in a twin.
pub(crate) fn public() -> Visibility {
    parse_quote!(pub)
}

/// The attributes of a function that its twin has too: `#[cfg(…)]`, which decides whether the
/// function exists, and `#[inline]`.
pub(super) fn of_function(attrs: &[Attribute]) -> Vec<Attribute> {
    let mut all = conditions(attrs);
    let inline = attrs.iter().filter(|a| a.path().is_ident("inline"));
    all.extend(inline.cloned());
    all
}

/// The attributes of a struct that its copy in the twin gets: `#[cfg(…)]`, and of its derives
/// `Clone`, `Copy`, `Debug` and `Default`, which traced numbers have too.
pub(super) fn conditions_and_derives(attrs: &[Attribute]) -> Vec<Attribute> {
    const POSSIBLE: [&str; 4] = ["Clone", "Copy", "Debug", "Default"];
    let mut all = conditions(attrs);
    let mut derives = Vec::new();
    for attr in attrs.iter().filter(|a| a.path().is_ident("derive")) {
        // What is wrong in a derive is told by rustc.
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
