//! The files of the engine's crate, and what they declare.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::annotations::{is_traced, remove, written};
use super::manifest::Manifest;
use crate::Result;
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
    /// Reads the engine's crate: follows the `mod` items of its library. Where there is no library,
    /// the text of one is made in memory, with the modules of `src/main.rs`. `engine`: the engine's
    /// folder. Fails if a file is not there or cannot be read as Rust.
    pub(super) fn read(engine: &Path, manifest: &Manifest) -> Result<Self> {
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
        // A syntax error, or a `mod` without a file, ends it.
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

    /// Takes the calls of `traced!` out of the texts of files that an earlier run of `new` wrote
    /// and the author did not edit: after a cure a file may need no call. All other calls count as
    /// the author's (`own`). `last`: from the path of a file to that of its copy as that run wrote
    /// it.
    pub(super) fn forget(&mut self, last: impl Fn(&Path) -> PathBuf) -> Result<()> {
        let traced = self.files.iter_mut().enumerate();
        for (number, file) in traced.filter(|(_, file)| is_traced(&file.text)) {
            // Without a copy there are no arguments that could be equal, so that the call counts as
            // the author's.
            let last = std::fs::read_to_string(last(&file.path)).unwrap_or_default();
            if written(&last) != written(&file.text) || !remove(&mut file.text) {
                self.own.insert(number);
            }
        }
        self.read_again()
    }

    /// Adds a function called `name`, with the text `function`, to the end of a file's text. If an
    /// earlier run of `new` added it, which the first line of the text, a comment, shows, it is
    /// replaced; if the author wrote a function of this name, nothing is added. If the text
    /// changed, the model of the crate is made anew.
    pub(super) fn add(&mut self, file: usize, function: &str, name: &str) -> Result<()> {
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

    /// Makes the model of the crate anew, from the texts of the files as they are in memory.
    fn read_again(&mut self) -> Result<()> {
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

    /// Returns the number of the file that a module is in: a file of its own, or that of the module
    /// in whose text it is written. `module`: the names of its path, empty for the root.
    pub(super) fn file_of(&self, module: &[String]) -> usize {
        let is_around = |&file: &usize| module.starts_with(&self.files[file].module);
        let around = (0..self.files.len()).filter(is_around);
        // The root file, number 0, is around every module, so there is always one.
        let deepest = around.max_by_key(|&file| self.files[file].module.len());
        deepest.unwrap_or_default()
    }

    /// Finds the file that the compiler calls `path`, relative to the package's folder or to one
    /// around it. It is the file whose path has the most names in common with `path`, counted from
    /// the end. Returns its number; `None` if no file has the last name of `path`.
    pub(super) fn file_at(&self, path: &Path) -> Option<usize> {
        let shared = |file: &CrateFile| {
            let both = path.iter().rev().zip(file.path.iter().rev());
            both.take_while(|(a, b)| a == b).count()
        };
        let found = (0..self.files.len()).max_by_key(|&file| shared(&self.files[file]))?;
        (shared(&self.files[found]) > 0).then_some(found)
    }

    /// Finds the function that a line of a file, counted from 1, is in: takes the last item that
    /// begins in this line or before. Returns its number among the functions, consts and other
    /// items of the crate; `None` if that item is not a function.
    pub(super) fn function_at(&self, file: usize, line: usize) -> Option<usize> {
        let all = &self.model.readers.all;
        let before = (0..all.len()).filter(|&n| all[n].file == file && all[n].location.0 <= line);
        let last = before.max_by_key(|&n| all[n].location)?;
        all[last].signature.is_some().then_some(last)
    }

    /// Tells whether all functions called `name` return something other than a score: an unsigned
    /// number or an alias of one, `bool`, or a set of squares (`Bitboard`, in capitals or not).
    /// `false` where there is no function of this name.
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

    /// Adds a mistake for each private module on the way to `module`, which other crates, such as
    /// the evaluator, cannot name; not if `mistakes` has it already.
    pub(super) fn hidden(&self, module: &[String], mistakes: &mut Vec<String>) {
        for (around, name, line) in self.model.private_modules(module) {
            let path = self.files[self.file_of(around)].path.display();
            let words = format!("{path}:{line}: `mod {name}` is private; write `pub mod {name}`");
            if !mistakes.contains(&words) {
                mistakes.push(words);
            }
        }
    }

    /// Tells whether a module of the crate declares a struct or an enum of this name.
    pub(super) fn declares_type(&self, name: &str) -> bool {
        let mut modules = self.model.modules.iter();
        modules.any(|module| module.types.contains(name))
    }

    /// Tells whether a type of this name derives `Clone` or has an `impl Clone`.
    pub(super) fn clones(&self, name: &str) -> bool {
        // Whether a name goes further, so that it is another one: `Boards` for `Board`.
        let is_other = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        // Whether a text declares the type with `Clone` between it and the item before, as in
        // `#[derive(Clone)]`.
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

    /// Returns the path, from the root of the library, of the type that `name` means in a module,
    /// as other crates can write it. If the type's own module is private, the path leads through a
    /// public import, if there is one. `None` if there is no such type in the crate.
    pub(super) fn path_of_type(&self, module: &[String], name: &str) -> Option<Vec<String>> {
        let path = self.path_within(module, name)?;
        let (name, around) = path.split_last()?;
        let is_hidden = self.model.private_modules(around).next().is_some();
        let shown = || self.model.shown_path(self.model.module(around)?, name);
        is_hidden.then(shown).flatten().or(Some(path))
    }

    /// Returns what is written behind an expression of a struct to get the number that it holds:
    /// `.0` if its field is public, or else a call of a public method that returns a number, such
    /// as `.value()`; `.0` too if there is no such method. `kind`: the struct's name, without a
    /// path.
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

    /// Returns the path, from the root of the library, of the type that `name` means in a module;
    /// modules on it may be private. The path is, in this order,
    ///
    /// 1. where the type is declared, if the name leads there;
    /// 2. `name` in `module`, if it is imported there in public, from behind an alias or from
    ///    another crate;
    /// 3. where the only module that declares a type of this name has it; if several do, `name` in
    ///    `module`; if no module does, `None`.
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

    /// Finds the functions of the library that fill the engine's tables when its program starts:
    /// returns their paths from the root of the library, in the order of the calls. `engine`: the
    /// engine's folder.
    ///
    /// They are those that `main` begins with calls of, without arguments, such as
    /// `tables::init();`. If a call is of a function in the program's own file that begins with
    /// calls of this kind itself, its calls are taken in place of it. If `main` has nothing but
    /// calls of this kind, the last one runs the program and is left out. Calls that do not lead to
    /// exactly one public function of the library are left out.
    pub(super) fn called_first(&self, engine: &Path) -> Vec<Vec<String>> {
        let text = program(engine).and_then(|path| std::fs::read_to_string(path).ok());
        let text = text.unwrap_or_default();
        let mut found = Vec::new();
        let (before, is_all) = calls(&text, "main");
        // Where `main` does nothing but such calls, the last one runs the program.
        let before = &before[..before.len() - usize::from(is_all && !before.is_empty())];
        for &path in before {
            // A path of one name may be a function of the program's own file.
            let own = path.rsplit("::").next().filter(|name| *name == path);
            let inner = own.map_or_else(Vec::new, |name| calls(&text, name).0);
            let all = if inner.is_empty() { vec![path] } else { inner };
            found.extend(all.into_iter().filter_map(|path| self.filling(path)));
        }
        found
    }

    /// Returns the path of the public function of the library without arguments that a call in the
    /// program means. `path`: as the program writes it, so that its beginning may be an import:
    /// only the function's name and the name of the module before it are compared. `None` where
    /// several functions may be meant, or none.
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

    /// Returns the paths of all files of the crate, with commas between, for a message.
    pub(super) fn list(&self) -> String {
        let files = self.files.iter();
        tuner_base::joined(files.map(|file| file.path.display()), ", ")
    }
}

/// Beginnings of statements that a program may have before or between the calls that fill its
/// tables, such as a hook for panics.
const STARTS: [&str; 3] = ["if ", "std::", "panic::"];

/// Returns the paths of the calls without arguments, such as `tables::init();`, with which a
/// function of a program begins, and whether the function has nothing else; no paths and `false`
/// where the text has no `fn NAME()`. Passed over are comments, `let`, and statements that begin
/// with `if`, `std::` or `panic::`, with all in their braces. The text is read line by line, as
/// rustfmt writes it.
fn calls<'t>(text: &'t str, function: &str) -> (Vec<&'t str>, bool) {
    let head = format!("fn {function}()");
    let body = text.split_once(&head).map_or("", |(_, body)| body);
    let lines = body.lines().skip(1).map(str::trim);
    let is_other = |line: &str| ["//", "let "].iter().any(|start| line.starts_with(start));
    // How many braces of a statement that is passed over are open; `is_inner`: whether a line
    // begins such a statement or is inside one.
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

/// Returns the path of the source file of the engine's program: `src/main.rs`; or else, in
/// `src/bin`, the file with the name of the package, or the only file. `None` where there is no
/// such file. `engine`: the engine's folder.
pub(super) fn program(engine: &Path) -> Option<PathBuf> {
    // Without a readable Cargo.toml the name is empty, and no file has it.
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

/// Adds to `named` all names that stand behind `crate::` or `super::` in the Rust files of a folder
/// and of those in it. A library that takes over the modules of a program must have these at its
/// root.
fn names_of_root(folder: &Path, named: &mut HashSet<String>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            names_of_root(&path, named)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            // A file that cannot be read as text names nothing.
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

/// Returns the text up to the brace that closes a group whose opening brace is before `text`: of
/// `a::{b}, c} …` it is `a::{b}, c`. If the group is not closed, all of the text.
fn in_braces(text: &str) -> &str {
    let mut depth = 1;
    let end = text.find(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    });
    &text[..end.unwrap_or(text.len())]
}

/// Tells whether a character cannot be in a name of Rust: it is neither a letter, a digit nor `_`.
fn is_no_name(c: char) -> bool {
    !c.is_alphanumeric() && c != '_'
}

/// Makes the text of a library root of that of a program: the library has the program's modules,
/// and those of its other items that files beside it name by `crate::` or `super::`. `program`: the
/// path of the program's source file. Fails, with a cure, if the program has no module, or has one
/// written in its own text.
fn library(program: &Path) -> Result<String> {
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
