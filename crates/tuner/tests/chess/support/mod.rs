//! The program, the engine that it is about, and the positions that come with that engine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// The positions that come with the engine.
pub(crate) const DATA: &[u8] =
    include_bytes!("../../../../../examples/chess/data/selfplay.tsv.zst");

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::canonicalize(root).unwrap()
}

/// Builds the evaluator of the engine; returns its path.
fn evaluator() -> String {
    let output = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["build", "--release", "--package", "chess-engine"])
        .args(["--features", "tune", "--bin", "chess-evaluator"])
        .arg("--message-format=json-render-diagnostics")
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success(), "the evaluator is not built");
    let text = String::from_utf8(output.stdout).unwrap();
    let messages = text.lines().map(serde_json::from_str::<Value>);
    let mut programs =
        messages.filter_map(|message| Some(message.ok()?["executable"].as_str()?.to_owned()));
    programs.next_back().unwrap()
}

/// A folder whose `tuner.toml` is that of the engine, but for the build, which was done once
/// for all tests.
pub(crate) fn engine() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("chess");
        fs::create_dir_all(&folder).unwrap();
        let data = root().join("examples/chess/data/selfplay.tsv.zst");
        let text = toml(&format!("data = [{}]\n", quoted(&data)));
        fs::write(folder.join("tuner.toml"), text).unwrap();
        folder
    })
}

/// The text of that file, with some lines before the first table.
pub(crate) fn toml(lines: &str) -> String {
    static EVALUATOR: OnceLock<String> = OnceLock::new();
    let command = shlex::try_quote(EVALUATOR.get_or_init(evaluator)).unwrap();
    format!(
        "spec = {}\nsources = [{}]\n{lines}\n[evaluator]\nrun = {}\n",
        quoted(&root().join("specs/chess.toml")),
        quoted(&root().join("examples/chess/src")),
        Value::from(command.as_ref()),
    )
}

fn quoted(path: &Path) -> Value {
    Value::from(path.to_str().unwrap())
}

/// Returns the command `tuner` about the engine, run in a folder. A fit plays no games unless
/// they are asked for.
pub(crate) fn command(folder: &Path, args: &[&str]) -> Command {
    command_of(engine(), folder, args)
}

/// The same about the engine that a folder describes.
pub(crate) fn command_of(engine: &Path, folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuner"));
    command.current_dir(folder).arg("-C").arg(engine).args(args);
    if args.first() == Some(&"fit") && !args.contains(&"--fast-games") {
        command.args(["--fast-games", "0"]);
    }
    command
}

/// Runs the program.
pub(crate) fn tuner(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

/// Runs the program with a text on its standard input.
pub(crate) fn tuner_reads(folder: &Path, args: &[&str], text: String) -> Output {
    assert_cmd::Command::from_std(command(folder, args))
        .write_stdin(text)
        .output()
        .unwrap()
}

/// The words that start the program about the engine, for a shell.
pub(crate) fn shell_command() -> String {
    let words = [
        env!("CARGO_BIN_EXE_tuner"),
        "-C",
        engine().to_str().unwrap(),
    ];
    shlex::try_join(words).unwrap()
}

/// Returns what a run printed for people: on standard error.
pub(crate) fn words(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Returns the one object that a run printed.
pub(crate) fn json(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", words(output));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(text.lines().count(), 1, "one object on one line");
    serde_json::from_str(&text).unwrap()
}

/// Runs the program, which is to fail with this status and these words and print
/// nothing.
pub(crate) fn assert_fails(folder: &Path, args: &[&str], code: i32, expected: &str) {
    let output = tuner(folder, args);
    let words = words(&output);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {words}");
    assert!(words.contains(expected), "{args:?}: {words}");
    assert!(output.stdout.is_empty());
}

/// Returns the first positions that come with the engine, as a table.
pub(crate) fn table(positions: usize) -> String {
    let bytes = zstd::decode_all(DATA).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().take(positions + 1).collect();
    lines.join("\n")
}
