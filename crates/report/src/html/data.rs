//! What the data are.

use maud::{Markup, Render, html};

use super::picture::bars;
use super::players::Players;
use super::{Facts, List};
use crate::text;
use tuner_data::tools::ResultCounts;
use tuner_engine::notes::{DataProfile, DataProfileBin};
use tuner_record::RunRecord;

/// Most bins of a table.
const BINS: usize = 40;

/// What is known of the data: positions, games, results, phases, half-moves; `None` where the
/// record has no profile of the data.
pub(super) fn data(record: &RunRecord) -> Option<Markup> {
    let profile = record.examined.profile.as_ref()?;
    let players = Players::of(record);
    Some(html! {
        (facts(profile, players))
        p.note { "Bars: positions of games " span.good { "won" } ", drawn and " span.bad { "lost" } " by " (players.said("the first player")) ", as long as the bin is large." }
        div.plots.lists {
            (bins("By men on the board", &profile.by_phase, players))
            (bins("By half-moves played before", &profile.by_ply, players))
            (bins("By the side to move", &profile.by_side, players))
        }
    })
}

/// Counts of positions, games and results.
fn facts(profile: &DataProfile, players: Players) -> Markup {
    let results = &profile.results;
    let share = |count: u64| {
        let part = count as f64 / results.positions as f64;
        (results.positions > 0).then(|| format!("{count} ({})", text::percent(part)))
    };
    let games = profile.games.map(|games| games.to_string());
    let of_game = profile.positions_of_game.map(|of| {
        let (mean, fewest, most) = (of.mean, of.fewest, of.most);
        format!("{mean:.1} on average, {fewest} to {most}")
    });
    let without = Some(profile.without_game).filter(|count| *count > 0);
    let won = players.said("won by the first player");
    let facts = Facts::default()
        .fact("positions", results.positions)
        .fact("games", games.as_deref().unwrap_or("unknown"))
        .fact("positions of a game", of_game)
        .fact("without a game", without)
        .fact(&won, share(results.wins))
        .fact("drawn", share(results.draws))
        .fact("lost", share(results.losses))
        .fact("there before", share(profile.duplicates))
        .fact(
            "there with different results",
            share(profile.contradictions),
        );
    facts.render()
}

/// Bins with bars; as a table, so that the numbers are there as well. Nothing where there are no
/// bins.
fn bins(title: &str, bins: &[DataProfileBin], players: Players) -> Markup {
    let most = bins.iter().map(|bin| bin.results.positions).max();
    let bins = List::of(&bins[..bins.len().min(BINS)])
        .column("", |bin| players.said(&text::name(&bin.label)))
        .column("results", |bin| bar(&bin.results, most.unwrap_or(0)))
        .column("positions", |bin| bin.results.positions)
        .column("won, drawn, lost", |bin| share(&bin.results));
    html! {
        @if most.is_some() { figure { h4 { (title) } (bins) } }
    }
}

/// The parts of games won, drawn and lost in percent.
fn share(results: &ResultCounts) -> String {
    let parts = [results.wins, results.draws, results.losses];
    let all = results.positions.max(1) as f64;
    let parts = parts.map(|part| format!("{:.0}", 100.0 * part as f64 / all));
    parts.join(", ") + " %"
}

/// A bar of three parts, won, drawn and lost, as long as the bin is large. `most`: positions of the
/// largest bin, whose bar is as long as the picture.
fn bar(results: &ResultCounts, most: u64) -> Markup {
    let length = |count: u64| 200.0 * count.min(most) as f64 / most.max(1) as f64;
    let parts = [
        ("up", results.wins),
        ("rest", results.draws),
        ("down", results.losses),
    ];
    let mut x = 0.0;
    let parts = parts.map(|(class, count)| {
        let start = x;
        x += length(count);
        (class, start, length(count))
    });
    // `false`: without a line in the middle.
    bars(&parts, false)
}
