//! The author's operators of a pair and a number, `impl Mul<i32> for S`, once
//! more for a score in place of the number.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{GenericArgument, ImplItemFn, ItemImpl, PathArguments};

use super::types;
use crate::infer::Facts;
use crate::model::Side;
use crate::model::shape::Shape;

/// A function of an operator, for a score.
pub(super) struct ScoredFunction {
    pub(super) function: ImplItemFn,
    /// Which operand the score is.
    pub(super) side: Option<Side>,
}

/// The impl block around such functions, if there are any.
pub(super) fn scored_block(
    facts: &Facts,
    block: &ItemImpl,
    others: &[TokenStream],
    scored: &[ScoredFunction],
) -> Option<TokenStream> {
    let side = scored.first()?.side;
    let mut of = block.trait_.as_ref()?.0.clone();
    let mut self_ty = block.self_ty.clone();
    if side == Some(Side::Left) {
        types::trace(&facts.types, &mut self_ty, &Shape::Score);
    } else if let Some(last) = of.segments.last_mut()
        && let PathArguments::AngleBracketed(args) = &mut last.arguments
        && let Some(GenericArgument::Type(ty)) = args.args.first_mut()
    {
        types::trace(&facts.types, ty, &Shape::Score);
    }
    let (generics, bounds) = (&block.generics, &block.generics.where_clause);
    let functions = scored.iter().map(|s| &s.function);
    Some(quote!(impl #generics #of for #self_ty #bounds { #(#others)* #(#functions)* }))
}
