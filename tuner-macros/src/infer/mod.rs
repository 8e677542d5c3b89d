//! The second phase: which values depend on weights, and what the twin's
//! version of each body has different.
//!
//! [`Facts`] are tables by item and variable, computed once from the model,
//! which they own and cannot change: shapes flow through all bodies until
//! nothing changes, then what reads weights without a twin is found. With the
//! facts, [`check`] judges an item: a table of edits for each of its bodies,
//! and what is wrong with it.
//!
//! Words: a *unit* is an annotated module, *production* is the code as its author wrote it, a
//! *body* is a function or an initialiser, a *pair* a struct of scores, and a *reader* an item that
//! may read a weight, annotated or not. Units, bodies and readers are passed by their numbers.
//!
//! Not here: tokens of the twin; emission writes them.

mod body;
pub(crate) mod check;
mod clash;
mod conditions;
pub(crate) mod constants;
pub(crate) mod edits;
mod implicit;
mod methods;
mod names;
mod reach;
mod readers;
mod twins;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Deref;
use std::rc::Rc;

use syn::{ImplItem, ImplItemConst, Item};
use tuner_source::CrateFile;

use crate::model::shape::Shape;
use crate::model::{Constant, Function, Model, Side, location, table, type_name};
pub(crate) use body::is_sign;
use body::{BodyRef, Code};
use readers::Reading;

/// What is inferred of a crate, and what its sources say.
#[derive(Default)]
pub(crate) struct Facts {
    model: Rc<Model>,
    /// What is inferred of each body: first the functions of the model, in its order, then versions
    /// of operators that take a score instead of a number.
    pub(crate) bodies: Vec<Body>,
    /// Shapes (what in a value depends on weights) of the fields of each struct, by the number of
    /// the struct.
    fields: Vec<Vec<Shape>>,
    /// By the number of a reader (an item that may read a weight), what it reads.
    readings: Vec<Reading>,
    /// Bodies that read a weight and give a number in which no score is seen, though any crate may
    /// call them; each with the weight's name.
    lost: HashMap<usize, String>,
    /// Numbers of the readers of weights that are called without their names and have no twin.
    implicit: Vec<usize>,
    /// Names of traits that occur behind `dyn` in the units, the annotated modules.
    dynamic: HashSet<String>,
    /// By the number of a reader, the readers that it surely uses.
    uses: Vec<Vec<usize>>,
    /// Identifiers in the twins. Methods of copied structs whose names are not among them are left
    /// out.
    used: HashSet<String>,
    /// Names of weights whose initialiser is refused.
    pub(crate) refused: HashSet<String>,
}

/// What is inferred of a function or an initialiser.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    /// The number of the function in the model.
    function: usize,
    /// The shape of `self`, where it is a number.
    receiver: Shape,
    /// The shape of each argument, without `self`.
    pub(crate) params: Vec<Shape>,
    pub(crate) returned: Shape,
    /// The number of the body of the same operator that takes a score instead of the number, if
    /// any.
    pub(crate) scored: Option<usize>,
    /// The bodies that call it, as far as types are known; `None` stands for code outside of
    /// bodies.
    callers: BTreeSet<Option<usize>>,
    /// Whether the body computes with scores, so that its twin is not a const fn.
    pub(crate) arithmetic: bool,
    /// Shapes of the variables, in the order in which the walk meets them.
    variables: Vec<Shape>,
}

impl Deref for Facts {
    type Target = Model;

    /// Leads to the model of the crate, which says what the source declares.
    fn deref(&self) -> &Model {
        &self.model
    }
}

impl Facts {
    /// Reads a crate from its files and infers which of its values depend on weights. Call it
    /// inside `model::source::forced`, by which tokens have lines and columns.
    pub(crate) fn read(texts: &mut [CrateFile]) -> Self {
        let mut facts = Self::declared(Model::read(texts));
        facts.flow();
        // Who calls each body, and whether it computes with scores, is recorded anew in a second
        // flow, now that the shapes of all values (what in them depends on weights) are known.
        for body in &mut facts.bodies {
            body.arithmetic = false;
            body.callers.clear();
        }
        facts.flow();
        // Most of these tables are made from those before them.
        facts.used = facts.reached();
        // `uses`: for each reader (an item that may read a weight) the readers that it surely uses.
        let sure = |(readers, is_sure)| if is_sure { readers } else { Vec::new() };
        let readers = 0..facts.readers.all.len();
        facts.uses =
            (readers.map(|reader| facts.used_by(reader).flat_map(sure).collect())).collect();
        facts.readings = facts.all_readings();
        facts.dynamic = facts.dynamic_traits();
        facts.implicit = facts.implicit_readers();
        facts.lost = facts.lost_scores();
        // The bodies in `lost` give a number in which no score is seen, but it depends on a weight.
        for &body in facts.lost.keys() {
            facts.bodies[body].returned = Shape::Score;
        }
        facts.refused = facts.refused_weights();
        facts
    }

    /// Makes the tables of a model from types alone: bodies and fields get the shapes (what in a
    /// value depends on weights) that signatures and structs declare. What only the flow of shapes
    /// through code tells is still empty.
    fn declared(model: Model) -> Self {
        let bodies = model.functions.iter().enumerate();
        let bodies = bodies.map(|(function, declared)| Body {
            function,
            params: declared.params.clone(),
            returned: declared.returned.clone(),
            ..Body::default()
        });
        let fields = model.structs.iter().map(|s| &s.fields);
        let shapes = fields.map(|f| f.iter().map(|(_, shape)| shape.clone()).collect());
        Self {
            bodies: bodies.collect(),
            fields: shapes.collect(),
            model: Rc::new(model),
            ..Self::default()
        }
    }

    /// The declaration of the function or initialiser with this number among `bodies`. The version
    /// of an operator that takes a score in place of a number has the declaration of the operator.
    pub(crate) fn function(&self, body: usize) -> &Function {
        &self.functions[self.bodies[body].function]
    }

    /// Whether some code calls the body of this number, as far as types are known.
    pub(crate) fn is_called(&self, body: usize) -> bool {
        !self.bodies[body].callers.is_empty()
    }

    /// The numbers of the bodies that the body of this number calls, as far as types are known.
    pub(crate) fn callees(&self, body: usize) -> impl Iterator<Item = usize> {
        let all = self.bodies.iter().enumerate();
        all.filter(move |(_, callee)| callee.callers.contains(&Some(body)))
            .map(|(callee, _)| callee)
    }

    /// Returns those of the bodies `among`, given by number, that the twin can do without, all of
    /// them together: each is called, if at all, only by other bodies of the result and by
    /// functions without a twin.
    pub(crate) fn uncalled(&self, among: &[usize]) -> Vec<usize> {
        let mut rest = among.to_vec();
        loop {
            let before = rest.clone();
            // An initialiser, which has no location, is in the twin as a function with a twin is.
            let has_twin = |f: usize| self.function(f).location.is_none() || self.has_twin(f);
            // Callers that keep a body in the twin: code outside of bodies (`None`), and a body
            // with a twin that is not to be left out itself.
            let outside = |f: &Option<usize>| f.is_none_or(|f| !before.contains(&f) && has_twin(f));
            rest.retain(|&f| !self.bodies[f].callers.iter().any(outside));
            if rest.len() == before.len() {
                return rest;
            }
        }
    }

    /// The shape (what in the value depends on weights) of a field of a struct, by the number of
    /// the struct; `None` if the struct has no such field.
    fn field(&self, structure: usize, field: &str) -> Option<&Shape> {
        let mut declared = self.structs[structure].fields.iter();
        let position = declared.position(|(name, _)| name == field)?;
        self.fields[structure].get(position)
    }

    /// The shapes (what in each value depends on weights) of the fields of a struct, in their
    /// order; empty for a struct that no annotated module declares.
    pub(crate) fn fields_of(&self, name: &str) -> &[Shape] {
        let index = self.structure(name);
        index.map_or(&[], |index| &self.fields[index])
    }

    /// Whether the twin computes a const or static when it is first used. It does so if the
    /// initialiser computes with weights, as arithmetic on traced numbers is not possible in a
    /// const, or if production computes the value at run time too: in a `LazyLock`, or by functions
    /// that fill a static.
    pub(crate) fn is_derived(&self, constant: &Constant) -> bool {
        constant.is_lazy || self.bodies[constant.body].arithmetic
    }

    /// The number, among the bodies, of the initialiser of an associated const in the annotated
    /// module `unit`; `None` if the initialiser is not among the bodies.
    pub(crate) fn associated_at(&self, unit: usize, c: &ImplItemConst) -> Option<usize> {
        let at = (unit, location(c.ident.span()));
        self.associated.get(&at).copied()
    }

    /// The shape (what in the value depends on weights) of an associated const, such as
    /// `Score::ZERO` for the type `Score` and the name `ZERO`; `None` if the type has none in the
    /// annotated modules.
    fn associated_shape(&self, owner: &str, name: &str) -> Option<Shape> {
        let body = self.associated_bodies(owner, name).next()?;
        Some(self.bodies[body].returned.clone())
    }

    /// Whether the twin computes an associated const, `owner::name`, where it is used, because the
    /// initialiser computes with weights.
    fn is_computed(&self, owner: &str, name: &str) -> bool {
        let mut bodies = self.associated_bodies(owner, name);
        bodies.any(|f| self.bodies[f].arithmetic)
    }

    /// Gives an operator of a pair (a struct of scores) and a number, by the number of its body, a
    /// second version, in which the number is a score. Returns whether the version is new; `false`
    /// also if neither operand is a number.
    fn score_operand(&mut self, function: usize) -> bool {
        if self.bodies[function].scored.is_some() {
            return false;
        }
        // The shapes of its variables are learnt anew, by walks with the score.
        let mut scored = self.bodies[function].clone();
        scored.variables.clear();
        match self.function(function).number {
            Some(Side::Left) => scored.receiver = Shape::Score,
            Some(Side::Right) => scored.params[0] = Shape::Score,
            None => return false,
        }
        self.bodies[function].scored = Some(self.bodies.len());
        self.bodies.push(scored);
        true
    }

    /// Lets shapes (what in a value depends on weights) flow through all annotated items, from
    /// values into variables, arguments, results and fields, until no shape becomes wider.
    fn flow(&mut self) {
        let model = Rc::clone(&self.model);
        // Each pass but the last widens at least one place of a finite lattice, so the loop ends;
        // the bound of 64 passes only guards against a mistake in this code.
        for _ in 0..64 {
            let mut changed = false;
            for (unit, of) in model.units.iter().enumerate() {
                for item in &of.items {
                    changed |= self.flow_through(unit, item);
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Lets shapes (what in a value depends on weights) flow through one item of the annotated
    /// module `unit`: a function, the members of an impl block, or a table of weights. Tells
    /// whether any shape became wider.
    fn flow_through(&mut self, unit: usize, item: &Item) -> bool {
        let owner = None;
        match item {
            Item::Fn(item) => {
                let body = self.function_of(unit, &item.sig);
                let code = Code::Function(&item.sig, &item.block);
                body::learn(self, BodyRef { unit, owner, body }, code)
            }
            Item::Impl(item) => {
                let owner = type_name(&item.self_ty);
                let owner = owner.as_deref();
                let mut changed = false;
                for member in &item.items {
                    match member {
                        ImplItem::Fn(f) => {
                            let body = self.function_of(unit, &f.sig);
                            let code = Code::Function(&f.sig, &f.block);
                            changed |= body::learn(self, BodyRef { unit, owner, body }, code);
                            // The version of an operator that takes a score in place of a number
                            // has the operator's code, but other shapes. Without such a version
                            // nothing is learnt.
                            let body = body.and_then(|f| self.bodies[f].scored);
                            changed |= body::learn(self, BodyRef { unit, owner, body }, code);
                        }
                        ImplItem::Const(c) => {
                            let body = self.associated_at(unit, c);
                            let want = body.map(|body| self.bodies[body].returned.clone());
                            let want = want.unwrap_or_default();
                            let code = Code::Initialiser(&c.expr, &want);
                            changed |= body::learn(self, BodyRef { unit, owner, body }, code);
                        }
                        _ => {}
                    }
                }
                changed
            }
            item => {
                let table = table(item);
                table.is_some_and(|(name, ..)| self.flow_through_table(unit, &name.to_string()))
            }
        }
    }

    /// Walks the initialiser of the table of weights `name`, so that its literals, which are
    /// scores, flow into the fields of the structs that it makes. Returns whether the shape of a
    /// field (what in it depends on weights) became wider; `false` if the annotated module `unit`
    /// has no such table.
    fn flow_through_table(&mut self, unit: usize, name: &str) -> bool {
        let model = Rc::clone(&self.model);
        let Some(table) = model.constant(unit, name) else {
            return false;
        };
        let (owner, body) = (None, Some(table.body));
        let of = BodyRef { unit, owner, body };
        // The initialiser with handles of weights for its literals; `None` if the macro cannot see
        // what computes the table.
        let planted = table.planted.as_ref();
        planted.is_some_and(|expr| body::learn(self, of, Code::Initialiser(expr, &table.shape)))
    }
}
