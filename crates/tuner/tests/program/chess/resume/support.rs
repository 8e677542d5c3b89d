//! A fit in a folder of its own, its checkpoint and its results.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::chess::support::table;
pub(crate) use crate::chess::support::words;

/// The longest time that a test waits.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// Options with which positions are traced again, so that there are rounds.
pub(crate) const AGAIN: [&str; 5] = ["data.tsv", "--prior", "100", "--differences", "0"];

/// Positions with which they are.
pub(crate) const ENOUGH: usize = 1500;

/// Options of a short fit.
pub(crate) const SHORT: [&str; 7] = [
    "data.tsv",
    "--retrace",
    "0",
    "--differences",
    "0",
    "--free",
    "PST",
];

/// A folder of its own, with the first positions of the engine in it.
pub(crate) fn folder(positions: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.tsv"), table(positions)).unwrap();
    folder
}

pub(crate) fn command(folder: &Path, args: &[&str]) -> Command {
    crate::chess::support::command(folder, &[&["fit"], args].concat())
}

pub(crate) fn fit(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

/// The fit in folder `run`, which must succeed.
pub(crate) fn done(folder: &Path, args: &[&str], more: &[&str]) -> String {
    let output = fit(folder, &[args, &["--out", "run"], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    words(&output)
}

pub(crate) fn checkpoint(folder: &Path) -> PathBuf {
    folder.join("run/checkpoint.json")
}

pub(crate) fn saved(folder: &Path) -> Option<Value> {
    let text = fs::read_to_string(checkpoint(folder)).ok()?;
    Some(serde_json::from_str(&text).expect("whole at any moment"))
}

/// What the fit in folder `run` wrote, without the command and the seconds.
pub(crate) fn results(folder: &Path) -> (Value, String) {
    let text = fs::read_to_string(folder.join("run/summary.json")).unwrap();
    let mut summary: Value = serde_json::from_str(&text).unwrap();
    summary["command"] = Value::Null;
    summary["date"] = Value::Null;
    summary["seconds"] = Value::Null;
    summary["solver"]["seconds"] = Value::Null;
    for record in summary["solver"]["records"].as_array_mut().unwrap() {
        record["seconds"] = Value::Null;
    }
    if let Some(tried) = summary["prior_choice"]["tried"].as_array_mut() {
        for trial in tried {
            trial["seconds"] = Value::Null;
        }
    }
    let code = fs::read_to_string(folder.join("run/tuned_weights.rs")).unwrap();
    (summary, code)
}

pub(crate) fn files(folder: &Path) -> Vec<String> {
    let run = folder.join("run");
    if !run.exists() {
        return Vec::new();
    }
    let entries = fs::read_dir(run).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

/// Starts a fit in folder `run` and waits until its checkpoint meets a condition;
/// `None` if it ends before.
pub(crate) fn started(
    folder: &Path,
    args: &[&str],
    condition: impl Fn(&Value) -> bool,
) -> Option<(Child, Value)> {
    let mut child = command(folder, args)
        .args(["--out", "run"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let since = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(since.elapsed() < PATIENCE, "no such checkpoint came");
        if let Some(saved) = saved(folder).filter(|saved| condition(saved)) {
            return Some((child, saved));
        }
        sleep(Duration::from_millis(2));
    }
    None
}

/// Round and iteration of a checkpoint.
pub(crate) fn place(saved: &Value) -> (u64, u64) {
    let number = |value: &Value| value.as_u64().unwrap();
    (
        number(&saved["retracing"]["done"]),
        number(&saved["iteration"]),
    )
}

pub(crate) fn signal(child: &Child, signal: &str) {
    let process = child.id().to_string();
    let status = Command::new("kill").args([signal, &process]).status();
    assert!(status.unwrap().success());
}

/// A fit stopped by the limit of iterations.
pub(crate) fn limited(folder: &Path) -> Value {
    let said = done(folder, &SHORT, &["--max-iterations", "2"]);
    assert!(said.contains("higher --max-iterations"), "{said}");
    saved(folder).unwrap()
}

/// Resumes a fit with a changed checkpoint.
pub(crate) fn resumed(folder: &Path, text: &str, more: &[&str]) -> Output {
    fs::write(checkpoint(folder), text).unwrap();
    fit(
        folder,
        &[&SHORT[..], &["--out", "run", "--resume"], more].concat(),
    )
}
