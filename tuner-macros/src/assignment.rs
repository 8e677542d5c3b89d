//! Which names a body assigns to.

use syn::visit::{self, Visit};
use syn::{Expr, Item};

/// Whether anything in the item assigns to the static of this name, or
/// borrows it to do so.
pub(crate) fn assigns(item: &Item, name: &str) -> bool {
    let mut found = Assigned { name, found: false };
    found.visit_item(item);
    found.found
}

struct Assigned<'a> {
    name: &'a str,
    found: bool,
}

impl Assigned<'_> {
    fn meet(&mut self, place: &Expr) {
        match place {
            Expr::Path(e) => {
                self.found |= e.path.segments.last().is_some_and(|s| s.ident == self.name);
            }
            Expr::Index(e) => self.meet(&e.expr),
            Expr::Field(e) => self.meet(&e.base),
            Expr::Paren(e) => self.meet(&e.expr),
            Expr::Unary(e) => self.meet(&e.expr),
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Assigned<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Assign(e) => self.meet(&e.left),
            Expr::Binary(e) if crate::walk::assigned(&e.op) => self.meet(&e.left),
            Expr::Reference(e) if e.mutability.is_some() => self.meet(&e.expr),
            _ => {}
        }
        visit::visit_expr(self, expr);
    }
}
