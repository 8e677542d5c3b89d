//! The package that is compiled.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The feature that switches the twin on: `tuner-trace` where the crate has a feature of that name,
/// as `tune` is then its own; else `tune`.
pub(crate) fn feature() -> &'static str {
    let manifest = package().and_then(|folder| fs::read_to_string(folder.join("Cargo.toml")).ok());
    let names = |line: &str| line.split('=').next().map(str::trim) == Some("tuner-trace");
    if manifest.is_some_and(|text| text.lines().any(names)) {
        "tuner-trace"
    } else {
        "tune"
    }
}

/// The folder of its Cargo.toml, without links; `None` where cargo does not say it.
pub(crate) fn package() -> Option<PathBuf> {
    Path::new(&env::var_os("CARGO_MANIFEST_DIR")?)
        .canonicalize()
        .ok()
}

/// The edition by whose rules the compiler reads the package, as its arguments say; without one
/// it is the first.
pub(crate) fn edition() -> String {
    let words = env::args_os().filter_map(|word| word.into_string().ok());
    let mut editions = words.filter_map(|word| Some(word.strip_prefix("--edition=")?.to_owned()));
    editions.next_back().unwrap_or_else(|| "2015".to_owned())
}
