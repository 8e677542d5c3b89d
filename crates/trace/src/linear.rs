//! The linear part of a tape: the reverse sweep.
//!
//! Nodes above a division, or a multiplication by a float, carry their
//! derivative in `f64`. Where the sweep meets an integer combination it first
//! takes it apart as far as it is a sum of products with constants (`mg·p`,
//! `eg·(24 − p)`); the rest, `mg` and `eg`, are the forms, and their
//! coefficients are summed in integers. Correctness never depends on that
//! choice, only compactness does: any way to cut the expression gives the same
//! derivatives.

use super::combination::Combination;
use super::packed::{self, Part};
use super::registry::Leaf;
use super::sweep::Form;
use super::tape::{Op, Ref, Site, Tape};

/// The result of a sweep: `node = constant + Σ factor·form + Σ factor·nonlinear`.
#[derive(Clone, Debug, Default)]
pub(super) struct Linear {
    pub(super) forms: Vec<Form>,
    /// Nodes that are not linear, and their factors.
    pub(super) nonlinear: Vec<(usize, f64)>,
    pub(super) constant: f64,
    /// Bound on what truncation took.
    pub(super) slack: f64,
    /// Places where plain numbers joined, and the part of `constant` that each is.
    pub(super) sites: Vec<(Site, f64)>,
    /// The integer combinations that the forms are made of.
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
    /// Makes a root, an integer combination with its factor, of which all counts, not a half.
    const fn whole(at: Ref, factor: f64) -> Self {
        let half = None;
        Self { at, factor, half }
    }

    /// Returns the size of the factor and, if a half is taken of the integer combination, which
    /// one: the bits of the lower half, and whether it is the upper half. Roots with equal keys
    /// share a form; their factors may differ in sign.
    fn key(&self) -> (u64, Option<(u8, bool)>) {
        let half = self.half.map(|part| (part.shift, part.upper));
        (self.factor.abs().to_bits(), half)
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
    /// Makes the derivative of the score by a number that is not two numbers packed in one.
    fn whole(whole: f64) -> Self {
        Self {
            whole,
            ..Self::default()
        }
    }

    /// Makes the derivative of the score by a packed number (two numbers in one integer) of which
    /// only the half `part` counts; `by` is the derivative by that half.
    fn half(part: Part, by: f64) -> Self {
        let [lower, upper] = if part.upper { [0.0, by] } else { [by, 0.0] };
        Self {
            whole: 0.0,
            lower,
            upper,
            shift: part.shift,
        }
    }

    /// Tells whether the derivative is 0: the score does not depend on the number, and the sweep
    /// passes it by.
    fn is_zero(self) -> bool {
        self.whole == 0.0 && self.lower == 0.0 && self.upper == 0.0
    }

    /// Returns `k` times the derivative: that by a number which is added `k` times to the one that
    /// the derivative is by.
    fn times(self, k: f64) -> Self {
        Self {
            whole: self.whole * k,
            lower: self.lower * k,
            upper: self.upper * k,
            shift: self.shift,
        }
    }

    /// Adds the derivative that comes from another use of the same number.
    fn add(&mut self, other: Self) {
        self.whole += other.whole;
        self.lower += other.lower;
        self.upper += other.upper;
        // A number that is not packed has shift 0.
        self.shift = self.shift.max(other.shift);
    }

    /// Returns what the score gains if the plain number `c` is added to the number that the
    /// derivative is by. Of a packed number (two numbers in one integer) each half of `c` counts by
    /// the derivative of its half.
    fn of_plain(self, c: f64) -> f64 {
        if self.shift == 0 {
            return self.whole * c;
        }
        let half = |upper| Part::exact(self.shift, upper).of(c as i64) as f64;
        self.whole * c + self.lower * half(false) + self.upper * half(true)
    }
}

/// Buffers of sweeps.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    /// By node: the derivative of the score by it; all 0 between sweeps.
    adjoint: Vec<Adjoint>,
    /// A bit for each node that a derivative has been passed to, 64 a word. Few nodes between have
    /// one, as what is not linear is mostly near the top.
    reached: Vec<u64>,
    /// The latest integer combination; both halves of a packed number share it.
    combination: Combination,
    /// Terms of forms that are no longer in use.
    spare: Vec<Vec<(Leaf, i64)>>,
}

impl Linear {
    /// Makes the result that of a plain 0; its lists keep their memory.
    fn clear(&mut self) {
        self.forms.clear();
        self.nonlinear.clear();
        self.constant = 0.0;
        self.slack = 0.0;
        self.sites.clear();
        self.roots.clear();
    }

    /// Adds `value`, the part of the score that a plain number makes up, to the constant and to the
    /// list of places; `site`: the number of the place in the source where it joined.
    fn add_constant(&mut self, tape: &Tape, site: u32, value: f64) {
        self.constant += value;
        self.sites.push((tape.sites[site as usize], value));
    }

    /// Adds what the operation of a node of the tape, by its number, brings into the score by
    /// itself, without its operands: its constant; if it is not linear, the node, with the
    /// derivative of the score by it; and a bound on what truncation took there. `adjoint`: the
    /// derivative of the score by the node.
    fn add_own(&mut self, tape: &Tape, node: usize, adjoint: Adjoint) {
        match tape.nodes[node] {
            Op::Offset(_, c) => self.constant += adjoint.of_plain(c),
            Op::Plain(c) => self.constant += adjoint.whole * c,
            Op::Constant(c, site) => self.add_constant(tape, site, adjoint.whole * c),
            Op::Nonlinear(..) => self.nonlinear.push((node, adjoint.whole)),
            // A quotient by d that is truncated is off by at most 1 − 1/|d|.
            Op::Divide(_, d) => self.slack += adjoint.whole.abs() * (1.0 - d.abs().recip()),
            Op::Truncate(_) | Op::Half(_, Part { floors: true, .. }) => {
                self.slack += adjoint.whole.abs();
            }
            _ => {}
        }
    }

    /// Takes a reference below which the sweep does not descend, with the derivative of the score
    /// by it. An integer combination, or each of its halves, becomes a root, to be summed later. If
    /// the reference is to a node of a derived table (one computed from weights) that is linear,
    /// but no integer combination, its weights and its constant are taken at once.
    fn meet(&mut self, tape: &Tape, at: Ref, adjoint: Adjoint) {
        if at.is_none() {
            return;
        }
        let derived = at.as_derived().filter(|_| !at.is_integral());
        if let Some(flat) = derived.and_then(|at| tape.tables.flat(at)) {
            // What is not packed is in the lower half.
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
                let half = Some(Part::exact(adjoint.shift, upper));
                self.roots.push(Root { at, factor, half });
            }
        }
    }
}

impl Sweep {
    /// Overwrites `linear` with how the number `root` of a tape depends on weights: forms, a
    /// constant, and the nodes that are not linear, which are listed with the derivatives by them
    /// and not entered.
    pub(super) fn run(&mut self, tape: &Tape, root: Ref, linear: &mut Linear) {
        linear.clear();
        self.combination.forget();
        // Three cases: a node of the tape that is more than an integer combination; an integer
        // combination, or nothing; and a node of a table computed from weights that has fractions.
        if root.as_node().is_some() && !root.is_integral() {
            self.outer(tape, root, linear);
        } else if root.is_integral() {
            if !root.is_none() {
                linear.roots.push(Root::whole(root, 1.0));
            }
        } else {
            linear.meet(tape, root, Adjoint::whole(1.0));
        }
        // Roots with equal factors share a form, so that each is swept once; so do those with
        // opposite factors, so that weights on both sides cancel.
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

    /// Propagates derivatives from the node `root`, which is not an integer combination of weights,
    /// down to the integer combinations below it, which `linear` takes, with the constants and the
    /// nonlinear nodes that are met, and a bound on what truncation took. Nodes are visited from
    /// the highest down, since operands are always below. `reached` has a bit for each node that
    /// has a derivative, so that long gaps are skipped.
    fn outer(&mut self, tape: &Tape, root: Ref, linear: &mut Linear) {
        let Some(top) = root.as_node() else { return };
        if self.adjoint.len() <= top {
            self.adjoint.resize(tape.nodes.len(), Adjoint::default());
            self.reached.resize(tape.nodes.len() / 64 + 1, 0);
        }
        self.adjoint[top].whole = 1.0;
        self.reached[top / 64] |= 1 << (top % 64);
        let mut lowest = top / 64;
        let mut word = top / 64;
        // Derivatives are passed downwards only.
        loop {
            let Some(bit) = self.reached[word].checked_ilog2() else {
                if word <= lowest {
                    break;
                }
                word -= 1;
                continue;
            };
            self.reached[word] ^= 1 << bit;
            let index = 64 * word + bit as usize;
            let adjoint = std::mem::take(&mut self.adjoint[index]);
            let node = tape.nodes[index];
            if adjoint.is_zero() {
                continue;
            }
            linear.add_own(tape, index, adjoint);
            // Passes a derivative on to an operand: the sweep comes to a node of the tape that is
            // more than an integer combination, `linear` takes anything else.
            let mut pass = |to: Ref, by: Adjoint| match to.as_node() {
                Some(below) if !to.is_integral() => {
                    // What is not packed is in the lower half.
                    let by = if to.packed() == 0 {
                        Adjoint::whole(by.whole + by.lower)
                    } else {
                        by
                    };
                    self.adjoint[below].add(by);
                    self.reached[below / 64] |= 1 << (below % 64);
                    lowest = lowest.min(below / 64);
                }
                _ => linear.meet(tape, to, by),
            };
            // What the operation passes on to its operands.
            match node {
                Op::Sum(a, b, k) => {
                    pass(a, adjoint);
                    // A factor may be what puts a number in the upper half.
                    if packed::shift(k) != 0 && b.packed() == 0 {
                        pass(b, Adjoint::whole(adjoint.of_plain(k as f64)));
                    } else {
                        pass(b, adjoint.times(k as f64));
                    }
                }
                Op::Offset(a, _) | Op::Truncate(a) => pass(a, adjoint),
                Op::Scale(a, k) => pass(a, adjoint.times(k)),
                Op::Divide(a, d) => pass(a, adjoint.times(d.recip())),
                Op::Half(a, part) => pass(a, Adjoint::half(part, adjoint.whole)),
                Op::Constant(..) | Op::Plain(_) | Op::Nonlinear(..) => {}
            }
        }
    }

    /// Adds the form of some roots (integer combinations with factors) whose factors differ at most
    /// in sign, and of which the same half is taken, if any; and their constants. Where all weights
    /// cancel there is no form. The two halves of packed numbers come one after the other and share
    /// one combination, which is computed once.
    fn form(&mut self, tape: &Tape, roots: &[Root], linear: &mut Linear) {
        let Root { factor, half, .. } = roots[0];
        // Each root counts 1 or −1 times the factor of the first.
        let signed = roots.iter().map(|root| {
            let is_same = root.factor.to_bits() == factor.to_bits();
            (root.at, if is_same { 1 } else { -1 })
        });
        let is_known = half.is_some() && self.combination.is_of(signed.clone());
        if !is_known {
            self.combination.combine(tape, signed);
        }
        let Combination {
            roots,
            terms,
            constants,
            ..
        } = &mut self.combination;
        for &(value, count, site) in &*constants {
            let value = match half {
                None => count as f64 * value,
                Some(part) => part.of(count * value as i64) as f64,
            };
            match site {
                Some(site) => linear.add_constant(tape, site, factor * value),
                None => linear.constant += factor * value,
            }
        }
        let mut taken = self.spare.pop().unwrap_or_default();
        taken.clear();
        match half {
            // The combination is not asked for again: its terms are moved, not copied.
            None => {
                std::mem::swap(&mut taken, terms);
                roots.clear();
            }
            Some(part) => {
                let counted = terms.iter().map(|&(leaf, c)| (leaf, part.of(c)));
                taken.extend(counted.filter(|&(_, c)| c != 0));
            }
        }
        if taken.is_empty() {
            self.spare.push(taken);
        } else {
            let terms = taken;
            linear.forms.push(Form { factor, terms });
        }
    }

    /// Takes back the lists of terms of forms, so that their memory is used again.
    pub(super) fn reuse(&mut self, forms: impl Iterator<Item = Form>) {
        self.spare.extend(forms.map(|form| form.terms));
    }
}

/// Most operations of an integer combination that is taken apart: beyond, it is
/// rather a sum of counted weights than of scores and phases.
const PARTS: usize = 16;

/// Tells whether an integer combination is nothing but a sum of products with constants, such as
/// mg·p + eg·(24 − p), within `left` operations, which it counts down.
fn is_peelable(tape: &Tape, r: Ref, left: &mut usize) -> bool {
    let Some(node) = r.as_node().filter(|_| *left > 0) else {
        return false;
    };
    *left -= 1;
    match tape.nodes[node] {
        // A negation must have such a sum as its operand. Any other multiple is one term of a sum,
        // whatever its operand is: whether that is taken apart further is decided for itself.
        Op::Sum(a, b, -1) if a.is_none() => is_peelable(tape, b, left),
        Op::Sum(a, ..) if a.is_none() => true,
        Op::Sum(a, b, _) => is_peelable(tape, b, left) && is_peelable(tape, a, left),
        Op::Offset(a, _) => is_peelable(tape, a, left),
        Op::Constant(..) | Op::Plain(_) => true,
        _ => false,
    }
}

/// Takes an integer combination, which counts `factor` times, apart where it is a sum of products
/// with constants: what the constants multiply becomes roots, each with its factor. A combination
/// of more than 16 operations ([`PARTS`]), or one that is not such a sum, becomes a root (what a
/// form is made of) as a whole.
fn peel(tape: &Tape, r: Ref, factor: f64, linear: &mut Linear) {
    if r.is_none() {
        return;
    }
    let node = r.as_node().filter(|_| is_peelable(tape, r, &mut { PARTS }));
    match node.map(|node| tape.nodes[node]) {
        Some(Op::Sum(a, b, k)) => {
            peel(tape, a, factor, linear);
            peel(tape, b, factor * k as f64, linear);
        }
        Some(Op::Offset(a, c)) => {
            peel(tape, a, factor, linear);
            linear.constant += factor * c;
        }
        Some(Op::Constant(c, site)) => linear.add_constant(tape, site, factor * c),
        Some(Op::Plain(c)) => linear.constant += factor * c,
        _ => linear.roots.push(Root::whole(r, factor)),
    }
}
