// partition into tuples, into vectors of scores, by numbers and by scores
pub const S01_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
pub fn evaluate(b: &B) -> i32 {
    let (x, y): (Vec<(usize, i32)>, Vec<(usize, i32)>) = S01_A.iter().copied().enumerate().partition(|(k, _)| k % 2 == b.s[0] % 2);
    let (u, v): (Vec<i32>, Vec<i32>) = b.s.iter().map(|&k| S01_A[k] * b.m[k]).zip(b.m).map(|(t, m)| t - m).enumerate().map(|(i, t)| if i == b.s[1] { t } else { t * 2 }).partition(|_| b.side);
    x.iter().map(|&(k, v)| v * b.m[k]).sum::<i32>() - y.len() as i32 + u.iter().sum::<i32>() * 2 - v.into_iter().sum::<i32>() / 2
}
