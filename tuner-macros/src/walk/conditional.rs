//! Statements under `#[cfg]`: rustc decides whether they exist, after the
//! macro; what is wrong in them is wrong only then.

use proc_macro2::TokenStream;
use syn::{Attribute, Expr, Stmt, parse_quote};

use super::Walk;
use crate::diag;

impl Walk<'_> {
    /// Puts the mistakes found in a statement under its `#[cfg]`, in its place.
    pub(super) fn leave_to_cfg(&mut self, stmt: &mut Stmt, before: usize) {
        if self.mistakes.len() == before {
            return;
        }
        let conditions = attributes(stmt).iter().filter(|a| a.path().is_ident("cfg"));
        let conditions: Vec<Attribute> = conditions.cloned().collect();
        if conditions.is_empty() {
            return;
        }
        let file = &self.world.files[self.world.units[self.unit].file].name;
        let mistakes = self.mistakes.split_off(before);
        let errors = mistakes
            .iter()
            .map(|m| diag::compile_error(m.at, &m.placed(file)));
        let errors: TokenStream = errors.collect();
        *stmt = parse_quote!(#(#conditions)* { #errors });
    }
}

fn attributes(stmt: &Stmt) -> &[Attribute] {
    match stmt {
        Stmt::Local(local) => &local.attrs,
        Stmt::Macro(call) => &call.attrs,
        Stmt::Item(_) => &[],
        Stmt::Expr(expr, _) => match expr {
            Expr::Assign(e) => &e.attrs,
            Expr::Binary(e) => &e.attrs,
            Expr::Block(e) => &e.attrs,
            Expr::Call(e) => &e.attrs,
            Expr::ForLoop(e) => &e.attrs,
            Expr::If(e) => &e.attrs,
            Expr::Match(e) => &e.attrs,
            Expr::MethodCall(e) => &e.attrs,
            Expr::Return(e) => &e.attrs,
            Expr::Unsafe(e) => &e.attrs,
            Expr::While(e) => &e.attrs,
            _ => &[],
        },
    }
}
