//! Finds the crate's files and parses them, with places.
//!
//! Files are parsed by proc-macro2's own lexer (`forced`), whose spans know
//! line and column; the compiler gives text that a macro parses no place.

use std::path::{Path, PathBuf};

use crate::package::{feature, package};
use tuner_source::{CrateFile, CrateFiles};

/// One file of the crate.
pub(crate) struct SourceFile {
    /// As named in messages: relative to the package.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

impl SourceFile {
    /// Makes the entry of a file: its path, and its name in messages, which is relative to the
    /// package.
    pub(super) fn of(file: &CrateFile) -> Self {
        let (name, path) = (relative(&file.path), file.path.clone());
        Self { name, path }
    }
}

/// Runs `f` with proc-macro2's own lexer, by which tokens of a text have lines and columns. Tokens
/// made in `f` must not be mixed with the compiler's afterwards.
pub(crate) fn forced<R>(f: impl FnOnce() -> R) -> R {
    struct Unforce;
    impl Drop for Unforce {
        /// Ends the use of proc-macro2's own lexer, also where the closure that uses it panics.
        fn drop(&mut self) {
            proc_macro2::fallback::unforce();
        }
    }
    proc_macro2::fallback::force();
    let _unforce = Unforce;
    f()
}

/// The files, with their texts, of the crate that `file` belongs to, sorted by the paths of their
/// modules. Call it in [`forced`]. A file that no root leads to is a crate by itself.
pub(crate) fn texts(file: &Path) -> Vec<CrateFile> {
    let wanted = whole(file);
    let has_file = |texts: &Vec<CrateFile>| texts.iter().any(|text| whole(&text.path) == wanted);
    let roots = roots(&wanted).into_iter();
    let mut trees = roots.map(|root| CrateFiles::of(&root, feature()).files);
    // A file that no root leads to is read as a crate by itself.
    let found = trees.find(has_file);
    let mut texts = found.unwrap_or_else(|| CrateFiles::of(file, feature()).files);
    texts.sort_by(|a, b| a.module.cmp(&b.module));
    texts
}

/// The absolute path of a file, with symbolic links resolved; `path` itself if there is no such
/// file.
pub(crate) fn whole(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The files that may be the root of the crate that `file` belongs to: `lib.rs` and `main.rs` in
/// its folder and the folders around, nearest first, up to the package's. They need not exist.
/// Empty where cargo does not say the package's folder.
fn roots(file: &Path) -> Vec<PathBuf> {
    let Some(package) = package() else {
        return Vec::new();
    };
    let folders = file.ancestors().skip(1);
    let folders = folders.take_while(|folder| folder.starts_with(&package));
    let roots = folders.flat_map(|folder| ["lib.rs", "main.rs"].map(|name| folder.join(name)));
    roots.collect()
}

/// A path relative to the package's folder, with `/` between its names; for a file elsewhere, the
/// file's name alone.
fn relative(path: &Path) -> String {
    let path = whole(path);
    let shown = package().and_then(|p| path.strip_prefix(p).map(Path::to_owned).ok());
    let name = path.file_name().map(PathBuf::from).unwrap_or_default();
    shown.unwrap_or(name).to_string_lossy().replace('\\', "/")
}
