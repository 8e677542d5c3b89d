//! `tuner new` in conversation with the compiler.

#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::fs;
use std::path::Path;

use assert_cmd::Command;

use crate::new::{MANIFEST, all, engine, new};
#[cfg(unix)]
use crate::scripts::executable;

/// The program in a folder; what it has cargo build is built once for all of these engines.
pub(crate) fn tuner(folder: &Path) -> Command {
    let builds = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conversations");
    let mut command = Command::cargo_bin("tuner").unwrap();
    command
        .current_dir(folder)
        .env("CARGO_BUILD_BUILD_DIR", builds);
    command
}

#[test]
fn the_evaluation_may_be_in_the_root_and_its_tables_anywhere() {
    const PLACE: &str = "pub trait FromFen: Sized {\n    fn from_fen(text: &str) -> Option<Self>;\n}\n\
        impl FromFen for super::Board {\n    fn from_fen(_: &str) -> Option<Self> { None }\n}\n";
    let root = "pub mod place;\nmod tables;\nuse tables::VALUES;\npub struct Board;\n\
        pub fn evaluate(_: &Board) -> i32 { VALUES[0] }\n";
    let folder = engine(&[
        ("src/lib.rs", root),
        ("src/place.rs", PLACE),
        (
            "src/tables.rs",
            "pub const VALUES: [i32; 6] = [100, 320, 330, 500, 950, 0];\n",
        ),
        (
            "src/main.rs",
            "fn main() {\n    my_wren::place::fill();\n    run();\n}\n",
        ),
    ]);
    let place = format!("{PLACE}pub fn fill() {{}}\n");
    fs::write(folder.path().join("src/place.rs"), place).unwrap();
    let args = "--board own --evaluate evaluate --from-text place::Board::from_fen";
    let (status, words) = new(folder.path(), args);
    assert_eq!(status, 0, "{words}");
    let text = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    for (name, is_traced) in [("lib", true), ("tables", true), ("place", false)] {
        let text = text(&format!("src/{name}.rs"));
        assert_eq!(text.contains("traced!()"), is_traced, "{name}: {text}");
    }
    let notation = text("tuner/src/notation.rs");
    let call = "<my_wren::Board as my_wren::place::FromFen>::from_fen(text).ok_or_else(fault)?";
    assert!(notation.contains(call), "{notation}");
    assert!(
        text("tuner/src/main.rs").contains("    my_wren::place::fill();\n    tuner_core::serve")
    );
}

/// A pair that another crate of the workspace declares is one mistake, and what it says cures it.
/// What reads a position is of that crate as well, and gives an `Option` or a `Result`.
#[test]
fn a_pair_of_another_crate_is_one_mistake() {
    const PAIR: &str = "#[derive(Clone, Copy)]\npub struct Score(pub i32, pub i32);\n\
        impl std::ops::Sub for Score {\n    type Output = Score;\n    fn sub(self, other: Score) -> Score {\n\
        \x20       Score(self.0 - other.0, self.1 - other.1)\n    }\n}\n";
    const BOARD: &str = "pub struct Board;\n\
        impl Board {\n    pub fn from_fen(_: &str) -> Option<Self> { None }\n}\n\
        pub struct NoWords;\nimpl std::str::FromStr for Board {\n    type Err = NoWords;\n    \
        fn from_str(_: &str) -> Result<Self, NoWords> { Err(NoWords) }\n}\n";
    let eval = "use other::Board;\nuse other::Score;\n\
        pub const MEN: [Score; 2] = [Score(100, 120), Score(320, 300)];\n\
        pub const TEMPO: Score = Score(10, 0);\n\
        pub fn evaluate(_: &Board) -> i32 {\n    let score = MEN[0] - TEMPO;\n    (score.0 + score.1) / 2\n}\n";
    let folder = engine(&[("src/lib.rs", "pub mod eval;\n"), ("src/eval.rs", eval)]);
    let other = folder.path().join("other");
    fs::create_dir_all(other.join("src")).unwrap();
    let manifest = "[package]\nname = \"other\"\nedition = \"2024\"\n\n[workspace]\n";
    fs::write(other.join("Cargo.toml"), manifest).unwrap();
    fs::write(other.join("src/lib.rs"), format!("{PAIR}{BOARD}")).unwrap();
    let manifest = folder.path().join("Cargo.toml");
    let with = "[package]\nname = \"my-wren\"\nedition = \"2024\"\n\n[dependencies]\nother = { path = \"other\" }\n";
    fs::write(&manifest, with).unwrap();
    let asked = |reader: &str| {
        let _ = fs::remove_dir_all(folder.path().join("tuner/src"));
        let output = tuner(folder.path())
            .args(["new", "--board", "own", "--evaluate", "eval::evaluate"])
            .args(["--from-text", reader])
            .args(["--tuner", concat!(env!("CARGO_MANIFEST_DIR"), "/../..")])
            .output()
            .unwrap();
        let words = String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), words)
    };
    let (status, words) = asked("other::Board::from_fen");
    assert_eq!(status, 1, "{words}");
    let said = "`Score`, the type of MEN and 1 others, is of another crate";
    assert!(
        words.contains(said) && words.contains("one mistake is left"),
        "{words}"
    );
    fs::write(folder.path().join("src/score.rs"), PAIR).unwrap();
    fs::write(
        folder.path().join("src/lib.rs"),
        "pub mod eval;\npub mod score;\n",
    )
    .unwrap();
    fs::write(
        folder.path().join("src/eval.rs"),
        eval.replace("other::Score", "crate::score::Score"),
    )
    .unwrap();
    for reader in ["other::Board::from_fen", "other::Board::from_str"] {
        let (status, words) = asked(reader);
        assert_eq!(status, 0, "{words}");
        let notation = fs::read_to_string(folder.path().join("tuner/src/notation.rs")).unwrap();
        assert!(notation.contains("ReadBoard::read_board("), "{notation}");
    }
}

/// The evaluation itself keeps its score, and no other function calls it.
#[test]
fn what_the_evaluation_calls_is_never_left_out() {
    let board = "pub struct Board { pub men: i32, pub last: i32 }\n\
        impl Board {\n    pub fn of(text: &str) -> Option<Board> {\n        \
        Some(Board { men: text.len() as i32, last: 0 })\n    }\n}\n";
    let eval = "use crate::board::Board;\npub const MEN: i32 = 100;\npub const TEMPO: i32 = 10;\n\
        impl Board {\n    pub fn evaluate(&mut self) -> i32 {\n        let score = men(self);\n        \
        self.last = score;\n        crate::note::keep(score);\n        score\n    }\n}\n\
        fn men(board: &Board) -> i32 { board.men * MEN + TEMPO }\n";
    let note = "use std::sync::atomic::{AtomicI32, Ordering};\nstatic LAST: AtomicI32 = AtomicI32::new(0);\n\
        pub fn keep(score: i32) {\n    LAST.store(score, Ordering::Relaxed);\n}\n";
    let folder = engine(&[
        (
            "Cargo.toml",
            "[package]\nname = \"kept\"\nedition = \"2024\"\n\n[workspace]\n",
        ),
        (
            "src/lib.rs",
            "pub mod board;\npub mod eval;\npub mod note;\n",
        ),
        ("src/board.rs", board),
        ("src/eval.rs", eval),
        ("src/note.rs", note),
    ]);
    let asked = || {
        let output = tuner(folder.path())
            .args([
                "new",
                "--board",
                "own",
                "--evaluate",
                "eval::Board::evaluate",
            ])
            .args(["--from-text", "board::Board::of"])
            .args(["--tuner", concat!(env!("CARGO_MANIFEST_DIR"), "/../..")])
            .output()
            .unwrap();
        let words = String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), words)
    };
    let (status, words) = asked();
    let file = folder.path().join("src/eval.rs");
    let annotated = fs::read_to_string(&file).unwrap();
    assert_eq!(status, 1, "{words}");
    assert!(!annotated.contains("untraced(evaluate)"), "{words}");
    assert!(words.contains("tuner_core::untraced! {"), "{words}");
    let noted = || fs::read_to_string(folder.path().join("src/note.rs")).unwrap();
    assert!(noted().contains("traced!()"), "{words}");
    let kept = "self.last = score;\n        crate::note::keep(score);";
    let left_out = format!("tuner_core::untraced! {{ {kept} }}");
    fs::write(&file, annotated.replace(kept, &left_out)).unwrap();
    let (status, words) = asked();
    assert_eq!(status, 0, "{words}");
    // What only the first answer needed is taken out again.
    assert_eq!(noted(), note, "{words}");
}

#[test]
fn nothing_is_left_where_the_compiler_cannot_be_asked() {
    let manifest = format!("{MANIFEST}missing = {{ path = \"not/there\" }}\n");
    let board = "pub fn read(_: &str) -> Result<Board, String> { Ok(Board) }\n\
        pub struct Board;\nimpl Board { pub fn score(&self) -> i32 { MEN } }\n\
        pub const MEN: i32 = 100;\n";
    let folder = engine(&[("Cargo.toml", &manifest), ("src/eval.rs", board)]);
    let before = all(folder.path());
    // A method of the position is the one that is called.
    let args = "new --board own --evaluate pos.score() --from-text eval::read --tuner";
    let output = Command::cargo_bin("tuner")
        .unwrap()
        .current_dir(folder.path())
        .args(args.split(' '))
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("cargo check:\nerror: failed to"), "{words}");
    assert_eq!(all(folder.path()), before, "{words}");
}

/// The sources are edited while the compiler is asked; an interruption ends it and takes that back.
#[cfg(unix)]
#[test]
fn nothing_is_left_where_the_compiler_is_interrupted() {
    let folder = engine(&[]);
    let before = all(folder.path());
    let programs = tempfile::tempdir().unwrap();
    let cargo = "#!/bin/sh\ngrep -q 'traced!' src/eval.rs && kill -TERM $PPID\nexec sleep 60";
    executable(&programs.path().join("cargo"), cargo);
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", programs.path().display());
    let begin = std::time::Instant::now();
    let output = tuner(folder.path())
        .env("PATH", path)
        .args(["new", "--board", "shakmaty", "--evaluate", "eval::evaluate"])
        .args(["--tuner", concat!(env!("CARGO_MANIFEST_DIR"), "/../..")])
        .output()
        .unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{words}");
    assert!(words.contains("; the sources are as they were"), "{words}");
    assert!(begin.elapsed().as_secs() < 30, "{words}");
    assert_eq!(all(folder.path()), before, "{words}");
}

/// An engine whose evaluation asks for one annotation of each kind.
const ASKING: [(&str, &str); 7] = [
    (
        "Cargo.toml",
        "[package]\nname = \"asking\"\nedition = \"2024\"\n\n[workspace]\n\n[features]\ntune = []\n",
    ),
    (
        "src/lib.rs",
        "pub mod board;\npub mod eval;\npub mod score;\n#[cfg(feature = \"tune\")]\npub mod tune;\n",
    ),
    (
        "src/tune.rs",
        "use crate::{board::Board, eval::DANGER};\n\
         impl Default for Board {\n    fn default() -> Self {\n        Self { men: [[DANGER; 6]; 2], white: true }\n    }\n}\n",
    ),
    (
        "src/eval/report.rs",
        "use crate::score::S;\n\nfn text(score: S) -> usize {\n    format!(\"{}\", score.0).len()\n}\n\n\
         pub fn width(number: i32) -> usize {\n    text(S(number, number))\n}\n",
    ),
    (
        "src/board.rs",
        "pub struct Board {\n    pub men: [[i32; 6]; 2],\n    pub white: bool,\n}\n\
         impl std::str::FromStr for Board {\n    type Err = ();\n    fn from_str(text: &str) -> Result<Self, ()> {\n\
         \x20       let row = |men: &str| -> [i32; 6] {\n\
         \x20           let all: Vec<i32> = men.chars().map(|man| text.matches(man).count() as i32).collect();\n\
         \x20           all.try_into().unwrap()\n        };\n\
         \x20       let white = text.split(' ').nth(1).ok_or(())? == \"w\";\n\
         \x20       Ok(Self { men: [row(\"PNBRQK\"), row(\"pnbrqk\")], white })\n    }\n}\n",
    ),
    (
        "src/score.rs",
        "#[derive(Clone, Copy)]\npub struct S(pub i32, pub i32);\n\
         impl std::ops::AddAssign for S {\n    fn add_assign(&mut self, other: S) {\n\
         \x20       *self = S(self.0 + other.0, self.1 + other.1);\n    }\n}\n\
         impl std::ops::Mul<i32> for S {\n    type Output = S;\n    fn mul(self, by: i32) -> S {\n\
         \x20       S(self.0 * by, self.1 * by)\n    }\n}\n",
    ),
    (
        "src/eval.rs",
        "pub mod report;\n\nuse crate::board::Board;\nuse crate::score::S;\n\n\
         pub static mut LAST: S = S(0, 0);\nconst RATIO: i32 = 5;\n\
         const PHASES: [i32; 6] = [0, 1, 1, 2, 4, 0];\nconst LIMIT: i32 = 24;\nconst IDLE_OFFSET: i32 = 2;\n\
         const PAWN_OFFSETS: [(i8, i8); 2] = [(0, 1), (1, 0)];\n\
         pub const DANGER: i32 = 30;\n\
         const VALUES: [S; 6] = [S(82, 94), S(337, 281), S(365, 297), S(477, 512), S(1025, 936), S(0, 0)];\n\
         const PAWNS: S = S(3, 5);\n\n\
         pub struct Value(i32);\n\n\
         impl Value {\n    pub fn inner(self) -> i32 {\n        self.0\n    }\n}\n\n\
         pub fn evaluate(board: &Board, depth: u8) -> Value {\n    let mut score = S(0, 0);\n\
         \x20   let (mut phase, mut danger) = (0, 0);\n\
         \x20   for (men, sign) in board.men.iter().zip([1, -1]) {\n        for man in 0..6 {\n\
         \x20           score += VALUES[man] * (sign * men[man]);\n            phase += PHASES[man] * men[man];\n        }\n\
         \x20       score += PAWNS * (sign * (men[0] - IDLE_OFFSET));\n        danger += DANGER * (sign * men[4]);\n    }\n\
         \x20   let phase = phase.min(LIMIT);\n\
         \x20   let score = (score.0 * phase + score.1 * (LIMIT - phase)) / LIMIT + danger * danger / 64;\n\
         \x20   let _ = (depth, ratio(board), report::width(3), PAWN_OFFSETS.map(|(file, rank)| file + rank));\n    Value(if board.white { score } else { -score })\n}\n\n\
         fn ratio(board: &Board) -> u8 {\n    (board.men[0][0] * RATIO) as u8\n}\n\n\
         pub fn clear() -> S {\n    unsafe { LAST = PAWNS * 2 };\n    PAWNS\n}\n\n\
         pub fn print_terms(board: &Board) {\n    println!(\"{}\", evaluate(board, 1).inner());\n}\n",
    ),
];

#[test]
fn the_compiler_says_what_else_is_annotated() {
    let around = tempfile::tempdir().unwrap();
    let folder = around.path().join("engine");
    let folder = folder.as_path();
    // A dry run is in a copy, which has not what is beside the engine.
    let beside = "\n[dependencies]\nbeside = { path = \"../beside\" }\n";
    let manifest = ASKING[0].1.to_owned() + beside;
    let manifest_beside = "[package]\nname = \"beside\"\n\n[workspace]\n";
    let files = ASKING.iter().skip(1).copied();
    for (name, text) in files.chain([
        ("Cargo.toml", &*manifest),
        ("../beside/Cargo.toml", manifest_beside),
        ("../beside/src/lib.rs", ""),
    ]) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let before = all(folder);
    let run = |more: &[&str]| {
        let output = tuner(folder)
            .args(["new", "--board", "own", "--trace", "src/eval/report.rs"])
            .args(["--tuner", concat!(env!("CARGO_MANIFEST_DIR"), "/../..")])
            .args(more)
            .output()
            .unwrap();
        let words = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), words)
    };
    let from_text = "--from-text=board::Board::from_str";
    let evaluate = [from_text, "--evaluate", "eval::evaluate(pos, 3).inner()"];
    let (status, shown) = run(&[&evaluate[..], &["--dry-run"]].concat());
    assert_eq!(status, Some(0), "{shown}");
    assert_eq!(all(folder), before, "{shown}");
    let (status, words) = run(&evaluate);
    assert_eq!(status, Some(0), "{words}");
    for said in [
        "src/eval.rs: + traced!(frozen(PHASES))\n    `PHASES` is a count by its name",
        "src/eval.rs: + traced!(frozen(PAWN_OFFSETS))\n    `PAWN_OFFSETS` is a count by its name",
        "src/eval.rs: + traced!(frozen(LIMIT))\n    src/eval.rs:",
        "src/eval.rs: + traced!(frozen(IDLE_OFFSET))\n    src/eval.rs:",
        "src/eval.rs: + traced!(nonlinear)\n    src/eval.rs:",
        "src/eval.rs: + traced!(frozen(LAST))\n    src/eval.rs:6:",
        "src/eval.rs: + traced!(frozen(RATIO))\n    src/eval.rs:",
        "src/eval/report.rs: - traced!()\n    it has no weights, and without it there are 0 mistakes",
    ] {
        assert!(
            words.contains(said) && shown.contains(said),
            "{said}: {words}"
        );
    }
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    for (name, old) in ASKING.iter().skip(1) {
        let new = text(name);
        let added = new.strip_prefix(old).unwrap();
        assert_eq!(
            added.contains("traced!("),
            ["src/score.rs", "src/eval.rs"].contains(name),
            "{name}"
        );
    }
    let eval = text("src/eval.rs");
    assert!(
        eval.contains(
            "pub fn score_for_tuner(pos: &crate::board::Board) -> i32 {\n    (crate::eval::evaluate(pos, 3).inner()) as i32\n}\n"
        ),
        "{eval}"
    );
    // The engine has a feature `tune` of its own.
    for name in ["src/lib.rs", "src/eval.rs"] {
        assert!(text(name).contains("#[cfg(feature = \"tuner-trace\")]\n"));
    }
    let manifest = text("Cargo.toml");
    assert!(
        manifest.contains("\ntune = []\n")
            && manifest.contains("\ntuner-trace = [\"dep:tuner-core\"]\n"),
        "{manifest}"
    );
    let weights = text("asking.toml");
    for (name, is_weight) in [
        ("PHASES", false),
        ("LIMIT", false),
        ("DANGER", true),
        ("VALUES", true),
    ] {
        assert_eq!(
            weights.contains(&format!("name = \"{name}\"")),
            is_weight,
            "{weights}"
        );
    }
    // What is there already is no obstacle to another run, of the same words or of others.
    let (status, words) = run(&evaluate);
    assert_eq!(status, Some(0), "{words}");
    assert!(!words.contains(": written"), "{words}");
    let (status, words) = run(&[from_text, "--evaluate", "eval::evaluate(pos, 5).inner()"]);
    assert_eq!(status, Some(0), "{words}");
    assert_eq!(text("src/eval.rs"), eval.replace("(pos, 3)", "(pos, 5)"));
    // Of a wrong expression the compiler says what is wrong.
    let (_, words) = run(&["--evaluate", "eval::evaluate(pos).inner()"]);
    let said = "takes 2 arguments but 1 argument was supplied; without --from-text, which";
    assert!(words.contains(said), "{words}");
    assert!(words.contains("one mistake is left"), "{words}");
}

/// Literals that join the score become consts by a diff, and are weights then.
#[test]
fn literals_of_bodies_become_weights_by_a_diff() {
    const EVAL: &str = "use crate::board::Board;\n\npub type Value = i32;\n\n\
        pub const MEN: [i32; 6] = [100, 320, 330, 500, 950, 0];\n\n/// By the number of pawns.\n\
        fn pawns(count: i32) -> Value {\n    match count {\n        8 => -12,\n        6 | 7 => 5,\n\
        \x20       0 => 3,\n        _ => 0,\n    }\n}\n\n\
        pub fn evaluate(board: &Board) -> Value {\n    let mut score = 0;\n\
        \x20   for (men, sign) in board.men.iter().zip([1, -1]) {\n        for man in 0..6 {\n\
        \x20           score += MEN[man] * (sign * men[man]);\n        }\n\
        \x20       score += pawns(men[0]) * sign;\n    }\n\
        \x20   score += 15;\n    if board.white { score } else { -score }\n}\n";
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("src")).unwrap();
    for (name, text) in &ASKING {
        let without = "pub mod score;\n#[cfg(feature = \"tune\")]\npub mod tune;\n";
        let text = text.replace(without, "");
        let text = text.replace("\n[features]\ntune = []\n", "");
        let is_part = ["Cargo.toml", "src/lib.rs", "src/board.rs"].contains(name);
        is_part.then(|| fs::write(path(name), text).unwrap());
    }
    fs::write(path("src/eval.rs"), EVAL).unwrap();
    let lines = [(8, "N"), (7, "R"), (6, "Q"), (0, "B"), (3, "n")].map(|(pawns, man)| {
        let men = format!("k7/ppp5/8/8/8/8/{}{}/{man}6K", "P".repeat(pawns), 8 - pawns);
        let men = men.replace("P0/", "P/");
        format!("{men} w - - 0 1 c9 \"1-0\";\n{men} b - - 0 1 c9 \"1/2-1/2\";\n")
    });
    fs::write(path("data.epd"), lines.concat()).unwrap();
    let run = |words: &str| {
        let output = tuner(folder.path())
            .args(words.split_whitespace())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let is_right = output.status.success();
        (is_right, String::from_utf8(output.stdout).unwrap(), said)
    };
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let new = format!(
        "new --board own --from-text board::Board::from_str --evaluate eval::evaluate --tuner {root}"
    );
    run(&new);
    let before = fs::read_to_string(path("src/eval.rs")).unwrap();
    let check = "check data.epd --asymmetric";
    let (_, _, said) = run(check);
    assert!(said.contains("`check --consts` prints"), "{said}");
    let (_, diff, said) = run(&format!("{check} --consts"));
    assert!(said.contains("literals to be consts: 4;"), "{said}");
    assert_eq!(fs::read_to_string(path("src/eval.rs")).unwrap(), before);
    let apply = |program: &str, args: &[&str]| {
        fs::write(path("src/eval.rs"), &before).unwrap();
        let mut command = Command::new(program);
        let command = command.current_dir(folder.path()).args(args);
        command.write_stdin(&*diff).assert().success();
        fs::read_to_string(path("src/eval.rs")).unwrap()
    };
    let changed = apply("git", &["apply"]);
    assert_eq!(apply("patch", &["-p1"]), changed);
    let consts = "\n\nconst PAWNS_8: i32 = -12;\nconst PAWNS_6_7: i32 = 5;\nconst PAWNS_0: i32 = 3;\n\n/// By";
    assert!(
        changed.contains(consts) && changed.contains("8 => PAWNS_8,"),
        "{changed}"
    );
    // What was written before is there: both say how the spec follows.
    let import = "spec import src --into asking.toml";
    let (_, _, said) = run(&new);
    assert!(said.contains(&format!("`tuner {import} ")), "{said}");
    let (_, _, said) = run(check);
    assert!(said.contains("as `tuner spec import` does"), "{said}");
    let (is_right, _, said) = run(import);
    assert!(is_right, "{said}");
    let (is_right, _, said) = run(check);
    assert!(is_right, "{said}");
    assert!(
        said.contains("0 mismatches") && said.contains(" 0 wrong"),
        "{said}"
    );
    assert!(!said.contains("no weight explains"), "{said}");
    let spec = fs::read_to_string(path("asking.toml")).unwrap();
    assert!(spec.contains("name = \"EVALUATE_LINE_"), "{spec}");
}

/// A board that keeps a score: which parameter it is of is not looked for by builds.
#[test]
fn a_part_that_no_weight_explains_is_built_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("src")).unwrap();
    let eval = "use crate::board::Board;\n\npub const MAN: i32 = 100;\npub const TEMPO: i32 = 9;\n\
        pub const PAIR: i32 = 30;\n\npub fn evaluate(board: &Board) -> i32 {\n    \
        let score = board.kept + PAIR * (board.men / 2);\n    \
        if board.white { score + TEMPO } else { -score + TEMPO }\n}\n";
    let board = "pub struct Board {\n    pub men: i32,\n    pub kept: i32,\n    pub white: bool,\n}\n\
        impl Board {\n    pub fn of(text: &str) -> Option<Self> {\n\
        \x20       let men = text.matches('P').count() as i32;\n\
        \x20       let white = text.split(' ').nth(1)? == \"w\";\n\
        \x20       Some(Self { men, kept: men * crate::eval::MAN, white })\n    }\n}\n";
    let lines = (0..9).map(|men| {
        let rank = format!("{}{}", "P".repeat(men), 8 - men).replace("P0", "P");
        format!(
            "k7/8/8/8/8/8/{rank}/7K {} - - 0 1 [0.5]\n",
            ["w", "b"][men % 2]
        )
    });
    for (name, text) in [
        (
            "Cargo.toml",
            "[package]\nname = \"unexplained\"\nedition = \"2024\"\n\n[workspace]\n".to_owned(),
        ),
        ("src/lib.rs", "pub mod board;\npub mod eval;\n".to_owned()),
        ("src/eval.rs", eval.to_owned()),
        ("src/board.rs", board.to_owned()),
        ("data.book", lines.collect()),
    ] {
        fs::write(path(name), text).unwrap();
    }
    let run = |words: &str| {
        let output = tuner(folder.path())
            .args(words.split_whitespace())
            .output()
            .unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    run(&format!(
        "new --board own --from-text board::Board::of --evaluate eval::evaluate --tuner {root}"
    ));
    let left =
        "error: what was compared agrees; left for you to decide (see above): a part of the score ";
    let said = run("check data.book");
    let both = said.contains("fixed with --allow-constants; and the evaluation is not the same");
    assert!(both && said.contains(left), "{said}");
    let said = run("check data.book --allow-constants");
    assert!(
        said.contains("and `fit` may start; left for you to decide"),
        "{said}"
    );
    let said = run("check data.book --asymmetric --allow-constants --rebuild");
    let builds = said
        .matches("building the evaluator with other weights")
        .count();
    assert_eq!(builds, 1, "{said}");
    assert!(
        said.contains("that no weight explains, as said above,"),
        "{said}"
    );
}

/// The field of a board is computed from weights, so the board has a twin, which nobody makes.
#[test]
fn a_board_with_a_twin_is_one_mistake_and_its_cure_leads_on() {
    let eval = "pub const MAN: i32 = 100;\npub const TEMPO: i32 = 9;\n\
        pub struct Board {\n    pub men: i32,\n    pub kept: i32,\n}\n\
        impl Board {\n    pub fn of(text: &str) -> Option<Self> {\n        \
        let men = text.matches('P').count() as i32;\n        \
        Some(Self { men, kept: men * MAN })\n    }\n}\n\
        pub fn evaluate(board: &Board) -> i32 {\n    board.kept + TEMPO\n}\n";
    let folder = engine(&[
        (
            "Cargo.toml",
            "[package]\nname = \"twinned\"\nedition = \"2024\"\n\n[workspace]\n",
        ),
        ("src/lib.rs", "pub mod eval;\n"),
        ("src/eval.rs", eval),
    ]);
    let asked = || {
        let output = tuner(folder.path())
            .args(["new", "--board", "own", "--evaluate", "eval::evaluate"])
            .args(["--from-text", "eval::Board::of"])
            .args(["--tuner", concat!(env!("CARGO_MANIFEST_DIR"), "/../..")])
            .output()
            .unwrap();
        let words = String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), words)
    };
    let (status, words) = asked();
    let said = "one mistake is left that only you can decide; the rest is written:\n  \
        `eval::Board` has a twin, as a field of it is a score, and the evaluator has production's; \
        write `traced!(untraced(Board))`";
    assert!(status == 1 && words.contains(said), "{words}");
    let file = folder.path().join("src/eval.rs");
    let cured = fs::read_to_string(&file).unwrap();
    let cured = cured
        .replace("traced!()", "traced!(untraced(Board))")
        .replace(
            "board.kept + TEMPO",
            "tuner_core::traced_as!(board.kept => board.men * MAN) + TEMPO",
        );
    fs::write(&file, cured).unwrap();
    let (status, words) = asked();
    assert_eq!(status, 0, "{words}");
}
