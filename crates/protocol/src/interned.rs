//! Texts for as long as the process lives.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Returns the same text, kept until the process ends: places in a source, of which an
/// evaluation has few.
pub fn interned(text: &str) -> &'static str {
    static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = texts.get(text) {
        return known;
    }
    let new: &'static str = String::leak(text.to_owned());
    texts.insert(new);
    new
}
