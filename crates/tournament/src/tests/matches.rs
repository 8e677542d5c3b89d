use std::fs;
use std::ops::Range;
use std::path::Path;

use serde_json::{Value, json};

use super::go_on;
use super::nim::{CHOICE, NO_RULES, Nim, RANDOM, taker};
use crate::*;
use tuner_play::{
    Book, ContestSettings, Limit, MatchTexts, PairRecord, PlayerFault, Seats, Thinking, play_pair,
};

fn settings() -> ContestSettings {
    ContestSettings {
        seed: 3,
        thinking: [Thinking::Move(Limit::Depth(1)); 2],
        openings: CHOICE,
        adjudication: NO_RULES,
        texts: MatchTexts {
            event: "a \"match\"".to_owned(),
            names: ["x", "y"].map(str::to_owned),
            text: true,
            files: false,
        },
    }
}

#[allow(clippy::unnecessary_wraps, reason = "what `games_in_order` asks for")]
fn seats() -> Result<Seats<'static, Nim>, PlayerFault> {
    Ok(Seats {
        first: taker(12),
        second: taker(4),
        judge: None,
    })
}

/// Plays a pair, with texts of its games.
fn one(seats: &mut Seats<'_, Nim>, number: u64) -> Result<PairRecord, PlayerFault> {
    play_pair(&Nim, &settings(), &RANDOM, number, seats)
}

fn play(pairs: Range<u64>, threads: usize, mut take: impl FnMut(PairRecord)) {
    let take = |done| {
        if let Some((_, pair)) = done {
            take(pair);
        }
        go_on()
    };
    games_in_order(&Batch::new(pairs, threads), seats, one, take).unwrap();
}

fn points(pairs: Range<u64>, threads: usize) -> Vec<[u8; 2]> {
    let mut found = Vec::new();
    play(pairs, threads, |pair| found.push(pair.half_points()));
    found
}

#[test]
fn pairs_depend_on_seed_and_number_alone() {
    let all = points(0..80, 1);
    assert_eq!(points(0..80, 3), all);
    assert_eq!(points(30..50, 2), all[30..50]);
    let mut tally = Tally::default();
    for pair in &all {
        tally.add(*pair, [0; 2], [0; 2]);
    }
    // Who knows more of the game wins more of it.
    assert!(tally.pairs.elo().unwrap().value > 50.0, "{tally:?}");
    assert_eq!(tally.games.iter().sum::<u64>(), 160);
    assert_eq!(tally.pairs.pairs(), 80);
}

/// What all ranks together play is what one process plays.
#[test]
fn pairs_of_several_ranks_are_those_of_one() {
    let mut alone = Vec::new();
    play(0..30, 1, |pair| alone.push(pair));
    let of_rank = |ranks| {
        let mut taken = Vec::new();
        let take = |done: Option<(u64, PairRecord)>| {
            taken.extend(done.map(|(_, pair)| pair));
            go_on()
        };
        let batch = Batch::new(0..30, 2).among(ranks);
        games_in_order(&batch, seats, one, take).unwrap();
        taken
    };
    let of_rank = &of_rank;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (super::thread_ranks(3).into_iter())
            .map(|ranks| scope.spawn(move || of_rank(ranks)))
            .collect();
        let mut taken = threads.into_iter().map(|thread| thread.join().unwrap());
        assert_eq!(taken.next(), Some(alone));
    });
}

#[test]
fn a_player_that_cannot_be_started_ends_it() {
    let broken = || -> Result<Seats<'static, Nim>, PlayerFault> {
        Err(PlayerFault::Unusable("it is not there".to_owned()))
    };
    let result = games_in_order(&Batch::new(0..5, 2), broken, one, |_| go_on());
    assert!(matches!(result, Err(PlayerFault::Unusable(_))));
}

fn write(journal: &mut Journal, upto: u64) {
    play(journal.pairs()..upto, 2, |pair| {
        journal.add(&pair, &pair.text()).unwrap();
    });
}

#[test]
fn a_match_resumes_where_it_was_cut() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let settings = json!({ "seed": 3 });
    let (whole, games) = (file("whole.jsonl"), file("whole.pgn"));
    let mut journal = Journal::create(&whole, &settings, &Value::Null, Some(&games)).unwrap();
    write(&mut journal, 20);
    let tally = *journal.tally();
    let pgn = fs::read_to_string(&games).unwrap();
    assert_eq!(pgn.matches("[Event \"a \\\"match\\\"\"]").count(), 40);
    // Lines of files are what they were, or the format is another one.
    let text = fs::read_to_string(&whole).unwrap();
    let lines: Vec<&str> = text.lines().take(2).collect();
    assert_eq!(
        lines,
        [
            r#"{"format":1,"match":{"seed":3}}"#,
            r#"{"pair":0,"half_points":[2,2],"ends":["checkmate","checkmate"],"plies":[15,16],"faults":[0,0],"games_bytes":824,"games":"f2d714852df63ea6"}"#,
        ]
    );
    // It is a book itself.
    assert_eq!(Book::parse(&Nim, &pgn, 5).unwrap().len(), 40);

    let (cut, cut_games) = (file("cut.jsonl"), file("cut.pgn"));
    let mut journal = Journal::create(&cut, &settings, &Value::Null, Some(&cut_games)).unwrap();
    write(&mut journal, 12);
    drop(journal);
    let length = fs::metadata(&cut).unwrap().len();
    fs::File::options()
        .write(true)
        .open(&cut)
        .unwrap()
        .set_len(length - 5)
        .unwrap();
    // Another file of games is left as it is.
    let other = file("other.pgn");
    let foreign = "[Event \"mine\"]\n".repeat(2_000);
    fs::write(&other, &foreign).unwrap();
    let refused = Journal::resume(&cut, &settings, Some(&other)).unwrap_err();
    assert!(refused.to_string().contains("other games"), "{refused}");
    assert_eq!(fs::read_to_string(&other).unwrap(), foreign);
    let mut journal = Journal::resume(&cut, &settings, Some(&cut_games)).unwrap();
    assert_eq!(journal.pairs(), 11);
    write(&mut journal, 20);
    assert_eq!(*journal.tally(), tally);
    assert_eq!(fs::read(&cut).unwrap(), fs::read(&whole).unwrap());
    assert_eq!(fs::read_to_string(&cut_games).unwrap(), pgn);
}

/// Killed between the games of the first pair and its line.
#[test]
fn the_first_pair_without_its_line_is_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let settings = json!({ "seed": 3 });
    let about = json!({ "setup": [["thinking", "x"], ["event", "a \"match\""]] });
    for (number, pairs, is_taken) in [("1", 1, true), ("2", 2, false)] {
        let (cut, games) = (file(number), file(number).with_extension("pgn"));
        let mut journal = Journal::create(&cut, &settings, &about, Some(&games)).unwrap();
        let head = fs::read(&cut).unwrap();
        write(&mut journal, pairs);
        drop(journal);
        fs::write(&cut, head).unwrap();
        let whole = fs::read(&games).unwrap();
        let resumed = Journal::resume(&cut, &settings, Some(&games));
        assert_eq!(resumed.is_ok(), is_taken);
        if let Ok(mut journal) = resumed {
            write(&mut journal, pairs);
        }
        assert_eq!(fs::read(&games).unwrap(), whole);
    }
}

#[test]
fn a_match_that_does_not_begin_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let settings = json!({ "seed": 3 });
    fs::write(file("there.pgn"), "games").unwrap();
    assert!(
        Journal::create(
            &file("m.jsonl"),
            &settings,
            &Value::Null,
            Some(&file("there.pgn"))
        )
        .is_err()
    );
    assert!(!file("m.jsonl").exists());
    fs::write(file("there.jsonl"), "pairs").unwrap();
    assert!(
        Journal::create(
            &file("there.jsonl"),
            &settings,
            &Value::Null,
            Some(&file("m.pgn"))
        )
        .is_err()
    );
    assert!(!file("m.pgn").exists());
    // No pair was over: what is in the file is of something else.
    drop(Journal::create(&file("m.jsonl"), &settings, &Value::Null, None).unwrap());
    assert!(Journal::resume(&file("m.jsonl"), &settings, Some(&file("there.pgn"))).is_err());
    assert_eq!(fs::read(file("there.pgn")).unwrap(), b"games");
}

#[test]
fn what_is_no_match_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.jsonl");
    let settings = json!({ "seed": 3 });
    let said = |text: &str| {
        fs::write(&path, text).unwrap();
        Journal::resume(&path, &settings, None)
            .unwrap_err()
            .to_string()
    };
    let head = "{\"format\":1,\"match\":{\"seed\":3}}\n";
    let line = "{\"pair\":0,\"half_points\":[2,1],\"ends\":[\"a\",\"b\"],\"plies\":[1,2],\"faults\":[0,0],\"games_bytes\":0,\"games\":\"\"}\n";
    assert!(said("").contains("no settings"));
    assert!(said("nonsense\n").contains("no settings"));
    assert!(said("{\"format\":1,\"match\":{\"seed\":4}}\n").contains("seed was 4"));
    let old = said("{\"match\":{\"seed\":3}}\n");
    assert!(
        old.contains("1: found format none, expected format 1: finish"),
        "{old}"
    );
    let new = said("{\"format\":2,\"match\":{\"seed\":3}}\n");
    assert!(
        new.contains("1: found format 2, expected format 1: finish"),
        "{new}"
    );
    assert!(said(&format!("{head}{line}{line}")).contains("3: found pair 0, expected 1"));
    assert!(said(&format!("{head}nonsense\n")).contains("2: "));
    let points = said(&format!("{head}{}", line.replace("[2,1]", "[3,1]")));
    let expected = "2: found the half points [3, 1], expected 0 to 2 of each game; ";
    assert!(points.contains(expected), "{points}");
    let [more, less] = [70, 50].map(|bytes| line.replace("bytes\":0", &format!("bytes\":{bytes}")));
    let less = less.replace("pair\":0", "pair\":1");
    let cut = said(&format!("{head}{more}{less}"));
    let expected = "3: found 50 bytes of games, expected the 70 of the pair before, or more; ";
    assert!(cut.contains(expected), "{cut}");
    let there = Journal::create(&path, &settings, &Value::Null, None)
        .unwrap_err()
        .to_string();
    assert!(there.contains("is there already"));
    let nowhere = Journal::resume(Path::new("no/where"), &settings, None);
    assert!(nowhere.unwrap_err().to_string().starts_with("no/where: "));
}

/// An engine that says which options it was told.
#[cfg(unix)]
const ENGINE: &str = r#"
while read -r word rest; do case $word in
    uci) echo "option name Contempt type spin default 0 min 0 max 9"; echo uciok;;
    isready) echo readyok;;
    setoption) echo "$rest" >> "$0.told";;
    quit) exit 0;;
esac; done
"#;

#[cfg(unix)]
#[test]
fn options_of_the_next_games_outlast_a_start_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("engine.sh");
    let mut engine = External::new(Program {
        command: vec!["sh".to_owned(), script.display().to_string()],
        protocol: Protocol::Uci,
        options: Vec::new(),
        patience: std::time::Duration::from_secs(10),
    });
    engine.set_options(vec![("Contempt".to_owned(), "3".to_owned())]);
    // The engine is not there yet.
    assert!(<External as tuner_play::Player<Nim>>::new_game(&mut engine).is_err());
    fs::write(&script, ENGINE).unwrap();
    <External as tuner_play::Player<Nim>>::new_game(&mut engine).unwrap();
    let told = fs::read_to_string(folder.path().join("engine.sh.told")).unwrap();
    assert!(told.contains("name Contempt value 3"), "{told}");
}
