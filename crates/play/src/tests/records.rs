//! Games that are over, written and read again.

use proptest::prelude::*;

use super::matches::{seats, settings};
use super::nim::{Nim, RANDOM};
use crate::*;
use tuner_game::Outcome;
use tuner_game::rules::{EndReason, GameFile};

/// Texts with all that could be taken for something else.
fn text() -> impl Strategy<Value = String> {
    let parts = vec!["\n", "\r", "\\", "\\n", " ", "game 2", "none", ":", "♞", ""];
    let part = prop_oneof![
        proptest::sample::select(parts).prop_map(str::to_owned),
        any::<String>()
    ];
    proptest::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
}

fn outcome() -> impl Strategy<Value = Outcome> {
    proptest::sample::select(&[Outcome::Win, Outcome::Draw, Outcome::Loss][..])
}

fn end() -> impl Strategy<Value = GameEnd> {
    let reasons = vec!["checkmate", "", "no move on either side", "a\nb\\"];
    let fault = (any::<bool>(), 0..6, text()).prop_map(|(first, kind, words)| GameEnd::Fault {
        first,
        fault: match kind {
            0 => PlayerFault::Resigned,
            1 => PlayerFault::Unusable(words),
            2 => PlayerFault::Silent(words),
            3 => PlayerFault::Late(words),
            4 => PlayerFault::Ended(words),
            _ => PlayerFault::Illegal(words),
        },
    });
    prop_oneof![
        proptest::sample::select(reasons).prop_map(|reason| GameEnd::Rules(EndReason(reason))),
        Just(GameEnd::Resigned),
        Just(GameEnd::Adjudicated),
        Just(GameEnd::TooLong),
        fault,
    ]
}

fn finished() -> impl Strategy<Value = FinishedGame> {
    let endings = vec!["pgn", "", "kif"];
    let file = (proptest::sample::select(endings), text())
        .prop_map(|(ending, text)| GameFile { ending, text });
    let texts = (proptest::option::of(text()), proptest::option::of(file));
    (outcome(), end(), any::<usize>(), texts).prop_map(|(outcome, end, plies, (text, file))| {
        FinishedGame {
            outcome,
            end,
            plies,
            text,
            file,
        }
    })
}

fn pair() -> impl Strategy<Value = PairRecord> {
    [finished(), finished()].prop_map(PairRecord)
}

fn record() -> impl Strategy<Value = GameRecord> {
    let sample =
        (text(), any::<i32>(), any::<usize>()).prop_map(|(position, score, ply)| SampledPosition {
            position,
            score,
            ply,
        });
    let samples = proptest::collection::vec(sample, 0..5);
    let left = any::<[u64; 7]>().prop_map(|counts| {
        let [early, mates, checks, tactical, noisy, repeated, surplus] = counts;
        Left {
            early,
            mates,
            checks,
            tactical,
            noisy,
            repeated,
            surplus,
        }
    });
    let counts = (any::<usize>(), any::<u64>(), any::<(u64, u64)>());
    (outcome(), end(), samples, left, counts).prop_map(
        |(outcome, end, samples, left, (plies, nodes, (searching, playing)))| GameRecord {
            outcome,
            end,
            samples,
            left,
            plies,
            nodes,
            spent: Spent { searching, playing },
        },
    )
}

/// Replaces some bytes of a text, where text remains.
fn mutated(text: &str, changes: &[(usize, u8)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for &(place, byte) in changes {
        let place = place % (bytes.len() + 1);
        if byte > 0xc0 {
            bytes.truncate(place);
        } else if let Some(old) = bytes.get_mut(place) {
            *old = byte;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

proptest! {
    #[test]
    fn pairs_are_read_as_they_were_written(pair in pair()) {
        let text = pair.write();
        prop_assert_eq!(PairRecord::read(&text), Ok(pair));
        prop_assert!(text.split('\n').count() <= 15, "{}", text);
    }

    #[test]
    fn records_are_read_as_they_were_written(record in record()) {
        let read = GameRecord::read(&record.write()).unwrap();
        let nanoseconds = |of: &GameRecord| (of.spent.searching, of.spent.playing);
        prop_assert_eq!(nanoseconds(&read), nanoseconds(&record));
        prop_assert_eq!(read, record);
    }

    #[test]
    fn other_texts_are_refused_or_read(
        pair in pair(),
        record in record(),
        changes in proptest::collection::vec(any::<(usize, u8)>(), 1..8),
    ) {
        if let Ok(read) = PairRecord::read(&mutated(&pair.write(), &changes)) {
            prop_assert_eq!(PairRecord::read(&read.write()), Ok(read));
        }
        if let Ok(read) = GameRecord::read(&mutated(&record.write(), &changes)) {
            prop_assert_eq!(GameRecord::read(&read.write()), Ok(read));
        }
    }

    #[test]
    fn any_text_is_refused_or_read(text in text()) {
        let _ = (PairRecord::read(&text), GameRecord::read(&text));
    }
}

/// Texts that other processes write and read: a change is another protocol.
#[test]
fn the_texts_are_the_documented_ones() {
    let fault = |first, fault| GameEnd::Fault { first, fault };
    let game = |end| FinishedGame {
        outcome: Outcome::Win,
        end,
        plies: 57,
        text: Some("[Event \"a\\b\"]\n1-0\n".to_owned()),
        file: None,
    };
    let late = fault(false, PlayerFault::Late("out of time\nby 5 ms".to_owned()));
    let mate = GameEnd::Rules(EndReason::CHECKMATE);
    let pair = PairRecord([game(mate.clone()), game(late)]);
    let text = r#"game 1
outcome 1-0
end rules checkmate
plies 57
text [Event "a\\b"]\n1-0\n
game 2
outcome 1-0
end fault second late out of time\nby 5 ms
plies 57
text [Event "a\\b"]\n1-0\n
"#;
    assert_eq!(pair.write(), text);
    assert_eq!((pair.half_points(), pair.late()), ([2, 0], [1, 0]));
    let record = GameRecord {
        outcome: Outcome::Draw,
        end: GameEnd::TooLong,
        samples: vec![SampledPosition {
            position: "12 a".to_owned(),
            score: -31,
            ply: 9,
        }],
        left: Left {
            early: 8,
            ..Left::default()
        },
        plies: 57,
        nodes: 45_600,
        spent: Spent {
            searching: 70,
            playing: 80,
        },
    };
    let text = "outcome 1/2-1/2\nend too-long\nplies 57\nnodes 45600\ntimes 70 80\n\
                left early 8 mates 0 checks 0 tactical 0 noisy 0 repeated 0 surplus 0\n\
                sample -31 9 12 a\n";
    assert_eq!(record.write(), text);
}

#[test]
fn what_is_no_game_is_named_with_its_line() {
    let head = "game 1\noutcome 1-0\nend resigned\nplies 3\n";
    for (text, words) in [
        (
            String::new(),
            "line 1: found \"\", expected a line that begins with game",
        ),
        (
            "game 2\n".to_owned(),
            "line 1: game: found \"2\", expected 1",
        ),
        (head.to_owned(), "line 5: "),
        (head.replace("1-0", "2-0"), "line 2: outcome: found \"2-0\""),
        (
            head.replace("resigned", "fault third late x"),
            "line 3: end: found \"third\"",
        ),
        (
            head.replace("resigned", "bored"),
            "line 3: end: found \"bored\"",
        ),
        (
            head.replace('3', "-3"),
            "line 4: plies: found \"-3\", expected a number",
        ),
        (format!("{head}text a\\x\n"), "line 5: text: found \\x"),
        (
            format!("{head}text a\\\n"),
            "line 5: text: found a backslash at the end",
        ),
        (
            format!("{head}{}rest\n", head.replace("game 1", "game 2")),
            "line 9: found \"rest\", expected the end",
        ),
    ] {
        let error = PairRecord::read(&text).unwrap_err();
        assert!(error.starts_with(words), "{text:?}: {error}");
    }
}

#[test]
fn texts_of_a_pair_have_tags_of_their_game() {
    let played = |settings| play_pair(&Nim, &settings, &RANDOM, 6, &mut seats()).unwrap();
    let of = |text, files| {
        let texts = MatchTexts {
            event: "e".to_owned(),
            names: ["x", "y"].map(str::to_owned),
            text,
            files,
        };
        played(ContestSettings {
            texts,
            ..settings()
        })
    };
    let [one, two] = of(true, true).0.map(|game| {
        let text = game.text.unwrap();
        assert_eq!(
            game.file.map(|file| (file.ending, file.text)),
            Some(("pgn", text.clone()))
        );
        text
    });
    assert!(
        one.contains("[Round \"7.1\"]\n[White \"x\"]\n[Black \"y\"]\n"),
        "{one}"
    );
    assert!(
        two.contains("[Round \"7.2\"]\n[White \"y\"]\n[Black \"x\"]\n"),
        "{two}"
    );
    assert_eq!(of(true, false).text(), format!("{one}{two}"));
    let without = played(settings());
    assert_eq!(of(false, false), without);
    assert_eq!(without.text(), String::new());
    let plies = format!("[PlyCount \"{}\"]", without.0[0].plies);
    assert!(one.contains(&plies), "{one}");
}
