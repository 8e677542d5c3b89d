//! Every reader of a file that may come from anywhere, as a function of its
//! bytes: none panics, and what it says holds together.
//!
//! [`TARGETS`] names them. `campaign.rs` runs each on mutations of the files in
//! `corpus/NAME`; `fuzz/` runs them under libFuzzer.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    reason = "a target fails by panicking"
)]

mod games;
mod runs;
mod specs;

use std::path::{Path, PathBuf};

/// A reader, by the name of its folder of files.
pub type Target = (&'static str, fn(&[u8]));

pub const TARGETS: &[Target] = &[
    ("bin", |bytes| games::chess("bin", bytes)),
    ("binpack", |bytes| games::chess("binpack", bytes)),
    ("bulletformat", |bytes| games::chess("bulletformat", bytes)),
    ("marlinformat", |bytes| games::chess("marlinformat", bytes)),
    ("pgn", |bytes| games::chess("pgn", bytes)),
    ("plain", |bytes| games::chess("plain", bytes)),
    ("viriformat", |bytes| games::chess("viriformat", bytes)),
    ("csa", |bytes| games::shogi("csa", bytes)),
    ("hcpe", |bytes| games::shogi("hcpe", bytes)),
    ("hcpe3", |bytes| games::shogi("hcpe3", bytes)),
    ("jkf", |bytes| games::shogi("jkf", bytes)),
    ("ki2", |bytes| games::shogi("ki2", bytes)),
    ("kif", |bytes| games::shogi("kif", bytes)),
    ("psv", |bytes| games::shogi("psv", bytes)),
    ("usi", |bytes| games::shogi("usi", bytes)),
    ("sfen", games::sfen),
    ("lines", games::lines),
    ("book", games::book),
    ("imported-traces", runs::imported_traces),
    ("trace-file", runs::trace_file),
    ("weights", runs::weights),
    ("summary", runs::summary),
    ("loop", runs::loop_record),
    ("journal", runs::journal),
    ("table", runs::table),
    ("spec", specs::spec),
    ("source", specs::source),
];

/// Hands the bytes over as a file. Each thread has one of its own.
fn as_file(name: &str, bytes: &[u8], f: impl FnOnce(&Path)) {
    thread_local! {
        static FOLDER: tempfile::TempDir = tempfile::tempdir().expect("a temporary folder");
    }
    let path: PathBuf = FOLDER.with(|folder| folder.path().join(name));
    std::fs::write(&path, bytes).expect("a file can be written");
    f(&path);
}

/// A reason is said in words. What is printed goes through the program's own
/// cleaner, so a name may hold anything here.
fn said(error: &dyn std::fmt::Display) {
    assert!(!error.to_string().trim().is_empty());
}

/// What is printed or put on a page moves no cursor and begins no script.
fn assert_harmless(text: &str) {
    let strange = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    assert!(!text.contains(strange), "a control character in {text:?}");
}
