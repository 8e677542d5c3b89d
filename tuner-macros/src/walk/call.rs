//! Calls, method calls and macro calls.

use proc_macro2::Span;
use quote::{format_ident, quote};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, GenericArgument, Token};

use super::Walk;
use crate::refuse;
use crate::shape::Shape;
use crate::world::is_literal;

/// Functions that hand a score through and know nothing of it.
const TRANSPARENT: [&str; 8] = [
    "Some",
    "Ok",
    "black_box",
    "drop",
    "from_fn",
    "replace",
    "swap",
    "take",
];

/// Methods after which a score is none any more.
const FORGETTING: [&str; 6] = ["len", "is_empty", "count", "position", "any", "all"];

impl Walk<'_> {
    pub(super) fn call(&mut self, expr: &mut Expr) -> Shape {
        let Expr::Call(e) = expr else {
            return Shape::Plain;
        };
        let Expr::Path(path) = &mut *e.func else {
            let shape = self.expr(&mut e.func, &Shape::Plain);
            e.args
                .iter_mut()
                .for_each(|arg| drop(self.expr(arg, &Shape::Plain)));
            return shape;
        };
        let names: Vec<String> = path
            .path
            .segments
            .iter()
            .map(|s| s.ident.to_string())
            .collect();
        let Some(name) = names.last().cloned() else {
            return Shape::Plain;
        };
        let before = names.len().checked_sub(2).map(|i| names[i].clone());
        let before = if before.as_deref() == Some("Self") {
            self.owner.clone()
        } else {
            before
        };
        // A weight that is planted already.
        if names.first().is_some_and(|n| n == "tuner_core") {
            return Shape::Score;
        }
        if names.len() == 1
            && let Some(closure) = self.variable(&name)
        {
            e.args
                .iter_mut()
                .for_each(|arg| drop(self.expr(arg, &Shape::Plain)));
            return self.shape_of(closure);
        }
        let built = if name == "Self" {
            self.owner.clone()
        } else {
            Some(name.clone())
        };
        if let Some(built) = built.filter(|n| self.world.structure(n).is_some()) {
            for (index, arg) in e.args.iter_mut().enumerate() {
                let field = index.to_string();
                let want = self.field_of(&built, &field).unwrap_or_default();
                let shape = self.expr(arg, &want);
                self.flow_into_field(&built, &field, &shape);
            }
            return Shape::Named(built);
        }
        let candidates = self.candidates(&name, before.as_deref());
        if !candidates.is_empty() {
            if candidates.iter().any(|&f| self.world.is_renamed(f)) && self.rewriting {
                rename(&mut path.path);
            }
            return self.pass(&candidates, e.args.iter_mut(), before.is_some());
        }
        let span = path.span();
        self.unknown_call(expr, &name, before.as_deref(), span)
    }

    /// A call of something that no unit defines.
    fn unknown_call(&mut self, expr: &mut Expr, name: &str, of: Option<&str>, span: Span) -> Shape {
        let Expr::Call(e) = expr else {
            return Shape::Plain;
        };
        let mut shapes = Vec::new();
        for arg in &mut e.args {
            let shape = match arg {
                Expr::Closure(closure) => self.closure(closure, &[], &Shape::Plain),
                arg => self.expr(arg, &Shape::Plain),
            };
            shapes.push(shape);
        }
        let joined = shapes.iter().fold(Shape::Plain, |a, b| a.joined(b));
        let of_number = of.is_some_and(|of| self.world.types.is_number(of));
        if !self.world.differs(&joined) {
            return if TRANSPARENT.contains(&name) {
                joined
            } else {
                Shape::Plain
            };
        }
        if of_number && name == "from" && joined.is_score() {
            if self.rewriting
                && let Expr::Path(path) = &*e.func
                && let Some(ty) = path.path.segments.iter().rev().nth(1)
            {
                let (ty, arg) = (&ty.ident, &e.args);
                *expr = syn::parse_quote_spanned!(span=> ::tuner_core::trace::cast::<#ty, _>(#arg));
            }
            return Shape::Score;
        }
        if refuse::is_nonlinear_method(name) && joined.is_score() {
            self.refuse(span, refuse::method(name));
        } else if !TRANSPARENT.contains(&name) && !name.starts_with(char::is_uppercase) {
            self.refuse(span, refuse::unknown_function(name));
        }
        joined
    }

    pub(super) fn method_call(&mut self, expr: &mut Expr, want: &Shape) -> Shape {
        let Expr::MethodCall(e) = expr else {
            return Shape::Plain;
        };
        let name = e.method.to_string();
        let on = self.expr(&mut e.receiver, &Shape::Plain);
        let known = self.methods(&name, e.args.len(), &on);
        if !known.is_empty() {
            if self.rewriting && known.iter().any(|&f| self.world.is_renamed(f)) {
                e.method = format_ident!("__traced_{}", e.method);
            }
            return self.pass(&known, e.args.iter_mut(), false);
        }
        if on.is_score() && refuse::is_nonlinear_method(&name) {
            self.refuse(e.method.span(), refuse::method(&name));
        }
        let mut result = match name.as_str() {
            _ if FORGETTING.contains(&name.as_str()) => Shape::Plain,
            "enumerate" => Shape::Tuple(vec![Shape::Plain, on.clone()]),
            "map" | "flat_map" | "filter_map" | "then" | "and_then" | "map_while" => Shape::Plain,
            _ => on.clone(),
        };
        let mut passed = Shape::Plain;
        for arg in &mut e.args {
            let shape = self.argument(&name, arg, &on, &passed, want);
            passed.join(&shape);
        }
        // A literal seed becomes what the closure adds to it.
        if matches!(name.as_str(), "fold" | "map_or")
            && passed.is_score()
            && let Some(seed) = e.args.first_mut().filter(|seed| is_literal(seed))
        {
            self.lift(seed);
        }
        match name.as_str() {
            "zip" => return Shape::Tuple(vec![on, passed]),
            "map" | "flat_map" | "filter_map" | "then" | "then_some" | "and_then" | "fold"
            | "map_or" | "map_or_else" | "unwrap_or" | "unwrap_or_else" | "chain" | "map_while" => {
                result.join(&passed);
                if name == "fold" || name.starts_with("map_or") {
                    result = passed;
                }
            }
            "max" | "min" | "clamp" if passed.is_score() && !on.is_score() => {
                self.refuse(e.method.span(), refuse::method(&name));
            }
            "push" | "fill" | "insert" | "extend" => self.flow_into(&e.receiver, &passed),
            _ => {}
        }
        if matches!(name.as_str(), "sum" | "product") && self.world.differs(&result) {
            self.turbofish(expr, &result);
        }
        result
    }

    /// An argument of a method that no unit defines.
    fn argument(
        &mut self,
        method: &str,
        arg: &mut Expr,
        on: &Shape,
        passed: &Shape,
        want: &Shape,
    ) -> Shape {
        if let Expr::Closure(closure) = arg {
            let first = if matches!(method, "fold" | "map_or_else") {
                passed
            } else {
                on
            };
            let given = [first.clone(), on.clone()];
            let wanted = if matches!(method, "fold" | "map_or") {
                passed
            } else {
                &Shape::Plain
            };
            return self.closure(closure, &given, wanted);
        }
        // What a seed becomes is known only from what it is added to.
        let wanted = match method {
            "unwrap_or" | "map_or" | "fold" | "fill" | "push" => {
                if want.is_score() || on.is_score() && method != "map_or" && method != "fold" {
                    Shape::Score
                } else {
                    Shape::Plain
                }
            }
            _ => Shape::Plain,
        };
        self.expr(arg, &wanted)
    }

    fn turbofish(&mut self, expr: &mut Expr, shape: &Shape) {
        let Expr::MethodCall(e) = expr else { return };
        if let Some(turbofish) = &mut e.turbofish
            && self.rewriting
            && let Some(GenericArgument::Type(ty)) = turbofish.args.first_mut()
        {
            self.world.types.trace(ty, shape);
        }
    }

    /// Lets the arguments flow into the parameters of the candidates.
    /// `with_receiver`: the call may name the receiver as its first argument.
    fn pass<'e>(
        &mut self,
        candidates: &[usize],
        args: impl ExactSizeIterator<Item = &'e mut Expr>,
        with_receiver: bool,
    ) -> Shape {
        let given = args.len();
        for (index, arg) in args.enumerate() {
            let mut want = Shape::Plain;
            for &f in candidates {
                let params = &self.world.functions[f].params;
                let skipped = usize::from(with_receiver && given == params.len() + 1);
                if let Some(param) = index.checked_sub(skipped).and_then(|i| params.get(i)) {
                    want.join(param);
                }
            }
            let shape = match &mut *arg {
                Expr::Closure(closure) => self.closure(closure, &[], &want),
                arg => self.expr(arg, &want),
            };
            if matches!(arg, Expr::Reference(r) if r.mutability.is_some()) {
                self.flow_into(arg, &want);
            }
            for &f in candidates {
                let params = &mut self.world.functions[f].params;
                let skipped = usize::from(with_receiver && given == params.len() + 1);
                if let Some(param) = index.checked_sub(skipped).and_then(|i| params.get_mut(i)) {
                    self.changed |= param.join(&shape);
                }
            }
        }
        let returned = candidates
            .iter()
            .map(|&f| &self.world.functions[f].returned);
        returned.fold(Shape::Plain, |a, b| a.joined(b))
    }

    /// Functions that a path call can mean.
    fn candidates(&self, name: &str, of: Option<&str>) -> Vec<usize> {
        let functions = &self.world.functions;
        let named = self.world.named(name).iter().copied();
        let of_type = of.is_some_and(|of| of.starts_with(char::is_uppercase));
        if of_type {
            return named
                .filter(|&f| functions[f].owner.as_deref() == of)
                .collect();
        }
        let free: Vec<usize> = named.filter(|&f| functions[f].owner.is_none()).collect();
        let own: Vec<usize> = free
            .iter()
            .copied()
            .filter(|&f| functions[f].unit == self.unit)
            .collect();
        if of.is_none() && !own.is_empty() {
            own
        } else {
            free
        }
    }

    /// Methods that a method call can mean.
    fn methods(&self, name: &str, arguments: usize, on: &Shape) -> Vec<usize> {
        let functions = &self.world.functions;
        let named = self.world.named(name).iter().copied();
        let methods = named
            .filter(|&f| functions[f].owner.is_some() && functions[f].params.len() == arguments);
        let methods: Vec<usize> = methods.collect();
        match on {
            Shape::Named(owner) => {
                let own = |&f: &usize| functions[f].owner.as_deref() == Some(owner);
                methods.into_iter().filter(own).collect()
            }
            Shape::Score | Shape::Tuple(_) => Vec::new(),
            // An unknown receiver is of production's type.
            _ => methods
                .into_iter()
                .filter(|&f| {
                    !functions[f]
                        .owner
                        .as_deref()
                        .is_some_and(|o| self.world.is_copied(o))
                })
                .collect(),
        }
    }

    pub(super) fn macro_call(&mut self, mac: &mut syn::Macro) -> Shape {
        let name = mac
            .path
            .segments
            .last()
            .map(|s| s.ident.to_string())
            .unwrap_or_default();
        if matches!(
            name.as_str(),
            "panic" | "unreachable" | "todo" | "unimplemented"
        ) {
            return Shape::Never;
        }
        if is_assertion(mac)
            || name.contains("print")
            || name.contains("write")
            || name == "matches"
        {
            return Shape::Plain;
        }
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        let Ok(mut args) = mac.parse_body_with(parser) else {
            return Shape::Plain;
        };
        let shape = self.elements(args.iter_mut(), &Shape::Plain);
        if self.rewriting {
            mac.tokens = quote!(#args);
        }
        shape
    }
}

/// Assertions are production's business; the twin leaves them out.
pub(super) fn is_assertion(mac: &syn::Macro) -> bool {
    mac.path
        .segments
        .last()
        .is_some_and(|s| s.ident.to_string().contains("assert"))
}

fn rename(path: &mut syn::Path) {
    if let Some(last) = path.segments.last_mut() {
        last.ident = format_ident!("__traced_{}", last.ident);
    }
}
