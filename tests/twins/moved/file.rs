//! A file where no one looks who does not follow `#[path]`.

const MOVED: i32 = 5;

/// A term.
pub fn evaluate(count: i32) -> i32 {
    MOVED * count
}

#[cfg(feature = "tune")]
tuner_core::traced!();
