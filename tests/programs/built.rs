//! A crate of evaluations, written and compiled.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::program::run::Position;

pub(crate) fn position(rng: &mut ChaCha8Rng) -> Position {
    Position {
        men: std::array::from_fn(|_| rng.random_range(-3..=3)),
        squares: std::array::from_fn(|_| rng.random_range(0..8)),
        phase: rng.random_range(0..=24),
        side: rng.random_bool(0.5),
    }
}

/// A position and weights, as the programs read them: number of the evaluation,
/// position, weights.
pub(crate) fn line(number: usize, position: &Position, weights: &[i64]) -> String {
    let Position {
        men,
        squares,
        phase,
        side,
    } = position;
    let board = (men.iter().map(|&man| i64::from(man)))
        .chain(squares.iter().map(|&square| square as i64))
        .chain([i64::from(*phase), i64::from(*side)]);
    let numbers = std::iter::once(number as i64)
        .chain(board)
        .chain(weights.iter().copied());
    let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
    numbers.join(" ") + "\n"
}

/// Writes a crate with this `main.rs` and these modules of `made`, by their names,
/// `list` being what lists them, and compiles it with feature `tune`; returns the program's path, or
/// what the compiler says.
pub(crate) fn compiled(
    folder: &Path,
    main: &str,
    list: &str,
    modules: &[(String, String)],
) -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = folder.join("src");
    let _ = fs::remove_dir_all(&source);
    fs::create_dir_all(source.join("made")).unwrap();
    fs::copy(root.join(main), source.join("main.rs")).unwrap();
    for (name, text) in modules {
        fs::write(source.join(format!("made/{name}.rs")), text).unwrap();
    }
    fs::write(source.join("made.rs"), list).unwrap();
    let name = folder.file_name().unwrap().to_str().unwrap();
    let program = folder.join("program");
    let mut compiler = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    compiler
        .current_dir(folder)
        .env("CARGO_MANIFEST_DIR", folder);
    compiler.env("CARGO_PKG_NAME", name).arg("src/main.rs");
    compiler.args([
        "--edition=2024",
        "--crate-name=made",
        "--cfg=feature=\"tune\"",
        "-Copt-level=0",
        // As in cargo's releases: what overflows wraps, which a twin must tell.
        "-Cdebug-assertions=no",
    ]);
    let flags = std::env::var("RUSTFLAGS").unwrap_or_default();
    compiler.args(flags.split_whitespace());
    compiler.arg("-o").arg(&program);
    let core = core();
    compiler.arg(format!("--extern=tuner_core={}", core.display()));
    compiler.arg(format!("-Ldependency={}", core.parent().unwrap().display()));
    let built = compiler.output().unwrap();
    let said = String::from_utf8_lossy(&built.stderr);
    if built.status.success() {
        Ok(program)
    } else {
        Err(format!("in {}: {said}", folder.display()))
    }
}

/// The library that twins need, as a crate of an engine has it: built once for all tests.
///
/// The compiler is asked for each crate of evaluations without cargo, which would let one wait
/// for another.
fn core() -> &'static Path {
    static CORE: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("made");
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::write(folder.join("src/lib.rs"), "").unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let core = root.join("../../tuner-core").canonicalize().unwrap();
        let manifest = format!(
            "[package]\nname = \"made\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
             [dependencies]\ntuner-core = {{ path = {:?} }}\n[workspace]\n\
             [profile.release]\nopt-level = 0\ndebug = false\n",
            core.display().to_string()
        );
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        fs::copy(root.join("../../Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        let built = Command::new(env!("CARGO"))
            .args([
                "build",
                "--release",
                "--offline",
                "--quiet",
                "--message-format=json",
            ])
            .args(["--target-dir", "target"])
            .current_dir(&folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "{said}");
        let text = String::from_utf8(built.stdout).unwrap();
        let messages = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mut files = messages
            .filter(|message| message["target"]["name"] == "tuner_core")
            .filter_map(|message| Some(PathBuf::from(message["filenames"][0].as_str()?)));
        files.next().unwrap()
    });
    &CORE
}

/// What the program answers to these lines, a line each.
pub(crate) fn answers(program: &Path, folder: &Path, lines: &str) -> Vec<String> {
    let questions = folder.join("questions");
    fs::write(&questions, lines).unwrap();
    let input = fs::File::open(questions).unwrap();
    let output = Command::new(program).stdin(input).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let answers = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<String> = answers.lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), lines.lines().count());
    answers
}
