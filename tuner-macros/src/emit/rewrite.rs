//! Applies to a body what inference says that the twin's has different.

use proc_macro2::{Delimiter, LineColumn, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprBinary, ExprMethodCall, GenericArgument, Macro, PatType, Path, Stmt};
use syn::{parse_quote, parse_quote_spanned, parse2};

use super::types;
use crate::infer::Facts;
use crate::infer::edits::{Edit, Edits, MacroChange, MacroEdit};
use crate::model::macro_input::MacroKind;
use crate::model::shape::Shape;
use crate::model::{Location, is_assignment, is_literal, is_zero, last_name, weights};

/// Applies edits to a body. Nodes are visited in the order in which inference numbered them.
pub(super) struct Rewrite<'f> {
    facts: &'f Facts,
    /// The name of the file, which a lifted number records as its origin.
    file: &'f str,
    edits: Edits,
    next: usize,
}

impl<'f> Rewrite<'f> {
    /// Makes a rewriter of one body of the unit, an annotated module. `edits`: what the twin's body
    /// has different, by the number of the node.
    pub(super) fn new(facts: &'f Facts, unit: usize, edits: Edits) -> Self {
        Self {
            facts,
            file: &facts.files[facts.units[unit].file].name,
            edits,
            next: 0,
        }
    }

    /// Counts the next node of the body, which is an expression, a statement, a pattern with a type
    /// or a macro call, and takes its edits out of the table; empty if it has none.
    fn meet(&mut self) -> Vec<Edit> {
        self.next += 1;
        self.edits.remove(&(self.next - 1)).unwrap_or_default()
    }

    /// Makes a plain number a traced one. With it go the place where it joined the score, so that
    /// `check` can name what no weight explains, and whether it is fixed: a literal, or a frozen
    /// const. The number 0, and numbers of an initialiser, go without these as `Tr::lit`, which can
    /// be const.
    fn lift(&self, expr: &mut Expr, initialiser: bool) {
        let span = expr.span();
        let origin = origin(expr, self.file);
        let frozen = |path: &Path| self.facts.is_frozen(&last_name(path));
        let is_fixed = is_literal(expr) || matches!(&*expr, Expr::Path(e) if frozen(&e.path));
        let tokens = if is_zero(expr) || initialiser {
            quote_spanned!(span=> ::tuner_core::trace::Tr::lit(#expr))
        } else if is_fixed {
            quote_spanned!(span=> ::tuner_core::trace::Tr::lit_at(#expr, #origin))
        } else {
            quote_spanned!(span=> ::tuner_core::trace::lift_at(#expr, #origin))
        };
        if let Ok(lifted) = parse2(tokens) {
            *expr = lifted;
        }
    }

    /// Applies one edit, a difference of the twin's body from production's, to an expression whose
    /// parts have been edited already. An edit for another kind of expression changes nothing.
    fn expr(&self, expr: &mut Expr, edit: Edit) {
        match (edit, &mut *expr) {
            (Edit::Lift { initialiser }, _) => self.lift(expr, initialiser),
            (Edit::Block, Expr::Const(e)) => {
                let block = &e.block;
                *expr = parse_quote!(#block);
            }
            (Edit::Cast(span), _) => {
                // `value as T`, `T::from(value)`, or `T::from` as a value, which is cast when it is
                // called.
                let (ty, value) = match &*expr {
                    Expr::Cast(e) => (e.ty.to_token_stream(), Some(e.expr.to_token_stream())),
                    Expr::Call(e) => (segment(&e.func, 1), Some(e.args.to_token_stream())),
                    path => (segment(path, 1), None),
                };
                let value = value.map(|value| quote_spanned!(span=> (#value)));
                *expr = parse_quote_spanned!(span=> ::tuner_core::trace::cast::<#ty, _> #value);
            }
            (Edit::Function { name, span, field }, _) => {
                let function = function_path(&name, span);
                // The operands may be structs of one field; the function is then applied to that
                // field.
                let of_field = field.and_then(|field| syn::parse_str::<syn::Member>(&field).ok());
                *expr = match &*expr {
                    Expr::Binary(ExprBinary { left, right, .. }) if of_field.is_some() => {
                        parse_quote_spanned!(span=> #function((#left).#of_field, (#right).#of_field))
                    }
                    Expr::MethodCall(ExprMethodCall { receiver, args, .. })
                        if of_field.is_some() =>
                    {
                        let args = args.iter();
                        parse_quote_spanned!(span=> {
                            let mut of = #receiver;
                            of.#of_field = #function(of.#of_field, #((#args).#of_field),*);
                            of
                        })
                    }
                    // `a *= b`: the right side comes first, as Rust computes it first for plain
                    // numbers.
                    Expr::Binary(ExprBinary {
                        op, left, right, ..
                    }) if is_assignment(op) => {
                        parse_quote_spanned!(span=> #function(#right, &mut #left))
                    }
                    Expr::Binary(ExprBinary { left, right, .. }) => {
                        parse_quote_spanned!(span=> #function(#left, #right))
                    }
                    Expr::MethodCall(ExprMethodCall { receiver, args, .. }) => {
                        parse_quote_spanned!(span=> #function(#receiver, #args))
                    }
                    // A path, as `i32::max` that is called or passed on.
                    _ => parse_quote!(#function),
                };
            }
            // An endless loop has every type, so the code around it compiles.
            (Edit::LeftOut, e) => *e = parse_quote!({ loop {} }),
            // `place += value` computes `value` before it names the place, as it does for plain
            // numbers.
            (Edit::First, Expr::Binary(e)) => {
                let (left, op, right) = (&e.left, &e.op, &e.right);
                let span = op.span();
                *expr = parse_quote_spanned!(span=> { let right = #right; #left #op right });
            }
            (Edit::Swap, Expr::Binary(e)) => std::mem::swap(&mut e.left, &mut e.right),
            // A table that is computed from weights is a function in the twin, which gives a
            // reference.
            (Edit::Computed { by_reference: true }, e) => *expr = parse_quote!(#e()),
            (Edit::Computed { .. }, e) => *expr = parse_quote!((*#e())),
            (Edit::Rename, Expr::Path(e)) => {
                if let Some(last) = e.path.segments.last_mut() {
                    last.ident = format_ident!("__traced_{}", last.ident);
                }
            }
            (Edit::Rename, Expr::MethodCall(e)) => {
                e.method = format_ident!("__traced_{}", e.method);
            }
            // `i32::from` becomes `<Tr<i32>>::from`.
            (Edit::TracedType, function @ Expr::Path(_)) => {
                let (number, name) = (segment(function, 1), segment(function, 0));
                *function = parse_quote!(<::tuner_core::trace::Tr<#number>>::#name);
            }
            (Edit::SayType, Expr::Lit(e)) => {
                if let syn::Lit::Int(literal) = &mut e.lit {
                    *literal = syn::LitInt::new(&format!("{literal}i32"), literal.span());
                }
            }
            (Edit::Type(shape), expr) => self.stated_type(expr, &shape),
            // Inference records no edit for a node of another kind.
            _ => {}
        }
    }

    /// Puts `Tr<…>` around the scores in a type that an expression states: the turbofish of a
    /// method or of a variant such as `Ok`, or the type after the `->` of a closure. `shape`: which
    /// parts of the values of this type are scores.
    fn stated_type(&self, expr: &mut Expr, shape: &Shape) {
        let all = &self.facts.types;
        match expr {
            Expr::MethodCall(e) => {
                if let Some(turbofish) = &mut e.turbofish
                    && let Some(GenericArgument::Type(ty)) = turbofish.args.first_mut()
                {
                    types::trace(all, ty, shape);
                }
            }
            // `Ok::<i32, String>(score)`.
            Expr::Call(e) => {
                if let Expr::Path(path) = &mut *e.func
                    && let Some(last) = path.path.segments.last_mut()
                {
                    types::each_argument(last, &mut |ty| types::trace(all, ty, shape));
                }
            }
            Expr::Closure(e) => types::trace_output(all, &mut e.output, shape),
            _ => {}
        }
    }

    /// Applies the edit of a macro call: rewrites the expressions in its input by their own edits,
    /// and then turns the call into what it is to become, or leaves it the macro that it is.
    fn macro_call(&self, mac: &mut Macro, edit: MacroEdit) {
        let (mut input, edits) = (edit.input, edit.edits);
        input.visit_mut(&mut Self {
            edits,
            next: 0,
            ..*self
        });
        // An expression that was a macro call must stay one. `tuner_core::freeze!` returns its
        // argument, so a call of it with other tokens can be any expression.
        let freeze = || parse_quote!(::tuner_core::freeze);
        let exprs = &input.exprs;
        mac.tokens = match (edit.becomes, input.kind) {
            (MacroChange::Frozen, _) => quote!(::tuner_core::trace::nonlinear::freeze(#exprs)),
            (MacroChange::Interpolated(span), _) => {
                let function = function_path("interpolated", span);
                mac.path = freeze();
                quote!(#function(&#exprs))
            }
            (MacroChange::Weight(number), _) => {
                let Some((_, value)) = &input.weight else {
                    return;
                };
                let number = weights::literal(number);
                mac.path = freeze();
                quote!(::tuner_core::trace::Tr::weight(#value, #number))
            }
            (MacroChange::Nothing, _) => {
                // Nothing is to be left: an assertion of `true` compiles to nothing.
                mac.path = parse_quote!(::core::debug_assert);
                quote!(true)
            }
            (_, MacroKind::Matches) => {
                let pattern = input.pattern.as_ref();
                let pattern = pattern.map(|(pattern, rest)| quote!(, #pattern #rest));
                quote!(#exprs #pattern)
            }
            (_, MacroKind::Repeat) => {
                let (element, count) = (&exprs[0], &exprs[1]);
                quote!(#element; #count)
            }
            (_, MacroKind::Freeze | MacroKind::Interpolated | MacroKind::List) => quote!(#exprs),
            _ => return,
        };
    }
}

impl VisitMut for Rewrite<'_> {
    /// Counts an expression as a node before those inside it, as inference did, and applies its
    /// edits after theirs.
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let edits = self.meet();
        visit_mut::visit_expr_mut(self, expr);
        for edit in edits {
            self.expr(expr, edit);
        }
    }

    /// Rewrites the value of a field in a struct literal. The short form `S { mg }` becomes `S {
    /// mg: lit(mg) }` if its value changed.
    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        if field.colon_token.is_some() {
            visit_mut::visit_field_value_mut(self, field);
            return;
        }
        let before = field.expr.clone();
        visit_mut::visit_field_value_mut(self, field);
        if before != field.expr {
            field.colon_token = Some(syn::Token![:](field.expr.span()));
        }
    }

    /// Counts a macro call as a node before what is inside it, as inference did, and changes it if
    /// it has an edit for macro calls.
    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        let edits = self.meet();
        visit_mut::visit_macro_mut(self, mac);
        for edit in edits {
            if let Edit::Macro(edit) = edit {
                self.macro_call(mac, *edit);
            }
        }
    }

    /// Puts `Tr<…>` around the scores in the type of a pattern, `let x: i32`, where inference found
    /// that the variable holds a score.
    fn visit_pat_type_mut(&mut self, pattern: &mut PatType) {
        let edits = self.meet();
        visit_mut::visit_pat_type_mut(self, pattern);
        for edit in edits {
            if let Edit::Type(shape) = edit {
                types::trace(&self.facts.types, &mut pattern.ty, &shape);
            }
        }
    }

    /// Puts an empty block in the place of a statement that the twin leaves out.
    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        let edits = self.meet();
        visit_mut::visit_stmt_mut(self, stmt);
        for edit in edits {
            if matches!(edit, Edit::LeftOut) {
                *stmt = parse_quote!({});
            }
        }
    }
}

/// A name of a path by its number from the end: of `T::from` 0 is `from`, 1 is `T`. No tokens if
/// the expression is not a path, or has no such name.
fn segment(path: &Expr, from_end: usize) -> TokenStream {
    let Expr::Path(path) = path else {
        return TokenStream::new();
    };
    let segment = path.path.segments.iter().rev().nth(from_end);
    segment.map(|segment| &segment.ident).into_token_stream()
}

/// The path `::tuner_core::trace::nonlinear::NAME` of a function of traced numbers. Errors about it
/// are shown at `span`.
fn function_path(name: &str, span: Span) -> Path {
    let name = format_ident!("{name}", span = span);
    parse_quote_spanned!(span=> ::tuner_core::trace::nonlinear::#name)
}

/// The text by which messages name a plain number that joined the score: `src/eval.rs:12:
/// cache.probe(key)`. Of the expression it has at most 60 characters, in one line.
fn origin(expr: &Expr, file: &str) -> String {
    let text = as_written(expr.to_token_stream());
    let short: String = text.chars().take(60).collect();
    let dots = if short.len() < text.len() { " …" } else { "" };
    format!("{file}:{}: `{short}{dots}`", expr.span().start().line)
}

/// The text of tokens, with one space wherever the source has space between two of them.
fn as_written(tokens: TokenStream) -> String {
    let mut flat = Vec::new();
    flatten(tokens, &mut flat);
    let mut text = String::new();
    let mut before = None;
    for (part, start, end) in flat {
        if before.is_some_and(|before| before < start) {
            text.push(' ');
        }
        text += &part;
        before = Some(end);
    }
    text
}

/// Adds the tokens to `flat` without groups, the brackets of a group as tokens of their own. Each
/// has its text, and the line and column where it starts and where it ends.
fn flatten(tokens: TokenStream, flat: &mut Vec<(String, Location, Location)>) {
    let place = |at: LineColumn| (at.line, at.column);
    let part = |text: &str, span: Span| (text.to_owned(), place(span.start()), place(span.end()));
    for token in tokens {
        let TokenTree::Group(group) = token else {
            flat.push(part(&token.to_string(), token.span()));
            continue;
        };
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Brace => ("{", "}"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::None => ("", ""),
        };
        flat.push(part(open, group.span_open()));
        flatten(group.stream(), flat);
        flat.push(part(close, group.span_close()));
    }
}
