//! Macro calls: what is read as expressions, left out of the twin, or refused.

use std::collections::HashSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Expr, Pat, Token};
use tuner_source::inline_weight;

use super::Walk;
use crate::hatches;
use crate::refuse;
use crate::rules;
use crate::shape::Shape;
use crate::weights;
use crate::world;

/// Macros that print; their statements are left out of the twin.
const PRINTING: [&str; 9] = [
    "debug", "eprint", "eprintln", "error", "info", "print", "println", "trace", "warn",
];

/// Macros that make text.
const FORMATTING: [&str; 4] = ["format", "format_args", "write", "writeln"];

impl Walk<'_> {
    pub(super) fn macro_call(&mut self, mac: &mut syn::Macro, want: &Shape) -> Shape {
        if self.freeze(mac) {
            return Shape::Plain;
        }
        if let Some(shape) = self.interpolated(mac) {
            return shape;
        }
        if let Some(shape) = self.inline_weight(mac) {
            return shape;
        }
        if hatches::is_call(mac, "untraced") {
            let at = self.extent(mac);
            self.refuse(at, refuse::UNTRACED_VALUE);
            return Shape::Never;
        }
        let name = name(mac);
        match name.as_str() {
            _ if never_returns(mac) => return Shape::Never,
            "matches" => return self.matches(mac),
            _ => {}
        }
        if is_side_show(mac) {
            if self.rewriting {
                mac.path = syn::parse_quote!(::core::debug_assert);
                mac.tokens = quote!(true);
            }
            return Shape::Plain;
        }
        if FORMATTING.contains(&name.as_str()) {
            if self.mentions(mac.tokens.clone()) {
                let at = self.extent(mac);
                self.refuse(at, refuse::FORMAT);
            }
            return Shape::Plain;
        }
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Ok(mut args) = mac.parse_body_with(parser) {
            // The author's macro for a literal pair.
            if let Some(built) = self.world.constructors.get(&name).cloned() {
                for arg in &mut args {
                    self.expr(arg, &Shape::Score);
                }
                if self.rewriting {
                    mac.tokens = quote!(#args);
                }
                return built;
            }
            let wanted = if name == "vec" { want } else { &Shape::Plain };
            let shape = self.elements(args.iter_mut(), wanted);
            if self.rewriting {
                mac.tokens = quote!(#args);
            }
            return shape;
        }
        // `vec![0; 64]`.
        let repeat = |input: ParseStream<'_>| {
            let element: Expr = input.parse()?;
            input.parse::<Token![;]>()?;
            Ok((element, input.parse::<Expr>()?))
        };
        if let Ok((mut element, mut count)) = mac.parse_body_with(repeat) {
            let shape = self.expr(&mut element, want);
            self.expr(&mut count, &Shape::Plain);
            if self.rewriting {
                mac.tokens = quote!(#element; #count);
            }
            return shape;
        }
        if self.mentions(mac.tokens.clone()) {
            let at = self.extent(mac);
            self.refuse(at, refuse::unread_macro(&name));
        }
        Shape::Plain
    }

    /// `weight!(TEMPO: 10)`. `None` if the macro call is another one.
    fn inline_weight(&mut self, mac: &mut syn::Macro) -> Option<Shape> {
        if !hatches::is_call(mac, "weight") {
            return None;
        }
        let at = self.extent(mac);
        let Some((name, value)) = inline_weight(mac) else {
            self.refuse(at, refuse::INLINE_WEIGHT);
            return Some(Shape::Score);
        };
        let place = world::place(name.span());
        let found = self.world.constant(self.unit, &name.to_string());
        if let Some(weight) = found.filter(|weight| weight.place == place) {
            if self.rewriting {
                // A macro call it stays, of one that passes its argument on.
                let number = weights::literal(weight.first);
                mac.path = syn::parse_quote!(::tuner_core::freeze);
                mac.tokens = quote!(::tuner_core::trace::Tr::weight(#value, #number));
            }
            return Some(Shape::Score);
        }
        let unit = &self.world.units[self.unit];
        if unit.frozen.iter().any(|frozen| name == frozen) {
            return Some(Shape::Plain);
        }
        let message = if found.is_some() || unit.names.contains(&name.to_string()) {
            refuse::inline_again(&name.to_string())
        } else {
            refuse::INLINE_WEIGHT
        };
        self.refuse(at, message);
        Some(Shape::Score)
    }

    /// What a call of one of the author's own macros becomes.
    pub(super) fn expanded(&self, mac: &syn::Macro) -> Option<Expr> {
        rules::expanded(&self.world.macros, mac)
    }

    fn matches(&mut self, mac: &mut syn::Macro) -> Shape {
        let parser = |input: ParseStream<'_>| {
            let on: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pat = Pat::parse_multi_with_leading_vert(input)?;
            Ok((on, pat, input.parse::<TokenStream>()?))
        };
        if let Ok((mut on, mut pat, rest)) = mac.parse_body_with(parser) {
            let shape = self.expr(&mut on, &Shape::Plain);
            self.scopes.push(Vec::new());
            let first = self.reserve(&pat);
            self.bind(&mut pat, first, &shape);
            if self.rewriting {
                mac.tokens = quote!(#on, #pat #rest);
            }
            self.scopes.pop();
        }
        Shape::Plain
    }

    /// Whether any identifier among the tokens, also inside a format string,
    /// stands for something that the twin has a version of.
    pub(crate) fn mentions(&self, tokens: TokenStream) -> bool {
        let mut names = HashSet::new();
        world::identifiers(tokens.clone(), &mut names);
        captured(tokens, &mut names);
        names.iter().any(|name| match self.variable(name) {
            Some(id) => self.world.differs(&self.shape_of(id)),
            None => self.world.lookup(self.unit, name).is_some(),
        })
    }
}

pub(super) fn never_returns(mac: &syn::Macro) -> bool {
    matches!(
        name(mac).as_str(),
        "panic" | "unreachable" | "todo" | "unimplemented"
    )
}

/// Assertions and prints are production's business; the twin leaves them out.
fn is_side_show(mac: &syn::Macro) -> bool {
    is_side_show_name(&name(mac))
}

/// The same of a macro's name.
pub(crate) fn is_side_show_name(name: &str) -> bool {
    name.contains("assert") || PRINTING.contains(&name)
}

fn name(mac: &syn::Macro) -> String {
    let last = mac.path.segments.last();
    last.map(|s| s.ident.to_string()).unwrap_or_default()
}

/// Adds the names that format strings capture, `"{score:>5}"`.
fn captured(tokens: TokenStream, names: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => captured(group.stream(), names),
            TokenTree::Literal(literal) => {
                for part in literal.to_string().split('{').skip(1) {
                    let end = part.find(|c: char| !c.is_alphanumeric() && c != '_');
                    names.insert(part[..end.unwrap_or(part.len())].to_owned());
                }
            }
            _ => {}
        }
    }
}
