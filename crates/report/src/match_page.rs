//! The page of a match.

use maud::{Markup, html};

use crate::html::head::pairs;
use crate::html::{Plot, Point, cell, folded, page, share, table, thinned};
use crate::text;

/// Most rows of a list.
const ROWS: usize = 60;

/// What a page says of a match; all results are those of the first side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchRecord {
    /// Both sides: the first is the one whose results are counted.
    pub names: [String; 2],
    /// How the match was set up: what, and how.
    pub setup: Vec<(String, String)>,
    /// The test that ends it, if there is one.
    pub test: Option<MatchTest>,
    /// The result in sentences, the most important first.
    pub result: Vec<String>,
    /// Games won, drawn and lost.
    pub games: [u64; 3],
    /// Pairs by half points, 0 to 4.
    pub pairs: [u64; 5],
    /// How Elo and the test went by pairs, in their order.
    pub points: Vec<MatchPoint>,
    /// Why games ended.
    pub ends: Vec<MatchEnd>,
    /// The first player's games: won, drawn and lost.
    pub first_player: [u64; 3],
    /// Numbers of the openings whose games the same colour won both, the first
    /// player first; the first opening is 1.
    pub one_sided: [Vec<u64>; 2],
}

/// A sequential test.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MatchTest {
    /// The hypotheses, in Elo.
    pub hypotheses: [f64; 2],
    /// The log-likelihood ratios at which it fails and passes.
    pub bounds: [f64; 2],
    /// Whether it has passed, once it has ended.
    pub passed: Option<bool>,
}

/// A match after some pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MatchPoint {
    /// The pairs.
    pub pairs: u64,
    /// The difference in Elo; `None` where it is not finite.
    pub elo: Option<f64>,
    /// Its 95 % interval, where both ends are finite.
    pub interval: Option<[f64; 2]>,
    /// The log-likelihood ratio, where there is a test.
    pub llr: Option<f64>,
}

/// Games that ended for the same reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchEnd {
    /// The reason.
    pub reason: String,
    /// Won, drawn and lost.
    pub games: [u64; 3],
    /// Half-moves of all of them.
    pub plies: u64,
}

/// Returns a page on a match: one file that loads nothing, without scripts.
pub fn match_page(record: &MatchRecord) -> String {
    let sections = [
        ("llr", "Likelihood ratio", likelihood(record)),
        ("elo", "Elo", elo(record)),
        ("pairs", "Pairs", Some(pentanomial(record))),
        ("ends", "Ends of games", ends(record)),
        ("openings", "Openings", openings(record)),
        ("setup", "How it was played", setup(record)),
    ];
    let [first, second] = record.names.each_ref().map(|name| text::name(name));
    let passed = record.test.and_then(|test| test.passed);
    let class = match passed {
        Some(true) => "good",
        Some(false) => "bad",
        None => "",
    };
    let mut result = record.result.iter().map(|words| text::sentence(words));
    let headline = result.next().unwrap_or_else(|| "no games".to_owned());
    let header = html! {
        p.over { (first) " against " (second) }
        h1 class=(class) { (headline) }
        @for words in result { p { (words) } }
    };
    page(&format!("{first} against {second}"), &header, sections)
}

fn labels(points: &[MatchPoint]) -> Vec<String> {
    points.iter().map(|point| point.pairs.to_string()).collect()
}

fn number(value: Option<f64>, digits: usize) -> String {
    text::or_dash(value, |value| format!("{value:+.digits$}"))
}

/// The likelihood ratio between its bounds.
fn likelihood(record: &MatchRecord) -> Option<Markup> {
    let test = record.test.as_ref()?;
    let points: Vec<Point> = (record.points.iter())
        .map(|point| Point {
            new: point.llr,
            ..Point::default()
        })
        .collect();
    let labels = labels(&record.points);
    let plot = Plot {
        title: "Log-likelihood ratio by game pairs, between the bounds of the test",
        labels: &labels,
        points: &points,
        joined: true,
        levels: &test.bounds,
    };
    let (shown, _) = thinned(&record.points, ROWS);
    let rows: Vec<Vec<Markup>> = (shown.iter())
        .map(|point| vec![cell(point.pairs.to_string()), cell(number(point.llr, 3))])
        .collect();
    let [elo0, elo1] = test.hypotheses;
    let [fails, passes] = test.bounds;
    Some(html! {
        p.note {
            "Log-likelihood ratio of " (text::number(elo1)) " Elo against " (text::number(elo0)) ", by game pairs. Dotted: the test fails below "
            (format!("{fails:.2}")) " and passes above " (format!("{passes:.2}")) "."
        }
        (plot.draw())
        (folded("the likelihood ratio as a table", &["pairs", "ratio"], &rows))
    })
}

/// Elo with its band. The first pairs, whose band is so wide that it would hide all
/// others, are left to the table.
fn elo(record: &MatchRecord) -> Option<Markup> {
    let width = |point: &MatchPoint| point.interval.map(|[low, high]| high - low);
    let last = record.points.iter().rev().find_map(width)?;
    let shown: Vec<MatchPoint> = (record.points.iter())
        .filter(|point| width(point).is_some_and(|width| width <= 6.0 * last))
        .copied()
        .collect();
    let points: Vec<Point> = (shown.iter())
        .map(|point| {
            let [low, high] = point.interval.unwrap_or_default();
            Point {
                // The interval is not quite even: its middle is drawn.
                new: Some(f64::midpoint(low, high)),
                reach: Some((high - low) / 2.0),
                old: None,
            }
        })
        .collect();
    let labels = self::labels(&shown);
    let plot = Plot {
        title: "Elo by game pairs, with its 95 % interval",
        labels: &labels,
        points: &points,
        joined: true,
        levels: &[0.0],
    };
    let (listed, _) = thinned(&record.points, ROWS);
    let rows: Vec<Vec<Markup>> = (listed.iter())
        .map(|point| {
            let interval = |[low, high]: [f64; 2]| format!("{low:+.1} to {high:+.1}");
            vec![
                cell(point.pairs.to_string()),
                cell(number(point.elo, 1)),
                cell(text::or_dash(point.interval, interval)),
            ]
        })
        .collect();
    let hidden = record.points.len() - shown.len();
    Some(html! {
        p.note {
            "Elo of the first side by game pairs, with the band of its 95 % interval. Games of a pair share their opening, so pairs count, not games."
            @if hidden > 0 { " The first pairs are left out: their intervals are more than six times as wide as the last." }
        }
        (plot.draw())
        (folded("Elo as a table", &["pairs", "Elo", "95 % interval"], &rows))
    })
}

fn percent(part: u64, all: u64) -> String {
    text::percent(part as f64 / all.max(1) as f64)
}

/// The results of pairs and games.
fn pentanomial(record: &MatchRecord) -> Markup {
    let all: u64 = record.pairs.iter().sum();
    let most = record.pairs.iter().max().copied().unwrap_or(0) as f64;
    let points = ["0", "½", "1", "1½", "2"];
    let rows: Vec<Vec<Markup>> = (points.iter().zip(record.pairs))
        .map(|(points, pairs)| {
            vec![
                cell(points),
                share(pairs as f64 / most.max(1.0)),
                cell(pairs.to_string()),
                cell(percent(pairs, all)),
            ]
        })
        .collect();
    let games = [("games", record.games)];
    html! {
        (table(&["points of a pair", "", "pairs", "part"], &rows))
        (table(&["", "won", "drawn", "lost"], &games.map(|(name, games)| counts(name, games))))
    }
}

fn counts(name: &str, games: [u64; 3]) -> Vec<Markup> {
    let all = games.iter().sum();
    let games = games.map(|count| cell(format!("{count} ({})", percent(count, all))));
    std::iter::once(cell(name)).chain(games).collect()
}

fn ends(record: &MatchRecord) -> Option<Markup> {
    let rows: Vec<Vec<Markup>> = (record.ends.iter().take(ROWS))
        .map(|end| {
            let all: u64 = end.games.iter().sum();
            let mut row = vec![cell(text::name(&end.reason)), cell(all.to_string())];
            row.extend(end.games.map(|count| cell(count.to_string())));
            row.push(cell(format!("{:.0}", end.plies as f64 / all.max(1) as f64)));
            row
        })
        .collect();
    let columns = [
        "reason",
        "games",
        "won",
        "drawn",
        "lost",
        "half-moves on average",
    ];
    (!rows.is_empty()).then(|| table(&columns, &rows))
}

fn openings(record: &MatchRecord) -> Option<Markup> {
    let games = record.first_player.iter().sum::<u64>();
    if games == 0 {
        return None;
    }
    let pairs: u64 = record.pairs.iter().sum();
    let [first, second] = &record.one_sided;
    let rows: Vec<Vec<Markup>> = [
        ("by the first player", first),
        ("by the second player", second),
    ]
    .into_iter()
    .map(|(who, numbers)| {
        let shown: Vec<String> = numbers.iter().take(20).map(u64::to_string).collect();
        let dots = if numbers.len() > 20 { ", …" } else { "" };
        vec![
            cell(who),
            cell(numbers.len().to_string()),
            cell(percent(numbers.len() as u64, pairs)),
            cell(shown.join(", ") + dots),
        ]
    })
    .collect();
    Some(html! {
        p.note { "Openings whose two games the same colour won decide nothing between the sides: where there are many, a more balanced book needs fewer games." }
        (table(&["", "won", "drawn", "lost"], &[counts("the first player's games", record.first_player)]))
        h3 { "Both games won" }
        div.facts { (table(&["", "openings", "part of the pairs", "their numbers"], &rows)) }
    })
}

fn setup(record: &MatchRecord) -> Option<Markup> {
    let setup: Vec<(String, String)> = (record.setup.iter().take(ROWS))
        .map(|(what, how)| (text::name(what), text::sentence(how)))
        .collect();
    let shown = || setup.iter().map(|(what, how)| (&**what, Some(how.clone())));
    (!setup.is_empty()).then(|| pairs(shown()))
}
