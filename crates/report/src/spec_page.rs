//! The page of a spec: what each parameter is, and its values, boards as boards.

use maud::{Markup, Render, html};

use crate::digest::{Table, View, Weight};
use crate::html::{List, head, page, values};
use crate::text;
use tuner_judge::{WeightStatement, WeightStatus};
use tuner_record::NamedValues;
use tuner_spec::{Layout, Parameter, Spec, WeightId};

/// Returns a page on a spec: one file that loads nothing, without scripts.
///
/// *Cost*: a table for every board, some 4 kB each.
pub fn spec_page(spec: &Spec) -> String {
    let layout = spec.layout();
    let names = layout.weight_ids().map(|weight| layout.name(weight));
    let weights = weights(&NamedValues(names.zip(layout.initial()).collect()));
    let tables = Table::all(&weights);
    let title = format!("The weights of {}", text::name(spec.name()));
    let sections = layout.parameters().iter().enumerate();
    let sections = sections.map(|(number, parameter)| {
        let name = text::name(parameter.name());
        let found = tables.iter().find(|table| table.name == name);
        let body = section(layout, parameter, found, &weights);
        (format!("p{number}"), name, Some(body))
    });
    let header = html! {
        p.over { "Spec" }
        h1 { (title) }
        (facts(&about(spec)))
        p.note {
            "Boards: blue above 0, orange below, the darkest the largest of the picture, or in dark pages the brightest; "
            "with 8 ranks the first square is at the lower left, as a1; with 9 at the upper left."
        }
    };
    page(&title, &header, sections)
}

/// Weights of which nothing is known but their values.
pub(crate) fn weights(values: &NamedValues) -> Vec<Weight> {
    let statements = values.0.iter().map(|(name, value)| WeightStatement {
        name: name.clone(),
        status: WeightStatus::Fitted,
        before: *value,
        value: *value,
        standard_error: None,
        data: None,
        p_zero: None,
        p_change: None,
        changed: false,
        advice: None,
        games: 0,
    });
    Weight::all(&statements.collect::<Vec<_>>(), &[])
}

/// What, and in words where that is known.
type Fact = (&'static str, Option<String>);

/// What holds for all of a spec.
fn about(spec: &Spec) -> [Fact; 6] {
    let layout = spec.layout();
    let frozen = layout.weight_ids().filter(|&w| layout.frozen(w)).count();
    let values = spec.values().unwrap_or("initial ones, not fitted");
    [
        ("weights", layout.weights().to_string()),
        ("unit", spec.unit().to_owned()),
        ("tied", layout.ties().len().to_string()),
        ("frozen", frozen.to_string()),
        ("values", values.to_owned()),
        ("hash", spec.hash().to_owned()),
    ]
    .map(|(what, words)| (what, Some(words)))
}

/// Bounds, priors, group and so on.
fn about_parameter(layout: &Layout, parameter: &Parameter) -> [Fact; 10] {
    let (low, high) = parameter.bounds();
    let step = parameter.step;
    let laplace = parameter.laplace.map(|laplace| {
        let to = if laplace.to_zero {
            "0"
        } else {
            "initial values"
        };
        format!("± {} toward {to}", laplace.deviation)
    });
    let of_it = |weight: WeightId| parameter.weights().any(|own| own == weight);
    let tied = layout.ties().iter().filter(|tie| of_it(tie.weight)).count();
    let fixed = parameter.weights().filter(|&w| layout.frozen(w)).count();
    let ordered = (layout.constraints().iter())
        .filter(|row| row.terms.iter().any(|&(weight, _)| of_it(weight)))
        .count();
    let some = |count: usize| (count > 0).then(|| count.to_string());
    let neighbours = parameter
        .smooth
        .as_ref()
        .map(|s| format!("± {}", s.deviation));
    [
        ("shape", Some(parameter.shape()).filter(|s| !s.is_empty())),
        (
            "bounds",
            low.is_finite().then(|| format!("{low} to {high}")),
        ),
        ("step", (!step.is_one()).then(|| step.size().to_string())),
        ("prior", parameter.prior.map(|d| format!("± {d}"))),
        ("neighbours", neighbours),
        ("l1", laplace),
        ("group", parameter.group.clone()),
        ("tied", some(tied)),
        ("frozen", some(fixed)),
        ("orders and sums", some(ordered)),
    ]
}

fn facts(facts: &[Fact]) -> Markup {
    let words = |words: &String| text::sentence(words);
    head::pairs((facts.iter()).map(|(what, known)| (*what, known.as_ref().map(words))))
}

fn section(
    layout: &Layout,
    parameter: &Parameter,
    found: Option<&Table>,
    all: &[Weight],
) -> Markup {
    html! {
        @for line in &parameter.doc { p { (text::sentence(line)) } }
        (facts(&about_parameter(layout, parameter)))
        @if let Some(found) = found {
            @match found.view {
                View::Board(files, ranks) => (values(&found.slices, Some((files, ranks)), all)),
                View::Grid => (values(&found.slices, None, all)),
                View::Line | View::Single | View::None => (list(found, all)),
            }
        }
    }
}

/// The values one below the other, those of two phases next to each other.
fn list(found: &Table, all: &[Weight]) -> Markup {
    let weights: Vec<&Weight> = found.weights(all).collect();
    let is_pair = |pair: &[&Weight]| {
        let [mg, eg] = pair else { return false };
        let stem = mg.name.strip_suffix(".mg");
        stem.is_some() && stem == eg.name.strip_suffix(".eg")
    };
    let pairs = weights.len().is_multiple_of(2) && weights.chunks(2).all(is_pair);
    let value = |weight: Option<&&Weight>| Some(text::number(weight?.stated.value));
    let lanes = if pairs { 2 } else { 1 };
    let entries: Vec<&[&Weight]> = weights.chunks(lanes).collect();
    let mut list = List::first_of(&entries, "entries")
        .column("entry", |entry| {
            let name = entry.first().map_or("", |weight| weight.name.as_str());
            let name = name.strip_suffix(".mg").filter(|_| pairs).unwrap_or(name);
            name.to_owned()
        })
        .column(if pairs { "mg" } else { "value" }, |entry| {
            value(entry.first())
        });
    if pairs {
        list = list.column("eg", |entry| value(entry.get(1)));
    }
    list.render()
}
