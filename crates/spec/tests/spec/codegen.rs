//! The generated file: its exact text, that it compiles alone, that rustfmt
//! leaves it alone, and that its literals are the values.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{BOARD, parse};
use proptest::prelude::*;
use syn::{Expr, Item, Lit, UnOp};
use tuner_spec::codegen::{EmitError, FitRecord, Language, Provenance, WeightError, emit, emit_as};
use tuner_spec::{Parameter, Spec};

fn emit_initial(spec: &Spec) -> String {
    emit(spec, spec.layout().initial_counts(), &Provenance::default()).unwrap()
}

fn fitted() -> Provenance {
    Provenance {
        fit: Some(FitRecord {
            data: "0011223344556677".to_owned(),
            positions: 650_000,
            games: 50_000,
            scaling: 1.125,
            prior: Some(20.0),
            prior_mean: Some("the initial values".to_owned()),
            choices: vec!["prior: 3 pairs of neighbours are alike".to_owned()],
            loss: "squared error".to_owned(),
            training_error: 0.1,
            held_out_error: Some(0.101),
            errors: Vec::new(),
        }),
        date: Some("2026-01-02".to_owned()),
        ..Provenance::default()
    }
}

/// A program of the toolchain that runs this test.
fn tool(name: &str) -> Command {
    let rustfmt = std::env::var_os("CARGO").and_then(|cargo| {
        let path = PathBuf::from(cargo).with_file_name(name);
        path.exists().then_some(path)
    });
    Command::new(rustfmt.unwrap_or_else(|| name.into()))
}

fn run(command: &mut Command, code: &str) {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{out}{errors}\n{code}");
}

/// Compiles a file by itself, every warning an error, and checks its format.
fn compile(code: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tuned_weights.rs");
    fs::write(&file, code).unwrap();
    let mut rustc = tool("rustc");
    rustc.args(["--edition", "2024", "--crate-type", "lib", "-D", "warnings"]);
    rustc.args(["-D", "missing_docs", "--emit", "metadata", "--out-dir"]);
    run(rustc.arg(folder.path()).arg(&file), code);
    run(
        tool("rustfmt")
            .args(["--edition", "2024", "--check"])
            .arg(&file),
        code,
    );
}

/// All integers of an expression, in order; nothing but literals is allowed.
fn integers(expression: &Expr, into: &mut Vec<i64>) {
    match expression {
        Expr::Array(array) => array.elems.iter().for_each(|one| integers(one, into)),
        Expr::Call(call) => call.args.iter().for_each(|one| integers(one, into)),
        Expr::Unary(unary) => {
            assert!(matches!(unary.op, UnOp::Neg(_)));
            let mut inner = Vec::new();
            integers(&unary.expr, &mut inner);
            into.push(-inner[0]);
        }
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => into.push(number.base10_parse().unwrap()),
            other => unreachable!("{other:?}"),
        },
        other => unreachable!("{other:?}"),
    }
}

/// The consts of a generated file, after checking that it holds nothing else
/// than it should.
fn read_back(code: &str) -> (Vec<String>, Vec<i64>) {
    let file = syn::parse_file(code).unwrap();
    let (mut names, mut values, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for item in &file.items {
        match item {
            Item::Const(item) => {
                names.push(item.ident.to_string());
                integers(&item.expr, &mut values);
            }
            Item::Struct(_) => others.push("struct"),
            Item::Impl(_) => others.push("impl"),
            Item::Use(_) => others.push("use"),
            Item::Macro(_) => others.push("macro"),
            other => unreachable!("{other:?}"),
        }
    }
    let defined = [&["struct"][..], &["impl"; 9], &["macro"]].concat();
    let allowed = [&defined[..], &["use", "macro"], &["macro"]];
    assert!(allowed.contains(&&others[..]), "{others:?}");
    (names, values)
}

fn assert_reads_back(spec: &Spec, values: &[i64], code: &str) {
    let (names, found) = read_back(code);
    let layout = spec.layout();
    let expected: Vec<&str> = layout.parameters().iter().map(Parameter::name).collect();
    assert_eq!(names, expected);
    assert_eq!(found, values);
}

/// Compares code with a file of examples.
fn assert_is(name: &str, code: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spec/data");
    let file = folder.join(name);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&file, code).unwrap();
    }
    assert_eq!(
        fs::read_to_string(file).unwrap(),
        code,
        "BLESS=1 writes the file anew"
    );
}

#[test]
fn the_text_is_as_in_the_example_and_stays_so() {
    let spec = parse(BOARD);
    let code = emit(&spec, spec.layout().initial_counts(), &fitted()).unwrap();
    assert_is("board.rs.txt", &code);
    assert_reads_back(&spec, spec.layout().initial_counts(), &code);
    compile(&code);
}

/// Errors of all kinds and sizes, one for each weight.
fn with_errors(spec: &Spec) -> Provenance {
    let error = |weight: usize| match weight % 11 {
        3 => WeightError::Frozen,
        5 => WeightError::Unseen,
        7 => WeightError::AtBound,
        8 => WeightError::Separated,
        9 => WeightError::Unknown,
        _ => WeightError::Standard(0.04 + weight as f64 * 1.7),
    };
    let mut provenance = fitted();
    let weights = 0..spec.layout().weights();
    provenance.fit.as_mut().unwrap().errors = weights.map(error).collect();
    provenance
}

#[test]
fn errors_are_comments_that_compile_and_stay_where_they_are() {
    let spec = parse(BOARD);
    let values = spec.layout().initial_counts();
    let code = emit(&spec, values, &with_errors(&spec)).unwrap();
    assert_is("board_errors.rs.txt", &code);
    compile(&code);
    assert_reads_back(&spec, values, &code);
    let mut wrong = with_errors(&spec);
    wrong.fit.as_mut().unwrap().errors.pop();
    assert!(matches!(
        emit(&spec, values, &wrong),
        Err(EmitError::Length(_))
    ));
}

#[test]
fn every_integer_type_and_an_imported_pair_compile() {
    for integer in ["i8", "i16", "i32", "i64"] {
        let output = format!("[output]\npair = \"TaperedScore\"\ninteger = \"{integer}\"\n[names]");
        let text = BOARD.replace("[names]", &output);
        let text = text.replace("[[82, 94], [337, 281], [0, 0]]", "[-128, 127]");
        let text = text.replace("[-2000, 2000]", "[-128, 127]");
        compile(&emit_initial(&parse(&text)));
    }
    let head = "version = 1\nname = \"a\"\n[output]\npair_from = \"self::score::Pair\"\n";
    let untapered = format!("{head}[[parameter]]\nname = \"A\"\ninitial = -2147483648\n");
    compile(&emit_initial(&parse(&untapered)));
    let tapered = untapered.replace("initial", "phases = [\"mg\", \"eg\"]\ninitial");
    let code = emit_initial(&parse(&tapered));
    let score = "/// Scores.\npub mod score {\n    /// A pair.\n    pub struct Pair(pub i32, pub i32);\n}\n";
    compile(&code.replace("\n#[cfg", &format!("\n{score}\n#[cfg")));
}

#[test]
fn the_pair_type_computes() {
    for (integer, wide) in [("i16", "i32"), ("i32", "i32"), ("i64", "i64")] {
        let text = format!(
            "version = 1\nname = \"a\"\n[output]\ninteger = \"{integer}\"\n\
             [[parameter]]\nname = \"A\"\nphases = [\"mg\", \"eg\"]\ninitial = [30000, -10]\n"
        );
        let main = format!(
            "fn main() {{
                let mut a = A + S::new(1, 2) - S(1, 1);
                assert_eq!((a.mg(), a.eg()), (30000, -9));
                a += S(-30000, 0);
                a -= S(0, 1);
                a *= 3;
                assert_eq!(-a, S(0, 30));
                assert_eq!(a * -1 + S::ZERO, S(0, 30));
                assert_eq!([A, S(1, 1), S(2, 2)].into_iter().sum::<S>(), S(30003, -7));
                let tapered: {wide} = A.taper(18, 24);
                assert_eq!(tapered, (30000 * 18 - 10 * 6) / 24);
                assert_eq!(S(0, -7).taper(0, 24), -7);
            }}"
        );
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("main.rs");
        let code = emit_initial(&parse(&text)) + &main;
        fs::write(&file, &code).unwrap();
        let program = folder.path().join("main");
        let mut rustc = tool("rustc");
        run(
            rustc
                .args(["--edition", "2024", "-o"])
                .arg(&program)
                .arg(&file),
            &code,
        );
        run(&mut Command::new(program), &code);
    }
}

#[test]
fn hostile_docs_stay_comments() {
    for doc in [
        "*/ pub fn evil() {}",
        "\\\"] pub fn evil() {} #[doc = \\\"",
        "one\\npub fn evil() {}",
        "/// ! /** //! #![allow(all)]",
        "    indented\\n\\n>     quoted\\n-      listed",
        "\\\\n \\\\ {} {{ %s $0 ` ' a < b",
        "PAIR INT TAPER",
        "\\u00a0\\u3000é…",
    ] {
        let text = format!(
            "version = 1\nname = \"a\"\n[[parameter]]\nname = \"A\"\ninitial = 7\ndoc = \"{doc}\"\n"
        );
        let spec = parse(&text);
        let code = emit_initial(&spec);
        assert_reads_back(&spec, &[7], &code);
        assert!(
            !code.contains("    indented") && !code.contains(">  "),
            "{code}"
        );
        compile(&code);
        assert!(doctests(&code).starts_with("0 tests"), "{code}");
    }
    // The count does count: what the spec refuses would have been a test.
    let refused = "//! A crate.\n/// ```\n/// evil();\n/// ```\npub const A: i32 = 7;\n";
    assert!(doctests(refused).contains("\n1 test,"));
}

/// What rustdoc finds to run in the comments of a file.
fn doctests(code: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tuned_weights.rs");
    fs::write(&file, code).unwrap();
    let mut rustdoc = tool("rustdoc");
    rustdoc.args(["--edition", "2024", "--test", "--test-args", "--list"]);
    let output = rustdoc.arg(file).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn what_does_not_fit_is_named() {
    let spec = parse(BOARD);
    let mut values = spec.layout().initial_counts().to_vec();
    values[0] = 1 << 31;
    values[5] = -(1 << 31) - 1;
    let error = emit(&spec, &values, &Provenance::default()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("TEMPO is 2147483648; expected"), "{text}");
    assert!(
        text.contains("\nMATERIAL[knight].mg is -2147483649"),
        "{text}"
    );
    let error = emit(&spec, &values[1..], &Provenance::default()).unwrap_err();
    assert!(matches!(error, EmitError::Length(_)));
    for date in ["a\nb", "\u{202e}", "```"] {
        let mut provenance = fitted();
        provenance.date = Some(date.to_owned());
        let error = emit(&spec, spec.layout().initial_counts(), &provenance).unwrap_err();
        assert!(
            error.to_string().contains("in the date of the provenance"),
            "{error}"
        );
    }
}

/// A spec with arbitrary parameters, and values for it. A dimension of three
/// has index names.
fn specs() -> impl Strategy<Value = (String, Vec<i64>)> {
    let parameter = (prop::collection::vec(1_usize..20, 0..4), any::<bool>());
    prop::collection::vec(parameter, 1..6).prop_flat_map(|parameters| {
        let mut text = "version = 1\nname = \"a\"\n".to_owned();
        text += "names.three = [\"x\", \"y\", \"z\"]\n";
        let mut weights = 0;
        for (number, (dims, tapered)) in parameters.iter().enumerate() {
            let (phases, count) = if *tapered {
                ("\"mg\", \"eg\"", 2)
            } else {
                ("", 1)
            };
            weights += count * dims.iter().product::<usize>();
            let shape: Vec<String> = dims
                .iter()
                .map(|&dim| {
                    if dim == 3 {
                        "\"three\"".to_owned()
                    } else {
                        dim.to_string()
                    }
                })
                .collect();
            let shape = shape.join(", ");
            let name = format!("[[parameter]]\nname = \"P{number}\"\ninitial = 0\n");
            let kind = format!("shape = [{shape}]\nphases = [{phases}]\n");
            text.extend([name, kind]);
        }
        let value = prop_oneof![-200_i64..200, i64::from(i32::MIN)..=i64::from(i32::MAX)];
        (Just(text), prop::collection::vec(value, weights))
    })
}

/// The spec of the board with its parameters as fields of one const.
fn in_struct() -> String {
    let head = "name = \"board\"\n[output]\nin_struct = \"WEIGHTS\"";
    let (text, _) = BOARD.split_once("[[tie]]").unwrap();
    let text = text.replacen("name = \"board\"", head, 1);
    text.replace(
        "[[parameter]]\nname = \"",
        "[[parameter]]\nname = \"WEIGHTS_",
    )
}

#[test]
fn a_struct_holds_all_parameters() {
    let spec = parse(&in_struct());
    for provenance in [with_errors(&spec), Provenance::default()] {
        let code = emit(&spec, spec.layout().initial_counts(), &provenance).unwrap();
        let has = |text: &str| assert!(code.contains(text), "{code}");
        has("pub struct Weights {\n");
        has("pub const WEIGHTS: Weights = Weights {\n    ");
        has("\n    tempo: 12,\n");
        compile(&code);
    }
}

#[test]
fn a_struct_that_would_not_be_read_back_is_refused() {
    let head = "version = 1\nname = \"test\"\n[output]\nin_struct = \"WEIGHTS\"\n";
    for (names, words) in [
        (
            "A WEIGHTS_B WEIGHTS_C",
            "found the name A, which is no field of WEIGHTS",
        ),
        (
            "WEIGHTS_A WEIGHTS_FN WEIGHTS_B",
            "found the name WEIGHTS_FN",
        ),
        (
            "WEIGHTS_3_A WEIGHTS_A WEIGHTS_B",
            "found the name WEIGHTS_3_A",
        ),
        (
            "WEIGHTS_A WEIGHTS_B",
            "one pair of numbers; take `in_struct` out",
        ),
    ] {
        let one = |name: &str| format!("[[parameter]]\nname = \"{name}\"\ninitial = 0\n");
        let text = head.to_owned() + &names.split(' ').map(one).collect::<String>();
        let spec = parse(&text);
        let values = spec.layout().initial_counts();
        let error = emit(&spec, values, &Provenance::default()).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        let error = emit_as(Language::C, &spec, values, &Provenance::default()).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("none in C; take it out, or choose Rust"),
            "{error}"
        );
        // The cure.
        let spec = parse(&text.replace("in_struct = \"WEIGHTS\"\n", ""));
        emit(&spec, values, &Provenance::default()).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_values_read_back((text, values) in specs()) {
        let spec = parse(&text);
        let code = emit(&spec, &values, &Provenance::default()).unwrap();
        assert_reads_back(&spec, &values, &code);
        let after_fit = emit(&spec, &values, &fitted()).unwrap();
        prop_assert_eq!(body(&code), body(&after_fit));
        assert_reads_back(&spec, &values, &emit(&spec, &values, &with_errors(&spec)).unwrap());
    }
}

/// What follows the `//!` lines.
fn body(code: &str) -> &str {
    &code[code.find("\n\n").unwrap()..]
}

#[test]
fn a_float_beyond_the_range_is_refused_in_its_own_unit() {
    let head = "version = 1\nname = \"test\"\n[[parameter]]\nname = \"A\"\ninitial = 0\n";
    let error = |step: &str, value: i64| {
        let spec = parse(&format!("{head}{step}"));
        emit(&spec, &[value], &Provenance::default())
            .unwrap_err()
            .to_string()
    };
    let words = error("step = 0.01", (1 << 53) + 1);
    let expected = "A is 90071992547409.93; expected -90071992547409.92 to 90071992547409.92, as \
                    floats hold; give it bounds or write `step` with fewer decimals";
    assert!(words.contains(expected), "{words}");
    let words = error("", 1 << 31);
    let expected = "A is 2147483648; expected -2147483648 to 2147483647 (i32); give it bounds or \
                    choose a wider `integer` in `[output]`";
    assert!(words.contains(expected), "{words}");
}
