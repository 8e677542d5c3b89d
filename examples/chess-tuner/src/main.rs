//! The tuning binary of the example engine.
fn main() {}
