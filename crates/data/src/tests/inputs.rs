//! Inputs as a whole: compression, order, counts, encodings.

use std::num::NonZeroU32;

use super::*;

#[test]
fn white_space_is_fine_wherever_it_does_not_matter() {
    let text = b"\xef\xbb\xbf\r\n  one [1.0]  \r\n\r\n\t\ntwo [0.5]\n\n\nthree [0.0]";
    let (samples, report) = read_all(&[text], &ReadOptions::default()).unwrap();
    let words: Vec<&str> = samples.iter().map(written).collect();
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

/// The wrong format, or another game: nobody waits for gigabytes of it.
#[test]
fn what_is_bad_from_the_first_line_to_the_last_is_not_read_on() {
    let bad = b"tw? [0.5]\n".repeat(250_000);
    let skip = ReadOptions {
        on_bad_line: OnBadLine::Skip,
        ..ReadOptions::default()
    };
    let mut seen = Vec::new();
    for options in [&skip, &ReadOptions::default()] {
        let error = read_all(&[&bad], options).unwrap_err();
        let rejected = error.report.total().rejected;
        assert!((100_000..200_000).contains(&rejected), "{rejected}");
        let words = error.to_string();
        assert!(words.contains("is it of another format"), "{words}");
        seen.push(rejected);
    }
    assert_eq!(seen[0], seen[1]);
    let one = [b"one [1.0]\n", bad.as_slice()].concat();
    let (samples, report) = read_all(&[&one], &skip).unwrap();
    assert_eq!((samples.len(), report.total().rejected), (1, 250_000));
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
        .map(|s| (s.labelled.outcome, s.labelled.search_score))
        .collect();
    assert_eq!(
        seen,
        [
            (Outcome::Win.into(), Some(10)),
            (Outcome::Loss.into(), Some(-10)),
            (Outcome::Draw.into(), Some(5)),
        ]
    );
}

#[test]
fn results_and_scores_may_be_reversed() {
    let text = b"second | 10 | 1.0\n";
    let win = Expected::from(Outcome::Win);
    for (options, scale, expected) in [
        ("", None, (win, 10)),
        (":results=reversed", None, (win.flipped(), 10)),
        (":scores=reversed", None, (win, -10)),
        (
            ":scores=reversed:results=reversed",
            None,
            (win.flipped(), -10),
        ),
        // What results are made of is turned once.
        (
            ":scores=reversed:results-from-scores=400",
            NonZeroU32::new(400),
            (win, -10),
        ),
    ] {
        let argument = format!("a{options}");
        let (_, own) = Input::with_options(words(), Path::new(&argument)).unwrap();
        let options = ReadOptions {
            inputs: vec![own],
            ..ReadOptions::default()
        };
        let (samples, _) = read_all(&[text], &options).unwrap();
        let labelled = &samples[0].labelled;
        let (result, score) = expected;
        let result = scale.map_or(result, |scale| Expected::of_score(score, scale));
        assert_eq!(
            (labelled.outcome, labelled.search_score),
            (result, Some(score)),
            "{argument}"
        );
    }
}

#[test]
fn results_and_scores_may_have_different_perspectives() {
    use Perspective::{FirstPlayer, SideToMove};
    let text = b"second | 10 | 1.0\n";
    let own = |perspective, score_perspective| InputOptions {
        perspective,
        scores: StatedScores {
            perspective: score_perspective,
            unit: None,
            ..StatedScores::default()
        },
        ..InputOptions::default()
    };
    let none = own(None, None);
    for (perspective, scores, own, expected) in [
        (FirstPlayer, Some(SideToMove), none, (Outcome::Win, -10)),
        (SideToMove, Some(FirstPlayer), none, (Outcome::Loss, 10)),
        (SideToMove, None, none, (Outcome::Loss, -10)),
        (
            SideToMove,
            None,
            own(None, Some(FirstPlayer)),
            (Outcome::Loss, 10),
        ),
        (
            SideToMove,
            Some(SideToMove),
            own(Some(FirstPlayer), None),
            (Outcome::Win, 10),
        ),
    ] {
        let options = ReadOptions {
            perspective,
            scores: StatedScores {
                perspective: scores,
                unit: None,
                ..StatedScores::default()
            },
            inputs: vec![own],
            ..ReadOptions::default()
        };
        let (samples, _) = read_all(&[text], &options).unwrap();
        let (outcome, score) = expected;
        assert_eq!(samples[0].labelled.outcome, outcome);
        assert_eq!(samples[0].labelled.search_score, Some(score));
    }
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
fn many_files_of_which_all_was_read_are_one_line() {
    let mut texts = vec![&b"good [1.0]\nalso [0.0]\n"[..]; 20];
    texts[3] = b"good [1.0]\nbad\n";
    let options = skipping(Format::Bracketed);
    let (_, report) = read_all(&texts, &options).unwrap();
    let words = report.words();
    assert!(
        words[0].starts_with("19 files, of which all was read, from "),
        "{words:?}"
    );
    assert!(words[0].ends_with(": 38 positions"), "{words:?}");
    assert!(
        words[1].ends_with("1 positions + 1 rejected + 0 blank"),
        "{words:?}"
    );
    assert_eq!(words.len(), 3, "{words:?}");
}

#[test]
fn what_the_caller_refuses_is_a_bad_line() {
    let (_folder, inputs) = files(&[b"one [1.0]\ntwo [1.0]\n"]);
    let refuse = |sample: Sample| {
        if written(&sample) == "two" {
            Err("two is no good".to_owned())
        } else {
            Ok(())
        }
    };
    let error = read(&inputs, &ReadOptions::default(), words(), refuse).unwrap_err();
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
    let two_streams = [xz(&text), xz(&text)].concat();
    let contents: [&[u8]; 7] = [
        &text,
        &gzip(&text),
        &zstd(&text),
        &two_members,
        &two_frames,
        &xz(&text),
        &two_streams,
    ];
    let (_, report) = read_all(&contents, &ReadOptions::default()).unwrap();
    let positions: Vec<u64> = report.files.iter().map(|file| file.positions).collect();
    assert_eq!(
        positions,
        [50_000, 50_000, 50_000, 100_000, 100_000, 50_000, 100_000]
    );
}

#[test]
fn compressed_data_that_is_cut_off_is_an_error() {
    let lines = (0..60_000_u32).map(|i| format!("w{} [0.5]\n", i.wrapping_mul(2_654_435_769)));
    let text: String = lines.collect();
    for whole in [gzip, zstd, xz].map(|pack| pack(text.as_bytes())) {
        for cut in [7, whole.len() / 2, whole.len() - 1] {
            let options = skipping(Format::Bracketed);
            let error = read_all(&[&whole[..cut]], &options).unwrap_err();
            let [
                InputError::Broken {
                    whole: lines,
                    bytes,
                    ..
                },
            ] = error.inputs.as_slice()
            else {
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
    let bzip2 = b"BZh91AY&SY";
    let (_folder, mut inputs) = files(&[bzip2, b"\xff\xfeo\0", b"one [1.0]\n"]);
    inputs.push(Input::File(PathBuf::from("no such file")));
    inputs.push(Input::File(std::env::temp_dir()));
    let error = read(&inputs, &ReadOptions::default(), words(), Ok).unwrap_err();
    let words: Vec<String> = error.inputs.iter().map(ToString::to_string).collect();
    assert_eq!(words.len(), 4, "{error}");
    for (words, part) in words
        .iter()
        .zip(["bzip2", "UTF-16", "no such file", "directory"])
    {
        assert!(words.contains(part), "{words}");
    }
    assert_eq!(error.report.files[2].positions, 1);
}

#[test]
fn standard_input_can_be_named_once() {
    let input = Input::from_argument(Path::new("-"));
    let error = read(
        &[input.clone(), input],
        &ReadOptions::default(),
        words(),
        Ok,
    )
    .unwrap_err();
    assert!(error.to_string().starts_with("found - twice"), "{error}");
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
        pool.install(|| read(&inputs, &skipping(Format::Bracketed), words(), Ok).unwrap())
    });
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
    let (samples, report) = &results[0];
    assert_eq!(report.total().lines, 180_000);
    assert!(samples.is_sorted_by_key(|sample| sample.location));
    let number = |s: &Sample| written(s)[1..].parse::<u32>().unwrap();
    assert!(samples.is_sorted_by_key(number));
}

#[test]
fn the_observer_hears_of_every_byte() {
    use std::ops::ControlFlow;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    let text = "one [1.0]\n".repeat(50_000).into_bytes();
    let (bytes, positions) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (to_bytes, to_positions) = (Arc::clone(&bytes), Arc::clone(&positions));
    let observer = Observer::new(move |progress| {
        to_bytes.store(progress.bytes, Ordering::Relaxed);
        to_positions.store(progress.positions, Ordering::Relaxed);
        ControlFlow::Continue(())
    });
    let options = ReadOptions {
        observer: Some(observer),
        ..ReadOptions::default()
    };
    read_all(&[&text], &options).unwrap();
    assert_eq!(bytes.load(Ordering::Relaxed), text.len() as u64);
    assert_eq!(positions.load(Ordering::Relaxed), 50_000);
}

#[test]
fn an_observer_can_stop_the_reading() {
    let text = "one [1.0]\n".repeat(2_000_000).into_bytes();
    let options = ReadOptions {
        observer: Some(Observer::new(|_| std::ops::ControlFlow::Break(()))),
        ..ReadOptions::default()
    };
    let error = read_all(&[&text], &options).unwrap_err();
    assert!(matches!(error.inputs[..], [InputError::Stopped]), "{error}");
    assert!(error.report.total().positions < 2_000_000);
}

#[test]
fn the_fingerprint_is_one_of_the_bytes_in_their_order() {
    let of = |texts: &[&[u8]]| {
        let (_, report) = read_all(texts, &ReadOptions::default()).unwrap();
        report.fingerprint()
    };
    let long = "one [1.0]\ntwo [0.0]\n".repeat(100_000).into_bytes();
    let prints = [
        of(&[&long]),
        of(&[&long[10..]]),
        of(&[&long, b"one [1.0]\n"]),
        of(&[b"one [1.0]\n", &long]),
        of(&[b"one [1.0]\n"]),
        of(&[b"one [0.0]\n"]),
        of(&[b"one [1.0]"]),
    ];
    assert_eq!(prints[4], "cb6e1ef2b7912d9b", "in checkpoints");
    for (at, print) in prints.iter().enumerate() {
        assert_eq!(print.len(), 16);
        assert!(!prints[..at].contains(print), "{at}: {prints:?}");
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    assert_eq!(pool.install(|| of(&[&long])), prints[0]);
}

#[test]
fn bad_lines_at_the_top_do_not_hide_the_format() {
    let text = b"junk\nmore [*]\none [1.0]\nx | 3 | y | z\n";
    let error = read_all(&[text], &ReadOptions::default()).unwrap_err();
    assert_eq!(error.report.files[0].format, Some(Format::Bracketed));
    let lines = error.report.bad_lines.iter().map(|bad| bad.location.line);
    assert_eq!(lines.collect::<Vec<_>>(), [1, 2, 4]);
}

/// What is left of `0.5` is another result.
#[test]
fn a_truncated_last_line_is_a_bad_line() {
    let before = "one | 5 | 0.5\n";
    for (before, last, column) in [
        (before, "two | 500 | 0", 13),
        ("one;1/2-1/2\n", "two;1", 5),
        ("word,result\none,1.0\n", "two,1", 5),
        ("word,result\none,1-0\nx,0\n", "two,1", 5),
        // The longer result is in another block.
        (
            &format!("{before}{}", "one | 5 | 1\n".repeat(40_000)),
            "two | 5 | 0",
            11,
        ),
    ] {
        let text = [before, last].concat();
        let error = read_all(&[text.as_bytes()], &ReadOptions::default()).unwrap_err();
        let total = error.report.total();
        assert_eq!(
            (total.rejected, total.lines),
            (1, text.lines().count() as u64)
        );
        let bad = &error.report.bad_lines[0];
        assert_eq!(
            (bad.location.line, bad.location.column),
            (total.lines, column)
        );
        assert!(bad.message.contains("fetch it again"), "{bad}");
        let skip = ReadOptions {
            on_bad_line: OnBadLine::Skip,
            ..ReadOptions::default()
        };
        let (samples, report) = read_all(&[text.as_bytes()], &skip).unwrap();
        assert_eq!(samples.len() as u64, report.total().positions);
        assert_eq!(report.total().positions, total.positions);
        let limit = InputOptions {
            limit: Some(1),
            ..InputOptions::default()
        };
        let limited = ReadOptions {
            inputs: vec![limit],
            ..ReadOptions::default()
        };
        assert_eq!(read_all(&[text.as_bytes()], &limited).unwrap().0.len(), 1);
    }
    for text in [
        "one | 5 | 0.5\ntwo | 500 | 0\n",
        "one | 5 | 0.5\ntwo | 500 | 0\r",
        "one | 5 | 0\ntwo | 500 | 1\nthree | 0 | 0",
        "one | 5 | 0.5\ntwo | 500 | 1",
        "one [0.5]\ntwo [0]",
        "word,result,ply\none,0.5,0\ntwo,0,0",
        "one | 500 | 0",
    ] {
        assert!(
            read_all(&[text.as_bytes()], &ReadOptions::default()).is_ok(),
            "{text}"
        );
    }
}

#[test]
fn data_that_change_between_readings_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("data.txt");
    let inputs = [Input::File(name.clone())];
    let options = ReadOptions {
        first: Some(FirstReading::default()),
        ..ReadOptions::default()
    };
    let again = |bytes: &[u8]| {
        fs::write(&name, bytes).unwrap();
        read(&inputs, &options, words(), |sample| Ok(sample.labelled))
            .map(|(values, _)| values.len())
    };
    let text = b"one [1.0]\ntwo [0.5]\n";
    assert_eq!(again(text).unwrap(), 2);
    assert_eq!(again(text).unwrap(), 2);
    let packed = zstd::encode_all(&text[..], 1).unwrap();
    assert_eq!(again(&packed).unwrap(), 2, "the same bytes, compressed");
    let place = format!("{}: changed since it was first read: ", name.display());
    let cure = "leave it as it is while it is read, or read a copy, and start again";
    let refused = |bytes: &[u8], what: &str| {
        let words = again(bytes).unwrap_err().to_string();
        assert_eq!(words, format!("{place}{what}; {cure}"));
    };
    refused(
        b"one [0.0]\ntwo [0.5]\n",
        "2 positions then, 2 now, of other bytes",
    );
    refused(
        b"one [1.0]\ntwo [0.5]\nthree [1.0]\n",
        "2 positions then, 3 now",
    );
    refused(b"one [1.0]\n", "2 positions then, 1 now");
    refused(b"", "2 positions then, 0 now");
    refused(&packed[..packed.len() - 5], "2 positions then, 1 now");
    // The cure.
    assert_eq!(again(text).unwrap(), 2);
}

#[test]
fn a_file_that_changes_while_it_is_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("data.txt");
    let text = "one [1.0]\n".repeat(1_000_000);
    let cure = "leave it as it is while it is read, or read a copy, and start again";
    for [bytes, other] in [
        [text.as_bytes(), &text.as_bytes()[..5_000_004]],
        [text.as_bytes(), b""],
        [&text.as_bytes()[..5_000_000], text.as_bytes()],
    ] {
        fs::write(&name, bytes).unwrap();
        // When the first position is read most of the file is not.
        let change = std::sync::Once::new();
        let found = read(
            &[Input::File(name.clone())],
            &ReadOptions::default(),
            words(),
            |sample| {
                change.call_once(|| fs::write(&name, other).unwrap());
                Ok(sample.labelled)
            },
        );
        let found = found.unwrap_err().to_string();
        let expected = format!("{}: changed while it was read; {cure}", name.display());
        assert_eq!(found, expected);
    }
}

#[test]
fn positions_read_again_by_number_are_those_of_the_first_reading() {
    let lines = |count: usize, from: usize| -> String {
        let line = |number| format!("w{} [{}]\n", from + number, number % 2);
        (0..count).map(line).collect()
    };
    let table = format!("word\tresult\n{}", "x\t1\ny\t0\n".repeat(9000));
    let all = [lines(20_000, 0), table, lines(30, 50_000)];
    let blank = all.clone().map(|text| text + "\n");
    let bad = [all[0].clone(), lines(3, 0) + "?\n" + &lines(5, 7)];
    for (texts, limit) in [
        (&all[..], None),
        (&all[..], Some(19_000)),
        (&blank, None),
        (&bad, None),
    ] {
        let bytes: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
        let (_folder, inputs) = files(&bytes);
        let options = ReadOptions {
            first: Some(FirstReading::default()),
            on_bad_line: OnBadLine::Skip,
            inputs: vec![InputOptions {
                limit,
                ..InputOptions::default()
            }],
            ..ReadOptions::default()
        };
        let (samples, first) = read(&inputs, &options, words(), Ok).unwrap();
        let numbers: Vec<usize> = (0..samples.len()).filter(|n| n % 977 < 2).collect();
        let again = |numbers: &[usize]| {
            let map = |some: &[(usize, Sample)]| some.to_vec();
            let ranks = tuner_base::Ranks::default();
            read_numbered(&inputs, &options, words(), ranks, numbers, map).unwrap()
        };
        let (found, report) = again(&numbers);
        let expected: Vec<(usize, Sample)> = (numbers.iter().enumerate())
            .map(|(place, &number)| (place, samples[number].clone()))
            .collect();
        assert_eq!(found, expected);
        assert_eq!(report.fingerprint(), first.fingerprint());
        assert_eq!(report.total().positions, first.total().positions);
        assert!(again(&[]).0.is_empty());
        // One more on a line that is read again.
        if let (Input::File(name), None) = (&inputs[0], limit) {
            fs::write(name, lines(20_001, 1)).unwrap();
            let ranks = tuner_base::Ranks::default();
            let map = |some: &[(usize, Sample)]| some.to_vec();
            let error = read_numbered(&inputs, &options, words(), ranks, &numbers, map);
            let words = error.unwrap_err().to_string();
            assert!(words.contains("20000 positions then, 20001 now"), "{words}");
        }
    }
}
