//! The walk over one body. It lets shapes flow until those of all variables
//! are known ([`learn`]); then, with shapes that no longer change, it says what
//! the twin's version has different and what is wrong ([`check`]). Both meet
//! the variables in the same order, which is how the second finds what the
//! first learnt. The body itself never changes.
//!
//! What it decides is where a plain number becomes a traced one (a literal
//! seed, a count that joins a score), which types hold scores, and which casts
//! and calls are different. Whatever it overlooks is a type error in the twin,
//! never a lost derivative: a traced number has no way back.
//!
//! In all files, a *shape* says what in a value depends on weights, as far as is known; `want` is
//! the shape that is expected of an expression, `at` what a message underlines. *Plain* is what no
//! weight reaches, *lifting* makes it a traced number, and *refusing* adds a message, which is kept
//! once shapes are settled. *Candidates* are the functions, by number, that a call may mean.

mod call;
mod expr;
mod flow;
mod lift;
mod macros;
mod nonlinear;
mod origins;
mod pattern;
mod place;
mod unknown;
mod walk;
mod without_twin;

use syn::visit::Visit;
use syn::{Block, Expr, Signature};

use super::Facts;
use super::edits::Edits;
use crate::diagnostics::Diagnostic;
use crate::model::shape::Shape;
use walk::{Access, Walk};

pub(crate) use without_twin::is_sign;

/// Which body is walked: its unit (an annotated module), the type of its impl block, and its
/// number.
#[derive(Clone, Copy)]
pub(super) struct BodyRef<'o> {
    pub(super) unit: usize,
    pub(super) owner: Option<&'o str>,
    pub(super) body: Option<usize>,
}

/// The code of a body: a function, or the initialiser of a const.
#[derive(Clone, Copy)]
pub(super) enum Code<'c> {
    Function(&'c Signature, &'c Block),
    /// An initialiser, and the shape that is expected of it.
    Initialiser(&'c Expr, &'c Shape),
}

/// Walks a body so that shapes (what in a value depends on weights) flow through it into the
/// tables; returns whether any shape became wider. `of` says which body it is, `code` is its
/// source.
pub(super) fn learn(facts: &mut Facts, of: BodyRef<'_>, code: Code<'_>) -> bool {
    let mut walk = Walk::new(Access::Learning(facts), of);
    walk.run(code);
    walk.changed
}

/// Walks a body when all shapes (what in a value depends on weights) are known. Returns the edits
/// that make its twin, by numbers of nodes in the order of a visit, and the mistakes of its author.
/// `of` says which body it is, `code` is its source.
pub(super) fn check(facts: &Facts, of: BodyRef<'_>, code: Code<'_>) -> (Edits, Vec<Diagnostic>) {
    let mut walk = Walk::new(Access::Settled(facts), of);
    walk.run(code);
    let edits = walk.recorder.numbered(|numbering| match code {
        Code::Function(sig, block) => {
            numbering.visit_signature(sig);
            numbering.visit_block(block);
        }
        Code::Initialiser(expr, _) => numbering.visit_expr(expr),
    });
    let mut diagnostics = walk.diagnostics;
    if let Code::Function(sig, block) = code {
        origins::name_consts(facts, of.unit, sig, block, &mut diagnostics);
    }
    (edits, diagnostics)
}
