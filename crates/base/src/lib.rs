//! What every crate of Tuner builds on: the place of a mistake, fingerprints,
//! files written atomically.

mod atomic_file;
mod fingerprint;
mod location;
mod quote;
mod write;

pub use atomic_file::{AtomicFile, resolved_target};
pub use fingerprint::Fingerprint;
pub use location::Location;
pub use quote::quote;
pub use write::{Written, write_atomically, write_if_changed};
