//! `--resolve`: which position is traced for one of the data.

use clap::ValueEnum;

use tuner_engine::{Resolve, Resolved};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ResolveArg {
    /// The position itself: take quiet ones.
    #[default]
    None,
    /// The last position of the principal variation of the engine's
    /// quiescence search.
    Qsearch,
}

impl From<ResolveArg> for Resolve {
    fn from(arg: ResolveArg) -> Self {
        match arg {
            ResolveArg::None => Self::None,
            ResolveArg::Qsearch => Self::Quiescence,
        }
    }
}

/// What to say of resolved positions, if there is anything.
pub(super) fn words(found: &Resolved) -> Vec<String> {
    let mut words = Vec::new();
    if found.moved + found.unexplained > 0 {
        words.push(format!(
            "{} positions are traced where their quiescence search ends; {} end in mate or \
             stalemate there, and are traced themselves",
            found.moved, found.unexplained
        ));
    }
    if let Some((position, score, standing)) = &found.wrong_example {
        words.push(format!(
            "{} times the quiescence search returns another score than its last position is \
             worth, first {score} instead of {standing} of {position}: its line is not that of \
             its score",
            found.wrong
        ));
    }
    if found.unoffered > 0 {
        words.push(
            "this engine offers no quiescence search: implement `Engine::quiescence`, or leave \
             --resolve out"
                .to_owned(),
        );
    }
    words
}
