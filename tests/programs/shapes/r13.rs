// iterators: scan, take_while, chunks, windows, rev, step_by, fold with tuples, flat_map, peekable
pub const R13_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
pub fn evaluate(b: &B) -> i32 {
    let a: i32 = R13_A.chunks(2).zip(b.m.iter().step_by(2)).map(|(c, &m)| (c[0] - c[1]) * m).sum();
    let w: i32 = R13_A.windows(3).rev().take(2).map(|w| w[0] + w[2] * 2).sum();
    let s = b.s.iter().scan(0, |acc, &k| { *acc += R13_A[k]; Some(*acc) }).last().unwrap_or(0);
    let f: i32 = b.s.iter().flat_map(|&k| [R13_A[k], R13_A[7 - k] * b.m[k]]).sum();
    let mut it = R13_A.iter().copied().skip(b.s[0] % 4).peekable();
    let p = if it.peek().is_some() { it.next().unwrap() } else { 0 };
    let (x, y) = b.s.iter().fold((0, 0), |(x, y), &k| if k % 2 == 0 { (x + R13_A[k], y) } else { (x, y - R13_A[k]) });
    a + w + s + f + p + x * 2 + y
}
