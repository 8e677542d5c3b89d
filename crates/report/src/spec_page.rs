//! The page of a spec: what each parameter is, and its values, boards as boards.

use maud::{Markup, Render, html};

use crate::digest::{Table, View, Weight};
use crate::html::{List, head, page, values};
use crate::text;
use tuner_judge::{WeightStatement, WeightStatus};
use tuner_record::NamedValues;

/// What a spec says, for a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpecPageRecord {
    /// Its name.
    pub name: String,
    /// What holds for all of it: what, and in words.
    pub facts: Vec<(String, String)>,
    /// Its parameters, in their order.
    pub parameters: Vec<SpecParameterRecord>,
    /// Its weights with their values, in their order.
    pub values: NamedValues,
}

/// A parameter of a spec.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpecParameterRecord {
    /// Its name.
    pub name: String,
    /// Lines of its doc text.
    pub doc: Vec<String>,
    /// Bounds, priors, group and so on: what, and in words.
    pub facts: Vec<(String, String)>,
}

/// Returns a page on a spec: one file that loads nothing, without scripts.
///
/// *Cost*: a table for every board, some 4 kB each.
pub fn spec_page(record: &SpecPageRecord) -> String {
    let weights = weights(&record.values);
    let tables = Table::all(&weights);
    let title = format!("The weights of {}", text::name(&record.name));
    let sections = record.parameters.iter().enumerate();
    let sections = sections.map(|(number, parameter)| {
        let name = text::name(&parameter.name);
        let found = tables.iter().find(|table| table.name == name);
        let body = section(parameter, found, &weights);
        (format!("p{number}"), name, Some(body))
    });
    let header = html! {
        p.over { "Spec" }
        h1 { (title) }
        @if let Some(facts) = head::typed(&record.facts) { (facts) }
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

fn section(parameter: &SpecParameterRecord, found: Option<&Table>, all: &[Weight]) -> Markup {
    html! {
        @for line in &parameter.doc { p { (text::sentence(line)) } }
        @if let Some(facts) = head::typed(&parameter.facts) { (facts) }
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
