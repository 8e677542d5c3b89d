const BONUS: [i32; 2] = [30, -4];

#[tuner_core::frozen]
const LIMIT: i32 = 3;

fn evaluate(count: i32) -> i32 {
    BONUS[0] * count.min(LIMIT) + tuner_core::weight!(STEP: 5)
}

#[cfg(feature = "tune")]
tuner_core::traced!(frozen(LIMIT));
