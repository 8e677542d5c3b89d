//! Which consts a refused expression may come from, so that a message names the one
//! to freeze.

use std::collections::{BTreeSet, HashMap, HashSet};

use proc_macro2::{Span, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Block, Expr, FnArg, Signature, Stmt};

use crate::diagnostics::Diagnostic;
use crate::infer::Facts;
use crate::model::{Location, each_token, is_assignment, location, names_of};

/// Most consts that a message names. Chosen: one can look at as many.
const MOST: usize = 3;

/// Names, in each diagnostic about a score, the consts that the author may freeze, since the
/// refused expression may get its numbers from them: those in it, those that its variables are
/// computed from, or else those of the statement around it. If there are more than three (`MOST`),
/// too many to look at, it names no const. `unit` is the annotated module of the function, of which
/// `sig` and `block` are head and body.
pub(super) fn name_consts(
    facts: &Facts,
    unit: usize,
    sig: &Signature,
    block: &Block,
    diagnostics: &mut [Diagnostic],
) {
    if !diagnostics.iter().any(Diagnostic::is_of_weights) {
        return;
    }
    let mut origins = Origins::default();
    origins.visit_block(block);
    origins.flow_in(facts, sig);
    for diagnostic in diagnostics.iter_mut().filter(|d| d.is_of_weights()) {
        // Names between the ends of the refused expression, and, if it is the name of a method, in
        // the whole call.
        let at = location(diagnostic.at.start)..=end(diagnostic.at.end);
        let inside = origins.names.iter().filter(|(place, _)| at.contains(place));
        let mut names: HashSet<String> = inside.map(|(_, name)| name.clone()).collect();
        names.extend(origins.calls.get(at.start()).into_iter().flatten().cloned());
        let mut found = origins.consts(facts, &names);
        // If no const is found, the weights that the functions in the expression read are noted as
        // origins; a whole statement would tell too little.
        let read = facts.weights_read_by(&origins.flown(&names));
        let inside = if found.is_empty() { &read } else { &found };
        diagnostic.origins = inside.iter().cloned().collect();
        if found.is_empty() {
            // The innermost statement around the expression.
            let around = origins.statements.iter().rev();
            let mut around = around.filter(|(from, to, _)| (*from..=*to).contains(at.start()));
            names.extend(around.next().into_iter().flat_map(|(.., all)| all.clone()));
            found = origins.consts(facts, &names);
        }
        let is_here = |name: &String| facts.constant(unit, name).is_some();
        let elsewhere = !found.iter().all(is_here);
        let found: Vec<String> = found.into_iter().collect();
        if found.len() <= MOST {
            diagnostic.name_consts(&found, elsewhere);
        }
    }
}

/// The names among the tokens of a body, and from which names its variables come.
#[derive(Default)]
struct Origins {
    names: Vec<(Location, String)>,
    /// Statements, outer ones first: start, end, and the names in each.
    statements: Vec<(Location, Location, HashSet<String>)>,
    /// Method calls by the location of the method's name, with the names in the call.
    calls: HashMap<Location, HashSet<String>>,
    /// For each variable, the names in the expressions that it is set to.
    flows: HashMap<String, HashSet<String>>,
}

impl Origins {
    /// The weights among `names`, and among all names that the variables of these names are
    /// computed from.
    fn consts(&self, facts: &Facts, names: &HashSet<String>) -> BTreeSet<String> {
        let all = self.flown(names);
        let weights = facts.weights().map(|c| &c.name);
        let weights = weights.filter(|name| all.contains(*name));
        weights.cloned().collect()
    }

    /// The names themselves, and all names that the values of the variables among them come from,
    /// followed through further variables.
    fn flown(&self, names: &HashSet<String>) -> HashSet<String> {
        let mut all = names.clone();
        let mut waiting: Vec<String> = names.iter().cloned().collect();
        while let Some(name) = waiting.pop() {
            for from in self.flows.get(&name).into_iter().flatten() {
                if all.insert(from.clone()) {
                    waiting.push(from.clone());
                }
            }
        }
        all
    }

    /// Notes for each parameter of the function `sig` the names in the arguments that calls in all
    /// annotated modules give for it, as names that its value comes from. Calls are found by the
    /// function's name alone, so those of another function of this name count as well.
    fn flow_in(&mut self, facts: &Facts, sig: &Signature) {
        // Parameters and arguments are matched from the last one on: of a method, `self` may be the
        // first argument of a call, or be written before the dot.
        let arguments = sig.inputs.iter().rev();
        let arguments = arguments.map_while(|arg| match arg {
            FnArg::Typed(arg) => Some(names_of(&arg.pat)),
            FnArg::Receiver(_) => None,
        });
        let mut calls = Calls {
            of: sig.ident.to_string(),
            arguments: arguments.collect(),
            into: self,
        };
        for item in facts.units.iter().flat_map(|unit| &unit.items) {
            calls.visit_item(item);
        }
    }

    /// Notes that the values of the variables `into` come from expressions in which the names
    /// `from` are.
    fn flow(&mut self, into: HashSet<String>, from: &HashSet<String>) {
        for name in into {
            self.flows.entry(name).or_default().extend(from.clone());
        }
    }
}

/// Finds the calls of a function by its name.
struct Calls<'c> {
    of: String,
    /// The names in its parameters, the last first, as `self` may be the first argument of a call.
    arguments: Vec<HashSet<String>>,
    into: &'c mut Origins,
}

impl Visit<'_> for Calls<'_> {
    /// In a call of the function, notes for each parameter the names in its argument. They are
    /// matched from the last one on, as `self` may be the first argument or be written before the
    /// dot.
    fn visit_expr(&mut self, expr: &Expr) {
        let (name, given) = match expr {
            Expr::MethodCall(e) => (Some(&e.method), Some(&e.args)),
            Expr::Call(e) => match &*e.func {
                Expr::Path(of) => (of.path.segments.last().map(|s| &s.ident), Some(&e.args)),
                _ => (None, None),
            },
            _ => (None, None),
        };
        // Names are compared as text: identifiers of the compiler cannot be compared with those
        // read from a file.
        if name.is_some_and(|name| *name == self.of) {
            let given = given.into_iter().flat_map(|given| given.iter().rev());
            for (argument, given) in self.arguments.iter().zip(given) {
                self.into.flow(argument.clone(), &names_of(given));
            }
        }
        visit::visit_expr(self, expr);
    }
}

impl<'a> Visit<'a> for Origins {
    /// Notes every identifier in the outermost block with its line and column; for the blocks in it
    /// that has been done then.
    fn visit_block(&mut self, block: &'a Block) {
        if self.names.is_empty() {
            each_token(block.to_token_stream(), &mut |token| {
                if let TokenTree::Ident(ident) = token {
                    self.names.push((location(ident.span()), ident.to_string()));
                }
            });
        }
        visit::visit_block(self, block);
    }

    /// Notes where a statement begins and ends, and the names in it, before the statements inside
    /// it.
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        let tokens: Vec<TokenTree> = stmt.to_token_stream().into_iter().collect();
        if let (Some(first), Some(last)) = (tokens.first(), tokens.last()) {
            let bounds = (location(first.span()), end(last.span()));
            self.statements.push((bounds.0, bounds.1, names_of(stmt)));
        }
        visit::visit_stmt(self, stmt);
    }

    /// Notes that the variables of a `let` get their values from the names in the expression on the
    /// right.
    fn visit_local(&mut self, local: &'a syn::Local) {
        if let Some(init) = &local.init {
            self.flow(names_of(&local.pat), &names_of(&init.expr));
        }
        visit::visit_local(self, local);
    }

    /// Notes from which names assignments, `for` loops and `if let` set variables, and, at the name
    /// of each called method, all names in the call.
    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Assign(e) => self.flow(names_of(&e.left), &names_of(&e.right)),
            Expr::Binary(e) if is_assignment(&e.op) => {
                self.flow(names_of(&e.left), &names_of(&e.right));
            }
            Expr::MethodCall(e) => {
                let names = names_of(e);
                self.calls.insert(location(e.method.span()), names);
            }
            Expr::ForLoop(e) => self.flow(names_of(&*e.pat), &names_of(&e.expr)),
            Expr::Let(e) => self.flow(names_of(&*e.pat), &names_of(&e.expr)),
            _ => {}
        }
        visit::visit_expr(self, expr);
    }
}

/// The line and the column where a token ends.
fn end(span: Span) -> Location {
    let end = span.end();
    (end.line, end.column)
}
