//! What is wrong in code that `#[cfg]` switches off is nobody's mistake: items,
//! methods, whole impl blocks, fields of a literal, arms; alone and in a module.
#![allow(unexpected_cfgs, dead_code)]

use tuner_core::trace::{Recorder, Trace};

mod file {
    pub const BONUS: i32 = 30;

    pub fn evaluate(count: i32) -> i32 {
        let board = Board {
            count,
            #[cfg(feature = "dump")]
            shown: dumped(),
        };
        match count {
            #[cfg(feature = "dump")]
            7 => [1, 2, 3][BONUS as usize],
            _ => board.score(),
        }
    }

    #[cfg(feature = "dump")]
    fn dump(count: i32) {
        std::fs::write("score", (BONUS * count).to_string()).ok();
    }

    pub struct Board {
        pub count: i32,
        #[cfg(feature = "dump")]
        pub shown: String,
    }

    impl Board {
        pub fn score(&self) -> i32 {
            BONUS * self.count
        }

        #[cfg(feature = "dump")]
        pub fn text(&self) -> String {
            self.score().to_string()
        }

        #[cfg(feature = "dump")]
        pub fn index(&self) -> i32 {
            [1, 2, 3][self.score() as usize] + BONUS
        }
    }

    #[cfg(feature = "dump")]
    impl std::fmt::Display for Board {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "{}", self.score())
        }
    }

    #[cfg(feature = "dump")]
    use super::elsewhere::dumped;

    tuner_core::traced!();
}

mod elsewhere {
    #[cfg(feature = "dump")]
    pub fn dumped() -> String {
        super::file::BONUS.to_string()
    }
}

#[tuner_core::tunable]
mod inline {
    const MALUS: i32 = -4;

    pub fn evaluate(count: i32) -> i32 {
        MALUS * count
    }

    #[cfg(feature = "dump")]
    pub fn dump(count: i32) -> String {
        (MALUS * count).to_string()
    }
}

fn main() {
    let mut trace = Trace::default();
    Recorder::new().record(|| file::__traced::evaluate(3), &mut trace);
    assert_eq!(trace.score, f64::from(file::evaluate(3)));
    Recorder::new().record(|| inline::__traced::evaluate(3), &mut trace);
    assert_eq!(trace.score, f64::from(inline::evaluate(3)));
}
