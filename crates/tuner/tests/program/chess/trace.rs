//! `trace`, and fits of the file that it writes.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use tuner_core::rows::Blocks;
use tuner_core::rows::file::{TraceFile, TraceFileInfo, TraceWriter};

use crate::chess::support::{shell_command, table, tuner, words};

/// A folder with the first positions of the engine, and their traces.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.tsv"), table(1500)).unwrap();
    let args = [
        "trace",
        "data.tsv",
        "-o",
        "rows.arrow",
        "--differences",
        "5",
        "--json",
    ];
    let output = tuner(folder.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&found["positions"], &found["mismatches"]),
        (&1500.into(), &0.into())
    );
    let bytes = fs::metadata(folder.path().join("rows.arrow"))
        .unwrap()
        .len();
    assert_eq!(found["bytes"], bytes);
    folder
}

fn summary(folder: &Path, run: &str) -> Value {
    let text = fs::read_to_string(folder.join(run).join("summary.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Fits into a folder, which must succeed; returns the words.
fn fitted(folder: &Path, data: &str, run: &str, more: &[&str]) -> String {
    let args = [
        "fit",
        data,
        "--out",
        run,
        "--retrace",
        "0",
        "--differences",
        "0",
    ];
    let output = tuner(folder, &[&args, more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    words(&output)
}

#[test]
fn a_fit_of_the_file_is_that_of_the_positions() {
    let folder = folder();
    let path = folder.path();
    for more in [
        &[][..],
        &["--weigh", "games", "--loss", "cross-entropy"],
        &["--prior", "auto", "--max-iterations", "20"],
    ] {
        fitted(path, "data.tsv", "memory", more);
        let said = fitted(path, "rows.arrow", "file", more);
        assert!(said.contains("rows.arrow: 1500 positions of"), "{said}");
        assert!(said.contains("not searched further"), "{said}");
        let [memory, file] = ["memory", "file"].map(|run| summary(path, run));
        let steps = memory["search"]["steps"].as_u64().unwrap();
        // So few positions tell it where the local search takes a step.
        let near = if steps == 0 { 1e-6 } else { 1e-3 };
        for field in ["error", "held_out_error", "k"] {
            let [memory, file] = [&memory, &file].map(|run| run[field].as_f64().unwrap());
            assert!(
                (memory - file).abs() < near * memory,
                "{field}: {memory} {file}"
            );
        }
        let same = memory["weights"].as_object().unwrap().iter();
        let differ = same.filter(|(name, value)| file["weights"][name.as_str()] != **value);
        // Weights may differ by the steps of the local search, each of one and what is tied to it.
        assert!(differ.count() as u64 <= 2 * steps, "{steps}");
        assert_eq!(memory["data"]["games"], file["data"]["games"]);
        assert_eq!(
            (&memory["data"]["streamed"], &file["data"]["streamed"]),
            (&false.into(), &true.into())
        );
    }
}

#[test]
fn a_fit_of_the_file_resumes_where_it_was_stopped() {
    let folder = folder();
    let path = folder.path();
    fitted(path, "rows.arrow", "straight", &[]);
    fitted(path, "rows.arrow", "twice", &["--max-iterations", "1"]);
    fitted(path, "rows.arrow", "twice", &["--resume"]);
    let code = |run: &str| fs::read(path.join(run).join("tuned_weights.rs")).unwrap();
    assert_eq!(code("straight"), code("twice"));
    fitted(path, "rows.arrow", "other", &["--max-iterations", "1"]);
    let args = [
        "fit",
        "data.tsv",
        "--out",
        "other",
        "--resume",
        "--retrace",
        "0",
    ];
    let output = tuner(path, &args);
    assert_eq!(output.status.code(), Some(1));
    assert!(words(&output).contains("the data: "), "{}", words(&output));
}

/// Writes the rows again, as if they had been traced with another evaluation.
fn rewritten(folder: &Path, change: impl FnOnce(&mut TraceFileInfo)) {
    let path = folder.join("rows.arrow");
    let file = TraceFile::open(&path).unwrap();
    let mut about = file.abouts().next().unwrap().1.clone();
    change(&mut about);
    let stale = folder.join("stale.arrow");
    let mut writer = TraceWriter::create(&stale, file.slots()).unwrap();
    for block in 0..file.count() {
        writer.append(&file.load(block).unwrap()).unwrap();
    }
    writer.finish(about).unwrap();
}

#[test]
fn a_file_of_another_spec_or_evaluation_is_stale() {
    let folder = folder();
    let refused = |change: &dyn Fn(&mut TraceFileInfo), expected: &str| {
        rewritten(folder.path(), change);
        let output = tuner(folder.path(), &["fit", "stale.arrow", "--out", "nothing"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(!folder.path().join("nothing").exists(), "an empty folder");
        let said = words(&output);
        assert!(
            said.contains("stale.arrow: stale: ") && said.contains(expected),
            "{said}"
        );
        assert!(said.contains("`trace DATA -o stale.arrow`"), "{said}");
    };
    refused(
        &|about| about.layout = "0000000000000000".to_owned(),
        "weights of other names, order or phases (0000000000000000 then",
    );
    refused(
        &|about| about.weights.truncate(3),
        "the evaluation had 3 weights then",
    );
    refused(&|about| about.examples.clear(), "it keeps 0 positions");
    refused(
        &|about| about.examples[7].row = "0000000000000000".to_owned(),
        "of 256 positions that the file keeps 1 are traced otherwise now, first ",
    );
    // Weights of the source may have changed since; but at other weights the rows
    // may have been traced in another branch.
    refused(
        &|about| about.weights.iter_mut().for_each(|weight| *weight += 40.0),
        "the evaluation has changed",
    );
    refused(
        &|about| about.examples[0].position = "no position".to_owned(),
        "does not read a position",
    );
}

#[test]
fn files_of_traces_and_of_positions_are_told_apart() {
    let folder = folder();
    let path = folder.path();
    for (args, expected) in [
        (&["check", "rows.arrow"][..], "is for `fit FILE`"),
        (
            &["trace", "rows.arrow", "-o", "again.arrow"],
            "is for `fit FILE`",
        ),
        (
            &["fit", "data.tsv", "rows.arrow"],
            "rows.arrow: a file of traces is fitted alone",
        ),
        (
            &["fit", "rows.arrow", "--solver", "hybrid"],
            "takes all rows in memory",
        ),
        (
            &["trace", "data.tsv", "-o", "none/rows.arrow"],
            "cannot be created",
        ),
        (
            &["trace", "data.tsv", "-o", "data.tsv"],
            "is one of the inputs",
        ),
        (&["trace", "-o", "data.tsv"], "no file of traces; remove it"),
        (&["trace", "data.tsv", "-o", "."], "is a folder"),
        (
            &["fit", "rows.arrow", "--perspective", "side-to-move"],
            "has no positions for --perspective to be about",
        ),
        (
            &["fit", "rows.arrow", "--retrace", "2"],
            "has no positions for --retrace",
        ),
    ] {
        let output = tuner(path, args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(words(&output).contains(expected), "{}", words(&output));
    }
    let whole = fs::read(path.join("rows.arrow")).unwrap();
    fs::write(path.join("cut.arrow"), &whole[..whole.len() / 2]).unwrap();
    let output = tuner(path, &["fit", "cut.arrow"]);
    assert!(
        words(&output).contains("cut.arrow: is cut off after"),
        "{}",
        words(&output)
    );
    let names: Vec<_> = path.read_dir().unwrap().flatten().collect();
    let left = names.iter().map(std::fs::DirEntry::file_name);
    assert!(!left.into_iter().any(|name| {
        let name = name.to_string_lossy();
        name.starts_with("again.arrow") || name.ends_with(".tmp")
    }));
}

#[test]
fn nothing_is_written_where_the_check_fails() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("bad.tsv"), "fen\tresult\nno position\t1-0\n").unwrap();
    let output = tuner(path, &["trace", "bad.tsv", "-o", "bad.arrow"]);
    assert_eq!(output.status.code(), Some(1));
    fs::write(path.join("empty.tsv"), "fen\tresult\n").unwrap();
    let output = tuner(path, &["trace", "empty.tsv", "-o", "bad.arrow"]);
    let said = words(&output);
    assert!(said.contains("no position was read"), "{said}");
    assert!(!said.contains("never read"), "{said}");
    // A folder stands for its files.
    for name in ["none", "two"] {
        fs::create_dir(path.join(name)).unwrap();
    }
    let output = tuner(path, &["trace", "none", "-o", "bad.arrow"]);
    let said = words(&output);
    assert!(
        said.contains("it has no files of data: name some"),
        "{said}"
    );
    for name in ["b.tsv", "a.tsv"] {
        fs::copy(path.join("data.tsv"), path.join("two").join(name)).unwrap();
    }
    fs::write(path.join("two/README.md"), "notes").unwrap();
    let output = tuner(path, &["data", "profile", "two:limit=20"]);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let places = ["two/a.tsv", "two/b.tsv"].map(|name| said.find(name));
    assert!(places[0].is_some() && places[0] < places[1], "{said}");
    let both = ["--only", "MATERIAL", "--freeze", "MATERIAL"];
    let output = tuner(path, &[&["fit", "data.tsv"][..], &both].concat());
    assert_eq!(output.status.code(), Some(1));
    let said = words(&output);
    assert!(said.contains("no weight is free to be fitted"), "{said}");
    let names: Vec<_> = path
        .read_dir()
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert!(
        !names
            .iter()
            .any(|name| name.to_string_lossy().starts_with("bad.arrow")),
        "{names:?}"
    );
}

#[test]
#[cfg(unix)]
fn nothing_of_a_pipe_is_lost() {
    let folder = folder();
    let program = shell_command();
    let line = format!("cat data.tsv | {program} check /dev/stdin --differences 0 --json");
    let mut shell = Command::new("sh");
    let output = shell.current_dir(folder.path()).args(["-c", &line]);
    let output = output.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["positions"], 1500);
}
