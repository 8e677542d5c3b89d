//! The JSON Schema of a spec, for editors.

/// Returns the JSON Schema (draft 2020-12) of a spec file, as text.
///
/// Its keys, their descriptions and types are those of what reads a spec, which a test
/// compares; what it cannot say (shapes that agree, paths that exist) is left to
/// [`Spec::parse`](super::Spec::parse).
pub fn schema() -> &'static str {
    include_str!("schema.json").trim_end()
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::panic,
        reason = "a test fails by panicking"
    )]

    use serde_json::Value;
    use toml::de::{DeTable, DeValue};

    use super::schema;
    use crate::diagnostic::Mistakes;
    use crate::raw::{
        RawConstraint, RawLaplace, RawMirror, RawOrder, RawOutput, RawParameter, RawPool,
        RawSmooth, RawSpec, RawTie,
    };
    use crate::read::{Described, Section, Value as Toml};

    /// Values of each kind, as TOML and as JSON.
    const PROBES: [(&str, &str); 14] = [
        ("'a'", "\"a\""),
        ("1", "1"),
        ("0.5", "0.5"),
        ("true", "true"),
        ("[]", "[]"),
        ("['a']", "[\"a\"]"),
        ("[1]", "[1]"),
        ("[0.5]", "[0.5]"),
        ("[true]", "[true]"),
        ("[[0.5]]", "[[0.5]]"),
        ("{ a = 'a' }", "{ \"a\": \"a\" }"),
        ("{ a = 1 }", "{ \"a\": 1 }"),
        ("{ a = 0.5 }", "{ \"a\": 0.5 }"),
        ("{ a = ['a'] }", "{ \"a\": [\"a\"] }"),
    ];

    /// Tells whether a value has a type that a part of the schema admits. Keys that a section does
    /// not have are not checked here.
    fn admits(all: &Value, part: &Value, value: &Value) -> bool {
        if let Some(path) = part["$ref"].as_str() {
            return admits(all, all.pointer(&path[1..]).unwrap(), value);
        }
        if let Some(kinds) = part["anyOf"].as_array() {
            return kinds.iter().any(|kind| admits(all, kind, value));
        }
        match part["type"].as_str().unwrap() {
            "string" => value.is_string(),
            "integer" => value.is_i64(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "array" => (value.as_array())
                .is_some_and(|entries| entries.iter().all(|e| admits(all, &part["items"], e))),
            "object" => value.as_object().is_some_and(|entries| {
                let more = &part["additionalProperties"];
                more.is_boolean() || entries.values().all(|entry| admits(all, more, entry))
            }),
            other => panic!("a type that is not known: {other}"),
        }
    }

    /// Tells whether the reader takes a value of a key for one of a right type.
    fn is_read<S: Section>(key: &str, toml: &str) -> bool {
        let text = format!("{key} = {toml}");
        let table = DeTable::parse(&text).unwrap();
        let value = DeValue::Table(table.into_inner());
        let mistakes = Mistakes::default();
        S::read(&Toml::root(&value, &mistakes));
        let errors = mistakes.into_errors("f".as_ref(), &text);
        let mut messages = errors.mistakes.iter().map(|one| &one.message);
        !messages.any(|message| message.starts_with("found "))
    }

    fn compare<S: Section>(all: &Value, part: &Value, name: &str) {
        assert_eq!(part["additionalProperties"], false, "{name}");
        let described = |lines: &[&str]| -> String {
            let lines: Vec<_> = lines.iter().map(|line| line.trim()).collect();
            lines.join("\n")
        };
        assert_eq!(part["description"], described(S::ABOUT), "{name}");
        let required: Vec<&str> = S::REQUIRED.iter().map(|&(key, _)| key).collect();
        let listed = part
            .get("required")
            .cloned()
            .unwrap_or_else(|| Vec::<Value>::new().into());
        assert_eq!(listed, Value::from(required), "{name}");
        let keys: Vec<Described> = S::REQUIRED.iter().chain(S::OPTIONAL).copied().collect();
        let properties = part["properties"].as_object().unwrap();
        let (names, given): (Vec<_>, Vec<_>) = (
            keys.iter().map(|&(key, _)| key).collect(),
            properties.keys().collect(),
        );
        assert_eq!(given, names, "{name}");
        for (key, about) in keys {
            assert_eq!(
                properties[key]["description"],
                described(about),
                "{name}: {key}"
            );
            for (toml, json) in PROBES {
                let value: Value = json.parse().unwrap();
                let admitted = admits(all, &properties[key], &value);
                assert_eq!(admitted, is_read::<S>(key, toml), "{name}: {key} = {toml}");
            }
        }
    }

    #[test]
    fn the_schema_admits_what_the_reader_reads() {
        let all: Value = schema().parse().unwrap();
        compare::<RawSpec>(&all, &all, "spec");
        let mut others = all["$defs"].as_object().unwrap().clone();
        let mut section = |name: &str| others.shift_remove(name).unwrap();
        compare::<RawOutput>(&all, &section("RawOutput"), "output");
        compare::<RawParameter>(&all, &section("RawParameter"), "parameter");
        compare::<RawLaplace>(&all, &section("RawLaplace"), "l1");
        compare::<RawSmooth>(&all, &section("RawSmooth"), "smooth");
        compare::<RawPool>(&all, &section("RawPool"), "pool");
        compare::<RawMirror>(&all, &section("RawMirror"), "mirror");
        compare::<RawOrder>(&all, &section("RawOrder"), "order");
        compare::<RawConstraint>(&all, &section("RawConstraint"), "constraint");
        compare::<RawTie>(&all, &section("RawTie"), "tie");
        // What is left are values, not sections.
        assert!(
            others
                .values()
                .all(|part| part["additionalProperties"] != false),
            "{others:?}"
        );
    }
}
