//! Evaluators that die, hang, answer nonsense; each is named, and what else there is stays.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failing test may end with a panic")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::scripts::executable;
use crate::support::{tuner, words};
use tempfile::TempDir;

/// An evaluator of positions that are two numbers: 10 times the first and 3 times the second.
/// `AT` is what it does at the position `7 7` before it answers, `SCORE` at each score.
const TOY: &str = r#"#!/bin/sh
a=10; b=3
while read -r word rest; do case $word in
    tuner) printf 'version 1\nname toy\ngame toy\nview first-player\nBUILDcan trace\nok\n';;
    weights) printf 'parameter A values 10\nparameter B values 3\nok\n';;
    set) if [ "$rest" = source ]; then a=10; b=3; else for pair in $rest; do case $pair in
            0=*) a=${pair#0=};; 1=*) b=${pair#1=};; esac; done; fi; echo ok;;
    position) set -- $rest; x=$1; y=$2
        if [ "$rest" = "7 7" ]; then :; AT
        fi
        case $x in bad) x=; echo 'error found bad, expected two numbers';;
            *) echo position first;; esac;;
    score) if [ -z "$x" ]; then echo error no position; else SCORE; fi;;
    trace) if [ -z "$x" ]; then echo error no position
        else echo "row $((a*x+b*y)) form 1 0:$x 1:$y"; fi;;
    quit) exit 0;;
    *) echo "error found $word, expected a command";;
esac; done
"#;

pub(crate) const RIGHT: &str = r#"echo "score $((a*x+b*y))""#;

/// A folder with a toy evaluator that has one fault, its tuner.toml and some positions.
pub(crate) fn folder(at: &str, score: &str, build: &str, more: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let script = (TOY.replace("AT\n", &format!("{at}\n")))
        .replace("SCORE", score)
        .replace("BUILD", build);
    let path = folder.path().join("toy.sh");
    executable(&path, &script);
    let settings = format!("[evaluator]\nrun = \"./toy.sh\"\n{more}");
    fs::write(folder.path().join("tuner.toml"), settings).unwrap();
    let mut lines = String::new();
    for x in 0..10 {
        for y in 0..10 {
            // Goes with the score, but not always.
            let result = ["0.0", "0.5", "1.0"][(3 * x + y + x * y % 4) / 14];
            writeln!(lines, "{x} {y} [{result}]").unwrap();
        }
    }
    fs::write(folder.path().join("toy.txt"), lines).unwrap();
    folder
}

/// Changes a part of the evaluator.
pub(crate) fn change(folder: &TempDir, part: &str, to: &str) {
    let path = folder.path().join("toy.sh");
    let script = fs::read_to_string(&path).unwrap();
    assert!(script.contains(part), "{part}");
    executable(&path, &script.replace(part, to));
}

pub(crate) fn check(folder: &TempDir, more: &[&str]) -> Output {
    let args = [
        &["check", "toy.txt:format=bracketed", "--threads", "1"],
        more,
    ]
    .concat();
    tuner(folder.path(), &args)
}

/// What is said where a check fails.
pub(crate) fn failed(folder: &TempDir) -> String {
    let output = check(folder, &[]);
    assert_eq!(output.status.code(), Some(1), "{}", words(&output));
    words(&output)
}

pub(crate) fn has(found: &str, parts: &[&str]) {
    for part in parts {
        assert!(found.contains(part), "no {part:?} in\n{found}");
    }
}

#[test]
fn an_evaluator_without_fault_is_checked_and_fitted_without_a_spec() {
    let folder = folder(":", RIGHT, "", "");
    let found = words(&check(&folder, &[]));
    has(
        &found,
        &["check: 100 positions, 0 mismatches, 200 derivatives compared, 0 wrong"],
    );
    let fit = tuner(
        folder.path(),
        &[
            "fit",
            "toy.txt:format=bracketed",
            "--held-out",
            "0",
            "--prior",
            "20",
        ],
    );
    assert!(fit.status.success(), "{}", words(&fit));
    let weights = fs::read_to_string(folder.path().join("tuner-run/weights.txt")).unwrap();
    assert!(
        weights.starts_with("# K ") && weights.contains("\nA ") && weights.contains("\nB "),
        "{weights}"
    );
}

#[test]
fn an_evaluator_that_dies_is_named_with_its_position() {
    let folder = folder("echo going >&2; kill -9 $$", RIGHT, "", "");
    // It is no bad line that could be skipped.
    let skipping = check(&folder, &["--on-bad-line", "skip"]);
    assert_eq!(skipping.status.code(), Some(1), "{}", words(&skipping));
    let found = failed(&folder);
    has(
        &found,
        &["toy.sh", "it ended", "signal: 9", "going", "position 7 7"],
    );
}

#[test]
fn an_evaluator_that_is_silent_is_named() {
    let found = failed(&folder("exec sleep 100", RIGHT, "", "patience = 1\n"));
    has(
        &found,
        &[
            "toy.sh",
            "no answer in 1 seconds to `position`",
            "position 7 7",
            "patience",
        ],
    );
    // One that never answers may be an engine that speaks UCI.
    let folder = folder(":", RIGHT, "", "patience = 1\n");
    change(&folder, "tuner) ", "tuner) sleep 2; ");
    let found = failed(&folder);
    has(
        &found,
        &[
            "no answer in 1 seconds to `tuner`",
            "it may still be starting: raise `patience`",
            "name a UCI or USI program by `uci` in place of",
        ],
    );
}

#[test]
fn an_evaluator_that_falls_silent_is_waited_for_once() {
    let score = format!("n=$((n+1)); [ $n -gt 700 ] && sleep 100; {RIGHT}");
    let folder = folder("", &score, "", "patience = 2\n");
    let positions = folder.path().join("toy.txt");
    let lines = fs::read_to_string(&positions).unwrap();
    fs::write(&positions, lines.repeat(100)).unwrap();
    let begun = Instant::now();
    let found = failed(&folder);
    has(&found, &["no answer in 2 seconds", "behind it"]);
    let waited = begun.elapsed();
    assert!(waited < Duration::from_secs(15), "{waited:?}");
}

#[test]
fn answers_that_are_none_are_named() {
    for (at, score, parts) in [
        (
            "echo hello",
            RIGHT,
            &["\"hello\"", "position first", "7 7"][..],
        ),
        (":", "echo score nan", &["score nan", "finite"]),
        (":", "echo 12", &["\"12\"", "score VALUE"]),
        (":", "echo score 1; echo score 1", &["\"score 1\""]),
        ("continue", RIGHT, &["no answer in 5 seconds", "7 7"]),
        // Out of order, once the position was read: the answer to `position` comes behind that
        // to `score`.
        (
            "if [ $seen ]; then late=1; continue; fi; seen=1",
            &format!("{RIGHT}; if [ \"$late\" ]; then late=; echo position first; fi"),
            &["\"score 91\"", "position first", "7 7"],
        ),
    ] {
        let found = failed(&folder(at, score, "", "patience = 5\n"));
        has(&found, &["toy.sh"]);
        has(&found, parts);
    }
}

#[test]
fn a_score_that_its_row_contradicts_is_a_mismatch() {
    let score = r#"if [ $x = 7 ]; then echo "score 1"; else echo "score $((a*x+b*y))"; fi"#;
    let found = failed(&folder(":", score, "", ""));
    has(
        &found,
        &["10 mismatches", "production 1 ≠ trace", "do not agree"],
    );
}

#[test]
fn a_game_that_is_not_the_evaluator_s_is_refused() {
    let folder = folder(":", RIGHT, "", "");
    let path = folder.path().join("tuner.toml");
    let settings = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("game = \"chess\"\n{settings}")).unwrap();
    let says = "found `game = \"chess\"`, but the evaluator answers `game toy`";
    has(&failed(&folder), &["tuner.toml", says]);
}

#[test]
fn one_difference_blames_no_parameter() {
    let score = format!(r#"if [ "$x $y" = "7 7" ]; then echo score 90; else {RIGHT}; fi"#);
    let found = failed(&folder(":", &score, "", ""));
    has(&found, &["1 mismatches", "production 90 ≠ trace 91"]);
    assert!(!found.contains("explains"), "{found}");
}

#[test]
fn an_evaluator_that_hangs_where_derivatives_are_compared_is_waited_for_once() {
    let folder = folder(":", RIGHT, "", "patience = 1\n");
    change(&folder, "set) ", "set) sleep 100; ");
    let begun = Instant::now();
    let found = failed(&folder);
    has(&found, &["no answer in 1 seconds", "position "]);
    let waited = begun.elapsed();
    assert!(waited < Duration::from_secs(15), "{waited:?}");
}

#[test]
fn an_answer_without_end_is_refused() {
    let folder = folder(":", RIGHT, "", "");
    change(&folder, "weights) ", "weights) yes; ");
    has(&failed(&folder), &["found an answer of 64 MB without `ok`"]);
}

#[test]
fn a_command_that_is_refused_is_named() {
    let folder = folder(":", RIGHT, "", "");
    change(
        &folder,
        "weights) ",
        "weights) echo error none at hand;; unused) ",
    );
    has(&failed(&folder), &["it refuses `weights`: none at hand"]);
}

#[test]
fn evaluators_that_are_not_the_same_are_not_asked() {
    for (part, says) in [
        (
            "view first-player",
            r#""view side-to-move" where the first one said "view first-player""#,
        ),
        (
            "parameter B values 3",
            "other weights than the first one at `B`",
        ),
    ] {
        let folder = folder(":", RIGHT, "", "");
        let other = if part.starts_with('v') {
            "view side-to-move"
        } else {
            "parameter B values 4"
        };
        change(
            &folder,
            "#!/bin/sh\n",
            "#!/bin/sh\nif mkdir first; then says='PART'; else says='OTHER'; fi\n",
        );
        change(&folder, "PART", part);
        change(&folder, "OTHER", other);
        let printf = format!("\\n{part}");
        change(&folder, &printf, "\\n'\"$says\"'");
        let args = ["check", "toy.txt:format=bracketed", "--threads", "2"];
        let output = tuner(folder.path(), &args);
        let found = words(&output);
        assert_eq!(output.status.code(), Some(1), "{found}");
        has(&found, &["started once more it says", says]);
    }
}

#[test]
fn a_log_hears_of_a_slow_evaluator() {
    let once = "[ -e slept ] || { touch slept; sleep 12; }";
    let folder = folder(once, RIGHT, "", "");
    let found = fit_of_toy(&folder, "20");
    has(
        &found,
        &[" s: rows: waiting for the first positions", "0 mismatches"],
    );
}

/// What is said of a fit to the toy's positions, with all details.
pub(crate) fn fit_of_toy(folder: &TempDir, prior: &str) -> String {
    let args = "fit toy.txt:format=bracketed --held-out 0 --fast-games 0 --details --prior";
    let args: Vec<&str> = args.split(' ').chain([prior]).collect();
    let output = tuner(folder.path(), &args);
    assert!(output.status.success(), "{}", words(&output));
    words(&output)
}

#[test]
fn weights_that_differ_from_the_spec_s_are_named() {
    let folder = folder(":", RIGHT, "", "");
    let path = folder.path();
    fs::write(
        path.join("tuner.toml"),
        "spec = \"toy.toml\"\nsources = [\"src\"]\n[evaluator]\nrun = \"./toy.sh\"\n",
    )
    .unwrap();
    let import = "`tuner spec import src --into toy.toml";
    let spec = "version = 1\nname = \"toy\"\n[[parameter]]\nname = \"A\"\ninitial = 10\n\
                [[parameter]]\nname = \"C\"\ninitial = 3\n";
    fs::write(path.join("toy.toml"), spec).unwrap();
    has(
        &failed(&folder),
        &[
            "declares `C`",
            "`B` holds 1 weight that",
            &format!("{import} --vanished drop`"),
        ],
    );
    let other = spec.replace("\"C\"", "\"B\"").replace("= 10", "= 11");
    fs::write(path.join("toy.toml"), other).unwrap();
    let said = words(&check(&folder, &[]));
    has(&said, &["where a fit starts: A", &format!("{import}`")]);
}

#[test]
fn megabytes_on_standard_error_are_read_and_not_shown() {
    let at = "i=0; while [ $i -lt 3000 ]; do echo \"line $i $i $i $i $i $i $i\" >&2; \
              i=$((i+1)); done; head -c 3000000 /dev/zero | tr '\\\\0' x >&2";
    let folder = folder(at, RIGHT, "", "");
    let output = check(&folder, &[]);
    let found = words(&output);
    assert!(output.status.success(), "{found}");
    has(
        &found,
        &["evaluator: line 0 0", "more lines on standard error"],
    );
    assert!(found.len() < 20_000, "{} bytes", found.len());
}

#[test]
fn a_position_that_is_refused_is_a_bad_line() {
    let folder = folder(":", RIGHT, "", "");
    let path = folder.path().join("toy.txt");
    let lines = fs::read_to_string(&path).unwrap();
    fs::write(&path, lines.replacen("0 2 [", "bad 2 [", 1)).unwrap();
    let found = failed(&folder);
    has(
        &found,
        &["toy.txt:3:1: ", "found bad, expected two numbers"],
    );
    let output = check(&folder, &["--on-bad-line", "skip"]);
    let found = words(&output);
    assert!(output.status.success(), "{found}");
    has(
        &found,
        &[
            "99 positions + 1 rejected",
            "check: 99 positions, 0 mismatches",
        ],
    );
}

/// Some 140 positions are a batch, and the next one is sent before its answers are read.
#[test]
fn what_goes_wrong_in_any_batch_of_questions_has_its_place() {
    let folder = folder("kill -9 $$", RIGHT, "", "");
    let path = folder.path().join("toy.txt");
    let sound = fs::read_to_string(&path).unwrap().replace("7 7 [", "7 8 [");
    let sound: Vec<&str> = sound.lines().cycle().take(1500).collect();
    for before in [1, 139, 140, 141, 500, 1023, 1024, 1499] {
        let (first, last) = sound.split_at(before);
        let with = |line| [first, &[line], last].concat().join("\n");
        fs::write(&path, with("bad 2 [0.5]")).unwrap();
        has(&failed(&folder), &[&format!("toy.txt:{}:1: ", before + 1)]);
        fs::write(&path, with("7 7 [0.5]")).unwrap();
        has(&failed(&folder), &["signal: 9", "position 7 7"]);
    }
}

#[test]
fn an_evaluator_built_anew_ends_the_fit() {
    // Each start is of another build.
    let folder = folder(":", RIGHT, "build %s\\n", "");
    let script = folder.path().join("toy.sh");
    let text = fs::read_to_string(&script).unwrap();
    let text = text.replace("can trace\\nok\\n'", "can trace\\nok\\n' $$");
    executable(&script, &text);
    // A second conversation is begun where the first is in use.
    let lines: String = fs::read_to_string(folder.path().join("toy.txt"))
        .unwrap()
        .repeat(600);
    fs::write(folder.path().join("toy.txt"), lines).unwrap();
    let args = ["check", "toy.txt:format=bracketed", "--threads", "2"];
    let output = tuner(folder.path(), &args);
    assert_eq!(output.status.code(), Some(1), "{}", words(&output));
    has(
        &words(&output),
        &["built anew while it was in use", "begin again"],
    );
}

#[test]
fn a_build_that_fails_says_so() {
    let folder = folder(
        ":",
        RIGHT,
        "",
        "build = \"sh -c 'echo no such type >&2; exit 3'\"\n",
    );
    has(
        &failed(&folder),
        &["no such type", "[evaluator] build", "exit status: 3"],
    );
}

#[test]
fn mistakes_of_the_settings_come_all_at_once() {
    let folder = folder(":", RIGHT, "", "patience = \"long\"\nspeed = 3\n");
    has(
        &failed(&folder),
        &[
            "tuner.toml:3:12: ",
            "a whole number",
            "tuner.toml:4:1: unknown key `speed`",
        ],
    );
}

#[test]
fn without_settings_a_command_says_what_it_needs() {
    let folder = TempDir::new().unwrap();
    let output = tuner(folder.path(), &["check", "x.epd"]);
    assert_eq!(output.status.code(), Some(2));
    has(
        &words(&output),
        &["found no tuner.toml here or above", "-C DIR", "tuner new"],
    );
    // Where a game is named no evaluator is asked, and what needs no game refuses one.
    let folder = self::folder(":", RIGHT, "", "");
    for typed in [
        "data rescore --nodes 5 toy.txt -o out.tsv",
        "data resolve toy.txt -o out.tsv",
        "data filter --quiet 5 toy.txt -o out.tsv",
        "match spec source",
        "spsa --only A --out s",
        "elo 3 4 5",
        "sprt 3 4 5 --elo 0,5",
        "man pages",
        "completions bash",
    ] {
        let output = tuner(
            folder.path(),
            &format!("--game chess {typed}")
                .split(' ')
                .collect::<Vec<_>>(),
        );
        assert_eq!(output.status.code(), Some(2), "{typed}");
        has(&words(&output), &["--game ", "; leave it out"]);
    }
}

#[test]
fn every_command_takes_rows_of_an_evaluator_that_only_scores() {
    let folder = folder(":", RIGHT, "", "");
    change(&folder, "can trace", "can");
    for command in ["check", "outliers", "residuals"] {
        let output = tuner(folder.path(), &[command, "toy.txt:format=bracketed"]);
        let found = words(&output);
        assert_eq!(output.status.code(), Some(0), "{command}: {found}");
    }
    // A score that is none is said to be one.
    change(
        &folder,
        "echo \"score $((a*x+b*y))\"",
        "if [ $a -gt 10 ]; then echo score 0 overflow; else echo score $((a*x+b*y)); fi",
    );
    has(
        &failed(&folder),
        &[
            "the score overflows",
            "once weights are moved, by `set 0=26`",
        ],
    );
}

#[test]
fn a_score_that_is_refused_once_weights_are_moved_fails_the_check() {
    let score =
        r#"if [ "$a $b" = "10 3" ]; then echo "score $((a*x+b*y))"; else echo error too far; fi"#;
    let found = failed(&folder(":", score, "", ""));
    has(
        &found,
        &[
            "the evaluator refuses `score` once a weight is moved, so 200 derivatives",
            "too far",
            "gives no score at weights other than those of the source",
        ],
    );
}

#[test]
fn a_score_that_is_refused_is_not_said_to_be_a_bad_position() {
    let score =
        r#"if [ "$x $y" = "7 7" ]; then echo error no rook; else echo "score $((a*x+b*y))"; fi"#;
    let found = failed(&folder(":", score, "", ""));
    has(
        &found,
        &["toy.txt:78:1: ", "the evaluator refuses `score`: no rook"],
    );
}

#[test]
fn an_evaluator_that_takes_the_wrong_player_to_move_is_told_so() {
    let folder = folder(":", RIGHT, "", "");
    let script = folder.path().join("toy.sh");
    let text = fs::read_to_string(&script).unwrap();
    let text = text.replace("game toy", "game chess");
    executable(&script, &text.replace("x=$1; y=$2", "x=1; y=2"));
    let line = |side| format!("4k3/8/8/8/8/8/8/4K2R {side} K - 0 1 [1.0]\n");
    fs::write(folder.path().join("toy.txt"), line('w') + &line('b')).unwrap();
    has(
        &failed(&folder),
        &[
            "toy.txt:2:1: ",
            "answers `position first`, but it is the other player's turn",
        ],
    );
}

#[test]
fn no_position_behind_a_limit_is_asked_about() {
    let folder = folder("kill -9 $$", RIGHT, "", "");
    let data = "toy.txt:format=bracketed:limit=10";
    let output = tuner(folder.path(), &["check", data, "--threads", "1"]);
    assert!(output.status.success(), "{}", words(&output));
    has(&words(&output), &["check: 10 positions"]);
}

#[test]
fn no_evaluator_outlives_the_tuner() {
    let folder = folder("echo $$ > pid; exec sleep 100", RIGHT, "", "");
    let mut running = Command::new(assert_cmd::cargo::cargo_bin("tuner"))
        .current_dir(folder.path())
        .args(["check", "toy.txt:format=bracketed", "--threads", "1"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let pid = folder.path().join("pid");
    wait(|| fs::read_to_string(&pid).is_ok_and(|text| text.ends_with('\n')));
    let evaluator = fs::read_to_string(&pid).unwrap();
    let alive = || Path::new(&format!("/proc/{}/stat", evaluator.trim())).exists();
    running.kill().unwrap();
    running.wait().unwrap();
    wait(|| !alive());
}

fn wait(until: impl Fn() -> bool) {
    let begun = Instant::now();
    while !until() {
        assert!(begun.elapsed() < Duration::from_secs(20), "nothing happens");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_file_that_is_not_there_is_said_before_the_evaluator_is_built() {
    let more = "build = \"touch built\"\n";
    let folder = folder("", RIGHT, "", more);
    for name in ["nowhere.txt", "nowhere.txt:limit=3"] {
        let output = tuner(folder.path(), &["data", "profile", name]);
        assert_eq!(output.status.code(), Some(1), "{}", words(&output));
        let said = words(&output);
        assert!(said.contains("nowhere.txt: cannot be opened"), "{said}");
        assert!(!folder.path().join("built").exists(), "{said}");
    }
    let output = tuner(folder.path(), &["data", "profile", "toy.txt"]);
    assert!(output.status.success(), "{}", words(&output));
    assert!(folder.path().join("built").exists());
}

/// What writes `toy.sh` with the weights of the source.
const BUILD: &str = r#"
value() { sed -n "s/.*$1: i32 = \(.*\);/\1/p" src/eval.rs; }
sed "s/a=10/a=$(value A)/g; s/A values 10/A values $(value A)/; s/b=3/b=$(value B)/g
     s/B values 3/B values $(value B)/; s/BASE/$(value B)/g" toy.in > toy.sh && chmod +x toy.sh
"#;

#[test]
fn production_built_with_other_weights_shows_what_the_twin_never_reads() {
    let lost = (
        r#"echo "score $((a*x+(BASE)*y))""#,
        (
            "row $((a*x+b*y)) form 1 0:$x 1:$y",
            "row $((a*x+(BASE)*y)) constant $(((BASE)*y)) form 1 0:$x",
        ),
    );
    for (score, row) in [(RIGHT, ("row", "row")), lost] {
        let folder = folder(":", score, "", "");
        change(&folder, row.0, row.1);
        let path = |name: &str| folder.path().join(name);
        fs::rename(path("toy.sh"), path("toy.in")).unwrap();
        fs::write(path("build.sh"), BUILD).unwrap();
        fs::create_dir(path("src")).unwrap();
        let source = "pub const A: i32 = 10;\npub const B: i32 = 3;\n";
        fs::write(path("src/eval.rs"), source).unwrap();
        let settings = "[evaluator]\nbuild = \"sh build.sh\"\nrun = \"./toy.sh\"\n";
        fs::write(path("tuner.toml"), settings).unwrap();
        let args = ["--allow-constants", "--rebuild", "--json"];
        let output = check(&folder, &args);
        assert!(!output.status.success(), "{}", words(&output));
        let cure = "--rebuild writes other weights into the Rust sources of the evaluation";
        assert!(words(&output).contains(cure), "{}", words(&output));
        fs::write(
            path("tuner.toml"),
            format!("sources = [\"src\"]\n{settings}"),
        )
        .unwrap();
        assert!(check(&folder, &args[..1]).status.success());
        let output = check(&folder, &args);
        let said = words(&output);
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect(&said);
        let found = &found["rebuilt"];
        assert_eq!(
            (&found["positions"], &found["weights"]),
            (&100.into(), &2.into())
        );
        let is_right = score == RIGHT;
        assert_eq!(output.status.success(), is_right, "{said}");
        assert_eq!(found["wrong"] == 0, is_right, "{said}");
        let parameters = found["parameters"].as_array().unwrap();
        assert_eq!(
            parameters.iter().any(|name| name == "B"),
            !is_right,
            "{said}"
        );
        let line = "rebuild: production built with 2 other weights gives the score of its twin on \
                    100 positions";
        assert_eq!(said.contains(line), is_right, "{said}");
        assert_eq!(fs::read_to_string(path("src/eval.rs")).unwrap(), source);
    }
}
