//! What `patch` writes and refuses.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use super::{SHAPES, assert_fails, folder, printed, tuner, weights, words};

/// A summary of a run that started from what the sources hold.
fn summary(folder: &Path, change: impl Fn(usize, &str, f64) -> Value) -> String {
    let found = weights(folder, &["eval.rs"]);
    let object = |value: &dyn Fn(usize, &str, f64) -> Value| {
        let all = found.iter().enumerate();
        all.map(|(i, (name, old))| (name.clone(), value(i, name, *old)))
            .collect::<serde_json::Map<_, _>>()
    };
    let summary = json!({
        "weights": object(&change),
        "initial": object(&|_, _, old| json!(old)),
    });
    summary.to_string()
}

fn patch(folder: &Path, args: &[&str]) -> Output {
    tuner(folder, &[&["patch", "run.json", "eval.rs"], args].concat())
}

/// Puts other numbers everywhere; copies and ties agree.
fn other(name: &str, old: f64) -> Value {
    match name {
        "PARTLY[1].mg" => json!(3.0 + 7.0),
        "PARTLY[1].eg" => json!(-8.0 + 7.0),
        "PARTLY[2].mg" => json!(-(3.0 + 7.0)),
        "PARTLY[2].eg" => json!(-(4.0 + 7.0)),
        _ => json!(old + 7.0),
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
        assert!(
            diff.starts_with("--- a/eval.rs\n+++ b/eval.rs\n@@ -"),
            "{diff}"
        );

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
            "    storm: Storm { men: 12, lines: [13, 14] },",
            "    size: 2,",
            "    S(  16,   13), // é: first",
            "    S(-113, 1007),",
            "const COUNT: usize = 5;",
            "    LOCAL + max(weight!(HERE: 37), tuner_core::weight!(THERE: 3i16) as i32)",
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
    let change = |i: usize, name: &str, old: f64| if i < 6 { other(name, old) } else { json!(old) };
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
        summary(path, |_, _, old| json!(old + 1.0)),
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
            json!({"C": 2}),
            &["C: the run has 1 weight of this name", "give all files"][..],
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
            &["no whole table in its order", "--spec"],
        ),
        (
            "const B: i16 = 3; mod m { const B: i16 = 3; }",
            json!({"B": 2}),
            &["eval.rs:1:33: `B` is declared twice, first at eval.rs:1:7"],
        ),
        (
            "struct E { b: i8, c: i16, d: i8 } const E: E = E { b: 3, c: 4, d: 5 };",
            json!({"E_B": 200}),
            &["eval.rs:1:55: E_B: 200 does not fit the type, which takes -128 to 127"],
        ),
        (
            "const E: E = E { b: 3, c: [4] }; const E_B: i8 = 3;",
            json!({"E_B": 2}),
            &["eval.rs:1:40: `E_B` is declared twice, first at eval.rs:1:18"],
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

/// The source that a patch by lines of names and values makes of another one.
fn patched(source: &str, values: &[(&str, i64)]) -> String {
    let folder = folder(source);
    let path = folder.path();
    let lines: Vec<String> = values.iter().map(|(n, v)| format!("{n} {v}\n")).collect();
    fs::write(path.join("w.txt"), lines.concat()).unwrap();
    printed(&tuner(path, &["patch", "w.txt", "eval.rs"]));
    // What is written is read again as it is meant.
    let found = weights(path, &["eval.rs"]);
    for (name, value) in values {
        let read = found.iter().find(|(other, _)| other == name).unwrap();
        assert_eq!(read.1.to_string(), value.to_string(), "{name}");
    }
    fs::read_to_string(path.join("eval.rs")).unwrap()
}

const LONG: &str = "\
impl Default for W {
    fn default() -> Self {
        W {
            a: [1_000_000; 12], // a
            b: 5,
        }
    }
}
";

const LONG_WRITTEN: &str = "\
impl Default for W {
    fn default() -> Self {
        W {
            a: [
                       -7, 1_000_000, 1_000_000, 1_000_000, 1_000_000, 1_000_000, 1_000_000,
                1_000_000, 1_000_000, 1_000_000, 1_000_000, 1_000_000,
            ], // a
            b: 6,
        }
    }
}
";

#[test]
fn repeats_are_written_out_where_entries_differ() {
    let names: Vec<String> = (0..12).map(|n| format!("W_A[{n}]")).collect();
    let mut long: Vec<(&str, i64)> = names.iter().map(|n| (n.as_str(), 1_000_000)).collect();
    long[0].1 = -7;
    long.push(("W_B", 6));
    for (old, values, new) in [
        (
            "const A: [i32; 3] = [1; 3]; // é",
            &[("A[0]", 2), ("A[1]", -3), ("A[2]", 1)][..],
            "const A: [i32; 3] = [2, -3, 1]; // é",
        ),
        (
            "const A: [i32; 2] = [1; 2];",
            &[("A[0]", 7), ("A[1]", 7)],
            "const A: [i32; 2] = [7; 2];",
        ),
        (
            "const A: [S; 2] = [S(1i8, /* eg */ 2); 2];",
            &[
                ("A[0].mg", 1),
                ("A[0].eg", 3),
                ("A[1].mg", 1),
                ("A[1].eg", 4),
            ],
            "const A: [S; 2] = [S(1i8, /* eg */ 3), S(1i8, /* eg */ 4)];",
        ),
        (
            "static A: &[S] = &[s!(1, /* eg */ -2); 2];",
            &[
                ("A[0].mg", 1),
                ("A[0].eg", 3),
                ("A[1].mg", 1),
                ("A[1].eg", 4),
            ],
            "static A: &[S] = &[s!(1, /* eg */ 3), s!(1, /* eg */ 4)];",
        ),
        // Longer than a line.
        (LONG, &long, LONG_WRITTEN),
        // One row is not like the other; the rows themselves stay short.
        (
            "const A: [[i32; 2]; 2] = [[0; 2]; 2];",
            &[
                ("A[0][0]", 1),
                ("A[0][1]", 1),
                ("A[1][0]", 2),
                ("A[1][1]", 3),
            ],
            "const A: [[i32; 2]; 2] = [[1; 2], [2, 3]];",
        ),
        // Equal rows of unequal entries.
        (
            "const A: [[i32; 2]; 2] = [[0; 2]; 2];",
            &[
                ("A[0][0]", 1),
                ("A[0][1]", 2),
                ("A[1][0]", 1),
                ("A[1][1]", 2),
            ],
            "const A: [[i32; 2]; 2] = [[1, 2]; 2];",
        ),
        // What is said between the brackets stays.
        (
            "const A: [i32; 2] = [0 /* none */; 2];",
            &[("A[0]", 1), ("A[1]", 20)],
            "const A: [i32; 2] = [\n    /* none */\n     1, 20,\n];",
        ),
        // Part of a table; the rest of it is edited as ever.
        (
            "const A: [[i32; 2]; 2] = [[5, 6], [0; 2]];",
            &[
                ("A[0][0]", 50),
                ("A[0][1]", 6),
                ("A[1][0]", 1),
                ("A[1][1]", 2),
            ],
            "const A: [[i32; 2]; 2] = [[50, 6], [1, 2]];",
        ),
        // Structs: only what differs is asked for, the rest keeps its numbers.
        (
            "const E: [T; 2] = [T { a: 1, b: [2; 2], c: 3 }; 2];",
            &[("E_0_A", 9), ("E_1_B[0]", 4), ("E_1_B[1]", 2)],
            "const E: [T; 2] = [T { a: 9, b: [2; 2], c: 3 }, T { a: 1, b: [4, 2], c: 3 }];",
        ),
    ] {
        assert_eq!(patched(old, values), new);
    }
}

#[test]
fn boards_are_written_out_in_rows() {
    for (len, row) in [(64, 8), (81, 9)] {
        for end in ["\n", "\r\n"] {
            let source =
                format!("mod m {{{end}    const A: [S; {len}] = [S(0, 0); {len}];{end}}}{end}");
            let name = |n: i64, phase| format!("A[{n}].{phase}");
            let weights: Vec<(String, i64)> = (0..len)
                .flat_map(|n| [(name(n, "mg"), n - 12), (name(n, "eg"), 2 * n)])
                .collect();
            let weights: Vec<(&str, i64)> = weights.iter().map(|(n, v)| (n.as_str(), *v)).collect();
            let new = patched(&source, &weights);
            let lines: Vec<&str> = new.split(end).collect();
            assert_eq!(lines[1], format!("    const A: [S; {len}] = ["));
            let first = lines[2];
            assert!(
                first.starts_with("        S(-12,   0), S(-11,   2), "),
                "{first}"
            );
            for line in &lines[2..2 + row] {
                assert_eq!(line.matches("S(").count(), row, "{line}");
                assert_eq!(line.len(), first.len(), "{line}");
            }
            assert_eq!(lines[2 + row..], ["    ];", "}", ""]);
        }
    }
}

#[test]
fn many_mistakes_of_one_cause_are_one_line() {
    let table = |value: usize| {
        let numbers: Vec<String> = (0..200).map(|n| (n + value).to_string()).collect();
        format!(
            "const A: [i32; 200] = [{}];\nconst B: i8 = 3;\n",
            numbers.join(", ")
        )
    };
    let folder = folder(&table(0));
    let path = folder.path();
    let run = summary(path, |_, _, old| json!(old + 125.0));
    fs::write(path.join("run.json"), run).unwrap();
    fs::write(path.join("eval.rs"), table(1)).unwrap();
    let output = patch(path, &[]);
    assert_fails(
        &output,
        &[
            "200 literals are others than when they were traced: eval.rs:1:24 (A[0] is 1 in the \
             source, and was 0 when it was traced), eval.rs:1:27 (A[1] is 2 in the source, and \
             was 1 when it was traced), eval.rs:1:30 (A[2] is 3 in the source, and was 2 when it \
             was traced), …; fit again",
            "eval.rs:2:15: B: 128 does not fit the type",
        ],
    );
    assert_eq!(words(&output).lines().count(), 2, "{}", words(&output));
    let output = patch(path, &["--all"]);
    assert_eq!(words(&output).lines().count(), 201);
    assert_fails(&output, &["A[199] is 200 in the source, and was 199"]);
}

#[test]
fn floats_come_into_a_spec_and_back() {
    let text = "const F: f32 = 0.25;\nconst G: [f32; 3] = [1.0, -0.5, 2e-3];\n\
                const TOO_FINE: f32 = 0.123456789;\n";
    let folder = folder(text);
    let path = folder.path();
    let spec = printed(&tuner(path, &["spec", "import", "eval.rs"]));
    for part in [
        "float = \"f32\"",
        "step = 0.0001\ninitial = 0.2500\n",
        "step = 0.00001",
    ] {
        assert!(spec.contains(part), "{part}: {spec}");
    }
    assert!(!spec.contains("TOO_FINE"));
    fs::write(
        path.join("run.json"),
        summary(path, |_, _, old| json!(old * 1.01)),
    )
    .unwrap();
    printed(&patch(path, &[]));
    let patched = fs::read_to_string(path.join("eval.rs")).unwrap();
    assert!(
        patched.contains("const F: f32 = 0.2525;\nconst G: [f32; 3] = [1.01, -0.505, 0.00202];"),
        "{patched}"
    );
}

#[test]
fn part_of_a_table_is_patched_with_its_spec_and_half_a_patch_is_finished() {
    let folder = folder("const A: [i32; 3] = [1, 2, 3];\nconst B: i32 = 4;\n");
    let path = folder.path();
    printed(&tuner(path, &["spec", "import", "eval.rs", "-o", "e.toml"]));
    fs::write(path.join("w.txt"), "A[2] 77\n").unwrap();
    let asked = tuner(path, &["patch", "w.txt", "eval.rs"]);
    assert_fails(&asked, &["no whole table", "give the spec with --spec"]);
    printed(&tuner(
        path,
        &["patch", "w.txt", "eval.rs", "--spec", "e.toml"],
    ));
    let source = || fs::read_to_string(path.join("eval.rs")).unwrap();
    assert_eq!(
        source(),
        "const A: [i32; 3] = [1, 2, 77];\nconst B: i32 = 4;\n"
    );
    // What an interrupted patch wrote already is no change of the source.
    fs::write(
        path.join("run.json"),
        summary(path, |_, _, old| json!(old + 5.0)),
    )
    .unwrap();
    fs::write(
        path.join("eval.rs"),
        source().replace("[1, 2, 77]", "[6, 7, 77]"),
    )
    .unwrap();
    printed(&patch(path, &[]));
    assert_eq!(
        source(),
        "const A: [i32; 3] = [6, 7, 82];\nconst B: i32 = 9;\n"
    );
    // Part of it is another matter.
    fs::write(path.join("eval.rs"), source().replace("82", "50")).unwrap();
    assert_fails(&patch(path, &[]), &["A[2] is 50 in the source, and was 77"]);
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
fn a_spec_says_what_a_summary_does_not() {
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

/// Runs `patch --review` with answers.
fn review(folder: &Path, answers: &str) -> Output {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_tuner"))
        .current_dir(folder)
        .args(["patch", "run.json", "eval.rs", "--review"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may have ended before all is read.
    let _ = child.stdin.take().unwrap().write_all(answers.as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn a_review_writes_what_was_answered_with_yes() {
    let text =
        "const A: i32 = 1;\nconst B: [i32; 2] = [2; 2];\nconst C: i32 = 3;\nconst D: i32 = 4;\n";
    for (answers, expected, asked) in [
        (
            "y\nn\nmaybe\ny\nn\n",
            "const A: i32 = 11;|[2; 2]|C: i32 = 13|D: i32 = 4",
            5,
        ),
        ("n\na\n", "A: i32 = 1;|[12, 13]|C: i32 = 13|D: i32 = 14", 2),
        ("y\nq\n", "A: i32 = 11;|[2; 2]|C: i32 = 3|D: i32 = 4", 2),
        ("n\n", "A: i32 = 1;|[2; 2]|C: i32 = 3|D: i32 = 4", 2),
    ] {
        let folder = folder(text);
        let path = folder.path();
        let run = summary(path, |_, name, old| {
            json!(old + if name == "B[1]" { 11.0 } else { 10.0 })
        });
        fs::write(path.join("run.json"), run).unwrap();
        let output = review(path, answers);
        assert!(output.status.success(), "{}", words(&output));
        let patched = fs::read_to_string(path.join("eval.rs")).unwrap();
        for part in expected.split('|') {
            assert!(patched.contains(part), "{part}: {patched}");
        }
        assert_eq!(
            words(&output).matches("[y,n,a,q]").count(),
            asked,
            "{}",
            words(&output)
        );
        let diffs = String::from_utf8_lossy(&output.stdout)
            .matches("--- a/eval.rs")
            .count();
        assert!(diffs >= 1, "each table is shown before it is asked for");
    }
}

/// Entries that are a const of the pair's type are no weights: they stay as they are, and
/// another value for one is refused with both ways out.
#[test]
fn entries_that_are_a_const_of_a_type_stay() {
    let text = "\
pub struct S(pub i32, pub i32);
impl S {
    pub const NULL: S = S(0, 0);
}
pub const TABLE: [[S; 2]; 3] = [[S::NULL; 2], [S(1, 2), S::NULL], [S(3, 4), S(5, 6)]];
tuner_core::traced!();
";
    let folder = folder(text);
    let path = folder.path();
    let said = words(&tuner(path, &["spec", "import", "eval.rs", "-o", "e.toml"]));
    assert!(said.contains("TABLE is a pair[3][2]"), "{said}");
    let spec = fs::read_to_string(path.join("e.toml")).unwrap();
    let fitted = spec.replace("[1, 2]", "[10, 20]");
    assert_ne!(spec, fitted);
    fs::write(path.join("e.toml"), &fitted).unwrap();
    let output = tuner(path, &["patch", "e.toml", "eval.rs"]);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let patched = fs::read_to_string(path.join("eval.rs")).unwrap();
    assert_eq!(patched.replace("S(10, 20)", "S(1, 2)"), text);

    let other = fitted.replace("[[10, 20], [0, 0]]", "[[10, 20], [7, 0]]");
    assert_ne!(other, fitted);
    fs::write(path.join("e.toml"), other).unwrap();
    let output = tuner(path, &["patch", "e.toml", "eval.rs"]);
    assert_fails(&output, &["`S::NULL`, which is no weight and 0"]);
    assert_eq!(fs::read_to_string(path.join("eval.rs")).unwrap(), patched);
}
