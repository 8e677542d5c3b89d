//! Expressions: the shape of each, what is rewritten, what is refused.

use syn::spanned::Spanned;
use syn::{BinOp, Expr, UnOp};

use super::Walk;
use super::nonlinear::is_number;
use super::pattern::member;
use crate::refuse;
use crate::shape::Shape;
use crate::types::is_unsigned;

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

    pub(super) fn plain(&mut self, expr: &mut Expr) -> Shape {
        self.expr(expr, &Shape::Plain)
    }

    pub(super) fn inner(&mut self, expr: &mut Expr, want: &Shape) -> Shape {
        match expr {
            Expr::Array(e) => self.elements(e.elems.iter_mut(), want),
            Expr::Assign(e) => {
                let place = self.peek(&e.left);
                self.plain(&mut e.left);
                let shape = self.expr(&mut e.right, &place);
                self.put(&e.left, &shape);
                Shape::Plain
            }
            Expr::Binary(_) => self.binary(expr),
            Expr::Block(e) => self.braces(e, want),
            Expr::Break(e) => self.broken_off(e),
            Expr::Call(_) => self.call(expr, want),
            Expr::Cast(_) => self.cast(expr),
            Expr::Closure(e) => self.closure(e, &[], want),
            Expr::Const(e) => self.block(&mut e.block, want),
            Expr::Continue(_) => Shape::Never,
            Expr::Field(e) => {
                let base = self.plain(&mut e.base);
                self.field(&base, &member(&e.member))
            }
            Expr::ForLoop(e) => self.for_loop(e),
            Expr::Group(e) => self.inner(&mut e.expr, want),
            Expr::If(e) => self.conditional(e, want),
            Expr::Index(e) => {
                let base = self.plain(&mut e.expr);
                let at = self.extent(&e.index);
                if self.plain(&mut e.index).is_score() {
                    self.refuse_use(at, &refuse::INDEX);
                }
                base
            }
            Expr::Let(e) => {
                let first = self.reserve(&e.pat);
                let shape = self.plain(&mut e.expr);
                self.bind(&mut e.pat, first, &shape);
                Shape::Plain
            }
            Expr::Loop(e) => self.endless(e, want),
            // In bodies they are expanded already.
            Expr::Macro(e) => match self.expanded(&e.mac) {
                Some(expanded) => {
                    *expr = expanded;
                    self.inner(expr, want)
                }
                None => self.macro_call(&mut e.mac, want),
            },
            Expr::Match(e) => self.matched(e, want),
            Expr::MethodCall(_) => self.method_call(expr, want),
            Expr::Paren(e) => self.inner(&mut e.expr, want),
            Expr::Path(_) => self.named(expr),
            Expr::Range(e) => {
                for end in e.start.iter_mut().chain(e.end.iter_mut()) {
                    let at = self.extent(end);
                    if self.plain(end).is_score() {
                        self.refuse_use(at, &refuse::RANGE);
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
            Expr::Return(e) => self.given_back(e),
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
                    self.refuse_use(at, &refuse::BITS);
                }
                if matches!(e.op, UnOp::Neg(_)) && self.traced(&shape) {
                    self.operates();
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
            for element in plain {
                self.lift_tail(element);
            }
        }
        shape
    }

    fn binary(&mut self, expr: &mut Expr) -> Shape {
        let Expr::Binary(e) = expr else {
            return Shape::Plain;
        };
        let span = self.extent(e);
        let assigned = assigned(&e.op);
        let place = if assigned {
            self.peek(&e.left)
        } else {
            Shape::Plain
        };
        let constant_left = self.is_constant(&e.left);
        let constant = constant_left || self.is_constant(&e.right);
        let left = self.plain(&mut e.left);
        let right = self.plain(&mut e.right);
        let (a, b) = (self.traced(&left), self.traced(&right));
        if a || b {
            self.operates();
        }
        let constant = constant && is_number(&left) && is_number(&right);
        let function = self.operator_function(&e.op, (a, b), constant);
        if let Some(function) = function {
            if function == "scaled" && constant_left && self.rewriting {
                std::mem::swap(&mut e.left, &mut e.right);
            }
            return self.operator_call(expr, function, (&left, &right), span);
        }
        match e.op {
            BinOp::Mul(_) | BinOp::MulAssign(_) if a && b => {
                self.refuse_use(span, &refuse::PRODUCT);
            }
            BinOp::Div(_) | BinOp::DivAssign(_) if b => self.refuse_use(span, &refuse::QUOTIENT),
            BinOp::Rem(_) | BinOp::RemAssign(_) if a || b => {
                self.refuse_use(span, &refuse::REMAINDER);
            }
            BinOp::Eq(_)
            | BinOp::Ne(_)
            | BinOp::Lt(_)
            | BinOp::Le(_)
            | BinOp::Gt(_)
            | BinOp::Ge(_) => {
                if a || b {
                    self.refuse_use(span, &refuse::COMPARISON);
                }
                return Shape::Plain;
            }
            BinOp::And(_) | BinOp::Or(_) => return Shape::Plain,
            BinOp::BitAnd(_) if left.is_score() && is_half(&e.right) => {}
            BinOp::BitAnd(_)
            | BinOp::BitOr(_)
            | BinOp::BitXor(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::BitXorAssign(_)
                if left.is_score() || right.is_score() =>
            {
                self.refuse_use(span, &refuse::BITS);
            }
            BinOp::Shl(_) | BinOp::Shr(_) | BinOp::ShlAssign(_) | BinOp::ShrAssign(_) => {
                if b {
                    self.refuse_use(span, &refuse::BITS);
                } else if a && self.rewriting {
                    say_type(&mut e.right);
                }
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
                self.put(&e.left, &right);
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
        self.operates();
        if is_unsigned(&e.ty) {
            self.refuse_use(at, &refuse::UNSIGNED);
            return Shape::Plain;
        }
        if self.rewriting {
            let (value, ty, span) = (&e.expr, &e.ty, e.span());
            *expr = syn::parse_quote_spanned!(span=> ::tuner_core::trace::cast::<#ty, _>(#value));
        }
        Shape::Score
    }

    fn struct_literal(&mut self, e: &mut syn::ExprStruct) -> Shape {
        let name = e
            .path
            .segments
            .last()
            .map(|s| s.ident.to_string())
            .unwrap_or_default();
        let mut held = Shape::Plain;
        for field in &mut e.fields {
            let key = member(&field.member);
            let want = self.field_of(&name, &key).unwrap_or_default();
            let before = field.expr.clone();
            let at = self.extent(&field.expr);
            let shape = self.expr(&mut field.expr, &want);
            let generic = self.world.types.generic.contains(&name);
            held.join(if generic { &shape } else { &Shape::Plain });
            let known = generic || self.field_of(&name, &key).is_some() || self.initialiser;
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
            held
        }
    }
}

/// Suffixes a literal shift with the type that rustc would settle on at the
/// end: what is shifted is not one of its own integers, so that a method of
/// the result is looked for before.
fn say_type(shift: &mut Expr) {
    if let Expr::Lit(syn::ExprLit {
        lit: syn::Lit::Int(literal),
        ..
    }) = shift
        && literal.suffix().is_empty()
    {
        *literal = syn::LitInt::new(&format!("{literal}i32"), literal.span());
    }
}

/// Whether a mask is of the lower half of two packed numbers.
fn is_half(mask: &Expr) -> bool {
    let number = tuner_source::Number::of(mask).map(tuner_source::Number::value);
    number.is_some_and(|mask| {
        mask.to_bits() == 65_535f64.to_bits() || mask.to_bits() == 4_294_967_295f64.to_bits()
    })
}

pub(crate) fn assigned(op: &BinOp) -> bool {
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
