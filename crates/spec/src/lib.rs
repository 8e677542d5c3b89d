//! The declarative spec, and the layout of the weights that it declares.
//!
//! ```
//! use std::path::Path;
//! use tuner_spec::Spec;
//!
//! let text = "version = 1\nname = \"demo\"\n[[parameter]]\nname = \"ROOK\"\n\
//!             phases = [\"mg\", \"eg\"]\ninitial = [480, 520]\n";
//! let spec = Spec::parse(Path::new("demo.toml"), text)?;
//! let layout = spec.layout();
//! let names: Vec<String> = layout.weight_ids().map(|weight| layout.name(weight)).collect();
//! assert_eq!(names, ["ROOK.mg", "ROOK.eg"]);
//! assert_eq!(layout.initial(), [480.0, 520.0]);
//! # Ok::<(), tuner_spec::SpecErrors>(())
//! ```
//!
//! [`Spec::parse`] reads a TOML file (grammar: `docs/spec.md`) in three
//! steps: `read` and `raw` turn TOML into typed sections and report what has
//! the wrong type or an unknown key; `check` turns sections into [`Parameter`]s
//! and a [`Layout`] and reports what has no meaning; `diagnostic` shows every
//! mistake with its line. Nothing downstream checks a spec again. [`SpecDocument`]
//! keeps the text as well, to write fitted values into it.
//!
//! Start reading at [`Layout`]: it is what the rest of the crate uses.

mod check;
pub mod codegen;
mod decimal;
mod diagnostic;
mod doc;
mod document;
mod edit;
mod layout;
mod parameter;
mod path;
mod project;
mod raw;
mod read;
mod schema;
#[cfg(feature = "source")]
pub mod source;
mod spec;
mod template;
mod text;
mod ties;
mod toml_text;

pub use diagnostic::{Mistake, SpecErrors};
pub use doc::markdown;
pub use document::{SetError, SpecDocument};
pub use layout::{CountError, Layout, LengthError};
pub use parameter::{Dim, Laplace, Parameter, Phases, Pool, Smooth, WeightStep};
pub use path::PathError;
pub use project::{PROJECT_FILE, ProjectEngine, ProjectFile, ProjectProgram};
pub use schema::schema;
pub use spec::{ChoiceError, FloatType, FrozenChoice, Integer, Output, Spec};
pub use template::template;
pub use text::fits;
pub use tuner_base::{LaneId, Slot, Tie, WeightId};

pub(crate) use text::doc_lines;
#[cfg(feature = "source")]
pub(crate) use text::is_const_name;
