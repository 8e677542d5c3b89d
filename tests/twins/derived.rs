//! Operators that a derive of another crate writes.

use crate::support::assert_derivatives;

#[allow(
    clippy::all,
    clippy::pedantic,
    reason = "an engine's code as it is found"
)]
#[tuner_core::tunable]
mod pairs {
    use derive_more::{Add, AddAssign, DivAssign, MulAssign, Sub, SubAssign, Sum};

    #[derive(
        Clone,
        Copy,
        Add,
        AddAssign,
        Sub,
        SubAssign,
        derive_more::Neg,
        Sum,
        derive_more::Mul,
        MulAssign,
        Debug,
    )]
    pub struct DerivedPair {
        pub mg: i32,
        pub eg: i32,
    }

    #[derive(
        Clone,
        Copy,
        Default,
        PartialEq,
        Add,
        Sub,
        AddAssign,
        SubAssign,
        derive_more::Neg,
        MulAssign,
        DivAssign,
    )]
    pub struct DerivedPoints(DerivedInner);

    type DerivedInner = i16;

    impl DerivedPoints {
        pub const fn new(inner: DerivedInner) -> Self {
            Self(inner)
        }
    }

    /// A pair of values, by a type of its own.
    #[derive(Clone, Copy, Add, AddAssign)]
    pub struct DerivedCouple<T>(pub T, pub T);

    const MAN: DerivedPair = DerivedPair { mg: 80, eg: 100 };
    const STEP: [DerivedPair; 2] = [DerivedPair { mg: 3, eg: 5 }, DerivedPair { mg: -7, eg: 9 }];
    const TEMPO: DerivedPoints = DerivedPoints::new(11);
    const HALVES: [DerivedPoints; 2] = [DerivedPoints::new(4), DerivedPoints::new(-6)];

    fn one_side(men: i32, steps: [usize; 2]) -> DerivedPair {
        let mut pair: DerivedPair = steps.iter().map(|&step| STEP[step]).sum();
        pair += MAN * men;
        pair -= STEP[0];
        pair *= 2;
        pair
    }

    pub fn evaluate(men: [i32; 2], phase: i32) -> i32 {
        let pair = one_side(men[0], [0, 1]) + -one_side(men[1], [1, 1]);
        let mut value = -(TEMPO + HALVES[0]) - HALVES[1];
        value *= 6;
        value /= 2;
        let both = DerivedCouple(value, TEMPO) + DerivedCouple(TEMPO, value);
        pair.mg * phase + pair.eg * (1 - phase) + i32::from((both.0 - both.1).0 + value.0)
    }
}

#[test]
fn operators_of_a_derive_are_the_twins_too() {
    for (men, phase) in [([3, 5], 1), ([2, 2], 0)] {
        let half = i32::from(phase != 1);
        let names = [
            format!("MAN{half}"),
            format!("STEP{half}"),
            format!("STEP{}", 2 + half),
        ];
        let twice = 2.0 * f64::from(men[0] - men[1]);
        let mut expected = vec![
            (names[1].as_str(), 2.0),
            (names[2].as_str(), -2.0),
            ("TEMPO0", -3.0),
            ("HALVES0", -3.0),
            ("HALVES1", -3.0),
        ];
        if twice != 0.0 {
            expected.push((names[0].as_str(), twice));
        }
        assert_derivatives(|| pairs::__traced::evaluate(men, phase), &expected);
    }
}
