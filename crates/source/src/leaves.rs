//! The literal leaves of an initialiser: each is a weight.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::token::Bracket;
use syn::{Expr, ExprArray, ExprRepeat, FieldValue, Member};

use crate::extent::Extent;
use crate::item::each_token;
use crate::number::Number;
use crate::syntax::{bare, last_name, listed, path_names};

/// Longest `[x; N]` that is written out. Chosen: more than any table of
/// weights, less than what would exhaust memory.
const LONGEST_REPEAT: i128 = 65_536;

/// Most weights in a `[x; N]` that is written out, for the same reason:
/// `[[[0; 65536]; 65536]; 65536]` is a short line.
const LARGEST_REPEAT: usize = 1 << 20;

/// One weight: a literal, or a maximal piece of arithmetic on literals alone.
#[derive(Clone, Debug)]
pub struct LiteralLeaf {
    /// Its value.
    pub number: Number,
    /// All of it, casts included.
    pub at: Extent,
    /// The part that another number would replace: sign and digits, without
    /// casts and parentheses around them.
    pub written: Extent,
    /// The types that it says it has: suffixes and casts, innermost first.
    pub types: Vec<String>,
    /// Whether the first of `types` is inside that part.
    pub keeps_type: bool,
}

/// The weights in an initialiser, and the parts of it that cannot be read.
#[derive(Clone, Debug, Default)]
pub struct Leaves {
    /// Lengths of the arrays around an entry, outermost first. A wrapper of
    /// one argument, `Table::new([…])`, is seen through. Rows of different lengths
    /// are one list.
    pub dims: Vec<usize>,
    /// Arrays around an entry: as many as `dims`, but for such rows.
    pub depth: usize,
    /// The weights in source order, of `S { eg: 2, mg: 1 }` the middlegame first; `[x; 3]` holds three, all at one place.
    pub leaves: Vec<LiteralLeaf>,
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
    /// Returns the leaves of `expr`.
    pub fn of(expr: &Expr) -> Self {
        let mut expr = expr.clone();
        expand_repeats(&mut expr);
        let nested = dims(&expr);
        let mut leaves = Self {
            depth: nested.len(),
            dims: if is_even(&expr, &nested) {
                nested
            } else {
                vec![count(&expr, nested.len())]
            },
            ..Self::default()
        };
        leaves.visit(&mut expr, &mut |_| {});
        leaves
    }

    /// Weights in an entry.
    pub fn lanes(&self) -> usize {
        lanes(self.leaves.len(), &self.dims)
    }

    /// The value of each weight.
    pub fn values(&self) -> impl Iterator<Item = f64> {
        self.leaves.iter().map(|leaf| leaf.number.value())
    }

    fn visit(&mut self, expr: &mut Expr, f: &mut impl FnMut(&mut Expr)) {
        if let Some(number) = Number::of(expr) {
            self.leaves.push(LiteralLeaf {
                number,
                at: Extent::of(expr),
                written: Extent::of(written(expr)),
                types: types(expr),
                keeps_type: !types(written(expr)).is_empty(),
            });
            f(expr);
            return;
        }
        let before = (self.leaves.len(), self.derived.len());
        each_inner(expr, &mut |e| self.visit(e, f));
        let has_weights = self.leaves.len() > before.0;
        match expr {
            Expr::Call(e) if has_weights => {
                if let Expr::Path(path) = &*e.func {
                    self.constructors
                        .push((constructor(&path.path), Extent::of(path)));
                }
            }
            Expr::Struct(e) if has_weights => {
                self.constructors
                    .push((constructor(&e.path), Extent::of(&e.path)));
            }
            Expr::Macro(e) => {
                if let Some(mut args) = listed(&e.mac) {
                    self.macros.push(last_name(&e.mac.path));
                    args.iter_mut().for_each(|e| self.visit(e, f));
                    e.mac.tokens = quote!(#args);
                } else if holds_number(e.mac.tokens.clone()) {
                    self.unread.push((constructor(&e.mac.path), Extent::of(e)));
                }
            }
            Expr::Binary(e) if holds_leaf(&e.left) || holds_leaf(&e.right) => {
                self.derived.push(Extent::of(e));
            }
            Expr::Repeat(e) => {
                self.visit(&mut e.expr, f);
                if (self.leaves.len(), self.derived.len()) != before {
                    self.lengths.push(Extent::of(&e.len));
                }
            }
            _ => {}
        }
    }
}

/// Weights in an entry, where so many make up all of them.
pub(crate) fn lanes(weights: usize, dims: &[usize]) -> usize {
    match dims.iter().product() {
        0 => 1,
        entries => weights.div_ceil(entries).max(1),
    }
}

/// Calls `f` on each weight, in source order, and lets it be replaced; `[x; N]`
/// is written out first. Literals in arithmetic with names are constants.
pub fn each_weight(expr: &mut Expr, f: &mut impl FnMut(&mut Expr)) {
    expand_repeats(expr);
    Leaves::default().visit(expr, f);
}

pub(crate) fn holds_number(tokens: TokenStream) -> bool {
    let mut found = false;
    each_token(tokens, &mut |token| {
        let is_literal = matches!(token, TokenTree::Literal(_));
        found |= is_literal && token.to_string().starts_with(|c: char| c.is_ascii_digit());
    });
    found
}

/// Whether there is a leaf or a derived part in it.
fn holds_leaf(expr: &Expr) -> bool {
    parts(expr) > 0
}

fn parts(expr: &Expr) -> usize {
    let mut found = Leaves::default();
    found.visit(&mut expr.clone(), &mut |_| {});
    found.leaves.len() + found.derived.len()
}

/// `Score::new` and `Score` both name the type.
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

/// The types named inside a leaf.
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

/// Writes each `[x; 3]` that holds weights out: it is three entries, each a weight of its own.
pub fn expand_repeats(expr: &mut Expr) {
    match expr {
        Expr::Repeat(e) => {
            expand_repeats(&mut e.expr);
            if let Some(len) = copies(e) {
                *expr = Expr::Array(ExprArray {
                    attrs: Vec::new(),
                    bracket_token: Bracket::default(),
                    elems: std::iter::repeat_n((*e.expr).clone(), len).collect(),
                });
            }
        }
        _ => each_inner(expr, &mut expand_repeats),
    }
}

/// How often `[x; N]` holds its entry, if that holds weights and `N` is a small
/// number.
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

/// The `[x; N]` that [`expand_repeats`] writes out, each before those inside it.
pub(crate) fn repeats<'a>(expr: &'a Expr, found: &mut Vec<(&'a ExprRepeat, usize)>) {
    match expr {
        Expr::Repeat(e) => {
            if let Some(len) = copies(e) {
                found.push((e, len));
            }
            repeats(&e.expr, found);
        }
        Expr::Array(e) => e.elems.iter().for_each(|e| repeats(e, found)),
        Expr::Tuple(e) => e.elems.iter().for_each(|e| repeats(e, found)),
        Expr::Paren(e) => repeats(&e.expr, found),
        Expr::Group(e) => repeats(&e.expr, found),
        Expr::Reference(e) => repeats(&e.expr, found),
        Expr::Call(e) => e.args.iter().for_each(|e| repeats(e, found)),
        Expr::Struct(e) => e.fields.iter().for_each(|f| repeats(&f.expr, found)),
        _ => {}
    }
}

/// Calls `f` on the parts of a list or a constructor, and on what is in
/// parentheses or behind a reference.
fn each_inner(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    match expr {
        Expr::Array(e) => e.elems.iter_mut().for_each(f),
        Expr::Tuple(e) => e.elems.iter_mut().for_each(f),
        Expr::Paren(e) => f(&mut e.expr),
        Expr::Group(e) => f(&mut e.expr),
        Expr::Reference(e) => f(&mut e.expr),
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

/// Which half of a pair a field is by its name: 0 the middlegame, 1 the endgame.
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

/// Returns the expression behind references and wrappers of one argument: `&Table::new([…])`.
pub(crate) fn unwrapped(expr: &Expr) -> &Expr {
    match bare(expr) {
        Expr::Reference(e) => unwrapped(&e.expr),
        Expr::Call(e) if e.args.len() == 1 => unwrapped(&e.args[0]),
        Expr::Struct(e) if e.fields.len() == 1 && e.rest.is_none() => unwrapped(&e.fields[0].expr),
        expr => expr,
    }
}

/// Whether all rows of an initialiser are as long as the first ones; a row may be a name.
fn is_even(expr: &Expr, dims: &[usize]) -> bool {
    let (Some((&length, inner)), Expr::Array(e)) = (dims.split_first(), unwrapped(expr)) else {
        return true;
    };
    e.elems.len() == length && e.elems.iter().all(|e| is_even(e, inner))
}

/// Entries, `depth` arrays below.
fn count(expr: &Expr, depth: usize) -> usize {
    match (depth.checked_sub(1), unwrapped(expr)) {
        (Some(deeper), Expr::Array(e)) => e.elems.iter().map(|e| count(e, deeper)).sum(),
        _ => 1,
    }
}

/// Lengths of nested arrays, by their first entries.
fn dims(expr: &Expr) -> Vec<usize> {
    let Expr::Array(e) = unwrapped(expr) else {
        return Vec::new();
    };
    let mut all = vec![e.elems.len()];
    // An empty row does not say what is in it.
    let inner = e.elems.iter().map(dims);
    all.extend(inner.max_by_key(Vec::len).unwrap_or_default());
    all
}
