//! A whole file: each mistake with its line.

const ATTACK: i32 = 30;

fn evaluate(count: i32) -> i32 {
    let danger = ATTACK * count;
    if danger > 50 {
        return danger * danger;
    }
    danger.min(100)
}

#[cfg(feature = "tune")]
tuner_core::traced!();

fn main() {
    evaluate(2);
}
