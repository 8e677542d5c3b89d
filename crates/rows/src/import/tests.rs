#![allow(clippy::unwrap_used)] // a failing test may end with a panic

use std::fs::File;
use std::sync::Arc;

use arrow_array::builder::{
    Float64Builder, Int16Builder, LargeListBuilder, ListBuilder, UInt16Builder,
};
use arrow_array::{ArrayRef, Float32Array, Float64Array, Int64Array, StringArray};
use arrow_ipc::writer::FileWriter;

use super::*;
use arrow_array::RecordBatch;
use tuner_base::WeightId;

mod damaged;
mod formats;
mod lines;

/// The columns of two good rows.
fn columns() -> Vec<(&'static str, ArrayRef)> {
    let mut feature = ListBuilder::new(UInt16Builder::new());
    feature.append_value([Some(0), Some(2)]);
    feature.append_value([Some(1), Some(2), Some(0)]);
    let mut coefficient = LargeListBuilder::new(Float64Builder::new());
    coefficient.append_value([Some(1.0), Some(-3.0)]);
    coefficient.append_value([Some(2.0), Some(0.25), Some(40_000.0)]);
    vec![
        ("outcome", Arc::new(Float32Array::from(vec![1.0, 0.5]))),
        ("phase", Arc::new(Float64Array::from(vec![1.25, 0.5]))),
        ("eg_scale", Arc::new(Float64Array::from(vec![1.0, 0.75]))),
        ("constant", Arc::new(Int64Array::from(vec![7, -2]))),
        ("feature", Arc::new(feature.finish())),
        ("coefficient", Arc::new(coefficient.finish())),
    ]
}

/// Replaces or adds a column.
fn with(name: &'static str, array: ArrayRef) -> Vec<(&'static str, ArrayRef)> {
    let mut columns = columns();
    columns.retain(|column| column.0 != name);
    columns.push((name, array));
    columns
}

/// Writes the columns to a file and reads it.
fn read_back(columns: Vec<(&'static str, ArrayRef)>) -> Result<ImportedTraces, ImportError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traces.arrow");
    write(&path, columns);
    read(&path, None)
}

fn write(path: &Path, columns: Vec<(&'static str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap();
    let mut writer = FileWriter::try_new(File::create(path).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
}

/// Reads columns that must be refused; returns the message without the file.
fn refusal(columns: Vec<(&'static str, ArrayRef)>) -> String {
    let error = read_back(columns).unwrap_err();
    assert!(error.to_string().contains("traces.arrow: "), "{error}");
    error.problems[0].clone()
}

#[test]
fn rows_score_as_the_table_says() {
    let read = read_back(columns()).unwrap();
    assert!(!read.has_games);
    assert_eq!(
        (read.traces.len(), read.traces.slots(), read.traces.games()),
        (4, 3, 4)
    );
    let lanes = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0];
    let pair = |phase: f64, scale: f64, mg: f64, eg: f64| phase * mg + (1.0 - phase) * scale * eg;
    let first = 7.0 + pair(1.25, 1.0, 10.0, 20.0) - 3.0 * pair(1.25, 1.0, 50.0, 60.0);
    let second = -2.0
        + 2.0 * pair(0.5, 0.75, 30.0, 40.0)
        + 0.25 * pair(0.5, 0.75, 50.0, 60.0)
        + 40_000.0 * pair(0.5, 0.75, 10.0, 20.0);
    // Rows are rearranged: by constants it is known which is which.
    for row in read.traces.rows(0..4) {
        let expected = if row.constant() > 0.0 { first } else { second };
        assert!((row.score(&lanes) - expected).abs() < 1e-9, "{row:?}");
    }
}

#[test]
fn reads_games_and_weights() {
    let mut columns = with("game", Arc::new(Int64Array::from(vec![5, 5])));
    columns.push(("weight", Arc::new(Float64Array::from(vec![2.0, 0.5]))));
    let read = read_back(columns).unwrap();
    assert!(read.has_games);
    assert_eq!(read.traces.games(), 1);
    let weights: f64 = read.traces.rows(0..4).map(|row| row.weight()).sum();
    assert!((weights - 5.0).abs() < 1e-15);
}

#[test]
fn a_search_score_may_be_missing() {
    let scores = Int64Array::from(vec![Some(-17), None]);
    let read = read_back(with("search_score", Arc::new(scores))).unwrap();
    for row in read.traces.rows(0..4) {
        let expected = (row.constant() > 0.0).then_some(-17);
        assert_eq!(row.search_score(), expected, "{row:?}");
    }
    let none = read_back(columns()).unwrap();
    assert_eq!(none.traces.row(0).search_score(), None);
    assert_ne!(none.traces.fingerprint(), read.traces.fingerprint());
    assert_eq!(
        refusal(with(
            "search_score",
            Arc::new(Int64Array::from(vec![0, 1 << 40]))
        )),
        "row 1: column `search_score` is 1099511627776; expected an integer of 32 bits"
    );
    assert_eq!(
        refusal(with(
            "search_score",
            Arc::new(Float64Array::from(vec![0.0, 1.0]))
        )),
        "column `search_score` has type Float64; expected integers"
    );
}

#[test]
fn refuses_missing_columns_and_wrong_types_all_at_once() {
    let mut columns = with("outcome", Arc::new(StringArray::from(vec!["1-0", "1/2"])));
    columns
        .retain(|column| column.0 != "phase" && column.0 != "feature" && column.0 != "coefficient");
    columns.push(("feature", Arc::new(Int64Array::from(vec![0, 1]))));
    let error = read_back(columns).unwrap_err();
    let found = error.problems;
    assert_eq!(
        found,
        [
            "column `outcome` has type Utf8; expected integers or floats",
            "column `feature` has type Int64; expected a list of integers",
            "column `coefficient` is missing; expected a list of integers or floats",
            "column `eg_scale` needs a column `phase`; add it, or leave both out",
        ]
    );
}

#[test]
fn names_row_and_column_of_bad_values() {
    let float = |values: [f64; 2]| Arc::new(Float64Array::from(values.to_vec())) as ArrayRef;
    assert_eq!(
        refusal(with("outcome", float([1.0, -1.0]))),
        "row 1: column `outcome` is -1; expected a number from 0 (loss) to 1 (win)"
    );
    assert_eq!(
        refusal(with("phase", float([1.0, f64::NAN]))),
        "row 1: column `phase` is NaN; expected a finite number, at most 1e9 in size"
    );
    assert_eq!(
        refusal(with("constant", float([f64::INFINITY, 0.0]))),
        "row 0: column `constant` is inf; expected a finite number, at most 1e9 in size"
    );
    assert_eq!(
        refusal(with("weight", float([1.0, -1.0]))),
        "row 1: column `weight` is -1; expected a finite number of at least 0, at most 1e9"
    );
    assert_eq!(
        refusal(with("game", Arc::new(Int64Array::from(vec![-1, 0])))),
        "row 0: column `game` is -1; expected an integer from 0 to 4294967295, or a text"
    );
    assert_eq!(
        refusal(with(
            "eg_scale",
            Arc::new(Float64Array::from(vec![Some(1.0), None]))
        )),
        "row 1: column `eg_scale` is null; expected a value"
    );
}

#[test]
fn names_row_and_column_of_bad_lists() {
    let mut negative = ListBuilder::new(Int16Builder::new());
    negative.append_value([Some(0), Some(2)]);
    negative.append_value([Some(1), Some(-2), Some(0)]);
    assert_eq!(
        refusal(with("feature", Arc::new(negative.finish()))),
        "row 1: column `feature` has entry -2; expected a number from 0 to 4294967294"
    );
    let mut short = ListBuilder::new(Int16Builder::new());
    short.append_value([Some(0)]);
    short.append_value([Some(1), Some(2), Some(0)]);
    assert_eq!(
        refusal(with("coefficient", Arc::new(short.finish()))),
        "row 0: column `coefficient` has 1 entries, `feature` has 2; expected equal lengths"
    );
    let mut null = ListBuilder::new(Int16Builder::new());
    null.append_value([Some(0), None]);
    null.append_null();
    let error = read_back(with("coefficient", Arc::new(null.finish()))).unwrap_err();
    let found = &error.problems[..2];
    assert_eq!(
        found,
        [
            "row 1: column `coefficient` is null; expected a value",
            "row 0: column `coefficient` has a null in its list; expected values",
        ]
    );
    assert_eq!(error.count, 4, "two batches");
}

#[test]
fn refuses_files_that_are_cut_off_or_no_arrow() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traces.arrow");
    write(&path, columns());
    let whole = std::fs::read(&path).unwrap();
    for length in [4, 5, 100, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        let message = read(&path, None).unwrap_err().to_string();
        assert!(
            message.contains("no complete Arrow IPC file"),
            "{length}: {message}"
        );
    }
    let missing = read(&folder.path().join("nothing.arrow"), None)
        .unwrap_err()
        .to_string();
    assert!(missing.contains("cannot be opened"), "{missing}");
}
