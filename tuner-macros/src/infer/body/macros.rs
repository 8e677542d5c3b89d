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
    /// Walks the input of a macro call, records what the call becomes, and returns its shape.
    pub(super) fn macro_call(&mut self, mac: &Macro, want: &Shape) -> Shape {
        let input = Input::of(mac);
        // What is in the input has a table of its own.
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

    /// Returns the shape of a macro call and its change in the twin; `None` if it stays, since it
    /// is refused or holds no expressions. `want`: the shape that is expected of it.
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
                // The author's macro for a literal pair.
                if let Some(built) = self.facts.constructors.get(&name).cloned() {
                    for arg in exprs {
                        self.expr(arg, &Shape::Score);
                    }
                    return (built, Some(MacroChange::Same));
                }
                let want = if name == "vec" { want } else { &Shape::Plain };
                let shape = self.list(exprs.iter(), want);
                // What is told, `fail!("no man on {}", board)`, is not what is given.
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

    /// Walks `freeze!(score)`, which the twin turns into a plain number; refuses it for a struct,
    /// and outside of `nonlinear`. Returns its shape and the change of the call.
    fn freeze(&mut self, mac: &Macro, frozen: &Expr) -> (Shape, Option<MacroChange>) {
        let at = self.extent(mac);
        let shape = self.plain(frozen);
        if self.facts.differs(&shape) {
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

    /// Walks `interpolated!(TABLE, score)`: the value is that of the entry, and the derivative in
    /// the twin is the slope of the table there. Refused outside of `nonlinear`, and of structs.
    /// Returns its shape, and what the call becomes.
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
        self.operates();
        if !self.is_nonlinear() {
            self.refuse_use(at, messages::interpolated());
        } else if !is_number(&by) || !is_number(&entries) {
            self.refuse(at, messages::interpolated_pair());
        }
        (Shape::Score, Some(MacroChange::Interpolated(at.start)))
    }

    /// Walks `weight!(TEMPO: 10)`: the handle of the weight, or the number if the name is frozen.
    /// It is refused if the input has another form (`name` is `None`), or if another item or
    /// `weight!` has the name. Returns its shape and the change of the call.
    fn inline_weight(&mut self, mac: &Macro, name: Option<&Ident>) -> (Shape, Option<MacroChange>) {
        let at = self.extent(mac);
        let Some(name) = name else {
            self.refuse(at, messages::inline_weight());
            return (Shape::Score, None);
        };
        let found = self.facts.constant(self.unit, &name.to_string());
        if let Some(weight) = found.filter(|weight| weight.location == location(name.span())) {
            return (Shape::Score, Some(MacroChange::Weight(weight.first)));
        }
        let (unit, name_here) = (&self.facts.units[self.unit], name.to_string());
        if unit.frozen.iter().any(|frozen| name == frozen) {
            return (Shape::Plain, None);
        }
        let message =
            if found.is_some() || self.facts.place(self.unit).declared.contains(&name_here) {
                messages::inline_again(&name_here)
            } else {
                messages::inline_weight()
            };
        self.refuse(at, message);
        (Shape::Score, None)
    }

    /// Tells whether any identifier among the tokens, also inside a format string, names something
    /// that has a version in the twin.
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

/// Adds the names that format strings capture, `"{score:>5}"`.
fn captured(tokens: TokenStream, names: &mut HashSet<String>) {
    each_token(tokens, &mut |token| {
        if let TokenTree::Literal(literal) = token {
            for part in literal.to_string().split('{').skip(1) {
                let end = part.find(|c: char| !c.is_alphanumeric() && c != '_');
                names.insert(part[..end.unwrap_or(part.len())].to_owned());
            }
        }
    });
}

/// Tells whether an expression is a text in quotes with a place for a value.
fn is_format(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(of) if matches!(&of.lit, Lit::Str(text) if text.value().contains('{')))
}
