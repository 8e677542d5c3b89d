//! The head of a page, and what was run.

use maud::{Markup, Render, html};

use super::Facts;
use crate::text;
use crate::words;
use tuner_judge::FitVerdict;
use tuner_record::{ChosenPrior, DataFileRecord, RunRecord};

/// The title of the page: what was fitted, and the verdict.
pub(super) fn title(record: &RunRecord) -> String {
    match &record.refused {
        Some(_) => format!("{}: keep the weights before", name(record)),
        None => format!("{}: {}", name(record), record.verdict),
    }
}

/// The name of what was fitted: that of the spec, or `run` where there is none.
pub(crate) fn name(record: &RunRecord) -> String {
    let name = record.spec.as_ref().map(|spec| text::name(&spec.name));
    name.filter(|name| !name.is_empty())
        .unwrap_or_else(|| "run".to_owned())
}

/// The verdict, what follows from it, and the data.
pub(super) fn head(record: &RunRecord) -> Markup {
    let class = match record.verdict {
        _ if record.refused.is_some() => "bad",
        FitVerdict::Better => "good",
        FitVerdict::Worse => "bad",
        FitVerdict::WithinNoise | FitVerdict::NotJudged | FitVerdict::Predicted => "",
    };
    let next = words::next(record);
    html! {
        p.over { "Fit of " (name(record)) }
        h1 class=(class) { (words::headline(record)) }
        @for words in words::below_headline(record).iter().chain(&words::noise(record)) { p { (sentence(words)) } }
        @for warning in words::warnings(record) { p.warn { b { "Caution: " } (warning) "." } }
        @for finding in words::findings(record) { p { (sentence(&finding)) } }
        (facts(record))
        (provenance(record))
        @if !next.is_empty() {
            p { b { "Next: " } (next.join("; ")) "." }
        }
    }
}

/// Words that begin small and end without a stop, as a sentence of a page.
pub(crate) fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(['.']).collect()
}

/// What is known of the data: positions, games, what was left out, and E on the games fitted.
pub(crate) fn facts(record: &RunRecord) -> Facts<'static> {
    let (data, judgement) = (&record.data, &record.judgement);
    let positions = match (record.positions_fitted, record.positions_held_out) {
        (fitted, 0) => fitted.to_string(),
        (fitted, held_out) => format!("{fitted} fitted, {held_out} held out"),
    };
    let games = judgement.games_known.then(|| games(record));
    // E before and after with the difference; where the judge has none, E after the fit alone.
    let fitted = judgement.fitted.map(|fitted| fitted.to_string());
    Facts::default()
        .fact("positions", positions)
        .fact("games", games.as_deref().unwrap_or("unknown"))
        .fact("left out", Some(data.rejected).filter(|count| *count > 0))
        .fact(
            "E on the games fitted",
            fitted.unwrap_or_else(|| text::error(record.error)),
        )
}

/// Says the number of games by the profile of the data, and also that of the fit where it is less:
/// rows have only 32 bits of the ids of games, so two games may count as one.
fn games(record: &RunRecord) -> String {
    let taken = record.data.games;
    let profile = record.examined.profile.as_ref();
    match profile.and_then(|profile| profile.games) {
        Some(all) if all > taken as u64 => {
            format!("{all}; {taken} to the fit, as two of one 32-bit number count as one")
        }
        _ => taken.to_string(),
    }
}

/// Where the numbers come from: command, version and date, and the files of the data.
fn provenance(record: &RunRecord) -> Markup {
    let data = &record.data;
    let is_typed = !record.command.is_empty();
    html! {
        p.note.names {
            @if is_typed { code { "tuner " (text::sentence(&record.command)) } ", version " (text::name(&record.tuner)) ". " }
            @if !record.date.is_empty() { (text::name(&record.date)) " UTC. " }
            @if !data.files.is_empty() { "Data: " (text::sentence(&files(&data.files))) " (fingerprint " (text::name(&data.fingerprint)) "). " }
            @if let Some(sources) = &record.sources { "Weighed " (text::sentence(&sources.to_string())) "." }
        }
    }
}

/// Most files that the head names; the summary has all.
const FILES: usize = 8;

/// Names the files of the data with their counts of positions, [`FILES`] at most, and says how many
/// more there are. A file that was read several times is named once.
fn files(files: &[DataFileRecord]) -> String {
    let first = |(at, file): &(usize, &DataFileRecord)| !files[..*at].contains(file);
    let said = |(_, file): (usize, &DataFileRecord)| {
        let positions = file.positions;
        let positions = positions.map(|count| text::counted(count as usize, "position"));
        let rejected = file.rejected.filter(|count| *count > 0);
        let times = files.iter().filter(|other| *other == file).count();
        let facts = [
            positions,
            rejected.map(|count| format!("{count} rejected")),
            (times > 1).then(|| format!("read {times} times")),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        if facts.is_empty() {
            file.name.clone()
        } else {
            format!("{} ({})", file.name, facts.join(", "))
        }
    };
    let said = files.iter().enumerate().filter(first).map(said);
    let mut said: Vec<String> = said.collect();
    if said.len() > FILES {
        let more = said.split_off(FILES).len();
        said.push(format!("and {}", text::counted(more, "more file")));
    }
    said.join(", ")
}

/// The settings of the run and how it ended.
pub(super) fn what_was_run(record: &RunRecord) -> Markup {
    let spec = record.spec.as_ref();
    let rounding = record.rounding.as_ref().map(|rounding| {
        let cost = text::signed(1e6 * (rounding.error - rounding.error_before));
        format!(
            "by {}; cost {cost} millionths of the objective",
            rounding.by
        )
    });
    let target = record.target.map(|target| {
        let (lambda, k) = (text::number(target.lambda), text::number(target.score_k));
        format!("{lambda} of the result, the rest of the score at K {k}")
    });
    let anchor = record.anchor.as_ref();
    let anchor = anchor.map(|a| text::name(&format!("{} = {}", a.weight, text::number(a.value))));
    let clusters = Some(record.judgement.clusters).filter(|clusters| *clusters > 0);
    let streamed = if record.data.streamed { "yes" } else { "no" };
    let spec = spec.map(|spec| text::name(&format!("{} ({})", spec.name, spec.hash)));
    let facts = Facts::default()
        .fact("spec", spec)
        .fact("loss", text::name(&record.loss))
        .fact("scaling constant K", format!("{:.4}", record.k))
        .fact("target", target)
        .fact("positions weighted by", text::name(&record.weigh))
        .fact("prior", prior(record))
        .fact("anchor", anchor)
        .fact("iterations", record.iterations)
        .fact("passes over the data", record.passes)
        .fact("seconds", text::number(record.seconds))
        .fact("ended by", text::sentence(&record.termination.to_string()))
        .fact("rounding", rounding)
        .fact("clusters of games behind standard errors", clusters)
        .fact("read again for every pass", streamed);
    facts.render()
}

/// The prior in a few words; `None` where there is none.
pub(crate) fn prior(record: &RunRecord) -> Option<String> {
    let how = match record.prior_choice {
        Some(ChosenPrior::Evidence(_)) => {
            return Some("one deviation a parameter, by evidence".to_owned());
        }
        Some(ChosenPrior::Validation(_)) => ", by validation",
        None => "",
    };
    let deviation = record.prior?;
    Some(format!("deviation {}{how}", text::number(deviation)))
}
