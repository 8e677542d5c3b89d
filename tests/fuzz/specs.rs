//! Specs, and the sources that they are made from.

use std::path::Path;

use tuner_spec::codegen::{Language, Provenance, emit_as};
use tuner_spec::source::{Choice, Patch, Run, Sources, import};
use tuner_spec::{Spec, SpecDocument, markdown};

use super::{as_file, assert_harmless, said};

const LANGUAGES: [Language; 4] = [Language::Rust, Language::C, Language::Cpp, Language::Json];

/// What a spec says can be written in every language, and stays when its own
/// values are set.
pub(crate) fn spec(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let document = match SpecDocument::parse(Path::new("fuzz.toml"), text.to_owned()) {
        Ok(document) => document,
        Err(errors) => return said(&errors),
    };
    let spec = document.spec();
    let counts = spec.layout().initial_counts();
    for language in LANGUAGES {
        match emit_as(language, spec, counts, &Provenance::default()) {
            Ok(text) => assert!(!text.is_empty()),
            Err(error) => said(&error),
        }
    }
    assert_harmless(&markdown(spec));
    let again = document
        .with_values(counts, None, None)
        .expect("its own values");
    let again = Spec::parse(Path::new("fuzz.toml"), &again).expect("its own values");
    assert_eq!(again.layout().fingerprint(), spec.layout().fingerprint());
    assert_eq!(again.layout().initial_counts(), counts);
}

/// The import of a source is a spec; its values patch nothing.
pub(crate) fn source(bytes: &[u8]) {
    as_file("source.rs", bytes, |path| {
        let sources = match Sources::read(&[path.to_owned()]) {
            Ok(sources) => sources,
            Err(error) => return said(&error),
        };
        let imported = match import(&sources, &Choice::default(), "fuzz") {
            Ok(imported) => imported,
            Err(error) => return said(&error),
        };
        let spec = Spec::parse(Path::new("fuzz.toml"), &imported.text);
        let spec = spec.expect("what is imported is a spec");
        let run = Run::of_spec(spec.layout());
        match Patch::new(&sources, &run, false) {
            Ok(patch) => assert!(patch.changes().is_empty(), "{}", patch.diff()),
            Err(error) => said(&error),
        }
    });
}
