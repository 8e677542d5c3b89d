//! Calls, method calls and macro calls.

use syn::{AngleBracketedGenericArguments, Expr, ExprCall, ExprMethodCall, GenericArgument, Type};

use super::walk::Walk;
use crate::diagnostics::{Extent, messages};
use crate::infer::edits::Edit;
use crate::infer::methods::{self, Effect};
use crate::model::shape::Shape;
use crate::model::{Function, bare, is_literal, path_names};

impl Walk<'_> {
    /// Walks `f(…)` and returns the shape of the result (what in it depends on weights). `want` is
    /// the shape that is expected.
    ///
    /// What `f` is, is asked in this order: a value that is not a path, the handle of a weight, a
    /// closure in a variable, a constructor of a struct of an annotated module, a function of an
    /// annotated module, a function of the crate without annotation, a function that is not known.
    /// It is a mistake if a score goes into a function that is a value, as the type of the value
    /// says a plain number.
    pub(super) fn call(&mut self, expr: &Expr, e: &ExprCall, want: &Shape) -> Shape {
        let Expr::Path(path) = &*e.func else {
            let shape = self.plain(&e.func);
            for arg in &e.args {
                if self.plain(arg).is_score() {
                    self.refuse(self.extent(arg), messages::function_value());
                }
            }
            return shape;
        };
        let names = path_names(&path.path);
        let Some(name) = names.last().cloned() else {
            return Shape::Plain;
        };
        // The handle of a weight, which replaces a literal in an initialiser.
        if names.first().is_some_and(|n| n == "tuner_core") {
            return Shape::Score;
        }
        let is_variable = self.variable(&name).is_some();
        let found = self.facts.re_exported(self.unit, &names);
        let found = found.filter(|_| !is_variable);
        // The name where it is declared, and the type that stands before it in the path.
        let name = found.map_or(name, |(_, name)| name);
        let before = names.len().checked_sub(2);
        let before = before.and_then(|i| self.type_named(&names[i]).map(str::to_owned));
        // A closure in a variable.
        if names.len() == 1
            && let Some(closure) = self.variable(&name)
        {
            return self.closure_call(e, closure);
        }
        // A constructor, whose arguments are fields by number.
        if let Some(built) = self.type_named(&name).and_then(|name| self.built(name)) {
            for (index, arg) in e.args.iter().enumerate() {
                let field = index.to_string();
                let want = self.field_of(&name, &field).unwrap_or_default();
                let shape = self.expr(arg, &want);
                self.refuse_kept(&name, &field, arg, &shape);
                self.flow_into_field(&name, &field, &shape);
            }
            return built;
        }
        // A function of an annotated module.
        let mut candidates = self.candidates(&names, before.as_deref());
        // `from` of a literal converts a number: functions with an argument of another type are not
        // meant.
        if name == "from" && e.args.first().is_some_and(is_literal) {
            let is_of_number = |&f: &usize| self.facts.functions[f].numbers.first() == Some(&true);
            candidates.retain(is_of_number);
        }
        let at = self.extent(path);
        if !candidates.is_empty() {
            self.rename(&e.func, &candidates);
            // Behind a type, as in `Score::value(s)`, the first argument may be the receiver.
            return self.pass(at, &candidates, e.args.iter(), before.is_some());
        }
        // A function of a struct of which the twin has a copy, in an impl block without annotation.
        if let Some(of) = before.as_deref()
            && let Some(shape) = self.unmarked_member(at, of, &name)
        {
            e.args.iter().for_each(|arg| drop(self.plain(arg)));
            return shape;
        }
        self.unknown_call(expr, e, &name, before.as_deref(), at, want)
    }

    /// Walks the arguments of a call of what the variable with the number `closure` holds, and
    /// returns the shape of the result (what in it depends on weights), which is that of the
    /// variable. If it is a closure whose code was walked, the arguments flow into its parameters.
    /// If not, as for a function that is an argument, a score must not go in: the type of the
    /// variable says a plain number. That is a mistake only in a body that is in the tables.
    fn closure_call(&mut self, e: &ExprCall, closure: usize) -> Shape {
        let params = self.closures.get(&closure).cloned();
        let is_known = params.is_some();
        let params = params.unwrap_or_default();
        for (index, arg) in e.args.iter().enumerate() {
            let shape = self.pass_to_closure(arg, params.get(index).copied().flatten());
            if shape.is_score() && !is_known && self.body.is_some() {
                self.refuse(self.extent(arg), messages::function_value());
                return Shape::Score;
            }
        }
        self.shape_of(closure)
    }

    /// Walks an argument of a call of a closure that a variable holds, lets it flow into the
    /// closure's parameter, and returns its shape (what in it depends on weights). `param`: the
    /// number of the variable that the parameter is; `None` if it is a pattern with several
    /// variables, or the code of the closure is unknown.
    fn pass_to_closure(&mut self, arg: &Expr, param: Option<usize>) -> Shape {
        let want = param.map(|p| self.shape_of(p)).unwrap_or_default();
        let shape = self.expr(arg, &want);
        // Through `&mut place` the closure may store a score in the place.
        if matches!(arg, Expr::Reference(r) if r.mutability.is_some()) {
            self.flow_into(arg, &want);
        }
        if let Some(param) = param {
            self.learn(param, &shape);
        }
        shape
    }

    /// Walks `on.method(…)` and returns the shape of the result (what in it depends on weights).
    /// `want` is the shape that is expected; in the body, `on` is that of the receiver.
    ///
    /// What the method is, is asked in this order: one of a trait that the author implements for
    /// functions, one of an annotated module, one of the crate without twin, one that the crate has
    /// for numbers, a nonlinear one of numbers, a conversion by the author, one of the standard
    /// library.
    pub(super) fn method_call(&mut self, expr: &Expr, e: &ExprMethodCall, want: &Shape) -> Shape {
        let name = e.method.to_string();
        let on = self.expr(&e.receiver, &Shape::Plain);
        if self.is_of_functions(&name, &e.receiver, &on) {
            self.refuse(e.method.span(), messages::function_value());
            return Shape::Score;
        }
        // A method of an annotated module.
        let candidates = self.methods(&name, e.args.len(), &on);
        if !candidates.is_empty() {
            self.refuse_object(e, &name, &candidates);
            self.rename(expr, &candidates);
            let at = e.method.span().into();
            let with_receiver = false;
            return self.pass(at, &candidates, e.args.iter(), with_receiver);
        }
        // A method of the crate that has no twin; its result has the shape that it has in
        // production.
        let without_twin = match &on {
            Shape::Named(owner) => self.unmarked_member(e.method.span().into(), owner, &name),
            Shape::Plain => self.plain_method(e, &name),
            _ => None,
        };
        if let Some(shape) = without_twin {
            e.args.iter().for_each(|arg| drop(self.plain(arg)));
            return shape;
        }
        // A method that the crate has for numbers.
        if on.is_score() && self.is_of_numbers(&name) {
            self.refuse(e.method.span(), messages::number_method(&name));
            return on;
        }
        if let Some(shape) = self.nonlinear_method(expr, e, &on) {
            return shape;
        }
        if name == "into"
            && let Some(shape) = self.converted(None, &on)
        {
            return shape;
        }
        // A conversion by the author into a struct.
        let turbofish = e.turbofish.as_ref().and_then(|of| self.stated_type(of));
        let made = self.made_of(&name, &on, turbofish.as_ref().unwrap_or(want));
        if !made.is_empty() {
            // The receiver is the one argument of the author's function.
            let at = e.method.span().into();
            let with_receiver = true;
            let shape = self.pass(at, &made, std::iter::once(&*e.receiver), with_receiver);
            // A type in the turbofish of `sum`, `product` or `parse` is traced in the twin.
            if name != "into" && self.facts.differs(&shape) {
                self.record(expr, Edit::Type(shape.clone()));
            }
            return shape;
        }
        // No const can convert a traced number, so the body counts as one that computes with
        // scores.
        if on.is_score() && matches!(name.as_str(), "into" | "try_into") {
            self.operates();
        }
        let result = self.library_call(e, &name, &on, want);
        // A type in the turbofish, as in `sum::<i32>()`, is traced in the twin.
        if matches!(name.as_str(), "sum" | "product") && self.facts.differs(&result) {
            self.record(expr, Edit::Type(result.clone()));
        }
        result
    }

    /// Walks the arguments of a method of the standard library, and returns the shape of the call
    /// (what in its value depends on weights). `on` is the shape of the receiver, `want` that which
    /// is expected of the call. In the body, `result` is the shape that the receiver gives,
    /// `passed` that which the arguments bring.
    ///
    /// A value with a score among the arguments is a mistake, told once per call, if the method is
    /// nonlinear, or if it does not take such a value and no closure gives it. What a method does
    /// is known by its name; a method that the crate has without twin takes no score.
    fn library_call(&mut self, e: &ExprMethodCall, name: &str, on: &Shape, want: &Shape) -> Shape {
        let effect = Effect::of(name);
        let mut refused = self.refuse_method(e, name, on, effect);
        let mut result = given(name, e, on, effect);
        let mut passed = Shape::Plain;
        let scans = name == "scan" && matches!(e.args.last(), Some(Expr::Closure(_)));
        for arg in &e.args {
            // By the name, `argument` chooses what closures get, and whether a plain argument
            // becomes a score. Keys of `insert` and lengths of `resize` never do: they get "".
            let shape = self.argument(lifting(name, e, arg), arg, on, &passed, want);
            let is_closure = matches!(arg, Expr::Closure(_));
            let is_taken = effect == Effect::Takes
                && (is_closure || !self.takes_score_without_twin(&e.receiver, name, on));
            if self.facts.differs(&shape) && !refused && !is_taken {
                refused = true;
                if effect == Effect::Nonlinear {
                    self.refuse_use(e.method.span(), methods::not_linear(name));
                } else if is_closure {
                    // What a closure returns, the method with the closure returns too, mostly.
                    result.join(&shape);
                } else {
                    let message = messages::unknown_method(name);
                    self.refuse_passed(self.extent(arg), &shape, name, message);
                }
            }
            if scans {
                passed = shape;
            } else {
                passed.join(&shape);
            }
        }
        // The state that `scan` keeps, the closure's first parameter, is not what it gives.
        let kept = if scans {
            &self.first_parameter
        } else {
            &passed
        };
        // The literal that a `fold`, `scan` or `map_or` begins with becomes a traced number in the
        // twin if what is joined to it is a score.
        self.lift_seed(name, e, &kept.clone());
        // What the call gives: pairs of both; what the arguments bring; both joined. Any other
        // gives what the receiver gives, and may store its arguments there, as `push` does.
        match name {
            "zip" => return Shape::Tuple(vec![on.clone(), passed]),
            "fold" | "try_fold" | "map_or" | "map_or_else" => return passed,
            "map" | "flat_map" | "filter_map" | "then" | "then_some" | "and_then" | "unwrap_or"
            | "unwrap_or_else" | "chain" | "map_while" | "scan" => {
                result.join(&passed);
            }
            _ => self.keep(e, name, on, &passed, refused),
        }
        result
    }

    /// Lets the arguments of a method flow into its receiver, if the method stores them, as in
    /// `list.push(score)`. `passed` and `on` are the shapes of arguments and receiver (what in them
    /// depends on weights). If the call is `refused` already, nothing flows into a container.
    /// `set`, `get_or_init` and the closure of `with` count only if the receiver is a static that
    /// no weight reaches: a score stored there is a mistake, since no derivative follows it.
    fn keep(&mut self, e: &ExprMethodCall, name: &str, on: &Shape, passed: &Shape, refused: bool) {
        match name {
            "extend" | "fill" | "get_or_insert" | "insert" | "or_insert" | "push" | "push_back"
            | "push_front" | "resize"
                if !refused =>
            {
                self.put(&e.receiver, passed);
            }
            "get_or_init" | "set" if *on == Shape::Plain && self.outside(&e.receiver).is_some() => {
                self.put(&e.receiver, passed);
            }
            // The variable of a thread: what the closure's parameter, `cache` in
            // `CACHE.with(|cache| …)`, has become is stored in it.
            "with" | "with_borrow_mut" => {
                let params = self.latest.iter().flatten();
                let shapes = params.map(|&p| self.shape_of(p));
                let put = shapes.fold(Shape::Plain, |a, b| a.joined(&b));
                if *on == Shape::Plain && self.outside(&e.receiver).is_some() {
                    self.put(&e.receiver, &put);
                }
            }
            _ => {}
        }
    }

    /// The shape of a value of the type in a turbofish, as `Struct` in `parse::<Struct>()`; `None`
    /// unless the type is a struct that an annotated module declares.
    fn stated_type(&self, of: &AngleBracketedGenericArguments) -> Option<Shape> {
        let GenericArgument::Type(Type::Path(ty)) = of.args.first()? else {
            return None;
        };
        let name = ty.path.segments.last()?.ident.to_string();
        self.built(self.type_named(&name)?)
    }

    /// The author's functions, by number, by which a method of the standard library makes a struct:
    /// `From<(i32, i32)>` for `into` of a tuple, `Sum<i32>` for `sum` of an iterator, `FromStr` for
    /// `parse` of a text. `on` and `want` are the shapes (what in a value depends on weights) of
    /// the receiver and of what the call is to give. Empty for other methods and types.
    fn made_of(&self, method: &str, on: &Shape, want: &Shape) -> Vec<usize> {
        let functions = &self.facts.functions;
        let named = |name: &str| self.facts.functions_named(name).iter().copied();
        let owner = |f: usize| functions[f].owner.as_deref().unwrap_or_default();
        // Functions called `name` in an impl of the type `of`.
        let of = |name: &str, of: &str| named(name).filter(|&f| owner(f) == of).collect();
        match (method, on, want) {
            ("into", Shape::Tuple(parts), _) => {
                let takes = |f: &usize| matches!(functions[*f].params.first(), Some(Shape::Tuple(taken)) if taken.len() == parts.len());
                named("from").filter(takes).collect()
            }
            ("sum" | "product", Shape::Score, Shape::Named(wanted)) => of(method, wanted),
            // `Sum<Struct>` of a number, where the struct has no sum of its own.
            ("sum" | "product", Shape::Named(summed), _) => {
                let mut of_numbers: Vec<usize> = named(method).collect();
                let has_own = of_numbers.iter().any(|&f| owner(f) == summed);
                of_numbers.retain(|&f| !has_own && self.facts.types.is_number(owner(f)));
                of_numbers
            }
            ("parse", Shape::Plain, Shape::Named(wanted)) => of("from_str", wanted),
            _ => Vec::new(),
        }
    }

    /// Makes the first argument of a `fold`, `try_fold`, `scan` or `map_or` a traced number in the
    /// twin if it is a literal, or a limit such as `i32::MIN`, what is joined to it is a score, and
    /// it is not made one already. Of a tuple that is done part by part. `passed`: the shape of
    /// what is joined (what in it depends on weights).
    fn lift_seed(&mut self, method: &str, e: &ExprMethodCall, passed: &Shape) {
        let has_seed = matches!(method, "fold" | "map_or" | "scan" | "try_fold");
        let seeds: Vec<(&Expr, &Shape)> = match (e.args.first().filter(|_| has_seed), passed) {
            (Some(Expr::Tuple(all)), Shape::Tuple(parts)) => all.elems.iter().zip(parts).collect(),
            (seed, passed) => seed.into_iter().map(|seed| (seed, passed)).collect(),
        };
        for (seed, shape) in seeds {
            let is_seed = is_literal(seed) || self.is_limit(seed);
            if shape.is_score() && is_seed && !self.recorder.is_lifted(seed) {
                self.lift(seed);
            }
        }
    }

    /// Refuses a method of the standard library that has no form for traced numbers, on a receiver
    /// with a score in it. Returns whether the method has none there; so it does too while shapes
    /// still flow and no message is recorded. `on`: the shape of the receiver (what in it depends
    /// on weights); `effect`: what the method does to a score.
    fn refuse_method(
        &mut self,
        e: &ExprMethodCall,
        name: &str,
        on: &Shape,
        effect: Effect,
    ) -> bool {
        // `max` and `min` of an iterator have no arguments, those of a number have one. Only the
        // latter have a form for traced numbers, in functions that are marked `nonlinear`.
        let is_extreme = matches!(name, "max" | "min") && e.args.is_empty();
        if self.is_nonlinear() && on.is_score() && is_extreme {
            self.refuse(e.method.span(), messages::extreme(name));
        } else if self.facts.differs(on) && effect == Effect::Nonlinear {
            self.refuse_use(e.method.span(), methods::not_linear(name));
        } else if on.is_score() && effect == Effect::OperatorForm {
            self.refuse(e.method.span(), messages::operator_form(name));
        } else if self.facts.differs(on) && methods::is_of_bytes(name) {
            self.refuse(e.method.span(), messages::bytes(name));
        } else if on.is_score() && name == "to_string" {
            self.refuse(e.method.span(), messages::format());
        } else {
            return false;
        }
        true
    }

    /// Refuses a method call that leads to production's method from the twin: the receiver is of a
    /// type parameter and the method has another name in the twin, or the receiver may be behind
    /// `dyn Trait` and the method reads a weight. `candidates`: the functions, by number, that the
    /// call may mean; one for which it is so is enough.
    fn refuse_object(&mut self, e: &ExprMethodCall, name: &str, candidates: &[usize]) {
        if !self.is_checking() {
            return;
        }
        let is_generic = match bare(&e.receiver) {
            Expr::Path(e) => self.generic.iter().any(|generic| e.path.is_ident(generic)),
            _ => false,
        };
        let message = if is_generic && candidates.iter().any(|&f| self.facts.is_renamed(f)) {
            Some(messages::through_parameter(name))
        } else if self.is_of_no_type(&e.receiver) {
            self.facts.read_through_object(name, candidates)
        } else {
            None
        };
        if let Some(message) = message {
            self.refuse(e.method.span(), message);
        }
    }

    /// Walks an argument of a method that no annotated module defines, and returns its shape (what
    /// in it depends on weights); that of a closure or a function is that of what it returns.
    ///
    /// `method`: the name of the method, or "" for an argument that cannot become a score. `on`:
    /// the shape of the receiver, whose elements a closure gets. `passed`: the shape of the
    /// arguments before, which closures of some methods get instead. `want`: the shape that is
    /// expected of the call.
    fn argument(
        &mut self,
        method: &str,
        arg: &Expr,
        on: &Shape,
        passed: &Shape,
        want: &Shape,
    ) -> Shape {
        if let Expr::Closure(closure) = arg {
            // The shapes of the first parameter and of what the closure is to return.
            let (first, wanted) = match method {
                "fold" => (passed, passed),
                "map_or" => (on, passed),
                "map_or_else" | "scan" => (passed, &Shape::Plain),
                _ => (on, &Shape::Plain),
            };
            return self.closure(arg, closure, &[first.clone(), on.clone()], wanted);
        }
        if let Some(shape) = self.function_argument(method, arg, on, passed) {
            return shape;
        }
        // A plain argument becomes a score if the call is to give one, or the receiver holds
        // scores.
        let wants_score = match method {
            "fold" | "map_or" => want.is_score(),
            "fill" | "get_or_insert" | "insert" | "or_insert" | "push" | "push_back"
            | "push_front" | "resize" | "unwrap_or" => want.is_score() || on.is_score(),
            _ => false,
        };
        let wanted = if wants_score {
            Shape::Score
        } else {
            Shape::Plain
        };
        self.expr(arg, &wanted)
    }

    /// Lets the arguments of a call flow into the parameters of the functions that it may mean,
    /// `candidates`, and returns the shape of the call (what in its value depends on weights).
    /// `at`: what a message underlines; `with_receiver`: the first argument may be the receiver, as
    /// in calls by a path.
    ///
    /// A struct does not flow into a parameter that is declared a number. If the result of the
    /// functions is of a type parameter, the call gives a number that no weight reaches, unless an
    /// argument of a type parameter is traced.
    fn pass<'e>(
        &mut self,
        at: Extent,
        candidates: &[usize],
        args: impl ExactSizeIterator<Item = &'e Expr>,
        with_receiver: bool,
    ) -> Shape {
        let given = args.len();
        self.enter(candidates);
        let mut passed = Shape::Plain;
        let own_types = self.has_types_of_calls(candidates);
        // Arguments whose type is a type parameter: the name of that, the argument, its shape.
        let mut of_types = Vec::new();
        for (index, arg) in args.enumerate() {
            // The parameters that the argument may become: number of the function, position without
            // `self`.
            let params = candidates.iter().filter_map(|&f| {
                let count = self.facts.bodies[f].params.len();
                let skipped = usize::from(with_receiver && given == count + 1);
                Some((f, index.checked_sub(skipped)?))
            });
            let params: Vec<(usize, usize)> = params.collect();
            let shapes = params.iter();
            let shapes = shapes.filter_map(|&(f, at)| self.facts.bodies[f].params.get(at));
            let mut want = shapes.fold(Shape::Plain, Shape::joined);
            let of_type = params.first().filter(|_| own_types);
            let of_type = of_type.and_then(|&(f, at)| self.facts.function(f).generic[at].clone());
            // What other calls pass for a type parameter says nothing of this argument.
            if of_type.is_some() {
                want = Shape::Plain;
            }
            let shape = match arg {
                Expr::Closure(e) => self.closure(arg, e, &[], &want),
                arg => self.expr(arg, &want),
            };
            of_types.extend(of_type.map(|of| (of, arg, shape.clone())));
            // Through `&mut place` the function may store a score in the place.
            if matches!(arg, Expr::Reference(r) if r.mutability.is_some()) {
                self.flow_into(arg, &want);
            }
            passed.join(&shape);
            for (f, position) in params {
                let is_number = self.facts.function(f).numbers.get(position) == Some(&true);
                if !(is_number && matches!(shape, Shape::Named(_))) {
                    self.learn_param(f, position, &shape);
                }
            }
        }
        self.refuse_call(at, candidates, &passed);
        // All arguments whose type is one type parameter are traced if one of them is. If no
        // argument is traced, the result is not traced either.
        let mut is_plain = own_types;
        for (of, arg, shape) in &of_types {
            let mut others = of_types.iter().filter(|(other, ..)| other == of);
            let differs = others.any(|(_, _, other)| self.facts.differs(other));
            is_plain &= !differs;
            if differs && *shape == Shape::Plain && !self.makes_container(arg) {
                self.lift(arg);
            }
        }
        if is_plain {
            Shape::Plain
        } else {
            self.returned_by(candidates)
        }
    }

    /// Whether what each of these functions returns is of a type parameter that an argument has as
    /// well, so that each call says by its arguments what it returns.
    fn has_types_of_calls(&self, candidates: &[usize]) -> bool {
        let mut functions = candidates.iter().map(|&f| self.facts.function(f));
        functions.all(|function| {
            // The type parameters of the arguments, and last of the result.
            let Some((Some(last), arguments)) = function.generic.split_last() else {
                return false;
            };
            arguments.iter().flatten().any(|name| name == last)
        })
    }

    /// Notes that the walked body calls these functions, given by number: each gets the body as a
    /// caller, and if one of them computes with traced numbers, so does the body.
    pub(super) fn enter(&mut self, candidates: &[usize]) {
        if candidates.iter().any(|&f| self.facts.bodies[f].arithmetic) {
            self.operates();
        }
        let caller = self.body;
        if let Some(facts) = self.facts.learning() {
            for &f in candidates {
                facts.bodies[f].callers.insert(caller);
            }
        }
    }

    /// The shape (what in a value depends on weights) of what these functions return, as far as is
    /// known; that of several functions is joined, so that it has a score if one of them gives one.
    pub(super) fn returned_by(&self, candidates: &[usize]) -> Shape {
        let returned = candidates.iter().map(|&f| &self.facts.bodies[f].returned);
        returned.fold(Shape::Plain, Shape::joined)
    }

    /// Records that the function at the node `called` of the syntax tree has another name in the
    /// twin, if that is so for one of `candidates`, the functions that the call may mean.
    pub(super) fn rename(&mut self, called: &Expr, candidates: &[usize]) {
        if candidates.iter().any(|&f| self.facts.is_renamed(f)) {
            self.record(called, Edit::Rename);
        }
    }

    /// Widens the shape of a parameter (what in it depends on weights) by that of an argument.
    /// `function`: the number of the function's body; `position`: that of the parameter, without
    /// `self`. Does nothing once all shapes are known.
    pub(super) fn learn_param(&mut self, function: usize, position: usize, shape: &Shape) {
        if let Some(facts) = self.facts.learning()
            && let Some(param) = facts.bodies[function].params.get_mut(position)
        {
            self.changed |= param.join(shape);
        }
    }

    /// The functions of annotated modules, by number, that a call by the path `path` can mean. `of`
    /// is the name before the last: if it begins with a capital letter it is a type, and the
    /// functions are its own. Else it is the free function to which the path leads, or, where that
    /// is not known, any free one of the name, unless an import brings the name from another crate.
    pub(super) fn candidates(&self, path: &[String], of: Option<&str>) -> Vec<usize> {
        let (facts, module) = (&self.facts, self.facts.place(self.unit));
        let Some(name) = path.last() else {
            return Vec::new();
        };
        let functions = &facts.functions;
        let with = |name: &str, keep: &dyn Fn(&Function) -> bool| {
            let named = facts.functions_named(name).iter().copied();
            named.filter(|&f| keep(&functions[f])).collect()
        };
        if of.is_some_and(|of| of.starts_with(char::is_uppercase)) {
            return with(name, &|f| f.owner.as_deref() == of);
        }
        if let Some((module, name)) = facts.item_behind(facts.units[self.unit].place, path) {
            let is_there = |f: &Function| facts.units[f.unit].place == module;
            return with(&name, &|f| f.owner.is_none() && is_there(f));
        }
        let import = module.import(name).filter(|_| path.len() == 1);
        let is_foreign = import.is_some_and(|path| !module.is_inside(path));
        with(name, &|f| f.owner.is_none() && !is_foreign)
    }

    /// Whether a method that is called on a score may be one that the crate has for numbers, so
    /// that the number of the twin (`Tr` of `tuner_core::trace`) does not have it: a method of a
    /// trait that the author implements for numbers, arrays or all types, or of a generic
    /// container. A container of scores counts as a score here, and the twin shares the type of a
    /// generic container with production, whose methods are for production's numbers.
    fn is_of_numbers(&self, name: &str) -> bool {
        let mut named = self.facts.functions_named(name).iter();
        named.any(|&f| {
            let function = &self.facts.functions[f];
            let owner = function.owner.as_deref();
            // An array such as `[i32; 8]` has no name: the owner of its impl is its text.
            let is_number = |of: &str| self.facts.types.is_number(of) || of.starts_with('[');
            let of_container = |of: &str| self.facts.types.generic.iter().any(|g| g == of);
            // `impl<T: Bound> Trait for T`: the number of the twin has few traits; without `Bound`
            // it does not have that impl. A type parameter is told by its one letter.
            let is_parameter = |of: &str| of.len() == 1 && !self.facts.declares(of);
            let is_one = |of: &str| is_number(of) || is_parameter(of);
            owner.is_some_and(|of| function.of_trait.is_some() && is_one(of) || of_container(of))
        })
    }

    /// Whether a method is one of a trait that the author implements for functions, as by
    /// `impl<F: Fn(…) -> i32> Trait for F`, and is called on a function or a closure that gives a
    /// score. The twin of that function gives a traced number, for which there is no impl. `on` is
    /// the shape of the receiver (what in its value depends on weights; for a closure, in what it
    /// returns).
    fn is_of_functions(&self, name: &str, receiver: &Expr, on: &Shape) -> bool {
        let gives = match bare(receiver) {
            Expr::Closure(_) => self.facts.differs(on),
            Expr::Path(path) if *on == Shape::Plain => {
                let functions = self.candidates(&path_names(&path.path), None);
                self.facts.differs(&self.returned_by(&functions))
            }
            _ => false,
        };
        // The impl is for a name that the crate does not declare, such as a type parameter.
        let is_of_parameter = |&f: &usize| {
            let function = &self.facts.functions[f];
            let owner = function.owner.as_deref();
            function.of_trait.is_some() && owner.is_some_and(|of| !self.facts.declares(of))
        };
        gives && self.facts.functions_named(name).iter().any(is_of_parameter)
    }

    /// The functions of annotated modules, by number, that a call of the method `name` can mean.
    /// `arguments`: how many arguments the call has beside `self`. `on`: the shape of the receiver
    /// (what in it depends on weights). If that is a struct, they are the struct's; if no type is
    /// known, those of all types of which the twin has no copy. For numbers and tuples there are
    /// none.
    pub(super) fn methods(&self, name: &str, arguments: usize, on: &Shape) -> Vec<usize> {
        let functions = &self.facts.functions;
        let named = self.facts.functions_named(name).iter().copied();
        let is_meant = |&f: &usize| {
            let owner = functions[f].owner.as_deref();
            functions[f].params.len() == arguments
                && owner.is_some_and(|owner| match on {
                    Shape::Named(on) => owner == on,
                    Shape::Score | Shape::Tuple(_) => false,
                    // A receiver of unknown type has production's type in the twin.
                    Shape::Plain | Shape::Never => !self.facts.is_copied(owner),
                })
        };
        let mut meant: Vec<usize> = named.filter(is_meant).collect();
        // If the author has a method `add`, `trace.add(…)` of an unknown type is not the operator
        // `+`.
        let is_method = |f: &usize| !functions[*f].operator;
        if matches!(on, Shape::Plain | Shape::Never) && meant.iter().any(is_method) {
            meant.retain(is_method);
        }
        meant
    }
}

/// The shape (what in a value depends on weights) that a method of the standard library gives by
/// its receiver alone. `on` is the shape of the receiver, `effect` what the method does to a score.
/// The caller adds what the arguments bring.
fn given(name: &str, e: &ExprMethodCall, on: &Shape, effect: Effect) -> Shape {
    let is_pair = matches!(on, Shape::Tuple(parts) if parts.len() == 2);
    match name {
        _ if effect == Effect::Forgets || methods::is_of_bytes(name) => Shape::Plain,
        "enumerate" => Shape::Tuple(vec![Shape::Plain, on.clone()]),
        // A map is a container of pairs. These methods give the values, the second parts.
        "entry" | "into_values" | "values" | "values_mut" if is_pair => on.component(1),
        "get" | "get_mut" | "remove"
            if is_pair && matches!(e.args.first(), Some(Expr::Reference(_))) =>
        {
            on.component(1)
        }
        // Two containers of what is in the receiver.
        "partition" if *on != Shape::Plain => Shape::Tuple(vec![on.clone(); 2]),
        // These give what their closures return, which the caller adds, not what the receiver
        // holds.
        "map" | "flat_map" | "filter_map" | "then" | "and_then" | "map_while" | "scan" => {
            Shape::Plain
        }
        _ => on.clone(),
    }
}

/// The name of the method if its argument `arg` may become a score; "" if the argument is the key
/// of an `insert` or the length of a `resize`, which does not.
fn lifting<'n>(method: &'n str, e: &ExprMethodCall, arg: &Expr) -> &'n str {
    let is_last = e.args.last().is_some_and(|last| std::ptr::eq(last, arg));
    if matches!(method, "insert" | "resize") && !is_last {
        return "";
    }
    method
}
