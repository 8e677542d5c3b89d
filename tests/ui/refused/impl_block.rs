//! An impl block and a single method.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

struct Position(i32);

#[tunable]
impl Position {
    fn danger(&self) -> i32 {
        ATTACK * self.0 * TABLE[0]
    }
}

impl Position {
    #[tunable]
    fn safety(&self) -> i32 {
        self.danger().abs()
    }
}

fn main() {
    Position(3).safety();
}
