//! What the data are.

use maud::{Markup, html};

use super::head::pairs;
use super::{cell, table};
use crate::digest::{Digest, finite};
use crate::record::{DataProfileBinRecord, DataProfileRecord};
use crate::text;

/// Most bins of a table.
const BINS: usize = 40;

/// Positions, games, results, phases, half-moves.
pub(super) fn data(digest: &Digest<'_>) -> Option<Markup> {
    let profile = digest.record.examined.as_ref()?.profile.as_ref()?;
    let facts = facts(profile);
    Some(html! {
        (pairs(&facts))
        p.note { "Bars: positions of games " span.good { "won" } ", drawn and " span.bad { "lost" } " by the first player, as long as the bin is large." }
        div.plots {
            (bins("By men on the board", &profile.by_phase))
            (bins("By half-moves played before", &profile.by_ply))
            (bins("By the side to move", &profile.by_side))
        }
    })
}

fn facts(profile: &DataProfileRecord) -> Vec<(&'static str, String)> {
    let count = |count: Option<u64>| count.map(|count| count.to_string());
    let share = |count: Option<u64>| {
        let part = count? as f64 / profile.positions.filter(|n| *n > 0)? as f64;
        Some(format!("{} ({:.1} %)", count?, 100.0 * part))
    };
    let of_game = profile.positions_of_game.as_ref().and_then(|of_game| {
        let (fewest, most) = (of_game.fewest?, of_game.most?);
        let mean = finite(of_game.mean)?;
        Some(format!("{mean:.1} on average, {fewest} to {most}"))
    });
    let all = [
        ("positions", count(profile.positions)),
        (
            "games",
            count(profile.games).or_else(|| Some("unknown".to_owned())),
        ),
        ("positions of a game", of_game),
        (
            "without a game",
            count(profile.without_game.filter(|n| *n > 0)),
        ),
        ("won by the first player", share(profile.wins)),
        ("drawn", share(profile.draws)),
        ("lost", share(profile.losses)),
        ("there before", share(profile.duplicates)),
        (
            "there with different results",
            share(profile.contradictions),
        ),
    ];
    all.into_iter()
        .filter_map(|(what, fact)| Some((what, fact?)))
        .collect()
}

/// Bins with bars; as a table, so that the numbers are there as well.
fn bins(title: &str, bins: &[DataProfileBinRecord]) -> Markup {
    let most = bins
        .iter()
        .filter_map(|bin| bin.positions)
        .max()
        .unwrap_or(0);
    let rows: Vec<Vec<Markup>> = (bins.iter().take(BINS))
        .map(|bin| {
            let count =
                |count: Option<u64>| count.map_or_else(|| "–".to_owned(), |n| n.to_string());
            vec![
                cell(text::name(&bin.label)),
                bar(bin, most),
                cell(count(bin.positions)),
                cell(share(bin)),
            ]
        })
        .collect();
    html! {
        @if !rows.is_empty() {
            figure { h4 { (title) } (table(&["", "", "positions", "won, drawn, lost"], &rows)) }
        }
    }
}

fn share(bin: &DataProfileBinRecord) -> String {
    let parts = [bin.wins, bin.draws, bin.losses].map(|part| {
        let part = part? as f64 / bin.positions.filter(|n| *n > 0)? as f64;
        Some(format!("{:.0}", 100.0 * part))
    });
    let [Some(won), Some(drawn), Some(lost)] = parts else {
        return "–".to_owned();
    };
    format!("{won}, {drawn}, {lost} %")
}

/// A bar of three parts, as long as the bin is large.
fn bar(bin: &DataProfileBinRecord, most: u64) -> Markup {
    let length =
        |count: Option<u64>| 200.0 * count.unwrap_or(0).min(most) as f64 / most.max(1) as f64;
    let parts = [("up", bin.wins), ("rest", bin.draws), ("down", bin.losses)];
    let mut x = 0.0;
    let parts = parts.map(|(class, count)| {
        let start = x;
        x += length(count);
        (class, start, length(count))
    });
    html! {
        svg viewBox="0 0 200 10" preserveAspectRatio="none" aria-hidden="true" {
            @for (class, x, width) in parts {
                rect class=(class) x=(format!("{x:.1}")) y="1" width=(format!("{width:.1}")) height="8" {}
            }
        }
    }
}
