//! Whether an evaluation keeps what it computed at other weights: a decision, an index, a score.
//!
//! Two programs begin with other weights each and are then set to those of the other one. Scores
//! at the same weights must be the same in both.

use std::collections::HashSet;

use serde::Serialize;

use crate::rebuild::fewest;
use crate::{Failure, Job, NamedSet, Project};
use tuner_base::Fingerprint;
use tuner_engine::{Evaluation, LinkedSpec, some_names};

/// How often weights nearer to those of the source are tried where no score can be compared, as
/// numbers overflow.
const NEARER: u32 = 4;

/// Scores of two programs at the same weights, which one of them has had from its start.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct KeptSummary {
    /// Scores of both that could be compared.
    pub scores: u64,
    /// Those that differ.
    pub wrong: u64,
    /// The position of the first of them, its score from the start and the other one.
    pub first: Option<(String, [f64; 2])>,
    /// The parameters whose change alone makes them differ: mostly one.
    pub parameters: Vec<String>,
}

/// Compares on these positions, and says where scores differ; `None` where there is no program
/// that can be started once more.
///
/// # Errors
/// If the evaluator cannot be asked any further.
pub(crate) fn compare_kept(
    job: &Job,
    project: &Project,
    linked: &LinkedSpec,
    positions: &[String],
) -> Result<Option<KeptSummary>, Failure> {
    let evaluation = project.evaluation()?;
    let layout = linked.spec.layout();
    let names: Vec<&str> = layout.parameters().iter().map(|p| p.name()).collect();
    for nearer in 0..NEARER {
        let compared = |names: &[&str]| {
            let values = [false, true].map(|up| far(linked, names, up, nearer));
            compared(evaluation, &values, positions)
        };
        let Some(mut found) = compared(&names)? else {
            return Ok(None);
        };
        if found.scores == 0 {
            continue;
        }
        if let Some((position, [begun, set])) = &found.first {
            let differs = |some: &[&str]| Ok(compared(some)?.is_some_and(|found| found.wrong > 0));
            let parameters = fewest(names, differs)?.into_iter().map(str::to_owned);
            found.parameters = parameters.collect();
            job.say(format_args!(
                "kept: {} of {} scores depend on the weights that were in force before, first {begun} \
                 where the evaluator begins with some weights and {set} where they are set later: \
                 {position}\n  it takes the change of {} alone: something is computed from weights \
                 once and kept, as a `static` of a function, a variable that is computed before \
                 the first question, or a cache of scores is; compute it each time, in C++ in \
                 `derive` if it is a table",
                found.wrong,
                found.scores,
                some_names(found.parameters.iter().cloned())
            ));
        }
        return Ok(Some(found));
    }
    Ok(Some(KeptSummary::default()))
}

/// `None` where there is no program to start.
fn compared(
    evaluation: &Evaluation,
    values: &[Vec<f64>; 2],
    positions: &[String],
) -> Result<Option<KeptSummary>, Failure> {
    // The scores at both, of a program that begins with one of them.
    let scores = |begun_with: usize| {
        let Some(begun) = evaluation.begun_with(&values[begun_with])? else {
            return Ok(None);
        };
        let mut scores = [const { Vec::new() }; 2];
        for at in [begun_with, 1 - begun_with] {
            // It may end, as where such a weight is an index.
            let asked = begun.scores(&values[at], positions).unwrap_or_default();
            scores[at] = asked
                .into_iter()
                .map(|score| Some(score.ok()?[0]))
                .collect();
        }
        Ok::<_, Failure>(Some(scores))
    };
    let (Some(first), Some(second)) = (scores(0)?, scores(1)?) else {
        return Ok(None);
    };
    let mut found = KeptSummary::default();
    let sets = [(0, &first[0], &second[0]), (1, &second[1], &first[1])];
    for (set, begun, later) in sets {
        let both = positions.iter().zip(begun).zip(later);
        let pairs = both.filter_map(|((text, begun), later)| Some((text, [(*begun)?, (*later)?])));
        let pairs: Vec<_> = pairs.collect();
        found.scores += pairs.len() as u64;
        let differ = |[a, b]: [f64; 2]| (a - b).abs() > 1e-9 * (1.0 + a.abs());
        if !pairs.iter().any(|&(_, pair)| differ(pair)) {
            continue;
        }
        // What reads beyond a table has another score each time.
        let again = scores(set)?.is_some_and(|again| again[set] == *begun);
        for (text, pair) in pairs.into_iter().filter(|&(_, pair)| again && differ(pair)) {
            found.wrong += 1;
            found.first.get_or_insert_with(|| (text.clone(), pair));
        }
    }
    Ok(Some(found))
}

/// Values by leaf number with weights of these parameters far below those of the source, or far
/// above, as far as their bounds go, so that no threshold is likely to be above or below both.
/// What is frozen stays, as does what is tied.
fn far(linked: &LinkedSpec, names: &[&str], up: bool, nearer: u32) -> Vec<f64> {
    let layout = linked.spec.layout();
    let mut set = NamedSet::of("check", linked.link.source_weights());
    let tied: HashSet<usize> = layout.ties().iter().map(|tie| tie.weight.index()).collect();
    for weight in layout.weight_ids() {
        let parameter = layout.parameter_of(weight);
        let is_fixed = layout.frozen(weight) || tied.contains(&weight.index());
        if is_fixed || !names.contains(&parameter.name()) {
            continue;
        }
        let Some(count) = parameter.step.count(set.weights[weight.index()]) else {
            continue;
        };
        let drawn = Fingerprint::of_bytes(layout.name(weight).as_bytes()) % 32;
        let farthest = count.abs() * 2 + 16 + drawn as i64;
        let (low, high) = layout.bounds(weight);
        let mut moved = (nearer..i64::BITS).map(|by| {
            let by = farthest >> by;
            parameter
                .step
                .value(if up { count + by } else { count - by })
        });
        if let Some(value) = moved.find(|value| (low..=high).contains(value)) {
            set.weights[weight.index()] = value;
        }
    }
    set.values(linked)
}
