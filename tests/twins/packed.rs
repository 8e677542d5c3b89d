//! Pairs packed in one integer: as an alias, which counts share, and as a type
//! with operators; made by a macro.

use crate::support::assert_derivatives;

#[allow(
    clippy::all,
    clippy::pedantic,
    reason = "an engine's code as it is found"
)]
#[tuner_core::tunable]
mod alias {
    /// Scores, and counts as well.
    pub type Value = i32;

    pub const fn pack(mg: i16, eg: i16) -> Value {
        ((eg as u32) << 16) as Value + mg as Value
    }

    pub const fn mg(value: Value) -> i16 {
        (value & 0xFFFF) as i16
    }

    pub const fn eg(value: Value) -> i16 {
        ((value + 0x8000) as u32 >> 16) as i16
    }

    pub const MAN: Value = pack(100, 120);
    pub const KING: [Value; 2] = [pack(300, -280), pack(-7, 9)];
    pub const DANGER: [i16; 3] = [0, -20, -45];

    pub const PLACES: super::Wrapped<Value> =
        super::Wrapped::from_array([pack(1, 2), pack(3, 4), pack(-5, 6), pack(7, -8)]);

    fn one_side(men: [usize; 2]) -> Value {
        let mut value = 0;
        let mut count = 0;
        for _ in 0..men[0] {
            value += MAN;
            count += 1;
        }
        if men[1] == 9 {
            return pack(0, 0);
        }
        value += KING[men[1] % 2] * count;
        value += pack(DANGER[men[1] % 3], 0);
        value += count * PLACES[men[0] % 4];
        value
    }

    /// The same number in both halves, however it came about.
    pub fn both_halves(men: [usize; 2], phase: i32) -> i32 {
        let danger = (DANGER[men[0] % 3] + DANGER[men[1] % 3]) as i32;
        let value = pack(1, 1) * danger - danger / 4 * pack(2, -3) + MAN;
        mg(value) as i32 * phase + eg(value) as i32 * (10 - phase)
    }

    pub fn evaluate(ours: [usize; 2], theirs: [usize; 2], phase: i32) -> i32 {
        let value = one_side(ours) - one_side(theirs);
        (mg(value) as i32 * phase + eg(value) as i32 * (10 - phase)) / 10
    }
}

/// Another file's table, which knows nothing of weights.
pub struct Wrapped<T>([T; 4]);

impl<T: Copy> Wrapped<T> {
    pub const fn from_array(all: [T; 4]) -> Self {
        Self(all)
    }
}

impl<T> std::ops::Index<usize> for Wrapped<T> {
    type Output = T;
    fn index(&self, index: usize) -> &T {
        &self.0[index]
    }
}

#[allow(
    clippy::all,
    clippy::pedantic,
    reason = "an engine's code as it is found"
)]
#[tuner_core::tunable]
mod newtype {
    use std::ops::{Add, AddAssign, Mul, Neg};

    macro_rules! p {
        ($mg:expr, $eg:expr) => {
            Packed::new($mg, $eg)
        };
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Packed(i32);

    impl Packed {
        pub const ZERO: Self = Packed(0);
        pub const TEN: Self = Packed::new(10, 10);

        pub const fn new(mg: i32, eg: i32) -> Self {
            Packed((mg << 16) + eg)
        }

        fn mg(&self) -> i32 {
            ((self.0 + 0x8000) >> 16) as i32
        }

        fn eg(&self) -> i32 {
            self.0 as i16 as i32
        }

        pub fn taper(&self, phase: i32) -> i32 {
            (self.mg() * (10 - phase) + self.eg() * phase) / 10
        }
    }

    /// As others write it: the endgame above, halves shifted by narrow numbers,
    /// a macro that takes literals only.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Upper(i32);

    macro_rules! u {
        ($mg:literal, $eg:literal) => {
            Upper::new($mg, $eg)
        };
    }

    impl Upper {
        pub const fn new(mg: i32, eg: i32) -> Self {
            Self((eg << 16).wrapping_add(mg))
        }

        pub fn mg(&self) -> i32 {
            self.0 as i16 as i32
        }

        pub fn eg(&self) -> i32 {
            ((self.0 + 0x8000) >> 16 as i16) as i32
        }
    }

    impl Neg for Upper {
        type Output = Self;
        fn neg(self) -> Self {
            Self::new(-self.mg(), -self.eg())
        }
    }

    pub const WINGS: [Upper; 2] = [u!(12, -9), u!(-40, 21)];

    /// Halves of pairs in which no weight is.
    pub fn evaluate_constant(men: i32) -> i32 {
        let pair = if men > 1 { WINGS[0] } else { Upper::new(-2, 3) };
        pair.mg() * 10 + pair.eg() + Upper::new(7, -4).mg() + Upper::new(men, 4).eg()
    }

    pub fn evaluate_upper(men: [i32; 2], phase: i32) -> i32 {
        let (ours, theirs) = (WINGS[0], -WINGS[1]);
        (ours.mg() * men[0] + theirs.mg() * men[1]) * phase
            + (ours.eg() * men[0] + theirs.eg() * men[1]) * (10 - phase)
    }

    impl Add for Packed {
        type Output = Self;
        fn add(self, other: Self) -> Self {
            Self(self.0 + other.0)
        }
    }

    impl AddAssign for Packed {
        fn add_assign(&mut self, other: Self) {
            self.0 = self.0 + other.0;
        }
    }

    impl Neg for Packed {
        type Output = Self;
        fn neg(self) -> Self {
            Self(-self.0)
        }
    }

    impl Mul<i32> for Packed {
        type Output = Self;
        fn mul(self, count: i32) -> Self {
            Self(self.0.wrapping_mul(count))
        }
    }

    /// A copy of the macro, as each file of an engine may have.
    mod copy {
        use super::Packed;

        macro_rules! p {
            ($mg:expr, $eg:expr) => {
                Packed::new($mg, $eg)
            };
        }

        pub const NIL: Packed = p!(0, 0);
    }

    pub static PIECES: [Packed; 2] = [p!(31, -17), p!(-12, 40)];
    pub static ROWS: [[Packed; 2]; 2] = [[p!(1, 2), p!(3, 4)], [p!(5, 6), p!(7, 8)]];

    fn piece(index: usize) -> Packed {
        PIECES[index]
    }

    pub fn evaluate_packed(men: [i32; 2], phase: i32) -> i32 {
        let mut score = Packed::ZERO;
        score += piece(0) * men[0];
        score += -piece(1) * men[1];
        score += ROWS[1][0] + Packed::TEN;
        score.taper(phase)
    }
}

#[test]
fn an_alias_that_counts_share_is_taken_apart() {
    let evaluate = |ours, theirs, phase| {
        let production = alias::evaluate(ours, theirs, phase);
        let twin = || alias::__traced::evaluate(ours, theirs, phase);
        let (score, _, trace) = crate::support::derivatives(twin);
        assert_eq!(score, f64::from(production));
        assert!(!trace.wrapped, "a half taken out wraps by design");
    };
    for ours in [[0, 0], [3, 1], [5, 2], [2, 9]] {
        for theirs in [[1, 0], [4, 1]] {
            for phase in [0, 3, 10] {
                evaluate(ours, theirs, phase);
            }
        }
    }
    assert_derivatives(
        || alias::__traced::evaluate([3, 1], [1, 0], 7),
        &[
            ("DANGER0", -0.7),
            ("DANGER1", 0.7),
            ("KING0", -0.7),
            ("KING1", -0.3),
            ("KING2", 2.1),
            ("KING3", 0.9),
            ("MAN0", 1.4),
            ("MAN1", 0.6),
            ("PLACES2", -0.7),
            ("PLACES3", -0.3),
            ("PLACES6", 2.1),
            ("PLACES7", 0.9),
        ],
    );
}

#[test]
fn a_constant_pair_times_a_score_is_that_score_in_each_half() {
    for men in [[0, 1], [1, 2], [2, 2]] {
        for phase in [0, 3, 10] {
            let twin = || alias::__traced::both_halves(men, phase);
            let (score, ..) = crate::support::derivatives(twin);
            assert_eq!(score, f64::from(alias::both_halves(men, phase)));
        }
    }
    // (1 − 2/4)·7 + (1 + 3/4)·3
    assert_derivatives(
        || alias::__traced::both_halves([1, 2], 7),
        &[
            ("DANGER1", 8.75),
            ("DANGER2", 8.75),
            ("MAN0", 7.0),
            ("MAN1", 3.0),
        ],
    );
}

#[test]
fn halves_are_known_however_their_shift_is_written() {
    for men in [[0, 0], [3, 1], [5, -2]] {
        let twin = || newtype::__traced::evaluate_upper(men, 7);
        let (score, ..) = crate::support::derivatives(twin);
        assert_eq!(score, f64::from(newtype::evaluate_upper(men, 7)));
    }
    assert_derivatives(
        || newtype::__traced::evaluate_upper([5, -2], 7),
        &[
            ("WINGS0", 35.0),
            ("WINGS1", 15.0),
            ("WINGS2", 14.0),
            ("WINGS3", 6.0),
        ],
    );
}

#[test]
fn halves_of_a_constant_are_those_of_its_numbers() {
    for men in 0..4 {
        let twin = || newtype::__traced::evaluate_constant(men);
        let (score, _, trace) = crate::support::derivatives(twin);
        assert_eq!(score, f64::from(newtype::evaluate_constant(men)));
        assert!(!trace.wrapped);
        let linear: f64 = if men > 1 { 120.0 - 9.0 } else { 0.0 };
        assert!((trace.constant - (score - linear)).abs() < 1e-9, "{men}");
    }
}

#[test]
fn a_packed_weight_may_fall_below_zero() {
    let twin = || alias::__traced::evaluate([1, 0], [0, 0], 0);
    let registry = crate::support::registry();
    let man = registry
        .parameters
        .iter()
        .find(|p| p.name == "MAN" && p.module.contains("packed"))
        .unwrap();
    let at = |eg: f64| {
        let mut values = registry.values();
        values[man.first as usize + 1] = eg;
        tuner_core::trace::Recorder::defined_at(&values, twin).0
    };
    assert_eq!(at(-40.0), at(120.0) - 160.0);
}

#[test]
fn a_packed_type_brings_its_operators() {
    for men in [[0, 0], [3, 1], [5, -2]] {
        for phase in [0, 4, 10] {
            let twin = || newtype::__traced::evaluate_packed(men, phase);
            let (score, _, trace) = crate::support::derivatives(twin);
            assert_eq!(score, f64::from(newtype::evaluate_packed(men, phase)));
            assert!(!trace.wrapped);
            assert!((trace.constant - 10.0).abs() < 1e-12, "TEN is no weight");
        }
    }
    assert_derivatives(
        || newtype::__traced::evaluate_packed([3, 2], 4),
        &[
            ("PIECES0", 1.8),
            ("PIECES1", 1.2),
            ("PIECES2", -1.2),
            ("PIECES3", -0.8),
            ("ROWS4", 0.6),
            ("ROWS5", 0.4),
        ],
    );
}

#[allow(
    clippy::all,
    clippy::pedantic,
    reason = "an engine's code as it is found"
)]
#[tuner_core::tunable]
mod divided {
    pub const fn pack(mg: i32, eg: i32) -> i32 {
        (eg << 16) + mg
    }

    pub const OPENING: [i32; 2] = [101, -53];
    pub const ENDING: [i32; 2] = [-33, 80];

    /// Halves that were divided before they were packed.
    pub const HALVED: [i32; 2] = {
        let mut table = [0; 2];
        let mut i = 0;
        while i < 2 {
            table[i] = pack(OPENING[i] / 2, ENDING[i] / 4);
            i += 1;
        }
        table
    };

    pub fn evaluate(count: i32, phase: i32) -> i32 {
        let value = HALVED[0] * count - HALVED[1];
        let (mg, eg) = (value as i16 as i32, (value + 0x8000) >> 16);
        mg * phase + eg * (10 - phase)
    }
}

#[test]
fn a_packed_table_of_quotients_keeps_its_halves_apart() {
    let (score, ..) = crate::support::derivatives(|| divided::__traced::evaluate(3, 4));
    assert_eq!(score, f64::from(divided::evaluate(3, 4)));
    assert_derivatives(
        || divided::__traced::evaluate(3, 4),
        &[
            ("ENDING0", 4.5),
            ("ENDING1", -1.5),
            ("OPENING0", 6.0),
            ("OPENING1", -2.0),
        ],
    );
}
