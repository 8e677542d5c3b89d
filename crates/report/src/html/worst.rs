//! The positions that are explained worst.

use maud::{Markup, html};

use super::board::{Board, outlines};
use super::{cell, folded};
use crate::digest::{Digest, finite};
use crate::record::WorstPositionRecord;
use crate::text;

/// Most boards of a page.
const BOARDS: usize = 24;

/// Boards of positions whose results the new weights expected least.
pub(super) fn worst(digest: &Digest<'_>) -> Option<Markup> {
    let examined = digest.record.examined.as_ref()?;
    let all = &examined.worst[..examined.worst.len().min(BOARDS)];
    if all.is_empty() {
        return None;
    }
    let held_out = examined.calibration.as_ref().and_then(|c| c.held_out);
    let rows: Vec<Vec<Markup>> = all.iter().enumerate().map(row).collect();
    let columns = [
        "",
        "position",
        "place",
        "game",
        "result",
        "old score",
        "new score",
        "expected before",
        "expected now",
        "search",
        "loss",
    ];
    Some(html! {
        p.note {
            "One position of a game at most"
            @if held_out == Some(true) { ", of held-out games" }
            ". Scores and expected points are the first player's, scores in centipawns"
            @if examined.resolved { ", of the ends of quiescence searches" }
            ". A result that no weight can foresee is here as well as a term that the evaluation lacks: look for what the boards share."
        }
        (outlines())
        div.boards {
            @for (number, position) in (1..).zip(all) { (figure(number, position)) }
        }
        (folded("these positions as a table", &columns, &rows))
    })
}

fn figure(number: usize, position: &WorstPositionRecord) -> Markup {
    let board = Board::read(&position.position);
    html! {
        figure {
            h4 { (number) ". " (result(position)) }
            @if let Some(board) = &board { (board.draw()) }
            @else { pre.names { (text::sentence(&position.position)) } }
            figcaption {
                @if let Some(board) = &board { (board.words()) ". " }
                "Score " (text::maybe(position.scores[0])) " → " (text::maybe(position.scores[1]))
                @if let Some(score) = finite(position.search_score) { ", search " (text::number(score)) }
                ". Expected points " (percent(position.expectations[0])) " → " (percent(position.expectations[1]))
                ". " (place(position))
            }
        }
    }
}

fn row((number, position): (usize, &WorstPositionRecord)) -> Vec<Markup> {
    vec![
        cell((number + 1).to_string()),
        cell(text::sentence(&position.position)),
        cell(place(position)),
        cell(
            position
                .game
                .map_or_else(|| "–".to_owned(), |game| game.to_string()),
        ),
        cell(text::maybe(position.outcome)),
        cell(text::maybe(position.scores[0])),
        cell(text::maybe(position.scores[1])),
        cell(percent(position.expectations[0])),
        cell(percent(position.expectations[1])),
        cell(text::maybe(position.search_score)),
        cell(text::maybe(position.loss)),
    ]
}

fn place(position: &WorstPositionRecord) -> String {
    let file = text::name(&position.file);
    let line = position
        .line
        .map_or_else(String::new, |line| format!(":{line}"));
    file + &line
}

/// The result in words.
fn result(position: &WorstPositionRecord) -> String {
    match position.outcome {
        Some(outcome) if outcome >= 1.0 => "Won by the first player".to_owned(),
        Some(outcome) if outcome <= 0.0 => "Won by the second player".to_owned(),
        Some(outcome) if (outcome - 0.5).abs() <= 0.0 => "Drawn".to_owned(),
        other => format!("Result {}", text::maybe(other)),
    }
}

fn percent(part: Option<f64>) -> String {
    finite(part).map_or_else(|| "–".to_owned(), |part| format!("{:.1} %", 100.0 * part))
}
