//! The author's own `macro_rules!`, expanded where their output decides what
//! a score becomes: `s!(3, -8)` is `Score::new(3, -8)`.
//!
//! Rules without repetitions are understood; for any other the call is read
//! as a list of expressions, or refused. Names that an expansion brings are
//! those of the call's place, which is what rustc does for paths; a `let` of
//! the macro's own is not told apart from one of the caller's.

use std::collections::HashMap;

use proc_macro2::{Delimiter, Group, Punct, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Ident, Stmt};

use super::macro_input::visit_list;
use super::{Model, last_name};

/// How deep expansions may be nested; deeper calls are not expanded.
const DEEPEST: usize = 8;

/// The rules of a crate's macros by name; `None` where two macros of one name differ.
pub(crate) type Macros = HashMap<String, Option<Rules>>;

impl Model {
    /// Reads the rules of the crate's macros, each under its name. Where two macros of one name
    /// have different rules neither is expanded, since a call does not tell which is meant.
    pub(super) fn add_macros(&mut self) {
        for (name, rules) in &self.declared.macros {
            let rules = Rules::read(rules.clone());
            let known = self.macros.entry(name.clone());
            let same = |known: &mut Option<Rules>| {
                // Files may have equal copies of a macro.
                if *known != rules {
                    *known = None;
                }
            };
            known.and_modify(same).or_insert(rules.clone());
        }
    }
}

/// Expands the calls of the crate's macros.
pub(super) struct Expansion<'m> {
    macros: &'m Macros,
    depth: usize,
}

impl<'m> Expansion<'m> {
    /// Makes a visitor that expands calls of the macros in `macros`, and is inside no expansion
    /// yet.
    pub(super) fn new(macros: &'m Macros) -> Self {
        Self { macros, depth: 0 }
    }

    /// The expression that a call of one of the crate's macros becomes; `None` for another macro,
    /// where its rules are not understood, and in expansions nested too deep.
    fn of(&mut self, mac: &syn::Macro) -> Option<Expr> {
        if self.depth == DEEPEST {
            return None;
        }
        let rules = self.macros.get(&last_name(&mac.path))?.as_ref()?;
        let mut new = rules.expand(&mac.tokens)?;
        self.depth += 1;
        self.visit_expr_mut(&mut new);
        self.depth -= 1;
        Some(new)
    }
}

impl VisitMut for Expansion<'_> {
    /// Replaces a call of one of the crate's macros by what it becomes, in which calls are expanded
    /// as well.
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Macro(call) = expr
            && let Some(new) = self.of(&call.mac)
        {
            *expr = new;
            return;
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    /// Expands a call of one of the crate's macros that is a statement, which syn does not take for
    /// an expression.
    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Stmt::Macro(call) = stmt
            && let Some(new) = self.of(&call.mac)
        {
            *stmt = Stmt::Expr(new, call.semi_token);
            return;
        }
        visit_mut::visit_stmt_mut(self, stmt);
    }

    /// Visits the arguments of a macro call that is not expanded, if its input is a list of
    /// expressions.
    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        visit_list(self, mac);
    }
}

/// The rules of one macro: pattern and output of each, as text, since the lexers
/// of several expansions must not meet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rules(Vec<(String, String)>);

impl Rules {
    /// Reads the rules of a `macro_rules!`, `(pattern) => {output}; …`; `None` if they have another
    /// form.
    fn read(tokens: TokenStream) -> Option<Self> {
        use TokenTree::{Group, Punct};
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut rules = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            // A rule is four tokens: the pattern, the two signs of `=>`, and the output.
            let [Group(pattern), Punct(a), Punct(b), Group(output)] = tokens.get(at..at + 4)?
            else {
                return None;
            };
            if a.as_char() != '=' || b.as_char() != '>' {
                return None;
            }
            let output = without_attributes(output.stream());
            rules.push((pattern.stream().to_string(), output.to_string()));
            at += 4;
            if matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == ';') {
                at += 1;
            }
        }
        Some(Self(rules))
    }

    /// What a call with this input becomes by the first rule that takes it, as an expression: a
    /// block where the output has statements. `None` if no rule takes the input, or the output has
    /// a repetition or is neither an expression nor statements.
    fn expand(&self, input: &TokenStream) -> Option<Expr> {
        for (pattern, output) in &self.0 {
            let pattern: TokenStream = pattern.parse().ok()?;
            let mut bound = HashMap::new();
            let matching = |stream: ParseStream<'_>| matches(pattern.clone(), stream, &mut bound);
            if matching.parse2(input.clone()).is_err() {
                continue;
            }
            let output: TokenStream = output.parse().ok()?;
            let output = substitute(output, &bound)?;
            return syn::parse2(output.clone())
                .or_else(|_| syn::parse2(quote::quote!({ #output })))
                .ok();
        }
        None
    }
}

/// The output of a rule without attributes that do not change what it computes, such as
/// `#[allow(…)]` and `#[inline]`: copies of a macro in several files may differ in these.
fn without_attributes(output: TokenStream) -> TokenStream {
    let mut kept = Vec::new();
    let mut tokens = output.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_attribute = |next: &TokenTree| {
            matches!(next, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket
                && LINTS.iter().any(|lint| group.stream().to_string().starts_with(lint)))
        };
        match token {
            TokenTree::Punct(hash)
                if hash.as_char() == '#' && tokens.peek().is_some_and(is_attribute) =>
            {
                tokens.next();
            }
            TokenTree::Group(group) => {
                let inner = without_attributes(group.stream());
                kept.push(Group::new(group.delimiter(), inner).into());
            }
            token => kept.push(token),
        }
    }
    kept.into_iter().collect()
}

/// Attributes that do not change what a function computes.
const LINTS: [&str; 4] = ["allow", "expect", "warn", "inline"];

/// Matches `input`, that of a call, against the pattern of a rule, and stores in `bound` the tokens
/// that the pattern's variables, `$name:kind`, get. An error means that the rule does not apply; a
/// pattern with a repetition never does.
fn matches(
    pattern: TokenStream,
    input: ParseStream<'_>,
    bound: &mut HashMap<String, TokenStream>,
) -> syn::Result<()> {
    let mut pattern = pattern.into_iter().peekable();
    while let Some(token) = pattern.next() {
        match token {
            TokenTree::Punct(dollar) if dollar.as_char() == '$' => {
                let Some(TokenTree::Ident(name)) = pattern.next() else {
                    return Err(input.error("a repetition"));
                };
                // The colon between name and kind.
                pattern.next();
                let kind = pattern.next().map(|kind| kind.to_string());
                let found = fragment(kind.as_deref(), input)?;
                bound.insert(name.to_string(), found);
            }
            TokenTree::Group(group) => {
                let TokenTree::Group(found) = input.parse()? else {
                    return Err(input.error("no group"));
                };
                if found.delimiter() != group.delimiter() {
                    return Err(input.error("another delimiter"));
                }
                let inner = |stream: ParseStream<'_>| matches(group.stream(), stream, bound);
                inner.parse2(found.stream())?;
            }
            token => {
                let found: TokenTree = input.parse()?;
                if found.to_string() != token.to_string() {
                    return Err(input.error("another token"));
                }
            }
        }
    }
    if input.is_empty() {
        Ok(())
    } else {
        Err(input.error("more input"))
    }
}

/// Takes from the input the tokens for a variable of this kind, which is `expr` for `$x:expr`. An
/// error if the input begins with nothing of the kind, or the kind is not understood.
fn fragment(kind: Option<&str>, input: ParseStream<'_>) -> syn::Result<TokenStream> {
    Ok(match kind {
        Some("expr" | "expr_2021") => {
            let expr: Expr = input.parse()?;
            // Parentheses keep it one expression wherever it is put.
            let tokens = expr.to_token_stream();
            match expr {
                Expr::Lit(_) | Expr::Path(_) | Expr::Call(_) | Expr::Paren(_) => tokens,
                _ => Group::new(Delimiter::Parenthesis, tokens).into_token_stream(),
            }
        }
        Some("ident") => input.parse::<Ident>()?.into_token_stream(),
        Some("ty") => input.parse::<syn::Type>()?.into_token_stream(),
        Some("path") => input.parse::<syn::Path>()?.into_token_stream(),
        Some("block") => input.parse::<syn::Block>()?.into_token_stream(),
        // A literal may have become the handle of a weight, `Tr::weight(…)`, so any expression will
        // do.
        Some("literal") => input.parse::<Expr>()?.into_token_stream(),
        // Up to the semicolon; as a statement it needs one where it is put.
        Some("stmt") => {
            let mut statement = TokenStream::new();
            while !input.is_empty() && !input.peek(syn::Token![;]) {
                statement.extend([input.parse::<TokenTree>()?]);
            }
            statement.extend([Punct::new(';', Spacing::Alone)].map(TokenTree::from));
            statement
        }
        Some("tt") => input.parse::<TokenTree>()?.into_token_stream(),
        _ => return Err(input.error("another kind of fragment")),
    })
}

/// The output of a rule with each variable `$name` replaced by its tokens in `bound`; `$crate`
/// becomes `crate`. `None` if the output has a repetition, or a variable that is not bound.
fn substitute(output: TokenStream, bound: &HashMap<String, TokenStream>) -> Option<TokenStream> {
    let mut result = TokenStream::new();
    let mut tokens = output.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            // `$` joined to another sign, as in `$$`, is not before a name.
            TokenTree::Punct(dollar)
                if dollar.as_char() == '$' && dollar.spacing() == Spacing::Alone =>
            {
                match tokens.next()? {
                    TokenTree::Ident(name) if name == "crate" => {
                        result.extend(name.into_token_stream());
                    }
                    TokenTree::Ident(name) => {
                        result.extend(bound.get(&name.to_string())?.clone());
                    }
                    _ => return None,
                }
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), substitute(group.stream(), bound)?);
                inner.set_span(group.span());
                result.extend(inner.into_token_stream());
            }
            token => result.extend(token.into_token_stream()),
        }
    }
    Some(result)
}
