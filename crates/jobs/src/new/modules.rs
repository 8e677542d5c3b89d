//! The files of the engine's crate, and what they declare.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::annotations::{is_traced, remove, written};
use super::manifest::Manifest;
use crate::Failure;
use crate::failure::AtPath as _;
use tuner_source::{
    AnnotatedModule, CrateFile, CrateFiles, CrateModel, NoLibrary, library_of, type_name,
};

/// The engine's crate, read. Files go by their numbers in `files`, functions and consts by theirs
/// in `model.readers.all`.
#[derive(Debug)]
pub(super) struct Modules {
    /// The files of the crate, its root first, with their texts as they are to be written.
    pub(super) files: Vec<CrateFile>,
    pub(super) model: CrateModel,
    /// The files with a call of `traced!` that the author wrote or edited.
    pub(super) own: HashSet<usize>,
    /// Whether the engine has no library, so that the root is a new file.
    pub(super) is_new_root: bool,
    /// The folder of the sources, from the engine's folder.
    pub(super) folder: String,
}

impl Modules {
    /// Follows the modules of the engine's library, or, where there is no library, of a new one
    /// with those of `src/main.rs`, which is only in memory as yet.
    pub(super) fn read(engine: &Path, manifest: &Manifest) -> Result<Self, Failure> {
        let root = engine.join(manifest.root.as_deref().unwrap_or("src/lib.rs"));
        let program = engine.join("src/main.rs");
        let is_new_root = !root.exists();
        if is_new_root && !program.exists() {
            let root = root.display();
            fail!("{root}: expected the root of a library, or src/main.rs");
        }
        let text = if is_new_root {
            library(&program)?
        } else {
            std::fs::read_to_string(&root).at(&root)?
        };
        let folder = root.parent().unwrap_or(engine);
        let folder = match folder.strip_prefix(engine).unwrap_or(folder).display() {
            here if here.to_string().is_empty() => ".".to_owned(),
            name => name.to_string(),
        };
        let mut found = CrateFiles::of_root(CrateFile::root(root, text), manifest.feature());
        let wrong = |file: &CrateFile| Some(file.items.as_ref().err()?.at(file.path.display()));
        if let Some(error) = found.files.iter().find_map(wrong) {
            return Err(error.into());
        }
        if let Some(missing) = found.missing.first() {
            fail!(
                "{}:{}: found no file of `mod {}`",
                missing.declared_in.display(),
                missing.line,
                missing.path.join("::")
            );
        }
        Ok(Self {
            model: CrateModel::of(&AnnotatedModule::of_files(&mut found.files)),
            files: found.files,
            own: HashSet::new(),
            is_new_root,
            folder,
        })
    }

    /// Takes out the calls of `traced!` that `new` wrote when it left mistakes to the author, where
    /// they are as they were: a cure may be that the file needs none. `last`: where the text of a
    /// file is as it was then.
    pub(super) fn forget(&mut self, last: impl Fn(&Path) -> PathBuf) -> Result<(), Failure> {
        let traced = self.files.iter_mut().enumerate();
        for (number, file) in traced.filter(|(_, file)| is_traced(&file.text)) {
            let last = std::fs::read_to_string(last(&file.path)).unwrap_or_default();
            if written(&last) != written(&file.text) || !remove(&mut file.text) {
                self.own.insert(number);
            }
        }
        self.read_again()
    }

    /// Adds a function to the end of a file. One that `new` added before, found by its comment, is
    /// replaced; one of the name that the author wrote stays. The model is made anew where the text
    /// changed.
    pub(super) fn add(&mut self, file: usize, function: &str, name: &str) -> Result<(), Failure> {
        let text = &mut self.files[file].text;
        let (before, function) = (text.clone(), function.trim_start());
        let start = function.lines().next().and_then(|head| text.find(head));
        let end = start.and_then(|start| Some(start + text[start..].find("\n}\n")? + 3));
        if let Some((start, end)) = start.zip(end) {
            text.replace_range(start..end, function);
        } else if !text.contains(&format!("fn {name}(")) {
            text.push('\n');
            text.push_str(function);
        }
        if *text == before {
            return Ok(());
        }
        self.read_again()
    }

    /// Makes the model of the texts as they are now.
    fn read_again(&mut self) -> Result<(), Failure> {
        let mut read = Vec::new();
        for file in &self.files {
            let mut again = CrateFile::root(file.path.clone(), file.text.clone());
            again.module.clone_from(&file.module);
            if let Err(error) = &again.items {
                return Err(error.at(file.path.display()).into());
            }
            read.push(again);
        }
        self.model = CrateModel::of(&AnnotatedModule::of_files(&mut read));
        Ok(())
    }

    /// The number of the file that a module is in: its own, or that of the module in whose text it
    /// is written.
    pub(super) fn file_of(&self, module: &[String]) -> usize {
        let is_around = |&file: &usize| module.starts_with(&self.files[file].module);
        let around = (0..self.files.len()).filter(is_around);
        let deepest = around.max_by_key(|&file| self.files[file].module.len());
        deepest.unwrap_or_default()
    }

    /// The file at a path as the compiler has it, from the package's folder or one around it: the
    /// one whose path has most names in common with it, counted from the end; `None` if no file has
    /// its name.
    pub(super) fn file_at(&self, path: &Path) -> Option<usize> {
        let shared = |file: &CrateFile| {
            let both = path.iter().rev().zip(file.path.iter().rev());
            both.take_while(|(a, b)| a == b).count()
        };
        let found = (0..self.files.len()).max_by_key(|&file| shared(&self.files[file]))?;
        (shared(&self.files[found]) > 0).then_some(found)
    }

    /// The function that a line of a file, counted from 1, is in: the last item that begins before
    /// it; `None` if that is not a function.
    pub(super) fn function_at(&self, file: usize, line: usize) -> Option<usize> {
        let all = &self.model.readers.all;
        let before = (0..all.len()).filter(|&n| all[n].file == file && all[n].location.0 <= line);
        let last = before.max_by_key(|&n| all[n].location)?;
        all[last].signature.is_some().then_some(last)
    }

    /// Tells whether all functions of a name return something other than a score: unsigned numbers
    /// or aliases of them, truth, or sets of squares (`Bitboard`, in capitals or not); `false`
    /// where there is no such function.
    pub(super) fn gives_no_score(&self, name: &str) -> bool {
        let all = self.model.readers.all.iter().filter(|one| one.name == name);
        let mut given = all
            .map(|one| one.returned().map_or_else(String::new, |(_, kind)| kind))
            .peekable();
        let is_unsigned = |kind: &str| {
            matches!(
                kind,
                "bool" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize"
            )
        };
        let aliases = || self.model.modules.iter().map(|module| &module.aliases);
        given.peek().is_some()
            && given.all(|kind| {
                let alias = aliases().find_map(|all| all.get(&kind)).and_then(type_name);
                is_unsigned(&kind)
                    || alias.is_some_and(|kind| is_unsigned(&kind))
                    || kind.eq_ignore_ascii_case("bitboard")
            })
    }

    /// Adds to `mistakes` which modules on the way to `module` other crates do not see, if they are
    /// not said there yet.
    pub(super) fn hidden(&self, module: &[String], mistakes: &mut Vec<String>) {
        for (around, name, line) in self.model.private_modules(module) {
            let path = self.files[self.file_of(around)].path.display();
            let words = format!("{path}:{line}: `mod {name}` is private; write `pub mod {name}`");
            if !mistakes.contains(&words) {
                mistakes.push(words);
            }
        }
    }

    /// Whether a struct or an enum of this name is declared somewhere.
    pub(super) fn declares_type(&self, name: &str) -> bool {
        let mut modules = self.model.modules.iter();
        modules.any(|module| module.types.contains(name))
    }

    /// Tells whether a type of this name derives `Clone` or has an `impl Clone`.
    pub(super) fn clones(&self, name: &str) -> bool {
        let is_other = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let derives = |text: &str| {
            let declared = ["struct", "enum"].map(|kind| format!("{kind} {name}"));
            let mut places = declared.iter().flat_map(|words| text.match_indices(words));
            places.any(|(at, words)| {
                let before = text[..at].rsplit(['}', ';']).next().unwrap_or_default();
                !is_other(&text[at + words.len()..]) && before.contains("Clone")
            })
        };
        let mut all = self.model.readers.all.iter();
        all.any(|one| {
            one.owner.as_deref() == Some(name) && one.of_trait.as_deref() == Some("Clone")
        }) || self.files.iter().any(|file| derives(&file.text))
    }

    /// The path from the root of the type that `name` means in a module, as other crates can write
    /// it; through an import, where its own module is private. `None` if there is no such type in
    /// the crate.
    pub(super) fn path_of_type(&self, module: &[String], name: &str) -> Option<Vec<String>> {
        let path = self.path_within(module, name)?;
        let (name, around) = path.split_last()?;
        let is_hidden = self.model.private_modules(around).next().is_some();
        let shown = || self.model.shown_path(self.model.module(around)?, name);
        is_hidden.then(shown).flatten().or(Some(path))
    }

    /// What has to be written behind an expression of a struct to get the number that it holds:
    /// `.0`, or a call of its public method that returns one, where its field is not public.
    /// `kind`: the struct's name, without a path.
    pub(super) fn number_in(&self, kind: &str) -> String {
        let public = format!("struct {kind}(pub ");
        let mut all = self.model.readers.all.iter();
        let gives = all.find(|one| {
            let returned = one.returned().map(|(text, _)| text);
            let is_number = matches!(
                returned.as_deref(),
                Some("i16" | "i32" | "i64" | "f32" | "f64")
            );
            let is_method = one.receiver().is_some() && one.parameters().is_empty();
            one.owner.as_deref() == Some(kind) && one.is_public && is_method && is_number
        });
        match gives {
            Some(one) if !self.files.iter().any(|file| file.text.contains(&public)) => {
                format!(".{}()", one.name)
            }
            _ => ".0".to_owned(),
        }
    }

    /// The path from the root of the type that a name of a module stands for, private or not: where
    /// it is declared, where it is imported if an alias or another crate is behind it, or else the
    /// one module that declares a type of this name. Where several modules do, the name is taken as
    /// of `module`; where no module does, it is `None`.
    fn path_within(&self, module: &[String], name: &str) -> Option<Vec<String>> {
        let path_in = |module: &[String], name: &str| [module, &[name.to_owned()]].concat();
        let here = self.model.module(module);
        let declared = here.and_then(|here| self.model.item_behind(here, &[name.to_owned()]));
        let declared = declared.map(|(of, name)| (&self.model.modules[of], name));
        let here = here.map(|here| &self.model.modules[here]);
        match declared {
            Some((of, name)) if !of.aliases.contains_key(&name) || of.shows(&name) => {
                Some(path_in(&of.path, &name))
            }
            _ if here.is_some_and(|here| here.shows(name)) => Some(path_in(module, name)),
            _ => {
                let modules = self.model.modules.iter();
                let mut declaring = modules.filter(|of| of.types.contains(name));
                let of = declaring.next()?;
                let is_one = declaring.next().is_none();
                Some(path_in(if is_one { &of.path } else { module }, name))
            }
        }
    }

    /// Finds the library functions that fill the engine's tables when its program starts.
    ///
    /// These are the calls without arguments, such as `tables::init();`, with which `main` begins.
    /// Where one of them calls a function of the program's own file that itself begins with such
    /// calls, those are taken in its place. Where `main` has nothing but such calls, the last one
    /// runs the program and is left out. Returns paths from the root of the library; calls that
    /// do not lead to exactly one public function of it are left out.
    pub(super) fn called_first(&self, engine: &Path) -> Vec<Vec<String>> {
        let text = program(engine).and_then(|path| std::fs::read_to_string(path).ok());
        let text = text.unwrap_or_default();
        let mut found = Vec::new();
        let (before, is_all) = calls(&text, "main");
        // Where `main` does nothing else, the last call is that of the program itself.
        let before = &before[..before.len() - usize::from(is_all && !before.is_empty())];
        for &path in before {
            let own = path.rsplit("::").next().filter(|name| *name == path);
            let inner = own.map_or_else(Vec::new, |name| calls(&text, name).0);
            let all = if inner.is_empty() { vec![path] } else { inner };
            found.extend(all.into_iter().filter_map(|path| self.filling(path)));
        }
        found
    }

    /// The path of the one public function of the library without arguments that a path of the
    /// program, which may begin with an import, can mean; `None` where several or no such functions
    /// are there.
    fn filling(&self, path: &str) -> Option<Vec<String>> {
        let (around, name) = path.rsplit_once("::").unwrap_or(("", path));
        let around = around.rsplit("::").next().unwrap_or(around);
        let mut all = self.model.readers.all.iter().filter(|one| {
            let is_plain = one.owner.is_none() && one.signature.is_some() && one.is_public;
            let module = self.model.modules[one.module].path.last();
            let is_there = around.is_empty() || module.is_none_or(|module| module == around);
            is_plain && one.name == name && is_there && one.parameters().is_empty()
        });
        let one = all.next().filter(|_| all.next().is_none())?;
        let module = &self.model.modules[one.module].path;
        Some([&module[..], std::slice::from_ref(&one.name)].concat())
    }

    /// The paths of all files, for a message.
    pub(super) fn list(&self) -> String {
        let files = self.files.iter();
        tuner_base::joined(files.map(|file| file.path.display()), ", ")
    }
}

/// Beginnings of statements that a program may have before or between the calls that fill its
/// tables, such as a hook for panics.
const STARTS: [&str; 3] = ["if ", "std::", "panic::"];

/// The paths of the calls without arguments, `tables::init();`, with which a function of a text
/// begins, and whether it has nothing else; no paths and `false` where the text has no `fn NAME()`.
/// Comments, `let` and statements of [`STARTS`], with all in their braces, are passed over; the
/// text is read line by line, as rustfmt writes it.
fn calls<'t>(text: &'t str, function: &str) -> (Vec<&'t str>, bool) {
    let head = format!("fn {function}()");
    let body = text.split_once(&head).map_or("", |(_, body)| body);
    let lines = body.lines().skip(1).map(str::trim);
    let is_other = |line: &str| ["//", "let "].iter().any(|start| line.starts_with(start));
    let mut depth = 0;
    let mut is_inner = |line: &str| {
        let is_one = depth > 0 || STARTS.iter().any(|start| line.starts_with(start));
        if is_one {
            depth += line.matches('{').count();
            depth = depth.saturating_sub(line.matches('}').count());
        }
        is_one
    };
    let lines = lines.filter(|line| !line.is_empty() && !is_inner(line) && !is_other(line));
    let mut lines = lines.peekable();
    let mut found = Vec::new();
    while let Some(path) = lines.peek().and_then(|line| line.strip_suffix("();")) {
        found.push(path);
        lines.next();
    }
    (found, lines.peek() == Some(&"}"))
}

/// The file of the engine's program: `src/main.rs`, or of `src/bin` the one that is called as the
/// package, or the only one; `None` where there is no such file.
pub(super) fn program(engine: &Path) -> Option<PathBuf> {
    let package = Manifest::read(engine).map_or_else(|_| String::new(), |found| found.package);
    let named = ["src/main.rs".to_owned(), format!("src/bin/{package}.rs")];
    let mut named = named.iter().map(|path| engine.join(path));
    if let Some(path) = named.find(|path| path.exists()) {
        return Some(path);
    }
    let all = std::fs::read_dir(engine.join("src/bin")).ok()?;
    let mut all = all.filter_map(|entry| Some(entry.ok()?.path()));
    all.next()
        .filter(|path| all.next().is_none() && path.is_file())
}

/// Adds the names behind `crate::` and `super::` in the files of a folder: what the library of a
/// program must have at its root.
fn names_of_root(folder: &Path, named: &mut HashSet<String>) -> Result<(), Failure> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            names_of_root(&path, named)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let behind = |around| text.split(around).skip(1);
            for rest in behind("crate::").chain(behind("super::")) {
                let names = match rest.strip_prefix('{') {
                    Some(group) => in_braces(group),
                    None => rest.split(is_no_name).next().unwrap_or(rest),
                };
                named.extend(names.split(is_no_name).map(str::to_owned));
            }
        }
    }
    Ok(())
}

/// The inside of `{a::{b}, c}`, of which the first brace is left out.
fn in_braces(text: &str) -> &str {
    let mut depth = 1;
    let end = text.find(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    });
    &text[..end.unwrap_or(text.len())]
}

/// Tells whether a character cannot be one of a name.
fn is_no_name(c: char) -> bool {
    !c.is_alphanumeric() && c != '_'
}

/// The text of a library with the modules of a program, and with its items where modules name one
/// by `crate::` or `super::`.
fn library(program: &Path) -> Result<String, Failure> {
    let name = program.display();
    let mut named = HashSet::new();
    let folder = program.parent().unwrap_or(program);
    names_of_root(folder, &mut named)?;
    let text = std::fs::read_to_string(program).at(program)?;
    library_of(&text, |name| named.contains(name)).map_err(|why| match why {
        NoLibrary::Syntax(error) => error.at(name).into(),
        NoLibrary::Inline(module, line) => format!(
            "{name}:{line}: `mod {module}` is written in the program itself; move it to src/{module}.rs, so that a library can have it too",
        )
        .into(),
        NoLibrary::NoModule => format!(
            "{name}: found no `mod`, expected the evaluation in a module of its own: move it to src/eval.rs, and write `mod eval;` here",
        )
        .into(),
    })
}
