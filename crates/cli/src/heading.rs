//! The headings that `--help` lists options under.

pub(crate) const DATA: &str = "Data";
pub(crate) const FITTED: &str = "What is fitted";
pub(crate) const WEIGHTS: &str = "Weights";
pub(crate) const METHOD: &str = "Method";
// What is under this heading and `OUTPUT` may differ where a fit resumes (`options`).
pub(crate) const JUDGING: &str = "Judging";
pub(crate) const GAMES: &str = "Games";
pub(crate) const OPENINGS: &str = "Openings";
pub(crate) const ENGINES: &str = "Engines";
pub(crate) const TEST: &str = "Test";
pub(crate) const OUTPUT: &str = "Output";
