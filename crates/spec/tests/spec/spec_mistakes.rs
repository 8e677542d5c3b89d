//! Every file under `specs/invalid` is refused with exactly the text next to it.
//!
//! After a deliberate change of a message, `BLESS=1 cargo test -p tuner-spec
//! --test spec -- spec_mistakes` writes the texts anew; read the difference.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tuner_spec::Spec;

fn invalid_specs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/invalid");
    let entries = fs::read_dir(folder).unwrap();
    let files = entries.map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files
        .filter(|file| {
            file.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    files
}

#[test]
fn each_invalid_spec_is_refused_with_its_message() {
    let files = invalid_specs();
    assert!(files.len() > 30, "one file per kind of mistake");
    let mut differing = Vec::new();
    for file in files {
        let name = Path::new(file.file_name().unwrap());
        let text = fs::read_to_string(&file).unwrap();
        let found = match Spec::parse(name, &text) {
            Ok(_) => "accepted\n".to_owned(),
            Err(errors) => format!("{errors}\n"),
        };
        let expected = file.with_extension("txt");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&expected, &found).unwrap();
        }
        if fs::read_to_string(&expected).unwrap_or_default() != found {
            differing.push(format!("{}:\n{found}", name.display()));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn all_mistakes_of_a_file_are_reported_at_once_in_its_order() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/invalid/several-mistakes.toml");
    let errors = Spec::load(&file).unwrap_err();
    let lines: Vec<u64> = errors
        .mistakes
        .iter()
        .map(|one| one.location.line)
        .collect();
    assert_eq!(lines, [1, 2, 3, 5, 7, 10, 11, 17]);
}

#[test]
fn a_file_that_is_not_there_or_no_text_is_an_error() {
    let errors = Spec::load(Path::new("no-such-file.toml")).unwrap_err();
    assert!(
        errors
            .to_string()
            .starts_with("no-such-file.toml:1:1: the file cannot be read")
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("binary.toml");
    fs::write(&file, [0x80, 0xff]).unwrap();
    assert!(Spec::load(&file).unwrap_err().to_string().contains("UTF-8"));
}

/// Pieces of specs, right and wrong, to be put together in any order.
const PIECES: &[&str] = &[
    "version = 1\n",
    "name = \"a\"\n",
    "[[parameter]]\n",
    "[[tie]]\n",
    "[names]\n",
    "[output]\n",
    "name = \"A\"\n",
    "name = \"B\"\n",
    "initial = 0\n",
    "initial = [1, 2]\n",
    "initial = [[0, 1], [2, 3]]\n",
    "initial = { mg = 1, eg = [1, 2] }\n",
    "shape = [2]\n",
    "shape = [\"r\", 2]\n",
    "shape = [9999999]\n",
    "r = [\"x\", \"y\"]\n",
    "phases = [\"mg\", \"eg\"]\n",
    "bounds = [-1, 1]\n",
    "frozen = [\"x\", \"[1].eg\"]\n",
    "frozen = true\n",
    "mirror = { axis = 0, width = 2 }\n",
    "prior = 9\n",
    "smooth = { deviation = 1, axis = 0 }\n",
    "smooth = { deviation = 0, axis = [1, 0], width = -1 }\n",
    "entry = \"A[0]\"\n",
    "entry = \"B\"\n",
    "to = \"A[1]\"\n",
    "to = \"A\"\n",
    "factor = -9223372036854775808\n",
    "difference = 9223372036854775807\n",
    "axis = -1\n",
    "integer = \"i8\"\n",
    "pair = \"T\"\n",
    "doc = \"é\\u0000\"\n",
    "[",
    "]",
    "\"",
    "=",
    "{",
    "}",
    "é",
    "\r",
];

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in any::<String>()) {
        if let Err(errors) = Spec::parse(Path::new("f"), &text) {
            prop_assert!(!errors.mistakes.is_empty());
            prop_assert!(!errors.to_string().is_empty());
        }
    }

    #[test]
    fn no_mixture_of_pieces_makes_the_parser_panic(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24)
    ) {
        for head in ["", "version = 1\nname = \"a\"\n[[parameter]]\nname = \"A\"\nshape = [2]\n"] {
            let text = head.to_owned() + &pieces.concat();
            if let Err(errors) = Spec::parse(Path::new("f"), &text) {
                prop_assert!(!errors.mistakes.is_empty(), "{}", text);
            }
        }
    }
}
