// Option of a score: as_mut, take, replace, get_or_insert, zip, xor, filter, insert
pub const S09_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
pub fn evaluate(b: &B) -> i32 {
    let mut o = b.side.then_some(S09_A[0]);
    if let Some(x) = o.as_mut() { *x += S09_A[1] * b.m[0]; }
    let p = o.replace(S09_A[2]).unwrap_or(4);
    let mut q = None;
    let r = *q.get_or_insert(S09_A[3] * b.m[1]);
    *q.insert(S09_A[4]) += b.m[2];
    let z = o.zip(q.take()).map_or(0, |(x, y)| x - y * 2);
    let x = Some(S09_A[5]).filter(|_| b.ph > 12).or(Some(S09_A[6]).filter(|_| b.ph < 6)).unwrap_or_default();
    p + r + z + x + q.is_none() as i32
}
