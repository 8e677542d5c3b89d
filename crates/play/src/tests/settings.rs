//! Settings, written and read again.

use std::time::Duration;

use proptest::prelude::*;

use super::nim::Nim;
use crate::*;

fn text() -> impl Strategy<Value = String> {
    let parts = vec!["\n", "\r", "\\", " ", "seed 1", "\\e", ":", "♞", ""];
    let part = prop_oneof![
        proptest::sample::select(parts).prop_map(str::to_owned),
        any::<String>()
    ];
    proptest::collection::vec(part, 0..4).prop_map(|parts| parts.concat())
}

fn limit() -> impl Strategy<Value = Limit> {
    let clock = (
        any::<[Duration; 2]>(),
        any::<[Duration; 2]>(),
        any::<Option<u32>>(),
        any::<Duration>(),
    );
    prop_oneof![
        any::<u64>().prop_map(Limit::Nodes),
        any::<u32>().prop_map(Limit::Depth),
        any::<Duration>().prop_map(Limit::Time),
        clock.prop_map(
            |(left, increment, moves_to_go, margin)| Limit::Clock(Clock {
                left,
                increment,
                moves_to_go,
                margin,
            })
        ),
    ]
}

fn thinking() -> impl Strategy<Value = Thinking> {
    let moves = proptest::option::of(1..=u32::MAX);
    let control = (
        any::<Duration>(),
        any::<Duration>(),
        moves,
        any::<Duration>(),
    );
    prop_oneof![
        limit().prop_map(Thinking::Move),
        control.prop_map(
            |(base, increment, moves, margin)| Thinking::Game(TimeControl {
                base,
                increment,
                moves,
                margin,
            })
        ),
    ]
}

fn openings() -> impl Strategy<Value = OpeningChoice> {
    prop_oneof![
        any::<(usize, Option<i32>)>()
            .prop_map(|(plies, bound)| OpeningChoice::Random { plies, bound }),
        (text(), any::<(usize, Option<u64>)>()).prop_map(|(text, (plies, shuffle))| {
            OpeningChoice::Book {
                text: text.into(),
                plies,
                shuffle,
            }
        }),
    ]
}

fn adjudication() -> impl Strategy<Value = Adjudication> {
    let win = any::<Option<(i32, usize)>>();
    let draw = any::<Option<(i32, usize, usize)>>();
    (win, draw, any::<usize>()).prop_map(|(win, draw, longest)| Adjudication {
        win: win.map(|(score, plies)| WinRule { score, plies }),
        draw: draw.map(|(score, plies, from)| DrawRule { score, plies, from }),
        longest,
    })
}

fn contest() -> impl Strategy<Value = ContestSettings> {
    let texts = (text(), [text(), text()], any::<[bool; 2]>());
    (
        any::<u64>(),
        [thinking(), thinking()],
        openings(),
        adjudication(),
        texts,
    )
        .prop_map(
            |(seed, thinking, openings, adjudication, (event, names, [text, files]))| {
                ContestSettings {
                    seed,
                    thinking,
                    openings,
                    adjudication,
                    texts: MatchTexts {
                        event,
                        names,
                        text,
                        files,
                    },
                }
            },
        )
}

fn selfplay() -> impl Strategy<Value = SelfPlaySettings> {
    let sampling = any::<((usize, usize), [bool; 3])>();
    let limits = (limit(), proptest::option::of(limit()));
    (any::<u64>(), limits, openings(), adjudication(), sampling).prop_map(
        |(seed, (limit, score), openings, adjudication, ((positions, first_ply), with))| {
            let [checks, tactical, noisy] = with;
            SelfPlaySettings {
                seed,
                limit,
                openings,
                adjudication,
                sampling: Sampling {
                    positions,
                    first_ply,
                    checks,
                    tactical,
                    noisy,
                },
                score,
            }
        },
    )
}

proptest! {
    #[test]
    fn settings_are_read_as_they_were_written(contest in contest(), selfplay in selfplay()) {
        let line = contest.line();
        prop_assert!(!line.contains(['\n', '\r']), "{}", line);
        prop_assert_eq!(ContestSettings::of_line(&line, contest.openings.book()), Ok(contest));
        let line = selfplay.line();
        prop_assert!(!line.contains(['\n', '\r']), "{}", line);
        prop_assert_eq!(SelfPlaySettings::of_line(&line, selfplay.openings.book()), Ok(selfplay));
    }

    #[test]
    fn other_lines_are_refused_or_read(
        contest in contest(),
        selfplay in selfplay(),
        place in any::<proptest::sample::Index>(),
        with in text(),
    ) {
        let mutated = |line: &str| {
            let chars: Vec<char> = line.chars().collect();
            let place = place.index(chars.len());
            let (before, after) = (&chars[..place], &chars[place + 1..]);
            let with: Vec<char> = with.chars().collect();
            [before, &with, after].concat().into_iter().collect::<String>()
        };
        for book in [None, Some("12 a")] {
            if let Ok(read) = ContestSettings::of_line(&mutated(&contest.line()), book) {
                prop_assert_eq!(ContestSettings::of_line(&read.line(), book), Ok(read));
            }
            if let Ok(read) = SelfPlaySettings::of_line(&mutated(&selfplay.line()), book) {
                prop_assert_eq!(SelfPlaySettings::of_line(&read.line(), book), Ok(read));
            }
            let _ = (ContestSettings::of_line(&with, book), SelfPlaySettings::of_line(&with, book));
        }
    }
}

/// Lines that other processes write and read: a change is another protocol.
const CONTEST: &str = "seed 1 thinking game:8000000000:80000000:none:20000000 \
    openings book:8:7 win 1000:10 draw 10:8:80 longest 500 event a\\sm first \\e second x text yes files no";
const SELFPLAY: &str = "seed 1 limit nodes:800 openings random:8:150 win 600:8 draw none \
    longest 500 positions 10 first-ply 8 checks no tactical no noisy yes score depth:6";

#[test]
fn the_lines_are_the_documented_ones() {
    let contest = ContestSettings::of_line(CONTEST, Some("12 a\n7 b\n9 a")).unwrap();
    assert_eq!(contest.line(), CONTEST);
    let control = "8+0.08".parse().map(|control| TimeControl {
        margin: Duration::from_millis(20),
        ..control
    });
    assert_eq!(contest.thinking, [Thinking::Game(control.unwrap()); 2]);
    let odds = CONTEST.replace("thinking ", "thinking depth:3,");
    let read = ContestSettings::of_line(&odds, Some("12 a")).unwrap();
    assert_eq!(read.line(), odds);
    assert_eq!(read.thinking[0], Thinking::Move(Limit::Depth(3)));
    assert_eq!(
        (&*contest.texts.event, &*contest.texts.names[0]),
        ("a m", "")
    );
    assert_eq!((contest.texts.text, contest.texts.files), (true, false));
    assert_eq!(contest.openings.resolve(&Nim).unwrap().count(), Some(3));
    let selfplay = SelfPlaySettings::of_line(SELFPLAY, None).unwrap();
    assert_eq!(selfplay.line(), SELFPLAY);
    assert_eq!(selfplay.score, Some(Limit::Depth(6)));
    assert_eq!(selfplay.openings.resolve(&Nim).unwrap().count(), None);
}

#[test]
fn what_is_no_setting_is_named() {
    for (line, words) in [
        (String::new(), "found \"\", expected a key and a value"),
        (SELFPLAY.replace("seed 1 ", ""), "found no seed"),
        (
            SELFPLAY.replace("seed 1", "seed +1"),
            "seed: found \"+1\", expected a number",
        ),
        (
            format!("{SELFPLAY} seed 2"),
            "found \"seed\", expected the end",
        ),
        (
            SELFPLAY.replace("nodes:800", "nodes:"),
            "limit: found \"\", expected a number",
        ),
        (
            SELFPLAY.replace("random:8:150", "book:8:1"),
            "openings: found no book",
        ),
        (
            SELFPLAY.replace("random:8:150", "random"),
            "openings: found \"random\"",
        ),
        (
            SELFPLAY.replace("yes", "maybe"),
            "noisy: found \"maybe\", expected yes or no",
        ),
        (
            SELFPLAY.replace("win 600:8", "win 600"),
            "win: found \"600\"",
        ),
    ] {
        let error = SelfPlaySettings::of_line(&line, None).unwrap_err();
        assert!(error.starts_with(words), "{line:?}: {error}");
    }
    let zero = CONTEST.replace(":none:", ":0:");
    let error = ContestSettings::of_line(&zero, Some("")).unwrap_err();
    assert!(error.contains("a period of 0 moves"), "{error}");
    let long = CONTEST.replace("8000000000", "99999999999999999999999999999");
    assert!(ContestSettings::of_line(&long, Some("")).is_err());
    let random = SELFPLAY.replace("limit", "thinking");
    assert!(SelfPlaySettings::of_line(&random, None).is_err());
    let book = OpeningChoice::of_word("random:8:none", Some("12 a")).unwrap_err();
    assert_eq!(book, "found a book, expected none");
}
