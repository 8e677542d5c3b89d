//! Traces of an engine in an Arrow file, for data sets larger than memory.
//!
//! [`TraceWriter`] writes one while positions are traced, [`TraceFile`] reads
//! it again for every pass, block by block on all threads. Neither holds more
//! than a block a thread: 20 to 50 MB. In addition a fit stores the scores of
//! four million positions for K (100 MB), the rows that a descent sets out on (20 MB, at
//! most 100), and some 30 bytes for each game.
//!
//! # Format
//!
//! Arrow IPC, the file format, uncompressed; any library reads it. One record
//! batch is one block of at most 262,144 positions, a row is a position:
//!
//! | column | type | meaning |
//! |---|---|---|
//! | `game` | UInt32 | the game |
//! | `outcome` | Float64 | R for the first player, in [0, 1] |
//! | `weight` | Float64 | how often the row counts |
//! | `constant` | Float64 | what no weight explains, in centipawns |
//! | `search_score` | Int32, null where there is none | of a search, in centipawns |
//! | `codes` | List of UInt16 | the row's segments, see below |
//! | `shape` | UInt32 | the row's list of steps; 0 of a linear row |
//! | `constants` | List of Float64 | the constants of its steps |
//! | `steps` | List of UInt32 | lists of steps, see below |
//! | `slots` | List of UInt32 | by entry the slot |
//! | `coefficients` | List of Int16 | by entry those of its two lanes |
//! | `factors` | List of Float64 | pairs of factors |
//!
//! The last four are dictionaries of the whole block, in its first row. `codes` comes in groups of four: a header (how many groups follow, plus
//! 32,768 in the last segment of the row; the number of the pair of factors,
//! lower and upper half; 0), then the numbers of entries, filled up with 0,
//! which is the entry that counts for nothing.
//! `score = constant + Σ_segments Σ_entries (f₁·c₁·w[2·slot] + f₂·c₂·w[2·slot + 1])`,
//! plus the value of the steps.
//!
//! `steps` is, for each list, how many numbers follow and these, as `steps` has
//! them; the first list, of linear rows, has none. Where all rows of a block are
//! linear there is no list.
//!
//! The footer's metadata has one key, `tuner`: JSON of the format's version
//! (`format`, which is looked at first), a fingerprint of each block, what the
//! writer knows of engine, spec and data, and a fingerprint of all that. XXH3 of
//! 64 bits makes the fingerprints. There is one version so far, 1.
//!
//! # Why no memory map
//!
//! A file that is cut off while it is mapped ends the process by a signal, and
//! mapping is unsafe code, which this workspace forbids. Columns are read by
//! position, straight to where the kernels read them; of those that are the
//! same in all rows of a block, nothing.
//!
//! *Source*: Apache Arrow, Columnar format 1.5, "IPC File Format".

mod block;
mod bytes;
mod footer;
mod header;
mod index;
mod places;
mod read;
mod write;

pub use header::{Example, TraceFileInfo};
pub use index::{IndexedFile, TraceIndex};
pub use read::{FileError, TraceFile};
pub use write::TraceWriter;

pub(crate) use bytes::{BytesByPlace, at};
pub(crate) use footer::{arrow_footer, extent};

use arrow_schema::{DataType, Field, Schema};

/// The format's version; another one is refused.
const VERSION: u32 = 1;

/// The key of the footer's metadata.
const KEY: &str = "tuner";

/// Positions of a block at most, a multiple of those that are arranged together, so
/// that a pass is as fast as in memory; some 20 to 50 MB.
pub(crate) const BLOCK: usize = 1 << 18;

/// Returns the columns of a file of traces, in their order: five numbers of each position; `codes`,
/// its segments; `shape` and `constants`, the number of its list of steps and their constants; then
/// four lists of the whole block, which only the first row has.
fn schema() -> Schema {
    let list =
        |name: &str, of: DataType| Field::new_list(name, Field::new("item", of, false), false);
    Schema::new(vec![
        Field::new("game", DataType::UInt32, false),
        Field::new("outcome", DataType::Float64, false),
        Field::new("weight", DataType::Float64, false),
        Field::new("constant", DataType::Float64, false),
        Field::new("search_score", DataType::Int32, true),
        list("codes", DataType::UInt16),
        Field::new("shape", DataType::UInt32, false),
        list("constants", DataType::Float64),
        list("steps", DataType::UInt32),
        list("slots", DataType::UInt32),
        list("coefficients", DataType::Int16),
        list("factors", DataType::Float64),
    ])
}
