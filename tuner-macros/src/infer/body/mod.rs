//! The walk over one body. It lets shapes flow until those of all variables
//! are known ([`learn_function`]); then, with shapes that no longer change, it
//! says what the twin's version has different and what is wrong
//! ([`check_function`]). Both meet the variables in the same order, which is
//! how the second finds what the first learnt. The body itself never changes.
//!
//! What it decides is where a plain number becomes a traced one (a literal
//! seed, a count that joins a score), which types hold scores, and which casts
//! and calls are different. Whatever it overlooks is a type error in the twin,
//! never a lost derivative: a traced number has no way back.

mod call;
mod expr;
mod flow;
mod lift;
mod macros;
mod nonlinear;
mod pattern;
mod place;
mod unknown;
mod walk;

use syn::visit::Visit;
use syn::{Block, Expr, Signature};

use super::Facts;
use super::edits::Edits;
use crate::diagnostics::Diagnostic;
use crate::model::shape::Shape;
use walk::{Access, Walk};

/// What the twin's version of a body has different, and what is wrong with
/// production's.
#[derive(Default)]
pub(super) struct CheckedBody {
    pub(super) edits: Edits,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// A body of a unit: whose, and which.
#[derive(Clone, Copy)]
pub(super) struct BodyRef<'o> {
    pub(super) unit: usize,
    pub(super) owner: Option<&'o str>,
    pub(super) body: Option<usize>,
}

/// Lets shapes flow through a function; tells whether any became wider.
pub(super) fn learn_function(
    facts: &mut Facts,
    of: BodyRef<'_>,
    sig: &Signature,
    block: &Block,
) -> bool {
    let mut walk = Walk::new(Access::Learning(facts), of);
    walk.function(sig, block);
    walk.changed
}

/// Lets shapes flow through an initialiser; tells whether any became wider.
pub(super) fn learn_initialiser(
    facts: &mut Facts,
    of: BodyRef<'_>,
    expr: &Expr,
    want: &Shape,
) -> bool {
    let mut walk = Walk::new(Access::Learning(facts), of);
    walk.initialiser(expr, want);
    walk.changed
}

/// Checks a function.
pub(super) fn check_function(
    facts: &Facts,
    of: BodyRef<'_>,
    sig: &Signature,
    block: &Block,
) -> CheckedBody {
    let mut walk = Walk::new(Access::Settled(facts), of);
    walk.function(sig, block);
    let edits = walk.recorder.numbered(|numbering| {
        numbering.visit_signature(sig);
        numbering.visit_block(block);
    });
    CheckedBody {
        edits,
        diagnostics: walk.diagnostics,
    }
}

/// Checks an initialiser.
pub(super) fn check_initialiser(
    facts: &Facts,
    of: BodyRef<'_>,
    expr: &Expr,
    want: &Shape,
) -> CheckedBody {
    let mut walk = Walk::new(Access::Settled(facts), of);
    walk.initialiser(expr, want);
    CheckedBody {
        edits: walk
            .recorder
            .numbered(|numbering| numbering.visit_expr(expr)),
        diagnostics: walk.diagnostics,
    }
}
