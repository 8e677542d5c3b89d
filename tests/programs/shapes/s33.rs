// BTreeMap and BTreeSet: collect, range, entry, first, values_mut
pub const S33_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
use std::collections::BTreeMap;
pub fn evaluate(b: &B) -> i32 {
    let mut t: BTreeMap<usize, i32> = b.s.iter().map(|&k| (k, S33_A[k] * b.m[k])).collect();
    *t.entry(b.s[0]).or_insert(0) += S33_A[0];
    t.entry(9).and_modify(|v| *v += 1).or_insert_with(|| S33_A[1]);
    for v in t.values_mut() { *v -= b.m[0]; }
    let r: i32 = t.range(2..6).map(|(_, v)| *v).sum();
    r * 2 + t.values().sum::<i32>() + t.first_key_value().map_or(0, |(k, v)| v * *k as i32) + t.remove(&9).unwrap_or(0)
}
