//! Methods of a struct of scores that are only passed by their names.

mod evaluation {
    #[derive(Clone, Copy)]
    pub struct Score(i32, i32);

    impl Score {
        fn value(self) -> i32 {
            (self.0 + self.1) & !3
        }

        fn plus(self, other: Self) -> Self {
            Self(self.0 + other.0, self.1 | other.1)
        }
    }

    const TABLE: [Score; 2] = [Score(1, 2), Score(3, 4)];

    pub fn evaluate() -> i32 {
        let sum = TABLE.into_iter().reduce(Score::plus);
        sum.map(Score::value).unwrap_or(0)
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!();
}

fn main() {
    evaluation::evaluate();
}
