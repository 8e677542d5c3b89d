//! Whether an evaluation is the same for both players: a position and the one with the colours
//! swapped must have opposite scores.

use serde::Serialize;

use crate::{Failure, Job, Project};
use tuner_data::Perspective;
use tuner_engine::LinkedSpec;
use tuner_engine::examine::{WeightSet, compare, explain};

/// Scores of positions, and of those with the colours swapped.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MirrorSummary {
    /// Positions with a score of both.
    pub positions: u64,
    /// Those whose scores are not opposite.
    pub asymmetric: u64,
    /// The first of them.
    pub first: Option<AsymmetricPosition>,
}

/// A position whose score is not the opposite of that with the colours swapped.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AsymmetricPosition {
    /// The position and its mirror, in their notation.
    pub positions: [String; 2],
    /// The scores of both, as the evaluation returns them.
    pub scores: [f64; 2],
    /// The parameter whose shares, seen by the first player, are the least opposite, and these.
    pub parameter: Option<(String, [f64; 2])>,
}

/// Compares positions with their mirrors, and says where scores are not opposite; `None` where the
/// game has no mirrors.
///
/// # Errors
/// If the evaluator cannot be asked any further.
pub(crate) fn compare_mirrors(
    job: &Job,
    project: &Project,
    linked: &LinkedSpec,
    positions: &[String],
) -> Result<Option<MirrorSummary>, Failure> {
    let evaluation = project.evaluation()?;
    let game = evaluation.game();
    let mirrors: Option<Vec<String>> = positions.iter().map(|text| game.mirrored(text)).collect();
    let Some(mirrors) = mirrors else {
        return Ok(None);
    };
    let [scores, opposite] = [
        evaluation.scores(&[], positions)?,
        evaluation.scores(&[], &mirrors)?,
    ];
    let sign = match evaluation.perspective() {
        Perspective::SideToMove => 1.0,
        Perspective::FirstPlayer => -1.0,
    };
    let mut found = MirrorSummary::default();
    let both = positions.iter().zip(&mirrors);
    for (texts, scores) in both.zip(scores.into_iter().zip(opposite)) {
        let (Ok([score, _]), Ok([mirror, _])) = scores else {
            continue;
        };
        found.positions += 1;
        // Divisions of integers may round down.
        let are_whole = score.fract() == 0.0 && mirror.fract() == 0.0;
        let most = if are_whole {
            1.0
        } else {
            1e-6 * (1.0 + score.abs())
        };
        if (sign * mirror - score).abs() <= most {
            continue;
        }
        found.asymmetric += 1;
        found.first.get_or_insert_with(|| AsymmetricPosition {
            positions: [texts.0.clone(), texts.1.clone()],
            scores: [score, mirror],
            parameter: None,
        });
    }
    if let Some(first) = &mut found.first {
        first.parameter = parameter(project, linked, &first.positions)?;
        say(job, &found, sign);
    }
    Ok(Some(found))
}

/// Returns the parameter whose shares are the least opposite, where rows tell.
fn parameter(
    project: &Project,
    linked: &LinkedSpec,
    positions: &[String; 2],
) -> Result<Option<(String, [f64; 2])>, Failure> {
    let evaluation = project.evaluation()?;
    let at = WeightSet::new(linked, linked.link.source_weights());
    let mut explained = Vec::new();
    for text in positions {
        let Ok(position) = evaluation.game().parse(text) else {
            return Ok(None);
        };
        explained.extend(explain(evaluation, linked, &at, None, &position)?);
    }
    let [first, second] = &explained[..] else {
        return Ok(None);
    };
    let off = |shares: [f64; 2]| (shares[0] + shares[1]).abs();
    let shares = compare(first, second).into_iter();
    let worst = shares.max_by(|a, b| off(a.shares).total_cmp(&off(b.shares)));
    Ok(worst.map(|worst| (worst.name, worst.shares)))
}

fn say(job: &Job, found: &MirrorSummary, sign: f64) {
    let Some(first) = &found.first else { return };
    let parameter = first
        .parameter
        .as_ref()
        .map_or_else(String::new, |(name, shares)| {
            format!(
                "; {name} is worth {:.1} and {:.1} to the first player there",
                shares[0], shares[1]
            )
        });
    job.say(format_args!(
        "mirror: with the colours swapped {} of {} positions have another score, first {} where {} is \
         the opposite of {}: {} and {}{parameter}; correct it, or give `check` --asymmetric if it is meant",
        found.asymmetric,
        found.positions,
        first.scores[1],
        sign * first.scores[0],
        first.scores[0],
        first.positions[0],
        first.positions[1]
    ));
}
