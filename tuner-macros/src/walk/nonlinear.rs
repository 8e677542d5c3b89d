//! What `#[tunable(nonlinear)]` allows: products, quotients, comparisons,
//! limits and curves of scores become calls of `tuner_core::trace::nonlinear`.
//!
//! Only what the shapes say is a score goes there; plain numbers stay as they
//! are, and a product of a score and a plain number stays an operator.

use proc_macro2::Span;
use quote::format_ident;
use syn::parse::ParseStream;
use syn::{BinOp, Expr, Path, Token};

use super::Walk;
use super::expr::assigned;
use crate::args::Mode;
use crate::diag::Extent;
use crate::hatches;
use crate::methods;
use crate::refuse;
use crate::shape::Shape;
use crate::world::Side;

impl Walk<'_> {
    pub(super) fn is_nonlinear(&self) -> bool {
        self.mode == Mode::Nonlinear
    }

    /// The function that an operator becomes; `traced` tells of which operands
    /// the twin has other types, `constant` whether no weight reaches one of
    /// them: such a product is linear.
    pub(super) fn operator_function(
        &self,
        op: &BinOp,
        traced: (bool, bool),
        constant: bool,
    ) -> Option<&'static str> {
        let (function, needed) = match (op, traced) {
            (BinOp::Mul(_), (a, b)) => ("mul", a && b),
            (BinOp::MulAssign(_), (a, b)) => ("mul_assign", a && b),
            (BinOp::Div(_), (_, b)) => ("div", b),
            (BinOp::DivAssign(_), (_, b)) => ("div_assign", b),
            (BinOp::Lt(_), (a, b)) => ("lt", a || b),
            (BinOp::Le(_), (a, b)) => ("le", a || b),
            (BinOp::Gt(_), (a, b)) => ("gt", a || b),
            (BinOp::Ge(_), (a, b)) => ("ge", a || b),
            (BinOp::Eq(_), (a, b)) => ("eq", a || b),
            (BinOp::Ne(_), (a, b)) => ("ne", a || b),
            _ => return None,
        };
        let is_product = function.starts_with("mul");
        if !needed {
            return None;
        }
        if constant && is_product {
            return Some(if assigned(op) { "scale" } else { "scaled" });
        }
        self.is_nonlinear().then_some(function)
    }

    /// Whether an expression computes from literals alone, by functions that
    /// read no weight: `pack(1, 1)`, whose type may be that of scores.
    pub(super) fn is_constant(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Lit(_) => true,
            Expr::Paren(e) => self.is_constant(&e.expr),
            Expr::Group(e) => self.is_constant(&e.expr),
            Expr::Cast(e) => self.is_constant(&e.expr),
            Expr::Unary(e) => self.is_constant(&e.expr),
            Expr::Binary(e) => self.is_constant(&e.left) && self.is_constant(&e.right),
            Expr::Call(e) => {
                let Expr::Path(path) = &*e.func else {
                    return false;
                };
                let names = path.path.segments.iter().map(|s| s.ident.to_string());
                let names: Vec<String> = names.collect();
                let [.., name] = &names[..] else { return false };
                let traced = names[0] == "tuner_core";
                let known = !traced && self.variable(name).is_none();
                let args = e.args.iter().all(|arg| self.is_constant(arg));
                known
                    && args
                    && !self.world.named(name).is_empty()
                    && !self.world.reading.contains(name)
            }
            _ => false,
        }
    }

    /// Makes an operator a call of this function, or leaves it to the author's
    /// own operator; operands have been walked.
    pub(super) fn operator_call(
        &mut self,
        expr: &mut Expr,
        function: &str,
        (left, right): (&Shape, &Shape),
        at: Extent,
    ) -> Shape {
        let Expr::Binary(e) = expr else {
            return Shape::Plain;
        };
        let compares = matches!(function, "lt" | "le" | "gt" | "ge" | "eq" | "ne");
        let arithmetic = !compares;
        if !is_number(left) || !is_number(right) {
            if arithmetic {
                return self.own_operator(e, function, (left, right), at);
            }
            self.refuse(at, refuse::PAIRS);
            return Shape::Plain;
        }
        let assigns = assigned(&e.op);
        if assigns {
            self.flow_into(&e.left, right);
        }
        if self.rewriting {
            let function = function_path(function, at.start);
            let (left, right, span) = (&e.left, &e.right, at.start);
            *expr = if assigns {
                syn::parse_quote_spanned!(span=> #function(#right, &mut #left))
            } else {
                syn::parse_quote_spanned!(span=> #function(#left, #right))
            };
        }
        if arithmetic && !assigns {
            Shape::Score
        } else {
            Shape::Plain
        }
    }

    /// The author's operator on a pair: its twin also takes a score where
    /// production takes a number.
    fn own_operator(
        &mut self,
        e: &syn::ExprBinary,
        method: &str,
        (left, right): (&Shape, &Shape),
        at: Extent,
    ) -> Shape {
        let named = self.world.named(method).iter().copied();
        let found: Vec<usize> = named
            .filter(|&f| self.operates_on(f, left, right))
            .collect();
        let functions = &self.world.functions;
        let of_pair = [left, right].map(|shape| matches!(shape, Shape::Named(_)));
        let allowed = found.iter().all(|&f| functions[f].mode == Mode::Nonlinear);
        if found.is_empty() || (of_pair != [true, true] && !allowed) {
            let ((Shape::Named(pair), _) | (_, Shape::Named(pair))) = (left, right) else {
                self.refuse_use(at, &refuse::PRODUCT);
                return Shape::Plain;
            };
            let sign = if method.starts_with("mul") { "*" } else { "/" };
            self.refuse(at, refuse::operator(sign, pair));
            return Shape::Named(pair.clone());
        }
        let mut result = Shape::Plain;
        for f in found {
            if of_pair != [true, true] {
                self.changed |= self.world.score_operand(f);
            }
            result.join(&self.world.functions[f].returned);
        }
        if assigned(&e.op) {
            Shape::Plain
        } else {
            result
        }
    }

    /// Whether a function is the operator for operands of these shapes.
    fn operates_on(&self, function: usize, left: &Shape, right: &Shape) -> bool {
        let function = &self.world.functions[function];
        let owner = function.owner.as_deref().unwrap_or_default();
        let param = function.params.first();
        function.operator
            && match (left, right) {
                (Shape::Named(pair), Shape::Named(_)) => owner == pair && param == Some(right),
                (Shape::Named(pair), _) => owner == pair && function.number == Some(Side::Right),
                (_, Shape::Named(_)) => function.number == Some(Side::Left) && param == Some(right),
                _ => false,
            }
    }

    /// Makes a method call on a number, `score.max(0)`, a call of its
    /// function. None if it is no such call; then nothing has been walked.
    pub(super) fn curve_method(&mut self, expr: &mut Expr, on: &Shape) -> Option<Shape> {
        let Expr::MethodCall(e) = expr else {
            return None;
        };
        let name = e.method.to_string();
        if !self.is_nonlinear() || !is_number(on) || !methods::is_curve(&name, e.args.len()) {
            return None;
        }
        let mut joined = on.clone();
        let at = Extent::from(e.method.span());
        for arg in &mut e.args {
            let shape = self.plain(arg);
            self.refuse_exponent(&name, &shape, at);
            joined.join(&shape);
        }
        if self.world.differs(&joined) {
            self.operates();
            if !is_number(&joined) {
                self.refuse_use(at, &refuse::method(&name));
            } else if self.rewriting {
                let function = function_path(&name, at.start);
                let (receiver, args, span) = (&e.receiver, &e.args, at.start);
                *expr = syn::parse_quote_spanned!(span=> #function(#receiver, #args));
            }
        }
        Some(joined)
    }

    /// Whether a call by path, `i32::max(a, b)`, is one of a function that
    /// the twin has, arguments being scores.
    pub(super) fn is_curve_call(&self, path: &Path, name: &str, arguments: usize) -> bool {
        self.is_nonlinear()
            && arguments
                .checked_sub(1)
                .is_some_and(|arguments| methods::is_curve(name, arguments))
            && self.is_of_the_standard_library(path, name)
    }

    /// Whether a path leads to the standard library's function of this name,
    /// as far as anybody can see.
    pub(super) fn is_of_the_standard_library(&self, path: &Path, name: &str) -> bool {
        let count = path.segments.len();
        if let Some(before) = count.checked_sub(2).map(|i| &path.segments[i].ident) {
            let before = before.to_string();
            return matches!(before.as_str(), "cmp" | "Ord") || self.world.types.is_number(&before);
        }
        let unit = &self.world.units[self.unit];
        let import = unit.imports.iter().find(|(brought, _)| brought == name);
        !unit.names.contains(name)
            && import.is_none_or(|(_, path)| {
                matches!(path.first().map(String::as_str), Some("std" | "core"))
            })
    }

    /// The exponent of an integer power is no operand of the curve.
    pub(super) fn refuse_exponent(&mut self, name: &str, shape: &Shape, at: Extent) {
        if matches!(name, "pow" | "powi") && self.world.differs(shape) {
            self.refuse(at, refuse::EXPONENT);
        }
    }

    /// `freeze!(score)`: a plain number in the twin. Tells whether the macro
    /// call is one.
    pub(super) fn freeze(&mut self, mac: &mut syn::Macro) -> bool {
        if !hatches::is_call(mac, "freeze") {
            return false;
        }
        let Ok(mut frozen) = mac.parse_body::<Expr>() else {
            return false;
        };
        let at = self.extent(mac);
        let shape = self.plain(&mut frozen);
        if self.world.differs(&shape) {
            self.operates();
            if !self.is_nonlinear() {
                self.refuse_use(at, &refuse::FREEZE);
            } else if !is_number(&shape) {
                self.refuse(at, refuse::FREEZE_PAIR);
            }
        }
        if self.rewriting {
            mac.tokens = if shape.is_score() {
                quote::quote!(::tuner_core::trace::nonlinear::freeze(#frozen))
            } else {
                quote::quote!(#frozen)
            };
        }
        true
    }

    /// `interpolated!(TABLE, score)`: the entry, and in the twin the slope of
    /// the table there. `None` if the macro call is another one.
    pub(super) fn interpolated(&mut self, mac: &mut syn::Macro) -> Option<Shape> {
        if !hatches::is_call(mac, "interpolated") {
            return None;
        }
        let (mut table, mut index) = mac.parse_body_with(table_and_index).ok()?;
        let at = self.extent(mac);
        let entries = self.plain(&mut table);
        let by = self.plain(&mut index);
        if self.world.differs(&by) {
            self.operates();
            if !self.is_nonlinear() {
                self.refuse_use(at, &refuse::INTERPOLATED);
            } else if !is_number(&by) || !is_number(&entries) {
                self.refuse(at, refuse::INTERPOLATED_PAIR);
            }
            if self.rewriting {
                // A macro call it stays, of one that passes its argument on.
                let function = function_path("interpolated", at.start);
                mac.path = syn::parse_quote!(::tuner_core::freeze);
                mac.tokens = quote::quote!(#function(&#table, #index));
            }
            return Some(Shape::Score);
        }
        if self.rewriting {
            mac.tokens = quote::quote!(#table, #index);
        }
        Some(entries)
    }
}

/// `TABLE, score`, with a comma at the end or not.
fn table_and_index(input: ParseStream<'_>) -> syn::Result<(Expr, Expr)> {
    let table = input.parse()?;
    input.parse::<Token![,]>()?;
    let index = input.parse()?;
    input.parse::<Option<Token![,]>>()?;
    Ok((table, index))
}

/// Whether a value of this shape can be an operand.
pub(super) fn is_number(shape: &Shape) -> bool {
    matches!(shape, Shape::Plain | Shape::Score | Shape::Never)
}

/// The path of a function that computes with scores.
pub(super) fn function_path(name: &str, span: Span) -> Path {
    let name = format_ident!("{name}", span = span);
    syn::parse_quote_spanned!(span=> ::tuner_core::trace::nonlinear::#name)
}
