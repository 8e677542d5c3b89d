//! Lines of rows, steps, what explains differences, and parts of large files.

use std::collections::HashMap;
use std::fmt::Write as _;

use arrow_schema::Schema;

use super::formats::{declared, find, read_text, words};
use super::*;

/// A head of weights A, and B of two numbers.
const HEAD: &str = "version 1\nname a b\ngame toy\nview VIEW\nok\nparameter A values 10\n\
                    parameter B lanes 2 values 100 200\nok\n";

/// Reads lines behind that head.
fn read_rows(head: &str, lines: &str) -> Result<ImportedTraces, ImportError> {
    let declared = DeclaredWeights {
        leaves: Some(((0..3).map(WeightId).collect(), vec![10.0, 100.0, 200.0])),
        ..declared(&find)
    };
    read_text(&format!("{head}{lines}"), Some(&declared))
}

#[test]
fn lines_of_rows_are_read_as_an_evaluator_answers_them() {
    let head = HEAD.replace("VIEW", "side-to-move");
    let lines = "1 game a weight 2 search -3 first row 60 slack 0.9 form 0.5 0:1 1:1 form 0 1:1 \
                 step input 1 step value 0.01 step mul 0 1 step power 2 2 step value 4 step add 3 4\n\
                 0 second game a row -107 constant 3 form -1 0:1 1:1 position x y\n\n# end\n";
    let read = read_rows(&head, lines).unwrap();
    assert_eq!(
        (read.traces.len(), read.traces.games(), read.compared.0),
        (2, 1, 2)
    );
    assert!(read.has_games && !read.linearised);
    // Lanes 0, 2 and 3; for the first player.
    let lanes = [11.0, 0.0, 50.0, 0.0];
    let mut scores: Vec<f64> = read
        .traces
        .rows(0..2)
        .map(|row| row.score(&lanes))
        .collect();
    scores.sort_by(f64::total_cmp);
    assert!(
        (scores[0] - (30.5 + 0.25 + 4.0)).abs() < 1e-12,
        "{scores:?}"
    );
    assert!((scores[1] - 58.0).abs() < 1e-12, "{scores:?}");
    let said = head.replace("ok\nparameter A", "linearised\nok\nparameter A");
    assert!(read_rows(&said, lines).unwrap().linearised);
    // Half of a unit is within the slack, and seen.
    let near = read_rows(&head, "1 first row 10.5 slack 0.9 form 1 0:1\n").unwrap();
    assert_eq!(near.compared, (1, 0.5));
}

#[test]
fn mistakes_in_lines_of_rows_have_line_and_word() {
    let head = HEAD.replace("VIEW", "first-player");
    let good = "1 row 10 form 1 0:1";
    for (line, message) in [
        ("2 row 10 form 1 0:1", "line 9: column `outcome` is 2;"),
        (
            "x row 10 form 1 0:1",
            "line 9: found \"x\", expected an outcome",
        ),
        (
            "1 row 10 form 1 3:1",
            "line 9: found weight 3, expected one below 3",
        ),
        (
            "1 row 10 form 1 0:1 step add 0 1",
            "line 9: step 0 refers to step 0",
        ),
        (
            "1 row 10 form 1 0:1 step input 7",
            "line 9: step 0 refers to form 7",
        ),
        (
            "1 row 10 form 1 4294967296:1",
            "line 9: found \"4294967296\", expected the number of a",
        ),
        (
            "1 row 10 form 1 0:9223372036854775808",
            "line 9: found \"92233720368547",
        ),
        (
            "1 search 2147483648 row 10 form 1 0:1",
            "line 9: found \"2147483648\", expected a whole",
        ),
        ("1 row 10 form 1e300 0:1", "line 9: found 1000000000"),
        (
            "1 row 10 form inf 0:1",
            "line 9: found inf, expected the factor",
        ),
        (
            "1 row 12 form 1 0:1",
            "line 9: gives score 12, and its sum is 10.000",
        ),
        (
            "1 row 10 form 1 0:1 step value 0 step div 0 0",
            "line 9: gives score 10, and its sum is NaN",
        ),
        (
            "1 row 10 form 1 0:1 step input 0 step guard 0 negative yes step value 0",
            "line 9: a guard of the row contradicts the weights",
        ),
        ("1 row 10 overflow form 1 0:1", "line 9: says `overflow`"),
        (
            "1 colour red row 10 form 1 0:1",
            "line 9: found \"colour\", expected game, weight,",
        ),
        (
            "1 game a game b row 10 form 1 0:1",
            "line 9: found \"game\" twice",
        ),
        (
            "1 weight -1 row 10 form 1 0:1",
            "line 9: found -1, expected a number that is not",
        ),
        ("1 game", "line 9: found no word behind `game`"),
        ("1", "line 9: found \"\", expected game"),
    ] {
        let found = words(read_rows(&head, &format!("{line}\n{good}\n"))).remove(0);
        assert!(found.starts_with(message), "{line}: {found}");
    }
    for (from, to, message) in [
        (
            "version 1",
            "version 7",
            "line 5: is of version 7 of the protocol",
        ),
        (
            "game toy",
            "colour red",
            "line 3: found \"colour red\", expected one of version",
        ),
        (
            "values 10\n",
            "values 10 11\n",
            "line 8: found \"parameter A values 10 11\"",
        ),
        ("view first-player\n", "", "line 4: found no line `view"),
    ] {
        let found = words(read_rows(&head.replace(from, to), good)).remove(0);
        assert!(found.starts_with(message), "{to}: {found}");
    }
    let found = words(read_rows("version 1\nname a\n", "")).remove(0);
    assert!(
        found.starts_with("line 2: found the end in the head"),
        "{found}"
    );
    let turned = head.replace("first-player", "side-to-move");
    let found = words(read_rows(&turned, good)).remove(0);
    assert!(
        found.starts_with("line 9: has neither first nor second"),
        "{found}"
    );
}

/// Rows that count a weight with the wrong sign.
#[test]
fn a_weight_that_explains_differences_is_named() {
    let sum = |row: i32| 10 + 100 * (row % 5) - 200 * (row % 7);
    let (mut rows, mut table) = (String::new(), "outcome,score,A,B.mg,B.eg\n".to_owned());
    for row in 0..50 {
        let (score, b, c) = (sum(row), row % 5, row % 7);
        writeln!(rows, "1 row {score} form 1 0:1 1:{b} 2:{c}").unwrap();
        writeln!(table, "1,{score},1,{b},{c}").unwrap();
    }
    let declared = declared(&find);
    for found in [
        words(read_rows(&HEAD.replace("VIEW", "first-player"), &rows)),
        words(read_text(&table, Some(&declared))),
    ] {
        let first = found.first().unwrap();
        assert!(first.contains("(terms: B "), "{first}");
        assert_eq!(
            found.last().unwrap(),
            "`B.eg` explains 100 % of the differences (-2.00 times its share): its sign is wrong in \
             one of the two"
        );
    }
}

/// Forms and steps as a text beside the lists.
#[test]
fn a_column_of_steps_is_what_is_not_linear() {
    let declared = declared(&find);
    let steps = |text: &str| {
        let mut feature = ListBuilder::new(UInt16Builder::new());
        let mut coefficient = ListBuilder::new(Float64Builder::new());
        for number in 0..3 {
            feature.append_value([Some(number)]);
            coefficient.append_value([Some(1.0)]);
        }
        let score = Float64Array::from(vec![None, None, Some(0.0)]);
        let mut columns = vec![
            (
                "outcome",
                Arc::new(Float64Array::from(vec![1.0, 0.5, 0.0])) as ArrayRef,
            ),
            ("feature", Arc::new(feature.finish()) as ArrayRef),
            ("coefficient", Arc::new(coefficient.finish())),
            ("score", Arc::new(score)),
        ];
        columns.push((
            "steps",
            Arc::new(StringArray::from(vec![None, Some(""), Some(text)])),
        ));
        let keys = [
            ("tuner.version", "1"),
            ("tuner.linearised", "no"),
            ("tuner.rounding", "1000"),
        ];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("traces.arrow");
        write_nullable(&path, columns, &keys);
        read(&path, Some(&declared))
    };
    let square = "form 0 1:2 step input 0 step power 0 2 step value 0.01 step mul 1 2";
    let with = steps(square).unwrap();
    let lanes = [1.0, 0.0, 3.0, 0.0];
    let sum = |read: &ImportedTraces| {
        let rows = read.traces.rows(0..read.traces.len());
        rows.map(|row| row.score(&lanes)).sum::<f64>()
    };
    let without = steps("").unwrap();
    assert!((sum(&with) - sum(&without) - 0.36).abs() < 1e-12);
    for (text, message) in [
        (
            "step add 0 1",
            "row 2: column `steps` step 0 refers to step 0",
        ),
        (
            "form 1 9:1 step input 0",
            "row 2: column `steps` has weight 9; expected",
        ),
        (
            "step value 1 step value 0 step div 0 1",
            "row 2: column `steps` contradict",
        ),
        ("colour", "row 2: column `steps` found \"colour\""),
    ] {
        let found = words(steps(text)).remove(0);
        assert!(found.starts_with(message), "{text}: {found}");
    }
}

/// As `write_with`, of columns with nulls.
fn write_nullable(path: &Path, columns: Vec<(&'static str, ArrayRef)>, keys: &[(&str, &str)]) {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let keys = keys.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
    let schema = Schema::clone(&batch.schema()).with_metadata(keys.collect::<HashMap<_, _>>());
    let mut writer = FileWriter::try_new(File::create(path).unwrap(), &schema).unwrap();
    writer
        .write(&batch.with_schema(Arc::new(schema)).unwrap())
        .unwrap();
    writer.finish().unwrap();
}

/// Several parts, plain and compressed, on any number of threads.
#[test]
fn parts_are_read_in_their_order() {
    let mut text = String::from("outcome,A,B,C,D\n");
    for row in 0..150_000_u32 {
        let outcome = row % 3;
        let result = f64::from(outcome) / 2.0;
        writeln!(text, "{result},{},,{},0.5", row % 11, row % 7).unwrap();
    }
    assert!(text.len() > 1_400_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    std::fs::write(&path, &text).unwrap();
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| read(&path, None).unwrap())
    };
    let (one, many) = (on(1), on(5));
    assert_eq!(one.traces.len(), 150_000);
    assert_eq!(one.traces.fingerprint(), many.traces.fingerprint());
    // Each row is a game, by its number.
    assert_eq!(one.traces.games(), 150_000);
    let wrong = text.replace("\n0.5,9,,0,0.5\n", "\n0.5,9,,x,0.5\n");
    std::fs::write(&path, &wrong).unwrap();
    let error = read(&path, None).unwrap_err();
    let first = 2 + wrong
        .lines()
        .skip(1)
        .position(|line| line.contains('x'))
        .unwrap();
    assert!(
        error.problems[0].starts_with(&format!("line {first}: ")),
        "{error}"
    );
    assert!(error.count > 100 && error.problems.len() == 10, "{error}");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
    std::fs::write(&path, packed.finish().unwrap()).unwrap();
    let packed = read(&path, None).unwrap();
    assert_eq!(packed.traces.fingerprint(), one.traces.fingerprint());
}

#[test]
fn lines_of_rows_need_the_weights_of_a_spec() {
    let text = HEAD.replace("VIEW", "first-player") + "1 row 10 form 1 0:1\n";
    for declared in [None, Some(&declared(&find))] {
        let found = words(read_text(&text, declared));
        assert!(found[0].contains("`DeclaredWeights::leaves`"), "{found:?}");
        assert_eq!(found.len(), 1, "{found:?}");
    }
}
