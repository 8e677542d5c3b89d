//! The only method of a struct that others may ask for its score.

#[tuner_core::tunable]
mod eval {
    const BONUS: i32 = 30;

    pub struct Evaluation {
        sum: i32,
    }

    impl Evaluation {
        pub fn new(count: i32) -> Self {
            Self { sum: BONUS * count }
        }

        fn twice(&self) -> i32 {
            2 * self.sum
        }

        pub fn score(&self) -> i32 {
            if self.twice() > 100 { 100 } else { self.twice() }
        }
    }
}

fn main() {
    eval::Evaluation::new(2).score();
}
