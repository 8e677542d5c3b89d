//! The names that tokens use: paths, macros, methods.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Expr, Item, Pat, Signature, Type};

use crate::extent::Extent;
use crate::item::{table, type_name, typed};
use crate::modules::{Import, flatten};
use crate::syntax::is_side_effect;

/// How a name is used.
#[derive(Clone, Debug)]
pub enum UseKind {
    /// `a::b`, `a::b()`.
    Path,
    /// `a!()`.
    Macro,
    /// `x.y.a()`, where a signature or a `let` says the type of `x`, and commas how many
    /// arguments there are; `<T as U>::a()`.
    Method(MethodUse),
}

/// How a method is called.
#[derive(Clone, Debug, Default)]
pub struct MethodUse {
    /// The type of `x`, or `T`; `None` where it is unknown.
    pub on: Option<String>,
    /// The fields from `x` to the receiver, in order.
    pub fields: Vec<String>,
    /// Number of arguments; `None` where it cannot be told.
    pub arguments: Option<usize>,
}

/// One use of a name.
#[derive(Clone, Debug)]
pub struct Use {
    /// The names of its path; for a method only its name.
    pub path: Vec<String>,
    /// How the last name of the path is used.
    pub kind: UseKind,
    /// The extent of the path.
    pub at: Extent,
}

/// The names that a body declares itself.
#[derive(Debug, Default)]
pub struct Locals {
    /// Names of variables and nested consts.
    names: HashSet<String>,
    /// Closures in variables and nested functions, which are called by their names.
    closures: HashSet<String>,
    /// Types of variables, by the variable's name.
    types: HashMap<String, String>,
    /// Names of variables that a pattern without a type makes, or several of which have different
    /// types.
    untyped: HashSet<String>,
    /// `use` items of the body, flattened.
    pub imports: Vec<Import>,
}

impl Locals {
    /// Returns the names that a function's body declares, with the types of its variables as far as
    /// they are said. `owner`: the type of `self`; `sig`: the function's signature, without which
    /// the names of the block alone count.
    pub fn of(sig: Option<&Signature>, block: &syn::Block, owner: Option<&str>) -> Self {
        let mut locals = Self::default();
        if let Some(owner) = owner {
            locals.types.insert("self".to_owned(), owner.to_owned());
        }
        for arg in typed(sig.iter().flat_map(|sig| &sig.inputs)) {
            locals.typed(&arg.pat, &arg.ty, owner);
        }
        locals.visit_block(block);
        locals
    }

    /// Notes a variable with the type that is said for it; `Self` is `owner`. The variables of a
    /// pattern that has several are noted without types, and so is one whose type has no name, such
    /// as a tuple. If two variables of one name have different types, the name counts as untyped.
    fn typed(&mut self, pat: &Pat, ty: &Type, owner: Option<&str>) {
        let (Pat::Ident(ident), Some(mut ty)) = (pat, type_name(ty)) else {
            self.visit_pat(pat);
            return;
        };
        if let ("Self", Some(owner)) = (ty.as_str(), owner) {
            owner.clone_into(&mut ty);
        }
        let name = ident.ident.to_string();
        self.names.insert(name.clone());
        let before = self.types.insert(name.clone(), ty);
        if before.is_some_and(|before| before != self.types[&name]) {
            self.untyped.insert(name);
        }
    }

    /// The last name of the type of the variable `variable`. `None` if it is unknown, or several
    /// variables have this name and may have different types.
    fn sole_type(&self, variable: &str) -> Option<&str> {
        self.type_of(variable)
            .filter(|_| !self.untyped.contains(variable))
    }

    /// The last name of a variable's type, where a signature or a `let` says it; of several
    /// variables of the name, that of the one recorded last.
    pub fn type_of(&self, variable: &str) -> Option<&str> {
        self.types.get(variable).map(String::as_str)
    }

    /// The name of a variable of this type, the first in the alphabet; `None` if there is no such
    /// variable.
    pub fn variable_of(&self, ty: &str) -> Option<&str> {
        let of_type = self.types.iter().filter(|(_, of)| *of == ty);
        of_type.map(|(name, _)| name.as_str()).min()
    }

    /// Tells whether a name without a path is declared in the body: if `is_called` as a closure or
    /// a nested function, else as a variable or a nested const.
    pub fn has(&self, name: &str, is_called: bool) -> bool {
        if is_called {
            self.closures.contains(name)
        } else {
            self.names.contains(name)
        }
    }
}

impl<'a> Visit<'a> for Locals {
    /// Notes a variable of a pattern, without a type; a name in capitals is the path of a const
    /// there.
    fn visit_pat_ident(&mut self, pat: &'a syn::PatIdent) {
        let name = pat.ident.to_string();
        if name.contains(char::is_lowercase) || name.len() == 1 {
            self.names.insert(name.clone());
            self.untyped.insert(name);
        }
        visit::visit_pat_ident(self, pat);
    }

    /// Notes a variable that is bound to a closure, and visits the `let` for all other names.
    fn visit_local(&mut self, local: &'a syn::Local) {
        if let (Pat::Ident(pat), Some(init)) = (&local.pat, &local.init)
            && matches!(*init.expr, Expr::Closure(_))
        {
            self.closures.insert(pat.ident.to_string());
        }
        visit::visit_local(self, local);
    }

    /// Notes a variable with its type; `Self` in it stays as it is, as the type of the impl block
    /// is not known here.
    fn visit_pat_type(&mut self, pat: &'a syn::PatType) {
        self.typed(&pat.pat, &pat.ty, None);
    }

    /// Notes what the items of a body declare: names that a `use` brings in, nested functions,
    /// which are called as closures are, and nested consts.
    fn visit_item(&mut self, item: &'a Item) {
        match item {
            Item::Use(item) => flatten(&item.tree, &mut Vec::new(), &mut self.imports),
            Item::Fn(item) => drop(self.closures.insert(item.sig.ident.to_string())),
            item => self
                .names
                .extend(table(item).map(|(ident, ..)| ident.to_string())),
        }
        visit::visit_item(self, item);
    }
}

/// The uses of names among the tokens of a body or an initialiser. Names that the body declares
/// itself, in `locals`, are left out.
pub fn uses(tokens: &impl ToTokens, locals: &Locals) -> Vec<Use> {
    let mut found = Vec::new();
    scan(tokens.to_token_stream(), locals, &mut found);
    found
}

/// Tells whether the token with this number is the sign `sign`; false beyond the end of the tokens.
fn is_sign(tokens: &[TokenTree], index: usize, sign: char) -> bool {
    matches!(tokens.get(index), Some(TokenTree::Punct(p)) if p.as_char() == sign)
}

/// Adds the paths, macros and called methods that tokens name to `found`. Left out are names that
/// the tokens declare or that `locals` has, fields, names of fields in struct literals, lifetimes,
/// `use` items, and what is asserted or printed.
fn scan(tokens: TokenStream, locals: &Locals, found: &mut Vec<Use>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    // Questions about the token with a number: whether it is a sign, its name, whether it is `(…)`.
    let is = |index: usize, sign: char| is_sign(&tokens, index, sign);
    let word = |index: usize| match tokens.get(index) {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    };
    let is_call = |index: usize| matches!(tokens.get(index), Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis);
    let mut index = 0;
    while index < tokens.len() {
        let start = index;
        index += 1;
        let first = match &tokens[start] {
            TokenTree::Group(group) => {
                scan(group.stream(), locals, found);
                continue;
            }
            TokenTree::Ident(ident) => ident,
            _ => continue,
        };
        if first == "use" {
            while index < tokens.len() && !is(index, ';') {
                index += 1;
            }
            continue;
        }
        let (path, end, last) = path(&tokens, start);
        index = end;
        let before = start.checked_sub(1);
        // What is in front of the path: a keyword that declares the name, `'`, or the dot of a
        // field, which is not one of the two of a range, `a..b`.
        let is_declared = before
            .and_then(word)
            .is_some_and(|w| matches!(w.as_str(), "fn" | "const" | "static" | "let" | "mut"));
        let is_lifetime = before.is_some_and(|i| is(i, '\''));
        let is_field =
            before.is_some_and(|i| is(i, '.')) && !start.checked_sub(2).is_some_and(|i| is(i, '.'));
        // The name of a field in a struct literal, `x: 1`, or of a variable with a type.
        let is_key = path.len() == 1 && is(end, ':');
        if is_declared || is_lifetime || is_key {
            continue;
        }
        // What is behind the path: `!` and a group for a macro, `(…)` for a call.
        let kind = if is(end, '!') && matches!(tokens.get(end + 1), Some(TokenTree::Group(_))) {
            if is_side_effect(path.last().map_or("", String::as_str)) {
                index = end + 2;
                continue;
            }
            UseKind::Macro
        } else if is_behind_type(&tokens, start) {
            UseKind::Method(MethodUse {
                on: type_before(&tokens, start),
                ..MethodUse::default()
            })
        } else if is_field {
            if !is_call(end) {
                continue;
            }
            UseKind::Method(method(&tokens, start - 1, end, locals))
        } else {
            // `TABLE.len()` reads no weight.
            let is_length = is(end, '.') && word(end + 1).is_some_and(|w| w == "len");
            if is_length || path.len() == 1 && locals.has(&path[0], is_call(end)) {
                continue;
            }
            UseKind::Path
        };
        let (start, end) = (first.span(), last);
        let at = Extent { start, end };
        found.push(Use { path, kind, at });
    }
}

/// How a method is called, as `a` in `x.y.a(…)`: on the type of `x`, if `locals` know it, of which
/// `y` is a field, and with how many arguments. `point`: the number of the dot before `a`; `call`:
/// that of the group in parentheses behind it.
fn method(tokens: &[TokenTree], point: usize, call: usize, locals: &Locals) -> MethodUse {
    let mut fields = receiver(tokens, point);
    let first = (!fields.is_empty()).then(|| fields.remove(0));
    let on = first.and_then(|name| locals.sole_type(&name).map(str::to_owned));
    MethodUse {
        on,
        fields,
        arguments: tokens.get(call).and_then(arguments),
    }
}

/// The number of arguments of a call, of which `call` is the group in parentheses; `None` where a
/// closure, a comparison or generic arguments may have commas of their own.
fn arguments(call: &TokenTree) -> Option<usize> {
    let TokenTree::Group(group) = call else {
        return None;
    };
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    if (0..tokens.len()).any(|index| is_sign(&tokens, index, '|') || is_sign(&tokens, index, '<')) {
        return None;
    }
    let commas = (0..tokens.len()).filter(|&index| is_sign(&tokens, index, ','));
    let commas = commas.count();
    let ends_in_one = tokens.is_empty() || is_sign(&tokens, tokens.len() - 1, ',');
    Some(commas + usize::from(!ends_in_one))
}

/// The names of `x.y` in `x.y.a()`, in order. `point`: the number of the dot before `a`. Empty if
/// anything but single names and numbers is before it, such as a call or a path.
fn receiver(tokens: &[TokenTree], mut point: usize) -> Vec<String> {
    let mut names = Vec::new();
    loop {
        let before = point.checked_sub(1).map(|index| &tokens[index]);
        match before {
            Some(name @ (TokenTree::Ident(_) | TokenTree::Literal(_))) => {
                names.insert(0, name.to_string());
            }
            _ => return Vec::new(),
        }
        match point.checked_sub(2) {
            Some(index) if is_sign(tokens, index, '.') => point = index,
            Some(index) if is_sign(tokens, index, ':') => return Vec::new(),
            _ => return names,
        }
    }
}

/// Tells whether `<T as U>::`, or anything else that ends in `>::`, is before the name that is
/// token `start`.
fn is_behind_type(tokens: &[TokenTree], start: usize) -> bool {
    // Whether the token so many places before the name is this sign.
    let is = |back: usize, sign: char| {
        let index = start.checked_sub(back);
        index.is_some_and(|index| is_sign(tokens, index, sign))
    };
    is(1, ':') && is(2, ':') && is(3, '>')
}

/// The name `T` of `<T as U>::` before the name that is token `start`. `None` unless `T` and `U`
/// are single names.
fn type_before(tokens: &[TokenTree], start: usize) -> Option<String> {
    // The seven tokens before the name are `<`, `T`, `as`, `U`, `>`, `:`, `:`.
    let word = |back: usize| match tokens.get(start.checked_sub(back)?) {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    };
    let opens = start.checked_sub(7);
    let is_one = opens.is_some_and(|index| is_sign(tokens, index, '<'));
    word(6).filter(|_| is_one && word(5).is_some_and(|word| word == "as"))
}

/// Reads the path that starts at the token `start`. Returns its names without generic arguments,
/// the number of the token behind it, and the span of its last name.
fn path(tokens: &[TokenTree], start: usize) -> (Vec<String>, usize, Span) {
    let is = |index: usize, sign: char| is_sign(tokens, index, sign);
    let mut path = vec![tokens[start].to_string()];
    let mut last = tokens[start].span();
    let mut end = start + 1;
    while is(end, ':') && is(end + 1, ':') {
        if let Some(TokenTree::Ident(name)) = tokens.get(end + 2) {
            path.push(name.to_string());
            last = name.span();
            end += 3;
        } else if is(end + 2, '<') {
            // Skips generic arguments, `::<…>`; the `>` of an arrow `->` does not end them.
            let mut depth = 0;
            end += 2;
            while end < tokens.len() {
                let is_arrow = is(end, '>') && is(end - 1, '-');
                depth += i32::from(is(end, '<')) - i32::from(is(end, '>') && !is_arrow);
                end += 1;
                if depth == 0 {
                    break;
                }
            }
        } else {
            break;
        }
    }
    (path, end, last)
}
