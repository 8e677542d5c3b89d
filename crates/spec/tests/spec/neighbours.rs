//! Which weights of a table a smoothness prior makes neighbours.

use std::collections::BTreeSet;
use std::path::Path;

use tuner_spec::Spec;

fn spec(keys: &str) -> Spec {
    let text = format!("version = 1\nname = \"a\"\n[[parameter]]\nname = \"A\"\n{keys}\n");
    Spec::parse(Path::new("f"), &text).unwrap()
}

/// Pairs of neighbours by name.
fn pairs(keys: &str) -> BTreeSet<[String; 2]> {
    let spec = spec(&format!("initial = 0\n{keys}"));
    let layout = spec.layout();
    let found = layout.parameters()[0].neighbours();
    let named: BTreeSet<[String; 2]> = found
        .iter()
        .map(|pair| pair.map(|weight| layout.name(weight)))
        .collect();
    assert_eq!(named.len(), found.len(), "each pair once");
    named
}

/// The pairs of a board by their definition.
fn board(
    rows: usize,
    columns: usize,
    name: impl Fn(usize, usize) -> String,
) -> BTreeSet<[String; 2]> {
    let mut all = BTreeSet::new();
    for row in 0..rows {
        for column in 0..columns {
            for (r, c) in [(row + 1, column), (row, column + 1)] {
                if r < rows && c < columns {
                    all.insert([name(row, column), name(r, c)]);
                }
            }
        }
    }
    all
}

#[test]
fn neighbours_are_those_of_the_board() {
    let smooth = |shape: &str, axis: &str| {
        pairs(&format!(
            "shape = {shape}\nsmooth = {{ deviation = 3, {axis} }}"
        ))
    };
    for (rows, columns) in [(8, 8), (9, 9), (3, 5), (1, 4), (4, 2)] {
        let flat = smooth(
            &format!("[{}]", rows * columns),
            &format!("axis = 0, width = {columns}"),
        );
        assert_eq!(
            flat,
            board(rows, columns, |r, c| format!("A[{}]", r * columns + c))
        );
        let nested = smooth(&format!("[{rows}, {columns}]"), "axis = [0, 1]");
        assert_eq!(nested, board(rows, columns, |r, c| format!("A[{r}][{c}]")));
    }
    assert_eq!(smooth("[8, 8]", "axis = 0").len(), 56);
    assert_eq!(smooth("[5]", "axis = 0").len(), 4);
    assert!(pairs("shape = [64]").is_empty());
}

#[test]
fn each_phase_and_each_table_is_smoothed_by_itself() {
    let found = pairs(
        "shape = [2, 64]\nphases = [\"mg\", \"eg\"]\n\
         smooth = { deviation = 3, axis = 1, width = 8 }",
    );
    assert_eq!(found.len(), 2 * 2 * 112);
    let mut expected = BTreeSet::new();
    for table in 0..2 {
        for phase in ["mg", "eg"] {
            expected.extend(board(8, 8, |r, c| {
                format!("A[{table}][{}].{phase}", 8 * r + c)
            }));
        }
    }
    assert_eq!(found, expected);
}

#[test]
fn the_hash_tells_the_prior() {
    let of = |keys: &str| {
        let spec = spec(&format!("shape = [64]\ninitial = 0\n{keys}"));
        spec.hash().to_owned()
    };
    let all = [
        "",
        "prior = 3",
        "prior = 4",
        "smooth = { deviation = 3, axis = 0 }",
        "smooth = { deviation = 4, axis = 0 }",
        "smooth = { deviation = 3, axis = 0, width = 8 }",
    ];
    let hashes: BTreeSet<String> = all.iter().map(|keys| of(keys)).collect();
    assert_eq!(hashes.len(), all.len());
    let parameter = &spec("initial = 0\nprior = 3").layout().parameters()[0].clone();
    assert!(parameter.prior.is_some_and(|d| (d - 3.0).abs() < 1e-12));
}

#[test]
fn a_pool_holds_the_entries_along_its_axis_within_a_phase() {
    let keys = "phases = [\"mg\", \"eg\"]\nshape = [2, 3]\ninitial = 0\npool = { axis = 1 }";
    let spec = spec(keys);
    let layout = spec.layout();
    let sets = layout.parameters()[0].pooled();
    let names = |set: &Vec<_>| -> Vec<String> { set.iter().map(|&w| layout.name(w)).collect() };
    let sets: Vec<Vec<String>> = sets.iter().map(names).collect();
    let expected = [(0, "mg"), (0, "eg"), (1, "mg"), (1, "eg")]
        .map(|(row, phase)| [0, 1, 2].map(|entry| format!("A[{row}][{entry}].{phase}")));
    assert_eq!(sets, expected);
    let declared = |pool: &str| {
        let names = "[names]\nbucket = [\"near\", \"far\"]\n[[parameter]]\nname = \"B\"";
        let more = format!("initial = 0\n{names}\nshape = [\"bucket\", 4]\ninitial = 0\n{pool}");
        self::spec(&more).layout().parameters()[1].clone()
    };
    let named = declared("pool = { axis = \"bucket\", deviation = 2.5 }");
    assert_eq!(named.pooled(), declared("pool = { axis = 0 }").pooled());
    assert_eq!(named.pooled().len(), 4);
    assert_eq!(named.pool.unwrap().deviation, Some(2.5));
    assert_eq!(declared("").pooled().len(), 0);
}
