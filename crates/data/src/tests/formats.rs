//! What each format accepts and refuses.

use std::num::NonZeroU32;

use super::*;

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
            (Format::ResultFirst, format!("[{text}] word")),
            (Format::Semicolon, format!("word;{text}")),
        ] {
            let sample = good(format, &line);
            assert_eq!(
                (written(&sample), sample.labelled.outcome),
                ("word", outcome.into()),
                "{line}"
            );
            assert_eq!(
                sample.labelled.search_score,
                (format == Format::Piped).then_some(-7)
            );
        }
    }
}

#[test]
fn a_result_inside_the_position_is_no_result() {
    // Ethereal #26: `1/2` found inside the FEN.
    assert_eq!(
        good(Format::Bracketed, "8/1p1/2p5 [1.0]").labelled.outcome,
        Outcome::Win
    );
    assert_eq!(
        good(Format::C9, "8/1p1/2p5 c9 \"0-1\";").labelled.outcome,
        Outcome::Loss
    );
    // An operation without an operand ends the position too.
    let read = good(Format::C9, "8/1p1/2p5 draw_offer; c9 \"0-1\";");
    assert_eq!(written(&read), "8/1p1/2p5");
    assert_eq!(
        good(Format::Piped, "8/1p1/2p5 | 0 | 1.0").labelled.outcome,
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
        (Format::Bracketed, "word [0.5] 1.0", 12),
        (Format::Bracketed, "word [0.5] 5 6", 12),
        (Format::Bracketed, "word [*]", 7),
        (Format::Bracketed, "word [2.0]", 7),
        (Format::Bracketed, "word [1.75]", 7),
        (Format::Bracketed, "word [1/3]", 7),
        (Format::Bracketed, "word [-1]", 7),
        (Format::Bracketed, " [0.5]", 2),
        (Format::Bracketed, "two words [0.5]", 4),
        (Format::C9, "word", 5),
        (Format::C9, "word c9 1-0;", 9),
        (Format::C9, "word c9 \"1-0;", 10),
        (Format::C9, "word c9 \"*\";", 10),
        (Format::C9, "word c8 \"1-0\";", 15),
        (Format::C9, "wordc9 \"1-0\";", 14),
        (Format::C9, "word c9 \"1-0\"; c9 \"0-1\";", 16),
        (Format::C9, "word c2 \"1-0\"; c9 \"0-1\";", 16),
        (Format::C9, "word ce 35; c9 \"0-1\"; ce 40;", 23),
        (Format::C9, "word c9 \"1-0\" \"0-1\";", 15),
        (Format::C9, "word bm \"1-0\";", 15),
        (Format::C9, "c9 \"1-0\";", 1),
        (Format::ResultFirst, "word [0.5]", 1),
        (Format::ResultFirst, "[0.5 word", 2),
        (Format::ResultFirst, "[0.5]", 6),
        (Format::ResultFirst, "[x] word", 2),
        (Format::ResultFirst, "[0.5] word [1.0]", 12),
        (Format::Semicolon, "word", 5),
        (Format::Semicolon, "word;", 6),
        (Format::Semicolon, "word;x", 6),
        (Format::Semicolon, "word;w;b", 6),
        (Format::Semicolon, ";w", 1),
        (Format::Spaced, "word", 1),
        (Format::Spaced, "word 1", 6),
        (Format::Spaced, "word 0", 6),
        (Format::Spaced, "word *", 6),
        (Format::Spaced, "word 1/3", 6),
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
fn the_result_is_one_operation_among_others() {
    for line in [
        "word c9 \"1-0\"",
        "word c9 \"1-0\" ;",
        "word bm Nf3 e4; id \"a; c9 b\"; c9 \"1-0\"; acd 3;",
        "word c2 \"1-0\"; ce 35",
        "word c3 \"x\" \"y\"; c9 \"1-0\";",
        "word hmvc 0; fmvn 1; c9 \"1-0\";",
    ] {
        let sample = good(Format::C9, line);
        assert_eq!(
            (written(&sample), sample.labelled.outcome),
            ("word", Outcome::Win.into())
        );
    }
}

#[test]
fn a_score_may_follow_the_bracket() {
    let sample = good(Format::Bracketed, "word [1.0] -154");
    assert_eq!(
        (sample.labelled.outcome, sample.labelled.search_score),
        (Outcome::Win.into(), Some(-154))
    );
    assert_eq!(
        good(Format::Bracketed, "word [1.0]").labelled.search_score,
        None
    );
}

#[test]
fn probabilities_are_kept() {
    for (format, line) in [
        (Format::Bracketed, "word [0.73]"),
        (Format::ResultFirst, "[0.730] word"),
        (Format::Semicolon, "word; 0.73"),
        (Format::C9, "word c9 \"0.73\";"),
        (Format::Piped, "word | 1 | .73"),
        (Format::Spaced, "word 0.73"),
    ] {
        let value = good(format, line).labelled.outcome.value();
        assert_eq!(value.to_bits(), 0.73_f64.to_bits(), "{line}");
    }
}

#[test]
fn the_last_word_may_be_the_result() {
    for (text, outcome) in [
        ("1-0", Outcome::Win),
        ("1/2-1/2", Outcome::Draw),
        ("0.0", Outcome::Loss),
    ] {
        let sample = good(Format::Spaced, &format!("word\t{text} "));
        assert_eq!(
            (written(&sample), sample.labelled.outcome),
            ("word", outcome.into())
        );
    }
}

#[test]
fn a_letter_names_the_winner_whoever_is_to_move() {
    let text = b"First;w\nsecond;w\nsecond; b\nsecond;d\nsecond;1-0\n";
    let options = ReadOptions {
        perspective: Perspective::SideToMove,
        ..ReadOptions::default()
    };
    let (samples, report) = read_all(&[text], &options).unwrap();
    assert_eq!(report.files[0].format, Some(Format::Semicolon));
    let won: Vec<_> = samples
        .iter()
        .filter_map(|s| s.labelled.outcome.outcome())
        .collect();
    let (win, draw, loss) = (Outcome::Win, Outcome::Draw, Outcome::Loss);
    assert_eq!(won, [win, win, loss, draw, loss]);
}

#[test]
fn a_letter_is_refused_in_a_game_that_does_not_say_whose_it_is() {
    let game = game_of_texts("go", |_| Ok(true));
    for (text, is_good) in [
        ("x;w", false),
        ("x;b", false),
        ("x;d", true),
        ("x;0-1", true),
    ] {
        let (_folder, inputs) = files(&[text.as_bytes()]);
        let found = read(&inputs, &ReadOptions::default(), game, Ok);
        let words = found
            .as_ref()
            .map_or_else(ToString::to_string, |_| String::new());
        assert_eq!(found.is_ok(), is_good, "{text}: {words}");
        assert!(is_good || words.contains("write 1-0"), "{words}");
    }
}

#[test]
fn a_table_may_be_separated_by_commas() {
    let text = b"word,score_cp,result,game\nsome,15,1-0,g\nother,,0.25,h\n";
    let (samples, _) = read_all(&[text], &ReadOptions::default()).unwrap();
    assert_eq!(samples[0].labelled.search_score, Some(15));
    assert_eq!(samples[1].labelled.outcome.to_string(), "0.25");
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
        (written(first), first.labelled.outcome),
        ("some", Outcome::Win.into())
    );
    assert_eq!(
        (first.labelled.search_score, first.labelled.ply),
        (Some(15), Some(3))
    );
    assert_eq!(first.labelled.game, Some(GameKey::of("g/1")));
    assert_eq!(
        (samples[1].labelled.search_score, samples[1].labelled.ply),
        (None, None)
    );
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
    assert_eq!(error.to_string().lines().count(), 3, "{error}");
}

#[test]
fn formats_are_recognised_despite_a_bad_first_line() {
    for (text, format) in [
        ("# comment\none [1.0]\ntwo [0.5]\n", Format::Bracketed),
        ("x\none c9 \"1-0\";\ntwo c9 \"0-1\";", Format::C9),
        ("x\none | 3 | 1-0\ntwo | 3 | 0.5", Format::Piped),
        ("x\n[1-0] one\n[0.5] two", Format::ResultFirst),
        ("x\none;w\ntwo;d", Format::Semicolon),
        ("x\none 1-0\ntwo 0.5", Format::Spaced),
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
    let error = read_all(&[b"\none 1\ntwo 0\n"], &ReadOptions::default()).unwrap_err();
    let words = error.to_string();
    assert!(words.contains(":2:1: found \"one 1\""), "{words}");
    assert!(
        Format::ALL
            .iter()
            .all(|format| words.contains(format.pattern())),
        "{words}"
    );
}

/// Reads such lines by the format that they look like, without bad ones.
fn skipping(text: &str) -> Result<(Vec<Sample>, ReadReport), ReadError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    fs::write(&path, text).unwrap();
    let options = ReadOptions {
        on_bad_line: OnBadLine::Skip,
        ..ReadOptions::default()
    };
    read(&[Input::File(path)], &options, words(), Ok)
}

#[test]
fn a_result_of_minus_one_stops_as_zeros_are_no_losses_there() {
    let signed = "if losses are -1 and draws 0";
    let other = "results are perhaps written in another way";
    for (text, cure) in [
        ("a [1]\nb [-1]\nc [0]\n", signed),
        ("word,result\na,1\nb,-1\nc,0\n", signed),
        ("a [1]\nb [2]\nc [0]\n", other),
        ("a | 3 | 100\nb | 3 | 0\n", other),
        ("word,result\na,0.5\nb,2.0\nc,0\n", other),
        ("a [1]\nb [0,5]\nc [0]\n", other),
        ("a [1-0]\nb [draw]\nc [0-1]\n", other),
        ("a | 3 | W\nb | 3 | 0.5\n", other),
    ] {
        let error = skipping(text).unwrap_err().to_string();
        assert!(error.contains(cure), "{error}");
    }
}

#[test]
fn a_line_holds_one_position() {
    for text in [
        "a c9 \"1-0\";\nb c9 \"0-1\";c/d c9 \"0-1\";\n",
        "a c9 \"1-0\";\nb c9 \"0-1\";\rc/d c9 \"0-1\";\n",
        "a;w\nb;w\rc;b\n",
        "a c9 \"1-0\";\nb c9 \"0-1\"; id \"x\"1/2/3/4/5/6/7/8 w c9 \"0-1\";\n",
        "a c9 \"1-0\";\nb c9 \"0-1\"; bm e41/2/3/4/5/6/7/8 w c9 \"0-1\";\n",
        "a [1.0]\nb [0.5]\rc [0.0]\n",
    ] {
        let (samples, report) = skipping(text).unwrap();
        let rejected = report.total().rejected;
        assert_eq!((samples.len(), rejected), (1, 1), "{text}");
        let words = report.bad_lines[0].message.clone();
        assert_eq!(
            words.contains("carriage returns alone"),
            text.contains('\r'),
            "{words}"
        );
    }
}

#[test]
fn scores_are_mates_or_have_a_stated_unit() {
    for (score, value) in [
        ("M3", MATE - 3),
        ("#-3", 6 - MATE),
        ("-M2", 2 - MATE),
        ("+63", 63),
    ] {
        let sample = good(Format::Piped, &format!("word | {score} | 0.5"));
        assert_eq!(sample.labelled.search_score, Some(value), "{score}");
    }
    let (_, message) = bad(Format::Piped, "word | 12.5 | 0.5");
    assert!(message.ends_with("say by --score-unit whether scores are centipawns or pawns"));
    for (unit, value) in [(ScoreUnit::Pawns, 1250), (ScoreUnit::Centipawns, 13)] {
        let options = ReadOptions {
            scores: StatedScores {
                unit: Some(unit),
                ..StatedScores::default()
            },
            ..ReadOptions::default()
        };
        let input = Input::Embedded {
            name: "a",
            bytes: b"word | 12.5 | 0.5\n",
        };
        let (samples, _) = read(&[input], &options, words(), Ok).unwrap();
        assert_eq!(samples[0].labelled.search_score, Some(value));
    }
}

#[test]
fn what_is_missing_is_said_and_not_all_formats() {
    for (text, part) in [
        ("word,ply\na,5\n", "found no column \"result\""),
        ("word,score_cp\na,56\n", "found no result"),
        ("a | x | 0.5\n", "expected a score in whole centipawns"),
        ("a c0 \"x\";\n", "found no c9 and no c2"),
        ("text,outcome\nfirst,1-0\n", "found no column \"word\""),
        ("first,1-0\nsecond,1-0\n", "found no column \"word\""),
        ("word,result\ra,1-0\r", "carriage returns alone"),
        ("a | 3 | 1.0\ra | 3 | 1.0\r", "carriage returns alone"),
    ] {
        let found = skipping(text).map_or_else(
            |error| error.to_string(),
            |(_, report)| report.bad_line_words().collect(),
        );
        assert!(found.contains(part), "{found}");
    }
    let (samples, _) = skipping("Word,RESULT\na,1-0\n").unwrap();
    assert_eq!(samples.len(), 1);
    let (samples, _) = skipping("\"word\",\"result\"\n\"a\",\"1-0\"\n").unwrap();
    assert_eq!(samples.len(), 1);
    // A separator within quotation marks is none, and a bad field has its column.
    let quoted = "word,\"players, both\",result\n\
                  a,\"x, y\",1-0\nb,5\" x,0-1\nc, \"say \"\"x\"\", y\" ,\"0-1\"\n\"d\",\"x, y\",bad\n";
    let (samples, report) = skipping(quoted).unwrap();
    assert_eq!(samples.len(), 3);
    let bad: String = report.bad_line_words().collect();
    assert!(bad.contains(":5:12:"), "{bad}");
    let (samples, _) = skipping("word;result;score_cp\na;1-0;5\n\"b\";0-1;\n").unwrap();
    assert_eq!(samples[0].labelled.search_score, Some(5));
    assert_eq!(samples.len(), 2);
    // As pgn-extract writes results.
    let (samples, _) = skipping("a c0 A-B T ? 2020.01.01; c1 1/2-1/2;\n").unwrap();
    assert_eq!(samples[0].labelled.outcome, Outcome::Draw);
}

#[test]
fn draws_are_written_in_many_ways() {
    for draw in ["1/2-1/2", "1/2", "½-½", "½", "0.5"] {
        for text in [
            format!("a [{draw}]\n"),
            format!("word,result\na,{draw}\n"),
            format!("a | 3 | {draw}\n"),
            format!("a c9 \"{draw}\";\n"),
        ] {
            let (samples, _) = skipping(&text).unwrap();
            assert_eq!(samples[0].labelled.outcome, Outcome::Draw, "{text}");
        }
    }
}

#[test]
fn scores_stand_for_results_where_that_is_said() {
    let stated = ReadOptions {
        scores: StatedScores {
            as_results: NonZeroU32::new(400),
            ..StatedScores::default()
        },
        ..ReadOptions::default()
    };
    for (text, expected) in [
        // Of the first player, whatever the result was.
        ("first | 400 | 0.0\n", "0.909090909"),
        ("word,score_cp\nfirst,-400\n", "0.090909091"),
        // The score of EPD is the side to move's.
        ("second ce 400;\n", "0.090909091"),
        ("second ce 400; c9 \"1-0\";\n", "0.090909091"),
    ] {
        let input = || Input::Embedded {
            name: "a",
            bytes: text.to_owned().leak().as_bytes(),
        };
        let (samples, _) = read(&[input()], &stated, words(), Ok).unwrap();
        assert_eq!(samples[0].labelled.outcome.to_string(), expected, "{text}");
        let plain = read(&[input()], &ReadOptions::default(), words(), Ok);
        match plain {
            Ok(_) => assert!(text.contains("0.0") || text.contains("c9"), "{text}"),
            Err(error) => {
                let error = error.to_string();
                assert!(error.contains("found no result"), "{error}");
                assert!(error.contains("give --results-from-scores"), "{error}");
            }
        }
    }
    let input = Input::Embedded {
        name: "a",
        bytes: b"first [0.5]\n",
    };
    let error = read(&[input], &stated, words(), Ok)
        .unwrap_err()
        .to_string();
    assert!(error.contains("found no score"), "{error}");
}
