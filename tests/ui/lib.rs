//! Small crates that the macros refuse or accept, under `refused` and `pass`;
//! `ui.rs` compiles them.
