//! The folder of the engine: its `tuner.toml`, with the build that it says.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::chess::support::{DATA, json, root, table, words};

fn example() -> PathBuf {
    root().join("examples/chess")
}

fn tuner(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tuner"))
        .current_dir(folder)
        .args(args)
        .output()
        .unwrap()
}

#[test]
fn the_engine_is_built_and_started_from_its_folder_and_from_elsewhere() {
    let elsewhere = tempfile::tempdir().unwrap();
    let check = ["check", "--json", "--differences", "2"];
    let text = String::from_utf8(zstd::decode_all(DATA).unwrap()).unwrap();
    let lines = text.lines().count();
    // Here, below here, and by its name: the data that it names.
    let example = example();
    let named = [&["-C", example.to_str().unwrap()], &check[..]].concat();
    let inside = example.join("src");
    let found: Vec<Value> = [tuner(&inside, &check), tuner(elsewhere.path(), &named)]
        .iter()
        .map(json)
        .collect();
    assert_eq!(found[0]["positions"], lines - 1);
    assert_eq!(
        (&found[0]["mismatches"], &found[0]["derivatives_wrong"]),
        (&0.into(), &0.into())
    );
    assert_eq!(found[1], found[0]);

    // What is typed is named from here.
    std::fs::write(elsewhere.path().join("data.tsv"), table(200)).unwrap();
    let typed = [&named[..], &["data.tsv"]].concat();
    assert_eq!(json(&tuner(elsewhere.path(), &typed))["positions"], 200);
    let wrong = tuner(&example, &[&check[..], &["data.tsv"]].concat());
    assert_eq!(wrong.status.code(), Some(1), "{}", words(&wrong));
    assert!(words(&wrong).contains("data.tsv"), "{}", words(&wrong));
}

#[test]
fn without_an_engine_it_is_said_what_names_one() {
    let folder = tempfile::tempdir().unwrap();
    for args in [
        &["check"][..],
        &["selfplay", "g.tsv"],
        &["loop", "l"],
        &["recover"],
    ] {
        let output = tuner(folder.path(), args);
        let said = words(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(
            said.contains("found no tuner.toml here or above"),
            "{args:?}: {said}"
        );
        assert!(
            said.contains("-C DIR") && said.contains("`tuner new`"),
            "{args:?}: {said}"
        );
    }
    let named = tuner(folder.path(), &["-C", "nowhere", "check"]);
    assert_eq!(named.status.code(), Some(2), "{}", words(&named));
    assert!(
        words(&named).contains("-C nowhere: found no tuner.toml there"),
        "{}",
        words(&named)
    );
}

#[test]
fn the_doctor_names_what_would_stop_each_command() {
    let healthy = tuner(&example(), &["doctor"]);
    let said = words(&healthy);
    assert_eq!(healthy.status.code(), Some(0), "{said}");
    let end = "nothing would stop check, fit, games or patch here\n";
    assert!(said.ends_with(end), "{said}");

    let folder = tempfile::tempdir().unwrap();
    let mut file = "spec = \"no.toml\"\nsources = [\"src\"]\ndata = [\"no.epd\"]\n".to_owned();
    file += "[evaluator]\nrun = \"no-program\"\n";
    std::fs::write(folder.path().join("tuner.toml"), &file).unwrap();
    let ill = tuner(folder.path(), &["doctor"]);
    let said = words(&ill);
    assert_eq!(ill.status.code(), Some(1), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    for (line, start) in lines.iter().zip([
        "check, fit: no.epd: ",
        "check, fit, patch: no.toml",
        "check, fit, games: ",
        "error: findings: 3",
    ]) {
        assert!(line.starts_with(start), "{said}");
    }
    // A spec that has another table than the sources.
    let spec = "version = 1\nname = \"x\"\n[[parameter]]\nname = \"GONE\"\nkind = \"scalar\"\n";
    std::fs::write(folder.path().join("no.toml"), spec).unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    std::fs::write(folder.path().join("src/a.rs"), "const A: i32 = 1;\n").unwrap();
    let said = words(&tuner(folder.path(), &["doctor"]));
    assert!(said.contains("patch: "), "{said}");
}

#[test]
fn the_doctor_looks_into_each_file_and_where_fits_are_written() {
    let (folder, own) = (tempfile::tempdir().unwrap(), example());
    let root = own.join("../..");
    let file = format!(
        "spec = \"{0}/specs/chess.toml\"\nsources = [\"{0}/examples/chess/src\"]\n\
         data = [\"{0}/examples/chess/data/selfplay.tsv.zst\", \"bad.book\"]\n[evaluator]\n\
         build = \"cargo build --release --manifest-path {0}/Cargo.toml --package chess-engine \
         --features tune --bin chess-evaluator\"\n",
        root.display()
    );
    std::fs::write(folder.path().join("tuner.toml"), &file).unwrap();
    std::fs::write(folder.path().join("bad.book"), "rubbish [0.5]\n").unwrap();
    std::fs::write(folder.path().join("tuner-run"), "").unwrap();
    let ill = tuner(folder.path(), &["doctor"]);
    let said = words(&ill);
    assert_eq!(ill.status.code(), Some(1), "{said}");
    for start in ["fit: tuner-run: ", "check, fit: bad.book:1:8: "] {
        assert!(said.lines().any(|line| line.starts_with(start)), "{said}");
    }
    assert!(said.contains("error: findings: 2"), "{said}");

    let won = "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1 [1.0]\n4k3/8/8/8/8/8/4P3/4K3 b - - 0 1 [1.0]\n";
    std::fs::write(folder.path().join("won.book"), won).unwrap();
    std::fs::remove_file(folder.path().join("tuner-run")).unwrap();
    let data = format!(
        "\"{}/examples/chess/data/selfplay.tsv.zst\", \"bad.book\"",
        root.display()
    );
    for (data, has_one) in [
        (file.replace(&data, "\"won.book\""), true),
        (file.replace("bad.book", "won.book"), false),
    ] {
        std::fs::write(folder.path().join("tuner.toml"), data).unwrap();
        let said = words(&tuner(folder.path(), &["doctor"]));
        let one = "fit: every position has the result 1, so no K fits better than another; ";
        assert_eq!(
            said.lines().any(|line| line.starts_with(one)),
            has_one,
            "{said}"
        );
    }
}
