//! What the macro calls of a body hold, by their names: expressions, patterns,
//! or nothing that the twin has.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{Expr, Macro, Pat, Token};
use tuner_source::{inline_weight, is_side_effect, listed};

use super::{is_ours, last_name};

/// Macros that make text.
const FORMATTING: [&str; 4] = ["format", "format_args", "write", "writeln"];

/// Macros after which nothing is computed.
const DIVERGING: [&str; 4] = ["panic", "unreachable", "todo", "unimplemented"];

/// What a macro call holds.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    /// `freeze!(score)`.
    Freeze(Box<Expr>),
    /// `interpolated!(TABLE, score)`.
    Interpolated(Box<(Expr, Expr)>),
    /// `weight!(NAME: value)`; `None` if something else is in the parentheses.
    Weight(Option<Box<(Ident, Expr)>>),
    /// `untraced!(…)`.
    Untraced,
    /// A panic.
    Diverging,
    /// An assertion or a print: the twin leaves it out.
    SideEffect,
    /// `matches!(value, pattern…)`.
    Matches(Box<(Expr, Pat, TokenStream)>),
    /// Text made of values.
    Text,
    /// Expressions, with commas between them.
    List(Punctuated<Expr, Token![,]>),
    /// `vec![element; count]`.
    Repeat(Box<(Expr, Expr)>),
    /// Tokens that rustc refuses.
    Invalid,
    /// Tokens of which the macro knows nothing.
    Unread,
}

impl Input {
    pub(crate) fn of(mac: &Macro) -> Self {
        let is_ours = |name| is_ours(&mac.path, name);
        if is_ours("freeze")
            && let Ok(frozen) = mac.parse_body()
        {
            return Self::Freeze(Box::new(frozen));
        }
        if is_ours("interpolated")
            && let Ok(parts) = mac.parse_body_with(table_and_index)
        {
            return Self::Interpolated(Box::new(parts));
        }
        if is_ours("weight") {
            return Self::Weight(inline_weight(mac).map(Box::new));
        }
        if is_ours("untraced") {
            return Self::Untraced;
        }
        let name = macro_name(mac);
        if diverges(mac) {
            return Self::Diverging;
        }
        if name == "matches" {
            let parts = mac.parse_body_with(value_and_pattern);
            return parts.map_or(Self::Invalid, |parts| Self::Matches(Box::new(parts)));
        }
        if is_side_effect(&name) {
            return Self::SideEffect;
        }
        if FORMATTING.contains(&name.as_str()) {
            return Self::Text;
        }
        if let Some(list) = listed(mac) {
            return Self::List(list);
        }
        let repeat = mac.parse_body_with(element_and_count);
        repeat.map_or(Self::Unread, |parts| Self::Repeat(Box::new(parts)))
    }

    /// Visits the expressions and patterns.
    pub(crate) fn visit<'a>(&'a self, visitor: &mut impl Visit<'a>) {
        match self {
            Self::Freeze(expr) => visitor.visit_expr(expr),
            Self::Interpolated(parts) | Self::Repeat(parts) => {
                visitor.visit_expr(&parts.0);
                visitor.visit_expr(&parts.1);
            }
            Self::Matches(parts) => {
                visitor.visit_expr(&parts.0);
                visitor.visit_pat(&parts.1);
            }
            Self::List(list) => list.iter().for_each(|expr| visitor.visit_expr(expr)),
            _ => {}
        }
    }

    /// Visits the same in the same order, to change them.
    pub(crate) fn visit_mut(&mut self, visitor: &mut impl VisitMut) {
        match self {
            Self::Freeze(expr) => visitor.visit_expr_mut(expr),
            Self::Interpolated(parts) | Self::Repeat(parts) => {
                visitor.visit_expr_mut(&mut parts.0);
                visitor.visit_expr_mut(&mut parts.1);
            }
            Self::Matches(parts) => {
                visitor.visit_expr_mut(&mut parts.0);
                visitor.visit_pat_mut(&mut parts.1);
            }
            Self::List(list) => list.iter_mut().for_each(|e| visitor.visit_expr_mut(e)),
            _ => {}
        }
    }
}

/// Visits the input of a macro call, if it is a list of expressions, to change it.
pub(super) fn visit_list(visitor: &mut impl VisitMut, mac: &mut Macro) {
    if let Some(mut args) = listed(mac) {
        let before = args.clone();
        args.iter_mut().for_each(|arg| visitor.visit_expr_mut(arg));
        if args != before {
            mac.tokens = args.into_token_stream();
        }
    }
}
pub(crate) fn macro_name(mac: &Macro) -> String {
    last_name(&mac.path)
}

/// Whether nothing is computed after a call of this macro.
pub(crate) fn diverges(mac: &Macro) -> bool {
    DIVERGING.contains(&macro_name(mac).as_str())
}

/// `TABLE, score`, with a comma at the end or not.
fn table_and_index(input: ParseStream<'_>) -> syn::Result<(Expr, Expr)> {
    let table = input.parse()?;
    input.parse::<Token![,]>()?;
    let index = input.parse()?;
    input.parse::<Option<Token![,]>>()?;
    Ok((table, index))
}

fn value_and_pattern(input: ParseStream<'_>) -> syn::Result<(Expr, Pat, TokenStream)> {
    let value = input.parse()?;
    input.parse::<Token![,]>()?;
    let pattern = Pat::parse_multi_with_leading_vert(input)?;
    Ok((value, pattern, input.parse()?))
}

fn element_and_count(input: ParseStream<'_>) -> syn::Result<(Expr, Expr)> {
    let element = input.parse()?;
    input.parse::<Token![;]>()?;
    Ok((element, input.parse()?))
}
