//! Games of the engine from outside: self-play, matches, the loop of both with
//! a fit.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::chess::support::{EXAMPLE, command, shell_command, table, tuner, words};
use crate::examples;

/// Runs a command that works, and returns the object that it prints.
pub(super) fn json(folder: &Path, args: &str) -> Value {
    let args: Vec<&str> = args.split(' ').chain(["--json"]).collect();
    let output = tuner(folder, &args);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{args:?}: {}",
        words(&output)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

pub(super) fn fails(folder: &Path, args: &str, status: i32) -> String {
    let args: Vec<&str> = args.split(' ').collect();
    let output = tuner(folder, &args);
    assert_eq!(
        output.status.code(),
        Some(status),
        "{args:?}: {}",
        words(&output)
    );
    words(&output)
}

const SMALL: &str = "--games 12 --nodes 150 --seed 4";

#[cfg(target_os = "linux")] // other systems refuse such names
#[test]
fn names_that_are_not_utf8_are_names_or_are_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&[u8]]| {
        let mut command = command(folder.path(), &[]);
        let output = command.args(args.iter().map(|&word| OsStr::from_bytes(word)));
        let output = output.output().unwrap();
        (output.status.code(), words(&output))
    };
    let games = b"g\xff.tsv";
    let (status, said) = run(&[b"selfplay", games, b"--games", b"8", b"--nodes", b"50"]);
    assert_eq!(status, Some(0), "{said}");
    let fit: [&[u8]; 6] = [b"fit", games, b"--fast-games", b"0", b"--out", b"o\xff"];
    let (status, said) = run(&fit);
    assert!(matches!(status, Some(0 | 3)), "{said}");
    assert!(folder.path().join(OsStr::from_bytes(b"o\xff")).is_dir());
    for args in [
        &[&fit[..], &[b"--rescore", b"50"]].concat(),
        &vec![&b"loop"[..], b"l\xff"],
    ] {
        let (status, said) = run(args);
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains("is not UTF-8"), "{said}");
    }
}

#[test]
fn advice_can_be_pasted_where_names_have_spaces() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| words(&tuner(folder.path(), args));
    run(&["selfplay", "own games.tsv", "--games", "8", "--nodes", "50"]);
    let said = run(&["fit", "own games.tsv", "--out", "my run", "--write-worse"]);
    assert!(said.contains("`tuner -C "), "{said}");
    let patch = " patch 'my run/summary.json' --dry-run`";
    assert!(said.contains(patch), "{said}");
    let said = run(&["fit", "own games.tsv", "--out", "my run", "--resume"]);
    assert!(said.contains("--init 'my run/summary.json'"), "{said}");
    let said = run(&["trace", "own games.tsv", "-o", "my traces"]);
    assert!(said.contains("for `fit 'my traces'`"), "{said}");
}

#[test]
fn a_table_of_games_depends_on_the_seed_and_is_read_by_fit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let found = json(path, &format!("selfplay one.tsv.zst {SMALL} --threads 1"));
    assert_eq!(found["games"], 12);
    let results = ["wins", "draws", "losses"].map(|name| found[name].as_u64().unwrap());
    assert_eq!(results.iter().sum::<u64>(), 12);
    assert!(found["search_share"].as_f64().unwrap() > 0.5);
    json(path, &format!("selfplay two.tsv.zst {SMALL} --threads 2"));
    let read = |name: &str| fs::read(path.join(name)).unwrap();
    assert_eq!(read("one.tsv.zst"), read("two.tsv.zst"));

    // Ended early, and resumed.
    json(
        path,
        "selfplay three.tsv.zst --games 5 --nodes 150 --seed 4",
    );
    let resumed = json(path, &format!("selfplay three.tsv.zst {SMALL} --resume"));
    assert_eq!(resumed["positions"], found["positions"]);
    assert_eq!(read("one.tsv.zst"), read("three.tsv.zst"));

    let checked = json(path, "check one.tsv.zst --differences 2");
    assert_eq!(checked["positions"], found["positions"]);
    assert_eq!(
        (&checked["mismatches"], &checked["rejected"]),
        (&0.into(), &0.into())
    );
}

#[test]
fn a_table_is_not_written_over_and_not_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    json(path, "selfplay g.tsv --games 2 --nodes 50");
    let there = fails(path, "selfplay g.tsv --games 2 --nodes 50", 1);
    assert!(there.contains("g.tsv: is there already"), "{there}");
    let other = fails(path, "selfplay g.tsv --games 4 --nodes 60 --resume", 1);
    assert!(other.contains("thinking was"), "{other}");
    // Where nothing is, one begins; what is no table of games is left alone.
    fs::write(path.join("h.tsv"), "fen\n").unwrap();
    let none = fails(path, "selfplay h.tsv --games 4 --resume", 1);
    assert!(none.contains("h.tsv.json"), "{none}");
    // The evaluation then divides by 0.
    let zero = fails(path, "match spec zero --games 2 --nodes 50", 1);
    assert!(
        zero.contains("panicked: attempt to divide by zero"),
        "{zero}"
    );
    // Where, and which of the weights that are 0 it is.
    assert!(
        zero.contains(" in rn") && zero.contains("GAME_LIMIT is 0 there, and with "),
        "{zero}"
    );
    fails(path, "selfplay i.tsv --nodes 5 --depth 5", 2);
    fails(path, "selfplay i.tsv --win 5", 2);
    let book = fails(path, "selfplay i.tsv --book nowhere.epd", 1);
    assert!(book.contains("nowhere.epd: "), "{book}");
    fs::write(path.join("broken.epd"), "8/8/8/8/8/8/8/8 w - - 0 1\n").unwrap();
    let book = fails(path, "selfplay i.tsv --book broken.epd", 1);
    assert!(
        book.contains("broken.epd:1: found an empty board"),
        "{book}"
    );
    assert!(!path.join("i.tsv").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_and_a_closed_pipe_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let shell = |script: &str| {
        let script = script.replace("TUNER", &shell_command());
        let output = std::process::Command::new("sh")
            .current_dir(path)
            .args(["-c", &script])
            .output()
            .unwrap();
        let said = words(&output);
        assert!(!said.contains("panicked"), "{said}");
        (output.status.code(), said)
    };
    // A disk of 512 bytes.
    let full = "trap '' XFSZ; ulimit -f 1";
    let played = "match spec source --nodes 20 --games 20 --journal m.jsonl";
    let (status, said) = shell(&format!("{full}; TUNER {played}"));
    assert!(status == Some(1) && said.contains("m.jsonl: "), "{said}");
    let whole = json(path, &format!("{played} --resume"));
    assert_eq!(whole["games"], 20);
    let table = "selfplay g.tsv --nodes 20 --games 20";
    let (status, said) = shell(&format!("{full}; TUNER {table}"));
    assert!(
        status == Some(1) && said.contains("`selfplay` with --resume"),
        "{said}"
    );
    // First the reader ends, however slow the machine is.
    let closed = "{ sleep 0.5; TUNER match spec source --games 2 --nodes 20 --json; echo $? >&2; } \
                  | true; sleep 0.2";
    let (_, said) = shell(closed);
    assert!(said.ends_with("1\n"), "{said}");
}

/// Weights that lose: pieces are worth a pawn.
fn bad_weights(path: &Path) {
    let roles = ["knight", "bishop", "rook", "queen"];
    let lines = roles.map(|role| format!("MATERIAL[{role}].mg 90\nMATERIAL[{role}].eg 90\n"));
    fs::write(path.join("bad.txt"), lines.concat()).unwrap();
}

#[test]
fn better_weights_win_and_the_test_ends_the_match() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    bad_weights(path);
    let args = "match source bad.txt --nodes 120 --games 200 --sprt 0,50 --elo-model logistic";
    let found = json(path, &format!("{args} --threads 1 --pgn one.pgn"));
    assert_eq!(found["verdict"], "passed", "{found}");
    let games = found["games"].as_u64().unwrap();
    assert!(
        games < 200 && found["elo"].as_f64().unwrap() > 100.0,
        "{found}"
    );
    let sum = |names: [&str; 3]| {
        names
            .iter()
            .map(|name| found[*name].as_u64().unwrap())
            .sum::<u64>()
    };
    assert_eq!(sum(["wins", "draws", "losses"]), games);
    assert!(found["llr"].as_f64().unwrap() > 2.94);
    // The same on two threads, and from the other side.
    let again = json(path, &format!("{args} --threads 2 --pgn two.pgn"));
    assert_eq!(again, found);
    let read = |name: &str| fs::read_to_string(path.join(name)).unwrap();
    assert_eq!(read("one.pgn"), read("two.pgn"));
    assert_eq!(
        read("one.pgn").matches("[White \"bad.txt\"]").count() as u64,
        games / 2
    );
    let other = json(path, "match bad.txt source --nodes 120 --games 10");
    assert!(other["elo"].as_f64().is_none_or(|elo| elo < 0.0));
    let failed = fails(
        path,
        "match bad.txt source --nodes 120 --games 20 --must-pass",
        3,
    );
    assert!(failed.contains("bad.txt has not passed"), "{failed}");

    // Its games are a book.
    let booked = json(
        path,
        "match source bad.txt --nodes 60 --games 4 --book one.pgn --book-plies 4",
    );
    assert_eq!(booked["games"], 4);
}

#[test]
fn equal_weights_draw_every_pair_and_a_match_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let args = "match source spec --nodes 100 --journal m.jsonl --pgn m.pgn";
    let first = json(path, &format!("{args} --games 4"));
    assert_eq!(first["pairs"], serde_json::json!([0, 0, 2, 0, 0]));
    assert_eq!(
        (&first["elo"], &first["elo_error"]),
        (&0.0.into(), &Value::Null)
    );
    let there = fails(path, &format!("{args} --games 8"), 1);
    assert!(there.contains("m.jsonl: is there already"), "{there}");
    let all = json(path, &format!("{args} --games 8 --resume"));
    assert_eq!(all["games"], 8);
    let pgn = fs::read_to_string(path.join("m.pgn")).unwrap();
    assert_eq!(pgn.matches("[Event ").count(), 8);
    let whole = "match source spec --nodes 100 --games 8 --journal w.jsonl --pgn w.pgn --records w";
    assert_eq!(json(path, whole), all);
    // The same games, each in a file of its own.
    let mut files: Vec<_> = (fs::read_dir(path.join("w")).unwrap())
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    assert!(files[0].ends_with("00001-1.pgn"), "{files:?}");
    let games: String = (files.iter())
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    assert_eq!(games, pgn);
    assert_eq!(fs::read_to_string(path.join("w.pgn")).unwrap(), pgn);
}

/// With a changed weight that no position reads the first side plays by the twin,
/// and the other by production: the same moves, so every pair is level.
#[test]
fn the_twin_plays_as_production_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("twin.txt"), "DOUBLED_PAWN[5].mg 77\n").unwrap();
    let args = "match twin.txt source --nodes 300 --games 8 --pgn games.pgn";
    let found = json(path, args);
    assert_eq!(found["pairs"], serde_json::json!([0, 0, 4, 0, 0]));
    let pgn = fs::read_to_string(path.join("games.pgn")).unwrap();
    let moves: Vec<&str> = pgn.split("\n\n").skip(1).step_by(2).collect();
    assert_eq!(moves.len(), 8);
    assert!(moves.chunks(2).all(|pair| pair[0] == pair[1]));
}

/// A queen that can be captured, and one that cannot.
#[test]
fn the_engine_knows_which_positions_are_quiet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let lines =
        "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1 [0.5]\n4k3/8/8/3q4/8/8/4P3/4K3 w - - 0 1 [0.0]\n";
    fs::write(path.join("two.txt"), lines).unwrap();
    let retained = |most: &str| {
        let args = format!("data filter two.txt -o {most}.txt --to bracketed --quiet {most}");
        json(path, &args)["positions"].clone()
    };
    assert_eq!((retained("0"), retained("5000")), (1.into(), 2.into()));
    let quiet = fs::read_to_string(path.join("0.txt")).unwrap();
    assert!(quiet.contains("/4P3/4K3 w"), "{quiet}");
}

#[test]
fn the_loop_closes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    bad_weights(path);
    json(
        path,
        "selfplay g.tsv.zst --weights bad.txt --games 40 --nodes 100",
    );
    let fit = json(
        path,
        "fit g.tsv.zst --init bad.txt --out run --save-weights txt",
    );
    let iterations = fit["iterations"].as_u64().unwrap();
    let saved: Vec<_> = fs::read_dir(path.join("run/weights")).unwrap().collect();
    // A round of tracing that is rejected in the end was written, too.
    assert!(iterations > 0 && saved.len() as u64 >= iterations);
    // What was written is read again, to the same weights.
    let text = fs::read_to_string(path.join("run/weights.txt")).unwrap();
    assert_eq!(
        text.lines().skip(1).count(),
        fit["weights"].as_object().unwrap().len()
    );
    let same = json(
        path,
        "match run/weights.txt run/summary.json --nodes 60 --games 4",
    );
    assert_eq!(same["pairs"], serde_json::json!([0, 0, 2, 0, 0]));
    json(path, "match run/weights.txt bad.txt --nodes 100 --games 6");
}

#[test]
fn a_fit_ends_with_games_that_decide() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    bad_weights(path);
    fs::write(path.join("data.tsv"), table(5_000)).unwrap();
    // Better than worthless pieces: decided long before the last game.
    let won = json(
        path,
        "fit data.tsv --init bad.txt --only MATERIAL --fast-games 400 --out won",
    );
    let games = &won["fast_games"];
    assert_eq!(games["verdict"], "passed", "{games}");
    assert!(games["games"].as_u64().unwrap() < 200, "{games}");
    assert!(path.join("won/weights.txt").exists());
    let runs = json(path, "runs won");
    assert_eq!(runs[0]["games_passed"], true, "{runs}");
    assert_eq!(runs[0]["elo"], games["elo"], "{runs}");
    let table = tuner(path, &["runs", "won"]);
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(table.contains("stronger") && table.contains('+'), "{table}");

    // Fitted to the noise of few games, the weights lose; they are written, but not in
    // the place of those before.
    let noise =
        "fit data.tsv:limit=1000 --only PST --lambda 1 --prior none --held-out 0 --out lost";
    let refused = fails(path, &format!("{noise} --fast-games 400"), 3);
    assert!(refused.contains("keep yours"), "{refused}");
    assert!(refused.contains("--rescore 1000"), "{refused}");
    assert!(!path.join("lost/weights.txt").exists());
    assert!(path.join("lost/runs/0001/weights.txt").exists());
    json(path, &format!("{noise} --fast-games 400 --write-worse"));
    assert!(path.join("lost/weights.txt").exists());
}

#[test]
fn positions_that_are_kept_have_scores_of_searches_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let play = "--games 6 --nodes 60 --positions 3 --seed 8";
    json(path, &format!("selfplay played.tsv {play}"));
    let rows = |name: &str| -> Vec<Vec<String>> {
        let text = fs::read_to_string(path.join(name)).unwrap();
        let columns = |line: &str| line.split('\t').map(str::to_owned).collect();
        text.lines().map(columns).collect()
    };
    for (thinking, name) in [("nodes 700", "nodes.tsv"), ("depth 4", "depth.tsv")] {
        json(path, &format!("selfplay {name} {play} --score-{thinking}"));
        let (played, scored) = (rows("played.tsv"), rows(name));
        let mut others = 0;
        for row in &scored[1..] {
            // The same position of the same game, with the score of a longer search.
            let of_play = played.iter().find(|other| other[0] == row[0]).unwrap();
            assert_eq!((&row[1], &row[3..]), (&of_play[1], &of_play[3..]));
            others += usize::from(row[2] != of_play[2]);
            if others > 4 {
                continue;
            }
            let alone = format!("{}\n{}\n", scored[0].join("\t"), row.join("\t"));
            fs::write(path.join("alone.tsv"), alone).unwrap();
            json(
                path,
                &format!("data rescore alone.tsv -o again.tsv --{thinking}"),
            );
            assert_eq!(rows("again.tsv")[1][2], row[2], "{}", row[0]);
        }
        assert!(others > 5, "{others} of {}", scored.len());
    }
}

#[test]
fn scores_of_another_build_are_not_taken_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("data.tsv"), table(40)).unwrap();
    let rescore = "data rescore data.tsv -o scored.tsv --nodes 60";
    let kept = path.join("scored.tsv.part");
    for option in ["--option Hash=1", "--patience 9"] {
        let refused = fails(path, &format!("{rescore} {option}"), 2);
        assert!(refused.contains("that --engine names"), "{refused}");
    }
    // What another build of the engine, with other weights in its source, would have left.
    for engine in ["null", "\"0123456789abcdef\""] {
        let header = format!(
            r#"{{"format":1,"labels":{{"what":"rescore","how":"60 nodes a move","engine":{engine}}}}}"#
        );
        fs::write(&kept, format!("{header}\n")).unwrap();
        // What differs first is named, so the rest of the header is as it would be.
        let refused = fails(path, &format!("{rescore} --resume"), 1);
        assert!(
            refused.contains(&format!("engine was {engine}, and is \"")),
            "{refused}"
        );
    }
    // One of before labels had a version.
    fs::write(&kept, "{\"what\":\"rescore\"}\n").unwrap();
    let refused = fails(path, &format!("{rescore} --resume"), 1);
    assert!(
        refused.contains("found format none, expected format 1"),
        "{refused}"
    );
    fs::remove_file(&kept).unwrap();
    json(path, rescore);
}

const WEIGHED: &str = "fit data.tsv data.tsv:limit=200 --weigh-sources data.tsv:limit=200 \
                       --only MATERIAL --rescore 60 --out run --write-worse";

/// For engines that ignore nodes.
#[test]
fn a_fit_gives_positions_scores_by_depth() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("data.tsv"), table(400)).unwrap();
    json(
        path,
        "data rescore data.tsv -o by_hand.tsv.zst --depth 2 --weights spec",
    );
    let found = json(
        path,
        "fit data.tsv --out run --only MATERIAL --rescore-depth 2",
    );
    let name = found["data"]["files"][0]["name"].as_str().unwrap();
    let read = |name: &str| fs::read(path.join(name)).unwrap();
    assert_eq!(read(name), read("by_hand.tsv.zst"));
}

#[test]
fn a_fit_gives_positions_scores_of_the_engines_own_search() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    bad_weights(path);
    fs::write(path.join("data.tsv"), table(600)).unwrap();
    let read = |name: &str| fs::read(path.join(name)).unwrap();
    let by_hand = "data rescore data.tsv -o by_hand.tsv.zst --nodes 60 --weights bad.txt";
    json(path, by_hand);
    let expected = json(path, "fit by_hand.tsv.zst --init bad.txt --out expected");

    let fit = "fit data.tsv:weight=2 --init bad.txt --out run";
    let found = json(path, &format!("{fit} --rescore 60"));
    let file = |found: &Value| {
        found["data"]["files"][0]["name"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let scored = file(&found);
    let scored = scored.strip_suffix(":weight=2").unwrap();
    assert_eq!(read(scored), read("by_hand.tsv.zst"));
    assert_eq!(found["weights"], expected["weights"]);

    // A further fit takes the scores that are there; others are kept next to them.
    let again = format!("{fit} --rescore 60 --prior 4");
    let output = tuner(path, &again.split(' ').collect::<Vec<_>>());
    assert!(
        words(&output).contains("has these scores"),
        "{}",
        words(&output)
    );
    let deeper = file(&json(path, &format!("{fit} --rescore 80")));
    assert_ne!(
        read(deeper.strip_suffix(":weight=2").unwrap()),
        read(scored)
    );
    let spec = file(&json(path, "fit data.tsv --out run --rescore 60"));
    assert_ne!(read(&spec), read(scored));
    // Files that are weighed have the names that were typed.
    assert_eq!(
        json(path, WEIGHED)["sources"]["files"][1],
        "data.tsv:limit=200"
    );
    // Also of what a fit has scored itself.
    json(
        path,
        &format!("fit {scored} --init bad.txt --out run --rescore 90"),
    );
    assert_eq!(read(scored), read("by_hand.tsv.zst"));

    for (args, expected) in [
        ("fit data.tsv --rescore 60 --init zero", "loop --from zero"),
        (
            "fit data.tsv --rescore 60 --lambda 1",
            "does nothing with --lambda 1",
        ),
    ] {
        let refused = fails(path, args, 2);
        assert!(refused.contains(expected), "{refused}");
    }
    // Without a name the positions of tuner.toml, if it names some.
    let bare = path.join("bare");
    fs::create_dir(&bare).unwrap();
    let fit = [
        "fit",
        "--rescore",
        "60",
        "--only",
        "MATERIAL",
        "--out",
        "bare/run",
        "--write-worse",
    ];
    let evaluator = EXAMPLE.evaluator();
    for data in ["", "data = [\"../data.tsv\"]\n"] {
        fs::write(bare.join("tuner.toml"), EXAMPLE.toml(&evaluator, data)).unwrap();
        let output = examples::command(&bare, path, &fit).output().unwrap();
        let said = words(&output);
        if data.is_empty() {
            assert_eq!(output.status.code(), Some(2), "{said}");
            assert!(said.contains("--rescore: name files"), "{said}");
        } else {
            assert_eq!(output.status.code(), Some(0), "{said}");
            assert!(
                said.contains("bare/../data.tsv: table, 601 lines"),
                "{said}"
            );
        }
    }
    let stdin = fails(path, "fit - --rescore 60", 2);
    assert!(
        stdin.contains("standard input cannot be read twice"),
        "{stdin}"
    );
    // What is wrong is said before anything is scored.
    let missing = fails(path, "fit data.tsv none.tsv --rescore 60 --out new", 1);
    assert!(
        missing.contains("none.tsv") && !path.join("new").exists(),
        "{missing}"
    );
    fs::write(
        path.join("equal.txt"),
        "MIDGAME_LIMIT 50\nENDGAME_LIMIT 50\n",
    )
    .unwrap();
    let equal = "data rescore data.tsv -o e.tsv --nodes 20 --weights equal.txt";
    let equal = tuner(path, &equal.split(' ').collect::<Vec<_>>());
    assert!(!words(&equal).contains("panicked at"), "{}", words(&equal));
}

const NOISY: &str = "fen\tresult\n\
    4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1\t1-0\n\
    r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\t0-1\n\
    4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\t1/2-1/2\n";

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
        "selfplay g.tsv --games 60 --nodes 60 --with-checks --with-captures --with-noise",
    );
    let fit = json(
        path,
        "fit g.tsv --resolve qsearch --resolve-every 2 --retrace 2 --exact",
    );
    assert!(fit["iterations"].as_u64().unwrap() > 2);
    let refused = fails(path, "fit g.tsv --resolve-every 2", 1);
    assert!(refused.contains("add --resolve qsearch"), "{refused}");
    let stalemate = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\t1/2-1/2\n";
    fs::write(path.join("over.tsv"), format!("{NOISY}{stalemate}")).unwrap();
    let output = tuner(path, &["data", "resolve", "over.tsv", "-o", "quiet.tsv"]);
    let said = words(&output);
    assert!(
        said.contains(" written + 0 left out + 1 without an answer"),
        "{said}"
    );
}

#[cfg(unix)]
#[test]
fn an_evaluator_built_anew_ends_the_games() {
    use crate::scripts::executable;
    let folder = tempfile::tempdir().unwrap();
    // Each start says that it is of another build.
    let evaluator = EXAMPLE.evaluator();
    let script = format!("#!/bin/sh\n{evaluator} | sed -u \"s/^build .*/build $$/\"\n");
    let path = folder.path().join("anew.sh");
    executable(&path, &script);
    let settings = EXAMPLE.toml("./anew.sh", "");
    fs::write(folder.path().join("tuner.toml"), settings).unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_tuner"))
        .current_dir(folder.path())
        .args(["selfplay", "games.tsv", "--games", "20", "--nodes", "50"])
        .args(["--threads", "2"])
        .output()
        .unwrap();
    let said = words(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("built anew while it was in use") && said.contains("begin again"),
        "{said}"
    );
}
