//! Games and records of shogi: one file a format.

mod csa;
mod game;
mod lines;
mod usi;

pub(crate) use csa::Csa;
pub(crate) use usi::Usi;
