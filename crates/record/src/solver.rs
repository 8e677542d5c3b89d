//! The summary of the solver, with the names of weights.

use serde::{Deserialize, Serialize};
use tuner_fit::run::FinishedRun;
use tuner_solve::Summary;

/// The summary of the solver, with the names of weights.
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
    /// The names of the weights.
    pub names: &'a [String],
    /// The reason in a word or two.
    pub reason: &'static str,
    /// Why they are open, with the forms of words for one weight and for many: `{is|are}`.
    sentence: &'static str,
}

impl OpenWeights<'_> {
    /// Returns how many weights these are, and why the data leave them open, in a sentence without
    /// a full stop.
    pub fn sentence(&self) -> String {
        let count = self.names.len();
        agreeing(count, &format!("{count} weight{{|s}} {}", self.sentence))
    }
}

/// Chooses the forms of words in a text: of each `{one|many}` in it the first if `count` is 1, else
/// the second.
fn agreeing(count: usize, text: &str) -> String {
    // By turns: a text, a form for one, a form for many.
    let mut parts = text.split(['{', '|', '}']);
    let mut words = String::new();
    while let Some(part) = parts.next() {
        let (one, many) = (parts.next(), parts.next());
        let ending = if count == 1 { one } else { many };
        words.extend([part, ending.unwrap_or_default()]);
    }
    words
}

impl SolverRecord {
    /// Takes the solver's summary of a run that has ended, with the names of weights in place of
    /// the numbers of variables.
    pub fn new(run: &FinishedRun<'_>) -> Self {
        // A variable has the name of the weight whose value it is; weights that are tied follow
        // that.
        let roots = run.variables.reduction.roots();
        let name = |variable: usize| run.name(roots[variable].index());
        Self {
            summary: run.fit.summary.named(name),
            followed: run.fit.followed.iter().map(|&v| name(v)).collect(),
            pinned: run.fit.pinned.iter().map(|&v| name(v)).collect(),
        }
    }

    /// Returns the weights that the data leave open: for each reason that some weights have, the
    /// list of them.
    pub fn open(&self) -> Vec<OpenWeights<'_>> {
        let summary = &self.summary;
        let mut open = vec![
            OpenWeights {
                names: &summary.unseen,
                reason: "unseen",
                sentence: "{is|are} not seen in the data and {keeps its|keep their} initial value",
            },
            OpenWeights {
                names: &self.followed,
                reason: "unseen, as their neighbours",
                sentence: "{is|are} not seen in the data and {follows its|follow their} neighbours",
            },
            OpenWeights {
                names: &self.pinned,
                reason: "separated",
                sentence: "{has|have} no optimum, as the error falls ever further as \
                           {it grows|they grow} (results that {it predicts|they predict} surely, \
                           or --loss power:Q with Q near 1), and {was|were} pinned at \
                           {its|their} start; give --prior evidence, or bounds in the spec",
            },
            OpenWeights {
                names: &summary.at_bound,
                reason: "at a bound",
                sentence: "{is|are} at a bound that the error pushes against",
            },
            OpenWeights {
                names: &summary.kept,
                reason: "kept by `l1`",
                sentence: "{is|are} kept by `l1` exactly where it draws {it|them}",
            },
        ];
        open.retain(|weights| !weights.names.is_empty());
        open
    }

    /// Says in words how many combinations of weights the data do not determine; `None` where there
    /// are none, or they were not counted.
    pub fn undetermined(&self) -> Option<String> {
        let count = self.summary.undetermined.filter(|count| *count > 0)?;
        let text = "combination{|s} of weights {is|are} not determined by the data; the fit left \
                    {it|them} as near to the initial values as it could";
        Some(format!("{count} {}", agreeing(count, text)))
    }
}
