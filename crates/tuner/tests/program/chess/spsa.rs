//! Numbers that games move, and parts of games for several machines.

use std::fs;

use crate::chess::games::{fails, json};
use crate::chess::support::{command, tuner};

/// Games depend on the options alone, and where it was interrupted does not matter.
#[test]
fn spsa_moves_weights_by_games_and_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let args =
        "spsa --only TEMPO,MATERIAL --perturb 30,TEMPO=6 --nodes 30 --games 100 --test-games 8";
    let one = json(path, &format!("{args} --threads 1 --out one"));
    assert_eq!((&one["games"], &one["of"]), (&100.into(), &100.into()));
    assert_eq!(one["weights"].as_object().unwrap().len(), 12);
    let two = json(path, &format!("{args} --threads 2 --out two"));
    assert_eq!(two, one);
    let text = |name: &str| fs::read_to_string(path.join(name)).unwrap();
    assert_eq!(text("two/spsa.json"), text("one/spsa.json"));
    let cut = format!("{args} --threads 1 --out cut");
    let cut: Vec<&str> = cut.split(' ').collect();
    let mut killed = command(path, &cut).spawn().unwrap();
    while !path.join("cut/spsa.json").exists() {
        std::thread::yield_now();
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    let cut = json(path, &format!("{args} --out cut --resume"));
    assert_eq!(cut, one);
    let there = fails(path, &format!("{args} --out one"), 1);
    assert!(
        there.contains("spsa.json: it is there already; --resume"),
        "{there}"
    );
    let other = fails(path, &format!("{args} --rate 0.02 --out one --resume"), 1);
    assert!(other.contains("rate was 0.05, and is 0.02 now"), "{other}");
    assert_eq!(json(path, &format!("{args} --out one --resume")), one);
    // What is written is what `match` reads.
    let played = "match one/weights.txt source --nodes 30 --games 4";
    assert_eq!(json(path, played)["games"], 4);
    for (args, expected) in [
        ("spsa --only NOTHING", "NOTHING"),
        (
            "spsa --only TEMPO --perturb TEMPP=3",
            "no free weight is of a parameter of this name",
        ),
        ("spsa --only TEMPO --perturb 0", "expected a size above 0"),
        ("spsa --only TEMPO --perturb TEMPO=1e300", "up to 1000000"),
        (
            "spsa ./engine --option X=5:0..1e300:1",
            "numbers of 15 digits at most",
        ),
        (
            "spsa ./engine --option X=5:0..100:1e300",
            "no greater than the range",
        ),
        (
            "spsa --only TEMPO --rate 2",
            "expected a number above 0 and up to 1",
        ),
        ("spsa --from nowhere.txt", "nowhere.txt"),
    ] {
        let output = tuner(path, &args.split(' ').collect::<Vec<_>>());
        let words = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && words.contains(expected),
            "{args}: {words}"
        );
    }
}

/// What parts of self-play, of a match and of scores by search write is what the whole writes.
#[test]
fn parts_one_after_the_other_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let text = |name: &str| fs::read_to_string(path.join(name)).unwrap();
    let whole_of = |command: &str, whole: &str, part: &str, parts: u64| {
        let all = json(path, &command.replace("FILE", whole));
        let (mut joined, mut positions) = (String::new(), 0);
        for number in 1..=parts {
            let name = format!("{number}-{part}");
            let of = format!(
                "{} --shard {number}/{parts}",
                command.replace("FILE", &name)
            );
            let found = json(path, &of);
            if let Some(written) = found["positions"].as_u64() {
                positions += written;
            }
            joined += &text(&name);
        }
        assert_eq!(joined, text(whole), "{command}");
        assert_eq!(
            positions,
            all["positions"].as_u64().unwrap_or(0),
            "{command}"
        );
    };
    // Cut at whole blocks.
    let few = "--games 600 --nodes 12 --positions 1 --longest 60";
    whole_of(&format!("selfplay FILE {few}"), "all.tsv", "part.tsv", 2);
    fs::write(path.join("w.txt"), "MATERIAL[pawn].mg 77\n").unwrap();
    let played = "match source w.txt --games 10 --nodes 20 --longest 40 --pgn FILE";
    whole_of(played, "all.pgn", "part.pgn", 3);
    let labels = "data rescore all.tsv -o FILE --nodes 20";
    whole_of(labels, "scored.tsv", "scored.tsv", 4);

    let other = "selfplay 1-part.tsv --games 700 --nodes 12 --positions 1 --longest 60 --resume";
    let words = fails(path, &format!("{other} --shard 1/2"), 1);
    assert!(
        words.contains("shard was \"1/2 of 600\", and is \"1/2 of 700\" now"),
        "{words}"
    );
    fails(path, "selfplay x.tsv --shard 3/2", 2);
    fails(path, "match source zero --sprt 0,5 --shard 1/2", 2);
}
