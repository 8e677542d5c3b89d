//! Commands on several ranks: the same answers, and what becomes of a job of which a rank
//! dies, is another program, or has other files.
//!
//! They take a `tuner` that was built with feature `mpi`, the evaluator of `examples/chess`
//! beside it, and `mpirun`: see `.ci/ranks`, which runs them.

#![allow(clippy::unwrap_used)] // a failing test may end with a panic

mod kills;
mod refusals;
mod sameness;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

/// Numbers of ranks that everything is tried on: 1, 2 and 4, or those that `TUNER_RANKS` names.
fn sizes() -> Vec<usize> {
    let named = std::env::var("TUNER_RANKS");
    let named = named.as_deref().unwrap_or("1,2,4").split(',');
    named.map(|size| size.parse().unwrap()).collect()
}

/// The program, built with feature `mpi`.
fn program() -> PathBuf {
    let named = std::env::var_os("TUNER_RANKS_PROGRAM");
    PathBuf::from(named.expect("TUNER_RANKS_PROGRAM names a `tuner` with feature `mpi`"))
}

/// A folder whose `tuner.toml` is that of `examples/chess`, but for the build, which all ranks
/// would ask for.
fn engine() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ranks");
        fs::create_dir_all(&folder).unwrap();
        let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs/chess.toml");
        let evaluator = program().with_file_name("chess-evaluator");
        assert!(evaluator.is_file(), "{} is not built", evaluator.display());
        let run = format!("'{}'", evaluator.display());
        let text = format!(
            "spec = '{}'\n\n[evaluator]\nrun = {run:?}\n",
            spec.display()
        );
        fs::write(folder.join("tuner.toml"), text).unwrap();
        folder
    })
}

/// Starts words on so many ranks, each with one thread; in a folder.
fn mpirun(size: usize, folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new("mpirun");
    command
        .current_dir(folder)
        // Ranks of a test are more than processors, and tests may be root's.
        .args(["--oversubscribe", "--allow-run-as-root", "-n"])
        .arg(size.to_string())
        .args(words)
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The program about the engine, with one thread a rank.
fn on(size: usize, folder: &Path, words: &[&str]) -> Command {
    let program = program();
    let about = [program.to_str().unwrap(), "-C", engine().to_str().unwrap()];
    let all: Vec<&str> = about
        .into_iter()
        .chain(words.iter().copied())
        .chain(["--threads", "1"])
        .collect();
    mpirun(size, folder, &all)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a command that is to succeed; returns what it printed.
fn done(size: usize, folder: &Path, words: &[&str]) -> String {
    let output = on(size, folder, words).output().unwrap();
    assert!(
        output.status.success(),
        "{words:?} on {size} ranks: {}",
        said(&output)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Positions of games that the engine played against itself, once for all tests.
fn table() -> &'static Path {
    static TABLE: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = TABLE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.tsv.zst");
        let words = [
            "selfplay",
            "games.tsv.zst",
            "--games",
            "400",
            "--nodes",
            "150",
        ];
        done(2, folder.path(), &words);
        (folder, path)
    });
    path
}

/// Writes weights that lose to those of the source.
fn weak(folder: &Path) {
    let weights = "MATERIAL[queen].mg 300\nMATERIAL[queen].eg 300\n";
    fs::write(folder.join("weak.txt"), weights).unwrap();
}

/// The processes of a job that are ranks of the program, by rank.
fn process_of(job: &Child, rank: usize) -> Option<u32> {
    let wanted = format!("OMPI_COMM_WORLD_RANK={rank}");
    let children = |parent: u32| {
        let path = format!("/proc/{parent}/task/{parent}/children");
        let text = fs::read_to_string(path).unwrap_or_default();
        let numbers = text.split_whitespace().map(str::parse::<u32>);
        numbers.filter_map(Result::ok).collect::<Vec<_>>()
    };
    let mut waiting = children(job.id());
    while let Some(process) = waiting.pop() {
        let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        let mut words = environment.split(|&byte| byte == 0);
        if words.any(|word| word == wanted.as_bytes()) {
            return Some(process);
        }
        waiting.extend(children(process));
    }
    None
}
