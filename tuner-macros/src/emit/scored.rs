//! The author's operators of a pair and a number, `impl Mul<i32> for S`, once
//! more for a score in place of the number.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{ImplItemFn, ItemImpl};

use super::types;
use crate::infer::Facts;
use crate::model::Side;
use crate::model::shape::Shape;

/// The impl block of an operator once more, for a score in place of its number: of `impl Mul<i32>
/// for S`, `impl Mul<Tr<i32>> for S`. `block`: the author's block; `others`: its types and consts,
/// as the twin has them; `scored`: its methods that take a score, each with the operand that is the
/// score, which all of a block have in common. `None` if `scored` is empty.
pub(super) fn scored_block(
    facts: &Facts,
    block: &ItemImpl,
    others: &[TokenStream],
    scored: &[(ImplItemFn, Option<Side>)],
) -> Option<TokenStream> {
    let side = scored.first()?.1;
    let mut of = block.trait_.as_ref()?.0.clone();
    let mut self_ty = block.self_ty.clone();
    // The number is the type of the block, `impl Mul<S> for i32`, or the trait's argument.
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
