//! The parameters in an initialiser: a struct of tables is one for each field.

use syn::{Expr, ExprStruct, Member};

use crate::leaves::{Leaves, dims};
use crate::number::Number;

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
        let entries: usize = self.dims.iter().product();
        if entries == 0 {
            1
        } else {
            self.count.div_ceil(entries).max(1)
        }
    }

    /// The groups in an initialiser, none empty.
    pub fn of(expr: &Expr) -> Vec<Self> {
        let mut found = Vec::new();
        add(expr, "", &mut 0, &mut found);
        found
    }
}

fn add(expr: &Expr, suffix: &str, next: &mut usize, found: &mut Vec<Group>) {
    if let Some(record) = record(expr) {
        for field in &record.fields {
            let Member::Named(name) = &field.member else {
                continue;
            };
            let name = name.to_string().trim_start_matches("r#").to_uppercase();
            add(&field.expr, &format!("{suffix}_{name}"), next, found);
        }
        return;
    }
    let count = Leaves::of(expr).leaves.len();
    if count > 0 {
        found.push(Group {
            suffix: suffix.to_owned(),
            dims: dims(expr),
            first: *next,
            count,
        });
        *next += count;
    }
}

/// A struct of tables; a struct of one or two numbers is an entry.
fn record(expr: &Expr) -> Option<&ExprStruct> {
    match expr {
        Expr::Paren(e) => record(&e.expr),
        Expr::Group(e) => record(&e.expr),
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
