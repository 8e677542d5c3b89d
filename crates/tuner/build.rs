//! Tells the program its version with the commit that it is built from, where there is one.

use std::path::Path;
use std::process::Command;

fn main() {
    let version = env!("CARGO_PKG_VERSION");
    let commit = git(&["rev-parse", "--short=10", "HEAD"]);
    let version = commit.map_or_else(
        || version.to_owned(),
        |commit| format!("{version} ({commit})"),
    );
    println!("cargo::rustc-env=TUNER_VERSION={version}");
    println!("cargo::rerun-if-changed=build.rs");
    // Where a commit is made or another one checked out, these change.
    for file in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--git-path", file]);
        if let Some(path) = path.filter(|path| Path::new(path).exists()) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

/// What git answers; `None` outside of the repository of this package, as in a registry.
fn git(arguments: &[&str]) -> Option<String> {
    if !Path::new("../../.ci/run").exists() {
        return None;
    }
    let output = Command::new("git").args(arguments).output().ok()?;
    let answer = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| answer.trim().to_owned())
}
