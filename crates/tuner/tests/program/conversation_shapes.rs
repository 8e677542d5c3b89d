//! `tuner new` in conversation with the compiler, on shapes of engines: offsets of the board, what
//! modules need of the program, other words.

#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::fs;
use std::path::Path;

use crate::conversation::tuner;
use crate::new::engine;

/// Each engine has a name of its own: what cargo builds of them is in one folder.
fn manifest(name: &str) -> String {
    format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n\n[workspace]\n")
}

const BOARD: (&str, &str) = (
    "src/board.rs",
    "pub struct Board { pub cells: [u8; 128] }\nimpl Board {\n    \
     pub fn of(text: &str) -> Option<Board> { Some(Board { cells: [text.len() as u8; 128] }) }\n}\n\
     pub fn is_on(at: i32) -> bool { at & 0x88 == 0 }\n",
);

/// The exit status and what it says.
fn asked(folder: &Path, more: &[&str]) -> (i32, String) {
    let output = tuner(folder)
        .args(["new", "--board", "own", "--evaluate", "eval::evaluate"])
        .args(["--from-text", "board::Board::of"])
        .args(["--tuner", concat!(env!("CARGO_MANIFEST_DIR"), "/../..")])
        .args(more)
        .output()
        .unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), words)
}

/// Offsets that a function is given and adds to squares alone are no weights; the author may say
/// so as well, in a file that has nothing else.
#[test]
fn offsets_of_the_board_are_frozen() {
    let attacks = "pub const JUMPS: [i32; 6] = [33, 31, 18, -33, -31, -18];\n\
        pub fn count(all: &[u8]) -> usize { all.len() }\n";
    let eval = "use crate::attacks::JUMPS;\nuse crate::board::{self, Board};\n\
        pub const MOBILITY: i32 = 4;\n\
        pub fn evaluate(board: &Board) -> i32 { MOBILITY * mobility(board, 20, &JUMPS) }\n\
        fn mobility(board: &Board, from: i32, jumps: &[i32]) -> i32 {\n    let mut count = 0;\n    \
        for &jump in jumps {\n        let mut to = from + jump;\n        while board::is_on(to) {\n            \
        if board.cells[to as usize] == 0 { count += 1; }\n            to += jump;\n        }\n    }\n    count\n}\n";
    let of = |name: &str, attacks: &str| {
        engine(&[
            ("Cargo.toml", &manifest(name)),
            BOARD,
            (
                "src/lib.rs",
                "pub mod attacks;\npub mod board;\npub mod eval;\n",
            ),
            ("src/attacks.rs", attacks),
            ("src/eval.rs", eval),
        ])
    };
    let said = "#[cfg(feature = \"tune\")]\ntuner_core::traced!(frozen(JUMPS));\n";
    let by_author = format!("{attacks}\n{said}");
    for (name, attacks) in [("jumps", attacks), ("no-jumps", &by_author)] {
        let folder = of(name, attacks);
        for _ in 0..2 {
            let (status, words) = asked(folder.path(), &[]);
            assert!(
                status == 0 && words.contains("1 const is a weight"),
                "{words}"
            );
            let text = fs::read_to_string(folder.path().join("src/attacks.rs")).unwrap();
            assert!(
                attacks.len() < by_author.len() || text.ends_with(said),
                "{text}"
            );
        }
    }
}

/// Also those in a group around other groups, and by the module around.
#[test]
fn items_of_the_program_that_modules_name_are_in_the_library() {
    let program = "mod board;\nmod eval;\nmod uci;\n/// The name.\npub static NAME: &str = \"wren\";\n\
        const SQUARES: usize = 64;\nfn half(number: i32) -> i32 { number / 2 }\nfn main() { uci::show(); }\n";
    let folder = engine(&[
        ("Cargo.toml", &manifest("named")),
        BOARD,
        ("src/main.rs", program),
        (
            "src/uci.rs",
            "use crate::{board::{self, Board}, NAME};\npub fn show() { println!(\"{NAME}\"); }\n",
        ),
        (
            "src/eval.rs",
            "use super::half;\npub const MAN: i32 = 100;\npub fn evaluate(board: &crate::board::Board) -> i32 {\n    \
             MAN * half(board.cells[0] as i32)\n}\n",
        ),
    ]);
    let (status, words) = asked(folder.path(), &[]);
    assert_eq!(status, 0, "{words}");
}

/// Its own files are replaced where the words are others; those that were edited stay.
#[test]
fn other_words_replace_what_nobody_edited() {
    let eval = "pub const MAN: i32 = 100;\n\
        pub fn evaluate(board: &crate::board::Board) -> i32 { MAN * board.cells[0] as i32 }\n";
    let folder = engine(&[
        ("Cargo.toml", &manifest("other-words")),
        BOARD,
        ("src/lib.rs", "pub mod board;\npub mod eval;\n"),
        ("src/eval.rs", eval),
    ]);
    let file = folder.path().join("tuner/src/main.rs");
    for perspective in ["SideToMove", "FirstPlayer", "SideToMove"] {
        let word = if perspective == "FirstPlayer" {
            "first-player"
        } else {
            "side-to-move"
        };
        let (status, words) = asked(folder.path(), &["--no-check", "--perspective", word]);
        assert_eq!(status, 0, "{words}");
        let text = fs::read_to_string(&file).unwrap();
        assert!(
            text.contains(&format!("Perspective::{perspective}")),
            "{text}"
        );
    }
    let (_, words) = asked(folder.path(), &["--no-check"]);
    assert!(!words.contains(": written"), "{words}");
    let edited = format!("{}// Mine.\n", fs::read_to_string(&file).unwrap());
    fs::write(&file, &edited).unwrap();
    let (status, words) = asked(
        folder.path(),
        &["--no-check", "--perspective", "first-player"],
    );
    assert!(
        status == 1 && words.contains("main.rs: it is there already; nothing was written"),
        "{words}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), edited);
}

/// Each place is named with the line that cures it, which is right as it is printed.
#[test]
fn a_score_in_a_field_is_computed_anew_as_advised() {
    let board = "use crate::value::Value;\npub struct State { pub men_value: Value }\n\
        pub struct Board { pub men: [u8; 4], state: State }\nimpl Board {\n    \
        pub fn of(text: &str) -> Option<Board> {\n        \
        let men = std::array::from_fn(|at| text.len() as u8 >> at & 3);\n        \
        let mut board = Board { men, state: State { men_value: Value::new(0) } };\n        \
        board.state.men_value = crate::eval::compute_men_value(&board);\n        Some(board)\n    }\n    \
        pub fn state(&self) -> &State { &self.state }\n}\n";
    let value = "#[derive(Clone, Copy)]\npub struct Value(i32);\nimpl Value {\n    \
        pub fn new(raw: i32) -> Value { Value(raw) }\n    pub fn raw(self) -> i32 { self.0 }\n}\n";
    let eval = "use crate::board::Board;\nuse crate::value::Value;\n\
        const MEN: [i32; 4] = [100, 300, 500, 900];\nconst TEMPO: i32 = 10;\n\
        pub fn compute_men_value(board: &Board) -> Value {\n    let mut sum = 0;\n    \
        for (man, count) in board.men.iter().enumerate() {\n        sum += MEN[man] * *count as i32;\n    }\n    \
        Value::new(sum)\n}\n\
        fn first(board: &Board) -> i32 { board.state().men_value.raw() }\n\
        fn second(board: &Board) -> i32 {\n    let score = board.state().men_value.raw();\n    score + TEMPO\n}\n\
        pub fn evaluate(board: &Board) -> i32 {\n    \
        let raw = if board.men[0] > 1 { first(board) } else { second(board) };\n    Value::new(raw).raw()\n}\n";
    let folder = engine(&[
        ("Cargo.toml", &manifest("kept-value")),
        ("src/board.rs", board),
        ("src/value.rs", value),
        ("src/eval.rs", eval),
        (
            "src/lib.rs",
            "pub mod board;\npub mod eval;\npub mod value;\n",
        ),
    ]);
    let (status, words) = asked(folder.path(), &[]);
    let cure = "tuner_core::traced_as!(board.state().men_value => compute_men_value(board))";
    assert!(status == 1 && words.matches(cure).count() == 2, "{words}");
    let path = folder.path().join("src/eval.rs");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("board.state().men_value", cure)).unwrap();
    let (status, words) = asked(folder.path(), &[]);
    assert_eq!(status, 0, "{words}");
    // The engine that is released builds without the macros of Tuner.
    let root = fs::read_to_string(folder.path().join("src/lib.rs")).unwrap();
    assert_eq!(root.matches("macro_rules! traced_as").count(), 1, "{root}");
    let mut cargo = std::process::Command::new("cargo");
    let builds = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conversations");
    let cargo = cargo
        .args(["check", "--lib", "--offline"])
        .env("CARGO_BUILD_BUILD_DIR", builds);
    let released = cargo.current_dir(folder.path()).output().unwrap();
    let words = String::from_utf8(released.stderr).unwrap();
    assert!(released.status.success(), "{words}");
}

/// A hash table of scores is no part of the evaluation's twin; what is said of it leads on.
#[test]
fn a_static_hash_table_of_scores_is_left_to_the_author() {
    let table = "pub static mut TABLE: Table = Table { kept: Vec::new() };\n\
        pub struct Table { pub kept: Vec<i32> }\nimpl Table {\n    \
        pub fn set(&mut self, score: i32) { self.kept.push(score); }\n}\n";
    let eval = "use crate::board::Board;\nuse crate::table::TABLE;\nconst MAN: i32 = 100;\n\
        #[allow(static_mut_refs)]\npub fn evaluate(board: &Board) -> i32 {\n    \
        let table = unsafe { &mut TABLE };\n    let score = MAN * board.cells[0] as i32;\n    \
        table.set(score);\n    score\n}\n";
    let folder = engine(&[
        ("Cargo.toml", &manifest("hashing")),
        BOARD,
        (
            "src/lib.rs",
            "pub mod board;\npub mod eval;\npub mod table;\n",
        ),
        ("src/eval.rs", eval),
        ("src/table.rs", table),
    ]);
    let (status, words) = asked(folder.path(), &[]);
    let cure = "or leave the statement out of the twin: `tuner_core::untraced! { … }`";
    assert!(status == 1 && words.contains(cure), "{words}");
    let other = fs::read_to_string(folder.path().join("src/table.rs")).unwrap();
    assert_eq!(other, table);
    let path = folder.path().join("src/eval.rs");
    let text = fs::read_to_string(&path).unwrap();
    let out = "tuner_core::untraced! { table.set(score); }";
    fs::write(&path, text.replace("table.set(score);", out)).unwrap();
    let (status, words) = asked(folder.path(), &[]);
    assert_eq!(status, 0, "{words}");
}

/// Tables that only a trait leads to, of a pair that another crate declares: the evaluation that is
/// seen has one weight, and what is not seen is said.
#[test]
fn tables_of_another_crates_pair_are_told_of_where_other_weights_are_fewer() {
    let values = "use other::Score;\n\
        pub trait Values {\n    fn man(kind: usize) -> Score;\n    fn tempo() -> Score;\n}\n\
        pub struct Own;\nconst MEN: [Score; 2] = [Score(100, 120), Score(320, 300)];\n\
        const TEMPO: Score = Score(10, 0);\n\
        impl Values for Own {\n    fn man(kind: usize) -> Score { MEN[kind] }\n    \
        fn tempo() -> Score { TEMPO }\n}\n";
    let eval = "use crate::board::Board;\nuse crate::values::{Own, Values};\n\
        pub const LIMIT: i32 = 300;\n\
        fn of<V: Values>(board: &Board) -> i32 {\n    let (man, tempo) = (V::man(board.cells[0] as usize % 2), V::tempo());\n    \
        man.0 + tempo.1\n}\n\
        pub fn evaluate(board: &Board) -> i32 {\n    of::<Own>(board).min(LIMIT)\n}\n";
    let library = "pub mod board;\npub mod eval;\npub mod values;\n";
    let folder = engine(&[
        ("src/lib.rs", library),
        BOARD,
        ("src/values.rs", values),
        ("src/eval.rs", eval),
    ]);
    let other = folder.path().join("other");
    fs::create_dir_all(other.join("src")).unwrap();
    let pair = "#[derive(Clone, Copy)]\npub struct Score(pub i32, pub i32);\n";
    fs::write(other.join("src/lib.rs"), pair).unwrap();
    fs::write(other.join("Cargo.toml"), manifest("other")).unwrap();
    let package = manifest("hidden").replace("[workspace]", "[dependencies]");
    let package = package + "other = { path = \"other\" }\n";
    fs::write(folder.path().join("Cargo.toml"), package).unwrap();
    let (_, words) = asked(folder.path(), &[]);
    let told = "src/values.rs:7: `Score`, the type of MEN and 1 others, is of another crate";
    assert!(words.contains(told), "{words}");
}
