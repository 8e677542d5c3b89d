//! The literal leaves of an initialiser: each is a weight.

use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::token::Bracket;
use syn::{Expr, ExprArray, ExprCall, ExprRepeat, FieldValue, Member, Stmt};

use crate::entries::{Entry, same};
use crate::extent::Extent;
use crate::item::each_token;
use crate::number::{Number, range};
use crate::parse::SourceLocation;
use crate::syntax::{bare, last_name, listed, path_names};

/// Longest `[x; N]` that is written out. Chosen: more than any table of
/// weights, less than what would exhaust memory.
const LONGEST_REPEAT: i128 = 65_536;

/// Most weights in a `[x; N]` that is written out: the short line `[[[0; 65536]; 65536]; 65536]`
/// would exhaust memory.
const LARGEST_REPEAT: usize = 1 << 20;

/// Most entries of a `[S::NULL; N]`. Chosen: more than any table has.
const MOST_ENTRIES: i128 = 1 << 20;

/// One weight in a source: a literal, or a maximal piece of arithmetic on literals alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// Its value.
    pub number: Number,
    /// The bytes that a new number replaces: sign and digits, without casts and parentheses around
    /// them.
    pub bytes: Range<usize>,
    /// Where `bytes` begin.
    pub location: SourceLocation,
    /// Suffix, such as `i16`, that a number in these bytes needs; or empty.
    pub suffix: String,
    /// The least and the largest value of its type; `None` where these are unknown.
    pub limits: Option<(i128, i128)>,
    /// The number in [`Scan::repeats`](crate::Scan::repeats) of the outermost `[x; N]` around it;
    /// `None` without one.
    pub array: Option<usize>,
}

impl Literal {
    /// The literal of an expression whose value is `number`, with the limits of all types that it
    /// is cast to.
    fn of(expr: &Expr, number: Number) -> Self {
        let written = written(expr);
        let extent = Extent::of(written);
        // The types that it says it has: suffixes and casts, innermost first.
        let (types, kept) = (types(expr), types(written));
        let is_primitive = |ty: &&String| range(ty).is_some() || matches!(&***ty, "f32" | "f64");
        let suffix = kept.first().filter(is_primitive);
        // All types around a number must hold it; the narrowest decides.
        let limits = types.iter().filter_map(|name| range(name));
        Self {
            number,
            bytes: extent.bytes(),
            location: SourceLocation::of(extent.start),
            suffix: suffix.cloned().unwrap_or_default(),
            limits: limits.reduce(narrower),
            array: None,
        }
    }

    /// Narrows the limits to those of a type around the literal, its least and its largest value;
    /// `None` has no limits.
    pub(crate) fn narrow(&mut self, around: Option<(i128, i128)>) {
        self.limits = self.limits.into_iter().chain(around).reduce(narrower);
    }
}

/// The range that is within both ranges, each its least and its largest value.
fn narrower(one: (i128, i128), other: (i128, i128)) -> (i128, i128) {
    (one.0.max(other.0), one.1.min(other.1))
}

/// The weights in an initialiser, and the parts of it that cannot be read.
#[derive(Clone, Debug, Default)]
pub struct Leaves {
    /// Lengths of the arrays around an entry, outermost first; empty for a single value. A wrapper
    /// of one argument, `Table::new([…])`, is seen through. Rows of different lengths are one list.
    pub dims: Vec<usize>,
    /// Number of arrays around an entry: that of `dims`, but more where rows of different lengths
    /// are one list.
    pub depth: usize,
    /// The entries, row-major; one for a single value.
    pub entries: Vec<Entry>,
    /// The weights in source order, of `S { eg: 2, mg: 1 }` the middlegame first; `[x; 3]` holds three, all at one place.
    pub leaves: Vec<Literal>,
    /// Constructors that hold weights, with their places.
    pub constructors: Vec<(String, Extent)>,
    /// Macros that hold weights.
    pub macros: Vec<String>,
    /// Macros around literals whose input is not a list of expressions.
    pub unread: Vec<(String, Extent)>,
    /// Arithmetic that mixes literals with names: values derived from others,
    /// whose literals are constants.
    pub derived: Vec<Extent>,
    /// Lengths of `[x; N]` around weights that are not a small number.
    pub lengths: Vec<Extent>,
}

impl Leaves {
    /// Returns the leaves of `expr`; `[x; N]` counts `N` times, if `N` is a small number.
    pub fn of(expr: &Expr) -> Self {
        let mut expr = expr.clone();
        expand_repeats(&mut expr);
        let dims = dims(&expr);
        let mut leaves = Self {
            depth: dims.len(),
            ..Self::default()
        };
        leaves.visit(&mut expr, Some(dims.len()), &mut |_| {});
        leaves.dims = if is_rectangular(&expr, &dims) {
            dims
        } else {
            vec![leaves.entries.len()]
        };
        leaves
    }

    /// How many weights an entry has; rounded up where entries have different numbers of them, and
    /// at least 1.
    pub fn lanes(&self) -> usize {
        lanes(self.leaves.len(), &self.dims)
    }

    /// The value of each weight.
    pub fn values(&self) -> impl Iterator<Item = f64> {
        self.leaves.iter().map(|leaf| leaf.number.value())
    }

    /// Adds what an expression holds to the fields, and calls `f` on each weight, which it may
    /// replace. `depth`: how many arrays of the expression are around each entry; 0: it is an
    /// entry; `None`: it is a part of one. In the body, `before` has the numbers of leaves, derived
    /// and entries before.
    fn visit(&mut self, expr: &mut Expr, depth: Option<usize>, f: &mut impl FnMut(&mut Expr)) {
        let before = (self.leaves.len(), self.derived.len(), self.entries.len());
        // An entry is so many weights, or another const.
        if depth == Some(0) {
            self.visit(expr, None, f);
            self.entries.push(match self.leaves.len() - before.0 {
                0 => same(expr, false),
                weights => Entry::Weights(weights),
            });
            return;
        }
        if let Some(number) = Number::of(expr) {
            self.leaves.push(Literal::of(expr, number));
            f(expr);
            // A row of another shape than the first.
            self.entries.extend(depth.map(|_| Entry::Other));
            return;
        }
        // The depth of the parts of the expression; `None` where they are parts of an entry.
        let inner = depth.and_then(|depth| match &*expr {
            Expr::Array(_) | Expr::Repeat(_) => Some(depth - 1),
            expr => inside(expr).map(|_| depth),
        });
        // Of several arguments only the list has entries.
        let list = match &*expr {
            Expr::Call(call) => list_argument(call),
            _ => None,
        };
        let mut arguments = 0..;
        each_inner(expr, &mut |e| {
            let is_it = list.is_none() || list == arguments.next();
            self.visit(e, inner.filter(|_| is_it), f);
        });
        let has_weights = self.leaves.len() > before.0;
        match expr {
            Expr::Call(e) if has_weights => {
                if let Expr::Path(path) = &*e.func {
                    let name = constructor(&path.path);
                    self.constructors.push((name, Extent::of(path)));
                }
            }
            Expr::Struct(e) if has_weights => {
                self.constructors
                    .push((constructor(&e.path), Extent::of(&e.path)));
            }
            Expr::Macro(e) => {
                if let Some(mut args) = listed(&e.mac) {
                    self.macros.push(last_name(&e.mac.path));
                    args.iter_mut().for_each(|e| self.visit(e, None, f));
                    e.mac.tokens = quote!(#args);
                } else if holds_number(e.mac.tokens.clone()) {
                    self.unread.push((constructor(&e.mac.path), Extent::of(e)));
                }
            }
            Expr::Binary(e) if parts(&e.left) + parts(&e.right) > 0 => {
                self.derived.push(Extent::of(e));
            }
            Expr::Repeat(e) => {
                self.visit(&mut e.expr, inner, f);
                if (self.leaves.len(), self.derived.len()) != (before.0, before.1) {
                    self.lengths.push(Extent::of(&e.len));
                }
                // `[S::NULL; 3]`; with weights in it, it is written out.
                let one = self.entries.split_off(before.2);
                match Number::of(&e.len) {
                    Some(Number::Int(len @ 0..=MOST_ENTRIES))
                        if len * one.len() as i128 <= MOST_ENTRIES =>
                    {
                        let all = std::iter::repeat_n(one, len as usize);
                        self.entries.extend(all.flatten());
                    }
                    _ => self.entries.extend(depth.map(|_| Entry::Other)),
                }
            }
            _ => {}
        }
        if inner.is_none() {
            self.entries.extend(depth.map(|_| Entry::Other));
        }
    }
}

/// The number of weights per entry. `weights`: of the whole table; `dims`: lengths of the arrays
/// around an entry. It is rounded up, and at least 1.
pub(crate) fn lanes(weights: usize, dims: &[usize]) -> usize {
    match dims.iter().product() {
        0 => 1,
        entries => weights.div_ceil(entries).max(1),
    }
}

/// Calls `f` on each weight of an initialiser, in source order (of `S { eg: 2, mg: 1 }` the
/// middlegame first), and lets it be replaced; `[x; N]` is written out first. Literals in
/// arithmetic with names are constants, no weights.
pub fn each_weight(expr: &mut Expr, f: &mut impl FnMut(&mut Expr)) {
    expand_repeats(expr);
    Leaves::default().visit(expr, None, f);
}

/// Whether a literal that begins with a digit is among tokens, also in groups.
pub(crate) fn holds_number(tokens: TokenStream) -> bool {
    let mut found = false;
    each_token(tokens, &mut |token| {
        let is_literal = matches!(token, TokenTree::Literal(_));
        found |= is_literal && token.to_string().starts_with(|c: char| c.is_ascii_digit());
    });
    found
}

/// The number of weights in an expression, and of pieces of arithmetic that mix literals with
/// names.
fn parts(expr: &Expr) -> usize {
    let mut found = Leaves::default();
    found.visit(&mut expr.clone(), None, &mut |_| {});
    found.leaves.len() + found.derived.len()
}

/// The type of a constructor, which both `Score::new` and `Score` name; else its last name.
fn constructor(path: &syn::Path) -> String {
    let names = path_names(path);
    let of_type = names.iter().rfind(|n| n.starts_with(char::is_uppercase));
    of_type.or(names.last()).cloned().unwrap_or_default()
}

/// The number in a leaf, without casts and parentheses.
fn written(expr: &Expr) -> &Expr {
    match bare(expr) {
        Expr::Cast(e) => written(&e.expr),
        expr => expr,
    }
}

/// The types named inside a leaf by suffixes and casts, innermost first.
fn types(expr: &Expr) -> Vec<String> {
    match bare(expr) {
        Expr::Lit(e) if e.lit.suffix().is_empty() => Vec::new(),
        Expr::Lit(e) => vec![e.lit.suffix().to_owned()],
        Expr::Unary(e) => types(&e.expr),
        Expr::Cast(e) => [types(&e.expr), vec![e.ty.to_token_stream().to_string()]].concat(),
        Expr::Binary(e) => [types(&e.left), types(&e.right)].concat(),
        _ => Vec::new(),
    }
}

/// Writes each `[x; N]` that holds weights out: it is N entries, each a weight of its own.
pub fn expand_repeats(expr: &mut Expr) {
    expand(expr, &mut Vec::new());
}

/// Writes each `[x; N]` that holds weights out, and adds it to `found` with the number of its
/// entries, inner ones first.
pub(crate) fn expand(expr: &mut Expr, found: &mut Vec<(ExprRepeat, usize)>) {
    if let Expr::Repeat(e) = expr {
        let written = copies(e).map(|len| (e.clone(), len));
        expand(&mut e.expr, found);
        if let Some((repeat, len)) = written {
            *expr = Expr::Array(ExprArray {
                attrs: Vec::new(),
                bracket_token: Bracket::default(),
                elems: std::iter::repeat_n((*e.expr).clone(), len).collect(),
            });
            found.push((repeat, len));
        }
    } else {
        each_inner(expr, &mut |e| expand(e, found));
    }
}

/// The length of `[x; N]`; `None` unless the entry has weights, or values derived from some, and
/// `N` is a number within the limits of this file.
pub(crate) fn copies(repeat: &ExprRepeat) -> Option<usize> {
    let Some(Number::Int(len)) = Number::of(&repeat.len) else {
        return None;
    };
    let mut entry = repeat.expr.clone();
    expand_repeats(&mut entry);
    let parts = parts(&entry);
    let is_small =
        (0..=LONGEST_REPEAT).contains(&len) && parts > 0 && len as usize * parts <= LARGEST_REPEAT;
    is_small.then_some(len as usize)
}

/// Calls `f` on the parts of a list or a constructor, and on what is in parentheses or behind a
/// reference. In a struct with a middlegame and an endgame field the middlegame comes first.
fn each_inner(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    let is_call = transmuted(expr).is_some();
    match expr {
        Expr::Array(e) => e.elems.iter_mut().for_each(f),
        Expr::Tuple(e) => e.elems.iter_mut().for_each(f),
        Expr::Paren(e) => f(&mut e.expr),
        Expr::Group(e) => f(&mut e.expr),
        Expr::Reference(e) => f(&mut e.expr),
        Expr::Unsafe(e) if is_call => {
            if let Some(Stmt::Expr(call, _)) = e.block.stmts.first_mut() {
                f(call);
            }
        }
        Expr::Call(e) => e.args.iter_mut().for_each(f),
        Expr::Struct(e) => {
            let mut fields: Vec<&mut FieldValue> = e.fields.iter_mut().collect();
            if let [first, second] = fields.as_mut_slice()
                && (phase(first), phase(second)) == (Some(1), Some(0))
            {
                fields.swap(0, 1);
            }
            for field in fields {
                f(&mut field.expr);
            }
        }
        _ => {}
    }
}

/// The phase that a field's name means: 0 the middlegame, 1 the endgame; `None` for another name.
fn phase(field: &FieldValue) -> Option<usize> {
    let Member::Named(name) = &field.member else {
        return None;
    };
    match name.to_string().as_str() {
        "mg" | "midgame" | "middlegame" | "middle_game" | "mid" | "middle" | "opening" | "op"
        | "early" => Some(0),
        "eg" | "endgame" | "end_game" | "ending" | "end" | "late" => Some(1),
        _ => None,
    }
}

/// The number of the one argument of a call that is a list, if no other holds weights, or of the
/// only argument: `Table::new(Piece::Pawn, [1, 2, …])`. `None` if there is no such argument.
fn list_argument(call: &ExprCall) -> Option<usize> {
    if call.args.len() == 1 {
        return Some(0);
    }
    let is_list = |e: &&Expr| matches!(bare(e), Expr::Array(_) | Expr::Repeat(_));
    let mut lists = call.args.iter().enumerate().filter(|(_, e)| is_list(e));
    let (list, _) = lists.next()?;
    let mut others = call.args.iter().enumerate().filter(|(n, _)| *n != list);
    others.all(|(_, e)| parts(e) == 0).then_some(list)
}

/// One step from an expression towards its list: into parentheses, behind a reference, or into a
/// wrapper of one list, `&Table::new([…])`. `None` where there is no such step.
fn inside(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Paren(e) => Some(&e.expr),
        Expr::Group(e) => Some(&e.expr),
        Expr::Reference(e) => Some(&e.expr),
        Expr::Call(e) => list_argument(e).map(|list| &e.args[list]),
        Expr::Struct(e) if e.fields.len() == 1 && e.rest.is_none() => Some(&e.fields[0].expr),
        _ => transmuted(expr),
    }
}

/// The call in `unsafe { transmute([[[-8i16, -10], …]]) }`, if its argument is a list of signed
/// numbers, so that they are the table's numbers and not bytes of them; else `None`.
fn transmuted(expr: &Expr) -> Option<&Expr> {
    let Expr::Unsafe(e) = expr else { return None };
    let [Stmt::Expr(call @ Expr::Call(e), None)] = &e.block.stmts[..] else {
        return None;
    };
    let is_it = matches!(&*e.func, Expr::Path(path)
        if path.path.segments.last().is_some_and(|last| last.ident == "transmute" && last.arguments.is_none()));
    (is_it && e.args.len() == 1 && is_signed_list(&e.args[0])).then_some(call)
}

/// Tells whether an expression is a nested array of numbers alone, without an unsigned suffix.
fn is_signed_list(expr: &Expr) -> bool {
    let is_entry = |e: &Expr| match Number::of(e) {
        Some(_) => !types(e).iter().any(|ty| ty.starts_with('u')),
        None => is_signed_list(e),
    };
    match bare(expr) {
        Expr::Array(e) => e.elems.iter().all(is_entry),
        Expr::Repeat(e) => is_entry(&e.expr),
        _ => false,
    }
}

/// Strips what is written around a list: parentheses, references, and wrappers, that is, calls
/// with one list among their arguments, structs with a single field, and `transmute`. So
/// `&Table::new([1, 2])` gives `[1, 2]`. An expression without these is returned as it is.
fn unwrapped(expr: &Expr) -> &Expr {
    inside(expr).map_or(expr, unwrapped)
}

/// Tells whether all rows of an initialiser have the lengths `dims`, outermost first; a row may be
/// a name.
fn is_rectangular(expr: &Expr, dims: &[usize]) -> bool {
    let (Some((&length, inner)), Expr::Array(e)) = (dims.split_first(), unwrapped(expr)) else {
        return true;
    };
    e.elems.len() == length && e.elems.iter().all(|e| is_rectangular(e, inner))
}

/// Lengths of nested arrays, outermost first; the inner ones are those of the row that is nested
/// most deeply. Rows of two that `transmute` turns into pairs are entries.
fn dims(expr: &Expr) -> Vec<usize> {
    let Expr::Array(e) = unwrapped(expr) else {
        return Vec::new();
    };
    let mut all = vec![e.elems.len()];
    // An empty row does not say how deep rows are.
    let inner = e.elems.iter().map(dims);
    all.extend(inner.max_by_key(Vec::len).unwrap_or_default());
    // By the type of the table, rows of two are pairs.
    if is_transmuted(expr) && all.len() > 1 && all.last() == Some(&2) {
        all.pop();
    }
    all
}

/// Whether the list in an initialiser is transmuted to the type of the table.
fn is_transmuted(expr: &Expr) -> bool {
    transmuted(expr).is_some() || inside(expr).is_some_and(is_transmuted)
}
