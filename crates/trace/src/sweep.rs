//! From a tape to a [`Trace`]: linear forms, and an expression over them where
//! the score is not linear.
//!
//! A tapered score is `(mg·p + eg·(24 − p)) / 24` where `mg` and `eg` are
//! integer combinations of weights; [`linear`](super::linear) finds these.
//! Where it meets something that is not linear, that stays apart with its
//! derivative as a factor, and [`lower`](super::lower) turns it into steps.

use super::expression::Expression;
use super::in_force;
use super::linear::{Linear, Sweep};
use super::lower;
use super::primitive::Primitive;
use super::registry::Leaf;
use super::scalar::Tr;
use super::tape::{Ref, Site, Tape, with};

/// An integer combination of weights, and the factor it counts with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    /// ∂ score / ∂ form, of the linear part; 0 for a form that only the
    /// expression uses.
    pub factor: f64,
    /// Leaves and their coefficients, in no particular order, none zero.
    pub terms: Vec<(Leaf, i64)>,
}

/// How one position's score depends on the weights:
/// `score ≈ constant + Σ factor · Σ coefficient · weight + expression`, within
/// `slack`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The twin's score, by the production type's arithmetic.
    pub score: f64,
    /// The part of the score that no weight explains.
    pub constant: f64,
    /// Plain numbers that joined at known places, by place: their part of
    /// `constant`, or what they are within the expression.
    pub sites: Vec<(Site, f64)>,
    /// The forms; each factor but 0 once.
    pub forms: Vec<Form>,
    /// The part that is not linear; its inputs are the values of the forms.
    pub expression: Option<Expression>,
    /// Bound on what truncation takes from each step of the expression.
    pub step_slack: Vec<f64>,
    /// Bound on what truncation took from the linear part.
    pub slack: f64,
    /// Rounding of the float types in use: a part of the size of all terms.
    pub rounding: f64,
    /// Whether an integer operation wrapped.
    pub wrapped: bool,
    /// Nodes on the tape.
    pub nodes: usize,
}

/// Records traces on this thread; keeps its buffers from one to the next.
#[derive(Debug, Default)]
pub struct Recorder {
    sweep: Sweep,
    linear: Linear,
    lowering: lower::Buffers,
}

impl Recorder {
    /// Makes a recorder with empty buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs the twin at the source's weights, and overwrites `trace` with its score and how that
    /// depends on the weights.
    ///
    /// Cost: the twin's run, and two to four passes over its tape.
    pub fn record<P: Primitive>(&mut self, twin: impl FnOnce() -> Tr<P>, trace: &mut Trace) {
        self.record_at(&[], twin, trace);
    }

    /// Runs the twin at the weights `values`, by leaf number, empty for those of the source, and
    /// overwrites `trace` with its score and how that depends on the weights. If the score is not
    /// linear, the trace may differ from that at other weights, as branches may be taken the other
    /// way; if it is linear, only the score does.
    pub fn record_at<P: Primitive>(
        &mut self,
        values: &[f64],
        twin: impl FnOnce() -> Tr<P>,
        trace: &mut Trace,
    ) {
        // `true`: operations leave nodes.
        let _guard = Guard::start(values, true);
        let score = twin();
        trace.score = score.value().to_f64();
        with(|tape| {
            // Each operation may round once, by the coarsest precision in use.
            trace.rounding = tape.epsilon * (tape.nodes.len() + 1) as f64;
            self.take_apart(tape, tape.local(score.at), trace);
        });
    }

    /// Writes into `trace` how a score depends on the weights. `root`: the node of the tape that is
    /// the score. From there back to the weights, derivatives are added up node by node, which
    /// gives the linear forms; what is not linear, and the branches that were taken, become the
    /// expression over forms. `trace` has the score and its rounding already; all else of it is
    /// overwritten.
    pub(super) fn take_apart(&mut self, tape: &Tape, root: Ref, trace: &mut Trace) {
        trace.wrapped = tape.wrapped;
        trace.nodes = tape.nodes.len();
        let linear = &mut self.linear;
        self.sweep.reuse(trace.forms.drain(..));
        self.sweep.run(tape, root, linear);
        // A score that depends on nothing is a constant as a whole.
        trace.constant = if root.is_none() {
            trace.score
        } else {
            linear.constant
        };
        trace.slack = linear.slack;
        trace.sites.clear();
        trace.sites.extend_from_slice(&linear.sites);
        std::mem::swap(&mut trace.forms, &mut linear.forms);
        if let Some(expression) = trace.expression.take() {
            self.lowering.reuse(expression);
        }
        trace.step_slack.clear();
        if !linear.nonlinear.is_empty() || !tape.guards.is_empty() {
            let buffers = &mut self.lowering;
            lower::lower(tape, &mut self.sweep, buffers, &linear.nonlinear, trace);
        }
    }

    /// Runs `f` with the weights `values`, by leaf number, empty for those of the source, in force
    /// on this thread: within it [`Self::score`] gives scores at them, of as many evaluations as
    /// `f` likes. It must not be called within itself or a recording.
    ///
    /// Cost: once for all evaluations of `f`, a comparison and a copy of the weights; where they
    /// differ from those before, also a copy of the entries of tables that stay as they were.
    pub fn within<R>(values: &[f64], f: impl FnOnce() -> R) -> R {
        // `false`: operations leave no nodes.
        let _guard = Guard::start(values, false);
        f()
    }

    /// Tells whether other weights than the source's are in force on this thread.
    pub fn is_within() -> bool {
        in_force::is_active() || with(|tape| !tape.values.is_empty())
    }

    /// Returns the plain number that a twin's score is at the weights in force on this thread.
    pub fn score<P: Primitive>(score: Tr<P>) -> P {
        score.value()
    }

    /// Runs the twin with `values` in place of the source's literals, by leaf number, and returns
    /// the score; nothing is recorded. Also tells whether the score means something: `false` if an
    /// operation overflowed, divided by 0 or cut a number to an empty range, or the score is not
    /// finite.
    pub fn defined_at<P: Primitive>(values: &[f64], twin: impl FnOnce() -> Tr<P>) -> (f64, bool) {
        // `false`: operations leave no nodes.
        let _guard = Guard::start(values, false);
        let score = twin().value().to_f64();
        let wrapped = with(|tape| tape.wrapped);
        (score, !wrapped && score.is_finite())
    }
}

/// Ends an evaluation when dropped, so also when it panics: the source's weights are in force
/// again.
struct Guard;

impl Guard {
    /// Begins an evaluation at the weights `values`, by leaf number, empty for those of the source,
    /// with an empty tape. `recording`: operations leave nodes.
    fn start(values: &[f64], recording: bool) -> Self {
        with(|tape| {
            tape.nodes.clear();
            tape.sites.clear();
            tape.guards.clear();
            tape.values.clear();
            tape.values.extend_from_slice(values);
            tape.tables.begin(values);
            tape.recording = recording;
            // Whether numbers hold their own values depends on weights, tables and `recording`.
            tape.settle();
            tape.wrapped = false;
            tape.epsilon = 0.0;
        });
        Self
    }
}

impl Drop for Guard {
    /// Ends an evaluation, also when it panicked: the source's weights are in force again.
    fn drop(&mut self) {
        with(|tape| {
            tape.values.clear();
            tape.recording = false;
            // Where numbers get their values from depends on both.
            tape.settle();
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

    fn term((leaf, count): (u32, i64)) -> (Leaf, i64) {
        (Leaf(leaf), count)
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
        assert_eq!(trace.forms[0].terms, [(0, 3), (1, 1), (2, -2)].map(term));
        assert!(close(trace.forms[1].factor, 17.0 / 24.0));
        assert_eq!(trace.forms[1].terms, [(3, 3), (4, 1), (5, -2)].map(term));
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
                    .map(|&(leaf, c)| f.factor * c as f64 * [10.0, 8.0, 1.0][leaf.index()])
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
        assert_eq!(trace.forms[0].terms, [(1, 1)].map(term));
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
        let trace = record(|| crate::cast::<i32, _>(crate::cast::<i8, _>(w(200, 0))));
        assert_eq!(trace.score, f64::from(200_i32 as i8));
        assert!(trace.wrapped);
    }

    #[test]
    fn evaluation_at_other_values_uses_them() {
        let twin = || w(10, 0) * 3 + w(20, 1);
        assert_eq!(Recorder::defined_at(&[1.0, 2.0], twin).0, 5.0);
        let within = Recorder::within(&[1.0, 2.0], || {
            assert!(Recorder::is_within());
            [(); 2].map(|()| Recorder::score(twin()))
        });
        assert_eq!(within, [5; 2]);
        assert!(!Recorder::is_within());
        assert_eq!(record(twin).score, 50.0);
    }
}
