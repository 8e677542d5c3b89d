//! Engines that are built with weights: copies of their sources, headers, files of weights.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::cpp::{compile_quickly, compilers, has, settings};
use crate::examples::root;
use crate::matches::BOOK;
use crate::scripts::{SHUFFLE, executable, script};
use crate::support::{tuner, words};
use serde_json::Value;
use tempfile::TempDir;
use tuner_chess::Fen;
use tuner_core::game::{PositionNotation as _, rules::Rules as _};
use tuner_core::play::{Openings, generator};
use tuner_core::tournament::{External, Program, Protocol};

/// An evaluator of chess with one weight, which plays nothing.
const TOY: &str = r#"#!/bin/sh
while read -r word rest; do case $word in
    tuner) printf 'version 1\nname toy\ngame chess\nview first-player\ncan trace\nok\n';;
    weights) printf 'parameter A values 10\nok\n';;
    set) echo ok;;
    quit) exit 0;;
    *) echo "error found $word, expected a command";;
esac; done
"#;

/// What builds the engine: it needs what is beside the engine, and leaves the weight there.
const BUILD: &str = r#"
beside=$(sed -n 's/^path = "\(.*\)"/\1/p' Cargo.toml)
sed -n 's/.*= \(.*\);/\1/p' src/eval.rs >> "$beside/built" && cp shuffler program
"#;

/// A folder with an engine of one weight that tuner.toml tells how to build, and its neighbour.
pub(crate) fn engine_of_one_weight(folder: &Path) {
    let engine = folder.join("engine");
    fs::create_dir_all(engine.join("src")).unwrap();
    fs::create_dir(folder.join("beside")).unwrap();
    let told = folder.join("told").display().to_string();
    let go = format!(
        "[ \"$r\" = 1 ] || echo unready >> {told}; r=0; echo go $rest >> {told}; {SHUFFLE};; \
         setoption) echo $rest >> {told}"
    );
    script(&engine, "shuffler", &go);
    let manifest = "[package]\nname = \"engine\"\n\n[dependencies.beside]\npath = \"../beside\"\n";
    let spec = "version = 1\nname = \"toy\"\n\n[[parameter]]\nname = \"A\"\ninitial = 10\n";
    let settings = "spec = \"spec.toml\"\nsources = [\"src\"]\n[evaluator]\nrun = \"./toy.sh\"\n\
                    [engine]\nbuild = \"sh build.sh\"\nrun = \"./program\"\nprotocol = \"uci\"\n";
    for (name, text) in [
        ("Cargo.toml", manifest),
        ("src/eval.rs", "pub const A: i32 = 10;\n"),
        ("spec.toml", spec),
        ("tuner.toml", settings),
        ("build.sh", BUILD),
        ("twenty.txt", "A 20\n"),
        ("start.epd", BOOK),
    ] {
        fs::write(engine.join(name), text).unwrap();
    }
    executable(&engine.join("toy.sh"), TOY);
}

/// Copies of the engine are built, one for each set of weights, and play.
#[test]
fn an_engine_is_built_with_two_sets_of_weights_and_plays() {
    let folder = tempfile::tempdir().unwrap();
    engine_of_one_weight(folder.path());
    let engine = folder.path().join("engine");
    let settings = fs::read_to_string(engine.join("tuner.toml")).unwrap();
    let settings = settings + "options = [\"Hash=2\"]\n";
    fs::write(engine.join("tuner.toml"), settings).unwrap();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let clock = ["--tc", "10+0.1", "--option-second", "Hash=3"];
    for (more, built) in [(&["--nodes", "10"][..], 1), (&clock, 2)] {
        let args = ["match", "twenty.txt", "spec", "--book", "start.epd"];
        let args = [&args[..], &["--games", "4", "--json"], more].concat();
        let output = tuner(&engine, &args);
        let said = words(&output);
        let found: Value = serde_json::from_slice(&output.stdout).expect(&said);
        assert_eq!(
            (&found["games"], &found["draws"]),
            (&4.into(), &4.into()),
            "{said}"
        );
        // Copies of the first match serve the second; what is beside them may have changed.
        assert_eq!(read("beside/built"), "20\n10\n".repeat(built), "{said}");
        let told = "building the engine with the weights of the spec";
        assert_eq!(said.contains(told), built == 1, "{said}");
        assert!(engine.join("tuner-builds/.gitignore").exists());
    }
    let told = read("told");
    let count = |words: &str| told.lines().filter(|line| line.contains(words)).count();
    assert!(
        count("go nodes 10") > 20 && count("go wtime") > 20,
        "{told}"
    );
    assert!(count("name Hash value 3") > 0, "{told}");
    assert_eq!(told.lines().next(), Some("name Hash value 2"));
    // Each search waits until the engine is ready again.
    assert_eq!(count("unready"), 0, "{told}");
}

/// An absolute path in `sources` is that of the copy; outside of what is copied it is refused.
#[test]
fn the_authors_own_files_are_never_patched() {
    let folder = tempfile::tempdir().unwrap();
    engine_of_one_weight(folder.path());
    let engine = folder.path().join("engine");
    let outside = folder.path().join("beside");
    let files = [engine.join("src/eval.rs"), outside.join("eval.rs")];
    let text = fs::read_to_string(&files[0]).unwrap();
    fs::write(&files[1], &text).unwrap();
    let settings = fs::read_to_string(engine.join("tuner.toml")).unwrap();
    let args = ["match", "twenty.txt", "spec", "--book", "start.epd"];
    let args = [&args[..], &["--games", "2", "--nodes", "10"]].concat();
    for (sources, is_inside) in [
        (outside.as_path(), false),
        (Path::new("../beside"), false),
        (&engine.join("../beside/eval.rs"), false),
        (&engine.join("src"), true),
        (&files[0], true),
        (Path::new("src/../src"), true),
    ] {
        let settings = settings.replace("\"src\"", &format!("{sources:?}"));
        fs::write(engine.join("tuner.toml"), settings).unwrap();
        let _ = fs::remove_dir_all(engine.join("tuner-builds"));
        let output = tuner(&engine, &args);
        let said = words(&output);
        assert_eq!(output.status.success(), is_inside, "{sources:?} {said}");
        let refused = "is outside of the folder that is copied to build the engine";
        assert_eq!(said.contains(refused), !is_inside, "{sources:?} {said}");
        for file in &files {
            assert_eq!(fs::read_to_string(file).unwrap(), text, "{sources:?}");
        }
    }
    let built = fs::read_to_string(outside.join("built")).unwrap();
    assert_eq!(built, "20\n10\n".repeat(3));
}

/// The author learns it before a fit whose games would need the build.
#[test]
fn the_doctor_builds_the_engine_that_plays() {
    let failed = "games: ";
    for (program, evaluator, expected, is_there) in [
        ("shuffler", "", failed, false),
        ("gone", "", failed, true),
        (
            "shuffler",
            "build = \"false\"\n",
            "and `false` says it again",
            true,
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        engine_of_one_weight(folder.path());
        let engine = folder.path().join("engine");
        fs::write(engine.join("build.sh"), BUILD.replace("shuffler", program)).unwrap();
        let settings = fs::read_to_string(engine.join("tuner.toml")).unwrap();
        let head = "[evaluator]\n";
        let settings = settings.replace(head, &format!("{head}{evaluator}"));
        fs::write(engine.join("tuner.toml"), settings).unwrap();
        let said = words(&tuner(&engine, &["doctor"]));
        assert_eq!(said.contains(expected), is_there, "{said}");
    }
}

/// As cargo links it with the library alone.
#[test]
fn what_a_program_beside_a_library_does_not_link_has_a_cure() {
    let folder = tempfile::tempdir().unwrap();
    engine_of_one_weight(folder.path());
    let engine = folder.path().join("engine");
    for (name, text) in [
        ("build.sh", "echo undefined symbol: one >&2; exit 1"),
        ("src/lib.rs", ""),
        ("src/main.rs", ""),
    ] {
        fs::write(engine.join(name), text).unwrap();
    }
    let said = words(&tuner(&engine, &["doctor"]));
    assert!(
        said.contains("write `extern crate NAME as _;` in src/main.rs"),
        "{said}"
    );
}

/// An engine by UCI that moves knights out and home, and writes its weight where `TOLD` says.
const COMPILED: &str = r#"
mod eval;
use std::io::Write as _;
fn main() {
    let told = std::fs::OpenOptions::new().append(true).create(true).open("TOLD");
    // At once: several programs write here.
    let line = format!("{}\n", eval::A + beside::NOTHING);
    told.unwrap().write_all(line.as_bytes()).unwrap();
    let mut moves = 0;
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first().copied() {
            Some("uci") => println!("uciok"),
            Some("isready") => println!("readyok"),
            Some("position") => moves = words.iter().skip_while(|word| **word != "moves").skip(1).count(),
            Some("go") => println!("info nodes 10\nbestmove {}", ["g1f3", "g8f6", "f3g1", "f6g8"][moves % 4]),
            Some("quit") => return,
            _ => {}
        }
    }
}
"#;

/// Copies share a folder of results, and are built again where the engine needs what is beside
/// its repository: each keeps its own weights, also the one whose sources are older than the
/// last build.
#[test]
fn a_copy_that_is_built_again_keeps_its_weights() {
    let folder = tempfile::tempdir().unwrap();
    engine_of_one_weight(folder.path());
    let (engine, beside) = (folder.path().join("engine"), folder.path().join("beside"));
    fs::create_dir_all(beside.join("src")).unwrap();
    let package = "[package]\nname = \"beside\"\nversion = \"0.1.0\"\n[workspace]\n";
    fs::write(beside.join("Cargo.toml"), package).unwrap();
    fs::write(beside.join("src/lib.rs"), "pub const NOTHING: i32 = 0;\n").unwrap();
    let package = package.replace("beside", "engine");
    let package = package + "[dependencies]\nbeside = { path = \"../beside\" }\n";
    fs::write(engine.join("Cargo.toml"), package).unwrap();
    let told = folder.path().join("told");
    let main = COMPILED.replace("TOLD", told.to_str().unwrap());
    fs::write(engine.join("src/main.rs"), main).unwrap();
    let settings = fs::read_to_string(engine.join("tuner.toml")).unwrap();
    let by_cargo = settings.replace("sh build.sh", "cargo build --offline");
    let by_cargo = by_cargo.replace("run = \"./program\"\n", "");
    fs::write(engine.join("tuner.toml"), by_cargo).unwrap();
    for sides in [["twenty.txt", "spec"], ["spec", "twenty.txt"]] {
        let args = ["match", sides[0], sides[1], "--book", "start.epd"];
        let args = [&args[..], &["--games", "4", "--nodes", "10", "--json"]].concat();
        let output = tuner(&engine, &args);
        let said = words(&output);
        assert_eq!(output.status.code(), Some(0), "{said}");
        let found: Value = serde_json::from_slice(&output.stdout).expect(&said);
        assert_eq!(found["draws"], 4, "{said}");
        let weights = fs::read_to_string(&told).unwrap();
        let count = |weight: &str| weights.lines().filter(|line| *line == weight).count();
        assert!(count("10") > 0 && count("10") == count("20"), "{weights}");
        fs::remove_file(&told).unwrap();
    }
}

/// An engine that crashes now and then costs the games in which it does, one that always does ends
/// self-play.
#[test]
fn self_play_leaves_out_games_in_which_the_engine_crashes() {
    let folder = tempfile::tempdir().unwrap();
    engine_of_one_weight(folder.path());
    let engine = folder.path().join("engine");
    let selfplay = |file: &str, games: &str, go: &str| {
        script(&engine, "shuffler", go);
        let _ = fs::remove_dir_all(engine.join("tuner-builds"));
        fs::write(engine.join("book.epd"), BOOK.repeat(20)).unwrap();
        let args = [
            "selfplay", file, "--book", "book.epd", "--nodes", "10", "--json",
        ];
        tuner(
            &engine,
            &[&args[..], &["--games", games, "--threads", "1"]].concat(),
        )
    };
    let run = folder.path().join("run").display().to_string();
    let seldom = format!("echo x >> {run}; [ $(wc -l < {run}) = 12 ] && exit 1; {SHUFFLE}");
    let output = selfplay("seldom.tsv", "8", &seldom);
    let said = words(&output);
    let found: Value = serde_json::from_slice(&output.stdout).expect(&said);
    assert_eq!(
        (&found["games"], &found["draws"]),
        (&8.into(), &7.into()),
        "{said}"
    );
    assert_eq!(found["faults"], 1, "{said}");
    for expected in [
        "instead of saying `bestmove`, in rnbq",
        "failed in 1 games, which are left out",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let output = selfplay("seldom.tsv", "8", SHUFFLE);
    let said = words(&output);
    assert!(
        said.contains("is there already") && !said.contains("building"),
        "{said}"
    );
    let output = selfplay("always.tsv", "40", "exit 1");
    let said = words(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("so did 20 games one after the other"),
        "{said}"
    );
}

/// A build in a copy writes to no file of the author's, does not see where CMake has built
/// before, and is another one where an included table was changed.
#[test]
fn a_build_in_a_copy_leaves_the_files_of_the_author_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    engine_of_one_weight(folder.path());
    let engine = folder.path().join("engine");
    fs::create_dir(engine.join("out")).unwrap();
    let own = ["libengine.a", "table.bin", "zengine", "out/CMakeCache.txt"];
    for name in own {
        fs::write(engine.join(name), "of the author\n").unwrap();
        // Shells compare seconds.
        let before = SystemTime::now() - Duration::from_mins(1);
        let file = fs::File::options().write(true).open(engine.join(name));
        file.unwrap().set_modified(before).unwrap();
    }
    // What was built before is older than its sources.
    let writes = "[ -e out/CMakeCache.txt ] && exit 1\n\
                  for old in libengine.a zengine; do [ -e again ] || [ $old -ot src/eval.rs ] || exit 1; done\n\
                  touch again; cat src/eval.rs | tee table.bin > libengine.a";
    fs::write(engine.join("build.sh"), format!("{writes}\n{BUILD}")).unwrap();
    let fit = engine.join("l/fit");
    fs::create_dir_all(&fit).unwrap();
    for (file, text, builds) in [
        ("table.inc", "1", true),
        ("table.inc", "2", true),
        ("l/fit/tuned_weights.hpp", "of a fit", false),
    ] {
        fs::write(engine.join(file), text).unwrap();
        for result in ["summary.json", "weights.txt"] {
            fs::write(fit.join(result), "").unwrap();
        }
        let args = [
            "match",
            "twenty.txt",
            "spec",
            "--book",
            "start.epd",
            "--games",
            "2",
        ];
        let output = tuner(&engine, &[&args[..], &["--nodes", "10"]].concat());
        let said = words(&output);
        assert!(output.status.success(), "{said}");
        let is_built = said.contains("building the engine with twenty.txt");
        assert_eq!(is_built, builds, "{file}: {said}");
    }
    for name in own {
        let text = fs::read_to_string(engine.join(name)).unwrap();
        assert_eq!(text, "of the author\n", "{name}");
    }
}

/// The evaluator looks at positions for an engine by UCI, where it has a quiescence search.
#[test]
fn self_play_of_an_engine_keeps_what_its_evaluator_calls_quiet() {
    let folder = tempfile::tempdir().unwrap();
    engine_of_one_weight(folder.path());
    let engine = folder.path().join("engine");
    let sh = engine.join("toy.sh");
    let toy = fs::read_to_string(&sh).unwrap();
    // Quiet at 20, which is not the weight of the source.
    let looks = "set) a=${rest#0=}; a=${a%source}; echo ok;; position) echo position first;; \
                 look) echo look ${a:-10} 20;;";
    let toy = toy.replace("can trace", "can trace quiet");
    executable(&sh, &toy.replace("set) echo ok;;", looks));
    fs::write(engine.join("book.epd"), BOOK).unwrap();
    for (weights, kept) in [("twenty.txt", true), ("source", false)] {
        let table = format!("{weights}.tsv");
        let args = [
            "selfplay", &table, "--book", "book.epd", "--nodes", "10", "--games", "2",
        ];
        let more = ["--weights", weights, "--first-ply", "0"];
        let said = words(&tuner(&engine, &[&args[..], &more].concat()));
        let table = fs::read_to_string(engine.join(table)).expect(&said);
        assert_eq!(table.contains(" w KQkq "), kept, "{table}");
        assert_eq!(said.contains(" not quiet"), !kept, "{said}");
    }
}

/// An engine that reads weights from a file is built once, and is told which.
#[test]
fn an_engine_reads_weights_by_an_option() {
    let folder = tempfile::tempdir().unwrap();
    engine_of_one_weight(folder.path());
    let engine = folder.path().join("engine");
    let settings = fs::read_to_string(engine.join("tuner.toml")).unwrap();
    let settings = settings + "weights_option = \"Hash\"\n";
    fs::write(engine.join("tuner.toml"), &settings).unwrap();
    let sh = engine.join("shuffler");
    let text = fs::read_to_string(&sh).unwrap();
    let text = text.replace(
        "type spin min 1 max 9",
        "type string; echo option name Odd type string",
    );
    executable(&sh, &text);
    let args = [
        "match",
        "twenty.txt",
        "spec",
        "--book",
        "start.epd",
        "--nodes",
        "10",
    ];
    let output = tuner(&engine, &[&args[..], &["--games", "4", "--json"]].concat());
    let said = words(&output);
    let found: Value = serde_json::from_slice(&output.stdout).expect(&said);
    assert_eq!(found["draws"], 4, "{said}");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("beside/built"), "10\n", "{said}");
    let files = |told: &str| -> Vec<String> {
        let lines = told
            .lines()
            .filter_map(|line| line.strip_prefix("name Hash value "));
        let mut files: Vec<String> = lines.map(str::to_owned).collect();
        files.sort();
        files.dedup();
        files
    };
    let mut weights: Vec<String> = (files(&read("told")).iter())
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    weights.sort();
    assert_eq!(weights, ["A 10\n", "A 20\n"]);

    // Each pair has weights of its own, and nothing is built for it.
    fs::remove_file(folder.path().join("told")).unwrap();
    let args = [
        "spsa",
        "--perturb",
        "4",
        "--games",
        "4",
        "--test-games",
        "0",
        "--book",
        "start.epd",
    ];
    let output = tuner(&engine, &[&args[..], &["--nodes", "10", "--json"]].concat());
    let said = words(&output);
    let found: Value = serde_json::from_slice(&output.stdout).expect(&said);
    assert_eq!(found["weights"]["A"], 10, "{said}");
    assert_eq!(files(&read("told")).len(), 4, "{said}");

    // Scores of its search, at any weights.
    fs::remove_file(folder.path().join("told")).unwrap();
    let opening = BOOK.lines().next().unwrap();
    fs::write(
        engine.join("one.tsv"),
        format!("fen\tresult\n{opening}\t1-0\n"),
    )
    .unwrap();
    let args = [
        "data", "rescore", "one.tsv", "-o", "out.tsv", "--nodes", "10",
    ];
    let output = tuner(&engine, &[&args[..], &["--weights", "twenty.txt"]].concat());
    assert!(output.status.success(), "{}", words(&output));
    let scored = fs::read_to_string(engine.join("out.tsv")).unwrap();
    assert!(scored.contains("\t1-0\t5\t"), "{scored}");
    let file = &files(&read("told"))[0];
    assert_eq!(fs::read_to_string(file).unwrap(), "A 20\n");
    assert!(!engine.join("tuner-spsa/sides").exists());
    // Under an option, by which labels of before are told apart.
    let odd = [&args[..], &["--option", "Odd=1", "--resume"]].concat();
    assert!(tuner(&engine, &odd).status.success());
    assert!(read("told").contains("name Odd value 1\n"));
    let before = r#"{"format":1,"labels":{"what":"rescore","how":"10 nodes a move","engine":""}}"#;
    fs::write(engine.join("out.tsv.part"), format!("{before}\n")).unwrap();
    let said = words(&tuner(&engine, &odd));
    assert!(
        said.contains("engine was ") && said.contains("Odd"),
        "{said}"
    );
    // Before the first game there is no result to tell.
    let wrong = settings.replace("\"Hash\"", "\"Nonesuch\"");
    fs::write(engine.join("tuner.toml"), wrong).unwrap();
    let args = "match twenty.txt spec --book start.epd --nodes 10";
    let said = words(&tuner(&engine, &args.split(' ').collect::<Vec<_>>()));
    assert!(
        said.contains("Nonesuch") && !said.contains("0 games"),
        "{said}"
    );
}

/// An engine that moves knights out and home, and says which tempo it was built with.
const ENGINE: &str = r#"
#include <cctype>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#ifdef TUNED
#include "tuner-run/tuned_weights.hpp"
using tuned::TEMPO;
#else
constexpr int TEMPO = 10;
#endif
int main() {
    const char *moves[] = {"g1f3", "g8f6", "f3g1", "f6g8"};
    std::string line, word, known;
    int words = 0;
    while (std::getline(std::cin, line)) {
        if (line == "uci") std::cout << "id name knights\nuciok" << std::endl;
        if (line == "isready") std::cout << "readyok" << std::endl;
        if (line == "quit") return 0;
        if (line.rfind("position", 0) == 0) {
            std::ifstream moves("MOVES");
            for (known = ""; std::getline(moves, word);)
                if (word.rfind(line + '|', 0) == 0) known = word.substr(line.size() + 1);
            std::istringstream all(line);
            for (words = 0; all >> word;) ++words;
        }
        if (line.rfind("go", 0) == 0) {
            std::ofstream("TOLD", std::ios::app) << TEMPO << std::endl;
            std::cout << "info nodes 1000" << std::endl;
            if (!known.empty()) std::cout << "bestmove " << known << std::endl;
            else std::cout << "bestmove " << moves[words > 9 ? (words - 9) % 4 : 0] << std::endl;
        }
    }
}
"#;

/// Copies of the engine are built with the header of each set of weights, and play.
#[test]
fn an_engine_is_built_with_headers_of_weights_and_plays() {
    let Some(compiler) = compilers().first().copied() else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let guide = fs::read_to_string(root().join("docs/cpp.md")).unwrap();
    let (_, example) = guide.rsplit_once("```cpp\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    fs::write(folder.join("tiny.cpp"), example).unwrap();
    compile_quickly(compiler, folder, &["-DTUNE", "tiny.cpp", "-o", "evaluator"]).unwrap();
    let told = folder.join("told");
    let moves = folder.join("moves");
    let engine = ENGINE.replace("TOLD", told.to_str().unwrap());
    let engine = engine.replace("MOVES", moves.to_str().unwrap());
    fs::write(folder.join("engine.cpp"), engine).unwrap();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n";
    fs::write(folder.join("start.epd"), start.repeat(4)).unwrap();
    let with = |flags: &str| {
        let build = format!("{compiler} -std=c++17 {flags} engine.cpp -o engine");
        let lines = format!("[engine]\nbuild = {build:?}\nrun = \"./engine\"\nprotocol = \"uci\"");
        settings(folder, &lines, "evaluator");
    };
    let game = [
        "match",
        "zero",
        "source",
        "--book",
        "start.epd",
        "--nodes",
        "9",
    ];
    with("");
    let output = tuner(folder, &game);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    has(
        &said,
        &[
            "the engine is the same program with zero and with source: its build does not include tuner-run/tuned_weights.hpp",
        ],
    );
    with("-DTUNED");
    let output = tuner(folder, &[&game[..], &["--json"]].concat());
    let said = words(&output);
    has(
        &said,
        &[
            "building the engine with zero",
            "\"games\":8",
            "\"draws\":8",
        ],
    );
    let read = || {
        let told = fs::read_to_string(&told).unwrap_or_default();
        let mut told: Vec<String> = told.lines().map(str::to_owned).collect();
        told.sort();
        told.dedup();
        told
    };
    assert_eq!(read(), ["0", "10"]);

    // So the weights of a fit play those before it.
    fs::remove_file(&told).unwrap();
    let data = root().join("examples/chess/data/selfplay.tsv.zst");
    let some = format!("{}:limit=4000", data.to_str().unwrap());
    let output = tuner(folder, &["fit", &some, "--fast-games", "4"]);
    let said = words(&output);
    has(&said, &["fast games"]);
    assert!(!said.contains("no fast games"), "{said}");

    // What no games decide is timed, where the engine knows moves.
    let ablate = ["fit", &some, "--fast-games", "0", "--ablate", "TEMPO"];
    let ablate = [&ablate[..], &["--ablate-games", "4", "--json"]].concat();
    has(
        &words(&tuner(folder, &ablate)),
        &[
            "the time of a node without TEMPO is not measured: ",
            "expected a legal move",
        ],
    );
    fs::write(&moves, first_moves()).unwrap();
    let output = tuner(folder, &ablate);
    let said = words(&output);
    has(&said, &["; a node takes "]);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect(&said);
    let time = &found["terms"][0]["node_time"];
    let [ratio, low, high] = [&time["ratio"], &time["interval"][0], &time["interval"][1]]
        .map(|number| number.as_f64().unwrap());
    assert!(0.0 < low && low <= ratio && ratio <= high, "{time}");
}

/// The positions in which a node's time is measured, as an engine is told of them, each with a
/// legal move.
fn first_moves() -> String {
    let openings = Openings::<Fen>::Random {
        plies: 8,
        bound: None,
    };
    let mut nobody = External::new(Program {
        command: Vec::new(),
        protocol: Protocol::Uci,
        options: Vec::new(),
        patience: Duration::ZERO,
    });
    let mut lines = String::new();
    for number in 0..40 {
        let mut rng = generator(1, number);
        let game = openings
            .game(&Fen, number, 0, &mut rng, &mut nobody)
            .unwrap();
        write!(lines, "position fen {} moves", Fen.describe(game.start())).unwrap();
        let mut position = game.start().clone();
        for &played in game.moves() {
            write!(lines, " {}", Fen.write_move(&position, played)).unwrap();
            Fen.play(&mut position, played);
        }
        let next = Fen.legal_moves(&position)[0];
        writeln!(lines, "|{}", Fen.write_move(&position, next)).unwrap();
    }
    lines
}
