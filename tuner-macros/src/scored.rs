//! The author's operators of a pair and a number, `impl Mul<i32> for S`, once
//! more for a score in place of the number.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{GenericArgument, ImplItemFn, ItemImpl, PathArguments};

use crate::shape::Shape;
use crate::twin::{Twin, kept};
use crate::world::{Side, World};

/// A function of an operator, for a score.
pub(crate) struct Scored {
    function: ImplItemFn,
    /// Which operand the score is.
    side: Option<Side>,
}

impl Twin<'_> {
    /// The function once more, if some body needs it for a score.
    pub(crate) fn scored(
        &mut self,
        function: usize,
        member: &ImplItemFn,
        owner: Option<String>,
    ) -> Option<Scored> {
        let scored = self.world.functions[function].scored?;
        let mut member = member.clone();
        let known: Vec<String> = self.mistakes.iter().map(|m| m.placed("")).collect();
        self.function(Some(scored), owner, &mut member.sig, &mut member.block);
        // What is wrong with both has been said.
        let mut said = known.iter();
        self.mistakes
            .retain(|m| said.next().is_some() || !known.contains(&m.placed("")));
        member.attrs = kept(&member.attrs);
        Some(Scored {
            function: member,
            side: self.world.functions[scored].number,
        })
    }
}

/// The impl block around such functions, if there are any.
pub(crate) fn scored_block(
    world: &World,
    block: &ItemImpl,
    others: &[TokenStream],
    scored: &[Scored],
) -> Option<TokenStream> {
    let side = scored.first()?.side;
    let mut of = block.trait_.as_ref()?.0.clone();
    let mut self_ty = block.self_ty.clone();
    if side == Some(Side::Left) {
        world.types.trace(&mut self_ty, &Shape::Score);
    } else if let Some(last) = of.segments.last_mut()
        && let PathArguments::AngleBracketed(args) = &mut last.arguments
        && let Some(GenericArgument::Type(ty)) = args.args.first_mut()
    {
        world.types.trace(ty, &Shape::Score);
    }
    let (generics, bounds) = (&block.generics, &block.generics.where_clause);
    let functions = scored.iter().map(|s| &s.function);
    Some(quote!(impl #generics #of for #self_ty #bounds { #(#others)* #(#functions)* }))
}
