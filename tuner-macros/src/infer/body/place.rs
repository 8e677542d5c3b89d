//! Places: where an assignment or an `&mut` argument puts a shape.

use syn::{Expr, Type};
use tuner_source::{Leaves, entry};

use super::pattern::member;
use super::walk::Walk;
use crate::diagnostics::messages;
use crate::infer::edits::Edit;
use crate::model::shape::Shape;
use crate::model::{Constant, bare, last_name, path_names, table};

impl Walk<'_> {
    /// Widens the shape (what in a value depends on weights) of the variable or field that an
    /// expression names by `shape`. An entry of a table means the table, a method call its
    /// receiver; in a tuple each part gets its part, in an array each element all of it, and in
    /// `S { mg, .. }` each place the shape that the field has. For other expressions nothing is
    /// done.
    pub(super) fn flow_into(&mut self, place: &Expr, shape: &Shape) {
        match behind(place) {
            Expr::Path(e) => {
                let ident = e.path.get_ident();
                if let Some(id) = ident.and_then(|i| self.variable(&i.to_string())) {
                    self.learn(id, shape);
                }
            }
            Expr::MethodCall(e) => self.flow_into(&e.receiver, shape),
            Expr::Tuple(e) => {
                for (index, elem) in e.elems.iter().enumerate() {
                    self.flow_into(elem, &shape.component(index));
                }
            }
            Expr::Array(e) => e.elems.iter().for_each(|elem| self.flow_into(elem, shape)),
            Expr::Struct(e) => {
                let name = last_name(&e.path);
                for field in &e.fields {
                    let part = self.field_of(&name, &member(&field.member));
                    self.flow_into(&field.expr, &part.unwrap_or_default());
                }
            }
            Expr::Field(e) => {
                let field = member(&e.member);
                match self.peek(&e.base) {
                    Shape::Named(name) => self.flow_into_field(&name, &field, shape),
                    // `pair.0 = …`: the tuple gets the new shape in one part.
                    Shape::Tuple(mut parts) => {
                        if let Some(part) = field.parse().ok().and_then(|i: usize| parts.get_mut(i))
                        {
                            part.join(shape);
                            self.flow_into(&e.base, &Shape::Tuple(parts));
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Walks the expression on the left of `=`. In `S { mg, .. } = …` and `[a, b] = …` no struct or
    /// array is made there, so only the places in it are walked.
    pub(super) fn walk_place(&mut self, place: &Expr) {
        match behind(place) {
            Expr::Struct(e) => e
                .fields
                .iter()
                .for_each(|field| self.walk_place(&field.expr)),
            Expr::Array(e) => e.elems.iter().for_each(|elem| self.walk_place(elem)),
            _ => drop(self.plain(place)),
        }
    }

    /// Lets the shape of an assigned value (what in it depends on weights) flow into the place on
    /// the left. Refuses the assignment if a score would be lost: in a static, or in a field of a
    /// struct that no annotated module declares.
    pub(super) fn put(&mut self, place: &Expr, shape: &Shape) {
        self.flow_into(place, shape);
        if !self.is_checking() || !self.facts.differs(shape) {
            return;
        }
        let at = self.extent(place);
        if let Some(name) = self.outside(place) {
            self.refuse(at, messages::stored_in(&name));
        } else if let Some(field) = self.lost_field(place) {
            self.refuse(at, messages::unknown_field(&field));
        }
    }

    /// The name of the static or const that a place is in. `None` if the place is in a variable or
    /// in a const that the twin computes itself, or if the expression is not a place.
    pub(super) fn outside(&self, place: &Expr) -> Option<String> {
        match behind(place) {
            Expr::Path(e) if self.is_call(&e.path) => None,
            Expr::Path(e) => {
                let name = e.path.segments.last()?.ident.to_string();
                let is_own = e.path.segments.len() == 1 && self.variable(&name).is_some();
                (!is_own).then_some(name)
            }
            Expr::Field(e) => self.outside(&e.base),
            Expr::MethodCall(e) => self.outside(&e.receiver),
            _ => None,
        }
    }

    /// The name of the field that a place is in, if no annotated module declares the struct with
    /// the field, so that no trace would see a score stored there; else `None`.
    fn lost_field(&self, place: &Expr) -> Option<String> {
        match bare(place) {
            // The value with the field is not known to be a struct of an annotated module.
            Expr::Field(e) if self.peek(&e.base) == Shape::Plain => Some(member(&e.member)),
            Expr::Index(e) => self.lost_field(&e.expr),
            _ => None,
        }
    }

    /// Widens the shape (what in a value depends on weights) of a field of a struct that an
    /// annotated module declares by `shape`. A struct does not flow into a field that is declared a
    /// number: rustc lets none in, so the value only counts as one. Does nothing for other structs,
    /// and once all shapes are known.
    pub(super) fn flow_into_field(&mut self, structure: &str, field: &str, shape: &Shape) {
        let name = self.type_named(structure);
        let Some(index) = name.and_then(|name| self.facts.structure(name)) else {
            return;
        };
        let declared = &self.facts.structs[index];
        let Some(position) = declared.fields.iter().position(|(n, _)| n == field) else {
            return;
        };
        let is_number = declared.numbers[position];
        if let Some(facts) = self.facts.learning()
            && !(is_number && matches!(shape, Shape::Named(_)))
        {
            self.changed |= facts.fields[index][position].join(shape);
        }
    }

    /// The shape of a place as it is known (what in its value depends on weights), without another
    /// walk of the expression; `Plain`, no weight, if the expression is not a place.
    pub(super) fn peek(&self, expr: &Expr) -> Shape {
        match behind(expr) {
            Expr::Path(e) => self.path(&e.path),
            Expr::Field(e) => self.field(&self.peek(&e.base), &member(&e.member)),
            Expr::Tuple(e) => Shape::Tuple(e.elems.iter().map(|e| self.peek(e)).collect()),
            Expr::Array(e) => {
                let parts = e.elems.iter().map(|e| self.peek(e));
                parts.fold(Shape::Plain, |a, b| a.joined(&b))
            }
            _ => Shape::Plain,
        }
    }

    /// The shape (what in the value depends on weights) of a field of a value of shape `base`.
    /// `field` is its name, or its number in a tuple: `0`, `1`, ….
    pub(super) fn field(&self, base: &Shape, field: &str) -> Shape {
        match base {
            // A container has the shape of its elements: if the struct has no such field, the value
            // is a container, and what is taken from it an element.
            Shape::Named(name) => self.field_of(name, field).unwrap_or_else(|| base.clone()),
            // A number has no fields with names: the value is a container of structs.
            Shape::Score if field.starts_with(|c: char| !c.is_ascii_digit()) => Shape::Score,
            Shape::Tuple(_) => field
                .parse()
                .map_or(Shape::Plain, |i: usize| base.component(i)),
            _ => Shape::Plain,
        }
    }

    /// The shape (what in the value depends on weights) of what a path names: a variable, an
    /// associated const, or a const of an annotated module; `Plain` for anything else.
    pub(super) fn path(&self, path: &syn::Path) -> Shape {
        if let Some(ident) = path.get_ident()
            && let Some(id) = self.variable(&ident.to_string())
        {
            return self.shape_of(id);
        }
        // A member of a struct, as `S::ZERO`. One that is not known to be a const counts as a value
        // of the struct.
        if let [.., of, name] = &path_names(path)[..]
            && let Some(of) = self.type_named(of)
            && let Some(built) = self.built(of)
        {
            return self.facts.associated_shape(of, name).unwrap_or(built);
        }
        let constant = self.constant_behind(path);
        constant.map(|c| c.shape.clone()).unwrap_or_default()
    }

    /// The const or static of an annotated module that a path leads to, if its entries depend on
    /// weights or it is a frozen pair; `None` for a variable, a const inside the body, and anything
    /// else.
    fn constant_behind(&self, path: &syn::Path) -> Option<&Constant> {
        let names = path_names(path);
        let (unit, name) = match &names[..] {
            [name] if self.variable(name).is_some() || self.nested.contains(name) => return None,
            [name] => self.facts.lookup(self.unit, name)?,
            names => self.facts.re_exported(self.unit, names)?,
        };
        self.facts.constant(unit, &name)
    }

    /// Walks a path to a variable, a const, or a function as a value, and returns its shape (what
    /// in the value depends on weights). A const that the twin computes, when it is first used or,
    /// an associated one, where it is used, becomes a call. Refused are a member of a struct in an
    /// impl block without annotation, a const of a union of weights, and a const whose twin no path
    /// leads to.
    pub(super) fn path_expr(&mut self, expr: &Expr, path: &syn::Path) -> Shape {
        if let [.., of, name] = &path_names(path)[..]
            && let Some(of) = self.type_named(of).map(str::to_owned)
            && self.facts.associated_shape(&of, name).is_none()
            && let Some(shape) = self.unmarked_member(self.extent(path), &of, name)
        {
            return shape;
        }
        if let Some(shape) = self.function_value(expr, path) {
            return shape;
        }
        if let Some(union) = self.union_behind(path) {
            self.refuse(self.extent(path), messages::union_of(&union));
            return Shape::Plain;
        }
        let shape = self.path(path);
        let found = self.constant_behind(path);
        if let Some(constant) = found
            && let Some(module) = self.facts.hides(self.unit, constant.unit)
        {
            let (at, name) = (self.extent(path), constant.name.clone());
            self.refuse(at, messages::hidden(&name, &module));
            return shape;
        }
        let derived = found.filter(|c| self.facts.is_derived(c));
        // `by_reference`: the call takes the place of the const as it is; if not, `*` is put before
        // it. The function for an associated const returns its value, which needs no `*`.
        let by_reference = derived.map(|c| c.by_reference);
        let computed = self.is_computed(path).then_some(true);
        if let Some(by_reference) = by_reference.or(computed) {
            // The call is not const, so the twin of a body with it is not a const fn.
            self.operates();
            self.record(expr, Edit::Computed { by_reference });
        }
        shape
    }

    /// Walks a path to a function of an annotated module that is used as a value, and returns the
    /// shape (what in a value depends on weights) of what the function returns. `None` if the path
    /// is of something else.
    fn function_value(&mut self, expr: &Expr, path: &syn::Path) -> Option<Shape> {
        let names = path_names(path);
        let is_variable = names.len() == 1 && self.variable(&names[0]).is_some();
        if is_variable || self.constant_behind(path).is_some() {
            return None;
        }
        // The type before the last name, if there is one.
        let of = names.len().checked_sub(2);
        let of = of.and_then(|of| self.type_named(&names[of]).map(str::to_owned));
        let candidates = self.candidates(&names, of.as_deref());
        if candidates.is_empty() {
            return None;
        }
        self.rename(expr, &candidates);
        self.enter(&candidates);
        Some(self.returned_by(&candidates))
    }

    /// The name of a union, if a path leads to a const of that type which is not frozen and has
    /// numbers in its initialiser: its bytes may be weights. `None` for anything else, and while
    /// the shapes of values (what in them depends on weights) still flow.
    fn union_behind(&self, path: &syn::Path) -> Option<String> {
        let facts = &self.facts;
        if !self.is_checking() || facts.modules.iter().all(|module| module.unions.is_empty()) {
            return None;
        }
        let names = path_names(path);
        if names.len() == 1 && self.variable(&names[0]).is_some() {
            return None;
        }
        let (module, name) = facts.item_behind(facts.units[self.unit].place, &names)?;
        let unit = &facts.units[facts.unit_of(module)?];
        let mut tables = unit.items.iter().filter_map(table);
        let (_, ty, value) = tables.find(|(ident, ..)| **ident == name)?;
        let Type::Path(ty) = entry(ty) else {
            return None;
        };
        let union = last_name(&ty.path);
        let is_frozen = unit.frozen.contains(&name);
        (facts.is_union(&union) && !is_frozen && !Leaves::of(value).leaves.is_empty())
            .then_some(union)
    }

    /// Tells whether a path leads to a const that becomes a call in the twin, as it is computed
    /// there. `false` while the shapes of values (what in them depends on weights) still flow, as
    /// that depends on them.
    fn is_call(&self, path: &syn::Path) -> bool {
        let constant = self.constant_behind(path);
        self.is_checking()
            && (constant.is_some_and(|c| self.facts.is_derived(c)) || self.is_computed(path))
    }

    /// Whether a path is of an associated const, `S::TOTAL`, that the twin computes where it is
    /// used, since its initialiser computes with weights.
    fn is_computed(&self, path: &syn::Path) -> bool {
        let names = path_names(path);
        let [.., of, name] = &names[..] else {
            return false;
        };
        let of = self.type_named(of);
        of.is_some_and(|of| self.facts.is_computed(of, name))
    }
}

/// The expression without index, reference, `*` and sign around it, which names the whole that the
/// place belongs to: `TABLE` of `&mut TABLE[i]`.
fn behind(place: &Expr) -> &Expr {
    match bare(place) {
        Expr::Index(e) => behind(&e.expr),
        Expr::Reference(e) => behind(&e.expr),
        Expr::Unary(e) => behind(&e.expr),
        place => place,
    }
}
