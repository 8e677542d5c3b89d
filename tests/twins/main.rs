//! Twins of small evaluations in every way of annotating: the twin's score
//! equals production's, and every derivative is the one found by hand.

#![allow(
    clippy::float_cmp,
    clippy::unwrap_used,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "a test whose modules stand for an engine's"
)]

mod associated;
mod board;
mod cached;
mod clash;
mod common;
mod computed;
mod conversions;
mod derived;
mod distant;
#[path = "moved/file.rs"]
mod elsewhere;
mod entries;
mod entry;
mod escapes;
mod generic;
mod held;
mod imported;
mod inline;
mod loops;
mod marked;
mod masks;
mod mixed;
mod nonlinear;
mod packed;
mod recorded;
mod records;
mod renamed;
mod scopes;
mod shapes;
mod shown;
mod spread;
mod support;
mod unusual;
mod weights;
