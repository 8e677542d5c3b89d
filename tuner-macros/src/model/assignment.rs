//! Which names a body assigns to.

use syn::visit::{self, Visit};
use syn::{BinOp, Expr, Item};

use super::ends_in;

/// Whether anything in the item assigns to the static of this name, or
/// borrows it to do so.
pub(super) fn assigns(item: &Item, name: &str) -> bool {
    let mut found = Assignments { name, found: false };
    found.visit_item(item);
    found.found
}

struct Assignments<'a> {
    name: &'a str,
    found: bool,
}

impl Assignments<'_> {
    fn meet(&mut self, place: &Expr) {
        match place {
            Expr::Path(e) => self.found |= ends_in(&e.path, self.name),
            Expr::Index(e) => self.meet(&e.expr),
            Expr::Field(e) => self.meet(&e.base),
            Expr::Paren(e) => self.meet(&e.expr),
            Expr::Unary(e) => self.meet(&e.expr),
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Assignments<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Assign(e) => self.meet(&e.left),
            Expr::Binary(e) if is_assignment(&e.op) => self.meet(&e.left),
            Expr::Reference(e) if e.mutability.is_some() => self.meet(&e.expr),
            _ => {}
        }
        visit::visit_expr(self, expr);
    }
}

/// Whether an operator changes its left operand.
pub(crate) fn is_assignment(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}
