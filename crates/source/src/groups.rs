//! The parameters in an initialiser: a struct of tables is one for each field.

use proc_macro2::Ident;
use syn::{Expr, ExprStruct, Member};

use crate::leaves::{Leaves, lanes};
use crate::number::Number;
use crate::syntax::bare;

/// Weights that make up one parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What follows the const's name: `""`, or for fields of a struct
    /// `_MOBILITY_PAWN`.
    pub suffix: String,
    /// Lengths of the arrays around an entry, outermost first.
    pub dims: Vec<usize>,
    /// Number of the first weight among those of the const.
    pub first: usize,
    /// How many weights there are.
    pub count: usize,
}

impl Group {
    /// Weights in an entry.
    pub fn lanes(&self) -> usize {
        lanes(self.count, &self.dims)
    }

    /// The groups in an initialiser, none empty.
    pub fn of(expr: &Expr) -> Vec<Self> {
        let mut groups: Vec<_> = tables(expr).into_iter().map(|table| table.group).collect();
        groups.retain(|group| group.count > 0);
        groups
    }
}

/// A table in an initialiser, and the fields that lead to it.
#[cfg_attr(not(feature = "scan"), expect(dead_code, reason = "scans read it"))]
pub(crate) struct Table<'a> {
    pub(crate) group: Group,
    /// Each field with the literal of the struct that holds it, outermost
    /// first.
    pub(crate) fields: Vec<(&'a ExprStruct, &'a Ident)>,
    pub(crate) expr: &'a Expr,
}

/// The tables in an initialiser, also those without weights.
pub(crate) fn tables(expr: &Expr) -> Vec<Table<'_>> {
    let mut found = Vec::new();
    add(expr, &mut Vec::new(), &mut 0, &mut found);
    found
}

fn add<'a>(
    expr: &'a Expr,
    fields: &mut Vec<(&'a ExprStruct, &'a Ident)>,
    next: &mut usize,
    found: &mut Vec<Table<'a>>,
) {
    if let Some(record) = record(expr) {
        for field in &record.fields {
            let Member::Named(name) = &field.member else {
                continue;
            };
            fields.push((record, name));
            add(&field.expr, fields, next, found);
            fields.pop();
        }
        return;
    }
    let leaves = Leaves::of(expr);
    let count = leaves.leaves.len();
    let names = fields.iter().map(|(_, name)| plain_name(name));
    let group = Group {
        suffix: names
            .flat_map(|name| ["_".to_owned(), name.to_uppercase()])
            .collect(),
        dims: leaves.dims,
        first: *next,
        count,
    };
    *next += count;
    found.push(Table {
        group,
        fields: fields.clone(),
        expr,
    });
}

/// A struct of tables; a struct of one or two numbers is an entry.
fn record(expr: &Expr) -> Option<&ExprStruct> {
    match bare(expr) {
        Expr::Reference(e) => record(&e.expr),
        Expr::Call(e) if e.args.len() == 1 => record(e.args.first()?),
        Expr::Struct(e) => {
            let named = e
                .fields
                .iter()
                .all(|f| matches!(f.member, Member::Named(_)));
            let numbers = e.fields.iter().all(|f| Number::of(&f.expr).is_some());
            let is_entry = numbers && e.fields.len() <= 2;
            // A wrapper around one table is seen through.
            (named && !is_entry && e.fields.len() > 1).then_some(e)
        }
        _ => None,
    }
}

/// A name without `r#`.
pub(crate) fn plain_name(name: &proc_macro2::Ident) -> String {
    name.to_string().trim_start_matches("r#").to_owned()
}
