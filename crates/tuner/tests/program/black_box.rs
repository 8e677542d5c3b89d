//! Evaluators that only score: their fits are those of the same evaluation with rows.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failing test may end with a panic")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{tuner, words};
use tempfile::TempDir;

/// What makes an evaluator of the example that traces.
const TRACES: &str = r#"
plain = answer
def answer(command, rest, state):
    if command == "tuner":
        return plain(command, rest, state).replace("ok", "can trace\nok")
    if command != "trace":
        return plain(command, rest, state)
    phase, counts = features(state["fen"])
    mg, eg = (" ".join(f"{2 * n + lane}:{count}" for n, count in enumerate(counts) if count) for lane in (0, 1))
    return f"row {evaluate(**state)} slack {23 / 24} form {phase / 24} {mg} form {1 - phase / 24} {eg}"
"#;

fn example() -> String {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/python/score/evaluator.py");
    fs::read_to_string(path).unwrap()
}

/// The example, which traces too.
fn traces() -> String {
    example().replace("\n\nif __name__", &format!("\n{TRACES}\n\nif __name__"))
}

fn data(positions: u32) -> String {
    let path: PathBuf =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/chess/data/selfplay.tsv.zst");
    let path = path.canonicalize().unwrap();
    format!("{}:limit={positions}", path.display())
}

/// A folder with an evaluator in Python, and its tuner.toml.
fn folder(program: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("evaluator.py"), program).unwrap();
    let settings = "[evaluator]\nrun = \"python3 evaluator.py\"\n";
    fs::write(folder.path().join("tuner.toml"), settings).unwrap();
    folder
}

fn has(found: &str, parts: &[&str]) {
    for part in parts {
        assert!(found.contains(part), "no {part:?} in\n{found}");
    }
}

/// Fits, and returns what was said and the weights.
fn fitted(folder: &TempDir, more: &[&str]) -> (String, Vec<(String, f64)>) {
    fitted_to(&data(1000), folder, more)
}

fn fitted_to(data: &str, folder: &TempDir, more: &[&str]) -> (String, Vec<(String, f64)>) {
    let args = [&["fit", data, "--prior", "50", "--write-worse"], more].concat();
    let output = tuner(folder.path(), &args);
    assert!(output.status.success(), "{}", words(&output));
    let text = fs::read_to_string(folder.path().join("tuner-run/weights.txt")).unwrap();
    let pairs = text
        .lines()
        .skip(1)
        .filter_map(|line| line.rsplit_once(' '));
    let weights = pairs.map(|(name, value)| (name.to_owned(), value.parse().unwrap()));
    (words(&output), weights.collect())
}

#[test]
fn features_beside_quotients_count_in_the_score_itself() {
    let output = tuner(
        folder(&example()).path(),
        &["suggest", &data(1000), "--json"],
    );
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let suggested = found["suggestions"].as_array().unwrap();
    assert!(!suggested.is_empty(), "{}", words(&output));
    for feature in suggested {
        let [first, second] = [0, 1].map(|lane| &feature["values"][lane]);
        let value = first["value"].as_f64().unwrap();
        assert!(value.abs() < 200.0 && second.is_null(), "{feature}");
    }
}

#[test]
fn an_evaluator_that_only_scores_fits_as_with_rows() {
    let by_scores = folder(&example());
    let by_rows = folder(&traces());
    let (said, scores) = fitted(&by_scores, &["--threads", "2"]);
    has(
        &said,
        &[
            "only scores",
            "26 weights, which take 28 scorings of each of 1000 positions",
            "linear in the weights",
        ],
    );
    let (said, rows) = fitted(&by_rows, &[]);
    has(&said, &["1000 positions, 0 mismatches"]);
    assert_eq!(scores.len(), 26);
    for ((name, score), (_, row)) in scores.iter().zip(&rows) {
        assert!(
            (score - row).abs() <= 1.0,
            "{name}: {score} by scores, {row} by rows"
        );
    }
    let moved = scores
        .iter()
        .zip([82.0, 94.0])
        .any(|((_, new), old)| (new - old).abs() > 1.0);
    assert!(moved, "{scores:?}");
    // Other languages take them by a spec.
    let to = tuner(by_scores.path(), &["fit", &data(1000), "--to", "json"]);
    assert_eq!(to.status.code(), Some(2));
    has(
        &words(&to),
        &[
            "`tuner spec init -o engine.toml` and `tuner spec emit engine.toml --weights tuner-run/weights.txt --to json`",
        ],
    );
    for line in [
        "spec init -o engine.toml",
        "spec emit engine.toml --weights tuner-run/weights.txt --to json",
    ] {
        let output = tuner(by_scores.path(), &line.split(' ').collect::<Vec<_>>());
        assert!(output.status.success(), "{line}: {}", words(&output));
    }
    // The number of threads changes nothing.
    let (_, again) = fitted(&by_scores, &["--threads", "1"]);
    assert_eq!(scores, again);
}

/// An engine in another language than Rust, of which nothing says how it gets other weights, plays
/// no games, and is told by which option it would; all else is as without it.
#[test]
fn an_engine_in_any_language_takes_weights_by_an_option() {
    let folder = folder(&traces());
    let path = folder.path().join("tuner.toml");
    let settings = fs::read_to_string(&path).unwrap();
    let said = |settings: &str, line: &str| {
        fs::write(&path, settings).unwrap();
        let args: Vec<&str> = line.split(' ').collect();
        let output = tuner(folder.path(), &args);
        assert!(!output.status.success(), "{}", words(&output));
        let said = words(&output);
        assert!(
            !said.contains("tuner_core") && !said.contains("tuner-builds"),
            "{said}"
        );
        said
    };
    let engine = format!("{settings}[engine]\nrun = \"./engine\"\nprotocol = \"uci\"\n");
    let sources = format!("sources = [\"src\"]\n{engine}");
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(folder.path().join("src/main.go"), "package main\n").unwrap();
    let option = "`weights_option`";
    let (few, wrong) = (data(300), data(300).replace("limit", "limits"));
    for (settings, line, part) in [
        (&settings, format!("fit {few} --fast-games 100"), option),
        (&settings, "match spec zero".to_owned(), option),
        (
            &engine,
            format!("fit {few}"),
            "[engine] `weights_option = \"NAME\"`",
        ),
        (&engine, format!("fit {few} --init nope.txt"), "nope.txt"),
        (&engine, format!("fit {wrong}"), "limits"),
        (&sources, "match spec zero".to_owned(), option),
    ] {
        has(&said(settings, &line), &[part]);
    }
    assert!(said(&sources, "match spec zero").contains("src: found no *.rs in this folder"));
    fs::write(&path, &engine).unwrap();
    fitted_to(&few, &folder, &["--fast-games", "0"]);
    has(
        &said(&engine, "patch tuner-run"),
        &["read weights.txt or", option],
    );
    has(
        &said(&engine, "patch tuner-run src/main.go"),
        &["patch writes into Rust", option],
    );
    // What a fit advises after fast games is a command: it fails as there is no such program.
    let advised = "match ./new ./old --nodes 5000";
    has(&said(&engine, advised), &["./new"]);
}

#[test]
fn rows_of_a_linear_evaluation_know_their_positions_and_files() {
    let folder = folder(&traces());
    let path = data(1);
    let table = fs::File::open(path.strip_suffix(":limit=1").unwrap()).unwrap();
    let text = String::from_utf8(zstd::decode_all(table).unwrap()).unwrap();
    let lines: Vec<&str> = text.lines().take(1201).collect();
    let rows: Vec<Vec<&str>> = lines.iter().map(|row| row.split('\t').collect()).collect();
    // The same games with results swapped.
    let turned = rows.iter().map(|row| {
        let result = match row[1] {
            "1-0" => "0-1",
            "0-1" => "1-0",
            other => other,
        };
        format!("{}\t{result}\n", row[0])
    });
    fs::write(folder.path().join("data.tsv"), lines.join("\n")).unwrap();
    fs::write(folder.path().join("turned.tsv"), turned.collect::<String>()).unwrap();
    // What is shown of a position is of one line.
    let (said, _) = fitted_to("data.tsv", &folder, &[]);
    let summary = fs::read_to_string(folder.path().join("tuner-run/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    let worst = summary["examined"]["worst"].as_array().unwrap();
    assert!(worst.len() > 5, "{said}");
    for position in worst {
        let row = &rows[position["line"].as_u64().unwrap() as usize - 1];
        let result = match row[1] {
            "1-0" => 1.0,
            "0-1" => 0.0,
            _ => 0.5,
        };
        assert_eq!(position["outcome"], result, "{position}");
        assert_eq!(position["position"], row[0]);
    }
    let args = "turned.tsv --weigh-sources data.tsv --lambda 1 --fast-games 0 --k 1 --json";
    let args: Vec<&str> = args.split(' ').collect();
    let output = tuner(
        folder.path(),
        &[
            &["fit", "data.tsv", "--prior", "50", "--write-worse"],
            &*args,
        ]
        .concat(),
    );
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let factors = &found["sources"]["factors"];
    let turned = factors[1].as_f64().unwrap();
    assert!(factors[0] == 1.0 && turned < 0.1, "{factors}");
}

/// Of the example's functions, a UCI engine whose options are the weights of both phases alike.
const UCI: &str = r#"
values = [SOURCE[0:10:2] + [0] * 6 + [20, 10], None]
names = [f"Piece{n}" for n in range(5)] + [f"Rank {n}" for n in range(6)] + ["Pair", "Tempo"]
fen = "8/8/8/8/8/8/8/8 w"
while line := sys.stdin.readline().strip():
    word, _, rest = line.partition(" ")
    if word == "uci":
        print("id name wren\noption name Hash type spin default 16 min 1 max 64")
        for name, value in zip(names, values[0]):
            print(f"option name {name} type spin default {value} min -50 max 1200")
        print("uciok")
    elif word == "isready":
        print("readyok")
    elif word == "setoption" and SETS:
        name, value = rest[5:].split(" value ")
        values[0][names.index(name)] = int(value)
    elif word == "position":
        fen = rest[4:]
    elif word == "eval":
        score = sum(a * b for a, b in zip(features(fen)[1], values[0]))
        print(f"king safety 3.5\nFinal evaluation   {score / 100:+.2f} (side)")
    elif word == "quit":
        break
    sys.stdout.flush()
"#;

fn uci(sets: &str, settings: &str) -> TempDir {
    let (functions, _) = example()
        .split_once("\n\ndef evaluate")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    let folder = folder(&(functions + &UCI.replace("SETS", sets)));
    let text = format!("[evaluator]\nuci = \"python3 evaluator.py\"\n{settings}");
    fs::write(folder.path().join("tuner.toml"), text).unwrap();
    folder
}

const ALL: &str = "weights = [\"Piece*\", \"Rank *\", \"Pair\", \"Tempo\"]\n\
                   score = \"Final evaluation * (side)\"\nunit = 100\nview = \"side-to-move\"\n";

#[test]
fn a_uci_program_is_fitted_by_its_options() {
    let engine = uci("True", ALL);
    let (said, weights) = fitted(&engine, &[]);
    has(
        &said,
        &["15 scorings", "13 weights", "linear in the weights"],
    );
    // A rook, which is the fourth piece, is worth more than a bishop.
    let of = |name: &str| weights.iter().find(|(known, _)| known == name).unwrap().1;
    assert!(
        of("PIECE3") > of("PIECE2") && of("RANK_5") != 0.0,
        "{weights:?}"
    );
    assert!(
        weights
            .iter()
            .all(|(_, value)| (-50.0..=1200.0).contains(value)),
        "{weights:?}"
    );
}

fn refused(folder: &TempDir, more: &[&str]) -> String {
    let data = data(300);
    let output = tuner(folder.path(), &[&["check", &data], more].concat());
    assert_eq!(output.status.code(), Some(1), "{}", words(&output));
    words(&output)
}

#[test]
fn mistakes_about_a_uci_program_are_named_with_their_cure() {
    let other = ALL.replace("Pair", "Pears");
    has(
        &refused(&uci("True", &other), &[]),
        &["is named \"Pears\"", "it has Hash, Piece0, Piece1"],
    );
    has(
        &refused(&uci("False", ALL), &[]),
        &["no weight changes the score of any position"],
    );
    let other = ALL.replace("Final", "Total");
    has(
        &refused(&uci("True", &other), &[]),
        &["`eval` prints no line with \"Total evaluation *"],
    );
    let spec = "version = 1\nname = \"wren\"\n[[parameter]]\nname = \"TEMPO\"\ninitial = 10\nbounds = [-90, 100]\n";
    let engine = uci(
        "True",
        &ALL.replace("\"Piece*\", \"Rank *\", \"Pair\", ", ""),
    );
    let settings = fs::read_to_string(engine.path().join("tuner.toml")).unwrap();
    fs::write(
        engine.path().join("tuner.toml"),
        format!("spec = \"wren.toml\"\n{settings}"),
    )
    .unwrap();
    fs::write(engine.path().join("wren.toml"), spec).unwrap();
    has(
        &refused(&engine, &[]),
        &[
            "`TEMPO` takes values from -50 to 1200",
            "bounds = [-50, 1200]",
        ],
    );
    fs::write(
        engine.path().join("wren.toml"),
        spec.replace("-90, 100", "-50, 1200"),
    )
    .unwrap();
    let output = tuner(engine.path(), &["check", &data(1000)]);
    assert!(output.status.success(), "{}", words(&output));
    let text = format!("[evaluator]\nrun = \"python3 evaluator.py\"\n{ALL}");
    fs::write(engine.path().join("tuner.toml"), text).unwrap();
    has(&refused(&engine, &[]), &["found `score` without `uci`"]);
}

#[test]
fn a_score_that_changes_by_itself_fails_the_check() {
    let moody = example()
        .replace("// 24\n", "// 24 + COUNT.pop()\n")
        .replace("SOURCE =", "COUNT = list(range(10**6))\nSOURCE =");
    has(
        &refused(&folder(&moody), &[]),
        &[
            "whose score differs",
            "at first and",
            "depend on position and weights alone",
        ],
    );
}

#[test]
fn a_score_that_is_not_linear_is_asked_again_where_weights_have_moved() {
    let danger = "    danger = max(0, sum(count * weights[10 + 2 * n] for n, count in enumerate(counts[5:11])))\n    return danger * danger // 128 + ";
    let program = example().replace("    return (mg", &format!("{danger}(mg"));
    let more = ["--retrace", "2", "--details"];
    let (said, _) = fitted_to(&data(2000), &folder(&program), &more);
    has(
        &said,
        &[
            "54 scorings",
            "scores are not linear in the weights (first ",
            "traced again",
            "better than before",
        ],
    );
}

#[test]
fn a_view_that_is_wrong_is_seen_by_the_results() {
    let right = folder(&example());
    let output = tuner(right.path(), &["check", &data(3000)]);
    assert!(
        !words(&output).contains("against the results"),
        "{}",
        words(&output)
    );
    let wrong = folder(&example().replace("view side-to-move", "view first-player"));
    let output = tuner(wrong.path(), &["check", &data(3000)]);
    has(
        &words(&output),
        &["scores go against the results", "correct `view`"],
    );
}

#[test]
fn messages_to_authors_in_other_languages_name_nothing_of_rust() {
    let folder = folder(&example());
    let settings = "spec = \"e.toml\"\n[evaluator]\nrun = \"python3 evaluator.py\"\n";
    fs::write(folder.path().join("tuner.toml"), settings).unwrap();
    let spec = "version = 1\nname = \"e\"\n[[parameter]]\nname = \"OTHER\"\ninitial = 10\n";
    fs::write(folder.path().join("e.toml"), spec).unwrap();
    let said = refused(&folder, &[]);
    has(
        &said,
        &[
            "answers no `parameter OTHER` to `weights`",
            "`TEMPO` holds 2 weights",
            "leave it out of the answer",
        ],
    );
    for word in ["#[", "traced!", "const", "cargo"] {
        assert!(!said.contains(word), "{word}: {said}");
    }
    // What is wrong with the names of an evaluator without a spec names no lines.
    let names = example().replace("\"TEMPO\"", "\"Tempo\"");
    let said = refused(&self::folder(&names), &[]);
    has(&said, &["the evaluator's weights: `Tempo` is no name"]);
    assert!(!said.contains("name = "), "{said}");
}

#[test]
fn all_that_tuner_toml_names_is_looked_for_at_once() {
    let folder = folder(&example());
    let settings =
        "spec = \"e.toml\"\ndata = [\"a.epd\"]\n[evaluator]\nrun = \"python3 evaluator.py\"\n";
    fs::write(folder.path().join("tuner.toml"), settings).unwrap();
    let output = tuner(folder.path(), &["check"]);
    has(
        &words(&output),
        &[
            "a.epd: cannot be opened",
            "e.toml:1:1: the file cannot be read",
        ],
    );
    let settings = "[evaluator]\nrun = \"cd x && ./e\"\n";
    fs::write(folder.path().join("tuner.toml"), settings).unwrap();
    has(
        &refused(&folder, &[]),
        &["without a shell", "sh -c 'cd x && ./e'"],
    );
}

#[test]
fn a_game_that_is_not_known_is_said_to_be_texts() {
    let folder = folder(&example().replace("game chess", "game Ches"));
    fs::write(
        folder.path().join("a.txt"),
        "8/8/8/8/8/8/8/R7 w [1.0]\n8/8/8/8/8/8/8/r7 w [0.0]\n",
    )
    .unwrap();
    let output = tuner(folder.path(), &["check", "a.txt:format=bracketed"]);
    has(
        &words(&output),
        &["game Ches (did you mean `chess`?): positions are texts"],
    );
}

#[test]
fn what_is_skipped_is_not_advised_to_be() {
    let folder = folder(&example().replace("state[\"fen\"] = rest", "state[\"fen\"] = rest; assert rest.count(\"Q\") or rest.count(\"R\"), 1")
        .replace("        print(answer(*line.strip().partition(\" \")[::2], state), flush=True)",
        "        try:\n            print(answer(*line.strip().partition(\" \")[::2], state), flush=True)\n        except AssertionError:\n            print(\"error too few\", flush=True)"));
    has(
        &refused(&folder, &[]),
        &["too few; correct it, or pass over"],
    );
    let output = tuner(
        folder.path(),
        &["check", &data(300), "--on-bad-line", "skip"],
    );
    assert!(output.status.success(), "{}", words(&output));
    has(&words(&output), &["too few"]);
    assert!(
        !words(&output).contains("--on-bad-line"),
        "{}",
        words(&output)
    );
}

#[test]
fn a_spec_is_written_of_a_running_evaluator_and_shown_in_examples() {
    let folder = folder(&example());
    let output = tuner(folder.path(), &["spec", "init", "-o", "e.toml"]);
    assert!(output.status.success(), "{}", words(&output));
    let spec = fs::read_to_string(folder.path().join("e.toml")).unwrap();
    has(
        &spec,
        &[
            "name = \"PAWN_RANK\"",
            "shape = [6]",
            "phases = [\"mg\", \"eg\"]",
        ],
    );
    let settings =
        "spec = \"e.toml\"\ndata = [\"a.epd\"]\n[evaluator]\nrun = \"python3 evaluator.py\"\n";
    fs::write(folder.path().join("tuner.toml"), settings).unwrap();
    let check = tuner(folder.path(), &["check", &data(1000)]);
    assert!(check.status.success(), "{}", words(&check));
    let help = tuner(folder.path(), &["fit", "--help"]);
    let help = String::from_utf8(help.stdout).unwrap();
    has(
        &help,
        &["  tuner fit\n", "tuner fit --only MATERIAL --out material"],
    );
    assert!(!help.contains("KING"), "{help}");
    let elsewhere = TempDir::new().unwrap();
    let output = tuner(elsewhere.path(), &["spec", "init"]);
    has(&words(&output), &["found no tuner.toml"]);
}

#[test]
#[allow(clippy::print_stderr, reason = "what is skipped is said")]
fn an_evaluator_in_go_is_fitted() {
    if std::process::Command::new("go")
        .arg("version")
        .output()
        .is_err()
    {
        eprintln!("skipped: no `go` here");
        return;
    }
    let folder = TempDir::new().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/go");
    for name in ["evaluator.go", "tuner.toml"] {
        fs::copy(from.join(name), folder.path().join(name)).unwrap();
    }
    let (said, weights) = fitted(&folder, &[]);
    has(
        &said,
        &["16 scorings", "linear in the weights", "better than before"],
    );
    assert_eq!(weights.len(), 14);
}

#[test]
fn a_check_compares_positions_with_the_colours_swapped() {
    let pawns = "counts[role] += sign * (2 if piece == \"P\" else 1)";
    let unlike = example().replacen("counts[role] += sign", pawns, 1);
    let main = "if __name__";
    let folder = folder(&unlike.replace(main, &format!("{TRACES}\n{main}")));
    let data = data(1000);
    let output = tuner(folder.path(), &["check", &data]);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    has(
        &said,
        &[
            "mirror: with the colours swapped ",
            " of 1000 positions have another score; first ",
            "; MATERIAL is worth ",
            "it is so in production",
            "the evaluation is not the same for both players",
        ],
    );
    let output = tuner(folder.path(), &["check", &data, "--asymmetric"]);
    assert!(output.status.success(), "{}", words(&output));
    assert!(!words(&output).contains("mirror"), "{}", words(&output));
}

/// What divisions round off is not the same for both players, and no reason to stop; a weight that
/// counts for one of them is one, however small.
#[test]
fn a_mirror_that_differs_by_rounding_is_no_asymmetry() {
    let traced = |program: &str, slack: &str| {
        let traces = TRACES.replace("{23 / 24}", slack);
        folder(&program.replace("if __name__", &format!("{traces}\nif __name__")))
    };
    // White's score is rounded down, whoever is to move.
    let white = "sign = 1 if \" w\" in fen else -1\n    return sign * (sign * (mg * phase + eg * (24 - phase)) // 144 * 6)";
    let floored = example().replace("return (mg * phase + eg * (24 - phase)) // 24", white);
    let output = tuner(traced(&floored, "7").path(), &["check", &data(300)]);
    let said = words(&output);
    assert!(output.status.success(), "{said}");
    has(&said, &["differs by up to 6, which divisions round off"]);
    let white = "counts[:11] + [pairs if turn == \"w\" else -pairs, 2 if turn == \"w\" else 1]";
    let unlike = example().replace(
        "counts[:11] + [pairs if turn == \"w\" else -pairs, 1]",
        white,
    );
    let unlike = unlike.replace("[10, 0]", "[1, 1]");
    let output = tuner(traced(&unlike, "{23 / 24}").path(), &["check", &data(300)]);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    has(&said, &["; TEMPO is worth "]);
    let turned = example().replace("view side-to-move", "view first-player");
    let output = tuner(traced(&turned, "{23 / 24}").path(), &["check", &data(300)]);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    has(
        &said,
        &[
            "scores are those of the side to move, where the evaluator says that they are of the first player",
            "error: scores are those of another view than the evaluator says",
        ],
    );
}

/// The example whose numbers note their operations, and tapes that cannot be.
#[test]
fn tapes_of_another_language_are_checked_and_refused_with_their_place() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/python/tape/evaluator.py");
    let example = fs::read_to_string(path).unwrap();
    let data = data(300);
    let check = |program: &str| {
        let folder = folder(program);
        let output = tuner(folder.path(), &["check", &data]);
        (output.status.success(), words(&output))
    };
    let (is_right, found) = check(&example);
    assert!(is_right, "{found}");
    has(
        &found,
        &[
            "check: 300 positions, 0 mismatches",
            ", 0 wrong",
            "scores are not linear",
        ],
    );
    for (old, new, says) in [
        (
            "f\"add {self.at} {other.at}\"",
            "f\"add {self.at} 99999\"",
            " is of number 99999, expected one below ",
        ),
        ("f\"mul {", "f\"frobnicate {", "found step \"frobnicate\""),
        // A mistake that no tape shows is one in the scores.
        ("{other.at} -1\"", "{other.at} 1\"", "mismatch"),
    ] {
        let (is_right, found) = check(&example.replace(old, new));
        assert!(!is_right, "{found}");
        has(&found, &[says]);
    }
}
