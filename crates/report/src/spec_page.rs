//! The page of a spec: what each parameter is, and its values, boards as boards.

use std::rc::Rc;

use maud::{Markup, Render, html};

use crate::digest::{Digest, Table, View, Weight};
use crate::html::{Facts, List, page, values};
use crate::text;
use tuner_spec::{Layout, Parameter, Spec, WeightId};

/// Returns a page on a spec: one file that loads nothing, without scripts.
///
/// *Cost*: a table for every board, some 4 kB each.
pub fn spec_page(spec: &Spec) -> String {
    let layout = spec.layout();
    let weights = layout.weight_ids().zip(layout.initial());
    let weights = weights.map(|(weight, value)| Weight::unfitted(layout.name(weight), value));
    let digest = Digest::new(weights.collect());
    let title = format!("The weights of {}", text::name(spec.name()));
    let sections = layout.parameters().iter().enumerate();
    let sections = sections.map(|(number, parameter)| {
        let body = section(layout, parameter, &digest);
        (
            format!("p{number}"),
            text::name(parameter.name()),
            Some(body),
        )
    });
    let header = html! {
        p.over { "Spec" }
        h1 { (title) }
        (about(spec))
        p.note {
            "Boards: blue above 0, orange below, the darkest the largest of the picture, or in dark pages the brightest; "
            "with 8 ranks the first square is at the lower left, as a1; with 9 at the upper left."
        }
    };
    page(&title, &header, sections)
}

/// What holds for all of a spec.
fn about(spec: &Spec) -> Facts<'static> {
    let layout = spec.layout();
    let values = spec.values().unwrap_or("initial ones, not fitted");
    Facts::default()
        .fact("weights", layout.weights())
        .fact("unit", text::sentence(spec.unit()))
        .fact("tied", layout.ties().len())
        .fact(
            "frozen",
            layout.weight_ids().filter(|&w| layout.frozen(w)).count(),
        )
        .fact("values", text::sentence(values))
        .fact("hash", spec.hash())
}

/// Bounds, priors, group and so on.
fn about_parameter(layout: &Layout, parameter: &Parameter) -> Facts<'static> {
    let (low, high) = parameter.bounds();
    let deviation = |deviation: f64| format!("± {deviation}");
    let laplace = parameter.laplace.map(|laplace| {
        let to = if laplace.to_zero {
            "0"
        } else {
            "initial values"
        };
        format!("{} toward {to}", deviation(laplace.deviation))
    });
    let smooth = parameter.smooth.as_ref();
    let of_it = |weight: WeightId| parameter.weights().any(|own| own == weight);
    let tied = layout.ties().iter().filter(|tie| of_it(tie.weight));
    let frozen = parameter.weights().filter(|&w| layout.frozen(w));
    let ordered = (layout.constraints().iter())
        .filter(|row| row.terms.iter().any(|&(weight, _)| of_it(weight)));
    let some = |count: usize| Some(count).filter(|count| *count > 0);
    let step = Some(parameter.step).filter(|step| !step.is_one());
    Facts::default()
        .fact("shape", Some(parameter.shape()).filter(|s| !s.is_empty()))
        .fact(
            "bounds",
            low.is_finite().then(|| format!("{low} to {high}")),
        )
        .fact("step", step.map(|step| step.size().to_string()))
        .fact("prior", parameter.prior.map(deviation))
        .fact("neighbours", smooth.map(|s| deviation(s.deviation)))
        .fact("l1", laplace)
        .fact("group", parameter.group.as_deref().map(text::sentence))
        .fact("tied", some(tied.count()))
        .fact("frozen", some(frozen.count()))
        .fact("orders and sums", some(ordered.count()))
}

fn section(layout: &Layout, parameter: &Parameter, digest: &Digest) -> Markup {
    let name = text::name(parameter.name());
    let table = digest.tables.iter().find(|table| table.name == name);
    html! {
        @for line in &parameter.doc { p { (text::sentence(line)) } }
        (about_parameter(layout, parameter))
        @if let Some(table) = table {
            @match table.view {
                View::Board(..) | View::Grid => (values(table)),
                View::Line | View::Single | View::None => (list(table)),
            }
        }
    }
}

/// The values one below the other, those of two phases next to each other.
fn list(table: &Table) -> Markup {
    let weights = &table.members;
    let stem = |weight: &Weight| weight.name.strip_suffix(".mg").map(str::to_owned);
    let are_pairs = weights.first().is_some_and(|weight| stem(weight).is_some());
    let entries: Vec<&[Rc<Weight>]> = weights.chunks(if are_pairs { 2 } else { 1 }).collect();
    let value = |weight: &Weight| text::number(weight.stated.value);
    let mut list = List::first_of(&entries, "entries")
        .column("entry", |entry| {
            stem(&entry[0]).unwrap_or(entry[0].name.clone())
        })
        .column(if are_pairs { "mg" } else { "value" }, |entry| {
            value(&entry[0])
        });
    if are_pairs {
        list = list.column("eg", |entry| entry.get(1).map(|weight| value(weight)));
    }
    list.render()
}
