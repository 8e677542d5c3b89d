//! Small questions to pieces of syntax.

use proc_macro2::TokenTree;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, ExprUnary, Lit, Macro, Path, Token, UnOp};

/// The expression inside the parentheses around it; without any, the expression itself.
pub fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(e) => bare(&e.expr),
        Expr::Group(e) => bare(&e.expr),
        _ => expr,
    }
}

/// The names of a path in order, without generic arguments.
pub fn path_names(path: &Path) -> Vec<String> {
    path.segments.iter().map(|s| s.ident.to_string()).collect()
}

/// The last name of a path, without generic arguments.
pub fn last_name(path: &Path) -> String {
    path_names(path).pop().unwrap_or_default()
}

/// Tells whether `name` is the last name of a path.
pub fn ends_in(path: &Path, name: &str) -> bool {
    path.segments.last().is_some_and(|s| s.ident == name)
}

/// Tells whether a path names this project's macro or attribute `name`: the name alone, or behind
/// `tuner_core::`.
pub fn is_ours(path: &Path, name: &str) -> bool {
    let mut before = path.segments.iter().rev().skip(1);
    ends_in(path, name) && before.all(|s| s.ident == "tuner_core")
}

/// Tells whether `name` is in a list of names with a space between each two.
pub fn is_among(list: &str, name: &str) -> bool {
    list.split(' ').any(|one| one == name)
}

/// Macros that print; their statements are left out of the twin.
const PRINTING: [&str; 9] = [
    "debug", "eprint", "eprintln", "error", "info", "print", "println", "trace", "warn",
];

/// Tells whether a macro of this name asserts or prints; the twin leaves its calls out.
pub fn is_side_effect(name: &str) -> bool {
    name.contains("assert") || PRINTING.contains(&name)
}

/// The input of a macro call as a list of expressions; `None` if it is not one.
pub fn listed(mac: &Macro) -> Option<Punctuated<Expr, Token![,]>> {
    let parsed = || mac.parse_body_with(Punctuated::parse_terminated).ok();
    literals(mac).or_else(parsed)
}

/// The input of a macro call whose expressions are all literals, perhaps negated; faster than the
/// parser, for tables of ten thousand calls. `None` if it has anything else.
fn literals(mac: &Macro) -> Option<Punctuated<Expr, Token![,]>> {
    let mut list = Punctuated::<Expr, Token![,]>::new();
    let mut sign = None;
    for token in mac.tokens.clone() {
        let is_next = list.empty_or_trailing();
        match token {
            // A token that has a minus in itself, as macros may make it, is left to the parser.
            TokenTree::Literal(literal) if is_next && !literal.to_string().starts_with('-') => {
                let (attrs, lit) = (Vec::new(), Lit::new(literal));
                let mut number = Expr::Lit(ExprLit { attrs, lit });
                if let Some(op) = sign.take() {
                    let (attrs, expr) = (Vec::new(), Box::new(number));
                    number = Expr::Unary(ExprUnary { attrs, op, expr });
                }
                list.push_value(number);
            }
            TokenTree::Punct(p) if p.as_char() == '-' && is_next && sign.is_none() => {
                sign = Some(UnOp::Neg(Token![-](p.span())));
            }
            TokenTree::Punct(p) if p.as_char() == ',' && !is_next => {
                list.push_punct(Token![,](p.span()));
            }
            _ => return None,
        }
    }
    sign.is_none().then_some(list)
}

/// Tells whether an attribute has a path that ends in `name`, or has it as a word inside
/// `cfg_attr`.
pub fn has_attribute(attrs: &[Attribute], name: &str) -> bool {
    attrs.iter().any(|attr| {
        if attr.path().is_ident("cfg_attr") {
            let tokens = attr.meta.require_list().map(|list| list.tokens.to_string());
            return tokens
                .is_ok_and(|t| t.split(|c: char| !c.is_alphanumeric()).any(|w| w == name));
        }
        ends_in(attr.path(), name)
    })
}

/// The attributes, `#[cfg(…)]`, that decide whether an item exists.
pub fn conditions(attrs: &[Attribute]) -> Vec<Attribute> {
    let conditions = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    conditions.cloned().collect()
}

/// Tells whether `#[cfg(test)]`, with nothing else in the condition, is among attributes.
pub fn is_test(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        let list = attr.meta.require_list();
        attr.path().is_ident("cfg") && list.is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

/// The value of a string literal; `None` for another expression.
pub(crate) fn string(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}

/// The text of the doc comment among attributes, one line for each, without the space behind `///`;
/// empty without one.
pub(crate) fn doc(attrs: &[Attribute]) -> String {
    let lines = attrs.iter().filter_map(|attr| match &attr.meta {
        syn::Meta::NameValue(meta) if meta.path.is_ident("doc") => string(&meta.value),
        _ => None,
    });
    let lines = lines.map(|line| line.strip_prefix(' ').map_or(line.clone(), str::to_owned));
    lines.collect::<Vec<_>>().join("\n")
}

/// The name of a type in capitals, as consts have it: `EVAL_WEIGHTS` for `EvalWeights`,
/// `HCE_PARAMS2` for `HCEParams2`.
pub(crate) fn screaming(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (at, &letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        // A capital begins a word behind a small letter or a digit; behind another capital only if
        // a small letter follows.
        let begins_word = letter.is_uppercase()
            && before.is_some_and(|before| {
                !before.is_uppercase() && *before != '_'
                    || before.is_uppercase() && after.is_some_and(|c| c.is_lowercase())
            });
        if begins_word {
            out.push('_');
        }
        out.extend(letter.to_uppercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_become_names_of_consts() {
        for (ty, name) in [
            ("Weights", "WEIGHTS"),
            ("EvalWeights", "EVAL_WEIGHTS"),
            ("HCEParams2", "HCE_PARAMS2"),
            ("W", "W"),
            ("Eval_Params", "EVAL_PARAMS"),
            ("NNUE", "NNUE"),
        ] {
            assert_eq!(screaming(ty), name);
        }
    }
}
