//! Which lanes a feature stands for: by a spec, by names, or by its number.

use std::collections::BTreeMap;

use tuner_base::{LaneId, Slot, WeightId, quote};

use super::ImportError;

/// Most weights of a file, as of a spec: each takes some 400 bytes of a fit.
const MOST_WEIGHTS: usize = 10_000_000;

/// The weights of a spec, for files whose features are these weights.
pub struct DeclaredWeights<'a> {
    /// The lane of each weight.
    pub lanes: Vec<LaneId>,
    /// Number of slots.
    pub slots: usize,
    /// The value of each weight for the comparison with scores in the file.
    pub initial: Vec<f64>,
    /// The first weight of each parameter, ascending, and its name.
    pub parameters: Vec<(WeightId, String)>,
    /// If the file has a head with weights: by leaf number the weight of the spec, and its value in
    /// the head; else `None`.
    pub leaves: Option<(Vec<WeightId>, Vec<f64>)>,
    /// The weights below a path, such as `MATERIAL[pawn]`, at least one; or why there are none, in
    /// words that follow "feature".
    pub find: &'a (dyn Fn(&str) -> Result<Vec<WeightId>, String> + Sync),
    /// The name of a weight.
    pub name: &'a (dyn Fn(WeightId) -> String + Sync),
}

impl DeclaredWeights<'_> {
    /// Returns the first weight and the name of the parameter that a weight belongs to, which is
    /// the last parameter that begins at the weight or in front of it. If there is none: the weight
    /// itself and an empty name.
    pub(super) fn parameter_of(&self, weight: WeightId) -> (WeightId, &str) {
        let parameters = &self.parameters;
        let after = parameters.partition_point(|(first, _)| *first <= weight);
        let found = after.checked_sub(1).and_then(|place| parameters.get(place));
        found.map_or((weight, ""), |(first, name)| (*first, name))
    }
}

tuner_base::impl_fmt! { Debug for DeclaredWeights<'_> }

/// The weights that a feature multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// One weight.
    Lane(LaneId),
    /// The two weights of a slot.
    Pair(Slot),
}

/// The target of each feature.
#[derive(Clone, Debug)]
pub(super) struct FeatureMap {
    numbers: Numbers,
    pub(super) slots: usize,
    /// Names and lanes of the weights; empty where a spec names them.
    pub(super) weights: Vec<(String, LaneId)>,
    /// By leaf of a trace, its lane. Leaves are numbered as lanes are, except behind a head.
    pub(super) lanes: Vec<LaneId>,
    /// The values of all leaves at which scores are compared; `None` without a spec.
    pub(super) initial: Option<Vec<f64>>,
    /// By leaf, the weight of the spec, and the first weight of its parameter.
    pub(super) owners: Vec<[WeightId; 2]>,
    /// The name of each parameter by its first weight.
    pub(super) parameters: BTreeMap<WeightId, String>,
}

/// The features that there are, by their numbers.
#[derive(Clone, Debug)]
enum Numbers {
    /// All features: number `j` is at place `j`.
    All(Vec<Target>),
    /// Only some numbers occur, listed ascending; the `n`th of them has slot `n`, with two weights
    /// if `tapered`.
    Some { occurring: Vec<u32>, tapered: bool },
}

impl FeatureMap {
    /// Maps features to the weights of a spec: by `names` where the file has them, else feature `j`
    /// is weight `j`, or, where rows have a phase (`tapered`), slot `j`. Names that the spec does
    /// not have and two of one weight are reported.
    pub(super) fn declared(
        declared: &DeclaredWeights<'_>,
        names: Option<&[String]>,
        tapered: bool,
        problems: &mut ImportError,
    ) -> Self {
        let slots = declared.slots;
        // By lane, its weight, if any. A slot with a weight in its second lane is a pair.
        let mut lanes = vec![None; 2 * slots];
        for (weight, lane) in declared.lanes.iter().enumerate() {
            lanes[lane.index()] = Some(weight);
        }
        // The target of a feature that is a whole entry of a table.
        let entry = |slot: usize| match lanes[2 * slot + 1] {
            Some(_) => Target::Pair(Slot(slot as u32)),
            None => Target::Lane(LaneId(2 * slot as u32)),
        };
        let targets = match names {
            None if tapered => (0..slots).map(entry).collect(),
            None => declared.lanes.iter().copied().map(Target::Lane).collect(),
            Some(names) => targets_of_names(declared, names, tapered, entry, problems),
        };
        let mut initial = vec![0.0; 2 * slots];
        let mut owners = vec![[WeightId(0); 2]; 2 * slots];
        for (weight, lane) in declared.lanes.iter().enumerate() {
            initial[lane.index()] = declared.initial[weight];
            let weight = WeightId(weight);
            owners[lane.index()] = [weight, declared.parameter_of(weight).0];
        }
        Self {
            numbers: Numbers::All(targets),
            initial: Some(initial),
            owners,
            parameters: declared.parameters.iter().cloned().collect(),
            ..Self::of_slots(slots)
        }
    }

    /// Maps the weights of the head of a file of rows, by leaf number, to those of a spec: each
    /// leaf has the lane of its weight. There are no features. `None` if it is not said which
    /// weights of the spec the leaves are.
    pub(super) fn of_leaves(declared: &DeclaredWeights<'_>) -> Option<Self> {
        let (weights, values) = declared.leaves.clone()?;
        let lanes = weights.iter().map(|weight| declared.lanes[weight.index()]);
        let owner = |&weight: &WeightId| [weight, declared.parameter_of(weight).0];
        Some(Self {
            lanes: lanes.collect(),
            initial: Some(values),
            owners: weights.iter().map(owner).collect(),
            parameters: declared.parameters.iter().cloned().collect(),
            ..Self::of_slots(declared.slots)
        })
    }

    /// Makes a map over `slots` slots that has no features yet; leaves have the numbers of lanes.
    pub(super) fn of_slots(slots: usize) -> Self {
        Self {
            numbers: Numbers::All(Vec::new()),
            slots,
            weights: Vec::new(),
            lanes: (0..2 * slots as u32).map(LaneId).collect(),
            initial: None,
            owners: Vec::new(),
            parameters: BTreeMap::new(),
        }
    }

    /// Maps features that have names, but no spec: each gets a slot of its own, in their order.
    /// `tapered`: whether rows have a phase, so that a feature has two weights, else one.
    pub(super) fn named(names: &[String], tapered: bool, problems: &mut ImportError) -> Self {
        let targets = (0..names.len()).map(|slot| own_slot(slot, tapered));
        let names = names.iter().map(String::clone);
        Self::free(Numbers::All(targets.collect()), names, tapered, problems)
    }

    /// Maps features that have neither names nor a spec: each that occurs gets a slot of its own
    /// and the name `feature[n]`. `occurring`: their numbers n in the file, ascending; `tapered`:
    /// whether each has two weights.
    pub(super) fn numbered(occurring: Vec<u32>, tapered: bool, problems: &mut ImportError) -> Self {
        let names: Vec<String> = occurring.iter().map(|n| format!("feature[{n}]")).collect();
        let numbers = Numbers::Some { occurring, tapered };
        Self::free(numbers, names.into_iter(), tapered, problems)
    }

    /// Makes the map of features without a spec, each of which has a slot of its own, in the order
    /// of `names`. `numbers`: which numbers in the file they have; `tapered`: whether each has two
    /// weights, else one. Reports if the weights are more than 10 million ([`MOST_WEIGHTS`]).
    fn free(
        numbers: Numbers,
        names: impl ExactSizeIterator<Item = String>,
        tapered: bool,
        problems: &mut ImportError,
    ) -> Self {
        let slots = names.len();
        let weights = slots * if tapered { 2 } else { 1 };
        if weights > MOST_WEIGHTS {
            problems.file(format!(
                "has {slots} features, {weights} weights; expected at most {MOST_WEIGHTS} weights"
            ));
        }
        let of_slot = |(slot, name): (usize, String)| own_weights(slot, &name, tapered);
        Self {
            numbers,
            weights: names.enumerate().flat_map(of_slot).collect(),
            ..Self::of_slots(slots)
        }
    }

    /// The weight, or the two weights of a slot, that a feature multiplies, by its number in the
    /// file; `None` if that is not an integer, or there is no such feature.
    pub(super) fn target(&self, feature: f64) -> Option<Target> {
        // The cast changes numbers other than integers, which the filter at the end refuses.
        let number = feature as u32;
        match &self.numbers {
            Numbers::All(targets) => targets.get(number as usize).copied(),
            Numbers::Some { occurring, tapered } => {
                // Mostly all numbers from 0 occur, so that each is at the place of its own number.
                let at_its_place = occurring.get(number as usize) == Some(&number);
                let slot = if at_its_place {
                    number as usize
                } else {
                    occurring.binary_search(&number).ok()?
                };
                Some(own_slot(slot, *tapered))
            }
        }
        .filter(|_| f64::from(number).to_bits() == (feature + 0.0).to_bits())
    }

    /// Says in words which numbers a feature may have, for a message.
    pub(super) fn expected(&self) -> String {
        match &self.numbers {
            Numbers::All(targets) => match targets.len() {
                0 => "none, as there are no features".to_owned(),
                count => format!("a number from 0 to {}", count - 1),
            },
            Numbers::Some { .. } => format!("a number from 0 to {}", u32::MAX - 1),
        }
    }
}

/// Finds the weights that features multiply, by their names in a spec, in the order of the names.
/// Reports names that mean no feature of the spec, which are left out, and two names of one weight.
/// `tapered`: whether a feature is an entry of a table with all its phases, else it is a single
/// weight; `entry`: makes the target of a slot.
fn targets_of_names(
    declared: &DeclaredWeights<'_>,
    names: &[String],
    tapered: bool,
    entry: impl Fn(usize) -> Target + Copy,
    problems: &mut ImportError,
) -> Vec<Target> {
    let mut targets = Vec::with_capacity(names.len());
    let mut sorted: Vec<(usize, &String)> = Vec::with_capacity(names.len());
    for name in names {
        match target(declared, name, tapered, entry) {
            Ok(target) => {
                targets.push(target);
                sorted.push((order(target), name));
            }
            Err(words) => problems.file(format!("feature {words}")),
        }
    }
    // Names of one weight are neighbours once they are sorted by their targets.
    sorted.sort_unstable();
    for pair in sorted.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        problems.file(format!(
            "features {} and {} are the same weight of the spec; leave one out",
            quote(pair[0].1),
            quote(pair[1].1)
        ));
    }
    targets
}

/// Finds the weights that a feature multiplies, by its name in a spec. `tapered`: whether a feature
/// is an entry of a table with all its phases, else it is a single weight; `entry`: makes the
/// target of a slot. `Err`: why the name means no feature, in words that follow "feature".
fn target(
    declared: &DeclaredWeights<'_>,
    name: &str,
    tapered: bool,
    entry: impl Fn(usize) -> Target,
) -> Result<Target, String> {
    // At least one weight.
    let weights = (declared.find)(name)?;
    let first = declared.lanes[weights[0].index()];
    let slot = first.slot().index();
    let in_slot = |weight: &&WeightId| declared.lanes[weight.index()].slot().index() == slot;
    let whole = match entry(slot) {
        Target::Pair(_) => 2,
        Target::Lane(_) => 1,
    };
    // The name means all weights of one slot, and no others.
    let is_entry =
        weights.iter().filter(in_slot).count() == weights.len() && weights.len() == whole;
    match (tapered, weights.len()) {
        (true, _) if is_entry => Ok(entry(slot)),
        (true, _) => Err(format!(
            "{} is no entry of the spec; with a column `phase` expected an entry with its phases, \
             such as MATERIAL[pawn]",
            quote(name)
        )),
        (false, 1) => Ok(Target::Lane(first)),
        (false, count) => Err(format!(
            "{} is {count} weights of the spec; without a column `phase` expected one, such as \
             MATERIAL[pawn].mg",
            quote(name)
        )),
    }
}

/// The number of the first lane that a feature multiplies: targets of one weight, or of one slot,
/// have equal numbers.
fn order(target: Target) -> usize {
    match target {
        Target::Lane(lane) => lane.index(),
        Target::Pair(slot) => 2 * slot.index(),
    }
}

/// The weights of a feature that has a slot of its own: both lanes if `tapered`, else the first
/// one.
fn own_slot(slot: usize, tapered: bool) -> Target {
    if tapered {
        Target::Pair(Slot(slot as u32))
    } else {
        Target::Lane(LaneId(2 * slot as u32))
    }
}

/// The weights of a feature that has a slot of its own, with their names and lanes: if `tapered`,
/// `NAME.mg` and `NAME.eg`, else one with the feature's name.
fn own_weights(slot: usize, name: &str, tapered: bool) -> Vec<(String, LaneId)> {
    let first = 2 * slot as u32;
    if tapered {
        vec![
            (format!("{name}.mg"), LaneId(first)),
            (format!("{name}.eg"), LaneId(first + 1)),
        ]
    } else {
        vec![(name.to_owned(), LaneId(first))]
    }
}
