//! A `static mut` that one function fills from weights and another reads.

#[tuner_core::tunable]
mod eval {
    const BASE: [i32; 4] = [1, 2, 3, 4];
    static mut FILLED: [i32; 4] = [0; 4];

    pub fn init() {
        for i in 0..4 {
            unsafe { FILLED[i] = BASE[i] * 2 };
        }
    }

    pub fn evaluate(at: usize) -> i32 {
        unsafe { FILLED[at] + BASE[at] }
    }
}

fn main() {
    eval::init();
    eval::evaluate(1);
}
