//! A spec to begin with.

/// The text, with `NAME` for the name.
const TEMPLATE: &str = include_str!("template.toml");

/// Returns a spec to begin with: two sections that are filled in, and every other key as
/// an example behind `#~`.
///
/// `name` must be an identifier, or the text is not a spec.
pub fn template(name: &str) -> String {
    TEMPLATE.replacen("NAME", name, 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test may stop at the first surprise

    use std::path::Path;

    use super::*;
    use crate::Spec;

    #[test]
    fn it_is_a_spec_as_it_stands_and_with_all_its_examples() {
        let text = template("mine");
        let spec = Spec::parse(Path::new("mine.toml"), &text).unwrap();
        assert_eq!((spec.name(), spec.layout().weights()), ("mine", 10));
        let all = text.replace("#~ ", "");
        let spec = Spec::parse(Path::new("mine.toml"), &all).unwrap();
        assert_eq!(spec.layout().parameters().len(), 3);
        assert_eq!(spec.layout().constraints().len(), 6);
        // Every key there is has its example.
        let keys: serde_json::Value = crate::schema().parse().unwrap();
        let mut missing = Vec::new();
        let of = |object: &serde_json::Value| -> Vec<String> {
            let keys = object["properties"].as_object().into_iter().flatten();
            keys.map(|(key, _)| key.clone()).collect()
        };
        let mut sections = vec![of(&keys)];
        sections.extend(
            keys["$defs"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(_, of_one)| of(of_one)),
        );
        for key in sections.into_iter().flatten() {
            // Those that `spec set` writes, and those of values by phase.
            let is_other = [
                "values",
                "mg",
                "eg",
                "at_most",
                "equals",
                "parameter",
                "tie",
                "constraint",
                "output",
                "names",
            ];
            if !is_other.contains(&key.as_str()) && !all.contains(&format!("{key} = ")) {
                missing.push(key);
            }
        }
        assert_eq!(missing, [""; 0]);
    }
}
