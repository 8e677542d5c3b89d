//! `tuner new`: what it refuses, with the cure, and that nothing is written then.

#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

pub(crate) const MANIFEST: &str = "[package]\nname = \"my-wren\"\n\n[dependencies] # none\n";
const PROGRAM: &str = "mod eval;\nfn main() {}\n";
pub(crate) const EVALUATION: &str = "pub const TEMPO: i32 = 10;\n\
    pub fn evaluate(pos: &Chess) -> i32 { TEMPO }\n\
    fn private(pos: &Chess) -> i32 { TEMPO }\n\
    pub fn two(pos: &Chess, depth: u8) -> i32 { TEMPO }\n\
    pub fn other(pos: &Board) -> i32 { TEMPO }\n\
    pub fn nothing(pos: &Chess) {}\n\
    mod inner { fn hidden(pos: &Chess) -> i32 { 0 } pub struct Men; pub fn read(text: &str) -> Option<Men> { None } }\n\
    pub struct Board;\n\
    impl Board {\n\
        pub fn score(&self) -> i32 { TEMPO }\n\
        pub fn from_fen(text: &str, strict: bool) -> Option<Self> { None }\n\
        pub fn new(text: &str) -> u8 { 0 }\n\
    }\n\
    pub fn wrapped(pos: &Chess) -> Value { Value(TEMPO) }\n\
    pub struct Value(i32);\n\
    impl Value { pub fn raw(self) -> i32 { self.0 } }\n\
    impl Board { pub fn of_side(&self, side: u8) -> i32 { TEMPO } }\n";

pub(crate) fn engine(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let all = [
        ("Cargo.toml", MANIFEST),
        ("src/main.rs", PROGRAM),
        ("src/eval.rs", EVALUATION),
    ];
    for (name, text) in all.iter().chain(files) {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Every file with its text.
pub(crate) fn all(folder: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(all(&path));
        } else {
            let text = fs::read_to_string(&path).unwrap();
            files.push((path.display().to_string(), text));
        }
    }
    files.sort();
    files
}

/// The exit status and what it says.
pub(crate) fn new(folder: &Path, args: &str) -> (i32, String) {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let output = Command::cargo_bin("tuner")
        .unwrap()
        .current_dir(folder)
        .args(["new", "--no-check", "--tuner", root])
        .args(
            args.split_ascii_whitespace()
                .map(|word| word.replace('\u{a0}', " ")),
        )
        .output()
        .unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), words)
}

#[test]
fn mistakes_are_named_with_their_cure_and_nothing_is_written() {
    let shakmaty = |name: &str| format!("--board shakmaty --evaluate eval::{name}");
    let own =
        |name: &str| format!("--board own --evaluate eval::Board::score --from-text eval::{name}");
    for (args, expected) in [
        (
            shakmaty("evaluat"),
            "expected a path such as eval::evaluate",
        ),
        // First what is in the module or type that was named; a text makes a position by any name.
        (
            shakmaty("eval"),
            "such as eval::evaluate, eval::Board::score",
        ),
        (
            own("Board::of"),
            "such as eval::Board::from_fen, eval::Board::new",
        ),
        (
            shakmaty("private"),
            "src/eval.rs:3: `private` is private; write `pub fn private`",
        ),
        (
            shakmaty("two"),
            "src/eval.rs:4: `two` takes 2 arguments; give an expression of `pos` instead",
        ),
        (
            shakmaty("other"),
            "takes a `Board`, and --board says that positions are `shakmaty::Chess`",
        ),
        (shakmaty("nothing"), "returns nothing, expected a score"),
        (
            shakmaty("wrapped"),
            "src/eval.rs:14: `wrapped` gives a `Value`, expected a number; give an expression of `pos` instead that is one: --evaluate 'eval::wrapped(pos).raw()'",
        ),
        (
            shakmaty("inner::hidden"),
            "src/eval.rs:7: `mod inner` is private; write `pub mod inner`\n\
             src/eval.rs:7: `hidden` is private; write `pub fn hidden`\nnothing was written",
        ),
        (
            "--board own --evaluate eval::two --from-text eval::Board::new".to_owned(),
            "src/eval.rs:4: `two` takes 2 arguments; give an expression of `pos` instead, which calls it: \
             --evaluate 'eval::Evaluator::new().evaluate(pos)'\nsrc/eval.rs:12: it returns u8",
        ),
        // What both options get wrong is told at once, also of what an expression calls.
        (
            "--board own --evaluate eval::nope(pos).0 --from-text eval::Board::new".to_owned(),
            "src/eval.rs:12: it returns u8; expected a function of a text alone that makes a position, an \
             `Option` or a `Result` of it, or a method that reads one into a position, `&mut self`\n\
             --evaluate eval::nope: found no such function",
        ),
        (
            "--board own --evaluate eval::two --from-text eval::inner::read".to_owned(),
            "--evaluate 'eval::Evaluator::new().evaluate(pos)'\n\
             src/eval.rs:7: `mod inner` is private; write `pub mod inner`\n",
        ),
        (
            "--board own --evaluate eval::Board::of_side --from-text eval::Board::new".to_owned(),
            "src/eval.rs:17: `of_side` takes more than `self`; give an expression of `pos` instead, which calls it: \
             --evaluate 'eval::Evaluator::new().evaluate(pos)', or 'pos.of_side(…)' where `self` is the position\n",
        ),
        (shakmaty("two(pos,3"), "this is no Rust"),
        (
            "--board shakmaty --evaluate evaluate(pos)".to_owned(),
            "found no path in it that begins with a module",
        ),
        (
            own("Board::from_fen"),
            "src/eval.rs:11: `from_fen` takes 2 arguments",
        ),
        (
            own("Board::new"),
            "src/eval.rs:12: it returns u8; expected a function of a text",
        ),
        (
            own("Board::from_fem"),
            "--from-text eval::Board::from_fem: found no such function",
        ),
        (
            shakmaty("evaluate") + " --trace src/terms.rs",
            "found no module of the crate in it",
        ),
        (
            shakmaty("evaluate") + " --from-text eval::x",
            "--from-text is for --board own",
        ),
        (
            shakmaty("evaluate") + " --game shogi",
            "--game is for --board own",
        ),
        (
            own("Board::new") + " --game go",
            "found go, expected chess or shogi",
        ),
    ] {
        let folder = engine(&[]);
        let before = all(folder.path());
        let (status, words) = new(folder.path(), &args);
        assert!(status == 1 || status == 2, "{args}: {words}");
        assert!(words.contains(expected), "{args}: {words}");
        assert_eq!(all(folder.path()), before, "{args}");
    }
}

#[test]
fn engines_that_are_not_ready_are_told_what_they_lack() {
    let evaluate = "--board shakmaty --evaluate eval::evaluate";
    for (name, text, expected) in [
        ("Cargo.toml", "[workspace]\n", "found no package"),
        ("Cargo.toml", "[package]\nname = 3\n", "found no package"),
        (
            "Cargo.toml",
            "features = { tune2 = [] }\n[package]\nname = \"x\"\n",
            "write into it by hand",
        ),
        (
            "tuner/Cargo.toml",
            "",
            "it is there already; nothing was written",
        ),
        (
            "tuner.toml",
            "",
            "tuner.toml: it is there already; nothing was written. Move it, or continue",
        ),
        (
            "src/main.rs",
            "mod eval { }\n",
            "src/main.rs:1: `mod eval` is written in the program",
        ),
        (
            "src/main.rs",
            "fn main() {}\n",
            "expected the evaluation in a module of its own",
        ),
        (
            "src/main.rs",
            "mod missing;\n",
            "found no file of `mod missing`",
        ),
        (
            "src/eval.rs",
            "pub fn evaluate(",
            "src/eval.rs:1:16: this is no Rust",
        ),
        (
            "src/eval.rs",
            "pub fn evaluate(pos: &Chess) -> i32 { 0 }\n",
            "name the files of the tables and terms with --trace",
        ),
    ] {
        let folder = engine(&[(name, text)]);
        let before = all(folder.path());
        let (status, words) = new(folder.path(), evaluate);
        assert!(status == 1 && words.contains(expected), "{name}: {words}");
        assert_eq!(all(folder.path()), before, "{name}");
    }
    let (status, words) = new(Path::new("/"), evaluate);
    assert!(
        status == 1 && words.contains("give the folder of the engine's Cargo.toml"),
        "{words}"
    );
}

#[test]
fn another_shakmaty_is_refused_before_it_is_built() {
    const PACKAGE: &str = "[package]\nname = \"my-wren\"\n";
    const LOCK: &str = "version = 4\n[[package]]\nname = \"shakmaty\"\nversion = ";
    let of_library =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml")).unwrap();
    let (_, needed) = of_library
        .split_once("\nshakmaty = { version = \"~")
        .unwrap();
    let needed = needed.split('"').next().unwrap();
    let asked = |by: &str| format!("{PACKAGE}[dependencies]\n{by}\n");
    let same = format!("{LOCK}\"{needed}\"\n");
    let older = format!("{LOCK}\"0.27.1\"\n");
    let in_workspace = "shakmaty.workspace = true\n[workspace.dependencies]\nshakmaty = \"0.26\"";
    for (manifest, lock, found) in [
        (
            asked("shakmaty = \"0.27\""),
            "",
            "Cargo.toml: found shakmaty 0.27",
        ),
        (
            asked("chess = { package = \"shakmaty\", version = \"0.27\" }"),
            "",
            "Cargo.toml: found shakmaty 0.27",
        ),
        (
            asked("shakmaty = { git = \"https://example.org/shakmaty\" }"),
            &same,
            "Cargo.toml: found shakmaty of another source than crates.io",
        ),
        (asked(in_workspace), "", "Cargo.toml: found shakmaty 0.26"),
        (
            asked("shakmaty = \">=0.27, <0.31\""),
            &older,
            "Cargo.lock: found shakmaty 0.27.1",
        ),
        (
            PACKAGE.to_owned(),
            &older,
            "Cargo.lock: found shakmaty 0.27.1",
        ),
        (asked(&format!("shakmaty = \"{needed}\"")), &older, ""),
        (asked("shakmaty = \">=0.27, <0.31\""), &same, ""),
        (PACKAGE.to_owned(), "", ""),
    ] {
        let folder = engine(&[("Cargo.toml", &manifest), ("Cargo.lock", lock)]);
        let before = all(folder.path());
        let (status, words) = new(folder.path(), "--board shakmaty --evaluate eval::evaluate");
        if found.is_empty() {
            assert_eq!(status, 0, "{manifest}: {words}");
            let is_locked = words.contains("`cargo build --locked` needs that");
            assert_eq!(is_locked, !lock.is_empty(), "{words}");
            continue;
        }
        assert!(status == 1 && words.contains(found), "{manifest}: {words}");
        let cure = format!("Write `shakmaty = \"{needed}\"`");
        assert!(words.contains(&cure), "{words}");
        assert_eq!(all(folder.path()), before, "{manifest}");
    }
    let other = LOCK.replace("shakmaty", "arrayvec") + "\"0.7.0\"\n";
    let folder = engine(&[("Cargo.toml", PACKAGE), ("Cargo.lock", &other)]);
    let (status, words) = new(folder.path(), "--board shakmaty --evaluate eval::evaluate");
    let expected = "Cargo.lock: found no shakmaty, whose `Chess`";
    assert!(status == 1 && words.contains(expected), "{words}");
}

#[test]
fn the_evaluator_is_short_and_its_settings_name_what_was_written() {
    let boards = "pub fn of(text: &str) -> Option<Board> { None }\n\
        pub fn shogi(pos: &Position) -> i32 { TEMPO }\n";
    let evaluation = format!("{EVALUATION}{boards}");
    for (args, protocol) in [
        ("shakmaty --evaluate eval::evaluate", "uci"),
        ("cozy-chess --evaluate eval::other", "uci"),
        ("shogi --evaluate eval::shogi", "usi"),
        (
            "own --evaluate eval::Board::score --from-text eval::of",
            "uci",
        ),
        (
            "own --evaluate eval::other --from-text eval::of --game shogi --out its-tuner",
            "usi",
        ),
    ] {
        let folder = engine(&[("src/eval.rs", &evaluation)]);
        let (status, words) = new(folder.path(), &format!("--board {args}"));
        assert_eq!(status, 0, "{args}: {words}");
        assert!(
            words.contains("  `tuner check DATA --rebuild`, which")
                && words.ends_with("then `tuner fit DATA`\n"),
            "{words}"
        );
        let text = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        let out = if args.contains("--out") {
            "its-tuner"
        } else {
            "tuner"
        };
        let program = text(&format!("{out}/src/main.rs"));
        assert!(program.lines().count() <= 25, "{program}");
        let plays = !args.starts_with("own");
        assert_eq!(program.contains("tuner_core::serve_playing("), plays);
        let expected = format!(
            "# What `tuner` knows of this engine: try `tuner check DATA` in this folder.\n\
             spec = \"my_wren.toml\"\n\
             sources = [\"src\"]\n\
             # data = [\"games.tsv.zst\"]\n\n\
             [evaluator]\n\
             build = \"cargo build --release --manifest-path {out}/Cargo.toml\"\n"
        );
        let settings = text("tuner.toml");
        assert!(settings.starts_with(&expected), "{settings}");
        let run = format!("# run = \"{out}/target/release/my-wren-evaluator\"");
        assert!(settings.contains(&run), "{settings}");
        // Where the evaluator has no rules, games are those of the engine.
        let off = if plays { "# " } else { "" };
        let protocol = format!("\n{off}protocol = \"{protocol}\"\n");
        assert!(settings.contains(&protocol), "{settings}");
    }
}

#[test]
fn the_board_of_cozy_chess_is_the_one_of_the_engine() {
    let asked = |by: &str| format!("[package]\nname = \"x\"\n[dependencies]\ncozy-chess = {by}\n");
    for (by, expected) in [
        ("\"0.3.1\"", "cozy-chess = \"0.3.1\"\n"),
        (
            "{ version = \"0.2\", features = [\"std\"] }",
            "cozy-chess = \"0.2\"\n",
        ),
        (
            "{ git = \"https://example.org/cozy\", rev = \"ab\", features = [\"std\"] }",
            "cozy-chess = { git = \"https://example.org/cozy\", rev = \"ab\" }\n",
        ),
        (
            "{ workspace = true }\n[workspace.dependencies]\ncozy-chess = \"0.1\"",
            "cozy-chess = \"0.1\"\n",
        ),
    ] {
        let folder = engine(&[("Cargo.toml", &asked(by))]);
        let (status, words) = new(folder.path(), "--board cozy-chess --evaluate eval::other");
        assert_eq!(status, 0, "{by}: {words}");
        let manifest = fs::read_to_string(folder.path().join("tuner/Cargo.toml")).unwrap();
        let line = format!("\n{expected}");
        assert!(manifest.contains(&line), "{manifest}");
    }
}

#[test]
fn next_steps_are_those_of_the_folder_that_was_named() {
    let folder = engine(&[]);
    let around = tempfile::tempdir().unwrap();
    let at = around.path().join("my wren");
    fs::rename(folder.path(), &at).unwrap();
    let output = Command::cargo_bin("tuner")
        .unwrap()
        .current_dir(around.path())
        .args(["new", "my wren", "--no-check", "--board", "shakmaty"])
        .args(["--evaluate", "eval::evaluate", "--tuner"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(
        words.contains("next: `cd 'my wren'`, and there\n"),
        "{words}"
    );
    let (_, page) = words.split_once("the evaluation (").unwrap();
    let (page, _) = page.split_once(')').unwrap();
    assert!(at.join(page).is_file(), "{page}");
}

#[test]
fn a_library_has_what_its_modules_need_of_the_program() {
    let program = "#![warn(missing_docs)]\n#![recursion_limit = \"256\"]\n\
        #![cfg_attr(any(), feature(test))]\n\
        #[macro_use]\nextern crate std as base;\n\
        macro_rules! ten {\n    () => { 10 };\n}\n\
        /// Scores.\nmod eval;\n\
        #[cfg(feature = \"tables\")] #[allow(dead_code)] mod tables;\n\
        #[cfg(feature = \"later\")]\n#[path = \"not/there.rs\"]\nmod later;\n\
        #[cfg(test)]\nmod tests;\n\
        fn main() {}\n";
    let manifest = format!("{MANIFEST}[features]\ntune = [\"dep:tuner-core\", \"tables\"]\n");
    let folder = engine(&[
        ("Cargo.toml", &manifest),
        ("src/main.rs", program),
        ("src/tables.rs", ""),
    ]);
    let (status, words) = new(folder.path(), "--board shakmaty --evaluate eval::evaluate");
    assert_eq!(status, 0, "{words}");
    let text = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let expected = "//! The engine's modules, for the evaluator.\n\n\
        #![recursion_limit = \"256\"]\n\n\
        #![cfg_attr(any(), feature(test))]\n\n\
        #[macro_use]\nextern crate std as base;\n\n\
        macro_rules! ten {\n    () => { 10 };\n}\n\n\
        pub mod eval;\n\
        #[cfg(feature = \"tables\")]\npub mod tables;\n\
        #[cfg(feature = \"later\")]\n#[path = \"not/there.rs\"]\npub mod later;\n";
    let library = text("src/lib.rs");
    assert!(library.starts_with(expected), "{library}");
    assert!(text("Cargo.toml").contains("tune = [\"dep:tuner-core\", \"tables\"]\n"));
}

#[test]
fn a_feature_of_that_name_stays_where_it_has_nothing_to_bring() {
    let manifest = "[package]\nname = \"my-wren\"\n\n[dependencies]\n\
        tuner-core = { path = \"there\" }\n\n[features]\ntune = []\n";
    let folder = engine(&[("Cargo.toml", manifest)]);
    let (status, words) = new(folder.path(), "--board shakmaty --evaluate eval::evaluate");
    assert_eq!(status, 0, "{words}");
    let text = fs::read_to_string(folder.path().join("Cargo.toml")).unwrap();
    assert_eq!(text, manifest);
}

#[test]
fn what_is_there_stays() {
    let library = "//! Mine.\npub mod eval;\n";
    let folder = engine(&[
        ("src/lib.rs", library),
        ("my_wren.toml", "# mine\n"),
        ("tuner/notes", "mine"),
    ]);
    let args = "--board shakmaty --evaluate eval::evaluate --out";
    let (status, words) = new(folder.path(), &format!("{args} a/b"));
    assert!(
        status == 2 && words.contains("expected a name of letters"),
        "{words}"
    );
    let (status, words) = new(folder.path(), &format!("{args} tuning"));
    assert_eq!(status, 0, "{words}");
    let text = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(text("src/lib.rs").starts_with(library));
    assert!(text("src/lib.rs").contains("registry!()"));
    assert!(text("src/eval.rs").starts_with(EVALUATION));
    assert!(text("src/eval.rs").ends_with("#[cfg(feature = \"tune\")]\ntuner_core::traced!();\n"));
    assert_eq!(text("src/main.rs"), PROGRAM);
    assert_eq!(text("my_wren.toml"), "# mine\n");
    let manifest = text("Cargo.toml");
    assert!(
        manifest.contains("[dependencies] # none\ntuner-core = { path = "),
        "{manifest}"
    );
    assert!(
        manifest.contains("[features]\ntune = [\"dep:tuner-core\"]\n"),
        "{manifest}"
    );
    assert!(text("tuning/src/main.rs").contains("evaluate: my_wren::eval::evaluate,"));
}

#[test]
fn a_type_is_named_where_a_reader_of_another_module_brought_it_in_from() {
    let evaluation = "use crate::{board::{Board as Men}, other};\n\
        pub const TEMPO: i32 = 10;\n\
        pub fn evaluate(men: &Men) -> i32 { TEMPO }\n\
        pub fn read(text: &str) -> Option<Men> { None }\n";
    let library = "pub mod eval;\npub mod board;\npub mod other;\n";
    let folder = engine(&[
        ("src/lib.rs", library),
        ("src/eval.rs", evaluation),
        ("src/board.rs", "pub struct Board;\n"),
        ("src/other.rs", ""),
    ]);
    let args = "--board own --evaluate eval::evaluate --from-text eval::read";
    let (status, words) = new(folder.path(), args);
    assert_eq!(status, 0, "{words}");
    let notation = fs::read_to_string(folder.path().join("tuner/src/notation.rs")).unwrap();
    assert!(
        notation.contains("pub board: Arc<my_wren::board::Board>,"),
        "{notation}"
    );
    let ignored = fs::read_to_string(folder.path().join("tuner/.gitignore")).unwrap();
    assert_eq!(ignored, "/target\n");
    let ignored = fs::read_to_string(folder.path().join("tuner-run/.gitignore")).unwrap();
    assert_eq!(ignored, "*\n");
}

#[test]
fn files_that_the_evaluation_reads_no_weight_in_stay() {
    let board = "pub mod fen;\npub mod book;\npub mod scale;\npub mod terms;\npub mod values;\npub mod moves;\n\
        use terms::Sum;\n\
        pub struct Board;\n\
        impl Board {\n\
            pub fn evaluate(&self) -> i32 { self.occupied() * scale::halved(terms::material(self)) }\n\
            pub fn occupied(&self) -> i32 { moves::count(self) + (0..9).next() }\n\
        }\n";
    let folder = engine(&[
        ("src/lib.rs", "pub mod board;\n"),
        ("src/board/mod.rs", board),
        (
            "src/board/terms.rs",
            "use super::values::*;\npub type Sum = i32;\npub fn material(_: &super::Board) -> Sum { sum!(MAN) }\n",
        ),
        (
            "src/board/values.rs",
            "use super::pair::S;\npub const MAN: S = S(100, 120);\n",
        ),
        (
            "src/board/fen.rs",
            "const LIMIT: i32 = 80;\nimpl super::Board { pub fn of(text: &str) -> Option<Self> { if LIMIT > 1 { None } else { None } } }\n",
        ),
        (
            "src/board/scale.rs",
            "pub fn halved(score: i32) -> i32 { score / 2 }\n",
        ),
        // An iterator of the name that ranges have.
        (
            "src/board/book.rs",
            "const WIDTH: i32 = 4;\npub struct Book(i32);\n\
             impl Iterator for Book { type Item = i32; fn next(&mut self) -> Option<i32> { Some(WIDTH) } }\n",
        ),
        (
            "src/board/moves.rs",
            "const STEPS: [u64; 2] = [1, 2];\npub fn count(_: &super::Board) -> i32 { STEPS[0] as i32 }\n",
        ),
        (
            "src/board/pair.rs",
            "pub struct S(pub i32, pub i32);\nimpl std::ops::Neg for S { type Output = S; fn neg(self) -> S { self } }\n",
        ),
    ]);
    let text = fs::read_to_string(folder.path().join("src/board/mod.rs")).unwrap();
    let with_pair = text.replace("pub mod moves;", "pub mod moves;\npub mod pair;");
    fs::write(folder.path().join("src/board/mod.rs"), with_pair).unwrap();
    let args = "--board own --evaluate board::Board::evaluate --from-text board::Board::of";
    let (status, words) = new(folder.path(), args);
    assert_eq!(status, 0, "{words}");
    let traced = |name: &str| {
        let text = fs::read_to_string(folder.path().join("src/board").join(name)).unwrap();
        text.contains("traced!()")
    };
    for name in ["mod.rs", "terms.rs", "values.rs", "pair.rs", "scale.rs"] {
        assert!(traced(name), "{name}");
    }
    for name in ["fen.rs", "book.rs", "moves.rs"] {
        assert!(!traced(name), "{name}");
    }
}

#[test]
fn a_dry_run_counts_lines_and_shows_them_if_asked() {
    let folder = engine(&[]);
    let before = all(folder.path());
    let args = "--board shakmaty --evaluate eval::evaluate";
    let (status, words) = new(folder.path(), &format!("{args} --dry-run"));
    assert_eq!(status, 0, "{words}");
    for expected in [
        "Cargo.toml: 4 lines more\n",
        "src/eval.rs: 3 lines more\n",
        "src/lib.rs: new, 9 lines\n",
        "tuner.toml: new, 14 lines\n",
        "nothing was written; --diff shows the lines\n",
    ] {
        assert!(words.contains(expected), "{expected}: {words}");
    }
    assert!(!words.contains("next"), "{words}");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let output = Command::cargo_bin("tuner")
        .unwrap()
        .current_dir(folder.path())
        .args(["new", "--no-check", "--tuner", root, "--dry-run", "--diff"])
        .args(args.split_whitespace())
        .output()
        .unwrap();
    let diff = String::from_utf8(output.stdout).unwrap();
    let added = "+\n+#[cfg(feature = \"tune\")]\n+tuner_core::traced!();\n";
    assert!(
        diff.contains("--- a/src/eval.rs\n+++ b/src/eval.rs\n@@ "),
        "{diff}"
    );
    assert!(diff.contains(added), "{diff}");
    assert!(
        diff.contains("--- /dev/null\n+++ b/tuner/src/main.rs\n@@ -0,0 +1,"),
        "{diff}"
    );
    let (status, words) = new(folder.path(), &format!("{args} --diff"));
    assert!(status == 2 && words.contains("--dry-run"), "{words}");
    assert_eq!(all(folder.path()), before);
}
