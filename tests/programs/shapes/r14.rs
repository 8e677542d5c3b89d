// const blocks, const fn of weights, shadowed names, statics, nested closures that capture by move
pub const R14_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
pub static R14_S: i32 = /*@*/11;
const fn r14_two(x: i32) -> i32 { x + x }
pub fn evaluate(b: &B) -> i32 {
    let x = const { r14_two(R14_A[1]) };
    let x = x * b.m[0];
    let x = { let x = x + R14_S; move |k: i32| x * k + R14_A[0] };
    let y = x;
    let x = |f: usize| { let g = move || R14_A[f % 4]; g() + g() };
    y(b.m[1]) + x(b.s[0]) + if let 0..=3 = b.s[1] { R14_S } else { 0 }
}
