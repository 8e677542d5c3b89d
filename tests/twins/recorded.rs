//! An engine that counts its features itself, by a method that has the name of an operator's.

use crate::support::assert_derivatives;

#[allow(
    clippy::all,
    clippy::pedantic,
    reason = "an engine's code as it is found"
)]
#[tuner_core::tunable]
mod eval {
    use std::ops::Add;

    #[derive(Clone, Copy)]
    pub struct Score(i32);

    impl Score {
        pub const fn new(mg: i32, eg: i32) -> Self {
            Self((eg << 16) + mg)
        }

        pub const fn mg(self) -> i32 {
            self.0 as i16 as i32
        }

        pub const fn eg(self) -> i32 {
            (self.0 + 0x8000) >> 16
        }
    }

    impl Add for Score {
        type Output = Self;

        fn add(self, other: Self) -> Self {
            Self(self.0 + other.0)
        }
    }

    pub struct Counts {
        pub men: i32,
    }

    pub trait Recorder<T> {
        fn add(&mut self, record: impl Fn(&mut T));
    }

    pub struct Nothing;

    impl Recorder<Counts> for Nothing {
        fn add(&mut self, _: impl Fn(&mut Counts)) {}
    }

    impl Recorder<Counts> for Counts {
        fn add(&mut self, record: impl Fn(&mut Counts)) {
            record(self);
        }
    }

    pub const MAN: Score = Score::new(100, 120);

    fn men(count: usize, sign: i32, recorder: &mut impl Recorder<Counts>) -> Score {
        let mut total = Score::new(0, 0);
        for _ in 0..count {
            total = total + MAN;
            recorder.add(|counts| counts.men += sign);
        }
        total
    }

    pub fn evaluate(count: usize) -> i32 {
        let score = men(count, 1, &mut Nothing);
        (score.mg() + 3 * score.eg()) / 4
    }
}

#[test]
fn a_method_by_the_name_of_an_operator_is_production_s() {
    assert_eq!(eval::evaluate(3), 345);
    assert_derivatives(
        || eval::__traced::evaluate(3),
        &[("MAN0", 0.75), ("MAN1", 2.25)],
    );
}
