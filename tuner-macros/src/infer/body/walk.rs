//! The state of a walk, its functions and its blocks.

use std::collections::HashMap;
use std::ops::Deref;

use quote::ToTokens;
use syn::{
    Attribute, Block, Expr, FnArg, Item, ItemConst, ItemStatic, ReturnType, Signature, Stmt,
};
use tuner_source::{Locals, functions};

use super::{BodyRef, Code};
use crate::diagnostics::messages::{self, NotLinear};
use crate::diagnostics::{Diagnostic, Extent, Message};
use crate::infer::edits::{Edit, Recorder};
use crate::infer::{Body, Facts};
use crate::model::arguments::Mode;
use crate::model::shape::Shape;
use crate::model::{conditions, escapes, has_attribute, names_of};

/// The tables that a walk reads, and, while shapes flow, also widens.
pub(super) enum Access<'f> {
    Learning(&'f mut Facts),
    Settled(&'f Facts),
}

impl Access<'_> {
    /// The tables, to be widened while shapes (what in a value depends on weights) still flow;
    /// `None` once all shapes are known, when the tables are only read.
    pub(super) fn learning(&mut self) -> Option<&mut Facts> {
        match self {
            Self::Learning(facts) => Some(facts),
            Self::Settled(_) => None,
        }
    }
}

impl Deref for Access<'_> {
    type Target = Facts;

    /// Leads to the tables, which a walk may read in both cases.
    fn deref(&self) -> &Facts {
        match self {
            Self::Learning(facts) => facts,
            Self::Settled(facts) => facts,
        }
    }
}

/// The walk over one body: where it is, what is in scope there, and what it has found.
pub(super) struct Walk<'f> {
    pub(super) facts: Access<'f>,
    /// The number of the unit, the annotated module, of the body.
    pub(super) unit: usize,
    /// The number of the body that is walked; `None` for code without an entry in the tables.
    pub(super) body: Option<usize>,
    /// The type of the impl block around, if any.
    pub(super) owner: Option<String>,
    pub(super) mode: Mode,
    /// Variables in scope, by blocks, the innermost last: name and number.
    pub(super) scopes: Vec<Vec<(String, usize)>>,
    /// The number of the next variable: they are counted in the order in which they are met.
    pub(super) next_variable: usize,
    /// The types of variables, as far as the code states them.
    pub(super) locals: Locals,
    /// The names of arguments whose type is a type parameter.
    pub(super) generic: Vec<String>,
    /// The shape of what `return` gives: of the function, then of each closure around.
    pub(super) returned: Vec<Shape>,
    /// The loops and labelled blocks around, each with the shape that `break` gives.
    pub(super) broken: Vec<Breakable>,
    /// By the number of a variable that holds a closure: the variables of the closure's parameters;
    /// `None` for a pattern.
    pub(super) closures: HashMap<usize, Vec<Option<usize>>>,
    /// The variables of the parameters of the closure that was walked last; `None` for a pattern.
    pub(super) latest: Vec<Option<usize>>,
    /// The shape (what in it depends on weights) of the first parameter of the closure that was
    /// walked last, also where that is a pattern.
    pub(super) first_parameter: Shape,
    /// Names of the consts inside the function that hold signed numbers.
    pub(super) nested: Vec<String>,
    /// Whether a shape has become wider.
    pub(super) changed: bool,
    pub(super) recorder: Recorder,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Whether the body is an initialiser, in which only const functions may be called.
    pub(super) initialiser: bool,
}

/// A loop or a labelled block, which `break` ends.
pub(super) struct Breakable {
    label: Option<String>,
    is_loop: bool,
    pub(super) shape: Shape,
}

impl Breakable {
    /// A loop (`is_loop`) or a labelled block of which no `break` was met yet. What it gives has
    /// the shape `want` (what in the value depends on weights), which is expected of it, until a
    /// `break` gives more.
    pub(super) fn new(label: Option<&syn::Label>, is_loop: bool, want: &Shape) -> Self {
        Self {
            label: label.map(|l| l.name.ident.to_string()),
            is_loop,
            shape: want.clone(),
        }
    }

    /// Tells whether a `break` ends this loop or block: one with a label if the label is its own,
    /// one without if it is a loop.
    pub(super) fn ends_at(&self, label: Option<&syn::Lifetime>) -> bool {
        match label {
            Some(label) => self.label.as_deref().is_some_and(|l| label.ident == l),
            None => self.is_loop,
        }
    }
}

impl<'f> Walk<'f> {
    /// A walk that has met nothing of the body `of` yet; `facts` are the tables that it reads or
    /// widens. Code without an entry in the tables must be linear in the weights. That a body is an
    /// initialiser is set only by `run`, which gets its code.
    pub(super) fn new(facts: Access<'f>, of: BodyRef<'_>) -> Self {
        let mode = of.body.map_or(Mode::Linear, |f| facts.function(f).mode);
        Self {
            facts,
            unit: of.unit,
            body: of.body,
            owner: of.owner.map(str::to_owned),
            mode,
            scopes: vec![Vec::new()],
            next_variable: 0,
            locals: Locals::default(),
            generic: Vec::new(),
            returned: Vec::new(),
            broken: Vec::new(),
            closures: HashMap::new(),
            latest: Vec::new(),
            first_parameter: Shape::Plain,
            nested: Vec::new(),
            changed: false,
            recorder: Recorder::default(),
            diagnostics: Vec::new(),
            initialiser: false,
        }
    }

    /// Whether all shapes (what in a value depends on weights) are known, so that this walk records
    /// the edits that make the twin, and mistakes.
    pub(super) fn is_checking(&self) -> bool {
        matches!(self.facts, Access::Settled(_))
    }

    /// Widens the shape (what in a value depends on weights) that `of` selects in the tables of the
    /// walked body by `by`, and sets `changed` if it was narrower. Does nothing once all shapes are
    /// known, or for code without an entry in the tables.
    pub(super) fn widen(&mut self, by: &Shape, of: impl FnOnce(&mut Body) -> Option<&mut Shape>) {
        if let (Some(body), Some(facts)) = (self.body, self.facts.learning())
            && let Some(place) = of(&mut facts.bodies[body])
        {
            self.changed |= place.join(by);
        }
    }

    /// Walks all of a function or initialiser. Then `changed` tells whether a shape (what in a
    /// value depends on weights) became wider, and `recorder` and `diagnostics` have the edits that
    /// make the twin and the mistakes. An initialiser returns its value.
    pub(super) fn run(&mut self, code: Code<'_>) {
        match code {
            Code::Function(sig, block) => self.function(sig, block),
            Code::Initialiser(expr, want) => {
                self.initialiser = true;
                let shape = self.expr(expr, want);
                self.widen(&shape, |body| Some(&mut body.returned));
            }
        }
    }

    /// Walks a function: declares its parameters with the shapes (what in a value depends on
    /// weights) that are known of them, walks its block, and widens the shapes of its parameters
    /// and its result by what that found. A function that the author leaves without twin is not
    /// walked. A result that is declared a number does not become a struct.
    fn function(&mut self, sig: &Signature, block: &Block) {
        let Some(body) = self.body.filter(|&f| !self.facts.is_untraced(f)) else {
            return;
        };
        // The types that the code states are needed for messages; while shapes still flow, only for
        // fields that hold a pair in a struct without twin.
        if self.is_checking() || self.facts.has_plain_pairs {
            self.locals = Locals::of(Some(sig), block, self.owner.as_deref());
        }
        let params = self.facts.bodies[body].params.clone();
        let mut position = 0;
        for arg in &sig.inputs {
            match arg {
                FnArg::Receiver(_) => self.declare_self(),
                FnArg::Typed(arg) => {
                    // From the twin a method of a type parameter may lead to production's.
                    if self.is_checking() && is_generic(sig, &arg.ty) {
                        self.generic.extend(names_of(&arg.pat));
                    }
                    let shape = params.get(position).cloned().unwrap_or_default();
                    let first = self.reserve(&arg.pat);
                    self.bind(&arg.pat, &mut { first }, &shape);
                    // If the body makes a parameter a score, as through `&mut`, the caller's
                    // argument is one too.
                    let learnt = self.wanted(&arg.pat, &mut { first });
                    self.widen(&learnt, |body| body.params.get_mut(position));
                    position += 1;
                }
            }
        }
        self.returned.push(Shape::Plain);
        let returns = sig.output != ReturnType::Default;
        let want = returns.then(|| self.facts.bodies[body].returned.clone());
        let want = want.unwrap_or_default();
        let found = self.block(block, &want);
        let shape = self.returned.pop().unwrap_or_default().joined(&found);
        // `numbers`: for each argument, and last for the result, whether it is declared a number.
        let is_number = self.facts.function(body).numbers.last() == Some(&true);
        if returns && !(is_number && matches!(shape, Shape::Named(_))) {
            self.widen(&shape, |body| Some(&mut body.returned));
        }
    }

    /// Brings the variable `self` into scope. Its shape (what in it depends on weights) is that of
    /// the struct if an annotated module declares the type of the impl block, else that of the
    /// number on which an operator is implemented.
    fn declare_self(&mut self) {
        let id = self.allocate();
        let structure = self.owner.as_deref().and_then(|o| self.built(o));
        let receiver = self.body.map(|body| &self.facts.bodies[body].receiver);
        if let Some(shape) = structure.or_else(|| receiver.cloned()) {
            self.learn(id, &shape);
        }
        self.declare("self".to_owned(), id);
    }

    /// Walks a block and returns the shape of its value (what in it depends on weights). The last
    /// expression gives the value if no semicolon follows, and `want` is the shape that is expected
    /// of it. Else the shape is `Never` if the last statement that is an expression leaves the
    /// block, and `Plain`, no weight, if it does not.
    pub(super) fn block(&mut self, block: &Block, want: &Shape) -> Shape {
        self.scopes.push(Vec::new());
        let last = block.stmts.len().wrapping_sub(1);
        let mut shape = Shape::Plain;
        for (index, stmt) in block.stmts.iter().enumerate() {
            let before = self.diagnostics.len();
            let semicolon = match stmt {
                Stmt::Expr(_, semicolon) => semicolon,
                Stmt::Macro(call) => &call.semi_token,
                Stmt::Local(_) | Stmt::Item(_) => &None,
            };
            let is_value = index == last && semicolon.is_none();
            let want = if is_value { want } else { &Shape::Plain };
            let found = match stmt {
                Stmt::Expr(expr, _) => Some(self.expr(expr, want)),
                Stmt::Macro(call) => Some(self.macro_call(&call.mac, want)),
                Stmt::Local(local) => {
                    self.local(local);
                    None
                }
                Stmt::Item(item) => {
                    self.nested_item(item);
                    None
                }
            };
            if let Some(found) = found {
                let counts = is_value || found == Shape::Never;
                shape = if counts { found } else { Shape::Plain };
            }
            // Mistakes in a statement under `#[cfg]` are told only where that holds.
            self.leave_to_cfg(stmt, before);
        }
        self.scopes.pop();
        shape
    }

    /// Puts the mistakes in a statement under the `#[cfg]` of the statement: whether it exists is
    /// decided by rustc, after the macro. If there is such a condition, the twin leaves the
    /// statement out. `before`: how many mistakes there were before the statement was walked.
    fn leave_to_cfg(&mut self, stmt: &Stmt, before: usize) {
        if self.diagnostics.len() == before {
            return;
        }
        // The attributes are found by a function that takes a mutable statement.
        let mut copy = stmt.clone();
        let attributes = escapes::attributes(&mut copy).map(std::mem::take);
        let attributes = attributes.unwrap_or_default();
        if self.put_under(&attributes, before) {
            self.record(stmt, Edit::LeftOut);
        }
    }

    /// Puts the mistakes in a field of a struct literal or an arm of a `match` under its `#[cfg]`,
    /// if it has one; the twin then leaves out `value`, the expression in it. `before`: how many
    /// mistakes there were before it was walked.
    pub(super) fn leave_value_to_cfg(&mut self, attrs: &[Attribute], value: &Expr, before: usize) {
        if self.diagnostics.len() > before && self.put_under(attrs, before) {
            self.record(value, Edit::LeftOut);
        }
    }

    /// Puts the conditions `#[cfg(…)]` among `attributes` in front of those of each mistake from
    /// number `before` on; returns whether there are such conditions.
    fn put_under(&mut self, attributes: &[Attribute], before: usize) -> bool {
        let conditions = conditions(attributes);
        for diagnostic in &mut self.diagnostics[before..] {
            diagnostic.conditions.splice(..0, conditions.clone());
        }
        !conditions.is_empty()
    }

    /// Walks `let pattern = value;` and gives the variables of the pattern the shape of the value
    /// (what in it depends on weights). A body is walked until no shape changes, so a variable that
    /// a later statement uses as a score makes the value a score here, in the next walk.
    fn local(&mut self, local: &syn::Local) {
        let first = self.reserve(&local.pat);
        let Some(init) = &local.init else {
            self.bind(&local.pat, &mut { first }, &Shape::Plain);
            return;
        };
        let want = self.wanted(&local.pat, &mut { first });
        let shape = self.expr(&init.expr, &want);
        if let Some((_, diverge)) = &init.diverge {
            self.expr(diverge, &Shape::Never);
        }
        // `let r = &mut place;`: what is stored through `r` is stored in the place.
        if matches!(&*init.expr, Expr::Reference(r) if r.mutability.is_some()) {
            self.flow_into(&init.expr, &want);
        }
        // A closure that is bound to a variable: the variables of its parameters are kept by the
        // number of that variable. `_` has none.
        if matches!(&*init.expr, Expr::Closure(_)) && self.next_variable > first {
            let params = std::mem::take(&mut self.latest);
            self.closures.insert(first, params);
        }
        self.bind(&local.pat, &mut { first }, &shape);
    }

    /// Looks at an item inside a body, which the twin has unchanged. Notes a const that holds
    /// signed numbers, and refuses a function, const or static that needs weights: it would have no
    /// traced numbers.
    fn nested_item(&mut self, item: &Item) {
        let needing_weights = match item {
            Item::Const(item)
                if !has_attribute(&item.attrs, "frozen")
                    && self.facts.types.can_hold_weights(&item.ty) =>
            {
                self.nested.push(item.ident.to_string());
                return;
            }
            // A table of functions that give scores: their twins have other types than the table
            // says.
            Item::Const(ItemConst { ident, expr, .. })
            | Item::Static(ItemStatic { ident, expr, .. })
                if self.names_scored(expr) =>
            {
                vec![ident]
            }
            item => {
                let functions = functions(item).into_iter();
                let needing = functions.filter(|(_, body)| self.mentions(body.to_token_stream()));
                needing.map(|(sig, _)| &sig.ident).collect()
            }
        };
        for ident in needing_weights {
            let message = messages::nested_function(&ident.to_string());
            self.refuse(ident.span(), message);
        }
    }

    /// Whether an expression names a free function that gives a value with a score in it.
    fn names_scored(&self, expr: &Expr) -> bool {
        names_of(expr).iter().any(|name| {
            let functions = self.candidates(std::slice::from_ref(name), None);
            self.facts.differs(&self.returned_by(&functions))
        })
    }

    /// The name of the type that `name` stands for: for `Self` that of the type of the impl block,
    /// `None` outside of one; any other name itself.
    pub(super) fn type_named<'n>(&'n self, name: &'n str) -> Option<&'n str> {
        if name == "Self" {
            self.owner.as_deref()
        } else {
            Some(name)
        }
    }

    /// The shape of a value of the struct with this name, as known so far: which of its fields
    /// depend on weights is in the tables. `None` unless an annotated module declares the struct.
    pub(super) fn built(&self, structure: &str) -> Option<Shape> {
        let is_known = self.facts.structure(structure).is_some();
        is_known.then(|| Shape::Named(structure.to_owned()))
    }

    /// Records an edit, a difference of the twin from production, at a node of the syntax tree.
    /// Does nothing while the shapes of values (what in them depends on weights) still flow, as
    /// edits depend on them.
    pub(super) fn record<T: 'static>(&mut self, node: &T, edit: Edit) {
        if self.is_checking() {
            self.recorder.record(node, edit);
        }
    }

    /// Records a mistake; `at` is what the message underlines. Does nothing while the shapes of
    /// values (what in them depends on weights) still flow, as mistakes depend on them.
    pub(super) fn refuse(&mut self, at: impl Into<Extent>, message: Message) {
        if self.is_checking() {
            self.diagnostics.push(Diagnostic::new(at, message));
        }
    }

    /// Refuses a value as an argument of `name`, which has no twin. If `shape`, that of the value
    /// (what in it depends on weights), is a struct which is more than its scores, as a board is,
    /// the message says why the struct has a twin, and is told once for each such struct. Else the
    /// message is `other`.
    pub(super) fn refuse_passed(&mut self, at: Extent, shape: &Shape, name: &str, other: Message) {
        let Shape::Named(owner) = shape else {
            return self.refuse(at, other);
        };
        let Some((field, holds)) = self.facts.why_twinned(owner) else {
            return self.refuse(at, other);
        };
        let without = self.facts.twinned_by(owner).join(", ");
        let message = messages::twinned(owner, &field, &holds, name, &without);
        if self.is_checking() {
            let diagnostic = Diagnostic::new(at, message);
            self.diagnostics.push(diagnostic.once(owner.clone()));
        }
    }

    /// Refuses a use of a score that is not linear in the weights. In a function that must be
    /// linear the message names the cures; in one that is marked `nonlinear` it says that the use
    /// has no form for traced numbers.
    pub(super) fn refuse_use(&mut self, at: impl Into<Extent>, what: NotLinear) {
        let message = match self.mode {
            Mode::Linear => what.message(),
            Mode::Nonlinear => what.message_if_nonlinear(),
        };
        self.refuse(at, message);
    }

    /// What a message about these tokens underlines. While the shapes of values (what in them
    /// depends on weights) still flow nothing is told, and any extent is returned.
    pub(super) fn extent(&self, tokens: &impl ToTokens) -> Extent {
        if self.is_checking() {
            Extent::of(tokens)
        } else {
            Extent::here()
        }
    }

    /// Notes that the walked body computes with traced numbers: its twin is not a const fn, and the
    /// twin of an initialiser is computed when it is first used.
    pub(super) fn operates(&mut self) {
        if let (Some(body), Some(facts)) = (self.body, self.facts.learning()) {
            let arithmetic = &mut facts.bodies[body].arithmetic;
            self.changed |= !*arithmetic;
            *arithmetic = true;
        }
    }

    /// Gives the next variable that the walk meets its number. While shapes (what in a value
    /// depends on weights) still flow, it also gets a place in the tables, where its shape begins
    /// as `Plain`, no weight.
    pub(super) fn allocate(&mut self) -> usize {
        self.next_variable += 1;
        if let (Some(body), Some(facts)) = (self.body, self.facts.learning()) {
            let variables = &mut facts.bodies[body].variables;
            if variables.len() < self.next_variable {
                variables.push(Shape::Plain);
            }
        }
        self.next_variable - 1
    }

    /// Brings the variable with the number `id` into the innermost scope under `name`.
    pub(super) fn declare(&mut self, name: String, id: usize) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((name, id));
        }
    }

    /// The number of the variable that a name means: the last one declared of the name, from the
    /// innermost scope out; `None` if there is no such variable.
    pub(super) fn variable(&self, name: &str) -> Option<usize> {
        let mut variables = self.scopes.iter().rev().flat_map(|s| s.iter().rev());
        let found = variables.find(|(n, _)| n == name);
        found.map(|&(_, id)| id)
    }

    /// The shape (what in the value depends on weights) of the variable with this number, as far as
    /// is known; `Plain`, no weight, for code without an entry in the tables.
    pub(super) fn shape_of(&self, variable: usize) -> Shape {
        let variables = self.body.map(|f| &self.facts.bodies[f].variables);
        let shape = variables.and_then(|b| b.get(variable));
        shape.cloned().unwrap_or_default()
    }

    /// Widens the shape (what in the value depends on weights) of the variable with this number by
    /// `shape`, and sets `changed` if that made it wider. Does nothing once all shapes are known.
    pub(super) fn learn(&mut self, variable: usize, shape: &Shape) {
        self.widen(shape, |body| body.variables.get_mut(variable));
    }
}

/// Tells whether a type in the head of the function `sig` is a type parameter, `T` or `impl Trait`,
/// or a reference to one, `&mut T`.
fn is_generic(sig: &Signature, ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Reference(ty) => is_generic(sig, &ty.elem),
        syn::Type::ImplTrait(_) => true,
        syn::Type::Path(path) => {
            let mut parameters = sig.generics.type_params();
            parameters.any(|parameter| path.path.is_ident(&parameter.ident))
        }
        _ => false,
    }
}
