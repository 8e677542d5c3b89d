//! A marked method that no weight reaches.

use tuner_core::tunable;

struct Position(i32);

impl Position {
    #[tunable]
    fn phase(&self) -> i32 {
        self.0
    }
}

fn main() {
    Position(3).phase();
}
