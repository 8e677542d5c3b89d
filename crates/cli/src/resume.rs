//! `--resume`: whether a fit may go on from a checkpoint, and how.
//!
//! The same data, evaluation, variables and settings: then it ends with the
//! same bits. Parameters that were added, removed or renamed: then it goes on
//! from the weights by name. Anything else is refused, with both values.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Failure;
use super::checkpoint::Checkpoint;
use super::typed::Typed;
use tuner_base::Fingerprint;
use tuner_solve::PriorSpec;
use tuner_solve::Reduction;

/// What a fit is one of. Two fits with equal identities and names of weights
/// are the same fit.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Identity {
    /// Fingerprint of the bytes of the data.
    pub(super) data: String,
    pub(super) positions: u64,
    /// Fingerprint of the traces: given the data, one of the evaluation.
    pub(super) traces: String,
    /// Fingerprint of initial values, bounds, frozen weights, ties and priors.
    pub(super) variables: String,
    /// `--init` as it was typed.
    pub(super) init: String,
    /// All other options that make a difference, as they were typed.
    pub(super) settings: Typed,
}

/// How a fit goes on.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Verdict {
    /// From the very state, to the same bits.
    Exactly,
    /// From these weights.
    From(Vec<f64>),
}

/// A parameter that had another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Renamed {
    pub(super) old: String,
    pub(super) new: String,
}

/// Fingerprint of all that is fixed of the variables but their names.
pub(super) fn variables(reduction: &Reduction, initial: &[f64], beliefs: &PriorSpec) -> String {
    let mut fingerprint = Fingerprint::new();
    reduction.add_to(&mut fingerprint);
    beliefs.add_to(&mut fingerprint);
    fingerprint.list(initial.iter().map(|value| value.to_bits()));
    fingerprint.hex()
}

impl Renamed {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((old, new)) if !old.is_empty() && !new.is_empty() => Ok(Self {
                old: old.to_owned(),
                new: new.to_owned(),
            }),
            _ => Err("expected OLD=NEW, names of parameters".to_owned()),
        }
    }
}

/// The fit that is to go on.
#[derive(Debug)]
pub(super) struct Here<'a> {
    pub(super) identity: &'a Identity,
    pub(super) names: &'a [String],
    pub(super) initial: &'a [f64],
    pub(super) renamed: &'a [Renamed],
}

/// Decides how the fit goes on, and tells the user.
///
/// # Errors
/// Everything that speaks against it, each with both values and what to do.
pub(super) fn decide(saved: &Checkpoint, here: &Here<'_>, path: &Path) -> Result<Verdict, Failure> {
    let mut mistakes = Vec::new();
    let path = path.display();
    let (old, new) = (&saved.identity, here.identity);
    if old.data != new.data {
        mistakes.push(format!(
            "the data: {} of {} positions then, {} of {} now; give the same files in the same \
             order",
            old.data, old.positions, new.data, new.positions
        ));
    }
    let rename = |words: &str| {
        let parameter = parameter_of(words);
        let mut known = here.renamed.iter();
        let found = known.find(|renamed| renamed.old == parameter);
        found.map(|renamed| renamed.new.clone() + &words[parameter.len()..])
    };
    let then = old.settings.clone().anchored(rename);
    mistakes.extend(then.differences(&new.settings));
    // The start is in the checkpoint; a file may have been overwritten since.
    if new.init != "spec" && new.init != old.init {
        mistakes.push(format!(
            "--init: {} then, {} now; leave it out",
            old.init, new.init
        ));
    }
    let names = renamed(saved, here, &mut mistakes);
    let same = names.iter().eq(here.names);
    if same && old.variables != new.variables {
        mistakes.push(format!(
            "the spec: initial values, bounds, frozen weights, ties or priors have changed \
             (fingerprint {} then, {} now); take back the change",
            old.variables, new.variables
        ));
    }
    if same && old.data == new.data && old.traces != new.traces {
        mistakes.push(format!(
            "the evaluation: the same positions give other traces ({} then, {} now); take back \
             the change of the source",
            old.traces, new.traces
        ));
    }
    if !mistakes.is_empty() {
        let mut words = format!("--resume: {path} is of another fit:");
        for mistake in mistakes {
            let _ = write!(words, "\n  {mistake}");
        }
        let _ = write!(
            words,
            "\nor begin a new fit with its weights: --init {path} instead of --resume"
        );
        return Err(words.into());
    }
    if saved.tuner != env!("CARGO_PKG_VERSION") {
        say!(
            "{path} was written by tuner {:?}, this is {}: the last digits may come out otherwise",
            saved.tuner,
            env!("CARGO_PKG_VERSION")
        );
    }
    if same {
        say!("{path}: going on after iteration {}", saved.fit.iteration());
        return Ok(Verdict::Exactly);
    }
    let values: HashMap<&str, f64> = names
        .iter()
        .zip(saved.weights.values())
        .filter_map(|(name, value)| Some((name.as_str(), value.as_f64()?)))
        .collect();
    let carried = here.names.iter().zip(here.initial);
    let (mut weights, mut found) = (Vec::new(), 0);
    for (name, &initial) in carried {
        let value = values.get(name.as_str());
        found += usize::from(value.is_some());
        weights.push(value.copied().unwrap_or(initial));
    }
    if found == 0 {
        return Err(format!(
            "--resume: none of the {} weights of {path} is one of this engine; name the folder of \
             its fit with --out, or fit without --resume",
            names.len()
        )
        .into());
    }
    say!(
        "{path}: other parameters than then, so the fit goes on from its weights after iteration \
         {}, and not as it would have: {found} weights carried over by name, {} new ones at their \
         initial values, {} dropped; what else changed in the evaluation is not known",
        saved.fit.iteration(),
        here.names.len() - found,
        names.len() - found
    );
    Ok(Verdict::From(weights))
}

/// The names of the checkpoint's weights, as they are now.
fn renamed(saved: &Checkpoint, here: &Here<'_>, mistakes: &mut Vec<String>) -> Vec<String> {
    let mut new_names = BTreeMap::new();
    for Renamed { old, new } in here.renamed {
        let saved_has =
            |parameter: &str| saved.weights.keys().any(|n| parameter_of(n) == parameter);
        let here_has = |parameter: &str| here.names.iter().any(|n| parameter_of(n) == parameter);
        let typed = format!("--renamed {old}={new}:");
        if !saved_has(old) {
            mistakes.push(format!("{typed} the checkpoint has no parameter {old}"));
        } else if saved_has(new) {
            mistakes.push(format!(
                "{typed} the checkpoint has a parameter {new} as well"
            ));
        } else if !here_has(new) {
            mistakes.push(format!("{typed} the spec has no parameter {new}"));
        } else if new_names.insert(old.as_str(), new.as_str()).is_some() {
            mistakes.push(format!("{typed} {old} is renamed twice; once is enough"));
        } else if new_names.values().filter(|&name| name == new).count() > 1 {
            mistakes.push(format!("{typed} two parameters become {new}"));
        }
    }
    let name = |name: &String| {
        let parameter = parameter_of(name);
        new_names.get(parameter).map_or_else(
            || name.clone(),
            |new| new.to_string() + &name[parameter.len()..],
        )
    };
    saved.weights.keys().map(name).collect()
}

/// The parameter's part of a weight's name: `PST` of `PST[knight][a1].mg`; a
/// value may follow.
fn parameter_of(name: &str) -> &str {
    name.split(['[', '.', '=']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;
    use tuner_base::{LaneId, Tie, WeightId};
    use tuner_solve::{Neighbours, Parts};

    /// In checkpoints, so it must never change without their version.
    #[test]
    fn the_fingerprint_of_the_variables_is_that_of_the_documented_numbers() {
        let reduction = Reduction::new(&Parts {
            lane_count: 4,
            lanes: &[0, 2, 3].map(LaneId),
            frozen: &[false, true, false],
            ties: &[Tie {
                weight: WeightId(2),
                root: WeightId(0),
                factor: -1.0,
                difference: 10.0,
            }],
            bounds: &[(0.0, 50.0), (-9.0, 9.0), (-100.0, 100.0)],
            initial: &[5.0, 6.0, 5.0],
        })
        .unwrap();
        let beliefs = PriorSpec {
            deviations: BTreeMap::from([(WeightId(2), 3.5)]),
            neighbours: vec![Neighbours {
                weights: [0, 1].map(WeightId),
                deviation: 8.0,
            }],
        };
        let initial = [5.0, 6.0, 5.0];
        let bits = f64::to_bits;
        let numbers = [
            &[3, 0, 2, 3][..],              // lanes of weights
            &[4, 1, bits(1.0), bits(0.0)],  // four lanes, the first one a variable
            &[0, bits(0.0), bits(0.0)],     // a dead one
            &[0, bits(0.0), bits(6.0)],     // a frozen one
            &[1, bits(-1.0), bits(10.0)],   // a tied one
            &[1, 0, bits(0.0), bits(50.0)], // roots, bounds
            &[1, 2, bits(3.5)],             // weights of their own deviation
            &[1, 0, 1, bits(8.0)],          // neighbours
            &[3, bits(5.0), bits(6.0), bits(5.0)],
        ];
        let bytes = numbers.concat().into_iter().flat_map(u64::to_le_bytes);
        let expected = Fingerprint::of_bytes(&bytes.collect::<Vec<u8>>());
        let found = variables(&reduction, &initial, &beliefs);
        assert_eq!(found, format!("{expected:016x}"));
        assert_eq!(found, "1f02d16c20476161");
    }
}
