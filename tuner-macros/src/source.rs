//! Finds the crate's annotated files and parses them, with places.
//!
//! Files are parsed by proc-macro2's own lexer (`forced`), whose spans know
//! line and column; the compiler gives text that a macro parses no place.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// One file with at least one annotation.
pub(crate) struct SourceFile {
    /// As named in messages: relative to the package.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// Module path below the crate root, `["eval", "pawns"]`.
    pub(crate) module: Vec<String>,
    pub(crate) ast: syn::File,
}

/// Runs `f` with proc-macro2's own lexer. Nothing made inside may be mixed
/// with the compiler's tokens afterwards.
pub(crate) fn forced<R>(f: impl FnOnce() -> R) -> R {
    struct Unforce;
    impl Drop for Unforce {
        fn drop(&mut self) {
            proc_macro2::fallback::unforce();
        }
    }
    proc_macro2::fallback::force();
    let _unforce = Unforce;
    f()
}

/// The files to read for the crate that `file` belongs to, with their texts.
pub(crate) fn texts(file: &Path) -> Vec<(PathBuf, Vec<String>, String)> {
    let mut found = Vec::new();
    match root_of(file) {
        Some(root) => collect(&root, &mut Vec::new(), &mut found),
        None => found.extend(read(file).map(|text| (file.to_owned(), Vec::new(), text))),
    }
    found.sort_by(|a, b| a.1.cmp(&b.1));
    found
}

/// Parses one text; call it `forced`.
pub(crate) fn parse(path: &Path, module: &[String], text: &str) -> Result<SourceFile, String> {
    let name = relative(path);
    match syn::parse_file(text) {
        Ok(ast) => Ok(SourceFile {
            name,
            path: path.to_owned(),
            module: module.to_vec(),
            ast,
        }),
        Err(error) => {
            let start = error.span().start();
            Err(format!(
                "{name}:{}:{}: {error}",
                start.line,
                start.column + 1
            ))
        }
    }
}

/// The folder that holds the crate's root file; none for a file that is a
/// crate by itself (an example, an integration test).
fn root_of(file: &Path) -> Option<PathBuf> {
    let package = package()?;
    let file = file.canonicalize().ok()?;
    if !file.starts_with(&package) {
        return None;
    }
    let folder = file
        .ancestors()
        .skip(1)
        .take_while(|folder| folder.starts_with(&package))
        .find(|folder| folder.join("lib.rs").is_file() || folder.join("main.rs").is_file())?;
    // A file of src/bin is a crate by itself.
    let is_program = file
        .strip_prefix(folder)
        .is_ok_and(|f| f.starts_with("bin"));
    (!is_program).then(|| folder.to_owned())
}

fn package() -> Option<PathBuf> {
    Path::new(&env::var_os("CARGO_MANIFEST_DIR")?)
        .canonicalize()
        .ok()
}

fn relative(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let shown = package().and_then(|p| path.strip_prefix(p).map(Path::to_owned).ok());
    let name = path.file_name().map(PathBuf::from).unwrap_or_default();
    shown.unwrap_or(name).to_string_lossy().replace('\\', "/")
}

/// Files that may hold an annotation; the parser decides.
fn read(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    (text.contains("traced!") || text.contains("tunable")).then_some(text)
}

fn collect(
    folder: &Path,
    module: &mut Vec<String>,
    found: &mut Vec<(PathBuf, Vec<String>, String)>,
) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let Some(stem) = path.file_stem().map(|s| s.to_string_lossy().into_owned()) else {
            continue;
        };
        if path.is_dir() {
            // Binaries under src/bin are crates of their own.
            if !(module.is_empty() && stem == "bin") {
                module.push(stem);
                collect(&path, module, found);
                module.pop();
            }
        } else if path.extension().is_some_and(|e| e == "rs")
            && let Some(text) = read(&path)
        {
            let is_face = stem == "mod" || (module.is_empty() && (stem == "lib" || stem == "main"));
            let mut module = module.clone();
            if !is_face {
                module.push(stem);
            }
            found.push((path, module, text));
        }
    }
}
