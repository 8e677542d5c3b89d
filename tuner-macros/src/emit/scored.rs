//! The author's operators of a pair and a number, `impl Mul<i32> for S`, once
//! more for a score in place of the number.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{ImplItemFn, ItemImpl};

use super::types;
use crate::infer::Facts;
use crate::model::Side;
use crate::model::shape::Shape;

/// The impl block of operators that take a score instead of a number; `None` if there are none.
/// `scored`: each operator with the side of its score, which is the same for all; `others`: the
/// block's types and consts.
pub(super) fn scored_block(
    facts: &Facts,
    block: &ItemImpl,
    others: &[TokenStream],
    scored: &[(ImplItemFn, Option<Side>)],
) -> Option<TokenStream> {
    let side = scored.first()?.1;
    let mut of = block.trait_.as_ref()?.0.clone();
    let mut self_ty = block.self_ty.clone();
    if side == Some(Side::Left) {
        types::trace(&facts.types, &mut self_ty, &Shape::Score);
    } else if let Some(last) = of.segments.last_mut()
        && let Some(ty) = types::argument(last)
    {
        types::trace(&facts.types, ty, &Shape::Score);
    }
    let (generics, bounds) = (&block.generics, &block.generics.where_clause);
    let functions = scored.iter().map(|(function, _)| function);
    Some(quote!(impl #generics #of for #self_ty #bounds { #(#others)* #(#functions)* }))
}
