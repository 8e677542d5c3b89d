//! The thread-local tape: one node for each operation on a traced number.
//!
//! A node holds what the reverse sweep needs and nothing else; the values
//! themselves travel in the handles. A [`Ref`] names what a handle depends
//! on: nothing, a weight, a node of this recording, or a node of a derived
//! table, which outlives the recordings (see [`derived`](super::derived)).

use std::cell::{Cell, RefCell};

use super::derived::Tables;
use super::expression::Relation;
use super::in_force::Integers;
use super::nonlinear_op::NonlinearOp;
use super::packed::{self, Part};
use super::primitive::Primitive;

/// What a traced number depends on, in 32 bits: its kind, what is to be known
/// of the value without a look at the node, and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ref(u32);

impl Ref {
    /// The reference of a plain number, which depends on nothing.
    pub(super) const NONE: Self = Self(0);
    /// Set for a weight.
    const WEIGHT: u32 = 1 << 31;
    /// Set for a node of a derived table; without both it is a node of the tape.
    const DERIVED: u32 = 1 << 30;
    const KIND: u32 = Self::WEIGHT | Self::DERIVED;
    /// Set where the value is more than an integer combination of weights and constants.
    const BROKEN: u32 = 1 << 29;
    /// Bits of the lower half, in sixteens, where the value is two numbers in one.
    const PACKED: u32 = 3 << Self::PACKED_AT;
    const PACKED_AT: u32 = 27;
    /// The bits of the number: of a weight its leaf, of a node its index plus 1.
    const NUMBER: u32 = (1 << Self::PACKED_AT) - 1;
    /// Most nodes of one list, of the tape or of the derived tables.
    const NODES: usize = Self::NUMBER as usize;

    /// Makes the reference of the weight that is this leaf.
    ///
    /// # Panics
    /// Panics beyond 2²⁷ weights.
    pub(super) const fn weight(leaf: u32) -> Self {
        assert!(leaf <= Self::NUMBER, "more than 134 million weights");
        Self(leaf | Self::WEIGHT)
    }

    /// Makes the reference of node `index` of the tape, which holds `op`; `None` beyond 2²⁷ nodes.
    pub(super) fn node(index: usize, op: &Op) -> Option<Self> {
        (index < Self::NODES).then(|| Self::numbered(index as u32, op.traits()))
    }

    /// Makes the reference of node `index` of the tape. `traits`: the bits that tell of its value,
    /// [`BROKEN`](Self::BROKEN) (more than an integer combination) and [`PACKED`](Self::PACKED)
    /// (two numbers in one integer). The index is stored plus 1, since 0 is the reference of
    /// nothing.
    const fn numbered(index: u32, traits: u32) -> Self {
        Self((index + 1) | traits)
    }

    /// The bits [`BROKEN`](Self::BROKEN) (more than an integer combination) and
    /// [`PACKED`](Self::PACKED) (two numbers in one integer) of the sum `a + k·b`. It is packed as
    /// the wider operand is, or as a factor `k` that moves a number to the upper half makes it.
    #[inline]
    fn of_sum(a: Self, b: Self, k: i64) -> u32 {
        let both = a.0 | b.0;
        // Most sums are of numbers that are not packed, with a factor that moves nothing to the
        // upper half.
        if both & Self::PACKED == 0 && k & 0xffff != 0 {
            return both & Self::BROKEN;
        }
        let of_factor = (u32::from(packed::shift(k)) / 16) << Self::PACKED_AT;
        let (x, y) = (a.0 & Self::PACKED, b.0 & Self::PACKED);
        both & Self::BROKEN | x.max(y).max(of_factor)
    }

    /// Turns the reference of a node of the tape into that of the node with the same number in the
    /// list that is stored for tables computed from weights.
    pub(super) const fn of_table(self) -> Self {
        Self(self.0 | Self::DERIVED)
    }

    /// Tells whether it is the reference of a plain number, which depends on nothing.
    pub(super) const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Returns the leaf number of a weight; `None` of anything else.
    #[inline]
    pub(super) fn as_weight(self) -> Option<usize> {
        (self.0 & Self::WEIGHT != 0).then_some((self.0 & Self::NUMBER) as usize)
    }

    /// Returns the index of a node of the tape; `None` of anything else.
    #[inline]
    pub(super) fn as_node(self) -> Option<usize> {
        let is_node = self.0 & Self::KIND == 0 && self.0 != 0;
        is_node.then(|| (self.0 & Self::NUMBER) as usize - 1)
    }

    /// Returns the index of a node that is stored for tables computed from weights; `None` of
    /// anything else.
    #[inline]
    pub(super) fn as_derived(self) -> Option<usize> {
        (self.0 & Self::DERIVED != 0).then(|| (self.0 & Self::NUMBER) as usize - 1)
    }

    /// Tells whether the value is an integer combination of weights and constants.
    pub(super) const fn is_integral(self) -> bool {
        self.0 & Self::BROKEN == 0
    }

    /// Returns the bits of the lower half, 16 or 32, if the value is two numbers packed in one
    /// integer; else 0.
    pub(super) const fn packed(self) -> u8 {
        ((self.0 & Self::PACKED) >> Self::PACKED_AT) as u8 * 16
    }
}

/// An operation, with the constant that it involves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Op {
    /// a + k·b, where a may be nothing: sums, differences, multiples.
    Sum(Ref, Ref, i64),
    /// a + a constant
    Offset(Ref, f64),
    /// a · k, k any number
    Scale(Ref, f64),
    /// a / d, truncated where the type truncates
    Divide(Ref, f64),
    /// A float cut to an integer.
    Truncate(Ref),
    /// Half of two numbers packed in one.
    Half(Ref, Part),
    /// A plain number that joined the score, and the number of its place in the source.
    Constant(f64, u32),
    /// A plain number next to a traced one in a nonlinear operation.
    Plain(f64),
    /// An operation that is not linear; true where the type truncates.
    Nonlinear(NonlinearOp<Ref>, bool),
}

impl Op {
    /// Makes the operation a · k.
    pub(super) const fn times(a: Ref, k: i64) -> Self {
        Self::Sum(Ref::NONE, a, k)
    }

    /// Returns the operation with the operands that `f` gives for its own, in their order.
    pub(super) fn map(self, mut f: impl FnMut(Ref) -> Ref) -> Self {
        match self {
            Self::Sum(a, b, k) => Self::Sum(f(a), f(b), k),
            Self::Offset(a, c) => Self::Offset(f(a), c),
            Self::Scale(a, k) => Self::Scale(f(a), k),
            Self::Divide(a, d) => Self::Divide(f(a), d),
            Self::Truncate(a) => Self::Truncate(f(a)),
            Self::Half(a, part) => Self::Half(f(a), part),
            Self::Nonlinear(op, truncates) => Self::Nonlinear(op.map(f), truncates),
            Self::Constant(..) | Self::Plain(_) => self,
        }
    }

    /// Returns the bits [`Ref::BROKEN`] (more than an integer combination) and [`Ref::PACKED`] (two
    /// numbers in one integer) of a reference to this operation's result. A constant that is too
    /// large for one half counts as packed, but not one that is added to a number.
    #[inline]
    fn traits(&self) -> u32 {
        match *self {
            Self::Sum(a, b, k) => Ref::of_sum(a, b, k),
            Self::Offset(a, c) => {
                let broken = if is_whole(c) { 0 } else { Ref::BROKEN };
                a.0 & (Ref::BROKEN | Ref::PACKED) | broken
            }
            Self::Constant(c, _) | Self::Plain(c) if is_whole(c) => {
                (u32::from(packed::width(c as i64)) / 16) << Ref::PACKED_AT
            }
            _ => Ref::BROKEN,
        }
    }
}

/// Tells whether a number is an integer of 64 bits.
const fn is_whole(c: f64) -> bool {
    (c as i64) as f64 - c == 0.0
}

/// What a thread records, and at which weights.
#[derive(Debug)]
pub(super) struct Tape {
    /// Operations, each after those that it is computed from.
    pub(super) nodes: Vec<Op>,
    /// Values to use in place of the source's literals; empty: the literals.
    pub(super) values: Vec<f64>,
    /// Whether a trace is being recorded.
    pub(super) recording: bool,
    /// Whether numbers hold their own values and operations leave nodes and nothing else. So it is
    /// in most recordings: at the source's weights, with no derived table that needs more.
    pub(super) quick: bool,
    /// Whether an integer operation wrapped.
    pub(super) wrapped: bool,
    /// The coarsest [`Primitive::EPSILON`](super::Primitive) of all operations.
    pub(super) epsilon: f64,
    /// Where plain numbers joined, for [`Op::Constant`].
    pub(super) sites: Vec<Site>,
    /// Comparisons with 0 that decided a branch, and whether they hold.
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
    static TAPE: RefCell<Tape> = const { RefCell::new(Tape::new()) };
}

/// Runs `f` on this thread's tape, after the sums that wait in the thread's buffer have become
/// nodes. It must not be called within itself.
#[inline]
pub(super) fn with<R>(f: impl FnOnce(&mut Tape) -> R) -> R {
    TAPE.with_borrow_mut(|tape| {
        tape.take_sums();
        let result = f(tape);
        tape.open_buffer();
        result
    })
}

/// Sums on their way to the tape: most operations are sums, in a quick
/// recording nothing else is to be done for them, and a cell takes them in a
/// third of the time.
struct SumBuffer {
    sums: [Cell<(Ref, Ref, i64)>; SumBuffer::LENGTH],
    /// How many sums are in the buffer.
    used: Cell<u32>,
    /// How many sums there may be: 0 unless the recording is a quick one.
    room: Cell<u32>,
    /// How many nodes the tape had before these sums.
    before: Cell<u32>,
}

impl SumBuffer {
    const LENGTH: usize = 512;
}

thread_local! {
    static SUM_BUFFER: SumBuffer = const {
        SumBuffer {
            sums: [const { Cell::new((Ref::NONE, Ref::NONE, 0)) }; SumBuffer::LENGTH],
            used: Cell::new(0),
            room: Cell::new(0),
            before: Cell::new(0),
        }
    };
}

/// Appends the sum `a + k·b` to the thread's buffer, and returns the reference to its result, if
/// the recording is a quick one (at the source's weights, where numbers hold their own values) and
/// there is room. Else it returns [`Ref::NONE`], and the caller must compute the sum on the tape,
/// by [`with`], which empties the buffer first.
///
/// Not generic, so that it is compiled next to the buffer and not, as the twin's operators are, in
/// the engine's crate, from where access is slower.
#[inline(never)]
pub(super) fn quick_sum(a: Ref, b: Ref, k: i64) -> Ref {
    SUM_BUFFER.with(|buffer| {
        let used = buffer.used.get();
        if used >= buffer.room.get() {
            return Ref::NONE;
        }
        let Some(sum) = buffer.sums.get(used as usize) else {
            return Ref::NONE;
        };
        sum.set((a, b, k));
        buffer.used.set(used + 1);
        Ref::numbered(buffer.before.get() + used, Ref::of_sum(a, b, k))
    })
}

impl Tape {
    /// Makes an empty tape that records nothing, at the source's weights.
    pub(super) const fn new() -> Self {
        Self {
            nodes: Vec::new(),
            values: Vec::new(),
            recording: false,
            quick: false,
            wrapped: false,
            epsilon: 0.0,
            sites: Vec::new(),
            guards: Vec::new(),
            tables: Tables::new(),
        }
    }

    /// Tells whether operations leave nodes: a trace is being recorded, or a table built from
    /// weights.
    pub(super) const fn keeps_nodes(&self) -> bool {
        self.recording || self.tables.is_building()
    }

    /// Moves the sums that wait in the thread's buffer to the nodes.
    #[inline]
    fn take_sums(&mut self) {
        SUM_BUFFER.with(|buffer| {
            let used = buffer.used.take() as usize;
            let sums = buffer.sums[..used].iter().map(Cell::get);
            self.nodes.extend(sums.map(|(a, b, k)| Op::Sum(a, b, k)));
        });
    }

    /// Gives the thread's buffer of sums as much room as the tape still has nodes, if the recording
    /// is a quick one (at the source's weights, where numbers hold their own values); else no room,
    /// so that every sum is done on the tape.
    #[inline]
    fn open_buffer(&self) {
        let left = Ref::NODES.saturating_sub(self.nodes.len());
        let room = if self.quick {
            left.min(SumBuffer::LENGTH)
        } else {
            0
        };
        SUM_BUFFER.with(|buffer| {
            buffer.room.set(room as u32);
            buffer.before.set(self.nodes.len() as u32);
        });
    }

    /// Finds out anew whether the recording is a quick one (at the source's weights, where numbers
    /// hold their own values), and whether numbers read integers in force on this thread instead of
    /// asking the tape. To be called whenever weights, recording or tables have changed.
    pub(super) fn settle(&mut self) {
        self.quick = self.recording && self.values.is_empty() && self.tables.are_quick();
        if self.keeps_nodes() || self.values.is_empty() {
            Integers::NONE.enter();
        } else {
            self.tables.integers().enter();
        }
    }

    /// Notes that a number of type `P` was computed, and whether that wrapped; of a float, how
    /// coarse its rounding is.
    #[inline]
    pub(super) fn computed<P: Primitive>(&mut self, wrapped: bool) {
        if wrapped {
            self.wrapped = true;
        }
        if !P::INTEGER {
            self.epsilon = self.epsilon.max(P::EPSILON);
        }
    }

    /// Appends an operation and returns the reference to its result: to the tape, or to a table
    /// that is being built from weights. Where operations leave no nodes, the result depends on
    /// nothing.
    #[inline]
    pub(super) fn push(&mut self, op: Op) -> Ref {
        if self.quick {
            self.append(op)
        } else {
            self.push_slow(op)
        }
    }

    /// Appends an operation where the recording is not a quick one (numbers need more than their
    /// own values): to a table that is being built from weights, or to the tape. Where operations
    /// leave no nodes it returns [`Ref::NONE`].
    #[cold]
    fn push_slow(&mut self, op: Op) -> Ref {
        if self.tables.is_building() {
            return self.keep(op);
        }
        if !self.recording {
            return Ref::NONE;
        }
        let op = self.localised(op);
        self.append(op)
    }

    /// Appends a node to the tape and returns a reference to it.
    ///
    /// # Panics
    /// Panics beyond 2²⁷ nodes, 3 GB.
    #[inline]
    pub(super) fn append(&mut self, op: Op) -> Ref {
        let at = Ref::node(self.nodes.len(), &op);
        self.nodes.push(op);
        assert!(
            at.is_some(),
            "an evaluation of more than 134 million operations"
        );
        at.unwrap_or(Ref::NONE)
    }

    /// Appends a node a + k·b to the tape and returns a reference to it. Most nodes are sums: for
    /// them no match on the operation is needed to find out how the reference is marked. It panics
    /// beyond 2²⁷ nodes.
    #[inline]
    pub(super) fn append_sum(&mut self, a: Ref, b: Ref, k: i64) -> Ref {
        let at = self.nodes.len();
        assert!(at < Ref::NODES, "more than 134 million operations");
        self.nodes.push(Op::Sum(a, b, k));
        Ref::numbered(at as u32, Ref::of_sum(a, b, k))
    }

    /// Returns the reference to the node of the tape with this number.
    pub(super) fn reference(&self, node: usize) -> Ref {
        Ref::node(node, &self.nodes[node]).unwrap_or(Ref::NONE)
    }

    /// Returns the operation of the node that a reference is to, on the tape or in a table computed
    /// from weights; `None` of a weight and of a plain number.
    pub(super) fn behind(&self, r: Ref) -> Option<Op> {
        match r.as_node() {
            Some(node) => Some(self.nodes[node]),
            None => r.as_derived().map(|at| self.tables.op(at)),
        }
    }
}
