//! Calls of what no unit defines, and functions passed by name.

use syn::Expr;

use super::walk::Walk;
use crate::diagnostics::{Extent, messages};
use crate::infer::edits::Edit;
use crate::infer::methods;
use crate::model::path_names;
use crate::model::shape::Shape;
use crate::model::types;

/// Types of the standard library whose constructors hold any value.
const HOLDERS: [&str; 5] = ["Arc", "Box", "Cell", "Rc", "RefCell"];

impl Walk<'_> {
    /// A call of something that no unit defines.
    pub(super) fn unknown_call(
        &mut self,
        expr: &Expr,
        name: &str,
        of: Option<&str>,
        (at, want): (Extent, &Shape),
    ) -> Shape {
        let Expr::Call(e) = expr else {
            return Shape::Plain;
        };
        // `Some(0)` where a score may come out.
        let want = if matches!(name, "Some" | "Ok" | "Break" | "black_box") {
            want
        } else {
            &Shape::Plain
        };
        let mut shapes = Vec::new();
        for arg in &e.args {
            let shape = match arg {
                Expr::Closure(_) => self.closure(arg, &[], &Shape::Plain),
                arg => self.expr(arg, want),
            };
            shapes.push(shape);
        }
        let joined = shapes.iter().fold(Shape::Plain, Shape::joined);
        let of_number = of.is_some_and(|of| self.facts.types.is_number(of));
        if !self.facts.differs(&joined) {
            // A derived `default`; an own one is found before.
            let built = of.filter(|of| name == "default" && self.facts.structure(of).is_some());
            return match built {
                Some(built) => Shape::Named(built.to_owned()),
                None if methods::is_transparent(name) => joined,
                None => Shape::Plain,
            };
        }
        if of_number && name == "from" && joined.is_score() {
            self.operates();
            self.record(expr, Edit::CastFrom(at.start));
            return Shape::Score;
        }
        if let Expr::Path(path) = &*e.func
            && self.is_nonlinear_call(&path.path, name, e.args.len())
            && matches!(joined, Shape::Score)
        {
            self.operates();
            if let Some(exponent) = shapes.get(1) {
                self.refuse_exponent(name, exponent, at);
            }
            self.record(&*e.func, function_path(name, at));
            return Shape::Score;
        }
        if matches!(name, "from" | "try_from") && of.is_some_and(types::is_plain) {
            self.refuse_use(at, &messages::UNSIGNED);
        } else if methods::is_nonlinear(name) {
            self.refuse_use(at, &methods::not_linear(name));
        } else if methods::has_operator_form(name) {
            self.refuse(at, messages::operator_form(name));
        } else if methods::is_transparent(name) || of.is_some_and(|of| HOLDERS.contains(&of)) {
        } else if name.starts_with(char::is_uppercase) {
            // Of a table of weights, the leaves say so.
            let is_container = self.facts.types.generic.iter().any(|g| g == name);
            if !self.initialiser && !is_container {
                self.refuse(at, messages::unknown_type(name));
            }
        } else if !self.initialiser {
            self.refuse(at, messages::unknown_function(name));
        }
        joined
    }

    /// A function by name as an argument, `.map(value)`: the shape that it returns.
    pub(super) fn function_argument(
        &mut self,
        method: &str,
        arg: &Expr,
        on: &Shape,
        passed: &Shape,
    ) -> Option<Shape> {
        let at = self.extent(arg);
        let Expr::Path(path) = arg else { return None };
        let names = path_names(&path.path);
        let name = names.last()?;
        let of = names.len().checked_sub(2).map(|i| names[i].clone());
        if of.is_none() && self.variable(name).is_some() {
            return None;
        }
        let given = if matches!(method, "fold" | "reduce") {
            2
        } else {
            1
        };
        if on.is_score() && self.is_nonlinear_call(&path.path, name, given) {
            self.operates();
            self.record(arg, function_path(name, at));
            return Some(Shape::Score);
        }
        if of
            .as_deref()
            .is_some_and(|of| self.facts.types.is_number(of))
            && on.is_score()
        {
            if methods::is_nonlinear(name) {
                self.refuse_use(at, &methods::not_linear(name));
            } else if methods::has_operator_form(name) {
                self.refuse(at, messages::operator_form(name));
            } else if name == "from" {
                self.operates();
                self.record(arg, Edit::CastFunction(at.start));
            }
            return Some(Shape::Score);
        }
        let of = if of.as_deref() == Some("Self") {
            self.owner.clone()
        } else {
            of
        };
        let candidates = self.candidates(name, of.as_deref());
        if candidates.is_empty() {
            return None;
        }
        let given = if method == "fold" {
            [passed.clone(), on.clone()]
        } else {
            [on.clone(), Shape::Plain]
        };
        for &f in &candidates {
            if self.facts.functions[f].owner.is_none() {
                for (position, shape) in given.iter().enumerate() {
                    self.learn_param(f, position, shape);
                }
            }
        }
        if candidates.iter().any(|&f| self.facts.is_renamed(f)) {
            self.record(arg, Edit::Rename);
        }
        let returned = candidates.iter().map(|&f| &self.facts.bodies[f].returned);
        Some(returned.fold(Shape::Plain, Shape::joined))
    }
}

fn function_path(name: &str, at: Extent) -> Edit {
    Edit::FunctionPath {
        name: name.to_owned(),
        span: at.start,
    }
}
