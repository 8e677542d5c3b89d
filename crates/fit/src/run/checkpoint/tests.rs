#![allow(clippy::unwrap_used)] // a failing test may end with a panic

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::*;
use crate::NoMatrix;
use crate::integers::{RoundedBy, SearchEnd};

/// A checkpoint as files have it. It must never change: what changes is the
/// version, and then this file is another one.
const TEXT: &str = include_str!("format-1.json");

#[test]
fn a_file_of_this_format_is_read_and_written_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(CHECKPOINT_FILE), TEXT).unwrap();
    let read = RunCheckpoint::read_among(Ranks::default(), folder.path()).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), TEXT.trim_end());
}

#[test]
fn another_format_is_refused_before_anything_else() {
    let folder = tempfile::tempdir().unwrap();
    for (found, text) in [
        ("0", r#"{"format":0,"tuner":"0.1.0"}"#),
        ("2", r#"{"format":2,"tuner":"0.1.0","new":[]}"#),
    ] {
        fs::write(folder.path().join(CHECKPOINT_FILE), text).unwrap();
        let words = RunCheckpoint::read_among(Ranks::default(), folder.path())
            .unwrap_err()
            .to_string();
        for part in [
            &format!("found format {found}, written by tuner")[..],
            "expected format 1: use the tuner that wrote it, or start from its weights",
        ] {
            assert!(words.contains(part), "{words}");
        }
    }
}

fn written<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(values: Vec<(T, &str)>) {
    for (value, text) in values {
        assert_eq!(serde_json::to_string(&value).unwrap(), text);
        assert_eq!(serde_json::from_str::<T>(text).unwrap(), value);
    }
}

#[test]
fn every_variant_has_its_name_for_good() {
    written(vec![
        (RoundedBy::Curvature, r#""curvature""#),
        (RoundedBy::Diagonal, r#""diagonal""#),
    ]);
    written(vec![
        (SearchEnd::NoBetterStep, r#""no-better-step""#),
        (SearchEnd::NoPromisingStep, r#""no-promising-step""#),
        (SearchEnd::RoundLimit, r#""round-limit""#),
        (SearchEnd::ScoringLimit, r#""scoring-limit""#),
        (SearchEnd::TooLarge(7), r#"{"too-large":7}"#),
        (SearchEnd::Streamed, r#""streamed""#),
        (SearchEnd::Interrupted, r#""interrupted""#),
    ]);
    written(vec![
        (
            NoMatrix::Memory {
                variables: 2,
                bytes: 64,
                available: None,
            },
            r#"{"reason":"memory","variables":2,"bytes":64,"available":null}"#,
        ),
        (
            NoMatrix::Time { variables: 2 },
            r#"{"reason":"time","variables":2}"#,
        ),
    ]);
}
