// containers of scores that begin with literals
use std::collections::{HashMap, VecDeque};
pub const M01_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
pub fn evaluate(b: &B) -> i32 {
    let mut sums: HashMap<usize, i32> = HashMap::new();
    sums.insert(1, 0);
    for i in 0..4 { *sums.entry(b.s[i] % 2).or_insert(0) += M01_A[i] * b.m[i]; }
    let mut queue = VecDeque::new();
    queue.push_back(M01_A[b.s[0] % 4] * b.m[1]);
    queue.push_front(0);
    queue.push_back(5);
    let queued: i32 = queue.iter().sum();
    sums.get(&0).copied().unwrap_or(0) + 2 * sums[&1] + queued
}
