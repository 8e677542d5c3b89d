//! Integer combinations of weights, weight by weight: the sweep that most of
//! the time goes to.

use super::leaves::Leaves;
use super::registry::Leaf;
use super::tape::{Op, Ref, Tape};

/// A plain number in a sum: its value, how often it counts, and the number of its place in the
/// source, if known.
pub(super) type Plain = (f64, i64, Option<u32>);

/// The integer combination of weights that some numbers of a tape, the roots, add up to. If a half
/// is taken of it, that is done later.
#[derive(Debug, Default)]
pub(super) struct Combination {
    /// The numbers that are added, with their signs.
    pub(super) roots: Vec<(Ref, i64)>,
    pub(super) terms: Vec<(Leaf, i64)>,
    pub(super) constants: Vec<Plain>,
    leaves: Leaves,
    /// By node of the tape: how often it counts; all 0 between combinations.
    coefficient: Vec<i64>,
    /// References that are not nodes of the tape (weights, entries of derived tables, nothing),
    /// with how often each counts.
    met: Vec<(Ref, i64)>,
}

impl Combination {
    /// Tells whether the last combination was of these numbers of the tape (the roots) with these
    /// signs, so that it can be used again.
    pub(super) fn is_of(&self, roots: impl Iterator<Item = (Ref, i64)>) -> bool {
        roots.eq(self.roots.iter().copied())
    }

    /// Forgets the numbers that the last combination was of, so that it is not used again: in
    /// another tape, equal references mean other nodes.
    pub(super) fn forget(&mut self) {
        self.roots.clear();
    }

    /// Adds up how often each weight counts in a sum of nodes of a tape, `of`, each with its
    /// factor: from the nodes down to the weights. The counts go to `terms`, plain numbers to
    /// `constants`; what was there before is lost.
    pub(super) fn combine(&mut self, tape: &Tape, of: impl Iterator<Item = (Ref, i64)>) {
        let Self {
            roots,
            terms,
            constants,
            leaves,
            coefficient,
            met,
        } = self;
        roots.clear();
        roots.extend(of);
        terms.clear();
        constants.clear();
        if coefficient.len() < tape.nodes.len() {
            coefficient.resize(tape.nodes.len(), 0);
        }
        // A node has at most two operands that are not nodes.
        let most = 2 * tape.nodes.len() + roots.len();
        if met.len() < most {
            met.resize(most, (Ref::NONE, 0));
        }
        let mut descent = Descent {
            nodes: &tape.nodes,
            coefficients: &mut coefficient[..tape.nodes.len()],
            met: &mut met[..most],
            count: 0,
            lowest: usize::MAX,
        };
        // One above the highest node that is added.
        let mut top = 0;
        for &(at, sign) in &*roots {
            descent.pass(at, sign);
            top = top.max(at.as_node().map_or(0, |node| node + 1));
        }
        let count = descent.run(top, constants);
        // What is not a node of the tape: weights, and entries of tables that are computed from
        // weights.
        for &(at, by) in &met[..count] {
            if let Some(leaf) = at.as_weight() {
                leaves.add(leaf as u32, by);
            } else {
                meet_derived(tape, at, by, leaves, constants);
            }
        }
        leaves.take(terms);
    }
}

/// The sweep down the nodes of a tape. Its loop is short of registers, so references that are not
/// nodes are only noted.
struct Descent<'a> {
    nodes: &'a [Op],
    /// By node: how often it counts so far.
    coefficients: &'a mut [i64],
    /// References that are not nodes, with how often each counts.
    met: &'a mut [(Ref, i64)],
    /// How many entries of `met` are in use.
    count: usize,
    /// The lowest node that a coefficient has been passed to.
    lowest: usize,
}

impl Descent<'_> {
    /// Counts what `to` refers to `by` times more: a node of the tape in `coefficients`, to be
    /// passed on later, anything else in `met`.
    #[inline]
    fn pass(&mut self, to: Ref, by: i64) {
        if let Some(node) = to.as_node() {
            self.coefficients[node] += by;
            self.lowest = self.lowest.min(node);
        } else {
            self.met[self.count] = (to, by);
            self.count += 1;
        }
    }

    /// Visits the nodes from number `top` − 1 down to the lowest one that has a coefficient, and
    /// passes the coefficient of each on to its operands; plain numbers go to `constants`. Returns
    /// how many entries of `met` are in use.
    #[inline(never)]
    fn run(mut self, top: usize, constants: &mut Vec<Plain>) -> usize {
        let mut next = top;
        while next > self.lowest {
            next -= 1;
            let coefficient = std::mem::take(&mut self.coefficients[next]);
            if coefficient == 0 {
                continue;
            }
            if let Op::Sum(a, b, k) = self.nodes[next] {
                // The node is a + k·b.
                self.pass(a, coefficient);
                self.pass(b, coefficient * k);
            } else {
                let a = alone(self.nodes[next], coefficient, constants);
                self.pass(a, coefficient);
            }
        }
        self.count
    }
}

/// Adds the constant of an operation that is not a sum to `constants`, as one that counts
/// `coefficient` times; returns the operand that the operation adds it to, a reference to nothing
/// if there is none.
#[cold]
fn alone(op: Op, coefficient: i64, constants: &mut Vec<Plain>) -> Ref {
    match op {
        Op::Offset(a, c) => {
            constants.push((c, coefficient, None));
            return a;
        }
        Op::Plain(c) => constants.push((c, coefficient, None)),
        Op::Constant(c, site) => constants.push((c, coefficient, Some(site))),
        // Other operations give no integer combination, so no integer combination refers to them.
        _ => {}
    }
    Ref::NONE
}

/// Adds the weights and the constant that a node of a derived table (a table computed from weights)
/// combines, each `by` times. A reference to nothing adds nothing.
#[inline(never)]
fn meet_derived(tape: &Tape, at: Ref, by: i64, leaves: &mut Leaves, constants: &mut Vec<Plain>) {
    let Some(node) = at.as_derived() else {
        return;
    };
    // Most are one or two weights, stored without a list.
    if let Some([(leaf, c), (other, d)]) = tape.tables.small(node).terms() {
        leaves.add(leaf, by * c);
        if d != 0 {
            leaves.add(other, by * d);
        }
    } else if let Some(flat) = tape.tables.flat(node) {
        // Every other one has a list, as an integer combination is linear.
        for &(leaf, c) in &flat.terms {
            leaves.add(leaf, by * c as i64);
        }
        if flat.constant != 0.0 {
            constants.push((flat.constant, by, None));
        }
    }
}
