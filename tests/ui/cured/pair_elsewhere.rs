//! The cure of `refused/pair_elsewhere.rs`: the file of the pair is annotated.

mod value {
    #[derive(Clone, Copy)]
    pub struct S(pub i16, pub i16);

    impl std::ops::Mul<i16> for S {
        type Output = Self;

        fn mul(self, count: i16) -> Self {
            Self(self.0 * count, self.1 * count)
        }
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!();
}

mod terms {
    use super::value::S;

    const TEMPO: i16 = 10;
    const BISHOP_PAIR: S = S(20, 55);
    const ROOK_FILES: [S; 2] = [S(24, -4), S(9, 15)];
    const STEP: S = S(1, -1);

    pub fn evaluate(count: i16) -> i16 {
        (BISHOP_PAIR * count).0 + (ROOK_FILES[0] * count).1 + TEMPO + STEP.0
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!(frozen(STEP));
}

fn main() {
    terms::evaluate(2);
}
