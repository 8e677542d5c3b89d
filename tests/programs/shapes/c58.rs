// renames, globs, uses inside functions
pub mod tables58 { pub const C58_A: [i32; 4] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13]; pub const C58_B: i32 = /*@*/21;
    #[cfg(feature = "tune")]
    tuner_core::traced!();
}
pub use tables58::C58_B as Other;
use self::tables58 as t;
pub fn evaluate(b: &B) -> i32 {
    use tables58::*;
    use tables58::C58_A as X;
    let y = { use super::THIS::Other as Z; Z * b.m[1] };
    X[b.s[0] % 4] * b.m[0] + C58_A[0] + y + t::C58_B + crate::made::THIS::t::C58_A[1]
}
