// by_ref, map_while, inspect, take_while, skip_while, peekable with next_if, dedup, retain
pub const S31_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
pub fn evaluate(b: &B) -> i32 {
    let mut it = S31_A.iter().copied();
    let x: i32 = it.by_ref().take(b.s[0] % 4).sum();
    let mut seen = 0;
    let y: i32 = it.inspect(|v| seen += v).map_while(|v| (b.m[0] >= 0).then_some(v * 2)).sum();
    let mut p = b.s.iter().peekable(); let mut z = 0;
    while let Some(&k) = p.next_if(|k| **k < 6) { z += S31_A[k] * b.m[k]; }
    let mut v = S31_A.to_vec(); v.drain(..2); v.insert(1, S31_A[7]); v.extend_from_slice(&S31_A[2..4]);
    x + y - seen + z + v.iter().rev().take(3).sum::<i32>()
}
