//! A score that goes to what a type parameter is of.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

trait Log {
    fn note(&mut self, score: i32);
}

struct Silent;

#[tunable]
impl Log for Silent {
    fn note(&mut self, score: i32) {
        let _ = score;
    }
}

#[tunable]
fn evaluate<T: Log>(count: i32, log: &mut T) -> i32 {
    let score = ATTACK * count;
    log.note(score);
    score
}

fn main() {
    evaluate(2, &mut Silent);
}
