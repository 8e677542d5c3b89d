//! `spec import` and `patch` from outside, on sources of every shape.

#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::{Value, json};
use tempfile::TempDir;
use tuner_core::param::Spec;

fn tuner(folder: &Path, args: &[&str]) -> Output {
    Command::cargo_bin("tuner")
        .unwrap()
        .current_dir(folder)
        .args(args)
        .output()
        .unwrap()
}

fn words(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn printed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", words(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A folder with one file.
fn folder(text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("eval.rs"), text).unwrap();
    folder
}

/// The names of the imported weights with their values.
fn weights(folder: &Path, args: &[&str]) -> Vec<(String, i64)> {
    let spec = printed(&tuner(folder, &[&["spec", "import"], args].concat()));
    let spec = Spec::parse(Path::new("imported"), &spec).unwrap();
    let layout = spec.layout();
    let values = layout.initial_integers().iter().copied();
    let names = (0..layout.weights()).map(|weight| layout.name(weight));
    names.zip(values).collect()
}

fn assert_fails(output: &Output, expected: &[&str]) {
    assert_eq!(output.status.code(), Some(1), "{}", words(output));
    assert!(output.stdout.is_empty());
    for part in expected {
        assert!(words(output).contains(part), "{part}: {}", words(output));
    }
}

/// The line on which a const of `SHAPES` stands.
fn line(name: &str) -> usize {
    let before = SHAPES.split_once(&format!("const {name}:")).unwrap().0;
    before.matches('\n').count() + 1
}

/// Every way of writing weights, with what an import must leave alone.
const SHAPES: &str = "\
//! Größe.
use crate::types::*;

type Value = i16;
type Table = [[S; 2]; 2];
pub struct S(pub i32, pub i32);
struct Half { mg: i16, eg: i16 }
struct Bits(u64);

/// One \"number\" \\ of é.
pub const ONE: i32 = - 5; // é, then 5
pub const THOUSAND: Value = 1_000i16;
const COMPUTED: i32 = 2 * 30 /* twice */;
static STATIC: [i32; 3] = [1, -(1 + 1), 3 as i32];
static mut MUTABLE: S = S(3, -8);
const NEW: Score = Score::new(4, -9);
const MACRO: S = s!(5, /* é */ -10);
const FIELDS: Half = Half { mg: 6, eg: -11 };
const TUPLE: (i32, i32) = (7, -12);
const NESTED: Table = [[S(1, 2), S(3, 4)], [S(5, 6), S(7, 8)]];
const DEEP: [[[[i32; 1]; 2]; 1]; 2] = [[[[1], [2]]], [[[3], [4]]]];
const REPEATED: [S; 3] = [S(13, 14); 3];
const WRAPPED: SquareMap<S> = SquareMap::from_array([S(15, 16), S(17, 18)]);
const FLOAT: f64 = 19.0;
const PADDED: [S; 2] = [
    S(   9,    6), // é: first
    S(-120, 1000),
];
const SLICE: &[i32] = &[20, 21];

const SAME: S = NESTED[1][0];
const PARTLY: [S; 3] = [S(22, 23), MUTABLE, -NESTED[0][1]];
const DERIVED: i32 = ONE + 5;
const MIRRORED: [i32; 3] = mirror(&STATIC);
const COUNT: usize = 5;
const MASK: u64 = 0xff;
const BITS: Bits = Bits(5);
const NAMES: [&str; 1] = [\"5\"];
const BOARD: Bitboard = Bitboard(0x55);
const FLAG: bool = true;
const FRACTION: f64 = 0.5;
const TRIPLE: (i32, i32, i32) = (1, 2, 3);
#[allow(non_upper_case_globals)]
const lower: i32 = 5;
#[frozen]
const FROZEN: i32 = 5;
const SIZED: [i32; N] = [5; N];

#[cfg(test)]
mod tests {
    const IN_A_TEST: i32 = 5;
}
mod inner {
    pub const INNER: i32 = 24;
}
fn f() -> i32 {
    const LOCAL: i32 = 5;
    LOCAL
}
";

#[test]
fn every_shape_is_imported() {
    let folder = folder(SHAPES);
    let found = weights(folder.path(), &["eval.rs"]);
    let spelt: Vec<String> = found.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let expected = "ONE=-5 THOUSAND=1000 COMPUTED=60 STATIC[0]=1 STATIC[1]=-2 STATIC[2]=3 \
        MUTABLE.mg=3 MUTABLE.eg=-8 NEW.mg=4 NEW.eg=-9 MACRO.mg=5 MACRO.eg=-10 FIELDS.mg=6 \
        FIELDS.eg=-11 TUPLE.mg=7 TUPLE.eg=-12 NESTED[0][0].mg=1 NESTED[0][0].eg=2 \
        NESTED[0][1].mg=3 NESTED[0][1].eg=4 NESTED[1][0].mg=5 NESTED[1][0].eg=6 \
        NESTED[1][1].mg=7 NESTED[1][1].eg=8 DEEP[0][0][0][0]=1 DEEP[0][0][1][0]=2 \
        DEEP[1][0][0][0]=3 DEEP[1][0][1][0]=4 REPEATED[0].mg=13 REPEATED[0].eg=14 \
        REPEATED[1].mg=13 REPEATED[1].eg=14 REPEATED[2].mg=13 REPEATED[2].eg=14 \
        WRAPPED[0].mg=15 WRAPPED[0].eg=16 WRAPPED[1].mg=17 WRAPPED[1].eg=18 FLOAT=19 \
        PADDED[0].mg=9 PADDED[0].eg=6 PADDED[1].mg=-120 PADDED[1].eg=1000 SLICE[0]=20 \
        SLICE[1]=21 PARTLY[0].mg=22 PARTLY[0].eg=23 PARTLY[1].mg=3 PARTLY[1].eg=-8 \
        PARTLY[2].mg=-3 PARTLY[2].eg=-4 INNER=24";
    assert_eq!(spelt.join(" "), expected);
}

#[test]
fn the_spec_says_where_things_come_from_and_the_words_what_was_left_out() {
    let folder = folder(SHAPES);
    let output = tuner(folder.path(), &["spec", "import", "eval.rs"]);
    let text = printed(&output);
    for part in [
        &*format!(
            "# eval.rs:{}\nname = \"ONE\"\ndoc = \"One \\\"number\\\" \\\\ of é.\"\n",
            line("ONE")
        ),
        &format!(
            "# eval.rs:{}:7: SAME is `NESTED[1][0]` and has no weights of its own\n",
            line("SAME")
        ),
        "[[tie]]\nentry = \"PARTLY[1]\"\nto = \"MUTABLE\"\n",
        "[[tie]]\nentry = \"PARTLY[2]\"\nto = \"NESTED[0][1]\"\nfactor = -1\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let words = words(&output);
    for (name, reason) in [
        (
            "DERIVED",
            "is derived: arithmetic mixes literals with names at eval.rs:",
        ),
        ("MIRRORED", "is computed: it holds no literals"),
        ("COUNT", "holds no signed numbers (`usize`)"),
        ("MASK", "holds no signed numbers (`u64`)"),
        ("BITS", "holds no signed numbers (`u64`)"),
        ("NAMES", "holds no signed numbers (`str`)"),
        ("BOARD", "holds bits"),
        ("FLAG", "holds no signed numbers (`bool`)"),
        ("FRACTION", "holds 0.5 at "),
        ("TRIPLE", "has 3 numbers in an entry"),
        ("lower", "is no upper-case name"),
        ("FROZEN", "is frozen"),
        ("SIZED", "has a length that is no small number"),
    ] {
        let line = words
            .lines()
            .find(|l| l.starts_with("left out: ") && l.contains(&format!(": {name} ")));
        assert!(line.is_some_and(|l| l.contains(reason)), "{name}: {words}");
    }
    assert!(words.contains("NEW is a pair, of type `Score`, which these files do not declare"));
    for absent in ["IN_A_TEST", "LOCAL"] {
        assert!(!words.contains(absent) && !text.contains(absent));
    }
}

#[test]
fn where_something_is_annotated_only_that_counts() {
    let folder = folder(
        "#[tunable]\nconst A: i32 = 1;\nconst B: i32 = 2;\nmod whole {\n const C: i32 = 3;\n \
         const D: i32 = 4;\n tuner_core::traced!(frozen(D));\n}\n",
    );
    let names = |args: &[&str]| {
        let all = weights(folder.path(), args).into_iter();
        all.map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(names(&["."]), ["A", "C"]);
    assert_eq!(names(&[".", "--except", "C"]), ["A"]);
    assert_eq!(names(&[".", "--only", "*C"]), ["C"]);
    let output = tuner(folder.path(), &["spec", "import", ".", "--only", "X"]);
    assert_fails(&output, &["`X` is the name of no const or static"]);
    let output = tuner(folder.path(), &["spec", "import", ".", "--only", "B"]);
    assert_fails(
        &output,
        &["eval.rs:3:7: B is not annotated, as others here are"],
    );
}

#[test]
fn mistakes_of_an_import_have_places() {
    let folder = folder("const A: i32 = 1;\n");
    let path = folder.path();
    fs::create_dir(path.join("deep")).unwrap();
    fs::write(path.join("deep/other.rs"), "\nconst A: i32 = 2;\n").unwrap();
    let twice = [
        "eval.rs:1:7: `A` is declared twice, first at ./deep/other.rs:2:7",
        "--except",
    ];
    assert_fails(&tuner(path, &["spec", "import", "."]), &twice);
    // The same file twice is one.
    let same = weights(path, &["eval.rs", "./eval.rs"]);
    assert_eq!(same, [("A".to_owned(), 1)]);
    fs::write(path.join("deep/other.rs"), "// é\nconst é: = 2;\n").unwrap();
    let output = tuner(path, &["spec", "import", "."]);
    assert_fails(&output, &["./deep/other.rs:2:10: this is no Rust"]);
    assert_fails(
        &tuner(path, &["spec", "import", "none.rs"]),
        &["none.rs: No such file"],
    );
    fs::create_dir(path.join("empty")).unwrap();
    assert_fails(
        &tuner(path, &["spec", "import", "empty"]),
        &["empty: found no *.rs"],
    );
    // `name` is part of the spec, and checked with it.
    let args = ["spec", "import", "eval.rs", "--name", "no name"];
    assert_fails(&tuner(path, &args), &["expected an identifier"]);
}

#[test]
fn hostile_texts_are_refused() {
    let deep = format!(
        "const A: i32 = {}1{};",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    let signs = format!("const A: i32 = {}1;", "- ".repeat(100_000));
    let sum = format!("const A: i32 = 1{};", " + 1".repeat(100_000));
    let within = format!("const A: i32 = 1{};", " + 1".repeat(2_000));
    let huge = "const A: [[[i32; 60000]; 60000]; 60000] = [[[1; 60000]; 60000]; 60000];";
    let nested = format!("const A: X = {}1{};", "[".repeat(100), "; N]".repeat(100));
    for (text, expected) in [
        (&*deep, "brackets more than 128 deep"),
        (&*signs, "an expression of more than"),
        (&*sum, "an expression of more than"),
        (huge, "has a length that is no small number"),
        (&*nested, "has a length that is no small number"),
        ("const A: i32 = \"", "this is no Rust"),
        ("\0", "this is no Rust"),
        (
            "type A = B; type B = A; const C: A = 1;",
            "holds no signed numbers",
        ),
        (
            "struct A(Box<A>); const C: A = A(1);",
            "holds no signed numbers",
        ),
    ] {
        let folder = folder(text);
        let output = tuner(folder.path(), &["spec", "import", "eval.rs"]);
        assert_fails(&output, &[expected]);
    }
    assert_eq!(weights(folder(&within).path(), &["eval.rs"])[0].1, 2001);
    let quiet = "/// <script>\n/// ```\nconst A: i32 = 1;\n/// \\u{7}\u{7}\nconst B: i32 = 1;";
    let text = printed(&tuner(folder(quiet).path(), &["spec", "import", "eval.rs"]));
    assert_eq!(text.matches("# its doc comment holds").count(), 2, "{text}");
}

/// A summary of a run that started from what the sources hold.
fn summary(folder: &Path, change: impl Fn(usize, &str, i64) -> Value) -> String {
    let found = weights(folder, &["eval.rs"]);
    let object = |value: &dyn Fn(usize, &str, i64) -> Value| {
        let all = found.iter().enumerate();
        all.map(|(i, (name, old))| (name.clone(), value(i, name, *old)))
            .collect::<serde_json::Map<_, _>>()
    };
    let summary = json!({
        "weights": object(&change),
        "initial": object(&|_, _, old| json!(old as f64)),
    });
    summary.to_string()
}

fn patch(folder: &Path, args: &[&str]) -> Output {
    tuner(folder, &[&["patch", "run.json", "eval.rs"], args].concat())
}

/// Puts other numbers everywhere; copies and ties agree.
fn other(name: &str, old: i64) -> Value {
    match name {
        "PARTLY[1].mg" => json!(3 + 7),
        "PARTLY[1].eg" => json!(-8 + 7),
        "PARTLY[2].mg" => json!(-(3 + 7)),
        "PARTLY[2].eg" => json!(-(4 + 7)),
        _ => json!(old + 7),
    }
}

#[test]
fn what_is_patched_is_imported_again() {
    for (text, end) in [
        (SHAPES.to_owned(), "\n"),
        (SHAPES.replace('\n', "\r\n"), "\r\n"),
    ] {
        let folder = folder(&text);
        let path = folder.path();
        let expected = weights(path, &["eval.rs"]);
        fs::write(
            path.join("run.json"),
            summary(path, |_, name, old| other(name, old)),
        )
        .unwrap();
        let diff = printed(&patch(path, &["--dry-run"]));
        assert_eq!(fs::read_to_string(path.join("eval.rs")).unwrap(), text);
        assert!(diff.starts_with("--- eval.rs\n+++ eval.rs\n@@ -"), "{diff}");

        assert!(words(&patch(path, &[])).contains("eval.rs: literals changed: "));
        let patched = fs::read_to_string(path.join("eval.rs")).unwrap();
        for line in [
            "pub const ONE: i32 = 2; // é, then 5",
            "pub const THOUSAND: Value = 1_007i16;",
            "const COMPUTED: i32 = 67 /* twice */;",
            "static STATIC: [i32; 3] = [8, 5, 10 as i32];",
            "const MACRO: S = s!(12, /* é */ -3);",
            "const REPEATED: [S; 3] = [S(20, 21); 3];",
            "const FLOAT: f64 = 26.0;",
            "    S(  16,   13), // é: first",
            "    S(-113, 1007),",
            "const COUNT: usize = 5;",
        ] {
            assert!(
                patched.contains(&format!("{line}{end}")),
                "{line}\n{patched}"
            );
            let was_there = text.contains(&format!("{line}{end}"));
            assert_eq!(
                was_there,
                !diff.contains(&format!("\n+{line}{end}")),
                "{line}"
            );
        }
        assert_eq!(patched.matches('\r').count(), text.matches('\r').count());
        let found = weights(path, &["eval.rs"]);
        for ((name, old), (_, new)) in expected.iter().zip(&found) {
            assert_eq!(json!(new), other(name, *old), "{name}");
        }
        // What is done is done.
        assert!(words(&patch(path, &[])).contains("nothing to write"));
        assert_eq!(fs::read_to_string(path.join("eval.rs")).unwrap(), patched);
    }
}

/// The diff is one that other programs read.
#[test]
fn the_diff_is_what_the_patch_does() {
    let folder = folder(SHAPES);
    let path = folder.path();
    let change = |i: usize, name: &str, old| if i < 6 { other(name, old) } else { json!(old) };
    fs::write(path.join("run.json"), summary(path, change)).unwrap();
    let diff = printed(&patch(path, &["--dry-run"]));
    let (mut old, mut new) = (String::new(), String::new());
    for line in diff.split_inclusive('\n').skip(3) {
        match line.split_at(1) {
            (" ", rest) => {
                old += rest;
                new += rest;
            }
            ("-", rest) => old += rest,
            ("+", rest) => new += rest,
            other => assert!(other.0 == "@", "{line}"),
        }
    }
    assert!(SHAPES.contains(&old), "{diff}");
    printed(&patch(path, &[]));
    let patched = fs::read_to_string(path.join("eval.rs")).unwrap();
    assert_eq!(SHAPES.replace(&old, &new), patched);
}

#[test]
fn a_source_that_changed_is_refused() {
    let folder = folder("const A: [i32; 2] = [\n    1, 2];\nconst B: i32 = 3;\n");
    let path = folder.path();
    fs::write(
        path.join("run.json"),
        summary(path, |_, _, old| json!(old + 1)),
    )
    .unwrap();
    let changed = "const A: [i32; 2] = [\n    1, 5];\nconst B: i32 = 6;\n";
    fs::write(path.join("eval.rs"), changed).unwrap();
    let expected = [
        "eval.rs:2:8: A[1] is 5 in the source, and was 2 when it was traced; fit again",
        "eval.rs:3:16: B is 6 in the source, and was 3",
    ];
    assert_fails(&patch(path, &[]), &expected);
    assert_fails(&patch(path, &["--dry-run"]), &expected);
    assert_eq!(fs::read_to_string(path.join("eval.rs")).unwrap(), changed);
}

#[test]
fn weights_that_do_not_fit_the_sources_are_refused() {
    let text = "const A: [i32; 2] = [1; 2];\nconst B: i16 = 3;\n";
    for (source, run, expected) in [
        (
            text,
            json!({"A[0]": 2, "A[1]": 3}),
            &[
                "eval.rs:1:22: one literal stands for A[0] (2) and A[1] (3)",
                "write the entries",
            ][..],
        ),
        (
            text,
            json!({"C": 2}),
            &["C: the run has 1 weights of this name", "give all files"],
        ),
        (
            text,
            json!({"A": 2}),
            &["eval.rs:1:7: `A` holds 2 literals in another shape"],
        ),
        (
            text,
            json!({"B": 2.5}),
            &["eval.rs:2:16: B: 2.5 is no whole number", "--round"],
        ),
        (
            text,
            json!({"B": 40000}),
            &["eval.rs:2:16: B: 40000 does not fit the type", "32767"],
        ),
        (
            text,
            json!({"B": "x"}),
            &["run.json: B is \"x\"; expected a number"],
        ),
        (
            text,
            json!({"A[1]": 2, "A[0]": 3}),
            &["not in the order of a table"],
        ),
        (
            "const B: i16 = 3; mod m { const B: i16 = 3; }",
            json!({"B": 2}),
            &["eval.rs:1:33: `B` is declared twice, first at eval.rs:1:7"],
        ),
        (
            "const B: i32 = A;",
            json!({"B": 2}),
            &["eval.rs:1:7: it holds no literals"],
        ),
        (
            "const A: i32 = 3; const B: [i32; 2] = [3, A];",
            json!({"A": 5, "B[0]": 4, "B[1]": 3}),
            &["B[1] has no literal, as its entry is `A`"],
        ),
    ] {
        let folder = folder(source);
        let initial: serde_json::Map<_, _> = run
            .as_object()
            .unwrap()
            .keys()
            .map(|name| {
                (
                    name.clone(),
                    json!(if name.starts_with("A[") { 1 } else { 3 }),
                )
            })
            .collect();
        let run = json!({"weights": run, "initial": initial});
        fs::write(folder.path().join("run.json"), run.to_string()).unwrap();
        assert_fails(&patch(folder.path(), &[]), expected);
        assert_eq!(
            fs::read_to_string(folder.path().join("eval.rs")).unwrap(),
            source
        );
    }
}

#[test]
fn fractions_are_rounded_on_demand() {
    let folder = folder("const A: i32 = 1;\nconst B: f64 = 2.0;\n");
    let path = folder.path();
    fs::write(path.join("run.json"), summary(path, |_, _, _| json!(-7.5))).unwrap();
    printed(&patch(path, &["--round"]));
    let patched = fs::read_to_string(path.join("eval.rs")).unwrap();
    assert_eq!(patched, "const A: i32 = -8;\nconst B: f64 = -7.5;\n");
}

#[test]
fn a_spec_stands_in_for_what_a_summary_does_not_say() {
    let folder = folder("const A: [i32; 2] = [1, 2];\n");
    let path = folder.path();
    let spec = "version = 1\nname = \"e\"\n[names]\nside = [\"b\", \"a\"]\n[[parameter]]\n\
                name = \"A\"\nshape = [\"side\"]\ninitial = [1, 2]\n";
    fs::write(path.join("spec.toml"), spec).unwrap();
    let run = r#"{"weights": {"A[a]": 20, "A[b]": 10}}"#;
    fs::write(path.join("run.json"), run).unwrap();
    assert_fails(
        &patch(path, &[]),
        &["run.json: found no `initial`", "--spec"],
    );
    printed(&patch(path, &["--spec", "spec.toml"]));
    let source = || fs::read_to_string(path.join("eval.rs")).unwrap();
    assert_eq!(source(), "const A: [i32; 2] = [10, 20];\n");
    fs::write(path.join("eval.rs"), "const A: [i32; 2] = [1, 3];\n").unwrap();
    let expected = ["A[a] is 3 in the source, and was 2"];
    assert_fails(&patch(path, &["--spec", "spec.toml"]), &expected);
    // The other way: what a spec says is put into the sources.
    printed(&tuner(path, &["patch", "spec.toml", "eval.rs"]));
    assert_eq!(source(), "const A: [i32; 2] = [1, 2];\n");
    fs::write(
        path.join("run.json"),
        r#"{"weights": {"A[a]": 20, "B": 10}}"#,
    )
    .unwrap();
    let expected = [
        "found no value for A[b]",
        "1 of its weights are not declared",
    ];
    assert_fails(&patch(path, &["--spec", "spec.toml"]), &expected);
    fs::write(path.join("run.json"), "{").unwrap();
    assert_fails(&patch(path, &[]), &["run.json:1:1: EOF"]);
}

#[test]
fn a_read_only_file_keeps_all_files_as_they_were() {
    let folder = folder("const A: i32 = 1;\n");
    let path = folder.path();
    fs::write(path.join("other.rs"), "const B: i32 = 1;\n").unwrap();
    let run = r#"{"weights": {"A": 2, "B": 2}, "initial": {"A": 1, "B": 1}}"#;
    fs::write(path.join("run.json"), run).unwrap();
    let other = path.join("other.rs");
    let mut permissions = fs::metadata(&other).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&other, permissions).unwrap();
    let output = tuner(path, &["patch", "run.json", "."]);
    assert_fails(
        &output,
        &["other.rs: the file is read-only", "no file was changed"],
    );
    let read = |name: &str| fs::read_to_string(path.join(name)).unwrap();
    assert_eq!(read("eval.rs"), "const A: i32 = 1;\n");
    assert_eq!(read("other.rs"), "const B: i32 = 1;\n");
    assert_eq!(fs::read_dir(path).unwrap().count(), 3);
}
