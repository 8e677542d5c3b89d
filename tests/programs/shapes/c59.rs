// nested modules and visibility
pub mod outer { pub(super) mod inner { pub(in crate::made::THIS) const C59_A: [i32; 4] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13];
    pub(crate) mod third { use super::super::super::C59_T; use crate::B; pub fn f59(b: &B) -> i32 { super::C59_A[1] * b.m[1] + C59_T }
    #[cfg(feature = "tune")]
    tuner_core::traced!();
    }
    #[cfg(feature = "tune")]
    tuner_core::traced!();
    }
    #[cfg(feature = "tune")]
    tuner_core::traced!();
}
pub(crate) const C59_T: i32 = /*@*/5;
pub fn evaluate(b: &B) -> i32 { outer::inner::C59_A[b.s[0] % 4] * b.m[0] + outer::inner::third::f59(b) + self::C59_T }
