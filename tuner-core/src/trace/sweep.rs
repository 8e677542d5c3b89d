//! From a tape to linear forms: the reverse sweep.
//!
//! A tapered score is `(mg·p + eg·(24 − p)) / 24` where `mg` and `eg` are
//! integer combinations of weights. The sweep keeps that structure. Nodes
//! above a division, or a multiplication by a float, carry their derivative
//! in `f64`. Where it meets an integer combination it first takes it apart as
//! far as it is a sum of products with constants (`mg·p`, `eg·(24 − p)`); the
//! rest, `mg` and `eg`, are the forms, and their coefficients are summed in
//! integers. Correctness never depends on that choice, only compactness does:
//! any way to cut the expression gives the same derivatives.

use super::primitive::Primitive;
use super::scalar::Tr;
use super::tape::{Op, Ref, Site, Tape, with};

/// An integer combination of weights, and the factor it counts with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    /// ∂ score / ∂ form.
    pub factor: f64,
    /// Leaf numbers and their coefficients, in no particular order, none zero.
    pub terms: Vec<(u32, i64)>,
}

/// How one position's score depends on the weights:
/// `score ≈ constant + Σ factor · Σ coefficient · weight`, within `slack`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The twin's score, by the production type's arithmetic.
    pub score: f64,
    /// What no weight explains.
    pub constant: f64,
    /// The part of `constant` that joined at known places, by place.
    pub sites: Vec<(Site, f64)>,
    /// The forms, each factor once.
    pub forms: Vec<Form>,
    /// Bound on what truncating divisions took from the score.
    pub slack: f64,
    /// Whether an integer operation wrapped.
    pub wrapped: bool,
    /// Nodes on the tape.
    pub nodes: usize,
}

impl Trace {
    fn add_constant(&mut self, tape: &Tape, site: u32, value: f64) {
        self.constant += value;
        self.sites.push((tape.sites[site as usize], value));
    }
}

/// Records traces on this thread; keeps its buffers from one to the next.
#[derive(Debug, Default)]
pub struct Recorder {
    adjoint: Vec<f64>,
    coefficient: Vec<i64>,
    roots: Vec<(Ref, f64)>,
    by_leaf: Vec<i64>,
    touched: Vec<u32>,
}

impl Recorder {
    /// Makes a recorder with empty buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs the twin at the source's weights and overwrites `trace`.
    ///
    /// Cost: the twin's run, and two to four passes over its tape.
    pub fn record<P: Primitive>(&mut self, twin: impl FnOnce() -> Tr<P>, trace: &mut Trace) {
        let _guard = Guard::start(&[], true);
        let score = twin();
        trace.score = score.value().to_f64();
        with(|tape| self.sweep(tape, score.dependence(), trace));
    }

    /// Runs the twin with `values` in place of the source's literals (indexed
    /// by leaf number) and returns the score; nothing is recorded.
    pub fn evaluate_at<P: Primitive>(values: &[f64], twin: impl FnOnce() -> Tr<P>) -> f64 {
        let _guard = Guard::start(values, false);
        twin().value().to_f64()
    }

    fn sweep(&mut self, tape: &Tape, root: Ref, trace: &mut Trace) {
        trace.forms.clear();
        trace.sites.clear();
        trace.slack = 0.0;
        trace.wrapped = tape.wrapped;
        trace.nodes = tape.nodes.len();
        trace.constant = if root.is_none() { trace.score } else { 0.0 };
        self.roots.clear();
        if tape.is_integral(root) {
            if !root.is_none() {
                self.roots.push((root, 1.0));
            }
        } else {
            self.outer(tape, root, trace);
        }
        // Equal factors share a form, so that each is swept once.
        self.roots.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut start = 0;
        while start < self.roots.len() {
            let factor = self.roots[start].1;
            let same = self.roots[start..]
                .iter()
                .take_while(|r| r.1.to_bits() == factor.to_bits());
            let end = start + same.count();
            if factor != 0.0 {
                self.form(tape, start..end, factor, trace);
            }
            start = end;
        }
    }

    /// Propagates derivatives down to the integer combinations.
    fn outer(&mut self, tape: &Tape, root: Ref, trace: &mut Trace) {
        let Some(top) = root.as_node() else { return };
        self.adjoint.clear();
        self.adjoint.resize(top + 1, 0.0);
        self.adjoint[top] = 1.0;
        for index in (0..=top).rev() {
            let adjoint = self.adjoint[index];
            if adjoint == 0.0 || tape.nodes[index].integral {
                continue;
            }
            match tape.nodes[index].op {
                Op::Offset(_, c) => trace.constant += adjoint * c,
                Op::Constant(c, site) => trace.add_constant(tape, site, adjoint * c),
                Op::Divide(_, d) => trace.slack += adjoint.abs() * (1.0 - d.abs().recip()),
                Op::Truncate(_) => trace.slack += adjoint.abs(),
                _ => {}
            }
            let mut pass = |to: Ref, by: f64| match to.as_node() {
                Some(node) if !tape.nodes[node].integral => self.adjoint[node] += by,
                _ => peel(tape, to, by, &mut self.roots, trace),
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
                Op::Constant(..) => {}
            }
        }
    }

    /// Sums the coefficients of the roots in `range`, which share `factor`.
    fn form(&mut self, tape: &Tape, range: std::ops::Range<usize>, factor: f64, trace: &mut Trace) {
        let top = range
            .clone()
            .filter_map(|r| self.roots[r].0.as_node())
            .max();
        self.coefficient.clear();
        self.coefficient.resize(top.map_or(0, |t| t + 1), 0);
        let mut offset = 0.0;
        let mut leaves = Leaves {
            by_leaf: &mut self.by_leaf,
            touched: &mut self.touched,
        };
        for &(root, _) in &self.roots[range] {
            match root.as_node() {
                Some(node) => self.coefficient[node] += 1,
                None => leaves.add(root, 1),
            }
        }
        for index in (0..self.coefficient.len()).rev() {
            let coefficient = self.coefficient[index];
            if coefficient == 0 {
                continue;
            }
            let mut pass = |to: Ref, by: i64| match to.as_node() {
                Some(node) => self.coefficient[node] += by,
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
                    trace.add_constant(tape, site, factor * coefficient as f64 * c);
                }
                // Never integral, so never below an integral node.
                Op::Scale(..) | Op::Divide(..) | Op::Truncate(_) => {}
            }
        }
        trace.constant += factor * offset;
        let terms = leaves.take();
        if !terms.is_empty() {
            trace.forms.push(Form { factor, terms });
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
        let terms = self.touched.iter().filter_map(|&leaf| {
            let coefficient = std::mem::take(&mut self.by_leaf[leaf as usize]);
            (coefficient != 0).then_some((leaf, coefficient))
        });
        let terms = terms.collect();
        self.touched.clear();
        terms
    }
}

/// Whether an integer combination is nothing but a sum of products with constants.
fn peelable(tape: &Tape, r: Ref) -> bool {
    r.as_node().is_some_and(|node| match tape.nodes[node].op {
        Op::Times(..) | Op::Constant(..) => true,
        Op::Neg(a) | Op::Offset(a, _) => peelable(tape, a),
        Op::Add(a, b) | Op::Sub(a, b) => peelable(tape, b) && peelable(tape, a),
        Op::Scale(..) | Op::Divide(..) | Op::Truncate(_) => false,
    })
}

/// Takes an integer combination apart into what the constants multiply.
fn peel(tape: &Tape, r: Ref, factor: f64, roots: &mut Vec<(Ref, f64)>, trace: &mut Trace) {
    let node = match r.as_node() {
        Some(node) if peelable(tape, r) => node,
        _ => {
            if !r.is_none() {
                roots.push((r, factor));
            }
            return;
        }
    };
    let mut next = |a: Ref, f: f64| peel(tape, a, f, roots, trace);
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
            trace.constant += factor * c;
        }
        Op::Constant(c, site) => trace.add_constant(tape, site, factor * c),
        Op::Scale(..) | Op::Divide(..) | Op::Truncate(_) => roots.push((r, factor)),
    }
}

/// Puts the tape back to rest, also when the evaluation panics.
struct Guard;

impl Guard {
    fn start(values: &[f64], recording: bool) -> Self {
        with(|tape| {
            tape.nodes.clear();
            tape.sites.clear();
            tape.values.clear();
            tape.values.extend_from_slice(values);
            tape.recording = recording;
            tape.wrapped = false;
        });
        Self
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        with(|tape| {
            tape.values.clear();
            tape.recording = false;
        });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)] // small integers are exact

    use super::*;

    fn w(value: i32, leaf: u32) -> Tr<i32> {
        Tr::weight(value, leaf)
    }

    fn record(twin: impl FnOnce() -> Tr<i32>) -> Trace {
        let mut trace = Trace::default();
        Recorder::new().record(twin, &mut trace);
        for form in &mut trace.forms {
            form.terms.sort_unstable();
        }
        trace
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn a_tapered_score_has_two_small_forms() {
        let trace = record(|| {
            let mg = w(10, 0) * 3 + w(20, 1) - w(5, 2) * 2;
            let eg = w(11, 3) * 3 + w(21, 4) - w(6, 5) * 2;
            (mg * 7 + eg * (24 - 7)) / 24
        });
        assert_eq!(trace.score, f64::from((40 * 7 + 42 * 17) / 24));
        assert_eq!(trace.forms.len(), 2);
        assert!(close(trace.forms[0].factor, 7.0 / 24.0));
        assert_eq!(trace.forms[0].terms, [(0, 3), (1, 1), (2, -2)]);
        assert!(close(trace.forms[1].factor, 17.0 / 24.0));
        assert_eq!(trace.forms[1].terms, [(3, 3), (4, 1), (5, -2)]);
        assert_eq!(trace.constant, 0.0);
        assert!(trace.slack < 1.0 && trace.slack > 0.9);
    }

    #[test]
    fn constants_are_kept_apart() {
        let trace = record(|| ((w(10, 0) + 4) * 3 + w(8, 1) * 5) / 8 + 7 - w(1, 2));
        let by_weights: f64 = trace
            .forms
            .iter()
            .flat_map(|f| {
                f.terms
                    .iter()
                    .map(|&(leaf, c)| f.factor * c as f64 * [10.0, 8.0, 1.0][leaf as usize])
            })
            .sum();
        assert!(close(trace.constant, 12.0 / 8.0 + 7.0));
        assert!((by_weights + trace.constant - trace.score).abs() <= trace.slack);
    }

    #[test]
    fn a_plain_score_is_all_constant() {
        let trace = record(|| Tr::lit(5) + 3);
        assert_eq!((trace.constant, trace.forms.len()), (8.0, 0));
    }

    #[test]
    fn weights_that_cancel_leave_no_term() {
        let trace = record(|| w(10, 0) + w(3, 1) - w(10, 0));
        assert_eq!(trace.forms[0].terms, [(1, 1)]);
    }

    #[test]
    fn a_scaled_endgame_half_is_its_own_form() {
        let trace = record(|| {
            let (mg, eg) = (w(10, 0) + w(1, 1), w(100, 2) + w(1, 3));
            (mg * 12 + eg * 64 / 128 * 12) / 24
        });
        let factors: Vec<f64> = trace.forms.iter().map(|f| f.factor).collect();
        assert!(
            close(factors[0], 0.25) && close(factors[1], 0.5),
            "{factors:?}"
        );
    }

    #[test]
    fn casts_wrap_as_production_does_and_are_noticed() {
        let trace = record(|| crate::trace::cast::<i32, _>(crate::trace::cast::<i8, _>(w(200, 0))));
        assert_eq!(trace.score, f64::from(200_i32 as i8));
        assert!(trace.wrapped);
    }

    #[test]
    fn evaluation_at_other_values_uses_them() {
        let twin = || w(10, 0) * 3 + w(20, 1);
        assert_eq!(Recorder::evaluate_at(&[1.0, 2.0], twin), 5.0);
        assert_eq!(record(twin).score, 50.0);
    }
}
