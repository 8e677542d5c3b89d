//! Rust sources that hold weights: from their literals to a spec ([`import`]),
//! and from tuned weights back into the literals ([`Patch`]).
//!
//! Which literals are weights is said in `tuner_source`, for the macros too.
//! Start reading at [`Sources`].

mod change;
mod choice;
mod files;
mod import;
mod merge;
mod patch;
mod run;
mod spec_text;
mod write;

use std::fmt;

pub use choice::Choice;
pub use files::Sources;
pub use import::{Imported, LeftOutConst, import};
pub use merge::{Merged, Vanished, merge};
pub use patch::{Patch, Patched};
pub use run::Run;

/// How many mistakes of one kind are written out; the rest is counted.
/// Chosen; nothing depends on it.
const SHOWN: usize = 5;

/// Why sources were not imported or not patched; all reasons at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    /// One sentence a mistake, with place and cure.
    pub mistakes: Vec<String>,
}

impl SourceError {
    fn one(mistake: impl Into<String>) -> Self {
        let mistakes = vec![mistake.into()];
        Self { mistakes }
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What has one cure is of one kind.
        let kind = |mistake: &'_ String| mistake.rsplit("; ").next().map(str::to_owned);
        let mut kinds: Vec<(Option<String>, Vec<&String>)> = Vec::new();
        for mistake in &self.mistakes {
            let cure = kind(mistake);
            match kinds.iter_mut().find(|(known, _)| *known == cure) {
                Some((_, all)) => all.push(mistake),
                None => kinds.push((cure, vec![mistake])),
            }
        }
        let mut separator = "";
        for (_, all) in &kinds {
            for mistake in all.iter().take(SHOWN) {
                write!(f, "{separator}{mistake}")?;
                separator = "\n  ";
            }
            if all.len() > SHOWN {
                write!(
                    f,
                    "{separator}… and {} more of this kind",
                    all.len() - SHOWN
                )?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for SourceError {}

/// Fails with all mistakes, if there are any.
fn settle(mistakes: Vec<String>) -> Result<(), SourceError> {
    if mistakes.is_empty() {
        Ok(())
    } else {
        Err(SourceError { mistakes })
    }
}
