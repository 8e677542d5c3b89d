//! What terms are worth in games: the weights without each of them, all others fitted again,
//! against the weights with it.

use std::ops::ControlFlow;

use super::subject::EngineSubject;
use crate::games::{Builds, GamesProgress, fast_config, no_games, node_time};
use crate::weights::on_grid;
use crate::{Failure, GamesStanding, Job, NamedSet};
use tuner_fit::run::FinishedRun;
use tuner_judge::Ablation;
use tuner_play::MatchTexts;
use tuner_record::{TermRecord, TermWorth};
use tuner_tournament::{Frequencies as _, Tally};

/// Pairs that a term is given at once. Chosen: a term that wins much is decided by some.
const ROUND: u64 = 50;

/// A term that surely wins less Elo than this is not missed. Chosen: half of what an author tests
/// a change for.
const LITTLE: f64 = 5.0;

/// Plays fits without a term against the fit with all of them, so many games a term on average:
/// those that are not decided share what the others leave.
pub(super) fn play(
    job: &Job,
    subject: &EngineSubject<'_>,
    run: &FinishedRun<'_>,
    ablations: &[Ablation],
    games: u64,
    depth: Option<u32>,
) -> Result<Vec<TermRecord>, Failure> {
    let Some(arena) = &subject.arena else {
        let is_rust = subject.project.evaluation()?.weights().is_rust();
        misuse!("--ablate-games: {}", no_games(is_rust));
    };
    let linked = subject.linked;
    let settings = [fast_config(depth).settings(
        arena.game()?,
        arena.is_seeing()?,
        0,
        MatchTexts::default(),
    )?];
    let with = NamedSet::of("the fit", run.fit.written.clone());
    let reduction = &run.variables.reduction;
    let mut terms = Vec::new();
    for ablation in ablations {
        let without = NamedSet::of(&ablation.group, on_grid(reduction, &ablation.weights));
        let players = arena.pairs(job, &settings, &[&without, &with], linked)??;
        terms.push((ablation, players, Tally::default()));
    }
    let mut left = games.div_ceil(2) * terms.len() as u64;
    let all = 2 * left;
    let progress = GamesProgress::new(job, all, 0);
    job.say(format_args!(
        "at most {all} games, {} at a time, for the parameter that has had fewest of those that \
         are not decided",
        2 * ROUND.min(left)
    ));
    while left > 0 && !job.is_interrupted_anywhere() {
        let open = terms
            .iter_mut()
            .filter(|(_, _, tally)| worth(tally).is_none());
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
        if tally.pairs.pairs() < begun + now {
            break;
        }
    }
    let terms: Vec<_> = (terms.into_iter())
        .map(|(ablation, _, tally)| (ablation, tally))
        .collect();
    let builds = builds_of(subject)?;
    let mut records = Vec::new();
    for (ablation, tally) in terms {
        let worth = worth(&tally);
        let timed = builds.as_ref().filter(|_| worth != Some(TermWorth::Needed));
        let without = NamedSet::of(&ablation.group, on_grid(reduction, &ablation.weights));
        let timed = timed.map(|builds| node_time(job, builds, [&without, &with]));
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

/// The engine itself, where weights are part of what is compiled.
fn builds_of<'a>(subject: &EngineSubject<'a>) -> Result<Option<Builds<'a>>, Failure> {
    let engine = subject.project.file.engine.as_ref();
    let engine = engine.filter(|engine| engine.weights_option.is_none());
    engine
        .map(|engine| Builds::new(subject.project, subject.linked, engine))
        .transpose()
}

/// What the games say of a term, where they say something: without it they are surely lost, or
/// lost by little at most.
fn worth(tally: &Tally) -> Option<TermWorth> {
    let (low, high) = tally.pairs.interval()?;
    if high < 0.0 {
        Some(TermWorth::Needed)
    } else if low > -LITTLE {
        Some(TermWorth::NotMissed)
    } else {
        None
    }
}
