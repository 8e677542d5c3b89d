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
    /// Returns the type of positions of another crate, and how one is made of a text, where
    /// `--from-text` names a function of a dependency of the engine, by a path of three names at
    /// least: `chess::Board::from_str`. `None` where the option is missing, is a shorter path, or
    /// does not begin with the name of a dependency.
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
            // `read_board` takes what the function returns: a board, or an `Option` or `Result`.
            parse: format!("tuner_core::game::ReadBoard::read_board({call}(text)){OR_WHY_NOT}"),
            dependency: (key.to_owned(), dependency),
        })
    }

    /// Returns the name of the type of positions, the last name of its path.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit("::").next().unwrap_or(&self.path)
    }
}

/// Tells whether the name of a type is that of a text, `str` or `String`.
pub(super) fn is_text(name: &str) -> bool {
    matches!(name, "str" | "String")
}
