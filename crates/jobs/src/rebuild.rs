//! The proof that the twin is production at any weights: production is built with others and
//! asked for the scores that the twin says there.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::copies::Copies;
use crate::weights::other_weights;
use crate::{Job, NamedSet, Project, Result};
use tuner_base::Fingerprint;
use tuner_engine::{Link, LinkedSpec, some_names};
use tuner_spec::codegen::Language;

/// How long a parameter is looked for. Chosen: where it takes longer, a build takes minutes.
const LONGEST: Duration = Duration::from_mins(2);

/// Most positions that are compared, drawn evenly from those that are read.
pub(crate) const COMPARED: usize = 1000;

/// The comparison of production, built with random weights, with the twin, at the same weights.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RebuildSummary {
    /// Weights that were changed.
    pub weights: usize,
    /// Positions that have both scores.
    pub positions: u64,
    /// Positions without both scores: a number overflows at these weights, or there is no score.
    pub skipped: u64,
    /// Positions whose two scores differ.
    pub wrong: u64,
    /// The first position whose scores differ, if any.
    pub first: Option<RebuiltScore>,
    /// The parameters whose change alone makes scores differ: mostly one; empty where it was not
    /// looked for.
    pub parameters: Vec<String>,
}

/// A position with two scores at the same weights.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RebuiltScore {
    /// The position in its notation.
    pub position: String,
    /// The score of production, built with the weights.
    pub production: f64,
    /// The score of the twin, the traced copy of the evaluation, at the same weights.
    pub twin: f64,
}

/// An engine whose evaluator can be built with other weights.
pub(crate) struct Rebuild<'a> {
    copies: Copies<'a>,
    /// Random weights, then those of the source, both in the order of the spec.
    weights: [Vec<f64>; 2],
}

impl<'a> Rebuild<'a> {
    /// Prepares builds of the evaluator with other weights, and draws these weights at random, the
    /// same in each run. Nothing is built yet.
    ///
    /// # Errors
    /// If the evaluator cannot be built with other weights: why, and what to do.
    pub(crate) fn new(job: &Job, project: &'a Project, linked: &'a LinkedSpec) -> Result<Self> {
        let (file, program) = (&project.file, &project.file.evaluator);
        // Why it cannot be built, in words that follow `--rebuild`.
        let lacks = if !job.ranks.is_alone() {
            "is for one process; leave --processes out"
        } else if matches!(linked.language, Language::C | Language::Cpp) {
            "writes other weights into Rust sources, and this evaluator is in C or C++: its \
             `production` is compared without it (docs/cpp.md, Serve), and a build of the engine \
             that includes tuned_weights.hpp has other weights (docs/cpp.md, Play)"
        } else if file.sources.is_empty() {
            "writes other weights into the Rust sources of the evaluation, and nothing says where \
             these are: add `sources = [\"src\"]`; in other languages leave --rebuild out"
        } else if program.build.is_none() {
            "builds the evaluator with other weights, and nothing says how: add `build` to \
             `[evaluator]`"
        } else {
            return Ok(Self {
                weights: [random(linked)?, linked.link.source_weights()],
                copies: Copies {
                    project,
                    linked,
                    program,
                    what: "evaluator",
                },
            });
        };
        fail!("{}: --rebuild {lacks}", file.file.display())
    }

    /// Builds production with other weights of all parameters, and compares its scores of
    /// `positions` with those of the traced twin at the same weights. Where scores differ, looks
    /// for the parameter whose change makes them differ; each try takes a build. Says what it
    /// found.
    ///
    /// `is_explained`: whether a part of the score that no weight explains was found before, with
    /// its place in the source. Then no parameter is looked for, as that part is the reason.
    pub(crate) fn compare(
        &self,
        job: &Job,
        positions: &[String],
        is_explained: bool,
    ) -> Result<RebuildSummary> {
        let layout = self.copies.linked.spec.layout();
        let all = layout.parameters().iter();
        let all: Vec<String> = all.map(|one| one.name().to_owned()).collect();
        let mut found = self.changed(job, &all, positions)?;
        let others = match found.skipped {
            0 => String::new(),
            skipped => format!(
                "; {skipped} have no score to compare, as a number overflows or it is refused"
            ),
        };
        // Without a first position whose scores differ, all agree.
        let (weights, compared, wrong) = (found.weights, found.positions, found.wrong);
        let Some(first) = &found.first else {
            job.say(format_args!(
                "rebuild: production built with {weights} other weights gives the score of its twin \
                 on {compared} positions{others}"
            ));
            return Ok(found);
        };
        job.say(format_args!(
            "rebuild: with {weights} other weights production, built with them, and its twin give \
             two scores on {wrong} of {compared} positions{others}, first {} and {}: {}",
            first.production, first.twin, first.position
        ));
        if is_explained {
            job.say(
                "  a part of the score that no weight explains, as said above, is computed from \
                 weights: compute it where it is traced",
            );
            return Ok(found);
        }
        // Looks for as few parameters as possible whose change alone makes scores differ.
        let differs = |some: &[String]| Ok(self.changed(job, some, positions)?.wrong > 0);
        let parameters = fewest(all, differs)?;
        job.say(format_args!(
            "  it takes the change of {} alone: production reads what the twin takes for a fixed \
             number, or reads otherwise",
            some_names(parameters.iter().cloned())
        ));
        found.parameters = parameters;
        Ok(found)
    }

    /// Builds production with random weights for the parameters `parameters`, and the source's for
    /// all others, and compares its scores of `positions` with those of the traced twin at the same
    /// weights. Fails if the evaluator that was built does not have these weights.
    fn changed(
        &self,
        job: &Job,
        parameters: &[String],
        positions: &[String],
    ) -> Result<RebuildSummary> {
        let (project, linked) = (self.copies.project, self.copies.linked);
        let layout = linked.spec.layout();
        let [random, source] = &self.weights;
        let mut set = NamedSet::of("other weights", source.clone());
        for weight in layout.weight_ids() {
            let own = layout.parameter_of(weight).name();
            if parameters.iter().any(|name| name == own) {
                set.weights[weight.index()] = random[weight.index()];
            }
        }
        let values = set.values(linked);
        let built = project.started(self.copies.built_at(job, &set)?)?;
        // The weights that the evaluator says it was built with, and which of them were not wanted.
        let held = Link::new(built.weights(), layout)?.source_weights();
        let other = other_weights(layout, &held, &set.weights);
        if !other.is_empty() {
            let file = project.file.file.display();
            fail!(
                "{file}: weights were written into a copy of the sources, and the evaluator built \
                 there has others of {}; name their files in `sources`",
                some_names(other.into_iter())
            );
        }
        // An empty list of values means the weights that it was built with.
        let production = built.scores(&[], positions)?;
        let twin = project.evaluation()?.scores(&values, positions)?;
        let changed = set.weights.iter().zip(source);
        let changed = changed.filter(|(new, old)| new.to_bits() != old.to_bits());
        let mut found = RebuildSummary {
            weights: changed.count(),
            ..RebuildSummary::default()
        };
        for (position, scores) in positions.iter().zip(production.into_iter().zip(twin)) {
            let (Ok([production, _]), Ok([twin, _])) = scores else {
                found.skipped += 1;
                continue;
            };
            found.positions += 1;
            // Floats may be added up in another order, so a relative difference of 1e-9 is allowed.
            if (production - twin).abs() > 1e-9 * (1.0 + production.abs()) {
                found.wrong += 1;
                found.first.get_or_insert_with(|| RebuiltScore {
                    position: position.clone(),
                    production,
                    twin,
                });
            }
        }
        Ok(found)
    }
}

/// Finds a small part of `all`, parameters, whose change alone makes scores differ. `differs`:
/// whether scores differ if only the given ones are changed; the caller knows that they do with
/// `all`. It looks by halves: as long as a change of one half suffices, that half replaces the
/// whole. It ends where both halves are needed, or after [`LONGEST`] (2 minutes).
pub(crate) fn fewest<T: Clone>(
    mut all: Vec<T>,
    mut differs: impl FnMut(&[T]) -> Result<bool>,
) -> Result<Vec<T>> {
    let begun = Instant::now();
    while all.len() > 1 && begun.elapsed() < LONGEST {
        let (one, other) = all.split_at(all.len() / 2);
        if differs(one)? {
            all = one.to_vec();
        } else if differs(other)? {
            all = other.to_vec();
        } else {
            break;
        }
    }
    Ok(all)
}

/// Returns weights in the order of the spec that differ from the source's, drawn by hashes of their
/// names, so that each call draws the same. A weight is moved by 1 to 8 units of the last decimal
/// of its step (for whole weights a unit is 1), up or down; or, if its size is more than 64 units,
/// by up to a quarter of it towards 0, so that it still fits its type. Where its bounds forbid
/// that, it is moved the other way, or not at all. Frozen weights are not moved, as they may have
/// no literal of their own; tied weights follow those they are tied to.
fn random(linked: &LinkedSpec) -> Result<Vec<f64>> {
    /// Largest size of a weight, in units of the last decimal of its step, that is moved either
    /// way.
    const SMALL: i64 = 64;
    let layout = linked.spec.layout();
    let source = linked.link.source_weights();
    let mut counts = layout.counts(&source)?;
    let ties = layout.ties();
    for weight in layout.weight_ids() {
        if layout.frozen(weight) || ties.iter().any(|tie| tie.weight == weight) {
            continue;
        }
        let mut hash = Fingerprint::new();
        hash.text(&layout.name(weight));
        let (count, drawn) = (counts[weight.index()], (hash.value() >> 8) as i64);
        // The lowest bit drawn is the direction, the bits above it are the distance; shifted by 8,
        // the hash is not negative as an `i64`. `count`: the weight in units of the last decimal of
        // its step.
        let (drawn, sign) = (drawn >> 1, 1 - 2 * (drawn & 1));
        let by = if count.abs() > SMALL {
            -count.signum() * (1 + drawn % (count.abs() / 4))
        } else {
            sign * (1 + drawn % 8)
        };
        let (low, high) = layout.bounds(weight);
        let within = [by, -by].into_iter().find(|by| {
            let step = layout.parameter_of(weight).step;
            (low..=high).contains(&step.value(count + by))
        });
        counts[weight.index()] = count + within.unwrap_or_default();
    }
    let mut values = layout.values(&counts);
    for tie in ties.iter().filter(|tie| !layout.frozen(tie.weight)) {
        let (weight, root) = (tie.weight.index(), tie.root.index());
        values[weight] = source[weight] + tie.factor * (values[root] - source[root]);
    }
    Ok(values)
}
