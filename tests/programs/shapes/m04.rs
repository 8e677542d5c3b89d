// a score of any type
pub const M04_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
use std::any::Any;
pub fn evaluate(b: &B) -> i32 {
    let x: Box<dyn Any> = Box::new(M04_A[b.s[0] % 4]);
    x.downcast_ref::<i32>().copied().unwrap_or(0) * b.m[0]
}
