//! The sentences of a run, for pages and terminal alike; those of its judgement are the
//! judge's.

use crate::text;
use tuner_base::joined;
use tuner_judge::{Advice, FitVerdict, NoiseShare};
use tuner_record::{ChosenPrior, RunRecord};
use tuner_solve::Termination;

/// Returns sentences of a record, each of at most 600 characters, without characters that a page or
/// a terminal would act on.
fn clean<'a>(sentences: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let sentences = sentences.into_iter();
    sentences.map(|sentence| text::sentence(sentence)).collect()
}

/// Returns the verdict in one line with the numbers behind it: that of the fast games at the end of
/// the fit, where the new weights lost them and were refused, else that of the held-out errors.
pub(crate) fn headline(record: &RunRecord) -> String {
    match (&record.refused, &record.fast_games) {
        (Some(_), Some(games)) => {
            format!("keep the weights before: {}", text::sentence(&games.words))
        }
        _ => record.judgement.headline(),
    }
}

/// Returns the sentences below the headline, without those that do not exist: the second verdict,
/// and what follows. Where fast games refused the weights their verdict is the headline, and the
/// second one is that of the held-out errors; else the second one is that of the games.
pub(crate) fn below_headline(record: &RunRecord) -> Vec<String> {
    let judgement = &record.judgement;
    let beside = (record.fast_games.as_ref()).map(|games| match record.refused {
        Some(_) => judgement.headline(),
        None => games.words.clone(),
    });
    let advice = record.refused.as_ref().or(judgement.advice.as_ref());
    clean(beside.iter().chain(advice))
}

/// How much of the gain on the games fitted is noise, in a sentence; `None` where that is not
/// known.
pub(crate) fn noise(record: &RunRecord) -> Option<String> {
    let noise = record.judgement.noise.as_ref();
    noise.and_then(NoiseShare::sentence)
}

/// Returns a line on the descent: the error on the games fitted before and after, of how many
/// positions, in how many iterations and seconds, and how the fit ended.
pub(crate) fn descent(record: &RunRecord) -> String {
    let end = if record.termination.is_optimum() {
        "optimum".to_owned()
    } else {
        record.termination.to_string()
    };
    format!(
        "E {:.8} → {:.8} on {} positions, {}, {:.1} s, {end}",
        record.solver.summary.initial_error,
        record.error,
        record.positions_fitted,
        tuner_base::counted(record.iterations, "iteration"),
        record.seconds
    )
}

/// What makes the numbers less than they look, a sentence each; empty where nothing does.
pub(crate) fn warnings(record: &RunRecord) -> Vec<String> {
    clean(&record.judgement.warnings())
}

/// How many weights changed, and what to do with them, a sentence each.
pub(crate) fn findings(record: &RunRecord) -> Vec<String> {
    clean(&record.judgement.findings())
}

/// What to run next, the most useful first: what the end of the fit, the verdict, games without ids
/// and parameters that could be dropped ask for.
pub(crate) fn next(record: &RunRecord) -> Vec<String> {
    let mut next = Vec::new();
    if record.termination == Termination::IterationLimit {
        next.push(
            "`tuner fit --resume` with a higher --max-iterations: the fit ended at its limit"
                .to_owned(),
        );
    }
    let by_evidence = matches!(record.prior_choice, Some(ChosenPrior::Evidence(_)));
    let judgement = &record.judgement;
    match judgement.verdict {
        // What to do is in the reason why the weights were refused.
        _ if record.refused.is_some() => {}
        FitVerdict::Better => {
            let (what, nodes) = match &record.fast_games {
                None => ("games tell whether they win", ""),
                Some(_) => (
                    "games of longer searches may end otherwise",
                    " --nodes 5000",
                ),
            };
            next.push(format!(
                "{what}: build the engine with these weights, and play it against the one before, \
                 `tuner match ./new ./old{nodes}`"
            ));
        }
        FitVerdict::Worse | FitVerdict::WithinNoise => {
            if !by_evidence {
                next.push("`tuner fit --prior evidence`: a prior that the data choose".to_owned());
            }
            next.push("fit on more games".to_owned());
        }
        // The advice of the judgement says what follows.
        FitVerdict::Predicted => {}
        FitVerdict::NotJudged if judgement.game_by_game => {
            next.push("fit on games, or positions with the ids of their games".to_owned());
        }
        FitVerdict::NotJudged => {
            next.push("`tuner fit --held-out 0.1`: a tenth of the games to judge by".to_owned());
        }
    }
    if !judgement.games_known {
        next.push("give each position the id of its game, so that errors are right".to_owned());
    }
    let drop = (judgement.groups.iter()).filter(|group| group.advice == Some(Advice::Drop));
    let drop: Vec<String> = drop.map(|group| text::name(&group.name)).collect();
    if !drop.is_empty() {
        let dots = if drop.len() > 5 { ", …" } else { "" };
        let names = joined(drop.iter().take(5), ", ");
        next.push(format!(
            "fit without what is as good as 0, and see whether E rises: {names}{dots}"
        ));
    }
    next
}
