//! Consts and statics that are computed from weights: the twin computes them
//! when they are first used, as `tuner_core::trace::derived` says.

use std::collections::HashSet;

use syn::visit::{self, Visit};
use syn::{Expr, ExprArray, Macro, Type, parse_quote};

use tuner_source::{Leaves, Number, functions, listed, type_arguments};

use super::{Model, ends_in, names_of, table, type_name};

/// Types whose value is computed when it is first used.
const LAZY: [&str; 3] = ["Lazy", "LazyCell", "LazyLock"];

/// Macros and functions that make a value of bytes.
const BLOBS: [&str; 3] = ["include", "include_bytes", "transmute"];

/// Tells whether a value of the type is computed when it is first used: a `LazyLock`, a `LazyCell`
/// or a `Lazy`.
pub(crate) fn is_lazy(ty: &Type) -> bool {
    type_name(ty).is_some_and(|name| LAZY.contains(&name.as_str()))
}

/// The type of the table itself, without what computes or borrows it: `[i32; 2]` of
/// `LazyLock<[i32; 2]>`, and of `&[i32]` if `expr`, the initialiser, is a list of two.
pub(crate) fn table_type(ty: &Type, expr: &Expr) -> Type {
    if is_lazy(ty)
        && let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
        && let Some(inner) = type_arguments(&last.arguments).next()
    {
        return inner.clone();
    }
    if let (Type::Reference(ty), Expr::Reference(expr)) = (ty, expr)
        && let Expr::Array(array) = &*expr.expr
    {
        return match &*ty.elem {
            Type::Slice(slice) => {
                let (elem, count) = (&slice.elem, array.elems.len());
                parse_quote!([#elem; #count])
            }
            elem => elem.clone(),
        };
    }
    ty.clone()
}

/// Tells whether a const or static of type `ty` is a reference to its table where bodies name it,
/// since the table is behind a `LazyLock` or borrowed in its initialiser `expr`.
pub(crate) fn is_by_reference(ty: &Type, expr: &Expr) -> bool {
    is_lazy(ty) || table_type(ty, expr) != *ty
}

/// The expression that computes a table of type `ty` with the initialiser `expr`: the body of the
/// closure in `LazyLock::new(|| …)`, a call of the function in `LazyLock::new(function)`, or what
/// is behind `&`. `None` if a `LazyLock` is made in another way, so that the macro cannot see it.
pub(crate) fn table_value(ty: &Type, expr: &Expr) -> Option<Expr> {
    let is_new = |f: &Expr| matches!(f, Expr::Path(path) if ends_in(&path.path, "new"));
    match expr {
        Expr::Call(call) if is_lazy(ty) && is_new(&call.func) => match call.args.first()? {
            Expr::Closure(closure) if call.args.len() == 1 => Some((*closure.body).clone()),
            function @ Expr::Path(_) if call.args.len() == 1 => Some(parse_quote!(#function())),
            _ => None,
        },
        _ if is_lazy(ty) => None,
        Expr::Reference(e) if is_by_reference(ty, expr) => Some((*e.expr).clone()),
        _ => Some(expr.clone()),
    }
}

/// Whether an initialiser gets its numbers from bytes, by `include_bytes!`, `transmute` or the
/// like.
pub(crate) fn is_blob(expr: &Expr) -> bool {
    let names = names_of(expr);
    BLOBS.iter().any(|name| names.contains(*name))
}

/// Looks for a list of two or more numbers; true once one was met.
struct Lists(bool);

impl<'a> Visit<'a> for Lists {
    /// Notes a list of two or more numbers, also in a list of lists.
    fn visit_expr_array(&mut self, list: &'a ExprArray) {
        self.0 |= list.elems.len() > 1 && list.elems.iter().all(|e| Number::of(e).is_some());
        visit::visit_expr_array(self, list);
    }

    /// Notes a macro call whose arguments are two or more numbers; lists among its arguments do not
    /// count.
    fn visit_macro(&mut self, mac: &'a Macro) {
        let list = listed(mac).filter(|list| list.len() > 1);
        self.0 |= list.is_some_and(|list| list.iter().all(|e| Number::of(e).is_some()));
    }
}

impl Model {
    /// Tells whether a list of two or more numbers is in the code of the initialiser `expr`, or in
    /// that of a function without arguments whose name is in `expr`.
    pub(crate) fn lists_in_code(&self, expr: &Expr) -> bool {
        let mut lists = Lists(false);
        lists.visit_expr(expr);
        let names = names_of(expr);
        let functions = self.units.iter().flat_map(|u| &u.items).flat_map(functions);
        for (sig, block) in functions {
            if sig.inputs.is_empty() && names.contains(&sig.ident.to_string()) {
                lists.visit_block(block);
            }
        }
        lists.0
    }

    /// Names of consts, statics and functions of annotated modules that lead to a weight: tables
    /// that hold weights and are not frozen, and whatever has such a name, or that of something
    /// that leads there, in its initialiser or body.
    pub(super) fn alive(&self) -> HashSet<String> {
        let mut alive = HashSet::new();
        // Names that may still be found to lead to a weight, each with the identifiers of its code.
        let mut waiting = Vec::new();
        for unit in &self.units {
            for item in &unit.items {
                let functions = functions(item).into_iter();
                waiting.extend(functions.map(|(sig, b)| (sig.ident.to_string(), names_of(b))));
                let Some((ident, ty, expr)) = table(item) else {
                    continue;
                };
                let name = ident.to_string();
                if unit.frozen.contains(&name) {
                    continue;
                }
                let holds = self.types.can_hold_weights(&table_type(ty, expr));
                if holds && !Leaves::of(expr).leaves.is_empty() {
                    alive.insert(name);
                } else {
                    waiting.push((name, names_of(expr)));
                }
            }
        }
        loop {
            // Until nothing more is found.
            let before = waiting.len();
            waiting.retain(|(name, names)| {
                let leads = !names.is_disjoint(&alive);
                alive.extend(leads.then(|| name.clone()));
                !leads
            });
            if waiting.len() == before {
                return alive;
            }
        }
    }

    /// Names of the functions of annotated modules whose bodies name something that leads to a
    /// weight. The names in `alive` lead there; a name that is also in the function's argument list
    /// does not count.
    pub(super) fn reading(&self, alive: &HashSet<String>) -> HashSet<String> {
        let items = self.units.iter().flat_map(|unit| &unit.items);
        let reading = items.flat_map(functions).filter(|(sig, block)| {
            let (names, own) = (names_of(block), names_of(&sig.inputs));
            names.iter().any(|n| alive.contains(n) && !own.contains(n))
        });
        reading.map(|(sig, _)| sig.ident.to_string()).collect()
    }
}
