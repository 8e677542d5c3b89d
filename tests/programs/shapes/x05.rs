// traced(nonlinear)
// a literal divided by a score, or by a number that is made of weights, in types that literals
// have not by themselves
pub const X05_A: i32 = /*@*/30;
pub const X05_B: f32 = (X05_A * 2) as f32;
pub const X05_S: i16 = /*@*/41;
pub fn evaluate(b: &B) -> i32 {
    let share = (1.5 - b.m[0] as f32 * (0.9 / X05_B as f32)).clamp(0.0, 1.0);
    let steps = 1000 / (X05_S + 9) + (-(90 + 10)) / (X05_S + 9);
    (share * 100.0) as i32 + steps as i32 * b.m[1]
}
