//! Games of the engine from outside: self-play, matches, noisy positions.

use std::fs;

use crate::shogi::support::json;

#[test]
fn a_table_of_games_depends_on_the_seed_and_is_read_by_fit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let small = "--games 12 --nodes 150 --seed 4";
    let found = json(path, &format!("selfplay one.tsv.zst {small} --threads 1"));
    assert_eq!(found["games"], 12);
    let results = ["wins", "draws", "losses"].map(|name| found[name].as_u64().unwrap());
    assert_eq!(results.iter().sum::<u64>(), 12);
    json(path, &format!("selfplay two.tsv.zst {small} --threads 2"));
    let read = |name: &str| fs::read(path.join(name)).unwrap();
    assert_eq!(read("one.tsv.zst"), read("two.tsv.zst"));

    let checked = json(path, "check one.tsv.zst --differences 2");
    assert_eq!(checked["positions"], found["positions"]);
    assert_eq!(
        (&checked["mismatches"], &checked["rejected"]),
        (&0.into(), &0.into())
    );
    let fit = json(path, "fit one.tsv.zst --exact --out run");
    assert!(fit["iterations"].as_u64().unwrap() > 1);
    let code = fs::read_to_string(path.join("run/tuned_weights.rs")).unwrap();
    assert!(code.contains("pub const PAWNS_IN_HAND: [S; 19]"));
}

#[test]
fn better_weights_win_and_the_test_ends_the_match() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    // Weights that lose: pieces on the board are worth a pawn.
    let kinds = ["lance", "knight", "silver", "gold", "bishop", "rook"];
    let lines = kinds.map(|kind| format!("MATERIAL[{kind}].mg 90\nMATERIAL[{kind}].eg 90\n"));
    fs::write(path.join("bad.txt"), lines.concat()).unwrap();
    let args = "match source bad.txt --nodes 120 --games 200 --sprt 0,50 --elo-model logistic";
    let found = json(path, &format!("{args} --threads 1"));
    assert_eq!(found["verdict"], "passed", "{found}");
    assert!(found["games"].as_u64().unwrap() < 200, "{found}");
    assert_eq!(json(path, &format!("{args} --threads 2")), found);
    // The twin at the weights of the source plays the same moves.
    let same = json(
        path,
        "match source spec --nodes 100 --games 8 --records kif",
    );
    let files = fs::read_dir(path.join("kif")).unwrap();
    let mut positions = 0;
    for file in files {
        let file = file.unwrap().path();
        assert!(file.extension().is_some_and(|ending| ending == "kif"));
        let found = json(path, &format!("data profile {}", file.display()));
        assert_eq!(found["rejected"], 0, "{found}");
        positions += found["positions"].as_u64().unwrap();
    }
    assert!(positions > 400, "{positions}");
    assert_eq!(same["pairs"], serde_json::json!([0, 0, 4, 0, 0]));
}

/// A pawn that captures a silver, a rook under attack, and a quiet position.
const NOISY: &str = "sfen\tresult\n\
    4k4/9/9/4s4/4P4/9/9/9/4K4 b - 1\t1-0\n\
    4k4/9/9/4r4/3PP4/9/9/9/4K4 b 2p 1\t0-1\n\
    4k4/9/9/9/9/9/4P4/9/4K4 b - 1\t1/2-1/2\n";

#[test]
fn noisy_positions_are_traced_where_quiescence_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("noisy.tsv"), NOISY).unwrap();
    let plain = json(path, "check noisy.tsv");
    assert_eq!(plain["resolved"], 0);
    let resolved = json(path, "check noisy.tsv --resolve qsearch");
    assert_eq!(
        (&resolved["positions"], &resolved["mismatches"]),
        (&3.into(), &0.into())
    );
    assert_eq!(resolved["resolved"], 2);
    json(
        path,
        "selfplay g.tsv --games 40 --nodes 60 --with-checks --with-captures --with-noise",
    );
    let fit = json(path, "fit g.tsv --resolve qsearch --retrace 2 --exact");
    assert!(fit["iterations"].as_u64().unwrap() > 2);
}
