//! The header for C++, `include/tuner.hpp`: the example, the styles of engines, planted faults.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failing test may end with a panic")]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::examples::root;
use crate::support::{tuner, words};
use tempfile::TempDir;

const WARNINGS: &str = "-std=c++17 -O1 -Wall -Wextra -Wpedantic -Werror";

/// The compilers that are here; says that the test is skipped where there is none.
#[expect(clippy::print_stderr, reason = "for who runs the test")]
pub(crate) fn compilers() -> Vec<&'static str> {
    let answers = |compiler: &&str| {
        let mut command = Command::new(compiler);
        let quiet = command.arg("--version").stdout(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    };
    let found: Vec<&str> = ["g++", "clang++"].into_iter().filter(answers).collect();
    if found.is_empty() {
        eprintln!("skipped: found neither g++ nor clang++");
    }
    found
}

/// Compiles in a folder; returns what the compiler says if it fails.
fn compile(compiler: &str, folder: &Path, args: &[&str]) -> Result<(), String> {
    let mut command = Command::new(compiler);
    command.current_dir(folder).args(WARNINGS.split(' '));
    command.arg("-I").arg(root().join("include"));
    let output = command.args(args).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        Ok(())
    } else {
        Err(said)
    }
}

/// Compiles a source of these tests, without optimising, and with the headers of the standard
/// library as g++ has read them once, which takes half of the time. The examples, and what `new`
/// writes, show that `tuner.hpp` includes what it needs.
pub(crate) fn compile_quickly(compiler: &str, folder: &Path, args: &[&str]) -> Result<(), String> {
    static HEADERS: OnceLock<String> = OnceLock::new();
    let headers = || {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("standard.hpp");
        let header = fs::read_to_string(root().join("include/tuner.hpp")).unwrap();
        let lines = header.lines().filter(|line| line.starts_with("#include <"));
        let lines: String = lines.flat_map(|line| [line, "\n"]).collect();
        let path = path.to_str().unwrap().to_owned();
        let compiled = format!("{path}.gch");
        let is_there = fs::read_to_string(&path).is_ok_and(|there| there == lines);
        if !is_there || !fs::exists(&compiled).unwrap() {
            fs::write(&path, lines).unwrap();
            let of_header = ["-O0", "-x", "c++-header", &path, "-o", "headers"];
            compile(compiler, folder, &of_header).unwrap();
            fs::copy(folder.join("headers"), format!("{path}.copy")).unwrap();
            fs::rename(format!("{path}.copy"), compiled).unwrap();
        }
        path
    };
    let mut all = vec!["-O0"];
    if compiler == "g++" {
        all.extend(["-include", HEADERS.get_or_init(headers)]);
    }
    all.extend(args);
    compile(compiler, folder, &all)
}

/// The path of a source of these tests.
fn source(name: &str) -> String {
    let folder = root().join("crates/tuner/tests/program/cpp");
    folder.join(name).to_str().unwrap().to_owned()
}

/// Writes `tuner.toml` for an evaluator of the folder.
pub(crate) fn settings(folder: &Path, lines: &str, evaluator: &str) {
    let text = format!("{lines}\n[evaluator]\nrun = \"./{evaluator}\"\n");
    fs::write(folder.join("tuner.toml"), text).unwrap();
}

pub(crate) fn has(found: &str, parts: &[&str]) {
    for part in parts {
        assert!(found.contains(part), "no {part:?} in\n{found}");
    }
}

#[test]
fn the_example_is_checked_and_fitted() {
    let Some(compiler) = compilers().first().copied() else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let example = root().join("examples/cpp");
    let path = |name: &str| example.join(name).to_str().unwrap().to_owned();
    let (evaluate, position, main) = (
        path("evaluate.cpp"),
        path("position.cpp"),
        path("evaluator.cpp"),
    );
    let production = [
        "-Devaluate=production",
        "-c",
        &evaluate,
        "-o",
        "production.o",
    ];
    compile(compiler, folder, &production).unwrap();
    let evaluator = [
        "-DTUNE",
        &main,
        &evaluate,
        &position,
        "production.o",
        "-o",
        "evaluator",
    ];
    compile(compiler, folder, &evaluator).unwrap();
    let data = root().join("examples/chess/data/selfplay.tsv.zst");
    let lines = format!("spec = {:?}", path("engine.toml"));
    settings(folder, &lines, "evaluator");

    let some = |limit: u32| format!("{}:limit={limit}", data.to_str().unwrap());
    let output = tuner(folder, &["check", &some(500)]);
    assert!(output.status.success(), "{}", words(&output));
    let found = words(&output);
    has(
        &found,
        &["check: 500 positions, 0 mismatches", " compared, 0 wrong"],
    );

    let output = tuner(folder, &["fit", &some(1000), "--fast-games", "0"]);
    assert!(output.status.success(), "{}", words(&output));
    let weights = fs::read_to_string(folder.join("tuner-run/weights.txt")).unwrap();
    assert_eq!(weights.lines().skip(1).count(), 817);

    // What a fit writes for C++ is what the engine includes.
    let main = path("main.cpp");
    let tuned = [
        "-DTUNED",
        "-Ituner-run",
        &main,
        &evaluate,
        &position,
        "-o",
        "tuned",
    ];
    compile(compiler, folder, &tuned).unwrap();

    // `patch` would refuse, so the doctor does not promise it.
    let toml = fs::read_to_string(folder.join("tuner.toml")).unwrap();
    let engine = "[engine]\nbuild = \"true\"\nrun = \"./tuned\"\nprotocol = \"uci\"\n";
    let toml = format!("data = [{data:?}]\n{toml}{engine}");
    fs::write(folder.join("tuner.toml"), toml).unwrap();
    let doctor = words(&tuner(folder, &["doctor"]));
    let end = "nothing would stop check, fit or games here; patch: no sources, in C and C++";
    has(&doctor, &[end]);
}

#[test]
fn the_example_of_the_guide_is_an_evaluator() {
    let Some(compiler) = compilers().first().copied() else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let guide = fs::read_to_string(root().join("docs/cpp.md")).unwrap();

    // What an evaluation may name is there for the engine too, without the header.
    let (_, shim) = guide.split_once("// as it was\n").unwrap();
    let (shim, _) = shim.split_once("#endif").unwrap();
    let names = "static const tuner::Num<short> A[2] = {1, 2};\nTUNER_TABLE(A) TUNER_PACKED(A)\n\
                 TUNER_MEMBER(one, A[1])\ntuner::Real named(tuner::Int n) {\n\
                 return A[tuner::frozen(n)] + tuner::Num<long>(n); }\n";
    fs::write(folder.join("shim.cpp"), format!("{shim}{names}")).unwrap();
    compile(compiler, folder, &["-c", "shim.cpp"]).unwrap();

    let (_, example) = guide.rsplit_once("```cpp\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    fs::write(folder.join("tiny.cpp"), example).unwrap();
    compile(compiler, folder, &["-c", "tiny.cpp"]).unwrap();
    compile(compiler, folder, &["-DTUNE", "tiny.cpp", "-o", "evaluator"]).unwrap();
    settings(folder, "", "evaluator");
    let data = root().join("examples/chess/data/selfplay.tsv.zst");
    let some = format!("{}:limit=300", data.to_str().unwrap());
    let output = tuner(folder, &["check", &some]);
    assert!(output.status.success(), "{}", words(&output));
    let parts = ["check: 300 positions, 0 mismatches", " compared, 0 wrong"];
    has(&words(&output), &parts);
}

/// Enums as scores, as in Stockfish; and what a fit says to do next is done.
#[test]
fn scores_that_are_enums_are_fitted_and_the_header_is_compiled_in() {
    let Some(compiler) = compilers().first().copied() else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let enums = source("enums.cpp");
    let plain = "-DLIBRARY -Devaluate=plain -c -o plain.o";
    let recorded = "-DTUNE plain.o -o evaluator";
    for args in [plain, recorded] {
        let args: Vec<&str> = [&*enums].into_iter().chain(args.split(' ')).collect();
        compile_quickly(compiler, folder, &args).unwrap();
    }
    settings(folder, "", "evaluator");
    let data = root().join("examples/chess/data/selfplay.tsv.zst");
    let some = |limit: u32| format!("{}:limit={limit}", data.to_str().unwrap());
    // The example has a bonus for the first player.
    let output = tuner(folder, &["check", &some(600), "--asymmetric"]);
    assert!(output.status.success(), "{}", words(&output));
    let parts = ["check: 600 positions, 0 mismatches", " compared, 0 wrong"];
    has(&words(&output), &parts);

    let output = tuner(folder, &["fit", &some(1000), "--fast-games", "0"]);
    let found = words(&output);
    assert!(output.status.success(), "{found}");
    let next = "the weights are in tuner-run/tuned_weights.hpp, for an engine that includes it";
    has(&found, &[next, "by name they are in tuner-run/weights.txt"]);
    assert!(!found.contains("patch") && !folder.join("tuner-run/tuned_weights.rs").exists());
    let header = fs::read_to_string(folder.join("tuner-run/tuned_weights.hpp")).unwrap();
    has(&header, &["S pieceBonus[6] = {", " Advanced[2][4] = {"]);
    let tuned = [&*enums, "-DTUNED", "-Ituner-run", "-o", "tuned"];
    compile_quickly(compiler, folder, &tuned).unwrap();

    let weights = fs::read_to_string(folder.join("tuner-run/weights.txt")).unwrap();
    let mut set = "set".to_owned();
    for (number, line) in weights.lines().skip(1).enumerate() {
        let (_, value) = line.split_once(' ').unwrap();
        write!(set, " {number}={value}").unwrap();
    }
    let fens = [
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
        "8/1p6/p3k3/P1B5/1PP5/2b3pp/8/6K1 b - - 2 37",
        "2r2rk1/pp3ppp/8/8/3q4/1Q6/PP3PPP/3R1RK1 w - - 0 1",
        "8/5k2/8/8/3N4/8/4K3/8 b - - 0 1",
    ];
    let questions = fens.map(|fen| format!("position {fen}\nscore\n")).concat();
    let asked = ask(&folder.join("evaluator"), &format!("{set}\n{questions}"));
    let scores = |answers: &str| {
        let lines = answers.lines().filter(|line| line.starts_with("score "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let played = ask(&folder.join("tuned"), &(fens.join("\n") + "\n"));
    assert_eq!(scores(&asked).len(), 4, "{asked}");
    assert_eq!(scores(&asked), scores(&played));
}

/// Each style is compared with what it is compiled with plain numbers, at random inputs.
#[test]
fn evaluations_of_all_styles_have_production_s_scores() {
    for compiler in compilers() {
        let folder = TempDir::new().unwrap();
        let folder = folder.path();
        let styles = source("styles.cpp");
        let checks = "-fsanitize=undefined"; // slow to compile
        let quick = "-O0";
        let plain = [
            checks,
            quick,
            "-Devaluate=production",
            "-c",
            &styles,
            "-o",
            "plain.o",
        ];
        compile(compiler, folder, &plain).unwrap();
        let recorded = [checks, quick, "-DTUNE", &styles, "plain.o", "-o", "styles"];
        compile(compiler, folder, &recorded).unwrap();
        settings(folder, "", "styles");
        let mut lines = String::new();
        let mut seed = 1_u32;
        for position in 0..1600 {
            write!(lines, "{}", position % 10).unwrap();
            for _ in 0..8 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                write!(lines, " {}", (seed >> 16) as i32 % 13 - 3).unwrap();
            }
            let result = ["0.0", "0.5", "1.0"][seed as usize >> 10 & 1];
            writeln!(lines, " [{result}]").unwrap();
        }
        fs::write(folder.join("styles.txt"), lines).unwrap();
        let output = tuner(
            folder,
            &["check", "styles.txt:format=bracketed", "--allow-constants"],
        );
        let found = words(&output);
        assert!(output.status.success(), "{compiler}: {found}");
        let parts = ["check: 1600 positions, 0 mismatches", " compared, 0 wrong"];
        has(&found, &parts);
        assert!(!found.contains("runtime error"), "{compiler}: {found}");
    }
}

/// Asks an evaluator, and returns its answers.
fn ask(program: &Path, questions: &str) -> String {
    let piped =
        |command: &mut Command| command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut running = piped(&mut Command::new(program)).unwrap();
    let mut input = running.stdin.take().unwrap();
    input.write_all(questions.as_bytes()).unwrap();
    drop(input);
    let output = running.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn faults_end_with_a_sentence_and_the_next_question_is_answered() {
    let Some(compiler) = compilers().first().copied() else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let faults = source("faults.cpp");
    compile_quickly(compiler, folder, &[&faults, "-o", "faults"]).unwrap();
    for (position, says) in [
        ("throw", "error no such position"),
        ("throw 7", "error the evaluation threw what is no std::exc"),
        ("zero", "error a score is divided by zero"),
        ("large", " overflow"),
        ("long", " overflow"),
        ("longer", " overflow"),
        ("rest", " overflow"),
        (
            "derived",
            "compute it in `derive` if it is computed at the st",
        ),
        ("unsigned", "error a negative score is divided or compared"),
        ("late", "error table LATE is declared after the start"),
        (
            "copied",
            "compute it in `derive` if it is computed at the st",
        ),
        (
            "early",
            "compute it in `derive` if it is computed at the st",
        ),
        ("index", "write tuner::frozen(score) for an index"),
        ("wide", "write tuner::frozen(score) for an index"),
        ("eight", " overflow"),
        (
            "cache",
            "error a score is used that was computed for another",
        ),
    ] {
        let questions = format!(
            "bytes on\nposition fill\ntrace\nposition {position}\ntrace\nbytes off\nscore\n\
             position other\nscore\n"
        );
        let answers = ask(&folder.join("faults"), &questions);
        has(&answers, &[says, "\nposition first\nscore 115\n"]);
    }

    let weights = ask(&folder.join("faults"), "weights\n");
    has(&weights, &["SMALL lanes 1 bounds 0,255 "]);
    assert_eq!(weights.matches("bounds").count(), 1, "{weights}");

    // A position that is refused is a line of the data, with its place.
    settings(folder, "", "faults");
    let lines: Vec<String> = (0..50)
        .map(|n| format!("{} [{}.0]\n", "x".repeat(n + 1), n % 2))
        .collect();
    fs::write(folder.join("data.txt"), lines.concat() + "throw [1.0]\n").unwrap();
    let check = ["check", "data.txt:format=bracketed", "--threads", "1"];
    let output = tuner(folder, &check);
    assert_eq!(output.status.code(), Some(1), "{}", words(&output));
    has(&words(&output), &["data.txt:51:1: ", "no such position"]);

    // E is not told where the index that was held is another one.
    fs::write(folder.join("held.txt"), "frozen [1.0]\nfrozen [0.0]\n").unwrap();
    let profile =
        "profile held.txt:format=bracketed --weight A[1] --k 1 --steps 3 --allow-constants";
    let profile: Vec<&str> = profile.split(' ').collect();
    let found = words(&tuner(folder, &profile));
    let not_known = "E is not known at 2 of 3 values, -47.00 to 53.00: more than a tenth of";
    has(&found, &[not_known, "not known\n", "now, least"]);
    assert!(!found.contains("approximate"), "{found}");

    // One that crashes, and processes that do not have the same weights.
    fs::write(folder.join("crash.txt"), "crash [1.0]\n").unwrap();
    let crash = ["check", "crash.txt:format=bracketed"];
    let found = words(&tuner(folder, &crash));
    has(&found, &["(SIGSEGV), at position crash"]);
    compile_quickly(compiler, folder, &["-DOTHER", &faults, "-o", "faults"]).unwrap();
    fs::write(folder.join("fine.txt"), lines.concat()).unwrap();
    let two = ["check", "fine.txt:format=bracketed", "--threads", "2"];
    let found = words(&tuner(folder, &two));
    has(
        &found,
        &["it says other weights than the first one at `OWN`"],
    );

    // A source that was compiled with other types.
    let part = source("part.cpp");
    compile_quickly(
        compiler,
        folder,
        &["-DMIXED", &faults, &part, "-o", "faults"],
    )
    .unwrap();
    let found = words(&tuner(folder, &check));
    has(
        &found,
        &["table U has plain numbers: compile all of the eval"],
    );
    compile_quickly(compiler, folder, &["-DTWICE", &faults, "-o", "faults"]).unwrap();
    let found = words(&tuner(folder, &check));
    has(&found, &["table A is declared twice", "faults.cpp:12"]);
    compile_quickly(compiler, folder, &["-DONE_LINE", &faults, "-o", "faults"]).unwrap();
    let found = words(&tuner(folder, &check));
    has(&found, &["table ROOK_OPEN is declared twice"]);
    let refused = compile_quickly(compiler, folder, &["-DPLAIN", &faults, "-o", "faults"]);
    let said = refused.err().unwrap_or_default();
    has(&said, &["write `int(x)` in place of `(int)x`"]);
    has(&said, &["if it is a score, derive it from std::array"]);
}

/// What `new --cpp` writes is an evaluator of an engine whose evaluation is in evaluate.hpp.
#[test]
fn the_evaluator_of_a_new_engine_answers() {
    if compilers().is_empty() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let evaluate = "#pragma once\n#include \"tuner.hpp\"\nstruct Position { std::string fen; \
                    explicit Position(std::string s) : fen(s) {} };\n\
                    inline tuner::Int TEMPO = 7;\nTUNER_TABLE(TEMPO)\n\
                    inline tuner::Int evaluate(const Position &p) {\n\
                    return TEMPO * (p.fen.find('Q') != p.fen.npos ? 3 : 1); }\n";
    fs::write(folder.join("evaluate.hpp"), evaluate).unwrap();
    fs::write(folder.join("evaluate.cpp"), "").unwrap();
    fs::write(folder.join("tuner.toml"), "").unwrap();
    let clone = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let new = ["new", "--cpp", "--tuner", clone];
    let output = tuner(folder, &new);
    has(
        &words(&output),
        &["tuner.toml: is there, and stays", "evaluator.cpp: written"],
    );
    fs::remove_file(folder.join("tuner.toml")).unwrap();
    assert!(tuner(folder, &new).status.success());
    let lines = "rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - - 0 1 [1.0]\n\
                 rnb1kbnr/8/8/8/8/8/8/RNB1KBNR b - - 0 1 [0.0]\n";
    fs::write(folder.join("games.txt"), lines).unwrap();
    let output = tuner(
        folder,
        &["check", "games.txt:format=bracketed", "--asymmetric"],
    );
    has(&words(&output), &["check: 2 positions, 0 mismatches"]);
    let output = tuner(
        folder,
        &["check", "games.txt:format=bracketed", "--rebuild"],
    );
    let cure =
        "--rebuild writes other weights into Rust sources, and this evaluator is in C or C++";
    has(&words(&output), &[cure]);
    let output = tuner(folder, &["new", "--cpp", "--board", "own"]);
    assert_eq!(output.status.code(), Some(2), "{}", words(&output));
}

/// What is right at the weights of the source alone is no evaluation to fit.
#[test]
fn what_is_computed_of_weights_and_kept_is_found() {
    let Some(compiler) = compilers().first().copied() else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    compile_quickly(compiler, folder, &[&source("kept.cpp"), "-o", "kept"]).unwrap();
    settings(folder, "", "kept");
    for how in ["start", "odd", "index", "first", "zero", "position", "each"] {
        let line = |n: i32| format!("{how} {} [{}.0]\n", n % 17 + 1, n % 2);
        let lines: String = (0..60).map(line).collect();
        fs::write(folder.join("data.txt"), lines).unwrap();
        let output = tuner(folder, &["check", "data.txt:format=bracketed"]);
        let found = words(&output);
        let not_compared = "production is not compared";
        has(&found, &["0 mismatches", ", 0 wrong", not_compared]);
        assert_eq!(output.status.success(), how == "each", "{how}: {found}");
        let says = "depend on the weights that were in force before";
        assert_eq!(found.contains(says), how != "each", "{how}: {found}");
        if how == "first" {
            let fit = tuner(folder, &["fit", "data.txt:format=bracketed"]);
            assert_eq!(fit.status.code(), Some(1), "{}", words(&fit));
            has(&words(&fit), &[says]);
        }
    }
    fs::write(folder.join("data.txt"), "reading 3 [1.0]\neach 4 [0.0]\n").unwrap();
    let found = words(&tuner(folder, &["check", "data.txt:format=bracketed"]));
    has(
        &found,
        &["data.txt:1:1: ", "reading a position decides by weights"],
    );
}

#[test]
fn tables_of_a_header_are_loaded_and_recorded_in_each_source() {
    let Some(compiler) = compilers().first().copied() else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let (main, part) = (source("tables.cpp"), source("part.cpp"));
    compile_quickly(compiler, folder, &[&main, &part, "-o", "engine"]).unwrap();
    let packed = |mg: i32, eg: i32| mg + (eg << 16);
    let all = |[a, b, c, d]: [i32; 4], u: i32| {
        let part = packed(a + 1, b + 1);
        format!("{} {} {u} {part}", packed(a, b), packed(c, d))
    };
    let whole = "T[0].mg 10\nT[0].eg -20\nT[1].mg -30\nT[1].eg 40\nU 9\n";
    let by_name = "U -9\r\nT[1].eg 40\n\nT[0].eg -20\n# K 1\nT[1].mg -30\nT[0].mg 10\n";
    let wrong = |name: &str| format!("weights.txt: expected a line `{name} VALUE`");
    for (weights, says) in [
        (whole.to_owned(), all([10, -20, -30, 40], 9)),
        (by_name.to_owned(), all([10, -20, -30, 40], -9)),
        (whole.replace("10", "99999"), wrong("T[0].mg")),
        (whole.replace("40", "2e9999"), wrong("T[1].eg")),
        (whole.replace("U 9", "U one"), wrong("U")),
        (whole.replace("U 9", "U 9 9"), wrong("U")),
        (whole.trim_end().to_owned(), wrong("U")),
        (whole.replace("T[1].mg", "T[1]"), wrong("T[1].mg")),
        (
            format!("{whole}X 1\n"),
            "weights.txt: has weights that are in no table".to_owned(),
        ),
        (String::new(), wrong("T[0].mg")),
        ("T[0].mg 1\n".to_owned(), all([3, -5, -2, 7], 4)),
    ] {
        fs::write(folder.join("weights.txt"), weights).unwrap();
        let mut engine = Command::new(folder.join("engine"));
        let output = engine.current_dir(folder).output().unwrap();
        has(&String::from_utf8_lossy(&output.stdout), &[&says]);
    }

    // With the other half above, and where nobody says which it is.
    fs::write(folder.join("weights.txt"), whole).unwrap();
    let [one, two] = [packed(-20, 10), packed(40, -30)];
    let part_of = packed(-19, 11);
    for (flag, says) in [
        ("-DUPPER_MG", format!("{one} {two} 9 {part_of}")),
        ("-DNO_UPPER", "define TUNER_UPPER as mg or eg".to_owned()),
    ] {
        compile_quickly(compiler, folder, &[flag, &main, &part, "-o", "upper"]).unwrap();
        let mut engine = Command::new(folder.join("upper"));
        let output = engine.current_dir(folder).output().unwrap();
        has(&words(&output), &[&says]);
    }

    compile_quickly(
        compiler,
        folder,
        &["-DTUNE", &main, &part, "-o", "evaluator"],
    )
    .unwrap();
    let answers = ask(
        &folder.join("evaluator"),
        "position 3\nscore\nset 0=7\nscore\nset source\nposition 5\nlook\nresolve\nscore\n\
         position 9\nresolve\nposition 2\nresolve\n",
    );
    // 3 · (2 · (3 − 2 + 1) + (−5 + 7 + 1)), and 3 · 2 · 4 more.
    let expected = [
        "position first",
        "score 21",
        "ok",
        "score 45",
        "ok",
        "position first",
        "look 35 5",
        "resolve 5 35 leaf second -5",
        "score -35",
        "position first",
        "resolve none",
        "position first",
        "resolve 2 14",
    ];
    assert_eq!(answers.lines().collect::<Vec<_>>(), expected);
    settings(folder, "", "evaluator");
    let line = |n: i32| format!("{} [{}.0]\n", n % 17 - 8, n % 2);
    fs::write(
        folder.join("data.txt"),
        (0..60).map(line).collect::<String>(),
    )
    .unwrap();
    // A constant table is a part of the score that differs from position to position.
    let output = tuner(folder, &["check", "data.txt:format=bracketed"]);
    assert!(!output.status.success(), "{}", words(&output));
    let accepted = ["check", "data.txt:format=bracketed", "--allow-constants"];
    let output = tuner(folder, &accepted);
    assert!(output.status.success(), "{}", words(&output));
    has(&words(&output), &["0 mismatches", " compared, 0 wrong"]);
}

/// Weights come into sources in C++ by the header, as `patch` says.
#[test]
fn a_patch_of_sources_in_cpp_names_the_header() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("weights.txt"), "A 1\n").unwrap();
    fs::write(folder.path().join("eval.h"), "#pragma once\n").unwrap();
    for source in [&["eval.h"][..], &[]] {
        let output = tuner(folder.path(), &[&["patch", "weights.txt"], source].concat());
        assert_eq!(output.status.code(), Some(2), "{}", words(&output));
        has(
            &words(&output),
            &["include the header that `fit` wrote (docs/cpp.md, Play)"],
        );
    }
}
