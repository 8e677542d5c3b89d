//! Whether an evaluation is the same for both players: a position and the one with the colours
//! swapped must have opposite scores.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{Failure, Job, Project};
use tuner_data::Perspective;
use tuner_engine::LinkedSpec;
use tuner_engine::examine::{Explanation, WeightSet, compare, explain};

/// How much exact scores may differ where the evaluation rounds them to whole ones: far less than
/// any weight is worth, more than sums of floats are off.
const NEGLIGIBLE: f64 = 0.01;

/// The comparison of scores of positions with those of the same positions with the colours swapped.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MirrorSummary {
    /// Positions that have a score, and whose mirror has one.
    pub positions: u64,
    /// Positions whose scores are not opposite, beyond rounding.
    pub asymmetric: u64,
    /// Positions whose scores would be opposite if no division were rounded; not in `asymmetric`.
    pub rounded: u64,
    /// The largest difference of scores among `rounded`.
    pub most_rounded: f64,
    /// How many of `asymmetric` have opposite scores if these are of the other perspective.
    pub of_other_view: u64,
    /// The first asymmetric position; `None` if there is none.
    pub first: Option<AsymmetricPosition>,
    /// For each parameter, on how many asymmetric positions its shares are the least opposite.
    pub parameters: BTreeMap<String, u64>,
}

impl MirrorSummary {
    /// Tells whether scores have another view than the evaluator says: more than half are asymmetric,
    /// and nine tenths of these opposite in the other view.
    pub(crate) fn is_of_other_view(&self) -> bool {
        self.asymmetric > self.positions / 2 && self.of_other_view * 10 > self.asymmetric * 9
    }
}

/// A position whose score is not the opposite of that with the colours swapped.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AsymmetricPosition {
    /// The position and its mirror, in their notation.
    pub positions: [String; 2],
    /// The scores of both, as the evaluation returns them.
    pub scores: [f64; 2],
    /// The parameter whose shares in both scores are the least opposite, and these shares, from the
    /// first player; `None` if no parameter explains it.
    pub parameter: Option<(String, [f64; 2])>,
}

/// Compares positions with their mirrors, and says where scores are not opposite; those that would
/// be if no division were rounded are counted apart. Positions without a score are passed over.
/// `None` where one of the positions has no mirror in its game.
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
    // An empty list of values means the weights of the source.
    let scores = evaluation.scores(&[], positions)?;
    let opposite = evaluation.scores(&[], &mirrors)?;
    let sign = match evaluation.perspective() {
        Perspective::SideToMove => 1.0,
        Perspective::FirstPlayer => -1.0,
    };
    // Scores are opposite if `sign · mirror = score`, as side to move and first player swap too.
    let mut found = MirrorSummary::default();
    let both = positions.iter().zip(&mirrors);
    for (texts, scores) in both.zip(scores.into_iter().zip(opposite)) {
        let (Ok([score, _]), Ok([mirror, _])) = scores else {
            continue;
        };
        found.positions += 1;
        let off = (sign * mirror - score).abs();
        let negligible = 1e-6 * (1.0 + score.abs());
        if off <= negligible {
            continue;
        }
        let are_whole = score.fract() == 0.0 && mirror.fract() == 0.0;
        let one = AsymmetricPosition {
            positions: [texts.0.clone(), texts.1.clone()],
            scores: [score, mirror],
            parameter: None,
        };
        // Of an evaluation that only scores, an explanation takes as many scores as there are
        // weights: the first position alone gets one.
        let explained = if evaluation.only_scores() && found.first.is_some() {
            None
        } else {
            explained(project, linked, &one.positions)?
        };
        let is_rounded = match &explained {
            Some(both) => {
                let exact = both.each_ref().map(|one| one.score - one.rounding);
                (exact[0] + exact[1]).abs() <= if are_whole { NEGLIGIBLE } else { negligible }
            }
            // Without an explanation, whole scores that are off by 1 at most count as rounded.
            None => are_whole && off <= 1.0,
        };
        if is_rounded {
            found.rounded += 1;
            found.most_rounded = found.most_rounded.max(off);
            continue;
        }
        found.asymmetric += 1;
        found.of_other_view += u64::from((sign * mirror + score).abs() <= negligible.max(1.0));
        let parameter = explained.and_then(|both| parameter(&both));
        if let Some((name, _)) = &parameter {
            *found.parameters.entry(name.clone()).or_default() += 1;
        }
        (found.first).get_or_insert(AsymmetricPosition { parameter, ..one });
    }
    say(job, &found, sign);
    Ok(Some(found))
}

/// Explains the scores of a position and its mirror by the weights of the source; `None` where one
/// cannot be read, or a trace does not give the score.
fn explained(
    project: &Project,
    linked: &LinkedSpec,
    positions: &[String; 2],
) -> Result<Option<[Explanation; 2]>, Failure> {
    let evaluation = project.evaluation()?;
    let at = WeightSet::new(linked, linked.link.source_weights());
    let mut explained = Vec::new();
    for text in positions {
        let Ok(position) = evaluation.game().parse(text) else {
            return Ok(None);
        };
        explained.extend(explain(evaluation, linked, &at, None, &position)?);
    }
    let both = <[Explanation; 2]>::try_from(explained).ok();
    Ok(both.filter(|both| both.iter().all(|one| one.agrees)))
}

/// Returns the parameter whose shares in both scores, from the first player, are the least
/// opposite, and these shares; `None` where all are opposite, up to [`NEGLIGIBLE`].
fn parameter([first, second]: &[Explanation; 2]) -> Option<(String, [f64; 2])> {
    let off = |shares: [f64; 2]| (shares[0] + shares[1]).abs();
    let shares = compare(first, second).into_iter();
    let worst = shares.max_by(|a, b| off(a.shares).total_cmp(&off(b.shares)))?;
    (off(worst.shares) > NEGLIGIBLE).then_some((worst.name, worst.shares))
}

/// Says what was found: that scores have another view than the evaluator says, that they differ by
/// rounding alone, or the first position that is asymmetric. `sign`: 1 if scores are of the side to
/// move, -1 if they are of the first player.
fn say(job: &Job, found: &MirrorSummary, sign: f64) {
    if found.is_of_other_view() {
        let mut views = ["side to move", "first player"];
        if sign < 0.0 {
            views.reverse();
        }
        let [own, other] = views;
        job.say(format_args!(
            "mirror: {} of {} scores are those of the {other}, where the evaluator says that they are of the \
             {own}: correct `view` in its answer to `tuner`; of Rust, write `Perspective::{}` in \
             tuner/src/main.rs, or have it made anew by `tuner new`, with the words of before and \
             `--perspective {}`",
            found.of_other_view,
            found.positions,
            if sign > 0.0 { "FirstPlayer" } else { "SideToMove" },
            other.replace(' ', "-"),
        ));
        return;
    }
    let (positions, rounded) = (found.positions, found.rounded);
    let Some(first) = &found.first else {
        if rounded > 0 {
            job.say(format_args!(
                "mirror: with the colours swapped {rounded} of {positions} positions have a score that \
                 differs by up to {}, which divisions round off: without rounding they are opposite",
                found.most_rounded
            ));
        }
        return;
    };
    let parameter = match &first.parameter {
        Some((name, shares)) => format!(
            "; {name} is worth {:.1} and {:.1} to the first player there",
            shares[0], shares[1]
        ),
        None => "; what differs is no weight's".to_owned(),
    };
    let mut parameters: Vec<_> = found.parameters.iter().collect();
    parameters.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let parameters = parameters.iter().take(MOST_NAMED);
    let parameters: Vec<_> = parameters
        .map(|(name, count)| format!("{name} on {count}"))
        .collect();
    let parameters = match &parameters[..] {
        [] | [_] => String::new(),
        named => format!(" (it is most about {})", named.join(", ")),
    };
    let rounded = match rounded {
        0 => String::new(),
        rounded => format!(", and {rounded} more by rounding alone"),
    };
    job.say(format_args!(
        "mirror: with the colours swapped {} of {positions} positions have another score{parameters}{rounded}; \
         first {} has {}, and {} has {} instead of {}{parameter}; it is so in production: correct it \
         there, or give `check` --asymmetric if it is meant",
        found.asymmetric,
        first.positions[0],
        first.scores[0],
        first.positions[1],
        first.scores[1],
        sign * first.scores[0],
    ));
}

/// How many parameters are named at most; chosen.
const MOST_NAMED: usize = 4;
