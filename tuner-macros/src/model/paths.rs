//! Writes the paths of an item in full: what a body's own `use` items bring,
//! aliases of structs, and the author's macros, so that a weight is known under
//! every name.

use quote::format_ident;
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Item, Token};

use super::uses::Locals;
use super::{Model, Target, escapes, flatten, macro_rules};

impl Model {
    /// Writes an item as its twin is made of it: the author's macros expanded,
    /// without what the author leaves out, its paths in full; `module` has the
    /// item.
    pub(crate) fn normalise(&self, module: &[String], item: &mut Item) {
        macro_rules::expand_bodies(&self.macros, item);
        escapes::open(item);
        if let Some(module) = self.module(module) {
            let (model, scopes) = (self, Vec::new());
            let mut aliases = FullPaths {
                model,
                module,
                scopes,
            };
            aliases.visit_item_mut(item);
            FullStructNames { model, module }.visit_item_mut(item);
        }
    }

    /// Expands the author's macros in an initialiser, after its weights have
    /// been numbered.
    pub(super) fn expand_macros(&self, expr: &mut Expr) {
        macro_rules::expand_initialiser(&self.macros, expr);
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
        let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
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
        let names = expr.path.segments.iter().map(|s| s.ident.to_string());
        let names: Vec<String> = names.collect();
        if names.len() == 1 && (outermost.has(&names[0], false) || outermost.has(&names[0], true)) {
            return;
        }
        let mut scopes = self.scopes.iter().rev();
        let full = scopes.find_map(|locals| self.model.full_path(self.module, locals, &names));
        let Some(full) = full else {
            return;
        };
        if !matches!(
            self.model.resolve(self.module, &full),
            Some(Target::Item(..))
        ) {
            return;
        }
        // The last name keeps its place and its generic arguments.
        let Some(mut last) = expr.path.segments.pop() else {
            return;
        };
        let span = last.ident.span();
        let mut segments = Punctuated::new();
        for name in &full {
            segments.push(syn::PathSegment::from(format_ident!("{name}", span = span)));
        }
        if let Some(new) = segments.last_mut() {
            std::mem::swap(&mut new.arguments, &mut last.arguments);
        }
        expr.path.segments = segments;
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        if !self.scopes.is_empty()
            && let Ok(mut args) = mac.parse_body_with(parser)
        {
            let before = args.clone();
            args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
            if args != before {
                mac.tokens = quote::quote!(#args);
            }
        }
    }
}
