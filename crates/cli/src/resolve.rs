//! `--resolve`: which position is traced for one of the data.

use clap::ValueEnum;

use tuner_engine::Resolve;

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
