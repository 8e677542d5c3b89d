//! Where a plain number becomes a traced one.

use std::collections::HashSet;

use quote::{ToTokens, quote_spanned};
use syn::Expr;
use syn::spanned::Spanned;

use super::Walk;
use super::invoked::never_returns;
use crate::diag::{Extent, Mistake};
use crate::refuse;
use crate::world::{identifiers, is_literal};

impl Walk<'_> {
    /// Makes a plain number traced, when rewriting.
    pub(super) fn lift(&mut self, expr: &mut Expr) {
        if !self.initialiser && !is_zero(expr) {
            self.operates();
        }
        if self.rewriting {
            if let Some(name) = self.nested_const_in(expr) {
                let at = Extent::of(expr);
                self.mistakes
                    .push(Mistake::new(at, refuse::nested_const(&name)));
            }
            lift(
                expr,
                &self.world.files[self.world.units[self.unit].file].name,
                self.initialiser,
            );
        }
    }

    /// Makes the value of a plain branch traced, because that of another is.
    pub(super) fn lift_tail(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Block(e) => self.lift_block(&mut e.block),
            Expr::Unsafe(e) => self.lift_block(&mut e.block),
            Expr::Paren(e) => self.lift_tail(&mut e.expr),
            Expr::Group(e) => self.lift_tail(&mut e.expr),
            Expr::If(e) => {
                self.lift_block(&mut e.then_branch);
                if let Some((_, other)) = &mut e.else_branch {
                    self.lift_tail(other);
                }
            }
            Expr::Match(e) => e
                .arms
                .iter_mut()
                .for_each(|arm| self.lift_tail(&mut arm.body)),
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => {}
            Expr::Macro(e) if never_returns(&e.mac) => {}
            expr if self.makes_container(expr) => {}
            expr => self.lift(expr),
        }
    }

    pub(super) fn lift_block(&mut self, block: &mut syn::Block) {
        if let Some(syn::Stmt::Expr(expr, None)) = block.stmts.last_mut() {
            self.lift_tail(expr);
        }
    }

    /// Whether an expression is an empty container, as far as its name tells,
    /// or a reference: no plain number, at any rate.
    pub(super) fn makes_container(&self, expr: &Expr) -> bool {
        let (path, names): (_, &[&str]) = match expr {
            Expr::Path(e) => (&e.path, &["None"]),
            Expr::Call(e) => match &*e.func {
                Expr::Path(e) => (&e.path, &["new", "with_capacity", "default", "from_iter"]),
                _ => return false,
            },
            Expr::Reference(_) => return true,
            _ => return false,
        };
        let mut names_of_path = path.segments.iter().rev().map(|s| s.ident.to_string());
        names_of_path
            .next()
            .is_some_and(|last| names.contains(&last.as_str()))
            && !names_of_path
                .next()
                .is_some_and(|of| self.world.types.is_number(&of))
    }

    /// Whether an expression is a plain number to start a fold from, `0` or `i32::MIN`.
    pub(super) fn is_seed(&self, expr: &Expr) -> bool {
        let is_limit = |e: &syn::ExprPath| {
            let mut names = e.path.segments.iter().rev().map(|s| s.ident.to_string());
            matches!(names.next().as_deref(), Some("MAX" | "MIN"))
                && names
                    .next()
                    .is_some_and(|of| self.world.types.is_number(&of))
        };
        is_literal(expr) || matches!(expr, Expr::Path(e) if is_limit(e))
    }

    /// A const inside a function, among the names of an expression.
    fn nested_const_in(&self, expr: &Expr) -> Option<String> {
        if self.nested.is_empty() {
            return None;
        }
        let mut names = HashSet::new();
        identifiers(expr.to_token_stream(), &mut names);
        self.nested.iter().find(|n| names.contains(*n)).cloned()
    }
}

fn is_zero(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(e) if matches!(&e.lit, syn::Lit::Int(i) if i.base10_digits() == "0"))
}

/// Wraps a plain number where a traced one is wanted. It remembers where it
/// joined, so that `check` can name what no weight explains.
fn lift(expr: &mut Expr, file: &str, initialiser: bool) {
    let span = expr.span();
    let place = place(expr, file);
    let zero = is_zero(expr);
    let tokens = if zero || initialiser {
        quote_spanned!(span=> ::tuner_core::trace::Tr::lit(#expr))
    } else if is_literal(expr) {
        quote_spanned!(span=> ::tuner_core::trace::Tr::lit_at(#expr, #place))
    } else {
        quote_spanned!(span=> ::tuner_core::trace::lift_at(#expr, #place))
    };
    if let Ok(lifted) = syn::parse2(tokens) {
        *expr = lifted;
    }
}

/// `src/eval.rs:12: cache.probe(key)`, at most one line.
fn place(expr: &Expr, file: &str) -> String {
    let text = expr.to_token_stream().to_string();
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = text.chars().take(60).collect();
    let dots = if short.len() < text.len() { " …" } else { "" };
    format!("{file}:{}: `{short}{dots}`", expr.span().start().line)
}
