//! The linear part of a tape: the reverse sweep.
//!
//! Nodes above a division, or a multiplication by a float, carry their
//! derivative in `f64`. Where the sweep meets an integer combination it first
//! takes it apart as far as it is a sum of products with constants (`mg·p`,
//! `eg·(24 − p)`); the rest, `mg` and `eg`, are the forms, and their
//! coefficients are summed in integers. Correctness never depends on that
//! choice, only compactness does: any way to cut the expression gives the same
//! derivatives.

use super::leaves::Leaves;
use super::packed::Part;
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
    roots: Vec<Root>,
}

/// An integer combination, or a half of one, and the factor it counts with.
#[derive(Clone, Copy, Debug)]
struct Root {
    at: Ref,
    factor: f64,
    half: Option<Part>,
}

impl Root {
    const fn whole(at: Ref, factor: f64) -> Self {
        Self {
            at,
            factor,
            half: None,
        }
    }

    /// Roots with equal keys share a form, up to its sign.
    fn key(&self) -> (u64, Option<(u8, bool)>) {
        (
            self.factor.abs().to_bits(),
            self.half.map(|part| (part.shift, part.upper)),
        )
    }
}

/// ∂ score / ∂ node: of the number, and of its halves where it is packed.
#[derive(Clone, Copy, Debug, Default)]
struct Adjoint {
    whole: f64,
    lower: f64,
    upper: f64,
    shift: u8,
}

impl Adjoint {
    fn is_zero(self) -> bool {
        self.whole == 0.0 && self.lower == 0.0 && self.upper == 0.0
    }

    fn times(self, k: f64) -> Self {
        Self {
            whole: self.whole * k,
            lower: self.lower * k,
            upper: self.upper * k,
            shift: self.shift,
        }
    }

    fn add(&mut self, other: Self) {
        self.whole += other.whole;
        self.lower += other.lower;
        self.upper += other.upper;
        self.shift = self.shift.max(other.shift);
    }

    /// What a plain number counts for, added to a packed one.
    fn of_plain(self, c: f64) -> f64 {
        if self.shift == 0 {
            return self.whole * c;
        }
        let part = |upper| Part {
            shift: self.shift,
            upper,
            floors: false,
        };
        let half = |upper| part(upper).of(c as i64) as f64;
        self.whole * c + self.lower * half(false) + self.upper * half(true)
    }
}

/// Buffers of sweeps.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    /// By node; all 0 between sweeps.
    adjoint: Vec<Adjoint>,
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

    /// Adds an integer combination or its halves, or what a linear node of a
    /// derived table combines.
    fn meet(&mut self, tape: &Tape, at: Ref, adjoint: Adjoint) {
        if at.is_none() {
            return;
        }
        if let Some(flat) = at
            .as_derived()
            .filter(|_| !tape.is_integral(at))
            .and_then(|at| tape.tables.flat(at))
        {
            let factor = adjoint.whole + adjoint.lower;
            for &(leaf, c) in &flat.terms {
                self.roots.push(Root::whole(Ref::weight(leaf), factor * c));
            }
            self.constant += factor * flat.constant;
            self.slack += factor.abs() * flat.slack;
            return;
        }
        if adjoint.whole != 0.0 {
            peel(tape, at, adjoint.whole, self);
        }
        for (factor, upper) in [(adjoint.lower, false), (adjoint.upper, true)] {
            if factor != 0.0 {
                let half = Some(Part {
                    shift: adjoint.shift,
                    upper,
                    floors: false,
                });
                self.roots.push(Root { at, factor, half });
            }
        }
    }
}

impl Sweep {
    /// Overwrites `linear` with what a number depends on.
    pub(super) fn run(&mut self, tape: &Tape, root: Ref, linear: &mut Linear) {
        linear.clear();
        if root.as_node().is_some() && !tape.is_integral(root) {
            self.outer(tape, root, linear);
        } else if tape.is_integral(root) {
            if !root.is_none() {
                linear.roots.push(Root::whole(root, 1.0));
            }
        } else {
            let whole = Adjoint {
                whole: 1.0,
                ..Adjoint::default()
            };
            linear.meet(tape, root, whole);
        }
        // Equal factors share a form, so that each is swept once, and opposite
        // ones, so that what one side has and the other as well cancels.
        let mut roots = std::mem::take(&mut linear.roots);
        roots.sort_by(|a, b| {
            let by_half = a.half.map(|h| h.upper).cmp(&b.half.map(|h| h.upper));
            let by_size = a.factor.abs().total_cmp(&b.factor.abs());
            let by_sign = b.factor.total_cmp(&a.factor);
            by_size.then(by_half).then(by_sign)
        });
        for same in roots.chunk_by(|a, b| a.key() == b.key()) {
            if same[0].factor != 0.0 {
                self.form(tape, same, linear);
            }
        }
        linear.roots = roots;
    }

    /// Propagates derivatives down to the integer combinations.
    fn outer(&mut self, tape: &Tape, root: Ref, linear: &mut Linear) {
        let Some(top) = root.as_node() else { return };
        if self.adjoint.len() <= top {
            self.adjoint.resize(tape.nodes.len(), Adjoint::default());
        }
        self.adjoint[top].whole = 1.0;
        // The lowest node that a derivative has been passed to: what is below
        // need not be looked at, and what is not linear is mostly near the top.
        let mut lowest = top;
        let mut next = top + 1;
        while next > lowest {
            next -= 1;
            let index = next;
            let adjoint = std::mem::take(&mut self.adjoint[index]);
            let node = &tape.nodes[index];
            if adjoint.is_zero() {
                continue;
            }
            match node.op {
                Op::Offset(_, c) => linear.constant += adjoint.of_plain(c),
                Op::Plain(c) => linear.constant += adjoint.whole * c,
                Op::Constant(c, site) => linear.add_constant(tape, site, adjoint.whole * c),
                Op::Curve(..) => linear.curves.push((index, adjoint.whole)),
                Op::Divide(_, d) => linear.slack += adjoint.whole.abs() * (1.0 - d.abs().recip()),
                Op::Truncate(_) | Op::Half(_, Part { floors: true, .. }) => {
                    linear.slack += adjoint.whole.abs();
                }
                _ => {}
            }
            let mut pass = |to: Ref, by: Adjoint| match to.as_node() {
                Some(below) if !tape.nodes[below].integral => {
                    // What is not packed stands in the lower half.
                    let by = if tape.nodes[below].packed == 0 {
                        Adjoint {
                            whole: by.whole + by.lower,
                            ..Adjoint::default()
                        }
                    } else {
                        by
                    };
                    self.adjoint[below].add(by);
                    lowest = lowest.min(below);
                }
                _ => linear.meet(tape, to, by),
            };
            match node.op {
                Op::Add(a, b) => {
                    pass(a, adjoint);
                    pass(b, adjoint);
                }
                Op::Sub(a, b) => {
                    pass(a, adjoint);
                    pass(b, adjoint.times(-1.0));
                }
                Op::Neg(a) => pass(a, adjoint.times(-1.0)),
                Op::Offset(a, _) | Op::Truncate(a) => pass(a, adjoint),
                Op::Times(a, k) if node.packed != 0 && tape.packed(a) == 0 => {
                    let whole = adjoint.of_plain(k as f64);
                    pass(
                        a,
                        Adjoint {
                            whole,
                            ..Adjoint::default()
                        },
                    );
                }
                Op::Times(a, k) => pass(a, adjoint.times(k as f64)),
                Op::Scale(a, k) => pass(a, adjoint.times(k)),
                Op::Divide(a, d) => pass(a, adjoint.times(d.recip())),
                Op::Half(a, part) => {
                    let (lower, upper) = if part.upper {
                        (0.0, adjoint.whole)
                    } else {
                        (adjoint.whole, 0.0)
                    };
                    pass(
                        a,
                        Adjoint {
                            whole: 0.0,
                            lower,
                            upper,
                            shift: part.shift,
                        },
                    );
                }
                Op::Constant(..) | Op::Plain(_) | Op::Curve(..) => {}
            }
        }
    }

    /// Sums the coefficients of roots that share a factor, up to its sign.
    fn form(&mut self, tape: &Tape, roots: &[Root], linear: &mut Linear) {
        let Root { factor, half, .. } = roots[0];
        let counted = |c: i64| half.map_or(c, |part| part.of(c));
        let (mut lowest, mut next) = (usize::MAX, 0);
        if self.coefficient.len() < tape.nodes.len() {
            self.coefficient.resize(tape.nodes.len(), 0);
        }
        let mut offset = 0.0;
        let mut leaves = Leaves {
            by_leaf: &mut self.by_leaf,
            touched: &mut self.touched,
        };
        for root in roots {
            let is_same = root.factor.to_bits() == factor.to_bits();
            let sign = if is_same { 1 } else { -1 };
            match root.at.as_node() {
                Some(node) => {
                    self.coefficient[node] += sign;
                    (lowest, next) = (lowest.min(node), next.max(node + 1));
                }
                None => leaves.meet(tape, root.at, sign, &mut offset, counted),
            }
        }
        while next > lowest {
            next -= 1;
            let index = next;
            let coefficient = std::mem::take(&mut self.coefficient[index]);
            if coefficient == 0 {
                continue;
            }
            let constant = |c: f64| match half {
                None => coefficient as f64 * c,
                Some(part) => part.of(coefficient * c as i64) as f64,
            };
            match tape.nodes[index].op {
                Op::Offset(_, c) | Op::Plain(c) => offset += constant(c),
                Op::Constant(c, site) => linear.add_constant(tape, site, factor * constant(c)),
                _ => {}
            }
            let mut pass = |to: Ref, by: i64| match to.as_node() {
                Some(node) => {
                    self.coefficient[node] += by;
                    lowest = lowest.min(node);
                }
                None => leaves.meet(tape, to, by, &mut offset, counted),
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
                Op::Offset(a, _) => pass(a, coefficient),
                Op::Times(a, k) => pass(a, coefficient * k),
                // Without operands, or never integral, so never below an integral node.
                Op::Constant(..)
                | Op::Plain(_)
                | Op::Scale(..)
                | Op::Divide(..)
                | Op::Truncate(_)
                | Op::Half(..)
                | Op::Curve(..) => {}
            }
        }
        linear.constant += factor * offset;
        let mut terms = leaves.take();
        if half.is_some() {
            for (_, c) in &mut terms {
                *c = counted(*c);
            }
            terms.retain(|&(_, c)| c != 0);
        }
        if !terms.is_empty() {
            linear.forms.push(Form { factor, terms });
        }
    }
}

/// Whether an integer combination is nothing but a sum of products with constants.
fn peelable(tape: &Tape, r: Ref) -> bool {
    r.as_node().is_some_and(|node| match tape.nodes[node].op {
        Op::Times(..) | Op::Constant(..) | Op::Plain(_) => true,
        Op::Neg(a) | Op::Offset(a, _) => peelable(tape, a),
        Op::Add(a, b) | Op::Sub(a, b) => peelable(tape, b) && peelable(tape, a),
        Op::Scale(..) | Op::Divide(..) | Op::Truncate(_) | Op::Half(..) | Op::Curve(..) => false,
    })
}

/// Takes an integer combination apart into what the constants multiply.
fn peel(tape: &Tape, r: Ref, factor: f64, linear: &mut Linear) {
    let node = match r.as_node() {
        Some(node) if peelable(tape, r) => node,
        _ => {
            if !r.is_none() {
                linear.roots.push(Root::whole(r, factor));
            }
            return;
        }
    };
    let mut next = |a: Ref, f: f64| peel(tape, a, f, linear);
    match tape.nodes[node].op {
        Op::Times(a, k) => next(a, factor * k as f64),
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
        Op::Scale(..) | Op::Divide(..) | Op::Truncate(_) | Op::Half(..) | Op::Curve(..) => {
            linear.roots.push(Root::whole(r, factor));
        }
    }
}
