// generic functions of numbers, scores and literals; a tuple; a closure
pub const R04_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
fn r04_swap<T, U>(p: (T, U)) -> (U, T) { (p.1, p.0) }
fn r04_if<T>(c: bool, x: T, y: T) -> T { if c { x } else { y } }
fn r04_with<T, F: Fn(T) -> T>(x: T, f: F) -> T { f(x) }
fn r04_first<T: Copy>(v: &[T]) -> Option<T> { v.first().copied() }
pub fn evaluate(b: &B) -> i32 {
    let (i, s) = r04_swap((R04_A[b.s[0] % 4], b.s[1]));
    let t = r04_if(b.side, s, 0) + r04_if(!b.side, 2, R04_A[1]);
    let k = r04_if(b.side, 1usize, 2) + r04_with(1usize, |x| x * 2);
    t * b.m[k] + R04_A[(i + k) % 4] + r04_first(&R04_A[1..]).unwrap_or(0) * r04_first(&b.m).unwrap_or(1)
}
