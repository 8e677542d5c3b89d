//! What an author reads when the macros refuse something, message by message,
//! and what they must accept in silence.
//!
//! Each file under `ui` is a small crate. Those that must not compile have
//! their messages beside them; `TRYBUILD=overwrite cargo test -p tuner-tests
//! --test ui` writes these anew.

#![allow(clippy::unwrap_used, reason = "a test")]

#[test]
fn cases() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("refused/*.rs");
    cases.pass("pass/*.rs");
}
