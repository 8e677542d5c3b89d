//! `tuner new` on shapes of engines: positions of other crates, tables of bytes, tables that are
//! filled at start.

#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::fs;
use std::path::Path;

use crate::new::{EVALUATION, MANIFEST, all, engine, new};

#[test]
fn a_position_of_another_crate_must_be_offered() {
    let evaluation = |offered: &str| {
        format!(
            "{offered}use men::Board;\npub const TEMPO: i32 = 10;\n\
             pub fn evaluate(board: &Board) -> i32 {{ TEMPO }}\n\
             pub fn read(text: &str) -> Option<Board> {{ None }}\n"
        )
    };
    let library = ("src/lib.rs", "pub mod eval;\n");
    let args = "--board own --evaluate eval::evaluate --from-text";
    let folder = engine(&[library, ("src/eval.rs", &evaluation(""))]);
    let (status, words) = new(folder.path(), &format!("{args} eval::read"));
    assert_eq!(status, 1, "{words}");
    assert!(
        words.contains(
            "`Board` is of another crate; name the function of that crate that makes one, \
            as in --from-text chess::Board::from_str, or write `pub use …::Board;`"
        ),
        "{words}"
    );
    let (_, words) = new(folder.path(), &format!("{args} men::Board::from_fen"));
    assert!(
        words.contains("such as board::Board::from_fen; where it is of another crate"),
        "{words}"
    );
    let folder = engine(&[library, ("src/eval.rs", &evaluation("pub "))]);
    let (status, words) = new(folder.path(), &format!("{args} eval::read"));
    assert_eq!(status, 0, "{words}");
    let notation = fs::read_to_string(folder.path().join("tuner/src/notation.rs")).unwrap();
    assert!(
        notation.contains("pub board: Arc<my_wren::eval::Board>,"),
        "{notation}"
    );
}

#[test]
fn a_reader_may_take_texts_of_any_type() {
    for text in [
        "read<T: AsRef<str>>(text: T)",
        "read(text: impl Into<String>)",
    ] {
        let eval = format!(
            "pub struct Board;\npub const TEMPO: i32 = 10;\n\
             pub fn evaluate(board: &Board) -> i32 {{ TEMPO }}\npub fn {text} -> Option<Board> {{ None }}\n"
        );
        let folder = engine(&[("src/eval.rs", &eval)]);
        let (status, words) = new(
            folder.path(),
            "--board own --evaluate eval::evaluate --from-text eval::read",
        );
        assert_eq!(status, 0, "{words}");
        let notation = fs::read_to_string(folder.path().join("tuner/src/notation.rs")).unwrap();
        assert!(notation.contains("my_wren::eval::read(text).ok_or_else(fault)?"));
    }
    let eval = "pub struct Board;\npub const TEMPO: i32 = 10;\n\
        pub fn evaluate(board: &Board) -> i32 { TEMPO }\n\
        impl<'a> From<&'a str> for Board { fn from(text: &'a str) -> Board { Board } }\n";
    let folder = engine(&[("src/eval.rs", eval)]);
    let args = "--board own --evaluate eval::evaluate --from-text eval::Board::from";
    let (status, words) = new(folder.path(), args);
    assert_eq!(status, 0, "{words}");
    let notation = fs::read_to_string(folder.path().join("tuner/src/notation.rs")).unwrap();
    assert!(notation.contains("Arc::new(my_wren::eval::Board::from(text))"));
}

/// Whether the evaluation is named by a path, which says its position, or by an expression.
#[test]
fn a_reader_of_a_tuple_is_told_to_write_a_struct() {
    let eval = "pub struct Board;\npub struct Hands;\npub const TEMPO: i32 = 10;\n\
        pub fn evaluate(board: &Board) -> i32 { TEMPO }\n\
        pub fn from_fen(fen: &str) -> Result<(Board, Hands), &str> { Ok((Board, Hands)) }\n";
    let folder = engine(&[("src/eval.rs", eval)]);
    for evaluate in ["eval::evaluate", "eval::evaluate(&pos.0)"] {
        let args = format!("--board own --evaluate {evaluate} --from-text eval::from_fen");
        let (status, words) = new(folder.path(), &args);
        let expected = "src/eval.rs:5: it returns Result<(Board, Hands), &str>; write a struct that holds \
            these, and a function of a text that returns it\n";
        assert!(status == 1 && words.contains(expected), "{words}");
    }
}

/// The spec has them as comments, which nobody looks for.
#[test]
fn tables_that_follow_what_is_no_weight_are_told_of() {
    let eval = "use men::UNIT;\npub const HAND: [i32; 2] = [90, UNIT];\npub const TEMPO: i32 = 10;\n\
        pub fn evaluate(pos: &Chess) -> i32 { HAND[0] + TEMPO }\n";
    let folder = engine(&[("src/eval.rs", eval)]);
    let (status, words) = new(folder.path(), "--board shakmaty --evaluate eval::evaluate");
    let expected = "note: src/eval.rs:2:11: HAND has an entry that is `UNIT` (HAND[1]), which is no weight \
        here; write its numbers out\n";
    assert!(status == 0 && words.contains(expected), "{words}");
}

#[test]
fn tables_next_to_an_evaluation_of_methods_are_traced() {
    let library = "pub mod board { pub mod evaluate; pub mod params; pub struct Board; \
        impl Board { pub fn from_fen(_: &str) -> Option<Self> { None } } }\n";
    let evaluate = "use super::{Board, params::*};\n\
        impl Board {\n    pub fn evaluate(&self) -> i16 { Terms.men() }\n}\n\
        struct Terms;\nimpl Terms {\n    fn men(&self) -> i16 { PARAMS.men[1].0 }\n}\n";
    let params = "#[derive(Clone, Copy)]\npub struct S(pub i16, pub i16);\n\
        pub struct Params { pub men: [S; 6] }\npub static PARAMS: Params = Params {\n    \
        men: [S(1, 2), S(3, 4), S(5, 6), S(7, 8), S(9, 10), S(0, 0)],\n};\n";
    let folder = engine(&[
        ("src/lib.rs", library),
        ("src/board/evaluate.rs", evaluate),
        ("src/board/params.rs", params),
    ]);
    let args = "--board own --evaluate pos.evaluate() --from-text board::Board::from_fen";
    let (status, words) = new(folder.path(), args);
    assert_eq!(status, 0, "{words}");
    let params = fs::read_to_string(folder.path().join("src/board/params.rs")).unwrap();
    assert!(params.contains("traced!()"), "{words}{params}");
}

#[test]
fn a_board_without_clone_is_read_again_for_an_evaluation_that_changes_it() {
    let (fresh, cloned) = (
        "|pos| my_wren::eval::score_for_tuner(pos.fresh())",
        "|pos| my_wren::eval::score_for_tuner((*pos.board).clone())",
    );
    for (derives, call, evaluate) in [
        ("", fresh, "eval::evaluate(&mut\u{a0}pos,1)"),
        ("", fresh, "eval::evaluate(&mut\u{a0}*pos,1)"),
        ("", fresh, "pos.score()"),
        (
            "#[derive(Clone)]\n",
            cloned,
            "eval::evaluate(&mut\u{a0}pos,1)",
        ),
    ] {
        let eval = format!(
            "pub struct Boards;\n{derives}pub struct Board;\n\
             impl Board {{ pub fn new(text: &str) -> Self {{ Board }}\n    \
             pub fn score(&mut self) -> i32 {{ TEMPO }} }}\n\
             pub const TEMPO: i32 = 10;\npub fn evaluate(board: &mut Board, side: i32) -> i32 {{ TEMPO }}\n"
        );
        let folder = engine(&[("src/eval.rs", &eval)]);
        let args = format!("--board own --evaluate {evaluate} --from-text eval::Board::new");
        let (status, words) = new(folder.path(), &args);
        assert_eq!(status, 0, "{words}");
        let text = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(text("src/eval.rs").contains("(mut pos: crate::eval::Board) -> i32"));
        assert!(
            text("tuner/src/main.rs").contains(call),
            "{}",
            text("tuner/src/main.rs")
        );
        let fresh = "pub fn fresh(&self) -> my_wren::eval::Board";
        assert_eq!(
            text("tuner/src/notation.rs").contains(fresh),
            derives.is_empty()
        );
    }
}

/// The modules that other crates do not see are named once each, and all at once; a type may have
/// arguments.
#[test]
fn a_generic_position_in_private_modules_is_one_round() {
    let board = "pub mod rules { pub struct Chess; }\npub struct Game<R>(R);\n\
        impl<R> Game<R> {\n    pub fn eval(&self) -> i32 { TEMPO }\n}\npub const TEMPO: i32 = 10;\n";
    let engine_of = |library: &str| {
        engine(&[
            ("src/lib.rs", library),
            (
                "src/search.rs",
                "pub struct Search;\nimpl Search { pub fn eval(&self) {} }\n",
            ),
            ("src/board/men.rs", board),
            (
                "src/board/fen.rs",
                "impl<R> super::men::Game<R> {\n    \
                pub fn from_fen(_: &str) -> Option<Self> { None }\n}\n",
            ),
        ])
    };
    let args = "--board own --evaluate pos.eval() \
        --from-text board::men::Game::<board::men::rules::Chess>::from_fen";
    let folder = engine_of("mod search;\nmod board { mod men; mod fen; }\n");
    let (status, words) = new(folder.path(), args);
    let private = "error: src/lib.rs:2: `mod board` is private; write `pub mod board`\n\
        src/lib.rs:2: `mod men` is private; write `pub mod men`\nnothing was written\n";
    assert_eq!((status, &*words), (1, private));
    let folder = engine_of("mod search;\npub mod board { pub mod men; mod fen; }\n");
    let (status, words) = new(folder.path(), args);
    assert_eq!(status, 0, "{words}");
    let text = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(
        text("src/board/men.rs")
            .contains("pos: &crate::board::men::Game<crate::board::men::rules::Chess>)")
    );
    let board = "pub board: Arc<my_wren::board::men::Game<my_wren::board::men::rules::Chess>>,";
    assert!(text("tuner/src/notation.rs").contains(board));
}

/// A type may be declared in a private module and shown by an import, also by a glob.
#[test]
fn a_position_that_an_import_shows_needs_no_public_module() {
    for import in ["pub use pos::Position;", "pub use pos::*;"] {
        let board = format!("mod pos;\nmod sfen;\n{import}\n");
        let folder = engine(&[
            ("src/lib.rs", "pub mod eval;\npub mod board;\n"),
            ("src/board/mod.rs", &board),
            ("src/board/pos.rs", "pub struct Position;\n"),
            (
                "src/board/sfen.rs",
                "use super::Position;\nimpl Position {\n    \
                pub fn read(_: &str) -> Option<Self> { None }\n}\n",
            ),
            (
                "src/eval.rs",
                "use crate::board::Position;\npub const TEMPO: i32 = 10;\n\
                pub fn evaluate(pos: &Position) -> i32 { TEMPO }\n",
            ),
        ]);
        let args = "--board own --evaluate eval::evaluate --from-text board::Position::read";
        let (status, words) = new(folder.path(), args);
        assert_eq!(status, 0, "{words}");
        let notation = fs::read_to_string(folder.path().join("tuner/src/notation.rs")).unwrap();
        assert!(
            notation.contains("my_wren::board::Position::read(text)"),
            "{notation}"
        );
    }
}

#[test]
fn a_reader_of_a_dependency_and_a_text_need_nothing_in_the_engine() {
    let evaluation = "use the_men::Board;\npub const TEMPO: i32 = 10;\n\
        pub fn evaluate(board: &Board) -> i32 { TEMPO }\n\
        pub fn of_text(epd: &str) -> i32 { TEMPO }\n";
    let manifest = format!("{MANIFEST}the-men = {{ version = \"1\", features = [\"a\"] }}\n");
    let files = [("Cargo.toml", &*manifest), ("src/eval.rs", evaluation)];
    for (args, dependency, board, parse) in [
        (
            "--evaluate eval::evaluate --from-text the_men::Board::from_str",
            "the-men = \"1\"",
            "the_men::Board",
            "tuner_core::game::ReadBoard::read_board(<the_men::Board as std::str::FromStr>::from_str(text)).map_err(",
        ),
        (
            "--evaluate eval::evaluate(pos) --from-text the_men::Board::read",
            "the-men = \"1\"",
            "the_men::Board",
            "tuner_core::game::ReadBoard::read_board(the_men::Board::read(text)).map_err(",
        ),
        ("--evaluate eval::of_text", "", "String", "text.to_owned()"),
        (
            "--evaluate eval::of_text(pos)",
            "",
            "String",
            "text.to_owned()",
        ),
    ] {
        let folder = engine(&files);
        let (status, words) = new(folder.path(), &format!("--board own {args}"));
        assert_eq!(status, 0, "{args}: {words}");
        let text = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        let notation = text("tuner/src/notation.rs");
        assert!(
            notation.contains(&format!("board: Arc<{board}>")),
            "{notation}"
        );
        assert!(
            notation.contains(&format!("Arc::new({parse}")),
            "{notation}"
        );
        let manifest = text("tuner/Cargo.toml");
        let own = manifest.lines().filter(|line| line.starts_with("the-men"));
        assert_eq!(own.collect::<String>(), dependency);
        if args.contains("(pos)") {
            let of = if board == "String" {
                "str"
            } else {
                "::the_men::Board"
            };
            let head = format!("pub fn score_for_tuner(pos: &{of}) -> i32");
            assert!(text("src/eval.rs").contains(&head), "{args}");
        }
    }
    for (args, expected) in [
        (
            "eval::evaluate",
            "name the function that makes a `Board` of a text with --from-text",
        ),
        (
            "eval::of_text --from-text the_men::Board::read",
            "--from-text makes a `the_men::Board`, and --evaluate takes a `str`",
        ),
        (
            "eval::evaluated(pos) --from-text the_men::Board::read",
            "--evaluate eval::evaluated: found no such function, expected a path such as",
        ),
    ] {
        let folder = engine(&files);
        let before = all(folder.path());
        let (status, words) = new(folder.path(), &format!("--board own --evaluate {args}"));
        assert!(status == 1 && words.contains(expected), "{args}: {words}");
        assert_eq!(all(folder.path()), before);
    }
}

#[test]
fn tables_of_bytes_are_named_at_once() {
    let evaluation = "static WEIGHTS: [i16; 64] = unsafe { std::mem::transmute(*include_bytes!(\"w\")) };\n\
        const TEMPO: i32 = 1;\npub fn evaluate(pos: &Chess) -> i32 { WEIGHTS[0] as i32 + TEMPO }\n";
    let args = "--board shakmaty --evaluate eval::evaluate";
    let folder = engine(&[("src/eval.rs", evaluation)]);
    let (status, words) = new(folder.path(), args);
    let expected =
        "src/eval.rs:1: nobody can see the numbers in `WEIGHTS`, which come as bytes; write";
    assert!(status == 1 && words.contains(expected), "{words}");
    assert!(words.ends_with("nothing was written\n"), "{words}");
    let print = words.split('`').find(|code| code.starts_with("println!("));
    assert_eq!(print, Some("println!(\"{WEIGHTS:?}\")"), "{words}");
    // The second cure of the message.
    let cured = "#[cfg(feature = \"tune\")]\ntuner_core::traced!(frozen(WEIGHTS));\n";
    let folder = engine(&[("src/eval.rs", &format!("{evaluation}{cured}"))]);
    let (status, words) = new(folder.path(), args);
    assert_eq!(status, 0, "{words}");
}

#[test]
fn what_main_calls_first_may_be_in_a_function_of_the_program() {
    let program = "mod eval;\nuse eval::*;\nfn init() {\n    fill();\n    // More.\n    eval::start();\n    grow(1);\n}\n\
        fn main() {\n    std::panic::set_hook(Box::new(|told| {\n        \
        println!(\"{told}\");\n        exit();\n    }));\n\n    init();\n    eval::run();\n}\n";
    let evaluation = format!(
        "{EVALUATION}pub fn fill() {{}}\npub fn start() {{}}\npub fn run() {{}}\npub fn grow(_: u8) {{}}\n"
    );
    let folder = engine(&[("src/main.rs", program), ("src/eval.rs", &evaluation)]);
    let calls = "    my_wren::eval::fill();\n    my_wren::eval::start();\n    tuner_core::serve";
    let has_calls = |folder: &Path| {
        let (status, words) = new(folder, "--board shakmaty --evaluate eval::evaluate");
        assert_eq!(status, 0, "{words}");
        let text = fs::read_to_string(folder.join("tuner/src/main.rs")).unwrap();
        assert!(text.contains(calls), "{text}");
    };
    has_calls(folder.path());
    // The program of a library is in `src/bin`, perhaps beside others.
    let program = "use my_wren::eval;\nfn main() {\n    let all = args();\n    \
        if all.is_empty() {\n        if true { eval::run(); }\n    } else {\n        eval::run();\n    }\n    eval::fill();\n    \
        eval::start();\n    eval::talk(all);\n}\n";
    let library = ("src/lib.rs", "pub mod eval;\n");
    let bin = ("src/bin/my-wren.rs", program);
    let other = ("src/bin/magics.rs", "fn main() {}\n");
    let folder = engine(&[library, other, bin, ("src/eval.rs", &evaluation)]);
    fs::remove_file(folder.path().join("src/main.rs")).unwrap();
    has_calls(folder.path());
}

/// Of one type the trait is enough; of several it names them.
#[test]
fn methods_of_a_trait_may_be_named_by_it() {
    let eval = |more: &str| {
        format!(
            "pub struct Game;\npub const TEMPO: i32 = 10;\n\
             pub trait Eval {{ fn eval(&self) -> i32; }}\nimpl Eval for Game {{ fn eval(&self) -> i32 {{ TEMPO }} }}\n\
             pub trait Fen {{ fn from_fen(fen: &str) -> Option<Game>; }}\n\
             impl Fen for Game {{ fn from_fen(fen: &str) -> Option<Game> {{ None }} }}\n{more}"
        )
    };
    let args = "--board own --evaluate eval::Eval::eval --from-text eval::Fen::from_fen";
    let folder = engine(&[("src/eval.rs", &eval(""))]);
    let (status, words) = new(folder.path(), args);
    assert_eq!(status, 0, "{words}");
    let two = "pub struct Men;\nimpl Eval for Men { fn eval(&self) -> i32 { TEMPO } }\n";
    let folder = engine(&[("src/eval.rs", &eval(two))]);
    let (status, words) = new(folder.path(), args);
    let expected =
        "found no such function, expected a path such as eval::Game::eval, eval::Men::eval\n";
    assert!(status == 1 && words.contains(expected), "{words}");
}

/// Each file has its own `macro_rules!` of one name, as a copy of the tables for a tuner of the
/// engine's own.
#[test]
fn a_macro_of_the_same_name_in_another_file_is_another() {
    let tables = |kind: &str, more: &str| {
        format!(
            "macro_rules! S {{ ($a:expr, $b:expr) => {{ $a * 65536 + $b }} }}\n\
             pub {kind} MAN: i32 = S!(100, 120);\n{more}"
        )
    };
    let evaluate = "pub fn evaluate(pos: &Chess) -> i32 { MAN }\n";
    let folder = engine(&[
        ("src/lib.rs", "pub mod eval;\nmod tuning_eval;\n"),
        ("src/eval.rs", &tables("const", evaluate)),
        ("src/tuning_eval.rs", &tables("static mut", "")),
    ]);
    let (status, words) = new(folder.path(), "--board shakmaty --evaluate eval::evaluate");
    assert_eq!(status, 0, "{words}");
    let other = fs::read_to_string(folder.path().join("src/tuning_eval.rs")).unwrap();
    assert!(!other.contains("traced!"), "{other}");
}

/// What the evaluation never names is left alone, though its type has the name of another.
#[test]
fn of_two_types_of_a_name_the_unused_one_is_not_traced() {
    let score = "pub const PHASE_MAX: i32 = 256;\n#[derive(Clone, Copy)]\n\
        pub struct Tapered { pub mg: i32, pub eg: i32 }\nimpl Tapered {\n    \
        pub const fn new(mg: i32, eg: i32) -> Self { Self { mg, eg } }\n    \
        pub fn at(self, phase: i32) -> i32 { (self.mg * phase + self.eg * (PHASE_MAX - phase)) / PHASE_MAX }\n}\n";
    let eval = "use crate::score::Tapered;\npub const MEN: [Tapered; 1] = [Tapered::new(100, 120)];\n\
        pub fn evaluate(pos: &Chess) -> i32 {\n    let man: Tapered = MEN[0];\n    man.at(3) + Tapered::new(1, 1).at(4)\n}\n";
    let folder = engine(&[
        (
            "src/lib.rs",
            "pub mod all;\npub mod eval;\npub mod score;\n",
        ),
        ("src/all.rs", score),
        ("src/score.rs", score),
        ("src/eval.rs", eval),
    ]);
    let (status, words) = new(folder.path(), "--board shakmaty --evaluate eval::evaluate");
    assert_eq!(status, 0, "{words}");
    for (name, is_traced) in [("all", false), ("score", true)] {
        let text = fs::read_to_string(folder.path().join(format!("src/{name}.rs"))).unwrap();
        assert_eq!(text.contains("traced!()"), is_traced, "{name}: {words}");
    }
}

/// Freezing one of two tables of a name, as advised, leads on.
#[test]
fn of_two_tables_of_a_name_one_is_frozen_as_advised() {
    let files = |more: &str| {
        let table = "pub const MEN: [i32; 6] = [1, 3, 3, 5, 9, 0];\n";
        engine(&[
            ("src/lib.rs", "pub mod eval;\n"),
            (
                "src/eval.rs",
                &format!(
                    "mod mobility;\n{table}pub fn evaluate(pos: &Chess) -> i32 {{ MEN[0] + mobility::of(pos) }}\n"
                ),
            ),
            (
                "src/eval/mobility.rs",
                &format!("{table}pub fn of(pos: &Chess) -> i32 {{ MEN[1] }}\n{more}"),
            ),
        ])
    };
    let args = "--board shakmaty --evaluate eval::evaluate";
    let (status, words) = new(files("").path(), args);
    let expected = "rename one of the two, or write `traced!(frozen(NAME))` at the end of its file";
    assert!(status == 1 && words.contains(expected), "{words}");
    let frozen = "\n#[cfg(feature = \"tune\")]\ntuner_core::traced!(frozen(MEN));\n";
    let (status, words) = new(files(frozen).path(), args);
    assert_eq!(status, 0, "{words}");
}

/// Also in a program that has the modules once more; not where the dependency is always there, nor
/// beside the author's own.
#[test]
fn macros_that_bodies_name_are_defined_for_builds_without_tuner() {
    let own = "extern crate self as tuner_core;\n";
    let linked = "[package]\nname = \"my-wren\"\n[dependencies]\ntuner-core = { path = \"x\" }\n";
    let body = "TEMPO + tuner_core::freeze!(TEMPO)";
    for (manifest, body, root, program, expected) in [
        (MANIFEST, body, "", "mod eval;\n", [1, 1]),
        (MANIFEST, body, "", "use my_wren::eval;\n", [1, 0]),
        (MANIFEST, body, own, "mod eval;\n", [0, 1]),
        (MANIFEST, "TEMPO", "", "mod eval;\n", [0, 0]),
        (linked, body, "", "mod eval;\n", [0, 0]),
    ] {
        let text = format!(
            "pub const TEMPO: i32 = 10;\npub fn evaluate(pos: &Chess) -> i32 {{ {body} }}\n"
        );
        let folder = engine(&[
            ("Cargo.toml", manifest),
            ("src/main.rs", &format!("{program}fn main() {{}}\n")),
            ("src/lib.rs", &format!("{root}pub mod eval;\n")),
            ("src/eval.rs", &text),
        ]);
        // Once, however often it is said.
        for _ in 0..2 {
            let (status, words) = new(folder.path(), "--board shakmaty --evaluate eval::evaluate");
            assert_eq!(status, 0, "{words}");
            let defined = ["lib", "main"].map(|name| {
                let text = fs::read_to_string(folder.path().join(format!("src/{name}.rs")));
                let head =
                    "#[cfg(not(feature = \"tune\"))]\n#[allow(missing_docs)]\nmod without_tuner {\n";
                text.unwrap().matches(head).count()
            });
            assert_eq!(defined, expected, "{body}, {root}, {program}");
        }
    }
    // The macros are those that `released.rs` builds with.
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let of = |path: &str| {
        let text = fs::read_to_string(root.join(path)).unwrap();
        let (_, macros) = text.split_once("\nmod without_tuner {").unwrap();
        macros.split("\n}\n").next().unwrap().to_owned()
    };
    let own = of("crates/jobs/src/new/without_tuner.rs.txt");
    assert_eq!(own, of("tests/ui/pass/released.rs"));
}

/// Cargo gives what it links to the library alone, and the program has none of that.
#[test]
fn a_program_links_what_its_build_script_names() {
    let manifest = |more: &str| format!("[package]\nname = \"my-wren\"\n{more}");
    let edition = manifest("edition = \"2024\"\n");
    let (script, library) = (("build.rs", ""), ("src/lib.rs", "pub mod eval;\n"));
    for (files, line) in [
        (
            &[("Cargo.toml", &*edition), script][..],
            "extern crate my_wren as _;",
        ),
        (
            &[("Cargo.toml", &*manifest("build = \"c.rs\"\n"))],
            "extern crate my_wren as _;",
        ),
        (&[("Cargo.toml", &*manifest("build = false\n")), script], ""),
        (&[script, library], ""),
    ] {
        let folder = engine(files);
        let program = || fs::read_to_string(folder.path().join("src/main.rs")).unwrap();
        let before = program();
        // Once, however often it is said.
        for _ in 0..2 {
            let (status, words) = new(folder.path(), "--board shakmaty --evaluate eval::evaluate");
            assert_eq!(status, 0, "{words}");
            let added = program().replace(&before, "");
            assert_eq!(added.lines().last().unwrap_or_default(), line, "{words}");
        }
    }
}

#[test]
fn the_largest_tables_are_named_first() {
    let small = (0..12).map(|n| format!("const A{n}: i32 = {n};\n"));
    let small: Vec<String> = small.collect();
    let text = format!(
        "{}const MEN: [i32; 3] = [1, 2, 3];\npub fn evaluate(pos: &Chess) -> i32 {{ MEN[0] }}\n",
        small.concat()
    );
    let folder = engine(&[("src/eval.rs", &text)]);
    let (status, words) = new(folder.path(), "--board shakmaty --evaluate eval::evaluate");
    assert_eq!(status, 0, "{words}");
    let first = "among them:\n  src/eval.rs:13:7: MEN is a number[3]\n  src/eval.rs:1:7: A0 is";
    assert!(words.contains(first), "{words}");
}
