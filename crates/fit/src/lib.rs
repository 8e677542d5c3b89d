//! The fit of weights to traces: objective, scaling constant, integers, black
//! boxes.

pub mod black_box;
mod fit;
pub mod integers;
pub mod model;

pub use fit::*;
