// a thread-local that starts at a weight
pub const V03_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
thread_local! { static V03T: std::cell::Cell<i32> = const { std::cell::Cell::new(V03_A[3]) }; }
pub fn evaluate(b: &B) -> i32 { V03T.get() * b.m[0] + V03_A[0] }
