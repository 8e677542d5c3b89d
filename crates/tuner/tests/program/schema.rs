//! What a fit writes is what `docs/summary.schema.json` says.

use std::fs;

use crate::chess::EXAMPLE;
use crate::examples::{root, run};
use crate::support::{tuner, words};
use serde_json::{Value, json};

/// What of a value a schema does not allow, of the keywords that the schema has.
fn complaints(schema: &Value, root: &Value, value: &Value, path: &str) -> Vec<String> {
    let inner = |schema: &Value, value: &Value, name: &str| {
        complaints(schema, root, value, &format!("{path}/{name}"))
    };
    let mut found = Vec::new();
    for (keyword, of) in schema.as_object().unwrap() {
        match keyword.as_str() {
            "$schema" | "title" | "description" | "$defs" | "required" => {}
            "$ref" => {
                let target = of.as_str().unwrap().strip_prefix('#').unwrap();
                found.extend(complaints(root.pointer(target).unwrap(), root, value, path));
            }
            "type" => {
                let types = of
                    .as_array()
                    .map_or(std::slice::from_ref(of), Vec::as_slice);
                let is = |of: &Value| match of.as_str().unwrap() {
                    "null" => value.is_null(),
                    "boolean" => value.is_boolean(),
                    "integer" => value.is_u64() || value.is_i64(),
                    "number" => value.is_number(),
                    "string" => value.is_string(),
                    "array" => value.is_array(),
                    "object" => value.is_object(),
                    other => panic!("type {other}"),
                };
                if !types.iter().any(is) {
                    found.push(format!("{path}: {value} is no {of}"));
                }
            }
            "enum" => {
                if !of.as_array().unwrap().contains(value) {
                    found.push(format!("{path}: {value} is none of {of}"));
                }
            }
            "anyOf" => {
                let any = of.as_array().unwrap();
                let all = any.iter().map(|of| complaints(of, root, value, path));
                let all: Vec<_> = all.collect();
                if all.iter().all(|found| !found.is_empty()) {
                    found.extend(all.concat());
                }
            }
            "items" => {
                let items = value.as_array().into_iter().flatten().enumerate();
                found.extend(items.flat_map(|(at, item)| inner(of, item, &at.to_string())));
            }
            "properties" => {
                let required = schema["required"].as_array().into_iter().flatten();
                let missing = required.filter(|name| value.get(name.as_str().unwrap()).is_none());
                found.extend(missing.map(|name| format!("{path}: {name} is missing")));
                for (name, of) in of.as_object().unwrap() {
                    found.extend(value.get(name).into_iter().flat_map(|v| inner(of, v, name)));
                }
            }
            "additionalProperties" => {
                for (name, value) in value.as_object().into_iter().flatten() {
                    let is_named = !schema["properties"][name].is_null();
                    if is_named {
                        continue;
                    }
                    if of == &json!(false) {
                        found.push(format!("{path}: `{name}` is not in the schema"));
                    } else if of.is_object() {
                        found.extend(inner(of, value, name));
                    }
                }
            }
            other => panic!("{path}: the test does not know `{other}`"),
        }
    }
    found
}

fn schema() -> Value {
    let text = fs::read_to_string(root().join("docs/summary.schema.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn summaries_are_as_their_schema_says() {
    let schema = schema();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let fit = |options: &str| {
        let arguments: Vec<&str> = options.split(' ').collect();
        let output = if options.contains(".csv") {
            tuner(folder, &arguments)
        } else {
            run(&EXAMPLE.folder(), folder, &arguments)
        };
        assert!(output.status.success(), "{options}: {}", words(&output));
        let text = fs::read_to_string(folder.join("run/summary.json")).unwrap();
        let summary: Value = serde_json::from_str(&text).unwrap();
        let found = complaints(&schema, &schema, &summary, "");
        assert!(found.is_empty(), "{options}\n{}", found.join("\n"));
        summary
    };
    let data = root().join("examples/chess/data/selfplay.tsv.zst");
    let data = format!("{}:limit=1500", data.display());
    let all = "--learning-curve --folds 2 --ablate TEMPO --ablate-games 20 --anchor MATERIAL[pawn].mg=100 --timings \
               --prior auto --weigh games --fast-games 0 --write-worse --out run";
    let summary = fit(&format!("fit {data} {all}"));
    assert_eq!(summary["format"], 1);
    assert_eq!(summary["tuner"], env!("CARGO_PKG_VERSION"));
    let command = summary["command"].as_str().unwrap();
    assert!(
        command.contains(" --learning-curve --folds 2 "),
        "{command}"
    );
    fit(&format!(
        "fit {data} --fast-games 20 --write-worse --out run"
    ));

    // Each file with its counts, once for each time that it is named.
    let table = "fen\tresult\n4k3/8/8/8/8/8/8/4KQ2 w - - 0 1\t1-0\nnothing\t1-0\n";
    fs::write(folder.join("odd.tsv"), table).unwrap();
    let summary = fit(&format!(
        "fit {data} odd.tsv --on-bad-line skip --fast-games 0 --write-worse --out run"
    ));
    let counts = |name: &str, positions: u32, rejected: u32| json!({ "name": name, "positions": positions, "rejected": rejected });
    let files = [counts(&data, 1500, 0), counts("odd.tsv", 1, 1)];
    assert_eq!(summary["data"]["files"], json!(files));

    let row = |n: u32| format!("{},g{},{},{}\n", n % 2, n / 2, n % 3, n % 5);
    let rows: String = (0..200).map(row).collect();
    fs::write(folder.join("rows.csv"), format!("outcome,game,A,B\n{rows}")).unwrap();
    let summary = fit("fit rows.csv --k 1 --write-worse --out run");
    let files = [counts("rows.csv", 200, 0)];
    assert_eq!(summary["data"]["files"], json!(files));
    assert!(summary.get("spec").is_none() && summary["fast_games"].is_null());

    // The comparison can fail.
    for (field, value) in [
        ("/nonsense", json!(1)),
        ("/k", json!("1")),
        ("/verdict", json!("good")),
        ("/data/files", json!(1)),
        ("/weights/A", Value::Null),
    ] {
        let (of, name) = field.rsplit_once('/').unwrap();
        let mut wrong = summary.clone();
        wrong.pointer_mut(of).unwrap()[name] = value;
        assert_eq!(complaints(&schema, &schema, &wrong, "").len(), 1, "{field}");
    }
    let mut wrong = summary;
    wrong.as_object_mut().unwrap().remove("error");
    let found = complaints(&schema, &schema, &wrong, "");
    assert_eq!(found, [": \"error\" is missing"]);
}
