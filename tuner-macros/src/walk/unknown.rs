//! Calls of what no unit defines, and functions handed on by name.

use quote::format_ident;
use syn::Expr;

use super::Walk;
use super::call::rename;
use super::nonlinear::function_path;
use crate::diag::Extent;
use crate::methods;
use crate::refuse;
use crate::shape::Shape;
use crate::types;

/// Types of the standard library whose constructors hold any value.
const HOLDERS: [&str; 5] = ["Arc", "Box", "Cell", "Rc", "RefCell"];

impl Walk<'_> {
    /// A call of something that no unit defines.
    pub(super) fn unknown_call(
        &mut self,
        expr: &mut Expr,
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
        for arg in &mut e.args {
            let shape = match arg {
                Expr::Closure(closure) => self.closure(closure, &[], &Shape::Plain),
                arg => self.expr(arg, want),
            };
            shapes.push(shape);
        }
        let joined = shapes.iter().fold(Shape::Plain, Shape::joined);
        let of_number = of.is_some_and(|of| self.world.types.is_number(of));
        if !self.world.differs(&joined) {
            // A derived `default`; an own one is found before.
            let built = of.filter(|of| name == "default" && self.world.structure(of).is_some());
            return match built {
                Some(built) => Shape::Named(built.to_owned()),
                None if methods::is_transparent(name) => joined,
                None => Shape::Plain,
            };
        }
        if of_number && name == "from" && joined.is_score() {
            self.operates();
            if self.rewriting
                && let Expr::Path(path) = &*e.func
                && let Some(ty) = path.path.segments.iter().rev().nth(1)
            {
                let (ty, arg) = (&ty.ident, &e.args);
                let span = at.start;
                *expr = syn::parse_quote_spanned!(span=> ::tuner_core::trace::cast::<#ty, _>(#arg));
            }
            return Shape::Score;
        }
        if let Expr::Path(path) = &*e.func
            && self.is_curve_call(&path.path, name, e.args.len())
            && matches!(joined, Shape::Score)
        {
            self.operates();
            if let Some(exponent) = shapes.get(1) {
                self.refuse_exponent(name, exponent, at);
            }
            if self.rewriting {
                *e.func = syn::Expr::Path(syn::ExprPath {
                    attrs: Vec::new(),
                    qself: None,
                    path: function_path(name, at.start),
                });
            }
            return Shape::Score;
        }
        if matches!(name, "from" | "try_from") && of.is_some_and(types::is_plain) {
            self.refuse_use(at, &refuse::UNSIGNED);
        } else if methods::is_nonlinear(name) {
            self.refuse_use(at, &refuse::method(name));
        } else if methods::has_operator_form(name) {
            self.refuse(at, refuse::operator_form(name));
        } else if methods::is_transparent(name) || of.is_some_and(|of| HOLDERS.contains(&of)) {
        } else if name.starts_with(char::is_uppercase) {
            // Of a table of weights, the leaves have told already.
            let is_container = self.world.types.generic.iter().any(|g| g == name);
            if !self.initialiser && !is_container {
                self.refuse(at, refuse::unknown_type(name));
            }
        } else if !self.initialiser {
            self.refuse(at, refuse::unknown_function(name));
        }
        joined
    }

    /// A function by name as an argument, `.map(value)`: the shape that it returns.
    pub(super) fn function_argument(
        &mut self,
        method: &str,
        arg: &mut Expr,
        on: &Shape,
        passed: &Shape,
    ) -> Option<Shape> {
        let at = self.extent(arg);
        let Expr::Path(path) = arg else { return None };
        let names: Vec<String> = path
            .path
            .segments
            .iter()
            .map(|s| s.ident.to_string())
            .collect();
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
        if on.is_score() && self.is_curve_call(&path.path, name, given) {
            self.operates();
            if self.rewriting {
                path.path = function_path(name, at.start);
            }
            return Some(Shape::Score);
        }
        if of
            .as_deref()
            .is_some_and(|of| self.world.types.is_number(of))
            && on.is_score()
        {
            if methods::is_nonlinear(name) {
                self.refuse_use(at, &refuse::method(name));
            } else if methods::has_operator_form(name) {
                self.refuse(at, refuse::operator_form(name));
            } else if name == "from" {
                self.operates();
                if self.rewriting {
                    let span = at.start;
                    let ty = of.map(|of| format_ident!("{of}"));
                    *arg = syn::parse_quote_spanned!(span=> ::tuner_core::trace::cast::<#ty, _>);
                }
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
            let function = &mut self.world.functions[f];
            if function.owner.is_none() {
                for (param, shape) in function.params.iter_mut().zip(&given) {
                    self.changed |= param.join(shape);
                }
            }
        }
        if self.rewriting && candidates.iter().any(|&f| self.world.is_renamed(f)) {
            rename(&mut path.path);
        }
        let returned = candidates
            .iter()
            .map(|&f| &self.world.functions[f].returned);
        Some(returned.fold(Shape::Plain, Shape::joined))
    }
}
