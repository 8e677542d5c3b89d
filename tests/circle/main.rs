//! The circle that an author goes, with builds: import, an edit of the spec, fit, set,
//! patch, build, check, and fit again, which changes nothing.
//!
//! For both examples and for two engines of `engines`, whose weights are in structs, in
//! one copy of the tree; the short form for one of each. Engines of your own take part by
//! `TUNER_CIRCLE='CRATE,BINARY,SPEC,SOURCES,DATA;…'`: the folder of an evaluator's crate, the
//! name of its binary, then paths; options that `check` and `fit` need may follow, by
//! commas. Their specs and sources are changed.
//!
//! Builds each evaluator twice, so it is ignored: `.ci/circle` builds the program and runs it.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    dead_code,
    unreachable_pub,
    reason = "a test that says what it did"
)]

mod new;
#[path = "../scratch.rs"]
mod scratch;
#[path = "../tidy/source.rs"]
mod source;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// An engine with its evaluator.
struct Engine {
    /// Where cargo builds it.
    manifest: PathBuf,
    /// The evaluator.
    binary: String,
    spec: PathBuf,
    sources: PathBuf,
    /// What `fit` and `check` read.
    data: String,
    /// What else `fit` is told.
    options: &'static [&'static str],
    /// What `check` is told as well.
    allowed: Vec<String>,
}

/// Where copies and builds are kept for the next time.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("circle")
}

/// The two engines of `engines`: name, evaluation and its twin.
const SMALL: [[&str; 3]; 2] = [
    [
        "wren",
        "wren::eval::evaluate(pos)",
        "wren::eval::__traced::evaluate(pos)",
    ],
    [
        "stilt",
        "stilt::evaluate(&stilt::EvalWeights::default(), pos)",
        "{ use stilt::__traced::*; evaluate(&EvalWeights::default(), pos) }",
    ],
];

/// Copies the tree, with the two small engines as members of their own.
fn copied() -> PathBuf {
    let tree = folder().join("tree");
    scratch::copy(&tree, |file, text| {
        if file != "Cargo.toml" {
            return text;
        }
        let members = "members = [\n";
        assert!(text.contains(members));
        quickly(&text).replace(members, "members = [\n    \"wren\",\n    \"stilt\",\n")
    });
    for [name, evaluate, trace] in SMALL {
        let here = source::root().join("tests/circle/engines");
        for file in fs::read_dir(here.join(name)).unwrap() {
            let file = file.unwrap().path();
            let to = tree.join(name).join("src").join(file.file_name().unwrap());
            scratch::write(&to, &fs::read(&file).unwrap());
        }
        let main = fs::read_to_string(here.join("main.rs")).unwrap();
        let main = (main.replace("ENGINE", name))
            .replace("EVALUATE", evaluate)
            .replace("TRACE", trace);
        scratch::write(&tree.join(name).join("src/main.rs"), main.as_bytes());
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
             [features]\ndefault = [\"tune\"]\ntune = []\n\
             [dependencies]\nshakmaty.workspace = true\ntuner-chess.workspace = true\n\
             tuner-core = {{ workspace = true, features = [\"evaluator\"] }}\n"
        );
        scratch::write(&tree.join(name).join("Cargo.toml"), manifest.as_bytes());
    }
    tree
}

/// Runs a command, which must succeed; returns what it said.
fn said(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let words = [output.stdout, output.stderr].concat();
    let words = String::from_utf8_lossy(&words).into_owned();
    assert!(output.status.success(), "{command:?}: {words}");
    words
}

/// What `new` writes.
const NEW: [&str; 4] = [
    "new-shakmaty-evaluator",
    "new-cozy-evaluator",
    "new-shogi-evaluator",
    "new-own-evaluator",
];

/// What evaluators compute with, and is compiled a little better.
const COMPUTING: [&str; 11] = [
    "tuner-chess",
    "tuner-evaluator",
    "tuner-game",
    "tuner-play",
    "tuner-protocol",
    "tuner-shogi",
    "tuner-trace",
    "chess-engine",
    "shogi-engine",
    "wren",
    "stilt",
];

/// The workspace's manifest with a profile for each of its packages: without optimisation
/// but for [`COMPUTING`]. Cargo names what it builds of a package by its place in the
/// workspace and its profile, so the number of units keeps it apart from what the tests use.
fn quickly(manifest: &str) -> String {
    let mut names: BTreeSet<String> = NEW.map(str::to_owned).into();
    for file in source::files("") {
        if file.ends_with("/Cargo.toml") {
            let text = source::text(&file);
            let name = text.lines().find_map(|line| line.strip_prefix("name = "));
            names.extend(name.map(|name| name.trim_matches('"').to_owned()));
        }
    }
    names.extend(SMALL.map(|[name, ..]| name.to_owned()));
    let unknown = COMPUTING.iter().find(|&&name| !names.contains(name));
    assert_eq!(unknown, None, "no package of that name");
    let mut text: String = (manifest.split_inclusive('\n'))
        .filter(|line| !line.contains("incremental"))
        .filter(|line| !(line.starts_with("tuner") && line.contains("{ opt-level")))
        .collect();
    for name in names {
        let level = u8::from(COMPUTING.contains(&&*name));
        writeln!(
            text,
            "\n[profile.release.package.{name}]\nopt-level = {level}\ncodegen-units = 2"
        )
        .unwrap();
    }
    text
}

/// Builds binaries, quickly rather than well.
fn build(manifest: &Path, binaries: &[String], options: &[String]) {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(manifest).args([
        "build",
        "--release",
        "--quiet",
        "--config",
        "profile.release.debug=false",
        "--target-dir",
    ]);
    cargo.arg(folder().join("target")).args(options);
    for binary in binaries {
        cargo.args(["--bin", binary]);
    }
    said(&mut cargo);
}

/// Builds binaries of the copied tree next to what the tests have compiled, from which all
/// that comes from a registry is taken. With a test, so that features are those of the tests.
fn build_in(tree: &Path, binaries: &[String]) {
    let shared = format!("build.build-dir={:?}", builds().to_str().unwrap());
    let features = "chess-engine/tune,shogi-engine/tune";
    let options = [
        "--test",
        "phases",
        "--features",
        features,
        "--config",
        &shared,
    ];
    build(tree, binaries, &options.map(str::to_owned));
}

/// Where what the tests have compiled is.
fn builds() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap()
}

/// The program, as the tests have compiled it, about the engine of a folder, run there.
fn tuner_in(folder: &Path) -> Command {
    let program = builds().join("release/tuner");
    assert!(
        program.exists(),
        "{}: .ci/circle builds it",
        program.display()
    );
    let mut command = Command::new(program);
    command.current_dir(folder);
    command
}

/// A program that was built.
fn built(name: &str) -> PathBuf {
    folder().join("target/release").join(name)
}

/// Builds an engine of the environment's.
fn build_own(engine: &Engine) {
    let options = ["--config", "profile.release.opt-level=1"].map(str::to_owned);
    build(
        &engine.manifest,
        std::slice::from_ref(&engine.binary),
        &options,
    );
}

/// A folder of the engine's own, which says what it is.
fn at(engine: &Engine) -> PathBuf {
    let at = folder().join("runs").join(&engine.binary);
    fs::create_dir_all(&at).unwrap();
    let evaluator = built(&engine.binary);
    let [spec, sources, run] =
        [&engine.spec, &engine.sources, &evaluator].map(|path| path.to_str().unwrap());
    let text = format!(
        "spec = {spec:?}\nsources = [{sources:?}]\n\n[evaluator]\nrun = {:?}\n",
        format!("'{run}'")
    );
    scratch::write(&at.join("tuner.toml"), text.as_bytes());
    at
}

/// Runs the program about the engine.
fn run(engine: &Engine, args: &[&str]) -> String {
    said(tuner_in(&at(engine)).args(args))
}

fn fit(engine: &Engine, out: &str) -> Vec<(String, f64)> {
    // Games say nothing of the circle.
    let args = ["fit", &engine.data, "--fast-games", "0", "--out", out];
    let allowed: Vec<&str> = engine.allowed.iter().map(String::as_str).collect();
    let args = [args.as_slice(), engine.options, &allowed].concat();
    run(engine, &args);
    let weights = at(engine).join(out);
    let text = fs::read_to_string(weights.join("weights.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').unwrap();
            (name.to_owned(), value.parse().unwrap())
        })
        .collect()
}

/// An engine that does not play says what to write, where games are asked of it.
fn says_what_it_lacks(engine: &Engine) {
    for command in [
        vec!["selfplay", "x.tsv", "--games", "3"],
        vec!["match", "source", "spec", "--games", "3"],
        vec!["loop", "x", "--games", "3"],
        vec!["spsa", "--games", "3"],
        vec!["fit", &engine.data, "--rescore", "3"],
    ] {
        let mut program = tuner_in(&at(engine));
        let output = program.args(&command).output().unwrap();
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{command:?}: {words}");
        assert!(words.contains("`serve_playing`"), "{command:?}: {words}");
    }
}

/// Everything up to the second build; returns the spec and the weights.
fn forth(engine: &Engine) -> (String, Vec<(String, f64)>) {
    let tuner = |args: &[&str]| run(engine, args);
    let (spec, sources) = (
        engine.spec.to_str().unwrap(),
        engine.sources.to_str().unwrap(),
    );
    let text = || fs::read_to_string(&engine.spec).unwrap();
    // Import into the author's spec, which says what it said, and an edit.
    let own = text();
    tuner(&["spec", "import", sources, "--into", spec]);
    assert_eq!(text(), own, "{spec} is not what its sources say");
    let first = "[[parameter]]\n";
    assert!(own.contains(first));
    let own = own.replacen(first, "# Mine.\n[[parameter]] # the first\n", 1);
    fs::write(&engine.spec, &own).unwrap();
    let one = fit(engine, "one");
    tuner(&["spec", "set", "one", "-o", spec, "--write-worse"]);
    let set = text();
    assert!(set.contains("# Mine.\n[[parameter]] # the first\n"));
    assert_ne!(set, own, "a fit that changes nothing shows nothing");
    tuner(&["patch", spec, sources]);
    tuner(&["spec", "import", sources, "--into", spec]);
    assert_eq!(text(), set, "{sources} is not what {spec} says");
    tuner(&["spec", "emit", spec, "-o", "generated.rs"]);
    (set, one)
}

/// Everything behind the second build: nothing is lost, nothing changes.
fn back(engine: &Engine, spec: &str, one: &[(String, f64)]) {
    let tuner = |args: &[&str]| run(engine, args);
    let name = engine.spec.to_str().unwrap();
    let allowed = engine.allowed.iter().map(String::as_str);
    let check: Vec<&str> = ["check", &engine.data].into_iter().chain(allowed).collect();
    let found = tuner(&check);
    assert!(found.contains(" 0 mismatches"), "{found}");
    assert!(found.contains(" 0 wrong"), "{found}");
    let sources = engine.sources.to_str().unwrap();
    tuner(&["spec", "import", sources, "--into", name]);
    assert_eq!(fs::read_to_string(&engine.spec).unwrap(), spec);
    let found = tuner(&["patch", name, sources]);
    assert!(found.contains("nothing to write"), "{found}");
    let two = fit(engine, "two");
    let moved: Vec<String> = (one.iter().zip(&two))
        .filter(|(one, two)| one != two)
        .map(|(one, two)| format!("{} {} → {} {}", one.0, one.1, two.0, two.1))
        .collect();
    println!(
        "{}: {} weights, {} moved by the second fit",
        engine.binary,
        one.len(),
        moved.len()
    );
    assert_eq!(one.len(), two.len());
    assert!(moved.is_empty(), "{}", moved.join("\n"));
}

fn example(tree: &Path, game: &str, options: &'static [&'static str]) -> Engine {
    let data = source::root().join(format!("examples/{game}/data/selfplay.tsv.zst"));
    Engine {
        manifest: tree.to_owned(),
        binary: format!("{game}-evaluator"),
        spec: tree.join(format!("specs/{game}.toml")),
        sources: tree.join(format!("examples/{game}/src")),
        data: format!("{}:limit=20000", data.display()),
        options,
        allowed: Vec::new(),
    }
}

fn small(tree: &Path, name: &str) -> Engine {
    let data = source::root().join("examples/chess/data/selfplay.tsv.zst");
    let folder = tree.join(name);
    Engine {
        manifest: tree.to_owned(),
        binary: name.to_owned(),
        spec: folder.join(format!("{name}.toml")),
        sources: folder.join("src"),
        data: format!("{}:limit=20000", data.display()),
        options: &["--write-worse"],
        allowed: Vec::new(),
    }
}

/// What `TUNER_CIRCLE` names.
fn of_the_environment() -> Vec<Engine> {
    let named = std::env::var("TUNER_CIRCLE").unwrap_or_default();
    let engines = named.split(';').filter(|engine| !engine.is_empty());
    engines
        .map(|engine| {
            let parts: Vec<&str> = engine.split(',').collect();
            let [manifest, binary, spec, sources, data, ref allowed @ ..] = parts[..] else {
                panic!("{engine}: expected CRATE,BINARY,SPEC,SOURCES,DATA");
            };
            Engine {
                manifest: manifest.into(),
                binary: binary.to_owned(),
                spec: spec.into(),
                sources: sources.into(),
                data: data.to_owned(),
                options: &["--write-worse"],
                allowed: allowed.iter().map(|&option| option.to_owned()).collect(),
            }
        })
        .collect()
}

#[test]
#[ignore = "builds two evaluators twice; .ci/circle runs it"]
fn what_is_fitted_comes_back_through_a_build_and_a_second_fit_changes_nothing() {
    goes_round(&["chess"], &SMALL[..1]);
}

#[test]
#[ignore = "builds four evaluators twice; .ci/nightly runs it"]
fn what_is_fitted_comes_back_for_each_engine() {
    goes_round(&["chess", "shogi"], &SMALL);
}

/// Goes the circle for some of the examples, for some of the small engines, and for what the
/// environment names.
fn goes_round(examples: &[&str], small_ones: &[[&str; 3]]) {
    let begun = Instant::now();
    let _ = fs::remove_dir_all(folder().join("runs"));
    let tree = copied();
    let plays = &["--write-worse"];
    let examples = examples.iter().map(|game| example(&tree, game, plays));
    let mut engines: Vec<Engine> = examples.collect();
    let binaries = |engines: &[Engine]| -> Vec<String> {
        engines.iter().map(|engine| engine.binary.clone()).collect()
    };
    build_in(&tree, &binaries(&engines));
    // A new spec of each small engine, from its source alone.
    for [name, ..] in small_ones {
        let engine = small(&tree, name);
        let (spec, sources) = (
            engine.spec.to_str().unwrap(),
            engine.sources.to_str().unwrap(),
        );
        let args = [
            "spec", "import", sources, "-o", spec, "--name", name, "--force",
        ];
        run(&engine, &args);
        build_in(&tree, &[(*name).to_owned()]);
        says_what_it_lacks(&engine);
        engines.push(engine);
    }
    let of_tree = binaries(&engines);
    let own = of_the_environment();
    for engine in &own {
        build_own(engine);
    }
    engines.extend(own);
    println!("built after {} s", begun.elapsed().as_secs());

    let results: Vec<_> = engines.iter().map(forth).collect();
    println!("fitted after {} s", begun.elapsed().as_secs());
    build_in(&tree, &of_tree);
    for engine in engines.iter().filter(|engine| engine.manifest != tree) {
        build_own(engine);
    }
    println!("built again after {} s", begun.elapsed().as_secs());
    for (engine, (spec, one)) in engines.iter().zip(&results) {
        back(engine, spec, one);
    }
    println!("done after {} s", begun.elapsed().as_secs());
}
