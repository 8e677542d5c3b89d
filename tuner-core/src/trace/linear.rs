//! The linear part of a tape: the reverse sweep.
//!
//! Nodes above a division, or a multiplication by a float, carry their
//! derivative in `f64`. Where the sweep meets an integer combination it first
//! takes it apart as far as it is a sum of products with constants (`mg·p`,
//! `eg·(24 − p)`); the rest, `mg` and `eg`, are the forms, and their
//! coefficients are summed in integers. Correctness never depends on that
//! choice, only compactness does: any way to cut the expression gives the same
//! derivatives.

use super::sweep::Form;
use super::tape::{Op, Ref, Site, Tape};

/// What a sweep finds: `node = constant + Σ factor·form + Σ factor·curve`.
#[derive(Clone, Debug, Default)]
pub(super) struct Linear {
    pub(super) forms: Vec<Form>,
    /// Nodes that are not linear, and their factors.
    pub(super) curves: Vec<(usize, f64)>,
    pub(super) constant: f64,
    /// Bound on what truncation took.
    pub(super) slack: f64,
    pub(super) sites: Vec<(Site, f64)>,
    roots: Vec<(Ref, f64)>,
}

/// Buffers of sweeps.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    /// By node; all 0 between sweeps.
    adjoint: Vec<f64>,
    /// By node; all 0 between sweeps.
    coefficient: Vec<i64>,
    by_leaf: Vec<i64>,
    touched: Vec<u32>,
}

impl Linear {
    fn clear(&mut self) {
        self.forms.clear();
        self.curves.clear();
        self.constant = 0.0;
        self.slack = 0.0;
        self.sites.clear();
        self.roots.clear();
    }

    fn add_constant(&mut self, tape: &Tape, site: u32, value: f64) {
        self.constant += value;
        self.sites.push((tape.sites[site as usize], value));
    }
}

impl Sweep {
    /// Overwrites `linear` with what a number depends on.
    pub(super) fn run(&mut self, tape: &Tape, root: Ref, linear: &mut Linear) {
        linear.clear();
        if tape.is_integral(root) {
            if !root.is_none() {
                linear.roots.push((root, 1.0));
            }
        } else {
            self.outer(tape, root, linear);
        }
        // Equal factors share a form, so that each is swept once, and opposite
        // ones, so that what one side has and the other as well cancels.
        let mut roots = std::mem::take(&mut linear.roots);
        roots.sort_by(|a, b| a.1.abs().total_cmp(&b.1.abs()).then(b.1.total_cmp(&a.1)));
        for same in roots.chunk_by(|a, b| a.1.abs().to_bits() == b.1.abs().to_bits()) {
            if same[0].1 != 0.0 {
                self.form(tape, same, linear);
            }
        }
        linear.roots = roots;
    }

    /// Propagates derivatives down to the integer combinations.
    fn outer(&mut self, tape: &Tape, root: Ref, linear: &mut Linear) {
        let Some(top) = root.as_node() else { return };
        if self.adjoint.len() <= top {
            self.adjoint.resize(tape.nodes.len(), 0.0);
        }
        self.adjoint[top] = 1.0;
        // The lowest node that a derivative has been passed to: what is below
        // need not be looked at, and what is not linear is mostly near the top.
        let mut lowest = top;
        let mut next = top + 1;
        while next > lowest {
            next -= 1;
            let index = next;
            let adjoint = std::mem::take(&mut self.adjoint[index]);
            if adjoint == 0.0 {
                continue;
            }
            match tape.nodes[index].op {
                Op::Offset(_, c) | Op::Plain(c) => linear.constant += adjoint * c,
                Op::Constant(c, site) => linear.add_constant(tape, site, adjoint * c),
                Op::Curve(..) => linear.curves.push((index, adjoint)),
                Op::Divide(_, d) => linear.slack += adjoint.abs() * (1.0 - d.abs().recip()),
                Op::Truncate(_) => linear.slack += adjoint.abs(),
                _ => {}
            }
            let mut pass = |to: Ref, by: f64| match to.as_node() {
                Some(node) if !tape.nodes[node].integral => {
                    self.adjoint[node] += by;
                    lowest = lowest.min(node);
                }
                _ => peel(tape, to, by, linear),
            };
            match tape.nodes[index].op {
                Op::Add(a, b) => {
                    pass(a, adjoint);
                    pass(b, adjoint);
                }
                Op::Sub(a, b) => {
                    pass(a, adjoint);
                    pass(b, -adjoint);
                }
                Op::Neg(a) => pass(a, -adjoint),
                Op::Offset(a, _) | Op::Truncate(a) => pass(a, adjoint),
                Op::Times(a, k) => pass(a, adjoint * f64::from(k)),
                Op::Scale(a, k) => pass(a, adjoint * k),
                Op::Divide(a, d) => pass(a, adjoint / d),
                Op::Constant(..) | Op::Plain(_) | Op::Curve(..) => {}
            }
        }
    }

    /// Sums the coefficients of roots that share a factor, up to its sign.
    fn form(&mut self, tape: &Tape, roots: &[(Ref, f64)], linear: &mut Linear) {
        let factor = roots[0].1;
        let (mut lowest, mut next) = (usize::MAX, 0);
        if self.coefficient.len() < tape.nodes.len() {
            self.coefficient.resize(tape.nodes.len(), 0);
        }
        let mut offset = 0.0;
        let mut leaves = Leaves {
            by_leaf: &mut self.by_leaf,
            touched: &mut self.touched,
        };
        for &(root, own) in roots {
            let sign = if own.to_bits() == factor.to_bits() {
                1
            } else {
                -1
            };
            match root.as_node() {
                Some(node) => {
                    self.coefficient[node] += sign;
                    (lowest, next) = (lowest.min(node), next.max(node + 1));
                }
                None => leaves.add(root, sign),
            }
        }
        while next > lowest {
            next -= 1;
            let index = next;
            let coefficient = std::mem::take(&mut self.coefficient[index]);
            if coefficient == 0 {
                continue;
            }
            let mut pass = |to: Ref, by: i64| match to.as_node() {
                Some(node) => {
                    self.coefficient[node] += by;
                    lowest = lowest.min(node);
                }
                None => leaves.add(to, by),
            };
            match tape.nodes[index].op {
                Op::Add(a, b) => {
                    pass(a, coefficient);
                    pass(b, coefficient);
                }
                Op::Sub(a, b) => {
                    pass(a, coefficient);
                    pass(b, -coefficient);
                }
                Op::Neg(a) => pass(a, -coefficient),
                Op::Offset(a, c) => {
                    offset += coefficient as f64 * c;
                    pass(a, coefficient);
                }
                Op::Times(a, k) => pass(a, coefficient * i64::from(k)),
                Op::Constant(c, site) => {
                    linear.add_constant(tape, site, factor * coefficient as f64 * c);
                }
                Op::Plain(c) => offset += coefficient as f64 * c,
                // Never integral, so never below an integral node.
                Op::Scale(..) | Op::Divide(..) | Op::Truncate(_) | Op::Curve(..) => {}
            }
        }
        linear.constant += factor * offset;
        let terms = leaves.take();
        if !terms.is_empty() {
            linear.forms.push(Form { factor, terms });
        }
    }
}

/// Coefficients by leaf, dense, with the list of those touched.
struct Leaves<'a> {
    by_leaf: &'a mut Vec<i64>,
    touched: &'a mut Vec<u32>,
}

impl Leaves<'_> {
    fn add(&mut self, weight: Ref, by: i64) {
        let Some(leaf) = weight.as_weight() else {
            return;
        };
        if leaf >= self.by_leaf.len() {
            self.by_leaf.resize(leaf + 1, 0);
        }
        // A leaf whose sum returned to zero may be listed twice; `take` copes.
        if self.by_leaf[leaf] == 0 {
            self.touched.push(leaf as u32);
        }
        self.by_leaf[leaf] += by;
    }

    fn take(&mut self) -> Vec<(u32, i64)> {
        let mut terms = Vec::with_capacity(self.touched.len());
        for leaf in self.touched.drain(..) {
            let coefficient = std::mem::take(&mut self.by_leaf[leaf as usize]);
            if coefficient != 0 {
                terms.push((leaf, coefficient));
            }
        }
        terms
    }
}

/// Whether an integer combination is nothing but a sum of products with constants.
fn peelable(tape: &Tape, r: Ref) -> bool {
    r.as_node().is_some_and(|node| match tape.nodes[node].op {
        Op::Times(..) | Op::Constant(..) | Op::Plain(_) => true,
        Op::Neg(a) | Op::Offset(a, _) => peelable(tape, a),
        Op::Add(a, b) | Op::Sub(a, b) => peelable(tape, b) && peelable(tape, a),
        Op::Scale(..) | Op::Divide(..) | Op::Truncate(_) | Op::Curve(..) => false,
    })
}

/// Takes an integer combination apart into what the constants multiply.
fn peel(tape: &Tape, r: Ref, factor: f64, linear: &mut Linear) {
    let node = match r.as_node() {
        Some(node) if peelable(tape, r) => node,
        _ => {
            if !r.is_none() {
                linear.roots.push((r, factor));
            }
            return;
        }
    };
    let mut next = |a: Ref, f: f64| peel(tape, a, f, linear);
    match tape.nodes[node].op {
        Op::Times(a, k) => next(a, factor * f64::from(k)),
        Op::Neg(a) => next(a, -factor),
        Op::Add(a, b) => {
            next(a, factor);
            next(b, factor);
        }
        Op::Sub(a, b) => {
            next(a, factor);
            next(b, -factor);
        }
        Op::Offset(a, c) => {
            next(a, factor);
            linear.constant += factor * c;
        }
        Op::Constant(c, site) => linear.add_constant(tape, site, factor * c),
        Op::Plain(c) => linear.constant += factor * c,
        Op::Scale(..) | Op::Divide(..) | Op::Truncate(_) | Op::Curve(..) => {
            linear.roots.push((r, factor));
        }
    }
}
