//! Expressions: the shape of each, what is different in the twin, what is
//! refused.

use syn::{BinOp, Expr, ExprBinary, ExprCast, Type, UnOp};
use tuner_source::Number;

use super::nonlinear::is_number;
use super::pattern::member;
use super::walk::Walk;
use crate::diagnostics::messages;
use crate::infer::edits::Edit;
use crate::model::shape::Shape;
use crate::model::types::is_unsigned;
use crate::model::{bare, is_assignment, last_name};

impl Walk<'_> {
    /// Walks an expression and returns its shape (what in its value depends on weights). `want` is
    /// the shape that is expected. An expression that no weight reaches becomes a traced number in
    /// the twin where a score is expected; a container, such as `None` or `Err(…)`, and a reference
    /// stay as they are there, and count as scores.
    pub(super) fn expr(&mut self, expr: &Expr, want: &Shape) -> Shape {
        let shape = self.inner(expr, want);
        if want.is_score() && shape == Shape::Plain {
            if !self.makes_container(expr) {
                self.lift(expr);
            }
            return Shape::Score;
        }
        shape
    }

    /// Walks an expression of which no score is expected, and returns its shape (what in its value
    /// depends on weights), which may be a score all the same.
    pub(super) fn plain(&mut self, expr: &Expr) -> Shape {
        self.expr(expr, &Shape::Plain)
    }

    /// Walks an expression by its kind and returns its own shape (what in its value depends on
    /// weights). `want`, the shape that is expected, reaches the parts that give the value; the
    /// expression itself does not become a traced number by it. A score as an index, as the end of
    /// a range or under `!` is a mistake. A statement, such as a loop or an assignment, has no
    /// value that a weight reaches: its shape is `Plain`.
    pub(super) fn inner(&mut self, expr: &Expr, want: &Shape) -> Shape {
        match expr {
            Expr::Array(e) => self.list(e.elems.iter(), want),
            Expr::Assign(e) => {
                // The shape of the place on the left is expected of the value on the right.
                let place = self.peek(&e.left);
                self.walk_place(&e.left);
                let shape = self.expr(&e.right, &place);
                self.put(&e.left, &shape);
                Shape::Plain
            }
            Expr::Binary(e) => self.binary(expr, e),
            Expr::Block(e) => self.block_expr(e, want),
            Expr::Break(e) => self.break_expr(e),
            Expr::Call(e) => self.call(expr, e, want),
            Expr::Cast(e) => self.cast(expr, e),
            Expr::Closure(e) => self.closure(expr, e, &[], want),
            Expr::Const(e) => {
                let shape = self.block(&e.block, want);
                // It runs in the twin, as operators of traced numbers are not const.
                if self.facts.differs(&shape) {
                    self.record(expr, Edit::Block);
                }
                shape
            }
            Expr::Continue(_) => Shape::Never,
            Expr::Field(e) => {
                let base = self.plain(&e.base);
                let shape = self.field(&base, &member(&e.member));
                self.plain_field(e, &base).unwrap_or(shape)
            }
            Expr::ForLoop(e) => self.for_loop(e),
            Expr::Group(e) => self.inner(&e.expr, want),
            Expr::If(e) => self.if_expr(e, want),
            Expr::Index(e) => {
                let base = self.plain(&e.expr);
                if self.plain(&e.index).is_score() {
                    self.refuse_use(self.extent(&e.index), messages::index());
                }
                // The author's `index` of a struct, a method with one argument.
                self.by_authors("index", 1, base)
            }
            Expr::Let(e) => {
                let first = self.reserve(&e.pat);
                let shape = self.plain(&e.expr);
                self.bind(&e.pat, &mut { first }, &shape);
                Shape::Plain
            }
            Expr::Loop(e) => self.loop_expr(e, want),
            Expr::Macro(e) => self.macro_call(&e.mac, want),
            Expr::Match(e) => self.match_expr(e, want),
            Expr::MethodCall(e) => self.method_call(expr, e, want),
            Expr::Paren(e) => self.inner(&e.expr, want),
            Expr::Path(e) => self.path_expr(expr, &e.path),
            Expr::Range(e) => {
                for end in e.start.iter().chain(e.end.iter()) {
                    if self.plain(end).is_score() {
                        self.refuse_use(self.extent(end), messages::range());
                    }
                }
                Shape::Plain
            }
            // `&0` becomes `&Tr::lit(0)`, a traced number; what is behind `&mut` is a place, which
            // stays.
            Expr::Reference(e) if e.mutability.is_none() => self.expr(&e.expr, want),
            Expr::Reference(e) => self.inner(&e.expr, want),
            Expr::Repeat(e) => {
                self.plain(&e.len);
                self.expr(&e.expr, want)
            }
            Expr::Return(e) => self.return_expr(e),
            Expr::Struct(e) => self.struct_literal(e),
            Expr::Try(e) => self.inner(&e.expr, want),
            Expr::Tuple(e) => {
                let parts = e.elems.iter().enumerate();
                Shape::tuple(parts.map(|(i, part)| self.expr(part, &want.component(i))))
            }
            Expr::Unary(e) => {
                let shape = self.inner(&e.expr, want);
                if matches!(e.op, UnOp::Not(_)) && shape.is_score() {
                    self.refuse_use(self.extent(e), messages::bits());
                }
                // `-` of a traced number is not const, so the body counts as one that computes.
                if matches!(e.op, UnOp::Neg(_)) && self.facts.differs(&shape) {
                    self.operates();
                }
                shape
            }
            Expr::Unsafe(e) => self.block(&e.block, want),
            Expr::While(e) => {
                self.scopes.push(Vec::new());
                self.plain(&e.cond);
                self.block(&e.body, &Shape::Plain);
                self.scopes.pop();
                Shape::Plain
            }
            _ => Shape::Plain,
        }
    }

    /// Returns the shape (what in a value depends on weights) of an entry that `Index` gives
    /// (`method` is `index`, `arguments` 1), or of an element that `IntoIterator` gives
    /// (`into_iter`, 0). `of` is the shape of the whole. For a struct it is what the author's
    /// method returns, which is noted as called from this body; for a struct without such a method,
    /// and for anything else, it is `of`, as a container has the shape of its elements.
    pub(super) fn by_authors(&mut self, method: &str, arguments: usize, of: Shape) -> Shape {
        let candidates = match &of {
            Shape::Named(_) => self.methods(method, arguments, &of),
            _ => return of,
        };
        if candidates.is_empty() {
            return of;
        }
        self.enter(&candidates);
        self.returned_by(&candidates)
    }

    /// Walks the elements of an array, of each of which `want` is expected, and returns the shape
    /// of one (what in it depends on weights). All are of one type: if one is a score, those that
    /// no weight reaches become traced numbers in the twin.
    pub(super) fn list<'e>(&mut self, all: impl Iterator<Item = &'e Expr>, want: &Shape) -> Shape {
        let mut shape = Shape::Plain;
        let mut plain = Vec::new();
        for element in all {
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

    /// Walks `a + b`, `a += b` or `a < b` and returns the shape of the result (what in it depends
    /// on weights), which is `Plain` for an assignment and a comparison. With scores the operator
    /// becomes a call of a function of traced numbers, stays an operator, or is refused. In the
    /// body, `a` and `b` say whether the type of the left and of the right operand differs in the
    /// twin.
    fn binary(&mut self, expr: &Expr, e: &ExprBinary) -> Shape {
        let span = self.extent(e);
        let assigned = is_assignment(&e.op);
        // For an assignment, the shape of the place on the left.
        let place = assigned.then(|| self.peek(&e.left));
        // A product with a factor that is computed from literals alone is linear, also if the type
        // of that factor is a score's.
        let constant_left = self.is_constant(&e.left);
        let constant = constant_left || self.is_constant(&e.right);
        let left = self.plain(&e.left);
        let right = self.plain(&e.right);
        let (a, b) = (self.facts.differs(&left), self.facts.differs(&right));
        // The body computes with traced numbers, so its twin is not a const fn; and an operator of
        // the author is noted as called from it.
        if a || b {
            self.operates();
            self.enter_operator(&e.op, &left, &right);
        }
        let constant = constant && is_number(&left) && is_number(&right);
        // Some operators become calls of functions of traced numbers.
        let function = self.operator_function(&e.op, a, b, constant);
        if let Some(function) = function {
            // `scaled` takes the factor from literals alone as its second argument.
            if function == "scaled" && constant_left {
                self.record(expr, Edit::Swap);
            }
            return self.operator_call(expr, e, function, &left, &right, span);
        }
        // The others stay operators, or are refused.
        match e.op {
            BinOp::Eq(_)
            | BinOp::Ne(_)
            | BinOp::Lt(_)
            | BinOp::Le(_)
            | BinOp::Gt(_)
            | BinOp::Ge(_) => {
                if a || b {
                    self.refuse_use(span, messages::comparison());
                }
                return Shape::Plain;
            }
            BinOp::And(_) | BinOp::Or(_) => return Shape::Plain,
            _ => self.kept_operator(e, &left, &right),
        }
        if assigned {
            // The right side of `+=` may change the place on the left, so it is computed first.
            if (a || b) && has_statements(&e.right) {
                self.record(expr, Edit::First);
            }
            // Only a number, or a place of unknown type, becomes what is assigned to it.
            if matches!(place, Some(Shape::Plain | Shape::Score)) {
                self.put(&e.left, &right);
            }
            return Shape::Plain;
        }
        // `bonus = pair * count`: the pair's shape wins over the plain factor's.
        left.joined(&right)
    }

    /// Refuses an operator of arithmetic or of bits that stays one in the twin, where it is not
    /// linear in the scores among its operands; else records what the twin needs at the operands.
    /// Nothing is done for one without scores. `left`, `right`: the shapes of the operands (what in
    /// them depends on weights).
    fn kept_operator(&mut self, e: &ExprBinary, left: &Shape, right: &Shape) {
        let span = self.extent(e);
        let assigned = is_assignment(&e.op);
        let (a, b) = (self.facts.differs(left), self.facts.differs(right));
        match e.op {
            BinOp::Mul(_) | BinOp::MulAssign(_) if a && b => {
                self.refuse_use(span, messages::product());
            }
            BinOp::Div(_) | BinOp::DivAssign(_) if b => {
                self.refuse_use(self.extent(&e.right), messages::quotient());
            }
            BinOp::Rem(_) | BinOp::RemAssign(_) if a || b => {
                self.refuse_use(span, messages::remainder());
            }
            // `& 0xFFFF` takes the lower half of two scores that are packed in one number.
            BinOp::BitAnd(_) if left.is_score() && is_half(&e.right) => {}
            BinOp::BitAnd(_)
            | BinOp::BitOr(_)
            | BinOp::BitXor(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::BitXorAssign(_)
                if left.is_score() || right.is_score() =>
            {
                self.refuse_use(span, messages::bits());
            }
            BinOp::Shl(_) | BinOp::Shr(_) | BinOp::ShlAssign(_) | BinOp::ShrAssign(_) => {
                if b {
                    self.refuse_use(span, messages::bits());
                } else if left.is_score() && is_untyped(&e.right) {
                    // rustc could not choose among the types that a traced number is shifted by.
                    self.record(&*e.right, Edit::SayType);
                }
            }
            // A number that no weight reaches becomes traced where it joins a score. `pair + score`
            // uses the author's operator of a pair and a number, for which a version that takes a
            // score is needed.
            BinOp::Add(_) | BinOp::Sub(_) | BinOp::AddAssign(_) | BinOp::SubAssign(_) => {
                if left.is_score() && *right == Shape::Plain {
                    self.lift(&e.right);
                } else if right.is_score() && *left == Shape::Plain && !assigned {
                    self.lift(&e.left);
                } else if right.is_score() && matches!(left, Shape::Named(_)) {
                    self.take_score(&e.op, left);
                }
            }
            _ => {}
        }
    }

    /// Walks `value as T` and returns the shape of the result (what in it depends on weights). A
    /// score stays one if `T` is a signed number, or `u16`, `u32` or `u64`, to which half of two
    /// scores that are packed in one number is cast on its way. To cast a score to another unsigned
    /// type, to `i128` or to a pointer is a mistake. For any other value, also a struct, the result
    /// is `Plain`: no weight reaches it.
    fn cast(&mut self, expr: &Expr, e: &ExprCast) -> Shape {
        let at = self.extent(e);
        let shape = self.plain(&e.expr);
        if !shape.is_score() {
            return Shape::Plain;
        }
        // A cast of a traced number is not const.
        self.operates();
        if is_unsigned(&e.ty) {
            self.refuse_use(at, messages::unsigned());
            return Shape::Plain;
        }
        if matches!(*e.ty, Type::Ptr(_)) {
            self.refuse(at, messages::bytes("as"));
            return Shape::Plain;
        }
        self.record(expr, Edit::Cast(at.start));
        Shape::Score
    }

    /// Walks `S { field: value, … }` and returns its shape (what in it depends on weights). Values
    /// flow into the fields of a struct of an annotated module; a generic struct, a container, has
    /// the shape of what it holds. A score in any other struct is a mistake, except in an
    /// initialiser, and so is a closure that gives a score in a generic struct.
    fn struct_literal(&mut self, e: &syn::ExprStruct) -> Shape {
        let name = last_name(&e.path);
        let mut contents = Shape::Plain;
        for field in &e.fields {
            let before = self.diagnostics.len();
            let key = member(&field.member);
            let want = self.field_of(&name, &key).unwrap_or_default();
            let at = self.extent(&field.expr);
            let shape = self.expr(&field.expr, &want);
            let kept = self.refuse_kept(&name, &key, &field.expr, &shape);
            let generic = self.facts.types.generic.contains(&name);
            let is_closure = matches!(bare(&field.expr), Expr::Closure(_));
            // `kept`: the closure is refused already.
            if generic && is_closure && shape.is_score() && !kept {
                self.refuse(at, messages::function_value());
            }
            contents.join(if generic { &shape } else { &Shape::Plain });
            // The field is one of a known struct or of a container; an initialiser is judged
            // elsewhere.
            let known = generic || self.field_of(&name, &key).is_some() || self.initialiser;
            if !known && self.facts.differs(&shape) {
                let message = if self.facts.is_union(&name) {
                    messages::union_of(&name)
                } else {
                    messages::unknown_type(&name)
                };
                self.refuse(at, message);
            }
            self.flow_into_field(&name, &key, &shape);
            // Mistakes in a field under `#[cfg]` are told only where that holds.
            self.leave_value_to_cfg(&field.attrs, &field.expr, before);
        }
        if let Some(rest) = &e.rest {
            self.plain(rest);
        }
        let built = self.type_named(&name).and_then(|name| self.built(name));
        built.unwrap_or(contents)
    }
}

/// Tells whether the right side of a `+=` has a block in it, whose statements may change the place
/// on the left. On plain numbers Rust computes the right side of a `+=` first; on traced numbers,
/// where `+=` is a method of a trait, the left side. So the twin has to compute such a right side
/// ahead.
fn has_statements(expr: &Expr) -> bool {
    match bare(expr) {
        Expr::Block(_) | Expr::Unsafe(_) | Expr::If(_) | Expr::Match(_) => true,
        Expr::Binary(e) => has_statements(&e.left) || has_statements(&e.right),
        _ => false,
    }
}

/// Tells whether the number of bits of a shift is a literal without suffix, as in `score >> 1`. A
/// traced number can be shifted by numbers of several types, among which rustc could not choose, so
/// the twin states the type of the literal.
fn is_untyped(shift: &Expr) -> bool {
    let Expr::Lit(shift) = shift else {
        return false;
    };
    matches!(&shift.lit, syn::Lit::Int(literal) if literal.suffix().is_empty())
}

/// Whether a mask takes the lower half of two numbers that are packed in one: `0xFFFF` or
/// `0xFFFF_FFFF`, of 16 or 32 bits.
fn is_half(mask: &Expr) -> bool {
    matches!(Number::of(mask), Some(Number::Int(0xFFFF | 0xFFFF_FFFF)))
}
