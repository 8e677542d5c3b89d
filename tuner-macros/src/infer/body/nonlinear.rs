//! What `#[tunable(nonlinear)]` allows: products, quotients, comparisons,
//! limits and nonlinear functions of scores become calls of
//! `tuner_core::trace::nonlinear`.
//!
//! Only what the shapes say is a score goes there; plain numbers stay as they
//! are, and a product of a score and a plain number stays an operator.

use syn::{BinOp, Expr, ExprBinary, ExprMethodCall, Path};

use super::walk::Walk;
use crate::diagnostics::{Extent, messages};
use crate::infer::edits::Edit;
use crate::infer::methods;
use crate::model::arguments::Mode;
use crate::model::shape::Shape;
use crate::model::{Side, bare, is_assignment, is_literal, path_names};

impl Walk<'_> {
    /// Whether the body that is walked is marked `#[tunable(nonlinear)]`, itself or by its block or
    /// module.
    pub(super) fn is_nonlinear(&self) -> bool {
        self.mode == Mode::Nonlinear
    }

    /// The name of the function of traced numbers that replaces an operator in the twin; `None` if
    /// it stays an operator. `left`, `right`: whether the type of the operand differs in the twin.
    /// `constant`: whether one operand is computed from literals alone; a product is then linear,
    /// and `scaled` or `scale` also in functions that are not marked `nonlinear`.
    pub(super) fn operator_function(
        &self,
        op: &BinOp,
        left: bool,
        right: bool,
        constant: bool,
    ) -> Option<&'static str> {
        // The function, and whether the operands need it.
        let (function, needed) = match op {
            BinOp::Mul(_) => ("mul", left && right),
            BinOp::MulAssign(_) => ("mul_assign", left && right),
            BinOp::Div(_) => ("div", right),
            BinOp::DivAssign(_) => ("div_assign", right),
            BinOp::Lt(_) => ("lt", left || right),
            BinOp::Le(_) => ("le", left || right),
            BinOp::Gt(_) => ("gt", left || right),
            BinOp::Ge(_) => ("ge", left || right),
            BinOp::Eq(_) => ("eq", left || right),
            BinOp::Ne(_) => ("ne", left || right),
            _ => return None,
        };
        let function = match function {
            "mul" if constant => "scaled",
            "mul_assign" if constant => "scale",
            _ if self.is_nonlinear() => function,
            _ => return None,
        };
        needed.then_some(function)
    }

    /// Whether an expression computes from literals alone, by functions that read no weight, as
    /// `pack(1, 1)`. Its type may be that of scores, but a product with it is linear in the
    /// weights.
    pub(super) fn is_constant(&self, expr: &Expr) -> bool {
        match bare(expr) {
            Expr::Lit(_) => true,
            Expr::Cast(e) => self.is_constant(&e.expr),
            Expr::Unary(e) => self.is_constant(&e.expr),
            Expr::Binary(e) => self.is_constant(&e.left) && self.is_constant(&e.right),
            Expr::Call(e) => {
                let Expr::Path(path) = &*e.func else {
                    return false;
                };
                let names = path_names(&path.path);
                let [.., name] = &names[..] else { return false };
                // A path that begins with `tuner_core` is the handle of a weight.
                names[0] != "tuner_core"
                    && self.variable(name).is_none()
                    && e.args.iter().all(|arg| self.is_constant(arg))
                    && !self.facts.functions_named(name).is_empty()
                    && !self.facts.reading.contains(name)
            }
            _ => false,
        }
    }

    /// Makes an operator a call of `function`, one for traced numbers, and returns the shape of the
    /// result (what in it depends on weights). `left` and `right` are the shapes of the operands,
    /// which have been walked; `at` is what a message underlines. With a struct as an operand the
    /// author's own operator is used. Two structs are compared by the one score that they hold; if
    /// they hold more, the comparison is refused.
    pub(super) fn operator_call(
        &mut self,
        expr: &Expr,
        e: &ExprBinary,
        function: &str,
        left: &Shape,
        right: &Shape,
        at: Extent,
    ) -> Shape {
        let compares = matches!(function, "lt" | "le" | "gt" | "ge" | "eq" | "ne");
        if !is_number(left) || !is_number(right) {
            if !compares {
                return self.own_operator(&e.op, function, left, right, at);
            }
            match self.sole_field(left).filter(|_| left == right) {
                Some(field) => self.record(expr, Edit::function(function, at, Some(field))),
                None => self.refuse(at, messages::pairs()),
            }
            return Shape::Plain;
        }
        let assigns = is_assignment(&e.op);
        if assigns {
            self.flow_into(&e.left, right);
        }
        for operand in [&*e.left, &e.right] {
            // A literal has the type of the operand beside it, a traced number. It becomes one as
            // in an initialiser: as it does not join a score, its place is not noted.
            if is_literal(operand) {
                self.record(operand, Edit::Lift { initialiser: true });
            }
        }
        self.record(expr, Edit::function(function, at, None));
        if compares || assigns {
            Shape::Plain
        } else {
            Shape::Score
        }
    }

    /// Returns the shape (what in a value depends on weights) that the author's operator `name`,
    /// such as `mul`, gives where one operand is a pair (a struct of scores). `a` and `b` are the
    /// shapes of the operands, `at` is what a message underlines. It is refused if there is no such
    /// operator, or if it takes a number, a score is given, and it is not marked `nonlinear`. Else
    /// an operator that takes a number gets a version that takes a score.
    fn own_operator(&mut self, op: &BinOp, name: &str, a: &Shape, b: &Shape, at: Extent) -> Shape {
        let named = self.facts.functions_named(name).iter().copied();
        let found = named.filter(|&f| self.operates_on(f, a, b));
        let found: Vec<usize> = found.collect();
        let functions = &self.facts.functions;
        let of_pairs = matches!((a, b), (Shape::Named(_), Shape::Named(_)));
        let allowed = found.iter().all(|&f| functions[f].mode == Mode::Nonlinear);
        if found.is_empty() || !of_pairs && !allowed {
            let ((Shape::Named(pair), _) | (_, Shape::Named(pair))) = (a, b) else {
                // An operand is a tuple, which has no operators.
                self.refuse_use(at, messages::product());
                return Shape::Plain;
            };
            let sign = if name.starts_with("mul") { "*" } else { "/" };
            self.refuse(at, messages::operator(sign, pair));
            return Shape::Named(pair.clone());
        }
        let mut result = Shape::Plain;
        for f in found {
            if !of_pairs && let Some(facts) = self.facts.learning() {
                self.changed |= facts.score_operand(f);
            }
            result.join(&self.facts.bodies[f].returned);
        }
        if is_assignment(op) {
            Shape::Plain
        } else {
            result
        }
    }

    /// Whether the function with this number is the author's operator for operands of these shapes
    /// (what in them depends on weights): of two structs, or of a struct and a number on the side
    /// on which the operator takes a number.
    fn operates_on(&self, function: usize, left: &Shape, right: &Shape) -> bool {
        let param = self.facts.bodies[function].params.first();
        let function = self.facts.function(function);
        let owner = function.owner.as_deref().unwrap_or_default();
        function.operator
            && match (left, right) {
                (Shape::Named(pair), Shape::Named(_)) => owner == pair && param == Some(right),
                (Shape::Named(pair), _) => owner == pair && function.number == Some(Side::Right),
                (_, Shape::Named(_)) => function.number == Some(Side::Left) && param == Some(right),
                _ => false,
            }
    }

    /// Walks a call of a method that the twin has for traced numbers, as `score.max(0)`, and
    /// returns the shape of the result (what in it depends on weights). `on` is the shape of the
    /// receiver: a number or, for `max`, `min` and `clamp`, a struct that holds one score and
    /// nothing else, and has no comparison by the author.
    ///
    /// `None`, before any argument is walked, if the receiver is something else, or if the twin has
    /// no such method where the call is.
    pub(super) fn nonlinear_method(
        &mut self,
        expr: &Expr,
        e: &ExprMethodCall,
        on: &Shape,
    ) -> Option<Shape> {
        let name = e.method.to_string();
        let field = self.sole_field(on);
        let is_one = is_number(on) || field.is_some() && matches!(&*name, "clamp" | "max" | "min");
        if !is_one || !self.has_function(&name, e.args.len()) {
            return None;
        }
        let mut operands = vec![(&*e.receiver, on.clone())];
        for arg in &e.args {
            operands.push((arg, self.plain(arg)));
        }
        Some(self.traced_method(expr, e, &operands, field))
    }

    /// Makes a method call on a number or a struct of one score a call of the function of traced
    /// numbers, and returns the shape of the result (what in it depends on weights). `operands`:
    /// the receiver and the arguments, which have been walked, each with its shape; `field`: the
    /// one field of the receiver if that is a struct, to which the function is then applied.
    ///
    /// The call stays as it is if no score is among the operands. If the receiver is a number that
    /// no weight reaches, it is refused if the first argument that one reaches is a struct or a
    /// tuple.
    fn traced_method(
        &mut self,
        expr: &Expr,
        e: &ExprMethodCall,
        operands: &[(&Expr, Shape)],
        field: Option<String>,
    ) -> Shape {
        let (name, at) = (e.method.to_string(), Extent::from(e.method.span()));
        let shapes = operands.iter().map(|(_, shape)| shape);
        let joined = shapes.fold(Shape::Plain, Shape::joined);
        if !self.facts.differs(&joined) {
            return joined;
        }
        // The body computes with traced numbers, so its twin is not a const fn.
        self.operates();
        if let Some(field) = field {
            self.record(expr, Edit::function(&name, at, Some(field)));
            return joined;
        }
        if !is_number(&joined) {
            self.refuse_use(at, methods::not_linear(&name));
            return joined;
        }
        self.record(expr, Edit::function(&name, at, None));
        self.function_of(&name, operands, at)
    }

    /// The one field of a struct that holds nothing but a score and has no comparison by the
    /// author: to compare the field is to compare the struct. `None` for a value of any other shape
    /// (what in it depends on weights).
    fn sole_field(&self, shape: &Shape) -> Option<String> {
        let Shape::Named(name) = shape else {
            return None;
        };
        let [(field, _)] = &self.facts.structs[self.facts.structure(name)?].fields[..] else {
            return None;
        };
        // The types for which the author implements a comparison.
        let mut own = ["cmp", "eq", "partial_cmp"].iter().flat_map(|method| {
            let named = self.facts.functions_named(method).iter();
            named.map(|&f| self.facts.functions[f].owner.as_ref())
        });
        let is_derived = !own.any(|owner| owner == Some(name));
        (is_derived && self.facts.fields_of(name) == [Shape::Score]).then(|| field.clone())
    }

    /// Tells whether the twin has a function for the method `name` of numbers, such as `max`, with
    /// `arguments` arguments beside the number. For `saturating_add` and the like it has one
    /// everywhere; for those of `abs`, and for all other methods, only in functions that are marked
    /// `nonlinear`.
    pub(super) fn has_function(&self, name: &str, arguments: usize) -> bool {
        let is_one = match methods::ranged(name) {
            Some((operation, count)) => {
                return count == arguments && (operation != "abs" || self.is_nonlinear());
            }
            None => methods::arguments(name) == Some(arguments),
        };
        is_one && self.is_nonlinear()
    }

    /// Makes the operands of a function of traced numbers traced where they need to be, and returns
    /// the shape of the result (what in it depends on weights). Each operand is given with its
    /// shape; the number that a method is called on is the first. A function that is passed by its
    /// name has no operands here, and all count as scores. A product of scores is refused in a
    /// function that is not marked `nonlinear`, and a score as an integer exponent everywhere.
    pub(super) fn function_of(&mut self, name: &str, args: &[(&Expr, Shape)], at: Extent) -> Shape {
        // The operation of a name such as `saturating_mul`: `mul`.
        let ranged = methods::ranged(name).map(|(operation, _)| operation);
        let are_scores = args.iter().all(|(_, shape)| shape.is_score());
        if ranged == Some("mul") && are_scores && !self.is_nonlinear() {
            self.refuse_use(at, messages::product());
        }
        for (index, (arg, shape)) in args.iter().enumerate() {
            let is_exponent = index > 0 && matches!(name, "pow" | "powi");
            if is_exponent {
                // Only the base of a power can be a score.
                if self.facts.differs(shape) {
                    self.refuse(at, messages::exponent());
                }
            } else if shape.is_score() {
                // A score is traced already.
            } else if matches!(ranged, Some("add" | "sub")) {
                // A number that is added to a score joins it.
                self.lift(arg);
            } else if is_literal(arg) {
                // A literal has the type of the other operands, a traced number.
                self.record(*arg, Edit::Lift { initialiser: true });
            }
        }
        if name.starts_with("overflowing_") {
            // The number, and whether it overflowed.
            return Shape::Tuple(vec![Shape::Score, Shape::Plain]);
        }
        Shape::Score
    }

    /// Whether a call by path with so many arguments, as `i32::max(a, b)`, is of a function of the
    /// standard library that has a form for traced numbers where the call is.
    pub(super) fn is_nonlinear_call(&self, path: &Path, name: &str, arguments: usize) -> bool {
        arguments > 0
            && self.has_function(name, arguments - 1)
            && self.is_of_the_standard_library(path, name)
    }

    /// Whether a path leads to the standard library's function `name`, as far as can be seen:
    /// before the name is `Ord`, `cmp` or a type of numbers; or the name is alone, and the module
    /// neither declares it nor imports it from elsewhere.
    pub(super) fn is_of_the_standard_library(&self, path: &Path, name: &str) -> bool {
        let count = path.segments.len();
        if let Some(before) = count.checked_sub(2).map(|i| &path.segments[i].ident) {
            let before = before.to_string();
            return matches!(before.as_str(), "cmp" | "Ord") || self.facts.types.is_number(&before);
        }
        let module = self.facts.place(self.unit);
        let is_standard = |path: &[String]| path.first().is_some_and(|s| s == "std" || s == "core");
        !module.declared.contains(name) && module.import(name).is_none_or(is_standard)
    }
}

/// Whether a value of this shape (what in it depends on weights) can be an operand of a function of
/// traced numbers: it is neither a struct nor a tuple.
pub(super) fn is_number(shape: &Shape) -> bool {
    matches!(shape, Shape::Plain | Shape::Score | Shape::Never)
}
