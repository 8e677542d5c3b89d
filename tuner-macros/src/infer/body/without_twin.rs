//! Calls of methods and functions of the crate that have no twin, where one is
//! needed: each would be an error of rustc in code that nobody wrote.

use quote::ToTokens;
use syn::{BinOp, Expr, ExprField, ExprMethodCall};

use super::pattern::member;
use super::walk::Walk;
use crate::diagnostics::{Diagnostic, Extent, messages};
use crate::model::Side;
use crate::model::bare;
use crate::model::shape::Shape;

impl Walk<'_> {
    /// Refuses the use of a method, a function or a const of a struct that the twin copies, if its impl
    /// block has no annotation: the copy would not have it. Returns the shape that it has in
    /// production, so that the walk continues; `None` if it is not such a member.
    pub(super) fn unmarked_member(&mut self, at: Extent, owner: &str, name: &str) -> Option<Shape> {
        if !self.facts.is_copied(owner) {
            return None;
        }
        let reader = self.unmarked(name, |of| of == owner)?;
        let gives = self.facts.readers.all[reader].gives.last();
        let gives = gives.and_then(|used| used.path.last()).cloned();
        let shape = Shape::Named(owner.to_owned());
        let message = messages::unmarked_member(name, owner);
        self.refuse_passed(at, &shape, name, message);
        let gives = gives.unwrap_or_default();
        let gives = if gives == "Self" { owner } else { &gives };
        Some(match self.built(gives) {
            Some(shape) => shape,
            None if self.facts.types.is_number(gives) => Shape::Score,
            None => Shape::Plain,
        })
    }

    /// Refuses a field that holds a pair (a struct of scores) in a struct without twin: it has
    /// production's type, so no trace sees its numbers. Returns the shape of the pair; `None` for
    /// another field. `base`: the shape of the value whose field it is.
    pub(super) fn plain_field(&mut self, e: &ExprField, base: &Shape) -> Option<Shape> {
        if *base != Shape::Plain {
            return None;
        }
        let (of, field) = (self.type_of(&e.base)?.to_owned(), member(&e.member));
        let pair = self.facts.plain_pair(&of, &field)?.to_owned();
        let at = self.extent(e);
        if self.is_checking() {
            let part = self.facts.why_twinned(&pair);
            // Without its twin, scores that it holds itself would be plain numbers that nobody
            // sees.
            let diagnostic = match part.filter(|_| self.facts.is_twinned_by_structs(&pair)) {
                None => {
                    let (value, other) = (as_typed(e), self.anew(&pair, &field));
                    let message = messages::plain_field(&field, &of, &pair, &value, &other);
                    Diagnostic::new(at, message)
                }
                Some((inner, holds)) => {
                    let message = messages::plain_part(&field, &of, &pair, &inner, &holds);
                    Diagnostic::new(at, message).once(format!("{of}.{field}"))
                }
            };
            self.diagnostics.push(diagnostic);
        }
        Some(Shape::Named(pair))
    }

    /// Returns the shape of the pair (a struct of scores) that a method of a type without twin
    /// gives; `None` for another method. Refuses the call if the method reads no weight: the pair
    /// has production's type, so no trace sees its numbers. A method that reads weights is refused
    /// elsewhere.
    pub(super) fn plain_method(&mut self, e: &ExprMethodCall, name: &str) -> Option<Shape> {
        let of = self.type_of(&e.receiver)?.to_owned();
        let reader = self.unmarked(name, |owner| owner == of)?;
        let gives = self.facts.readers.all[reader].gives.last();
        let pair = gives.and_then(|used| used.path.last())?.clone();
        if !self.facts.is_copied(&pair) {
            return None;
        }
        // If it reads weights, that is the mistake that is told.
        let reading = self.facts.readings.get(reader);
        if reading.is_none_or(|reading| reading.weight.is_none()) {
            let (value, other) = (as_typed(e), self.anew(&pair, name));
            let message = messages::plain_method(name, &of, &pair, &value, &other);
            self.refuse(e.method.span(), message);
        }
        Some(Shape::Named(pair))
    }

    /// The text of a call, for a message, that computes the score of `field` anew: of a function
    /// that gives a `pair`, has the field's name in its own, reads weights or has a longer name
    /// than the field, and needs at most a variable in scope. `OTHER` if there is none.
    fn anew(&self, pair: &str, field: &str) -> String {
        let all = self.facts.readers.all.iter().enumerate();
        let mut calls = all.filter_map(|(number, one)| {
            let is_of_pair = one.returned().is_some_and(|(_, kind)| kind == pair);
            let reading = self.facts.readings.get(number);
            let is_reading = reading.is_some_and(|reading| reading.weight.is_some());
            let is_named = one.name.contains(field) && (is_reading || one.name != field);
            if !is_named || !is_of_pair {
                return None;
            }
            match (&one.owner, &one.parameters()[..]) {
                (None, [(_, ty)]) => {
                    Some(format!("{}({})", one.name, self.locals.variable_of(ty)?))
                }
                (Some(owner), []) if one.receiver().is_some() => Some(format!(
                    "{}.{}()",
                    self.locals.variable_of(owner)?,
                    one.name
                )),
                _ => None,
            }
        });
        calls.next().unwrap_or_else(|| "OTHER".to_owned())
    }

    /// Refuses `e`, a closure that gives a `shape` with a score in it, as `field` of the struct
    /// `of`, where the type of the field is a parameter, as `F` in `struct Term<F>`: `F` does not say
    /// what a call of the field gives; `Box<dyn Fn(…) -> …>` does. Tells whether it did.
    pub(super) fn refuse_kept(&mut self, of: &str, field: &str, e: &Expr, shape: &Shape) -> bool {
        let ty = self.facts.field_type(of, field);
        let is_parameter = ty.is_some_and(|ty| {
            !is_pointer(ty) && !tuner_source::is_standard_type(ty) && !self.facts.declares(ty)
        });
        let refused = matches!(e, Expr::Closure(_)) && is_parameter && self.facts.differs(shape);
        if refused {
            self.refuse(self.extent(e), messages::kept_closure(of));
        }
        refused
    }

    /// Tells whether a method into which a score goes is one of the crate that has no twin. Where
    /// the type of the receiver is not known and its shape, `on`, is `Plain`, any method of this
    /// name counts. A receiver of another shape is a score, a tuple or a struct of the annotated
    /// modules, whose methods have been looked up before: `false`.
    pub(super) fn takes_score_without_twin(&self, receiver: &Expr, name: &str, on: &Shape) -> bool {
        match self.type_of(receiver) {
            Some(of) => self.unmarked(name, |owner| owner == of).is_some(),
            None => *on == Shape::Plain && self.unmarked(name, |_| true).is_some(),
        }
    }

    /// Returns the number of the reader (a function or const) of this name in an impl block without
    /// annotations, of a type for which `is_meant` is true; `None` if there is none.
    fn unmarked(&self, name: &str, is_meant: impl Fn(&str) -> bool) -> Option<usize> {
        let readers = &self.facts.readers;
        let mut named = readers.named(name)?.iter().copied();
        named.find(|&reader| {
            let reader = &readers.all[reader];
            let unit = self.facts.unit_of(reader.module);
            let is_marked = unit.is_some_and(|unit| {
                let is_const = || self.facts.associated.contains_key(&(unit, reader.location));
                self.facts.function_at(unit, reader.location).is_some() || is_const()
            });
            reader.block.is_some() && !is_marked && reader.owner.as_deref().is_some_and(&is_meant)
        })
    }

    /// The name of the type of a place, where signatures, structs, and results of functions without
    /// twin state it; `None` where they do not.
    fn type_of(&self, place: &Expr) -> Option<&str> {
        match bare(place) {
            Expr::Path(e) => self.locals.type_of(&e.path.get_ident()?.to_string()),
            Expr::Field(e) => self
                .facts
                .field_type(self.type_of(&e.base)?, &member(&e.member)),
            Expr::Reference(e) => self.type_of(&e.expr),
            Expr::Unary(e) => self.type_of(&e.expr),
            // `pos.state().material`
            Expr::MethodCall(e) => {
                let of = self.type_of(&e.receiver)?;
                let reader = self.unmarked(&e.method.to_string(), |owner| owner == of)?;
                match &self.facts.readers.all[reader].gives[..] {
                    [used] => used.path.last().map(String::as_str),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Tells whether the type of a variable, a field or an entry is unknown, or known only to be a
    /// pointer such as `Box`; false for any other expression.
    pub(super) fn is_of_no_type(&self, place: &Expr) -> bool {
        match bare(place) {
            Expr::Index(e) => self.is_of_no_type(&e.expr),
            Expr::Path(_) | Expr::Field(_) => self.type_of(place).is_none_or(is_pointer),
            _ => false,
        }
    }

    /// Refuses a call of functions that the twin cannot call: they are of a trait that the twin's
    /// copy of their struct lacks, or no path leads to them, or the author leaves them without twin
    /// although a value whose type differs in the twin goes in (`passed`) or comes out, or a weight
    /// is read. `called`: the functions that the call may mean; the first reason is told.
    pub(super) fn refuse_call(&mut self, at: impl Into<Extent>, called: &[usize], passed: &Shape) {
        if !self.is_checking() {
            return;
        }
        let message = called.iter().find_map(|&f| {
            let (facts, function) = (&self.facts, self.facts.function(f));
            let owner = function.owner.as_deref();
            let owner = owner.filter(|owner| facts.is_copied(owner));
            let name = &function.name;
            if let (Some(owner), Some(of_trait)) = (owner, &function.of_trait) {
                return Some(messages::trait_method(name, of_trait, owner));
            }
            if facts.is_untraced(f) {
                let differs = facts.differs(&facts.bodies[f].returned) || facts.differs(passed);
                let is_needed = differs || owner.is_some() || facts.weight_read_by(f).is_some();
                let listed = function.makes.as_ref().unwrap_or(name);
                return is_needed.then(|| messages::untraced_call(name, listed));
            }
            let hidden = facts.hides(self.unit, function.unit)?;
            let is_called = owner.is_none() && facts.has_twin(f);
            is_called.then(|| messages::hidden(name, &hidden))
        });
        if let Some(message) = message {
            self.refuse(at, message);
        }
    }

    /// Notes that the body calls the author's operator, `impl Add for Pair`, for operands of these
    /// shapes. Does nothing for signs without a method in `SIGNS`.
    pub(super) fn enter_operator(&mut self, sign: &BinOp, left: &Shape, right: &Shape) {
        let Some(name) = method_of(sign) else { return };
        let functions = &self.facts.functions;
        let mut candidates = match left {
            Shape::Named(_) => self.methods(name, 1, left),
            _ => self.facts.functions_named(name).to_vec(),
        };
        candidates.retain(|&f| {
            let is_left = matches!(left, Shape::Named(_));
            is_left || functions[f].params.first() == Some(right)
        });
        self.enter(&candidates);
    }

    /// Gives an operator of a pair, of shape `left`, and a number a second version in the twin,
    /// which takes a score instead of the number.
    pub(super) fn take_score(&mut self, sign: &BinOp, left: &Shape) {
        let Some(name) = method_of(sign) else { return };
        for function in self.methods(name, 1, left) {
            if self.facts.functions[function].number == Some(Side::Right)
                && let Some(facts) = self.facts.learning()
            {
                self.changed |= facts.score_operand(function);
            }
        }
    }
}

/// An expression as its author writes it, without the spaces that its tokens have as text.
fn as_typed(e: &impl ToTokens) -> String {
    let mut text = e.to_token_stream().to_string();
    for sign in [".", "::", "(", ")", "[", "]", "&", "*"] {
        for spaced in [format!(" {sign} "), format!("{sign} "), format!(" {sign}")] {
            text = text.replace(&spaced, sign);
        }
    }
    text.replace(" ,", ",")
}

/// Whether a type is one of the standard library that holds a value and passes method calls on to
/// it, so that its name does not say which type's method is called.
fn is_pointer(ty: &str) -> bool {
    matches!(ty, "Arc" | "Box" | "Rc" | "Vec")
}

/// Methods of the operators whose uses the walk sees, and their signs.
const SIGNS: [(&str, &str); 12] = [
    ("add", "+"),
    ("sub", "-"),
    ("mul", "*"),
    ("div", "/"),
    ("shl", "<<"),
    ("shr", ">>"),
    ("add_assign", "+="),
    ("sub_assign", "-="),
    ("mul_assign", "*="),
    ("div_assign", "/="),
    ("shl_assign", "<<="),
    ("shr_assign", ">>="),
];

/// Whether a method, `add`, is that of an operator whose uses the walk sees, `a + b`.
pub(crate) fn is_sign(method: &str) -> bool {
    SIGNS.iter().any(|(name, _)| *name == method)
}

/// The method of an operator, `add` of `+`; `None` of a comparison, `%`, `&` and the like.
fn method_of(operator: &BinOp) -> Option<&'static str> {
    let sign = operator.to_token_stream().to_string();
    let found = SIGNS.iter().find(|(_, known)| *known == sign);
    found.map(|(name, _)| *name)
}
