//! A table of the functions that give the terms.

const MAN: i32 = 100;

const TEMPO: i32 = 9;

static TERMS: [fn(i32) -> i32; 2] = [material, tempo];

fn material(men: i32) -> i32 {
    MAN * men
}

fn tempo(_: i32) -> i32 {
    TEMPO
}

pub fn evaluate(men: i32) -> i32 {
    TEMPO + TERMS.iter().map(|term| term(men)).sum::<i32>()
}

#[cfg(feature = "tune")]
tuner_core::traced!();

fn main() {
    evaluate(2);
}
