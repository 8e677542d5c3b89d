//! Macro calls: what is read as expressions, left out of the twin, or refused.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::HashSet;
use syn::{Expr, Ident, Lit, Macro};

use super::nonlinear::is_number;
use super::walk::Walk;
use crate::diagnostics::messages;
use crate::infer::edits::{Edit, MacroChange, MacroEdit};
use crate::model::macro_input::{Input, MacroKind};
use crate::model::shape::Shape;
use crate::model::{each_token, identifiers, last_name, location};

impl Walk<'_> {
    /// Walks the input of a macro call, records what the call becomes in the twin, and returns its
    /// shape (what in its value depends on weights). `want` is the shape that is expected.
    pub(super) fn macro_call(&mut self, mac: &Macro, want: &Shape) -> Shape {
        let input = Input::of(mac);
        // The edits inside the input are numbered by themselves, in a table of the macro call.
        let around = std::mem::take(&mut self.recorder);
        let (shape, becomes) = self.input(mac, &input, want);
        let inside = std::mem::replace(&mut self.recorder, around);
        if let Some(becomes) = becomes.filter(|_| self.is_checking()) {
            let edits = inside.numbered(|numbering| input.visit(numbering));
            let edit = MacroEdit {
                input,
                edits,
                becomes,
            };
            self.record(mac, Edit::Macro(Box::new(edit)));
        }
        shape
    }

    /// Walks what a macro call holds, by the kind of the macro. Returns the shape of the call (what
    /// in its value depends on weights), and what becomes of the call in the twin; `None` if it
    /// stays, because it is refused or holds no expressions. `want` is the shape that is expected.
    fn input(&mut self, mac: &Macro, input: &Input, want: &Shape) -> (Shape, Option<MacroChange>) {
        let exprs = &input.exprs;
        match input.kind {
            MacroKind::Freeze => self.freeze(mac, &exprs[0]),
            MacroKind::Interpolated => self.interpolated(mac, &exprs[0], &exprs[1]),
            MacroKind::Weight => self.inline_weight(mac, input.weight.as_ref().map(|w| &w.0)),
            MacroKind::Untraced => {
                self.refuse(self.extent(mac), messages::untraced_value());
                (Shape::Never, None)
            }
            MacroKind::Diverging => (Shape::Never, None),
            MacroKind::SideEffect => (Shape::Plain, Some(MacroChange::Nothing)),
            MacroKind::Matches => {
                let shape = self.plain(&exprs[0]);
                if let Some((pattern, _)) = &input.pattern {
                    self.scopes.push(Vec::new());
                    let first = self.reserve(pattern);
                    self.bind(pattern, &mut { first }, &shape);
                    self.scopes.pop();
                }
                (Shape::Plain, Some(MacroChange::Same))
            }
            MacroKind::List => {
                let name = last_name(&mac.path);
                // A macro of the author that builds an entry of a table of weights from literals.
                if let Some(built) = self.facts.constructors.get(&name).cloned() {
                    for arg in exprs {
                        self.expr(arg, &Shape::Score);
                    }
                    return (built, Some(MacroChange::Same));
                }
                let want = if name == "vec" { want } else { &Shape::Plain };
                let shape = self.list(exprs.iter(), want);
                // A format string first: the values only go into a text, as in `fail!("no man on
                // {}", board)`.
                let is_told = exprs.first().is_some_and(is_format);
                let shape = if is_told { Shape::Plain } else { shape };
                (shape, Some(MacroChange::Same))
            }
            MacroKind::Repeat => {
                let shape = self.expr(&exprs[0], want);
                self.plain(&exprs[1]);
                (shape, Some(MacroChange::Same))
            }
            MacroKind::Invalid => (Shape::Plain, None),
            MacroKind::Text | MacroKind::Unread => {
                if self.mentions(mac.tokens.clone()) {
                    let message = match input.kind {
                        MacroKind::Text => messages::format(),
                        _ => messages::unread_macro(&last_name(&mac.path)),
                    };
                    self.refuse(self.extent(mac), message);
                }
                (Shape::Plain, None)
            }
        }
    }

    /// Walks `freeze!(score)`, which the twin turns into a plain number, at which the derivative
    /// stops. Refuses it outside of functions that are marked `nonlinear`, and for a struct.
    /// Returns the shape `Plain`, as no weight reaches the value then, and what the call becomes.
    fn freeze(&mut self, mac: &Macro, frozen: &Expr) -> (Shape, Option<MacroChange>) {
        let at = self.extent(mac);
        let shape = self.plain(frozen);
        if self.facts.differs(&shape) {
            // The function that takes the plain number out is not const, nor is a body with it.
            self.operates();
            if !self.is_nonlinear() {
                self.refuse_use(at, messages::freeze());
            } else if !is_number(&shape) {
                self.refuse(at, messages::freeze_pair());
            }
        }
        let frozen = shape.is_score().then_some(MacroChange::Frozen);
        (Shape::Plain, Some(frozen.unwrap_or(MacroChange::Same)))
    }

    /// Walks `interpolated!(TABLE, score)`, whose value is the entry of the table at the score; its
    /// derivative in the twin is the slope of the table there. Refuses it outside of functions that
    /// are marked `nonlinear`, and with structs. Returns its shape (what in its value depends on
    /// weights), and what the call becomes: it stays if the index does not depend on weights.
    fn interpolated(
        &mut self,
        mac: &Macro,
        table: &Expr,
        index: &Expr,
    ) -> (Shape, Option<MacroChange>) {
        let at = self.extent(mac);
        let entries = self.plain(table);
        let by = self.plain(index);
        if !self.facts.differs(&by) {
            return (entries, Some(MacroChange::Same));
        }
        // The body computes with traced numbers, so its twin is not a const fn.
        self.operates();
        if !self.is_nonlinear() {
            self.refuse_use(at, messages::interpolated());
        } else if !is_number(&by) || !is_number(&entries) {
            self.refuse(at, messages::interpolated_pair());
        }
        (Shape::Score, Some(MacroChange::Interpolated(at.start)))
    }

    /// Walks `weight!(TEMPO: 10)`, which the twin turns into the handle of the weight; it stays a
    /// number if the name is frozen. Returns the shape (whether weights reach the value), and what
    /// the call becomes; `None` if it stays. Refuses other input (`name` is `None`), a value other
    /// than a number, and a name that another item or `weight!` of the module has.
    fn inline_weight(&mut self, mac: &Macro, name: Option<&Ident>) -> (Shape, Option<MacroChange>) {
        let at = self.extent(mac);
        let Some(name) = name else {
            self.refuse(at, messages::inline_weight());
            return (Shape::Score, None);
        };
        // The weight of this name counts only if it is the one written at this place.
        let found = self.facts.constant(self.unit, &name.to_string());
        if let Some(weight) = found.filter(|weight| weight.location == location(name.span())) {
            return (Shape::Score, Some(MacroChange::Weight(weight.first)));
        }
        let (unit, name_here) = (&self.facts.units[self.unit], name.to_string());
        if unit.frozen.iter().any(|frozen| name == frozen) {
            return (Shape::Plain, None);
        }
        // The name is another weight's or item's; or the value of the macro is not a number, so
        // that no weight has the name.
        let message =
            if found.is_some() || self.facts.place(self.unit).declared.contains(&name_here) {
                messages::inline_again(&name_here)
            } else {
                messages::inline_weight()
            };
        self.refuse(at, message);
        (Shape::Score, None)
    }

    /// Tells whether one of the identifiers among some tokens, also inside a format string, is a
    /// variable whose type differs in the twin, or names an item that a twin has a version of.
    pub(super) fn mentions(&self, tokens: TokenStream) -> bool {
        let mut names = HashSet::new();
        identifiers(tokens.clone(), &mut names);
        captured(tokens, &mut names);
        names.iter().any(|name| match self.variable(name) {
            Some(id) => self.facts.differs(&self.shape_of(id)),
            None => self.facts.lookup(self.unit, name).is_some(),
        })
    }
}

/// Adds the names that format strings among the tokens capture, as `score` in `"{score:>5}"`.
fn captured(tokens: TokenStream, names: &mut HashSet<String>) {
    each_token(tokens, &mut |token| {
        if let TokenTree::Literal(literal) = token {
            for part in literal.to_string().split('{').skip(1) {
                // A name ends at the first sign that is not of a name.
                let end = part.find(|c: char| !c.is_alphanumeric() && c != '_');
                names.insert(part[..end.unwrap_or(part.len())].to_owned());
            }
        }
    });
}

/// Tells whether an expression is a text in quotes with `{` in it, the place of a value in a format
/// string.
fn is_format(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(of) if matches!(&of.lit, Lit::Str(text) if text.value().contains('{')))
}
