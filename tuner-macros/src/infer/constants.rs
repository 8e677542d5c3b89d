//! Consts and statics: which have a twin, and what is wrong with the others.

use std::collections::HashSet;

use proc_macro2::Ident;
use syn::{Expr, Type};
use tuner_source::{Leaves, Locals, entry, expand_repeats, is_filled};

use super::Facts;
use super::body::{BodyRef, Code};
use super::check::Check;
use super::edits::Edits;
use crate::diagnostics::{Diagnostic, Extent, Message, messages};
use crate::model::weights::Handles;
use crate::model::{computed, deduplicate, path_names, restore, table};

/// The initialiser of a const or static that has a twin.
pub(crate) struct Value {
    pub(crate) ty: Type,
    /// The initialiser with handles for its weights.
    pub(crate) expr: Expr,
    pub(crate) edits: Edits,
    /// If `expr` has each form of entry only once: the initialiser with all entries, and the number
    /// of its first weight.
    pub(crate) entries: Option<(Expr, u32)>,
}

impl Check<'_> {
    /// Returns the type and the initialiser that a const or static has in the twin, with handles of
    /// weights in place of their literals. `None` if it has no twin: it is not a table of weights,
    /// it is frozen and its type is the same in the twin, a `LazyLock` hides its value, it calls an
    /// unknown constructor, reads weights of production, or has a mistake in its code. Mistakes are
    /// collected; a table that is refused only for an unknown length, an unread macro or `#[cfg]`
    /// has a twin all the same.
    ///
    /// Entries that differ only in their numbers are of one form. A table, which may have thousands
    /// of entries, is judged and written by one entry of each form; all entries are judged only if
    /// a form needs edits in the twin, or the forms do not give back all entries.
    pub(super) fn constant(&mut self, ident: &Ident, ty: &Type, expr: &Expr) -> Option<Value> {
        let (facts, unit) = (self.facts, self.unit);
        let (name, at) = (ident.to_string(), ident.span());
        let Some(constant) = facts.constant(unit, &name) else {
            self.hidden_weights(ident, ty, expr);
            return None;
        };
        // The numbers of a frozen table are not weights: it has a twin only for its type, if that
        // differs in the twin.
        if constant.is_frozen && !facts.differs(&constant.shape) {
            return None;
        }
        let Some(table) = computed::table_value(ty, expr) else {
            self.refuse(at, messages::lazy());
            return None;
        };
        // Whether the twin computes the table when it is first used.
        let derived = facts.is_derived(constant);
        // `all`: the initialiser with every entry; `forms`: with one entry of each form.
        let (ty, mut all) = if derived {
            (computed::table_type(ty, expr), table)
        } else {
            (ty.clone(), expr.clone())
        };
        expand_repeats(&mut all);
        let mut forms = all.clone();
        deduplicate(&mut forms);
        let leaves = Leaves::of(&forms);
        let has_weights = !constant.is_frozen && !leaves.leaves.is_empty();
        // An array `[x; N]` whose length is not a small number: its weights cannot be counted. A
        // frozen table has no weights to count.
        for &length in leaves.lengths.iter().filter(|_| !constant.is_frozen) {
            self.refuse(length, messages::length());
        }
        self.unread(&leaves);
        if has_weights && constant.conditional {
            self.refuse(at, messages::cfg());
        }
        // Only mistakes from here on take the twin from the table.
        let before = self.diagnostics.len();
        for (name, at) in &leaves.constructors {
            if !self.is_constructor(name, &ty) {
                self.refuse(*at, messages::unknown_constructor(name));
            }
        }
        let (owner, body) = (None, Some(constant.body));
        let of = BodyRef { unit, owner, body };
        let read = facts.plain_reads(of, &forms, &Locals::default(), None);
        self.diagnostics.extend(read);
        let said = self.diagnostics.len();
        // Puts handles into an initialiser, if it has weights, and walks it for the edits of the
        // twin.
        let mut value = |mut expr: Expr, handles| {
            facts.number_weights(&mut expr, has_weights.then_some(handles));
            let edits = self.code(of, Code::Initialiser(&expr, &constant.shape));
            (expr, edits)
        };
        let (forms, edits) = value(forms, Handles::Holes);
        // `first`: the number of the table's first weight in the crate. The forms alone do if the
        // twin needs no edits, and all entries can be written from them.
        let first = constant.first;
        let as_forms = edits.is_empty() && restore(&all, &forms, first).is_some();
        let (expr, edits, entries) = if as_forms {
            (forms, edits, Some((all, first)))
        } else {
            let (expr, edits) = value(all, Handles::Numbered(first));
            (expr, edits, None)
        };
        // Mistakes that the walk found only because a length was refused are not told.
        if !leaves.lengths.is_empty() {
            self.diagnostics.truncate(said);
        }
        let value = Value {
            ty,
            expr,
            edits,
            entries,
        };
        (self.diagnostics.len() == before).then_some(value)
    }

    /// Refuses a const or static that is not a table of weights, though its numbers may be some
    /// that the macro cannot see: they come from bytes, from a list in code, or from a macro whose
    /// input is not a list; or they are in pairs (structs of signed numbers) that a file without
    /// annotation declares. Of the first three, only a table counts that is not frozen and whose
    /// type can hold weights.
    fn hidden_weights(&mut self, ident: &Ident, ty: &Type, expr: &Expr) {
        let (facts, unit) = (self.facts, self.unit);
        let (name, at) = (ident.to_string(), ident.span());
        let may_hold =
            facts.types.can_hold_weights(ty) && !facts.units[unit].frozen.contains(&name);
        if may_hold && computed::is_blob(expr) {
            self.refuse(at, messages::blob());
        } else if may_hold && !is_filled(expr) && facts.lists_in_code(expr) {
            self.refuse(at, messages::list_in_code(&name));
        } else if may_hold {
            self.unread(&Leaves::of(expr));
        } else {
            self.pair_elsewhere(ident, ty, expr);
        }
    }

    /// Whether weights may be the arguments of a call of `name` in a table of type `ty`: `name` is
    /// a struct or a function of an annotated module, also a generic struct, or `Some`,
    /// `transmute`, or the name of `ty` itself, if that is generic.
    fn is_constructor(&self, name: &String, ty: &Type) -> bool {
        let facts = self.facts;
        facts.types.structs.contains(name)
            || facts.types.generic.contains(name)
            || !facts.functions_named(name).is_empty()
            || name == "Some"
            || name == "transmute"
            || names_generic(ty, name)
    }

    /// Refuses each macro call in an initialiser that has literals in its input, but not as a list
    /// of expressions: weights in it could not be counted.
    fn unread(&mut self, leaves: &Leaves) {
        for (name, at) in &leaves.unread {
            self.refuse(*at, messages::unread_macro(name));
        }
    }

    /// Refuses a `static mut` that annotated code writes to, if some function that reads such a
    /// static gives a score and may be asked for it: it is called, is public, or is in a module of
    /// which only the marked items are traced. A function that the author leaves without twin does
    /// not count.
    pub(super) fn written_static(&mut self, ident: &Ident) {
        let facts = self.facts;
        // Whether the function with the body of this number is one for which the static is refused.
        let reads = |index: usize| {
            let (body, function) = (&facts.bodies[index], facts.function(index));
            let is_whole = facts.units[function.unit].whole;
            let asked_for = facts.is_called(index) || function.public || !is_whole;
            function.reads_state
                && asked_for
                && facts.differs(&body.returned)
                && !facts.is_untraced(index)
        };
        if (0..facts.bodies.len()).any(reads) {
            self.refuse(ident.span(), messages::static_mut());
        }
    }

    /// Refuses a table of pairs (structs whose fields are signed numbers) if a file without
    /// annotation declares the struct: nothing else would say that the numbers in the table are not
    /// weights. It is told once for each struct, and not of a frozen table or one without literals.
    fn pair_elsewhere(&mut self, ident: &Ident, ty: &Type, expr: &Expr) {
        let (facts, name) = (self.facts, ident.to_string());
        let unit = &facts.units[self.unit];
        let Some(pair) = facts.pair_without_twin(unit.place, ty) else {
            return;
        };
        if unit.frozen.contains(&name) || Leaves::of(expr).leaves.is_empty() {
            return;
        }
        let message = messages::pair_elsewhere(&name, &pair);
        let diagnostic = Diagnostic::new(ident.span(), message);
        self.diagnostics.push(diagnostic.once(pair));
    }

    /// Adds a mistake; `at` is what the message underlines.
    fn refuse(&mut self, at: impl Into<Extent>, message: Message) {
        self.diagnostics.push(Diagnostic::new(at, message));
    }
}

impl Facts {
    /// The name of the struct that the entries of a table of type `ty` are, if its fields are all
    /// signed numbers, this crate declares it, and its file has no annotation; else `None`.
    /// `module` is the number of the table's module.
    fn pair_without_twin(&self, module: usize, ty: &Type) -> Option<String> {
        let Type::Path(path) = entry(ty) else {
            return None;
        };
        let (declared_in, name) = self.item_behind(module, &path_names(&path.path))?;
        let is_plain = self.modules[declared_in].types.contains(&name)
            && self.unit_of(declared_in).is_none()
            && self.has_numbers_alone(&name);
        is_plain.then_some(name)
    }

    /// Names of the consts and statics that have no twin because a check finds a mistake in them.
    /// Of entries that differ only in their numbers one is checked.
    pub(super) fn refused_weights(&self) -> HashSet<String> {
        let mut refused = HashSet::new();
        for (unit, of) in self.units.iter().enumerate() {
            for (ident, ty, expr) in of.items.iter().filter_map(table) {
                let mut expr = expr.clone();
                deduplicate(&mut expr);
                let mut check = Check::new(self, unit);
                if check.constant(ident, ty, &expr).is_none() && !check.diagnostics.is_empty() {
                    refused.insert(ident.to_string());
                }
            }
        }
        refused
    }
}

/// Whether `ty`, the type of a table, is called `name` and is generic, as in `Table<i32>`: its
/// constructor, `Table::new([…])`, then holds whatever its entries are.
fn names_generic(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| {
        last.ident == name && !last.arguments.is_none()
    }))
}
