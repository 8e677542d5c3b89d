//! Functions that the author leaves without twin and the evaluation calls.

#[derive(Clone, Copy)]
pub struct Value(pub i32, pub i32);

impl Value {
    fn middlegame(self) -> i32 {
        self.0
    }
}

const TEMPO: Value = Value(10, 20);
const MAN: i32 = 100;

fn tempo() -> Value {
    TEMPO
}

fn material(count: i32) -> i32 {
    MAN * count
}

fn log(_: &str, _: i32) {}

pub fn evaluate(count: i32) -> i32 {
    let score = TEMPO.middlegame() + tempo().1 + material(count);
    log("score", score);
    score
}

#[cfg(feature = "tune")]
tuner_core::traced!(untraced(middlegame, tempo, material, log));

fn main() {
    evaluate(2);
}
