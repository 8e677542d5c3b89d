//! What fits and matches write, and read again.

use serde_json::Value;
use tuner_fit::run::NamedWeights;
use tuner_record::{LoopRecord, RunRecord};
use tuner_report::{html, loop_page, terminal};
use tuner_rows::Blocks;
use tuner_rows::file::TraceFile;
use tuner_tournament::{GameTable, Journal};

use super::{as_file, assert_harmless, said};

pub(crate) fn imported_traces(bytes: &[u8]) {
    as_file("imported.traces", bytes, |path| {
        if let Err(error) = tuner_rows::import::read(path, None) {
            said(&error);
        }
    });
}

/// Opened, each block is read again.
pub(crate) fn trace_file(bytes: &[u8]) {
    as_file("file.traces", bytes, |path| match TraceFile::open(path) {
        Ok(file) => {
            let rows = (0..file.count()).map(|block| file.load(block).expect("a block").len());
            assert_eq!(rows.sum::<usize>(), file.rows());
            assert_eq!(file.failure(), None);
        }
        Err(error) => said(&error),
    });
}

/// Weights by name, in three formats.
pub(crate) fn weights(bytes: &[u8]) {
    let names = ["TEMPO", "PAWN.mg", "PAWN.eg", "TABLE[0]", "TABLE[1]"].map(str::to_owned);
    let initial = [10.0, 80.0, 100.0, -3.0, 4.0];
    as_file("weights", bytes, |path| {
        match NamedWeights::read(path, &names, &initial) {
            Ok(read) => {
                assert_eq!(read.weights.len(), names.len());
                assert!(read.weights.iter().all(|weight| weight.is_finite()));
            }
            Err(error) => said(&error),
        }
    });
}

/// What the pages and the terminal say of a fit.
pub(crate) fn summary(bytes: &[u8]) {
    as_file("summary.json", bytes, |path| match RunRecord::read(path) {
        Ok(record) => {
            assert_harmless(&terminal(&record, 80));
            assert_page(&html(&record));
        }
        Err(error) => said(&error),
    });
}

pub(crate) fn loop_record(bytes: &[u8]) {
    as_file("loop.json", bytes, |path| match LoopRecord::read(path) {
        Ok(record) => record
            .iter()
            .for_each(|record| assert_page(&loop_page(record))),
        Err(error) => said(&error),
    });
}

/// A page has the elements that it was made with, whatever its texts say.
fn assert_page(page: &str) {
    assert!(page.starts_with("<!DOCTYPE html>"), "{page:.100}");
    assert!(!page.contains("<tuner"), "a text became an element");
}

pub(crate) fn journal(bytes: &[u8]) {
    as_file("match.jsonl", bytes, |path| match Journal::read(path) {
        Ok(record) => {
            let points = record.played().iter().flat_map(|pair| pair.half_points);
            assert!(points.max().is_none_or(|points| points <= 2));
        }
        Err(error) => said(&error),
    });
}

/// The state beside a table of self-play.
pub(crate) fn table(bytes: &[u8]) {
    as_file("games.tsv", b"fen\tresult\n", |table| {
        as_file("games.tsv.json", bytes, |_| {
            if let Err(error) = GameTable::results_of(table) {
                said(&error);
            }
            if let Err(error) = GameTable::resume(table, &Value::Null) {
                said(&error);
            }
        });
    });
}
