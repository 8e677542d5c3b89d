//! Calls of methods and functions of the crate that have no twin, where one is
//! needed: each would be an error of rustc in code that nobody wrote.

use quote::ToTokens;
use syn::{BinOp, Expr, ExprField, ExprMethodCall};
use tuner_source::Reader;

use super::pattern::member;
use super::walk::Walk;
use crate::diagnostics::{Diagnostic, Extent, messages};
use crate::model::Side;
use crate::model::bare;
use crate::model::shape::Shape;

impl Walk<'_> {
    /// Refuses the use of a method, a function or a const of a struct of which the twin has a copy,
    /// if its impl block has no annotation: the copy does not have it. Returns the shape of what it
    /// gives (what in that depends on weights), so that the walk continues; `None` if `name` is not
    /// such a member of `owner`, the struct. `at` is what the message underlines.
    pub(super) fn unmarked_member(&mut self, at: Extent, owner: &str, name: &str) -> Option<Shape> {
        if !self.facts.is_copied(owner) {
            return None;
        }
        let reader = self.unmarked(name, |of| of == owner)?;
        // The last name in the type of what the member gives.
        let gives = self.facts.readers.all[reader].gives.last();
        let gives = gives.and_then(|used| used.path.last()).cloned();
        let shape = Shape::Named(owner.to_owned());
        let message = messages::unmarked_member(name, owner);
        self.refuse_passed(at, &shape, name, message);
        // Empty for a member without a result, which then has no score.
        let gives = gives.unwrap_or_default();
        let gives = if gives == "Self" { owner } else { &gives };
        Some(match self.built(gives) {
            Some(shape) => shape,
            None if self.facts.types.is_number(gives) => Shape::Score,
            None => Shape::Plain,
        })
    }

    /// Refuses a field with a pair (a struct of scores) of a struct without twin: the field has
    /// production's type, so no trace sees its numbers. Returns the shape of the pair, a struct
    /// with scores in it; `None` for any other field. `base`: the shape (what in it depends on
    /// weights) of the value whose field it is.
    pub(super) fn plain_field(&mut self, e: &ExprField, base: &Shape) -> Option<Shape> {
        if *base != Shape::Plain {
            return None;
        }
        let (of, field) = (self.type_of(&e.base)?.to_owned(), member(&e.member));
        let pair = self.facts.plain_pair(&of, &field)?.to_owned();
        let at = self.extent(e);
        if self.is_checking() {
            // Why the type of the field has a twin, if it is more than its scores.
            let part = self.facts.why_twinned(&pair);
            // The cure to leave the type without twin is named only if structs alone give it one:
            // the scores that it held itself would become plain numbers unseen.
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
    /// by `Facts::plain_reads`.
    pub(super) fn plain_method(&mut self, e: &ExprMethodCall, name: &str) -> Option<Shape> {
        let of = self.type_of(&e.receiver)?.to_owned();
        let reader = self.unmarked(name, |owner| owner == of)?;
        let gives = self.facts.readers.all[reader].gives.last();
        let pair = gives.and_then(|used| used.path.last())?.clone();
        if !self.facts.is_copied(&pair) {
            return None;
        }
        // One mistake is told: if the method reads weights, it is that.
        let reading = self.facts.readings.get(reader);
        if reading.is_none_or(|reading| reading.weight.is_none()) {
            let (value, other) = (as_typed(e), self.anew(&pair, name));
            let message = messages::plain_method(name, &of, &pair, &value, &other);
            self.refuse(e.method.span(), message);
        }
        Some(Shape::Named(pair))
    }

    /// The right side for the cure `traced_as!(board.sums => sums(board))` in a message: a call
    /// that computes from weights what `field`, a field or a method of a type without twin, holds
    /// as production's numbers, a `pair` (a value of two phases). It is the first function of the
    /// crate that `may_compute` it and whose one argument, or receiver, is a variable in scope;
    /// `OTHER`, for the author to fill in, where there is none.
    fn anew(&self, pair: &str, field: &str) -> String {
        let all = self.facts.readers.all.iter().enumerate();
        let mut calls = all.filter_map(|(number, one)| {
            if !self.may_compute(number, one, pair, field) {
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

    /// Tells whether a function, `number` among the readers, may compute `field` anew: it gives a
    /// `pair` and has `field` in its name, as `compute_psq` has `psq`. One of just that name must
    /// read weights: else it gives what is stored, as an accessor does.
    fn may_compute(&self, number: usize, one: &Reader, pair: &str, field: &str) -> bool {
        let is_of_pair = one.returned().is_some_and(|(_, kind)| kind == pair);
        let reading = self.facts.readings.get(number);
        let is_reading = reading.is_some_and(|reading| reading.weight.is_some());
        is_of_pair && one.name.contains(field) && (is_reading || one.name != field)
    }

    /// Refuses a closure, `e`, that gives a score, as the value of `field` in the struct `of`,
    /// where the type of the field is a type parameter, as `F` in `struct Term<F>`: `F` does not
    /// say what the closure returns, as `Box<dyn Fn(…) -> …>` does. `shape` is that of what the
    /// closure returns (what in it depends on weights). Tells whether it was refused.
    pub(super) fn refuse_kept(&mut self, of: &str, field: &str, e: &Expr, shape: &Shape) -> bool {
        let ty = self.facts.field_type(of, field);
        // A type that neither the crate nor the standard library has.
        let is_parameter = ty.is_some_and(|ty| {
            !is_pointer(ty) && !tuner_source::is_standard_type(ty) && !self.facts.declares(ty)
        });
        let refused = matches!(e, Expr::Closure(_)) && is_parameter && self.facts.differs(shape);
        if refused {
            self.refuse(self.extent(e), messages::kept_closure(of));
        }
        refused
    }

    /// Tells whether a method into which a score goes is one of the crate that has no twin. `on` is
    /// the shape of the receiver (what in it depends on weights). Where the type of the receiver is
    /// unknown and no weight reaches it, any method of the name counts. If a weight does, the
    /// receiver is a score, a tuple or a struct of an annotated module, whose methods have been
    /// looked up before: `false`.
    pub(super) fn takes_score_without_twin(&self, receiver: &Expr, name: &str, on: &Shape) -> bool {
        match self.type_of(receiver) {
            Some(of) => self.unmarked(name, |owner| owner == of).is_some(),
            None => *on == Shape::Plain && self.unmarked(name, |_| true).is_some(),
        }
    }

    /// The number of the reader (an item that may read a weight) which is the method, function or
    /// const `name` in an impl block without annotation, of a type for which `is_meant` is true;
    /// `None` if there is none.
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

    /// The name of the type of a variable, a field or a method call, as far as signatures, structs
    /// and the results of methods without twin state it; `None` if they do not.
    fn type_of(&self, place: &Expr) -> Option<&str> {
        match bare(place) {
            Expr::Path(e) => self.locals.type_of(&e.path.get_ident()?.to_string()),
            Expr::Field(e) => self
                .facts
                .field_type(self.type_of(&e.base)?, &member(&e.member)),
            Expr::Reference(e) => self.type_of(&e.expr),
            Expr::Unary(e) => self.type_of(&e.expr),
            // A method call before a field, as in `pos.state().material`, whose result is of one
            // type.
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

    /// Tells whether the type of a variable, a field or an entry is unknown, or only known to be a
    /// pointer such as `Box`, behind which any type may be; `false` for any other expression.
    pub(super) fn is_of_no_type(&self, place: &Expr) -> bool {
        match bare(place) {
            Expr::Index(e) => self.is_of_no_type(&e.expr),
            Expr::Path(_) | Expr::Field(_) => self.type_of(place).is_none_or(is_pointer),
            _ => false,
        }
    }

    /// Refuses a call of a function that the twin cannot call. It is a method of a trait that the
    /// twin's copy of the struct does not implement; or the author leaves it without twin although
    /// a weight is read in it, a value whose type differs in the twin goes in or comes out, or its
    /// struct has a copy in the twin; or no path leads to its twin. `called`: the functions that
    /// the call may mean, of which the first with a reason is told; `passed`: the shape of the
    /// arguments (what in them depends on weights); `at`: what the message underlines.
    pub(super) fn refuse_call(&mut self, at: impl Into<Extent>, called: &[usize], passed: &Shape) {
        if !self.is_checking() {
            return;
        }
        let message = called.iter().find_map(|&f| {
            let (facts, function) = (&self.facts, self.facts.function(f));
            let owner = function.owner.as_deref();
            // The struct whose method it is, if the twin has a copy of that.
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
            // A private module is on the way to the twin; a method is found by its receiver.
            let hidden = facts.hides(self.unit, function.unit)?;
            let is_called = owner.is_none() && facts.has_twin(f);
            is_called.then(|| messages::hidden(name, &hidden))
        });
        if let Some(message) = message {
            self.refuse(at, message);
        }
    }

    /// Notes that the body calls the author's operator for operands of the shapes `left` and
    /// `right` (what in them depends on weights), as `impl Add for Pair`. Does nothing for a sign
    /// that is not in the table `SIGNS`, as a comparison.
    pub(super) fn enter_operator(&mut self, sign: &BinOp, left: &Shape, right: &Shape) {
        let Some(name) = method_of(sign) else { return };
        let functions = &self.facts.functions;
        let mut candidates = match left {
            Shape::Named(_) => self.methods(name, 1, left),
            _ => self.facts.functions_named(name).to_vec(),
        };
        candidates.retain(|&f| {
            // The struct is on the left; or the operator is one of a number, and takes the struct
            // on the right.
            let is_left = matches!(left, Shape::Named(_));
            is_left || functions[f].params.first() == Some(right)
        });
        self.enter(&candidates);
    }

    /// Gives the author's operator of a pair (a struct of scores) and a number a second version in
    /// the twin, which takes a score instead of the number. `left` is the shape of the pair, the
    /// left operand.
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

/// The text of an expression as its author writes it: the text of its tokens has a space at each,
/// of which those at dots, parentheses and the like are removed. With a text in it, whose own
/// spaces would go too, it is left as it is.
fn as_typed(e: &impl ToTokens) -> String {
    let mut text = e.to_token_stream().to_string();
    if text.contains('"') {
        return text;
    }
    for sign in [".", "::", "(", ")", "[", "]", "&", "*"] {
        for spaced in [format!(" {sign} "), format!("{sign} "), format!(" {sign}")] {
            text = text.replace(&spaced, sign);
        }
    }
    text.replace(" ,", ",")
}

/// Whether a type is one of the standard library that holds a value and passes method calls on to
/// it, so that the name of the type does not say which type's method is called.
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

/// Whether the method is that of an operator, as `add` of `a + b`, whose uses in the code are noted
/// as calls of the method. Comparisons, `%`, `&` and the like are not.
pub(crate) fn is_sign(method: &str) -> bool {
    SIGNS.iter().any(|(name, _)| *name == method)
}

/// The name of the method of an operator, as `add` of `+`; `None` for a comparison, `%`, `&` and
/// the like.
fn method_of(operator: &BinOp) -> Option<&'static str> {
    let sign = operator.to_token_stream().to_string();
    let found = SIGNS.iter().find(|(_, known)| *known == sign);
    found.map(|(name, _)| *name)
}
