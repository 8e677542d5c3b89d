//! Entries of lists with the same key.

use std::ops::AddAssign;

/// Adds up entries that follow each other and have the same key: one entry with their sum, added
/// from first to last, takes their place.
pub fn add_alike<K: PartialEq, T: AddAssign + Copy>(entries: &mut Vec<(K, T)>) {
    entries.dedup_by(|(key, more), (first, sum)| {
        key == first && {
            *sum += *more;
            true
        }
    });
}
