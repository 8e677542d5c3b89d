//! The parameters in an initialiser: a struct of tables is one for each field,
//! an array of such structs one for each field of each entry.

use proc_macro2::Ident;
use syn::{Expr, ExprStruct, Member};

use crate::entries::places;
use crate::leaves::{Leaves, copies, lanes};
use crate::number::Number;
use crate::syntax::bare;

/// Most entries of an array of structs whose fields are parameters. Chosen: more
/// than squares and pieces make, fewer than anybody could read in a spec.
const MOST_RECORDS: usize = 1024;

/// Weights that make up one parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// What follows the const's name in the parameter's: empty, `_MOBILITY_PAWN` for fields of a
    /// struct, `_3_MOBILITY` in an array of structs.
    pub suffix: String,
    /// Lengths of the arrays around an entry, outermost first.
    pub dims: Vec<usize>,
    /// Number of its first weight among the weights of the const.
    pub first: usize,
    /// How many weights there are.
    pub count: usize,
    /// Number of weights per entry.
    pub lanes: usize,
    /// Where entries are other consts: the place of each weight among the numbers
    /// of all entries, row-major. Empty where every entry is of weights.
    pub places: Vec<usize>,
}

impl Group {
    /// The parameters in an initialiser, each a group of weights, in source order; tables without
    /// weights are left out.
    pub fn of(expr: &Expr) -> Vec<Self> {
        let mut groups: Vec<_> = tables(expr).into_iter().map(|table| table.group).collect();
        groups.retain(|group| group.count > 0);
        groups
    }
}

/// A table in an initialiser, and the steps that lead to it. The default is the whole initialiser,
/// of which nothing was read.
#[derive(Default)]
pub(crate) struct Table<'a> {
    pub(crate) group: Group,
    /// Fields and indices, outermost first.
    pub(crate) steps: Vec<Step<'a>>,
    pub(crate) leaves: Leaves,
}

/// One step from an initialiser to a table in it.
#[derive(Clone, Copy)]
pub(crate) enum Step<'a> {
    /// A field, with the literal of the struct that holds it.
    Field(&'a ExprStruct, &'a Ident),
    /// An entry of an array of structs.
    Index(usize),
}

/// The tables in an initialiser, also those without weights: one, or for a struct of tables one for
/// each field.
pub(crate) fn tables(expr: &Expr) -> Vec<Table<'_>> {
    let mut found = Vec::new();
    add(expr, &mut Vec::new(), &mut 0, &mut found);
    found
}

/// Adds the tables of the expression `expr`, which is a part of an initialiser: a struct has those
/// of each field, an array of structs those of each entry. `steps`: the fields and indices that
/// lead to it, unchanged afterwards; `next`: the number of the next weight.
fn add<'a>(expr: &'a Expr, steps: &mut Vec<Step<'a>>, next: &mut usize, into: &mut Vec<Table<'a>>) {
    if let Some(record) = record(expr) {
        for field in &record.fields {
            let Member::Named(name) = &field.member else {
                continue;
            };
            steps.push(Step::Field(record, name));
            add(&field.expr, steps, next, into);
            steps.pop();
        }
        return;
    }
    if let Some(entries) = records(expr) {
        for (index, entry) in entries.into_iter().enumerate() {
            steps.push(Step::Index(index));
            add(entry, steps, next, into);
            steps.pop();
        }
        return;
    }
    let leaves = Leaves::of(expr);
    let count = leaves.leaves.len();
    // Where some entries are other consts, the weights have places among all numbers.
    let mixed = places(&leaves.entries);
    let (lanes, places) = mixed.unwrap_or_else(|| (lanes(count, &leaves.dims), Vec::new()));
    let group = Group {
        suffix: suffix(steps),
        dims: leaves.dims.clone(),
        first: *next,
        count,
        lanes,
        places,
    };
    *next += count;
    into.push(Table {
        group,
        steps: steps.clone(),
        leaves,
    });
}

/// Returns what follows the const's name in the name of a parameter, made of the steps that lead to
/// its table: `_3_MOBILITY` for the field `mobility` of entry 3.
fn suffix(steps: &[Step<'_>]) -> String {
    let one = |step: &Step<'_>| match step {
        Step::Field(_, name) => format!("_{}", plain_name(name).to_uppercase()),
        Step::Index(index) => format!("_{index}"),
    };
    steps.iter().map(one).collect()
}

/// The entries of an array of structs of tables, also behind a reference or in a call of one
/// argument. `None` for another expression, and for an array of more than `MOST_RECORDS` (1,024)
/// entries, all of which count as one table.
fn records(expr: &Expr) -> Option<Vec<&Expr>> {
    let holds = |expr: &Expr| record(expr).is_some() || records(expr).is_some();
    match bare(expr) {
        Expr::Reference(e) => records(&e.expr),
        Expr::Call(e) if e.args.len() == 1 => records(e.args.first()?),
        Expr::Array(e) => {
            let is_one = e.elems.len() <= MOST_RECORDS && e.elems.iter().any(holds);
            is_one.then(|| e.elems.iter().collect())
        }
        // `[Params { … }; 3]` is three entries.
        Expr::Repeat(e) if holds(&e.expr) => {
            let len = copies(e).filter(|&len| len <= MOST_RECORDS)?;
            Some(std::iter::repeat_n(&*e.expr, len).collect())
        }
        _ => None,
    }
}

/// The literal of a struct of tables, also behind a reference or in a call of one argument; `None`
/// for another expression, for a struct of one or two numbers, which is an entry, and for one with
/// a single field, of which the field counts.
pub(crate) fn record(expr: &Expr) -> Option<&ExprStruct> {
    match bare(expr) {
        Expr::Reference(e) => record(&e.expr),
        Expr::Call(e) if e.args.len() == 1 => record(e.args.first()?),
        Expr::Struct(e) => {
            let mut members = e.fields.iter().map(|field| &field.member);
            let named = members.all(|member| matches!(member, Member::Named(_)));
            let numbers = e.fields.iter().all(|f| Number::of(&f.expr).is_some());
            let is_entry = numbers && e.fields.len() <= 2;
            // A wrapper around one table is seen through.
            (named && !is_entry && e.fields.len() > 1).then_some(e)
        }
        _ => None,
    }
}

/// A name as text, without its `r#` if it has one.
pub(crate) fn plain_name(name: &Ident) -> String {
    bare_name(&name.to_string()).to_owned()
}

/// A name without its `r#`, if it has one.
pub(crate) fn bare_name(name: &str) -> &str {
    name.trim_start_matches("r#")
}
