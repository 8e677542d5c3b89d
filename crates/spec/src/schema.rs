//! The JSON Schema of a spec, for editors.

use super::raw::RawSpec;

/// Returns the JSON Schema (draft 2020-12) of a spec file.
///
/// It comes from the very structs that read a spec, so its keys and types are
/// theirs; what it cannot say (shapes that agree, paths that exist) is left to
/// [`Spec::parse`](super::Spec::parse).
pub fn schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(RawSpec);
    schema.insert("title".to_owned(), "Tuner spec".into());
    schema.to_value()
}
