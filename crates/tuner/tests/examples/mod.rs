//! The example engines, for tests about them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// An example, and how its evaluator is built.
pub(crate) struct Example {
    /// Of its folder and of its spec.
    pub(crate) name: &'static str,
    /// Arguments of `cargo build`.
    pub(crate) build: &'static [&'static str],
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
        let root = root();
        let path = |path: String| Value::from(root.join(path).display().to_string());
        let run = shlex::try_quote(&self.evaluator()).unwrap().into_owned();
        let text = format!(
            "spec = {}\nsources = [{}]\n\n[evaluator]\nrun = {}\n",
            path(format!("specs/{}.toml", self.name)),
            path(format!("examples/{}/src", self.name)),
            Value::from(run),
        );
        fs::write(folder.join("tuner.toml"), text).unwrap();
        folder
    }

    /// Builds the evaluator; returns its path.
    fn evaluator(&self) -> String {
        let output = Command::new(env!("CARGO"))
            .current_dir(root())
            .args(["build", "--release"])
            .args(self.build)
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
}

/// Runs `tuner` about the engine of a folder, in another, which is to succeed. A fit plays no
/// games unless they are asked for.
pub(crate) fn run(engine: &Path, folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuner"));
    command.current_dir(folder).arg("-C").arg(engine).args(args);
    if args.first() == Some(&"fit") && !args.contains(&"--fast-games") {
        command.args(["--fast-games", "0"]);
    }
    let output = command.output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {words}");
    output
}
