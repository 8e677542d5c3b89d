//! The cure of `refused/trait_method.rs`: a method of the type itself.

#[derive(Clone, Copy)]
pub struct Value(pub i32, pub i32);

pub trait Mean {
    fn mean(&self) -> i32;
}

impl Value {
    fn middle(&self) -> i32 {
        (self.0 + self.1) / 2
    }
}

impl Mean for Value {
    fn mean(&self) -> i32 {
        self.middle()
    }
}

const TEMPO: Value = Value(10, 20);

pub fn evaluate() -> i32 {
    TEMPO.middle()
}

#[cfg(feature = "tune")]
tuner_core::traced!();

fn main() {
    evaluate();
    TEMPO.mean();
}
