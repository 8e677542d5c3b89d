//! The files of a crate, found by its `mod` items.

use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use crate::Failure;
use tuner_source::{DeclaredItems, DeclaredModule};

/// A file of the crate.
#[derive(Debug)]
pub(super) struct ModuleFile {
    pub(super) path: PathBuf,
    /// The module that it is; empty for the root.
    pub(super) module: Vec<String>,
    /// The text as it was found.
    pub(super) before: String,
    /// The text as it is to be.
    pub(super) text: String,
    pub(super) declared: DeclaredItems,
}

#[derive(Debug)]
pub(super) struct Modules {
    /// The root first.
    pub(super) files: Vec<ModuleFile>,
    /// Whether there was no library.
    pub(super) is_new_root: bool,
    /// The folder of the sources, in the engine's.
    pub(super) folder: String,
}

impl Modules {
    pub(super) fn read(engine: &Path, manifest: &Manifest) -> Result<Self, Failure> {
        let root = engine.join(manifest.root.as_deref().unwrap_or("src/lib.rs"));
        let program = engine.join("src/main.rs");
        let is_new_root = !root.exists();
        if is_new_root && !program.exists() {
            return Err(format!(
                "{}: expected the root of a library, or src/main.rs",
                root.display()
            )
            .into());
        }
        let (before, text) = if is_new_root {
            (String::new(), library_of(&program)?)
        } else {
            let text = read(&root)?;
            (text.clone(), text)
        };
        let folder = root.parent().unwrap_or(engine).to_owned();
        let in_engine = folder.strip_prefix(engine).unwrap_or(&folder);
        let mut modules = Self {
            files: Vec::new(),
            is_new_root,
            folder: match in_engine.display().to_string() {
                here if here.is_empty() => ".".to_owned(),
                name => name,
            },
        };
        modules.add(root, before, text, &[], &folder)?;
        Ok(modules)
    }

    fn add(
        &mut self,
        path: PathBuf,
        before: String,
        text: String,
        module: &[String],
        folder: &Path,
    ) -> Result<(), Failure> {
        let declared = DeclaredItems::of(&text).map_err(|error| {
            let place = error.location;
            format!(
                "{}:{}:{}: this is no Rust that can be read ({error})",
                path.display(),
                place.line,
                place.column
            )
        })?;
        let inner: Vec<DeclaredModule> = declared.modules.clone();
        let file = path.clone();
        self.files.push(ModuleFile {
            path,
            module: module.to_vec(),
            before,
            text,
            declared,
        });
        for item in inner.into_iter().filter(|item| !item.is_inline) {
            let Some(found) = file_of(&item, &file, folder) else {
                if item.is_conditional() {
                    continue;
                }
                return Err(format!(
                    "{}:{}: found no file of `mod {}`",
                    file.display(),
                    item.line,
                    item.path.join("::")
                )
                .into());
            };
            if self.files.iter().any(|known| known.path == found) {
                continue;
            }
            let text = read(&found)?;
            let whole: Vec<String> = module.iter().chain(&item.path).cloned().collect();
            // `a/mod.rs` and `a.rs` both have their modules in `a`.
            let own = match found.file_name() {
                Some(name) if name == "mod.rs" => found.parent().unwrap_or(folder).to_owned(),
                _ => found.with_extension(""),
            };
            self.add(found, text.clone(), text, &whole, &own)?;
        }
        Ok(())
    }

    pub(super) fn root(&self) -> &ModuleFile {
        &self.files[0]
    }

    pub(super) fn root_mut(&mut self) -> &mut ModuleFile {
        &mut self.files[0]
    }

    /// The files of a module and of those in it; never the root, whose annotation would
    /// be that of everything.
    pub(super) fn with_inner(&self, module: &[String]) -> Vec<usize> {
        let files = self.files.iter().enumerate();
        files
            .filter(|(_, file)| !file.module.is_empty() && file.module.starts_with(module))
            .map(|(number, _)| number)
            .collect()
    }

    /// Whether other crates see a module; if not, where it is said.
    pub(super) fn hidden(&self, module: &[String]) -> Option<String> {
        for file in &self.files {
            for item in &file.declared.modules {
                let whole: Vec<&String> = file.module.iter().chain(&item.path).collect();
                let is_around =
                    whole.len() <= module.len() && whole.iter().zip(module).all(|(a, b)| *a == b);
                if is_around && !item.is_public {
                    let name = item.path.last().cloned().unwrap_or_default();
                    return Some(format!(
                        "{}:{}: `mod {name}` is private; write `pub mod {name}`",
                        file.path.display(),
                        item.line
                    ));
                }
            }
        }
        None
    }

    /// Whether a struct or an enum of this name is declared somewhere.
    pub(super) fn declares_type(&self, name: &str) -> bool {
        let mut types = self.files.iter().flat_map(|file| &file.declared.types);
        types.any(|path| path.last().is_some_and(|last| last == name))
    }

    /// What a name that a module brings in by `use` is called from the root.
    pub(super) fn imported(&self, module: &[String], name: &str) -> Option<&Vec<String>> {
        let mut of_module = self.files.iter().filter(|file| file.module == module);
        let imports = &of_module.next()?.declared.imports;
        let found = imports.iter().find(|(brought, _)| brought == name);
        found.map(|(_, path)| path)
    }

    /// Whether the file of a module names a type for others: by `pub use`, or as an alias.
    pub(super) fn offers(&self, module: &[String], name: &str) -> bool {
        let mut of_module = self.files.iter().filter(|file| file.module == module);
        let is_word = |line: &str| {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.any(|word| word == name)
        };
        of_module.next().is_some_and(|file| {
            let mut lines = file.text.lines().map(str::trim_start);
            lines.any(|line| {
                (line.starts_with("pub use ") || line.starts_with("pub type ")) && is_word(line)
            })
        })
    }

    pub(super) fn list(&self) -> String {
        let paths = self
            .files
            .iter()
            .map(|file| file.path.display().to_string());
        paths.collect::<Vec<_>>().join(", ")
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// The file of a `mod` item: `folder` is where the modules of its file are.
fn file_of(item: &DeclaredModule, declared_in: &Path, folder: &Path) -> Option<PathBuf> {
    let (name, around) = item.path.split_last()?;
    let folder = around
        .iter()
        .fold(folder.to_owned(), |folder, name| folder.join(name));
    let candidates = match &item.file {
        Some(file) if around.is_empty() => vec![declared_in.parent()?.join(file)],
        Some(file) => vec![folder.join(file)],
        None => vec![
            folder.join(format!("{name}.rs")),
            folder.join(name).join("mod.rs"),
        ],
    };
    candidates.into_iter().find(|file| file.is_file())
}

/// The text of a library of the modules of a program, each where it is compiled there.
fn library_of(program: &Path) -> Result<String, Failure> {
    let text = read(program)?;
    let declared = DeclaredItems::of(&text).map_err(|error| {
        let place = error.location;
        format!(
            "{}:{}:{}: this is no Rust that can be read ({error})",
            program.display(),
            place.line,
            place.column
        )
    })?;
    let mut library = "//! The engine's modules, for the evaluator.\n\n".to_owned();
    for head in declared.heads {
        library.extend([&head, "\n\n"]);
    }
    let mut found = false;
    for module in declared.modules {
        let [name] = &*module.path else {
            continue;
        };
        if module.is_inline {
            return Err(format!(
                "{}:{}: `mod {name}` is written in the program itself; move it to src/{name}.rs, so that a library can have it too",
                program.display(), module.line
            ).into());
        }
        for attribute in &module.attributes {
            library.extend([attribute, "\n"]);
        }
        if let Some(file) = module.file {
            let path = format!("#[path = {file:?}]\n");
            library.push_str(&path);
        }
        library.extend(["pub mod ", name, ";\n"]);
        found = true;
    }
    if found {
        return Ok(library);
    }
    Err(format!(
        "{}: found no `mod`, expected the evaluation in a module of its own: move it to src/eval.rs, and write `mod eval;` here",
        program.display()
    ).into())
}
