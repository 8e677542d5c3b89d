//! The reader as a whole, with a game made for the purpose: a position is a
//! word of letters, an upper-case first letter means the first player moves.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod formats;
mod inputs;
mod properties;
mod ranks;
mod sources;
#[path = "../../../base/src/tests/thread_ranks.rs"]
mod thread_ranks;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tuner_base::{Ranks, Topic, Transport};

use super::*;
use crate::{Outcome, Perspective};

struct Words;

impl PositionNotation for Words {
    type Position = String;

    fn name(&self) -> &'static str {
        "WORD"
    }

    fn first_letter(&self) -> Option<char> {
        Some('w')
    }

    fn parse(&self, text: &str) -> Result<String, Fault> {
        match text.find(|c: char| !c.is_ascii_alphabetic() && c != '/' && !c.is_ascii_digit()) {
            None => Ok(text.to_owned()),
            Some(offset) => Err(Fault {
                offset,
                found: Fault::quote(&text[offset..]),
                expected: "letters".into(),
                cure: "write letters".into(),
            }),
        }
    }

    fn describe(&self, position: &String) -> String {
        position.clone()
    }

    fn first_player_to_move(&self, position: &String) -> bool {
        position.starts_with(|c: char| c.is_ascii_uppercase())
    }
}

fn words() -> &'static AnyGame {
    any_notation(Words)
}

fn written(sample: &Sample) -> &str {
    sample.labelled.position.of::<String>()
}

/// As they are written.
impl PartialEq for Sample {
    fn eq(&self, other: &Self) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}

type All = (Vec<Sample>, ReadReport);

fn files(contents: &[&[u8]]) -> (TempDir, Vec<Input>) {
    let folder = tempfile::tempdir().unwrap();
    let inputs = contents.iter().enumerate().map(|(i, bytes)| {
        let path = folder.path().join(format!("{i}"));
        fs::write(&path, bytes).unwrap();
        Input::File(path)
    });
    let inputs = inputs.collect();
    (folder, inputs)
}

fn read_all(contents: &[&[u8]], options: &ReadOptions) -> Result<All, ReadError> {
    let (_folder, inputs) = files(contents);
    read(&inputs, options, words(), Ok)
}

fn stated(format: Format) -> ReadOptions {
    ReadOptions {
        format: Some(format),
        ..ReadOptions::default()
    }
}

fn skipping(format: Format) -> ReadOptions {
    ReadOptions {
        on_bad_line: OnBadLine::Skip,
        ..stated(format)
    }
}

/// Reads one line that must be good.
fn good(format: Format, line: &str) -> Sample {
    let (mut samples, _) = read_all(&[line.as_bytes()], &stated(format)).unwrap();
    assert_eq!(samples.len(), 1, "{line}");
    samples.remove(0)
}

/// Reads one line that must be bad; returns column and message.
fn bad(format: Format, line: &str) -> (u64, String) {
    let error = read_all(&[line.as_bytes()], &stated(format)).unwrap_err();
    assert_eq!(error.report.total().rejected, 1, "{line}");
    let line = &error.report.bad_lines[0];
    (line.location.column, line.message.clone())
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(text, 1).unwrap()
}

fn xz(text: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}
