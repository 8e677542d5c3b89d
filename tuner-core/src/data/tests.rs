//! The reader as a whole, with a game made for the purpose: a position is a
//! word of letters, an upper-case first letter means the first player moves.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::outcome::{Outcome, Perspective};

struct Words;

impl PositionNotation for Words {
    type Position = String;

    const NAME: &'static str = "WORD";

    fn parse(&self, text: &str) -> Result<String, Fault> {
        match text.find(|c: char| !c.is_ascii_alphabetic() && c != '/' && !c.is_ascii_digit()) {
            None => Ok(text.to_owned()),
            Some(offset) => Err(Fault {
                offset,
                found: Fault::quote(&text[offset..]),
                expected: "letters".into(),
                cure: "write letters".into(),
            }),
        }
    }

    fn describe(&self, position: &String) -> String {
        position.clone()
    }

    fn first_player_to_move(&self, position: &String) -> bool {
        position.starts_with(|c: char| c.is_ascii_uppercase())
    }
}

type All = (Vec<Sample<String>>, ReadReport);

fn files(contents: &[&[u8]]) -> (TempDir, Vec<Input>) {
    let folder = tempfile::tempdir().unwrap();
    let inputs = contents.iter().enumerate().map(|(i, bytes)| {
        let path = folder.path().join(format!("{i}"));
        fs::write(&path, bytes).unwrap();
        Input::File(path)
    });
    let inputs = inputs.collect();
    (folder, inputs)
}

fn read_all(contents: &[&[u8]], options: &ReadOptions) -> Result<All, ReadError> {
    let (_folder, inputs) = files(contents);
    read(&inputs, options, &Words, Ok)
}

fn stated(format: Format) -> ReadOptions {
    ReadOptions {
        format: Some(format),
        ..ReadOptions::default()
    }
}

fn skipping(format: Format) -> ReadOptions {
    ReadOptions {
        on_bad_line: OnBadLine::Skip,
        ..stated(format)
    }
}

/// Reads one line that must be good.
fn good(format: Format, line: &str) -> Sample<String> {
    let (mut samples, _) = read_all(&[line.as_bytes()], &stated(format)).unwrap();
    assert_eq!(samples.len(), 1, "{line}");
    samples.remove(0)
}

/// Reads one line that must be bad; returns column and message.
fn bad(format: Format, line: &str) -> (u64, String) {
    let error = read_all(&[line.as_bytes()], &stated(format)).unwrap_err();
    assert_eq!(error.report.total().rejected, 1, "{line}");
    let line = &error.report.bad_lines[0];
    (line.location.column, line.message.clone())
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(text, 1).unwrap()
}

#[test]
fn every_result_is_read_in_every_format() {
    for (text, outcome) in [
        ("1-0", Outcome::Win),
        ("1.0", Outcome::Win),
        ("1", Outcome::Win),
        ("1/2-1/2", Outcome::Draw),
        ("0.5", Outcome::Draw),
        ("0-1", Outcome::Loss),
        ("0.0", Outcome::Loss),
        ("0", Outcome::Loss),
    ] {
        for (format, line) in [
            (Format::Bracketed, format!("word [{text}]")),
            (Format::C9, format!("word c9 \"{text}\";")),
            (Format::Piped, format!("word | -7 | {text}")),
        ] {
            let sample = good(format, &line);
            assert_eq!(
                (sample.position.as_str(), sample.outcome),
                ("word", outcome),
                "{line}"
            );
            assert_eq!(sample.search_score, (format == Format::Piped).then_some(-7));
        }
    }
}

#[test]
fn a_result_inside_the_position_is_no_result() {
    // Ethereal #26: `1/2` found inside the FEN.
    assert_eq!(
        good(Format::Bracketed, "8/1p1/2p5 [1.0]").outcome,
        Outcome::Win
    );
    assert_eq!(
        good(Format::C9, "8/1p1/2p5 c9 \"0-1\";").outcome,
        Outcome::Loss
    );
    assert_eq!(
        good(Format::Piped, "8/1p1/2p5 | 0 | 1.0").outcome,
        Outcome::Win
    );
    let (column, message) = bad(Format::Bracketed, "8/1/2p5");
    assert_eq!(column, 8);
    assert!(message.starts_with("found the end of the line, expected a result in brackets"));
}

#[test]
fn a_line_without_exactly_one_result_is_bad() {
    for (format, line, column) in [
        (Format::Bracketed, "word", 5),
        (Format::Bracketed, "word 0.5", 9),
        (Format::Bracketed, "word []", 7),
        (Format::Bracketed, "word [0.5", 7),
        (Format::Bracketed, "word [ 0.5]", 7),
        (Format::Bracketed, "word [0.5] [1.0]", 6),
        (Format::Bracketed, "word [0.5] -154", 12),
        (Format::Bracketed, "word [*]", 7),
        (Format::Bracketed, "word [2.0]", 7),
        (Format::Bracketed, "word [0.75]", 7),
        (Format::Bracketed, "word [1/2]", 7),
        (Format::Bracketed, "word [-1]", 7),
        (Format::Bracketed, " [0.5]", 2),
        (Format::Bracketed, "two words [0.5]", 4),
        (Format::C9, "word", 5),
        (Format::C9, "word c9 1-0;", 13),
        (Format::C9, "word c9 \"1-0\"", 14),
        (Format::C9, "word c9 \"1-0;", 10),
        (Format::C9, "word c9 \"*\";", 10),
        (Format::C9, "word c8 \"1-0\";", 6),
        (Format::C9, "wordc9 \"1-0\";", 1),
        (Format::C9, "word c9 \"1-0\"; c9 \"0-1\";", 16),
        (Format::C9, "word bm x; c9 \"1-0\";", 10),
        (Format::C9, "c9 \"1-0\";", 1),
        (Format::Piped, "word", 5),
        (Format::Piped, "word | 5", 9),
        (Format::Piped, "word | 5 |", 11),
        (Format::Piped, "word |  | 0.5", 9),
        (Format::Piped, "word | 0.63 | 0.5", 8),
        (Format::Piped, "word | -2147483648 | 0.5", 8),
        (Format::Piped, "word | 5 | 0.5 | 1.0", 18),
        (Format::Piped, "word | 5 | draw", 12),
        (Format::Piped, "| 5 | 0.5", 1),
    ] {
        let (found, message) = bad(format, line);
        assert_eq!(found, column, "{line}: {message}");
        assert!(
            message.contains(", expected ") && message.contains("; "),
            "{message}"
        );
    }
}

#[test]
fn an_unfinished_game_is_called_that() {
    assert!(bad(Format::Bracketed, "word [*]").1.contains("unfinished"));
}

#[test]
fn a_table_is_read_by_the_names_of_its_columns() {
    let text = b"ply\tgame\tnote\tresult\tword\tscore_cp\n\
        3\tg/1\tx\t1-0\tsome\t15\n\
        \tg/2\t\t0-1\tother\t\n";
    let (samples, report) = read_all(&[text], &ReadOptions::default()).unwrap();
    let first = &samples[0];
    assert_eq!(
        (first.position.as_str(), first.outcome),
        ("some", Outcome::Win)
    );
    assert_eq!((first.search_score, first.ply), (Some(15), Some(3)));
    assert_eq!(first.game, Some(GameKey::of("g/1")));
    assert_eq!((samples[1].search_score, samples[1].ply), (None, None));
    let file = &report.files[0];
    assert_eq!(file.ignored_columns, ["note"]);
    assert_eq!((file.lines, file.headers, file.positions), (3, 1, 2));
    assert_eq!((file.with_game, file.with_search_score), (2, 1));
}

#[test]
fn a_bad_line_of_a_table_is_bad() {
    for (line, column) in [
        ("word\t0.5", 9),
        ("word\t0.5\t1\t2\t3", 15),
        ("word\tx\t1\tg", 6),
        ("word\t\t1\tg", 6),
        ("\t0.5\t1\tg", 1),
        ("word\t0.5\tx\tg", 10),
        ("word\t0.5\t1\t", 12),
        ("?\t0.5\t1\tg", 1),
    ] {
        let text = format!("word\tresult\tscore_cp\tgame\n{line}\n");
        let error = read_all(&[text.as_bytes()], &ReadOptions::default()).unwrap_err();
        let found = &error.report.bad_lines[0];
        assert_eq!(
            (found.location.line, found.location.column),
            (2, column),
            "{line}: {found}"
        );
    }
}

#[test]
fn all_mistakes_of_a_header_are_reported() {
    let error = read_all(&[b"game\tresult\tgame\tresult\n"], &ReadOptions::default()).unwrap_err();
    let [InputError::Header { faults, .. }] = error.inputs.as_slice() else {
        panic!("{error}")
    };
    assert_eq!(faults.len(), 3, "{error}");
}

#[test]
fn white_space_is_fine_wherever_it_does_not_matter() {
    let text = b"\xef\xbb\xbf\r\n  one [1.0]  \r\n\r\n\t\ntwo [0.5]\n\n\nthree [0.0]";
    let (samples, report) = read_all(&[text], &ReadOptions::default()).unwrap();
    let words: Vec<&str> = samples
        .iter()
        .map(|sample| sample.position.as_str())
        .collect();
    assert_eq!(words, ["one", "two", "three"]);
    let total = report.total();
    assert_eq!((total.lines, total.blank, total.positions), (8, 5, 3));
    assert_eq!(samples[2].location, SampleLocation { input: 0, line: 8 });
}

#[test]
fn a_line_that_is_no_utf8_is_bad_and_its_neighbours_are_good() {
    let text = b"one [1.0]\ntw\xe4 [0.5]\nthree [0.0]\n";
    let error = read_all(&[text], &ReadOptions::default()).unwrap_err();
    let line = &error.report.bad_lines[0];
    assert_eq!((line.location.line, line.location.column), (2, 3));
    assert!(line.message.contains("0xe4"), "{line}");
    assert_eq!(error.report.total().positions, 2);
}

#[test]
fn the_side_to_move_turns_result_and_score() {
    let text = b"First | 10 | 1.0\nsecond | 10 | 1.0\nsecond | -5 | 0.5\n";
    let options = ReadOptions {
        perspective: Perspective::SideToMove,
        ..ReadOptions::default()
    };
    let (samples, _) = read_all(&[text], &options).unwrap();
    let seen: Vec<_> = samples
        .iter()
        .map(|s| (s.outcome, s.search_score))
        .collect();
    assert_eq!(
        seen,
        [
            (Outcome::Win, Some(10)),
            (Outcome::Loss, Some(-10)),
            (Outcome::Draw, Some(5)),
        ]
    );
}

#[test]
fn formats_are_recognised_despite_a_bad_first_line() {
    for (text, format) in [
        ("# comment\none [1.0]\ntwo [0.5]\n", Format::Bracketed),
        ("x\none c9 \"1-0\";\ntwo c9 \"0-1\";", Format::C9),
        ("x\none | 3 | 1-0\ntwo | 3 | 0.5", Format::Piped),
    ] {
        let error = read_all(&[text.as_bytes()], &ReadOptions::default()).unwrap_err();
        let file = &error.report.files[0];
        assert_eq!(
            (file.format, file.rejected, file.positions),
            (Some(format), 1, 2)
        );
        assert_eq!(error.report.bad_lines[0].location.line, 1);
    }
}

#[test]
fn an_unknown_format_says_what_is_known() {
    let error = read_all(&[b"\none 1.0\ntwo 0.5\n"], &ReadOptions::default()).unwrap_err();
    let words = error.to_string();
    assert!(words.contains(":2:1: found \"one 1.0\""), "{words}");
    assert!(
        Format::ALL
            .iter()
            .all(|format| words.contains(format.pattern())),
        "{words}"
    );
}

#[test]
fn the_first_ten_bad_lines_are_listed_and_all_are_counted() {
    let text = "good [1.0]\nbad\n".repeat(20_000);
    let options = skipping(Format::Bracketed);
    let (samples, report) = read_all(&[text.as_bytes()], &options).unwrap();
    assert_eq!((samples.len(), report.total().rejected), (20_000, 20_000));
    let lines: Vec<u64> = report
        .bad_lines
        .iter()
        .map(|line| line.location.line)
        .collect();
    assert_eq!(lines, [2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
    let words: Vec<String> = report.bad_line_words().collect();
    assert_eq!(words[10], "… and 19990 more bad lines, 20000 in all");

    let stop = ReadOptions {
        on_bad_line: OnBadLine::Stop,
        ..options
    };
    let error = read_all(&[text.as_bytes()], &stop).unwrap_err();
    assert_eq!(error.report, {
        // The folder differs, nothing else.
        let mut same = report;
        same.files[0].file.clone_from(&error.report.files[0].file);
        for line in &mut same.bad_lines {
            line.location.file.clone_from(&error.report.files[0].file);
        }
        same
    });
}

#[test]
fn what_the_caller_refuses_is_a_bad_line() {
    let (_folder, inputs) = files(&[b"one [1.0]\ntwo [1.0]\n"]);
    let refuse = |sample: Sample<String>| {
        if sample.position == "two" {
            Err("two is no good".to_owned())
        } else {
            Ok(())
        }
    };
    let error = read(&inputs, &ReadOptions::default(), &Words, refuse).unwrap_err();
    assert!(
        error.to_string().ends_with("0:2:1: two is no good"),
        "{error}"
    );
}

#[test]
fn compression_is_recognised_by_the_first_bytes() {
    let text = "one [1.0]\n".repeat(50_000).into_bytes();
    let two_members = [gzip(&text), gzip(&text)].concat();
    let two_frames = [zstd(&text), zstd(&text)].concat();
    let contents: [&[u8]; 5] = [&text, &gzip(&text), &zstd(&text), &two_members, &two_frames];
    let (_, report) = read_all(&contents, &ReadOptions::default()).unwrap();
    let positions: Vec<u64> = report.files.iter().map(|file| file.positions).collect();
    assert_eq!(positions, [50_000, 50_000, 50_000, 100_000, 100_000]);
}

#[test]
fn compressed_data_that_is_cut_off_is_an_error() {
    let lines = (0..60_000_u32).map(|i| format!("w{} [0.5]\n", i.wrapping_mul(2_654_435_769)));
    let text: String = lines.collect();
    for whole in [gzip(text.as_bytes()), zstd(text.as_bytes())] {
        for cut in [7, whole.len() / 2, whole.len() - 1] {
            let options = skipping(Format::Bracketed);
            let error = read_all(&[&whole[..cut]], &options).unwrap_err();
            let [InputError::Broken { lines, bytes, .. }] = error.inputs.as_slice() else {
                panic!("{error}")
            };
            let total = error.report.total();
            assert_eq!(
                (total.lines, total.positions, total.rejected),
                (*lines, *lines, 0)
            );
            assert!(
                *bytes <= text.len() as u64 && (cut < 8 || *lines > 1000),
                "{error}"
            );
            assert!(error.to_string().contains("broke off after"));
        }
    }
}

#[test]
fn other_kinds_of_files_are_named() {
    let xz = b"\xfd7zXZ\0rest";
    let (_folder, mut inputs) = files(&[xz, b"\xff\xfeo\0", b"one [1.0]\n"]);
    inputs.push(Input::File(PathBuf::from("no such file")));
    inputs.push(Input::File(std::env::temp_dir()));
    let error = read(&inputs, &ReadOptions::default(), &Words, Ok).unwrap_err();
    let words: Vec<String> = error.inputs.iter().map(ToString::to_string).collect();
    assert_eq!(words.len(), 4, "{error}");
    for (words, part) in words
        .iter()
        .zip(["xz", "UTF-16", "no such file", "directory"])
    {
        assert!(words.contains(part), "{words}");
    }
    assert_eq!(error.report.files[2].positions, 1);
}

#[test]
fn standard_input_can_be_named_once() {
    let input = Input::from_argument(Path::new("-"));
    let error = read(&[input.clone(), input], &ReadOptions::default(), &Words, Ok).unwrap_err();
    assert!(matches!(error.inputs[0], InputError::StdinTwice));
}

#[test]
fn the_order_is_that_of_the_lines_for_any_number_of_threads() {
    let line = |i: u32| format!("w{i} [{}]\n", ["1.0", "0.5", "x", "0.0"][i as usize % 4]);
    let texts = [0..70_000, 70_000..70_001, 70_001..180_000]
        .map(|range| range.map(line).collect::<String>());
    let (_folder, inputs) = files(&texts.each_ref().map(String::as_bytes));
    let results = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| read(&inputs, &skipping(Format::Bracketed), &Words, Ok).unwrap())
    });
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
    let (samples, report) = &results[0];
    assert_eq!(report.total().lines, 180_000);
    assert!(samples.is_sorted_by_key(|sample| sample.location));
    let number = |s: &Sample<String>| s.position[1..].parse::<u32>().unwrap();
    assert!(samples.is_sorted_by_key(number));
}

#[test]
fn the_observer_hears_of_every_byte() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    let text = "one [1.0]\n".repeat(50_000).into_bytes();
    let (bytes, positions) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (to_bytes, to_positions) = (Arc::clone(&bytes), Arc::clone(&positions));
    let observer = Observer::new(move |progress| {
        to_bytes.store(progress.bytes, Ordering::Relaxed);
        to_positions.store(progress.positions, Ordering::Relaxed);
    });
    let options = ReadOptions {
        observer: Some(observer),
        ..ReadOptions::default()
    };
    read_all(&[&text], &options).unwrap();
    assert_eq!(bytes.load(Ordering::Relaxed), text.len() as u64);
    assert_eq!(positions.load(Ordering::Relaxed), 50_000);
}

/// Bytes that look like data more often than not.
fn messy() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"word [0.5]".to_vec()),
        Just(b"word c9 \"1-0\";".to_vec()),
        Just(b"word | 3 | 0.5".to_vec()),
        Just(b"word\tresult\tscore_cp\tgame\tply".to_vec()),
        Just(b"word\t1-0\t\tg\t7".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        "[ -~]{0,9}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..5),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_bytes_panic_and_counts_add_up(
        bytes in messy(),
        format in prop::option::of(prop::sample::select(&Format::ALL[..])),
        pack in prop::sample::select(vec![0, 1, 2]),
    ) {
        let packed = match pack { 0 => bytes.clone(), 1 => gzip(&bytes), _ => zstd(&bytes) };
        let options = ReadOptions { format, on_bad_line: OnBadLine::Skip, ..ReadOptions::default() };
        let (values, report, unreadable) = match read_all(&[&packed], &options) {
            Ok((samples, report)) => (samples.len() as u64, report, false),
            Err(error) => (error.report.total().positions, error.report, !error.inputs.is_empty()),
        };
        let total = report.total();
        prop_assert_eq!(total.positions, values);
        prop_assert_eq!(
            total.lines,
            total.headers + total.blank + total.positions + total.rejected
        );
        prop_assert_eq!(report.bad_lines.len() as u64, total.rejected.min(10));
        if !unreadable {
            let lines = bytes.split_inclusive(|&byte| byte == b'\n').count();
            prop_assert_eq!(total.lines, lines as u64);
        }
    }
}
