//! Which literals of Rust sources are weights.
//!
//! ```
//! let expr = syn::parse_str("[S(3, -8), S(2 * 30, BASE + 5)]")?;
//! let leaves = tuner_source::Leaves::of(&expr);
//! assert_eq!(leaves.dims, [2]);
//! assert_eq!(leaves.values().collect::<Vec<_>>(), [3.0, -8.0, 60.0]);
//! assert_eq!(leaves.derived.len(), 1); // `BASE + 5` follows from another const
//! # Ok::<(), syn::Error>(())
//! ```
//!
//! The macros number the literals of an initialiser, the import writes them
//! into a spec, the patch writes tuned values over them. All three must mean
//! the same literals in the same order, so what counts as one is decided here
//! and nowhere else: [`Leaves`] says what an initialiser holds, [`each_weight`]
//! visits the same weights in place.
//!
//! [`CrateFiles`] follows the `mod` items of a crate to its files, [`AnnotatedModule`] says what
//! annotations make of the items of each module, and [`CrateModel`] where names lead and what uses
//! what: the macros and `tuner new` ask it.
//!
//! [`Scan`] reads files of import and patch, which need not be all of a crate, from the same
//! modules: their consts and statics as plain data, with the bytes of each weight. It works in two
//! phases: texts are parsed, all errors collected; then each const is read with the types that the
//! files declare.
//!
//! Not here: which values depend on weights, and what a traced number is.

mod annotated;
mod arguments;
mod associated;
mod body_literals;
mod entries;
mod extent;
mod files;
mod filled;
mod foreign;
mod groups;
mod inline;
mod item;
mod lazy_static;
mod leaves;
mod library;
mod made;
mod modules;
mod number;
mod parse;
mod readers;
mod scan;
mod syntax;
mod types;
mod uses;

pub use annotated::{AnnotatedModule, Standing, write_out};
pub use arguments::TracedArgs;
pub use associated::{AssociatedConst, AssociatedStanding};
pub use body_literals::BodyLiterals;
pub use entries::{Entry, OtherEntry};
pub use extent::Extent;
pub use files::{CrateFile, CrateFiles, MissingModule};
pub use filled::{assigns, is_assignment, is_filled};
pub use foreign::take_out_foreign;
pub use groups::Group;
pub use inline::{inline_weight, inline_weights};
pub use item::{
    TokenLocation, attributes, each_token, field_name, functions, identifiers, is_literal,
    is_operator, is_zero, location, location_of, methods, name_of, names_of, table, type_name,
    typed,
};
pub use leaves::{Leaves, Literal, each_weight, expand_repeats};
pub use library::{NoLibrary, library_of};
pub use modules::{CrateModel, Import, Module, Target, entry, flatten, is_generic};
pub use number::Number;
pub use parse::{SourceLocation, SyntaxError, in_a_thread, line_end};
pub use readers::{Passing, Reader, Readers, UsePlace};
pub use scan::{Const, Holder, RepeatedArray, Scan, UnreadMaker};
pub use syntax::{
    bare, conditions, ends_in, has_attribute, is_among, is_ours, is_side_effect, is_test,
    last_name, listed, path_names,
};
pub use types::{
    Holds, SIGNED, element, is_never_of_weights, is_plain, is_standard_type, type_arguments,
};
pub use uses::{Locals, MethodUse, Use, UseKind, uses};
