//! Parameters that were renamed, added or removed since the fit was interrupted.

use serde_json::{Value, json};

use super::support::{SHORT, checkpoint, done, folder, limited, results, resumed, words};

/// The checkpoint of an engine with another name for a parameter.
fn with_old_name(good: &Value, new: &str, old: &str) -> Value {
    let mut changed = good.clone();
    let weights = good["weights"].as_object().unwrap().iter();
    changed["weights"] = weights
        .map(|(name, value)| {
            let rest = name
                .strip_prefix(new)
                .filter(|rest| rest.starts_with(['[', '.']));
            let name = rest.map_or(name.clone(), |rest| format!("{old}{rest}"));
            (name, value.clone())
        })
        .collect::<serde_json::Map<_, _>>()
        .into();
    for group in changed["prior"]["groups"].as_array_mut().unwrap() {
        if group["name"] == new {
            group["name"] = old.into();
        }
    }
    changed
}

#[test]
fn a_renamed_parameter_changes_nothing() {
    let folder = folder(1200);
    done(folder.path(), &SHORT, &[]);
    let whole = results(folder.path());
    let old = with_old_name(&limited(folder.path()), "MATERIAL", "PIECES").to_string();
    let output = resumed(folder.path(), &old, &["--renamed", "PIECES=MATERIAL"]);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    assert!(results(folder.path()) == whole);

    // Without the option its weights are dropped and start again.
    let output = resumed(folder.path(), &old, &[]);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let counts =
        "1244 weights carried over by name, 12 new ones at their initial values, 12 dropped";
    assert!(said.contains(counts), "{said}");
    let (summary, _) = results(folder.path());
    assert_eq!(summary["k"], whole.0["k"], "the scale stays");
    let error = |summary: &Value| summary["error"].as_f64().unwrap();
    assert!((error(&summary) / error(&whole.0) - 1.0).abs() < 1e-3);
    assert!(!checkpoint(folder.path()).exists());
}

#[test]
fn added_and_removed_parameters_carry_the_others_over() {
    let folder = folder(1200);
    let good = limited(folder.path());
    let first = results(folder.path()).0;
    // The engine had no TEMPO then, and a parameter that was removed since.
    let mut old = good.clone();
    let names: Vec<&String> = good["weights"].as_object().unwrap().keys().collect();
    let gone: Vec<bool> = names
        .iter()
        .map(|name| name.starts_with("TEMPO."))
        .collect();
    let retained = good["start"].as_array().unwrap().iter().zip(&gone);
    let retained: Vec<Value> = retained
        .filter(|(_, gone)| !**gone)
        .map(|(v, _)| v.clone())
        .collect();
    old["start"] = retained.into_iter().chain([json!(1.5)]).collect();
    let weights = old["weights"].as_object_mut().unwrap();
    weights.retain(|name, _| !name.starts_with("TEMPO."));
    weights.insert("SINCE_REMOVED".to_owned(), json!(1.5));
    let groups = old["prior"]["groups"].as_array_mut().unwrap();
    groups.retain(|group| group["name"] != "TEMPO");
    let output = resumed(folder.path(), &old.to_string(), &["--json"]);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let counts = "1254 weights carried over by name, 2 new ones at their initial values, 1 dropped";
    assert!(said.contains(counts), "{said}");
    assert!(!said.contains("is not chosen again"), "{said}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let initial = |summary: &Value| summary["solver"]["initial_error"].as_f64().unwrap();
    assert!(
        initial(&found) < initial(&first),
        "it starts from where it was"
    );
    assert_eq!(found["k"], first["k"]);

    let mut none = good.clone();
    none["weights"] = json!({ "X": 1 });
    none["start"] = json!([1]);
    let output = resumed(folder.path(), &none.to_string(), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(words(&output).contains("none of the 1 weights"));
}
