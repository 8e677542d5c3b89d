//! What `spec import` takes, leaves out and refuses.

use std::collections::HashSet;
use std::fs;

use super::{SHAPES, assert_fails, folder, printed, tuner, weights, words};

/// The line on which a const of `SHAPES` stands.
fn line(name: &str) -> usize {
    let before = SHAPES.split_once(&format!("const {name}:")).unwrap().0;
    before.matches('\n').count() + 1
}

#[test]
fn every_shape_is_imported() {
    let folder = folder(SHAPES);
    let found = weights(folder.path(), &["eval.rs"]);
    let spelt: Vec<String> = found.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let expected = "ONE=-5 THOUSAND=1000 COMPUTED=60 STATIC[0]=1 STATIC[1]=-2 STATIC[2]=3 \
        MUTABLE.mg=3 MUTABLE.eg=-8 NEW.mg=4 NEW.eg=-9 MACRO.mg=5 MACRO.eg=-10 FIELDS.mg=6 \
        FIELDS.eg=-11 TUPLE.mg=7 TUPLE.eg=-12 NESTED[0][0].mg=1 NESTED[0][0].eg=2 \
        NESTED[0][1].mg=3 NESTED[0][1].eg=4 NESTED[1][0].mg=5 NESTED[1][0].eg=6 \
        NESTED[1][1].mg=7 NESTED[1][1].eg=8 DEEP[0][0][0][0]=1 DEEP[0][0][1][0]=2 \
        DEEP[1][0][0][0]=3 DEEP[1][0][1][0]=4 REPEATED[0].mg=13 REPEATED[0].eg=14 \
        REPEATED[1].mg=13 REPEATED[1].eg=14 REPEATED[2].mg=13 REPEATED[2].eg=14 \
        WRAPPED[0].mg=15 WRAPPED[0].eg=16 WRAPPED[1].mg=17 WRAPPED[1].eg=18 AMONG[0]=25 AMONG[1]=26 FLOAT=19 \
        PADDED[0].mg=9 PADDED[0].eg=6 PADDED[1].mg=-120 PADDED[1].eg=1000 SLICE[0]=20 \
        SLICE[1]=21 KING_SHIELD[0].mg=1 KING_SHIELD[0].eg=2 KING_SHIELD[1].mg=3 \
        KING_SHIELD[1].eg=4 KING_STORM_MEN=5 KING_STORM_LINES[0]=6 KING_STORM_LINES[1]=7 \
        TERMS_FN=-1 TERMS_RAMP[0]=2 TERMS_RAMP[1]=3 TERMS_BOTH.mg=8 TERMS_BOTH.eg=9 PARTLY[0].mg=22 PARTLY[0].eg=23 PARTLY[1].mg=3 PARTLY[1].eg=-8 \
        PARTLY[2].mg=-3 PARTLY[2].eg=-4 FRACTION=0.5 INNER=24 HERE=30 THERE=-4";
    assert_eq!(spelt.join(" "), expected);
}

#[test]
fn the_spec_says_where_things_come_from_and_the_words_what_was_left_out() {
    let folder = folder(SHAPES);
    let output = tuner(folder.path(), &["spec", "import", "eval.rs"]);
    let text = printed(&output);
    for part in [
        &*format!(
            "# eval.rs:{}\nname = \"ONE\"\ndoc = \"One \\\"number\\\" \\\\ of é.\"\n",
            line("ONE")
        ),
        &format!(
            "# eval.rs:{}:7: SAME is `NESTED[1][0]` and has no weights of its own\n",
            line("SAME")
        ),
        "[[tie]]\nentry = \"PARTLY[1]\"\nto = \"MUTABLE\"\n",
        "[[tie]]\nentry = \"PARTLY[2]\"\nto = \"NESTED[0][1]\"\nfactor = -1\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let words = words(&output);
    for (name, reason) in [
        ("DERIVED", "is computed from weights at eval.rs:"),
        ("MIXED", "make them consts of their own, or freeze it"),
        ("MIRRORED", "is computed from weights, or holds none"),
        ("LAZY", "is computed from weights, or holds none"),
        ("BLOCK", "is computed from weights, or holds none"),
        ("KING.size", "holds no signed numbers (`usize`)"),
        ("TERMS.one", "is `ONE` and has no weights of its own"),
        ("COUNT", "holds no signed numbers (`usize`)"),
        ("MASK", "holds no signed numbers (`u64`)"),
        ("BITS", "holds no signed numbers (`u64`)"),
        ("NAMES", "holds no signed numbers (`str`)"),
        ("BOARD", "holds bits"),
        ("FLAG", "holds no signed numbers (`bool`)"),
        ("TRIPLE", "has 3 numbers in an entry"),
        ("lower", "is no upper-case name"),
        ("FROZEN", "is frozen"),
        ("SIZED", "has a length that is no small number"),
    ] {
        let line = words
            .lines()
            .find(|l| l.starts_with("left out: ") && l.contains(&format!(": {name} ")));
        assert!(line.is_some_and(|l| l.contains(reason)), "{name}: {words}");
    }
    let storm = "name = \"KING_STORM_MEN\"\n";
    let before = text.split_once(storm).unwrap().0;
    assert!(before.ends_with(" KING.storm.men\n"), "{text}");
    assert!(
        words.contains("KING_STORM_MEN (KING.storm.men) is a number\n"),
        "{words}"
    );
    assert!(words.contains("NEW is a pair, of type `Score`, which these files do not declare"));
    for absent in ["IN_A_TEST", "LOCAL"] {
        assert!(!words.contains(absent) && !text.contains(absent));
    }
}

#[test]
fn where_something_is_annotated_only_that_counts() {
    let folder = folder(
        "#[tunable]\nconst A: i32 = 1;\nconst B: i32 = 2;\nmod whole {\n const C: i32 = 3;\n \
         const D: i32 = 4;\n fn f() -> i32 { weight!(F: 5) }\n \
         tuner_core::traced!(frozen(D));\n}\nfn g() -> i32 { weight!(G: 5) }\n",
    );
    let names = |args: &[&str]| {
        let all = weights(folder.path(), args).into_iter();
        all.map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(names(&["."]), ["A", "C", "F"]);
    assert_eq!(names(&[".", "--except", "C"]), ["A", "F"]);
    assert_eq!(names(&[".", "--only", "*C"]), ["C"]);
    let output = tuner(folder.path(), &["spec", "import", ".", "--only", "X"]);
    assert_fails(&output, &["`X` is the name of no const or static"]);
    let output = tuner(folder.path(), &["spec", "import", ".", "--only", "B"]);
    assert_fails(
        &output,
        &["eval.rs:3:7: B is not annotated, as others here are"],
    );
}

#[test]
fn fields_of_structs_are_parameters_of_their_own() {
    let text = "struct E { /// How it begins.\n a: i8, b: B }\nstruct B { c: [i16; 2], d: i8 }\n\
                const E: E = E { a: 1, b: B { c: [2, 3], d: 4 } };\nconst F: i32 = 5;\n";
    let folder = folder(text);
    let path = folder.path();
    let names = |args: &[&str]| {
        let all = weights(path, &[&["eval.rs"], args].concat()).into_iter();
        all.map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(
        names(&["--only", "E"]),
        ["E_A", "E_B_C[0]", "E_B_C[1]", "E_B_D"]
    );
    assert_eq!(names(&["--except", "E_B*"]), ["E_A", "F"]);
    let spec = printed(&tuner(path, &["spec", "import", "eval.rs"]));
    assert!(
        spec.contains("name = \"E_A\"\ndoc = \"How it begins.\"\n"),
        "{spec}"
    );

    let clash = format!("{text}const E_B_D: i32 = 6;\n");
    fs::write(path.join("eval.rs"), clash).unwrap();
    let output = tuner(path, &["spec", "import", "eval.rs"]);
    let twice = "eval.rs:6:7: `E_B_D` is declared twice, first at eval.rs:4:42";
    assert_fails(&output, &[twice]);
    // Within one struct, and the second is the field.
    let clash = "const E: E = E { b_c: 1, b: B { a: 2, c: 3, e: 4 }, d: 5 };\n";
    fs::write(path.join("eval.rs"), clash).unwrap();
    let output = tuner(path, &["spec", "import", "eval.rs"]);
    assert_fails(
        &output,
        &["eval.rs:1:39: `E_B_C` (E.b.c) is declared twice, first at eval.rs:1:18"],
    );
}

/// An engine that holds its weights at run time.
const HELD: &str = "\
struct EvalWeights { /// What a pawn is worth.
 pawn: S, king: King, lines: [i16; 3], table: Vec<i32> }
struct King { shield: [S; 2], storm: i16 }
struct S(i16, i16);
impl EvalWeights {
    pub const fn new() -> Self {
        let _ = 5;
        Self {
            pawn: S(82, 94),
            king: King { shield: [S(1, 2); 2], storm: -3 },
            lines: [4, 5, 6],
            table: Vec::new(),
        }
    }
    fn of(pawn: i16) -> Self { Self { pawn: S(1, 1), ..Self::new() } }
}
impl Default for EvalWeights { fn default() -> Self { Self::new() } }
impl Default for S { fn default() -> Self { Self(0, 0) } }
";

#[test]
fn structs_that_functions_make_are_imported() {
    let folder = folder(HELD);
    let path = folder.path();
    let found = weights(path, &["eval.rs"]);
    let spelt: Vec<String> = found.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let expected = "EVAL_WEIGHTS_PAWN.mg=82 EVAL_WEIGHTS_PAWN.eg=94 \
        EVAL_WEIGHTS_KING_SHIELD[0].mg=1 EVAL_WEIGHTS_KING_SHIELD[0].eg=2 \
        EVAL_WEIGHTS_KING_SHIELD[1].mg=1 EVAL_WEIGHTS_KING_SHIELD[1].eg=2 \
        EVAL_WEIGHTS_KING_STORM=-3 EVAL_WEIGHTS_LINES[0]=4 EVAL_WEIGHTS_LINES[1]=5 \
        EVAL_WEIGHTS_LINES[2]=6";
    assert_eq!(spelt.join(" "), expected);
    let output = tuner(path, &["spec", "import", "eval.rs"]);
    let text = printed(&output);
    let section = "# eval.rs:9 EvalWeights::new().pawn\nname = \"EVAL_WEIGHTS_PAWN\"\n\
                   doc = \"What a pawn is worth.\"\nphases = [\"mg\", \"eg\"]\n";
    assert!(text.contains(section), "{text}");
    assert!(text.contains("integer = \"i16\""), "{text}");
    let table = "left out: eval.rs:12:13: EvalWeights::new().table ";
    assert!(words(&output).contains(table), "{}", words(&output));
    for (args, left) in [
        (["--only", "EvalWeights::new()"], 4),
        (["--only", "EVAL_WEIGHTS"], 4),
        (["--only", "*_STORM"], 1),
        (["--except", "EVAL_WEIGHTS_KING*"], 2),
    ] {
        let names = weights(path, &[&["eval.rs"], &args[..]].concat());
        let stem = |name: &str| name.split(['[', '.']).next().unwrap().to_owned();
        let names: HashSet<String> = names.iter().map(|(name, _)| stem(name)).collect();
        assert_eq!(names.len(), left, "{args:?} {names:?}");
    }
}

#[test]
fn associated_consts_are_imported_and_patched() {
    let text = "struct W { a: i32, b: [i32; 2] }\nstruct S(i32, i32);\n\
                impl W { pub const TUNED: Self = Self { a: 1, b: [2, 3] };\n\
                const OLD: W = W { a: 4, b: [5; 2] }; const SIZE: i32 = 5; const S: S = S(1, 2);\n\
                fn new() -> Self { Self::TUNED } }\n";
    let folder = folder(text);
    let path = folder.path();
    let found = weights(path, &["eval.rs"]);
    let spelt: Vec<String> = found.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let expected = "W_TUNED_A=1 W_TUNED_B[0]=2 W_TUNED_B[1]=3 W_OLD_A=4 W_OLD_B[0]=5 W_OLD_B[1]=5";
    assert_eq!(spelt.join(" "), expected);
    fs::write(
        path.join("w.txt"),
        "W_TUNED_A 6\nW_OLD_B[0] 7\nW_OLD_B[1] 8\n",
    )
    .unwrap();
    printed(&tuner(path, &["patch", "w.txt", "eval.rs"]));
    let patched = text.replace("a: 1", "a: 6").replace("[5; 2]", "[7, 8]");
    assert_eq!(fs::read_to_string(path.join("eval.rs")).unwrap(), patched);
    assert_eq!(weights(path, &["eval.rs", "--only", "W::OLD"]).len(), 3);
}

#[test]
fn two_structs_of_one_name_are_told_apart() {
    let both = "struct W { a: i32, b: [i32; 2] }\nimpl W { fn new() -> Self { Self { a: 1, b: [2, 3] } } }\n\
                impl Default for W { fn default() -> W { W { a: 4, b: [5; 2] } } }\n";
    let folder = folder(both);
    let path = folder.path();
    let clash = [
        "eval.rs:3:46: `W_A` (W::default().a) is declared twice, first at eval.rs:2:36",
        "--except 'W::default()'",
    ];
    assert_fails(&tuner(path, &["spec", "import", "eval.rs"]), &clash);
    let values = |args: &[&str]| {
        let all = weights(path, &[&["eval.rs"], args].concat()).into_iter();
        all.map(|(_, value)| value).collect::<Vec<_>>()
    };
    assert_eq!(values(&["--except", "W::default()"]), [1.0, 2.0, 3.0]);
    assert_eq!(values(&["--except", "W::new()"]), [4.0, 5.0, 5.0]);
    // A patch asks as well, and takes the same answer.
    fs::write(path.join("w.txt"), "W_A 7\nW_B[0] 8\nW_B[1] 9\n").unwrap();
    let patch = ["patch", "w.txt", "eval.rs"];
    let clash = ["`W_A` is declared twice, first at eval.rs:2:36 (W::new().a)"];
    assert_fails(&tuner(path, &patch), &clash);
    assert_eq!(fs::read_to_string(path.join("eval.rs")).unwrap(), both);
    printed(&tuner(
        path,
        &[&patch[..], &["--except", "W::new()"]].concat(),
    ));
    let patched = both.replace("a: 4, b: [5; 2]", "a: 7, b: [8, 9]");
    assert_eq!(fs::read_to_string(path.join("eval.rs")).unwrap(), patched);

    // A const of the same name, in whatever file.
    let both = "struct W { a: i32, b: i32, c: i32 }\nconst W: W = W { a: 1, b: 2, c: 3 };\n\
                impl W { fn new() -> Self { Self { a: 1, b: 2, c: 3 } } }\n";
    fs::write(path.join("eval.rs"), both).unwrap();
    let clash = ["`W_C` (W::new().c) is declared twice, first at eval.rs:2:30"];
    assert_fails(&tuner(path, &["spec", "import", "eval.rs"]), &clash);
}

#[test]
fn a_struct_in_an_impl_block_is_not_annotated() {
    let text = HELD.to_owned() + "const TEMPO: i32 = 5;\ntuner_core::traced!();\n";
    let folder = folder(&text);
    let output = tuner(folder.path(), &["spec", "import", "eval.rs"]);
    assert!(!printed(&output).contains("EVAL_WEIGHTS"));
    let words = words(&output);
    for part in [
        "left out: eval.rs: EvalWeights::new().pawn, ",
        "each is in an impl block, which the annotations do not read; move the literal",
    ] {
        assert!(words.contains(part), "{words}");
    }
}

#[test]
fn entries_of_an_array_of_structs_are_parameters() {
    let text = "type Men = [Man; 2];\nstruct Man { value: i8, rows: [i8; 2], wide: u8 }\n\
                static MEN: Men = [Man { value: 1, rows: [2, 3], wide: 1 }, Man { value: 4, rows: [5; 2], wide: 2 }];\n\
                const ALL: E = E { men: [Man { value: 7, rows: [8, 9], wide: 1 }; 2], last: 10 };\n\
                const EMPTY: [Man; 0] = [];\n";
    let folder = folder(text);
    let found = weights(folder.path(), &["eval.rs"]);
    let spelt: Vec<String> = found.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let expected = "MEN_0_VALUE=1 MEN_0_ROWS[0]=2 MEN_0_ROWS[1]=3 MEN_1_VALUE=4 MEN_1_ROWS[0]=5 \
        MEN_1_ROWS[1]=5 ALL_MEN_0_VALUE=7 ALL_MEN_0_ROWS[0]=8 ALL_MEN_0_ROWS[1]=9 \
        ALL_MEN_1_VALUE=7 ALL_MEN_1_ROWS[0]=8 ALL_MEN_1_ROWS[1]=9 ALL_LAST=10";
    assert_eq!(spelt.join(" "), expected);
    let words = words(&tuner(folder.path(), &["spec", "import", "eval.rs"]));
    assert!(
        words.contains("MEN_1_ROWS (MEN[1].rows) is a number[2]\n"),
        "{words}"
    );
    assert!(
        words.contains("and 2 more (--all names them), each holds no signed numbers (`u8`)"),
        "{words}"
    );
}

#[test]
fn what_has_no_shape_or_another_order_is_said() {
    let text = "const JAGGED: [&[i32]; 3] = [&[1, 2], &[], &[3, 4, 5]];\n\
                const EMPTY_FIRST: [&[S]; 2] = [&[], &[S(1, 2)]];\n\
                struct P { eg: i16, mg: i16 }\n\
                const TURNED: [P; 2] = [P { eg: 20, mg: 10 }, P { mg: 30, eg: 40 }];\n\
                static HIDDEN: [i32; 2] = pst!(1, 2);\nstatic NODES: AtomicU64 = AtomicU64::new(5);\n\
                struct W { a: i32, b: i32, c: i32 }\n\
                impl W { fn new() -> Self { let mut w = Self::zero(); w.a = 5; w } }\n";
    let folder = folder(text);
    let path = folder.path();
    let found = weights(path, &["eval.rs"]);
    let spelt: Vec<String> = found.iter().map(|(n, v)| format!("{n}={v}")).collect();
    assert_eq!(
        spelt.join(" "),
        "JAGGED[0]=1 JAGGED[1]=2 JAGGED[2]=3 JAGGED[3]=4 JAGGED[4]=5 EMPTY_FIRST[0].mg=1 \
         EMPTY_FIRST[0].eg=2 TURNED[0].mg=10 TURNED[0].eg=20 TURNED[1].mg=30 TURNED[1].eg=40"
    );
    let said = words(&tuner(path, &["spec", "import", "eval.rs"]));
    for part in [
        "HIDDEN is an array that a macro or a function makes; write the array out",
        "NODES holds no signed numbers (`AtomicU64`)",
        "eval.rs:8:13: W::new() does not end in the literal of a struct of tables",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    fs::write(
        path.join("w.txt"),
        "TURNED[0].mg 11\nTURNED[1].eg 44\nJAGGED[2] 33\n",
    )
    .unwrap();
    printed(&tuner(path, &["spec", "import", "eval.rs", "-o", "e.toml"]));
    printed(&tuner(
        path,
        &["patch", "w.txt", "eval.rs", "--spec", "e.toml"],
    ));
    let patched = fs::read_to_string(path.join("eval.rs")).unwrap();
    assert!(
        patched.contains("[P { eg: 20, mg: 11 }, P { mg: 30, eg: 44 }]"),
        "{patched}"
    );
    assert!(patched.contains("[&[1, 2], &[], &[33, 4, 5]]"), "{patched}");
}

#[test]
fn a_spec_is_never_written_over() {
    let folder = folder("const A: i32 = 1;\n");
    let path = folder.path();
    printed(&tuner(path, &["spec", "import", "eval.rs", "-o", "e.toml"]));
    let spec = fs::read_to_string(path.join("e.toml")).unwrap() + "bounds = [0, 9] # mine\n";
    fs::write(path.join("e.toml"), &spec).unwrap();
    for (args, words) in [
        (
            "import eval.rs -o e.toml",
            "--into e.toml brings it up to date",
        ),
        ("emit e.toml --to c -o e.toml", "it is the spec itself"),
        ("doc e.toml -o ./e.toml", "it is the spec itself"),
    ] {
        let args: Vec<&str> = ["spec"].into_iter().chain(args.split(' ')).collect();
        assert_fails(&tuner(path, &args), &[words]);
        assert_eq!(fs::read_to_string(path.join("e.toml")).unwrap(), spec);
    }
    printed(&tuner(
        path,
        &["spec", "import", "eval.rs", "-o", "e.toml", "--force"],
    ));
    assert!(
        !fs::read_to_string(path.join("e.toml"))
            .unwrap()
            .contains("mine")
    );
}

#[test]
fn what_vanished_goes_with_its_sums_and_a_patched_header_has_the_hash_of_its_spec() {
    let folder = folder("const A: i32 = 1;\nconst B: i32 = 2;\n");
    let path = folder.path();
    printed(&tuner(path, &["spec", "import", "eval.rs", "-o", "e.toml"]));
    let spec = fs::read_to_string(path.join("e.toml")).unwrap();
    let sum = "\n[[constraint]]\nsum = { A = 1, B = 1 }\nat_most = 9\n";
    fs::write(path.join("e.toml"), spec + sum).unwrap();
    fs::write(path.join("eval.rs"), "const A: i32 = 1;\n").unwrap();
    let drop = [
        "spec",
        "import",
        "eval.rs",
        "--into",
        "e.toml",
        "--vanished",
        "drop",
    ];
    let output = tuner(path, &drop);
    assert!(
        words(&output).contains("with what ties or sums it"),
        "{}",
        words(&output)
    );
    let spec = fs::read_to_string(path.join("e.toml")).unwrap();
    assert!(
        !spec.contains("constraint") && !spec.contains('B'),
        "{spec}"
    );
    printed(&tuner(path, &["spec", "emit", "e.toml", "-o", "g.rs"]));
    fs::write(
        path.join("f.toml"),
        spec.replace("initial = 1", "initial = 5"),
    )
    .unwrap();
    printed(&tuner(path, &["patch", "f.toml", "g.rs"]));
    printed(&tuner(path, &["spec", "emit", "f.toml", "-o", "f.rs"]));
    let hash = |name: &str| {
        let text = fs::read_to_string(path.join(name)).unwrap();
        let line = text.lines().find(|line| line.contains(", hash ")).unwrap();
        line.to_owned()
    };
    assert_eq!(hash("g.rs"), hash("f.rs"));
}

#[test]
fn mistakes_of_an_import_have_places() {
    let folder = folder("const A: i32 = 1;\n");
    let path = folder.path();
    fs::create_dir(path.join("deep")).unwrap();
    fs::write(path.join("deep/other.rs"), "\nconst A: i32 = 2;\n").unwrap();
    let twice = [
        "eval.rs:1:7: `A` is declared twice, first at ./deep/other.rs:2:7",
        "--except",
    ];
    assert_fails(&tuner(path, &["spec", "import", "."]), &twice);
    // The same file twice is one.
    let same = weights(path, &["eval.rs", "./eval.rs"]);
    assert_eq!(same, [("A".to_owned(), 1.0)]);
    fs::write(path.join("deep/other.rs"), "// é\nconst é: = 2;\n").unwrap();
    let output = tuner(path, &["spec", "import", "."]);
    assert_fails(&output, &["./deep/other.rs:2:10: this is no Rust"]);
    assert_fails(
        &tuner(path, &["spec", "import", "none.rs"]),
        &["none.rs: No such file"],
    );
    fs::create_dir(path.join("empty")).unwrap();
    assert_fails(
        &tuner(path, &["spec", "import", "empty"]),
        &["empty: found no *.rs"],
    );
    // `name` is part of the spec, and checked with it.
    let args = ["spec", "import", "eval.rs", "--name", "no name"];
    assert_fails(&tuner(path, &args), &["expected an identifier"]);
}

#[test]
fn hostile_texts_are_refused() {
    let deep = format!(
        "const A: i32 = {}1{};",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    let signs = format!("const A: i32 = {}1;", "- ".repeat(100_000));
    let sum = format!("const A: i32 = 1{};", " + 1".repeat(100_000));
    let within = format!("const A: i32 = 1{};", " + 1".repeat(2_000));
    let huge = "const A: [[[i32; 60000]; 60000]; 60000] = [[[1; 60000]; 60000]; 60000];";
    let nested = format!("const A: X = {}1{};", "[".repeat(100), "; N]".repeat(100));
    for (text, expected) in [
        (&*deep, "brackets more than 128 deep"),
        (&*signs, "an expression of more than"),
        (&*sum, "an expression of more than"),
        (huge, "has a length that is no small number"),
        (&*nested, "has a length that is no small number"),
        ("const A: i32 = \"", "this is no Rust"),
        ("\0", "this is no Rust"),
        (
            "type A = B; type B = A; const C: A = 1;",
            "holds no signed numbers",
        ),
        (
            "struct A(Box<A>); const C: A = A(1);",
            "holds no signed numbers",
        ),
    ] {
        let folder = folder(text);
        let output = tuner(folder.path(), &["spec", "import", "eval.rs"]);
        assert_fails(&output, &[expected]);
    }
    assert!((weights(folder(&within).path(), &["eval.rs"])[0].1 - 2001.0).abs() < 1e-9);
    let quiet = "/// <script>\n/// ```\nconst A: i32 = 1;\n/// \\u{7}\u{7}\nconst B: i32 = 1;";
    let text = printed(&tuner(folder(quiet).path(), &["spec", "import", "eval.rs"]));
    assert_eq!(text.matches("# its doc comment holds").count(), 2, "{text}");
}

#[test]
fn what_is_in_files_without_annotations_is_one_line() {
    let folder = folder("const A: i32 = 1;\nconst WIDE: u8 = 1;\ntuner_core::traced!();\n");
    let path = folder.path();
    fs::write(
        path.join("board.rs"),
        "const B: i32 = 1;\nconst C: u8 = 2;\n",
    )
    .unwrap();
    let search = "const D: i32 = 3;\nconst E: i32 = 4;\n";
    fs::write(path.join("search.rs"), search).unwrap();
    let left_out = |more: &[&str]| -> Vec<String> {
        let said = tuner(path, &[&["spec", "import", "."], more].concat());
        let said = words(&said);
        let lines = said.lines().filter(|line| line.starts_with("left out: "));
        lines.map(str::to_owned).collect()
    };
    let said = left_out(&[]);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said[0].contains("eval.rs:2:7: WIDE holds no signed numbers"),
        "{said:?}"
    );
    let summed = "left out: consts in files that are not annotated: 4 in 2 (--all names them)";
    assert_eq!(said[1], summed);
    assert_eq!(left_out(&["--all"]).len(), 5);
}

#[test]
fn many_left_out_for_one_reason_are_one_line() {
    let lines: Vec<String> = (0..40)
        .map(|i| format!("const N{i}: usize = 5;\n"))
        .collect();
    let text = lines.concat();
    let folder = folder(&format!("const A: i32 = 1;\n{text}const S: u64 = 1;\n"));
    let said = tuner(folder.path(), &["spec", "import", "eval.rs"]);
    let said = words(&said);
    let lines: Vec<&str> = said
        .lines()
        .filter(|l| l.starts_with("left out: "))
        .collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(
        lines[0].contains("eval.rs: N0, N1, N2 and 37 more (--all names them)"),
        "{said}"
    );
    assert!(
        lines[0].ends_with("each holds no signed numbers (`usize`)"),
        "{said}"
    );
    let all = words(&tuner(
        folder.path(),
        &["spec", "import", "eval.rs", "--all"],
    ));
    assert_eq!(
        all.lines().filter(|l| l.starts_with("left out: ")).count(),
        41,
        "{all}"
    );
}

#[test]
fn a_new_spec_is_written_once() {
    let folder = folder("");
    let path = folder.path();
    let init = |args: &[&str]| {
        tuner(
            path,
            &[&["spec", "init", "mine", "-o", "mine.toml"], args].concat(),
        )
    };
    assert!(init(&[]).status.success());
    let text = fs::read_to_string(path.join("mine.toml")).unwrap();
    assert!(printed(&tuner(path, &["spec", "check", "mine.toml"])).is_empty());
    fs::write(path.join("mine.toml"), "mine").unwrap();
    assert_fails(&init(&[]), &["mine.toml: it is there already", "--force"]);
    assert_eq!(fs::read_to_string(path.join("mine.toml")).unwrap(), "mine");
    assert!(init(&["--force"]).status.success());
    assert_eq!(fs::read_to_string(path.join("mine.toml")).unwrap(), text);
    assert_fails(
        &tuner(path, &["spec", "init", "my engine"]),
        &["is no name"],
    );
}

#[test]
fn a_spec_has_a_page() {
    let folder = folder("");
    let path = folder.path();
    let text = "version = 1\nname = \"demo\"\n[[parameter]]\nname = \"ROOK\"\n\
                doc = \"A <b>rook</b>.\"\nphases = [\"mg\", \"eg\"]\ninitial = [480, 520]\n\
                bounds = [0, 900]\n[[parameter]]\nname = \"SQUARES\"\nshape = [64]\nstep = 0.5\n\
                initial = 7.5\norder = { axis = 0, is = \"increasing\", width = 8 }\n";
    // Markup in a text is refused by the spec itself.
    fs::write(path.join("demo.toml"), text).unwrap();
    assert_fails(
        &tuner(path, &["spec", "doc", "demo.toml"]),
        &["demo.toml:5:"],
    );
    fs::write(
        path.join("demo.toml"),
        text.replace("<b>rook</b>", "rook & more"),
    )
    .unwrap();
    printed(&tuner(path, &["spec", "doc", "demo.toml", "-o", "demo.md"]));
    assert!(
        fs::read_to_string(path.join("demo.md"))
            .unwrap()
            .starts_with("# The weights of `demo`")
    );
}
