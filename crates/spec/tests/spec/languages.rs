//! The generated C, C++ and JSON: their exact text, that compilers take it without a
//! warning, that the values are those that were written, and that no text becomes
//! code.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{BOARD, parse};
use serde_json::Value;
use tuner_spec::codegen::{EmitError, Language, Provenance, emit_as};
use tuner_spec::{Phases, Spec};

fn emitted(language: Language, spec: &Spec) -> Result<String, EmitError> {
    let values = spec.layout().initial_counts();
    emit_as(language, spec, values, &Provenance::default())
}

/// A compiler of the language, if there is one; says so if there is none.
fn compiler(language: Language) -> Option<&'static str> {
    let names: &[&str] = match language {
        Language::C => &["cc", "gcc", "clang"],
        _ => &["c++", "g++", "clang++"],
    };
    let works = |name: &&&str| Command::new(**name).arg("--version").output().is_ok();
    let found = names.iter().find(works).copied();
    if found.is_none() {
        let words = format!("skipped: no compiler of {} is at hand\n", language.name());
        let _ = std::io::Write::write_all(&mut std::io::stderr(), words.as_bytes());
    }
    found
}

/// A program that prints all values, of the header with each standard: what it says.
fn printed(language: Language, spec: &Spec, code: &str) -> Option<Vec<i64>> {
    let compiler = compiler(language)?;
    let folder = tempfile::tempdir().unwrap();
    let header = format!("weights.{}", language.extension());
    fs::write(folder.path().join(&header), code).unwrap();
    let (source, standards, prefix) = match language {
        Language::C => ("main.c", ["c99", "c11", "gnu17"], ""),
        _ => ("main.cpp", ["c++17", "c++20", "gnu++17"], "tuned::"),
    };
    let mut main = format!("#include <stdio.h>\n#include \"{header}\"\n#include \"{header}\"\n");
    main += "#define SHOW(x) printf(\"%lld\\n\", (long long)(x))\n\nint main(void) {\n";
    for parameter in spec.layout().parameters() {
        let lens: Vec<usize> = parameter.dims.iter().map(tuner_spec::Dim::len).collect();
        for entry in 0..lens.iter().product() {
            let mut rest: usize = entry;
            let mut index = String::new();
            for len in lens.iter().rev() {
                index = format!("[{}]{index}", rest % len);
                rest /= len;
            }
            let phases: &[&str] = match parameter.phases {
                Phases::Untapered => &[""],
                Phases::Tapered => &[".mg", ".eg"],
            };
            for phase in phases {
                let name = parameter.name();
                writeln!(main, "    SHOW({prefix}{name}{index}{phase});").unwrap();
            }
        }
    }
    main += "    return 0;\n}\n";
    fs::write(folder.path().join(source), main).unwrap();
    for standard in standards {
        let mut command = Command::new(compiler);
        command
            .current_dir(folder.path())
            .arg(format!("-std={standard}"));
        command.args([
            "-Wall",
            "-Wextra",
            "-Werror",
            "-pedantic",
            "-o",
            "main",
            source,
        ]);
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{standard}: {errors}\n{code}");
    }
    let output = Command::new(folder.path().join("main")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(|line| line.parse().unwrap()).collect())
}

/// All numbers of nested lists.
fn numbers(value: &Value, into: &mut Vec<i64>) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| numbers(value, into)),
        value => into.push(value.as_i64().unwrap()),
    }
}

/// The values of a generated file; none where nobody can read it here.
fn read_back(language: Language, spec: &Spec, code: &str) -> Option<Vec<i64>> {
    if language != Language::Json {
        return printed(language, spec, code);
    }
    let object: Value = serde_json::from_str(code).unwrap();
    assert_eq!(object["name"], spec.name());
    let parameters = object["parameters"].as_object().unwrap();
    let mut values = Vec::new();
    for (parameter, (name, found)) in spec.layout().parameters().iter().zip(parameters) {
        assert_eq!(name, parameter.name());
        assert_eq!(
            found["indices"].as_array().unwrap().len(),
            parameter.dims.len()
        );
        assert_eq!(found["doc"], parameter.doc.join("\n"));
        numbers(&found["values"], &mut values);
    }
    assert_eq!(parameters.len(), spec.layout().parameters().len());
    Some(values)
}

const OTHERS: [Language; 3] = [Language::C, Language::Cpp, Language::Json];

/// Reads the values back and compares them.
fn assert_reads_back(language: Language, spec: &Spec, values: &[i64], code: &str) {
    if let Some(found) = read_back(language, spec, code) {
        assert_eq!(found, values, "{code}");
    }
}

#[test]
fn the_texts_are_as_in_the_examples_and_their_values_are_read_back() {
    let spec = parse(BOARD);
    let values = spec.layout().initial_counts();
    let provenance = Provenance {
        file: Some("weights.txt".to_owned()),
        ..Provenance::default()
    };
    for language in OTHERS {
        let code = emit_as(language, &spec, values, &provenance).unwrap();
        let name = format!("tests/spec/data/board.{}.txt", language.extension());
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        if std::env::var_os("BLESS").is_some() {
            fs::write(&file, &code).unwrap();
        }
        let expected = fs::read_to_string(file).unwrap();
        assert_eq!(expected, code, "BLESS=1 writes the file anew");
        assert_reads_back(language, &spec, values, &code);
    }
}

#[test]
fn every_integer_type_holds_its_ends() {
    for (integer, low, high) in [
        ("i8", i64::from(i8::MIN), i64::from(i8::MAX)),
        ("i16", i64::from(i16::MIN), i64::from(i16::MAX)),
        ("i32", i64::from(i32::MIN), i64::from(i32::MAX)),
        ("i64", -(1 << 53), 1 << 53),
    ] {
        let spec = parse(&format!(
            "version = 1\nname = \"int\"\n[output]\npair = \"Score\"\ninteger = \"{integer}\"\n\
             [[parameter]]\nname = \"A\"\nphases = [\"mg\", \"eg\"]\ninitial = [{low}, {high}]\n\
             [[parameter]]\nname = \"B\"\nshape = [2]\ninitial = [{low}, {high}]\n"
        ));
        for language in OTHERS {
            let code = emitted(language, &spec).unwrap();
            assert_reads_back(language, &spec, &[low, high, low, high], &code);
        }
    }
}

#[test]
fn texts_that_try_to_be_code_stay_texts() {
    for doc in [
        "*/ int evil(void); /*",
        "**//**/ int evil;",
        "a line that continues \\\\",
        "a line that continues ??/",
        "*\\\\\\n/ int evil; /*",
        "*??/\\n/ int evil; /*",
        "\\\" }, evil(), { \\\" \\\\\\\" \\\\",
        "#define A 8\\n#error evil\\n#include \\\"evil.h\\\"",
        "%s %n ${evil} $(evil) `evil` {{evil}}",
        "1 < 2 > 0 && 3 --> ]]> & é…",
        "R( )evil( )",
    ] {
        let spec = parse(&format!(
            "version = 1\nname = \"a\"\nunit = \"u */ ??/ \\\\\"\n\
             [[parameter]]\nname = \"A\"\ninitial = 7\ndoc = \"{doc}\"\n"
        ));
        for language in OTHERS {
            let code = emitted(language, &spec).unwrap();
            assert_reads_back(language, &spec, &[7], &code);
            let pages = ["</", "<!", "<s", "]]>", "-->"];
            if language == Language::Json {
                assert!(!pages.iter().any(|tag| code.contains(tag)), "{code}");
            }
        }
    }
    // What a page would run is refused in all languages, by the spec.
    let text = "version = 1\nname = \"a\"\n[[parameter]]\nname = \"A\"\ninitial = 7\n";
    let script = format!("{text}doc = \"</script><script>evil()\"\n");
    assert!(Spec::parse(Path::new("f"), &script).is_err());
}

#[test]
fn names_that_a_language_has_for_something_else_are_refused() {
    let spec = |name: &str, pair: &str| {
        parse(&format!(
            "version = 1\nname = \"class\"\n[output]\npair = \"{pair}\"\n[[parameter]]\n\
             name = \"{name}\"\nphases = [\"mg\", \"eg\"]\ninitial = [1, 2]\n"
        ))
    };
    for (name, pair, languages) in [
        ("NULL", "S", &[Language::C, Language::Cpp][..]),
        ("INT32_MAX", "S", &[Language::C, Language::Cpp]),
        ("A", "EOF", &[Language::C, Language::Cpp]),
        ("A__B", "S", &[Language::Cpp]),
        ("TUNED_CLASS_H", "S", &[Language::C]),
        ("TUNED_CLASS_HPP", "S", &[Language::Cpp]),
        ("CLASS", "S", &[]),
        ("INT", "Score", &[]),
    ] {
        let spec = spec(name, pair);
        for language in OTHERS {
            let code = emitted(language, &spec);
            if languages.contains(&language) {
                assert!(
                    matches!(code, Err(EmitError::Refused(_))),
                    "{name} {language:?}"
                );
            } else {
                assert_reads_back(language, &spec, &[1, 2], &code.unwrap());
            }
        }
    }
    let error = emitted(Language::Cpp, &spec("A__B", "S")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "found the name A__B, which has two underscores in a row, which C++ reserves in C++; give \
         it another name in the spec"
    );
    let mut provenance = Provenance::default();
    for file in ["a\nb", "*/\u{202e}", "<script>"] {
        provenance.file = Some(file.to_owned());
        for language in Language::ALL {
            let error = emit_as(language, &spec("A", "S"), &[1, 2], &provenance).unwrap_err();
            let error = error.to_string();
            assert!(error.contains("in the file of the provenance"), "{error}");
        }
    }
}

/// A pair type and a macro of the engine's, in place of the generated ones.
#[test]
fn an_engine_has_a_pair_type_of_its_own() {
    let spec = parse(BOARD);
    for (language, source) in [(Language::C, "main.c"), (Language::Cpp, "main.cpp")] {
        let Some(compiler) = compiler(language) else {
            continue;
        };
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("w.h"), emitted(language, &spec).unwrap()).unwrap();
        let using = if language == Language::C {
            ""
        } else {
            "using namespace tuned;"
        };
        let main = format!(
            "typedef int S;\n#define S(mg, eg) ((eg) * 65536 + (mg))\n#include \"w.h\"\n{using}\n\
             int main(void) {{ return MATERIAL[0] == 94 * 65536 + 82 ? 0 : 1; }}\n"
        );
        fs::write(folder.path().join(source), main).unwrap();
        let mut command = Command::new(compiler);
        command
            .current_dir(folder.path())
            .args(["-Wall", "-Wextra", "-Werror", "-o", "main"]);
        let output = command.arg(source).output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let program = Command::new(folder.path().join("main")).status().unwrap();
        assert!(program.success());
        // A macro with the name of a parameter is found by the compiler.
        let clash = "#define TEMPO 3\n#include \"w.h\"\nint main(void) { return 0; }\n";
        fs::write(folder.path().join(source), clash).unwrap();
        let mut command = Command::new(compiler);
        let output = command
            .current_dir(folder.path())
            .args(["-c", source])
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(
            words.contains("a macro has the name of a weight"),
            "{words}"
        );
    }
}
