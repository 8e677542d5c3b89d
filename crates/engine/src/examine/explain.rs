//! The share of each weight in the score of one position.

use std::collections::BTreeMap;

use serde::Serialize;

use super::point::TracePoint;
use super::weights::WeightSet;
use crate::LinkedSpec;
use tuner_base::WeightId;
use tuner_data::{AnyPosition, Perspective};
use tuner_evaluation::{Answer, Evaluation, Resolve, Tracer};

/// The share of one weight in a score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WeightShare {
    /// The name of the weight.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// How much the score changes with it: how often it counts, times the taper; in a
    /// nonlinear evaluation the derivative here. Never 0.
    pub coefficient: f64,
    /// Coefficient times value.
    pub share: f64,
    /// The standard error of the share, if that of the weight is known.
    pub standard_error: Option<f64>,
}

/// The share of the weights of one parameter in a score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParameterShare {
    /// The name of the parameter.
    pub name: String,
    /// The share of its weights of the middlegame; `None` if it is not tapered.
    pub mg: Option<f64>,
    /// The share of its weights of the endgame; `None` if it is not tapered.
    pub eg: Option<f64>,
    /// The share of all its weights.
    pub share: f64,
    /// The standard error of the share, the weights taken as independent; `None`
    /// if that of no weight is known.
    pub standard_error: Option<f64>,
    /// The weights that count, in the order of the spec.
    pub weights: Vec<WeightShare>,
}

/// The score of one position in parts. All values are in centipawns and the first
/// player's.
///
/// The score is the sum of the shares of all parameters, `constant`, `nonlinear` and
/// `rounding`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The position.
    pub position: String,
    /// The evaluation's score.
    pub score: f64,
    /// The score as the evaluation returns it, from its own perspective.
    pub returned: f64,
    /// How much a value of the middlegame and one of the endgame count, by the largest
    /// tapered sum; `None` if there is none.
    pub taper: Option<[f64; 2]>,
    /// The parts of the parameters that count, in the order of the spec.
    pub parameters: Vec<ParameterShare>,
    /// The part of the score that no weight explains.
    pub constant: f64,
    /// The part that derivatives leave over where the score is not linear in the weights.
    pub nonlinear: f64,
    /// The part that integer divisions cut off.
    pub rounding: f64,
    /// The standard error of the score, the weights taken as independent; `None` if
    /// that of no weight is known.
    pub standard_error: Option<f64>,
    /// Whether production and its twin agree on the position. If not, the parts are
    /// those of the twin, and `check` says more.
    pub agrees: bool,
}

/// The shares of one parameter in the scores of two positions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShareDifference {
    /// The name of the parameter.
    pub name: String,
    /// Its share in the score of the first position and of the second.
    pub shares: [f64; 2],
    /// The second minus the first.
    pub difference: f64,
    /// The standard error of the difference, the weights taken as independent;
    /// `None` if that of no weight is known.
    pub standard_error: Option<f64>,
}

/// Compares the shares of all parameters that count in one of two positions, in the order of names.
/// The error of a weight that counts in both is that of the difference of its coefficients.
pub fn compare(first: &Explanation, second: &Explanation) -> Vec<ShareDifference> {
    let mut shares: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
    // By parameter and weight, so that what both positions share cancels.
    let mut errors: BTreeMap<&str, BTreeMap<&str, f64>> = BTreeMap::new();
    for (side, explanation) in [first, second].into_iter().enumerate() {
        let sign = if side == 0 { -1.0 } else { 1.0 };
        for parameter in &explanation.parameters {
            shares.entry(&parameter.name).or_default()[side] = parameter.share;
            for weight in &parameter.weights {
                if let Some(error) = weight.standard_error {
                    let of = errors.entry(&parameter.name).or_default();
                    // The share moves with the weight by the sign of its coefficient.
                    let error = sign * error.copysign(weight.coefficient);
                    *of.entry(&weight.name).or_default() += error;
                }
            }
        }
    }
    let difference = |(name, shares): (&str, [f64; 2])| ShareDifference {
        name: name.to_owned(),
        shares,
        difference: shares[1] - shares[0],
        standard_error: errors.get(name).map(|errors| {
            let squares = errors.values().map(|error| error * error);
            squares.sum::<f64>().sqrt()
        }),
    };
    shares.into_iter().map(difference).collect()
}

/// Explains the score of one position at some weights.
///
/// `errors`: standard errors of the weights in the order of the spec, those that are known; `None`
/// if none is.
///
/// # Errors
/// The outer one if the evaluator cannot be asked any further, the inner one if it refuses
/// the position.
pub fn explain(
    evaluation: &Evaluation,
    linked: &LinkedSpec,
    at: &WeightSet,
    errors: Option<&[Option<f64>]>,
    position: &AnyPosition,
) -> Answer<Explanation> {
    let game = evaluation.game();
    let text = game.describe(position);
    let mut tracer = Tracer::new(evaluation, &linked.link, at.values(), Resolve::None);
    let mut point = TracePoint::default();
    let mut drafted = Ok(());
    tracer.trace(std::slice::from_ref(&text), &mut |_, traced| {
        drafted = traced.map(|traced| point.draft.clone_from(traced.draft));
    })?;
    if let Err(no_row) = drafted {
        return Ok(Err(no_row.to_string()));
    }
    point.linearise(at.lanes());
    let returned = match evaluation.score(at.values(), &text)? {
        Ok(returned) => returned,
        Err(words) => return Ok(Err(words)),
    };
    let turned =
        evaluation.perspective() == Perspective::SideToMove && !game.first_player_to_move(position);
    // A difference, as the negation of 0 would be −0.
    let score = if turned { 0.0 - returned } else { returned };
    let parameters = parameters(linked, at, errors, &point);
    let shares: f64 = parameters.iter().map(|parameter| parameter.share).sum();
    let nonlinear = if point.draft.expression.is_none() {
        0.0
    } else {
        point.score() - point.constant() - shares
    };
    // Variances of independent parts add up; none is known if that of no part is.
    let errors = parameters.iter().filter_map(|p| p.standard_error);
    let variance = errors.map(|error| error * error).reduce(|a, b| a + b);
    Ok(Ok(Explanation {
        position: text,
        score,
        returned,
        // Where the sums are those of the side to move their slopes may be negative, but the taper
        // is of the position, not of a side. `abs` also makes 0 of −0. A taper of two zeros is left
        // out.
        taper: (point.taper())
            .map(|taper| taper.map(f64::abs))
            .filter(|taper| taper.iter().sum::<f64>() > 0.0),
        constant: point.constant(),
        nonlinear,
        rounding: score - point.constant() - shares - nonlinear,
        standard_error: variance.map(f64::sqrt),
        parameters,
        agrees: !tracer.agreement.is_wrong(),
    }))
}

/// The share of each parameter in a score, with those of its weights, in the order of the spec.
/// Weights whose coefficients cancel are not among them. Standard errors, by weight, are taken as
/// independent.
fn parameters(
    linked: &LinkedSpec,
    at: &WeightSet,
    errors: Option<&[Option<f64>]>,
    point: &TracePoint,
) -> Vec<ParameterShare> {
    let layout = linked.spec.layout();
    let mut counted: BTreeMap<WeightId, f64> = BTreeMap::new();
    // How much the score changes with each weight, over all entries of the row.
    for term in point.terms() {
        if let Some(weight) = layout.weight_of_lane(term.lane) {
            *counted.entry(weight).or_default() += term.derivative;
        }
    }
    let mut parameters: Vec<ParameterShare> = Vec::new();
    // Where both players have a feature its coefficients may cancel to 0.
    counted.retain(|_, coefficient| coefficient.abs() > 0.0);
    for (weight, coefficient) in counted {
        let parameter = layout.parameter_of(weight);
        let is_tapered = parameter.phases.count() > 1;
        let is_other = |last: &ParameterShare| last.name != parameter.name();
        if parameters.last().is_none_or(is_other) {
            parameters.push(ParameterShare {
                name: parameter.name().to_owned(),
                mg: is_tapered.then_some(0.0),
                eg: is_tapered.then_some(0.0),
                share: 0.0,
                standard_error: None,
                weights: Vec::new(),
            });
        }
        let value = at.weights()[weight.index()];
        let share = coefficient * value;
        let error = errors.and_then(|errors| errors.get(weight.index()).copied().flatten());
        let standard_error = error.map(|error| (coefficient * error).abs());
        // There is one, that of this weight's parameter: if it was missing it has just been added.
        let Some(last) = parameters.last_mut() else {
            continue;
        };
        last.share += share;
        let of_phase = if layout.lane(weight).side() == 0 {
            &mut last.mg
        } else {
            &mut last.eg
        };
        if let Some(sum) = of_phase {
            *sum += share;
        }
        if let Some(error) = standard_error {
            last.standard_error = Some(last.standard_error.unwrap_or(0.0).hypot(error));
        }
        last.weights.push(WeightShare {
            name: layout.name(weight),
            value,
            coefficient,
            share,
            standard_error,
        });
    }
    parameters
}
