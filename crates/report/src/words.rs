//! The sentences of a run, for pages and terminal alike.

use crate::digest::{Counts, Digest, finite};
use crate::record::{DifferenceRecord, JudgementRecord, RunRecord, Word};
use crate::text;

/// What is said of the new weights.
pub(crate) const fn verdict(word: Word) -> &'static str {
    match word {
        Word::Better => "better than before",
        Word::WithinNoise => "within noise of before",
        Word::Worse => "worse than before",
        _ => "not judged",
    }
}

/// The word of a record, for a cell of a table.
pub(crate) const fn word(word: Word) -> &'static str {
    match word {
        Word::Keep => "keep",
        Word::Unclear => "unclear",
        Word::Drop => "drop",
        Word::Fitted => "fitted",
        Word::Frozen => "frozen",
        Word::Unseen => "unseen",
        Word::Separated => "separated",
        Word::AtBound => "at a bound",
        _ => "–",
    }
}

/// The verdict of games, or else of errors, in one line with the numbers behind it.
pub(crate) fn headline(record: &RunRecord) -> String {
    match (&record.refused, &record.fast_games) {
        (Some(_), Some(games)) => {
            format!("keep the weights before: {}", text::sentence(&games.words))
        }
        _ => by_errors(record),
    }
}

/// What the headline leaves unsaid: of games and errors the other ones.
pub(crate) fn beside_headline(record: &RunRecord) -> Option<String> {
    let games = record.fast_games.as_ref()?;
    Some(match record.refused {
        Some(_) => by_errors(record),
        None => text::sentence(&games.words),
    })
}

/// The verdict of errors.
fn by_errors(record: &RunRecord) -> String {
    let Some(judgement) = &record.judgement else {
        return "not judged: the record says nothing of what to make of the weights".to_owned();
    };
    let said = verdict(judgement.verdict);
    match judgement.held_out.as_ref().and_then(numbers) {
        Some(numbers) if judgement.games_known == Some(false) => {
            let of = " positions, perhaps of games that were fitted)";
            format!("{said}: held-out E {}", numbers.replace(" games)", of))
        }
        Some(numbers) => format!("{said}: held-out E {numbers}"),
        None if judgement.verdict == Word::NotJudged => {
            let one = judgement.held_out.as_ref().and_then(|of| of.games) == Some(1);
            let games = if one {
                "one game was held out, which is too few"
            } else {
                "no games were held out"
            };
            format!("not judged: {games} to judge by")
        }
        None => said.to_owned(),
    }
}

/// Two errors, their difference and the games behind it; nothing below two games.
pub(crate) fn numbers(difference: &DifferenceRecord) -> Option<String> {
    let games = difference.games.filter(|games| *games >= 2)?;
    let (before, after) = (finite(difference.before)?, finite(difference.after)?);
    let change = finite(difference.difference).unwrap_or(after - before);
    let error = finite(difference.standard_error)
        .map_or_else(String::new, |error| format!(" ± {error:.6}"));
    Some(format!(
        "{before:.6} → {after:.6}, {change:+.6}{error} ({games} games)"
    ))
}

/// How much of the gain is noise.
pub(crate) fn noise(judgement: &JudgementRecord) -> Option<String> {
    let noise = judgement.noise.as_ref()?;
    let percent = |part: f64| format!("{:.0} %", 100.0 * part);
    let mut parts = Vec::new();
    if let Some(share) = finite(noise.observed) {
        let error = finite(noise.observed_error);
        let error = error.map_or_else(String::new, |error| format!(" ± {}", percent(error)));
        parts.push(format!("{}{error} by the held-out games", percent(share)));
    }
    if let Some(share) = finite(noise.predicted) {
        parts.push(format!("{} predicted", percent(share)));
    }
    (!parts.is_empty()).then(|| {
        format!(
            "noise in the gain on the games fitted: {}",
            parts.join(", ")
        )
    })
}

/// What makes the numbers less than they look.
pub(crate) fn warnings(record: &RunRecord) -> Vec<String> {
    let mut warnings = Vec::new();
    let Some(judgement) = &record.judgement else {
        return warnings;
    };
    if judgement.game_by_game {
        warnings.push(
            "positions come game by game without the ids of their games, so those held out are of \
             games that were fitted too"
                .to_owned(),
        );
    } else if judgement.games_known == Some(false) {
        warnings.push(
            "the games are unknown: each position counts as one, and errors are too small"
                .to_owned(),
        );
    }
    if let Some(reason) = &judgement.without_errors {
        let reason = text::sentence(reason);
        warnings.push(format!("no standard errors: {reason}"));
    }
    if judgement.approximate_curvature == Some(true) {
        warnings.push(
            "standard errors are by the curvature of Gauss and Newton, as the exact one is not \
             that of a minimum"
                .to_owned(),
        );
    }
    warnings
}

/// What follows from the verdict, in the words of the judge; older records have
/// none.
pub(crate) fn advice(record: &RunRecord) -> Option<String> {
    let judged = record.judgement.as_ref();
    let advice = judged.and_then(|judgement| judgement.advice.as_deref());
    Some(text::sentence(record.refused.as_deref().or(advice)?))
}

/// How many weights changed, and what to do with them.
pub(crate) fn counts(digest: &Digest<'_>) -> Option<String> {
    let counts = Counts::of(&digest.weights);
    let Counts {
        weights,
        moved,
        changed,
        keep,
        unclear,
        drop,
    } = counts;
    if weights == 0 {
        return None;
    }
    let of = text::counted(weights, "weight");
    let against = Counts::of_contrasts(&digest.weights);
    let against_mean = if against.weights > 0 {
        format!(
            "; against the mean of their table {} of {} entries changed for sure, keep {}, unclear {}, drop {}",
            against.changed, against.weights, against.keep, against.unclear, against.drop
        )
    } else {
        String::new()
    };
    Some(if counts.is_advised() {
        format!(
            "{changed} of {of} changed for sure, {moved} have new values; keep {keep}, unclear {unclear}, \
             drop {drop}{against_mean}"
        )
    } else {
        format!("{moved} of {of} have new values")
    })
}

/// What the data leave open, a sentence each, with the names.
pub(crate) fn open(digest: &Digest<'_>) -> Vec<(String, Vec<String>)> {
    let mut open = Vec::new();
    for (status, why) in [
        (
            Word::Unseen,
            "unseen: no position of the games fitted reads them",
        ),
        (
            Word::Separated,
            "separated: every position with them has the same result, so they were pinned",
        ),
        (
            Word::AtBound,
            "at a bound that the error pushes against: without it they would go further",
        ),
    ] {
        let names = digest.names_of(status);
        if !names.is_empty() {
            open.push((
                format!("{} {why}", text::counted(names.len(), "weight")),
                names,
            ));
        }
    }
    open
}

/// What the prior or the start decides, as the data do not.
pub(crate) fn undetermined(record: &RunRecord) -> Option<String> {
    let count = record.solver.undetermined.filter(|count| *count > 0)?;
    Some(format!(
        "{} of weights that the data do not determine; there the prior decides, or the start",
        text::counted(count as usize, "direction")
    ))
}

/// What to run next, the most useful first.
pub(crate) fn next(digest: &Digest<'_>) -> Vec<String> {
    let record = digest.record;
    let mut next = Vec::new();
    if record.termination() == Some("iteration-limit") {
        next.push(
            "fit --resume with a higher --max-iterations: the fit ended at its limit".to_owned(),
        );
    }
    let by_evidence = (record.prior_choice.as_ref())
        .is_some_and(|choice| choice.by.as_deref() == Some("evidence"));
    let verdict = record.judgement.as_ref().map(|j| j.verdict);
    match verdict {
        // What follows is in why.
        _ if record.refused.is_some() => {}
        Some(Word::Better) => next.push(
            "match weights.txt OLD --sprt 0,10: the new weights against the old ones".to_owned(),
        ),
        Some(Word::Worse | Word::WithinNoise) => {
            if !by_evidence {
                next.push("fit --prior evidence: a prior that the data choose".to_owned());
            }
            next.push("fit on more games".to_owned());
        }
        Some(Word::NotJudged) if record.judgement.as_ref().is_some_and(|j| j.game_by_game) => {
            next.push("fit on games, or positions with the ids of their games".to_owned());
        }
        Some(Word::NotJudged) => {
            next.push("fit --held-out 0.1: a tenth of the games to judge by".to_owned());
        }
        _ => {}
    }
    if record.judgement.as_ref().and_then(|j| j.games_known) == Some(false) {
        next.push("give each position the id of its game, so that errors are right".to_owned());
    }
    let groups = record.judgement.iter().flat_map(|j| &j.groups);
    let drop: Vec<String> = groups
        .filter(|group| group.advice == Some(Word::Drop))
        .map(|group| text::name(&group.name))
        .collect();
    if !drop.is_empty() {
        let (shown, dots) = (drop.iter().take(5), if drop.len() > 5 { ", …" } else { "" });
        let names = shown.cloned().collect::<Vec<_>>().join(", ");
        next.push(format!(
            "fit without what is as good as 0, and see whether E rises: {names}{dots}"
        ));
    }
    next
}
