//! The one walk over bodies. It runs twice: until the shapes of all places
//! are known, and then to rewrite a body for its twin and to refuse what is
//! not linear. Both runs meet the variables in the same order, which is how
//! the second finds what the first learnt.
//!
//! What it decides is where a plain number becomes a traced one (a literal
//! seed, a count that joins a score), which types are written `Tr<…>`, and
//! which casts and calls are rewritten. Whatever it overlooks is a type error
//! in the twin, never a lost derivative: a traced number has no way back.

mod call;
mod conditional;
mod expr;
mod flow;
mod invoked;
mod lift;
mod nonlinear;
mod pattern;
mod place;
mod unknown;

pub(crate) use expr::assigned;
pub(crate) use invoked::is_side_show_name;

use std::collections::HashMap;

use quote::ToTokens;
use syn::{Block, Expr, FnArg, ImplItem, Item, ReturnType, Signature, Stmt};

use crate::args::Mode;
use crate::diag::{Extent, Mistake};
use crate::refuse::{self, Message, NotLinear};
use crate::shape::Shape;
use crate::world::{self, World};

pub(crate) struct Walk<'w> {
    world: &'w mut World,
    unit: usize,
    function: Option<usize>,
    owner: Option<String>,
    mode: Mode,
    /// Whether bodies are rewritten and mistakes reported.
    rewriting: bool,
    /// Variables in scope: name and number.
    scopes: Vec<Vec<(String, usize)>>,
    next_variable: usize,
    /// What `return` gives: the function's or the closure's shape.
    returned: Vec<Shape>,
    /// What `break` gives in the loops and labelled blocks around.
    broken: Vec<Breakable>,
    /// Closures that variables hold: the variables of their parameters.
    closures: HashMap<usize, Vec<Option<usize>>>,
    /// Parameters of the closure walked last.
    latest: Vec<Option<usize>>,
    /// Consts inside the function that hold signed numbers.
    nested: Vec<String>,
    changed: bool,
    mistakes: Vec<Mistake>,
    /// Whether the expression is an initialiser, where only const calls may stand.
    initialiser: bool,
}

/// A loop or a labelled block, which `break` ends.
struct Breakable {
    label: Option<String>,
    is_loop: bool,
    shape: Shape,
}

impl Breakable {
    fn new(label: Option<&syn::Label>, is_loop: bool, want: &Shape) -> Self {
        Self {
            label: label.map(|l| l.name.ident.to_string()),
            is_loop,
            shape: want.clone(),
        }
    }

    fn ends_at(&self, label: Option<&syn::Lifetime>) -> bool {
        match label {
            Some(label) => self.label.as_deref().is_some_and(|l| label.ident == l),
            None => self.is_loop,
        }
    }
}

/// Lets shapes flow through one item; tells whether anything changed.
pub(crate) fn analyse_item(world: &mut World, unit: usize, item: &Item) -> bool {
    match item {
        Item::Fn(item) => {
            let (mut sig, mut block) = (item.sig.clone(), (*item.block).clone());
            let function = world.function_at(unit, world::place(sig.ident.span()));
            let mut walk = Walk::new(world, unit, None, false);
            walk.body(function, &mut sig, &mut block);
            walk.changed
        }
        Item::Impl(item) => {
            let owner = world::type_name(&item.self_ty);
            let mut changed = false;
            for member in &item.items {
                let mut walk = Walk::new(world, unit, owner.clone(), false);
                match member {
                    ImplItem::Fn(f) => {
                        let (mut sig, mut block) = (f.sig.clone(), f.block.clone());
                        let function = walk.world.function_at(unit, world::place(sig.ident.span()));
                        walk.body(function, &mut sig, &mut block);
                        let scored = function.and_then(|f| walk.world.functions[f].scored);
                        walk.body(scored, &mut f.sig.clone(), &mut f.block.clone());
                    }
                    ImplItem::Const(c) => {
                        let want = walk.world.types.shape(&c.ty, walk.owner.as_deref());
                        let body = walk
                            .world
                            .associated
                            .get(&(unit, world::place(c.ident.span())));
                        let body = body.copied();
                        walk.constant(body, &mut c.expr.clone(), &want);
                    }
                    _ => {}
                }
                changed |= walk.changed;
            }
            changed
        }
        Item::Const(i) => constant(world, unit, &i.ident.to_string()),
        Item::Static(i) => constant(world, unit, &i.ident.to_string()),
        _ => false,
    }
}

/// The literals of a table of weights flow into the fields of its constructors.
fn constant(world: &mut World, unit: usize, name: &str) -> bool {
    let Some(found) = world.constant(unit, name) else {
        return false;
    };
    let (body, shape) = (found.body, found.shape.clone());
    let Some(mut expr) = found.planted.clone() else {
        return false;
    };
    let mut walk = Walk::new(world, unit, None, false);
    walk.constant(Some(body), &mut expr, &shape);
    walk.changed
}

impl<'w> Walk<'w> {
    pub(crate) fn new(
        world: &'w mut World,
        unit: usize,
        owner: Option<String>,
        rewriting: bool,
    ) -> Self {
        Self {
            world,
            unit,
            function: None,
            owner,
            mode: Mode::Linear,
            rewriting,
            scopes: vec![Vec::new()],
            next_variable: 0,
            returned: Vec::new(),
            broken: Vec::new(),
            closures: HashMap::new(),
            latest: Vec::new(),
            nested: Vec::new(),
            changed: false,
            mistakes: Vec::new(),
            initialiser: false,
        }
    }

    pub(crate) fn into_mistakes(self) -> Vec<Mistake> {
        self.mistakes
    }

    /// Walks the initialiser of a table; `body` is what is known of it.
    pub(crate) fn constant(&mut self, body: Option<usize>, expr: &mut Expr, want: &Shape) {
        self.initialiser = true;
        self.function = body;
        self.mode = body.map_or(Mode::Linear, |f| self.world.functions[f].mode);
        self.next_variable = 0;
        self.expr(expr, want);
    }

    /// Walks a function; when rewriting, its signature too.
    pub(crate) fn body(&mut self, function: Option<usize>, sig: &mut Signature, block: &mut Block) {
        let Some(index) = function.filter(|&f| !self.world.is_untraced(f)) else {
            return;
        };
        self.function = Some(index);
        self.mode = self.world.functions[index].mode;
        self.next_variable = 0;
        let params = self.world.functions[index].params.clone();
        let mut position = 0;
        for arg in &mut sig.inputs {
            match arg {
                FnArg::Receiver(_) => self.declare_self(),
                FnArg::Typed(arg) => {
                    let shape = params.get(position).cloned().unwrap_or_default();
                    let first = self.reserve(&arg.pat);
                    self.bind(&mut arg.pat, first, &shape);
                    // What the body learns of a parameter (an `&mut` score) is its callers' too.
                    let learnt = self.wanted(&arg.pat, first);
                    if let Some(param) = self.world.functions[index].params.get_mut(position) {
                        self.changed |= param.join(&learnt);
                    }
                    if self.rewriting {
                        let shape = self.world.functions[index].params[position].clone();
                        self.world.types.trace(&mut arg.ty, &shape);
                    }
                    position += 1;
                }
            }
        }
        let returned = self.world.functions[index].returned.clone();
        self.returned.push(Shape::Plain);
        let want = if sig.output == ReturnType::Default {
            Shape::Plain
        } else {
            returned.clone()
        };
        let found = self.block(block, &want);
        let mut shape = self.returned.pop().unwrap_or_default();
        shape.join(&found);
        if sig.output != ReturnType::Default {
            let function = &mut self.world.functions[index];
            let is_number = function.numbers.last() == Some(&true);
            if !is_number || !matches!(shape, Shape::Named(_)) {
                self.changed |= function.returned.join(&shape);
            }
        }
        if self.rewriting
            && let ReturnType::Type(_, ty) = &mut sig.output
        {
            self.world.types.trace(ty, &returned);
        }
    }

    fn declare_self(&mut self) {
        let id = self.allocate();
        let shape = self
            .owner
            .clone()
            .filter(|o| self.world.structure(o).is_some());
        if let Some(owner) = shape {
            self.learn(id, &Shape::Named(owner));
        } else if let Some(f) = self.function {
            let receiver = self.world.functions[f].receiver.clone();
            self.learn(id, &receiver);
        }
        self.declare("self".to_owned(), id);
    }

    /// Walks a block; its shape is the last expression's.
    fn block(&mut self, block: &mut Block, want: &Shape) -> Shape {
        self.scopes.push(Vec::new());
        let last = block.stmts.len().wrapping_sub(1);
        let mut shape = Shape::Plain;
        for (index, stmt) in block.stmts.iter_mut().enumerate() {
            let before = self.mistakes.len();
            match stmt {
                Stmt::Local(local) => self.local(local),
                Stmt::Expr(expr, semicolon) => {
                    let is_value = index == last && semicolon.is_none();
                    let none = Shape::Plain;
                    shape = self.expr(expr, if is_value { want } else { &none });
                    if !is_value && shape != Shape::Never {
                        shape = Shape::Plain;
                    }
                }
                Stmt::Macro(stmt) => {
                    let is_value = index == last && stmt.semi_token.is_none();
                    let none = Shape::Plain;
                    shape = self.macro_call(&mut stmt.mac, if is_value { want } else { &none });
                    if !is_value && shape != Shape::Never {
                        shape = Shape::Plain;
                    }
                }
                Stmt::Item(item) => self.nested_item(item),
            }
            self.leave_to_cfg(stmt, before);
        }
        self.scopes.pop();
        shape
    }

    fn local(&mut self, local: &mut syn::Local) {
        let first = self.reserve(&local.pat);
        if let Some(init) = &mut local.init {
            let want = self.wanted(&local.pat, first);
            let shape = self.expr(&mut init.expr, &want);
            if let Some((_, diverge)) = &mut init.diverge {
                self.expr(diverge, &Shape::Never);
            }
            // What is put through a reference is in the place behind it.
            if matches!(&*init.expr, Expr::Reference(r) if r.mutability.is_some()) {
                self.flow_into(&init.expr, &want);
            }
            if matches!(&*init.expr, Expr::Closure(_)) && self.next_variable > first {
                let params = std::mem::take(&mut self.latest);
                self.closures.insert(first, params);
            }
            self.bind(&mut local.pat, first, &shape);
        } else {
            self.bind(&mut local.pat, first, &Shape::Plain);
        }
    }

    /// An item inside a body: the twin's body has the same.
    fn nested_item(&mut self, item: &Item) {
        match item {
            Item::Const(item)
                if !world::has_attribute(&item.attrs, "frozen")
                    && self.world.types.can_hold_weights(&item.ty) =>
            {
                self.nested.push(item.ident.to_string());
            }
            Item::Fn(item) if self.mentions(item.block.to_token_stream()) => {
                let name = item.sig.ident.to_string();
                self.refuse(item.sig.ident.span(), refuse::nested_function(&name));
            }
            _ => {}
        }
    }

    fn refuse(&mut self, at: impl Into<Extent>, message: Message) {
        if self.rewriting {
            self.mistakes.push(Mistake::new(at, message));
        }
    }

    /// Refuses what is not linear, in the words of the function's mode.
    fn refuse_use(&mut self, at: impl Into<Extent>, what: &NotLinear) {
        self.refuse(at, what.message(self.mode));
    }

    /// What a mistake about these tokens underlines; nothing is reported
    /// while shapes flow.
    fn extent(&self, tokens: &impl ToTokens) -> Extent {
        if self.rewriting {
            Extent::of(tokens)
        } else {
            Extent::here()
        }
    }

    /// Notes that the body computes with traced numbers: it is no const fn
    /// in the twin, and an initialiser is computed when it is first used.
    fn operates(&mut self) {
        if let Some(f) = self.function {
            let arithmetic = &mut self.world.functions[f].arithmetic;
            self.changed |= !*arithmetic;
            *arithmetic = true;
        }
    }

    fn allocate(&mut self) -> usize {
        self.next_variable += 1;
        if let Some(f) = self.function {
            let bindings = &mut self.world.functions[f].bindings;
            if bindings.len() < self.next_variable {
                bindings.push(Shape::Plain);
            }
        }
        self.next_variable - 1
    }

    fn declare(&mut self, name: String, id: usize) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((name, id));
        }
    }

    fn variable(&self, name: &str) -> Option<usize> {
        let scopes = self.scopes.iter().rev();
        scopes
            .flat_map(|s| s.iter().rev())
            .find(|(n, _)| n == name)
            .map(|&(_, id)| id)
    }

    fn shape_of(&self, variable: usize) -> Shape {
        let bindings = self.function.map(|f| &self.world.functions[f].bindings);
        bindings
            .and_then(|b| b.get(variable))
            .cloned()
            .unwrap_or_default()
    }

    fn learn(&mut self, variable: usize, shape: &Shape) {
        if let Some(f) = self.function
            && let Some(place) = self.world.functions[f].bindings.get_mut(variable)
        {
            self.changed |= place.join(shape);
        }
    }
}
