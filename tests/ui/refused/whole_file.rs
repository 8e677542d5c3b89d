//! A whole file: each mistake with its line.

const ATTACK: i32 = 30;
const FULL: i32 = 24;
const TEMPO: i32 = 10;

fn evaluate(count: i32) -> i32 {
    let danger = ATTACK * count;
    if danger > 50 {
        return danger * danger;
    }
    if danger < FULL {
        return TEMPO;
    }
    danger.min(100) + TEMPO * count / FULL
}

#[cfg(feature = "tune")]
tuner_core::traced!();

fn main() {
    evaluate(2);
}
