//! The positions that come with the engine, and fits on them.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::fs;

use shogi_engine::eval::evaluate;
use shogi_engine::evaluator::ShogiEngine;
use tuner_core::engine::{Evaluation, Link};
use tuner_core::spec::Spec;
use tuner_shogi::{Color, Position};

use crate::examples::root;
use crate::shogi::support::{DATA, json};

/// The rows of the table: SFEN, result, search score, game, ply.
fn rows() -> Vec<Vec<String>> {
    let text = String::from_utf8(zstd::decode_all(DATA).unwrap()).unwrap();
    let row = |line: &str| line.split('\t').map(str::to_owned).collect();
    text.lines().skip(1).map(row).collect()
}

fn spec() -> Spec {
    Spec::load(&root().join("specs/shogi.toml")).unwrap()
}

#[test]
fn counts_are_those_of_the_readme() {
    let rows = rows();
    let games: HashSet<&str> = rows.iter().map(|row| &*row[3]).collect();
    assert!(rows.len() >= 50_000 && games.len() >= 4_000);
    assert!(DATA.len() <= 3_000_000);
    let readme = fs::read_to_string(root().join("examples/shogi/data/README.md")).unwrap();
    let mut results: BTreeMap<&str, HashSet<&str>> = BTreeMap::new();
    for row in &rows {
        results.entry(&row[1]).or_default().insert(&row[3]);
    }
    let of = |result| results.get(result).map_or(0, HashSet::len);
    for number in [rows.len(), games.len(), of("1-0"), of("0-1"), of("1/2-1/2")] {
        let digits = number.to_string();
        let split = digits.len().saturating_sub(3);
        let written = match digits.split_at(split) {
            ("", all) => all.to_owned(),
            (thousands, rest) => format!("{thousands},{rest}"),
        };
        assert!(readme.contains(&written), "README.md without {written}");
    }
}

#[test]
fn the_registry_links_with_the_spec_at_its_values() {
    let spec = spec();
    let layout = spec.layout();
    let evaluation = Evaluation::playing(ShogiEngine).unwrap();
    let link = Link::new(evaluation.weights(), layout).unwrap();
    assert_eq!(link.source_weights(), layout.initial());
    assert!((1_000..=3_000).contains(&layout.initial().len()));
}

#[test]
fn the_trace_agrees_on_every_position() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("selfplay.tsv.zst"), DATA).unwrap();
    let found = json(folder.path(), "check selfplay.tsv.zst");
    assert_eq!(found["positions"], rows().len());
    assert_eq!(found["mismatches"], 0);
    assert_eq!(found["derivatives_wrong"], 0);
    assert!(found["derivatives"].as_u64().unwrap() > 100_000);
}

/// Weights that a fit has to return to the spec's values: of every kind, read by
/// many positions, and not determined by others.
const MOVED: [(&str, i32); 14] = [
    ("TEMPO.mg", 60),
    ("TEMPO.eg", -40),
    ("HANGING[silver].mg", 0),
    ("HANGING[pawn].eg", 90),
    ("THREAT_BY_PAWN[silver].mg", 0),
    ("PINNED[silver].eg", 120),
    ("CASTLE[mino].mg", 90),
    ("KING_ATTACKER[gold]", 0),
    ("KING_RING_ATTACK[dragon]", 5),
    ("WEAK_RING", 45),
    ("ESCAPES[0]", 10),
    ("HAND_ATTACKER[gold]", 5),
    ("HAND_ATTACKER[silver]", 90),
    ("DROP_CHECK[rook]", 0),
];

/// Results are the expectation at the evaluation itself, so that the weights
/// of the spec are the optimum but for the rounding of scores.
#[test]
fn known_weights_are_recovered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut table = String::from("sfen\tresult\tscore_cp\tgame\n");
    for row in rows().iter().step_by(7).take(10_000) {
        let pos = Position::from_sfen(&row[0]).unwrap();
        let score = match pos.turn() {
            Color::Sente => evaluate(&pos),
            Color::Gote => -evaluate(&pos),
        };
        writeln!(table, "{}\t{}\t{score}\t{}", row[0], row[1], row[3]).unwrap();
    }
    fs::write(path.join("expected.tsv"), table).unwrap();
    let moved = MOVED.map(|(name, value)| format!("{name} {value}\n"));
    fs::write(path.join("moved.txt"), moved.concat()).unwrap();
    let found = json(
        path,
        "fit expected.tsv --freeze PST --init moved.txt --lambda 0 --k 0.4 --score-k 0.4 --prior none --differences 0 --retrace 6",
    );
    assert!(
        found["error"].as_f64().unwrap() < 1e-6,
        "{}",
        found["error"]
    );
    let weights = found["weights"].as_object().unwrap();
    let spec = spec();
    let mut off = Vec::new();
    for (name, moved) in MOVED {
        let mut weights_of_spec = spec.layout().weight_ids();
        let weight = weights_of_spec.find(|&weight| spec.layout().name(weight) == name);
        let expected = spec.layout().initial()[weight.unwrap().index()];
        let fitted = weights[name].as_f64().unwrap();
        assert!(
            (expected - f64::from(moved)).abs() > 15.0,
            "{name} was not moved"
        );
        if (fitted - expected).abs() > 2.0 {
            off.push(format!("{name}: {fitted}, expected {expected}"));
        }
    }
    assert!(off.is_empty(), "\n{}", off.join("\n"));
}
