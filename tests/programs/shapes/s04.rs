// try_fold with checked and with ControlFlow; a Result that collects
pub const S04_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
use std::ops::ControlFlow;
pub fn evaluate(b: &B) -> i32 {
    let x = b.s.iter().try_fold(0i32, |a, &k| a.checked_add(S04_A[k] * b.m[k])).unwrap_or(0);
    let y = b.s.iter().try_fold(0, |a, &k| if k == 7 { ControlFlow::Break(a - S04_A[7]) } else { ControlFlow::Continue(a + S04_A[k]) });
    let y = match y { ControlFlow::Break(v) | ControlFlow::Continue(v) => v };
    let z: Result<Vec<i32>, usize> = b.s.iter().map(|&k| if k < 7 { Ok(S04_A[k]) } else { Err(k) }).collect();
    x + y * 2 + z.map_or(1, |v| v.iter().sum())
}
