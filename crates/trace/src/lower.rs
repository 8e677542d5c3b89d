//! From the nodes that are not linear to an [`Expression`] over forms.

use super::expression::{Expression, Step};
use super::linear::{Linear, Sweep};
use super::nonlinear_op::NonlinearOp;
use super::registry::Leaf;
use super::sweep::{Form, Trace};
use super::tape::{Op, Ref, Tape};

/// In place of a step's number: the node has no step yet.
const NONE: u32 = u32::MAX;

/// Buffers that are reused from one trace to the next.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// By node: its step, or [`NONE`].
    step_of: Vec<u32>,
    /// By form of the trace: a hash of its terms, whatever their order.
    hashes: Vec<u64>,
    linear: Vec<Linear>,
    expression: Expression,
}

impl Buffers {
    /// Takes back an expression, so that its memory is used again.
    pub(super) fn reuse(&mut self, expression: Expression) {
        self.expression = expression;
    }
}

/// Adds to a trace, whose linear part is there, the expression Σ factor·node over nodes of the tape
/// that are not linear, `nonlinear`, and the guards: branches that were taken.
///
/// Forms that the linear part has already are shared, others are added with
/// factor 0.
pub(super) fn lower(
    tape: &Tape,
    sweep: &mut Sweep,
    buffers: &mut Buffers,
    nonlinear: &[(usize, f64)],
    trace: &mut Trace,
) {
    buffers.step_of.clear();
    buffers.step_of.resize(tape.nodes.len(), NONE);
    buffers.hashes.clear();
    let hashes = trace.forms.iter().map(|form| hash(&form.terms));
    buffers.hashes.extend(hashes);
    buffers.expression.steps.clear();
    buffers.expression.constants.clear();
    let mut lowering = Lowering {
        tape,
        sweep,
        buffers,
        trace,
    };
    // Guards come first, as the last step must be the sum.
    for &(difference, relation, holds) in &tape.guards {
        let step = lowering.operand(difference);
        lowering.push(Step::Guard(step, relation, holds), 0.0);
    }
    let mut result = None;
    for &(node, factor) in nonlinear {
        let part = lowering.node(node);
        lowering.add(&mut result, part, factor);
    }
    let result = lowering.sum(result, 0.0, 0.0);
    // The value of an expression is that of its last step.
    if result as usize + 1 < lowering.buffers.expression.steps.len() {
        let zero = lowering.constant(0.0);
        lowering.push(Step::Add(result, zero), 0.0);
    }
    trace.expression = Some(std::mem::take(&mut buffers.expression));
}

/// Returns a hash of the terms of a form that does not depend on their order: the sum of a hash of
/// each term, mixed by constants of `SplitMix64`.
fn hash(terms: &[(Leaf, i64)]) -> u64 {
    let of_term = |&(leaf, c): &(Leaf, i64)| {
        let mixed = (u64::from(leaf.0) ^ (c as u64) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    };
    terms.iter().map(of_term).fold(0, u64::wrapping_add)
}

/// Tells whether two forms have the same terms, in any order.
fn are_equal(a: &[(Leaf, i64)], b: &[(Leaf, i64)]) -> bool {
    let sorted = |terms: &[(Leaf, i64)]| {
        let mut terms = terms.to_vec();
        terms.sort_unstable();
        terms
    };
    a == b || a.len() == b.len() && sorted(a) == sorted(b)
}

/// An expression that is being made, behind the linear part of a trace.
struct Lowering<'a> {
    tape: &'a Tape,
    sweep: &'a mut Sweep,
    buffers: &'a mut Buffers,
    trace: &'a mut Trace,
}

impl Lowering<'_> {
    /// Appends a step to the expression, and notes that truncation takes at most `slack` from its
    /// value; returns the number of the step.
    fn push(&mut self, step: Step, slack: f64) -> u32 {
        self.trace.step_slack.push(slack);
        self.buffers.expression.push(step)
    }

    /// Appends a constant to the expression as a step of its own, from which truncation takes
    /// nothing; returns the number of the step.
    fn constant(&mut self, value: f64) -> u32 {
        self.trace.step_slack.push(0.0);
        self.buffers.expression.push_constant(value)
    }

    /// Returns the number of the step that computes a node of the tape. At first use the step is
    /// appended, with all that it is computed from; later uses share it.
    fn node(&mut self, node: usize) -> u32 {
        if self.buffers.step_of[node] == NONE {
            self.buffers.step_of[node] = match self.tape.nodes[node] {
                Op::Nonlinear(op, truncates) => {
                    let op = op.map(|operand| self.operand(operand));
                    // A result that is cut to an integer loses less than 1.
                    let slack = if truncates { 1.0 } else { 0.0 };
                    self.push(Step::Nonlinear(op), slack)
                }
                _ => self.linear(self.tape.reference(node)),
            };
        }
        self.buffers.step_of[node]
    }

    /// Returns the number of the step that computes an operand of a nonlinear operation: a node of
    /// the tape, a weight, an entry of a table computed from weights, or nothing, which is 0.
    fn operand(&mut self, r: Ref) -> u32 {
        match r.as_node() {
            Some(node) => self.node(node),
            None => self.linear(r),
        }
    }

    /// Appends the steps of a number that combines forms and nonlinear operations linearly, and
    /// returns the number of the last one. Places of the source where plain numbers joined are
    /// noted in the trace.
    fn linear(&mut self, r: Ref) -> u32 {
        let mut linear = self.buffers.linear.pop().unwrap_or_default();
        self.sweep.run(self.tape, r, &mut linear);
        let mut sum = None;
        for form in linear.forms.drain(..) {
            let factor = form.factor;
            let input = self.form(form);
            let part = self.push(Step::Input(input), 0.0);
            self.add(&mut sum, part, factor);
        }
        for &(node, factor) in &linear.nonlinear {
            let part = self.node(node);
            self.add(&mut sum, part, factor);
        }
        self.trace.sites.extend_from_slice(&linear.sites);
        let sum = self.sum(sum, linear.constant, linear.slack);
        self.buffers.linear.push(linear);
        sum
    }

    /// Returns the number of a form among those of the trace: of an equal one, if there is one,
    /// else of a new one with factor 0, as only the expression uses it.
    fn form(&mut self, mut form: Form) -> u32 {
        form.factor = 0.0;
        let hash = hash(&form.terms);
        let forms = &mut self.trace.forms;
        let is_known = |&other: &usize| {
            self.buffers.hashes[other] == hash && are_equal(&forms[other].terms, &form.terms)
        };
        if let Some(known) = (0..forms.len()).find(is_known) {
            self.sweep.reuse([form].into_iter());
            return known as u32;
        }
        forms.push(form);
        self.buffers.hashes.push(hash);
        forms.len() as u32 - 1
    }

    /// Adds factor·part to a sum, both as steps: `part` is the number of a step, and so is `sum`,
    /// or `None` as long as nothing was added.
    fn add(&mut self, sum: &mut Option<u32>, part: u32, factor: f64) {
        let term = self.scaled(part, factor);
        *sum = Some(match *sum {
            None => term,
            Some(before) => self.push(Step::Add(before, term), 0.0),
        });
    }

    /// Returns the number of the step that is `sum` (the number of a step, or `None` for 0) plus a
    /// constant; truncation takes at most `slack` from it.
    fn sum(&mut self, mut sum: Option<u32>, constant: f64, slack: f64) -> u32 {
        if constant != 0.0 || sum.is_none() {
            let constant = self.constant(constant);
            self.add(&mut sum, constant, 1.0);
        }
        // There is a step by now.
        let sum = sum.unwrap_or_default();
        self.trace.step_slack[sum as usize] += slack;
        sum
    }

    /// Returns the number of the step that is factor·part; that is the step `part` itself where the
    /// factor is 1.
    fn scaled(&mut self, part: u32, factor: f64) -> u32 {
        if factor.to_bits() == 1.0_f64.to_bits() {
            part
        } else if factor.to_bits() == (-1.0_f64).to_bits() {
            self.push(Step::Neg(part), 0.0)
        } else {
            let factor = self.constant(factor);
            self.push(Step::Nonlinear(NonlinearOp::Mul(part, factor)), 0.0)
        }
    }
}
