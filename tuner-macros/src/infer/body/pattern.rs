//! Patterns: which variables they bring, and what flows into them.

use syn::{Member, Pat};

use super::walk::Walk;
use crate::diagnostics::messages;
use crate::infer::edits::Edit;
use crate::model::last_name;
use crate::model::shape::Shape;

impl Walk<'_> {
    /// Numbers the variables of a pattern and returns the first number. This is done before the
    /// value on the right is walked, so that the shapes which the variables got in earlier walks of
    /// the body (what in them depends on weights) can be expected of that value.
    pub(super) fn reserve(&mut self, pat: &Pat) -> usize {
        let first = self.next_variable;
        for _ in 0..count(pat) {
            self.allocate();
        }
        first
    }

    /// Gives the variables of a pattern, which have numbers already, the shape of the value that is
    /// matched (what in it depends on weights), part by part, and brings them into scope. `next`:
    /// the number of the pattern's first variable, then moved behind its last. A pattern that
    /// compares a score with a literal or a const is refused.
    pub(super) fn bind(&mut self, pat: &Pat, next: &mut usize, shape: &Shape) {
        if shape.is_score() && tests(pat) {
            self.refuse_use(self.extent(pat), messages::match_on());
        }
        match pat {
            Pat::Ident(p) => {
                if is_variable(p) {
                    let id = *next;
                    *next += 1;
                    self.learn(id, shape);
                    self.declare(p.ident.to_string(), id);
                }
                if let Some((_, sub)) = &p.subpat {
                    self.bind(sub, next, shape);
                }
            }
            Pat::Type(p) => {
                let declared = self.facts.types.shape(&p.ty, self.owner.as_deref());
                let before = *next;
                self.bind(&p.pat, next, &declared.joined(shape));
                // The type in the pattern is traced as far as the variables hold scores.
                let learnt = self.wanted(&p.pat, &mut { before });
                self.record(p, Edit::Type(learnt));
            }
            Pat::Tuple(p) => {
                for (index, elem) in p.elems.iter().enumerate() {
                    // A container has the shape of its elements. So a tuple pattern on anything but
                    // a tuple takes parts of an element.
                    let part = match shape {
                        Shape::Tuple(_) => shape.component(index),
                        other => other.clone(),
                    };
                    self.bind(elem, next, &part);
                }
            }
            Pat::TupleStruct(p) => {
                let name = last_name(&p.path);
                for (index, elem) in p.elems.iter().enumerate() {
                    // In `Some(x)` or another enum, which is a container here, `x` has the shape of
                    // the whole.
                    let part = self.field_of(&name, &index.to_string());
                    self.bind(elem, next, &part.unwrap_or_else(|| shape.clone()));
                }
            }
            Pat::Struct(p) => {
                let name = last_name(&p.path);
                for field in &p.fields {
                    // A field of an enum, or of a struct that no annotated module declares, counts
                    // as without a score.
                    let part = self.field_of(&name, &member(&field.member));
                    self.bind(&field.pat, next, &part.unwrap_or_default());
                }
            }
            Pat::Reference(p) => self.bind(&p.pat, next, shape),
            Pat::Paren(p) => self.bind(&p.pat, next, shape),
            Pat::Slice(p) => p.elems.iter().for_each(|e| self.bind(e, next, shape)),
            Pat::Or(p) => p.cases.iter().for_each(|c| self.bind(c, next, shape)),
            Pat::Guard(p) => {
                self.bind(&p.pat, next, shape);
                self.expr(&p.guard, &Shape::Plain);
            }
            _ => {}
        }
    }

    /// The shape (what in a value depends on weights) that the variables of a pattern, which have
    /// numbers already, have got so far. It is `Plain`, no weight, for patterns of structs, enums
    /// and alternatives. `next`: the number of the pattern's first variable, then moved behind its
    /// last.
    pub(super) fn wanted(&self, pat: &Pat, next: &mut usize) -> Shape {
        match pat {
            Pat::Ident(p) if is_variable(p) => {
                let first = *next;
                *next += count(pat);
                self.shape_of(first)
            }
            Pat::Type(p) => {
                let declared = self.facts.types.shape(&p.ty, self.owner.as_deref());
                declared.joined(&self.wanted(&p.pat, next))
            }
            Pat::Tuple(p) => Shape::Tuple(p.elems.iter().map(|e| self.wanted(e, next)).collect()),
            Pat::Reference(p) => self.wanted(&p.pat, next),
            Pat::Paren(p) => self.wanted(&p.pat, next),
            Pat::Slice(p) => {
                let parts = p.elems.iter().map(|e| self.wanted(e, next));
                parts.fold(Shape::Plain, |a, b| a.joined(&b))
            }
            _ => {
                *next += count(pat);
                Shape::Plain
            }
        }
    }

    /// The shape (what in the value depends on weights) of the field `field` of the struct
    /// `structure`; `None` unless an annotated module declares the struct and it has the field.
    /// `Self` is a name for the type of the impl block.
    pub(super) fn field_of(&self, structure: &str, field: &str) -> Option<Shape> {
        let index = self.facts.structure(self.type_named(structure)?)?;
        self.facts.field(index, field).cloned()
    }
}

/// The name of a field as text; for a field without a name its number in the struct, from `0`.
pub(super) fn member(member: &Member) -> String {
    match member {
        Member::Named(ident) => ident.to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

/// Whether a pattern that is a single name makes a variable: the name does not begin with a capital
/// letter, as `None` and `MAX` do, which are paths; or a pattern follows it behind `@`.
fn is_variable(pat: &syn::PatIdent) -> bool {
    pat.subpat.is_some() || !pat.ident.to_string().starts_with(char::is_uppercase)
}

/// Whether a pattern compares a number: it is a literal, a range, a const, or a pattern that `syn`
/// cannot read. A name is a const if it has two or more letters and all are capital: `MAX` is one,
/// `None` and `N` are not.
fn tests(pat: &Pat) -> bool {
    match pat {
        Pat::Lit(_) | Pat::Range(_) | Pat::Verbatim(_) => true,
        Pat::Ident(p) => {
            let name = p.ident.to_string();
            !is_variable(p) && name.len() > 1 && !name.contains(char::is_lowercase)
        }
        _ => false,
    }
}

/// How many variables a pattern makes, each of which gets a number. In alternatives, `A(x) | B(x)`,
/// each `x` gets one: each declares the name anew, and the last wins.
fn count(pat: &Pat) -> usize {
    match pat {
        Pat::Ident(p) => usize::from(is_variable(p)) + p.subpat.as_ref().map_or(0, |s| count(&s.1)),
        Pat::Type(p) => count(&p.pat),
        Pat::Tuple(p) => p.elems.iter().map(count).sum(),
        Pat::TupleStruct(p) => p.elems.iter().map(count).sum(),
        Pat::Struct(p) => p.fields.iter().map(|f| count(&f.pat)).sum(),
        Pat::Reference(p) => count(&p.pat),
        Pat::Paren(p) => count(&p.pat),
        Pat::Slice(p) => p.elems.iter().map(count).sum(),
        Pat::Or(p) => p.cases.iter().map(count).sum(),
        Pat::Guard(p) => count(&p.pat),
        _ => 0,
    }
}
