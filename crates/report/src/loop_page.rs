//! The page of a loop of play, fit and test.

use maud::{Markup, html};

use crate::html::{Facts, List, Plot, Point, page, wrapping};
use crate::text;
use tuner_record::{LoopElo, LoopRecord, LoopRound};

/// Returns a page on a loop: one file that loads nothing, without scripts. Its links lead to the
/// pages of its fits, by paths from the folder of the loop.
pub fn loop_page(record: &LoopRecord) -> String {
    // Options that were not typed and have no default are left out.
    let options = record.options.iter();
    let given = options.filter(|(name, _)| record.options.get(name).is_some());
    let sections = [
        ("elo", "Elo by round", elo(record)),
        ("rounds", "Rounds", rounds(record)),
        ("setup", "How it was begun", Facts::typed(given)),
    ];
    let title = format!("Loop of {}", text::name(&record.engine.name));
    let header = html! {
        p.over { (title) }
        h1 { (record.headline()) }
    };
    page(&title, &header, sections)
}

/// The picture of Elo of the best weights so far against those of the start; `None` before the
/// first round.
fn elo(record: &LoopRecord) -> Option<Markup> {
    let elo = record.elo();
    let points = elo.iter().enumerate().map(|(round, elo)| {
        let label = match round {
            0 => "start".to_owned(),
            round => round.to_string(),
        };
        let point = Point::new(label, elo.map(|elo| elo.elo), None);
        point.within(elo.and_then(|elo| elo.interval))
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

/// The rounds, a row each: whether the weights were kept, Elo against the best before and against
/// the start, and the last fit; `None` before the first round.
fn rounds(record: &LoopRecord) -> Option<Markup> {
    let against_start = record.elo();
    let first_kept = record.rounds.iter().position(LoopRound::is_kept);
    let rounds: Vec<(usize, &LoopRound)> = record.rounds.iter().enumerate().collect();
    let elo = |elo: LoopElo| elo.words("");
    let list = List::first_of(&rounds, "rounds")
        .column("round", |(index, round)| {
            let page = (round.fit.as_ref()).map(|fit| format!("{}/report.html", fit.folder));
            html! { @if let Some(page) = page { a href=(page) { (index + 1) } } @else { (index + 1) } }
        })
        .column("weights", |(_, round)| match round.kept {
            Some(true) => html! { b { "kept" } },
            Some(false) => html! { "not kept" },
            None => html! { "under way" },
        })
        .column("Elo against the best before", |(_, round)| {
            round.against_best().map(elo)
        })
        .column("Elo against the start", |(index, round)| {
            // Until weights were kept the best are those of the start, so games against the best
            // are games against the start. Later weights that are not kept do not play the start.
            let is_first = first_kept.is_none_or(|first| *index < first);
            match round.kept {
                Some(true) => against_start[index + 1],
                _ if is_first => round.against_best(),
                _ => None,
            }
            .map(elo)
        })
        .column("why", |(_, round)| {
            (!round.why.is_empty()).then(|| wrapping(&text::sentence(&round.why)))
        })
        .column("positions fitted", |(_, round)| {
            Some(round.fit.as_ref()?.positions)
        })
        .column("held-out E of the fit", |(_, round)| {
            let fit = round.fit.as_ref()?;
            // Of fewer than two games no standard error follows.
            let held_out = fit.held_out.filter(|held_out| held_out.games >= 2);
            let numbers = held_out.map_or_else(String::new, |of| format!(": {of}"));
            Some(wrapping(&format!("{}{numbers}", fit.verdict)))
        });
    (!rounds.is_empty()).then(|| {
        html! {
            p.note { "The number of a round leads to the page of its last fit, which made its weights; positions and held-out E are of that. "
                "A round is given up if held-out games find its first fit worse; else the match decides." }
            (list)
        }
    })
}
