//! Everything the macro knows of one crate: its units, their weights,
//! functions and structs, and the shapes that the analysis found.
//!
//! A *unit* is a module with annotations: the whole module (`traced!()`, or
//! `#[tunable]` on an inline module) or the items marked in it. The world is
//! built from the files, the same in every expansion, so that all expansions
//! of a crate agree on the numbers of the weights.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Expr, Fields, FnArg, ImplItem, Item, ItemImpl, Signature, Type, UseTree};

use crate::args::Args;
use crate::diag::Mistake;
use crate::refuse;
use crate::shape::Shape;
use crate::source::{self, SourceFile};
use crate::types::Types;
use crate::walk;
use crate::weights::Leaves;

/// A module with annotations.
pub(crate) struct Unit {
    pub(crate) file: usize,
    pub(crate) module: Vec<String>,
    /// Whether the whole module is traced, or the marked items only.
    pub(crate) whole: bool,
    pub(crate) items: Vec<Item>,
    /// `use` items flattened: the name brought in (`*` for a glob), the path.
    pub(crate) imports: Vec<(String, Vec<String>)>,
    /// Modules declared here.
    pub(crate) children: Vec<String>,
    pub(crate) frozen: Vec<String>,
    /// Where the module's `traced!()` stands.
    pub(crate) traced_at: Option<(usize, usize)>,
}

/// A const or static whose entries depend on weights.
pub(crate) struct Constant {
    pub(crate) unit: usize,
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) leaves: Leaves,
    pub(crate) first: u32,
    pub(crate) place: (usize, usize),
}

/// A function or method of a unit.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) unit: usize,
    pub(crate) name: String,
    /// The type of the impl block.
    pub(crate) owner: Option<String>,
    /// Whether the impl block is of an operator, which the twin copies as it is.
    pub(crate) operator: bool,
    /// Whether the impl block stands unmarked around a marked method.
    pub(crate) lone: bool,
    pub(crate) place: (usize, usize),
    /// One for each argument but `self`.
    pub(crate) params: Vec<Shape>,
    pub(crate) returned: Shape,
    /// Shapes of the variables, in the order in which the walk meets them.
    pub(crate) bindings: Vec<Shape>,
}

/// A struct of a unit.
pub(crate) struct Struct {
    pub(crate) unit: usize,
    pub(crate) name: String,
    pub(crate) fields: Vec<(String, Shape)>,
}

#[derive(Default)]
pub(crate) struct World {
    pub(crate) files: Vec<SourceFile>,
    pub(crate) units: Vec<Unit>,
    pub(crate) constants: Vec<Constant>,
    pub(crate) functions: Vec<Function>,
    pub(crate) structs: Vec<Struct>,
    pub(crate) types: Types,
    pub(crate) mistakes: Vec<(usize, Mistake)>,
    /// Files that could not be parsed; rustc says why better than we could.
    pub(crate) unread: Vec<String>,
    by_name: HashMap<String, Vec<usize>>,
    /// Identifiers in what the twins hold; methods of copied structs that no
    /// body names are left out.
    used: HashSet<String>,
}

impl World {
    /// Reads the crate of `file`; call it `forced`.
    pub(crate) fn read(file: &Path) -> Self {
        let mut world = Self::default();
        for (path, module, text) in source::texts(file) {
            match source::parse(&path, &module, &text) {
                Ok(parsed) => world.files.push(parsed),
                Err(error) => world.unread.push(error),
            }
        }
        for index in 0..world.files.len() {
            let module = world.files[index].module.clone();
            let items = std::mem::take(&mut world.files[index].ast.items);
            world.add_module(index, module, items, false);
        }
        world.declare();
        world.analyse();
        world.reach();
        world
    }

    /// Collects the identifiers that are used by what the twins hold.
    fn reach(&mut self) {
        let mut waiting = Vec::new();
        for unit in &self.units {
            for item in &unit.items {
                match item {
                    Item::Const(item) => identifiers(item.expr.to_token_stream(), &mut self.used),
                    Item::Static(item) => identifiers(item.expr.to_token_stream(), &mut self.used),
                    Item::Fn(item) => identifiers(item.block.to_token_stream(), &mut self.used),
                    Item::Impl(block) => {
                        let owner = type_name(&block.self_ty).unwrap_or_default();
                        for member in &block.items {
                            let ImplItem::Fn(f) = member else { continue };
                            let mut names = HashSet::new();
                            identifiers(f.block.to_token_stream(), &mut names);
                            if block.trait_.is_none() && self.copied(&owner, &mut Vec::new()) {
                                waiting.push((f.sig.ident.to_string(), names));
                            } else {
                                self.used.extend(names);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        loop {
            let (now, later): (Vec<_>, Vec<_>) = waiting
                .into_iter()
                .partition(|(name, _)| self.used.contains(name));
            if now.is_empty() {
                return;
            }
            now.into_iter()
                .for_each(|(_, names)| self.used.extend(names));
            waiting = later;
        }
    }

    /// Whether any twin names this identifier.
    pub(crate) fn is_used(&self, name: &str) -> bool {
        self.used.contains(name)
    }

    fn add_module(&mut self, file: usize, module: Vec<String>, items: Vec<Item>, marked: bool) {
        let args = items.iter().find_map(traced_args);
        let whole = marked || args.is_some();
        let mut unit = Unit {
            file,
            module,
            whole,
            items: Vec::new(),
            imports: Vec::new(),
            children: Vec::new(),
            frozen: args.unwrap_or_default().frozen,
            traced_at: items
                .iter()
                .find(|i| traced_args(i).is_some())
                .map(place_of),
        };
        let mut inner = Vec::new();
        for item in items {
            if let Item::Use(item) = &item {
                flatten(&item.tree, &mut Vec::new(), &mut unit.imports);
            }
            if let Item::Mod(item) = item {
                if is_test(&item.attrs) {
                    continue;
                }
                unit.children.push(item.ident.to_string());
                if let Some((_, items)) = item.content {
                    let tunable = has_attribute(&item.attrs, "tunable");
                    inner.push((item.ident.to_string(), items, tunable));
                }
                continue;
            }
            let attrs = attributes(&item);
            if is_test(attrs) {
                continue;
            }
            if let Item::Impl(block) = &item
                && !whole
                && !has_attribute(attrs, "tunable")
            {
                unit.items.extend(marked_methods(block).map(Item::Impl));
                continue;
            }
            if has_attribute(attrs, "frozen") {
                unit.frozen.extend(name_of(&item));
            } else if whole || has_attribute(attrs, "tunable") {
                unit.items.push(item);
            }
        }
        let path = unit.module.clone();
        if !unit.items.is_empty() {
            self.units.push(unit);
        }
        for (name, items, tunable) in inner {
            let mut path = path.clone();
            path.push(name);
            self.add_module(file, path, items, tunable);
        }
    }

    /// Fills the tables with names and declared types.
    fn declare(&mut self) {
        for unit in 0..self.units.len() {
            for item in &self.units[unit].items {
                if let Item::Struct(item) = item {
                    self.types.structs.push(item.ident.to_string());
                    let fields = field_names(&item.fields);
                    let fields = fields
                        .into_iter()
                        .map(|name| (name, Shape::Plain))
                        .collect();
                    self.structs.push(Struct {
                        unit,
                        name: item.ident.to_string(),
                        fields,
                    });
                }
            }
        }
        for unit in &self.units {
            for item in &unit.items {
                if let Item::Type(item) = item {
                    let name = item.ident.to_string();
                    if self.types.can_hold_weights(&item.ty)
                        && matches!(&*item.ty, Type::Path(t) if t.path.get_ident().is_some())
                    {
                        match self.types.shape(&item.ty, None) {
                            Shape::Plain => self.types.numbers.push(name),
                            shape => drop(self.types.aliases.insert(name, shape)),
                        }
                    }
                }
            }
        }
        let mut functions = Vec::new();
        for (index, unit) in self.units.iter().enumerate() {
            for item in &unit.items {
                match item {
                    Item::Fn(item) => functions.push(self.function(index, &item.sig, None)),
                    Item::Impl(item) => {
                        let owner = type_name(&item.self_ty);
                        for member in &item.items {
                            if let ImplItem::Fn(f) = member {
                                let mut function = self.function(index, &f.sig, owner.clone());
                                function.operator = operator(item).is_some();
                                function.lone = is_lone(unit, item);
                                functions.push(function);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        for (index, function) in functions.iter().enumerate() {
            self.by_name
                .entry(function.name.clone())
                .or_default()
                .push(index);
        }
        self.functions = functions;
        for item in 0..self.structs.len() {
            let (unit, name) = (self.structs[item].unit, self.structs[item].name.clone());
            let declared = self.units[unit].items.iter().find_map(|item| match item {
                Item::Struct(s) if s.ident == name => Some(&s.fields),
                _ => None,
            });
            let shapes: Vec<Shape> = declared
                .map(|fields| {
                    fields
                        .iter()
                        .map(|f| self.types.shape(&f.ty, Some(&name)))
                        .collect()
                })
                .unwrap_or_default();
            for (field, shape) in self.structs[item].fields.iter_mut().zip(shapes) {
                field.1 = shape;
            }
        }
        self.declare_constants();
    }

    fn function(&self, unit: usize, sig: &Signature, owner: Option<String>) -> Function {
        let owner_name = owner.as_deref();
        let params = sig.inputs.iter().filter_map(|arg| match arg {
            FnArg::Typed(arg) => Some(self.types.shape(&arg.ty, owner_name)),
            FnArg::Receiver(_) => None,
        });
        Function {
            unit,
            name: sig.ident.to_string(),
            operator: false,
            lone: false,
            place: place(sig.ident.span()),
            params: params.collect(),
            returned: self.types.returned(&sig.output, owner_name),
            bindings: Vec::new(),
            owner,
        }
    }

    fn declare_constants(&mut self) {
        let mut next = 0;
        for unit in 0..self.units.len() {
            let mut found = Vec::new();
            for item in &self.units[unit].items {
                let (ident, ty, expr) = match item {
                    Item::Const(item) => (&item.ident, &item.ty, &item.expr),
                    Item::Static(item) => (&item.ident, &item.ty, &item.expr),
                    _ => continue,
                };
                let name = ident.to_string();
                if self.units[unit].frozen.contains(&name) || !self.types.can_hold_weights(ty) {
                    continue;
                }
                if let Item::Static(item) = item
                    && !matches!(item.mutability, syn::StaticMutability::None)
                {
                    self.mistakes
                        .push((unit, Mistake::new(ident.span(), refuse::STATIC_MUT)));
                    continue;
                }
                found.push((
                    name,
                    place(ident.span()),
                    Leaves::of(expr),
                    self.entry_shape(ty),
                ));
            }
            for (name, place, leaves, shape) in found {
                for mistake in &leaves.mistakes {
                    self.mistakes.push((unit, mistake.clone()));
                }
                for (constructor, span) in &leaves.constructors {
                    let known = self.types.structs.contains(constructor)
                        || self.by_name.contains_key(constructor)
                        || constructor == "Some";
                    if !known {
                        let text = refuse::unknown_constructor(constructor);
                        self.mistakes.push((unit, Mistake::new(*span, text)));
                    }
                }
                let first = next;
                next += leaves.values.len() as u32;
                self.constants.push(Constant {
                    unit,
                    name,
                    shape,
                    leaves,
                    first,
                    place,
                });
            }
        }
    }

    fn entry_shape(&self, ty: &Type) -> Shape {
        match (self.types.shape(ty, None), ty) {
            (Shape::Plain, _) => Shape::Score,
            (Shape::Tuple(parts), _) => Shape::Tuple(vec![Shape::Score; parts.len()]),
            (shape, _) => shape,
        }
    }

    /// The function whose name stands at this place of its file.
    pub(crate) fn function_at(&self, unit: usize, place: (usize, usize)) -> Option<usize> {
        self.functions
            .iter()
            .position(|f| f.unit == unit && f.place == place)
    }

    /// Lets shapes flow until nothing changes.
    fn analyse(&mut self) {
        // Each pass widens at least one place of a finite lattice; the bound
        // only guards against a fault of ours.
        for _ in 0..64 {
            let mut changed = false;
            for unit in 0..self.units.len() {
                let items = std::mem::take(&mut self.units[unit].items);
                for item in &items {
                    changed |= walk::analyse_item(self, unit, item);
                }
                self.units[unit].items = items;
            }
            if !changed {
                return;
            }
        }
    }

    /// Functions of this name, for a call by path.
    pub(crate) fn named(&self, name: &str) -> &[usize] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn structure(&self, name: &str) -> Option<usize> {
        self.structs.iter().position(|s| s.name == name)
    }

    /// Whether the twin needs its own copy of a struct.
    pub(crate) fn is_copied(&self, name: &str) -> bool {
        self.copied(name, &mut Vec::new())
    }

    fn copied<'a>(&'a self, name: &'a str, above: &mut Vec<&'a str>) -> bool {
        let Some(index) = self.structure(name) else {
            return false;
        };
        if above.contains(&name) {
            return false;
        }
        above.push(name);
        let copied = self.structs[index]
            .fields
            .iter()
            .any(|(_, shape)| self.is_traced(shape, above));
        above.pop();
        copied
    }

    fn is_traced<'a>(&'a self, shape: &'a Shape, above: &mut Vec<&'a str>) -> bool {
        match shape {
            Shape::Score => true,
            Shape::Named(name) => self.copied(name, above),
            Shape::Tuple(parts) => parts.iter().any(|part| self.is_traced(part, above)),
            Shape::Plain | Shape::Never => false,
        }
    }

    /// Whether a value of this shape is of another type in the twin.
    pub(crate) fn differs(&self, shape: &Shape) -> bool {
        self.is_traced(shape, &mut Vec::new())
    }

    /// Whether the twin has a version of this function.
    pub(crate) fn has_twin(&self, index: usize) -> bool {
        let function = &self.functions[index];
        let owner_copied = function
            .owner
            .as_deref()
            .is_some_and(|owner| self.is_copied(owner));
        let marked_free = !self.units[function.unit].whole && function.owner.is_none();
        owner_copied
            || marked_free
            || self.differs(&function.returned)
            || function.params.iter().any(|p| self.differs(p))
    }

    /// Whether a method is reached under another name: its type is
    /// production's, where the name is taken.
    pub(crate) fn is_renamed(&self, index: usize) -> bool {
        let function = &self.functions[index];
        let owner = function.owner.as_deref();
        owner.is_some_and(|owner| !self.is_copied(owner))
            && !function.operator
            && self.has_twin(index)
    }

    /// The unit whose module is this one.
    pub(crate) fn unit_of(&self, module: &[String]) -> Option<usize> {
        self.units.iter().position(|u| u.module == module)
    }

    /// Names that the twin of a unit defines: weights, structs, functions.
    pub(crate) fn defines(&self, unit: usize, name: &str) -> bool {
        self.constants
            .iter()
            .any(|c| c.unit == unit && c.name == name)
            || self
                .structs
                .iter()
                .any(|s| s.unit == unit && s.name == name && self.is_copied(name))
            || self.units[unit].items.iter().any(|item| {
                matches!(item, Item::Type(alias) if alias.ident == name)
                    && self
                        .types
                        .aliases
                        .get(name)
                        .is_some_and(|shape| self.differs(shape))
            })
            || self.named(name).iter().any(|&f| {
                self.functions[f].unit == unit
                    && self.functions[f].owner.is_none()
                    && self.has_twin(f)
            })
    }
}

pub(crate) fn place(span: Span) -> (usize, usize) {
    let start = span.start();
    (start.line, start.column)
}

pub(crate) fn type_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(t) => t.path.segments.last().map(|s| s.ident.to_string()),
        Type::Reference(t) => type_name(&t.elem),
        Type::Paren(t) => type_name(&t.elem),
        Type::Group(t) => type_name(&t.elem),
        _ => None,
    }
}

pub(crate) fn field_names(fields: &Fields) -> Vec<String> {
    let names = fields.iter().enumerate();
    names
        .map(|(i, f)| {
            f.ident
                .as_ref()
                .map_or_else(|| i.to_string(), ToString::to_string)
        })
        .collect()
}

pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(i) => &i.attrs,
        Item::Fn(i) => &i.attrs,
        Item::Impl(i) => &i.attrs,
        Item::Macro(i) => &i.attrs,
        Item::Mod(i) => &i.attrs,
        Item::Static(i) => &i.attrs,
        Item::Struct(i) => &i.attrs,
        Item::Type(i) => &i.attrs,
        _ => &[],
    }
}

pub(crate) fn name_of(item: &Item) -> Option<String> {
    match item {
        Item::Const(i) => Some(i.ident.to_string()),
        Item::Fn(i) => Some(i.sig.ident.to_string()),
        Item::Static(i) => Some(i.ident.to_string()),
        Item::Struct(i) => Some(i.ident.to_string()),
        Item::Type(i) => Some(i.ident.to_string()),
        _ => None,
    }
}

/// Where an item stands: its name, or `impl`.
pub(crate) fn place_of(item: &Item) -> (usize, usize) {
    // No `Spanned` here: it would mix the file's tokens with the compiler's.
    place(match item {
        Item::Const(i) => i.ident.span(),
        Item::Fn(i) => i.sig.ident.span(),
        Item::Impl(i) => i.impl_token.span,
        Item::Macro(i) => match i.mac.path.segments.first() {
            Some(first) => first.ident.span(),
            None => return (0, 0),
        },
        Item::Mod(i) => i.ident.span(),
        Item::Static(i) => i.ident.span(),
        Item::Struct(i) => i.ident.span(),
        Item::Type(i) => i.ident.span(),
        _ => return (0, 0),
    })
}

/// An impl block with nothing but its marked methods, if it has any.
fn marked_methods(block: &ItemImpl) -> Option<ItemImpl> {
    let mut block = block.clone();
    block
        .items
        .retain(|member| matches!(member, ImplItem::Fn(f) if has_attribute(&f.attrs, "tunable")));
    (!block.items.is_empty()).then_some(block)
}

fn is_lone(unit: &Unit, block: &ItemImpl) -> bool {
    !unit.whole && !has_attribute(&block.attrs, "tunable")
}

/// The traits whose impls the twin copies for its own structs.
const OPERATORS: [&str; 20] = [
    "Add",
    "AddAssign",
    "Default",
    "Deref",
    "DerefMut",
    "Div",
    "DivAssign",
    "From",
    "Index",
    "IndexMut",
    "Into",
    "Mul",
    "MulAssign",
    "Neg",
    "Shl",
    "Shr",
    "ShrAssign",
    "Sub",
    "SubAssign",
    "Sum",
];

/// The operator that an impl block implements.
pub(crate) fn operator(block: &ItemImpl) -> Option<String> {
    let name = block.trait_.as_ref()?.0.segments.last()?.ident.to_string();
    OPERATORS.contains(&name.as_str()).then_some(name)
}

/// Whether the attribute stands there, also inside `cfg_attr`.
pub(crate) fn has_attribute(attrs: &[Attribute], name: &str) -> bool {
    attrs.iter().any(|attr| {
        if attr.path().is_ident("cfg_attr") {
            let tokens = attr.meta.require_list().map(|list| list.tokens.to_string());
            return tokens
                .is_ok_and(|t| t.split(|c: char| !c.is_alphanumeric()).any(|w| w == name));
        }
        attr.path().segments.last().is_some_and(|s| s.ident == name)
    })
}

fn is_test(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        attr.path().is_ident("cfg")
            && attr
                .meta
                .require_list()
                .is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

fn traced_args(item: &Item) -> Option<Args> {
    match item {
        Item::Macro(item)
            if item
                .mac
                .path
                .segments
                .last()
                .is_some_and(|s| s.ident == "traced") =>
        {
            Some(item.mac.parse_body().unwrap_or_default())
        }
        _ => None,
    }
}

fn flatten(tree: &UseTree, path: &mut Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
    match tree {
        UseTree::Path(t) => {
            path.push(t.ident.to_string());
            flatten(&t.tree, path, found);
            path.pop();
        }
        UseTree::Name(t) => {
            let mut full = path.clone();
            if t.ident != "self" {
                full.push(t.ident.to_string());
            }
            found.push((full.last().cloned().unwrap_or_default(), full));
        }
        UseTree::Rename(t) => {
            let mut full = path.clone();
            full.push(t.ident.to_string());
            found.push((t.rename.to_string(), full));
        }
        UseTree::Glob(_) => found.push(("*".to_owned(), path.clone())),
        UseTree::Group(t) => t.items.iter().for_each(|t| flatten(t, path, found)),
    }
}

/// Adds the identifiers of a token stream to `found`.
pub(crate) fn identifiers(tokens: TokenStream, found: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => drop(found.insert(ident.to_string())),
            TokenTree::Group(group) => identifiers(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Whether an expression is a literal, or arithmetic on nothing but literals.
pub(crate) fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(e) => matches!(e.lit, syn::Lit::Int(_) | syn::Lit::Float(_)),
        Expr::Unary(e) => matches!(e.op, syn::UnOp::Neg(_)) && is_literal(&e.expr),
        Expr::Paren(e) => is_literal(&e.expr),
        Expr::Group(e) => is_literal(&e.expr),
        Expr::Binary(e) => is_literal(&e.left) && is_literal(&e.right),
        _ => false,
    }
}
