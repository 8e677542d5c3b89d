//! The message where the matrices of a fit need more memory than there is.

use std::collections::HashMap;

use tuner_fit::TooLarge;
use tuner_solve::Reduction;
use tuner_spec::Layout;

const NAMED: usize = 3;

/// The error with the parameters that most of the variables belong to.
pub(super) fn largest(error: &TooLarge, layout: &Layout, reduction: &Reduction) -> String {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for &variable in &error.variables {
        let parameter = layout.parameter_of(reduction.roots()[variable]);
        *counts.entry(parameter.name()).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let words: Vec<String> = counts
        .iter()
        .take(NAMED)
        .map(|(name, count)| format!("{name} ({count})"))
        .collect();
    format!("{error}\n  most of them are of: {}", words.join(", "))
}
