//! One page of a run.
//!
//! Pictures are tables with coloured cells and small SVG made here, not by
//! plotters: its SVG has fixed colours, so no dark page, and an element a point
//! where a class of a cell does.
//! All text of a record goes through maud, which escapes it.

mod board;
mod calibration;
mod changes;
mod course;
mod data;
pub(crate) mod head;
mod heat;
mod learning;
mod picture;
mod players;
mod plot;
mod prior;
mod tables;
mod wdl;
mod worst;

use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

use crate::digest::Digest;
use crate::text;
pub(crate) use picture::{bar, legend, share};
pub(crate) use plot::{Plot, Point};
use tuner_record::RunRecord;

/// The style of all pages; no text of a record is in it.
const STYLE: &str = include_str!("html/style.css");

/// Sorts and filters lists; no text of a record is in it.
const SCRIPT: &str = include_str!("html/page.js");

/// What a browser may load for a page: nothing but its own style and, by its hash, script.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
                      script-src 'sha256-sx7jTflskXEAopsoeacdhGiaHzgCgtZiPsOL5tHHVkQ='";

/// Most rows of a list. Chosen: nobody reads further, and 24,000 weights stay
/// below 2 MB.
pub(crate) const ROWS: usize = 200;

/// Returns a page on a run: one file that loads nothing, and needs no script to be read.
///
/// Sections without data are left out. Where there is more than a page can show,
/// a sentence says what is missing. *Cost*: below 2 MB, whatever the record says.
pub fn html(record: &RunRecord) -> String {
    let digest = Digest::of(&record.judgement);
    let sections = [
        (
            "changes",
            "Most significant changes",
            changes::bars(&digest),
        ),
        ("weights", "Weights by table", changes::weights(&digest)),
        ("tables", "Pictures of tables", tables::all(&digest)),
        ("groups", "Parameters", changes::groups(record)),
        (
            "calibration",
            "Calibration",
            calibration::calibration(record),
        ),
        ("wdl", "Win, draw and loss", wdl::wdl(record)),
        ("worst", "Positions explained worst", worst::worst(record)),
        ("open", "What the data leave open", prior::open(record)),
        (
            "learning",
            "More games, other games",
            learning::learning(record),
        ),
        ("course", "Course of the fit", course::course(record)),
        ("prior", "Prior", prior::prior(record)),
        ("data", "Data", data::data(record)),
        ("run", "What was run", Some(head::what_was_run(record))),
    ];
    page(&head::title(record), &head::head(record), sections)
}

/// A page of a header, links to the sections that there are, and these under their headings. A
/// section is its id, by which it is linked, its heading, and what is below that; one that has
/// nothing is left out.
pub(crate) fn page<'a>(
    title: &str,
    header: &Markup,
    sections: impl IntoIterator<Item = (&'a str, &'a str, Option<Markup>)>,
) -> String {
    let sections: Vec<(&str, &str, Markup)> = (sections.into_iter())
        .filter_map(|(id, title, section)| Some((id, title, section?)))
        .collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    header { (header) }
                    @if sections.len() > 1 {
                        nav aria-label="Sections" {
                            @for (id, title, _) in &sections { a href={ "#" (id) } { (title) } " " }
                        }
                    }
                    @for (id, title, section) in &sections {
                        section id=(id) { h2 { (title) } (section) }
                    }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    compact(page.into_string())
}

/// Leaves out the ends of cells and rows, which HTML implies: of a page with boards they
/// are a fifth. No text has them, as its `<` are escaped.
fn compact(mut page: String) -> String {
    for end in ["</td>", "</th>", "</tr>"] {
        page = page.replace(end, "");
    }
    page
}

/// What a cell or a fact shows, where it is known.
pub(crate) trait Cell {
    /// The markup; `None` where it is not known.
    fn markup(self) -> Option<Markup>;
}

impl<C: Cell> Cell for Option<C> {
    fn markup(self) -> Option<Markup> {
        self.and_then(Cell::markup)
    }
}

/// Cells of what pages show as it is.
macro_rules! cells {
    ($($of:ty)*) => {
        $(impl Cell for $of {
            fn markup(self) -> Option<Markup> {
                Some(html! { (self) })
            }
        })*
    };
}

cells! { Markup String &str i32 u32 u64 usize }

/// Pairs of a name and its value, `None` where it is unknown.
#[derive(Default)]
pub(crate) struct Facts<'a>(pub Vec<(&'a str, Option<Markup>)>);

impl<'a> Facts<'a> {
    /// Adds a fact; one whose value is not known is not shown.
    pub(crate) fn fact(mut self, what: &'a str, value: impl Cell) -> Self {
        self.0.push((what, value.markup()));
        self
    }

    /// Appends the facts of `others`.
    pub(crate) fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Returns pairs of a name and words as a list of facts, at most [`ROWS`] of them; `None` if
    /// there is no pair.
    pub(crate) fn typed(facts: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Markup> {
        let shown = facts.take(ROWS);
        let facts = shown.fold(Self::default(), |facts, (what, how)| {
            facts.fact(what, text::sentence(how))
        });
        (!facts.0.is_empty()).then(|| facts.render())
    }
}

impl Render for Facts<'_> {
    fn render(&self) -> Markup {
        html! {
            dl {
                @for (what, value) in &self.0 {
                    @if let Some(value) = value { div { dt { (text::name(what)) } dd { (value) } } }
                }
            }
        }
    }
}

/// Shows an item in a column.
type CellOf<'a, T> = Box<dyn Fn(&T) -> Markup + 'a>;

/// A table of items, a row each, in a frame that scrolls where the page is narrow. The
/// first column names the row.
pub(crate) struct List<'a, T> {
    items: &'a [T],
    /// What the items are, in the plural, if only the first are shown; `None` if all are.
    counted: Option<&'a str>,
    columns: Vec<(&'a str, CellOf<'a, T>)>,
}

impl<'a, T> List<'a, T> {
    /// A table of all of some items, without columns yet.
    pub(crate) const fn of(items: &'a [T]) -> Self {
        Self {
            items,
            counted: None,
            columns: Vec::new(),
        }
    }

    /// A table of the first [`ROWS`] of some items, without columns yet, and a sentence on how many
    /// are left out. `counted`: what the items are, in the plural.
    pub(crate) fn first_of(items: &'a [T], counted: &'a str) -> Self {
        Self {
            counted: Some(counted),
            ..Self::of(items)
        }
    }

    /// Adds a column: its heading, and the cell of an item, a dash where that is not known.
    pub(crate) fn column<C: Cell>(mut self, heading: &'a str, cell: impl Fn(&T) -> C + 'a) -> Self {
        let cell = move |item: &T| cell(item).markup().unwrap_or_else(|| html! { "–" });
        self.columns.push((heading, Box::new(cell)));
        self
    }
}

impl<T> Render for List<'_, T> {
    fn render(&self) -> Markup {
        let most = self.counted.map_or(self.items.len(), |_| ROWS);
        html! {
            div.scroll tabindex="0" role="region" aria-label="Table" {
                table.list {
                    thead { tr { @for (heading, _) in &self.columns { th { (heading) } } } }
                    tbody {
                        @for item in self.items.iter().take(most) {
                            tr {
                                @for (number, (_, cell)) in self.columns.iter().enumerate() {
                                    @if number == 0 { th { (breakable(cell(item))) } } @else { td { (cell(item)) } }
                                }
                            }
                        }
                    }
                }
            }
            @if let Some(counted) = self.counted { (left_out(self.items.len(), counted)) }
        }
    }
}

/// A name in a cell, which a narrow page breaks between its words; other markup as it is.
pub(crate) fn breakable(name: Markup) -> Markup {
    if name.0.contains('<') {
        return name;
    }
    PreEscaped(name.0.replace('_', "_<wbr>").replace('[', "<wbr>["))
}

/// Words in a cell that may take several lines.
pub(crate) fn wrapping(words: &str) -> Markup {
    html! { span.wrap { (words) } }
}

/// A table behind one line, which opens it.
pub(crate) fn folded(summary: &str, table: impl Render) -> Markup {
    html! { details { summary { (summary) } (table) } }
}

/// Says how many of `all` are behind the first [`ROWS`], which a list shows; nothing if these are
/// all. `what`: what they are, in the plural.
pub(crate) fn left_out(all: usize, what: &str) -> Markup {
    let missing = all.saturating_sub(ROWS);
    html! {
        @if missing > 0 {
            p.note { "Shown are the first " (ROWS) " of " (all) " " (what) "; the other " (missing)
                " are in the file that this page is made of." }
        }
    }
}

/// Returns every n-th of many, counted from the last, which is among them, and that n: the least by
/// which they are at most `most`.
pub(crate) fn thinned<T>(all: &[T], most: usize) -> (Vec<&T>, usize) {
    let every = all.len().div_ceil(most).max(1);
    let is_shown = |number: &usize| (all.len() - 1 - number).is_multiple_of(every);
    let shown = (0..all.len()).filter(is_shown).map(|number| &all[number]);
    (shown.collect(), every)
}
