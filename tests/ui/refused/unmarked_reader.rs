//! Weights that reach a marked function as plain numbers, through what is unmarked.

use tuner_core::tunable;

#[tunable]
const MATERIAL: [i32; 3] = [100, 300, 500];

#[tunable]
const BONUS: i32 = 20;

const AVERAGE: i32 = (MATERIAL[1] + MATERIAL[2]) / 2;

static LIMITS: [i32; 2] = [AVERAGE, 2 * AVERAGE];

struct Scale;

impl Scale {
    const UNIT: i32 = MATERIAL[1];

    fn of(&self, count: i32) -> i32 {
        count * MATERIAL[0]
    }
}

struct Held {
    value: i32,
}

fn held() -> Held {
    Held { value: BONUS }
}

fn material(counts: [i32; 3]) -> i32 {
    let terms = counts.iter().zip(MATERIAL);
    terms.map(|(count, value)| count * value).sum()
}

fn twice(counts: [i32; 3]) -> i32 {
    2 * material(counts)
}

/// Unmarked, though what it calls is not.
fn wrapped(counts: [i32; 3]) -> i32 {
    bonus(counts)
}

#[tunable]
fn bonus(counts: [i32; 3]) -> i32 {
    BONUS * counts[0]
}

#[tunable]
fn evaluate(counts: [i32; 3]) -> i32 {
    let mut score = BONUS * material(counts) / 6400;
    if twice(counts) > 3000 {
        score += BONUS;
    }
    score += BONUS * AVERAGE + BONUS * LIMITS[1];
    score += BONUS * Scale::UNIT + BONUS * held().value;
    score += BONUS * Scale.of(2);
    score + BONUS * wrapped(counts)
}

fn main() {
    evaluate([1, 2, 3]);
}
