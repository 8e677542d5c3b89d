//! What the solver did, with the names of weights.

use serde::{Deserialize, Serialize};
use tuner_fit::run::FinishedRun;
use tuner_solve::Summary;

/// What the solver did, with the names of weights.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct SolverRecord {
    /// The descent.
    #[serde(flatten)]
    pub summary: Summary<String>,
    /// Weights that no position reads, and that follow their neighbours in a table.
    pub followed: Vec<String>,
    /// Weights that the data separate, as all descents found them, pinned at their start.
    pub pinned: Vec<String>,
}

/// Weights that the data leave open, for one reason.
#[derive(Clone, Copy, Debug)]
pub struct OpenWeights<'a> {
    /// Their names.
    pub names: &'a [String],
    /// The reason in a word or two.
    pub reason: &'static str,
    sentence: [&'static str; 2],
}

impl OpenWeights<'_> {
    /// Returns how many there are, and why.
    pub fn sentence(&self) -> String {
        let [one, many] = self.sentence;
        match self.names.len() {
            1 => format!("1 weight {one}"),
            count => format!("{count} weights {many}"),
        }
    }
}

impl SolverRecord {
    /// Takes it from a run that has ended.
    pub fn new(run: &FinishedRun<'_>) -> Self {
        let roots = run.variables.reduction.roots();
        let name = |variable: usize| run.name(roots[variable].index());
        Self {
            summary: run.fit.summary.named(name),
            followed: run.fit.followed.iter().map(|&v| name(v)).collect(),
            pinned: run.fit.pinned.iter().map(|&v| name(v)).collect(),
        }
    }

    /// Returns the weights that the data leave open, by reason; none of the lists is empty.
    pub fn open(&self) -> Vec<OpenWeights<'_>> {
        let summary = &self.summary;
        let mut open = vec![
            OpenWeights {
                names: &summary.unseen,
                reason: "unseen",
                sentence: [
                    "is not seen in the data and keeps its initial value",
                    "are not seen in the data and keep their initial value",
                ],
            },
            OpenWeights {
                names: &self.followed,
                reason: "unseen, as their neighbours",
                sentence: [
                    "is not seen in the data and follows its neighbours",
                    "are not seen in the data and follow their neighbours",
                ],
            },
            OpenWeights {
                names: &self.pinned,
                reason: "separated",
                sentence: [
                    "has no optimum, as the error falls ever further as it grows (results that it \
                     predicts surely, or --loss power:Q with Q near 1), and was pinned at its \
                     start; give --prior evidence, or bounds in the spec",
                    "have no optimum, as the error falls ever further as they grow (results that \
                     they predict surely, or --loss power:Q with Q near 1), and were pinned at \
                     their start; give --prior evidence, or bounds in the spec",
                ],
            },
            OpenWeights {
                names: &summary.at_bound,
                reason: "at a bound",
                sentence: [
                    "is at a bound that the error pushes against",
                    "are at a bound that the error pushes against",
                ],
            },
            OpenWeights {
                names: &summary.kept,
                reason: "kept by `l1`",
                sentence: [
                    "is kept by `l1` exactly where it draws it",
                    "are kept by `l1` exactly where it draws them",
                ],
            },
        ];
        open.retain(|weights| !weights.names.is_empty());
        open
    }

    /// Returns how many combinations the data do not determine, in words.
    pub fn undetermined(&self) -> Option<String> {
        let count = self.summary.undetermined.filter(|count| *count > 0)?;
        let (are, them) = match count {
            1 => ("combination of weights is", "it"),
            _ => ("combinations of weights are", "them"),
        };
        Some(format!(
            "{count} {are} not determined by the data; the fit left {them} as near to the initial \
             values as it could"
        ))
    }
}
