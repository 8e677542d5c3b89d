//! The thread-local tape: one node for each operation on a traced number.
//!
//! A node holds what the reverse sweep needs and nothing else; the values
//! themselves travel in the handles. A [`Ref`] names what a handle depends
//! on: nothing, a weight, a node of this recording, or a node of a derived
//! table, which outlives the recordings (see [`derived`](super::derived)).

use std::cell::RefCell;

use super::curve::Curve;
use super::derived::Tables;
use super::expression::Relation;
use super::packed::{self, Part};

/// What a traced number depends on, in 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ref(u32);

impl Ref {
    /// A plain number.
    pub(super) const NONE: Self = Self(0);
    const WEIGHT: u32 = 1 << 31;
    const DERIVED: u32 = 1 << 30;
    /// Bits of a node's number within its derived table.
    const OF_TABLE: u32 = 18;

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
        if self.0 != 0 && self.0 & (Self::WEIGHT | Self::DERIVED) == 0 {
            Some(self.0 as usize - 1)
        } else {
            None
        }
    }

    /// Node `node` of derived table `table`; `None` beyond 4,096 tables of
    /// 262,144 nodes.
    pub(super) const fn derived(table: usize, node: usize) -> Option<Self> {
        if table < 1 << (30 - Self::OF_TABLE) && node < 1 << Self::OF_TABLE {
            Some(Self(
                Self::DERIVED | (table as u32) << Self::OF_TABLE | node as u32,
            ))
        } else {
            None
        }
    }

    /// The derived table and the number of the node in it.
    pub(super) const fn as_derived(self) -> Option<(usize, usize)> {
        if self.0 & Self::WEIGHT == 0 && self.0 & Self::DERIVED != 0 {
            let bits = self.0 & !Self::DERIVED;
            let node = bits & ((1 << Self::OF_TABLE) - 1);
            Some(((bits >> Self::OF_TABLE) as usize, node as usize))
        } else {
            None
        }
    }
}

/// An operation, with the constant that it involves.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    Times(Ref, i64),
    /// a · k, k any number
    Scale(Ref, f64),
    /// a / d, truncated where the type truncates
    Divide(Ref, f64),
    /// A float cut to an integer.
    Truncate(Ref),
    /// Half of two numbers packed in one.
    Half(Ref, Part),
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
    /// Bits of the lower half where the value is two numbers in one; 0: it is not.
    pub(super) packed: u8,
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
    /// Tables computed from weights.
    pub(super) tables: Tables,
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
            tables: Tables::new(),
        })
    };
}

/// Runs `f` on this thread's tape.
pub(super) fn with<R>(f: impl FnOnce(&mut Tape) -> R) -> R {
    TAPE.with_borrow_mut(f)
}

impl Tape {
    /// Whether operations leave nodes.
    pub(super) const fn keeps_nodes(&self) -> bool {
        self.recording || self.tables.is_building()
    }

    /// Appends a node; outside a recording the result depends on nothing,
    /// unless a derived table is built.
    pub(super) fn push(&mut self, op: Op) -> Ref {
        if self.tables.is_building() {
            return self.keep(op);
        }
        if !self.recording {
            return Ref::NONE;
        }
        let node = self.node(op);
        self.nodes.push(node);
        Ref::node(self.nodes.len() - 1)
    }

    /// What a node with this operation is.
    pub(super) fn node(&mut self, op: Op) -> Node {
        let op = if self.tables.has_curves() {
            self.localised(op)
        } else {
            op
        };
        let integral = match op {
            Op::Add(a, b) | Op::Sub(a, b) => self.is_integral(a) && self.is_integral(b),
            Op::Neg(a) | Op::Times(a, _) => self.is_integral(a),
            Op::Offset(a, c) => c.fract() == 0.0 && self.is_integral(a),
            Op::Constant(c, _) | Op::Plain(c) => c.fract() == 0.0,
            Op::Scale(..) | Op::Divide(..) | Op::Truncate(_) | Op::Half(..) | Op::Curve(..) => {
                false
            }
        };
        let packed = match op {
            Op::Add(a, b) | Op::Sub(a, b) => self.packed(a).max(self.packed(b)),
            Op::Times(a, k) => self.packed(a).max(packed::shift(k)),
            Op::Neg(a) | Op::Offset(a, _) => self.packed(a),
            _ => 0,
        };
        Node {
            op,
            integral,
            packed,
        }
    }

    /// The operation and the flags behind a reference to a node.
    pub(super) fn behind(&self, r: Ref) -> Option<&Node> {
        match r.as_node() {
            Some(node) => Some(&self.nodes[node]),
            None => r.as_derived().map(|at| self.tables.node(at)),
        }
    }

    /// Whether a value is an integer combination of weights and constants.
    pub(super) fn is_integral(&self, r: Ref) -> bool {
        self.behind(r).is_none_or(|node| node.integral)
    }

    /// Bits of the lower half of two numbers packed in one, or 0.
    pub(super) fn packed(&self, r: Ref) -> u8 {
        self.behind(r).map_or(0, |node| node.packed)
    }
}
