//! A score as an index.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

struct Curve([i32; 8]);

impl std::ops::Index<i32> for Curve {
    type Output = i32;
    fn index(&self, at: i32) -> &i32 {
        &self.0[at as usize]
    }
}

#[tunable]
fn evaluate(count: i32) -> i32 {
    let curve = Curve([0; 8]);
    ATTACK + curve[ATTACK * count]
}

fn main() {
    evaluate(2);
}
