//! The engine's Cargo.toml.

use std::path::{Path, PathBuf};

use super::clone::relative;
use crate::Result;
use crate::failure::AtPath as _;

/// The engine's Cargo.toml, as it is.
#[derive(Debug)]
pub(super) struct Manifest {
    pub(super) path: PathBuf,
    pub(super) text: String,
    table: toml::Table,
    /// The name of the package.
    pub(super) package: String,
    /// The name of the library, as code has it.
    pub(super) library: String,
    /// The path of the library's root, from the engine's folder; `None` for `src/lib.rs`.
    pub(super) root: Option<String>,
}

impl Manifest {
    /// Reads the Cargo.toml of the engine's folder; fails if it is only that of a workspace.
    pub(super) fn read(engine: &Path) -> Result<Self> {
        let path = engine.join("Cargo.toml");
        let name = path.display();
        let text = std::fs::read_to_string(&path).map_err(|error| {
            format!("{name}: {error}; give the folder of the engine's Cargo.toml")
        })?;
        let table: toml::Table = text.parse().at(&path)?;
        let package = (table.get("package"))
            .and_then(|package| package.get("name")?.as_str())
            .ok_or_else(|| {
                format!("{name}: found no package, expected the Cargo.toml of the crate with the evaluation, not that of its workspace")
            })?
            .to_owned();
        // A library without a name of its own has that of the package.
        let library = |key| table.get("lib").and_then(|lib| lib.get(key)?.as_str());
        Ok(Self {
            library: library("name").unwrap_or(&package).replace('-', "_"),
            root: library("path").map(str::to_owned),
            path,
            text,
            package,
            table,
        })
    }

    /// Returns the engine's dependency on a package, also if Cargo.toml gives it another name by
    /// the key `package`; `None` if there is none.
    pub(super) fn dependency(&self, package: &str) -> Option<Dependency> {
        self.entry(|key, value| {
            let renamed = value.get("package").and_then(toml::Value::as_str);
            renamed.unwrap_or(key) == package
        })
        .map(|(_, found)| found)
    }

    /// Returns the dependency that the engine's code calls `name`, in which `-` is `_`: its key in
    /// Cargo.toml, and the dependency; `None` if there is none.
    pub(super) fn called(&self, name: &str) -> Option<(&str, Dependency)> {
        self.entry(|key, _| key.replace('-', "_") == name)
    }

    /// Returns the first dependency whose key and value in `[dependencies]` are accepted by
    /// `is_it`: the key, and the dependency. If it is inherited from the workspace
    /// (`workspace = true`), it has the value that is written there. `None` if there is no such
    /// dependency, or the workspace lacks the one that is inherited.
    fn entry(&self, is_it: impl Fn(&str, &toml::Value) -> bool) -> Option<(&str, Dependency)> {
        let mut written = self.table.get("dependencies")?.as_table()?.iter();
        let (key, value) = written.find(|(key, value)| is_it(key, value))?;
        if !is_true(value, "workspace") {
            return Some((key, Dependency::new(value, self.path.clone())));
        }
        let (path, workspace) = self.workspace()?;
        let value = workspace.get("dependencies")?.get(key)?;
        Some((key, Dependency::new(value, path)))
    }

    /// Returns the path of the nearest Cargo.toml with a table `[workspace]`, in the package's
    /// folder or around it, and that table; `None` if there is none.
    fn workspace(&self) -> Option<(PathBuf, toml::Table)> {
        let whole = self.path.canonicalize().ok()?;
        let mut around = whole.parent()?.ancestors();
        around.find_map(|folder| {
            let path = folder.join("Cargo.toml");
            let table: toml::Table = std::fs::read_to_string(&path).ok()?.parse().ok()?;
            Some((path, table.get("workspace")?.as_table()?.clone()))
        })
    }

    /// Returns the path of the engine's Cargo.lock, its own or else that of its workspace, and the
    /// versions of a package that this file has, perhaps none. `None` where neither file can be
    /// read.
    pub(super) fn locked(&self, package: &str) -> Option<(PathBuf, Vec<String>)> {
        let own = self.path.with_file_name("Cargo.lock");
        let of_workspace = (self.workspace()).map(|(path, _)| path.with_file_name("Cargo.lock"));
        let mut files = [Some(own), of_workspace].into_iter().flatten();
        files.find_map(|path| {
            let lock: toml::Table = std::fs::read_to_string(&path).ok()?.parse().ok()?;
            let text = |entry: &toml::Value, key| Some(entry.get(key)?.as_str()?.to_owned());
            let entries = lock.get("package")?.as_array()?.iter();
            let of_package =
                entries.filter(|entry| text(entry, "name").as_deref() == Some(package));
            let versions = of_package.filter_map(|entry| text(entry, "version"));
            Some((path, versions.collect()))
        })
    }

    /// Returns the name of the engine's feature that compiles the traced twin: `tune`, or
    /// [`OTHER_FEATURE`], `tuner-trace`, where `tune` is a feature of the engine's own.
    ///
    /// A feature `tune` is Tuner's if it switches `tuner-core` on. It also counts as Tuner's if the
    /// engine depends on `tuner-core` without `optional`, so that no feature has to switch that on,
    /// and has no feature `tuner-trace`.
    pub(super) fn feature(&self) -> &'static str {
        let Some(own) = self.table.get("features").and_then(|all| all.get("tune")) else {
            return "tune";
        };
        let brings = own.as_array().is_some_and(|features| {
            let mut features = features.iter().filter_map(toml::Value::as_str);
            features.any(|name| {
                let name = name.strip_prefix("dep:").unwrap_or(name);
                name.split('/').next() == Some("tuner-core")
            })
        });
        if brings || self.is_always_there() && !has(&self.table, "features", OTHER_FEATURE) {
            "tune"
        } else {
            OTHER_FEATURE
        }
    }

    /// Returns the line by which the program of the package (`src/main.rs`) uses the library of the
    /// same package, `extern crate NAME as _;`. It is needed where the package has a build script:
    /// cargo links native libraries that a build script names with the package's library alone.
    /// `None` if there is no build script.
    pub(super) fn link(&self) -> Option<String> {
        let package = self.table.get("package")?;
        let has_script = match package.get("build") {
            Some(script) => script.as_bool() != Some(false),
            None => self.path.with_file_name("build.rs").exists(),
        };
        // `use` would not do where a module has the library's name, nor in edition 2015.
        has_script.then(|| format!("extern crate {} as _;", self.library))
    }

    /// Tells whether the engine depends on `tuner-core` without `optional`, so that the dependency
    /// is there whether or not the feature for tuning is on.
    pub(super) fn is_always_there(&self) -> bool {
        let dependencies = self.table.get("dependencies");
        let tuner = dependencies.and_then(|all| all.get("tuner-core"));
        tuner.is_some_and(|tuner| !is_true(tuner, "optional"))
    }

    /// Returns a text of a source file with the feature `tune` replaced by the engine's feature for
    /// the traced twin, before the items that `new` writes; elsewhere `tune` stays.
    pub(super) fn with_feature(&self, text: &str) -> String {
        let items = [
            "tuner_core::traced!(",
            "pub fn registry()",
            "pub fn score_for_tuner(",
        ];
        items.iter().fold(text.to_owned(), |text, item| {
            let under = |feature| format!("#[cfg(feature = \"{feature}\")]\n{item}");
            text.replace(&under("tune"), &under(self.feature()))
        })
    }

    /// Returns the text of the engine's Cargo.toml with the feature that compiles the traced twin,
    /// and an optional dependency on tuner-core, which the feature switches on; each is added only
    /// if it is not there. `clone`: the path of Tuner's repository, from the engine's folder or
    /// absolute.
    ///
    /// # Errors
    /// If the tables `features` and `dependencies` are inline or dotted, so that a line cannot be
    /// added below a head `[features]`.
    pub(super) fn with_tuner(&self, clone: &str) -> Result<String> {
        let name = self.feature();
        let feature = format!("{name} = [\"dep:tuner-core\"]");
        let dependency =
            format!("tuner-core = {{ path = \"{clone}/tuner-core\", optional = true }}");
        let mut text = self.text.clone();
        if !has(&self.table, "features", name) {
            text = with_line(&text, "features", &feature);
        }
        if !has(&self.table, "dependencies", "tuner-core") {
            text = with_line(&text, "dependencies", &dependency);
        }
        // The new text is read, to see whether the lines are in effect: the head of a table may be
        // written in another way, so that it was not found. A text that has become wrong TOML, such
        // as by a second table of this name, counts as empty.
        let made: toml::Table = text.parse().unwrap_or_default();
        if has(&made, "features", name) && has(&made, "dependencies", "tuner-core") {
            return Ok(text);
        }
        let words = "its tables are written in a way that takes no line more; write into it by hand, and come back";
        fail!(
            "{}: {words}:\n[features]\n{feature}\n\n[dependencies]\n{dependency}",
            self.path.display()
        )
    }
}

/// The feature that is used where `tune` is a feature of the engine's own; the macros know it too.
pub(super) const OTHER_FEATURE: &str = "tuner-trace";

/// A dependency as it is written.
#[derive(Debug)]
pub(super) struct Dependency {
    /// The Cargo.toml in which the dependency is written.
    pub(super) manifest: PathBuf,
    keys: toml::Table,
}

impl Dependency {
    /// Makes a dependency of its value in TOML, a version or a table of keys. `manifest`: the path
    /// of the Cargo.toml in which it is written.
    fn new(value: &toml::Value, manifest: PathBuf) -> Self {
        let of_version = || toml::Table::from_iter([("version".to_owned(), value.clone())]);
        let keys = value.as_table().cloned().unwrap_or_else(of_version);
        Self { manifest, keys }
    }

    /// Returns the required version, such as `0.3`; `None` if the package is not from crates.io, or
    /// no version is written.
    pub(super) fn version(&self) -> Option<&str> {
        let mut elsewhere = ["git", "path", "registry"].into_iter();
        let is_elsewhere = elsewhere.any(|key| self.keys.contains_key(key));
        let version = self.keys.get("version").and_then(toml::Value::as_str);
        version.filter(|_| !is_elsewhere)
    }

    /// Returns the value that this dependency gets in the evaluator's Cargo.toml: a version, or an
    /// inline table that says where the package comes from, without features. A path in it is made
    /// relative to the evaluator's folder, which is a folder in that of the `engine`; absolute if
    /// it leads out of `copied`, the folder that is copied for a dry run.
    pub(super) fn elsewhere(&self, engine: &Path, copied: Option<&Path>) -> String {
        if let Some(version) = self.version() {
            return toml::Value::from(version).to_string();
        }
        let which = [
            "package", "git", "branch", "tag", "rev", "path", "registry", "version",
        ];
        let keys = which.iter().filter_map(|key| {
            let value = self.keys.get(*key)?;
            // A path in the engine's manifest, as the evaluator's manifest needs it; one that leads
            // nowhere stays as it is.
            let place = |path: &str| {
                let place = self.manifest.with_file_name(path).canonicalize().ok()?;
                let is_copied = copied.is_none_or(|copied| place.starts_with(copied));
                let way = relative(engine, &place).ok();
                let way = way.filter(|way| is_copied && Path::new(way).is_relative());
                let way = way.map(|way| format!("../{way}"));
                Some(way.unwrap_or_else(|| place.display().to_string()).into())
            };
            let place = value.as_str().filter(|_| *key == "path").and_then(place);
            let value = place.unwrap_or_else(|| value.clone());
            Some(((*key).to_owned(), value))
        });
        toml::Value::from(keys.collect::<toml::Table>()).to_string()
    }
}

/// Tells whether the table `table` of a Cargo.toml, such as `features`, has a key.
fn has(manifest: &toml::Table, table: &str, key: &str) -> bool {
    let table = manifest.get(table);
    table.is_some_and(|table| table.get(key).is_some())
}

/// Tells whether `key` of a table in TOML has the value `true`.
fn is_true(table: &toml::Value, key: &str) -> bool {
    table.get(key).and_then(toml::Value::as_bool) == Some(true)
}

/// Returns the text of a Cargo.toml with a line more at the beginning of a table. If no line is the
/// head of that table, such as `[features]`, the table is added at the end.
fn with_line(text: &str, table: &str, line: &str) -> String {
    let head = format!("[{table}]");
    // `below_head`: the byte behind the line of the head.
    let mut end = 0;
    let below_head = text.split_inclusive('\n').find_map(|old| {
        end += old.len();
        let old = old.split('#').next().unwrap_or(old);
        (old.trim() == head).then_some(end)
    });
    let (before, after) = text.split_at(below_head.unwrap_or(text.len()));
    let gap = if before.is_empty() || before.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let head = below_head.map_or_else(|| format!("\n{head}\n"), |_| String::new());
    format!("{before}{gap}{head}{line}\n{after}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_board_beside_the_engine_is_named_from_the_evaluator() {
        let folder = tempfile::tempdir().unwrap();
        let [engine, board] = ["engine", "board"].map(|name| folder.path().join(name));
        for (folder, name) in [(&engine, "wren"), (&board, "wren-board")] {
            std::fs::create_dir_all(folder.join("src")).unwrap();
            let depends =
                "[dependencies]\nboard = { package = \"wren-board\", path = \"../board\" }";
            let text = format!("[package]\nname = \"{name}\"\n{depends}\n");
            std::fs::write(folder.join("Cargo.toml"), text).unwrap();
            std::fs::write(folder.join("src/lib.rs"), "").unwrap();
        }
        let manifest = Manifest::read(&engine).unwrap();
        let (_, dependency) = manifest.called("board").unwrap();
        let from_evaluator = "{ package = \"wren-board\", path = \"../../board\" }";
        assert_eq!(dependency.elsewhere(&engine, None), from_evaluator);
        let board = board.canonicalize().unwrap();
        let whole = format!(
            "{{ package = \"wren-board\", path = \"{}\" }}",
            board.display()
        );
        // In a copy of both the path stays relative, in one of the engine alone it leads out.
        let (both, alone) = (
            folder.path().canonicalize().unwrap(),
            engine.canonicalize().unwrap(),
        );
        assert_eq!(dependency.elsewhere(&engine, Some(&both)), from_evaluator);
        assert_eq!(dependency.elsewhere(&engine, Some(&alone)), whole);
    }
}
