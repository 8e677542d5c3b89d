// tables that a program fills when it starts
use std::sync::Once;
#[derive(Clone, Copy)]
pub struct X08S(pub i32, pub i32);
impl X08S { pub const ZERO: Self = Self(0, 0); }
impl std::ops::Neg for X08S { type Output = Self; fn neg(self) -> Self { Self(-self.0, -self.1) } }
impl std::ops::Add for X08S { type Output = Self; fn add(self, o: Self) -> Self { Self(self.0 + o.0, self.1 + o.1) } }
pub const X08_PAWN: [X08S; 4] = [X08S(/*@*/3, /*@*/5), X08S(/*@*/-7, /*@*/9), X08S(/*@*/11, /*@*/2), X08S(/*@*/40, /*@*/13)];
pub const X08_VALUE: [X08S; 2] = [X08S(/*@*/82, /*@*/94), X08S(/*@*/337, /*@*/281)];
pub const X08_STEP: i32 = /*@*/6;
static mut X08_MASKS: [[u64; 4]; 2] = [[0; 4]; 2];
static mut X08_PST: [[X08S; 4]; 2] = [[X08S::ZERO; 4]; 2];
static mut X08_RAMP: [i32; 4] = [0; 4];
static mut X08_DONE: bool = false;
static X08_ONCE: Once = Once::new();
fn x08_flip(t: [X08S; 4]) -> [X08S; 4] { let mut n = [X08S::ZERO; 4]; for i in 0..4 { n[i] = t[3 - i]; } n }
#[allow(static_mut_refs)]
fn x08_ramp() {
    X08_ONCE.call_once(|| unsafe {
        for i in 1..4 { X08_RAMP[i] = X08_RAMP[i - 1] + X08_STEP * i as i32; }
        for x in X08_RAMP.iter_mut() { *x += X08_VALUE[0].1; }
    });
}
pub fn x08_init() {
    fn black(t: [X08S; 4], value: X08S) -> [X08S; 4] { let mut n = [X08S::ZERO; 4]; for i in 0..4 { n[i] = -(t[i] + value); } n }
    if unsafe { X08_DONE } { return; }
    x08_ramp();
    for side in 0..2 {
        for square in 0..4 { let mask = 1u64 << (side * 4 + square); unsafe { X08_MASKS[side][square] = mask; } }
    }
    unsafe {
        X08_PST[0] = x08_flip(X08_PAWN);
        X08_PST[1] = black(X08_PAWN, X08_VALUE[1]);
        X08_DONE = true;
    }
}
#[allow(static_mut_refs)]
fn x08_value(side: usize, square: usize) -> X08S { *unsafe { X08_PST.get_unchecked(side).get_unchecked(square) } }
pub fn evaluate(b: &B) -> i32 {
    x08_init();
    let mut sum = X08S::ZERO;
    for side in 0..2 { for square in 0..4 {
        if unsafe { X08_MASKS[side][square] } & (0x5a ^ b.s[0] as u64) != 0 { sum = sum + x08_value(side, square); }
    } }
    let table = unsafe { X08_RAMP };
    (sum.0 * b.m[0] + sum.1) / 2 + unsafe { X08_RAMP[b.s[1] % 4] } + table[3]
}
