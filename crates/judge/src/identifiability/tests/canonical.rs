//! Canonical weights have the same scores.

use super::*;
use crate::identifiability::canonical::CanonicalForm;

/// Boards of which the knight never is on square 3; the king has no value.
fn boards() -> Data {
    let pieces = ["knight", "bishop", "rook"];
    let mut slots = board(&pieces, 8);
    slots.extend((0..3).map(|square| format!("KING[{square}]")));
    let mut data = Data::new(slots);
    let (three, king) = (data.slot("PST[knight][3]"), data.slot("KING[0]"));
    data.push(2000, |rng, counts| {
        place(rng, counts, 3, 8);
        counts[0] -= std::mem::take(&mut counts[three]);
        counts[king + rng.random_range(0..3)] += 1;
        counts[king + rng.random_range(0..3)] -= 1;
    });
    data
}

/// Values of hundreds, tables around 25.
fn weights(data: &Data) -> Vec<i64> {
    let value = |(weight, name): (usize, &String)| {
        if name.starts_with("MATERIAL") {
            300 + 20 * weight as i64
        } else {
            25 + (weight as i64 * 37) % 41 - 20
        }
    };
    data.names().iter().enumerate().map(value).collect()
}

fn mean(data: &Data, weights: &[i64], table: &str, phase: &str) -> f64 {
    let names = data.names();
    let members: Vec<i64> = (names.iter().zip(weights))
        .filter(|(name, _)| name.starts_with(table) && name.ends_with(phase))
        .map(|(_, &weight)| weight)
        .collect();
    members.iter().sum::<i64>() as f64 / members.len() as f64
}

fn scores(data: &Data, reduction: &Reduction, weights: &[i64]) -> Vec<f64> {
    let reals: Vec<f64> = weights.iter().map(|&weight| weight as f64).collect();
    let lanes = reduction.lanes_of(&reals);
    (0..data.set.len())
        .map(|row| data.set.score(row, &lanes))
        .collect()
}

fn assert_same_scores(data: &Data, reduction: &Reduction, before: &[i64], after: &[i64]) {
    let pairs = scores(data, reduction, before)
        .into_iter()
        .zip(scores(data, reduction, after));
    for (before, after) in pairs {
        assert!((before - after).abs() < 1e-9, "{before} {after}");
    }
}

fn canonical_of(data: &Data, reduction: &Reduction, weights: &[i64]) -> CanonicalForm {
    let found = data.directions_of(reduction, &somewhere(reduction.variables()));
    crate::identifiability::canonical(&found, data.rows(), reduction, weights, &data.names())
        .unwrap()
}

#[test]
fn means_go_into_values_and_scores_stay() {
    let (data, reduction) = (boards(), boards().reduction());
    let before = weights(&data);
    let form = canonical_of(&data, &reduction, &before);
    assert_eq!((form.moved.len(), form.left_out.len()), (6, 0), "{form:#?}");
    assert_same_scores(&data, &reduction, &before, &form.weights);
    for table in ["PST[knight]", "PST[bishop]", "PST[rook]"] {
        for phase in ["mg", "eg"] {
            assert!(mean(&data, &before, table, phase) > 10.0);
            // Of square 3 too, on which no knight was.
            assert!(
                mean(&data, &form.weights, table, phase).abs() <= 0.5,
                "{table}.{phase}"
            );
        }
    }
    let amount = form.weights[0] - before[0];
    assert!(amount > 0);
    assert_eq!(
        form.moved[0],
        format!("{amount} taken from each PST[knight].mg, {amount} added to MATERIAL[knight].mg")
    );
    // Kings stay: their mean goes nowhere.
    let king = 2 * data.slot("KING[0]");
    assert_eq!(form.weights[king..], before[king..]);
    // Once is enough.
    let again = canonical_of(&data, &reduction, &form.weights);
    assert_eq!((again.weights, again.moved.len()), (form.weights, 0));
}

#[test]
fn bounds_ties_and_frozen_weights_are_respected() {
    let data = boards();
    let mut before = weights(&data);
    let names = data.names();
    let weight = |name: &str| names.iter().position(|other| other == name).unwrap();
    // The value of the rook is frozen; that of the bishop is bounded; a weight
    // that nothing reads follows the knight's value by half.
    let bounds = [(
        "MATERIAL[bishop].mg",
        (0.0, before[weight("MATERIAL[bishop].mg")] as f64),
    )];
    let frozen = [
        "MATERIAL[rook].mg",
        "MATERIAL[rook].eg",
        "PST[knight][3].mg",
    ];
    let ties = [("PST[knight][3].eg", "MATERIAL[knight].eg", 0.5)];
    let reduction = data.reduction_with(&frozen, &ties, &bounds);
    before[weight("PST[knight][0].eg")] += 8; // an odd mean
    let form = canonical_of(&data, &reduction, &before);
    assert_same_scores(&data, &reduction, &before, &form.weights);
    for name in frozen {
        assert_eq!(form.weights[weight(name)], before[weight(name)], "{name}");
    }
    let (moved, left) = (&form.moved, &form.left_out);
    assert!(moved[0].contains("each fitted PST[knight].mg"), "{moved:?}");
    let is_moved = |table: &str| moved.iter().any(|mean| mean.contains(table));
    assert!(is_moved("each PST[bishop].eg"), "{moved:?}");
    assert!(!is_moved("rook"), "{moved:?}");
    assert!(
        left.iter()
            .any(|words| words.contains("PST[bishop].mg")
                && words.contains("outside its bounds 0 to")),
        "{left:?}"
    );
    let half = form.weights[weight("PST[knight][3].eg")] - before[weight("PST[knight][3].eg")];
    let value = form.weights[weight("MATERIAL[knight].eg")] - before[weight("MATERIAL[knight].eg")];
    assert_eq!(2 * half, value, "{left:?}");
}

#[test]
fn what_the_reduction_fixes_or_rows_object_to_is_left_out() {
    let (data, reduction) = (boards(), boards().reduction());
    let before = weights(&data);
    let found = data.directions();
    // The value of the bishop is fixed since.
    let fixed = data.reduction_with(&["MATERIAL[bishop].mg"], &[], &[]);
    let form =
        crate::identifiability::canonical(&found, data.rows(), &fixed, &before, &data.names())
            .unwrap();
    assert_eq!((form.moved.len(), form.left_out.len()), (5, 1));
    let words = &form.left_out[0];
    assert!(
        words.ends_with(": MATERIAL[bishop].mg is frozen"),
        "{words}"
    );
    // Other rows than those that the directions were found on.
    let mut others = boards();
    let mut counts = vec![0; others.slots.len()];
    counts[0] = 1;
    others.push_row([1.0, 0.0], &counts, 0.0);
    let form = crate::identifiability::canonical(
        &found,
        others.rows(),
        &reduction,
        &before,
        &data.names(),
    )
    .unwrap();
    assert_eq!((form.moved.len(), form.left_out.len()), (5, 1));
    let mean = &form.left_out[0];
    let (amount, _) = mean.split_once(" added to MATERIAL[knight].mg").unwrap();
    let (_, amount) = amount.rsplit_once(' ').unwrap();
    let reason = format!(": a score would change by {amount}");
    assert!(mean.ends_with(&reason), "{mean}");
    assert_eq!(form.weights[0], before[0]);
}
