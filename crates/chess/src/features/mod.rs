//! Features of the rules that an evaluation may have terms for: counted, in words, and as code.
//!
//! A feature is an expression ([`tree`]) over sets of squares, put together from parts
//! ([`list`]). Its code needs the functions of `bits.rs`, or `bits.hpp`, alone.

#[allow(
    clippy::pedantic,
    clippy::precedence,
    missing_docs,
    unreachable_pub,
    reason = "printed as code for others"
)]
mod bits;
mod list;
mod tree;

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use bits::Side;
use list::Feature;
use shakmaty::{Chess, Color, Position};
use tree::Forest;
use tuner_game::{FeatureCode, FeatureLanguage};

/// All features, and the forest with the nodes that count them.
static ALL: LazyLock<(Forest, Vec<Feature>)> = LazyLock::new(list::all);

/// The functions that the code of features calls, as source text by language.
const HELPERS: [(FeatureLanguage, &str); 2] = [
    (FeatureLanguage::Rust, include_str!("bits.rs")),
    (FeatureLanguage::Cpp, include_str!("bits.hpp")),
];

/// Returns the words of all features of chess, such as "rooks on open files", in their order.
pub(crate) fn words() -> Vec<String> {
    // `ALL` is the forest of their expressions, and the features themselves.
    let features = ALL.1.iter();
    features.map(|feature| feature.words.clone()).collect()
}

/// Counts all features of a position, in the order of [`words`]: White's minus Black's. Black's are
/// counted on the board turned round, with the players' roles exchanged.
pub(crate) fn counts(position: &Chess) -> Vec<i16> {
    let (forest, features) = &*ALL;
    let [white, black] = [Color::White, Color::Black].map(|color| side(position, color));
    let (mut first, mut second) = (Vec::new(), Vec::new());
    forest.evaluate(&white, &black, &mut first);
    forest.evaluate(&black.turned(), &white.turned(), &mut second);
    let difference = |feature: &Feature| {
        let [white, black] = [&first, &second].map(|of| Forest::value(feature.count, of));
        // A feature that counted more than 16 bits hold would give the nearest number; none does.
        (white - black).clamp(i16::MIN.into(), i16::MAX.into()) as i16
    };
    features.iter().map(difference).collect()
}

/// Returns the pieces of a player as sets of squares of the board as it is, not turned round for
/// Black.
fn side(position: &Chess, color: Color) -> Side {
    let (board, own) = (position.board(), position.board().by_color(color));
    let of = |pieces: shakmaty::Bitboard| u64::from(pieces & own);
    Side {
        pawns: of(board.pawns()),
        knights: of(board.knights()),
        bishops: of(board.bishops()),
        rooks: of(board.rooks()),
        queens: of(board.queens()),
        king: of(board.kings()),
    }
}

/// Returns the code of some features, `chosen` by their numbers among all, in the order chosen: a
/// function each, which counts for one player, the functions that these call, and the expression of
/// White's count less Black's, in which `f` is such a function. `None` at a number that no feature
/// has.
pub(crate) fn code(chosen: &[usize], language: FeatureLanguage) -> Option<FeatureCode> {
    let (forest, features) = &*ALL;
    // A helper is a language and the text in it of functions that features call. Every language has
    // one.
    let helpers = HELPERS.iter().find(|of| of.0 == language);
    let function = |&feature: &usize| {
        let feature = features.get(feature)?;
        let name = name(&feature.words);
        let text = forest.function(&name, &feature.text, language);
        Some((name, text))
    };
    Some(FeatureCode {
        helpers: helpers.map_or("", |of| of.1).to_owned(),
        functions: chosen.iter().map(function).collect::<Option<_>>()?,
        difference: match language {
            FeatureLanguage::Rust => "f(&white, &black) - f(&black.turned(), &white.turned())",
            FeatureLanguage::Cpp => "f(white, black) - f(black.turned(), white.turned())",
        },
    })
}

/// Turns the words of a feature into the name of a function: letters and digits, with `_` in place
/// of all else.
fn name(words: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { ' ' };
    let words: String = words.chars().map(letter).collect();
    let words: Vec<&str> = words.split_whitespace().collect();
    words.join("_")
}
