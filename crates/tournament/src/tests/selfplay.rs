use std::fs;
use std::ops::Range;
use std::path::Path;

use serde_json::json;

use super::go_on;
use super::nim::{CHOICE, NO_RULES, Nim, RANDOM, Taker, taker};
use crate::*;
use tuner_play::{
    Adjudication, GameEnd, GameRecord, Limit, Player, PlayerFault, Sampling, SelfPlaySettings,
    WinRule, selfplay_game,
};

fn settings() -> SelfPlaySettings {
    SelfPlaySettings {
        seed: 5,
        limit: Limit::Nodes(1),
        openings: CHOICE,
        adjudication: Adjudication {
            win: Some(WinRule {
                score: 500,
                plies: 3,
            }),
            ..NO_RULES
        },
        sampling: Sampling {
            positions: 4,
            first_ply: 5,
            checks: false,
            tactical: false,
            noisy: false,
        },
        score: None,
    }
}

/// Plays a game.
fn one(player: &mut Box<dyn Player<Nim>>, number: u64) -> Result<GameRecord, PlayerFault> {
    selfplay_game(&Nim, &settings(), &RANDOM, number, player.as_mut())
}

fn records(games: Range<u64>, threads: usize) -> Vec<GameRecord> {
    let mut records = Vec::new();
    let take = |done| {
        if let Some((number, record)) = done {
            assert_eq!(number, games.start + records.len() as u64);
            records.push(record);
        }
        go_on()
    };
    let batch = Batch::new(games.clone(), threads);
    games_in_order(&batch, || Ok(taker(12)), one, take).unwrap();
    records
}

#[test]
fn games_depend_on_seed_and_number_alone() {
    let all = records(0..60, 1);
    assert_eq!(records(0..60, 3), all);
    assert_eq!(records(17..30, 2), all[17..30]);
}

/// Writes games up to `games`, and resumes if there are some.
fn write(path: &Path, games: u64, resume: bool) -> GameTable {
    let settings = json!({ "seed": 5 });
    let mut table = if resume {
        GameTable::resume(path, &settings).unwrap()
    } else {
        GameTable::create(path, settings, "HEAP", "5", 0).unwrap()
    };
    for record in records(table.games()..games, 2) {
        table.add(&record).unwrap();
    }
    table
}

fn text(path: &Path) -> String {
    let bytes = fs::read(path).unwrap();
    if path.extension().is_some_and(|e| e == "zst") {
        String::from_utf8(zstd::decode_all(bytes.as_slice()).unwrap()).unwrap()
    } else {
        String::from_utf8(bytes).unwrap()
    }
}

#[test]
fn an_interrupted_table_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["games.tsv", "games.tsv.zst"] {
        let whole = folder.path().join(format!("whole-{name}"));
        let table = write(&whole, 700, false);
        assert_eq!((table.games(), table.results().iter().sum()), (700, 700));
        table.finish().unwrap();
        let bytes = fs::read(&whole).unwrap();
        assert!(text(&whole).starts_with("heap\tresult\tscore_cp\tgame\tply\n"));
        assert!(text(&whole).lines().last().unwrap().contains("\t5.699\t"));

        let path = folder.path().join(name);
        // Ended in good order, in the middle of a block.
        write(&path, 300, false).finish().unwrap();
        assert_eq!(text(&path), whole_text(&whole, 300));
        // Killed: what was added since the last block is lost, and a block is cut.
        drop(write(&path, 600, true));
        let cut = fs::metadata(&path).unwrap().len() - 3;
        let resumed = GameTable::resume(&path, &json!({ "seed": 5 })).unwrap();
        assert_eq!(resumed.games(), 512);
        drop(resumed);
        let mut broken = fs::read(&path).unwrap();
        broken.extend_from_slice(b"half a block");
        fs::write(&path, broken).unwrap();
        write(&path, 700, true).finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), bytes, "{name}");

        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(cut.min(20))
            .unwrap();
        let error = GameTable::resume(&path, &json!({ "seed": 5 }))
            .unwrap_err()
            .to_string();
        assert!(error.contains("the table was cut"), "{error}");
    }
}

/// The lines of the first games.
fn whole_text(path: &Path, games: u64) -> String {
    let text = text(path);
    let mut lines = text.split_inclusive('\n');
    let header = lines.next().unwrap().to_owned();
    let of_first = |line: &&str| {
        let id = line.split('\t').nth(3).unwrap().strip_prefix("5.").unwrap();
        id.parse::<u64>().unwrap() < games
    };
    header + &lines.filter(of_first).collect::<String>()
}

/// What is saved next to a table of three games.
const STATE: &str = r#"{"format":1,"settings":{"seed":5},"prefix":"5","first":0,"games":3,"positions":8,"results":[2,0,1],"left":{"early":5,"mates":0,"checks":0,"tactical":8,"noisy":8,"repeated":0,"surplus":14},"bytes":0,"tail":"heap\tresult\tscore_cp\tgame\tply\n31 a\t1-0\t31\t5.1\t6\n24 b\t1-0\t-24\t5.1\t11\n22 a\t1-0\t22\t5.1\t12\n19 a\t1-0\t19\t5.1\t14\n27 b\t1-0\t-27\t5.2\t7\n21 b\t1-0\t-21\t5.2\t11\n13 a\t1-0\t13\t5.2\t16\n12 b\t1-0\t500\t5.2\t17\n","tail_games":3}"#;

#[test]
fn what_cannot_be_resumed_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.tsv");
    let seed = json!({ "seed": 5 });
    let said = |result: Result<GameTable, RecordError>| result.unwrap_err().to_string();
    assert!(said(GameTable::resume(&path, &seed)).contains("found no"));
    write(&path, 3, false).finish().unwrap();
    assert!(
        said(GameTable::create(&path, seed.clone(), "HEAP", "5", 0)).contains("is there already")
    );
    // Killed in the middle of the first block: all games are in the file beside the table.
    fs::write(&path, "").unwrap();
    let beside = said(GameTable::create(&path, seed.clone(), "HEAP", "5", 0));
    assert!(
        beside.contains("games.tsv.json: is there already"),
        "{beside}"
    );
    let other = said(GameTable::resume(&path, &json!({ "seed": 6 })));
    assert!(other.contains("seed was 5, and is 6 now"), "{other}");
    let beside = folder.path().join("games.tsv.json");
    let state = fs::read_to_string(&beside).unwrap();
    assert_eq!(state, STATE, "or the format is another one");
    let old = state.replace("{\"format\":1,", "{");
    fs::write(&beside, &old).unwrap();
    let said_of_old = said(GameTable::resume(&path, &seed));
    let expected = "found format none, expected format 1: resume with the tuner that began";
    assert!(said_of_old.contains(expected), "{said_of_old}");
    fs::write(&beside, &state[..state.len() / 2]).unwrap();
    assert!(said(GameTable::resume(&path, &seed)).contains("damaged"));
    let nowhere = folder.path().join("no/where.tsv");
    assert!(said(GameTable::create(&nowhere, seed, "HEAP", "5", 0)).contains("no/where.tsv: "));
}

/// A second command that resumes what the first still writes.
#[test]
fn a_table_that_is_being_written_is_not_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.tsv");
    let first = write(&path, 3, false);
    let second = GameTable::resume(&path, &json!({ "seed": 5 }));
    let words = second.unwrap_err().to_string();
    assert!(
        words.contains("another command is writing there"),
        "{words}"
    );
    first.finish().unwrap();
    assert_eq!(write(&path, 5, true).games(), 5);
}

#[test]
fn games_of_a_player_that_fails_are_taken_as_faults() {
    let mut faults = 0;
    let take = |done: Option<(u64, GameRecord)>| {
        let is_fault = |(_, record): &(u64, GameRecord)| {
            let illegal = matches!(
                record.end,
                GameEnd::Fault {
                    fault: PlayerFault::Illegal(_),
                    ..
                }
            );
            illegal && record.samples.is_empty()
        };
        faults += u32::from(done.as_ref().is_some_and(is_fault));
        go_on()
    };
    let faulty = || -> Result<Box<dyn Player<Nim>>, PlayerFault> {
        Ok(Box::new(Taker {
            knows: 0,
            fault_at: Some(1),
        }))
    };
    games_in_order(&Batch::new(0..50, 2), faulty, one, take).unwrap();
    assert_eq!(faults, 50);
}
