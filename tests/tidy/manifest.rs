//! Manifests, licences and what cargo says of dependencies.

use std::process::Command;

use crate::source::{files, root, text};

/// The folders of the workspace's members.
pub fn members() -> Vec<String> {
    let workspace: toml::Table = text("Cargo.toml").parse().unwrap();
    workspace["workspace"]["members"]
        .as_array()
        .unwrap()
        .iter()
        .map(|member| member.as_str().unwrap().to_owned())
        .collect()
}

pub fn of(member: &str) -> toml::Table {
    text(&format!("{member}/Cargo.toml")).parse().unwrap()
}

/// The files of texts that a licence expression asks for; none for one that
/// this workspace does not know.
pub fn texts_of(licence: &str) -> Option<&'static [&'static str]> {
    match licence {
        "MIT OR Apache-2.0" => Some(&["LICENSE-APACHE", "LICENSE-MIT"]),
        "GPL-3.0-or-later" => Some(&["LICENSE-GPL"]),
        _ => None,
    }
}

/// What a manifest says by itself though the workspace says it for all.
pub fn own_words(manifest: &toml::Table) -> Vec<String> {
    let inherits = |value: Option<&toml::Value>| {
        value
            .and_then(|value| value.get("workspace"))
            .and_then(toml::Value::as_bool)
            .unwrap_or(false)
    };
    let package = &manifest["package"];
    let mut found: Vec<String> = ["version", "edition", "rust-version", "authors", "publish"]
        .into_iter()
        .filter(|key| !inherits(package.get(key)))
        // Examples and tests are not published.
        .filter(|&key| key != "publish" || package.get(key) != Some(&toml::Value::Boolean(false)))
        .map(|key| format!("package.{key}"))
        .collect();
    if !inherits(manifest.get("lints")) {
        found.push("lints".to_owned());
    }
    for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
        let Some(table) = manifest.get(section).and_then(toml::Value::as_table) else {
            continue;
        };
        found.extend(
            table
                .iter()
                // A neighbour in the tree has no version to keep in step.
                .filter(|(_, value)| !inherits(Some(value)) && value.get("path").is_none())
                .map(|(name, _)| format!("{section}.{name}")),
        );
    }
    found
}

/// Files with tests, or with examples in docs, of targets whose manifest says that they have none,
/// so that nothing compiles them again; names are those below the package's folder.
pub fn overlooked(manifest: &toml::Table, files: &[(String, String)]) -> Vec<String> {
    let says = |target: &toml::Value, key: &str| {
        target.get(key).and_then(toml::Value::as_bool) == Some(false)
    };
    let is_bin = |name: &str| name == "src/main.rs" || name.starts_with("src/bin/");
    let library = manifest.get("lib");
    let mut bins = manifest
        .get("bin")
        .and_then(toml::Value::as_array)
        .into_iter()
        .flatten();
    let no_bin_has = bins.any(|bin| says(bin, "test"));
    let path = library.and_then(|library| library.get("path")?.as_str());
    let of_library = |name: &str| match path {
        Some(path) => name == path,
        None => name.starts_with("src/") && !is_bin(name),
    };
    let is_overlooked = |(name, text): &&(String, String)| {
        let has_tests = text.contains("#[test]") || text.contains("proptest!");
        let in_library = |key| of_library(name) && library.is_some_and(|lib| says(lib, key));
        let has_examples = text.contains("/// ```") || text.contains("//! ```");
        (in_library("test") || no_bin_has && is_bin(name)) && has_tests
            || in_library("doctest") && has_examples
    };
    let names = files
        .iter()
        .filter(is_overlooked)
        .map(|(name, _)| name.clone());
    names.collect()
}

#[test]
fn targets_that_are_not_tested_have_no_tests() {
    for member in members() {
        let all = files(&member)
            .into_iter()
            .filter(|name| name.strip_suffix(".rs").is_some());
        let of_member = |name: String| {
            let text = text(&name);
            (name[member.len() + 1..].to_owned(), text)
        };
        let all: Vec<_> = all.map(of_member).collect();
        assert_eq!(overlooked(&of(&member), &all), [""; 0], "{member}");
    }
}

/// What crates link and build with, one `name version licence` a line; features that one of them
/// asks for all have.
pub fn linked(packages: &[impl AsRef<str>], features: &[&str]) -> String {
    let packages = packages
        .iter()
        .flat_map(|name| ["--package", name.as_ref()]);
    let output = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["tree", "--locked"])
        .args(packages)
        .args(["--edges", "normal,build", "--prefix", "none"])
        .args(["--format", "{p} {l}"])
        .args(features)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "cargo tree: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// The lines of [`linked`] whose licence is the GPL without an alternative.
pub fn gpl(linked: &str) -> Vec<&str> {
    linked
        .lines()
        .filter(|line| {
            let copyleft = line.contains("GPL-") && !line.contains(" OR ");
            copyleft || line.starts_with("shakmaty ") || line.starts_with("pgn-reader ")
        })
        .collect()
}

/// The lines of [`linked`] that are of a crate with one of some names; a star stands for any
/// end of a name.
pub fn named<'l>(linked: &'l str, names: &[&str]) -> Vec<&'l str> {
    let is_one = |line: &str| {
        let found = line.split(' ').next().unwrap_or_default();
        names.iter().any(|name| match name.strip_suffix('*') {
            Some(begin) => found.starts_with(begin),
            None => found == *name,
        })
    };
    linked.lines().filter(|line| is_one(line)).collect()
}

/// The commands of the first fenced block of a text.
pub fn first_block(markdown: &str) -> Vec<&str> {
    markdown
        .lines()
        .skip_while(|line| !line.starts_with("```"))
        .skip(1)
        .take_while(|line| !line.starts_with("```"))
        .collect()
}
