//! Records as they are written and read again, and damaged ones.

use crate::support::{bare, difference, hostile, judgement, names, run};
use tuner_judge::{
    Advice, Calibration, CalibrationFeature, CalibrationSums, FitVerdict, ScoredRow, WeightStatus,
};
use tuner_record::{
    ChosenPrior, NamedValues, RUN_FORMAT, RunRecord, RunRecordError, StandingRecord, Strength,
    Trial,
};
use tuner_report::{compare, html, terminal};
use tuner_solve::Termination;

fn text(record: &RunRecord) -> String {
    serde_json::to_string(record).unwrap()
}

#[test]
fn a_record_is_read_as_it_was_written() {
    let mut record = run(&names());
    let statuses = [
        WeightStatus::Frozen,
        WeightStatus::Unseen,
        WeightStatus::Separated,
        WeightStatus::AtBound,
    ];
    for (weight, status) in record.judgement.weights.iter_mut().zip(statuses) {
        (weight.status, weight.advice) = (status, None);
    }
    record.weights = NamedValues(vec![("B".to_owned(), 1.5), ("A".to_owned(), -3.0)]);
    record.solver.summary.unseen = vec!["A".to_owned()];
    record.prior_choice = Some(ChosenPrior::Validation(Strength {
        deviation: 20.0,
        factor: 1.0,
        at_edge: false,
        positions_fitted: 800,
        positions_compared: 200,
        tried: vec![Trial {
            deviation: 20.0,
            factor: 1.0,
            error: f64::INFINITY,
            iterations: 3,
            seconds: 0.1,
        }],
    }));
    for record in [run(&names()), run(&hostile()), bare(), record] {
        let read = RunRecord::from_json(&text(&record)).unwrap();
        assert_eq!(text(&read), text(&record));
        assert_eq!(read.weights, record.weights);
        assert_eq!(read.judgement.weights, record.judgement.weights);
        assert_eq!(read.examined, record.examined);
        assert_eq!(html(&read), html(&record));
    }
}

#[test]
fn fields_have_the_names_that_scripts_rely_on() {
    let mut record = run(&names());
    record.weights = NamedValues(vec![("B".to_owned(), 1.5), ("A".to_owned(), -3.0)]);
    record.termination = Termination::IterationLimit;
    record.judgement.weights[0].advice = Some(Advice::Keep);
    let json: serde_json::Value = serde_json::from_str(&text(&record)).unwrap();
    for field in ["error", "k", "iterations", "passes", "seconds"] {
        assert!(json[field].is_number(), "{field}");
    }
    assert_eq!(json["termination"], "iteration-limit");
    assert_eq!(json["weights"].to_string(), r#"{"B":1.5,"A":-3}"#);
    assert_eq!((&json["format"], &json["tuner"]), (&1.into(), &"".into()));
    assert_eq!(json["prior_choice"]["by"], "evidence");
    assert_eq!(json["judgement"]["verdict"], "better");
    let first = &json["judgement"]["weights"][0];
    assert_eq!(
        (&first["status"], &first["advice"]),
        (&"fitted".into(), &"keep".into())
    );
    let bin = &json["examined"]["calibration"]["before"]["tables"][0]["bins"][0];
    assert_eq!(bin["label"], "0 to 10");
}

#[test]
fn a_record_of_a_later_format_or_of_none_is_refused() {
    let mut json: serde_json::Value = serde_json::from_str(&text(&bare())).unwrap();
    json.as_object_mut().unwrap().remove("format").unwrap();
    let error = RunRecord::from_json(&json.to_string()).unwrap_err();
    assert!(
        error.to_string().contains("missing field `format`"),
        "{error}"
    );
    json["format"] = (RUN_FORMAT + 1).into();
    json["passes"] = "of another kind".into();
    let error = RunRecord::from_json(&json.to_string()).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("format 2 of a summary, expected 1"),
        "{error}"
    );
}

#[test]
fn the_verdict_has_the_words_of_the_judge() {
    for (verdict, held_out) in [
        (FitVerdict::Better, Some(difference(-0.0033, 0.0005))),
        (FitVerdict::WithinNoise, Some(difference(0.0001, 0.0005))),
        (FitVerdict::Worse, Some(difference(0.0033, 0.0005))),
        (FitVerdict::NotJudged, None),
    ] {
        let mut record = bare();
        record.verdict = verdict;
        record.judgement = judgement(verdict);
        record.judgement.held_out = held_out;
        record.judgement.advice = Some("more games would tell more".to_owned());
        let first = terminal(&record, 200);
        let said = record.judgement.words();
        assert!(
            first.lines().zip(&said).all(|(shown, said)| shown == said),
            "{first}"
        );
        assert!(said.len() > 1);
    }
}

#[test]
fn what_positions_say_is_read_as_it_was_written() {
    let mut sums = [0, 1].map(|_| CalibrationSums::new(1));
    for game in 0..100 {
        let row = ScoredRow {
            game,
            weight: 1.0,
            outcome: f64::from(u8::from(game % 4 > 0)),
            score: 80.0,
            expectation: 0.62,
        };
        sums[0].add(&row, &[Some(3)]);
        sums[1].add(&row, &[None]);
    }
    let feature = CalibrationFeature {
        name: "phase",
        label: |bin| format!("<b>{bin}"),
    };
    let [before, after] = sums.map(|sums| sums.calibration(&[feature]));
    let calibration = Calibration {
        held_out: true,
        positions: 100,
        before,
        after,
    };
    let mut written = bare();
    written.examined.calibration = calibration;
    let record = RunRecord::from_json(&text(&written)).unwrap();
    let read = &record.examined.calibration;
    assert_eq!((read.held_out, read.positions), (true, 100));
    let bin = &read.before.tables[1].bins[0];
    assert_eq!((bin.label.as_str(), bin.games), ("<b>3", 100));
    assert!(read.after.tables[1].bins.is_empty());
    let bin = &read.after.tables[0].bins[0];
    assert!((bin.means.residual - 0.13).abs() < 1e-12 && bin.stands_out);
    assert!(bin.reach.is_some_and(|reach| reach > 0.08 && reach < 0.09));
    let page = html(&record);
    assert!(page.contains("Expected calibration error 0.1300 → 0.1300"));
    assert!(
        page.contains("0.7500 ± 0.086") && page.contains("more than chance"),
        "{page}"
    );
}

#[test]
fn unknown_fields_are_no_mistake_and_missing_ones_are() {
    let mut json: serde_json::Value = serde_json::from_str(&text(&bare())).unwrap();
    json["new_field"] = serde_json::json!({ "deep": [1, { "x": null }] });
    assert!(RunRecord::from_json(&json.to_string()).is_ok());
    json["judgement"]["verdict"] = "splendid".into();
    let error = RunRecord::from_json(&json.to_string()).unwrap_err();
    assert!(error.to_string().contains("splendid"), "{error}");
    let error = RunRecord::from_json("{}").unwrap_err();
    assert!(
        error.to_string().contains("missing field `format`"),
        "{error}"
    );
}

#[test]
fn a_damaged_record_is_an_error_with_its_place() {
    let place = |text: &str| match RunRecord::from_json(text) {
        Err(RunRecordError::Damaged { location, why }) => {
            assert!(!why.contains(" at line ") && !why.is_empty(), "{why}");
            (location.line, location.column)
        }
        other => unreachable!("{other:?}"),
    };
    assert_eq!(place("{\n  \"error\": \"much\"\n}"), (2, 17));
    assert_eq!(place("{\"weights\": {\"A\": 1"), (1, 19));
    assert_eq!(place("{\n\"weights\": [1]}").0, 2);
    assert_eq!(place("{\"k\": 1e999}").0, 1);
    assert_eq!(place("\n []"), (2, 2));
    assert_eq!(place("").0, 1);
    assert_eq!(place("{} x").0, 1);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("summary.json");
    let missing = RunRecord::read(&file).unwrap_err();
    assert!(matches!(missing, RunRecordError::Io { .. }), "{missing}");
    std::fs::write(&file, b"{\"loss\": \"\xff\"}").unwrap();
    let damaged = RunRecord::read(&file).unwrap_err().to_string();
    assert!(damaged.contains("summary.json:1:"), "{damaged}");
}

#[test]
fn a_page_of_many_weights_is_cut_and_says_so() {
    let boards = (0..24_000).map(|n| format!("KPP[{}][{}]", n / 64, n % 64));
    let line = (0..24_000).map(|n| format!("feature[{n}]"));
    let single = (0..24_000).map(|n| format!("S{n}"));
    let odd = (0..24_000).map(|n| format!("A[{n}][{}]", n % 7));
    let lengthy = (0..24_000).map(|n| format!("{}\"<{n}", "&".repeat(60)));
    let all: [Vec<String>; 5] = [
        boards.collect(),
        line.collect(),
        single.collect(),
        odd.collect(),
        lengthy.collect(),
    ];
    for names in all {
        let mut record = run(&names);
        let group = record.judgement.groups[0].clone();
        record.judgement.groups = vec![group; 24_000];
        let solver = &mut record.solver.summary;
        solver.unseen.clone_from(&names);
        let iteration = solver.records[1].clone();
        solver.records = vec![iteration; 24_000];
        let page = html(&record);
        assert!(page.len() < 2_000_000, "{}: {}", names[0], page.len());
        let missing = ["are not drawn", "the file that this page is made of"];
        assert!(
            missing.iter().any(|sentence| page.contains(sentence)),
            "{}",
            names[0]
        );
        assert!(compare(&record, &record).len() < 200_000);
    }
}

#[test]
fn values_by_name_are_read_in_their_order_and_each_name_once() {
    let read = |text| serde_json::from_str::<NamedValues>(text).map_err(|e| e.to_string());
    let names = ["b", "a"].map(str::to_owned);
    let values = NamedValues::new(&names, &[1.0, -0.5]);
    assert_eq!(read(r#"{"b": 1, "a": -0.5}"#), Ok(values));
    for (text, words) in [
        (r#"{"a": 1, "b": 2, "a": 3}"#, "a is there twice"),
        (r#"{"a": "x"}"#, "a is \"x\"; expected a number"),
        ("3", "expected a map"),
    ] {
        let found = read(text).unwrap_err();
        assert!(found.contains(words), "{found}");
    }
}

#[test]
fn an_infinite_end_of_an_interval_has_its_sign() {
    let interval = |low, high| {
        let standing = StandingRecord {
            elo_interval: Some([low, high]),
            ..StandingRecord::default()
        };
        standing.interval_text()
    };
    let expected = |text: &str| Some(text.to_owned());
    assert_eq!(interval(None, Some(-120.0)), expected("-∞ to -120.0"));
    assert_eq!(interval(Some(477.25), None), expected("+477.2 to ∞"));
    assert_eq!(StandingRecord::default().interval_text(), None);
}
