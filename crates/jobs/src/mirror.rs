//! Whether an evaluation is the same for both players: a position and the one with the colours
//! swapped must have opposite scores.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{Job, Project, Result};
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
    /// Tells whether scores seem to be from another player's view than the evaluator says. It is so
    /// where the scores of more than half of the positions are not the opposite of those with the
    /// colours swapped, but more than nine tenths of these would be, were they from the other view.
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

/// Compares the scores of positions with those of their mirrors, the same positions with the
/// colours swapped, and says where they are not opposite, which they should be from one player's
/// view. Scores that would be opposite if no division were rounded are counted apart. Positions
/// without a score are passed over. `None` where the game has no mirror of one of the positions.
///
/// # Errors
/// If the evaluator cannot be asked any further.
pub(crate) fn compare_mirrors(
    job: &Job,
    project: &Project,
    linked: &LinkedSpec,
    positions: &[String],
) -> Result<Option<MirrorSummary>> {
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
    // Scores are opposite if `sign · mirror = score`: from the side to move both are equal, as the
    // player to move is swapped too; from the first player one is the other's negative.
    let mut found = MirrorSummary::default();
    let both = positions.iter().zip(&mirrors);
    for (texts, scores) in both.zip(scores.into_iter().zip(opposite)) {
        let (Ok([score, _]), Ok([mirror, _])) = scores else {
            continue;
        };
        found.positions += 1;
        let off = (sign * mirror - score).abs();
        // By so much the scores may be off where sums of floats are in another order.
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
        // `explained`: the shares of the weights in both scores. An evaluator that gives scores and
        // no traces is asked for as many scores as there are weights, so only the first asymmetric
        // position is explained.
        let explained = if evaluation.only_scores() && found.first.is_some() {
            None
        } else {
            explained(project, linked, &one.positions)?
        };
        let is_rounded = match &explained {
            // `exact`: both scores as they would be if no division were rounded, from the first
            // player, so that their sum is 0 if they are opposite. Of whole scores it may be off by
            // 0.01, which is far less than any weight is worth.
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
        // If scores were of the other perspective, this sum would be 0; rounding may leave 1.
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

/// Explains the scores of two positions at the weights of the source: what each weight adds to
/// them. `None` where a position cannot be read or has no explanation, or its trace does not give
/// its score.
fn explained(
    project: &Project,
    linked: &LinkedSpec,
    positions: &[String; 2],
) -> Result<Option<[Explanation; 2]>> {
    let evaluation = project.evaluation()?;
    let at = WeightSet::new(linked, linked.link.source_weights());
    let mut explained = Vec::new();
    for text in positions {
        let Ok(position) = evaluation.game().parse(text) else {
            return Ok(None);
        };
        // `None`: no standard errors are asked for. A position that is refused adds no explanation.
        explained.extend(explain(evaluation, linked, &at, None, &position)?);
    }
    let both = <[Explanation; 2]>::try_from(explained).ok();
    Ok(both.filter(|both| both.iter().all(|one| one.agrees)))
}

/// Returns the name of the parameter whose shares in the scores of a position and of its mirror are
/// the least opposite, and these two shares, what the parameter adds to each score from the first
/// player. `None` where the shares of all parameters are opposite, up to [`NEGLIGIBLE`] (0.01).
fn parameter([first, second]: &[Explanation; 2]) -> Option<(String, [f64; 2])> {
    let off = |shares: [f64; 2]| (shares[0] + shares[1]).abs();
    let shares = compare(first, second).into_iter();
    let worst = shares.max_by(|a, b| off(a.shares).total_cmp(&off(b.shares)))?;
    (off(worst.shares) > NEGLIGIBLE).then_some((worst.name, worst.shares))
}

/// Says what the comparison of scores with those of swapped colours found: that scores are from
/// another view than the evaluator says, or that they differ by rounding alone, or the first
/// position whose scores are not opposite, and the parameters that differ most often. `sign`: 1 if
/// the evaluator says that scores are from the side to move, -1 if from the first player.
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
    // No position is asymmetric: at most rounding is said.
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
    // The parameters that differ on most positions, if there are several.
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
