//! An argument that `traced!` does not know.

const ATTACK: i32 = 30;

tuner_core::traced!(freeze(ATTACK));

fn main() {
    let _ = ATTACK;
}
