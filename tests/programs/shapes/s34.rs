// Cow, Arc of a slice, boxed slices, LazyLock, OnceCell
pub const S34_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};
static S34_L: LazyLock<[i32; 4]> = LazyLock::new(|| std::array::from_fn(|i| S34_A[i] * 2 + S34_A[7 - i]));
fn s34_cow(b: &B) -> Cow<'static, [i32]> { if b.side { Cow::Borrowed(&S34_A) } else { Cow::Owned(S34_A.iter().map(|x| x * 2).collect()) } }
pub fn evaluate(b: &B) -> i32 {
    let a: Arc<[i32]> = Arc::from(&S34_A[2..]); let x: Box<[i32]> = S34_A.iter().rev().copied().collect();
    let mut c = s34_cow(b); c.to_mut()[0] += b.m[0];
    S34_L[b.s[0] % 4] * b.m[0] + a[b.s[1] % 6] + x[b.s[2]] * b.m[1] + c.iter().sum::<i32>()
}
