//! Names, specs, keys, and the texts.

use std::collections::HashMap;

use arrow_array::types::Int8Type;
use arrow_array::{DictionaryArray, LargeStringArray, StringViewArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::IpcWriteOptions;
use arrow_schema::Schema;

use super::*;

/// Writes the columns with metadata and compression.
fn write_with(
    path: &Path,
    columns: Vec<(&'static str, ArrayRef)>,
    keys: &[(&str, &str)],
    compression: Option<CompressionType>,
) {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let keys = keys
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    let schema = Schema::clone(&batch.schema()).with_metadata(keys.collect::<HashMap<_, _>>());
    let options = IpcWriteOptions::default()
        .try_with_compression(compression)
        .unwrap();
    let file = File::create(path).unwrap();
    let mut writer = FileWriter::try_new_with_options(file, &schema, options).unwrap();
    writer
        .write(&batch.with_schema(Arc::new(schema)).unwrap())
        .unwrap();
    writer.finish().unwrap();
}

fn read_with(
    columns: Vec<(&'static str, ArrayRef)>,
    keys: &[(&str, &str)],
    declared: Option<&DeclaredWeights<'_>>,
) -> Result<ImportedTraces, ImportError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traces.arrow");
    write_with(&path, columns, keys, None);
    read(&path, declared)
}

pub(super) fn read_text(
    text: &str,
    declared: Option<&DeclaredWeights<'_>>,
) -> Result<ImportedTraces, ImportError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traces.txt");
    std::fs::write(&path, text).unwrap();
    read(&path, declared)
}

/// Problems without the file.
pub(super) fn words(read: Result<ImportedTraces, ImportError>) -> Vec<String> {
    read.unwrap_err().problems
}

fn doubles<const N: usize>(values: [f64; N]) -> ArrayRef {
    Arc::new(Float64Array::from(values.to_vec()))
}

/// Three plain rows on features 0, 1 and 7.
fn plain() -> Vec<(&'static str, ArrayRef)> {
    let mut feature = ListBuilder::new(UInt16Builder::new());
    feature.append_value([Some(7), Some(0)]);
    feature.append_value([Some(1)]);
    feature.append_value([Some(0), Some(0), Some(7)]);
    let mut coefficient = ListBuilder::new(Float64Builder::new());
    coefficient.append_value([Some(0.75), Some(-1.5)]);
    coefficient.append_value([Some(3.0)]);
    coefficient.append_value([Some(1.0), Some(1.0), Some(0.1)]);
    vec![
        ("outcome", doubles([1.0, 0.5, 0.0])),
        ("feature", Arc::new(feature.finish())),
        ("coefficient", Arc::new(coefficient.finish())),
    ]
}

/// Scores of all rows at lanes, sorted.
fn scores(read: &ImportedTraces, lanes: &[f64]) -> Vec<f64> {
    let rows = read.traces.rows(0..read.traces.len());
    let mut scores: Vec<f64> = rows.map(|row| row.score(lanes)).collect();
    scores.sort_by(f64::total_cmp);
    scores
}

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < 1e-9, "{found:?} {expected:?}");
    }
}

/// Weights A, and B of two phases: lanes 0, 2 and 3.
pub(super) fn declared(
    find: &(dyn Fn(&str) -> Result<Vec<WeightId>, String> + Sync),
) -> DeclaredWeights<'_> {
    DeclaredWeights {
        lanes: vec![LaneId(0), LaneId(2), LaneId(3)],
        slots: 2,
        initial: vec![10.0, 100.0, 200.0],
        parameters: vec![(WeightId(0), "A".to_owned()), (WeightId(1), "B".to_owned())],
        leaves: None,
        find,
        name: &|weight| ["A", "B.mg", "B.eg"][weight.index()].to_owned(),
    }
}

pub(super) fn find(path: &str) -> Result<Vec<WeightId>, String> {
    match path {
        "A" => Ok(vec![WeightId(0)]),
        "B" => Ok(vec![WeightId(1), WeightId(2)]),
        "B.mg" => Ok(vec![WeightId(1)]),
        "B.eg" => Ok(vec![WeightId(2)]),
        _ => Err(format!("{path} is unknown")),
    }
}

#[test]
fn plain_rows_need_three_columns_and_cost_what_occurs() {
    let read = read_with(plain(), &[], None).unwrap();
    let names: Vec<&str> = read.weights.iter().map(|weight| &*weight.0).collect();
    assert_eq!(names, ["feature[0]", "feature[1]", "feature[7]"]);
    assert_eq!(read.traces.slots(), 3);
    let lanes = [2.0, 0.0, 5.0, 0.0, 10.0, 0.0];
    assert_close(&scores(&read, &lanes), &[4.5, 5.0, 15.0]);
    let huge = read_text("1 4000000000:1 4294967294:2\n", None).unwrap();
    assert_eq!(huge.traces.slots(), 2);
    assert_eq!(huge.weights[1].0, "feature[4294967294]");
    assert_eq!(
        words(read_text("1 4294967295:1\n", None)),
        ["line 1: column `feature` has entry 4294967295; expected a number from 0 to 4294967294"]
    );
}

#[test]
fn every_compression_reads_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traces.arrow");
    let mut found = Vec::new();
    for compression in [
        None,
        Some(CompressionType::LZ4_FRAME),
        Some(CompressionType::ZSTD),
    ] {
        write_with(&path, plain(), &[("tuner.version", "1")], compression);
        found.push(read(&path, None).unwrap().traces.fingerprint());
    }
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{found:?}");
}

#[test]
fn features_have_the_names_of_the_file() {
    let names = r#"["A", "B", "c", "d", "e", "f", "g", "h"]"#;
    let keys = [("tuner.version", "1"), ("tuner.features", names)];
    let read = read_with(plain(), &keys, None).unwrap();
    assert_eq!(read.weights.len(), 8, "also those that do not occur");
    assert_eq!(read.weights[7], ("h".to_owned(), LaneId(14)));
    let mut tapered = plain();
    tapered.push(("phase", doubles([1.0, 0.5, 0.0])));
    let read = read_with(tapered, &keys, None).unwrap();
    assert_eq!(read.weights[15], ("h.eg".to_owned(), LaneId(15)));
    let keys = [("tuner.version", "1"), ("tuner.features", r#"["A"]"#)];
    assert_eq!(
        words(read_with(plain(), &keys, None))[0],
        "row 0: column `feature` has entry 7; expected a number from 0 to 0"
    );
    for (names, message) in [
        ("A, B", "key `tuner.features` is no JSON list of names"),
        (
            r#"["A", "A"]"#,
            "feature 1 has the name \"A\", as one before",
        ),
        (
            r#"["A B"]"#,
            "feature 0 has the name \"A B\"; expected 1 to 200 visible",
        ),
        (r#"["\u001b[2J"]"#, "feature 0 has the name \"\\u{1b}[2J\""),
        (
            r##"["#A"]"##,
            "feature 0 has the name \"#A\"; expected one that does not begin with #",
        ),
    ] {
        let keys = [("tuner.version", "1"), ("tuner.features", names)];
        let found = &words(read_with(plain(), &keys, None))[0];
        assert!(found.starts_with(message), "{found}");
    }
}

#[test]
fn versions_and_keys_that_nobody_knows_are_refused() {
    for (keys, message) in [
        (
            vec![("tuner.version", "2")],
            "is of version \"2\" of the format",
        ),
        (
            vec![("tuner.rounding", "2")],
            "has metadata `tuner.…`, but no key `tuner.version`",
        ),
        (
            vec![("tuner.version", "1"), ("tuner.names", "[]")],
            "has an unknown key \"tuner.names\"",
        ),
        (
            vec![("tuner.version", "1"), ("tuner.first", "1")],
            "has an unknown key \"tuner.first\"",
        ),
        (
            vec![("tuner.version", "1"), ("tuner.rounding", "-1")],
            "key `tuner.rounding` is \"-1\"",
        ),
    ] {
        let found = &words(read_with(plain(), &keys, None))[0];
        assert!(found.starts_with(message), "{found}");
    }
    let others = [("pandas", "{}"), ("tuner.version", "1")];
    assert!(read_with(plain(), &others, None).is_ok(), "keys of others");
}

#[test]
fn features_are_the_weights_of_a_spec_in_order_or_by_name() {
    let declared = declared(&find);
    let text = "outcome,B.eg,A\n1,0.25,-1\n0,,2\n";
    let read = read_text(text, Some(&declared)).unwrap();
    let lanes = [10.0, 0.0, 100.0, 200.0];
    assert_close(&scores(&read, &lanes), &[20.0, 40.0]);
    assert!(read.weights.is_empty());
    let read = read_text("1 0:-1 2:0.25\n0 0:2\n", Some(&declared)).unwrap();
    assert_close(&scores(&read, &lanes), &[20.0, 40.0]);
    // A has no phases: it counts as often as it says.
    let text = "outcome,phase,eg_scale,A,B\n1,0.75,0.5,1,2\n";
    let read = read_text(text, Some(&declared)).unwrap();
    assert_close(
        &scores(&read, &lanes),
        &[10.0 + 2.0 * (75.0 + 0.125 * 200.0)],
    );
    for (text, message) in [
        (
            "outcome,A,B\n1,1,1\n",
            "feature \"B\" is 2 weights of the spec; without a column `phase`",
        ),
        (
            "outcome,phase,B.mg\n1,1,1\n",
            "feature \"B.mg\" is no entry of the spec; with a column",
        ),
        ("outcome,A,C\n1,1,1\n", "feature C is unknown"),
        (
            "1 3:1\n",
            "line 1: column `feature` has entry 3; expected a number from 0 to 2",
        ),
    ] {
        let found = &words(read_text(text, Some(&declared)))[0];
        assert!(found.starts_with(message), "{found}");
    }
}

#[test]
fn two_names_of_one_weight_are_named_behind_an_unknown_one() {
    let find = |name: &str| find(if name == "SAME" { "A" } else { name });
    let declared = declared(&find);
    let found = words(read_text("outcome,C,A,SAME\n1,1,1,1\n", Some(&declared)));
    assert_eq!(found[0], "feature C is unknown");
    assert!(
        found[1].starts_with("features \"A\" and \"SAME\" are the same weight"),
        "{found:?}"
    );
}

#[test]
fn scores_are_compared_with_the_initial_weights() {
    let declared = declared(&find);
    let good = "outcome,score,A,B.mg\n1,109.5,1,1\n0,,1,1\n";
    let read = read_text(good, Some(&declared)).unwrap();
    assert_eq!(read.compared.0, 1);
    assert!((read.compared.1 - 0.5).abs() < 1e-12);
    let bad = good.replace("109.5", "112");
    let found = words(read_text(&bad, Some(&declared)));
    assert!(
        found[0].starts_with(
            "line 2: column `score` is 112, and the row gives 110.000 at the spec's initial weights; \
             expected a difference of at most 1: "
        ),
        "{found:?}"
    );
    let more = format!("# tuner.version: 1\n# tuner.rounding: 2\n{bad}");
    assert!(read_text(&more, Some(&declared)).is_ok());
    assert_eq!(read_text(&bad, None).unwrap().not_compared, 1);
}

#[test]
fn games_are_numbers_or_texts() {
    let keys = Int64Array::from(vec![5, 5, 6]);
    let texts = vec!["a", "b", "a"];
    let dictionary: DictionaryArray<Int8Type> = texts.clone().into_iter().collect();
    for (game, count) in [
        (Arc::new(keys) as ArrayRef, 2),
        (Arc::new(StringArray::from(texts.clone())), 2),
        (Arc::new(LargeStringArray::from(texts.clone())), 2),
        (Arc::new(StringViewArray::from(texts)), 2),
        (Arc::new(dictionary), 2),
    ] {
        let mut columns = plain();
        columns.push(("game", game));
        let read = read_with(columns, &[], None).unwrap();
        assert!(read.has_games);
        assert_eq!(read.traces.games(), count);
    }
    for id in ["a", "game 12/3", "é"] {
        let read = read_text(&format!("outcome,game,A\n1,{id},1\n"), None).unwrap();
        let of_data = tuner_game::GameKey::of(id).number();
        assert_eq!(read.traces.row(0).game(), of_data, "{id}");
    }
    let read = read_text("1 qid:8 0:1\n0 qid:8 0:-1 # mate\n\n1 qid:9 0:1\n", None).unwrap();
    assert_eq!((read.has_games, read.traces.games()), (true, 2));
    assert_eq!(
        words(read_text("outcome,game,A\n1,7,1\n1,x,1\n", None))[0],
        "line 3: column `game` is a text where others are numbers, or a number where others are \
         texts; give all games one kind"
    );
}

#[test]
fn a_null_of_a_dictionary_is_a_null() {
    let keys = arrow_array::Int8Array::from(vec![0, 1, 0]);
    let values = StringArray::from(vec![Some("a"), None]);
    let dictionary = DictionaryArray::new(keys, Arc::new(values));
    let mut columns = plain();
    columns.push(("game", Arc::new(dictionary)));
    assert_eq!(
        words(read_with(columns, &[], None)),
        ["row 1: column `game` is null; expected a value"]
    );
}

/// Lists of every kind, and games of a dictionary.
fn many_rows(rows: usize) -> RecordBatch {
    let of = |row: usize| row as f64;
    let mut feature = ListBuilder::new(UInt16Builder::new());
    let mut coefficient = LargeListBuilder::new(Float64Builder::new());
    for row in 0..rows {
        let count = 1 + row % 3;
        feature.append_value((0..count).map(|i| Some((row % 5 + i) as u16)));
        coefficient.append_value((0..count).map(|i| Some(of(row % 100 + i + 1))));
    }
    let names: Vec<String> = (0..rows).map(|row| format!("game {}", row / 40)).collect();
    let games: DictionaryArray<arrow_array::types::Int16Type> =
        names.iter().map(String::as_str).collect();
    let outcome = (0..rows).map(|row| of(row % 3) / 2.0).collect();
    RecordBatch::try_from_iter([
        (
            "outcome",
            Arc::new(Float64Array::new(outcome, None)) as ArrayRef,
        ),
        ("feature", Arc::new(feature.finish())),
        ("coefficient", Arc::new(coefficient.finish())),
        ("game", Arc::new(games)),
    ])
    .unwrap()
}

#[test]
fn a_batch_of_many_rows_is_what_several_of_few_are() {
    let all = many_rows(10_000);
    let folder = tempfile::tempdir().unwrap();
    let read_batches = |name: &str, rows: usize, all: &RecordBatch| {
        let path = folder.path().join(name);
        let file = File::create(&path).unwrap();
        let mut writer = FileWriter::try_new(file, &all.schema()).unwrap();
        for start in (0..all.num_rows()).step_by(rows) {
            writer.write(&all.slice(start, rows)).unwrap();
        }
        writer.finish().unwrap();
        read(&path, None)
    };
    let whole = read_batches("whole.arrow", 10_000, &all).unwrap();
    let parts = read_batches("parts.arrow", 1_000, &all).unwrap();
    assert_eq!((whole.traces.len(), whole.traces.games()), (10_000, 250));
    assert_eq!(whole.traces.fingerprint(), parts.traces.fingerprint());
    // Places are rows of the file, behind a part that is left out as well. Where features
    // have names the rows are read once.
    let mut outcome = vec![Some(0.5); 10_000];
    (outcome[5], outcome[9_000]) = (None, Some(2.0));
    let mut columns = all.columns().to_vec();
    columns[0] = Arc::new(Float64Array::from(outcome));
    let fields = all.schema_ref().fields().iter();
    let fields: Vec<_> = fields
        .map(|field| field.as_ref().clone().with_nullable(true))
        .collect();
    let names = r#"["A", "B", "C", "D", "E", "F", "G"]"#.to_owned();
    let keys = [
        ("tuner.version".to_owned(), "1".to_owned()),
        ("tuner.features".to_owned(), names),
    ];
    let schema = Schema::new(fields).with_metadata(HashMap::from(keys));
    let bad = RecordBatch::try_new(Arc::new(schema), columns).unwrap();
    for rows in [10_000, 1_000] {
        assert_eq!(
            words(read_batches("bad.arrow", rows, &bad)),
            [
                "row 5: column `outcome` is null; expected a value",
                "row 9000: column `outcome` is 2; expected a number from 0 (loss) to 1 (win)",
            ]
        );
    }
}

#[test]
fn a_list_of_one_length_is_read_in_parts() {
    let features = arrow_array::UInt8Array::from_iter_values((0..12_000).map(|i| (i % 7) as u8));
    let counts = arrow_array::Int8Array::from_iter_values((0..12_000).map(|i| (i % 9) as i8));
    let list = |values: ArrayRef| {
        let field = arrow_schema::Field::new("item", values.data_type().clone(), false);
        Arc::new(arrow_array::FixedSizeListArray::new(
            Arc::new(field),
            2,
            values,
            None,
        )) as ArrayRef
    };
    let outcome = vec![0.5; 6_000];
    let read = read_with(
        vec![
            ("outcome", Arc::new(Float64Array::from(outcome))),
            ("feature", list(Arc::new(features))),
            ("coefficient", list(Arc::new(counts))),
        ],
        &[],
        None,
    );
    let read = read.unwrap();
    let lanes: Vec<f64> = (0..14).map(|lane| 10f64.powi(lane / 2)).collect();
    let mut found = scores(&read, &lanes);
    let score = |row: usize| -> f64 {
        let part = |i: usize| 10f64.powi((i % 7) as i32) * (i % 9) as f64;
        part(2 * row) + part(2 * row + 1)
    };
    let mut expected: Vec<f64> = (0..6_000).map(score).collect();
    found.sort_by(f64::total_cmp);
    expected.sort_by(f64::total_cmp);
    assert_close(&found, &expected);
}

#[test]
fn all_formats_say_the_same() {
    let libsvm = "1 0:-1.5 7:0.75\n0.5 1:3\n0 0:2 7:0.1\n";
    let one = "# tuner.version: 1\n# tuner.first: 1\n1 1:-1.5 8:0.75\n0.5 2:3\n0 1:2 8:0.1\n";
    let csv = "\u{feff}outcome,a,\"b,b\",c\r\n1,-1.5,,.75\r\n.5,0,3,\r\n0,2,\"0\",1e-1\r\n";
    let tabs = "outcome\ta\tb\tc\n1\t-1.5\t\t.75\n.5\t0\t3\t\n0\t2\t0\t1e-1\n";
    let arrow = read_with(plain(), &[], None).unwrap();
    for text in [libsvm, one, csv, tabs] {
        let read = read_text(text, None).unwrap();
        assert_eq!(
            read.traces.fingerprint(),
            arrow.traces.fingerprint(),
            "{text}"
        );
    }
    assert!(!read_text(libsvm, None).unwrap().may_count_from_1);
    assert!(read_text("1 1:1\n", None).unwrap().may_count_from_1);
    assert_eq!(read_text(csv, None).unwrap().weights[1].0, "b,b");
}

#[test]
fn mistakes_in_texts_have_their_line() {
    for (text, message) in [
        (
            "",
            "has no line of data; expected Arrow IPC, CSV with a header line",
        ),
        (
            "result,A\n1,1\n",
            "line 1: column `outcome` is missing; expected a header line",
        ),
        ("outcome\n1\n", "line 1: names no feature"),
        (",outcome,A\n0,1,1\n", "line 1: column 1 has no name"),
        (
            "outcome,outcome,A\n1,1,1\n",
            "line 1: column `outcome` is there twice",
        ),
        (
            "outcome,A,A\n1,1,1\n",
            "feature 1 has the name \"A\", as one before",
        ),
        (
            "outcome,eg_scale,A\n1,1,1\n",
            "line 1: column `eg_scale` needs a column `phase`",
        ),
        ("outcome,A\n1,1\n1\n", "line 3: has 1 cells, the header 2"),
        (
            "outcome,A\n1-0,1\n",
            "line 2: column `outcome` is \"1-0\"; expected a number",
        ),
        (
            "outcome,A\n1,x\n",
            "line 2: cell 2 is \"x\"; expected a number, or nothing",
        ),
        (
            "outcome,A\n1,\"1\n",
            "line 2: has a quotation mark that nothing ends",
        ),
        (
            "outcome,A\n1,nan\n",
            "line 2: column `coefficient` is NaN; expected a finite number",
        ),
        (
            "outcome,A\n1,1e300\n",
            "line 2: column `coefficient` is 1000000000",
        ),
        (
            "outcome,A\n,1\n",
            "line 2: column `outcome` is \"\"; expected a number",
        ),
        (
            "-1 1:1\n",
            "line 1: column `outcome` is -1; expected a number from 0 (loss) to 1 (win)",
        ),
        (
            "1 2:1 1:1\n",
            "line 1: has index 1 again, or behind a larger one; write each once",
        ),
        ("1 2:1 2:1\n", "line 1: has index 2 again"),
        ("1 2:x\n", "line 1: has \"2:x\"; expected index:coefficient"),
        (
            "1 -2:1\n",
            "line 1: has \"-2:1\"; expected index:coefficient",
        ),
        (
            "1 0:1\nx 0:1\n",
            "line 2: begins with \"x\"; expected the outcome",
        ),
        (
            "1 qid:1 0:1\n1 0:1\n",
            "line 2: has no qid:NUMBER behind the outcome",
        ),
        (
            "1 0:1\n1 qid:1 0:1\n",
            "line 2: has a qid that is no number",
        ),
        (
            "# tuner.version: 1\n# tuner.first: 1\n1 0:1\n",
            "line 3: has index 0, but `tuner.first` is 1",
        ),
        ("# tuner.version: 3\n1 0:1\n", "is of version \"3\""),
        (
            "# tuner.version: 1\n# tuner.first: 1\noutcome,A\n1,1\n",
            "has a key `tuner.first`, which",
        ),
    ] {
        let found = &words(read_text(text, None))[0];
        assert!(found.starts_with(message), "{text:?}: {found}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    std::fs::write(&path, [0xff, 0xff, 0xff, 0xff, 0, 0]).unwrap();
    assert!(words(read(&path, None))[0].starts_with("is an Arrow stream"));
    assert!(words(read(folder.path(), None))[0].starts_with("cannot be opened: "));
    std::fs::write(&path, [b'1', b' ', 0xc3, b'\n']).unwrap();
    assert!(words(read(&path, None))[0].starts_with("line 1: is no text in UTF-8"));
}

#[test]
fn columns_of_others_and_what_an_engine_wrote_are_told_apart() {
    let mut columns = plain();
    columns.push(("fen", Arc::new(StringArray::from(vec!["a", "b", "c"]))));
    assert!(read_with(columns, &[], None).is_ok());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traces.arrow");
    let writer = crate::file::TraceWriter::create(&path, 1).unwrap();
    writer
        .finish(crate::file::TraceFileInfo::default())
        .unwrap();
    let found = words(read(&path, None));
    assert!(
        found[0].starts_with("is a file that `trace` of an engine's program wrote"),
        "{found:?}"
    );
}
