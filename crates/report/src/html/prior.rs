//! What the prior decides, and what nothing does.

use maud::{Markup, html};

use super::picture::share;
use super::{List, ROWS, folded, left_out};
use crate::text;
use tuner_base::joined;
use tuner_record::{ChosenPrior, EvidencePrior, RunRecord, Strength};

/// The prior, and how it was chosen; `None` where there is none.
pub(super) fn prior(record: &RunRecord) -> Option<Markup> {
    match &record.prior_choice {
        Some(ChosenPrior::Evidence(evidence)) => Some(by_evidence(evidence)),
        Some(ChosenPrior::Validation(strength)) => Some(by_validation(strength)),
        None => record.prior.map(|deviation| {
            html! { p { "Standard deviation " (text::number(deviation)) " around the old weights, for all weights." } }
        }),
    }
}

/// The deviation of each parameter by the evidence, and how many of its weights the data determine.
fn by_evidence(evidence: &EvidencePrior) -> Markup {
    let (groups, declared_scale) = (&evidence.groups, evidence.declared_scale);
    let total: f64 = groups.iter().map(|group| group.determined).sum();
    let weights: usize = groups.iter().map(|group| group.weights).sum();
    let groups = List::first_of(groups, "parameters")
        .column("parameter", |group| text::name(&group.name))
        .column("deviation", |group| text::number(group.deviation))
        .column("determined by the data", |group| {
            format!("{:.1} of {}", group.determined, group.weights)
        })
        .column("part", |group| {
            share(group.determined / group.weights.max(1) as f64)
        });
    html! {
        p { "One standard deviation a parameter, by the evidence. Of " (weights) " weights the data determine "
            (format!("{total:.0}")) "; the prior keeps the others near where they were." }
        @if declared_scale < 1.0 {
            p { "Those that the spec declares are multiplied by " (text::number(declared_scale)) ": these games ask for smaller changes." }
        }
        (groups)
        @for pool in &evidence.pools {
            p { "Entries of " (text::name(&pool.name)) " differ from their common mean by a standard deviation of "
                (text::number(pool.deviation)) ": the data determine " (format!("{:.1}", pool.determined)) " of "
                (pool.weights) " such differences." }
        }
    }
}

/// The deviations that were tried, and their errors on held-out games; the one with the mark was
/// chosen.
fn by_validation(strength: &Strength) -> Markup {
    let tried = &strength.tried;
    let tried = List::of(&tried[..tried.len().min(ROWS)])
        .column("deviation", |trial| text::number(trial.deviation))
        .column("held-out E", |trial| {
            let error = Some(trial.error).filter(|error| error.is_finite());
            error.map(text::error)
        })
        .column(
            "",
            |trial| if strength.is_of(trial) { "chosen" } else { "" },
        );
    html! {
        p { "One standard deviation for all weights, by games that were fitted for the choice alone." }
        (tried)
    }
}

/// Number of sentences of a list that are shown without opening it.
const SHOWN: usize = 5;

/// A list of sentences.
fn sentences_of(list: &[String]) -> Markup {
    html! { ul { @for sentence in list { li { (text::sentence(sentence)) } } } }
}

/// Weights, and combinations of weights, that the data leave open, by the reason; `None` where
/// there are none.
pub(super) fn open(record: &RunRecord) -> Option<Markup> {
    let (open, undetermined) = (record.solver.open(), record.solver.undetermined());
    let judgement = &record.judgement;
    let sentences = [&judgement.undetermined, &judgement.correlated];
    let named = sentences.iter().any(|list| !list.is_empty());
    (named || !open.is_empty() || undetermined.is_some()).then(|| {
        html! {
            @if let Some(undetermined) = &undetermined { p { (undetermined) "." } }
            @for list in sentences {
                @if !list.is_empty() {
                    (sentences_of(&list[..list.len().min(SHOWN)]))
                    @if list.len() > SHOWN {
                        (folded(&format!("{} more", list.len() - SHOWN), sentences_of(&list[SHOWN..list.len().min(ROWS)])))
                        (left_out(list.len(), "sentences"))
                    }
                }
            }
            @for weights in &open {
                p { (weights.sentence()) ":" }
                p.names { (joined(weights.names.iter().take(ROWS).map(|name| text::name(name)), ", ")) }
                (left_out(weights.names.len(), "names"))
            }
        }
    })
}
