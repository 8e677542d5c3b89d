//! The same as `pair_operator.rs` in a file that is traced as a whole.

mod eval {
    const SCALE: i32 = 3;

    #[derive(Clone, Copy)]
    pub struct S(i32, i32);

    const PAIR: S = S(12, 34);

    impl std::ops::Mul<i32> for S {
        type Output = Self;
        fn mul(self, factor: i32) -> Self {
            Self(self.0 * factor, self.1 * factor)
        }
    }

    #[tuner_core::tunable(nonlinear)]
    pub fn evaluate(count: i32) -> i32 {
        (PAIR * SCALE).0 * count
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!();
}

fn main() {
    eval::evaluate(2);
}
