//! Expressions: the shape of each, what is rewritten, what is refused.

use std::collections::HashSet;

use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, UnOp};

use super::invoked::never_returns;
use super::pattern::member;
use super::{Breakable, Walk};
use crate::diag::{Extent, Mistake};
use crate::refuse;
use crate::shape::Shape;
use crate::types::is_unsigned;
use crate::world::{identifiers, is_literal};

impl Walk<'_> {
    /// Walks an expression that stands where `want` is expected and returns
    /// its shape. A plain number where a score is wanted becomes a traced one.
    pub(super) fn expr(&mut self, expr: &mut Expr, want: &Shape) -> Shape {
        let shape = self.inner(expr, want);
        if want.is_score() && shape == Shape::Plain {
            if !self.makes_container(expr) {
                self.lift(expr);
            }
            return Shape::Score;
        }
        shape
    }

    /// Makes a plain number traced, when rewriting.
    pub(super) fn lift(&mut self, expr: &mut Expr) {
        if !self.initialiser && !is_zero(expr) {
            self.operates(Extent::here());
        }
        if self.rewriting {
            if let Some(name) = self.nested_const_in(expr) {
                let at = Extent::of(expr);
                self.mistakes
                    .push(Mistake::new(at, refuse::nested_const(&name)));
            }
            lift(
                expr,
                &self.world.files[self.world.units[self.unit].file].name,
                self.initialiser,
            );
        }
    }

    /// Makes the value of a plain branch traced, because that of another is.
    fn lift_tail(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Block(e) => self.lift_block(&mut e.block),
            Expr::Unsafe(e) => self.lift_block(&mut e.block),
            Expr::Paren(e) => self.lift_tail(&mut e.expr),
            Expr::Group(e) => self.lift_tail(&mut e.expr),
            Expr::If(e) => {
                self.lift_block(&mut e.then_branch);
                if let Some((_, other)) = &mut e.else_branch {
                    self.lift_tail(other);
                }
            }
            Expr::Match(e) => e
                .arms
                .iter_mut()
                .for_each(|arm| self.lift_tail(&mut arm.body)),
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => {}
            Expr::Macro(e) if never_returns(&e.mac) => {}
            expr if self.makes_container(expr) => {}
            expr => self.lift(expr),
        }
    }

    fn lift_block(&mut self, block: &mut syn::Block) {
        if let Some(syn::Stmt::Expr(expr, None)) = block.stmts.last_mut() {
            self.lift_tail(expr);
        }
    }

    fn plain(&mut self, expr: &mut Expr) -> Shape {
        self.expr(expr, &Shape::Plain)
    }

    fn inner(&mut self, expr: &mut Expr, want: &Shape) -> Shape {
        match expr {
            Expr::Array(e) => self.elements(e.elems.iter_mut(), want),
            Expr::Assign(e) => {
                let place = self.peek(&e.left);
                self.plain(&mut e.left);
                let shape = self.expr(&mut e.right, &place);
                self.flow_into(&e.left, &shape);
                Shape::Plain
            }
            Expr::Binary(e) => self.binary(e),
            Expr::Block(e) => {
                let Some(label) = &e.label else {
                    return self.block(&mut e.block, want);
                };
                self.broken.push(Breakable::new(Some(label), false, want));
                let shape = self.block(&mut e.block, want);
                let broken = self.broken.pop().map(|b| b.shape).unwrap_or_default();
                shape.joined(&broken)
            }
            Expr::Break(e) => {
                if let Some(value) = &mut e.expr {
                    let target = self
                        .broken
                        .iter()
                        .rposition(|b| b.ends_at(e.label.as_ref()));
                    let want = target.map(|t| self.broken[t].shape.clone());
                    let shape = self.expr(value, &want.unwrap_or_default());
                    if let Some(target) = target {
                        self.broken[target].shape.join(&shape);
                    }
                }
                Shape::Never
            }
            Expr::Call(_) => self.call(expr, want),
            Expr::Cast(_) => self.cast(expr),
            Expr::Closure(e) => self.closure(e, &[], want),
            Expr::Const(e) => self.block(&mut e.block, want),
            Expr::Continue(_) => Shape::Never,
            Expr::Field(e) => {
                let base = self.plain(&mut e.base);
                self.field(&base, &member(&e.member))
            }
            Expr::ForLoop(e) => {
                let over = self.plain(&mut e.expr);
                self.scopes.push(Vec::new());
                let first = self.reserve(&e.pat);
                self.bind(&mut e.pat, first, &over);
                self.block(&mut e.body, &Shape::Plain);
                self.scopes.pop();
                // What a body puts into the elements is the container's.
                if changes_elements(&e.expr) && self.wanted(&e.pat, first).has_score() {
                    self.flow_into(&e.expr, &Shape::Score);
                }
                Shape::Plain
            }
            Expr::Group(e) => self.inner(&mut e.expr, want),
            Expr::If(e) => {
                self.scopes.push(Vec::new());
                self.plain(&mut e.cond);
                let mut shape = self.block(&mut e.then_branch, want);
                self.scopes.pop();
                if let Some((_, other)) = &mut e.else_branch {
                    let found = self.inner(other, want);
                    if found.is_score() && shape == Shape::Plain {
                        self.lift_block(&mut e.then_branch);
                    } else if shape.is_score() && found == Shape::Plain {
                        self.lift_tail(other);
                    }
                    shape.join(&found);
                }
                shape
            }
            Expr::Index(e) => {
                let base = self.plain(&mut e.expr);
                let at = self.extent(&e.index);
                if self.plain(&mut e.index).is_score() {
                    self.refuse(at, refuse::INDEX);
                }
                base
            }
            Expr::Let(e) => {
                let first = self.reserve(&e.pat);
                let shape = self.plain(&mut e.expr);
                self.bind(&mut e.pat, first, &shape);
                Shape::Plain
            }
            Expr::Loop(e) => {
                self.broken
                    .push(Breakable::new(e.label.as_ref(), true, want));
                self.block(&mut e.body, &Shape::Plain);
                self.broken.pop().map(|b| b.shape).unwrap_or_default()
            }
            Expr::Macro(e) => self.macro_call(&mut e.mac, want),
            Expr::Match(e) => self.matched(e, want),
            Expr::MethodCall(_) => self.method_call(expr, want),
            Expr::Paren(e) => self.inner(&mut e.expr, want),
            Expr::Path(e) => self.path(&e.path),
            Expr::Range(e) => {
                for end in e.start.iter_mut().chain(e.end.iter_mut()) {
                    let at = self.extent(end);
                    if self.plain(end).is_score() {
                        self.refuse(at, refuse::RANGE);
                    }
                }
                Shape::Plain
            }
            // `&0` becomes `&Tr::lit(0)`; behind `&mut` stands a place.
            Expr::Reference(e) if e.mutability.is_none() => self.expr(&mut e.expr, want),
            Expr::Reference(e) => self.inner(&mut e.expr, want),
            Expr::Repeat(e) => {
                self.plain(&mut e.len);
                self.expr(&mut e.expr, want)
            }
            Expr::Return(e) => {
                if let Some(value) = &mut e.expr {
                    let index = self.function.filter(|_| self.returned.len() == 1);
                    let want = match index {
                        Some(f) => self.world.functions[f].returned.clone(),
                        None => self.returned.last().cloned().unwrap_or_default(),
                    };
                    let shape = self.expr(value, &want);
                    if let Some(last) = self.returned.last_mut() {
                        last.join(&shape);
                    }
                }
                Shape::Never
            }
            Expr::Struct(e) => self.struct_literal(e),
            Expr::Try(e) => self.inner(&mut e.expr, want),
            Expr::Tuple(e) => {
                let parts = e.elems.iter_mut().enumerate();
                let parts = parts
                    .map(|(i, part)| self.expr(part, &want.component(i)))
                    .collect::<Vec<_>>();
                if parts.is_empty() {
                    Shape::Plain
                } else {
                    Shape::Tuple(parts)
                }
            }
            Expr::Unary(e) => {
                let at = self.extent(e);
                let shape = self.inner(&mut e.expr, want);
                if matches!(e.op, UnOp::Not(_)) && shape.is_score() {
                    self.refuse(at, refuse::BITS);
                }
                if matches!(e.op, UnOp::Neg(_)) && self.traced(&shape) {
                    self.operates(at);
                }
                shape
            }
            Expr::Unsafe(e) => self.block(&mut e.block, want),
            Expr::While(e) => {
                self.scopes.push(Vec::new());
                self.plain(&mut e.cond);
                self.block(&mut e.body, &Shape::Plain);
                self.scopes.pop();
                Shape::Plain
            }
            _ => Shape::Plain,
        }
    }

    /// Elements of an array are of one type: if one is a score, all are.
    pub(super) fn elements<'e>(
        &mut self,
        elements: impl Iterator<Item = &'e mut Expr>,
        want: &Shape,
    ) -> Shape {
        let mut shape = Shape::Plain;
        let mut plain = Vec::new();
        for element in elements {
            let found = self.expr(element, want);
            shape.join(&found);
            if found == Shape::Plain {
                plain.push(element);
            }
        }
        if shape.is_score() {
            plain
                .into_iter()
                .for_each(|element| self.lift_tail(element));
        }
        shape
    }

    fn binary(&mut self, e: &mut syn::ExprBinary) -> Shape {
        let span = self.extent(e);
        let assigned = assigned(&e.op);
        let place = if assigned {
            self.peek(&e.left)
        } else {
            Shape::Plain
        };
        let left = self.plain(&mut e.left);
        let right = self.plain(&mut e.right);
        let (a, b) = (self.traced(&left), self.traced(&right));
        if a || b {
            self.operates(span);
        }
        match e.op {
            BinOp::Mul(_) | BinOp::MulAssign(_) if a && b => self.refuse(span, refuse::PRODUCT),
            BinOp::Div(_) | BinOp::DivAssign(_) if b => self.refuse(span, refuse::QUOTIENT),
            BinOp::Rem(_) | BinOp::RemAssign(_) if a || b => self.refuse(span, refuse::REMAINDER),
            BinOp::Eq(_)
            | BinOp::Ne(_)
            | BinOp::Lt(_)
            | BinOp::Le(_)
            | BinOp::Gt(_)
            | BinOp::Ge(_) => {
                if a || b {
                    self.refuse(span, refuse::COMPARISON);
                }
                return Shape::Plain;
            }
            BinOp::And(_) | BinOp::Or(_) => return Shape::Plain,
            BinOp::BitAnd(_)
            | BinOp::BitOr(_)
            | BinOp::BitXor(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::BitXorAssign(_)
                if left.is_score() || right.is_score() =>
            {
                self.refuse(span, refuse::BITS);
            }
            BinOp::Shl(_) | BinOp::Shr(_) | BinOp::ShlAssign(_) | BinOp::ShrAssign(_) if b => {
                self.refuse(span, refuse::BITS);
            }
            _ => {}
        }
        if matches!(
            e.op,
            BinOp::Add(_) | BinOp::Sub(_) | BinOp::AddAssign(_) | BinOp::SubAssign(_)
        ) {
            if left.is_score() && right == Shape::Plain {
                self.lift(&mut e.right);
            } else if right.is_score() && left == Shape::Plain && !assigned {
                self.lift(&mut e.left);
            }
        }
        let shape = left.joined(&right);
        if assigned {
            if place == Shape::Plain || place.is_score() {
                self.flow_into(&e.left, &right);
            }
            return Shape::Plain;
        }
        // `bonus = pair * count`: the pair's shape wins over the plain factor's.
        shape
    }

    fn traced(&self, shape: &Shape) -> bool {
        self.world.differs(shape)
    }

    fn cast(&mut self, expr: &mut Expr) -> Shape {
        let Expr::Cast(e) = expr else {
            return Shape::Plain;
        };
        let at = self.extent(e);
        let shape = self.plain(&mut e.expr);
        if !shape.is_score() {
            return Shape::Plain;
        }
        self.operates(at);
        if is_unsigned(&e.ty) {
            self.refuse(at, refuse::UNSIGNED);
            return Shape::Plain;
        }
        if self.rewriting {
            let (value, ty, span) = (&e.expr, &e.ty, e.span());
            *expr = syn::parse_quote_spanned!(span=> ::tuner_core::trace::cast::<#ty, _>(#value));
        }
        Shape::Score
    }

    fn matched(&mut self, e: &mut syn::ExprMatch, want: &Shape) -> Shape {
        let on = self.plain(&mut e.expr);
        let mut shape = Shape::Never;
        let mut plain = Vec::new();
        for arm in &mut e.arms {
            self.scopes.push(Vec::new());
            let first = self.reserve(&arm.pat);
            self.bind(&mut arm.pat, first, &on);
            let found = self.expr(&mut arm.body, want);
            shape.join(&found);
            if found == Shape::Plain {
                plain.push(&mut arm.body);
            }
            self.scopes.pop();
        }
        if shape.is_score() {
            plain.into_iter().for_each(|body| self.lift_tail(body));
        }
        shape
    }

    fn struct_literal(&mut self, e: &mut syn::ExprStruct) -> Shape {
        let name = e
            .path
            .segments
            .last()
            .map(|s| s.ident.to_string())
            .unwrap_or_default();
        for field in &mut e.fields {
            let key = member(&field.member);
            let want = self.field_of(&name, &key).unwrap_or_default();
            let before = field.expr.clone();
            let at = self.extent(&field.expr);
            let shape = self.expr(&mut field.expr, &want);
            let known = self.field_of(&name, &key).is_some() || self.initialiser;
            if !known && self.world.differs(&shape) {
                self.refuse(at, refuse::unknown_type(&name));
            }
            self.flow_into_field(&name, &key, &shape);
            if self.rewriting && field.colon_token.is_none() && before != field.expr {
                field.colon_token = Some(syn::Token![:](field.expr.span()));
            }
        }
        if let Some(rest) = &mut e.rest {
            self.plain(rest);
        }
        let name = if name == "Self" {
            self.owner.clone().unwrap_or_default()
        } else {
            name
        };
        if self.world.structure(&name).is_some() {
            Shape::Named(name)
        } else {
            Shape::Plain
        }
    }

    /// Walks a closure whose parameters get `given`; its shape is what it returns.
    pub(super) fn closure(
        &mut self,
        e: &mut syn::ExprClosure,
        given: &[Shape],
        want: &Shape,
    ) -> Shape {
        self.scopes.push(Vec::new());
        let mut params = Vec::new();
        for (index, pat) in e.inputs.iter_mut().enumerate() {
            let first = self.reserve(pat);
            params.push((self.next_variable == first + 1).then_some(first));
            self.bind(pat, first, given.get(index).unwrap_or(&Shape::Plain));
        }
        self.returned.push(want.clone());
        let found = self.expr(&mut e.body, want);
        let shape = self.returned.pop().unwrap_or_default().joined(&found);
        self.scopes.pop();
        if self.rewriting
            && let syn::ReturnType::Type(_, ty) = &mut e.output
        {
            self.world.types.trace(ty, &shape);
        }
        self.latest = params;
        shape
    }

    /// Whether an expression is an empty container, as far as its name tells,
    /// or a reference: no plain number, at any rate.
    fn makes_container(&self, expr: &Expr) -> bool {
        let (path, names): (_, &[&str]) = match expr {
            Expr::Path(e) => (&e.path, &["None"]),
            Expr::Call(e) => match &*e.func {
                Expr::Path(e) => (&e.path, &["new", "with_capacity", "default", "from_iter"]),
                _ => return false,
            },
            Expr::Reference(_) => return true,
            _ => return false,
        };
        let mut names_of_path = path.segments.iter().rev().map(|s| s.ident.to_string());
        names_of_path
            .next()
            .is_some_and(|last| names.contains(&last.as_str()))
            && !names_of_path
                .next()
                .is_some_and(|of| self.world.types.is_number(&of))
    }

    /// A const inside a function, among the names of an expression.
    fn nested_const_in(&self, expr: &Expr) -> Option<String> {
        if self.nested.is_empty() {
            return None;
        }
        let mut names = HashSet::new();
        identifiers(expr.to_token_stream(), &mut names);
        self.nested.iter().find(|n| names.contains(*n)).cloned()
    }
}

/// Whether a loop over this expression can change what it runs over.
fn changes_elements(expr: &Expr) -> bool {
    match expr {
        Expr::Reference(e) => e.mutability.is_some(),
        Expr::MethodCall(e) => {
            e.method.to_string().ends_with("_mut") || changes_elements(&e.receiver)
        }
        _ => false,
    }
}

fn is_zero(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(e) if matches!(&e.lit, syn::Lit::Int(i) if i.base10_digits() == "0"))
}

/// Wraps a plain number where a traced one is wanted. It remembers where it
/// joined, so that `check` can name what no weight explains.
fn lift(expr: &mut Expr, file: &str, initialiser: bool) {
    let span = expr.span();
    let place = place(expr, file);
    let zero = is_zero(expr);
    let tokens = if zero || initialiser {
        quote_spanned!(span=> ::tuner_core::trace::Tr::lit(#expr))
    } else if is_literal(expr) {
        quote_spanned!(span=> ::tuner_core::trace::Tr::lit_at(#expr, #place))
    } else {
        quote_spanned!(span=> ::tuner_core::trace::lift_at(#expr, #place))
    };
    if let Ok(lifted) = syn::parse2(tokens) {
        *expr = lifted;
    }
}

/// `src/eval.rs:12: cache.probe(key)`, at most one line.
fn place(expr: &Expr, file: &str) -> String {
    let text = expr.to_token_stream().to_string();
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = text.chars().take(60).collect();
    let dots = if short.len() < text.len() { " …" } else { "" };
    format!("{file}:{}: `{short}{dots}`", expr.span().start().line)
}

fn assigned(op: &BinOp) -> bool {
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
