//! The head of a page, and what was run.

use maud::{Markup, html};

use crate::digest::Digest;
use crate::record::{RunRecord, Word};
use crate::text;
use crate::words;

/// The title of the page.
pub(super) fn title(record: &RunRecord) -> String {
    let verdict = record.judgement.as_ref().map_or(Word::Other, |j| j.verdict);
    let verdict = match &record.refused {
        Some(_) => "keep the weights before",
        None => words::verdict(verdict),
    };
    format!("{}: {verdict}", name(record))
}

/// The name of what was fitted.
pub(crate) fn name(record: &RunRecord) -> String {
    let name = record.spec.as_ref().map(|spec| text::name(&spec.name));
    name.filter(|name| !name.is_empty())
        .unwrap_or_else(|| "run".to_owned())
}

/// The verdict, what follows from it, and the data.
pub(super) fn head(digest: &Digest<'_>) -> Markup {
    let record = digest.record;
    let verdict = record.judgement.as_ref().map(|j| j.verdict);
    let class = match verdict {
        _ if record.refused.is_some() => "bad",
        Some(Word::Better) => "good",
        Some(Word::Worse) => "bad",
        _ => "",
    };
    let facts = facts(record);
    let next = words::next(digest);
    html! {
        header {
            p.over { "Fit of " (name(record)) }
            h1 class=(class) { (words::headline(record)) }
            @if let Some(beside) = words::beside_headline(record) { p { (sentence(&beside)) } }
            @if let Some(advice) = words::advice(record) { p { (sentence(&advice)) } }
            @if let Some(noise) = record.judgement.as_ref().and_then(words::noise) { p { (sentence(&noise)) } }
            @for warning in words::warnings(record) { p.warn { b { "Caution: " } (warning) "." } }
            @if let Some(counts) = words::counts(digest) { p { (sentence(&counts)) } }
            @if !facts.is_empty() { (pairs(&facts)) }
            @if !next.is_empty() {
                p { b { "Next: " } (next.join("; ")) "." }
            }
        }
    }
}

/// A sentence with a capital and a full stop.
pub(crate) fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(char::to_uppercase);
    first
        .into_iter()
        .flatten()
        .chain(letters)
        .chain(['.'])
        .collect()
}

/// What is known of the data.
pub(crate) fn facts(record: &RunRecord) -> Vec<(&'static str, String)> {
    let judgement = record.judgement.as_ref();
    let data = record.data.as_ref();
    let count = |count: Option<u64>| count.map(|count| count.to_string());
    let positions = match (record.positions_fitted, record.positions_held_out) {
        (Some(fitted), Some(held_out)) => Some(format!("{fitted} fitted, {held_out} held out")),
        (fitted, _) => count(fitted).or_else(|| count(data?.positions)),
    };
    let unknown = judgement.is_some_and(|j| j.games_known == Some(false));
    let games = count(data.and_then(|data| data.games)).filter(|_| !unknown);
    let all = [
        ("positions", positions),
        (
            "games",
            if unknown {
                Some("unknown".to_owned())
            } else {
                games
            },
        ),
        (
            "left out",
            count(data.and_then(|data| data.rejected).filter(|n| *n > 0)),
        ),
        (
            "E on the games fitted",
            judgement
                .and_then(|j| words::numbers(j.fitted.as_ref()?))
                .or_else(|| record.error.map(|error| text::error(Some(error)))),
        ),
        (
            "data",
            data.and_then(|data| data.fingerprint.as_deref())
                .map(text::name),
        ),
    ];
    all.into_iter()
        .filter_map(|(what, fact)| Some((what, fact?)))
        .collect()
}

/// Names with what they stand for.
pub(crate) fn pairs(pairs: &[(&str, String)]) -> Markup {
    html! { dl { @for (what, value) in pairs { div { dt { (what) } dd { (value) } } } } }
}

/// The settings of the run and how it ended.
pub(super) fn what_was_run(digest: &Digest<'_>) -> Option<Markup> {
    let record = digest.record;
    let count = |count: Option<u64>| count.map(|count| count.to_string());
    let rounding = record.rounding.as_ref().and_then(|rounding| {
        let cost = 1e6 * (rounding.error? - rounding.error_before?);
        let by = rounding.by.as_deref().map(text::name).unwrap_or_default();
        Some(format!(
            "by {by}; cost {} millionths of the objective",
            text::signed(cost)
        ))
    });
    let target = record.target.as_ref().and_then(|target| {
        let (lambda, k) = (target.lambda?, target.score_k);
        Some(format!(
            "{} of the result, the rest of the score at K {}",
            text::number(lambda),
            text::maybe(k)
        ))
    });
    let anchor = record.anchor.as_ref();
    let clusters = record
        .judgement
        .as_ref()
        .and_then(|j| j.clusters)
        .filter(|n| *n > 0);
    let all = [
        (
            "spec",
            record
                .spec
                .as_ref()
                .map(|spec| text::name(&format!("{} ({})", spec.name, spec.hash))),
        ),
        ("loss", record.loss.as_deref().map(text::name)),
        ("scaling constant K", record.k.map(|k| format!("{k:.4}"))),
        ("target", target),
        (
            "positions weighted by",
            record.weigh.as_deref().map(text::name),
        ),
        ("prior", prior(record)),
        (
            "anchor",
            anchor.map(|a| text::name(&format!("{} = {}", a.weight, text::maybe(a.value)))),
        ),
        ("iterations", count(record.iterations)),
        ("passes over the data", count(record.passes)),
        ("seconds", record.seconds.map(text::number)),
        (
            "ended by",
            record
                .termination()
                .map(|word| text::name(word).replace('-', " ")),
        ),
        ("rounding", rounding),
        ("clusters of games behind standard errors", count(clusters)),
        (
            "read again for every pass",
            record
                .data
                .as_ref()
                .and_then(|data| data.streamed)
                .map(|streamed| if streamed { "yes" } else { "no" }.to_owned()),
        ),
    ];
    let known: Vec<(&str, String)> = (all.into_iter())
        .filter_map(|(what, value)| Some((what, value?)))
        .collect();
    (!known.is_empty()).then(|| pairs(&known))
}

/// The prior in a few words.
pub(crate) fn prior(record: &RunRecord) -> Option<String> {
    let choice = record.prior_choice.as_ref();
    if choice.is_some_and(|choice| !choice.groups.is_empty()) {
        return Some("one deviation a parameter, by evidence".to_owned());
    }
    let how = if choice.is_some() {
        ", by validation"
    } else {
        ""
    };
    let deviation = record.prior?;
    Some(format!("deviation {}{how}", text::number(deviation)))
}
