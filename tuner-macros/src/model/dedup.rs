//! A table's initialiser with each form of entry once: what flows through
//! `S(1, 2)` flows through `S(3, 4)`, and a table may have 80,000 of them. The
//! twin is written from it, which is four times as fast as entry by entry.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use quote::ToTokens;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprArray, ExprCall, Lit, UnOp};
use tuner_source::{each_weight, listed};

use super::weights::HOLE;

/// Leaves in each array of an initialiser, of the elements that differ only in their numbers, the
/// first alone. Elements with names in them all stay.
pub(crate) fn deduplicate(expr: &mut Expr) {
    Deduplicate.visit_expr_mut(expr);
}

struct Deduplicate;

impl VisitMut for Deduplicate {
    /// Takes out the elements that are an earlier one with other numbers, then looks into those
    /// that stay.
    fn visit_expr_array_mut(&mut self, array: &mut ExprArray) {
        let mut forms = HashSet::new();
        let elements = std::mem::take(&mut array.elems).into_iter();
        let kept = elements.filter(|e| form(e).is_none_or(|form| forms.insert(form)));
        array.elems = kept.collect();
        visit_mut::visit_expr_array_mut(self, array);
    }
}

/// The form of an expression of literals: its text with 0 for each number, which expressions that
/// differ only in their numbers have in common. An array has the set of its elements' forms. `None`
/// if there is anything but literals in it, lists and tuples of them, and calls of functions and
/// macros.
fn form(expr: &Expr) -> Option<String> {
    let all = |parts: &mut dyn Iterator<Item = &Expr>| {
        let parts: Option<Vec<String>> = parts.map(form).collect();
        Some(parts?.join(","))
    };
    match expr {
        Expr::Lit(e) => matches!(e.lit, Lit::Int(_) | Lit::Float(_)).then(|| "0".to_owned()),
        Expr::Unary(e) if matches!(e.op, UnOp::Neg(_)) => form(&e.expr),
        Expr::Tuple(e) => Some(format!("({})", all(&mut e.elems.iter())?)),
        Expr::Call(e) => match &*e.func {
            Expr::Path(path) => {
                let name = path.to_token_stream();
                Some(format!("{name}({})", all(&mut e.args.iter())?))
            }
            _ => None,
        },
        Expr::Macro(e) => {
            let (name, args) = (e.mac.path.to_token_stream(), listed(&e.mac)?);
            Some(format!("{name}!({})", all(&mut args.iter())?))
        }
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

/// Writes the initialiser `all` of a table as text for the twin, in which each weight is a handle
/// of its value and number. `forms`: the same initialiser with only the first of the entries that
/// differ in their numbers alone, and a hole in place of each weight; every entry is written as its
/// like is there. `first`: the number of the table's first weight in the crate. `None` if `forms`
/// has another structure.
pub(crate) fn restore(all: &Expr, forms: &Expr, first: u32) -> Option<String> {
    let text = format!("{{ use {HANDLE} as {SHORT};");
    let mut restored = Restored { text, next: first };
    restored.expr(all, forms)?;
    restored.text.push('}');
    Some(restored.text)
}

/// The type of a handle as tokens are written, and its name in a table: what is
/// written ten thousand times is to be short.
const HANDLE: &str = ":: tuner_core :: trace :: Tr";
const SHORT: &str = "__Tr";

/// The text of an initialiser, as far as it is written.
struct Restored {
    text: String,
    /// The number of the next weight, among those of the crate.
    next: u32,
}

impl Restored {
    /// Writes the expression `all`, which may hold an array of entries. `forms`: the part of an
    /// initialiser that it corresponds to, in which entries that differ only in their numbers are
    /// there once, with holes in place of weights. `None` if the two have different structures.
    fn expr(&mut self, all: &Expr, forms: &Expr) -> Option<()> {
        match (all, forms) {
            (Expr::Array(all), Expr::Array(forms)) => self.array(all, forms),
            (Expr::Reference(all), Expr::Reference(forms)) => {
                self.text.push('&');
                self.expr(&all.expr, &forms.expr)
            }
            // `Table::new([…])`.
            (Expr::Call(all), Expr::Call(forms)) if wraps_one(all) && wraps_one(forms) => {
                self.text += &forms.func.to_token_stream().to_string();
                self.text.push('(');
                self.expr(&all.args[0], &forms.args[0])?;
                self.text.push(')');
                Some(())
            }
            _ if holds_array(all) => None,
            _ => self.entry(all, &Entry::of(forms)),
        }
    }

    /// Writes the array `all`. `forms`: an array with one element of each form, that is, of those
    /// that differ only in their numbers, in the order in which the forms first occur, with holes
    /// in place of weights; and with every element that is not of literals alone. `None` if `forms`
    /// has more or fewer elements than these.
    fn array(&mut self, all: &ExprArray, forms: &ExprArray) -> Option<()> {
        // For each form the number of its element in `forms`; `kept` counts those that were met.
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut kept = 0;
        // Each element of `forms` cut at its holes; `None` for one that is an array itself.
        let entries = forms.elems.iter();
        let entries = entries.map(|e| (!holds_array(e)).then(|| Entry::of(e)));
        let entries: Vec<Option<Entry>> = entries.collect();
        self.text.push('[');
        for element in &all.elems {
            let mut new = || {
                kept += 1;
                kept - 1
            };
            let index = match form(element) {
                Some(form) => *known.entry(form).or_insert_with(new),
                None => new(),
            };
            match entries.get(index)? {
                Some(entry) => self.entry(element, entry)?,
                None => self.expr(element, &forms.elems[index])?,
            }
            self.text.push(',');
        }
        self.text.push(']');
        (kept == forms.elems.len()).then_some(())
    }

    /// Writes an entry of a table, the expression `all`, as text. `entry`: the text of an earlier
    /// entry that differs from it in its literals alone, with a hole in the place of each. Into a
    /// hole go the literal of `all` and the number of the weight that it is, `-7,12u32`: the twin's
    /// table holds weights by value and number. `None` if `all` has not as many literals as there
    /// are holes.
    fn entry(&mut self, all: &Expr, entry: &Entry) -> Option<()> {
        let mut literals = Vec::new();
        each_weight(&mut all.clone(), &mut |weight| {
            literals.push(weight.to_token_stream().to_string());
        });
        for (before, hole) in &entry.holes {
            let literal = literals.get(*hole)?;
            let number = self.next + u32::try_from(*hole).ok()?;
            write!(self.text, "{before}{literal},{number}u32").ok()?;
        }
        self.text += &entry.after;
        self.next += u32::try_from(literals.len()).ok()?;
        (literals.len() == entry.count).then_some(())
    }
}

/// Tells whether an expression has an array in it.
fn holds_array(expr: &Expr) -> bool {
    struct Arrays(bool);
    impl<'a> Visit<'a> for Arrays {
        /// Notes that there is an array.
        fn visit_expr_array(&mut self, _: &'a ExprArray) {
            self.0 = true;
        }
    }
    let mut arrays = Arrays(false);
    arrays.visit_expr(expr);
    arrays.0
}

/// Tells whether a call is `f(x)` of a function of the author, which may be around a table. The
/// handle of a weight, `::tuner_core::trace::Tr::weight(…)`, is such a call too, but it is an
/// entry.
fn wraps_one(call: &ExprCall) -> bool {
    let function = call.func.to_token_stream().to_string();
    call.args.len() == 1 && !function.contains("tuner_core")
}

/// The text of an entry, cut at its holes: for each hole the text before it and the hole's number
/// within the entry; and the text after the last.
struct Entry {
    holes: Vec<(String, usize)>,
    after: String,
    /// Number of weights in the entry.
    count: usize,
}

impl Entry {
    /// Cuts the text of an entry at its holes, `__tuner_hole_7`. Holes are numbered through the
    /// whole table; in the result they count from the entry's first. A hole that occurs several
    /// times in the text is one weight.
    fn of(expr: &Expr) -> Self {
        let text = expr.to_token_stream().to_string();
        let text = text.replace(HANDLE, SHORT);
        let mut parts = text.split(HOLE);
        let mut before = parts.next().unwrap_or_default();
        let mut holes: Vec<(String, usize)> = Vec::new();
        for part in parts {
            let end = part.find(|c: char| !c.is_ascii_digit());
            let (number, rest) = part.split_at(end.unwrap_or(part.len()));
            // This program wrote the number behind the hole's name, so it can be parsed.
            holes.push((before.to_owned(), number.parse().unwrap_or(usize::MAX)));
            before = rest;
        }
        let numbers: BTreeSet<usize> = holes.iter().map(|(_, number)| *number).collect();
        let first = numbers.first().copied().unwrap_or_default();
        for (_, number) in &mut holes {
            *number -= first;
        }
        let after = before.to_owned();
        let count = numbers.len();
        Self {
            holes,
            after,
            count,
        }
    }
}
