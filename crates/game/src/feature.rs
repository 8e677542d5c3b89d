//! Features of positions that a game knows by its rules, for evaluations without a term of them.

/// A language in which features are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureLanguage {
    /// Rust.
    Rust,
    /// C++, from C++11 on.
    Cpp,
}

/// Functions that count features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureCode {
    /// Types and functions that all of `functions` need.
    pub helpers: String,
    /// The name of each function that counts a feature, and its text.
    pub functions: Vec<(String, String)>,
    /// The expression with which a function `f` counts the first player's minus the second
    /// player's.
    pub difference: &'static str,
}
