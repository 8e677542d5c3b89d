//! The page of a spec: what each parameter is, and its values, boards as boards.

use maud::{Markup, html};

use crate::digest::{Digest, Table, View, Weight};
use crate::html::{ROWS, cell, contents, head, headed, left_out, page, table, values};
use crate::record::{NamedValues, RunRecord};
use crate::text;

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
    let run = RunRecord {
        weights: record.values.clone(),
        ..RunRecord::default()
    };
    let digest = Digest::new(&run);
    let name = text::name(&record.name);
    let title = format!("The weights of {name}");
    let sections: Vec<(String, String, Markup)> = (record.parameters.iter().enumerate())
        .map(|(number, parameter)| {
            let name = text::name(&parameter.name);
            let of_it = |table: &&Table| table.name == name;
            let found = digest.tables.iter().find(of_it);
            let body = section(parameter, found, &digest.weights);
            (format!("p{number}"), name, body)
        })
        .collect();
    let sections: Vec<(&str, &str, Markup)> = (sections.iter())
        .map(|(id, title, body)| (id.as_str(), title.as_str(), body.clone()))
        .collect();
    let body = html! {
        header {
            p.over { "Spec" }
            h1 { (title) }
            (facts(&record.facts))
        }
        (contents(&sections))
        p.note {
            "Boards: blue above 0, orange below, the darkest the largest of the picture, or in dark pages the brightest; "
            "with 8 ranks the first square is at the lower left, as a1; with 9 at the upper left."
        }
        (headed(&sections))
    };
    page(&title, &body)
}

fn facts(facts: &[(String, String)]) -> Markup {
    let shown: Vec<(&str, String)> = (facts.iter())
        .map(|(what, words)| (what.as_str(), text::sentence(words)))
        .collect();
    html! { @if !shown.is_empty() { (head::pairs(&shown)) } }
}

fn section(parameter: &SpecParameterRecord, found: Option<&Table>, all: &[Weight]) -> Markup {
    html! {
        @for line in &parameter.doc { p { (text::sentence(line)) } }
        (facts(&parameter.facts))
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
    let (columns, lanes) = if pairs {
        (&["entry", "mg", "eg"][..], 2)
    } else {
        (&["entry", "value"][..], 1)
    };
    let rows: Vec<Vec<Markup>> = (weights.chunks(lanes).take(ROWS))
        .map(|entry| {
            let name = entry.first().map_or("", |weight| weight.name.as_str());
            let name = name.strip_suffix(".mg").filter(|_| pairs).unwrap_or(name);
            let mut row = vec![cell(name)];
            row.extend(entry.iter().map(|weight| cell(text::maybe(weight.value))));
            row
        })
        .collect();
    html! {
        (table(columns, &rows))
        (left_out(weights.len() / lanes, "entries", "the first"))
    }
}
