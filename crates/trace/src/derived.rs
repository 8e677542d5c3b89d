//! Tables that the evaluation computes from weights: `const PST: [S; 64] =
//! mirror(&BASE)`.
//!
//! Operators of a traced number are not `const`, so the twin of such a table
//! is a function, which builds the table when it is first used on a thread.
//! Its nodes are stored next to the tape, from one recording to the next, each
//! with the weights that it combines ([`Flat`]), so that a sweep that meets
//! one is done at once. When the weights change, the table is computed anew,
//! into the same nodes: handles that point there stay valid. Values at the
//! source's weights and at two others are kept, each in a bank of its own, so that
//! whoever compares two points does not compute all tables at every turn.
//!
//! A table that is not linear in the weights, or compares them, cannot be
//! stored so. It is computed once more in each recording, on the tape itself,
//! and references to its stored nodes are redirected to those ([`Tape::localised`]).

use std::any::{Any, TypeId};
use std::cell::RefCell;

use super::flat::{Flat, Small};
use super::in_force::Integers;
use super::tape::{Op, Ref, Tape, with};

/// Points whose values are kept: the source's weights, which are bank 0, and others.
const BANKS: usize = 3;

/// A point, with a value for each weight, at which the values of all tables are kept.
#[derive(Debug)]
struct Bank {
    /// The weights by leaf number; empty for the source's weights.
    values: Vec<f64>,
    /// Incremented when the bank is filled for other weights.
    generation: u64,
    /// The weights, and the entries of tables there, as integers; empty at the source's weights.
    integers: Integers,
}

impl Bank {
    /// Makes a bank, the place for the values of all tables at one point (a value for each weight):
    /// at first that of the source's weights.
    const fn new() -> Self {
        Self {
            values: Vec::new(),
            generation: 0,
            integers: Integers::NONE,
        }
    }
}

impl Drop for Bank {
    /// Leaves the arrays of integers to other threads, as this thread ends.
    fn drop(&mut self) {
        self.integers.hand_on();
    }
}

/// All derived tables of a thread.
#[derive(Debug)]
pub(super) struct Tables {
    all: Vec<Table>,
    /// The nodes of all tables.
    nodes: Vec<TableNode>,
    /// By node: what it combines, if that is one or two weights.
    small: Vec<Small>,
    /// The tables that are being built, innermost last.
    building: Vec<Building>,
    banks: [Bank; BANKS],
    /// The number of the bank of the weights in force.
    bank: usize,
    /// The number of the bank, other than the source's, that came into force last.
    newest: usize,
    /// Number of recordings so far; it tells whether a table is on the tape of this one.
    recording: u64,
    /// Whether any table is not linear in the weights.
    has_nonlinear: bool,
    /// Whether a table was first built at other weights than the source's: its
    /// handles hold the values of those.
    built_elsewhere: bool,
}

/// One derived table.
#[derive(Debug)]
struct Table {
    /// The type of the closure that computes it.
    id: TypeId,
    /// By bank: its generation when the nodes' values were computed; `None` if they were not.
    generations: [Option<u64>; BANKS],
    /// Where its nodes are among those of all tables, and how many of them
    /// the last build took.
    nodes: Vec<usize>,
    used: usize,
    /// Whether a node is not linear, or a branch depends on one.
    nonlinear: bool,
    /// Where a nonlinear table is on the tape: the number of the recording, and the place of each
    /// of its nodes there.
    local_to: u64,
    local: Vec<Ref>,
    /// The weights that it is computed from, ascending; `None` where that
    /// cannot be told, since a branch or a frozen number decides.
    leaves: Option<Vec<u32>>,
}

/// One operation of a derived table: an entry, or a number that entries are computed from.
#[derive(Debug)]
struct TableNode {
    op: Op,
    /// By bank: the value at its weights.
    values: [f64; BANKS],
    /// What it combines; `None` if it is not linear in the weights.
    flat: Option<Flat>,
    /// The number of its table, and its own number among the nodes of the table.
    table: usize,
    number: usize,
}

/// The state of a build: a table, and how far it is built.
#[derive(Clone, Copy, Debug)]
struct Building {
    table: usize,
    /// Whether the nodes go to the tape, for this recording only.
    local: bool,
    /// Nodes built so far.
    next: usize,
    /// Whether the table may differ from the one built before.
    changed: bool,
}

/// Returns the table that `build` computes; generated code calls it.
///
/// Each closure is a table of its own, told apart by its type. It is computed
/// once a thread, and again when the weights change.
///
/// # Panics
/// Panics beyond 134 million operations for all tables on a thread.
pub fn derived<T: 'static, F: Fn() -> T + 'static>(build: F) -> &'static T {
    let id = TypeId::of::<F>();
    let built = ready(id).unwrap_or_else(|| prepared(id, build));
    match built.downcast_ref() {
        Some(built) => built,
        // A closure's type identifies one table.
        None => unreachable!("a derived table changed its type"),
    }
}

thread_local! {
    /// Tables that only need to be handed out: those of the weights in force,
    /// while no table is nonlinear and none is built. Apart from the tape, since most
    /// weights of some evaluations are read through here.
    static READY: RefCell<Vec<(TypeId, &'static dyn Any)>> = const { RefCell::new(Vec::new()) };
    /// The tables, leaked, by their numbers: twins hand out references to them.
    static BUILT: RefCell<Vec<&'static dyn Any>> = const { RefCell::new(Vec::new()) };
}

/// Returns the table of a closure, by the closure's type, if it is known to be up to date at the
/// weights in force; `None` if the tape must be asked.
#[inline(never)]
fn ready(id: TypeId) -> Option<&'static dyn Any> {
    READY.with_borrow(|ready| {
        let found = ready.iter().find(|(other, _)| *other == id);
        found.map(|&(_, built)| built)
    })
}

/// Empties [`READY`], the list of tables that are known to be up to date, so that the tape is asked
/// for every table anew: weights change, or a table is built.
fn none_is_ready() {
    READY.with_borrow_mut(Vec::clear);
}

/// Returns the table of a closure, by the closure's type, which is built anew if weights that it
/// depends on have changed since. While recording, a table that is not linear in the weights is
/// also computed on the tape. The table that is handed out is replaced only if an operation differs
/// from the last build; it is never freed, as twins keep references to it.
#[cold]
fn prepared<T: 'static>(id: TypeId, build: impl Fn() -> T) -> &'static dyn Any {
    let table = with(|tape| tape.tables.number(id));
    // `building`, below, ends the build when it is dropped, also if `build` panics.
    if with(|tape| tape.tables.is_stale(table)) {
        // `false`: operations go to the nodes that are stored for the table.
        let building = Guard::start(table, false);
        let built = build();
        let is_new = with(|tape| tape.tables.finish());
        drop(building);
        if is_new {
            let leaked: &'static T = Box::leak(Box::new(built));
            BUILT.with_borrow_mut(|built| {
                // Tables with smaller numbers that are not built yet have `()` in their places.
                built.resize(built.len().max(table + 1), &());
                built[table] = leaked;
            });
        }
    }
    // The values are at hand; what counts is the operations that `build` puts on the tape.
    if with(|tape| tape.recording && tape.tables.wants_local(table)) {
        // `true`: operations go to the tape.
        let building = Guard::start(table, true);
        drop(build());
        with(|tape| tape.tables.finish());
        drop(building);
    }
    with(|tape| {
        tape.tables.enter(table);
        let built = BUILT.with_borrow(|built| built[table]);
        if tape.tables.are_quick() {
            READY.with_borrow_mut(|ready| ready.push((id, built)));
        }
        built
    })
}

/// Ends the build of a table when dropped, so also when the evaluation panics.
struct Guard;

impl Guard {
    /// Begins to build a table, by its number. `local`: its operations go to the tape, for this
    /// recording only, and not to the nodes that are stored for it.
    fn start(table: usize, local: bool) -> Self {
        none_is_ready();
        with(|tape| {
            tape.tables.start(table, local);
            // While a table is built, numbers get their values from the tape.
            tape.settle();
        });
        Self
    }
}

impl Drop for Guard {
    /// Ends the build of the innermost table, also when the evaluation panicked.
    fn drop(&mut self) {
        with(|tape| {
            tape.tables.building.pop();
            // Where numbers get their values from depends on whether a table is being built.
            tape.settle();
        });
    }
}

impl Tables {
    /// Makes the tables of a thread on which no table was built yet.
    pub(super) const fn new() -> Self {
        Self {
            all: Vec::new(),
            nodes: Vec::new(),
            small: Vec::new(),
            building: Vec::new(),
            banks: [const { Bank::new() }; BANKS],
            bank: 0,
            newest: 1,
            recording: 0,
            has_nonlinear: false,
            built_elsewhere: false,
        }
    }

    /// Starts a recording, or an evaluation, at the weights `values`, by leaf number; empty: those
    /// of the source.
    pub(super) fn begin(&mut self, values: &[f64]) {
        self.recording += 1;
        if self.banks[self.bank].values != values {
            self.change(values);
        }
    }

    /// Puts the bank of the weights `values` into force, in which the values of all tables at these
    /// weights are kept. If no bank is of these weights, the one that came into force longest ago
    /// is filled anew. Bank 0 is always that of the source's weights, for which `values` is empty.
    fn change(&mut self, values: &[f64]) {
        none_is_ready();
        let left = self.bank;
        self.bank = if values.is_empty() {
            0
        } else {
            let kept = (1..BANKS).find(|&bank| self.banks[bank].values == values);
            // Else of banks 1 and 2 the one that is not the newest.
            self.newest = kept.unwrap_or(self.newest % (BANKS - 1) + 1);
            self.newest
        };
        if self.banks[self.bank].values != values {
            // Before entries are copied: setting the weights clears `overflows`, which an entry may
            // set.
            self.banks[self.bank].integers.set_weights(values);
            self.keep_untouched(left, values);
            let bank = &mut self.banks[self.bank];
            bank.generation += 1;
            bank.values.clear();
            bank.values.extend_from_slice(values);
        }
    }

    /// Copies the values of the tables that no changed weight enters from bank `left` (the values
    /// of all tables at the weights that were in force) to the bank now in force, and marks them as
    /// up to date: where one weight moves at a time only a few tables are computed anew. `values`:
    /// the new weights. To be called before the generation of the new bank, which counts how often
    /// it was filled, is incremented. Does nothing if the weights before or after are those of the
    /// source.
    fn keep_untouched(&mut self, left: usize, values: &[f64]) {
        let (old, next) = (&self.banks[left], self.bank);
        if old.values.len() != values.len() {
            return;
        }
        let pairs = old.values.iter().zip(values).enumerate();
        let changed = pairs.filter(|(_, (old, new))| old.to_bits() != new.to_bits());
        let changed: Vec<u32> = changed.map(|(leaf, _)| leaf as u32).collect();
        let generation = old.generation;
        // Tables whose values in bank `left` are those of its weights.
        let current = |table: &&mut Table| table.generations[left] == Some(generation);
        for table in self.all.iter_mut().filter(current) {
            let is_untouched = |leaves: &Vec<u32>| {
                let mut changed = changed.iter();
                changed.all(|leaf| leaves.binary_search(leaf).is_err())
            };
            if table.leaves.as_ref().is_some_and(is_untouched) {
                table.generations[next] = Some(self.banks[next].generation + 1);
                for &node in &table.nodes {
                    let values = &mut self.nodes[node].values;
                    values[next] = values[left];
                    self.banks[next].integers.set_entry(node, values[left]);
                }
            }
        }
    }

    /// Notes that a table is read. If another one is being built and stored, that one, the outer
    /// one, depends on the weights that this table depends on, or on weights that cannot be told.
    fn enter(&mut self, table: usize) {
        let Some(outer) = self.building.last().filter(|b| !b.local) else {
            return;
        };
        let entered = self.all[table].leaves.clone();
        let outer = &mut self.all[outer.table].leaves;
        match (outer.as_mut(), entered) {
            (Some(leaves), Some(entered)) => leaves.extend(entered),
            _ => *outer = None,
        }
    }

    /// Tells whether a table is being built from weights.
    pub(super) const fn is_building(&self) -> bool {
        !self.building.is_empty()
    }

    /// Tells whether operations are stored as nodes of a table that is being built, and not put on
    /// the tape.
    fn is_keeping(&self) -> bool {
        self.building.last().is_some_and(|b| !b.local)
    }

    /// Tells whether every traced number that comes out of a table holds its value at the source's
    /// weights, as numbers on the tape do. It does not while a table is being built, nor if some
    /// table is not linear in the weights or was first built at other weights.
    pub(super) const fn are_quick(&self) -> bool {
        !self.is_building() && !self.has_nonlinear && !self.built_elsewhere
    }

    /// The operation of a node that is stored for a derived table (one computed from weights).
    pub(super) fn op(&self, node: usize) -> Op {
        self.nodes[node].op
    }

    /// The one or two weights that a node stored for a derived table (one computed from weights)
    /// combines; the terms are `None` if it is another combination.
    #[inline]
    pub(super) fn small(&self, node: usize) -> Small {
        self.small[node]
    }

    /// The value, at the weights in force, of a node that is stored for a derived table (one
    /// computed from weights).
    pub(super) fn value(&self, node: usize) -> f64 {
        self.nodes[node].values[self.bank]
    }

    /// The weights in force, and the entries of derived tables (tables computed from weights) at
    /// these, as integers.
    pub(super) const fn integers(&self) -> Integers {
        self.banks[self.bank].integers
    }

    /// The weights and the constant that a node stored for a derived table (one computed from
    /// weights) combines; `None` if it is not linear in the weights.
    pub(super) fn flat(&self, node: usize) -> Option<&Flat> {
        self.nodes[node].flat.as_ref()
    }

    /// Returns the number of the table of a closure, by the closure's type; a new one is added, and
    /// has not been built.
    fn number(&mut self, id: TypeId) -> usize {
        if let Some(number) = self.all.iter().position(|t| t.id == id) {
            return number;
        }
        self.all.push(Table {
            id,
            generations: [None; BANKS],
            nodes: Vec::new(),
            used: 0,
            nonlinear: false,
            local_to: 0,
            local: Vec::new(),
            leaves: None,
        });
        self.all.len() - 1
    }

    /// Tells whether the values of a table at the weights in force are still to be computed.
    fn is_stale(&self, table: usize) -> bool {
        self.all[table].generations[self.bank] != Some(self.banks[self.bank].generation)
    }

    /// Tells whether the operations of a table are to be put on the tape: the table is not linear
    /// in the weights, its operations are not on the tape of this recording yet, and it is not read
    /// to build another table that is stored.
    fn wants_local(&self, table: usize) -> bool {
        let table = &self.all[table];
        table.nonlinear && table.local_to != self.recording && !self.is_keeping()
    }

    /// Begins to build a table, by its number; until [`finish`](Self::finish), every weight that is
    /// read is one that it depends on. `local`: its operations go to the tape, and dependencies are
    /// not noted.
    fn start(&mut self, table: usize, local: bool) {
        let entry = &mut self.all[table];
        if local {
            entry.local.clear();
        } else {
            entry.nonlinear = false;
            entry.leaves = Some(Vec::new());
        }
        self.building.push(Building {
            table,
            local,
            next: 0,
            // A table that was never built counts as changed.
            changed: entry.generations == [None; BANKS],
        });
    }

    /// Ends the build of a table, which is then up to date for the weights in force. Returns true
    /// if the new table is to be handed out in place of the old one: an operation differs from the
    /// last build, or a number that no node tells of may differ. False for one whose operations
    /// went to the tape.
    fn finish(&mut self) -> bool {
        let Some(&building) = self.building.last() else {
            return false;
        };
        let table = &mut self.all[building.table];
        if building.local {
            table.local_to = self.recording;
            return false;
        }
        let shorter = building.next < table.used;
        table.used = building.next;
        let is_new = building.changed || shorter;
        if is_new {
            // Values at other points are of the table as it was.
            table.generations = [None; BANKS];
        }
        table.generations[self.bank] = Some(self.banks[self.bank].generation);
        // Weights of a nonlinear table may decide branches: which they are cannot be told.
        if table.nonlinear {
            table.leaves = None;
        }
        if let Some(leaves) = &mut table.leaves {
            let own = table.nodes[..table.used].iter();
            let flat = own.filter_map(|&node| self.nodes[node].flat.as_ref());
            leaves.extend(flat.flat_map(|flat| flat.terms.iter().map(|&(leaf, _)| leaf)));
            leaves.sort_unstable();
            leaves.dedup();
        }
        self.has_nonlinear |= table.nonlinear;
        self.built_elsewhere |= is_new && self.bank > 0;
        is_new
    }

    /// Notes that the table that is being built depends on values in a way that its nodes do not
    /// tell: through a frozen number, or a branch. So it must be built anew for all other weights.
    /// Does nothing if no table is being built.
    pub(super) fn depends_on_values(&mut self) {
        if let Some(building) = self.building.last_mut() {
            building.changed = true;
            self.all[building.table].leaves = None;
        }
    }
}

impl Tape {
    /// Adds an operation while a derived table is built, and returns the reference to its result.
    /// If the build is for this recording only, the operation goes to the tape, else to the nodes
    /// stored for the table.
    ///
    /// A table that is linear in the weights is stored from one recording to the next: node after
    /// node, into the places that the last build took, so that old handles stay valid. An operation
    /// that differs from the one there tells that the table has changed. It panics beyond 2²⁷
    /// nodes.
    pub(super) fn keep(&mut self, op: Op) -> Ref {
        let op = self.localised(op);
        if !self.tables.is_keeping() {
            let at = self.append(op);
            if let Some(building) = self.tables.building.last() {
                self.tables.all[building.table].local.push(at);
            }
            return at;
        }
        // The two numbers packed in one that has fractions cannot be told apart in sums of
        // coefficients; the tape can.
        let is_split = Ref::node(0, &op).is_some_and(|r| r.packed() != 0 && !r.is_integral());
        let flat = if is_split { None } else { self.flat(op) };
        let Tables {
            all,
            nodes,
            small,
            building,
            ..
        } = &mut self.tables;
        let Some(building) = building.last_mut() else {
            return Ref::NONE;
        };
        let number = building.next;
        building.next += 1;
        let table = &mut all[building.table];
        table.nonlinear |= flat.is_none();
        // The place of the node with this number in an earlier build, else a new one.
        let node = table.nodes.get(number).copied().unwrap_or(nodes.len());
        let mut stored = TableNode {
            op,
            values: [0.0; BANKS],
            flat,
            table: building.table,
            number,
        };
        // `nodes` and `small` are parallel.
        let simple = stored.flat.as_ref().map(Flat::small).unwrap_or_default();
        small.resize(small.len().max(node + 1), Small::default());
        small[node] = simple;
        // A table built again: values at other points stay, unless an operation differs.
        if let Some(old) = nodes.get_mut(node) {
            building.changed |= old.op != op;
            stored.values = old.values;
            *old = stored;
        } else {
            nodes.push(stored);
            table.nodes.push(node);
        }
        let at = Ref::node(node, &op);
        assert!(
            at.is_some(),
            "tables are computed from weights by more than 134 million operations"
        );
        at.map_or(Ref::NONE, Ref::of_table)
    }

    /// Stores the value, at the weights in force, of the node of a table that is being built; does
    /// nothing if no table is being stored, or for any other reference.
    pub(super) fn note(&mut self, at: Ref, value: f64) {
        if self.tables.is_keeping()
            && let Some(node) = at.as_derived()
        {
            let bank = self.tables.bank;
            self.tables.nodes[node].values[bank] = value;
            if bank > 0 {
                self.tables.banks[bank].integers.set_entry(node, value);
            }
        }
    }

    /// Notes a branch that was taken because a difference of scores has this relation to 0 or, if
    /// `holds` is false, because it has not. While a table is built and stored, the table counts as
    /// nonlinear instead, and as dependent on all values.
    pub(super) fn guard(&mut self, difference: Ref, relation: super::Relation, holds: bool) {
        if self.tables.is_keeping() {
            self.tables.depends_on_values();
            if let Some(building) = self.tables.building.last() {
                self.tables.all[building.table].nonlinear = true;
            }
        } else {
            let difference = self.local(difference);
            self.guards.push((difference, relation, holds));
        }
    }

    /// Returns where a node of a table computed from weights is on the tape in this recording, if
    /// the table is not linear and its nodes are there; any other reference comes back as it is.
    pub(super) fn local(&self, r: Ref) -> Ref {
        match r.as_derived() {
            Some(node) if !self.tables.is_keeping() => {
                let stored = &self.tables.nodes[node];
                let table = &self.tables.all[stored.table];
                if table.nonlinear && table.local_to == self.tables.recording {
                    // A node that the build of this recording did not make stays as it is.
                    table.local.get(stored.number).copied().unwrap_or(r)
                } else {
                    r
                }
            }
            _ => r,
        }
    }

    /// Returns the operation with references to the tape in place of those to nodes of tables
    /// computed from weights, where a table is not linear and its nodes are on the tape.
    pub(super) fn localised(&self, op: Op) -> Op {
        if self.tables.has_nonlinear {
            op.map(|operand| self.local(operand))
        } else {
            op
        }
    }

    /// Returns the weights and the constant that an operation combines, from those of its operands;
    /// `None` if the result is not linear in the weights, a half is taken of a packed number (two
    /// numbers in one) that has fractions, or an operand is a node of the tape. Its slack bounds
    /// what truncation took: of a quotient by d up to 1 − 1/|d|, of a cut to an integer up to 1.
    fn flat(&self, op: Op) -> Option<Flat> {
        let of = |r: Ref| -> Option<Flat> {
            if let Some(leaf) = r.as_weight() {
                return Some(Flat::weight(leaf));
            }
            match r.as_derived() {
                Some(at) => self.tables.flat(at).cloned(),
                // A node of the tape is not part of a table.
                None => r.is_none().then(Flat::default),
            }
        };
        Some(match op {
            Op::Sum(a, b, k) => of(a)?.plus(&of(b)?, k as f64),
            Op::Offset(a, c) => of(a)?.plus(&Flat::plain(c), 1.0),
            Op::Scale(a, k) => of(a)?.times(k),
            Op::Divide(a, d) => {
                let flat = of(a)?.times(d.recip());
                let slack = flat.slack + 1.0 - d.abs().recip();
                Flat { slack, ..flat }
            }
            Op::Truncate(a) => {
                let flat = of(a)?;
                let slack = flat.slack + 1.0;
                Flat { slack, ..flat }
            }
            Op::Half(a, part) if a.is_integral() => of(a)?.half(part),
            Op::Constant(c, _) | Op::Plain(c) => Flat::plain(c),
            Op::Half(..) | Op::Nonlinear(..) => return None,
        })
    }
}
