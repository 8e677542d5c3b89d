//! Whether the engine's shakmaty is that of the library.
//!
//! Cargo builds two versions side by side without a word, and `Chess` of the one is
//! another type than `Chess` of the other.

use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use crate::Result;

const PACKAGE: &str = "shakmaty";

/// Fails if the engine does not depend on the crate shakmaty, by its Cargo.lock, or depends on a
/// version whose types are others than those of the version that Tuner's repository at `clone`
/// needs. Where a version cannot be told, it does not fail.
///
/// The engine's version is what its Cargo.toml asks for, or, where that is a range, what its
/// Cargo.lock holds.
pub(super) fn check(manifest: &Manifest, clone: &Path) -> Result<()> {
    if manifest.dependency(PACKAGE).is_none()
        && let Some((lock, versions)) = manifest.locked(PACKAGE)
        && versions.is_empty()
    {
        fail!(
            "{}: found no shakmaty, whose `Chess` --board shakmaty says that positions are; --board own, with \
             --from-text, is for a board of the engine's own",
            lock.display()
        );
    }
    let Some(needed) = needed(clone) else {
        return Ok(());
    };
    let Some((file, found)) = other_than(&needed, manifest) else {
        return Ok(());
    };
    let [major, minor, patch] = needed.numbers;
    fail!(
        "{}: found shakmaty {found}, expected {major}.{minor}.{patch} or a later {major}.{minor}: positions are \
         read as `Chess` of that version, and of another one it is another type. Write \
         `shakmaty = \"{major}.{minor}.{patch}\"`; or leave it with --board own and --from-text, a function of \
         the engine that makes a `Chess` of a FEN",
        file.display()
    )
}

/// Returns the engine's file that asks for another version of shakmaty than `needed`, its
/// Cargo.toml or Cargo.lock, and that version, or words in place of it where the package is not
/// from crates.io. `None` where the versions agree, or the engine's is not known.
fn other_than(needed: &Version, manifest: &Manifest) -> Option<(PathBuf, String)> {
    if let Some(dependency) = manifest.dependency(PACKAGE) {
        let Some(asked) = dependency.version() else {
            let words = "of another source than crates.io";
            return Some((dependency.manifest, words.to_owned()));
        };
        if let Some(version) = Version::asked(asked) {
            let asked = asked.to_owned();
            return (!version.is_series_of(needed)).then_some((dependency.manifest, asked));
        }
    }
    let (lock, versions) = manifest.locked(PACKAGE)?;
    let mut read = versions.iter().filter_map(|text| Version::read(text));
    let is_other = !versions.is_empty() && !read.any(|version| version.is_series_of(needed));
    is_other.then(|| (lock, versions.join(" and ")))
}

/// Returns the version of shakmaty that the workspace of Tuner's repository at `clone` asks for;
/// `None` where it is not found.
fn needed(clone: &Path) -> Option<Version> {
    let text = std::fs::read_to_string(clone.join("Cargo.toml")).ok()?;
    let table: toml::Table = text.parse().ok()?;
    let all = table.get("workspace")?.get("dependencies")?;
    let asked = all.get(PACKAGE)?;
    Version::asked(asked.get("version").unwrap_or(asked).as_str()?)
}

/// A version that is needed or asked for: the least one of a series.
#[derive(Debug, PartialEq, Eq)]
struct Version {
    /// Major, minor and patch, which is 0 where it is not said.
    numbers: [u64; 3],
    /// Whether only this very patch is asked for (`=`).
    is_exact: bool,
}

impl Version {
    /// Reads the version that a Cargo.toml asks for: `0.30`, `^0.30.1`, `~0.30.1` or `=0.30.1`, of
    /// which the last is exact; `None` if the text is a range, or something else.
    fn asked(text: &str) -> Option<Self> {
        let text = text.trim();
        let bare = text.trim_start_matches(['^', '~', '=']).trim();
        let version = Self::read(bare)?;
        Some(Self {
            is_exact: text.starts_with('='),
            ..version
        })
    }

    /// Reads a version of two or three numbers, of which the third may be missing and is 0 then;
    /// `None` if it is another text.
    fn read(text: &str) -> Option<Self> {
        let numbers = text.split(['-', '+']).next()?.split('.');
        let numbers: Option<Vec<u64>> = numbers.map(|number| number.parse().ok()).collect();
        let numbers = match numbers?[..] {
            [major, minor] => [major, minor, 0],
            [major, minor, patch] => [major, minor, patch],
            _ => return None,
        };
        let is_exact = false;
        Some(Self { numbers, is_exact })
    }

    /// Tells whether Cargo would take one version for both this and `needed`. Of versions before
    /// 1.0, as shakmaty's, it does if major and minor are equal, and this is not an exact one with
    /// an older patch.
    fn is_series_of(&self, needed: &Self) -> bool {
        let is_older = self.is_exact && self.numbers[2] < needed.numbers[2];
        self.numbers[..2] == needed.numbers[..2] && !is_older
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn versions_that_cargo_makes_one_of_are_told_from_others() {
        let needed = Version::asked("~0.30.1").unwrap();
        let is_series = |text: &str| Some(Version::asked(text)?.is_series_of(&needed));
        for same in ["0.30", "0.30.0", "^0.30.1", "~0.30", "=0.30.1", "= 0.30.2"] {
            assert_eq!(is_series(same), Some(true), "{same}");
        }
        for other in ["0.27", "0.27.1", "^0.31", "1.30", "=0.30.0"] {
            assert_eq!(is_series(other), Some(false), "{other}");
        }
        for range in ["*", "0", ">=0.27, <0.31", "0.*", ""] {
            assert_eq!(is_series(range), None, "{range}");
        }
    }
}
