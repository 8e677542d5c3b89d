//! What is written comes back.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type};
use arrow_ipc::reader::FileReader;
use tuner_base::Slot;
use tuner_rows::file::{TraceFile, TraceWriter};
use tuner_rows::{Blocks, Row, RowDraft, RowInfo, Segment, TraceSet};

use super::data::{Kind, about, drawn, file, opened, write};

/// All that is known of a row.
pub(crate) fn text(row: &Row<'_>) -> String {
    // The factors of a segment without entries do not matter.
    let segments: Vec<_> = row
        .segments()
        .map(|segment| (segment.factors, segment.entries().collect::<Vec<_>>()))
        .filter(|(_, entries)| !entries.is_empty())
        .collect();
    format!(
        "{} {} {} {} {:?} {segments:?} {:?}",
        row.outcome(),
        row.game(),
        row.weight(),
        row.constant(),
        row.search_score(),
        row.expression()
    )
}

fn texts(sets: &[TraceSet]) -> Vec<String> {
    let rows = sets.iter().flat_map(|set| set.rows(0..set.len()));
    let mut texts: Vec<String> = rows.map(|row| text(&row)).collect();
    texts.sort_unstable();
    texts
}

fn blocks(file: &TraceFile) -> Vec<TraceSet> {
    (0..file.count())
        .map(|block| file.load(block).unwrap())
        .collect()
}

#[test]
fn every_row_comes_back_as_it_was() {
    for kind in [Kind::Plain, Kind::Everything] {
        for (rows, block, count) in [(1, 500, 1), (1000, 300, 4), (1000, 1000, 1)] {
            let set = drawn(kind, rows);
            let (_folder, file) = opened(&set, block);
            assert_eq!((file.rows(), file.count()), (rows as usize, count));
            assert_eq!(file.abouts().next().unwrap().1, &about());
            let same = texts(&blocks(&file)) == texts(&[set]);
            assert!(same, "{kind:?} {rows}");
            assert_eq!(file.failure(), None);
        }
    }
}

#[test]
fn small_pieces_become_large_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pieces.arrow");
    let mut writer = TraceWriter::create(&path, 6).unwrap().with_block_rows(100);
    let mut whole = TraceSet::new(6);
    for rows in [1, 40, 40, 40, 0, 99, 7] {
        let piece = drawn(Kind::Everything, rows);
        writer.append(&piece).unwrap();
        whole.append(&piece);
    }
    writer.finish(about()).unwrap();
    let file = TraceFile::open(&path).unwrap();
    let blocks = blocks(&file);
    let lengths: Vec<usize> = blocks.iter().map(TraceSet::len).collect();
    assert_eq!(lengths, [81, 40, 99, 7]);
    assert!(texts(&blocks) == texts(&[whole]));
}

#[test]
fn rows_with_very_many_different_entries_are_in_blocks_that_can_name_them() {
    let slots = 200_000;
    let mut set = TraceSet::new(slots);
    for row in 0..1000_u32 {
        let entries = (0..150).map(|i| (Slot(row * 150 + i), 1 + (i % 3) as i16));
        let draft = RowDraft {
            segments: vec![Segment::same([1.0, 0.0], entries)],
            ..RowDraft::default()
        };
        set.push(&draft, &RowInfo::new(0.5, row)).unwrap();
    }
    let (_folder, file) = opened(&set, 1 << 16);
    assert_eq!(file.count(), 4);
    assert_eq!(file.tokens().len(), 150_001);
    assert!(texts(&blocks(&file)) == texts(&[set]));
}

#[test]
fn any_arrow_reader_reads_one_row_a_position() {
    let set = drawn(Kind::Everything, 700);
    let (_folder, path) = file(&set, 300);
    let reader = FileReader::try_new(std::fs::File::open(path).unwrap(), None).unwrap();
    let (mut games, mut outcomes, mut scores) = (Vec::new(), 0.0, 0);
    for batch in reader.map(Result::unwrap) {
        let column = |name| batch.column_by_name(name).unwrap();
        games.extend_from_slice(column("game").as_primitive::<UInt32Type>().values());
        let outcome = column("outcome").as_primitive::<Float64Type>();
        outcomes += outcome.values().iter().sum::<f64>();
        scores += batch.num_rows() - column("search_score").null_count();
        let slots = column("slots").as_list::<i32>();
        assert!(!slots.value(0).is_empty() && slots.value(1).is_empty());
    }
    games.sort_unstable();
    let mut expected: Vec<u32> = set.rows(0..700).map(|row| row.game()).collect();
    expected.sort_unstable();
    assert_eq!(games, expected);
    let sum: f64 = set.rows(0..700).map(|row| row.outcome()).sum();
    assert!((outcomes - sum).abs() < 1e-9);
    let with = set.rows(0..700).filter(|row| row.search_score().is_some());
    assert_eq!(scores, with.count());
}

#[test]
fn the_same_rows_have_the_same_fingerprint_and_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let set = drawn(Kind::Everything, 400);
    let first = write(&set, &path("a"), 150);
    assert_eq!(first, write(&set, &path("b"), 150));
    let bytes = |name| std::fs::read(path(name)).unwrap();
    assert_eq!(bytes("a"), bytes("b"));
    assert_eq!(TraceFile::open(&path("a")).unwrap().fingerprint(), first);
    let mut other = set.clone();
    other.map_outcomes(|row, outcome| if row == 17 { 1.0 - outcome } else { outcome });
    assert_ne!(first, write(&other, &path("c"), 150));
}

#[test]
fn a_file_appears_only_once_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.arrow");
    std::fs::write(&path, "what was there").unwrap();
    let mut writer = TraceWriter::create(&path, 6).unwrap();
    writer.append(&drawn(Kind::Plain, 10)).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"what was there");
    drop(writer);
    let names: Vec<_> = folder.path().read_dir().unwrap().flatten().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    let folder_itself = TraceWriter::create(folder.path(), 6).unwrap_err();
    assert!(folder_itself.to_string().contains("is a folder"));
    let missing = folder.path().join("no folder").join("rows.arrow");
    let error = TraceWriter::create(&missing, 6).unwrap_err().to_string();
    assert!(error.contains("rows.arrow: cannot be created"), "{error}");
}
