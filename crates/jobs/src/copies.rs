//! Builds of a program with other weights in its sources.
//!
//! The sources are copied, the weights written into the copy as `patch` does it, or in C and C++
//! as the header that `fit` writes, and the copy is built by the command of tuner.toml. A build is
//! kept for later questions at the same weights and sources.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::AtPath as _;
use crate::project::build;
use crate::{Failure, Job, NamedSet, Project};
use tuner_base::Fingerprint;
use tuner_engine::{EvaluatorProgram, LinkedSpec};
use tuner_spec::ProjectProgram;
use tuner_spec::codegen::{Language, Provenance, emit_as};
use tuner_spec::source::{Patch, Run, Sources};

/// The folder of builds, beside tuner.toml.
pub(crate) const FOLDER: &str = "tuner-builds";

/// A file in a copy that holds the words of the command that starts the built program, one a line.
/// It is written last, so it also marks a copy that is whole.
const BUILT: &str = ".tuner-built";

/// Names that are not copied: made by builds or by the tuner, or history.
const LEFT_OUT: [&str; 6] = [
    "target",
    ".git",
    FOLDER,
    RUN,
    "CMakeCache.txt",
    "CMakeFiles",
];

/// Files of which a folder has one if a fit, a loop or SPSA wrote its results there.
const RESULTS: [&str; 3] = ["summary.json", "loop.json", "spsa.json"];

/// Bytes from which on a file may be hard-linked into a copy instead of copied.
const DATA: u64 = 1 << 24;

/// The folder of a fit, where engines in C and C++ find their weights.
const RUN: &str = "tuner-run";

/// A program of an engine (the engine itself or its evaluator) that is built with any weights.
pub(crate) struct Copies<'a> {
    pub(crate) project: &'a Project,
    pub(crate) linked: &'a LinkedSpec,
    pub(crate) program: &'a ProjectProgram,
    /// Which program: `engine` or `evaluator`, the section of tuner.toml.
    pub(crate) what: &'static str,
}

impl Copies<'_> {
    /// Returns the program with these weights: the command that starts it, and its folder. It is
    /// built in a copy of the sources, unless an earlier call did so. If a Cargo.toml names a
    /// folder outside of what is copied, where something may have changed since, the copy is built
    /// again. The name of the copy is a hash of the weights, the sources and which program it is
    /// (`what`), so that a build is found again as long as nothing of that changes.
    pub(crate) fn built_at(
        &self,
        job: &Job,
        weights: &NamedSet,
    ) -> Result<EvaluatorProgram, Failure> {
        let folder = self.project.file.folder();
        let root = root_of(folder);
        let mut hash = Fingerprint::new();
        hash.text(&weights.fingerprint());
        // The evaluator adds its name to the hash and the engine does not, so that both have copies
        // of their own.
        if self.what != "engine" {
            hash.text(self.what);
        }
        let files = files(&root)?;
        for file in &files {
            // Other files beside the sources, data and results, come and go.
            if is_source(file) {
                hash.text(&file.to_string_lossy());
                hash.bytes(&fs::read(root.join(file))?);
            }
        }
        let base = absolute(&folder.join(FOLDER));
        let copy = base.join(hash.hex());
        // The file with the command of what was built. It is written last: with it a copy is whole.
        let built = copy.join(BUILT);
        // `inner`: the folder in the copy that corresponds to that of tuner.toml. What is copied is
        // that folder or one around it, so there is always a prefix to leave out.
        let of_engine = absolute(folder);
        let inner = copy.join(of_engine.strip_prefix(&root).unwrap_or(Path::new("")));
        let sources = self.sources(&root, &copy)?;
        let is_whole = built.exists();
        if !is_whole {
            let of = match &*weights.name {
                "spec" | "source" => "the weights of the ",
                _ => "",
            };
            job.say(format_args!(
                "building the {} with {of}{}",
                self.what, weights.name
            ));
            // A killed build may have left a part of a copy.
            let _ = fs::remove_dir_all(&copy);
            copy_files(&root, &files, &copy)?;
            // With this file git leaves all copies out of the author's repository.
            fs::write(base.join(".gitignore"), "*\n")?;
            self.patch(weights, &inner, &sources)?;
        }
        let is_manifest = |file: &&PathBuf| file.ends_with("Cargo.toml");
        let mut manifests = files.iter().filter(is_manifest);
        // A dependency beside the repository may have changed since the last build: cargo finds
        // that out.
        if !is_whole || manifests.any(|file| led_out(&root, &root.join(file), None).is_some()) {
            let command = self.built(job, &inner, &sources, &base)?;
            let lines = command.join("\n");
            tuner_base::write_atomically(&built, &lines).at(&built)?;
        }
        let lines = fs::read_to_string(&built)?;
        Ok(EvaluatorProgram {
            command: lines.lines().map(str::to_owned).collect(),
            folder: Some(inner),
            ..EvaluatorProgram::default()
        })
    }

    /// Tells whether the weights of a copy are a header that its build includes, and not literals
    /// in its sources: so it is in C and C++, where tuner.toml names no `sources`.
    pub(crate) fn is_header(&self) -> bool {
        let language = self.linked.language;
        self.project.file.sources.is_empty() && matches!(language, Language::C | Language::Cpp)
    }

    /// The path of the header with weights, relative to the folder of tuner.toml, such as
    /// `tuner-run/tuned_weights.hpp`: where a fit writes it.
    pub(crate) fn header(&self) -> String {
        format!("{RUN}/tuned_weights.{}", self.linked.language.extension())
    }

    /// The paths in a copy of the `sources` of tuner.toml, files and folders that hold weights,
    /// also where tuner.toml has paths from the root of the disk: what is written there is never
    /// the author's own file. `root`: the folder that is copied; `copy`: that of the copy.
    ///
    /// # Errors
    /// If a path is outside of `root`, or there is no folder that it is in.
    fn sources(&self, root: &Path, copy: &Path) -> Result<Vec<PathBuf>, Failure> {
        let in_copy = |path: &PathBuf| {
            // A file may itself be a link, in whose place the copy has a file, but folders, also
            // those above it, are where links and `..` lead.
            let there = match (path.parent(), path.file_name()) {
                (Some(folder), Some(name)) if !path.is_dir() => {
                    canonical(folder).map(|folder| folder.join(name))
                }
                _ => canonical(path),
            };
            let there = there.at(path)?;
            let Ok(inner) = there.strip_prefix(root) else {
                fail!(
                    "{}: `sources`: {} is outside of the folder that is copied to build the {} \
                     with other weights, {}: keep both in one git repository, which is copied",
                    self.project.file.file.display(),
                    path.display(),
                    self.what,
                    root.display()
                );
            };
            Ok(copy.join(inner))
        };
        self.project.file.sources.iter().map(in_copy).collect()
    }

    /// Writes weights into a copy: as the header that its build includes, or as literals of its
    /// `sources`, paths in it. `copy`: the folder in the copy that corresponds to that of
    /// tuner.toml.
    fn patch(&self, weights: &NamedSet, copy: &Path, sources: &[PathBuf]) -> Result<(), Failure> {
        let (linked, layout) = (self.linked, self.linked.spec.layout());
        if self.is_header() {
            let counts = layout.counts(&weights.weights)?;
            // The header says nothing about a fit: the weights need not come from one.
            let (spec, no_fit) = (&linked.spec, Provenance::default());
            let code = emit_as(linked.language, spec, &counts, &no_fit)?;
            fs::create_dir_all(copy.join(RUN))?;
            return Ok(fs::write(copy.join(self.header()), code)?);
        }
        let values = (layout.weight_ids())
            .zip(&weights.weights)
            .map(|(weight, &value)| (layout.name(weight), value));
        let run = Run::of_values(&weights.name, values.collect(), Some(layout))?;
        let sources = Sources::read(sources)?;
        // `true`: rounded to whole numbers where the literal is one.
        let patch = Patch::new(&sources, &run, true)?;
        let written = patch.write();
        written.map_err(|(path, error)| format!("{}: {error}", path.display()).into())
    }

    /// Builds a copy; returns the words of the command that starts what was built. `copy`: the
    /// folder in the copy that corresponds to that of tuner.toml; `sources`: files and folders with
    /// weights in the copy; `base`: the folder of all copies.
    ///
    /// Where tuner.toml has no `run` for the program, cargo builds it: into `base/target`, which
    /// all copies share, so that what does not depend on the weights is built once. The program
    /// itself is then copied into `copy`, so that the build of another copy does not replace it.
    /// Where there is a `run`, that is the command; if its first word is a file in the copy, the
    /// word becomes the full path of that file.
    fn built(
        &self,
        job: &Job,
        copy: &Path,
        sources: &[PathBuf],
        base: &Path,
    ) -> Result<Vec<String>, Failure> {
        let mut program = self.program.clone();
        let mut file = self.project.file.clone();
        // Messages of the build then name the tuner.toml of the copy.
        file.file = copy.join(tuner_spec::PROJECT_FILE);
        let shared = program.run.is_none();
        if shared {
            let target = tuner_base::shell_word(&base.join("target"));
            let build = program.build.unwrap_or_default();
            program.build = Some(format!("{build} --target-dir {target}"));
            touch(sources)?;
        }
        let built = build(job, &program, self.what, &file, copy)?;
        let mut command = built.command;
        if shared {
            let to = copy.join(".tuner-engine");
            fs::copy(&command[0], &to)?;
            command[0] = to.display().to_string();
        } else if copy.join(&command[0]).is_file() {
            command[0] = copy.join(&command[0]).display().to_string();
        }
        Ok(command)
    }
}

/// Sets the times of the `sources` of a copy, files and folders with weights, to now. All copies
/// share cargo's build results, and cargo tells by times whether a file has changed: an older copy
/// would get the build of another one.
fn touch(sources: &[PathBuf]) -> Result<(), Failure> {
    for source in sources {
        let all = if source.is_dir() {
            let inner = files(source)?.into_iter();
            inner.map(|file| source.join(file)).collect()
        } else {
            vec![source.clone()]
        };
        // A large file of data may be a hard link to the author's own file, whose time stays.
        for file in all {
            if is_source(&file) {
                let file = fs::File::open(file)?;
                file.set_modified(std::time::SystemTime::now())?;
            }
        }
    }
    Ok(())
}

/// Returns a path from the root of the disk, without symbolic links if there is such a file or
/// folder. An empty path is the current folder.
fn absolute(path: &Path) -> PathBuf {
    canonical(path)
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_path_buf())
}

/// Returns the path from the root of the disk, without symbolic links, of a file or folder that is
/// there. An empty path is the current folder.
fn canonical(path: &Path) -> std::io::Result<PathBuf> {
    let is_empty = path.as_os_str().is_empty();
    fs::canonicalize(if is_empty { Path::new(".") } else { path })
}

/// Returns the folder that is copied to build a program in `folder`: the nearest one at or above it
/// that has a `.git`, the repository, so that what the engine's package depends on comes along; or
/// else `folder` itself.
pub(crate) fn root_of(folder: &Path) -> PathBuf {
    let folder = absolute(folder);
    let repository = folder.ancestors().find(|above| above.join(".git").exists());
    repository.unwrap_or(&folder).to_path_buf()
}

/// Lists the files below `root` that a build may need: paths relative to `root`, sorted. Left out
/// are names in [`LEFT_OUT`], made by builds or by the tuner, or git's; folders with results of a
/// fit, a loop or SPSA (a file of weights and one of [`RESULTS`]); folders behind symbolic links;
/// and what is neither a file nor a folder, such as a link that leads nowhere.
fn files(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    // `folders`: those that are still to be listed, relative to `root`, of which the first is
    // `root`.
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let path = root.join(&folder);
        let holds = |name: &str| path.join(name).exists();
        // A folder with results, as a fit or a loop writes them.
        let has_weights = ["weights.txt", "start.txt"].into_iter().any(holds);
        if has_weights && RESULTS.into_iter().any(holds) {
            continue;
        }
        for entry in fs::read_dir(&path).at(&path)? {
            let entry = entry?;
            let name = entry.file_name();
            if LEFT_OUT.iter().any(|left_out| name == *left_out) {
                continue;
            }
            let inner = folder.join(&name);
            let kind = fs::metadata(entry.path());
            match kind {
                Ok(kind) if kind.is_dir() && !entry.path().is_symlink() => folders.push(inner),
                Ok(kind) if kind.is_file() => found.push(inner),
                _ => {}
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Tells by its name whether a file is text that a build reads: source code, or a file of cargo,
/// make or CMake. Builds of copies are told apart by the bytes of these files.
fn is_source(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str());
    let of_c = matches!(
        ending,
        Some(
            "c" | "cc" | "cpp" | "cxx" | "h" | "hh" | "hpp" | "hxx" | "inc" | "inl" | "ipp" | "def"
        )
    );
    // Without an ending it may be a Makefile.
    let of_builds = matches!(ending, Some("rs" | "toml" | "lock" | "mk" | "cmake") | None);
    of_c || of_builds || file.ends_with("CMakeLists.txt")
}

/// Tells whether a copy may have a hard link to a file in place of a copy of it: to a large one, of
/// [`DATA`] bytes or more (16 MiB), that by its ending no build is likely to write to. Some builds
/// write into a file that is there, as `ar` does, and through a link that would change the author's
/// own file.
fn is_data(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str());
    let is_built = matches!(ending, Some("a" | "o" | "so" | "lib" | "obj"));
    !is_source(file) && !is_built && fs::metadata(file).is_ok_and(|file| file.len() >= DATA)
}

/// Copies `files`, paths relative to `root`, to the same places below `to`. Large files that no
/// build writes to become hard links where that is possible. A file that a build may have made,
/// such as a program beside its sources, keeps its time of modification. Paths in a Cargo.toml that
/// lead out of `root` are made absolute.
fn copy_files(root: &Path, files: &[PathBuf], to: &Path) -> Result<(), Failure> {
    for file in files {
        let (from, to) = (root.join(file), to.join(file));
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        let linked = is_data(&from) && fs::hard_link(&from, &to).is_ok();
        if !linked {
            let copied = fs::copy(&from, &to).and_then(|_| {
                if is_source(file) && file.extension().is_some() {
                    return Ok(());
                }
                // What a build made must not look newer than the sources that it was made of.
                fs::File::open(&to)?.set_modified(fs::metadata(&from)?.modified()?)
            });
            copied.at(&from)?;
        }
        if file.ends_with("Cargo.toml")
            && let Some(text) = led_out(root, &from, None)
        {
            tuner_base::write_atomically(&to, &text).at(&to)?;
        }
    }
    Ok(())
}

/// Returns the text of the Cargo.toml at `manifest` with relative paths that lead out of `root`,
/// the folder that is copied, made absolute. Such a path, to a dependency beside what is copied,
/// would lead elsewhere from a copy. `new`: a text that is taken in place of that of the file.
/// `None` where no path leads out, or the text cannot be read as TOML.
fn led_out(root: &Path, manifest: &Path, new: Option<&str>) -> Option<String> {
    let text = new.map(str::to_owned);
    let text = text.or_else(|| fs::read_to_string(manifest).ok())?;
    // Where a manifest is not TOML it is copied as it is, and cargo says what is wrong.
    let mut table: toml::Table = text.parse().ok()?;
    let folder = manifest.parent()?;
    let mut moved = false;
    // Looks at each `path` in any table or array of tables, however deep.
    let mut tables = vec![&mut table];
    while let Some(table) = tables.pop() {
        for (key, value) in table {
            match value {
                toml::Value::String(path) if key == "path" => {
                    let there = absolute(&folder.join(&*path));
                    if Path::new(path).is_relative() && !there.starts_with(root) {
                        *path = there.display().to_string();
                        moved = true;
                    }
                }
                toml::Value::Table(inner) => tables.push(inner),
                toml::Value::Array(all) => {
                    tables.extend(all.iter_mut().filter_map(toml::Value::as_table_mut));
                }
                _ => {}
            }
        }
    }
    let text = toml::to_string(&table).ok();
    text.filter(|_| moved)
}

/// Returns the text for a Cargo.toml in a copy of its sources. `manifest`: its path outside of the
/// copy; `text`: what it would say there. Relative paths that lead out of the folders that are
/// copied are made absolute.
pub(crate) fn manifest_in_copy(manifest: &Path, text: String) -> String {
    let root = root_of(manifest.parent().unwrap_or(manifest));
    led_out(&root, manifest, Some(&text)).unwrap_or(text)
}

/// Copies a folder, with the git repository around it if there is one, and without what builds or
/// the tuner made there; `to`: the folder of the copy. Returns the path in the copy that
/// corresponds to `folder`.
///
/// # Errors
/// If a file cannot be read or written.
pub fn copy_sources(folder: &Path, to: &Path) -> Result<PathBuf, Failure> {
    let root = root_of(folder);
    copy_files(&root, &files(&root)?, to)?;
    let folder = absolute(folder);
    Ok(to.join(folder.strip_prefix(&root).unwrap_or(Path::new(""))))
}
