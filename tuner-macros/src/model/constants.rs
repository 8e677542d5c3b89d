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
    /// Adds a [`Constant`] for each const, static and `weight!` that holds weights or depends on
    /// some, or is a frozen struct of numbers. Their weights are numbered from 0: one annotated
    /// module after the other, in the order of the items, those of `weight!` behind the others.
    /// Evaluator and registry speak of weights by these numbers.
    ///
    /// Before, it finds the functions that read weights. Each initialiser becomes a body that
    /// inference walks, and the author's macros that build weights are noted with the shape of what
    /// they build.
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

    /// The constant that a const or static of `unit`, an annotated module, declares: if it holds
    /// weights or depends on some, or if it is a frozen struct of numbers, which the twin needs in
    /// its own type. Else `None`. `alive`: the names that lead to weights. The caller sets the
    /// number of its first weight and its body.
    fn constant_of(&self, unit: usize, item: &Item, alive: &HashSet<String>) -> Option<Constant> {
        let (ident, written, expr) = table(item)?;
        let name = ident.to_string();
        let ty = computed::table_type(written, expr);
        let shape = self.entry_shape(&ty);
        let holds = self.types.can_hold_weights(&ty);
        if self.units[unit].frozen.contains(&name) {
            // A frozen struct of numbers needs a twin for its type alone: it has no weights.
            let is_pair = holds && matches!(shape, Shape::Named(_)) && !computed::is_lazy(written);
            return is_pair.then(|| Constant {
                is_frozen: true,
                by_reference: computed::is_by_reference(written, expr),
                groups: Vec::new(),
                planted: self.planted(written, expr, None),
                ..Constant::new(unit, ident, shape, expr, Leaves::default())
            });
        }
        // A `static mut` that other code writes to is no weight.
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

    /// The constant of a `weight!(NAME: value)` in a body, which comes as the const `item` that it
    /// could be. `None` if its name is frozen, or its value is not a number.
    fn inline_constant(&self, unit: usize, item: &ItemConst) -> Option<Constant> {
        let leaves = Leaves::of(&item.expr);
        let is_frozen = self.units[unit].frozen.contains(&item.ident.to_string());
        (!leaves.leaves.is_empty() && !is_frozen)
            .then(|| Constant::new(unit, &item.ident, Shape::Score, &item.expr, leaves))
    }

    /// The initialiser `expr` of a table of type `ty`, in the form in which inference walks it: of
    /// entries that differ only in their numbers the first alone, with the handle of a weight,
    /// `Tr::weight(…)`, in place of each literal if `handles` is given and the table is not
    /// computed lazily. `None` if the macro cannot see what computes the table.
    fn planted(&self, ty: &Type, expr: &Expr, handles: Option<Handles>) -> Option<Expr> {
        let mut expr = computed::table_value(ty, expr)?;
        deduplicate(&mut expr);
        let handles = handles.filter(|_| !computed::is_lazy(ty));
        self.number_weights(&mut expr, handles);
        Some(expr)
    }

    /// Puts a handle, `Tr::weight(…)`, in place of each weight of an initialiser, and then expands
    /// the author's own macros in it. Without `handles` it only expands macros.
    pub(crate) fn number_weights(&self, expr: &mut Expr, handles: Option<Handles>) {
        if let Some(handles) = handles {
            weights::plant(expr, handles);
        }
        if !self.macros.is_empty() {
            Expansion::new(&self.macros).visit_expr_mut(expr);
        }
    }

    /// The shape of a table of this type that depends on weights: which parts of an entry are
    /// scores. All numbers are; a struct keeps its name.
    fn entry_shape(&self, ty: &Type) -> Shape {
        match self.types.shape(ty, None) {
            Shape::Plain => Shape::Score,
            Shape::Tuple(parts) => Shape::Tuple(vec![Shape::Score; parts.len()]),
            shape => shape,
        }
    }
}

impl Constant {
    /// Makes a constant from its name and initialiser, with the parameters that its weights make
    /// up. The fields not given have defaults, which the caller sets.
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
