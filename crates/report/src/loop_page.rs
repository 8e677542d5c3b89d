//! The page of a loop of play, fit and test.

use maud::{Markup, html};

use crate::html::{Facts, List, Plot, Point, page};
use crate::text;
use tuner_record::{LoopElo, LoopRecord, LoopRound};

/// Returns a page on a loop: one file that loads nothing, without scripts. The pages of
/// its fits are linked where they are, in the folders of the rounds beside it.
pub fn loop_page(record: &LoopRecord) -> String {
    let sections = [
        ("elo", "Elo by round", elo(record)),
        ("rounds", "Rounds", rounds(record)),
        (
            "setup",
            "How it was begun",
            Facts::typed(record.options.iter()),
        ),
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
    let points = elo.iter().enumerate().map(|(round, elo)| {
        let reach = elo.and_then(|elo| elo.error);
        Point::new(round.to_string(), elo.map(|elo| elo.elo), reach)
    });
    let title = "Elo of the best weights against those of the start, by round, with 95 % intervals";
    let plot = Plot::line(title, points).joined(false).across(&[0.0]);
    (elo.len() > 1).then(|| {
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
    let against_start = record.elo();
    let first_kept = record.rounds.iter().position(LoopRound::is_kept);
    let rounds: Vec<(usize, &LoopRound)> = record.rounds.iter().enumerate().collect();
    let elo = |elo: LoopElo| elo.words("");
    let list = List::first_of(&rounds, "rounds")
        .column("round", |(index, round)| {
            let page = format!("round-{}/fit/report.html", index + 1);
            html! { @if round.fit.is_some() { a href=(page) { (index + 1) } } @else { (index + 1) } }
        })
        .column("weights", |(_, round)| {
            let kept = match round.kept {
                Some(true) => "kept",
                Some(false) => "not kept",
                None => "under way",
            };
            html! { b { (kept) } @if !round.why.is_empty() { ": " (text::sentence(&round.why)) } }
        })
        .column("positions", |(_, round)| Some(round.fit.as_ref()?.positions))
        .column("by held-out games", |(_, round)| {
            Some(round.fit.as_ref()?.verdict.to_string())
        })
        .column("held-out E", |(_, round)| {
            let held_out = round.fit.as_ref()?.held_out?;
            (held_out.games >= 2).then(|| held_out.to_string())
        })
        .column("Elo against the best before", |(_, round)| {
            round.against_best().map(elo)
        })
        .column("Elo against the start", |(index, round)| {
            // Before one was kept, the best were those of the start.
            let is_first = first_kept.is_none_or(|first| *index < first);
            match round.kept {
                Some(true) => against_start[index + 1],
                _ if is_first => round.against_best(),
                _ => None,
            }
            .map(elo)
        });
    (!rounds.is_empty()).then(|| {
        html! {
            p.note { "The number of a round leads to the page of its fit, with what moved." }
            (list)
        }
    })
}
