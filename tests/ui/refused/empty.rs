//! A file that reads tables of a file without annotation, and no weight at all.

#[path = "support/tables.rs"]
mod tables;

fn evaluate(count: i32) -> i32 {
    tables::ATTACK * count
}

#[cfg(feature = "tune")]
tuner_core::traced!();

fn main() {
    evaluate(2);
    let _ = tuner_core::registry!();
}
