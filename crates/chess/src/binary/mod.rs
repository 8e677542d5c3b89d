//! Positions and games as bytes: bulletformat, marlinformat, viriformat,
//! Stockfish's binpack and, before that, its `bin`.
//!
//! The readers check every byte that matters; the crates that define the
//! formats trust their input: on damaged files sfbinpack 0.6 panics, viriformat
//! 3.0 reads memory that is not its own, and both return wrong positions. Tests of
//! binpack compare with what its crate writes, those of the others with bytes
//! written as the formats' descriptions say.

mod binpack;
mod bits;
mod board;
mod bullet;
mod marlin;
mod nodchip;
mod viri;

pub(crate) use binpack::BINPACK;
pub(crate) use bullet::{BULLET, write as write_bullet};
pub(crate) use marlin::MARLIN;
pub(crate) use nodchip::NODCHIP;
pub(crate) use viri::VIRI;

#[cfg(test)]
mod tests;
