//! A function that cannot replace another, as it takes other arguments.

mod eval {
    const MAN: i32 = 90;

    pub struct Board {
        men: i32,
    }

    impl Board {
        pub fn of(men: i32) -> Self {
            Self { men }
        }

        pub fn evaluate(&self, table: &mut Vec<i32>) -> i32 {
            let score = self.evaluate_without_table();
            table.push(score);
            score
        }

        pub fn evaluate_without_table(&self) -> i32 {
            self.men * MAN
        }
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!(replaced(evaluate => evaluate_without_table));
}

fn main() {
    eval::Board::of(2).evaluate(&mut Vec::new());
}
