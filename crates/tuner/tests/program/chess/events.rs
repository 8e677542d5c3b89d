//! `fit --events`: a stream for user interfaces.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::chess::support::{assert_fails, command, table, tuner, words};

fn folder(positions: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.tsv"), table(positions)).unwrap();
    folder
}

/// The events of a file, all of which are whole lines.
fn events(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'), "{text}");
    let parse = |line| serde_json::from_str(line).unwrap();
    text.lines().map(parse).collect()
}

fn of<'a>(events: &'a [Value], name: &str) -> Vec<&'a Value> {
    events
        .iter()
        .filter(|event| event["event"] == name)
        .collect()
}

#[test]
fn the_events_of_a_fit_tell_all_of_it() {
    let folder = folder(1_200);
    let args = ["fit", "data.tsv", "--write-worse", "--events", "e.jsonl"];
    let output = tuner(folder.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let events = events(&folder.path().join("e.jsonl"));
    let seconds = |event: &Value| event["seconds"].as_f64().unwrap();
    assert!(events.windows(2).all(|w| seconds(&w[0]) <= seconds(&w[1])));
    let (first, last) = (&events[0], &events[events.len() - 1]);
    assert_eq!(
        (&first["event"], &first["format"]),
        (&"begin".into(), &1.into())
    );
    assert_eq!(
        (&last["event"], &last["status"]),
        (&"end".into(), &0.into())
    );
    let read = *of(&events, "reading").last().unwrap();
    assert_eq!(read["positions"], 1_200);
    assert_eq!(read["bytes"], read["size"]);
    let iterations = of(&events, "iteration");
    let text = fs::read_to_string(folder.path().join("tuner-run/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    assert!(iterations.len() as u64 > summary["iterations"].as_u64().unwrap());
    assert!(
        iterations
            .iter()
            .all(|i| i["error"].is_f64() && i["gradient"].is_f64())
    );
    assert_eq!(of(&events, "prior").len(), 1);
    let judgement = of(&events, "judgement")[0];
    assert_eq!(judgement["held_out"], summary["judgement"]["held_out"]);
    let verdict = of(&events, "verdict")[0];
    assert_eq!(verdict["verdict"], summary["verdict"]);
    assert_eq!(verdict["replaces"], true);
    assert_eq!(of(&events, "written")[0]["run"], "tuner-run/runs/0001");
    // A second fit replaces them; standard output has the same ones.
    let again = tuner(folder.path(), &args);
    assert_eq!(again.status.code(), Some(0), "{}", words(&again));
    let args = ["fit", "data.tsv", "--write-worse", "--events", "-"];
    let printed = tuner(folder.path(), &args).stdout;
    let printed = String::from_utf8(printed).unwrap();
    let names = |line: &str| -> Value {
        let event: Value = serde_json::from_str(line).unwrap();
        event["event"].clone()
    };
    assert_eq!(printed.lines().next().map(names), Some("begin".into()));
    assert_eq!(printed.lines().last().map(names), Some("end".into()));
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_the_work() {
    let folder = folder(100);
    for (path, expected) in [
        ("nowhere/e.jsonl", "name a file that can be written"),
        ("data.tsv", "holds no events; it is left as it is"),
        (".", "name a file that can be written"),
    ] {
        let args = ["fit", "data.tsv", "--events", path];
        assert_fails(folder.path(), &args, 1, expected);
    }
    let args = ["fit", "data.tsv", "--json", "--events", "-"];
    assert_fails(folder.path(), &args, 2, "standard output is that of --json");
    assert!(!folder.path().join("tuner-run").exists());
    let data = fs::read_to_string(folder.path().join("data.tsv")).unwrap();
    assert_eq!(data, table(100));
    // A mistake is an end too.
    let args = ["fit", "none.tsv", "--events", "e.jsonl"];
    assert_fails(folder.path(), &args, 1, "none.tsv");
    let events = events(&folder.path().join("e.jsonl"));
    let end = &events[events.len() - 1];
    assert_eq!((&end["event"], &end["status"]), (&"end".into(), &1.into()));
    assert!(end["message"].as_str().unwrap().contains("none.tsv"));
}

#[test]
fn a_killed_fit_leaves_whole_lines() {
    let folder = folder(20_000);
    let path = folder.path().join("e.jsonl");
    let args = ["fit", "data.tsv", "--events", "e.jsonl"];
    let mut child = command(folder.path(), &args)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !fs::read_to_string(&path).is_ok_and(|text| text.contains("\"iteration\"")) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before");
        sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let events = events(&path);
    assert!(of(&events, "end").is_empty() && !of(&events, "iteration").is_empty());
}
