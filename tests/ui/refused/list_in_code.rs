//! A list of numbers inside the code of an initialiser.

use tuner_core::tunable;

#[tunable]
const TABLE: [i32; 2] = {
    let list = [10, 20];
    [list[1], list[0]]
};

#[tunable]
fn evaluate(count: i32) -> i32 {
    TABLE[0] * count
}

fn main() {
    evaluate(2);
}
