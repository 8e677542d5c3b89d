//! The page of a loop of play, fit and test.

use maud::{Markup, html};

use crate::html::head::pairs;
use crate::html::{Plot, Point, ROWS, cell, left_out, page, table};
use crate::text;
use tuner_record::{LoopElo, LoopRecord};

/// Returns a page on a loop: one file that loads nothing, without scripts. The pages of
/// its fits are linked where they are, in the folders of the rounds beside it.
pub fn loop_page(record: &LoopRecord) -> String {
    let sections = [
        ("elo", "Elo by round", elo(record)),
        ("rounds", "Rounds", rounds(record)),
        ("setup", "How it was begun", setup(record)),
    ];
    let title = format!("Loop of {}", text::name(&record.engine.name));
    let header = html! {
        p.over { (title) }
        h1 { (record.headline()) }
    };
    page(&title, &header, sections)
}

/// Elo of the best weights so far.
fn elo(record: &LoopRecord) -> Option<Markup> {
    let elo = record.elo();
    let points: Vec<Point> = (elo.iter())
        .map(|elo| Point {
            new: elo.map(|elo| elo.elo),
            reach: elo.and_then(|elo| elo.error),
            old: None,
        })
        .collect();
    let labels: Vec<String> = (0..points.len()).map(|round| round.to_string()).collect();
    let plot = Plot {
        title: "Elo of the best weights against those of the start, by round, with 95 % intervals",
        labels: &labels,
        points: &points,
        joined: false,
        levels: &[0.0],
    };
    (points.len() > 1).then(|| {
        html! {
            p.note {
                "The best weights after each round against those of the start, 0, with 95 % intervals. "
                "A round whose weights were not kept leaves the best as they are; where there was no match against the start, or all of it was won, the tests of the rounds are added up; of a test that was all won it is what it shows at least."
            }
            (plot.draw())
        }
    })
}

/// A line a round.
fn rounds(record: &LoopRecord) -> Option<Markup> {
    let elo = |elo: Option<LoopElo>| cell(text::or_dash(elo, |elo| elo.words("")));
    let against_start = record.elo();
    let mut is_start = true;
    let rows: Vec<Vec<Markup>> = (record.rounds.iter().enumerate().take(ROWS))
        .map(|(index, round)| {
            let against_start = match round.kept {
                Some(true) => against_start[index + 1],
                // The best before it were those of the start.
                _ if is_start => round.against_best(),
                _ => None,
            };
            is_start &= !round.is_kept();
            let kept = match round.kept {
                Some(true) => "kept",
                Some(false) => "not kept",
                None => "under way",
            };
            let fit = round.fit.as_ref();
            let held_out = fit.and_then(|fit| fit.held_out.filter(|d| d.games >= 2));
            let number = (index + 1).to_string();
            let page = format!("round-{number}/fit/report.html");
            vec![
                html! { @if fit.is_some() { a href=(page) { (number) } } @else { (number) } },
                html! { b { (kept) } @if !round.why.is_empty() { ": " (text::sentence(&round.why)) } },
                cell(text::or_dash(fit, |fit| fit.positions.to_string())),
                cell(text::or_dash(fit, |fit| fit.verdict.to_string())),
                cell(text::or_dash(held_out, |held_out| held_out.to_string())),
                elo(round.against_best()),
                elo(against_start),
            ]
        })
        .collect();
    let columns = [
        "round",
        "weights",
        "positions",
        "by held-out games",
        "held-out E",
        "Elo against the best before",
        "Elo against the start",
    ];
    (!rows.is_empty()).then(|| {
        html! {
            p.note { "The number of a round leads to the page of its fit, with what moved." }
            (table(&columns, &rows))
            (left_out(record.rounds.len(), "rounds", "the first"))
        }
    })
}

fn setup(record: &LoopRecord) -> Option<Markup> {
    let options: Vec<(String, String)> = (record.options.iter().take(ROWS))
        .map(|(name, value)| (text::name(name), text::sentence(value)))
        .collect();
    let shown = || {
        options
            .iter()
            .map(|(name, value)| (&**name, Some(value.clone())))
    };
    (!options.is_empty()).then(|| pairs(shown()))
}
