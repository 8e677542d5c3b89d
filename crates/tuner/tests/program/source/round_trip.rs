//! From sources to a spec, from a fit back to both, and again.

use std::fs;
use std::path::Path;

use super::{assert_fails, folder};
use crate::support::{tuner, words};

const SOURCE: &str = "\
pub struct S(pub i32, pub i32);
pub const ROOK: S = S(480, 520);
/// By rank.
pub const PASSED: [i32; 4] = [0, 10, 20, 40];
pub const FLAT: [S; 2] = [S(7, 9); 2];
";

/// What an author adds to the imported spec.
fn worked_on(spec: &str) -> String {
    let spec = spec
        .replace(
            "name = \"engine\"\n",
            "name = \"engine\" # mine\nunit = \"points\"\n",
        )
        .replace(
            "name = \"ROOK\"\n",
            "name = \"ROOK\"\nbounds = [0, 900]\ngroup = \"material\"\n",
        )
        .replace(
            "shape = [4]\n",
            "shape = [\"rank\"]\nfrozen = [\"first\"]\nprior = 12\n",
        );
    format!("{spec}\n[[tie]]\nentry = \"FLAT[1]\"\nto = \"FLAT[0]\"\n").replace(
        "version = 1\n",
        "version = 1\nnames.rank = [\"first\", \"second\", \"third\", \"last\"]\n",
    )
}

/// A run of a fit, as far as these commands read it.
fn summary(folder: &Path, verdict: &str, rook: i32) {
    let text = format!(
        "{{\"verdict\": \"{verdict}\", \"data\": {{\"positions\": 1000, \"games\": 50, \
         \"fingerprint\": \"ab\"}}, \"weights\": {{\"ROOK.mg\": {rook}, \"ROOK.eg\": 533, \
         \"PASSED[first]\": 0, \"PASSED[second]\": 11, \"PASSED[third]\": 22, \
         \"PASSED[last]\": 44, \"FLAT[0].mg\": 6, \"FLAT[0].eg\": 9, \"FLAT[1].mg\": 6, \
         \"FLAT[1].eg\": 9}}}}"
    );
    fs::create_dir_all(folder.join("run")).unwrap();
    fs::write(folder.join("run/summary.json"), text).unwrap();
}

fn said(folder: &Path, args: &str) -> String {
    let args: Vec<&str> = args.split(' ').collect();
    let output = tuner(folder, &args);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    words(&output)
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn what_is_fitted_comes_back_and_nothing_is_lost() {
    let folder = folder(SOURCE);
    let folder = folder.path();
    said(folder, "spec import eval.rs -o e.toml");
    let spec = worked_on(&text(folder, "e.toml"));
    fs::write(folder.join("e.toml"), &spec).unwrap();
    summary(folder, "better", 495);

    let words = said(folder, "spec set run -o e.toml");
    assert!(
        words.contains("6 of 10 weights change") || words.contains("7 of 10"),
        "{words}"
    );
    let fitted = text(folder, "e.toml");
    let expected = spec
        .replace(
            "# mine\n",
            "# mine\nvalues = \"fitted to 1000 positions of 50 games (data ab); run/summary.json\"\n",
        )
        .replace("[480, 520]", "[495, 533]")
        .replace("[0, 10, 20, 40]", "[0, 11, 22, 44]")
        .replace("[[7, 9], [7, 9]]", "[[6, 9], [6, 9]]");
    assert_eq!(fitted, expected);
    assert!(said(folder, "spec set run -o e.toml").contains("already"));

    // The source follows, and is where the spec is.
    said(folder, "patch e.toml eval.rs");
    assert!(text(folder, "eval.rs").contains("FLAT: [S; 2] = [S(6, 9); 2]"));
    said(folder, "spec import eval.rs --into e.toml");
    assert_eq!(text(folder, "e.toml"), fitted);

    // Generated code says where its values come from.
    said(folder, "spec emit e.toml -o g.rs");
    assert!(said(folder, "spec emit e.toml -o g.rs").contains("g.rs: unchanged"));
    let generated = text(folder, "g.rs");
    assert!(
        generated.contains("//! - values: fitted to 1000 positions"),
        "{generated}"
    );
    let lines = "ROOK.mg 499\nROOK.eg 533\nPASSED[first] 1\n";
    fs::write(folder.join("w.txt"), lines).unwrap();
    said(folder, "patch w.txt g.rs --only ROOK,FLAT");
    let patched = text(folder, "g.rs");
    assert!(patched.contains("S = S(499, 533)"), "{patched}");
    assert!(
        patched.contains("//! - of these in part: those of w.txt, patched into this file\n"),
        "{patched}"
    );
    assert_eq!(patched.matches("//! - values: ").count(), 1, "{patched}");
}

#[test]
fn weights_that_are_worse_or_not_allowed_are_not_written() {
    let folder = folder(SOURCE);
    let folder = folder.path();
    said(folder, "spec import eval.rs -o e.toml");
    fs::write(folder.join("e.toml"), worked_on(&text(folder, "e.toml"))).unwrap();
    let before = text(folder, "e.toml");
    summary(folder, "worse", 495);
    let output = tuner(folder, &["spec", "set", "run", "-o", "e.toml"]);
    assert_eq!(output.status.code(), Some(3));
    // Nor are those that fit refused for another reason.
    summary(folder, "better", 495);
    let found = text(folder, "run/summary.json");
    let refused = found.replacen('{', "{\"refused\": \"the games are lost\", ", 1);
    fs::write(folder.join("lost.json"), refused).unwrap();
    let output = tuner(folder, &["spec", "set", "lost.json", "-o", "e.toml"]);
    assert_eq!(output.status.code(), Some(3), "{}", words(&output));
    assert!(words(&output).contains("the games are lost; nothing was written"));
    summary(folder, "better", 901);
    let output = tuner(folder, &["spec", "set", "run", "-o", "e.toml"]);
    assert_fails(
        &output,
        &["ROOK.mg starts at 901", "0 to 900", "nothing was written"],
    );
    let other = fs::read_to_string(folder.join("run/summary.json")).unwrap();
    let other = other.replacen('{', "{\"spec\": {\"name\": \"other\"}, ", 1);
    fs::write(folder.join("other.json"), other).unwrap();
    let output = tuner(folder, &["spec", "set", "other.json", "-o", "e.toml"]);
    assert_fails(
        &output,
        &["a fit of the spec `other`, and e.toml is `engine`"],
    );
    fs::write(folder.join("w.txt"), "ROOK.mg 480.5\n").unwrap();
    let output = tuner(folder, &["spec", "set", "w.txt", "-o", "e.toml"]);
    assert_fails(&output, &["ROOK.mg is 480.5", "--round"]);
    assert_eq!(text(folder, "e.toml"), before);
    // A file of weights has no verdict, and names what it wants.
    fs::write(folder.join("w.txt"), "ROOK.mg 481\n").unwrap();
    assert!(said(folder, "spec set w.txt -o e.toml").contains("9 weights are not named"));
    assert!(text(folder, "e.toml").contains("[481, 520]"));
}

#[test]
fn a_changed_source_changes_the_spec_and_no_more() {
    let folder = folder(SOURCE);
    let folder = folder.path();
    said(folder, "spec import eval.rs -o e.toml");
    let spec = worked_on(&text(folder, "e.toml"));
    fs::write(folder.join("e.toml"), &spec).unwrap();
    let source = SOURCE.replace("480", "470").replace(
        "pub const FLAT: [S; 2] = [S(7, 9); 2];",
        "pub const NEW: i32 = 3;",
    );
    fs::write(folder.join("eval.rs"), source).unwrap();
    let import = ["spec", "import", "eval.rs", "--into", "e.toml"];
    let output = tuner(folder, &import);
    let asked = [
        "FLAT is in the spec and no weight of the sources",
        "--vanished drop",
    ];
    assert_fails(&output, &asked);
    assert_eq!(text(folder, "e.toml"), spec);

    let notes = said(folder, "spec import eval.rs --into e.toml --vanished drop");
    for part in ["1 of 2 values of ROOK", "new: eval.rs:", "it is taken out"] {
        assert!(notes.contains(part), "{notes}");
    }
    let merged = text(folder, "e.toml");
    for kept in [
        "# mine",
        "unit = \"points\"",
        "bounds = [0, 900]",
        "prior = 12",
        "[470, 520]",
    ] {
        assert!(merged.contains(kept), "{merged}");
    }
    assert!(
        !merged.contains("FLAT") && merged.contains("name = \"NEW\""),
        "{merged}"
    );

    // Another shape is for the author to sort out.
    let source =
        text(folder, "eval.rs").replace("[i32; 4] = [0, 10, 20, 40]", "[i32; 2] = [0, 10]");
    fs::write(folder.join("eval.rs"), source).unwrap();
    let output = tuner(folder, &import);
    assert_fails(
        &output,
        &["PASSED is a number[2] here and a number[4] in the spec"],
    );
    assert_eq!(text(folder, "e.toml"), merged);
}
