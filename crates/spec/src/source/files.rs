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
    /// Reads files, and all `*.rs` below folders but `target` and hidden ones.
    /// Modules for tests (`#[cfg(test)] mod tests;`) do not count.
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

    /// Files whose text is at hand; their names are for messages.
    ///
    /// # Errors
    ///
    /// Every file that is not Rust, with the place.
    pub fn of(texts: impl IntoIterator<Item = (PathBuf, String)>) -> Result<Self, SourceError> {
        let files = texts.into_iter();
        let files = files.map(|(path, text)| SourceFile { path, text });
        Self::scanned(files.collect())
    }

    /// Parses files, and finds their consts but those of tests.
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

    /// The files as they were named, or found, and their texts.
    pub fn texts(&self) -> impl Iterator<Item = (&Path, &str)> {
        let files = self.files.iter();
        files.map(|file| (file.path.as_path(), file.text.as_str()))
    }

    /// Takes out what is in modules for tests. The files of `mod NAME;` are `NAME.rs` and those in
    /// `NAME/`, beside the file or in a folder of its name.
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

    /// The place of `location` in the file of a const, for messages: `src/eval.rs:59:7`.
    pub(super) fn at(&self, found: &Const, location: SourceLocation) -> String {
        let SourceLocation { line, column } = location;
        format!("{}:{line}:{column}", shown(&self.files[found.file].path))
    }

    /// `src/eval.rs:59:7` of a const's name.
    pub(super) fn at_name(&self, found: &Const) -> String {
        self.at(found, found.location)
    }

    /// `src/eval.rs:59:7` of a const's name, with the path if it is in an impl block: two there may
    /// have one name.
    pub(super) fn at_path(&self, found: &Const) -> String {
        match found.holder {
            Holder::Item => self.at_name(found),
            Holder::Impl => format!("{} ({})", self.at_name(found), found.path),
        }
    }

    /// Consts of this name that can be weights.
    pub(super) fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Const> {
        self.numbered(name).map(|(_, found)| found)
    }

    /// Consts of this name that can be weights, with their numbers in the scan.
    pub(super) fn numbered<'a>(
        &'a self,
        name: &'a str,
    ) -> impl Iterator<Item = (usize, &'a Const)> {
        let all = self.scan.consts.iter().enumerate();
        all.filter(move |(_, c)| c.name == name && self.can_be_weights(c))
    }

    /// Tells whether a choice takes a parameter: by its name, or by the name of the const that it
    /// is a part of.
    pub fn takes(&self, choice: &Choice, name: &str) -> bool {
        let mut consts = self.named(name).peekable();
        match consts.peek() {
            None => choice.takes_name(name),
            Some(_) => consts.any(|found| choice.takes(found)),
        }
    }

    /// Removes the consts that fit one of the patterns in `except`, such as one of two consts of
    /// one name.
    pub fn forget(&mut self, except: &[String]) {
        let is_named = |found: &Const| except.iter().any(|pattern| names(pattern, found));
        self.scan.consts.retain(|found| !is_named(found));
    }

    /// Tells whether annotations allow a const to be weights: if any file has annotations, only
    /// what is annotated may; what is frozen never.
    pub(super) fn can_be_weights(&self, found: &Const) -> bool {
        use tuner_source::Standing::{Annotated, Unmarked};
        found.standing == Annotated
            || (found.standing == Unmarked && self.scan.annotated.is_empty())
    }
}

/// A path for people and comments: one line, `/` on every system.
pub(super) fn shown(path: &Path) -> String {
    one_line(&path.to_string_lossy().replace('\\', "/"))
}

/// The `*.rs` below a folder, in the order of their names; links to folders
/// are not followed.
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
