//! A pair type in a private module, which another module shows: the twin's copy
//! is found by the type.

use crate::support::assert_derivatives;

mod engine {
    mod value {
        #[derive(Clone, Copy)]
        pub struct ShownPair(pub i32, pub i32);

        impl ShownPair {
            pub const NONE: Self = Self(0, 0);

            pub const fn new(mg: i32, eg: i32) -> Self {
                Self(mg, eg)
            }

            pub const fn eg(self) -> i32 {
                self.1
            }
        }

        impl std::ops::Add for ShownPair {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0, self.1 + other.1)
            }
        }

        #[cfg(feature = "tune")]
        tuner_core::traced!();
    }
    pub(crate) use value::ShownPair;
}

mod eval {
    use super::engine::ShownPair;

    pub(crate) const SHOWN: [ShownPair; 2] = [ShownPair(1, 2), ShownPair::new(3, 4)];

    pub(crate) fn evaluate(count: i32) -> i32 {
        let pair =
            SHOWN[0] + ShownPair::NONE + crate::shown::engine::ShownPair::new(count, 5) + SHOWN[1];
        let ShownPair(mg, _) = pair;
        mg * count + pair.eg()
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!();
}

#[test]
fn a_pair_of_a_private_module_is_traced() {
    let (score, ..) = crate::support::derivatives(|| eval::__traced::evaluate(3));
    assert_eq!(score, f64::from(eval::evaluate(3)));
    let expected = [
        ("SHOWN0", 3.0),
        ("SHOWN1", 1.0),
        ("SHOWN2", 3.0),
        ("SHOWN3", 1.0),
    ];
    assert_derivatives(|| eval::__traced::evaluate(3), &expected);
}
