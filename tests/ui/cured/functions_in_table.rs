//! What a table of functions held is called by names.

const MAN: i32 = 100;

const TEMPO: i32 = 9;

fn material(men: i32) -> i32 {
    MAN * men
}

fn tempo(_: i32) -> i32 {
    TEMPO
}

pub fn evaluate(men: i32) -> i32 {
    material(men) + tempo(men)
}

#[cfg(feature = "tune")]
tuner_core::traced!();

fn main() {
    evaluate(2);
}
