//! What edition 2024 refuses: a name, and patterns that go through references.

mod marked {
    use tuner_core::tunable;

    #[tunable]
    const STEP: i32 = 4;

    #[tunable]
    pub fn steps(counts: &[i32], gen: i32) -> i32 {
        let mut score = STEP * gen;
        for (_, count) in counts.iter().enumerate().filter(|(_, &count)| count > 0) {
            score += STEP * count;
        }
        score
    }
}

const BONUS: [i32; 4] = [30, 20, 10, 5];

fn evaluate(counts: &[i32], pairs: &[(usize, i32)], gen: usize) -> i32 {
    let mut score = BONUS[gen];
    for (index, count) in counts.iter().enumerate().filter(|(_, &count)| count > 0) {
        score += BONUS[index] * count;
    }
    if let [(index, mut count), ..] = pairs {
        count += 1;
        score += BONUS[*index] * count;
    }
    score
}

fn main() {
    let (counts, pairs) = ([1, -2, 3], [(1, 2)]);
    println!("{}", evaluate(&counts, &pairs, 3) + marked::steps(&counts, 2));
    let mut trace = tuner_core::trace::Trace::default();
    let twin = || __traced::evaluate(&counts, &pairs, 3) + marked::__traced::steps(&counts, 2);
    tuner_core::trace::Recorder::new().record(twin, &mut trace);
    println!("{}", trace.score);
}

tuner_core::traced!();
