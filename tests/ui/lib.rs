//! Small crates that the macros refuse or accept, under `refused`, `pass` and `cured`;
//! `ui.rs` compiles them.
