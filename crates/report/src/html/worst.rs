//! The positions that are explained worst.

use maud::{Markup, html};

use super::board::{Board, outlines};
use super::{List, folded, players::Players};
use crate::text;
use tuner_engine::examine::WorstPosition;
use tuner_record::RunRecord;

/// Most boards of a page.
const BOARDS: usize = 24;

/// Boards of positions whose results the new weights expected least; `None` where no positions were
/// looked at.
pub(super) fn worst(record: &RunRecord) -> Option<Markup> {
    let examined = &record.examined;
    let all = &examined.worst[..examined.worst.len().min(BOARDS)];
    if all.is_empty() {
        return None;
    }
    let players = Players::of(record);
    let numbered: Vec<(usize, &WorstPosition)> = (1..).zip(all).collect();
    Some(html! {
        p.note {
            "One position of a game at most"
            @if examined.calibration.held_out { ", of held-out games" }
            ". " (players.said("Scores and expected points are the first player's, scores in centipawns"))
            @if examined.resolved { ", of the ends of quiescence searches" }
            ". A result that no weight can foresee is here as well as a term that the evaluation lacks: look for what the boards share."
        }
        (outlines())
        div.boards {
            @for &(number, position) in &numbered { (figure(number, position, players)) }
        }
        (folded("these positions as a table", numbers(&numbered)))
    })
}

/// A position with its board, its result, and its scores and expectations at the old and new
/// weights.
fn figure(number: usize, position: &WorstPosition, players: Players) -> Markup {
    let board = Board::read(&position.position);
    let [before, after] = position.scores.map(text::number);
    let [then, now] = position.expectations.map(text::percent);
    html! {
        figure {
            h4 { (number) ". " (players.said(&result(position))) }
            @if let Some(board) = &board { (board.draw()) }
            @else { pre.names { (text::sentence(&position.position)) } }
            figcaption {
                @if let Some(board) = &board { (board.words()) ". " }
                @if let Some(page) = analysis(&position.position) { a href=(page) rel="noreferrer" { "Analyse" } ". " }
                "Score " (before) " → " (after)
                @if let Some(score) = position.search_score { ", search " (score) }
                ". Expected points " (then) " → " (now) ". " (place(position))
            }
        }
    }
}

/// The address of an analysis board for a position of chess: its first four fields, if they are of
/// letters, digits, `/` and `-` alone. `None` for any other text, as a record may say anything.
fn analysis(position: &str) -> Option<String> {
    let fields: Vec<&str> = position.split(' ').take(4).collect();
    let allowed = |c: char| c.is_ascii_alphanumeric() || "/-".contains(c);
    let is_plain = |field: &&str| !field.is_empty() && field.chars().all(allowed);
    let is_chess = fields.len() == 4 && fields[0].matches('/').count() == 7;
    let is_linked = is_chess && fields.iter().all(is_plain);
    is_linked.then(|| format!("https://lichess.org/analysis/{}", fields.join("_")))
}

/// The positions as a table.
fn numbers<'a>(worst: &'a [(usize, &'a WorstPosition)]) -> List<'a, (usize, &'a WorstPosition)> {
    List::of(worst)
        .column("", |(number, _)| *number)
        .column("position", |(_, of)| text::sentence(&of.position))
        .column("place", |(_, of)| place(of))
        .column("game", |(_, of)| of.game)
        .column("result", |(_, of)| text::number(of.outcome))
        .column("old score", |(_, of)| text::number(of.scores[0]))
        .column("new score", |(_, of)| text::number(of.scores[1]))
        .column("expected before", |(_, of)| {
            text::percent(of.expectations[0])
        })
        .column("expected now", |(_, of)| text::percent(of.expectations[1]))
        .column("search", |(_, of)| of.search_score)
        .column("loss", |(_, of)| text::number(of.loss))
}

/// The file and line that a position was read from.
fn place(position: &WorstPosition) -> String {
    format!("{}:{}", text::name(&position.file), position.line)
}

/// The result, which is the first player's, in words.
fn result(position: &WorstPosition) -> String {
    match position.outcome {
        outcome if outcome >= 1.0 => "Won by the first player".to_owned(),
        outcome if outcome <= 0.0 => "Won by the second player".to_owned(),
        outcome if (outcome - 0.5).abs() <= 0.0 => "Drawn".to_owned(),
        outcome => format!("Result {}", text::number(outcome)),
    }
}
