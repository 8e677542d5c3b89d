//! Pages of runs, read as a browser reads them.

use crate::support::{CHESS, SHOGI, bare, difference, hostile, names, run, weight, worst};
use scraper::{ElementRef, Html, Selector};
use sha2::{Digest as _, Sha256};
use tuner_judge::{Advice, EntryStatement, FitVerdict, TableStatement, WeightEstimate};
use tuner_record::{
    ChosenPrior, DataFileRecord, LOOP_FORMAT, LoopEngine, LoopFit, LoopRecord, LoopRound,
    MatchHead, SourcesRecord, StandingRecord,
};
use tuner_report::{
    MatchEnd, MatchRecord, MovedNumber, SpsaRecord, compare, html, loop_page, match_page, spsa_page,
};
use tuner_tournament::{EloUnit, Pentanomial, Sprt};

/// The page, which a browser reads without an error, and which holds nothing that
/// it would run or load.
pub fn read(page: &str) -> Html {
    let read = Html::parse_document(page);
    assert!(read.errors.is_empty(), "{:?}", read.errors);
    // The only script is the page's own, which the policy names by its hash.
    let script = Selector::parse("script").unwrap();
    let scripts: Vec<String> = read.select(&script).map(|s| s.text().collect()).collect();
    assert_eq!(scripts, [include_str!("../../src/html/page.js")]);
    assert!(page.contains(&format!("script-src 'sha256-{}'", hash(&scripts[0]))));
    for harmful in [
        "script[src]",
        "img",
        "iframe",
        "object",
        "a[href^=http]:not([href^='https://lichess.org/analysis/'])",
        "[onload]",
        "[onerror]",
    ] {
        assert_eq!(count(&read, harmful), 0, "{harmful}");
    }
    let shown = page.replacen(&scripts[0], "", 1);
    for missing in ["NaN", "inf\"", "null"] {
        assert!(!shown.contains(missing), "{missing}");
    }
    let ids: Vec<&str> = (read.select(&Selector::parse("[id]").unwrap()))
        .filter_map(|element| element.attr("id"))
        .collect();
    for link in read.select(&Selector::parse("nav a").unwrap()) {
        let target = link.attr("href").unwrap().trim_start_matches('#');
        assert_eq!(
            ids.iter().filter(|id| **id == target).count(),
            1,
            "{target}"
        );
    }
    read
}

/// SHA-256 in base 64, as a policy writes it.
fn hash(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digest = Sha256::digest(text.as_bytes());
    let digits = digest.chunks(3).flat_map(|bytes| {
        let bits = (0..3).fold(0_u32, |bits, i| {
            bits << 8 | u32::from(*bytes.get(i).unwrap_or(&0))
        });
        let digit = move |i: usize| char::from(DIGITS[(bits >> (18 - 6 * i)) as usize % 64]);
        let count = bytes.len() + 1;
        (0..4).map(move |i| if i < count { digit(i) } else { '=' })
    });
    digits.collect()
}

fn count(page: &Html, selector: &str) -> usize {
    page.select(&Selector::parse(selector).unwrap()).count()
}

pub fn text(page: &Html, selector: &str) -> String {
    let selector = Selector::parse(selector).unwrap();
    let elements = page.select(&selector);
    elements.flat_map(|element| element.text()).collect()
}

#[test]
fn a_page_has_all_that_the_record_says() {
    let page = html(&run(&names()));
    let read = read(&page);
    assert!(text(&read, "h1").starts_with("better than before: held-out E 0.103000 → 0.099700"));
    let sections: Vec<&str> = (read.select(&Selector::parse("section").unwrap()))
        .filter_map(|section| section.attr("id"))
        .collect();
    let all = [
        "changes",
        "weights",
        "tables",
        "groups",
        "calibration",
        "wdl",
        "worst",
        "open",
        "learning",
        "course",
        "prior",
        "data",
        "run",
    ];
    assert_eq!(sections, all);
    // Five boards and two grids, four pictures each.
    assert_eq!(count(&read, "table.heat"), 7 * 4);
    assert_eq!(count(&read, "table.heat td"), 4 * (4 * 64 + 81 + 28));
    // A line, points, the course, calibration's three, four of win, draw and loss, the learning
    // curve and folds; each says what it is.
    assert_eq!(count(&read, "svg.plot"), 3 + 3 + 4 + 2);
    assert_eq!(count(&read, "svg.plot[role=img][aria-label] > title"), 12);
    assert!(text(&read, "#wdl").contains("wins half of the games at material 58"));
    assert!(text(&read, "#wdl pre").contains("constexpr double as[] = {"));
    assert_eq!(count(&read, "svg.board[role=img][aria-label] > title"), 2);
    assert_eq!(count(&read, "svg.shogi"), 1);
    // Each picture as a table, and the list of weights; the curve by score shares the
    // table of its residuals, and the boards have one.
    assert_eq!(
        count(&read, "details:not(.fold)"),
        7 + 3 + 2 + 1 + 2 + 1 + 5
    );
    // Tables of pictures, which narrow screens fold.
    assert_eq!(count(&read, "details.fold > summary > h3"), 4);
    assert!(text(&read, "#calibration").contains("error 0.0500 → 0.0100, of which chance alone"));
    assert!(
        text(&read, "#worst figcaption").contains(
            "Score -250 → -312, search 20. Expected points 19.0 % → 14.0 %. /a/folder/with/a/long/name/and/no/blank/anywhere/in/it/games.tsv:17"
        )
    );
    assert!(text(&read, "#data").contains("12.0 on average, 1 to 40"));
    assert!(text(&read, "#learning").contains("held-out E of about 0.098800, -0.001200 from here"));
    assert!(page.contains("prefers-color-scheme:dark"));
    assert!(page.len() < 200_000, "{}", page.len());
}

#[test]
fn boards_are_seen_from_the_first_player() {
    let by_number: Vec<String> = (0..64).map(|n| format!("PST[{n}]")).collect();
    // Where none is named they have no letters, which could be wrong.
    seen_from_the_first_player(&by_number, |n| n, ["+0", "56"]);
    // Where squares have their names, whichever is the first.
    let named = |n: u8| format!("PST[{}{}]", char::from(b'a' + n % 8), 8 - n / 8);
    let by_name: Vec<String> = (0..64).map(named).collect();
    seen_from_the_first_player(&by_name, |n| n ^ 0o70, ["a", "a8"]);
}

/// `at`: the number from a1 on of the square that a weight is of; `called`: the first file, and the
/// square in the upper left.
fn seen_from_the_first_player(names: &[String], at: impl Fn(usize) -> usize, called: [&str; 2]) {
    let mut record = run(names);
    let weights = &mut record.judgement.weights;
    for (number, weight) in weights.iter_mut().enumerate() {
        weight.before = 0.0;
        weight.value = at(number) as f64;
    }
    let page = read(&html(&record));
    let cells: Vec<String> = (page.select(&Selector::parse("table.heat").unwrap()))
        .nth(1)
        .map(|new| {
            new.select(&Selector::parse("td").unwrap())
                .map(|td| td.text().collect())
                .collect()
        })
        .unwrap();
    // a8 and h8 on top, a1 and h1 at the bottom.
    assert_eq!(
        [&cells[0], &cells[7], &cells[56], &cells[63]],
        ["56", "63", "0", "7"]
    );
    let [file, corner] = called;
    let rows = Selector::parse("details tbody tr").unwrap();
    let words = |row: ElementRef<'_>| row.text().collect::<Vec<_>>().join(" ");
    let mut rows = page.select(&rows).map(words);
    assert!(rows.any(|row| row.starts_with(&format!("{corner} 0 56 ±"))));
    let heads = Selector::parse("table.heat th").unwrap();
    let mut heads = page.select(&heads);
    assert!(heads.any(|head| head.text().collect::<String>() == file));
    assert!(text(&page, "body").contains("`[names]` of the spec"));
}

#[test]
fn files_are_listed_once_with_their_counts() {
    let mut record = run(&[]);
    let file = |name: &str, positions, rejected| DataFileRecord {
        name: name.to_owned(),
        positions,
        rejected,
    };
    record.data.files = vec![
        file("a.tsv", Some(7), Some(0)),
        file("b.tsv", Some(5), Some(2)),
        file("a.tsv", Some(7), Some(0)),
        file("rows.csv", None, None),
    ];
    let head = text(&read(&html(&record)), "header");
    let files = "a.tsv (7 positions, read 2 times), b.tsv (5 positions, 2 rejected), rows.csv";
    assert!(head.contains(files), "{head}");
    assert!(head.contains("games500"), "{head}");
    record.examined.profile.as_mut().unwrap().games = Some(501);
    let page = read(&html(&record));
    let head = text(&page, "header");
    assert!(head.contains("games501; 500 to the fit, as two"), "{head}");
}

#[test]
fn names_never_become_markup() {
    let mut record = run(&hostile());
    let nasty = "</p><script>alert(1)</script>\u{1b}[2J".to_owned();
    record.solver.summary.unseen.push(nasty.clone());
    record.loss.clone_from(&nasty);
    record.weigh.clone_from(&nasty);
    record.spec.as_mut().unwrap().name.clone_from(&nasty);
    record.data.fingerprint.clone_from(&nasty);
    record.data.files = vec![DataFileRecord {
        name: nasty.clone(),
        positions: None,
        rejected: None,
    }];
    record.sources = Some(SourcesRecord {
        files: vec![nasty.clone()],
        trusted: 0,
        factors: vec![1.0],
        change: difference(-0.1, 0.01),
    });
    record.command.clone_from(&nasty);
    record.tuner.clone_from(&nasty);
    if let Some(ChosenPrior::Evidence(evidence)) = &mut record.prior_choice {
        evidence.groups[0].name.clone_from(&nasty);
    }
    let judgement = &mut record.judgement;
    judgement.groups[0].name.clone_from(&nasty);
    judgement.without_errors = Some(nasty.clone());
    judgement.advice = Some(nasty.clone());
    judgement.undetermined.push(nasty.clone());
    let examined = &mut record.examined;
    examined.left_out = Some(nasty.clone());
    examined.worst = hostile().iter().map(|text| worst(text)).collect();
    examined.worst.push(worst(&format!("{CHESS}{nasty}")));
    examined.worst.push(worst(&format!("{SHOGI} {nasty}")));
    examined.worst[0].file.clone_from(&nasty);
    let tables = &mut examined.calibration.after.tables;
    tables[0].by.clone_from(&nasty);
    tables[1].bins[0].label.clone_from(&nasty);
    examined.profile.as_mut().unwrap().by_ply[0]
        .label
        .clone_from(&nasty);
    record.ablations[0].group.clone_from(&nasty);
    let games = MatchRecord {
        head: MatchHead {
            names: [nasty.clone(), hostile().concat()],
            setup: vec![(nasty.clone(), nasty.clone())],
            opponents: vec![nasty.clone()],
            sprt: None,
        },
        opponents: vec![(nasty.clone(), StandingRecord::default())],
        result: vec![nasty.clone()],
        ends: vec![MatchEnd {
            reason: nasty.clone(),
            games: [1, 2, 3],
            plies: 7,
        }],
        ..MatchRecord::default()
    };
    let mut moved = SpsaRecord::default();
    moved.numbers.push(MovedNumber::default());
    (moved.numbers[0].size, moved.numbers[0].name) = (1.0, nasty.clone());
    let others = [compare(&record, &record), match_page(&games)];
    for page in others.into_iter().chain([html(&record), spsa_page(&moved)]) {
        let read = read(&page);
        assert!(text(&read, "body").contains("<script>alert(1)</script>"));
        assert!(!page.contains(|c: char| c.is_control() && c != '\n'));
        assert!(!page.contains('\u{202e}'));
        assert!(page.len() < 200_000, "{}", page.len());
    }
}

#[test]
fn a_position_that_is_no_board_is_shown_as_text() {
    let mut record = run(&names());
    let examined = &mut record.examined;
    examined.worst = vec![worst("a < b & c"), worst(CHESS)];
    let page = read(&html(&record));
    assert_eq!(count(&page, "svg.board"), 1);
    assert_eq!(text(&page, "#worst pre"), "a < b & c");
}

#[test]
fn half_a_board_is_drawn_as_one() {
    for (squares, files, first) in [(32, 4, "28"), (45, 5, "0")] {
        let names: Vec<String> = (0..squares).map(|n| format!("PST[{n}]")).collect();
        let page = read(&html(&run(&names)));
        assert_eq!(count(&page, "table.heat td"), 4 * squares, "{squares}");
        let columns = count(&page, "table.heat tr:first-of-type th:not(:first-child)");
        assert_eq!(columns, 4 * files, "{squares}");
        let rows = Selector::parse("table.heat tr:not(:first-of-type) th").unwrap();
        let top: String = page.select(&rows).next().unwrap().text().collect();
        assert_eq!(top, first);
    }
}

#[test]
fn entries_are_told_from_the_mean_of_their_table_where_that_says_more() {
    let mut record = run(&names());
    let judgement = &mut record.judgement;
    let weight = &mut judgement.weights[8];
    (weight.before, weight.value) = (0.0, 15.0);
    let name = weight.name.clone();
    // The least of what is said of the weight, and the most of what is said of it
    // against its table.
    let data = WeightEstimate {
        value: 13.25,
        standard_error: 0.5,
    };
    let entry = EntryStatement {
        about: format!("{name} against the mean of PST"),
        name: name.clone(),
        share: 0.1,
        before: -2.0,
        value: 12.0,
        standard_error: 0.9,
        data,
        p_zero: None,
        p_change: None,
        changed: true,
        advice: Advice::Keep,
    };
    judgement.tables = vec![TableStatement {
        name: "PST".to_owned(),
        mean_before: 0.0,
        mean: 0.0,
        standard_error: 1.0,
        data,
        common: 0.9,
        entries: vec![entry],
    }];
    let page = read(&html(&record));
    let first = text(&page, "#changes tbody tr:first-of-type");
    assert!(first.contains(&format!("{name} in its table")), "{first}");
    assert!(first.contains("13.2 ± 0.50 from the mean"), "{first}");
    assert!(
        text(&page, "caption").contains("change from the mean, in s.e."),
        "{}",
        text(&page, "caption")
    );
    let said = "gainst the mean of their table 1 of 1 entries of 1 tables changed for sure; keep 1";
    assert!(text(&page, "header").contains(said));
    let lines = tuner_report::terminal(&record, 120);
    assert!(lines.contains(&format!("{name} in its table")), "{lines}");
    // A value that fell is not told as one that rose, as it did against its table.
    record.judgement.weights[8].value = -15.0;
    let lines = tuner_report::terminal(&record, 120);
    assert!(!lines.contains("in its table"), "{lines}");
}

/// A loop of four rounds: two kept, one not, one under way.
fn loop_record() -> LoopRecord {
    let round = |number: u32, kept: Option<bool>, test: Option<f64>, start: Option<f64>| {
        let of = |elo: Option<f64>| {
            elo.map(|elo| StandingRecord {
                elo: Some(elo),
                elo_error: Some(20.0),
                elo_interval: Some([Some(elo - 20.0), Some(elo + 20.0)]),
                games: 400,
                ..StandingRecord::default()
            })
        };
        LoopRound {
            fitted: 1,
            fit: Some(LoopFit {
                folder: format!("round-{number}/fit"),
                verdict: FitVerdict::Better,
                held_out: None,
                positions: 5000,
            }),
            kept,
            why: "<b>passed</b>".to_owned(),
            test: of(test),
            start: of(start),
            done: kept.is_some(),
        }
    };
    LoopRecord {
        k: None,
        format: LOOP_FORMAT,
        engine: LoopEngine {
            name: "a<b>\u{1b}".to_owned(),
            ..LoopEngine::default()
        },
        options: std::iter::once(("--games".to_owned(), Some("<script>".to_owned()))).collect(),
        rounds: vec![
            round(1, Some(false), Some(-3.0), None),
            round(2, Some(true), Some(31.0), None),
            round(3, Some(true), Some(12.0), Some(44.0)),
            round(4, None, None, None),
        ],
    }
}

#[test]
fn intervals_of_a_loop_are_drawn_and_said_as_they_are() {
    let record = loop_record();
    // One without an end goes to the edge of the picture.
    let mut open = record.clone();
    open.rounds[2].start = Some(StandingRecord {
        elo: Some(636.0),
        elo_interval: Some([Some(477.0), None]),
        games: 60,
        ..StandingRecord::default()
    });
    let start = open.rounds[2].start.clone();
    open.rounds[1].test = start;
    open.rounds[2].kept = Some(false);
    let page_of_it = read(&loop_page(&open));
    assert!(text(&page_of_it, "h1").ends_with("+636 [+477, ∞] Elo against the start (60 games)"));
    assert!(count(&page_of_it, "#elo rect.band[y='10.0']") > 0);
    // An interval that is uneven is drawn and said as it is.
    let mut uneven = record.clone();
    uneven.rounds[2].start = Some(StandingRecord {
        elo: Some(475.0),
        elo_error: Some(280.0),
        elo_interval: Some([Some(279.0), Some(839.0)]),
        games: 40,
        ..StandingRecord::default()
    });
    let page_of_it = read(&loop_page(&uneven));
    assert!(
        text(&page_of_it, "h1").ends_with("+475 [+279, +839] Elo against the start (40 games)"),
        "{}",
        text(&page_of_it, "h1")
    );
    let number = |element: &str, of: &str| -> f64 {
        let last = scraper::Selector::parse(&format!("#elo {element}")).unwrap();
        let last = page_of_it.select(&last).next_back().unwrap();
        last.value().attr(of).unwrap().parse().unwrap()
    };
    let (top, height) = (number("rect.band", "y"), number("rect.band", "height"));
    let above = (number("circle.newdot", "cy") - top) / height;
    assert!((above - 364.0 / 560.0).abs() < 0.01, "{above}");
}

#[test]
fn a_loop_has_a_page() {
    let record = loop_record();
    let page = read(&loop_page(&record));
    assert_eq!(
        text(&page, "h1"),
        "the weights of round 3 of 4 are the best: +44 ± 20 Elo against the start (400 games)"
    );
    // The start, and what the best weights are worth after each round.
    assert_eq!(count(&page, "#elo circle.newdot"), 5);
    let rows: Vec<String> = (1..=4)
        .map(|n| {
            text(
                &page,
                &format!("#rounds tbody tr:nth-child({n}) td:nth-child(4)"),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            "-3 ± 20 (400 games)",
            "+31 ± 20 (400 games)",
            "+44 ± 20 (400 games)",
            "–"
        ]
    );
    assert_eq!(count(&page, "a[href='round-2/fit/report.html']"), 1);
    assert!(text(&page, "#rounds").contains("<b>passed</b>"));
    // Where all of a match is won it has no number, and the tests are added up.
    let mut far = record.clone();
    far.rounds[2].start = Some(StandingRecord {
        elo: Some(800.0),
        games: 100,
        ..StandingRecord::default()
    });
    let page = read(&loop_page(&far));
    let headline = text(&page, "h1");
    assert!(
        headline.contains("+43 ± 28 Elo against the start (rounds added up)"),
        "{headline}"
    );
    // Of weights that won all games of a test it is known what they are at least:
    // 0.05^(1/148) of the points.
    far.rounds[1].test = Some(StandingRecord {
        games: 148,
        ..StandingRecord::default()
    });
    let page = read(&loop_page(&far));
    let row = text(&page, "#rounds tbody tr:nth-child(2)");
    assert_eq!(row.matches("at least +676 (148 games)").count(), 2, "{row}");
    assert_eq!(
        far.headline(),
        "the weights of round 3 of 4 are the best: at least +688 Elo against the start (rounds \
         added up)"
    );
    // Of weights that lost them all, which are not kept, nothing.
    far.rounds[0].test = far.rounds[1].test.clone();
    let page = read(&loop_page(&far));
    let row = text(&page, "#rounds tbody tr:nth-child(1)");
    assert!(!row.contains("at least"), "{row}");
    // Of nothing there is a page as well.
    far.rounds.clear();
    let page = read(&loop_page(&far));
    assert_eq!(text(&page, "h1"), "the weights of the start are the best");
}

#[test]
fn a_match_has_a_page() {
    let point = |pairs: u64| Pentanomial([5, 30, 60, 40, 15].map(|of_all| of_all * pairs / 150));
    let mut record = MatchRecord {
        head: MatchHead {
            names: ["new".to_owned(), "old".to_owned()],
            sprt: Some(Sprt::new(0.0, 40.0, 0.2, 0.2, EloUnit::Normalised).unwrap()),
            ..MatchHead::default()
        },
        result: vec!["LLR 3.00: passed".to_owned(), "300 games".to_owned()],
        games: [120, 100, 80],
        points: (1..=150).map(point).collect(),
        ends: vec![MatchEnd {
            reason: "mate".to_owned(),
            games: [10, 0, 6],
            plies: 1600,
        }],
        first_player: [130, 100, 70],
        one_sided: [vec![3, 8], (1..100).collect()],
        ..MatchRecord::default()
    };
    let page = read(&match_page(&record));
    assert_eq!(text(&page, "h1.good"), "LLR 3.00: passed");
    assert_eq!(count(&page, "#llr path.level"), 2);
    assert_eq!(
        count(&page, "#llr svg.plot") + count(&page, "#elo svg.plot"),
        2
    );
    assert!(text(&page, "#pairs").contains("4026.7 %"));
    assert!(text(&page, "#ends").contains("mate161006100"));
    assert!(text(&page, "#openings").contains("3, 8"));
    assert!(match_page(&record).len() < 60_000);
    let lost = StandingRecord {
        elo: Some(-500.0),
        elo_interval: Some([None, Some(-120.0)]),
        ..StandingRecord::default()
    };
    record.opponents = vec![("old".to_owned(), lost)];
    let page = match_page(&record);
    assert!(page.contains("-500.0 (-∞ to -120.0)"));
    // Nothing played, no test, no interval.
    record.points.clear();
    record.head.sprt = None;
    let page = read(&match_page(&record));
    assert_eq!(count(&page, "svg.plot"), 0);
    read(&match_page(&MatchRecord::default()));
}

#[test]
fn sections_without_data_are_left_out() {
    let page = html(&bare());
    let read = read(&page);
    assert!(text(&read, "h1").starts_with("not judged"));
    let sections: Vec<&str> = (read.select(&Selector::parse("section").unwrap()))
        .filter_map(|section| section.attr("id"))
        .collect();
    assert_eq!(sections, ["run"]);
    assert!(!page.contains("standard errors are"));
}

#[test]
fn numbers_that_are_missing_are_dashes() {
    let mut record = run(&names());
    let judgement = &mut record.judgement;
    for (number, weight) in judgement.weights.iter_mut().enumerate() {
        match number % 6 {
            0 => weight.before = f64::MIN,
            1 => (weight.before, weight.value) = (-1e308, 1e308),
            2 => weight.standard_error = None,
            3 => weight.data = None,
            4 => weight.value = 1e308,
            _ => weight.standard_error = Some(0.0),
        }
    }
    judgement.held_out = None;
    judgement.noise = None;
    record.solver.summary.records[2].error = 1e9;
    record.solver.summary.records[3].held_out_error = None;
    read(&html(&record));
    read(&compare(&record, &record));
    let mut none = run(&[]);
    none.judgement.groups.clear();
    read(&html(&none));
    let one = run(&["TEMPO".to_owned()]);
    assert!(text(&read(&html(&one)), "#tables").contains("TEMPO"));
}

#[test]
fn games_that_are_unknown_are_a_warning() {
    let mut record = run(&names());
    assert_eq!(count(&read(&html(&record)), ".warn"), 0);
    let judgement = &mut record.judgement;
    judgement.games_known = false;
    judgement.verdict = FitVerdict::NotJudged;
    judgement.held_out = None;
    record.verdict = FitVerdict::NotJudged;
    let profile = record.examined.profile.as_mut().unwrap();
    profile.games = None;
    let read = read(&html(&record));
    assert!(text(&read, ".warn").contains("the games are unknown"));
    let of_curves = text(&read, "#wdl .warn");
    let count = record.examined.profile.unwrap().results.positions;
    assert!(
        of_curves.starts_with(&format!(
            "Caution: {count} positions of the data come without the id"
        )),
        "{of_curves}"
    );
    assert_eq!(
        text(&read, "h1"),
        "not judged: no games were held out to judge by"
    );
    assert!(text(&read, "header").contains("fit --held-out 0.1"));
}

#[test]
fn what_is_tied_is_listed_once() {
    let mut record = run(&["A[0]".to_owned(), "A[1]".to_owned(), "A[2]".to_owned()]);
    let weights = &mut record.judgement.weights;
    *weights = vec![weight("A[0]", 5), weight("A[1]", 5), weight("A[2]", 7)];
    let page = read(&html(&record));
    let listed = text(&page, "#changes tbody th");
    assert!(
        listed.contains("A[0] (+1 alike)") && !listed.contains("A[1]"),
        "{listed}"
    );
}

#[test]
fn two_runs_are_compared_weight_by_weight() {
    let (first, mut second) = (run(&names()), run(&names()));
    let same = read(&compare(&first, &second));
    assert_eq!(count(&same, "#weights"), 0);
    assert_eq!(count(&same, ".warn"), 0);
    let weights = &mut second.judgement.weights;
    weights[3].value += 30.0;
    weights.pop();
    second.data.fingerprint = "other".to_owned();
    let page = read(&compare(&first, &second));
    assert!(text(&page, ".warn").contains("different data"));
    assert!(text(&page, ".warn").contains("1 weight in the first run alone, 0 in the second"));
    // Both have a standard error of 5.5: 30/(5.5·√2).
    let row = text(&page, "#weights tbody tr");
    assert!(row.starts_with("PST[knight][1].eg+3.9"), "{row}");
    assert!(text(&page, "#tables tbody").contains("PST[knight][1].eg +30"));
}
