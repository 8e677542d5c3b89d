//! Weights that are consts of an impl block: `#[tunable] const LIMIT: i32 = 5;` of
//! `impl Safety` is what `const SAFETY_LIMIT: i32 = 5;` of its module would be.

use quote::format_ident;
use syn::visit_mut::{self, VisitMut};
use syn::{Ident, ImplItem, ImplItemConst, ItemConst, ItemImpl, Path, Type, parse_quote};

use crate::groups::plain_name;
use crate::syntax::{ends_in, has_attribute, last_name, screaming};

/// A const of an impl block that is a weight.
#[derive(Clone, Debug)]
pub struct AssociatedWeight {
    /// Its name in the impl block.
    pub ident: Ident,
    /// Its name with that of its type in front: `Safety::LIMIT`.
    pub path: String,
    /// It as a const of the module, where its name begins with that of the type; without
    /// `#[tunable]`, and without `Self`.
    pub item: ItemConst,
}

/// Whether an author has made a weight of a const of an impl block.
pub fn is_associated_weight(item: &ImplItem) -> bool {
    matches!(item, ImplItem::Const(c) if has_attribute(&c.attrs, "tunable"))
}

/// The consts of an impl block that have `#[tunable]`, in source order; empty for a block of a
/// trait or with generics, whose consts have several values.
pub fn associated_weights(block: &ItemImpl) -> Vec<AssociatedWeight> {
    let Some(owner) = owner(block) else {
        return Vec::new();
    };
    let marked = block.items.iter().filter(|item| is_associated_weight(item));
    let consts = marked.filter_map(|item| match item {
        ImplItem::Const(c) => Some(AssociatedWeight {
            ident: c.ident.clone(),
            path: format!("{}::{}", last_name(owner), plain_name(&c.ident)),
            item: item_const(c, owner),
        }),
        _ => None,
    });
    consts.collect()
}

/// The type of a block whose consts have one value each.
fn owner(block: &ItemImpl) -> Option<&Path> {
    let Type::Path(ty) = &*block.self_ty else {
        return None;
    };
    let has_arguments = ty.path.segments.iter().any(|s| !s.arguments.is_none());
    let is_plain = block.trait_.is_none() && block.generics.params.is_empty() && !has_arguments;
    (is_plain && ty.qself.is_none()).then_some(&ty.path)
}

fn item_const(c: &ImplItemConst, owner: &Path) -> ItemConst {
    let of_type = screaming(last_name(owner).trim_start_matches("r#"));
    let name = format_ident!("{of_type}_{}", plain_name(&c.ident), span = c.ident.span());
    let (vis, ty, value) = (&c.vis, &c.ty, &c.expr);
    let mut item: ItemConst = parse_quote!(#vis const #name: #ty = #value;);
    let kept = c
        .attrs
        .iter()
        .filter(|attr| !ends_in(attr.path(), "tunable"));
    item.attrs.extend(kept.cloned());
    NamedSelf(owner).visit_item_const_mut(&mut item);
    item
}

/// Writes the type for `Self`.
struct NamedSelf<'a>(&'a Path);

impl VisitMut for NamedSelf<'_> {
    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        let is_own = path.segments.first().is_some_and(|s| s.ident == "Self");
        if is_own && path.leading_colon.is_none() {
            let rest = path.segments.iter().skip(1).cloned();
            path.segments = self.0.segments.iter().cloned().chain(rest).collect();
            path.leading_colon = self.0.leading_colon;
        }
    }
}
