//! Where a plain number becomes a traced one.

use syn::Expr;
use tuner_source::is_among;

use super::walk::Walk;
use crate::diagnostics::{Extent, messages};
use crate::infer::edits::Edit;
use crate::model::macro_input::diverges;
use crate::model::{bare, is_zero, last_name, names_of, path_names};

impl Walk<'_> {
    /// Makes an expression that no weight reaches a traced number in the twin. The body then counts
    /// as one that computes with scores, unless the number is 0 or in an initialiser: such a number
    /// is written as a constant. It is a mistake if the expression names a const inside the
    /// function, whose number would not be seen as a weight.
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

    /// Makes the value of a branch that no weight reaches a traced number in the twin, because the
    /// value of another branch is one. If the branch ends in branches itself, that is done in each.
    /// A branch that leaves the code, and one whose value is a container or a reference, stays.
    pub(super) fn lift_tail(&mut self, expr: &Expr) {
        match bare(expr) {
            // A block with a label also gets its value from each `break` out of it, so it is lifted
            // as a whole.
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

    /// Makes the value of a block that no weight reaches a traced number in the twin; a block that
    /// ends in a statement has no value.
    pub(super) fn lift_block(&mut self, block: &syn::Block) {
        if let Some(syn::Stmt::Expr(expr, None)) = block.stmts.last() {
            self.lift_tail(expr);
        }
    }

    /// Tells whether an expression is a reference or, as its name says, a container: `None`,
    /// `Vec::new()`, `Err(…)`, but not `i32::default()`. Such an expression does not become a
    /// traced number in the twin.
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

    /// Whether a path is of a member of a signed number's type, as `i32::MAX` is.
    fn is_of_number(&self, path: &syn::Path) -> bool {
        let names = path_names(path);
        matches!(&names[..], [.., of, _] if self.facts.types.is_number(of))
    }

    /// Whether an expression is the least or the greatest value of a type of signed numbers, such
    /// as `i32::MAX`.
    pub(super) fn is_limit(&self, expr: &Expr) -> bool {
        let is_one = |p| matches!(last_name(p).as_str(), "MAX" | "MIN") && self.is_of_number(p);
        matches!(expr, Expr::Path(e) if is_one(&e.path))
    }

    /// The name of a const declared inside the function that an expression names: its number would
    /// come into the score without being a weight. `None` if there is no such name.
    fn nested_const_in(&self, expr: &Expr) -> Option<String> {
        if self.nested.is_empty() {
            return None;
        }
        let names = names_of(expr);
        self.nested.iter().find(|n| names.contains(*n)).cloned()
    }
}
