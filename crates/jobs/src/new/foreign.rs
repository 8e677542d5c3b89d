//! Positions from outside the engine: of a crate that it is built on, or texts.

use super::NewConfig;
use super::evaluation::OR_WHY_NOT;
use super::manifest::{Dependency, Manifest};

/// A type of another crate, and how one is made of a text.
#[derive(Debug)]
pub(super) struct Foreign {
    /// `chess::Board`
    pub(super) path: String,
    /// The expression that makes one of `text`.
    pub(super) parse: String,
    /// What of the engine's dependencies brings it, behind its name.
    pub(super) dependency: (String, Dependency),
}

impl Foreign {
    /// Returns the type whose function `--from-text` names in a dependency of the engine, by a path
    /// of three names at least: `chess::Board::from_str`. `None` where the option is missing, is
    /// shorter, or names the engine's own function.
    pub(super) fn named(config: &NewConfig, manifest: &Manifest) -> Option<Self> {
        let whole = config.from_text.as_deref()?;
        let (path, function) = whole.rsplit_once("::")?;
        let (library, _) = path.split_once("::")?;
        let (key, dependency) = manifest.called(library)?;
        let call = match function {
            "from_str" => format!("<{path} as std::str::FromStr>::from_str"),
            _ => whole.to_owned(),
        };
        Some(Self {
            path: path.to_owned(),
            // Of an `Option` or a `Result`.
            parse: format!("tuner_core::game::ReadBoard::read_board({call}(text)){OR_WHY_NOT}"),
            dependency: (key.to_owned(), dependency),
        })
    }

    /// The type's own name, the last one of its path.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit("::").next().unwrap_or(&self.path)
    }
}

/// Whether a type is that of texts.
pub(super) fn is_text(name: &str) -> bool {
    matches!(name, "str" | "String")
}
