//! What traced numbers record, and the values that they have meanwhile.

#![allow(
    clippy::float_cmp,
    clippy::unwrap_used,
    reason = "small integers are exact; a test fails by panicking"
)]

mod floats;
mod large;
mod tables;
