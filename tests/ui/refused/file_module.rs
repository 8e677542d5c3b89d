//! A module that is a file.

use tuner_core::tunable;

#[tunable]
#[path = "../pass/support/empty.rs"]
mod empty;

fn main() {}
