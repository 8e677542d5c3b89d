//! A marked method of an operator.

use tuner_core::tunable;

#[tunable]
#[derive(Clone, Copy, Debug)]
struct S(i32, i32);

#[tunable]
const PAIR: S = S(12, 34);

impl std::ops::Add for S {
    type Output = S;
    #[tunable]
    fn add(self, other: S) -> S {
        S(self.0 + other.0, self.1 + other.1)
    }
}

fn main() {
    let _ = PAIR + PAIR;
}
