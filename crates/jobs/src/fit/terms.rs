//! What terms are worth in games: the weights without each of them, all others fitted again,
//! against the weights with it.

use std::ops::ControlFlow;

use super::subject::EngineSubject;
use crate::games::{Builds, GamesProgress, no_games, node_time};
use crate::weights::on_grid;
use crate::{GamesStanding, Job, NamedSet, Result};
use tuner_fit::run::FinishedRun;
use tuner_judge::{Ablation, discoveries};
use tuner_record::{TermRecord, TermWorth};
use tuner_solve::Reduction;
use tuner_tournament::{Frequencies as _, Pentanomial, Tally};

/// Pairs of games that one term plays before the next term is chosen. Chosen: a term that wins much
/// is decided by some.
const ROUND: u64 = 50;

/// A term that surely wins less Elo than this is not missed. Chosen: half of what an author tests
/// a change for.
const LITTLE: f64 = 5.0;

/// A term whose games would be so rare by chance is decided before all are played. Chosen: they are
/// looked at after each round, so that at the level of one look chance would decide too.
const RARE: f64 = 1e-4;

/// Plays the fit without each term (a parameter of `--ablate`) against the fit with all of them,
/// `games` games a term on average, and returns what each is worth. Each turn plays `ROUND` (50)
/// pairs of the undecided term that has had fewest, so games that decided terms do not need are
/// played by the others. Where a term is not needed, the time of a node without it is measured. An
/// interruption ends the games; terms then have those that were played. `depth`: of the search for
/// a move; `None`: 100 positions a move.
pub(super) fn play(
    job: &Job,
    subject: &EngineSubject<'_>,
    run: &FinishedRun<'_>,
    ablations: &[Ablation],
    games: u64,
    depth: Option<u32>,
) -> Result<Vec<TermRecord>> {
    let Some(arena) = &subject.arena else {
        misuse!("--ablate-games: {}", no_games(subject.project.is_rust()));
    };
    let linked = subject.linked;
    let settings = [arena.fast_settings(depth)?];
    let with = NamedSet::of("the fit", run.fit.written.clone());
    let reduction = &run.variables.reduction;
    // Of each pair of sides the results of the first are counted: those of the fit without a term.
    let mut terms = Vec::new();
    for ablation in ablations {
        let without = NamedSet::of(&ablation.group, on_grid(reduction, &ablation.weights));
        let players = arena.pairs(job, &settings, &[&without, &with], linked)??;
        terms.push((ablation, players, Tally::default()));
    }
    // Pairs that are still to be played, of all terms.
    let mut left = games.div_ceil(2) * terms.len() as u64;
    let all = 2 * left;
    // `0`: these games are not resumed, so no earlier run has played some of them.
    let progress = GamesProgress::new(job, all, 0);
    job.say(format_args!(
        "at most {all} games, {} at a time, for the parameter that has had fewest of those that \
         are not decided",
        2 * ROUND.min(left)
    ));
    while left > 0 && !job.is_interrupted_anywhere() {
        let open = terms.iter_mut().filter(|term| is_open(&term.2.pairs));
        let Some((ablation, players, tally)) = open.min_by_key(|(_, _, tally)| tally.pairs.pairs())
        else {
            break;
        };
        let begun = tally.pairs.pairs();
        let now = ROUND.min(left);
        players.play(job, begun..begun + now, |_, pair| {
            tally.add_pair(&pair);
            left -= 1;
            progress.games(all - 2 * left, || format!(", without {}", ablation.group));
            Ok(ControlFlow::Continue(()))
        })?;
        // Fewer than asked for: the job is to end.
        if tally.pairs.pairs() < begun + now {
            break;
        }
    }
    let terms: Vec<_> = (terms.into_iter())
        .map(|(ablation, _, tally)| (ablation, tally))
        .collect();
    records(job, subject, reduction, &with, terms)
}

/// Returns what each term is worth by its games, and of a term that may not be needed also how much
/// faster or slower a node is without it, for which the engine is built without and with it.
/// That time is `None` if it cannot be measured, which the user is told, if the job is to end, or
/// if the engine has no builds of its own for each set of weights. `with`: the weights of the fit;
/// `terms`: the fits without each term, and the games that each of these played against `with`.
fn records(
    job: &Job,
    subject: &EngineSubject<'_>,
    reduction: &Reduction,
    with: &NamedSet,
    terms: Vec<(&Ablation, Tally)>,
) -> Result<Vec<TermRecord>> {
    let worths = worths(terms.iter().map(|(_, tally)| &tally.pairs));
    // Only where each set of weights is compiled into a build of its own: a build without a term
    // can be faster then.
    let engine = subject.project.file.engine.as_ref();
    let engine = engine.filter(|engine| engine.weights_option.is_none());
    let builds = engine.map(|engine| Builds::new(subject.project, subject.linked, engine));
    let builds = builds.transpose()?;
    let mut records = Vec::new();
    for ((ablation, tally), worth) in terms.into_iter().zip(worths) {
        let timed = builds.as_ref().filter(|_| worth != Some(TermWorth::Needed));
        let without = NamedSet::of(&ablation.group, on_grid(reduction, &ablation.weights));
        let timed = timed.map(|builds| node_time(job, builds, [&without, with]));
        let node_time = timed.transpose().unwrap_or_else(|failure| {
            let group = &ablation.group;
            job.say(format_args!(
                "the time of a node without {group} is not measured: {}",
                failure.words()
            ));
            None
        });
        records.push(TermRecord {
            group: ablation.group.clone(),
            worth,
            standing: GamesStanding::from(&tally).record(None),
            node_time: node_time.flatten(),
        });
    }
    Ok(records)
}

/// Returns two probabilities by which a term is judged, each twice that of one tail: of points as
/// low as these if the term won nothing, and of points as high as these if the term won `LITTLE`
/// (5) Elo. `None` without games. `pairs`: results of the weights without the term, so low points
/// say that the term is needed.
fn probabilities(pairs: &Pentanomial) -> Option<[f64; 2]> {
    let [nothing, little] = [pairs.as_low(0.0)?, 1.0 - pairs.as_low(-LITTLE)?];
    Some([2.0 * nothing, 2.0 * little])
}

/// Tells whether more games of a term are to be played: it has none, or neither of its two
/// probabilities, that it wins nothing or `LITTLE` (5) Elo, is as small as `RARE` (10⁻⁴).
/// `pairs`: results of the weights without the term.
fn is_open(pairs: &Pentanomial) -> bool {
    probabilities(pairs).is_none_or(|[nothing, little]| nothing.min(little) > RARE)
}

/// Returns what the games say of each term: that it is needed, as the weights without it lose; that
/// it is not missed, as they lose `LITTLE` (5) Elo at most; or neither (`None`). Among many terms
/// some would seem needed by chance, so the share of false findings among all is bounded, by
/// [`discoveries`].
fn worths<'a>(terms: impl Iterator<Item = &'a Pentanomial>) -> Vec<Option<TermWorth>> {
    let all: Vec<_> = terms.map(probabilities).collect();
    // Of all terms: which have a probability number `index` that is a discovery.
    let found = |index: usize| discoveries(all.iter().map(|term| Some(term.as_ref()?[index])));
    let each = found(0).into_iter().zip(found(1));
    let worth = |(needed, not_missed): (bool, bool)| match (needed, not_missed) {
        (true, _) => Some(TermWorth::Needed),
        (_, true) => Some(TermWorth::NotMissed),
        _ => None,
    };
    each.map(worth).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use rand::RngExt as _;
    use tuner_play::generator;

    /// Of sixty terms as those of an evaluation are, at most 5 % of those that are said to win
    /// games win nothing, and of those that could be left out 5 % win what is not little; on
    /// average, and though the games are looked at again and again. Sixty runs tell that from 15 %;
    /// where each look decided by an interval of 95 % it was nearly all.
    #[test]
    fn few_of_many_terms_are_decided_by_chance() {
        for (elos, least) in [
            ([0.0; 4], 0),
            ([-LITTLE; 4], 0),
            ([0.0, -5.0, -20.0, -60.0], 10),
        ] {
            let (mut wrong, mut found, runs) = ([0.0; 2], 0, 60);
            for run in 0..runs {
                let mut rng = generator(run, 0);
                let mut terms = vec![Pentanomial::default(); 60];
                for _ in 0..60 * 200 / ROUND {
                    let open = (0..60).filter(|&term| is_open(&terms[term]));
                    let Some(next) = open.min_by_key(|&term| terms[term].pairs()) else {
                        break;
                    };
                    let share = 1.0 / (1.0 + 10.0_f64.powf(-elos[next % 4] / 400.0));
                    for _ in 0..ROUND {
                        let points = [0; 2].map(|_| 2 * u8::from(rng.random_bool(share)));
                        terms[next].add(points);
                    }
                }
                let all = worths(terms.iter());
                for (kind, worth) in [TermWorth::Needed, TermWorth::NotMissed]
                    .into_iter()
                    .enumerate()
                {
                    let these = (0..60).filter(|&term| all[term] == Some(worth));
                    let is_wrong = |term: &usize| {
                        (elos[term % 4] >= 0.0) == (kind == 0)
                            && (kind == 0 || elos[term % 4] <= -LITTLE)
                    };
                    let all = these.clone().count();
                    found += all;
                    let share = these.filter(is_wrong).count() as f64 / all.max(1) as f64;
                    wrong[kind] += share / f64::from(runs as u32);
                }
            }
            assert!(
                wrong.iter().all(|share| *share <= 0.15),
                "{elos:?}: {wrong:?}"
            );
            assert!(found / runs as usize >= least, "{elos:?}: {found}");
        }
    }
}
