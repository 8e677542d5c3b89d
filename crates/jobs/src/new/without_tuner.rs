//! What builds of the engine alone need: the macros that bodies name, and what a build script links.

use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::modules::Modules;
use crate::Job;

/// Their definitions, which `tests/ui/pass/released.rs` has as well.
const MACROS: &str = include_str!("without_tuner.rs.txt");

/// The line that tells that they are defined, by `new` or by the author.
const DEFINED: &str = "extern crate self as tuner_core";

/// Adds what the engine needs to be built without Tuner, after its bodies were annotated with
/// macros of `tuner_core`: definitions of these macros by what production computes, at the end of
/// the library's root file. They are added where a file names one of the macros and the dependency
/// on Tuner is optional.
///
/// Returns path and new text of `src/main.rs` if that changes too; `None` if it does not change, or
/// there is no such file. It gets the macros if it declares modules of the library as its own. It
/// gets the line `extern crate … as _` if the library is new and the package has a build script,
/// whose libraries cargo links with the package's library alone.
pub(super) fn define(
    job: &Job,
    modules: &mut Modules,
    manifest: &Manifest,
    engine: &Path,
) -> Option<(PathBuf, String)> {
    // The calls that need a definition, such as `tuner_core::NAME!`.
    let defined = MACROS.lines().filter_map(|line| {
        let (name, _) = line.split_once("macro_rules! ")?.1.split_once(' ')?;
        Some(format!("tuner_core::{name}!"))
    });
    let defined: Vec<String> = defined.collect();
    let is_named = |text: &str| defined.iter().any(|name| text.contains(name));
    let is_needed =
        !manifest.is_always_there() && modules.files.iter().any(|file| is_named(&file.text));
    let add = |text: &mut String, path: &Path| {
        let is_new = is_needed && !text.contains(DEFINED);
        if is_new {
            text.push_str(&MACROS.replace("$FEATURE", manifest.feature()));
            let path = path.display();
            job.say(format_args!("{path}: + the macros that bodies name"));
            job.say("    the engine that is released does not know Tuner's");
        }
        is_new
    };
    let root = &mut modules.files[0];
    add(&mut root.text, &root.path);
    let path = engine.join("src/main.rs");
    let mut text = std::fs::read_to_string(&path).ok()?;
    let link = manifest.link().filter(|_| modules.is_new_root);
    let link = link.filter(|line| !text.contains(line));
    if let Some(line) = &link {
        text.extend(["\n// For what the build script links.\n", line, "\n"]);
        job.say(format_args!("{}: + {line}", path.display()));
        job.say("    cargo links what the build script names with the new library alone");
    }
    let mut top = modules.files.iter().filter_map(|file| file.module.first());
    let is_shared = top.any(|name| text.contains(&format!("mod {name};")));
    (is_shared && add(&mut text, &path) || link.is_some()).then_some((path, text))
}
