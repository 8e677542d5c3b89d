//! Records of this version, of older ones, and damaged ones.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use tuner_judge::{
    Advice, Calibration, CalibrationFeature, CalibrationSums, ErrorDifference, FitVerdict,
    GroupStatement, Judgement, NoiseShare, ScoredRow, WeightEstimate, WeightStatement,
    WeightStatus, Worth,
};
use tuner_report::{RunRecord, RunRecordError, Word, html, terminal};

fn judgement(verdict: FitVerdict, held_out: Option<ErrorDifference>) -> Judgement {
    let weight = |name: &str, status, advice| WeightStatement {
        name: name.to_owned(),
        status,
        before: 10.0,
        value: 14.0,
        standard_error: Some(1.5),
        data: Some(WeightEstimate {
            value: 14.25,
            standard_error: 2.0,
        }),
        p_zero: Some(0.001),
        p_change: Some(0.03),
        changed: true,
        advice,
        games: 77,
    };
    let worth = Worth {
        fitted: 1e-4,
        expected: 5e-5,
        standard_error: 2e-5,
    };
    Judgement {
        verdict,
        held_out,
        fitted: held_out,
        noise: Some(NoiseShare {
            observed: Some(0.25),
            observed_error: Some(0.125),
            predicted: Some(0.5),
        }),
        games_known: true,
        game_by_game: false,
        games: 500,
        clusters: 499,
        without_errors: None,
        approximate_curvature: false,
        reach: Some(1.96),
        determined: Some(2.5),
        tables: Vec::new(),
        frozen: Vec::new(),
        weights: vec![
            weight("A[0]", WeightStatus::Fitted, Some(Advice::Keep)),
            weight("A[1]", WeightStatus::Frozen, None),
            weight("A[2]", WeightStatus::Unseen, Some(Advice::Unclear)),
            weight("A[3]", WeightStatus::Separated, Some(Advice::Drop)),
            weight("A[4]", WeightStatus::AtBound, None),
        ],
        groups: vec![GroupStatement {
            name: "A".to_owned(),
            fitted: 3,
            weights: 5,
            p_zero: Some(0.5),
            p_change: None,
            advice: Some(Advice::Unclear),
            worth_of_change: None,
            worth: Some(worth),
        }],
        directions: Vec::new(),
        undetermined: vec!["adding 10 to A and taking 10 from B changes no score".to_owned()],
        correlated: Vec::new(),
    }
}

fn written(judgement: &Judgement) -> RunRecord {
    let mut summary = serde_json::json!({ "judgement": judgement });
    summary["judgement"]["advice"] = serde_json::json!(judgement.advice());
    RunRecord::from_json(&summary.to_string()).unwrap()
}

#[test]
fn a_judgement_is_read_as_it_was_written() {
    let difference = ErrorDifference {
        before: 0.103,
        after: 0.0997,
        difference: -0.0033,
        standard_error: 0.0005,
        games: 50,
    };
    let record = written(&judgement(FitVerdict::Better, Some(difference)));
    let read = record.judgement.unwrap();
    let held_out = read.held_out.unwrap();
    assert_eq!((held_out.before, held_out.games), (Some(0.103), Some(50)));
    let statuses: Vec<Word> = read.weights.iter().map(|weight| weight.status).collect();
    let all = [
        Word::Fitted,
        Word::Frozen,
        Word::Unseen,
        Word::Separated,
        Word::AtBound,
    ];
    assert_eq!(statuses, all);
    let advice: Vec<Option<Word>> = read.weights.iter().map(|weight| weight.advice).collect();
    let all = [
        Some(Word::Keep),
        None,
        Some(Word::Unclear),
        Some(Word::Drop),
        None,
    ];
    assert_eq!(advice, all);
    let weight = &read.weights[0];
    assert_eq!(
        (weight.name.as_str(), weight.value, weight.games),
        ("A[0]", Some(14.0), Some(77))
    );
    assert_eq!(weight.data.as_ref().unwrap().standard_error, Some(2.0));
    assert!(weight.changed && weight.standard_error == Some(1.5));
    let group = &read.groups[0];
    assert_eq!((group.fitted, group.p_zero), (Some(3), Some(0.5)));
    assert_eq!(group.worth.as_ref().unwrap().expected, Some(5e-5));
    assert_eq!((read.games, read.clusters), (Some(500), Some(499)));
    assert_eq!(read.noise.unwrap().predicted, Some(0.5));
}

#[test]
fn the_verdict_has_the_words_of_the_judge() {
    let difference = |difference: f64| ErrorDifference {
        before: 0.103,
        after: 0.103 + difference,
        difference,
        standard_error: 0.0005,
        games: 50,
    };
    for (verdict, held_out) in [
        (FitVerdict::Better, Some(difference(-0.0033))),
        (FitVerdict::WithinNoise, Some(difference(0.0001))),
        (FitVerdict::Worse, Some(difference(0.0033))),
        (FitVerdict::NotJudged, None),
    ] {
        let judgement = judgement(verdict, held_out);
        let record = written(&judgement);
        let first = terminal(&record, 200);
        assert_eq!(first.lines().next().unwrap(), judgement.headline());
        let advice = judgement.advice().unwrap_or("E is no Elo");
        assert_eq!(first.contains(advice), verdict != FitVerdict::Better);
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
    let text = serde_json::json!({ "examined": { "calibration": calibration } }).to_string();
    let record = RunRecord::from_json(&text).unwrap();
    let read = record
        .examined
        .as_ref()
        .unwrap()
        .calibration
        .as_ref()
        .unwrap();
    assert_eq!((read.held_out, read.positions), (Some(true), Some(100)));
    let bin = &read.before.tables[1].bins[0];
    assert_eq!((bin.label.as_str(), bin.games), ("<b>3", Some(100)));
    assert!(read.after.tables[1].bins.is_empty());
    let bin = &read.after.tables[0].bins[0];
    assert!((bin.residual.unwrap() - 0.13).abs() < 1e-12 && bin.stands_out);
    assert!(bin.reach.is_some_and(|reach| reach > 0.08 && reach < 0.09));
    let page = html(&record);
    assert!(page.contains("Expected calibration error 0.1300 → 0.1300"));
    assert!(
        page.contains("0.7500 ± 0.086") && page.contains("more than chance"),
        "{page}"
    );
}

#[test]
fn unknown_and_missing_fields_are_no_mistake() {
    let text = r#"{
        "new_field": {"deep": [1, {"x": null}]}, "error": null, "termination": {"pass-failed": "disk"},
        "solver": {"records": [{"iteration": 0}, {}]}, "weights": {"B": 1.5, "A": null},
        "judgement": {"verdict": "splendid", "weights": [{"name": "B", "status": "new", "data": {}}]}
    }"#;
    let record = RunRecord::from_json(text).unwrap();
    assert_eq!(record.termination(), Some("pass-failed"));
    assert_eq!(record.judgement.as_ref().unwrap().verdict, Word::Other);
    let order: Vec<&str> = record
        .weights
        .0
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(order, ["B", "A"]);
    assert!(html(&record).contains("not judged"));
    assert_eq!(RunRecord::from_json("{}").unwrap(), RunRecord::default());
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
    assert_eq!(place("{} x"), (1, 4));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("summary.json");
    let missing = RunRecord::read(&file).unwrap_err();
    assert!(matches!(missing, RunRecordError::Io { .. }), "{missing}");
    std::fs::write(&file, b"{\"loss\": \"\xff\"}").unwrap();
    let damaged = RunRecord::read(&file).unwrap_err().to_string();
    assert!(damaged.contains("summary.json:1:"), "{damaged}");
}
