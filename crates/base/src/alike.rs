//! Entries of lists with the same key.

use std::ops::AddAssign;

/// Adds up entries that follow each other and have the same key: the first of them gets the sum,
/// from first to last, and the others go.
pub fn add_alike<K: PartialEq, T: AddAssign + Copy>(entries: &mut Vec<(K, T)>) {
    entries.dedup_by(|(key, more), (first, sum)| {
        key == first && {
            *sum += *more;
            true
        }
    });
}
