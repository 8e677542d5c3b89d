//! Branches, loops, closures and what leaves them.

use syn::{Expr, ExprClosure};

use super::walk::{Breakable, Walk};
use crate::infer::edits::Edit;
use crate::model::bare;
use crate::model::shape::Shape;

impl Walk<'_> {
    /// Walks a block as an expression and returns its shape (what in its value depends on weights).
    /// `want` is the shape that is expected. A block with a label gets its value from each `break`
    /// out of it as well.
    pub(super) fn block_expr(&mut self, e: &syn::ExprBlock, want: &Shape) -> Shape {
        let Some(label) = &e.label else {
            return self.block(&e.block, want);
        };
        let is_loop = false;
        self.broken.push(Breakable::new(Some(label), is_loop, want));
        let shape = self.block(&e.block, want);
        let broken = self.broken.pop().map(|b| b.shape).unwrap_or_default();
        shape.joined(&broken)
    }

    /// Walks `break`, whose value becomes that of the loop or the labelled block that it ends.
    /// Returns `Never`: it leaves the code around it and has no value.
    pub(super) fn break_expr(&mut self, e: &syn::ExprBreak) -> Shape {
        if let Some(value) = &e.expr {
            let is_target = |around: &Breakable| around.ends_at(e.label.as_ref());
            // The number, among the loops and blocks around, of the one that ends here.
            let target = self.broken.iter().rposition(is_target);
            let want = target.map(|target| self.broken[target].shape.clone());
            let shape = self.expr(value, &want.unwrap_or_default());
            if let Some(target) = target {
                self.broken[target].shape.join(&shape);
            }
        }
        Shape::Never
    }

    /// Walks a `for` loop and returns the shape of its value, `Plain`: no weight reaches it. The
    /// variables of its pattern get the shape of an element (what in it depends on weights). If the
    /// body may change the elements and makes them scores, so is the container over which the loop
    /// runs.
    pub(super) fn for_loop(&mut self, e: &syn::ExprForLoop) -> Shape {
        let over = self.plain(&e.expr);
        // The author's `into_iter` of a struct, a method without arguments.
        let over = self.by_authors("into_iter", 0, over);
        self.scopes.push(Vec::new());
        let first = self.reserve(&e.pat);
        self.bind(&e.pat, &mut { first }, &over);
        self.block(&e.body, &Shape::Plain);
        self.scopes.pop();
        // A score that the body puts into the elements is in the container too.
        if changes_elements(&e.expr) && self.wanted(&e.pat, &mut { first }).has_score() {
            self.flow_into(&e.expr, &Shape::Score);
        }
        Shape::Plain
    }

    /// Walks an `if` and returns its shape (what in its value depends on weights). `want` is the
    /// shape that is expected. Both branches are of one type: if the value of one is a score, that
    /// of the other becomes a traced number in the twin.
    pub(super) fn if_expr(&mut self, e: &syn::ExprIf, want: &Shape) -> Shape {
        self.scopes.push(Vec::new());
        self.plain(&e.cond);
        let mut shape = self.block(&e.then_branch, want);
        self.scopes.pop();
        if let Some((_, other)) = &e.else_branch {
            let found = self.inner(other, want);
            if found.is_score() && shape == Shape::Plain {
                self.lift_block(&e.then_branch);
            } else if shape.is_score() && found == Shape::Plain {
                self.lift_tail(other);
            }
            shape.join(&found);
        }
        shape
    }

    /// Walks a `loop` and returns its shape (what in its value depends on weights): only a `break`
    /// ends it, so that is the shape of the values of its `break`s. `want` is the shape that is
    /// expected.
    pub(super) fn loop_expr(&mut self, e: &syn::ExprLoop, want: &Shape) -> Shape {
        let is_loop = true;
        self.broken
            .push(Breakable::new(e.label.as_ref(), is_loop, want));
        self.block(&e.body, &Shape::Plain);
        self.broken.pop().map(|b| b.shape).unwrap_or_default()
    }

    /// Walks `return`, whose value becomes that of the function or the closure around. Returns
    /// `Never`: it leaves the code around it and has no value.
    pub(super) fn return_expr(&mut self, e: &syn::ExprReturn) -> Shape {
        if let Some(value) = &e.expr {
            // `returned` has one entry for the function and one for each closure around. Outside of
            // closures the shape that is expected is what the function is known to return.
            let of_function = self.body.filter(|_| self.returned.len() == 1);
            let of_function = of_function.map(|f| &self.facts.bodies[f].returned);
            let want = of_function.or(self.returned.last()).cloned();
            let shape = self.expr(value, &want.unwrap_or_default());
            if let Some(last) = self.returned.last_mut() {
                last.join(&shape);
            }
        }
        Shape::Never
    }

    /// Walks a `match` and returns its shape (what in its value depends on weights). `want` is the
    /// shape that is expected. All arms are of one type: if the value of one is a score, those that
    /// no weight reaches become traced numbers in the twin.
    pub(super) fn match_expr(&mut self, e: &syn::ExprMatch, want: &Shape) -> Shape {
        let on = self.plain(&e.expr);
        let mut shape = Shape::Never;
        let mut plain = Vec::new();
        for arm in &e.arms {
            let before = self.diagnostics.len();
            self.scopes.push(Vec::new());
            let first = self.reserve(&arm.pat);
            self.bind(&arm.pat, &mut { first }, &on);
            let found = self.expr(&arm.body, want);
            shape.join(&found);
            if found == Shape::Plain {
                plain.push(&arm.body);
            }
            self.scopes.pop();
            // Mistakes in an arm under `#[cfg]` are told only where that holds.
            self.leave_value_to_cfg(&arm.attrs, &arm.body, before);
        }
        if shape.is_score() {
            for body in plain {
                self.lift_tail(body);
            }
        }
        shape
    }

    /// Walks a closure and returns the shape (what in a value depends on weights) of what it
    /// returns. `arguments`: the shapes of the values that its parameters get, `Plain` where they
    /// are missing; `want`: the shape that it is expected to return. Records that a type behind its
    /// `->` is traced in the twin by the shape that it returns. Leaves the numbers of the variables
    /// that its parameters are in `latest` (`None` for a pattern of several), and the shape that
    /// the first parameter has then in `first_parameter`.
    pub(super) fn closure(
        &mut self,
        expr: &Expr,
        e: &ExprClosure,
        arguments: &[Shape],
        want: &Shape,
    ) -> Shape {
        self.scopes.push(Vec::new());
        let mut params = Vec::new();
        let begin = self.next_variable;
        for (index, pat) in e.inputs.iter().enumerate() {
            let first = self.reserve(pat);
            // The number of the parameter's variable, if its pattern makes exactly one.
            params.push((self.next_variable == first + 1).then_some(first));
            let given = arguments.get(index).unwrap_or(&Shape::Plain);
            self.bind(pat, &mut { first }, given);
        }
        self.returned.push(want.clone());
        let found = self.expr(&e.body, want);
        let shape = self.returned.pop().unwrap_or_default().joined(&found);
        self.scopes.pop();
        self.record(expr, Edit::Type(shape.clone()));
        let first = e.inputs.first();
        let first = first.map(|pat| self.wanted(pat, &mut { begin }));
        self.first_parameter = first.unwrap_or_default();
        self.latest = params;
        shape
    }
}

/// Tells whether a loop over this expression can change the elements: it begins with `&mut`, or a
/// method whose name ends in `_mut` is among its calls.
fn changes_elements(expr: &Expr) -> bool {
    match bare(expr) {
        Expr::Reference(e) => e.mutability.is_some(),
        Expr::MethodCall(e) => {
            e.method.to_string().ends_with("_mut") || changes_elements(&e.receiver)
        }
        _ => false,
    }
}
