//! The phases of the macros import only those before them.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::Path;

/// In the order in which they run.
const PHASES: [&str; 5] = ["diagnostics", "model", "infer", "emit", "expand"];

#[test]
fn phases_import_only_earlier_ones() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (number, phase) in PHASES.iter().enumerate() {
        let later = &PHASES[number + 1..];
        let (mut texts, mut folders) = (Vec::new(), vec![sources.join(phase)]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    texts.push((fs::read_to_string(&path).unwrap(), path));
                }
            }
        }
        assert!(!texts.is_empty(), "{phase}");
        for (text, path) in texts {
            let used = later.iter().find(|l| text.contains(&format!("crate::{l}")));
            assert_eq!(used, None, "in {}", path.display());
        }
    }
}
