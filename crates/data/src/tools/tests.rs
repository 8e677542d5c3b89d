//! The tools, with a game of words.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod words;

use std::fs;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use words::Words;

use super::*;
use crate::{
    AnyGame, AnyPosition, Around, GameDate, GameKey, GameTags, Input, LabelledPosition, MATE,
    OnBadLine, ReadOptions, Sample, SampleLocation, any_game,
};
use crate::{Expected, Outcome};

fn words() -> &'static AnyGame {
    any_game(Words)
}

fn sample(position: &str) -> Sample {
    Sample {
        labelled: LabelledPosition {
            search_score: Some(50),
            ply: Some(20),
            around: Around {
                last_tactical: Some(false),
                next_tactical: Some(false),
                plies_left: Some(10),
                forfeit: Some(false),
                book: Some(false),
            },
            tags: Some(std::sync::Arc::new(tags())),
            ..LabelledPosition::new(AnyPosition::new(position.to_owned()), Outcome::Win.into())
        },
        weight: 1.0,
        location: SampleLocation { input: 0, line: 1 },
        game_id: None,
    }
}

fn tags() -> GameTags {
    GameTags {
        players: [Some("A".into()), Some("B".into())],
        ratings: [Some(2500); 2],
        event: Some("match".into()),
        date: GameDate::parse("2024.05.06"),
        seconds: Some(60.0),
    }
}

/// Static and quiescence score: none in words without `q`, `u` or `v`; not quiet
/// with `q`, and far from any score of the data with `v`.
fn look(word: &str) -> Option<[i32; 2]> {
    match word.chars().find(|letter| "quv".contains(*letter))? {
        'q' => Some([10, 80]),
        'u' => Some([60, 70]),
        _ => Some([900, 900]),
    }
}

const LOOK: Option<&QuietLook<'static>> = Some(&|position| look(position.of::<String>()));

fn all_filters() -> Filters<'static> {
    Filters {
        opening_plies: Some(8),
        in_check: true,
        last_tactical: true,
        next_tactical: true,
        most_score: Some(2_000),
        against_result: Some(300),
        most_idle: Some(2),
        plies_left: Some(4),
        forfeits: true,
        quiet: Some(50),
        against_quiescence: Some(100),
        book: true,
        pieces: Some(FilterRange {
            from: None,
            to: Some(6),
        }),
        material: Some(FilterRange {
            from: Some(1_000),
            to: Some(5_000),
        }),
        games: GameFilters {
            min_rating: Some(2_400),
            player: Some("a"),
            event: Some("match"),
            dates: Some(FilterRange {
                from: GameDate::parse("2024"),
                to: None,
            }),
            seconds: Some(FilterRange {
                from: Some(60.0),
                to: None,
            }),
        },
    }
}

#[test]
fn each_filter_has_its_reason_and_nothing_else_does() {
    let changed = |change: &dyn Fn(&mut Sample)| {
        let mut sample = sample("word");
        change(&mut sample);
        sample
    };
    let told = |change: &dyn Fn(&mut GameTags)| {
        let mut tags = tags();
        change(&mut tags);
        changed(&|s| s.labelled.tags = Some(std::sync::Arc::new(tags.clone())))
    };
    let cases: [(Sample, Option<Filter>); 25] = [
        (changed(&|_| ()), None),
        (
            changed(&|s| s.labelled.ply = Some(7)),
            Some(Filter::Opening),
        ),
        (
            changed(&|s| s.labelled.around.forfeit = Some(true)),
            Some(Filter::Forfeit),
        ),
        (sample("word+"), Some(Filter::Check)),
        (
            changed(&|s| s.labelled.around.last_tactical = Some(true)),
            Some(Filter::LastMove),
        ),
        (
            changed(&|s| s.labelled.around.next_tactical = Some(true)),
            Some(Filter::BestMove),
        ),
        (
            changed(&|s| s.labelled.search_score = Some(2_001)),
            Some(Filter::Score),
        ),
        (
            changed(&|s| s.labelled.search_score = Some(-(MATE - 5))),
            Some(Filter::Score),
        ),
        (
            changed(&|s| s.labelled.search_score = Some(-300)),
            Some(Filter::AgainstResult),
        ),
        (
            changed(&|s| {
                s.labelled.outcome = Outcome::Draw.into();
                s.labelled.search_score = Some(301);
            }),
            Some(Filter::AgainstResult),
        ),
        (sample("iii"), Some(Filter::Idle)),
        (
            changed(&|s| s.labelled.around.plies_left = Some(3)),
            Some(Filter::End),
        ),
        (sample("q"), Some(Filter::Noisy)),
        (sample("v"), Some(Filter::AgainstQuiescence)),
        // The side to move's quiescence score, the first player's of the data.
        (sample("bu"), Some(Filter::AgainstQuiescence)),
        (sample("u"), None),
        (
            changed(&|s| s.labelled.around.book = Some(true)),
            Some(Filter::Book),
        ),
        (sample(""), Some(Filter::Material)),
        (sample("longest"), Some(Filter::Pieces)),
        (told(&|t| t.ratings[1] = Some(1)), Some(Filter::Rating)),
        (
            told(&|t| t.players[0] = Some("C".into())),
            Some(Filter::Player),
        ),
        (told(&|t| t.event = Some("cup".into())), Some(Filter::Event)),
        (
            told(&|t| t.date = GameDate::parse("1999")),
            Some(Filter::Date),
        ),
        (told(&|t| t.seconds = Some(1.0)), Some(Filter::TimeControl)),
        (changed(&|s| s.labelled.search_score = Some(-299)), None),
    ];
    for (sample, expected) in cases {
        let mut filtered = Filtered::default();
        let reason = all_filters().reason(words(), LOOK, &sample, &mut filtered);
        assert_eq!(reason, expected, "{sample:?}");
        let none = Filters::default().reason(words(), LOOK, &sample, &mut filtered);
        assert_eq!(none, None);
    }
}

#[test]
fn what_nobody_knows_is_kept_and_said() {
    let mut unknown = sample("word");
    (
        unknown.labelled.ply,
        unknown.labelled.search_score,
        unknown.labelled.around,
    ) = (None, None, Around::default());
    unknown.labelled.tags = None;
    let mut filtered = Filtered::default();
    assert_eq!(
        all_filters().reason(words(), LOOK, &unknown, &mut filtered),
        None
    );
    let words = filtered.words();
    assert_eq!(words.len(), 15, "{words:?}");
    assert!(
        words[0].contains("1 positions not judged by --opening-plies"),
        "{words:?}"
    );
}

/// A file of games with so many positions each, some of them equal.
fn table(games: usize) -> (tempfile::TempDir, Vec<Input>) {
    let mut text = String::from("word\tresult\tscore_cp\tgame\tply\n");
    for game in 0..games {
        for ply in 0..10 {
            let result = ["1-0", "0-1", "1/2-1/2", "0.25"][game % 4];
            let position = if ply == 9 {
                "same".to_owned()
            } else {
                format!("w{game}x{ply}")
            };
            let line = format!("{position}\t{result}\t{}\tg{game}\t{ply}\n", ply * 10);
            text.push_str(&line);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.tsv");
    fs::write(&path, text).unwrap();
    (folder, vec![Input::File(path)])
}

fn options(
    duplicates: Duplicates,
    per_game: Option<usize>,
    seed: u64,
) -> TransformOptions<'static> {
    TransformOptions {
        filters: Filters {
            opening_plies: Some(2),
            ..Filters::default()
        },
        look: None,
        duplicates,
        per_game,
        seed,
    }
}

fn taken(inputs: &[Input], options: &TransformOptions<'_>) -> (Vec<KeyedPosition>, Transformed) {
    let mut kept = Vec::new();
    let read = ReadOptions::default();
    let found = transform(words(), inputs, &read, options, |k| {
        kept.push(k);
        ControlFlow::Continue(())
    });
    (kept, found.unwrap())
}

#[test]
fn every_position_is_taken_or_left_out_for_a_reason() {
    let (_folder, inputs) = table(1_000);
    for (duplicates, per_game, written) in [
        (Duplicates::Keep, None, 8_000),
        (Duplicates::First, None, 7_001),
        (Duplicates::FirstOfResult, None, 7_004),
        (Duplicates::Keep, Some(3), 3_000),
        (Duplicates::First, Some(100), 7_001),
    ] {
        let (kept, found) = taken(&inputs, &options(duplicates, per_game, 1));
        assert_eq!((kept.len() as u64, found.written), (written, written));
        assert_eq!(
            found.report.total().positions,
            found.written + found.filtered.total()
        );
        assert_eq!(found.filtered.by(Filter::Opening), 2_000);
        assert_eq!(found.games, 1_000);
    }
}

#[test]
fn what_is_drawn_depends_on_the_seed_and_not_on_threads() {
    let (_folder, inputs) = table(3_000);
    let on = |threads: usize, seed| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| taken(&inputs, &options(Duplicates::Keep, Some(2), seed)).0)
    };
    let first = on(1, 1);
    assert_eq!(first, on(4, 1));
    assert_ne!(first, on(1, 2));
    let plies = first
        .chunks(2)
        .map(|pair| (pair[0].labelled.ply, pair[1].labelled.ply));
    assert!(
        plies.clone().all(|(a, b)| a < b),
        "in the order of the input"
    );
    let mut drawn: Vec<_> = first.iter().map(|kept| kept.labelled.ply).collect();
    drawn.sort_unstable();
    drawn.dedup();
    assert_eq!(drawn.len(), 8, "all places of a game are drawn");
}

#[test]
fn positions_of_games_are_counted_wherever_they_stand() {
    let (folder, inputs) = table(100);
    let per_game = options(Duplicates::Keep, Some(2), 1);
    let (straight, _) = taken(&inputs, &per_game);
    let text = fs::read_to_string(folder.path().join("in.tsv")).unwrap();
    let (header, lines) = text.split_once('\n').unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    let mixed = permutation(lines.len(), 5);
    let lines: Vec<&str> = mixed.into_iter().map(|number| lines[number]).collect();
    let path = folder.path().join("mixed.tsv");
    fs::write(&path, [header, &lines.join("\n"), ""].join("\n")).unwrap();
    let (mixed, found) = taken(&[Input::File(path)], &per_game);
    assert_eq!((mixed.len(), found.games), (200, 100));
    assert_eq!(found.filtered.by(Filter::PerGame), 600);
    let count =
        |all: &[KeyedPosition], game| all.iter().filter(|kept| kept.labelled.game == game).count();
    assert!(
        straight
            .iter()
            .all(|kept| count(&mixed, kept.labelled.game) == 2)
    );
    let place = |kept: &KeyedPosition| {
        lines
            .iter()
            .position(|line| line.starts_with(&kept.labelled.position))
    };
    let places: Vec<_> = mixed
        .iter()
        .filter(|kept| kept.labelled.position != "same")
        .map(place)
        .collect();
    assert!(places.is_sorted(), "in the order of the input");
}

#[test]
fn what_is_written_is_read_again() {
    let (folder, inputs) = table(40);
    let (mut kept, _) = taken(&inputs, &options(Duplicates::Keep, None, 1));
    let truths = [None, Some(false), Some(true)];
    for (number, kept) in kept.iter_mut().enumerate() {
        if number % 2 == 1 {
            kept.labelled.position.replace_range(..1, "b");
            kept.first_to_move = false;
        }
        kept.labelled.around = Around {
            last_tactical: truths[number % 3],
            next_tactical: truths[number / 3 % 3],
            plies_left: (number % 2 == 0).then_some(number as u32),
            forfeit: truths[number / 9 % 3],
            book: truths[number / 27 % 3],
        };
    }
    for (layout, name) in [
        (LineLayout::Table, "a.tsv"),
        (LineLayout::Table, "a.tsv.zst"),
        (LineLayout::Bracketed, "a.book.gz"),
        (LineLayout::Piped, "a.txt"),
        (LineLayout::C9, "a.epd"),
    ] {
        let path = folder.path().join(name);
        let mut writer = Writer::create(&path, layout, Some("WORD")).unwrap();
        for kept in &kept {
            writer.write(kept).unwrap();
        }
        assert!(!path.exists(), "nothing has the name before it is whole");
        writer.finish().unwrap();
        let none = TransformOptions {
            filters: Filters::default(),
            ..options(Duplicates::Keep, None, 1)
        };
        let (again, found) = taken(&[Input::File(path)], &none);
        assert_eq!(again.len(), kept.len());
        for (again, kept) in again.iter().zip(&kept) {
            assert_eq!(
                (&again.labelled.position, again.labelled.outcome),
                (&kept.labelled.position, kept.labelled.outcome)
            );
            if layout != LineLayout::Bracketed {
                assert_eq!(again.labelled.search_score, kept.labelled.search_score);
            }
            if layout == LineLayout::Table {
                assert_eq!(
                    (again.labelled.ply, again.labelled.around),
                    (kept.labelled.ply, kept.labelled.around)
                );
                let game = (&again.game_id, again.labelled.game);
                assert_eq!(
                    game,
                    (&kept.game_id, kept.labelled.game),
                    "ids stay as they are"
                );
            }
        }
        assert_eq!(
            found.games,
            if layout == LineLayout::Table { 40 } else { 0 }
        );
    }
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 6, "no temporary file is left");
}

#[test]
fn a_file_that_is_given_up_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tsv");
    drop(Writer::create(&path, LineLayout::Table, Some("WORD")).unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let error =
        Writer::create(&folder.path().join("a.xz"), LineLayout::Table, Some("WORD")).unwrap_err();
    assert!(error.to_string().contains(".zst"), "{error}");
    let mut writer = Writer::create(&path, LineLayout::Piped, Some("WORD")).unwrap();
    let (_folder, inputs) = table(1);
    let (kept, _) = taken(&inputs, &options(Duplicates::Keep, None, 1));
    let mut scoreless = kept[0].clone();
    scoreless.labelled.search_score = None;
    assert!(
        writer
            .write(&scoreless)
            .unwrap_err()
            .to_string()
            .contains("no score")
    );
}

#[test]
fn a_stream_that_closes_is_an_error() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }
    assert!(Writer::stream(Box::new(Closed), LineLayout::Table, Some("WORD")).is_err());
    let (_folder, inputs) = table(3_000);
    let mut count = 0;
    let read = ReadOptions {
        on_bad_line: OnBadLine::Skip,
        ..ReadOptions::default()
    };
    let found = transform(
        words(),
        &inputs,
        &read,
        &options(Duplicates::Keep, None, 1),
        |_| {
            count += 1;
            if count == 10 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        },
    );
    assert!(found.is_err());
    assert_eq!(count, 10);
}

#[test]
fn whole_games_go_to_one_part() {
    let (_folder, inputs) = table(4_000);
    let (kept, _) = taken(&inputs, &options(Duplicates::Keep, None, 1));
    let part = |share: f64| SplitPart {
        path: PathBuf::new(),
        share,
    };
    let parts = [part(0.7), part(0.2)];
    let mut counts = [0; 3];
    for game in kept.chunk_by(|a, b| a.labelled.game == b.labelled.game) {
        let of: Vec<_> = game
            .iter()
            .map(|kept| SplitPart::of(&parts, 3, kept))
            .collect();
        assert!(of.iter().all(|part| *part == of[0]));
        counts[of[0].unwrap_or(2)] += 1;
    }
    for (count, share) in counts.into_iter().zip([0.7, 0.2, 0.1]) {
        assert!(
            (f64::from(count) / 4_000.0 - share).abs() < 0.03,
            "{counts:?}"
        );
    }
    assert_eq!(SplitPart::of(&[part(1.0)], 3, &kept[0]), Some(0));
}

#[test]
fn a_permutation_has_every_number_once() {
    let mut order = permutation(1_000, 7);
    assert_ne!(order, permutation(1_000, 8));
    assert_ne!(order[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    order.sort_unstable();
    assert!(order.into_iter().eq(0..1_000));
}

#[test]
fn a_profile_counts_what_is_there() {
    let (_folder, inputs) = table(8);
    let found = profile(words(), &inputs, &ReadOptions::default()).unwrap();
    let results = found.results;
    assert_eq!(
        results,
        ResultCounts {
            positions: 80,
            wins: 20,
            draws: 20,
            losses: 20
        }
    );
    assert_eq!(found.results.probabilities(), 20);
    assert_eq!((found.games, found.positions_of_game), (8, [10, 10]));
    assert_eq!(
        (found.duplicates, found.contradictions, found.in_check),
        (7, 1, 0)
    );
    assert_eq!(found.to_move[0].positions, 80);
    assert_eq!(
        found.by_material.iter().map(|of| of.positions).sum::<u64>(),
        80
    );
    assert_eq!(found.by_material[4].positions, 80);
    assert_eq!(found.scores, Some([0.0, 45.0, 90.0]));
    assert_eq!(Expected::from(Outcome::Win).balance(), 1_000);
}

#[test]
fn a_game_without_an_id_in_words_keeps_its_key() {
    let (folder, inputs) = table(1);
    let (mut kept, _) = taken(&inputs, &options(Duplicates::Keep, None, 1));
    let key = GameKey::of_bytes(b"1. e4 e5 1-0");
    (kept[0].game_id, kept[0].labelled.game) = (None, Some(key));
    let path = folder.path().join("once.tsv");
    let mut writer = Writer::create(&path, LineLayout::Table, Some("WORD")).unwrap();
    writer.write(&kept[0]).unwrap();
    writer.finish().unwrap();
    let none = TransformOptions {
        filters: Filters::default(),
        ..options(Duplicates::Keep, None, 1)
    };
    let (again, _) = taken(&[Input::File(path)], &none);
    assert_eq!(again[0].labelled.game, Some(key));
}
