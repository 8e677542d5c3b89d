//! A cure of `refused/unknown_method.rs`: the type and its impl are annotated.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

#[tunable]
struct Cache(i32);

#[tunable]
impl Cache {
    fn store(&mut self, key: i32, score: i32) {
        self.0 = key + score;
    }
}

#[tunable]
fn evaluate(count: i32) -> i32 {
    let mut cache = Cache(0);
    let score = ATTACK * count;
    cache.store(count, score);
    score
}

fn main() {
    evaluate(2);
}
