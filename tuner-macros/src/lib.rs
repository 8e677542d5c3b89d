//! The procedural macros of Tuner.
//!
//! ```ignore
//! #[tunable]
//! pub const TEMPO: i32 = 10;
//!
//! #[tunable]
//! pub fn evaluate(board: &Board) -> i32 {
//!     TEMPO + material(board)
//! }
//! ```
//!
//! The items are emitted as they are. Next to them, behind the user's feature
//! `tune`, the macros write a *twin*: the same bodies in a module in which the
//! names of weights, of the pair type and of the functions resolve to traced
//! versions, in essence
//!
//! ```ignore
//! pub mod __traced {
//!     pub const TEMPO: Tr<i32> = Tr::weight(10, 0);
//!
//!     pub fn evaluate(board: &Board) -> Tr<i32> {
//!         TEMPO + material(board)
//!     }
//! }
//! ```
//!
//! A macro is a pipeline of three phases, each a folder that imports only
//! those before it. `model` reads what the sources of the crate say: files,
//! modules, items, annotations, the numbers of weights; nothing changes it
//! afterwards. `infer` fills tables by item and variable from the model: which
//! values are scores, what has a twin, and for each body a table of edits and
//! what is wrong with it; it changes no syntax. `emit` writes the tokens of
//! the twin from the model and these tables. `diagnostics` is below all three:
//! each message as data, with its location and its cures. `expand` has the
//! entry points, which run the phases in this order.
//!
//! Not here: any arithmetic. What a traced number does is in
//! `tuner_core::trace`.

#![allow(clippy::result_large_err, reason = "made once, and tells much")]

use proc_macro::TokenStream;

mod diagnostics;
mod emit;
mod expand;
mod infer;
mod model;
mod package;

/// Gives a production item its traced twin.
///
/// An attribute of functions, impl blocks, inline modules, structs, consts and
/// statics. The item itself is emitted token for token. Its twin, behind
/// feature `tune`, is reached as `__traced::NAME` in the same module.
///
/// `#[tunable]` promises a score that is linear in the weights. A use that is
/// not (a product of two scores, a comparison, `max`, an index) is refused at
/// the expression.
///
/// `#[tunable(nonlinear)]`, on a function, a method, an impl block or an
/// inline module, takes the promise back for the bodies there. Of scores, the
/// twin then also traces
///
/// - products and quotients, `*`, `/`, `*=`, `/=`; of a pair (a struct of scores)
///   too, if the impl block of the pair's operator is `nonlinear` as well;
/// - comparisons, `<`, `<=`, `>`, `>=`, `==`, `!=`: each is a *guard*, and the
///   trace holds as long as none turns;
/// - `min`, `max`, `clamp`, `abs`, `signum`, `pow`, `powi`, `powf`, `sqrt`,
///   `exp`, `ln`, `tanh`, as methods or by path (`i32::max`, `std::cmp::max`).
///
/// Still refused: a score as an index, in the pattern of a `match`, cast to an
/// unsigned type, as text, or handed to a function that has no twin.
/// `tuner_core::freeze!(score)` makes it a plain number: in production it is
/// the score itself; in the twin the derivative stops there, and the trace
/// keeps the number as it is at the weights of the tracing.
#[proc_macro_attribute]
pub fn tunable(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::attribute(args.into(), item.into()).into()
}

/// Gives a file its traced twin: `#[cfg(feature = "tune")]
/// tuner_core::traced!();` as its last line.
///
/// The twin is the traced version of the file's items, in a module `__traced`
/// next to them. Every const or static of the file whose entries are signed integers,
/// floats, or pairs of them is a weight, unless named:
/// `traced!(frozen(PHASE_MAX, …))`. With `traced!(nonlinear)`, also beside
/// `frozen(…)`, all functions of the file may compute with scores in ways that
/// are not linear in the weights: products of scores, comparisons, `min`, `max`.
/// The twin is behind the `#[cfg]` before the call: a feature of another name
/// will do as well.
/// A const of an impl block without trait and generics is a weight if `#[tunable]` is on
/// it: `Safety::LIMIT` is then `SAFETY_LIMIT` in registry and spec. All other consts of impl
/// blocks are no weights.
///
/// `traced!(untraced(FUNCTION, …))` leaves functions and methods without twin:
/// those that the traced score never calls, and that cannot be traced.
/// `traced!(untraced(STRUCT, …))` is for a struct that keeps a score up to date
/// among other things, a board: the twin takes production's, and computes the
/// score anew where a body says `traced_as!(board.psq => from_scratch(board))`.
/// Functions of the file that return such a struct have no twin then.
/// `traced!(replaced(FUNCTION => OTHER, …))` lets the twin of a function call
/// another one of the file, with the same arguments: where a function reads a
/// cache or an incremental score, one that computes it from scratch. `check`
/// compares the twin's score with production's on every position.
#[proc_macro]
pub fn traced(args: TokenStream) -> TokenStream {
    expand::file(args.into()).into()
}

/// Expands to a `&'static tuner_core::trace::Registry` of all weights that
/// the macros found in this crate.
#[proc_macro]
pub fn registry(args: TokenStream) -> TokenStream {
    expand::registry(args.into()).into()
}

/// Says of a const or static that its numbers are not weights. The item is emitted as it is.
#[proc_macro_attribute]
pub fn frozen(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::frozen(args.into(), item.into()).into()
}
