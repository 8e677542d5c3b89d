//! Writes the paths of an item in full: what a body's own `use` items bring,
//! aliases of structs, weights of impl blocks, and the author's macros, so that a weight is known
//! under every name.

use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{Item, Path, PathSegment, Token, Type};
use tuner_source::{AssociatedStanding, Locals, Reader};

use super::macro_input::visit_list;
use super::macro_rules::Expansion;
use super::{Model, escapes, flatten, location, path_names};

/// Takes `r#` off names that do not need it.
struct PlainNames;

impl VisitMut for PlainNames {
    /// Takes `r#` off a name that is not a keyword without it.
    fn visit_ident_mut(&mut self, name: &mut Ident) {
        if let Some(plain) = name.to_string().strip_prefix("r#")
            && syn::parse_str::<Ident>(plain).is_ok()
        {
            *name = Ident::new(plain, name.span());
        }
    }
}

impl Model {
    /// Rewrites an item of `module`, by number, into the form that its twin is made of: the
    /// author's macros expanded, what the author leaves out of the twin removed, and paths in full.
    pub(crate) fn normalise(&self, module: usize, item: &mut Item) {
        PlainNames.visit_item_mut(item);
        // Initialisers keep their macros until their literals are numbered.
        if matches!(item, Item::Fn(_) | Item::Impl(_)) {
            Expansion::new(&self.macros).visit_item_mut(item);
            escapes::ApplyEscapes.visit_item_mut(item);
        }
        let mut paths = FullPaths {
            model: self,
            module,
            owner: None,
            scopes: Vec::new(),
            in_macro: false,
        };
        paths.visit_item_mut(item);
    }

    /// What `#[tunable]` on a const of an impl block does, by the location of its name; `None`
    /// without the attribute. If several files have such a const at this location, it is the first.
    pub(crate) fn associated_standing(&self, ident: &Ident) -> Option<&AssociatedStanding> {
        let at = location(ident.span());
        let mut marked = self.associated_weights.iter();
        let found = marked.find(|one| *ident == one.name && one.location == at);
        found.map(|one| &one.standing)
    }

    /// The type that a path in the module `from` leads to, through aliases: the number of its
    /// module and its name there. `None` if it leads to no item of the crate.
    fn type_behind(&self, from: usize, path: &[String]) -> Option<(usize, String)> {
        let full = self.unaliased(from, path);
        self.item_behind(from, full.as_deref().unwrap_or(path))
    }
}

/// Writes the paths of an item in full.
struct FullPaths<'w> {
    model: &'w Model,
    /// The number of the item's module.
    module: usize,
    /// The type of the impl block around: its module, and its name there; `None` outside.
    owner: Option<(usize, String)>,
    /// What the blocks around import, the outermost first. The outermost has the variables of all
    /// blocks in it.
    scopes: Vec<Locals>,
    /// Whether the input of a macro call is visited, where structs keep their aliases.
    in_macro: bool,
}

impl FullPaths<'_> {
    /// A path with its first name replaced by what a `use` of the blocks around says for it, the
    /// innermost first; `None` if no block brings that name in.
    fn imported(&self, names: &[String]) -> Option<Vec<String>> {
        let mut scopes = self.scopes.iter().rev();
        scopes.find_map(|locals| self.model.full_path(self.module, locals, names))
    }

    /// Replaces a path that a `use` of a block around brings in by the full one, if that leads to
    /// an item of the crate. A single name that is a variable, a const or a function of the body
    /// stays.
    fn import(&self, path: &mut Path) {
        let names = path_names(path);
        // `false`: as a variable or a const; `true`: as a closure or a function.
        let is_own = |locals: &Locals| locals.has(&names[0], false) || locals.has(&names[0], true);
        if names.len() == 1 && self.scopes.first().is_some_and(is_own) {
            return;
        }
        if let Some(full) = self.imported(&names)
            && self.model.item_behind(self.module, &full).is_some()
        {
            lead(path, &full);
        }
    }

    /// Turns `<Type>::NAME` into the path `Type::NAME`. `<Type as Trait>::name` also becomes
    /// `Type::name` if the crate declares the trait and the type has no method of that name outside
    /// of traits.
    fn name_plainly(&self, expr: &mut syn::ExprPath) {
        let Some(qself) = &expr.qself else { return };
        let (Type::Path(of), Some(last)) = (&*qself.ty, expr.path.segments.last()) else {
            return;
        };
        // The path of the trait; empty in `<Type>::NAME`.
        let of_trait = path_names(&expr.path);
        let of_trait = of_trait.get(..qself.position).unwrap_or_default();
        let all = &self.model.readers.all;
        // Items outside of traits; `is_other`: one of the path's last name, and of its type.
        let mut own = all.iter().filter(|reader| reader.of_trait.is_none());
        let is_other = |reader: &Reader| {
            last.ident == reader.name
                && reader.owner == of.path.get_ident().map(ToString::to_string)
        };
        // Whether `Type::name` means what the path with the trait means.
        let is_own = of_trait.is_empty()
            || self.model.item_behind(self.module, of_trait).is_some() && !own.any(is_other);
        let is_name = of.qself.is_none() && of.path.segments.iter().all(|s| s.arguments.is_none());
        if is_name && is_own && expr.path.segments.len() == of_trait.len() + 1 {
            let mut path = of.path.clone();
            path.segments.push(last.clone());
            (expr.qself, expr.path) = (None, path);
        }
    }

    /// Replaces a path to a weight that is a const of an impl block, `Safety::LIMIT`, by the path
    /// of the const of the module that the weight has become, `SAFETY_LIMIT`; other paths stay.
    fn name_associated(&self, path: &mut Path) {
        let names = path_names(path);
        let [of @ .., name] = &names[..] else { return };
        if of.is_empty() {
            return;
        }
        let model = self.model;
        let weights = model.associated_weights.iter().rev();
        let mut named = weights.filter(|one| one.name == *name).peekable();
        if named.peek().is_none() {
            return;
        }
        // Weights of the name `LIMIT` may be of several types: the type must be the path's.
        let of = self.type_of(of);
        let full = named.find_map(|one| {
            let module = model.module(&one.module)?;
            let is_it = of.is_some() && model.type_behind(module, &one.owner) == of;
            let constant = one.weight().filter(|_| is_it)?;
            Some(model.modules[module].path_of(constant))
        });
        if let Some(full) = full {
            lead(path, &full);
        }
    }

    /// The type that a path of the item names, also `Self` and names that the body imports: the
    /// number of its module, and its name there. `None` if it is of no item of the crate.
    fn type_of(&self, path: &[String]) -> Option<(usize, String)> {
        if path.len() == 1 && path[0] == "Self" {
            return self.owner.clone();
        }
        let full = self.imported(path);
        self.model
            .type_behind(self.module, full.as_deref().unwrap_or(path))
    }
}

impl VisitMut for FullPaths<'_> {
    /// Notes the type of an impl block while the block is visited: it is what `Self` means there.
    fn visit_item_impl_mut(&mut self, block: &mut syn::ItemImpl) {
        if let Type::Path(ty) = &*block.self_ty {
            self.owner = self.type_of(&path_names(&ty.path));
        }
        visit_mut::visit_item_impl_mut(self, block);
        self.owner = None;
    }

    /// Visits a block with what its `use` items bring in, which holds in that block alone. For the
    /// outermost block also the variables, consts and functions of all blocks inside it are noted.
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let mut locals = Locals::default();
        if self.scopes.is_empty() {
            locals = Locals::of(None, block, None);
            // These are the imports of all blocks; the block's own are added below.
            locals.imports.clear();
        }
        for stmt in &block.stmts {
            if let syn::Stmt::Item(Item::Use(item)) = stmt {
                flatten(&item.tree, &mut Vec::new(), &mut locals.imports);
            }
        }
        self.scopes.push(locals);
        visit_mut::visit_block_mut(self, block);
        self.scopes.pop();
    }

    /// Writes a path that stands for a value, as `eval::PAWN`, `PAWN` or `Score::ZERO`, so that it
    /// names the same item in the twin's module as here: from the crate's root on, where it was
    /// imported, and its type by the name that it is declared with.
    fn visit_expr_path_mut(&mut self, expr: &mut syn::ExprPath) {
        self.name_plainly(expr);
        // A path that begins with `::` or `<Type>` does not begin with a name that is imported.
        if expr.path.leading_colon.is_none() && expr.qself.is_none() {
            self.import(&mut expr.path);
        }
        // A single name is that of a value, and has no type in front that could be an alias.
        if expr.path.segments.len() > 1 {
            visit_mut::visit_expr_path_mut(self, expr);
        }
        self.name_associated(&mut expr.path);
    }

    /// Replaces an alias of a struct in a path by the struct's own name, written from the crate's
    /// root; not in the input of a macro call.
    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        if path.leading_colon.is_some() || self.in_macro {
            return;
        }
        let names = path_names(path);
        // The alias may be all of the path, or all but its last name: the type of `Type::new`.
        for rest in 0..names.len().min(2) {
            let named = &names[..names.len() - rest];
            if let Some(full) = self.model.unaliased(self.module, named) {
                let span = path.segments[named.len() - 1].ident.span();
                let kept = path.segments.iter().skip(named.len()).cloned();
                path.segments = segments(&full, span).into_iter().chain(kept).collect();
                return;
            }
        }
    }

    /// Visits the arguments of a macro call whose input is a list of expressions, with `in_macro`
    /// set: in paths there aliases of structs stay as they are.
    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        let around = std::mem::replace(&mut self.in_macro, true);
        visit_list(self, mac);
        self.in_macro = around;
    }
}

/// Replaces a path by the one of the names `way`; the last name keeps its span and its generic
/// arguments.
pub(super) fn lead(path: &mut Path, way: &[String]) {
    let Some(last) = path.segments.pop() else {
        return;
    };
    path.segments = segments(way, last.ident.span());
    if let Some(new) = path.segments.last_mut() {
        new.arguments = last.arguments;
    }
}

/// The segments of a path of these names, all with one span.
fn segments(names: &[String], span: Span) -> Punctuated<PathSegment, Token![::]> {
    let names = names.iter();
    let names = names.map(|name| format_ident!("{name}", span = span));
    names.map(PathSegment::from).collect()
}
