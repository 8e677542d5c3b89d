//! The consts and statics that hold weights, and the numbers of these.

use std::collections::HashSet;

use syn::visit_mut::VisitMut;
use syn::{Expr, Ident, Item, ItemConst, Type};
use tuner_source::{Group, Leaves, inline_weights, is_filled};

use super::macro_rules::Expansion;
use super::shape::Shape;
use super::weights::Handles;
use super::{
    Constant, Model, attributes, computed, conditions, deduplicate, location, table, weights,
};

impl Model {
    /// Adds a [`Constant`] for each const, static and `weight!` that holds weights or depends on some,
    /// or is a frozen pair, and numbers their weights from 0: unit by unit (a unit is an annotated
    /// module), in the order of the items, those of `weight!` behind the others. Evaluator and registry
    /// speak of weights by these numbers.
    ///
    /// Before, it finds the functions that read weights; each initialiser becomes a body that is
    /// walked, and macros that build weights are noted with what they build.
    pub(super) fn declare_constants(&mut self) {
        let alive = self.alive();
        self.reading = self.reading(&alive);
        for unit in 0..self.units.len() {
            let items = &self.units[unit].items;
            let constants = (items.iter()).filter_map(|i| self.constant_of(unit, i, &alive));
            let inline = items.iter().flat_map(inline_weights);
            let inline = inline.filter_map(|item| self.inline_constant(unit, &item));
            let found: Vec<_> = constants.chain(inline).collect();
            for mut constant in found {
                for name in &constant.leaves.macros {
                    let built = constant.shape.clone();
                    self.constructors.insert(name.clone(), built);
                }
                let before = self.constants.last();
                constant.first = before.map_or(0, |c| c.first + c.leaves.leaves.len() as u32);
                constant.body = self.add_body(unit, None, constant.name.clone());
                self.constants.push(constant);
            }
        }
    }

    /// The constant that a const or static declares, if weights reach it or it is a frozen pair;
    /// else `None`. `alive`: the names that lead to weights. The caller sets the number of its
    /// first weight and its body.
    fn constant_of(&self, unit: usize, item: &Item, alive: &HashSet<String>) -> Option<Constant> {
        let (ident, written, expr) = table(item)?;
        let name = ident.to_string();
        let ty = computed::table_type(written, expr);
        let shape = self.entry_shape(&ty);
        let holds = self.types.can_hold_weights(&ty);
        if self.units[unit].frozen.contains(&name) {
            // A frozen pair also has the twin's type.
            let is_pair = holds && matches!(shape, Shape::Named(_)) && !computed::is_lazy(written);
            return is_pair.then(|| Constant {
                is_frozen: true,
                by_reference: computed::is_by_reference(written, expr),
                groups: Vec::new(),
                planted: self.planted(written, expr, None),
                ..Constant::new(unit, ident, shape, expr, Leaves::default())
            });
        }
        if !holds || self.written.contains(&name) {
            return None;
        }
        let leaves = Leaves::of(expr);
        if leaves.leaves.is_empty() && !alive.contains(&name) {
            return None;
        }
        Some(Constant {
            by_reference: computed::is_by_reference(written, expr),
            is_lazy: computed::is_lazy(written) || is_filled(expr),
            conditional: !conditions(attributes(item)).is_empty(),
            planted: self.planted(written, expr, Some(Handles::Holes)),
            ..Constant::new(unit, ident, shape, expr, leaves)
        })
    }

    /// The constant of a `weight!` in a body; `None` if its name is frozen, or its value is not a
    /// number.
    fn inline_constant(&self, unit: usize, item: &ItemConst) -> Option<Constant> {
        let leaves = Leaves::of(&item.expr);
        let is_frozen = self.units[unit].frozen.contains(&item.ident.to_string());
        (!leaves.leaves.is_empty() && !is_frozen)
            .then(|| Constant::new(unit, &item.ident, Shape::Score, &item.expr, leaves))
    }

    /// The initialiser `expr` of a table of type `ty`, in the form in which shapes flow through it:
    /// each form of entry once, with handles instead of weights if `handles` is given. `None` if
    /// the macro cannot see the initialiser.
    fn planted(&self, ty: &Type, expr: &Expr, handles: Option<Handles>) -> Option<Expr> {
        let mut expr = computed::table_value(ty, expr)?;
        deduplicate(&mut expr);
        let handles = handles.filter(|_| !computed::is_lazy(ty));
        self.number_weights(&mut expr, handles);
        Some(expr)
    }

    /// Puts handles in place of the weights of an initialiser, and expands the author's macros
    /// around them; without `handles` it only expands.
    pub(crate) fn number_weights(&self, expr: &mut Expr, handles: Option<Handles>) {
        if let Some(handles) = handles {
            weights::plant(expr, handles);
        }
        if !self.macros.is_empty() {
            Expansion::new(&self.macros).visit_expr_mut(expr);
        }
    }

    /// The shape of a table that weights reach: its numbers are scores.
    fn entry_shape(&self, ty: &Type) -> Shape {
        match self.types.shape(ty, None) {
            Shape::Plain => Shape::Score,
            Shape::Tuple(parts) => Shape::Tuple(vec![Shape::Score; parts.len()]),
            shape => shape,
        }
    }
}

impl Constant {
    /// Makes a constant of what its initialiser says; the caller sets the other fields.
    fn new(unit: usize, ident: &Ident, shape: Shape, expr: &Expr, leaves: Leaves) -> Self {
        Self {
            unit,
            name: ident.to_string(),
            shape,
            leaves,
            groups: Group::of(expr),
            location: location(ident.span()),
            ..Self::default()
        }
    }
}
