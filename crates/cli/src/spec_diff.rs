//! `spec diff`: which weights of two sources differ, whatever kind each is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;

use crate::output;
use crate::spec_args::SpecDiffArgs;
use crate::table::TextTable;
use tuner_fit::run::named_values;
use tuner_jobs::{JobFailure as Failure, summary_of};
use tuner_spec::Spec;
use tuner_spec::source::{Choice, Sources, import};

/// Weights without a partner that are named.
const LISTED: usize = 8;

/// A weight with two values.
#[derive(Serialize)]
struct Changed {
    name: String,
    a: f64,
    b: f64,
}

/// The output of `--json`.
#[derive(Serialize)]
struct DifferenceObject {
    changed: Vec<Changed>,
    only_a: Vec<String>,
    only_b: Vec<String>,
    equal: usize,
}

pub(crate) fn run(args: &SpecDiffArgs) -> Result<(), Failure> {
    let (mut a, mut b) = (values(&args.a)?, values(&args.b)?);
    adopt_names(&mut a, &b);
    adopt_names(&mut b, &a);
    adopt_order(&mut a, &b);
    let (a, b) = (a.weights, b.weights);
    let in_b: BTreeMap<&str, f64> = b.iter().map(|(name, v)| (name.as_str(), *v)).collect();
    let in_a: BTreeMap<&str, f64> = a.iter().map(|(name, v)| (name.as_str(), *v)).collect();
    let both = a.iter().filter_map(|(name, a)| {
        let b = *in_b.get(name.as_str())?;
        let name = name.clone();
        Some(Changed { name, a: *a, b })
    });
    let (changed, equal): (Vec<Changed>, Vec<Changed>) =
        both.partition(|one| (one.a - one.b).abs() > 0.0);
    let alone = |of: &[(String, f64)], other: &BTreeMap<&str, f64>| -> Vec<String> {
        let names = of.iter().map(|(name, _)| name);
        let names = names.filter(|name| !other.contains_key(name.as_str()));
        names.cloned().collect()
    };
    let (only_a, only_b) = (alone(&a, &in_b), alone(&b, &in_a));
    if args.json {
        return output::json(&DifferenceObject {
            changed,
            only_a,
            only_b,
            equal: equal.len(),
        });
    }
    if !changed.is_empty() {
        let table = if args.weights {
            by_weight(&changed)
        } else {
            by_parameter(&changed, &equal)
        };
        output::text(&table)?;
    }
    for (file, names) in [(&args.a, &only_a), (&args.b, &only_b)] {
        if !names.is_empty() {
            let some = &names[..names.len().min(LISTED)];
            let more = if names.len() > LISTED { ", …" } else { "" };
            let file = file.display();
            say!(
                "{} weights only in {file}: {}{more}",
                names.len(),
                some.join(", ")
            );
        }
    }
    say!(
        "{} weights differ, {} are equal",
        changed.len(),
        equal.len()
    );
    Ok(())
}

fn by_weight(changed: &[Changed]) -> String {
    let mut table = TextTable::new("<weight,a,b,change");
    for Changed { name, a, b } in changed {
        table.row([
            name.clone(),
            a.to_string(),
            b.to_string(),
            format!("{:+}", b - a),
        ]);
    }
    table.text()
}

fn by_parameter(changed: &[Changed], equal: &[Changed]) -> String {
    let mut table = TextTable::new("<parameter,differ,of,mean change,<largest change");
    let mut order: Vec<&str> = Vec::new();
    for one in changed {
        let stem = stem(&one.name);
        if !order.contains(&stem) {
            order.push(stem);
        }
    }
    for parameter in order {
        let of = |list: &&Changed| stem(&list.name) == parameter;
        let differ: Vec<&Changed> = changed.iter().filter(of).collect();
        let same = equal.iter().filter(of).count();
        let sum: f64 = differ.iter().map(|one| one.b - one.a).sum();
        let size = |one: &&&Changed| (one.b - one.a).abs();
        let largest = differ.iter().max_by(|x, y| size(x).total_cmp(&size(y)));
        table.row([
            parameter.to_owned(),
            differ.len().to_string(),
            (differ.len() + same).to_string(),
            format!("{:+.1}", sum / (differ.len() + same) as f64),
            largest.map_or_else(String::new, |one| {
                let inside = &one.name[parameter.len()..];
                format!("{inside} {} → {} ({:+})", one.a, one.b, one.b - one.a)
            }),
        ]);
    }
    table.text()
}

/// The parameter of a weight.
fn stem(name: &str) -> &str {
    name.split(['[', '.']).next().unwrap_or(name)
}

/// Names and values of something, and how its names are with numbers as indices.
#[derive(Default)]
struct Named {
    weights: Vec<(String, f64)>,
    /// By the name with numbers; empty where nobody knows.
    names: BTreeMap<String, String>,
}

/// Names of indices are known to specs alone: sources have their numbers.
fn adopt_names(these: &mut Named, other: &Named) {
    for (name, _) in &mut these.weights {
        if let Some(adopted) = other.names.get(name.as_str()) {
            name.clone_from(adopted);
        }
    }
}

/// Gives tables that both have, of as many weights under other names of their indices,
/// the names of the other: both are in the order of the table, and nobody is here who
/// knows what its names stand for.
fn adopt_order(these: &mut Named, other: &Named) {
    let tables = |of: &Named| -> BTreeMap<String, Vec<usize>> {
        let mut tables: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, (name, _)) in of.weights.iter().enumerate() {
            tables.entry(stem(name).to_owned()).or_default().push(at);
        }
        tables
    };
    let theirs = tables(other);
    for (name, own) in tables(these) {
        let Some(their) = theirs.get(&name).filter(|their| their.len() == own.len()) else {
            continue;
        };
        let known: BTreeSet<&str> = their.iter().map(|&at| &*other.weights[at].0).collect();
        if (own.iter()).all(|&at| !known.contains(&*these.weights[at].0)) {
            for (&at, &their) in own.iter().zip(their) {
                these.weights[at].0.clone_from(&other.weights[their].0);
            }
        }
    }
}

/// Names and values of whatever a path leads to.
fn values(path: &Path) -> Result<Named, Failure> {
    let is = |extension: &str| path.extension().is_some_and(|found| found == extension);
    let file = summary_of(path);
    if is("toml") {
        return Ok(of_spec(&Spec::load(path)?));
    }
    if is("rs") || (path.is_dir() && !file.exists()) {
        let sources = Sources::read(&[path.to_owned()])?;
        let found = import(&sources, &Choice::default(), "source")?;
        let spec = Spec::parse(Path::new("the imported spec"), &found.text)?;
        return Ok(of_spec(&spec));
    }
    let (weights, names) = (named_values(&file)?.values, BTreeMap::new());
    Ok(Named { weights, names })
}

fn of_spec(spec: &Spec) -> Named {
    let layout = spec.layout();
    let names = layout.weight_ids().map(|weight| layout.name(weight));
    let numbered = layout.weight_ids().map(|w| layout.numbered_name(w));
    Named {
        names: numbered.zip(names.clone()).collect(),
        weights: names.zip(layout.initial()).collect(),
    }
}
