//! Scores that go into functions that are values, into methods of numbers, and closures that
//! give some.

const TABLE: [i32; 4] = [1, 2, 3, 4];

trait Scaled {
    fn scaled(self, by: i32) -> i32;
}

impl Scaled for i32 {
    fn scaled(self, by: i32) -> i32 {
        self * by
    }
}

fn apply(change: impl Fn(i32) -> i32, at: usize) -> i32 {
    change(TABLE[at])
}

struct Term<F> {
    of: F,
}

pub fn evaluate(at: usize, by: i32) -> i32 {
    let term = Term { of: |at: usize| TABLE[at] };
    apply(|score| score * by, at) + TABLE[at].scaled(by) + (term.of)(at)
}

#[cfg(feature = "tune")]
tuner_core::traced!();

fn main() {
    evaluate(1, 2);
}
