//! `tuner new`: what it writes builds, agrees, and plays.
//!
//! The four engines are written as workspaces of their own, whose features are looked at,
//! and then built as members of the copied tree: that builds their dependencies once.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::{build_in, builds, copied, folder, said, scratch, source, tuner_in};

/// The main.rs of an engine whose modules are in no library.
const PROGRAM: &str = "fn main() {\n    let _ = eval::MATERIAL;\n}\n";

/// A FEN of each colour, which agree with their results.
const LINES: &str = "fen\tresult\n\
    rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\t1/2-1/2\n\
    4k3/8/8/8/8/8/4P3/4K3 b - - 0 1\t1-0\n\
    4k3/4q3/8/8/8/8/8/4K3 w - - 0 1\t0-1\n";

struct NewEngine {
    name: &'static str,
    /// Its modules: names under `src`, and the files here.
    files: &'static [(&'static str, &'static str)],
    dependency: &'static str,
    args: &'static [&'static str],
    plays: bool,
    /// Of the library, what the evaluator links.
    links: &'static [(&'static str, &'static [&'static str])],
}

const ENGINES: [NewEngine; 4] = [
    NewEngine {
        name: "new-shakmaty",
        files: &[("eval.rs", "shakmaty.rs")],
        dependency: "shakmaty = \"~0.30.1\"",
        args: &["--board", "shakmaty", "--evaluate", "eval::evaluate"],
        plays: true,
        links: &[("tuner-chess", &[])],
    },
    NewEngine {
        name: "new-cozy",
        files: &[("eval.rs", "cozy_chess.rs")],
        dependency: "cozy-chess = \"0.3.4\"",
        args: &["--board", "cozy-chess", "--evaluate", "eval::evaluate"],
        plays: true,
        links: &[],
    },
    NewEngine {
        name: "new-shogi",
        files: &[("eval.rs", "shogi.rs")],
        dependency: "tuner-shogi = { path = \"../crates/shogi\", default-features = false }",
        args: &["--board", "shogi", "--evaluate", "eval::evaluate"],
        plays: true,
        links: &[("tuner-shogi", &["rules"])],
    },
    NewEngine {
        name: "new-own",
        files: &[("eval.rs", "own.rs"), ("board.rs", "board.rs")],
        dependency: "",
        args: &[
            "--board",
            "own",
            "--evaluate",
            "eval::Board::evaluate",
            "--from-text",
            "board::Board::from_fen",
            "--perspective",
            "first-player",
        ],
        plays: false,
        links: &[],
    },
];

fn written(tree: &Path, engine: &NewEngine) {
    let at = tree.join(engine.name);
    let _ = fs::remove_dir_all(&at);
    let manifest = format!(
        "[package]\nname = \"{}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\n{}\n",
        engine.name, engine.dependency
    );
    scratch::write(&at.join("Cargo.toml"), manifest.as_bytes());
    let mut program = PROGRAM.to_owned();
    for (to, from) in engine.files {
        let module = to.trim_end_matches(".rs");
        program = format!("mod {module};\n{program}");
        let from = source::root().join("tests/circle/engines/new").join(from);
        scratch::write(&at.join("src").join(to), &fs::read(from).unwrap());
    }
    scratch::write(&at.join("src/main.rs"), program.as_bytes());
}

/// Writes an engine and what tunes it; looks at the features that this asks for by itself,
/// which other members of a workspace might lend it.
fn made(tree: &Path, engine: &NewEngine) {
    written(tree, engine);
    let at = tree.join(engine.name);
    let tuner = |args: &[&str]| said(tuner_in(&at).args(args));
    let args = [&["new", "--no-check", "--tuner", ".."], engine.args].concat();
    let dry = tuner(&[&args[..], &["--dry-run"]].concat());
    assert!(dry.contains("nothing was written") && !at.join("tuner.toml").exists());
    tuner(&args);
    // The same versions as in the tree.
    fs::copy(tree.join("Cargo.lock"), at.join("tuner/Cargo.lock")).unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(at.join("tuner"));
    let features = said(cargo.args([
        "tree",
        "--edges=normal",
        "--prefix=none",
        "--format={p} {f}",
    ]));
    let has = |package: &str, expected: &[&str]| {
        let found = features
            .lines()
            .find(|line| line.starts_with(&format!("{package} v")))
            .unwrap_or_else(|| panic!("no {package}: {features}"));
        let found = found.strip_suffix(" (*)").unwrap_or(found);
        // A folder in parentheses comes before the features, if there are any.
        let named = found.rsplit_once(") ").map_or("", |(_, named)| named);
        assert_eq!(named, expected.join(","), "{features}");
    };
    has("tuner-core", &["evaluator"]);
    has(engine.name, &["tune"]);
    for (library, expected) in engine.links {
        has(library, expected);
    }
    for of_the_tuner in ["clap v", "tuner-data v", "tuner-fit v"] {
        assert!(!features.contains(of_the_tuner), "{features}");
    }
}

/// Lets a package of a workspace of its own be a member of the tree's.
fn join(tree: &Path, member: &str) {
    let edit = |file: &Path, from: &str, to: &str| {
        let text = fs::read_to_string(file).unwrap();
        assert!(text.contains(from), "{}: no {from:?}", file.display());
        fs::write(file, text.replacen(from, to, 1)).unwrap();
    };
    edit(&tree.join(member).join("Cargo.toml"), "[workspace]\n", "");
    let members = "members = [\n";
    edit(
        &tree.join("Cargo.toml"),
        members,
        &format!("{members}    \"{member}\",\n"),
    );
}

#[test]
#[ignore = "builds two evaluators; .ci/circle runs it"]
fn engines_get_what_they_need_to_be_tuned() {
    are_tuned(&[&ENGINES[0], &ENGINES[3]]);
}

#[test]
#[ignore = "builds four evaluators; .ci/nightly runs it"]
fn an_engine_with_each_board_gets_what_it_needs_to_be_tuned() {
    are_tuned(&ENGINES.each_ref());
}

fn are_tuned(engines: &[&NewEngine]) {
    let begun = Instant::now();
    let tree = copied();
    for engine in engines {
        made(&tree, engine);
    }
    for engine in engines {
        join(&tree, engine.name);
        join(&tree, &format!("{}/tuner", engine.name));
    }
    let evaluators = engines
        .iter()
        .map(|engine| format!("{}-evaluator", engine.name));
    build_in(&tree, &evaluators.collect::<Vec<_>>());
    println!("built after {} s", begun.elapsed().as_secs());
    for engine in engines {
        let at = tree.join(engine.name);
        // As `tuner.toml` has it, but for the folder of builds, which is that of the tree.
        let run = |args: &[&str]| {
            let mut command = tuner_in(&at);
            command
                .env("CARGO_TARGET_DIR", folder().join("target"))
                .env("CARGO_BUILD_BUILD_DIR", builds())
                .env("CARGO_PROFILE_RELEASE_DEBUG", "false");
            said(command.args(args))
        };
        if engine.plays {
            run(&[
                "selfplay",
                "g.tsv",
                "--games",
                "4",
                "--nodes",
                "40",
                "--threads",
                "1",
            ]);
        } else {
            scratch::write(&at.join("g.tsv"), LINES.as_bytes());
        }
        let found = run(&["check", "g.tsv"]);
        assert!(found.contains(" 0 mismatches"), "{found}");
        assert!(found.contains(" 0 wrong"), "{found}");
        println!("{} after {} s", engine.name, begun.elapsed().as_secs());
    }
}
