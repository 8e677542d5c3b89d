//! `--resolve`: which position is traced for one of the data.

use super::args::words_for;
use tuner_engine::Resolve;

words_for! {
    #[derive(Default, PartialEq)]
    ResolveArg => Resolve {
        /// The position itself: take quiet ones.
        #[default]
        None,
        /// The last position of the principal variation of the engine's
        /// quiescence search.
        #[value(name = "qsearch")]
        Quiescence,
    }
}
