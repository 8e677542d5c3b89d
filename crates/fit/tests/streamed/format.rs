//! A file of the present format, which must stay readable.

use std::path::Path;

use tuner_rows::file::TraceFile;
use tuner_rows::{Blocks, TraceSet};

use super::data::{Kind, about, drawn, write};
use super::rows::text;

/// Where the file is; `BLESS=1` writes it anew, which is for a new format.
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/streamed/format-1.arrow");

/// The fingerprint of its rows and of what it says of itself.
const FINGERPRINT: &str = "965a455c3248992a";

#[test]
fn a_file_of_this_format_is_read_as_it_is() {
    let set = drawn(Kind::Everything, 12);
    if std::env::var_os("BLESS").is_some() {
        write(&set, Path::new(PATH), 8);
    }
    let file = TraceFile::open(Path::new(PATH)).unwrap();
    assert_eq!(file.fingerprint(), FINGERPRINT);
    assert_eq!(*file.abouts().next().unwrap().1, about());
    let rows = |set: &TraceSet| -> Vec<String> {
        let rows = set.rows(0..set.len()).map(|row| text(&row));
        rows.collect()
    };
    let mut found: Vec<String> = (0..file.count())
        .flat_map(|block| rows(&file.load(block).unwrap()))
        .collect();
    let mut expected = rows(&set);
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn the_same_rows_get_the_fingerprint_of_that_file() {
    let folder = tempfile::tempdir().unwrap();
    let set = drawn(Kind::Everything, 12);
    assert_eq!(write(&set, &folder.path().join("rows"), 8), FINGERPRINT);
}
