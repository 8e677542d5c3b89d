//! The example engines, for tests about them.

pub(crate) mod circle;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// An example, and how its evaluator is built.
pub(crate) struct Example {
    /// Of its folder and of its spec.
    pub(crate) name: &'static str,
    /// The binary that is its evaluator.
    pub(crate) evaluator: &'static str,
}

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::canonicalize(root).unwrap()
}

impl Example {
    /// Makes a folder whose `tuner.toml` is that of the example, but for the build, which is
    /// done here.
    pub(crate) fn folder(&self) -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(self.name);
        fs::create_dir_all(&folder).unwrap();
        let data = root()
            .join("examples")
            .join(self.name)
            .join("data/selfplay.tsv.zst");
        let data = if data.exists() {
            format!("data = [{}]\n", quoted(&data))
        } else {
            String::new()
        };
        let text = self.toml(&self.evaluator(), &data);
        fs::write(folder.join("tuner.toml"), text).unwrap();
        folder
    }

    /// The text of that file, with some lines before the first table.
    pub(crate) fn toml(&self, evaluator: &str, lines: &str) -> String {
        let root = root();
        format!(
            "spec = {}\nsources = [{}]\n{lines}\n[evaluator]\nrun = {}\n",
            quoted(&root.join(format!("specs/{}.toml", self.name))),
            quoted(&root.join(format!("examples/{}/src", self.name))),
            Value::from(shlex::try_quote(evaluator).unwrap().as_ref()),
        )
    }

    /// Builds the evaluator; returns its path.
    ///
    /// It is that of all tests together: with a test of the workspace named, cargo takes the
    /// features that `cargo test --workspace` took, and nothing is compiled once more. A build
    /// with other features may take its place meanwhile, so it gets a name of its own.
    pub(crate) fn evaluator(&self) -> String {
        let output = Command::new(env!("CARGO"))
            .current_dir(root())
            .args(["build", "--release", "--workspace", "--test", "phases"])
            .args(["--bin", self.evaluator])
            .arg("--message-format=json-render-diagnostics")
            .stderr(Stdio::inherit())
            .output()
            .unwrap();
        assert!(output.status.success(), "the evaluator is not built");
        let text = String::from_utf8(output.stdout).unwrap();
        let messages = text.lines().map(serde_json::from_str::<Value>);
        let mut programs = messages
            .filter_map(|message| Some(PathBuf::from(message.ok()?["executable"].as_str()?)));
        let is_it = |path: &PathBuf| path.file_stem().is_some_and(|name| name == self.evaluator);
        let program = programs.find(is_it).unwrap();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(self.name);
        fs::create_dir_all(&folder).unwrap();
        let own = folder.join(program.file_name().unwrap());
        let link = tempfile::tempdir_in(&folder).unwrap();
        let link = link.path().join("link");
        fs::hard_link(program, &link).unwrap();
        fs::rename(link, &own).unwrap();
        own.to_str().unwrap().to_owned()
    }
}

fn quoted(path: &Path) -> Value {
    Value::from(path.to_str().unwrap())
}

/// Returns the command `tuner` about the engine of a folder, run in another.
pub(crate) fn as_typed(engine: &Path, folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuner"));
    command.current_dir(folder).arg("-C").arg(engine).args(args);
    command
}

/// Tables with most of the weights, by example.
const TABLES: [(&str, &str); 2] = [
    (
        "chess",
        "PST,*_MOBILITY,STORM,SHELTER,*PASSED*,THREAT*,*PAWN",
    ),
    ("shogi", "PST,*_MOBILITY,*_IN_HAND,*GUARD,NEAR_KING"),
];

/// Returns such a command for a test. A fit plays no games, compares derivatives on few
/// positions, and leaves [`TABLES`] as they are, unless it is asked for more.
pub(crate) fn command(engine: &Path, folder: &Path, args: &[&str]) -> Command {
    let mut command = as_typed(engine, folder, args);
    if args.first() == Some(&"fit") && !args.contains(&"--fast-games") {
        command.args(["--fast-games", "0"]);
    }
    let of_all = ["--only", "--freeze", "--free"];
    let tables = TABLES.iter().find(|(name, _)| engine.ends_with(name));
    let is_of_all = args.iter().any(|arg| of_all.contains(arg));
    if let (Some(&"fit"), Some((_, tables)), false) = (args.first(), tables, is_of_all) {
        command.args(["--freeze", tables]);
    }
    let has = |end: &str| args.iter().any(|arg| arg.ends_with(end));
    if args.first() == Some(&"fit") && has(".tsv") && !has(".arrow") && !has("--differences") {
        command.args(["--differences", "5"]);
    }
    command
}

/// Runs it; it is to succeed.
pub(crate) fn run(engine: &Path, folder: &Path, args: &[&str]) -> Output {
    let output = command(engine, folder, args).output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {words}");
    output
}
