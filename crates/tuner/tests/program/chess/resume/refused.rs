//! Checkpoints that no fit resumes from.

use std::fs;

use serde_json::{Value, json};

use super::support::{SHORT, checkpoint, done, fit, folder, limited, resumed, words};

#[test]
fn another_fit_is_refused_with_both_values_and_the_cure() {
    let folder = folder(1200);
    let good = limited(folder.path());
    let whole = good.to_string();
    let data = fs::read_to_string(folder.path().join("data.tsv")).unwrap();
    let fewer: Vec<&str> = data.lines().take(1000).collect();
    fs::write(folder.path().join("other.tsv"), fewer.join("\n")).unwrap();
    let changed = |place: &str, value: Value| {
        let mut changed = good.clone();
        *changed.pointer_mut(place).unwrap() = value;
        changed.to_string()
    };
    let identity = &good["identity"];
    for (text, more, expected) in [
        (
            &whole,
            &["--loss", "cross-entropy"][..],
            vec!["--loss: squared then, cross-entropy now"],
        ),
        (
            &whole,
            &["--k", "1.5"],
            vec!["--k: not given then, 1.5 now; leave it out"],
        ),
        (
            &whole,
            &["--lambda", "0.5", "--score-k", "1.2", "--weigh", "sqrt"],
            vec![
                "--lambda: not given then, 0.5 now; leave it out",
                "--score-k: not given then, 1.2 now; leave it out",
                "--weigh: positions then, sqrt now",
            ],
        ),
        (
            &whole,
            &["--anchor", "MATERIAL[pawn].mg=90", "--prior", "auto"],
            vec![
                "--anchor: not given then, MATERIAL[pawn].mg=90 now; leave it out",
                "--prior: not given then, auto now; leave it out",
            ],
        ),
        (
            &whole,
            &["--init", "zero"],
            vec!["--init: spec then, zero now"],
        ),
        (
            &whole,
            &["other.tsv"],
            vec!["the data", "of 1200 positions then", "of 2199 now"],
        ),
        (
            &whole,
            &["--held-out", "0.3", "--prior", "none"],
            vec!["--held-out: 0.1 then", "--prior: not given then"],
        ),
        (
            &changed("/identity/traces", json!("0123456789abcdef")),
            &[],
            vec![
                "the evaluation",
                "0123456789abcdef",
                identity["traces"].as_str().unwrap(),
            ],
        ),
        (
            &changed("/identity/variables", json!("0123456789abcdef")),
            &[],
            vec![
                "the spec",
                "0123456789abcdef",
                identity["variables"].as_str().unwrap(),
            ],
        ),
        (
            &whole,
            &["--renamed", "NO_SUCH=TEMPO"],
            vec!["no parameter NO_SUCH"],
        ),
        (
            &whole,
            &["--renamed", "TEMPO=MATERIAL"],
            vec!["has a parameter MATERIAL"],
        ),
    ] {
        let output = resumed(folder.path(), text, more);
        let said = words(&output);
        assert_eq!(output.status.code(), Some(1), "{more:?}: {said}");
        for part in expected
            .into_iter()
            .chain(["--init run/checkpoint.json instead"])
        {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert!(checkpoint(folder.path()).exists(), "it is not changed");
    }
    // What the message says works.
    let args = ["--init", "run/checkpoint.json", "--loss", "cross-entropy"];
    done(folder.path(), &SHORT, &args);
    let wrong = fit(folder.path(), &["data.tsv", "--renamed", "A=B"]);
    assert_eq!(wrong.status.code(), Some(2), "--renamed needs --resume");
}

#[test]
fn a_damaged_checkpoint_is_refused() {
    let folder = folder(1200);
    let good = limited(folder.path());
    let text = good.to_string();
    let mut texts: Vec<(String, &str)> = (0..10)
        .map(|part| (text[..text.len() * part / 10].to_owned(), "damaged"))
        .collect();
    texts.push((text[..text.len() - 1].to_owned(), "damaged"));
    texts.push(("{}".to_owned(), "found format none"));
    texts.push(("[1, 2]".to_owned(), "found format none"));
    texts.push(("\u{feff}♞".to_owned(), "damaged"));
    for (place, value, expected) in [
        (
            "/format",
            json!(2),
            "found format 2, written by tuner \"0.1.0\"; expected format 1: use the tuner that \
             wrote it, or start from its weights with --init",
        ),
        ("/scale", json!(-1.0), "a scale is -1"),
        (
            "/prior",
            json!({
                "by": "validation", "deviation": 0.0, "factor": 0.0, "at_edge": false,
                "positions_fitted": 0, "positions_compared": 0, "tried": [],
            }),
            "none that can be chosen",
        ),
        (
            "/prior",
            json!({
                "by": "evidence", "unit": 1.0, "ln_evidence": 9.0, "clusters": 9, "rounds": 9,
                "declared_scale": 1.0, "groups": [],
                "pools": [{ "name": "A", "deviation": 0.0, "weights": 9, "determined": 1.0 }],
            }),
            "none that can be chosen",
        ),
        (
            "/prior/groups",
            json!([]),
            "its prior is of other parameters",
        ),
        ("/fit", json!({}), "damaged"),
        ("/fit/k", json!(-1.0), "K is -1"),
        ("/fit/pinned", json!([1_000_000]), "pinned does not exist"),
        ("/fit/descent/x", json!([1.0]), "1 variables"),
        ("/fit/descent/value", json!(null), "damaged"),
        ("/start", json!([]), "found 0 weights in one place and 1256"),
        ("/weights/TEMPO.mg", json!("many"), "expected a number"),
        ("/identity", json!({ "data": "" }), "damaged"),
    ] {
        let mut changed = good.clone();
        *changed.pointer_mut(place).expect(place) = value;
        texts.push((changed.to_string(), expected));
    }
    for (text, expected) in texts {
        let output = resumed(folder.path(), &text, &[]);
        let said = words(&output);
        assert_eq!(output.status.code(), Some(1), "{expected}: {said}");
        assert!(said.contains(expected), "{expected}: {said}");
    }
    // Bytes that are no text.
    fs::write(checkpoint(folder.path()), [0xff, 0xfe, 0x00]).unwrap();
    let output = fit(folder.path(), &["data.tsv", "--out", "run", "--resume"]);
    assert_eq!(output.status.code(), Some(1), "{}", words(&output));
}
