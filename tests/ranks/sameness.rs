//! The same answers on any number of ranks.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{done, sizes, table, weak};

fn summary(folder: &Path, out: &str) -> Value {
    let text = fs::read_to_string(folder.join(out).join("summary.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Fails unless numbers are near each other, and all else is the same.
fn assert_alike(left: &Value, right: &Value, path: &str) {
    match (left, right) {
        (Value::Number(l), Value::Number(r)) => {
            let [l, r] = [l, r].map(|number| number.as_f64().unwrap());
            assert!((l - r).abs() <= 1e-6 * l.abs().max(1e-3), "{path}: {l} {r}");
        }
        (Value::Object(l), Value::Object(r)) => {
            assert!(l.keys().eq(r.keys()), "{path}");
            for (key, left) in l {
                assert_alike(left, &r[key], &format!("{path}.{key}"));
            }
        }
        (Value::Array(l), Value::Array(r)) => {
            assert_eq!(l.len(), r.len(), "{path}");
            for (number, (left, right)) in l.iter().zip(r).enumerate() {
                assert_alike(left, right, &format!("{path}[{number}]"));
            }
        }
        _ => assert_eq!(left, right, "{path}"),
    }
}

fn without_seconds(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|key, _| {
                !key.contains("seconds") && key != "bytes" && key != "command" && key != "date"
            });
            object.values_mut().for_each(without_seconds);
        }
        Value::Array(array) => array.iter_mut().for_each(without_seconds),
        _ => {}
    }
}

/// What of a fit does not depend on the time that it took.
fn lasting(mut summary: Value) -> Value {
    for part in ["data", "examined", "timings", "fast_games", "options"] {
        summary[part] = Value::Null;
    }
    without_seconds(&mut summary);
    summary
}

/// The lines of weights of a fit. K before them is a sum over ranks, whose last bits are not the
/// same.
fn weights_of(out: &Path) -> String {
    let text = fs::read_to_string(out.join("weights.txt")).unwrap();
    let (k, weights) = text.split_once('\n').unwrap();
    assert!(k.starts_with("# K "), "{k}");
    weights.to_owned()
}

#[test]
#[ignore = "needs mpirun and a program built with feature `mpi`; .ci/ranks runs it"]
fn a_fit_ends_with_the_same_weights() {
    let folder = tempfile::tempdir().unwrap();
    let games = table().to_str().unwrap();
    for more in [
        &[][..],
        &["--prior", "20", "--lambda", "0.5", "--weigh", "games"],
    ] {
        let fit = |size: usize, out: &str| {
            let words = [
                "fit",
                games,
                "--fast-games",
                "40",
                "--write-worse",
                "--out",
                out,
            ];
            let words: Vec<&str> = words.into_iter().chain(more.iter().copied()).collect();
            done(size, folder.path(), &words);
            let weights = weights_of(&folder.path().join(out));
            (weights, summary(folder.path(), out))
        };
        let (weights, mut alone) = fit(1, "alone");
        for size in sizes().split_off(1) {
            let (on_ranks, mut found) = fit(size, "ranks");
            assert_eq!(on_ranks, weights, "{size}");
            // The same numbers of the judgement, the same games at the end.
            assert_eq!(found["fast_games"]["games"], alone["fast_games"]["games"]);
            assert_eq!(found["fast_games"]["elo"], alone["fast_games"]["elo"]);
            // Which of several combinations is told of rounding may decide.
            let told: [&str; 3] = ["directions", "undetermined", "correlated"];
            for summary in [&mut alone, &mut found] {
                for part in told {
                    summary["judgement"][part] = Value::Null;
                }
            }
            for part in ["judgement", "verdict", "k", "error", "held_out_error"] {
                assert_alike(&alone[part], &found[part], part);
            }
            // The same bits again.
            let (_, mut again) = fit(size, "again");
            for part in told {
                again["judgement"][part] = Value::Null;
            }
            assert_eq!(lasting(again), lasting(found), "{size}");
        }
    }
}

#[test]
#[ignore = "needs mpirun and a program built with feature `mpi`; .ci/ranks runs it"]
fn games_are_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    weak(folder.path());
    let mut found = Vec::new();
    for size in sizes() {
        let name = |ending: &str| format!("{size}.{ending}");
        let (table, journal, pgn) = (name("tsv.zst"), name("jsonl"), name("pgn"));
        done(
            size,
            folder.path(),
            &["selfplay", &table, "--games", "60", "--nodes", "100"],
        );
        let words = [
            "match",
            "weak.txt",
            "source",
            "--sprt",
            "-400,0",
            "--games",
            "200",
            "--nodes",
            "50",
            "--journal",
            &journal,
            "--pgn",
            &pgn,
        ];
        done(size, folder.path(), &words);
        found.push([table, journal, pgn].map(|name| fs::read(folder.path().join(name)).unwrap()));
    }
    assert!(found.iter().all(|files| *files == found[0]));
    // The test had ended it.
    let pairs = String::from_utf8_lossy(&found[0][1]).lines().count();
    assert!(pairs < 100, "{pairs}");
}

#[test]
#[ignore = "needs mpirun and a program built with feature `mpi`; .ci/ranks runs it"]
fn a_loop_is_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut found = Vec::new();
    for size in [1, 2] {
        let of_size = folder.path().join(size.to_string());
        fs::create_dir(&of_size).unwrap();
        let words = [
            "loop",
            "loop",
            "--from",
            "zero",
            "--games",
            // The first round from zero plays a quarter of them, which must still be worth a test.
            "600",
            "--nodes",
            "60",
            "--rounds",
            "2",
            "--test-games",
            "40",
            "--test-nodes",
            "60",
            "--start-games",
            "20",
            "--sprt",
            "-400,0",
        ];
        done(size, &of_size, &words);
        let names = [
            "best.txt",
            "round-1/games.tsv.zst",
            "round-1/test.jsonl",
            "round-2/games.tsv.zst",
        ];
        found.push(names.map(|name| fs::read(of_size.join("loop").join(name)).unwrap()));
    }
    assert!(found[0] == found[1]);
}

#[test]
#[ignore = "needs mpirun and a program built with feature `mpi`; .ci/ranks runs it"]
fn traces_are_fitted_on_any_number_of_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let games = table().to_str().unwrap();
    let mut weights = Vec::new();
    for traced in sizes() {
        let name = format!("{traced}.arrow");
        done(traced, folder.path(), &["trace", games, "-o", &name]);
        let files = fs::read_dir(folder.path()).unwrap();
        let prefix = format!("{traced}.");
        let files = files.filter(|file| {
            let name = file.as_ref().unwrap().file_name();
            name.to_str().unwrap().starts_with(&prefix)
        });
        // An index beside the files of ranks.
        assert_eq!(files.count(), if traced == 1 { 1 } else { traced + 1 });
        for fitted in sizes() {
            let out = format!("fit-{traced}-{fitted}");
            let words = [
                "fit",
                &name,
                "--prior",
                "20",
                "--fast-games",
                "0",
                "--out",
                &out,
            ];
            done(fitted, folder.path(), &words);
            weights.push(weights_of(&folder.path().join(out)));
        }
    }
    assert!(weights.iter().all(|of_fit| *of_fit == weights[0]));
}

#[test]
#[ignore = "needs mpirun and a program built with feature `mpi`; .ci/ranks runs it"]
fn a_check_counts_what_all_ranks_find() {
    let folder = tempfile::tempdir().unwrap();
    let games = table().to_str().unwrap();
    let checked = |size| -> Value {
        let text = done(size, folder.path(), &["check", games, "--json"]);
        serde_json::from_str(&text).unwrap()
    };
    let alone = checked(1);
    for size in sizes().split_off(1) {
        let found = checked(size);
        for part in [
            "positions",
            "mismatches",
            "nonlinear",
            "constant_positions",
            "never_read",
            "read_by",
        ] {
            assert_eq!(found[part], alone[part], "{part}");
        }
        assert!(found["derivatives"].as_u64() > Some(1000));
        // Each rank would compare positions of its own, and have a verdict of its own.
        assert!(alone["kept"].is_object() && found["kept"].is_null());
    }
}
