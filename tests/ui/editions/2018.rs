//! What edition 2021 reads in another way: arrays as iterators, and the names of its prelude.

trait TryInto {
    fn try_into(&self) -> i32;
}

impl TryInto for i32 {
    fn try_into(&self) -> i32 {
        *self
    }
}

const BONUS: [i32; 4] = [30, 20, 10, 5];

fn evaluate(counts: &[i32; 4]) -> i32 {
    let mut score = 0;
    for &index in [0usize, 1, 3].into_iter() {
        let count: i32 = counts[index].try_into();
        score += BONUS[index] * count;
    }
    score
}

fn main() {
    let counts = [1, -2, 3, 4];
    println!("{}", evaluate(&counts));
    let mut trace = tuner_core::trace::Trace::default();
    tuner_core::trace::Recorder::new().record(|| __traced::evaluate(&counts), &mut trace);
    println!("{}", trace.score);
}

tuner_core::traced!();
