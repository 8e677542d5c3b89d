//! The page of a match.

use maud::{Markup, Render, html};

use crate::html::{Facts, List, Plot, Point, folded, page, share, thinned};
use crate::text;
use tuner_base::joined;
use tuner_record::{MatchHead, StandingRecord};
use tuner_tournament::{Estimate, Frequencies as _, Pentanomial, Verdict};

/// Most rows of a list.
const ROWS: usize = 60;

/// What a page says of a match; all results are those of the first side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchRecord {
    /// Who played, how, and the test that ends it.
    pub head: MatchHead,
    /// The result in sentences, the most important first.
    pub result: Vec<String>,
    /// Opponents where there are several, and the standing against each.
    pub opponents: Vec<(String, StandingRecord)>,
    /// Games that the first side won, drew and lost.
    pub games: [u64; 3],
    /// Counts of pairs by their half points: of the first pairs, of more, and so on up to all.
    pub points: Vec<Pentanomial>,
    /// Reasons why games ended, with the games of each.
    pub ends: Vec<MatchEnd>,
    /// The first player's games: won, drawn and lost.
    pub first_player: [u64; 3],
    /// Numbers of the openings whose games the same colour won both, the first
    /// player first; the first opening is 1.
    pub one_sided: [Vec<u64>; 2],
}

/// Games that ended for the same reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchEnd {
    /// The reason.
    pub reason: String,
    /// Games that the first side won, drew and lost.
    pub games: [u64; 3],
    /// Half-moves of all games that ended so, together.
    pub plies: u64,
}

impl MatchRecord {
    /// Returns the counts of all pairs by their half points; 0 before the first pair.
    fn pairs(&self) -> Pentanomial {
        self.points.last().copied().unwrap_or_default()
    }
}

/// Returns a page on a match: one file that loads nothing, without scripts.
pub fn match_page(record: &MatchRecord) -> String {
    let setup = (record.head.setup.iter()).map(|(what, how)| (&**what, &**how));
    let sections = [
        ("llr", "Likelihood ratio", likelihood(record)),
        ("opponents", "Opponents", opponents(record)),
        ("elo", "Elo", elo(record)),
        ("pairs", "Pairs", Some(pentanomial(record))),
        ("ends", "Ends of games", ends(record)),
        ("openings", "Openings", openings(record)),
        ("setup", "How it was played", Facts::typed(setup)),
    ];
    let [first, second] = record.head.names.each_ref().map(|name| text::name(name));
    let class = match (record.head.sprt).and_then(|sprt| sprt.decides(&record.pairs())) {
        Some(Verdict::Passed) => "good",
        Some(Verdict::Failed) => "bad",
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

/// The standing of the first side against each of several opponents, with Elo and its interval.
/// `None` where the record lists no opponents, as of a match against one.
fn opponents(record: &MatchRecord) -> Option<Markup> {
    let elo = |standing: &StandingRecord| {
        let interval = standing.interval_text()?;
        Some(format!("{:+.1} ({interval})", standing.elo?))
    };
    let list = List::of(&record.opponents)
        .column("against", |(name, _)| text::name(name))
        .column("games", |(_, standing)| standing.games)
        .column("won", |(_, standing)| standing.wins)
        .column("drawn", |(_, standing)| standing.draws)
        .column("lost", |(_, standing)| standing.losses)
        .column("Elo (95 %)", |(_, standing)| elo(standing));
    (!record.opponents.is_empty()).then(|| list.render())
}

/// Returns the 95 % interval of Elo by the results of pairs; `None` where there is none yet, or an
/// end is infinite.
fn interval(pairs: &Pentanomial) -> Option<[f64; 2]> {
    let (low, high) = pairs.interval()?;
    (low.is_finite() && high.is_finite()).then_some([low, high])
}

/// The course of the log-likelihood ratio between the bounds of the test, by pairs; `None` without
/// a test.
fn likelihood(record: &MatchRecord) -> Option<Markup> {
    let sprt = record.head.sprt.as_ref()?;
    let (fails, passes) = sprt.bounds();
    let (elo0, elo1) = sprt.hypotheses();
    let points = (record.points.iter())
        .map(|pairs| Point::new(pairs.pairs().to_string(), Some(sprt.llr(pairs)), None));
    let title = "Log-likelihood ratio by game pairs, between the bounds of the test";
    let bounds = [fails, passes];
    let plot = Plot::line(title, points).across(&bounds);
    let (shown, _) = thinned(&record.points, ROWS);
    let numbers = List::of(&shown)
        .column("pairs", |pairs| pairs.pairs())
        .column("ratio", |pairs| format!("{:+.3}", sprt.llr(*pairs)));
    Some(html! {
        p.note {
            "Log-likelihood ratio of " (text::number(elo1)) " Elo against " (text::number(elo0)) ", by game pairs. Dotted: the test fails below "
            (format!("{fails:.2}")) " and passes above " (format!("{passes:.2}")) "."
        }
        (plot.draw())
        (folded("the likelihood ratio as a table", numbers))
    })
}

/// The course of Elo with its band, by pairs; `None` where no interval is finite. The first pairs,
/// whose band is so wide that it would hide all others, are left to the table.
fn elo(record: &MatchRecord) -> Option<Markup> {
    let width = |pairs: &Pentanomial| interval(pairs).map(|[low, high]| high - low);
    // The width of the last interval that is finite.
    let last = record.points.iter().rev().find_map(width)?;
    let points: Vec<Point> = (record.points.iter())
        .filter(|pairs| width(pairs).is_some_and(|width| width <= 6.0 * last))
        .filter_map(|pairs| {
            let point = Point::new(pairs.pairs().to_string(), Some(pairs.elo()?.value), None);
            Some(point.within(interval(pairs)))
        })
        .collect();
    let hidden = record.points.len() - points.len();
    let plot = Plot::line("Elo by game pairs, with its 95 % interval", points).across(&[0.0]);
    let (listed, _) = thinned(&record.points, ROWS);
    let finite = |elo: Estimate| Some(elo.value).filter(|value| value.is_finite());
    let from_to = |[low, high]: [f64; 2]| format!("{low:+.1} to {high:+.1}");
    let numbers = List::of(&listed)
        .column("pairs", |pairs| pairs.pairs())
        .column("Elo", |pairs| {
            let elo = pairs.elo().and_then(finite);
            elo.map(|elo| format!("{elo:+.1}"))
        })
        .column("95 % interval", |pairs| interval(pairs).map(from_to));
    Some(html! {
        p.note {
            "Elo of the first side by game pairs, with the band of its 95 % interval. Games of a pair share their opening, so pairs count, not games."
            @if hidden > 0 { " The first pairs are left out: their intervals are more than six times as wide as the last." }
        }
        (plot.draw())
        (folded("Elo as a table", numbers))
    })
}

/// A part of all as a percentage; of nothing 0 %.
fn percent(part: u64, all: u64) -> String {
    text::percent(part as f64 / all.max(1) as f64)
}

/// The results of pairs and games.
fn pentanomial(record: &MatchRecord) -> Markup {
    let pairs = record.pairs();
    let all = pairs.pairs();
    let most = pairs.0.iter().max().copied().unwrap_or(0) as f64;
    let points: Vec<(&str, u64)> = (["0", "½", "1", "1½", "2"].into_iter())
        .zip(pairs.0)
        .collect();
    let points = List::of(&points)
        .column("points of a pair", |(points, _)| *points)
        .column("", |(_, pairs)| share(*pairs as f64 / most.max(1.0)))
        .column("pairs", |(_, pairs)| *pairs)
        .column("part", |(_, pairs)| percent(*pairs, all));
    html! { (points) (counts("games", record.games)) }
}

/// A row of games won, drawn and lost, in this order, under the name of what they are.
fn counts(name: &str, games: [u64; 3]) -> Markup {
    let all = games.iter().sum();
    let part = |count: u64| format!("{count} ({})", percent(count, all));
    List::of(&[games])
        .column("", |_| name)
        .column("won", |games| part(games[0]))
        .column("drawn", |games| part(games[1]))
        .column("lost", |games| part(games[2]))
        .render()
}

/// Returns a table of the reasons why games ended, with the results and the mean length of the
/// games of each; `None` where no game was played.
fn ends(record: &MatchRecord) -> Option<Markup> {
    let ends = &record.ends[..record.ends.len().min(ROWS)];
    let all = |end: &MatchEnd| end.games.iter().sum::<u64>();
    let list = List::of(ends)
        .column("reason", |end| text::name(&end.reason))
        .column("games", |end| all(end))
        .column("won", |end| end.games[0])
        .column("drawn", |end| end.games[1])
        .column("lost", |end| end.games[2])
        .column("half-moves on average", |end| {
            format!("{:.0}", end.plies as f64 / all(end).max(1) as f64)
        });
    (!ends.is_empty()).then(|| list.render())
}

/// The results of the first player, and the openings that decide nothing, as the same colour won
/// both of their games: how many there are, and the numbers of the first 20. `None` where no game
/// was played.
fn openings(record: &MatchRecord) -> Option<Markup> {
    let games = record.first_player.iter().sum::<u64>();
    if games == 0 {
        return None;
    }
    let pairs = record.pairs().pairs();
    let numbers = |numbers: &[u64]| {
        let dots = if numbers.len() > 20 { ", …" } else { "" };
        joined(numbers.iter().take(20), ", ") + dots
    };
    let players = ["by the first player", "by the second player"];
    let one_sided: Vec<(&str, &Vec<u64>)> = players.into_iter().zip(&record.one_sided).collect();
    let one_sided = List::of(&one_sided)
        .column("", |(who, _)| *who)
        .column("openings", |(_, all)| all.len())
        .column("part of the pairs", |(_, all)| {
            percent(all.len() as u64, pairs)
        })
        .column("their numbers", |(_, all)| numbers(all));
    Some(html! {
        p.note { "Openings whose two games the same colour won decide nothing between the sides: where there are many, a more balanced book needs fewer games." }
        (counts("the first player's games", record.first_player))
        h3 { "Both games won" }
        div.facts { (one_sided) }
    })
}
