//! The import of a source finds the weights that the macros registered, of
//! the same shape and with the same values.

use std::path::{Path, PathBuf};

use tuner_core::engine::Link;
use tuner_core::spec::Spec;
use tuner_core::spec::source::{Choice, Sources, import};
use tuner_core::trace::{Declared, Registry};
use tuner_protocol::{WeightTable, weight_lines};

use crate::support::registry;

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

/// Whether a spec can say it: its names are upper-case, its values have few digits.
fn is_sayable(item: &Declared) -> bool {
    // Arithmetic of weights and literals, and entries of one literal and of two.
    if ["NAMED", "TWICE"].contains(&item.name) {
        return false;
    }
    let is_upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let few_digits = |v: &f64| v.to_string().len() < 12;
    item.name.chars().all(is_upper) && item.values.iter().all(few_digits)
}

#[test]
fn the_import_of_each_file_links_with_the_registry() {
    let mut files: Vec<&str> = registry().parameters.iter().map(|p| p.file).collect();
    files.dedup();
    let mut linked = 0;
    for file in files {
        let sources = Sources::read(&[path(file)]).unwrap();
        let mut items = registry().parameters.to_vec();
        items.retain(|item| item.file == file && is_sayable(item));
        if items.is_empty() {
            continue;
        }
        let found = import(&sources, &Choice::default(), "twins");
        let mut names: Vec<&str> = items.iter().map(|item| item.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        if names.len() < count {
            // What the link refuses, the import refuses.
            let error = found.unwrap_err().to_string();
            assert!(error.contains("is declared twice"), "{error}");
            continue;
        }
        let spec = Spec::parse(Path::new(file), &found.unwrap().text).unwrap();
        let mut first = 0;
        for item in &mut items {
            item.first = first;
            first += item.values.len() as u32;
        }
        let parameters: &'static [Declared] = items.leak();
        let weights = weight_lines(&Registry { parameters });
        let weights = WeightTable::read(weights.lines()).unwrap();
        let link = Link::new(&weights, spec.layout()).unwrap();
        assert_eq!(link.source_weights(), spec.layout().initial());
        linked += parameters.len();
    }
    assert!(linked > 20, "{linked}");
}
