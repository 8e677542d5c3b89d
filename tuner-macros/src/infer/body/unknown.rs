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

/// How deep structs may hold structs: more is a circle.
const DEEPEST: usize = 32;

impl Walk<'_> {
    /// Makes every number of a struct a score, also in the structs that it holds, down to `deepest`
    /// levels. Nothing is done for other shapes.
    fn fill(&mut self, shape: &Shape, deepest: usize) {
        let Shape::Named(name) = shape else { return };
        let Some(index) = self.facts.structure(name).filter(|_| deepest > 0) else {
            return;
        };
        let declared = &self.facts.structs[index];
        let fields = declared.fields.iter().zip(&declared.numbers);
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

    /// Walks a call of a function that is not in the crate, `name` of the type `of` before it, and
    /// returns its shape. What the standard library's functions do is known; any other is refused
    /// where an argument holds a score, but not in an initialiser, which `Check::constant` judges.
    /// `want` is what is expected of the call.
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
        // What goes in comes out, or stays in the arguments.
        let is_transparent = effect == Effect::Passes || matches!(name, "replace" | "swap" | "zip");
        let entry = want;
        // `Some(0)` where a score may come out.
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
        let of_number = of.is_some_and(|of| self.facts.types.is_number(of));
        if name == "transmute" && joined.is_score() {
            // The numbers in a list get the layout of structs.
            if self.initialiser {
                self.fill(entry, DEEPEST);
                return entry.clone();
            }
            self.refuse(at, messages::bytes(name));
            return Shape::Score;
        }
        if !self.facts.differs(&joined) {
            // A derived `default`; the author's own was looked up before.
            let of = of.filter(|_| name == "default");
            let built = of.and_then(|of| self.built(of));
            return built.unwrap_or(if is_transparent { joined } else { Shape::Plain });
        }
        // From here on the type of some argument differs in the twin.
        if of_number && joined.is_score() && matches!(name, "from" | "try_from") {
            self.convert(expr, &e.func, name, at);
            return Shape::Score;
        }
        if of_number
            && name == "from"
            && let Some(shape) = self.number_from(&e.func, of, &joined)
        {
            return shape;
        }
        if let Expr::Path(path) = &*e.func
            && self.is_nonlinear_call(&path.path, name, e.args.len())
            && matches!(joined, Shape::Score)
        {
            self.operates();
            self.record(&*e.func, Edit::function(name, at, None));
            let operands: Vec<_> = e.args.iter().zip(shapes).collect();
            return self.function_of(name, &operands, at);
        }
        if matches!(name, "from" | "try_from") && of.is_some_and(is_plain) {
            self.refuse_use(at, messages::unsigned());
        } else if effect == Effect::Nonlinear {
            self.refuse_use(at, methods::not_linear(name));
        } else if effect == Effect::OperatorForm {
            self.refuse(at, messages::operator_form(name));
        } else if is_transparent || of.is_some_and(|of| self.holds_any(of)) {
            if matches!(name, "Err" | "Ok" | "Some") {
                self.record(expr, Edit::Type(joined.clone()));
            }
        } else if name.starts_with(char::is_uppercase) {
            // In the initialiser of a weight `Check::constant` refuses what is unknown.
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
            // A value that is computed from a board does not become a score by that.
            if matches!(&joined, Shape::Named(of) if self.facts.why_twinned(of).is_some()) {
                return Shape::Plain;
            }
        }
        joined
    }

    /// A function by name as an argument of `method`, `.map(value)`: the shape that it returns for
    /// elements of shape `on`, of which `passed` is the sum so far in a `fold`. `None` if the
    /// argument is no function that is known.
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
        if of.is_none() && self.variable(name).is_some() {
            return None;
        }
        if self.is_limit(arg) {
            return None;
        }
        let given = 1 + usize::from(matches!(method, "fold" | "reduce"));
        if on.is_score() && self.is_nonlinear_call(&path.path, name, given) {
            self.operates();
            self.record(arg, Edit::function(name, at, None));
            return Some(self.function_of(name, &[], at));
        }
        if on.is_score() && of.is_some_and(|of| self.facts.types.is_number(of)) {
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
        for &f in &candidates {
            if self.facts.functions[f].owner.is_none() {
                for (position, shape) in given.iter().enumerate() {
                    self.learn_param(f, position, shape);
                }
            }
        }
        self.rename(arg, &candidates);
        Some(self.returned_by(&candidates))
    }

    /// Whether a type holds whatever it is given, scores as well.
    fn holds_any(&self, of: &str) -> bool {
        HOLDERS.contains(&of) || self.facts.types.generic.iter().any(|generic| generic == of)
    }

    /// Records the conversion of a score by path: with `i32::from`, `expr` becomes a cast of traced
    /// numbers; with `i16::try_from` only the path, `function`, becomes that of the twin's number.
    fn convert(&mut self, expr: &Expr, function: &Expr, name: &str, at: Extent) {
        self.operates();
        if name == "from" {
            self.record(expr, Edit::Cast(at.start));
        } else {
            self.record(function, Edit::TracedType);
        }
    }

    /// The shape that `i32::from` gives of a struct of shape `on`, by the author's
    /// `impl From<Struct> for i32`, and records at the path, `function`, that it is of the twin's
    /// number. `None` without such an impl; `of` is the type before `from`.
    fn number_from(&mut self, function: &Expr, of: Option<&str>, on: &Shape) -> Option<Shape> {
        let shape = self.converted(of, on)?;
        self.record(function, Edit::TracedType);
        Some(shape)
    }

    /// The shape of a number that the author's `impl From<Struct> for NUMBER` makes of a struct, of
    /// shape `on`. Without `number` that of any such impl, or of one for a tuple if there is no
    /// other. `None` if there is no impl, or `on` is no struct.
    pub(super) fn converted(&mut self, number: Option<&str>, on: &Shape) -> Option<Shape> {
        let functions = &self.facts.functions;
        let named = self.facts.functions_named("from").iter().copied();
        let is_struct = matches!(on, Shape::Named(_));
        let of_struct = named.filter(|&f| is_struct && functions[f].params.first() == Some(on));
        let of_struct: Vec<usize> = of_struct.collect();
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
