//! Integer combinations of weights, weight by weight: the sweep that most of
//! the time goes to.

use super::leaves::Leaves;
use super::tape::{Op, Ref, Tape};

/// A plain number that joined, how often it counts, and its place if known.
pub(super) type Plain = (f64, i64, Option<u32>);

/// What some roots combine, before a half of it is taken.
#[derive(Debug, Default)]
pub(super) struct Combination {
    /// With their signs.
    pub(super) roots: Vec<(Ref, i64)>,
    pub(super) terms: Vec<(u32, i64)>,
    pub(super) constants: Vec<Plain>,
    leaves: Leaves,
    /// By node; all 0 between combinations.
    coefficient: Vec<i64>,
}

impl Combination {
    /// Whether it is the one of these roots.
    pub(super) fn is_of(&self, roots: impl Iterator<Item = (Ref, i64)>) -> bool {
        roots.eq(self.roots.iter().copied())
    }

    /// Overwrites it with the one of these roots.
    pub(super) fn combine(&mut self, tape: &Tape, of: impl Iterator<Item = (Ref, i64)>) {
        let Self {
            roots,
            terms,
            constants,
            leaves,
            coefficient,
        } = self;
        roots.clear();
        roots.extend(of);
        terms.clear();
        constants.clear();
        if coefficient.len() < tape.nodes.len() {
            coefficient.resize(tape.nodes.len(), 0);
        }
        let coefficients = &mut coefficient[..tape.nodes.len()];
        let (mut lowest, mut next) = (usize::MAX, 0);
        for &(at, sign) in &*roots {
            match at.as_node() {
                Some(node) => {
                    coefficients[node] += sign;
                    (lowest, next) = (lowest.min(node), next.max(node + 1));
                }
                None => meet(tape, at, sign, leaves, constants),
            }
        }
        while next > lowest {
            next -= 1;
            let coefficient = std::mem::take(&mut coefficients[next]);
            if coefficient == 0 {
                continue;
            }
            let (a, b, k) = match tape.nodes[next] {
                Op::Sum(a, b, k) => (a, b, k),
                Op::Offset(a, c) => {
                    constants.push((c, coefficient, None));
                    (a, Ref::NONE, 0)
                }
                Op::Plain(c) => {
                    constants.push((c, coefficient, None));
                    continue;
                }
                Op::Constant(c, site) => {
                    constants.push((c, coefficient, Some(site)));
                    continue;
                }
                // Never integral, so never below an integral node.
                Op::Scale(..) | Op::Divide(..) | Op::Truncate(_) | Op::Half(..) | Op::Curve(..) => {
                    continue;
                }
            };
            for (to, by) in [(a, coefficient), (b, coefficient * k)] {
                match to.as_node() {
                    Some(node) => {
                        coefficients[node] += by;
                        lowest = lowest.min(node);
                    }
                    None => meet(tape, to, by, leaves, constants),
                }
            }
        }
        leaves.take(terms);
    }
}

/// Adds a weight, or what a node of a derived table combines; nothing adds nothing.
#[inline]
fn meet(tape: &Tape, at: Ref, by: i64, leaves: &mut Leaves, constants: &mut Vec<Plain>) {
    if let Some(leaf) = at.as_weight() {
        leaves.add(leaf as u32, by);
    } else if !at.is_none() {
        meet_derived(tape, at, by, leaves, constants);
    }
}

#[inline(never)]
fn meet_derived(tape: &Tape, at: Ref, by: i64, leaves: &mut Leaves, constants: &mut Vec<Plain>) {
    if let Some(flat) = at.as_derived().and_then(|at| tape.tables.flat(at)) {
        for &(leaf, c) in &flat.terms {
            leaves.add(leaf, by * c as i64);
        }
        if flat.constant != 0.0 {
            constants.push((flat.constant, by, None));
        }
    }
}
