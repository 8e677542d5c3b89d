// a tuple as the seed of scan
pub const S02_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
pub fn evaluate(b: &B) -> i32 {
    let s: i32 = b.s.iter().scan((0, 1), |acc, &k| { acc.0 += S02_A[k] * acc.1; acc.1 = -acc.1; Some(acc.0) }).sum();
    let t = b.m.iter().scan((0usize, S02_A[0]), |(n, t), &m| { *n += 1; *t += S02_A[*n % 8] * m; Some(*t) }).last().unwrap_or(0);
    let u: i32 = b.s.iter().scan((0, 0, 2), |(a, z, n), &k| { *a += S02_A[k]; *z = *a * b.m[k] - *z; *n += 1; Some(*z / *n) }).sum();
    s + t + u
}
