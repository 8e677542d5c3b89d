//! What an engine in C++ needs: the header, the main of an evaluator, and tuner.toml.

use std::path::PathBuf;

use super::clone::{folder, page};
use super::{NewArgs, settings, show, write};
use tuner_jobs::JobFailure as Failure;

const SETTINGS: &str = "\
# How `tuner` builds and starts the evaluator, in this folder, and what it fits.
# data = [\"games.tsv.zst\"]

[evaluator]
build = \"c++ -std=c++17 -O2 -DTUNE evaluator.cpp evaluate.cpp -o evaluator\"
run = \"./evaluator\"
";

/// Writes them; a file that is there is left as it is.
pub(super) fn run(args: &NewArgs) -> Result<(), Failure> {
    let engine = args.engine();
    let header = folder(args)?.join("include/tuner.hpp");
    let header = std::fs::read_to_string(&header)
        .map_err(|error| format!("{}: {error}", header.display()))?;
    let whole = std::path::absolute(engine.join("."))?;
    let name = whole.file_name().unwrap_or_default().to_string_lossy();
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
        say!("{}: is there, and stays as it is", path.display());
    }
    if args.dry_run {
        return show(args.diff, &new);
    }
    write(&new)?;
    say!(
        "next: {} shows how tables and types of scores are annotated, in some 12 lines; \
         name your files in evaluator.cpp and tuner.toml; then `tuner check FILE` compares scores \
         and derivatives",
        page(args, "cpp.md")
    );
    Ok(())
}
