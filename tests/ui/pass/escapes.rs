//! Escapes in the forms that rustc and its lints accept in silence.
#![deny(warnings)]

mod eval {
    use tuner_core::{interpolated, traced_as, untraced};

    const BASE: [i32; 3] = [4, 9, -2];

    fn from_scratch(count: i32) -> i32 {
        BASE[0] * count
    }

    pub fn evaluate(count: i32, kept: i32, known: Option<i32>) -> i32 {
        untraced! {
            if let Some(score) = known {
                return score;
            }
        }
        traced_as!(kept => from_scratch(count)) + interpolated!(BASE, count)
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!();
}

fn main() {
    eval::evaluate(1, 4, None);
}
