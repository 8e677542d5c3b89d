//! Judges an item: whether it has a twin, what is different in it, and what is
//! wrong with it.

use std::collections::{HashMap, HashSet};

use syn::{Block, ImplItem, ImplItemConst, ImplItemFn, Item, ItemImpl, Signature};
use tuner_source::Locals;

use super::Facts;
use super::body::{self, BodyRef, Code};
use super::conditions::put_under_conditions;
use super::constants::Value;
use super::edits::Edits;
use crate::diagnostics::{Diagnostic, FrozenBy, messages};
use crate::model::{attributes, is_operator, location, table, type_name};

/// What the twin of an item is to be; a body without an entry has no twin.
#[derive(Default)]
pub(crate) struct Verdict {
    /// The twins of functions and associated consts, by the number of the body.
    pub(crate) bodies: HashMap<usize, BodyVerdict>,
    /// The twin of the initialiser of a const or static, if it has one.
    pub(crate) value: Option<Value>,
}

/// What the twin of a body is to be.
#[derive(Default)]
pub(crate) struct BodyVerdict {
    pub(crate) edits: Edits,
    /// Whether the body has mistakes, so that the twin has only its signature: one mistake is one
    /// message.
    pub(crate) refused: bool,
}

/// Judges items of one unit, and collects what is wrong with them.
pub(crate) struct Check<'f> {
    pub(super) facts: &'f Facts,
    pub(super) unit: usize,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Names of structs with a method that gives a score and that only other crates may call.
    entered: HashSet<String>,
    /// Mistakes in such methods that are left out of the twin, each with the struct's name.
    left_out: Vec<(String, Vec<Diagnostic>)>,
}

impl<'f> Check<'f> {
    /// A check of items of this unit that has found nothing yet.
    pub(crate) fn new(facts: &'f Facts, unit: usize) -> Self {
        Self {
            facts,
            unit,
            diagnostics: Vec::new(),
            entered: HashSet::new(),
            left_out: Vec::new(),
        }
    }

    /// The mistakes in the items. Where all methods of a struct that other crates could ask for a
    /// score are left out, the mistakes in these are told too.
    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        let entered = self.entered;
        let left_out = self.left_out.into_iter();
        let silent = left_out.filter(|(owner, _)| !entered.contains(owner));
        let silent = silent.flat_map(|(_, diagnostics)| diagnostics);
        self.diagnostics.into_iter().chain(silent).collect()
    }

    /// Judges one item. Its mistakes get the item's `#[cfg]`, and, for a const or static, the cure
    /// that it is frozen.
    pub(crate) fn item(&mut self, item: &Item) -> Verdict {
        let before = (self.diagnostics.len(), self.left_out.len());
        let verdict = self.judged(item);
        let new = self.diagnostics[before.0..].iter_mut();
        let left_out = self.left_out[before.1..].iter_mut();
        let left_out = left_out.flat_map(|(_, diagnostics)| diagnostics);
        let own = table(item).map(|(ident, ..)| ident.to_string());
        for diagnostic in new.chain(left_out) {
            diagnostic.under(attributes(item));
            if let Some(own) = &own {
                diagnostic.name_consts(std::slice::from_ref(own), false);
                diagnostic.origins = vec![own.clone()];
            }
        }
        verdict
    }

    /// Judges one item: a function, an impl block, or a table. An item that uses a name which means
    /// two types gets no twin.
    fn judged(&mut self, item: &Item) -> Verdict {
        let mut verdict = Verdict::default();
        let clashes = self.facts.clashes(self.unit, item);
        if !clashes.is_empty() {
            // An item that uses such a name has no twin.
            self.diagnostics.extend(clashes);
            return verdict;
        }
        match item {
            Item::Static(item) if self.facts.written.contains(&item.ident.to_string()) => {
                self.written_static(&item.ident);
            }
            Item::Fn(item) => {
                if let Some(body) = self.body_with_twin(&item.sig) {
                    let judged = self.function(body, None, &item.sig, &item.block);
                    verdict.bodies.insert(body, judged);
                }
            }
            Item::Impl(block) => self.block(block, &mut verdict),
            item => {
                let table = table(item);
                verdict.value = table.and_then(|(name, ty, expr)| self.constant(name, ty, expr));
            }
        }
        verdict
    }

    /// The number of a function's body, if the function has a twin.
    fn body_with_twin(&self, sig: &Signature) -> Option<usize> {
        let body = self.facts.function_of(self.unit, sig);
        body.filter(|&body| self.facts.has_twin(body))
    }

    /// Judges a body: first reads of weights that have no twin, then its expressions, then whether
    /// its score is lost (it gives a number and reads a weight, but no score is seen). `owner`: the
    /// type of the impl block.
    pub(crate) fn function(
        &mut self,
        body: usize,
        owner: Option<&str>,
        sig: &Signature,
        block: &Block,
    ) -> BodyVerdict {
        let (unit, locals) = (self.unit, Locals::of(Some(sig), block, owner));
        let before = self.diagnostics.len();
        let at = location(sig.ident.span());
        let body = Some(body);
        let of = BodyRef { unit, owner, body };
        let mut read = self.facts.plain_reads(of, block, &locals, Some(at));
        put_under_conditions(&mut read, block, &locals);
        self.diagnostics.extend(read);
        let edits = self.code(of, Code::Function(sig, block));
        let weight = body.and_then(|body| self.facts.lost.get(&body));
        if let Some(weight) = weight.filter(|_| self.diagnostics.len() == before) {
            let message = messages::no_score(&sig.ident.to_string(), weight);
            self.diagnostics
                .push(Diagnostic::new(sig.ident.span(), message));
        }
        let refused = is_wrong(&self.diagnostics[before..]);
        BodyVerdict { edits, refused }
    }

    /// Walks a body: returns what is different in the twin, and collects what is wrong.
    pub(super) fn code(&mut self, of: BodyRef<'_>, code: Code<'_>) -> Edits {
        let (edits, diagnostics) = body::check(self.facts, of, code);
        self.diagnostics.extend(diagnostics);
        edits
    }

    /// Judges the functions of an impl block, and the consts of one whose type the twin copies, and
    /// adds what was found to `verdict`.
    fn block(&mut self, block: &ItemImpl, verdict: &mut Verdict) {
        let facts = self.facts;
        let owner = type_name(&block.self_ty);
        let owner = owner.as_deref();
        let copied = owner.is_some_and(|owner| facts.is_copied(owner));
        if !facts.has_twin_block(block) {
            return;
        }
        for member in &block.items {
            match member {
                ImplItem::Fn(f) => {
                    if let Some(body) = self.body_with_twin(&f.sig) {
                        self.method(block, owner, f, body, verdict);
                    }
                }
                ImplItem::Const(c) if copied => self.associated(c, owner, verdict),
                _ => {}
            }
        }
    }

    /// Judges the body of a method, and its version that takes a score instead of a number, if any.
    /// Not judged are a method that is marked by itself and, in a copied struct, one that neither a
    /// twin nor another crate can call. A method of a copied struct that no body calls gets no twin
    /// if it has a mistake; the mistake is dropped, or kept for [`Self::into_diagnostics`] if other
    /// crates may ask the method for a score.
    fn method(
        &mut self,
        block: &ItemImpl,
        owner: Option<&str>,
        f: &ImplItemFn,
        body: usize,
        verdict: &mut Verdict,
    ) {
        let facts = self.facts;
        let in_copy = owner.is_some_and(|o| facts.is_copied(o)) && !is_operator(block);
        let is_entry = facts.is_entry(self.unit, f);
        let is_reached = !in_copy || facts.used.contains(&f.sig.ident.to_string());
        if facts.function(body).single || !is_reached && !is_entry {
            return;
        }
        let before = self.diagnostics.len();
        let judged = self.function(body, owner, &f.sig, &f.block);
        let is_wrong = is_wrong(&self.diagnostics[before..]);
        let new = self.diagnostics[before..].iter_mut();
        new.for_each(|d| d.under(&f.attrs));
        // A method that no body calls can be left out of the twin.
        let is_spare = in_copy && !facts.is_called(body);
        let gives_score = facts.bodies[body].returned.has_score();
        let is_entry_only = is_spare && gives_score && is_entry;
        let is_said = self.diagnostics.len() > before;
        // A method that other crates ask for a score stays if its mistakes are all under `#[cfg]`.
        if (!is_reached || is_spare) && is_said && (is_wrong || !is_entry_only) {
            let left_out = self.diagnostics.split_off(before);
            if let Some(owner) = owner.filter(|_| is_entry_only) {
                self.left_out.push((owner.to_owned(), left_out));
            }
            return;
        }
        if is_entry_only {
            self.entered.extend(owner.map(str::to_owned));
        }
        verdict.bodies.insert(body, judged);
        if let Some(scored) = facts.bodies[body].scored {
            let said: Vec<String> = self.diagnostics.iter().map(text).collect();
            let judged = self.function(scored, owner, &f.sig, &f.block);
            // Mistakes of both versions are told once.
            for mut diagnostic in self.diagnostics.split_off(said.len()) {
                if !said.contains(&text(&diagnostic)) {
                    diagnostic.under(&f.attrs);
                    self.diagnostics.push(diagnostic);
                }
            }
            verdict.bodies.insert(scored, judged);
        }
    }

    /// Judges the initialiser of an associated const and adds its edits to `verdict`; `owner` is
    /// the type of the block.
    fn associated(&mut self, c: &ImplItemConst, owner: Option<&str>, verdict: &mut Verdict) {
        let (unit, facts) = (self.unit, self.facts);
        let want = facts.types.shape(&c.ty, owner);
        let body = facts.associated_at(unit, c);
        let of = BodyRef { unit, owner, body };
        let read = facts.plain_reads(of, &c.expr, &Locals::default(), None);
        self.diagnostics.extend(read);
        let edits = self.code(of, Code::Initialiser(&c.expr, &want));
        // Without a body the const has no twin, and only what is wrong with it counts. Where it has
        // one its initialiser stays, whatever is wrong: only a function is refused as a whole.
        if let Some(body) = body {
            let refused = false;
            verdict.bodies.insert(body, BodyVerdict { edits, refused });
        }
    }
}

/// A diagnostic as text, by which equal ones are found.
fn text(diagnostic: &Diagnostic) -> String {
    diagnostic.located("", FrozenBy::Attribute)
}

/// Whether something is wrong with a body whatever `#[cfg]` says of its statements:
/// what is wrong in one of these is said under its condition, and the twin stays.
fn is_wrong(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.conditions.is_empty())
}
