//! The package that is compiled.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The Cargo feature behind which the twin, the traced version of the code, is compiled:
/// `tuner-trace` if the Cargo.toml of the package has a line `tuner-trace = …`, since a feature
/// `tune` then belongs to the engine itself; else `tune`.
pub(crate) fn feature() -> &'static str {
    let manifest = package().and_then(|folder| fs::read_to_string(folder.join("Cargo.toml")).ok());
    let names = |line: &str| line.split('=').next().map(str::trim) == Some("tuner-trace");
    if manifest.is_some_and(|text| text.lines().any(names)) {
        "tuner-trace"
    } else {
        "tune"
    }
}

/// The folder of the Cargo.toml of the package that is compiled, with symbolic links resolved;
/// `None` where cargo does not say it in `CARGO_MANIFEST_DIR`.
pub(crate) fn package() -> Option<PathBuf> {
    Path::new(&env::var_os("CARGO_MANIFEST_DIR")?)
        .canonicalize()
        .ok()
}

/// The edition by whose rules the compiler reads the package, such as `2021`, from the last
/// `--edition=…` among the compiler's arguments; without one `2015`, which is its default.
pub(crate) fn edition() -> String {
    let words = env::args_os().filter_map(|word| word.into_string().ok());
    let mut editions = words.filter_map(|word| Some(word.strip_prefix("--edition=")?.to_owned()));
    editions.next_back().unwrap_or_else(|| "2015".to_owned())
}
