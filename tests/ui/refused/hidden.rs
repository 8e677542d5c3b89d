//! Twins in a private module whose items another module shows.

mod engine {
    mod terms {
        pub const BISHOPS: [i32; 2] = [10, 20];

        pub fn mobility(count: i32) -> i32 {
            BISHOPS[1] * count
        }

        #[cfg(feature = "tune")]
        tuner_core::traced!();
    }
    pub use terms::{BISHOPS, mobility};
}

mod eval {
    use crate::engine::{BISHOPS, mobility};

    pub fn evaluate(count: i32) -> i32 {
        BISHOPS[0] * count + mobility(count)
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!();
}

fn main() {
    eval::evaluate(2);
}
