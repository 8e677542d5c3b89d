//! The production evaluation is the same machine code with and without the
//! annotations.
//!
//! Builds each example engine from copies of the tree: as it is, with feature
//! `tune` off and on; with every annotation blanked out; and, to show that the
//! comparison can fail, with one constant changed. Compares all that
//! `eval::evaluate` reaches. Four builds a game take a while, so `.ci/machine-code` does
//! it for chess, and with `--all` for shogi too; the others show that differences are seen.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    dead_code,
    unreachable_pub,
    reason = "a test that says what it compared"
)]

mod assembly;
#[path = "../scratch.rs"]
mod scratch;
#[path = "../tidy/source.rs"]
mod source;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use assembly::Reached;

/// An engine, and a constant of its evaluation that can be changed.
struct Engine {
    package: &'static str,
    sources: &'static str,
    evaluate: &'static str,
    constant: [&'static str; 2],
}

const ENGINES: [Engine; 2] = [
    Engine {
        package: "chess-engine",
        sources: "examples/chess/src/",
        evaluate: "chess_engine::eval::evaluate",
        constant: ["DANGER: i32 = 16", "DANGER: i32 = 17"],
    },
    Engine {
        package: "shogi-engine",
        sources: "examples/shogi/src/",
        evaluate: "shogi_engine::eval::evaluate",
        constant: ["INVADER: i32 = 20", "INVADER: i32 = 21"],
    },
];

/// A place for copies and builds, kept for the next time.
fn scratch() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("machine-code")
}

/// A copy of the tree, each file of an engine through `edit`.
fn copy(name: &str, edit: impl Fn(&str, String) -> String) -> PathBuf {
    let folder = scratch().join(name);
    scratch::copy(&folder, |file, text| {
        if is_of_an_engine(file) {
            edit(file, text)
        } else {
            text
        }
    });
    folder
}

fn is_of_an_engine(file: &str) -> bool {
    ENGINES
        .iter()
        .any(|engine| file.starts_with(engine.sources))
}

/// Blanks out annotations; lines keep their numbers, which panics mention.
fn stripped(text: &str) -> String {
    let is_annotation = |line: &str| {
        let line = line.trim();
        let attribute = ["#[tunable", "#[frozen", "#[tuner_core::"];
        attribute.iter().any(|start| line.starts_with(start))
            || line.trim_start_matches("::") == "tuner_core::traced!();"
            || line == "use tuner_core::tunable;"
    };
    let lines: Vec<&str> = text.lines().collect();
    let keep = |(number, line): (usize, &&str)| {
        let next = lines
            .get(number + 1)
            .is_some_and(|next| is_annotation(next));
        let gate = line.trim() == "#[cfg(feature = \"tune\")]" && next;
        if gate || is_annotation(line) {
            "\n".to_owned()
        } else {
            format!("{line}\n")
        }
    };
    lines.iter().enumerate().map(keep).collect()
}

/// Builds the engine's library from a copy and returns what `evaluate` reaches.
fn build(engine: &Engine, folder: &Path, features: &[&str]) -> Reached {
    let name = folder.file_name().unwrap().to_string_lossy();
    let file = format!("{}-{name}{}.s", engine.package, features.concat());
    let profile = format!("profile.release.package.{}", engine.package);
    let output = scratch().join(file);
    let status = Command::new(env!("CARGO"))
        .current_dir(folder)
        .args(["rustc", "--quiet", "--locked", "--release"])
        .args(["--package", engine.package, "--lib"])
        .args(["--config", "profile.release.debug=false"])
        // In one piece, as an engine is released: what is compiled in parts is inlined by parts.
        .args(["--config", &format!("{profile}.incremental=false")])
        .arg("--target-dir")
        .arg(scratch().join("target"))
        .args(features)
        .args(["--", "-C", "codegen-units=1", "--emit"])
        .arg(format!("asm={}", output.display()))
        .status()
        .unwrap();
    assert!(status.success(), "{name} does not build");
    Reached::from(&fs::read_to_string(output).unwrap(), engine.evaluate).unwrap()
}

#[test]
#[ignore = "builds an engine four times; .ci/machine-code runs it"]
fn annotations_leave_the_machine_code_alone() {
    is_left_alone(&ENGINES[0]);
}

#[test]
#[ignore = "builds an engine four times; .ci/nightly runs it"]
fn annotations_leave_the_machine_code_of_shogi_alone() {
    is_left_alone(&ENGINES[1]);
}

fn is_left_alone(engine: &Engine) {
    let as_it_is = copy("as-it-is", |_, text| text);
    let without = copy("without", |file, text| {
        let blank = stripped(&text);
        assert!(!blank.contains("tunable"), "{file} keeps an annotation");
        blank
    });
    let changed = copy("changed", |_, mut text| {
        for engine in &ENGINES {
            let [from, to] = engine.constant;
            text = text.replace(from, to);
        }
        text
    });
    let expected = build(engine, &without, &[]);
    let functions: Vec<&str> = expected.functions().map(|part| &*part.name).collect();
    println!(
        "{}: {} functions, {} instructions, {} constants: {}",
        engine.package,
        functions.len(),
        expected.instructions(),
        expected.parts.len() - functions.len(),
        functions.join(", ")
    );
    // Less would mean that the walk missed the evaluation.
    assert!(expected.instructions() > 1000);

    for (what, features) in [
        ("annotated", [].as_slice()),
        ("annotated, feature `tune`", &["--features", "tune"]),
    ] {
        let difference = expected.difference(&build(engine, &as_it_is, features));
        println!("{what}: {}", difference.as_deref().unwrap_or("the same"));
        assert_eq!(difference, None, "{}, {what}", engine.package);
    }
    let difference = expected.difference(&build(engine, &changed, &[]));
    println!(
        "one constant changed: {}",
        difference.as_deref().unwrap_or("the same")
    );
    assert!(difference.is_some(), "a changed evaluation looks the same");
}

const SMALL: &str = "\
\t.section\t.text._ZN1a1f17h0123456789abcdefE
_ZN1a1f17h0123456789abcdefE:
\t.cfi_startproc
\tmovl\t$24, %eax
\tjne\t.LBB0_2
\tcallq\t_ZN1a1g17h0000000000000000E
.LBB0_2:
\tleaq\t.Lanon.aa.7(%rip), %rdi
\tretq
\t.section\t.text._ZN1a1g17h0000000000000000E
_ZN1a1g17h0000000000000000E:
\t.cfi_startproc
\tretq
\t.section\t.rodata
.Lanon.aa.7:
\t.long\t5
";

#[test]
fn hashes_and_numbers_of_labels_do_not_count() {
    let other = SMALL
        .replace("0123456789abcdef", "fedcba9876543210")
        .replace("0000000000000000", "1111111111111111")
        .replace("LBB0_", "LBB7_")
        .replace("anon.aa.7", "anon.bb.9");
    let small = Reached::from(SMALL, "a::f").unwrap();
    assert_eq!(small.functions().count(), 2);
    assert_eq!(small.parts.len(), 3);
    assert_eq!(small.instructions(), 6);
    let found = Reached::from(&other, "a::f").unwrap();
    assert_eq!(small.difference(&found), None);
}

#[test]
fn of_another_crate_the_name_counts_and_its_hash_does_not() {
    let call = |symbol: &str| {
        let text = SMALL.replace(
            "callq\t_ZN1a1g17h0000000000000000E",
            &format!("callq\t{symbol}"),
        );
        assert_ne!(text, SMALL);
        Reached::from(&text, "a::f").unwrap()
    };
    let one = call("_ZN1b1g17h2222222222222222E");
    let built_otherwise = call("_ZN1b1g17h3333333333333333E");
    let other = call("_ZN1b1k17h2222222222222222E");
    assert_eq!(one.difference(&built_otherwise), None);
    assert!(one.difference(&other).is_some());
}

#[test]
fn everything_else_counts() {
    let small = Reached::from(SMALL, "a::f").unwrap();
    for (from, to) in [
        ("$24", "$25"),           // in the function itself
        (".long\t5", ".long\t6"), // in a constant
        ("jne", "je"),            // another instruction
        (
            "E:\n\t.cfi_startproc\n\tretq",
            "E:\n\t.cfi_startproc\n\tnop\n\tretq",
        ), // in a callee
        ("jne\t.LBB0_2", "jne\t.LBB0_3"), // another target
        ("\tcallq\t_ZN1a1g17h0000000000000000E\n", ""),
    ] {
        let changed = SMALL.replace(from, to);
        assert_ne!(changed, SMALL);
        let found = Reached::from(&changed, "a::f").unwrap();
        assert!(small.difference(&found).is_some(), "{from}");
    }
    assert!(Reached::from(SMALL, "a::h").is_err());
}

#[test]
fn annotations_are_blanked_and_lines_stay() {
    let text = "use tuner_core::tunable;\n#[tunable]\nfn f() {}\n#[cfg(feature = \"tune\")]\n::tuner_core::traced!();\n#[cfg(feature = \"tune\")]\nfn g() {}\n";
    assert_eq!(
        stripped(text),
        "\n\nfn f() {}\n\n\n#[cfg(feature = \"tune\")]\nfn g() {}\n"
    );
}
