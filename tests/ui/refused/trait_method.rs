//! A method of the author's trait on a pair type.

#[derive(Clone, Copy)]
pub struct Value(pub i32, pub i32);

pub trait Mean {
    fn mean(&self) -> i32;
}

impl Mean for Value {
    fn mean(&self) -> i32 {
        (self.0 + self.1) / 2
    }
}

const TEMPO: Value = Value(10, 20);

pub fn evaluate() -> i32 {
    TEMPO.mean()
}

#[cfg(feature = "tune")]
tuner_core::traced!();

fn main() {
    evaluate();
}
