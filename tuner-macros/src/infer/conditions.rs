//! What is under `#[cfg]` inside of a body: rustc decides after the macro whether it exists,
//! so what is wrong there is wrong under the same conditions.

use std::collections::HashSet;

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Arm, Attribute, Block, FieldValue, Stmt};
use tuner_source::{Locals, uses};

use crate::diagnostics::Diagnostic;
use crate::model::{conditions, escapes, location};

/// Puts each mistake in `found`, to which the use of some name in the body `block` led, under the
/// `#[cfg]` conditions of the statements, fields and match arms around the use. `locals`: the names
/// that the body declares itself, which are not searched.
pub(super) fn put_under_conditions(found: &mut [Diagnostic], block: &Block, locals: &Locals) {
    if found.is_empty() {
        return;
    }
    Conditions { found, locals }.visit_block(block);
}

/// The mistakes found in a body, and the names that the body declares itself.
struct Conditions<'a> {
    found: &'a mut [Diagnostic],
    locals: &'a Locals,
}

impl Conditions<'_> {
    /// Puts the mistakes at uses of names in one part of the body (a statement, a field or an arm)
    /// under the `#[cfg]` conditions among `attributes`, those of the part. Parts are visited from
    /// the outside in, so outer conditions come first.
    fn part(&mut self, attributes: &[Attribute], part: &impl ToTokens) {
        if conditions(attributes).is_empty() {
            return;
        }
        let places = uses(part, self.locals).into_iter();
        let places: HashSet<_> = places.map(|used| location(used.at.start)).collect();
        for diagnostic in &mut *self.found {
            if places.contains(&location(diagnostic.at.start)) {
                diagnostic.under(attributes);
            }
        }
    }
}

impl<'ast> Visit<'ast> for Conditions<'_> {
    /// Puts the mistakes in a statement under its `#[cfg]`. The copy is needed since the attributes
    /// are found by a function that takes a mutable statement.
    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        let mut copy = stmt.clone();
        if let Some(attributes) = escapes::attributes(&mut copy) {
            self.part(attributes, stmt);
        }
        visit::visit_stmt(self, stmt);
    }

    /// Puts the mistakes in a field of a struct literal under the `#[cfg]` of the field.
    fn visit_field_value(&mut self, field: &'ast FieldValue) {
        self.part(&field.attrs, field);
        visit::visit_field_value(self, field);
    }

    /// Puts the mistakes in an arm of a `match` under the `#[cfg]` of the arm.
    fn visit_arm(&mut self, arm: &'ast Arm) {
        self.part(&arm.attrs, arm);
        visit::visit_arm(self, arm);
    }
}
