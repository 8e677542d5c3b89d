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
    /// Mistakes in methods that give a score and that only other crates may call, where the method
    /// is left out of the twin for them; each with the struct's name.
    left_out: Vec<(String, Vec<Diagnostic>)>,
}

impl<'f> Check<'f> {
    /// A check of items of the annotated module with the number `unit`, which has found nothing
    /// yet.
    pub(crate) fn new(facts: &'f Facts, unit: usize) -> Self {
        Self {
            facts,
            unit,
            diagnostics: Vec::new(),
            entered: HashSet::new(),
            left_out: Vec::new(),
        }
    }

    /// All mistakes that were found. A public method of a struct that gives a score but that only
    /// other crates call is left out of the twin if it has a mistake, and the mistake is told only
    /// if all such methods of the struct are left out: then other crates get no score from it.
    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        let entered = self.entered;
        let left_out = self.left_out.into_iter();
        let silent = left_out.filter(|(owner, _)| !entered.contains(owner));
        let silent = silent.flat_map(|(_, diagnostics)| diagnostics);
        self.diagnostics.into_iter().chain(silent).collect()
    }

    /// Judges one item: returns what its twin is to be, and collects its mistakes. The mistakes get
    /// the `#[cfg]` of the item and, for a const or static, its name as that of the const to
    /// freeze.
    pub(crate) fn item(&mut self, item: &Item) -> Verdict {
        // How many mistakes, and how many left-out methods with mistakes, there are before this
        // item.
        let before = (self.diagnostics.len(), self.left_out.len());
        let verdict = self.judged(item);
        let new = self.diagnostics[before.0..].iter_mut();
        let left_out = self.left_out[before.1..].iter_mut();
        let left_out = left_out.flat_map(|(_, diagnostics)| diagnostics);
        let own = table(item).map(|(ident, ..)| ident.to_string());
        for diagnostic in new.chain(left_out) {
            diagnostic.under(attributes(item));
            if let Some(own) = &own {
                let is_elsewhere = false;
                diagnostic.name_consts(std::slice::from_ref(own), is_elsewhere);
                diagnostic.origins = vec![own.clone()];
            }
        }
        verdict
    }

    /// Returns what the twin of one item is to be, and collects its mistakes. A function, an impl
    /// block or a table may get a twin; a `static mut` that annotated code writes to gets none, nor
    /// does an item with a type name that means two types.
    fn judged(&mut self, item: &Item) -> Verdict {
        let mut verdict = Verdict::default();
        let clashes = self.facts.clashes(self.unit, item);
        if !clashes.is_empty() {
            // Some name in the item means another type than elsewhere in the crate: the item gets
            // no twin.
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

    /// The number of the body of the function with this signature; `None` if the function has no
    /// twin.
    fn body_with_twin(&self, sig: &Signature) -> Option<usize> {
        let body = self.facts.function_of(self.unit, sig);
        body.filter(|&body| self.facts.has_twin(body))
    }

    /// Judges the function or method with the body of this number: returns the edits that make its
    /// twin, and collects its mistakes. Checked are, in this order, uses of names that read a
    /// weight but have no twin, each expression, and, if all was right so far, whether the score is
    /// lost (the function gives a number and reads a weight, but no score is seen in it). `owner`:
    /// the type of the impl block.
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

    /// Walks a body, `of`, with the source `code`: returns the edits that make its twin, and
    /// collects its mistakes.
    pub(super) fn code(&mut self, of: BodyRef<'_>, code: Code<'_>) -> Edits {
        let (edits, diagnostics) = body::check(self.facts, of, code);
        self.diagnostics.extend(diagnostics);
        edits
    }

    /// Judges the functions of an impl block and, if the twin has a copy of the block's type, the
    /// consts, and adds the results to `verdict`. Does nothing for a block without twin.
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

    /// Judges the method with the body of this number, and its version that takes a score instead
    /// of a number, if any; adds the results to `verdict`.
    ///
    /// Not judged are a method that is marked by itself in a block without annotation and, in a
    /// struct of which the twin has a copy, a method that neither a twin nor another crate can
    /// call. A method of such a struct that no body calls gets no twin if it has a mistake. The
    /// mistake is dropped or, if other crates may ask the method for a score, kept apart: it is
    /// told in the end if all such methods of the struct are left out.
    fn method(
        &mut self,
        block: &ItemImpl,
        owner: Option<&str>,
        f: &ImplItemFn,
        body: usize,
        verdict: &mut Verdict,
    ) {
        let facts = self.facts;
        // `in_copy`: in a struct of which the twin has a copy; `is_entry`: other crates may ask the
        // method for a score; `is_reached`: code of a twin may call it.
        let in_copy = owner.is_some_and(|o| facts.is_copied(o)) && !is_operator(block);
        let is_entry = facts.is_entry(self.unit, f);
        let is_reached = !in_copy || facts.used.contains(&f.sig.ident.to_string());
        if facts.function(body).single || !is_reached && !is_entry {
            return;
        }
        let before = self.diagnostics.len();
        let judged = self.function(body, owner, &f.sig, &f.block);
        let is_wrong = is_wrong(&self.diagnostics[before..]);
        // The mistakes get the `#[cfg]` of the method.
        let new = self.diagnostics[before..].iter_mut();
        new.for_each(|d| d.under(&f.attrs));
        // A method that no body calls can be left out of the twin.
        let is_spare = in_copy && !facts.is_called(body);
        let gives_score = facts.bodies[body].returned.has_score();
        let is_entry_only = is_spare && gives_score && is_entry;
        let is_said = self.diagnostics.len() > before;
        // A method with a mistake that no body calls, or whose name is in no twin, is left out. One
        // that other crates ask for a score stays if its mistakes are all under `#[cfg]`.
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
            let judged = self.scored_version(scored, owner, f);
            verdict.bodies.insert(scored, judged);
        }
    }

    /// Judges the version of an operator's method `f` that takes a score in place of a number, by
    /// the number of its body, `scored`: returns the edits that make its twin, and collects its
    /// mistakes. A mistake that was collected before, as in the version that takes the number, is
    /// not collected again. `owner`: the type of the impl block.
    fn scored_version(
        &mut self,
        scored: usize,
        owner: Option<&str>,
        f: &ImplItemFn,
    ) -> BodyVerdict {
        let said: Vec<String> = self.diagnostics.iter().map(text).collect();
        let judged = self.function(scored, owner, &f.sig, &f.block);
        for mut diagnostic in self.diagnostics.split_off(said.len()) {
            if !said.contains(&text(&diagnostic)) {
                // It gets the `#[cfg]` of the method.
                diagnostic.under(&f.attrs);
                self.diagnostics.push(diagnostic);
            }
        }
        judged
    }

    /// Judges the initialiser of an associated const, collects its mistakes, and adds the edits
    /// that make its twin to `verdict`; `owner` is the type of the impl block.
    fn associated(&mut self, c: &ImplItemConst, owner: Option<&str>, verdict: &mut Verdict) {
        let (unit, facts) = (self.unit, self.facts);
        let body = facts.associated_at(unit, c);
        let want = body.map(|body| facts.bodies[body].returned.clone());
        let want = want.unwrap_or_default();
        let of = BodyRef { unit, owner, body };
        let read = facts.plain_reads(of, &c.expr, &Locals::default(), None);
        self.diagnostics.extend(read);
        let edits = self.code(of, Code::Initialiser(&c.expr, &want));
        // A const without a number among the bodies has no twin, and only its mistakes count.
        // Otherwise the twin keeps the initialiser, whatever is wrong with it: only the body of a
        // function is left out for its mistakes.
        if let Some(body) = body {
            let refused = false;
            verdict.bodies.insert(body, BodyVerdict { edits, refused });
        }
    }
}

/// A mistake as text with its line and column, by which equal mistakes are found. They are of one
/// file, so no name of a file is needed.
fn text(diagnostic: &Diagnostic) -> String {
    diagnostic.located("", FrozenBy::Attribute)
}

/// Whether a mistake in a body holds whatever `#[cfg]` says of its statements. A mistake with
/// conditions is in a statement under `#[cfg]`; it is told under that condition, and the body keeps
/// its twin.
fn is_wrong(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.conditions.is_empty())
}
