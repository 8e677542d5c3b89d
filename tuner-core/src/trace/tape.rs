//! The thread-local tape: one node for each operation on a traced number.
//!
//! A node holds what the reverse sweep needs and nothing else; the values
//! themselves travel in the handles. A [`Ref`] names what a handle depends
//! on: nothing, a weight, or a node.

use std::cell::RefCell;

use super::curve::Curve;
use super::expression::Relation;

/// What a traced number depends on, in 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ref(u32);

impl Ref {
    /// A plain number.
    pub(super) const NONE: Self = Self(0);
    const WEIGHT: u32 = 1 << 31;

    pub(super) const fn weight(leaf: u32) -> Self {
        Self(leaf | Self::WEIGHT)
    }

    pub(super) const fn node(index: usize) -> Self {
        Self(index as u32 + 1)
    }

    pub(super) const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The leaf number of a weight.
    pub(super) const fn as_weight(self) -> Option<usize> {
        if self.0 & Self::WEIGHT != 0 {
            Some((self.0 & !Self::WEIGHT) as usize)
        } else {
            None
        }
    }

    /// The index of a node.
    pub(super) const fn as_node(self) -> Option<usize> {
        if self.0 != 0 && self.0 & Self::WEIGHT == 0 {
            Some(self.0 as usize - 1)
        } else {
            None
        }
    }
}

/// An operation, with the constant that it involves.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    /// a + b
    Add(Ref, Ref),
    /// a − b
    Sub(Ref, Ref),
    /// −a
    Neg(Ref),
    /// a + a constant
    Offset(Ref, f64),
    /// a · k, k an integer
    Times(Ref, i32),
    /// a · k, k any number
    Scale(Ref, f64),
    /// a / d, truncated where the type truncates
    Divide(Ref, f64),
    /// A float cut to an integer.
    Truncate(Ref),
    /// A plain number that joined the score at a place of the source.
    Constant(f64, u32),
    /// A plain number beside a traced one in a curve.
    Plain(f64),
    /// What is not linear; true where the type truncates.
    Curve(Curve<Ref>, bool),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) op: Op,
    /// Whether the value is an integer combination of weights and constants.
    pub(super) integral: bool,
}

#[derive(Debug)]
pub(super) struct Tape {
    pub(super) nodes: Vec<Node>,
    /// Values to use in place of the source's literals; empty: the literals.
    pub(super) values: Vec<f64>,
    pub(super) recording: bool,
    pub(super) wrapped: bool,
    /// The coarsest [`Primitive::EPSILON`](super::Primitive) of all operations.
    pub(super) epsilon: f64,
    /// Where plain numbers joined, for [`Op::Constant`].
    pub(super) sites: Vec<Site>,
    /// Comparisons with 0 that decided a branch, and whether they held.
    pub(super) guards: Vec<(Ref, Relation, bool)>,
}

/// A place of the source where a plain number joins the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// File, line and expression.
    pub place: &'static str,
    /// Whether the number is written there as a literal.
    pub literal: bool,
}

thread_local! {
    static TAPE: RefCell<Tape> = const {
        RefCell::new(Tape {
            nodes: Vec::new(),
            values: Vec::new(),
            recording: false,
            wrapped: false,
            epsilon: 0.0,
            sites: Vec::new(),
            guards: Vec::new(),
        })
    };
}

/// Runs `f` on this thread's tape.
pub(super) fn with<R>(f: impl FnOnce(&mut Tape) -> R) -> R {
    TAPE.with_borrow_mut(f)
}

impl Tape {
    /// Appends a node; outside a recording the result depends on nothing.
    pub(super) fn push(&mut self, op: Op) -> Ref {
        if !self.recording {
            return Ref::NONE;
        }
        let integral = match op {
            Op::Add(a, b) | Op::Sub(a, b) => self.integral(a) && self.integral(b),
            Op::Neg(a) | Op::Times(a, _) => self.integral(a),
            Op::Offset(a, c) => c.fract() == 0.0 && self.integral(a),
            Op::Constant(c, _) | Op::Plain(c) => c.fract() == 0.0,
            Op::Scale(..) | Op::Divide(..) | Op::Truncate(_) | Op::Curve(..) => false,
        };
        self.nodes.push(Node { op, integral });
        Ref::node(self.nodes.len() - 1)
    }

    fn integral(&self, r: Ref) -> bool {
        r.as_node().is_none_or(|n| self.nodes[n].integral)
    }

    /// Whether a node's value is an integer combination.
    pub(super) fn is_integral(&self, r: Ref) -> bool {
        self.integral(r)
    }
}
