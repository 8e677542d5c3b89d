//! What an engine in C++ needs: the header, the main of an evaluator, and tuner.toml.

use std::path::PathBuf;

use super::clone::{folder, page};
use super::{NewConfig, settings, show, write};
use crate::failure::AtPath as _;
use crate::{Job, Result};

/// The tuner.toml that is written.
const SETTINGS: &str = "\
# How `tuner` builds and starts the evaluator, in this folder, and what it fits.
# data = [\"games.tsv.zst\"]

[evaluator]
build = \"c++ -std=c++17 -O2 -DTUNE evaluator.cpp evaluate.cpp -o evaluator\"
run = \"./evaluator\"
";

/// Writes what an engine in C++ needs into its folder: Tuner's header, the main of an evaluator,
/// and tuner.toml. A file that is there is left as it is. A dry run only shows the changes, and
/// returns them as a diff if that was asked for; otherwise the text that is returned is empty.
pub(super) fn run(job: &Job, config: &NewConfig) -> Result<String> {
    let engine = config.engine();
    let header = folder(config)?.join("include/tuner.hpp");
    let header = std::fs::read_to_string(&header).at(&header)?;
    let absolute = std::path::absolute(engine.join("."))?;
    // The engine is named by its folder; the root of the disk has no name. A quote is left out, as
    // it would end the text in the code.
    let name = absolute.file_name().unwrap_or_default().to_string_lossy();
    let evaluator = include_str!("evaluator.cpp.txt").replace("$NAME", &name.replace('"', ""));
    let texts = [
        ("tuner.hpp", header),
        ("evaluator.cpp", evaluator),
        (settings::FILE, SETTINGS.to_owned()),
    ];
    let files = texts.map(|(name, text)| (engine.join(name), text));
    let is_new = |(path, _): &(PathBuf, String)| !path.exists();
    let (new, kept): (Vec<_>, Vec<_>) = files.into_iter().partition(is_new);
    for (path, _) in kept {
        job.say(format_args!(
            "{}: is there, and stays as it is",
            path.display()
        ));
    }
    if config.dry_run {
        return Ok(show(job, config.diff, &new));
    }
    write(job, config, &new, &[])?;
    job.say(format_args!(
        "next: {} shows how tables and types of scores are annotated, in some 12 lines; \
         name your files in evaluator.cpp and tuner.toml; then `tuner check FILE` compares scores \
         and derivatives",
        page(config, "cpp.md")
    ));
    Ok(String::new())
}
