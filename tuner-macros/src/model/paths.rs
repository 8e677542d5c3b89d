//! Writes the paths of an item in full: what a body's own `use` items bring,
//! aliases of structs, and the author's macros, so that a weight is known under
//! every name.

use quote::format_ident;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Item};

use super::macro_input::visit_list;
use super::macro_rules::Expansion;
use super::uses::Locals;
use super::{Model, Target, escapes, flatten, path_names};

impl Model {
    /// Writes an item as its twin is made of it: the author's macros expanded,
    /// without what the author leaves out, its paths in full; `module` has the
    /// item.
    pub(crate) fn normalise(&self, module: &[String], item: &mut Item) {
        // Initialisers keep their macros until their literals are numbered.
        if matches!(item, Item::Fn(_) | Item::Impl(_)) {
            Expansion::new(&self.macros).visit_item_mut(item);
            escapes::ApplyEscapes.visit_item_mut(item);
        }
        if let Some(module) = self.module(module) {
            let (model, scopes) = (self, Vec::new());
            FullPaths {
                model,
                module,
                scopes,
            }
            .visit_item_mut(item);
            FullStructNames { model, module }.visit_item_mut(item);
            self.name_associated(module, item);
        }
    }

    /// Expands the author's macros in an initialiser, after its weights have
    /// been numbered.
    pub(super) fn expand_macros(&self, expr: &mut Expr) {
        if !self.macros.is_empty() {
            Expansion::new(&self.macros).visit_expr_mut(expr);
        }
    }
}

/// Names structs as they are declared, where an alias stands for one.
struct FullStructNames<'w> {
    model: &'w Model,
    module: usize,
}

impl VisitMut for FullStructNames<'_> {
    fn visit_expr_path_mut(&mut self, expr: &mut syn::ExprPath) {
        // A name without a path is a value.
        if expr.path.segments.len() > 1 {
            visit_mut::visit_expr_path_mut(self, expr);
        }
    }

    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        visit_mut::visit_path_mut(self, path);
        if path.leading_colon.is_some() {
            return;
        }
        let names = path_names(path);
        // All of the path, or the type of `Type::new`.
        for rest in 0..names.len().min(2) {
            let named = &names[..names.len() - rest];
            if let Some(full) = self.model.unaliased(self.module, named) {
                let span = path.segments[named.len() - 1].ident.span();
                let kept = path.segments.iter().skip(named.len()).cloned();
                let full = full.iter().map(|name| format_ident!("{name}", span = span));
                path.segments = full.map(syn::PathSegment::from).chain(kept).collect();
                return;
            }
        }
    }
}

struct FullPaths<'w> {
    model: &'w Model,
    module: usize,
    /// What the blocks around import, the outermost first; that one has the
    /// variables of all.
    scopes: Vec<Locals>,
}

impl VisitMut for FullPaths<'_> {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let mut locals = Locals::default();
        if self.scopes.is_empty() {
            locals = Locals::of(None, block, None);
            if locals.imports.is_empty() {
                return;
            }
            locals.imports.clear();
        }
        // What a block imports holds in that block.
        for stmt in &block.stmts {
            if let syn::Stmt::Item(syn::Item::Use(item)) = stmt {
                flatten(&item.tree, &mut Vec::new(), &mut locals.imports);
            }
        }
        self.scopes.push(locals);
        visit_mut::visit_block_mut(self, block);
        self.scopes.pop();
    }

    fn visit_expr_path_mut(&mut self, expr: &mut syn::ExprPath) {
        visit_mut::visit_expr_path_mut(self, expr);
        let Some(outermost) = self.scopes.first() else {
            return;
        };
        if expr.path.leading_colon.is_some() || expr.qself.is_some() {
            return;
        }
        let names = path_names(&expr.path);
        if names.len() == 1 && (outermost.has(&names[0], false) || outermost.has(&names[0], true)) {
            return;
        }
        let mut scopes = self.scopes.iter().rev();
        let full = scopes.find_map(|locals| self.model.full_path(self.module, locals, &names));
        let is_item = |full: &Vec<String>| {
            matches!(
                self.model.resolve(self.module, full),
                Some(Target::Item(..))
            )
        };
        // The last name keeps its place and its generic arguments.
        let Some(full) = full.filter(is_item) else {
            return;
        };
        let Some(last) = expr.path.segments.pop() else {
            return;
        };
        let span = last.ident.span();
        let names = full.iter().map(|name| format_ident!("{name}", span = span));
        expr.path.segments = names.map(syn::PathSegment::from).collect();
        if let Some(new) = expr.path.segments.last_mut() {
            new.arguments = last.arguments;
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        if !self.scopes.is_empty() {
            visit_list(self, mac);
        }
    }
}
