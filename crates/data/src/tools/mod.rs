//! Data to other data: games to positions, filters, formats, parts, profiles.
//!
//! Start with [`transform`], which reads inputs, filters them and hands lines
//! to a [`Writer`]; [`profile()`] says what is in inputs. The order of the
//! output is that of the input, or shuffled by a seed; everything is the same
//! on any number of threads.
//!
//! Not here: how formats are read ([`data`](crate)); quiescence search,
//! which comes as a closure ([`TransformOptions::look`]).

mod duplicates;
mod filter;
mod game_filters;
mod per_game;
mod profile;
mod transform;
mod write;

use tuner_base::{GOLDEN_GAMMA, mix};

pub use duplicates::Duplicates;
pub use filter::{Filter, Filtered, Filters, QuietLook};
pub use game_filters::{FilterRange, GameFilters};
pub use profile::{MATERIAL, Profile, ResultCounts, profile};
pub use transform::{KeyedPosition, TransformOptions, Transformed, transform};
pub use write::{LineLayout, SplitPart, Writer};

/// A number that depends on a seed and a key and on nothing else.
fn mixed(seed: u64, key: u64) -> u64 {
    mix(key ^ seed.wrapping_mul(GOLDEN_GAMMA))
}

/// The numbers below `count` in an order that depends on the seed alone.
pub fn permutation(count: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_cached_key(|&number| mixed(seed, number as u64));
    order
}

#[cfg(test)]
mod tests;
