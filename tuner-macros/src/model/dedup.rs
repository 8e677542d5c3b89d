//! A table's initialiser with each form of entry once: what flows through
//! `S(1, 2)` flows through `S(3, 4)`, and a table may have 80,000 of them.

use std::collections::HashSet;

use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprArray, UnOp};

/// Leaves out the elements of arrays that have the form of another.
pub(crate) fn deduplicate(expr: &mut Expr) {
    Deduplicate.visit_expr_mut(expr);
}

struct Deduplicate;

impl VisitMut for Deduplicate {
    fn visit_expr_array_mut(&mut self, array: &mut ExprArray) {
        let mut forms = HashSet::new();
        let elements = std::mem::take(&mut array.elems).into_iter();
        let kept = elements.filter(|e| form(e).is_none_or(|form| forms.insert(form)));
        array.elems = kept.collect();
        visit_mut::visit_expr_array_mut(self, array);
    }
}

/// What an expression of literals looks like without them; `None` of any other.
fn form(expr: &Expr) -> Option<String> {
    let all = |parts: &mut dyn Iterator<Item = &Expr>| {
        let parts: Option<Vec<String>> = parts.map(form).collect();
        Some(parts?.join(","))
    };
    match expr {
        Expr::Lit(e) => {
            matches!(e.lit, syn::Lit::Int(_) | syn::Lit::Float(_)).then(|| "0".to_owned())
        }
        Expr::Unary(e) if matches!(e.op, UnOp::Neg(_)) => form(&e.expr),
        Expr::Tuple(e) => Some(format!("({})", all(&mut e.elems.iter())?)),
        Expr::Call(e) => match &*e.func {
            Expr::Path(path) => {
                let name = path.to_token_stream();
                Some(format!("{name}({})", all(&mut e.args.iter())?))
            }
            _ => None,
        },
        Expr::Array(e) => {
            let mut forms = HashSet::new();
            for element in &e.elems {
                forms.insert(form(element)?);
            }
            let mut forms: Vec<String> = forms.into_iter().collect();
            forms.sort_unstable();
            Some(format!("[{}]", forms.join("|")))
        }
        _ => None,
    }
}
