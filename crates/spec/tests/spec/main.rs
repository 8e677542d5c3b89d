//! Specs, what is laid out and generated of them, and mistakes in them.

#![allow(
    clippy::float_cmp,
    clippy::unwrap_used,
    reason = "whole numbers are held exactly; a test may stop at the first surprise"
)]

mod codegen;
mod languages;
mod layout;
mod neighbours;
mod spec_mistakes;

use std::path::Path;

use tuner_spec::Spec;

const BOARD: &str = include_str!("data/board.toml");

fn parse(text: &str) -> Spec {
    Spec::parse(Path::new("f"), text).unwrap_or_else(|errors| unreachable!("{errors}"))
}
