//! What the prior decides, and what nothing does.

use maud::{Markup, html};

use super::picture::share;
use super::{ROWS, cell, left_out, table};
use crate::digest::{Digest, finite};
use crate::record::PriorChoiceRecord;
use crate::text;
use crate::words;

/// The prior, and how it was chosen.
pub(super) fn prior(digest: &Digest<'_>) -> Option<Markup> {
    let record = digest.record;
    let choice = record.prior_choice.as_ref();
    if record.prior.is_none() && choice.is_none() {
        return None;
    }
    Some(html! {
        @match (choice, finite(record.prior)) {
            (Some(choice), _) if !choice.groups.is_empty() => (by_evidence(choice)),
            (Some(choice), _) if !choice.tried.is_empty() => (by_validation(choice)),
            (_, Some(deviation)) => p { "Standard deviation " (text::number(deviation)) " around the old weights, for all weights." },
            _ => {}
        }
    })
}

fn by_evidence(choice: &PriorChoiceRecord) -> Markup {
    let total: f64 = choice
        .groups
        .iter()
        .filter_map(|g| finite(g.determined))
        .sum();
    let weights: u64 = choice.groups.iter().filter_map(|g| g.weights).sum();
    let rows: Vec<Vec<Markup>> = (choice.groups.iter().take(ROWS))
        .map(|group| {
            let (determined, count) = (finite(group.determined), group.weights.unwrap_or(0));
            let part = determined.map_or(0.0, |d| d / count.max(1) as f64);
            vec![
                cell(text::name(&group.name)),
                cell(text::maybe(group.deviation)),
                cell(format!(
                    "{} of {count}",
                    determined.map_or_else(|| "–".to_owned(), |d| format!("{d:.1}"))
                )),
                share(part),
            ]
        })
        .collect();
    html! {
        p { "One standard deviation a parameter, by the evidence. Of " (weights) " weights the data determine "
            (format!("{total:.0}")) "; the prior keeps the others near where they were." }
        @if let Some(scale) = finite(choice.declared_scale).filter(|&scale| scale < 1.0) {
            p { "Those that the spec declares are multiplied by " (text::number(scale)) ": these games ask for smaller changes." }
        }
        (table(&["parameter", "deviation", "determined by the data", "part"], &rows))
        (left_out(choice.groups.len(), "parameters", "in the order of the record"))
    }
}

fn by_validation(choice: &PriorChoiceRecord) -> Markup {
    let rows: Vec<Vec<Markup>> = (choice.tried.iter().take(ROWS))
        .map(|trial| {
            let is_chosen = trial.deviation.is_some() && trial.deviation == choice.deviation;
            vec![
                cell(text::maybe(trial.deviation)),
                cell(text::error(trial.held_out_error)),
                cell(if is_chosen { "chosen" } else { "" }),
            ]
        })
        .collect();
    html! {
        p { "One standard deviation for all weights, by games that were fitted for the choice alone." }
        (table(&["deviation", "held-out E", ""], &rows))
    }
}

/// Weights that the data leave open.
pub(super) fn open(digest: &Digest<'_>) -> Option<Markup> {
    let open = words::open(digest);
    let undetermined = words::undetermined(digest.record);
    let judgement = digest.record.judgement.as_ref();
    let sentences = judgement.map_or([&[][..]; 2], |judgement| {
        [&*judgement.undetermined, &*judgement.correlated]
    });
    let named = sentences.iter().any(|list| !list.is_empty());
    (named || !open.is_empty() || undetermined.is_some()).then(|| {
        html! {
            @if let Some(undetermined) = &undetermined { p { (undetermined) "." } }
            @for list in sentences {
                @if !list.is_empty() {
                    ul { @for sentence in list.iter().take(ROWS) { li { (text::sentence(sentence)) } } }
                    (left_out(list.len(), "sentences", "in the order of the record"))
                }
            }
            @for (sentence, names) in &open {
                p { (sentence) ":" }
                p.names { (names.iter().take(ROWS).cloned().collect::<Vec<_>>().join(", ")) }
                (left_out(names.len(), "names", "in the order of the record"))
            }
        }
    })
}
