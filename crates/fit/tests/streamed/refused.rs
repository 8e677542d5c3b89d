//! Files that are not as they should be.

use std::ops::ControlFlow;

use std::io::Write as _;
use std::path::Path;

use arrow_array::{Int64Array, RecordBatch};
use arrow_ipc::writer::FileWriter;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tuner_fit::model::{Loss, Part, fit_k};
use tuner_fit::{FitError, FitInputs, Settings, fit};
use tuner_rows::file::TraceFile;
use tuner_rows::{Blocks, Traces};
use tuner_solve::{PassError, Reduction};

use super::data::{Kind, SLOTS, drawn, file};

fn refusal(path: &Path) -> String {
    let error = TraceFile::open(path).unwrap_err().to_string();
    let prefix = format!("{}: ", path.display());
    error.strip_prefix(&prefix).unwrap().to_owned()
}

#[test]
fn a_file_that_is_cut_off_is_refused_wherever_it_ends() {
    let (folder, path) = file(&drawn(Kind::Everything, 200), 80);
    let bytes = std::fs::read(path).unwrap();
    let cut = folder.path().join("cut.arrow");
    for length in (0..bytes.len())
        .step_by(97)
        .chain(bytes.len() - 40..bytes.len())
    {
        std::fs::write(&cut, &bytes[..length]).unwrap();
        let words = refusal(&cut);
        if length < 6 {
            assert!(words.starts_with("is no file of traces"), "{words}");
        } else {
            let expected = format!("is cut off after {length} bytes");
            assert!(words.starts_with(&expected), "{words}");
        }
    }
}

#[test]
fn a_changed_byte_is_refused_or_changes_nothing() {
    let (folder, path) = file(&drawn(Kind::Everything, 300), 120);
    let bytes = std::fs::read(&path).unwrap();
    let error = |file: &TraceFile| {
        let lanes = vec![10.0; 2 * SLOTS];
        fit_k(
            Traces::from(file as &dyn Blocks),
            &lanes,
            Loss::Squared,
            Part::All,
        )
        .map(|fit| fit.error)
    };
    let expected = error(&TraceFile::open(&path).unwrap()).unwrap();
    let changed = folder.path().join("changed.arrow");
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let (mut refused, mut same) = (0, 0);
    for _ in 0..1500 {
        let mut bytes = bytes.clone();
        let place = rng.random_range(0..bytes.len());
        bytes[place] ^= 1 << rng.random_range(0..8);
        std::fs::write(&changed, &bytes).unwrap();
        match TraceFile::open(&changed) {
            Err(error) => {
                assert!(error.to_string().len() > 20);
                refused += 1;
            }
            Ok(file) => {
                let found = error(&file).unwrap();
                assert_eq!(found.to_bits(), expected.to_bits(), "byte {place}");
                same += 1;
            }
        }
    }
    // Columns and padding that no pass reads.
    assert!(refused > 300 && same > 100, "{refused} {same}");
}

#[test]
fn files_of_others_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.arrow");
    assert!(refusal(&path).starts_with("cannot be opened"));
    std::fs::write(
        &path,
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 [1.0]",
    )
    .unwrap();
    assert!(refusal(&path).starts_with("is no file of traces"));
    assert!(!TraceFile::looks_like_one(&path));
    let column = std::sync::Arc::new(Int64Array::from(vec![1, 2, 3]));
    let batch = RecordBatch::try_from_iter([("outcome", column as _)]).unwrap();
    let write = |metadata: Option<&str>| {
        let file = std::fs::File::create(&path).unwrap();
        let mut writer = FileWriter::try_new(file, &batch.schema()).unwrap();
        if let Some(text) = metadata {
            writer.write_metadata("tuner", text);
        }
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    };
    write(None);
    assert!(TraceFile::looks_like_one(&path));
    assert!(refusal(&path).contains("traces made elsewhere are for `tuner fit`"));
    write(Some(r#"{"format": 99, "tuner": "7.0"}"#));
    let words = refusal(&path);
    assert!(words.contains("has format 99 of tuner \"7.0\""), "{words}");
    assert!(words.ends_with("reads format 1; trace again"), "{words}");
    write(Some(r#"{"format": 1}"#));
    assert!(refusal(&path).contains("its footer is damaged: missing field"));
    write(Some("no JSON"));
    assert!(refusal(&path).contains("its footer is damaged"));
    write(Some(
        r#"{"format":1,"tuner":"","slots":1,"positions":3,"blocks":["x"],"about":{"engine":"",
        "layout":"","data":"","with_game":0,"rejected":0,"nonlinear":0,"weights":[],"examples":[]},"fingerprint":"x"}"#,
    ));
    assert!(refusal(&path).contains("its columns are not those of traces"));
}

#[test]
fn a_file_that_changes_while_it_is_read_ends_the_fit() {
    let (_folder, path) = file(&drawn(Kind::Plain, 300), 100);
    let file = TraceFile::open(&path).unwrap();
    assert!(file.load(1).is_some());
    let mut end = std::fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap();
    end.write_all(b"more").unwrap();
    end.sync_all().unwrap();
    assert!(file.load(1).is_none());
    let words = file.failure().unwrap();
    assert!(
        words.contains("rows.arrow: has been changed while it was read"),
        "{words}"
    );
    let reduction = Reduction::of_lanes(2 * SLOTS);
    let zero = vec![0.0; 2 * SLOTS];
    let settings = Settings {
        k: Some(1.0),
        ..Settings::default()
    };
    let traces = Traces::from(&file as &dyn Blocks);
    let found = fit(
        traces,
        &reduction,
        &FitInputs::at(&zero),
        &settings,
        &mut |_| ControlFlow::Continue(()),
    );
    assert_eq!(found.unwrap_err(), FitError::Traces(PassError::new(words)));
}

#[test]
fn what_a_file_says_of_itself_cannot_be_changed_unnoticed() {
    let (_folder, path) = file(&drawn(Kind::Plain, 300), 100);
    let bytes = std::fs::read(&path).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert_eq!(text.matches(r#""with_game":7"#).count(), 1);
    let place = bytes.windows(13).position(|w| w == br#""with_game":7"#);
    let mut changed = bytes.clone();
    changed[place.unwrap() + 12] = b'8';
    std::fs::write(&path, changed).unwrap();
    assert!(refusal(&path).contains("its fingerprint is another one"));
}
