//! What a panic says.

use std::any::Any;

/// Returns the message of a panic that was caught.
pub fn panic_words(payload: &(dyn Any + Send)) -> &str {
    let words = payload.downcast_ref::<String>().map(String::as_str);
    let words = words.or_else(|| payload.downcast_ref::<&str>().copied());
    words.unwrap_or("it said nothing")
}
