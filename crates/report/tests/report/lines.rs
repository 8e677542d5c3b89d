//! Lines of runs in a terminal.

use crate::support::{bare, hostile, names, run};

use tuner_judge::FitVerdict;
use tuner_record::{FastGamesRecord, RunRecord, StandingRecord};
use tuner_report::{
    TerminalStyles, compare_terminal, html, terminal, terminal_styled, verdict_lines,
};
use unicode_width::UnicodeWidthStr;

/// All widths that are laid out.
const WIDTHS: std::ops::RangeInclusive<usize> = 60..=200;

#[test]
fn no_line_is_longer_than_the_terminal() {
    let mut bad = run(&hostile());
    bad.solver.pinned = hostile();
    bad.judgement.without_errors = Some("x".repeat(1000));
    judged(&mut bad, FitVerdict::Worse);
    let plain = TerminalStyles::default();
    for record in [run(&names()), bad, run(&[]), bare()] {
        for width in WIDTHS {
            let both = compare_terminal(&record, &record, width, &plain);
            for text in [terminal(&record, width), both] {
                assert!(text.ends_with('\n') && text.lines().count() <= 25, "{text}");
                for line in text.lines() {
                    assert!(line.width() <= width, "{width}: {line}");
                    assert!(!line.contains(char::is_control), "{line:?}");
                    assert_eq!(line.trim_end(), line);
                }
            }
        }
        assert_eq!(terminal(&record, 0), terminal(&record, 60));
        assert_eq!(terminal(&record, usize::MAX), terminal(&record, 200));
    }
}

fn judged(record: &mut RunRecord, verdict: FitVerdict) {
    record.verdict = verdict;
    record.judgement.verdict = verdict;
}

#[test]
fn the_verdict_is_first_and_what_to_run_last() {
    let text = terminal(&run(&names()), 100);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("better than before: held-out E 0.103000 → 0.099700, -0.003300"));
    assert!(text.contains("3 directions undetermined"));
    assert!(
        text.contains("next: games tell whether they win: build the engine with these weights")
    );
    let plain = TerminalStyles::default();
    let first = terminal_styled(
        &run(&names()),
        100,
        &plain,
        &["look at the page".to_owned()],
    );
    assert!(
        first.contains("next: look at the page\n      games tell"),
        "{first}"
    );
    let changes = lines
        .iter()
        .position(|line| line.contains(" changes: before → after ± 95 %"))
        .unwrap();
    assert!(
        lines[changes + 1].contains('█') && lines[changes + 1].contains(" ± "),
        "{text}"
    );
    // Games have the first word.
    let mut refused = run(&names());
    refused.fast_games = Some(FastGamesRecord {
        standing: StandingRecord::default(),
        passed: false,
        words: "weaker than before: Elo -20 ± 9 in 530 fast games".to_owned(),
    });
    let beside = terminal(&refused, 100);
    assert!(beside.starts_with("better than before"));
    assert!(beside.contains("Elo -20 ± 9"));
    assert!(beside.contains("`tuner match ./new ./old --nodes 5000`"));
    refused.refused = Some("the new weights lose games: keep yours".to_owned());
    let text = terminal(&refused, 100);
    assert!(text.starts_with("keep the weights before: weaker than before: Elo -20 ± 9"));
    assert!(text.contains("better than before: held-out E") && text.contains("keep yours"));
    assert!(!text.contains("tuner match"), "{text}");
    let verdict = verdict_lines(&refused);
    assert!(
        verdict.len() == 3 && verdict[2].contains("keep yours"),
        "{verdict:?}"
    );
    let page = html(&refused);
    assert!(page.contains("Elo -20 ± 9") && !page.contains(": better than before</title>"));
    // The worse a run, the more there is to do.
    let mut worse = run(&names());
    worse.prior_choice = None;
    judged(&mut worse, FitVerdict::Worse);
    worse.judgement.advice = Some("do not use these weights".to_owned());
    let text = terminal(&worse, 100);
    assert!(text.starts_with("worse than before"));
    assert!(text.contains("do not use these weights") && text.contains("fit --prior evidence"));
}

#[test]
fn names_of_weights_style_nothing() {
    let record = run(&hostile());
    assert!(!terminal(&record, 100).contains('\u{1b}'));
    let coloured = terminal_styled(&record, 100, &TerminalStyles::coloured(), &[]);
    assert!(coloured.contains('\u{1b}'));
    // Without the styles it is the plain text.
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    plain.push_str(rest);
    assert_eq!(plain, terminal(&record, 100));
}
