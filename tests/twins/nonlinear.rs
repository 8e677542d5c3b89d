//! Shapes that are not linear in the weights. The trace of each, recorded at
//! the source's weights, predicts the twin's score at others.

use tuner_core::trace::{ExpressionValues, Recorder, Tr, Trace};

use crate::support::registry;

/// A file of weights and a pair type with the author's own operators.
#[tuner_core::tunable(nonlinear)]
mod pairs {
    use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub};

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Tapered(pub i32, pub i32);

    impl Tapered {
        pub const ZERO: Self = Self(0, 0);

        pub const fn new(mg: i32, eg: i32) -> Self {
            Self(mg, eg)
        }

        pub const fn mg(self) -> i32 {
            self.0
        }

        pub const fn eg(self) -> i32 {
            self.1
        }

        pub fn taper(self, phase: i32) -> i32 {
            (self.0 * phase + self.1 * (24 - phase)) / 24
        }
    }

    impl Add for Tapered {
        type Output = Self;
        fn add(self, other: Self) -> Self {
            Self(self.0 + other.0, self.1 + other.1)
        }
    }

    impl AddAssign for Tapered {
        fn add_assign(&mut self, other: Self) {
            *self = *self + other;
        }
    }

    impl Sub for Tapered {
        type Output = Self;
        fn sub(self, other: Self) -> Self {
            Self(self.0 - other.0, self.1 - other.1)
        }
    }

    impl Neg for Tapered {
        type Output = Self;
        fn neg(self) -> Self {
            Self(-self.0, -self.1)
        }
    }

    impl Mul<i32> for Tapered {
        type Output = Self;
        fn mul(self, factor: i32) -> Self {
            Self(self.mg() * factor, self.eg() * factor)
        }
    }

    impl MulAssign<i32> for Tapered {
        fn mul_assign(&mut self, factor: i32) {
            *self = *self * factor;
        }
    }

    impl Mul<Tapered> for i32 {
        type Output = Tapered;
        fn mul(self, pair: Tapered) -> Tapered {
            pair * self
        }
    }

    impl Mul for Tapered {
        type Output = Self;
        fn mul(self, other: Self) -> Self {
            Self(self.0 * other.0 / 16, self.1 * other.1 / 16)
        }
    }

    impl Div<i32> for Tapered {
        type Output = Self;
        fn div(self, divisor: i32) -> Self {
            Self(self.0 / divisor, self.1 / divisor)
        }
    }

    pub const TOWER: Tapered = Tapered(50, 62);
    pub const OPEN: Tapered = Tapered::new(12, -7);
}

#[allow(
    clippy::all,
    clippy::pedantic,
    reason = "an engine's code as it is found"
)]
mod engine {
    use std::cmp::max;

    use super::pairs::*;

    pub const UNITS: [i32; 4] = [3, 17, 31, 44];
    pub const LIMIT: i32 = 20;
    pub const BIAS: i32 = -35;
    pub const STEEP: f64 = 12.5;
    pub const SLOPE: f64 = 0.75;
    pub const SHIFT: [i32; 64] = [2; 64];
    pub const BOUND: i32 = 24;

    pub struct Field {
        pub men: [i32; 4],
        pub side: bool,
    }

    impl Field {
        fn danger(&self) -> i32 {
            let mut danger = 0;
            for (index, &count) in self.men.iter().enumerate() {
                danger += UNITS[index] * count;
            }
            danger
        }

        fn balance(&self) -> Tapered {
            TOWER * (self.men[0] - self.men[1]) + OPEN * self.men[2]
        }
    }

    pub fn king_safety(board: &Field) -> i32 {
        let danger = board.danger() + BIAS;
        danger * danger.max(0) / 100 - danger.max(0) / 4
    }

    pub fn scaled_by_sign(board: &Field) -> i32 {
        let score = board.balance();
        let scale = if score.eg() > 0 { board.men[3] } else { 64 };
        (score.mg() * 9 + score.eg() * scale / 128 * (24 - 9)) / 24
    }

    pub fn capped(board: &Field) -> i32 {
        let units = board.danger();
        let bounded = (units + BIAS).clamp(-50, 50);
        units.min(99) + bounded * 2
    }

    pub fn phase_of_weights(board: &Field) -> i32 {
        let phase = board.men[0] * 7;
        let mg = board.balance().mg();
        let limited = phase.min(LIMIT);
        (mg * limited + board.balance().eg() * (LIMIT - limited)) / LIMIT
    }

    pub fn powers(board: &Field) -> i32 {
        let x = board.danger();
        let y = i32::pow(x, 2) / 512;
        x.pow(2) / 256 - y
    }

    pub fn signs(board: &Field) -> i32 {
        let a = BIAS * board.men[1] + 2;
        let s = if a < 0 { -1 } else { 1 };
        -a.abs() + a.signum() * 10 + board.danger() * s
    }

    pub fn closures(board: &Field) -> i32 {
        let curve = |x: i32| x * x / 32;
        let both = |a: i32, b: i32| {
            let worse = |limit: i32| max(a, b).min(limit);
            curve(worse(LIMIT * 3))
        };
        let counted = UNITS.iter().filter(|w| **w > LIMIT).count() as i32;
        let best = UNITS.iter().fold(0, |best, &w| best.max(w));
        let largest = UNITS.iter().copied().fold(i32::MIN, i32::max);
        let sizes: i32 = UNITS.iter().copied().map(i32::abs).sum();
        both(board.danger(), BIAS) + counted + best + largest + sizes
    }

    pub fn pairs(board: &Field) -> i32 {
        let mut score = board.balance() * UNITS[2] / 16 + LIMIT * TOWER;
        score *= LIMIT;
        score += OPEN * 3;
        score *= 2;
        score += OPEN * TOWER - 4 * OPEN;
        (score / (LIMIT * 4)).taper(11)
    }

    pub fn quotients(board: &Field) -> i32 {
        let mut ratio = 1000 / LIMIT;
        ratio *= UNITS[1];
        ratio /= UNITS[3];
        let mut factors = [1; 2];
        factors[1] *= UNITS[0];
        factors[1] *= factors[1];
        board.danger() * 10 / LIMIT + ratio + factors[1]
    }

    pub fn floats(board: &Field) -> i32 {
        let x = f64::from(board.danger()) / 100.0;
        let y = (x - STEEP).tanh() * SLOPE + f64::sqrt(x.max(0.5)) * STEEP;
        let z = x.powi(2).ln() + (x / 50.0).exp() - x.powf(SLOPE) + 2.0f64.powf(SLOPE);
        let most = f64::max(y, 1.5) * 0.5;
        ((y + z) * 8.0 + most) as i32
    }

    pub fn guards(board: &Field) -> i32 {
        let danger = board.danger();
        let mut total = danger + BIAS;
        while total <= 150 {
            total += UNITS[3];
        }
        let step = match board.men[2] {
            n if danger > 100 && n > 1 => UNITS[1] * n,
            _ if danger != LIMIT => UNITS[0],
            _ => 0,
        };
        let none = if BIAS == LIMIT || danger >= 5000 {
            100
        } else {
            0
        };
        total + step + none
    }

    pub fn plain_counts(board: &Field) -> i32 {
        let many = board.men[0].max(board.men[1]).min(3).pow(2);
        let few = max(board.men[2], 1);
        let mut score = 0;
        if many > few && board.men[3].abs() == 2 {
            score += UNITS[many.clamp(0, 3) as usize] * many;
        }
        score / few
    }

    pub fn frozen(board: &Field) -> i32 {
        let danger = board.danger();
        let index = tuner_core::freeze!(danger / 16).clamp(0, 63);
        let plain = tuner_core::freeze!(board.men[0]);
        SHIFT[index as usize] * 4 + danger + plain
    }

    pub fn changed(board: &Field) -> i32 {
        let mut score = 0;
        add_units(board, &mut score);
        score
    }

    fn add_units(board: &Field, score: &mut i32) {
        *score += UNITS[2] * board.men[2];
        if *score > 10 {
            *score *= LIMIT;
        }
        *score = (*score).min(BOUND * 60);
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!(nonlinear, frozen(BOUND));
}

/// Marked functions, next to others that are not marked `nonlinear`.
mod marked {
    use tuner_core::tunable;

    use super::engine::{Field, UNITS};

    pub(super) struct Flank(pub(super) i32);

    #[tunable(nonlinear)]
    pub(super) fn function(board: &Field) -> i32 {
        linear(board).max(40) + Flank(board.men[1]).method() + Flank(3).other()
    }

    #[tunable]
    fn linear(board: &Field) -> i32 {
        UNITS[1] * board.men[0]
    }

    impl Flank {
        #[tunable(nonlinear)]
        fn method(&self) -> i32 {
            (UNITS[2] * self.0).pow(2) / 100
        }
    }

    #[tunable]
    impl Flank {
        #[tunable(nonlinear)]
        fn other(&self) -> i32 {
            (UNITS[0] * self.0 - UNITS[3]).abs()
        }

        fn linear(&self) -> i32 {
            UNITS[0] * self.0
        }
    }
}

use engine::{__traced as twin, Field};

fn boards() -> Vec<Field> {
    let men = [[4, 1, 0, 3], [0, 3, 2, 2], [1, 2, 5, 2], [2, 2, 1, 0]];
    men.map(|men| Field { men, side: true }).into()
}

fn weights() -> Vec<f64> {
    registry()
        .parameters
        .iter()
        .flat_map(|p| p.values.iter().copied())
        .collect()
}

/// The score that a trace predicts, how far truncation may have moved it, and
/// whether a branch would be taken the other way.
fn predicted(trace: &Trace, values: &[f64]) -> (f64, f64, bool) {
    let forms = trace.forms.iter().map(|form| {
        let terms = form.terms.iter();
        terms
            .map(|&(leaf, c)| c as f64 * values[leaf.index()])
            .sum::<f64>()
    });
    let inputs: Vec<f64> = forms.collect();
    let linear = trace.forms.iter().zip(&inputs).map(|(f, x)| f.factor * x);
    let expression = trace.expression.as_ref().unwrap();
    let mut evaluation = ExpressionValues::default();
    let rest = evaluation.value(&expression.steps, &expression.constants, &inputs);
    let bounds = evaluation.bounds(&expression.steps, &trace.step_slack);
    let slack = trace.slack + bounds.last().unwrap() + 1e-9;
    (
        trace.constant + linear.sum::<f64>() + rest,
        slack,
        evaluation.changes_branch(&expression.steps),
    )
}

/// Weights near the source's, by a fixed rule.
fn moved(round: i32) -> Vec<f64> {
    let step = |leaf: usize| f64::from((leaf as i32 * 7 + round * 5) % 9 - 4);
    let weights = weights().into_iter().enumerate();
    weights
        .map(|(leaf, w)| w + step(leaf) * if w.fract() == 0.0 { 1.0 } else { 0.01 })
        .collect()
}

/// Compares twin, production and trace.
fn assert_traced(production: impl Fn(&Field) -> i32, twin: impl Fn(&Field) -> Tr<i32>) {
    let mut recorder = Recorder::new();
    let (mut kept, mut moves) = (0, 0);
    for board in boards() {
        let mut trace = Trace::default();
        recorder.record(|| twin(&board), &mut trace);
        assert!((trace.score - f64::from(production(&board))).abs() < 0.5);
        let (score, slack, flipped) = predicted(&trace, &weights());
        assert!(!flipped && (score - trace.score).abs() <= slack);
        for round in 1..9 {
            let values = moved(round);
            let (score, slack, flipped) = predicted(&trace, &values);
            if flipped {
                continue;
            }
            let exact = Recorder::defined_at(&values, || twin(&board)).0;
            assert!(
                (score - exact).abs() <= slack,
                "{:?}, {round}: {exact} but {score} ± {slack}",
                board.men
            );
            kept += 1;
            moves += u32::from((exact - trace.score).abs() > slack);
        }
    }
    assert!(kept >= 16 && moves >= 4, "{kept} {moves}");
}

macro_rules! shapes {
    ($($name:ident),*) => {$(
        #[test]
        fn $name() {
            assert_traced(engine::$name, twin::$name);
        }
    )*};
}
shapes!(
    king_safety,
    scaled_by_sign,
    capped,
    phase_of_weights,
    powers,
    signs,
    closures,
    pairs,
    quotients,
    floats,
    guards,
    changed
);

#[test]
fn functions_and_methods_say_their_own_mode() {
    assert_traced(marked::function, marked::__traced::function);
}

/// Recorded at the source's weights.
fn recorded(twin: impl Fn(&Field) -> Tr<i32>, board: &Field) -> Trace {
    let mut trace = Trace::default();
    Recorder::new().record(|| twin(board), &mut trace);
    trace
}

#[test]
fn plain_counts_stay_plain() {
    for board in boards() {
        let trace = recorded(twin::plain_counts, &board);
        assert!((trace.score - f64::from(engine::plain_counts(&board))).abs() < 0.5);
        assert!(trace.expression.is_none());
    }
}

#[test]
fn a_frozen_score_has_no_derivative() {
    for board in boards() {
        let trace = recorded(twin::frozen, &board);
        assert!((trace.score - f64::from(engine::frozen(&board))).abs() < 0.5);
        // One entry of SHIFT, by a constant index; what is frozen is in
        // guards, not in the score.
        let shift = registry().parameters.iter().find(|p| p.name == "SHIFT");
        let first = shift.unwrap().first;
        let scored = trace.forms.iter().filter(|f| f.factor != 0.0);
        let terms = scored.flat_map(|f| &f.terms);
        let in_shift: Vec<_> = terms
            .filter(|(leaf, _)| (first..first + 64).contains(&leaf.0))
            .collect();
        assert!(matches!(in_shift[..], [(_, 4)]), "{in_shift:?}");
    }
}
