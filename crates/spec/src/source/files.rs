//! The files: found, read, scanned.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use tuner_source::{Const, Holder, Scan, SourceLocation};

use super::Choice;
use super::choice::names;
use super::mistakes::{SourceError, settle};
use super::spec_text::one_line;
use crate::spec::text_of;

/// Rust files and what they hold.
#[derive(Clone, Debug)]
pub struct Sources {
    pub(super) files: Vec<SourceFile>,
    pub(super) scan: Scan,
}

#[derive(Clone, Debug)]
pub(super) struct SourceFile {
    /// The path as the user named it, or, for a file in a folder that was named, below that.
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl Sources {
    /// Reads files, and all `*.rs` below folders, except in folders called `target` and hidden
    /// ones. What is in modules for tests (`#[cfg(test)] mod tests;`) is left out. A file that is
    /// named twice is read once.
    ///
    /// # Errors
    ///
    /// Every file that cannot be read or is not Rust, with the place.
    pub fn read(paths: &[PathBuf]) -> Result<Self, SourceError> {
        let mut found = Vec::new();
        let mut mistakes = Vec::new();
        for path in paths {
            if path.is_dir() {
                let before = found.len();
                if let Err(error) = below(path, &mut found) {
                    mistakes.push(format!("{}: {error}", path.display()));
                } else if found.len() == before {
                    mistakes.push(format!(
                        "{}: found no *.rs in this folder; weights are literals of Rust alone: an \
                         engine in another language reads weights.txt or tuned_weights.json, in games \
                         by the `weights_option` of [engine] (docs/playing.md)",
                        path.display()
                    ));
                }
            } else {
                found.push(path.clone());
            }
        }
        let mut known = HashSet::new();
        let mut files = Vec::new();
        for path in found {
            // A path that leads nowhere counts as it is named; reading it says why.
            if !known.insert(fs::canonicalize(&path).unwrap_or_else(|_| path.clone())) {
                continue;
            }
            match text_of(&path) {
                Ok(text) => files.push(SourceFile { path, text }),
                Err(reason) => mistakes.push(format!(
                    "{}: {reason}; expected a Rust file or a folder of them",
                    path.display()
                )),
            }
        }
        settle(mistakes)?;
        Self::scanned(files)
    }

    /// Makes sources of texts that are at hand, each with the name of its file, for messages.
    ///
    /// # Errors
    ///
    /// Every file that is not Rust, with the place.
    pub fn of(texts: impl IntoIterator<Item = (PathBuf, String)>) -> Result<Self, SourceError> {
        let files = texts.into_iter();
        let files = files.map(|(path, text)| SourceFile { path, text });
        Self::scanned(files.collect())
    }

    /// Parses files, and finds their consts, without those in modules for tests. Fails with every
    /// file that is not Rust.
    fn scanned(files: Vec<SourceFile>) -> Result<Self, SourceError> {
        let texts: Vec<&str> = files.iter().map(|file| file.text.as_str()).collect();
        let scan = Scan::of(&texts).map_err(|errors| SourceError {
            mistakes: errors
                .into_iter()
                .map(|(file, error)| error.at(shown(&files[file].path)).into())
                .collect(),
        })?;
        let mut sources = Self { files, scan };
        sources.drop_tests();
        Ok(sources)
    }

    /// Returns the paths of the files, as they were named or found in folders, and their texts.
    pub fn texts(&self) -> impl Iterator<Item = (&Path, &str)> {
        let files = self.files.iter();
        files.map(|file| (file.path.as_path(), file.text.as_str()))
    }

    /// Removes the consts of files that are modules for tests, which other files declare by
    /// `#[cfg(test)] mod NAME;`. Such files are `NAME.rs` and those in the folder `NAME`, beside
    /// the file with that line or in a folder called as that file.
    fn drop_tests(&mut self) {
        let mut modules = Vec::new();
        for (file, name) in &self.scan.test_modules {
            let file = &self.files[*file].path;
            let folder = file.parent().unwrap_or(Path::new(""));
            let own = folder.join(file.file_stem().unwrap_or_default());
            modules.extend([folder.join(name), own.join(name)]);
        }
        let is_test = |file: &SourceFile| {
            let mut modules = modules.iter();
            modules.any(|m| file.path == m.with_extension("rs") || file.path.starts_with(m))
        };
        let is_test: Vec<bool> = self.files.iter().map(is_test).collect();
        self.scan.consts.retain(|c| !is_test[c.file]);
    }

    /// Returns a location in the file of a const as text, for messages: `src/eval.rs:59:7`.
    pub(super) fn at(&self, found: &Const, location: SourceLocation) -> String {
        let SourceLocation { line, column } = location;
        format!("{}:{line}:{column}", shown(&self.files[found.file].path))
    }

    /// Returns where the name of a const is, for messages: `src/eval.rs:59:7`.
    pub(super) fn at_name(&self, found: &Const) -> String {
        self.at(found, found.location)
    }

    /// Returns where the name of a const is, for messages: `src/eval.rs:59:7`. If the const is in
    /// an impl block, its path follows in parentheses, as two types may have a const of one name.
    pub(super) fn at_path(&self, found: &Const) -> String {
        match found.holder {
            Holder::Item => self.at_name(found),
            Holder::Impl => format!("{} ({})", self.at_name(found), found.path),
        }
    }

    /// Returns the consts of this name that can be weights.
    pub(super) fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Const> {
        self.numbered(name).map(|(_, found)| found)
    }

    /// Returns the consts of this name that can be weights, each with its number among all consts
    /// of the sources.
    pub(super) fn numbered<'a>(
        &'a self,
        name: &'a str,
    ) -> impl Iterator<Item = (usize, &'a Const)> {
        let all = self.scan.consts.iter().enumerate();
        all.filter(move |(_, c)| c.name == name && self.can_be_weights(c))
    }

    /// Tells whether a choice takes a parameter called `name`: by the names of the const that it
    /// is, and of the struct that this is in; or by `name` alone, if the sources have no such
    /// const.
    pub fn takes(&self, choice: &Choice, name: &str) -> bool {
        let mut consts = self.named(name).peekable();
        match consts.peek() {
            None => choice.takes_name(name),
            Some(_) => consts.any(|found| choice.takes(found)),
        }
    }

    /// Removes the consts that one of the patterns in `except` means, such as one of two consts
    /// that have the same name.
    pub fn forget(&mut self, except: &[String]) {
        let is_named = |found: &Const| except.iter().any(|pattern| names(pattern, found));
        self.scan.consts.retain(|found| !is_named(found));
    }

    /// Tells whether annotations allow a const to hold weights. If a file of the sources has
    /// annotations, only consts that are annotated may; else all but those that are frozen.
    pub(super) fn can_be_weights(&self, found: &Const) -> bool {
        use tuner_source::Standing::{Annotated, Unmarked};
        found.standing == Annotated
            || (found.standing == Unmarked && self.scan.annotated.is_empty())
    }
}

/// Returns a path as text for messages and comments: in one line, with `/` on every system.
pub(super) fn shown(path: &Path) -> String {
    one_line(&path.to_string_lossy().replace('\\', "/"))
}

/// Adds to `found` all files `*.rs` in a folder and the folders in it, in the order of their names.
/// Left out are folders called `target`, hidden ones, and those behind symbolic links.
fn below(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), entry.file_name());
        if entry.file_type()?.is_dir() {
            if name != "target" && !name.to_string_lossy().starts_with('.') {
                below(&path, found)?;
            }
        } else if path.extension().is_some_and(|e| e == "rs") && path.is_file() {
            found.push(path);
        }
    }
    Ok(())
}
