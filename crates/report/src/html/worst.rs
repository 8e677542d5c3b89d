//! The positions that are explained worst.

use maud::{Markup, html};

use super::board::{Board, outlines};
use super::{cell, folded};
use crate::text;
use tuner_engine::examine::WorstPosition;
use tuner_record::RunRecord;

/// Most boards of a page.
const BOARDS: usize = 24;

/// Boards of positions whose results the new weights expected least.
pub(super) fn worst(record: &RunRecord) -> Option<Markup> {
    let examined = &record.examined;
    let all = &examined.worst[..examined.worst.len().min(BOARDS)];
    if all.is_empty() {
        return None;
    }
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
            @if examined.calibration.held_out { ", of held-out games" }
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

fn figure(number: usize, position: &WorstPosition) -> Markup {
    let board = Board::read(&position.position);
    let [before, after] = position.scores.map(text::number);
    let [then, now] = position.expectations.map(text::percent);
    html! {
        figure {
            h4 { (number) ". " (result(position)) }
            @if let Some(board) = &board { (board.draw()) }
            @else { pre.names { (text::sentence(&position.position)) } }
            figcaption {
                @if let Some(board) = &board { (board.words()) ". " }
                "Score " (before) " → " (after)
                @if let Some(score) = position.search_score { ", search " (score) }
                ". Expected points " (then) " → " (now) ". " (place(position))
            }
        }
    }
}

fn row((number, position): (usize, &WorstPosition)) -> Vec<Markup> {
    let [before, after] = position.scores.map(text::number);
    let [then, now] = position.expectations.map(text::percent);
    [
        (number + 1).to_string(),
        text::sentence(&position.position),
        place(position),
        text::or_dash(position.game, |game| game.to_string()),
        text::number(position.outcome),
        before,
        after,
        then,
        now,
        text::or_dash(position.search_score, |score| score.to_string()),
        text::number(position.loss),
    ]
    .map(cell)
    .to_vec()
}

fn place(position: &WorstPosition) -> String {
    format!("{}:{}", text::name(&position.file), position.line)
}

/// The result in words.
fn result(position: &WorstPosition) -> String {
    match position.outcome {
        outcome if outcome >= 1.0 => "Won by the first player".to_owned(),
        outcome if outcome <= 0.0 => "Won by the second player".to_owned(),
        outcome if (outcome - 0.5).abs() <= 0.0 => "Drawn".to_owned(),
        outcome => format!("Result {}", text::number(outcome)),
    }
}
