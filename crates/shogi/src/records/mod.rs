//! Readers of games and records of shogi, one module for each format.

mod binary;
mod csa;
mod fault;
mod game;
mod handicaps;
mod jkf;
mod kif;
mod lines;
mod usi;

pub(crate) use binary::{Hcpe, Psv};
pub(crate) use csa::Csa;
pub(crate) use jkf::Jkf;
pub(crate) use kif::{Ki2, Kif};
pub(crate) use usi::Usi;

#[cfg(test)]
pub(crate) mod tests;
