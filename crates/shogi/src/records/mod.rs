//! Readers of games and records of shogi, one module for each format.

mod binary;
mod csa;
mod game;
mod jkf;
pub(crate) mod kif;
mod score;
mod usi;

pub(crate) use binary::{HCPE, HCPE3, PSV};
pub(crate) use csa::CSA;
pub(crate) use jkf::JKF;
pub(crate) use kif::{KI2, KIF};
pub(crate) use usi::USI;

#[cfg(test)]
pub(crate) mod tests;
