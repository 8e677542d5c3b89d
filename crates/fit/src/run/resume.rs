//! Whether a run may resume from a checkpoint, and how.
//!
//! The same data, evaluation, variables and options: then it ends with the
//! same bits. Parameters that were added, removed or renamed: then it starts
//! from the weights by name. Anything else is refused, with both values.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::checkpoint::RunCheckpoint;
use super::{Init, OptionsSnapshot, RunEvent, RunObserver};
use tuner_base::{Fingerprint, shell_word};
use tuner_solve::PriorSpec;
use tuner_solve::Reduction;

/// The identity of a fit. Two fits with equal identities and names of weights
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
    pub(super) init: Init,
    /// All other options that make a difference.
    pub(super) settings: OptionsSnapshot,
}

/// How a run resumes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Verdict {
    /// From the state of the checkpoint, to the bits that it would have ended with.
    Exactly,
    /// A new fit, from these weights.
    WarmStart(Vec<f64>),
}

/// A parameter that had another name when the checkpoint was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// The name of then.
    pub old: String,
    /// The name of now.
    pub new: String,
}

/// Returns a fingerprint of all that is fixed of the variables but their names: the reduction, the
/// priors, and `initial`, the value of each weight that the prior is around.
pub(super) fn fingerprint_of(reduction: &Reduction, initial: &[f64], prior: &PriorSpec) -> String {
    let mut fingerprint = Fingerprint::new();
    reduction.add_to(&mut fingerprint);
    prior.add_to(&mut fingerprint);
    fingerprint.list(initial.iter().map(|value| value.to_bits()));
    fingerprint.hex()
}

/// The fit that is to resume, as its configuration says.
#[derive(Debug)]
pub(super) struct CurrentFit<'a> {
    pub(super) identity: &'a Identity,
    pub(super) names: &'a [String],
    pub(super) initial: &'a [f64],
    pub(super) renamed: &'a [Renamed],
}

/// Decides how a run resumes from a checkpoint: exactly, if the names of all weights are those in
/// the checkpoint; else from the checkpoint's weights by name, with new weights at their initial
/// values. `Err` says everything that speaks against it (other data, options, start, spec or
/// evaluation), each with both values and what to do; or that no weight of the checkpoint is still
/// there. `path`: the checkpoint, for messages.
pub(super) fn decide(
    saved: &RunCheckpoint,
    current: &CurrentFit<'_>,
    path: &Path,
    observer: &mut dyn RunObserver,
) -> Result<Verdict, String> {
    let mut mistakes = Vec::new();
    let (old, new) = (&saved.identity, current.identity);
    if old.data != new.data {
        mistakes.push(format!(
            "the data: {} of {} positions then, {} of {} now; give the same files in the same \
             order",
            old.data, old.positions, new.data, new.positions
        ));
    }
    // The words `NAME=VALUE` of an anchor with the parameter's new name, if it was renamed.
    let rename = |words: &str| {
        let parameter = parameter_of(words);
        let mut known = current.renamed.iter();
        let found = known.find(|renamed| renamed.old == parameter);
        found.map(|renamed| renamed.new.clone() + &words[parameter.len()..])
    };
    let then = old.settings.clone().with_anchor_renamed(rename);
    mistakes.extend(then.differences(&new.settings));
    // The start is in the checkpoint, so `--init` need not be given again; what is given must be
    // the same.
    if new.init != Init::Spec && new.init != old.init {
        let (then, now) = (&old.init, &new.init);
        mistakes.push(format!("--init: {then} then, {now} now; leave it out"));
    }
    let names = renamed(saved, current, &mut mistakes);
    let same = names.iter().eq(current.names);
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
        return Err(format!(
            "--resume: {} is of another fit:\n  {}\nor begin a new fit with its weights: --init {} \
             instead of --resume",
            path.display(),
            mistakes.join("\n  "),
            shell_word(path)
        ));
    }
    if saved.tuner != env!("CARGO_PKG_VERSION") {
        let version = &saved.tuner;
        observer.event(&RunEvent::OtherVersion { path, version });
    }
    if same {
        let iteration = saved.iteration;
        observer.event(&RunEvent::Resumed { path, iteration });
        return Ok(Verdict::Exactly);
    }
    warm_start(saved, current, &names, path, observer)
}

/// Returns the start of a new fit: the checkpoint's weights by name, and weights that it does not
/// have at their initial values; tells the observer how many are carried over. Fails if that is not
/// a single one. `names`: those of the checkpoint's weights, in its order, as they are now; `path`:
/// the checkpoint, for messages.
fn warm_start(
    saved: &RunCheckpoint,
    current: &CurrentFit<'_>,
    names: &[String],
    path: &Path,
    observer: &mut dyn RunObserver,
) -> Result<Verdict, String> {
    let pairs = names.iter().zip(saved.weights.values());
    let pairs = pairs.filter_map(|(name, value)| Some((name.as_str(), value.as_f64()?)));
    let values: HashMap<&str, f64> = pairs.collect();
    let (mut weights, mut carried) = (Vec::new(), 0);
    for (name, &initial) in current.names.iter().zip(current.initial) {
        let value = values.get(name.as_str());
        carried += usize::from(value.is_some());
        weights.push(value.copied().unwrap_or(initial));
    }
    if carried == 0 {
        return Err(format!(
            "--resume: none of the {} weights of {} is one of this engine; name the folder of its \
             fit with --out, or fit without --resume",
            names.len(),
            path.display()
        ));
    }
    observer.event(&RunEvent::CarriedOver {
        path,
        iteration: saved.iteration,
        carried,
        new: current.names.len() - carried,
        dropped: names.len() - carried,
    });
    Ok(Verdict::WarmStart(weights))
}

/// Returns the names of the checkpoint's weights as they are now: those of renamed parameters with
/// the new name. Which ones were renamed is said by the user, in `current.renamed`; what is wrong
/// with that is added to `mistakes`.
fn renamed(
    saved: &RunCheckpoint,
    current: &CurrentFit<'_>,
    mistakes: &mut Vec<String>,
) -> Vec<String> {
    let mut new_names = BTreeMap::new();
    for Renamed { old, new } in current.renamed {
        let saved_has =
            |parameter: &str| saved.weights.keys().any(|n| parameter_of(n) == parameter);
        let run_has = |parameter: &str| current.names.iter().any(|n| parameter_of(n) == parameter);
        let wrong = if !saved_has(old) {
            format!("the checkpoint has no parameter {old}")
        } else if saved_has(new) {
            format!("the checkpoint has a parameter {new} as well")
        } else if !run_has(new) {
            format!("the spec has no parameter {new}")
        } else if new_names.insert(old.as_str(), new.as_str()).is_some() {
            format!("{old} is renamed twice; once is enough")
        } else if new_names.values().filter(|&name| name == new).count() > 1 {
            format!("two parameters become {new}")
        } else {
            continue;
        };
        mistakes.push(format!("--renamed {old}={new}: {wrong}"));
    }
    let name = |name: &String| {
        let parameter = parameter_of(name);
        let new = new_names.get(parameter).copied().unwrap_or(parameter);
        new.to_owned() + &name[parameter.len()..]
    };
    saved.weights.keys().map(name).collect()
}

/// Returns the name of the parameter with which a weight's name, or words such as `NAME=VALUE`,
/// begin: `PST` of `PST[knight][a1].mg`.
fn parameter_of(name: &str) -> &str {
    name.split(['[', '.', '=']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;
    use tuner_base::{LaneId, Tie, WeightId};
    use tuner_solve::{Neighbours, ReductionParts};

    /// In checkpoints, so it must never change without their version.
    #[test]
    fn the_fingerprint_of_the_variables_is_that_of_the_documented_numbers() {
        let reduction = Reduction::new(&ReductionParts {
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
            constraints: &[],
            initial: &[5.0, 6.0, 5.0],
        })
        .unwrap();
        let prior = PriorSpec {
            deviations: BTreeMap::from([(WeightId(2), 3.5)]),
            neighbours: vec![Neighbours {
                weights: [0, 1].map(WeightId),
                deviation: 8.0,
            }],
            ..PriorSpec::default()
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
        let found = fingerprint_of(&reduction, &initial, &prior);
        assert_eq!(found, format!("{expected:016x}"));
        assert_eq!(found, "1f02d16c20476161");
    }
}
