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
    /// Makes the weight of a literal, or of arithmetic on literals, with the value `number`. Its
    /// limits are those of all types that suffixes and casts name.
    fn of(expr: &Expr, number: Number) -> Self {
        let written = written(expr);
        let extent = Extent::of(written);
        // The types that suffixes and casts name: `types` in all of the expression, innermost
        // first, and `kept` in the part that a new number replaces. That number needs the suffix of
        // the part.
        let (types, kept) = (types(expr), types(written));
        let is_primitive = |ty: &&String| range(ty).is_some() || matches!(&***ty, "f32" | "f64");
        let suffix = kept.first().filter(is_primitive);
        // The number must be within all of these types.
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

    /// Narrows the limits of the weight to those of the type around it, `around`: the least and the
    /// largest value. `None` are no limits.
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
    /// The weights in source order, of `S { eg: 2, mg: 1 }` the middlegame first; `[x; 3]` holds
    /// three, all at one place.
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
    /// Returns the weights of an initialiser, with the shape of its table and what of it cannot be
    /// read. In `[x; N]` the weights of `x` count `N` times, if `N` is a small number.
    pub fn of(expr: &Expr) -> Self {
        let mut expr = expr.clone();
        expand_repeats(&mut expr);
        let dims = dims(&expr);
        let mut leaves = Self {
            depth: dims.len(),
            ..Self::default()
        };
        leaves.visit(&mut expr, Some(dims.len()), &mut |_| {});
        // Rows of different lengths are one list of all their entries.
        leaves.dims = if is_rectangular(&expr, &dims) {
            dims
        } else {
            vec![leaves.entries.len()]
        };
        leaves
    }

    /// The number of weights per entry: of all divided by the number of entries, rounded up, and at
    /// least 1.
    pub fn lanes(&self) -> usize {
        lanes(self.leaves.len(), &self.dims)
    }

    /// The values of the weights, in their order.
    pub fn values(&self) -> impl Iterator<Item = f64> {
        self.leaves.iter().map(|leaf| leaf.number.value())
    }

    /// Adds the weights, entries and other parts of an expression to the fields, and calls `f` on
    /// each weight, which it may replace. `depth`: how many arrays of the expression are around
    /// each entry; 0: it is an entry; `None`: it is a part of one.
    fn visit(&mut self, expr: &mut Expr, depth: Option<usize>, f: &mut impl FnMut(&mut Expr)) {
        let weights_before = self.leaves.len();
        // An entry: its weights are counted, or it is another const.
        if depth == Some(0) {
            self.visit(expr, None, f);
            self.entries.push(match self.leaves.len() - weights_before {
                0 => same(expr, false),
                weights => Entry::Weights(weights),
            });
            return;
        }
        if let Some(number) = Number::of(expr) {
            self.leaves.push(Literal::of(expr, number));
            f(expr);
            // A number where an array was expected: a row that is unlike the first.
            self.entries.extend(depth.map(|_| Entry::Other));
            return;
        }
        // The depth of the parts of the expression; `None` where they are parts of an entry.
        let inner = depth.and_then(|depth| match &*expr {
            Expr::Array(_) | Expr::Repeat(_) => Some(depth - 1),
            expr => inside(expr).map(|_| depth),
        });
        // Of several arguments of a call, only the one that is the list has entries.
        let list = match &*expr {
            Expr::Call(call) => list_argument(call),
            _ => None,
        };
        // The number of the argument, where the expression is a call with several.
        let mut arguments = 0..;
        each_inner(expr, &mut |e| {
            let is_it = list.is_none() || list == arguments.next();
            self.visit(e, inner.filter(|_| is_it), f);
        });
        let has_weights = self.leaves.len() > weights_before;
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
                    // With the weights that `f` may have replaced.
                    e.mac.tokens = quote!(#args);
                } else if holds_number(e.mac.tokens.clone()) {
                    self.unread.push((constructor(&e.mac.path), Extent::of(e)));
                }
            }
            Expr::Binary(e) if parts(&e.left) + parts(&e.right) > 0 => {
                self.derived.push(Extent::of(e));
            }
            Expr::Repeat(e) => self.visit_repeat(e, depth, f),
            _ => {}
        }
        // Entries were expected, but the expression is no list: it counts as one entry.
        if inner.is_none() {
            self.entries.extend(depth.map(|_| Entry::Other));
        }
    }

    /// Adds what an `[x; N]` holds to the fields, and calls `f` on each weight in it. `depth`: how
    /// many arrays are around each of its entries, itself among them; `None`: it is a part of an
    /// entry. An array with weights, or with values derived from some, whose length is a small
    /// number was written out as a list before; the length of one that is met here is added to
    /// `lengths`. An array without, such as `[S::NULL; 3]`, has the entries of `x` as often as its
    /// length says, or one unknown entry (`Entry::Other`) if the length is not a number, or the
    /// length or the number of entries is more than `MOST_ENTRIES` (1,048,576).
    fn visit_repeat(
        &mut self,
        e: &mut ExprRepeat,
        depth: Option<usize>,
        f: &mut impl FnMut(&mut Expr),
    ) {
        // How many weights, pieces of arithmetic with names, and entries were there before.
        let before = (self.leaves.len(), self.derived.len(), self.entries.len());
        self.visit(&mut e.expr, depth.map(|depth| depth - 1), f);
        if (self.leaves.len(), self.derived.len()) != (before.0, before.1) {
            self.lengths.push(Extent::of(&e.len));
        }
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
}

/// The number of weights per entry of a table, rounded up, and at least 1. `weights`: the number of
/// those of the whole table; `dims`: the lengths of the arrays around an entry.
pub(crate) fn lanes(weights: usize, dims: &[usize]) -> usize {
    match dims.iter().product() {
        0 => 1,
        entries => weights.div_ceil(entries).max(1),
    }
}

/// Calls `f` on each weight of an initialiser, in source order (of `S { eg: 2, mg: 1 }` the
/// middlegame first), and lets it be replaced. An `[x; N]` with weights is first written as a list
/// of `N` entries. Literals in arithmetic with names are constants, no weights.
pub fn each_weight(expr: &mut Expr, f: &mut impl FnMut(&mut Expr)) {
    expand_repeats(expr);
    // `None`: of the fields nothing is used, and entries need not be told apart.
    Leaves::default().visit(expr, None, f);
}

/// Tells whether a literal that begins with a digit is among tokens, also in groups.
pub(crate) fn holds_number(tokens: TokenStream) -> bool {
    let mut found = false;
    each_token(tokens, &mut |token| {
        let is_literal = matches!(token, TokenTree::Literal(_));
        found |= is_literal && token.to_string().starts_with(|c: char| c.is_ascii_digit());
    });
    found
}

/// The number of weights in an expression, plus that of pieces of arithmetic that mix literals with
/// names.
fn parts(expr: &Expr) -> usize {
    let mut found = Leaves::default();
    // `None`: entries need not be told apart.
    found.visit(&mut expr.clone(), None, &mut |_| {});
    found.leaves.len() + found.derived.len()
}

/// The name of the type that a constructor's path names, `Score` of `Score::new` and of `Score`:
/// the last name with a capital. Without one it is the last name of the path.
fn constructor(path: &syn::Path) -> String {
    let names = path_names(path);
    let of_type = names.iter().rfind(|n| n.starts_with(char::is_uppercase));
    of_type.or(names.last()).cloned().unwrap_or_default()
}

/// The number in a weight's expression, without the casts and parentheses around it: `-5` of `(-5)
/// as i16`.
fn written(expr: &Expr) -> &Expr {
    match bare(expr) {
        Expr::Cast(e) => written(&e.expr),
        expr => expr,
    }
}

/// The types that suffixes and casts name in a weight's expression, innermost first.
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

/// Writes each `[x; N]` that holds weights as a list of `N` entries, so that each entry has weights
/// of its own. One whose length is not a small number stays.
pub fn expand_repeats(expr: &mut Expr) {
    expand(expr, &mut Vec::new());
}

/// Writes each `[x; N]` that holds weights as a list of `N` entries, and adds it to `found` with
/// `N`, inner ones first.
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

/// The length `N` of an `[x; N]` that is to be written as a list. `None` unless `x` has weights, or
/// values derived from some, and `N` is a number of at most `LONGEST_REPEAT` (65,536) that makes at
/// most `LARGEST_REPEAT` (1,048,576) weights.
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

/// Calls `f` on the parts of an expression that weights can be in: elements of lists and tuples,
/// arguments of calls, fields of structs, and what is in parentheses or behind a reference. Of a
/// struct with a middlegame and an endgame field the middlegame comes first.
fn each_inner(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    // `unsafe { transmute([…]) }` is looked into; other unsafe code is not.
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

/// The number, from 0, of the argument of a call that has the table's list, as in
/// `Table::new(Piece::Pawn, [1, 2])`: the only argument, or the first list if no other argument has
/// weights. `None` if there is no such argument.
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

/// The expression that is one step nearer to an initialiser's list: the one in parentheses, behind
/// a reference, or in a wrapper of one list, which is a call such as `Table::new([…])`, a struct
/// with a single field, or a `transmute`. `None` if the expression is no such thing.
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

/// The call in `unsafe { transmute([[[-8i16, -10], …]]) }`, if its argument is a list of numbers
/// without an unsigned suffix, so that these are the table's numbers and not its bytes; else
/// `None`.
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

/// Tells whether an initialiser's nested arrays have everywhere the lengths `dims`, outermost
/// first. A row that is not an array, such as a name, counts as fitting.
fn is_rectangular(expr: &Expr, dims: &[usize]) -> bool {
    let (Some((&length, inner)), Expr::Array(e)) = (dims.split_first(), unwrapped(expr)) else {
        return true;
    };
    e.elems.len() == length && e.elems.iter().all(|e| is_rectangular(e, inner))
}

/// The lengths of an initialiser's nested arrays, outermost first; of several rows those of the row
/// that is nested most deeply. Innermost rows of two in a `transmute` are entries, as they become
/// pairs.
fn dims(expr: &Expr) -> Vec<usize> {
    let Expr::Array(e) = unwrapped(expr) else {
        return Vec::new();
    };
    let mut all = vec![e.elems.len()];
    // An empty row does not say how deep rows are.
    let inner = e.elems.iter().map(dims);
    all.extend(inner.max_by_key(Vec::len).unwrap_or_default());
    if is_transmuted(expr) && all.len() > 1 && all.last() == Some(&2) {
        all.pop();
    }
    all
}

/// Tells whether the list of an initialiser is in `unsafe { transmute(…) }`.
fn is_transmuted(expr: &Expr) -> bool {
    transmuted(expr).is_some() || inside(expr).is_some_and(is_transmuted)
}
