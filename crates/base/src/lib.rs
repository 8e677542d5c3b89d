//! The base of all crates of Tuner.
//!
//! ```
//! use tuner_base::Fingerprint;
//!
//! let mut fingerprint = Fingerprint::new();
//! fingerprint.text("MATERIAL");
//! fingerprint.i64(100);
//! assert_eq!(fingerprint.hex().len(), 16);
//! ```
//!
//! - [`AtomicFile`], [`write_atomically`]: files written atomically.
//! - [`Fingerprint`]: identities that are the same on every machine.
//! - [`Location`]: where an input is wrong.
//! - [`WeightId`], [`Slot`], [`LaneId`]: the numbers by which crates refer to
//!   weights; [`Tie`]: weights that follow others; [`Constraint`]: sums of weights
//!   with limits.
//! - [`available_memory`]: how much memory there is.
//! - [`mix`]: the hash that splits and shuffles depend on.
//! - [`shell_words`], [`shell_word`]: commands in messages, to be pasted.
//! - [`escaped_word`], [`escaped_line`], [`unescaped`]: texts in lines that processes write.
//! - [`impl_fmt!`], [`add_fields!`]: what a derive would write.
//! - [`counted()`], [`utc()`]: counts and times as people read them.
//! - [`phase()`]: how long the phases of a run take.
//! - [`Ranks`]: processes that work together, each with a part of the data.

mod alike;
mod atomic_file;
mod constraint;
mod date;
mod derives;
mod fingerprint;
mod flow;
mod index;
mod location;
mod memory;
mod mix;
mod panic_words;
mod phases;
mod quote;
mod ranks;
mod tie;
mod words;

pub use alike::add_alike;
pub use atomic_file::{
    AtomicFile, Written, remove_abandoned, resolved_target, write_atomically, write_if_changed,
};
pub use constraint::Constraint;
pub use date::utc;
pub use fingerprint::Fingerprint;
pub use flow::break_if;
pub use index::{LaneId, Slot, VariableId, WeightId};
pub use location::Location;
pub use memory::{address_limit, available_memory};
pub use mix::{GOLDEN_GAMMA, mix};
pub use panic_words::{Panicked, caught, panics_tell_their_place};
pub use phases::{OpenPhase, PhaseTime, phase, phase_part, phase_times, phases_under_way};
pub use quote::{is_hidden, quote, shell_word, shell_words};
pub use ranks::{Ranks, Topic, Transport};
pub use tie::Tie;
pub use words::{counted, escaped_line, escaped_word, interned, joined, unescaped, unexpected};
