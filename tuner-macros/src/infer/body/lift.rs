//! Where a plain number becomes a traced one.

use syn::Expr;
use tuner_source::is_among;

use super::walk::Walk;
use crate::diagnostics::{Extent, messages};
use crate::infer::edits::Edit;
use crate::model::macro_input::diverges;
use crate::model::{bare, is_zero, last_name, names_of, path_names};

impl Walk<'_> {
    /// Makes a plain expression a traced number in the twin. The body then computes with scores,
    /// unless the number is 0 or an initialiser's, which are written as constants. It is refused if
    /// the expression names a const inside the function.
    pub(super) fn lift(&mut self, expr: &Expr) {
        // `_` and `..` on the left of an assignment are no values.
        if matches!(expr, Expr::Infer(_) | Expr::Range(_)) {
            return;
        }
        let initialiser = self.initialiser;
        if !initialiser && !is_zero(expr) {
            self.operates();
        }
        if self.is_checking() {
            if let Some(name) = self.nested_const_in(expr) {
                self.refuse(Extent::of(expr), messages::nested_const(&name));
            }
            self.record(expr, Edit::Lift { initialiser });
        }
    }

    /// Makes the value of a plain branch a traced number, because that of another branch is: where
    /// the branch ends in branches, the value of each. A branch without value, or with a container,
    /// stays.
    pub(super) fn lift_tail(&mut self, expr: &Expr) {
        match bare(expr) {
            // Its value is also that of each `break` out of it.
            Expr::Block(e) if e.label.is_some() => {
                if matches!(e.block.stmts.last(), Some(syn::Stmt::Expr(_, None))) {
                    self.lift(expr);
                }
            }
            Expr::Block(e) => self.lift_block(&e.block),
            Expr::Unsafe(e) => self.lift_block(&e.block),
            Expr::If(e) => {
                self.lift_block(&e.then_branch);
                if let Some((_, other)) = &e.else_branch {
                    self.lift_tail(other);
                }
            }
            Expr::Match(e) => e.arms.iter().for_each(|arm| self.lift_tail(&arm.body)),
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => {}
            Expr::Macro(e) if diverges(&e.mac) => {}
            expr if self.makes_container(expr) => {}
            expr => self.lift(expr),
        }
    }

    /// Makes the value of a plain block traced; a block that ends in a statement has none.
    pub(super) fn lift_block(&mut self, block: &syn::Block) {
        if let Some(syn::Stmt::Expr(expr, None)) = block.stmts.last() {
            self.lift_tail(expr);
        }
    }

    /// Tells whether an expression is a container by its name, as `None`, `Vec::new()` or `Err(…)`
    /// but not `i32::default()`, or a reference. It is then not lifted to a traced number.
    pub(super) fn makes_container(&self, expr: &Expr) -> bool {
        let (path, names) = match expr {
            Expr::Path(e) => (&e.path, "None"),
            Expr::Call(e) => match &*e.func {
                Expr::Path(e) => (&e.path, "new with_capacity default from_iter Err"),
                _ => return false,
            },
            Expr::Reference(_) => return true,
            _ => return false,
        };
        is_among(names, &last_name(path)) && !self.is_of_number(path)
    }

    /// Whether a path is of something that a type of numbers has, as `i32::MAX` is.
    fn is_of_number(&self, path: &syn::Path) -> bool {
        let names = path_names(path);
        matches!(&names[..], [.., of, _] if self.facts.types.is_number(of))
    }

    /// Whether an expression is `i32::MAX` or the like.
    pub(super) fn is_limit(&self, expr: &Expr) -> bool {
        let is_one = |p| matches!(last_name(p).as_str(), "MAX" | "MIN") && self.is_of_number(p);
        matches!(expr, Expr::Path(e) if is_one(&e.path))
    }

    /// The name of a const inside the function that an expression names: its number would come into
    /// the score unseen. `None` if there is none.
    fn nested_const_in(&self, expr: &Expr) -> Option<String> {
        if self.nested.is_empty() {
            return None;
        }
        let names = names_of(expr);
        self.nested.iter().find(|n| names.contains(*n)).cloned()
    }
}
