//! Weights that are consts of an impl block: `#[tunable] const LIMIT: i32 = 5;` of
//! `impl Safety` is what `const SAFETY_LIMIT: i32 = 5;` of its module would be, and every path to
//! it leads there.

use std::collections::HashSet;

use quote::format_ident;
use syn::visit_mut::{self, VisitMut};
use syn::{Ident, ImplItem, ImplItemConst, Item, ItemConst, ItemImpl, Path, Type, parse_quote};

use crate::arguments::TracedArgs;
use crate::groups::plain_name;
use crate::item::{TokenLocation, location, name_of};
use crate::syntax::{ends_in, has_attribute, last_name, path_names, screaming};

/// A const of an impl block that has `#[tunable]`.
#[derive(Clone, Debug)]
pub struct AssociatedConst {
    /// The module of the block.
    pub module: Vec<String>,
    /// The path of the type, as the block says it.
    pub owner: Vec<String>,
    /// The name of the const within the impl block.
    pub name: String,
    /// The location of this name.
    pub location: TokenLocation,
    /// What the attribute `#[tunable]` does to the const.
    pub standing: AssociatedStanding,
}

/// What `#[tunable]` does to a const of an impl block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssociatedStanding {
    /// It is a weight: the const of this name in the module, which begins with the name of the
    /// type.
    Weight(String),
    /// Nothing: consts of such a block (of a trait, or generic) cannot be weights.
    Refused,
    /// Nothing: the module has another item of the name that the weight would have, which is given.
    NameTaken(String),
}

impl AssociatedConst {
    /// The name of the const of the module, such as `SAFETY_LIMIT`, that this const of an impl
    /// block has become as a weight; `None` if it is not a weight.
    pub fn weight(&self) -> Option<&String> {
        match &self.standing {
            AssociatedStanding::Weight(constant) => Some(constant),
            _ => None,
        }
    }
}

/// Takes the consts of impl blocks that are weights (those with `#[tunable]`) out of their blocks,
/// and puts each behind its block as a const of the module, without `#[tunable]` and without
/// `Self`. That is done in a module that is traced as a whole: `is_whole` says so, or a `traced!()`
/// among the items. `found` gets all consts of impl blocks with the attribute, also those that
/// stay; `module`: the path of the items.
pub(crate) fn take_out(
    module: &[String],
    items: &mut Vec<Item>,
    is_whole: bool,
    found: &mut Vec<AssociatedConst>,
) {
    let is_whole = is_whole || items.iter().any(|item| TracedArgs::of(item).is_some());
    // The names that the module has already, and those of the weights added to it.
    let mut names: HashSet<String> = items.iter().filter_map(name_of).collect();
    for mut item in std::mem::take(items) {
        let mut weights = Vec::new();
        if let Item::Impl(block) = &mut item {
            let owner = owner(block).filter(|_| is_whole).cloned();
            block.items.retain(|member| {
                let ImplItem::Const(c) = member else {
                    return true;
                };
                if !has_attribute(&c.attrs, "tunable") {
                    return true;
                }
                // The const of the module that would replace it, if the block's consts can be
                // weights.
                let weight = owner.as_ref().map(|owner| item_const(c, owner));
                let name = weight.as_ref().map(|weight| weight.ident.to_string());
                let standing = match name {
                    None => AssociatedStanding::Refused,
                    Some(name) if names.contains(&name) => AssociatedStanding::NameTaken(name),
                    Some(name) => AssociatedStanding::Weight(name),
                };
                let is_weight = matches!(standing, AssociatedStanding::Weight(_));
                if let Some(weight) = weight.filter(|_| is_weight) {
                    names.insert(weight.ident.to_string());
                    weights.push(Item::Const(weight));
                }
                found.push(AssociatedConst {
                    module: module.to_vec(),
                    owner: owner.as_ref().map(path_names).unwrap_or_default(),
                    name: c.ident.to_string(),
                    location: location(c.ident.span()),
                    standing,
                });
                !is_weight
            });
        }
        items.push(item);
        items.append(&mut weights);
    }
}

/// The type of an impl block whose consts can be weights, as each has one value: it is of no trait,
/// and without generics. `None` for another block.
fn owner(block: &ItemImpl) -> Option<&Path> {
    let Type::Path(ty) = &*block.self_ty else {
        return None;
    };
    let has_arguments = ty.path.segments.iter().any(|s| !s.arguments.is_none());
    let is_plain = block.trait_.is_none() && block.generics.params.is_empty() && !has_arguments;
    (is_plain && ty.qself.is_none()).then_some(&ty.path)
}

/// Returns a const of an impl block of the type `owner` as a const of the module: `Score::TEMPO` as
/// `SCORE_TEMPO`. The attribute `#[tunable]` is left out, and `Self` is written as the type.
fn item_const(c: &ImplItemConst, owner: &Path) -> ItemConst {
    let of_type = screaming(last_name(owner).trim_start_matches("r#"));
    let name: Ident = format_ident!("{of_type}_{}", plain_name(&c.ident), span = c.ident.span());
    let (vis, ty, value) = (&c.vis, &c.ty, &c.expr);
    let mut item: ItemConst = parse_quote!(#vis const #name: #ty = #value;);
    let attrs = c.attrs.iter();
    let kept = attrs.filter(|attr| !ends_in(attr.path(), "tunable"));
    item.attrs.extend(kept.cloned());
    NamedSelf(owner).visit_item_const_mut(&mut item);
    item
}

/// Replaces `Self` in paths by the type.
struct NamedSelf<'a>(&'a Path);

impl VisitMut for NamedSelf<'_> {
    /// Replaces `Self` at the beginning of a path by the path of the type.
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
