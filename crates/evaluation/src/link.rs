//! Registered against declared weights: what the macro found in the source
//! must be what the spec declares, by name and shape.

use std::collections::HashMap;

use thiserror::Error;
use tuner_base::{LaneId, WeightId, counted, joined};
use tuner_protocol::{WeightParameter as Declared, WeightTable};
use tuner_spec::{Layout, Parameter};
use tuner_trace::Leaf;

/// Which weight of the source, called a leaf, is which weight of the spec.
#[derive(Clone, Debug)]
pub struct Link {
    /// The weight of each leaf.
    weights: Vec<WeightId>,
    /// The lane of each leaf: its place among the values that rows are scored with.
    lanes: Vec<LaneId>,
    /// Slots of the layout, each of two lanes: middlegame and endgame.
    slots: usize,
    /// The value of each leaf in the source.
    values: Vec<f64>,
    /// The initial value of each weight of the spec.
    initial: Vec<f64>,
    /// First weight of the parameter of each leaf.
    pub(super) parameters: Vec<WeightId>,
    /// By leaf: the step, the bounds, and whether a fit may move it.
    ranges: Vec<(f64, f64, f64, bool)>,
}

/// Why the source and the spec do not fit; all reasons at once.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "the source and the spec do not declare the same weights\n  {}",
    .mistakes.join("\n  ")
)]
pub struct LinkError {
    /// One sentence a mistake, with place and cure.
    pub mistakes: Vec<String>,
}

impl Link {
    /// Ties the weights of an evaluator to those of a layout.
    ///
    /// # Errors
    /// Names every parameter that is declared but not registered, registered but not declared,
    /// registered twice, of another shape, or allowed values that the evaluator does not take; and
    /// tables of which an entry that is another const is free, or whose literals are too few.
    pub fn new(registry: &WeightTable, layout: &Layout) -> Result<Self, LinkError> {
        let mut mistakes = Vec::new();
        let mut found: HashMap<&str, &Declared> = HashMap::new();
        for item in &registry.parameters {
            if let Some(first) = found.insert(&item.name, item) {
                mistakes.push(format!(
                    "{}: `{}` is registered twice, first at {}; rename one of the two",
                    place(item),
                    item.name,
                    place(first)
                ));
            }
        }
        // No leaf has a weight yet; every one has where there is no mistake.
        let mut weights = vec![WeightId(usize::MAX); registry.len()];
        for parameter in layout.parameters() {
            match found.remove(parameter.name()) {
                None if !registry.is_rust() => mistakes.push(format!(
                    "the spec declares `{0}`, but the evaluator answers no `parameter {0}` to \
                     `weights`; add it there, or take it out of the spec",
                    parameter.name()
                )),
                None => mistakes.push(format!(
                    "the spec declares `{0}`, but no annotated const or static has this name, or it is \
                     frozen; annotate `{0}` (`#[tunable]`, or `traced!()` in its file, which does not \
                     freeze it), or take it out of the spec",
                    parameter.name()
                )),
                Some(item) if !same_shape(item, parameter) => mistakes.push(format!(
                    "{}: `{}` is {} in the source, {} in the spec; make them equal",
                    place(item),
                    item.name,
                    shape(item.lanes, item.shape.iter().copied()),
                    shape(parameter.phases.count(), lengths(parameter))
                )),
                // Some entries of the table are other consts: `places` says which entry each weight
                // is.
                Some(item) if !item.places.is_empty() => {
                    let first = Leaf(item.first).index();
                    for (leaf, &place) in weights[first..].iter_mut().zip(&item.places) {
                        *leaf = WeightId(parameter.first_weight().index() + place);
                    }
                    mistakes.extend(loose(item, parameter, layout));
                }
                Some(item) if !within(item, parameter) => mistakes.push(format!(
                    "`{}` takes values from {}; the spec allows others: give it `bounds = [{}]`",
                    item.name,
                    bounds(item, " to "),
                    bounds(item, ", ")
                )),
                // The place of a literal in the table would be a guess.
                Some(item) if item.values.len() != parameter.weights().len() => mistakes.push(format!(
                    "{}: `{}` holds {} literals for {} weights, as some entries name other consts; \
                     write these entries out",
                    place(item), item.name, item.values.len(), parameter.weights().len()
                )),
                Some(item) => {
                    let first = Leaf(item.first).index();
                    let leaves = &mut weights[first..first + item.values.len()];
                    for (leaf, weight) in leaves.iter_mut().zip(parameter.weights()) {
                        *leaf = weight;
                    }
                }
            }
        }
        // What is left in `found` has no parameter of the spec.
        mistakes.extend(undeclared(registry, &found));
        if !mistakes.is_empty() {
            return Err(LinkError { mistakes });
        }
        let lanes = weights.iter().map(|&weight| layout.lane(weight)).collect();
        let first = |&weight: &WeightId| layout.parameter_of(weight).first_weight();
        let parameters = weights.iter().map(first).collect();
        Ok(Self {
            weights,
            lanes,
            slots: layout.slots(),
            values: registry.values(),
            initial: layout.initial(),
            parameters,
            ranges: Vec::new(),
        }
        .choosing(layout))
    }

    /// Returns the link with the steps, the bounds and the frozen weights of `layout`, which must
    /// have the same weights.
    #[must_use]
    pub fn choosing(mut self, layout: &Layout) -> Self {
        let range = |&weight: &WeightId| {
            let (low, high) = layout.bounds(weight);
            let step = layout.parameter_of(weight).step.size();
            (step, low, high, !layout.frozen(weight))
        };
        self.ranges = self.weights.iter().map(range).collect();
        self
    }

    /// Returns the step of a weight and its lower and upper bound, by its leaf; `None` if a fit may
    /// not move it.
    pub(super) fn range(&self, leaf: usize) -> Option<(f64, f64, f64)> {
        let (step, low, high, is_free) = self.ranges[leaf];
        is_free.then_some((step, low, high))
    }

    /// Returns the step of a weight, by its leaf: the multiples of which its values are.
    pub(super) fn step(&self, leaf: usize) -> f64 {
        self.ranges[leaf].0
    }

    /// Returns the value within the bounds of a leaf that is nearest to `value`; where the source's
    /// own value is beyond them, the bounds reach to it.
    pub(super) fn within_bounds(&self, leaf: usize, value: f64) -> f64 {
        let (_, low, high, _) = self.ranges[leaf];
        value.clamp(low.min(self.values[leaf]), high.max(self.values[leaf]))
    }

    /// The number of weights of the spec; there are more than leaves where entries are other
    /// consts.
    pub fn spec_weights(&self) -> usize {
        self.initial.len()
    }

    /// The weight of each leaf.
    pub fn weights(&self) -> &[WeightId] {
        &self.weights
    }

    /// Number of slots of the layout, each of two lanes: middlegame and endgame.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// The lane of each leaf: its place among the values that rows are scored with.
    pub fn lanes(&self) -> &[LaneId] {
        &self.lanes
    }

    /// The value of each leaf in the source.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The source's values in the spec's order; of a weight whose entry is another const,
    /// the spec's initial one.
    pub fn source_weights(&self) -> Vec<f64> {
        let mut values = self.initial.clone();
        for (weight, &value) in self.weights.iter().zip(&self.values) {
            values[weight.index()] = value;
        }
        values
    }
}

/// Returns a mistake for each parameter of the evaluator, in its order, that is in `left`, by name:
/// the spec does not declare it.
fn undeclared(registry: &WeightTable, left: &HashMap<&str, &Declared>) -> Vec<String> {
    let mut mistakes = Vec::new();
    let is_left = |item: &&Declared| left.contains_key(&*item.name);
    for item in registry.parameters.iter().filter(is_left) {
        let cure = if item.is_rust() {
            "as `tuner spec import` does, or write `traced!(frozen(NAME))` in its file"
        } else {
            "or leave it out of the answer to `weights`"
        };
        mistakes.push(format!(
            "{}: `{}` holds {} that the spec does not declare; \
             declare it, {cure} if its numbers are no weights",
            place(item),
            item.name,
            counted(item.values.len(), "weight")
        ));
    }
    mistakes
}

/// Returns a mistake if an entry that is another const in the source is free in the spec, neither
/// tied nor frozen: no derivative would ever move it.
fn loose(item: &Declared, parameter: &Parameter, layout: &Layout) -> Option<String> {
    let is_own = |place: usize| item.places.binary_search(&place).is_ok();
    let is_tied = |weight: WeightId| layout.ties().iter().any(|tie| tie.weight == weight);
    let is_free = |(place, weight): &(usize, WeightId)| {
        !is_own(*place) && !is_tied(*weight) && !layout.frozen(*weight)
    };
    let (_, free) = parameter.weights().enumerate().find(is_free)?;
    let name = layout.name(free);
    Some(format!(
        "{}: {name} has no literal in the source, as its entry is another const, and is free in the \
         spec; tie it to that const (`[[tie]]`), or list it in `frozen`",
        place(item)
    ))
}

/// Where a parameter is declared, for messages; "evaluator" if the evaluator says no file.
fn place(item: &Declared) -> String {
    if item.file.is_empty() {
        return "evaluator".to_owned();
    }
    format!("{}:{}:{}", item.file, item.line, item.column)
}

/// Tells whether the spec keeps weights within the bounds that the evaluator says, if it says some.
fn within(item: &Declared, parameter: &Parameter) -> bool {
    let (low, high) = parameter.bounds();
    (item.bounds).is_none_or(|[least, most]| low >= least && high <= most)
}

/// The bounds that the evaluator says, with a text between them; empty if it says none.
fn bounds(item: &Declared, between: &str) -> String {
    let words = (item.bounds).map(|[low, high]| format!("{low}{between}{high}"));
    words.unwrap_or_default()
}

/// Tells whether source and spec declare as many numbers in the same order. The pair of an entry
/// counts as one more array, as it does where the source has arrays of two; lengths of 1 count for
/// nothing.
fn same_shape(item: &Declared, parameter: &Parameter) -> bool {
    let flat = |mut dims: Vec<usize>, lanes: usize| {
        dims.push(lanes);
        dims.retain(|&len| len != 1);
        dims
    };
    let declared: Vec<usize> = lengths(parameter).collect();
    flat(item.shape.clone(), item.lanes) == flat(declared, parameter.phases.count().max(1))
}

/// The lengths of the dimensions that the spec declares.
fn lengths(parameter: &Parameter) -> impl Iterator<Item = usize> {
    parameter.dims.iter().map(tuner_spec::Dim::len)
}

/// The shape of a parameter in words, such as `a pair[2][64]`. `lanes`: how many numbers an entry
/// has; `lengths`: those of its dimensions.
fn shape(lanes: usize, lengths: impl Iterator<Item = usize>) -> String {
    let dims = joined(lengths.map(|len| format!("[{len}]")), "");
    match lanes {
        0 | 1 => format!("a number{dims}"),
        2 => format!("a pair{dims}"),
        lanes => format!("{lanes} numbers{dims}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test may stop at the first surprise

    use std::path::Path;

    use super::*;
    use crate::agreement::Agreement;
    use tuner_spec::Spec;
    use tuner_trace::{Form, Trace};

    /// Links a spec of one table of three to these items.
    fn refused(parameters: Vec<Declared>) -> String {
        let text =
            "version = 1\nname = \"e\"\n[[parameter]]\nname = \"A\"\nshape = [3]\ninitial = 1\n";
        let spec = Spec::parse(Path::new("e.toml"), text).unwrap();
        let error = Link::new(&WeightTable { parameters }, spec.layout()).unwrap_err();
        error.to_string()
    }

    fn declared() -> Declared {
        Declared {
            name: "A".to_owned(),
            module: "crate".to_owned(),
            file: "e.rs".to_owned(),
            line: 1,
            column: 7,
            shape: vec![3],
            lanes: 1,
            values: vec![1.0, 2.0, 3.0],
            ..Declared::default()
        }
    }

    /// `const A: [i32; 3] = [1, B, 3];`
    #[test]
    fn a_table_with_entries_that_are_other_consts_has_too_few_literals() {
        let values = vec![1.0, 3.0];
        let words = refused(vec![Declared {
            values,
            ..declared()
        }]);
        assert!(
            words.contains("e.rs:1:7: `A` holds 2 literals for 3 weights"),
            "{words}"
        );
    }

    #[test]
    fn units_that_declare_the_same_weight_are_both_named() {
        let other = Declared {
            module: "crate::terms".to_owned(),
            file: "terms.rs".to_owned(),
            line: 9,
            first: 3,
            ..declared()
        };
        let words = refused(vec![declared(), other]);
        let said =
            "terms.rs:9:7: `A` is registered twice, first at e.rs:1:7; rename one of the two";
        assert!(words.contains(said), "{words}");
    }

    /// `const A: [i32; 3] = [1, ZERO, 3];`, whose spec freezes the entry between.
    #[test]
    fn a_position_is_noted_where_the_spec_has_more_weights_than_the_source_has_literals() {
        let text = "version = 1\nname = \"e\"\n[[parameter]]\nname = \"A\"\nshape = [3]\n\
                    initial = [1, 0, 3]\nfrozen = [\"[1]\"]\n";
        let spec = Spec::parse(Path::new("e.toml"), text).unwrap();
        let item = Declared {
            values: vec![1.0, 3.0],
            places: vec![0, 2],
            ..declared()
        };
        let parameters = vec![item];
        let link = Link::new(&WeightTable { parameters }, spec.layout()).unwrap();
        assert_eq!(link.source_weights(), [1.0, 0.0, 3.0]);
        let form = Form {
            factor: 1.0,
            terms: vec![(Leaf(0), 2), (Leaf(1), 1)],
        };
        let trace = Trace {
            score: 5.0,
            forms: vec![form],
            ..Trace::default()
        };
        let mut agreement = Agreement::new(link.spec_weights());
        agreement.note(&link, &trace, 5.0, "");
        assert_eq!((agreement.mismatches, agreement.residuals.count), (0, 0));
        assert_eq!(agreement.reads, [1, 0, 1]);
    }
}
