//! What an evaluation prints goes to standard error, and what panics is an answer.
#![allow(clippy::unwrap_used, reason = "a failing test may end with a panic")]

use std::io::Write as _;
use std::process::{Command, Stdio};

/// Answers of the example, and what it said on standard error.
fn said(questions: &str) -> (String, String) {
    // Cargo builds examples beside the folder of tests.
    let tests = std::env::current_exe().unwrap();
    let program = tests
        .parent()
        .unwrap()
        .with_file_name("examples")
        .join("noisy");
    let mut running = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    running
        .stdin
        .take()
        .unwrap()
        .write_all(questions.as_bytes())
        .unwrap();
    let output = running.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn what_an_evaluation_prints_is_no_answer() {
    let (answers, errors) = said("position 4\nscore\ntrace\n");
    let row = "row 40 nodes 1 form 1 0:4";
    assert_eq!(answers, format!("position first\nscore 40\n{row}\n"));
    assert!(errors.contains("score 99"), "{errors}");
}

#[test]
fn a_panic_and_a_bad_position_are_answers() {
    let (answers, _) = said("position 13\nscore\nposition x\nscore\nposition 2\nscore\n");
    let lines: Vec<&str> = answers.lines().collect();
    assert_eq!(lines.len(), 6, "{answers}");
    assert!(
        lines[1].starts_with("error the evaluation panicked: unlucky"),
        "{answers}"
    );
    assert!(
        lines[2].starts_with("error found \"x\", expected a number"),
        "{answers}"
    );
    assert_eq!(lines[3], "error the position before was refused");
    assert_eq!(lines[5], "score 20");
}

#[test]
fn weights_that_are_set_stay_until_they_are_set_again() {
    let questions = "position 4\nset 0=2\ntrace\nset source\ntrace\nset 1=3\nscore\n";
    let (answers, _) = said(questions);
    let lines: Vec<&str> = answers.lines().collect();
    let found: Vec<&str> = lines
        .iter()
        .map(|line| line.split(" nodes").next().unwrap())
        .collect();
    assert_eq!(
        found[..5],
        ["position first", "ok", "row 8", "ok", "row 40"]
    );
    assert_eq!(lines[5], "error found weight 1, expected one below 1");
}
