//! What only edition 2024 has.

const BONUS: [i32; 4] = [30, 20, 10, 5];

fn evaluate(count: Option<i32>) -> i32 {
    if let Some(count) = count
        && count > 1
    {
        return BONUS[0] * count;
    }
    BONUS[1]
}

fn main() {
    println!("{}", evaluate(Some(2)));
    let mut trace = tuner_core::trace::Trace::default();
    tuner_core::trace::Recorder::new().record(|| __traced::evaluate(Some(2)), &mut trace);
    println!("{}", trace.score);
}

tuner_core::traced!();
