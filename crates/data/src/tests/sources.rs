//! Several inputs with options of their own.

use super::*;

fn settings_of(argument: &str) -> Result<(Input, InputOptions), String> {
    Input::with_options(words(), Path::new(argument))
}

#[test]
fn options_follow_the_name_of_a_file() {
    let (input, options) =
        settings_of("a:b.txt:weight=0.5:limit=7:format=piped:perspective=side-to-move:score-perspective=first-player:score-unit=pawns").unwrap();
    assert_eq!(input, Input::File(PathBuf::from("a:b.txt")));
    let expected = InputOptions {
        format: Some(Format::Piped),
        perspective: Some(Perspective::SideToMove),
        scores: StatedScores {
            perspective: Some(Perspective::FirstPlayer),
            unit: Some(ScoreUnit::Pawns),
            ..StatedScores::default()
        },
        weight: Some(0.5),
        limit: Some(7),
        reversed: [false; 2],
    };
    assert_eq!(options, expected);
    assert_eq!(settings_of("-:limit=1").unwrap().0, Input::Stdin);
    for (argument, part) in [
        ("a:weight=x", "expected a number"),
        ("a:weight=-1", "expected a number"),
        ("a:weight=nan", "expected a number"),
        ("a:limit=0", "at least 1"),
        ("a:limit=1.5", "expected a number of positions"),
        ("a:format=pgm", "expected one of bracketed"),
        ("a:perspective=white", "expected first-player"),
        ("a:limit=1:limit=2", "found twice"),
        ("a:score-perspective=white", "expected first-player"),
        ("a:score-unit=cp", "expected centipawns"),
        ("a:results=turned", "expected reversed"),
        ("a:scores=reversed:scores=reversed", "found twice"),
        (
            "a:wieght=1",
            "found option wieght, expected one of format, ",
        ),
    ] {
        let error = settings_of(argument).unwrap_err();
        assert!(error.contains(part), "{argument}: {error}");
    }
    for name in ["a", "C:/data/a.txt", "a:b"] {
        let (input, options) = settings_of(name).unwrap();
        assert_eq!(input, Input::File(PathBuf::from(name)));
        assert_eq!(options, InputOptions::default());
    }
}

/// The caller is an evaluator, which a format or a game that is stated would not help.
#[test]
fn a_file_of_bad_lines_is_of_another_format_and_one_of_refused_positions_is_not() {
    for (line, expected, other) in [
        ("one [1.0]\n", "all are refused", "--format"),
        ("one\n", "is it of another format (--format)", "evaluator"),
    ] {
        let (_folder, inputs) = files(&[line.repeat(100_500).as_bytes()]);
        let options = skipping(Format::Bracketed);
        let refused = |_| Err::<Sample, _>("no such position".to_owned());
        let error = read(&inputs, &options, words(), refused).unwrap_err();
        let found = error.inputs[0].to_string();
        assert!(
            found.contains(expected) && !found.contains(other),
            "{found}"
        );
    }
}

#[test]
fn a_file_whose_name_looks_like_options_is_that_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a:limit=1");
    fs::write(&path, "one [1.0]\ntwo [0.5]\n").unwrap();
    let with_more = format!("{}:limit=3", path.display());
    let (input, options) = settings_of(&with_more).unwrap();
    assert_eq!((input, options.limit), (Input::File(path.clone()), Some(3)));
    let (input, options) = Input::with_options(words(), &path).unwrap();
    assert_eq!(
        (input, options),
        (Input::File(path), InputOptions::default())
    );
}

#[test]
fn each_input_has_its_weight_limit_format_and_perspective() {
    let long = "second 1-0\nbad\n".repeat(40_000);
    let (_folder, inputs) = files(&[long.as_bytes(), b"second [1.0]\nsecond [0.0]\n"]);
    let own = |limit, weight, format, perspective| InputOptions {
        format: Some(format),
        perspective: Some(perspective),
        scores: StatedScores::default(),
        weight,
        limit,
        ..InputOptions::default()
    };
    let results = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let options = ReadOptions {
            on_bad_line: OnBadLine::Skip,
            inputs: vec![
                own(Some(20_001), None, Format::Spaced, Perspective::FirstPlayer),
                own(None, Some(0.5), Format::Bracketed, Perspective::SideToMove),
            ],
            ..ReadOptions::default()
        };
        pool.install(|| read(&inputs, &options, words(), Ok).unwrap())
    });
    assert_eq!(results[0], results[1]);
    let (samples, report) = &results[0];
    let file = &report.files[0];
    assert_eq!(
        (file.positions, file.rejected, file.lines),
        (20_001, 20_000, 40_001)
    );
    assert!(file.full && !report.files[1].full);
    assert_eq!(samples.len(), 20_003);
    assert_eq!((samples[0].weight, samples[20_001].weight), (1.0, 0.5));
    let last: Vec<_> = samples[20_001..]
        .iter()
        .map(|s| s.labelled.outcome.value())
        .collect();
    assert_eq!(last, [0.0, 1.0]);
}

#[test]
fn what_is_wrong_behind_the_limit_is_nobodys_business() {
    let text = "one [1.0]\n".repeat(200_000);
    let whole = gzip(text.as_bytes());
    let (_folder, inputs) = files(&[&whole[..whole.len() / 2]]);
    for (limit, good) in [(5, true), (150_000, false)] {
        let options = ReadOptions {
            inputs: vec![InputOptions {
                limit: Some(limit),
                ..InputOptions::default()
            }],
            ..ReadOptions::default()
        };
        assert_eq!(
            read(&inputs, &options, words(), Ok).is_ok(),
            good,
            "{limit}"
        );
    }
}

#[test]
fn files_of_a_folder_are_those_that_are_whole() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "b.book",
        "a.book",
        "a.book.tuner-17-0.tmp",
        "b.book.part",
        "n.md",
        ".a",
    ] {
        fs::write(folder.path().join(name), "first [1.0]\n").unwrap();
    }
    let names = ["a.book", "b.book"].map(|name| folder.path().join(name));
    assert_eq!(Input::files_of(folder.path()), names);
}
