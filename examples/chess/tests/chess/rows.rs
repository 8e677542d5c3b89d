//! Rows of positions within one process: traced again, reported on, changed meanwhile.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use chess_engine::evaluator::ChessEngine;
use tuner_core::engine::examine::{FittedPositions, fitted_positions};
use tuner_core::engine::{EngineRows, Evaluation, LinkedSpec, Positions};
use tuner_core::fit::model::Sigmoid;
use tuner_core::fit::run::{
    FinishedRun, FitRun, Init, PriorChoice, RetraceError, RowFacts, RowSource, RunConfig,
    weight_lines,
};
use tuner_core::fit::{parts, rows_with_changed_branch};
use tuner_core::rows::{TraceSet, Traces};
use tuner_core::spec::Spec;

/// The positions that come with the example.
const DATA: &[u8] = include_bytes!("../../data/selfplay.tsv.zst");

fn first_lines(count: usize) -> String {
    let all = String::from_utf8(zstd::decode_all(DATA).unwrap()).unwrap();
    let lines: Vec<&str> = all.lines().take(count).collect();
    lines.join("\n")
}

fn evaluation() -> Evaluation {
    Evaluation::playing(ChessEngine).unwrap()
}

fn linked(evaluation: &Evaluation) -> LinkedSpec {
    let spec = include_str!("../../../../specs/chess.toml");
    let spec = Spec::parse("specs/chess.toml".as_ref(), spec).unwrap();
    LinkedSpec::new(evaluation.weights(), spec).unwrap()
}

#[test]
fn rows_of_changed_branches_are_those_of_all_positions_traced_again() {
    let evaluation = &evaluation();
    let linked = linked(evaluation);
    let some: &'static str = first_lines(40_000).leak();
    let positions = || Positions::embedded("selfplay.tsv", some.as_bytes());
    let mut rows = EngineRows::read(evaluation, &linked, positions()).unwrap();
    // Far enough for the sides that are ahead to be others.
    let values = linked.link.values().iter().zip(0..);
    let values = values.map(|(weight, leaf)| weight + f64::from(leaf * 37 % 61 - 30));
    let values: Vec<f64> = values.collect();
    let mut weights = vec![0.0; values.len()];
    for (weight, &value) in linked.link.weights().iter().zip(&values) {
        weights[weight.index()] = value;
    }
    let mut lanes = vec![0.0; 2 * linked.spec.layout().slots()];
    for (lane, &value) in linked.link.lanes().iter().zip(&values) {
        lanes[lane.index()] = value;
    }
    let scores = |set: &TraceSet| -> Vec<f64> {
        let mut scores = vec![f64::NAN; set.len()];
        for row in set.rows(0..set.len()) {
            scores[set.pushed_as(row.index)] = row.score(&lanes);
        }
        scores
    };
    let before = rows.rows().in_memory().unwrap().clone();
    let before = &before;
    let changed = rows_with_changed_branch(before, &lanes).len();
    assert!(changed > 100 && changed < before.len() / 2, "{changed}");
    let before = scores(before);
    let again = scores(&rows.retrace(&weights).unwrap());
    let positions = positions();
    let all = (positions.tracing(evaluation, &linked.link, &values)).collect(0);
    let all = all.unwrap().traces;
    // Where branches meet, rounding to integers decides, which rows do not know.
    let edges = rows_with_changed_branch(&all, &lanes).into_iter();
    let edges: BTreeSet<usize> = edges.map(|row| all.pushed_as(row)).collect();
    assert!(edges.len() < changed / 4, "{} of {changed}", edges.len());
    let all = scores(&all);
    let differ = |a: &[f64], b: &[f64]| -> BTreeSet<usize> {
        let pairs = a.iter().zip(b).enumerate();
        let differ = pairs.filter(|(_, (a, b))| (*a - *b).abs() > 1e-6);
        differ.map(|(number, _)| number).collect()
    };
    let wrong = differ(&again, &all);
    assert!(wrong.is_subset(&edges), "{wrong:?}");
    assert!(differ(&before, &all).len() > changed / 10);
}

/// The scores of all positions at weights by the spec, as they are traced there.
fn scores_at(
    evaluation: &Evaluation,
    linked: &LinkedSpec,
    positions: &Positions,
    weights: &[f64],
) -> Vec<f64> {
    let of_leaf = linked.link.weights().iter();
    let values: Vec<f64> = of_leaf.map(|weight| weights[weight.index()]).collect();
    let mut lanes = vec![0.0; 2 * linked.spec.layout().slots()];
    for (lane, &value) in linked.link.lanes().iter().zip(&values) {
        lanes[lane.index()] = value;
    }
    let traced = (positions.tracing(evaluation, &linked.link, &values))
        .collect(0)
        .unwrap();
    let mut scores = vec![f64::NAN; traced.traces.len()];
    for row in traced.traces.rows(0..traced.traces.len()) {
        scores[traced.traces.pushed_as(row.index)] = row.score(&lanes);
    }
    scores
}

#[test]
fn a_fit_that_starts_elsewhere_begins_with_rows_from_there() {
    let evaluation = &evaluation();
    let linked = linked(evaluation);
    let variables = linked.variables().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let start = folder.path().join("start.txt");
    let weights: Vec<f64> = (linked.link.source_weights().iter().zip(0..))
        .map(|(weight, number)| weight + f64::from(number * 37 % 61 - 30))
        .collect();
    let lines = weight_lines(None, variables.names.iter().zip(weights.iter().copied()));
    fs::write(&start, lines).unwrap();
    let all = String::from_utf8(zstd::decode_all(DATA).unwrap()).unwrap();
    let some: Vec<&str> = all.lines().take(6000).collect();
    let file = folder.path().join("data.tsv");
    fs::write(&file, some.join("\n")).unwrap();
    let positions = Positions::of(evaluation, std::slice::from_ref(&file)).unwrap();
    let mut rows = EngineRows::read(evaluation, &linked, positions).unwrap();
    let mut config = RunConfig {
        init: Init::File(start),
        prior_choice: PriorChoice::Declared,
        max_retraces: 0,
        ..RunConfig::default()
    };
    config.settings.k = Some(1.0);
    config.settings.solver.iterations = 1;
    let run = FitRun::new(&variables, config, &mut ()).unwrap();
    let run = run.run(&mut rows, &mut ()).unwrap();
    assert_eq!(run.before, weights);
    // By the evaluation itself at these weights.
    let positions = Positions::of(evaluation, std::slice::from_ref(&file)).unwrap();
    let scores = scores_at(evaluation, &linked, &positions, &weights);
    let (_, held_out) = parts(run.settings.held_out);
    let sigmoid = Sigmoid::new(1.0);
    let (mut sum, mut count) = (0.0, 0.0);
    let rows = rows.rows().in_memory().unwrap();
    for row in rows.rows(0..rows.len()) {
        if held_out.unwrap().contains(row.game()) {
            let score = scores[rows.pushed_as(row.index)];
            sum += (sigmoid.expectation(score) - row.outcome()).powi(2);
            count += 1.0;
        }
    }
    let expected: f64 = sum / count;
    // Targets are blended with scores.
    let found = run.fit.against_results.unwrap().held_out_start.unwrap();
    assert!(
        (found - expected).abs() < 1e-4 * expected,
        "{found} {expected}"
    );
}

/// What the report of a run says of its positions, by tracing each at its weights.
fn assert_report(
    found: &FittedPositions,
    (evaluation, linked, positions): (&Evaluation, &LinkedSpec, &Positions),
    rows: &TraceSet,
    run: &FinishedRun<'_>,
    lines: &[&str],
) {
    let [before, after] = [&run.before, &run.fit.written]
        .map(|weights| scores_at(evaluation, linked, positions, weights));
    let sigmoid = Sigmoid::new(run.fit.k);
    let (_, held_out) = parts(run.settings.held_out);
    let mut examined: Vec<(f64, usize, u32)> = Vec::new();
    for row in rows.rows(0..rows.len()) {
        if held_out.unwrap().contains(row.game()) {
            let number = rows.pushed_as(row.index);
            let loss = (sigmoid.expectation(after[number]) - row.outcome()).powi(2);
            examined.push((loss, number, row.game()));
        }
    }
    assert_eq!(found.calibration.positions, examined.len() as u64);
    let profile = found.profile.as_ref().unwrap();
    assert_eq!(profile.results.positions, rows.len() as u64);
    examined.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut games = BTreeSet::new();
    examined.retain(|&(_, _, game)| games.insert(game));
    assert_eq!(found.worst.len(), 12);
    for (worst, &(loss, number, game)) in found.worst.iter().zip(&examined) {
        assert!((worst.loss - loss).abs() < 1e-12);
        assert_eq!(worst.game, Some(game));
        let line = lines[worst.line as usize - 1];
        assert!(line.starts_with(&worst.position), "{line}: {worst:?}");
        for (score, expected) in worst.scores.iter().zip([before[number], after[number]]) {
            assert!((score - expected).abs() < 1e-9, "{worst:?}");
        }
    }
}

#[test]
fn the_report_of_positions_is_that_of_positions_traced_at_its_weights() {
    let evaluation = &evaluation();
    let folder = tempfile::tempdir().unwrap();
    let some = first_lines(2500);
    let linked = linked(evaluation);
    let variables = linked.variables().unwrap();
    // With a blank line all lines are read again, else those in question.
    for blank in ["", "\n\n"] {
        let file = folder.path().join("data.tsv");
        let text = some.clone() + blank;
        fs::write(&file, &text).unwrap();
        let positions = || Positions::of(evaluation, std::slice::from_ref(&file)).unwrap();
        let mut rows = EngineRows::read(evaluation, &linked, positions()).unwrap();
        // So that rows are of another branch in the end.
        let config = RunConfig {
            resolve_every: None,
            ..RunConfig::default()
        };
        let run = FitRun::new(&variables, config, &mut ()).unwrap();
        let run = run.run(&mut rows, &mut ()).unwrap();
        let found = fitted_positions(&rows, &run).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let set = rows.rows().in_memory().unwrap().clone();
        assert_report(
            &found,
            (evaluation, &linked, &positions()),
            &set,
            &run,
            &lines,
        );
        fs::write(&file, text.replacen("1-0", "0-1", 1)).unwrap();
        let error = fitted_positions(&rows, &run).unwrap_err().to_string();
        assert!(error.contains("changed since"), "{error}");
    }
}

/// Rows whose file is changed before the positions are traced again.
struct ChangedMeanwhile<'a> {
    rows: EngineRows<'a>,
    file: PathBuf,
    text: String,
}

impl RowSource for ChangedMeanwhile<'_> {
    fn facts(&self) -> &RowFacts {
        self.rows.facts()
    }

    fn rows(&self) -> Traces<'_> {
        self.rows.rows()
    }

    fn can_retrace(&self) -> bool {
        self.rows.can_retrace()
    }

    fn retrace(&mut self, weights: &[f64]) -> Result<TraceSet, RetraceError> {
        fs::write(&self.file, &self.text)?;
        self.rows.retrace(weights)
    }
}

#[test]
fn data_that_change_during_a_fit_end_it() {
    let evaluation = &evaluation();
    let folder = tempfile::tempdir().unwrap();
    let all = zstd::decode_all(DATA).unwrap();
    let lines = String::from_utf8(all).unwrap();
    let text = |count| -> String { lines.split_inclusive('\n').take(count).collect() };
    let file = folder.path().join("data.tsv");
    let fit = |meanwhile: String| {
        fs::write(&file, text(3000)).unwrap();
        let linked = linked(evaluation);
        let positions = Positions::of(evaluation, std::slice::from_ref(&file)).unwrap();
        let mut rows = ChangedMeanwhile {
            rows: EngineRows::read(evaluation, &linked, positions).unwrap(),
            file: file.clone(),
            text: meanwhile,
        };
        let variables = linked.variables().unwrap();
        let config = RunConfig {
            resolve_every: Some(2),
            ..RunConfig::default()
        };
        let run = FitRun::new(&variables, config, &mut ()).unwrap();
        let end = run.run(&mut rows, &mut ());
        end.map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(fit(text(3000)), Ok(()));
    let turned = text(3000)
        .replace("1-0", "2-0")
        .replace("0-1", "1-0")
        .replace("2-0", "0-1");
    assert_ne!(turned, text(3000));
    for (meanwhile, now) in [
        (text(4000), "3999 now"),
        (turned, "2999 now, of other bytes"),
    ] {
        let error = fit(meanwhile).unwrap_err();
        let words =
            format!("data.tsv: changed since it was first read: 2999 positions then, {now};");
        assert!(error.contains(&words), "{error}");
    }
}
