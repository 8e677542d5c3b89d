//! Members of a pair type that are in an impl block of another file.

mod value {
    #[derive(Clone, Copy)]
    pub struct Value(pub i32, pub i32);

    impl std::ops::Add for Value {
        type Output = Self;
        fn add(self, other: Self) -> Self {
            Self(self.0 + other.0, self.1 + other.1)
        }
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!();
}

mod extra {
    use crate::value::Value;

    impl Value {
        pub const HALF: Self = Self(5, 5);

        pub const fn even(both: i32) -> Self {
            Self(both, both)
        }

        pub const fn mean(self) -> i32 {
            (self.0 + self.1) / 2
        }
    }
}

mod eval {
    use crate::value::Value;

    const TEMPO: Value = Value(10, 20);

    pub fn evaluate(count: i32) -> i32 {
        let value = TEMPO + Value::HALF + Value::even(count);
        value.mean()
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!();
}

fn main() {
    eval::evaluate(2);
}
