//! An evaluation whose weights are one const struct: nested structs, an array of
//! structs, arrays, pairs.

pub mod eval;
pub mod pair;
pub mod weights;

/// The weights that the macros found.
pub fn registry() -> &'static tuner_core::trace::Registry {
    tuner_core::registry!()
}
