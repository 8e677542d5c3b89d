//! Calls of what no unit defines, and functions passed by name.

use syn::{Expr, ExprCall};
use tuner_source::is_plain;

use super::walk::Walk;
use crate::diagnostics::{Extent, messages};
use crate::infer::edits::Edit;
use crate::infer::methods::{self, Effect};
use crate::model::shape::Shape;
use crate::model::{is_literal, path_names};

/// Types of the standard library whose constructors hold any value.
const HOLDERS: [&str; 5] = ["Arc", "Box", "Cell", "Rc", "RefCell"];

/// Most structs that are followed, each in a field of the one before: more are taken for a circle.
/// Chosen, and more than any table needs.
const DEEPEST: usize = 32;

impl Walk<'_> {
    /// Makes every signed number in a struct a score, also in the structs that it holds, down to
    /// `deepest` levels, since structs may hold each other in a circle. `shape` is that of a value
    /// (what in it depends on weights); if it is not a struct, nothing is done.
    fn fill(&mut self, shape: &Shape, deepest: usize) {
        let Shape::Named(name) = shape else { return };
        let Some(index) = self.facts.structure(name).filter(|_| deepest > 0) else {
            return;
        };
        let declared = &self.facts.structs[index];
        let fields = declared.fields.iter().zip(&declared.numbers);
        // Of each field its name and shape by its type, and whether the type is a number.
        let fields = fields.map(|(field, &number)| (field.clone(), number));
        let fields: Vec<_> = fields.collect();
        for ((field, shape), is_number) in fields {
            if is_number {
                self.flow_into_field(name, &field, &Shape::Score);
            } else {
                self.fill(&shape, deepest - 1);
            }
        }
    }

    /// Walks a call of a function that no annotated module defines and returns its shape (what in
    /// its value depends on weights). `name` is the function, `of` the type before it in the path,
    /// `at` what a message underlines, `want` the shape that is expected of the call.
    ///
    /// What functions of the standard library do is known by their names. Any other call with a
    /// score in an argument is refused, but not in an initialiser, which `Check::constant` judges.
    pub(super) fn unknown_call(
        &mut self,
        expr: &Expr,
        e: &ExprCall,
        name: &str,
        of: Option<&str>,
        at: Extent,
        want: &Shape,
    ) -> Shape {
        let effect = Effect::of(name);
        // `Some(score)` and the like: what goes in comes out, or stays in the arguments.
        let is_transparent = effect == Effect::Passes || matches!(name, "replace" | "swap" | "zip");
        // What the whole call is to give, an entry of a table.
        let entry = want;
        // A score is expected of the argument of `Some(0)` if it is expected of the call.
        let want = if matches!(name, "Some" | "Ok" | "Break" | "black_box")
            || name == "Err" && e.args.first().is_some_and(is_literal)
        {
            want
        } else {
            &Shape::Plain
        };
        let shapes = e.args.iter().map(|arg| match arg {
            Expr::Closure(e) => self.closure(arg, e, &[], &Shape::Plain),
            arg => self.expr(arg, want),
        });
        let shapes: Vec<Shape> = shapes.collect();
        let joined = shapes.iter().fold(Shape::Plain, Shape::joined);
        if name == "transmute" && joined.is_score() {
            // `transmute` of a list of weights to structs: all numbers in them are scores.
            if self.initialiser {
                self.fill(entry, DEEPEST);
                return entry.clone();
            }
            self.refuse(at, messages::bytes(name));
            return Shape::Score;
        }
        if !self.facts.differs(&joined) {
            // No score goes in. A derived `default` gives the struct; one that the author writes
            // was looked up before.
            let of = of.filter(|_| name == "default");
            let built = of.and_then(|of| self.built(of));
            return built.unwrap_or(if is_transparent { joined } else { Shape::Plain });
        }
        // From here on the type of some argument differs in the twin.
        if let Some(shape) = self.number_call(expr, e, name, of, at, &shapes) {
            return shape;
        }
        // All other calls are refused, but for those that pass the score on or hold it.
        if matches!(name, "from" | "try_from") && of.is_some_and(is_plain) {
            self.refuse_use(at, messages::unsigned());
        } else if effect == Effect::Nonlinear {
            self.refuse_use(at, methods::not_linear(name));
        } else if effect == Effect::OperatorForm {
            self.refuse(at, messages::operator_form(name));
        } else if is_transparent || of.is_some_and(|of| self.holds_any(of)) {
            // A type that is stated, as in `Ok::<i32, String>(score)`, is traced in the twin.
            if matches!(name, "Err" | "Ok" | "Some") {
                self.record(expr, Edit::Type(joined.clone()));
            }
        } else if name.starts_with(char::is_uppercase) {
            // A constructor of a type without twin; `Check::constant` refuses it in an initialiser.
            let of = self.type_named(name);
            let is_container = self.facts.types.generic.iter().any(|g| Some(&**g) == of);
            for (index, (arg, shape)) in e.args.iter().zip(&shapes).enumerate() {
                self.refuse_kept(name, &index.to_string(), arg, shape);
            }
            if !self.initialiser && !is_container {
                self.refuse(at, messages::unknown_type(name));
            }
        } else if !self.initialiser {
            let spelt = of.map_or_else(|| name.to_owned(), |of| format!("{of}::{name}"));
            self.refuse_passed(at, &joined, name, messages::unknown_function(&spelt));
            // A struct that is more than its scores, as a board, went in: the result is not taken
            // for a score.
            if matches!(&joined, Shape::Named(of) if self.facts.why_twinned(of).is_some()) {
                return Shape::Plain;
            }
        }
        joined
    }

    /// Makes a call of a function of numbers, into which a score or a struct of scores goes, one of
    /// traced numbers in the twin, and returns the shape of its result (what in it depends on
    /// weights). It is `i32::from` or `i16::try_from` of a score, `i32::from` of a struct by an
    /// impl of the author, or `i32::max(score, 0)` and the like where the twin has such a function;
    /// `None` for any other call. `name` is the function, `of` the type before it in the path, `at`
    /// what a message underlines, `shapes` those of the arguments.
    fn number_call(
        &mut self,
        expr: &Expr,
        e: &ExprCall,
        name: &str,
        of: Option<&str>,
        at: Extent,
        shapes: &[Shape],
    ) -> Option<Shape> {
        let joined = shapes.iter().fold(Shape::Plain, Shape::joined);
        let of_number = of.is_some_and(|of| self.facts.types.is_number(of));
        if of_number && joined.is_score() && matches!(name, "from" | "try_from") {
            self.convert(expr, &e.func, name, at);
            return Some(Shape::Score);
        }
        if of_number
            && name == "from"
            && let Some(shape) = self.number_from(&e.func, of, &joined)
        {
            return Some(shape);
        }
        if let Expr::Path(path) = &*e.func
            && self.is_nonlinear_call(&path.path, name, e.args.len())
            && matches!(joined, Shape::Score)
        {
            // The body computes with traced numbers, so its twin is not a const fn.
            self.operates();
            self.record(&*e.func, Edit::function(name, at, None));
            let operands: Vec<_> = e.args.iter().zip(shapes.iter().cloned()).collect();
            return Some(self.function_of(name, &operands, at));
        }
        None
    }

    /// The shape (what in a value depends on weights) that a function returns which is passed by
    /// its name as an argument of `method`, as in `.map(value)`. `on` is the shape of the elements
    /// that it gets, `passed` that of the sum so far, the first argument in a `fold`. `None` if the
    /// argument is not a path to a function that is known.
    pub(super) fn function_argument(
        &mut self,
        method: &str,
        arg: &Expr,
        on: &Shape,
        passed: &Shape,
    ) -> Option<Shape> {
        let Expr::Path(path) = arg else { return None };
        let at = self.extent(arg);
        let names = path_names(&path.path);
        let name = names.last()?;
        let of = names.len().checked_sub(2).map(|i| names[i].as_str());
        // What a variable holds is walked as any other argument.
        if of.is_none() && self.variable(name).is_some() {
            return None;
        }
        // `i32::MAX` and the like are values, not functions.
        if self.is_limit(arg) {
            return None;
        }
        // How many arguments the function gets.
        let given = 1 + usize::from(matches!(method, "fold" | "reduce"));
        if on.is_score() && self.is_nonlinear_call(&path.path, name, given) {
            // The body computes with traced numbers, so its twin is not a const fn.
            self.operates();
            self.record(arg, Edit::function(name, at, None));
            return Some(self.function_of(name, &[], at));
        }
        if on.is_score() && of.is_some_and(|of| self.facts.types.is_number(of)) {
            // A function of a type of numbers, as `i64::from`.
            match Effect::of(name) {
                Effect::Nonlinear => self.refuse_use(at, methods::not_linear(name)),
                Effect::OperatorForm => self.refuse(at, messages::operator_form(name)),
                _ if matches!(name.as_str(), "from" | "try_from") => {
                    self.convert(arg, arg, name, at);
                }
                _ => {}
            }
            return Some(Shape::Score);
        }
        if name == "from"
            && let Some(shape) = self.number_from(arg, of, on)
        {
            return Some(shape);
        }
        let of = of.and_then(|of| self.type_named(of));
        let candidates = self.candidates(&names, of);
        if candidates.is_empty() {
            return None;
        }
        let first = if method == "fold" { passed } else { on };
        let given = [first.clone(), on.clone()];
        // A free function gets the shapes of its arguments, of which it may have one alone; a
        // method has them from its type.
        for &f in &candidates {
            if self.facts.functions[f].owner.is_none() {
                for (position, shape) in given.iter().enumerate() {
                    self.learn_param(f, position, shape);
                }
            }
        }
        self.rename(arg, &candidates);
        self.enter(&candidates);
        Some(self.returned_by(&candidates))
    }

    /// Whether a type holds values of any type, scores too: a container of the standard library, or
    /// a generic struct of an annotated module.
    fn holds_any(&self, of: &str) -> bool {
        HOLDERS.contains(&of) || self.facts.types.generic.iter().any(|generic| generic == of)
    }

    /// Records the conversion of a score by the path `function`. With `i32::from` the whole,
    /// `expr`, becomes a cast of traced numbers in the twin; with `i16::try_from` only the path
    /// becomes that of the twin's number. `name` is the last name of the path, `at` what a message
    /// underlines. The body counts as one that computes with traced numbers, as no const can
    /// convert them.
    fn convert(&mut self, expr: &Expr, function: &Expr, name: &str, at: Extent) {
        self.operates();
        if name == "from" {
            self.record(expr, Edit::Cast(at.start));
        } else {
            self.record(function, Edit::TracedType);
        }
    }

    /// The shape (what in a value depends on weights) that `i32::from` gives for a struct of shape
    /// `on` by the author's `impl From<Struct> for i32`; `None` without such an impl. Records that
    /// the path, `function`, is of the twin's number then. `of` is the type before `from`.
    fn number_from(&mut self, function: &Expr, of: Option<&str>, on: &Shape) -> Option<Shape> {
        let shape = self.converted(of, on)?;
        self.record(function, Edit::TracedType);
        Some(shape)
    }

    /// The shape (what in a value depends on weights) of the number that the author's `impl
    /// From<Struct> for NUMBER` makes of a struct of shape `on`. `number` is the type of the
    /// number; without it an impl for any type of numbers counts, or, if there is none, one for a
    /// tuple. `None` if there is no such impl, or `on` is not a struct.
    pub(super) fn converted(&mut self, number: Option<&str>, on: &Shape) -> Option<Shape> {
        let functions = &self.facts.functions;
        let named = self.facts.functions_named("from").iter().copied();
        let is_struct = matches!(on, Shape::Named(_));
        let of_struct = named.filter(|&f| is_struct && functions[f].params.first() == Some(on));
        let of_struct: Vec<usize> = of_struct.collect();
        // Of the impls for this struct, those for a type that is meant.
        let into = |is_meant: &dyn Fn(&str) -> bool| -> Vec<usize> {
            let all = of_struct.iter().copied();
            all.filter(|&f| functions[f].owner.as_deref().is_some_and(is_meant))
                .collect()
        };
        let mut candidates = into(&|owner| match number {
            Some(number) => owner == number,
            None => self.facts.types.is_number(owner),
        });
        if number.is_none() && candidates.is_empty() {
            candidates = into(&|owner| owner.starts_with('('));
        }
        if candidates.is_empty() {
            return None;
        }
        self.enter(&candidates);
        Some(self.returned_by(&candidates))
    }
}
