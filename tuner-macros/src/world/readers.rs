//! What reads a weight without a twin: its value is a plain number, through
//! which no derivative goes.

use std::collections::HashMap;

use quote::ToTokens;
use syn::{Attribute, Block, ImplItem, Item, ReturnType, Signature, TraitItem, Type, parse_quote};

use super::World;
use super::item::{attributes, has_attribute, name_of, operator, place, place_of, type_name};
use super::modules::Target;
use super::units::is_test;
use crate::diag::Mistake;
use crate::refuse;
use crate::uses::{self, Kind, Locals, Use};

/// An item that can read a weight: a function, a method, a const, a macro.
pub(crate) struct Node {
    module: usize,
    /// The type or trait around it.
    owner: Option<String>,
    name: String,
    is_macro: bool,
    place: (usize, usize),
    /// Where its impl block stands.
    block: Option<(usize, usize)>,
    imports: Locals,
    uses: Vec<Use>,
    standing: Standing,
    /// A weight that it reads.
    reads: Option<String>,
    /// Its type, or what it returns.
    gives: Vec<Use>,
    /// The pair type of the units that it gives, though it has no twin.
    forgotten: Option<String>,
}

/// What the twin makes of an item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// No annotation reaches it.
    Unmarked,
    /// Annotated, but without twin, because it gives no score.
    Plain,
    /// It has a twin, and its value is traced.
    Traced,
    /// It has a twin in which each weight is accounted for.
    Closed,
}

/// The nodes of a crate, by name.
#[derive(Default)]
pub(crate) struct Readers {
    nodes: Vec<Node>,
    by_name: HashMap<String, Vec<usize>>,
}

/// Where a use stands.
struct Place<'a> {
    module: usize,
    owner: Option<&'a str>,
    locals: &'a Locals,
}

impl Readers {
    /// Notes the items of a module; which of them read weights is found later.
    pub(super) fn add(&mut self, world: &World, path: &[String], items: &[Item]) {
        let Some(module) = world.module(path) else {
            return;
        };
        for item in items {
            if is_test(attributes(item)) || is_unit_test(attributes(item)) {
                continue;
            }
            let own = (None, None);
            match item {
                Item::Const(i) if !has_attribute(&i.attrs, "frozen") => {
                    let at = place(i.ident.span());
                    self.push(module, i.ident.to_string(), at, own, &i.expr);
                    self.gives(&i.ty);
                }
                Item::Static(i) if !has_attribute(&i.attrs, "frozen") => {
                    let at = place(i.ident.span());
                    self.push(module, i.ident.to_string(), at, own, &i.expr);
                    self.gives(&i.ty);
                }
                Item::Fn(i) => self.function(module, own, &i.sig, &i.block),
                Item::Macro(i) if i.mac.path.is_ident("macro_rules") => {
                    if let Some(name) = &i.ident {
                        let at = place(name.span());
                        self.push(module, name.to_string(), at, own, &i.mac.tokens);
                        if let Some(node) = self.nodes.last_mut() {
                            node.is_macro = true;
                        }
                    }
                }
                Item::Impl(block) => {
                    let own = (type_name(&block.self_ty), Some(place_of(item)));
                    for member in &block.items {
                        match member {
                            ImplItem::Fn(f) => self.function(module, own.clone(), &f.sig, &f.block),
                            ImplItem::Const(c) => {
                                let (name, at) = (c.ident.to_string(), place(c.ident.span()));
                                self.push(module, name, at, own.clone(), &c.expr);
                            }
                            _ => {}
                        }
                    }
                }
                Item::Trait(item) => {
                    let own = (Some(item.ident.to_string()), None);
                    for member in &item.items {
                        match member {
                            TraitItem::Fn(f) => {
                                let none = parse_quote!({});
                                let block = f.default.as_ref().unwrap_or(&none);
                                self.function(module, own.clone(), &f.sig, block);
                            }
                            TraitItem::Const(c) => {
                                let (name, at) = (c.ident.to_string(), place(c.ident.span()));
                                let value = c.default.as_ref().map(|(_, value)| value);
                                self.push(module, name, at, own.clone(), &value);
                            }
                            _ => {}
                        }
                    }
                }
                Item::Mod(item) if !is_test(&item.attrs) => {
                    if let Some((_, items)) = &item.content {
                        let mut path = path.to_vec();
                        path.push(item.ident.to_string());
                        self.add(world, &path, items);
                    }
                }
                _ => {}
            }
        }
    }

    fn function(
        &mut self,
        module: usize,
        own: (Option<String>, Option<(usize, usize)>),
        sig: &Signature,
        block: &Block,
    ) {
        let locals = Locals::of(Some(sig), block, own.0.as_deref());
        self.push(
            module,
            sig.ident.to_string(),
            place(sig.ident.span()),
            own,
            &"",
        );
        if let Some(node) = self.nodes.last_mut() {
            node.uses = uses::uses(block, &locals);
            node.imports = locals;
        }
        if let ReturnType::Type(_, ty) = &sig.output {
            self.gives(ty);
        }
    }

    /// Notes the type of the last node.
    fn gives(&mut self, ty: &Type) {
        if let Some(node) = self.nodes.last_mut() {
            node.gives = uses::uses(ty, &Locals::default());
        }
    }

    fn push(
        &mut self,
        module: usize,
        name: String,
        place: (usize, usize),
        (owner, block): (Option<String>, Option<(usize, usize)>),
        value: &impl ToTokens,
    ) {
        let nodes = self.by_name.entry(name.clone()).or_default();
        nodes.push(self.nodes.len());
        let imports = Locals::default();
        self.nodes.push(Node {
            module,
            owner,
            name,
            is_macro: false,
            place,
            block,
            uses: uses::uses(value, &imports),
            imports,
            standing: Standing::Unmarked,
            reads: None,
            gives: Vec::new(),
            forgotten: None,
        });
    }

    /// Finds what reads a weight, once the shapes of all functions are known.
    pub(super) fn settle(&mut self, world: &World) {
        for node in &mut self.nodes {
            (node.standing, node.reads) = standing(world, node);
            if node.standing == Standing::Unmarked && node.owner.is_none() && !node.is_macro {
                let pair = |used: &Use| match world.resolve(node.module, &used.path)? {
                    Target::Item(module, name) => {
                        let is_traced = world.traced_item((module, name.clone())).is_some();
                        (is_traced && world.is_copied(&name)).then_some(name)
                    }
                    Target::Module(_) => None,
                };
                node.forgotten = node.gives.iter().find_map(pair);
            }
        }
        loop {
            let mut found = Vec::new();
            for (index, node) in self.nodes.iter().enumerate() {
                if node.reads.is_some() || node.standing == Standing::Closed {
                    continue;
                }
                let place = Place {
                    module: node.module,
                    owner: node.owner.as_deref(),
                    locals: &node.imports,
                };
                let reader = node
                    .uses
                    .iter()
                    .find_map(|u| self.read_by(world, &place, u));
                if let Some(weight) = reader.and_then(|reader| self.nodes[reader].reads.clone()) {
                    found.push((index, weight));
                }
            }
            if found.is_empty() {
                break;
            }
            for (index, weight) in found {
                self.nodes[index].reads = Some(weight);
            }
        }
        for node in &mut self.nodes {
            node.uses.clear();
        }
    }

    /// The node behind a use, if it reads a weight. Where the type of a
    /// receiver is not known, all methods of the name must.
    fn read_by(&self, world: &World, place: &Place<'_>, used: &Use) -> Option<usize> {
        let name = used.path.last()?;
        let spelt = match &used.kind {
            Kind::Path => world.spelt_out(place.module, place.locals, &used.path),
            _ => None,
        };
        let behind = spelt.as_ref().unwrap_or(&used.path);
        let name = if matches!(used.kind, Kind::Path) {
            match world.resolve(place.module, behind) {
                Some(Target::Item(module, name)) => {
                    let found = self.by_name.get(&name)?.iter().copied();
                    return found
                        .filter(|&n| {
                            let node = &self.nodes[n];
                            node.module == module && node.owner.is_none() && !node.is_macro
                        })
                        .find(|&n| self.nodes[n].reads.is_some());
                }
                _ => name,
            }
        } else {
            name
        };
        let named = self.by_name.get(name)?;
        let with = |keep: &dyn Fn(&Node) -> bool| -> Vec<usize> {
            let found = named.iter().copied().filter(|&n| keep(&self.nodes[n]));
            found.collect()
        };
        let reads = |&n: &usize| self.nodes[n].reads.is_some();
        let of = match &used.kind {
            Kind::Macro => return with(&|n| n.is_macro).into_iter().find(reads),
            Kind::Method { on } => on.clone(),
            Kind::Path => {
                let (_, before) = behind.split_last()?;
                let of = before.last()?;
                if !of.starts_with(char::is_uppercase) {
                    return None;
                }
                match world.resolve(place.module, before) {
                    Some(Target::Item(_, name)) => Some(name),
                    _ if of == "Self" => place.owner.map(str::to_owned),
                    _ => Some(of.clone()),
                }
            }
        };
        let own = with(&|n| n.owner.is_some() && n.owner == of);
        if !own.is_empty() {
            return own.into_iter().find(reads);
        }
        let any = with(&|n| n.owner.is_some());
        any.iter().all(reads).then(|| any.first().copied())?
    }

    /// The item without twin behind a use, and the pair type that it gives.
    fn forgotten(&self, world: &World, place: &Place<'_>, used: &Use) -> Option<(&str, &str)> {
        if !matches!(used.kind, Kind::Path) {
            return None;
        }
        let spelt = world.spelt_out(place.module, place.locals, &used.path);
        let path = spelt.as_ref().unwrap_or(&used.path);
        let Some(Target::Item(module, name)) = world.resolve(place.module, path) else {
            return None;
        };
        let mut nodes = self.by_name.get(&name)?.iter().map(|&n| &self.nodes[n]);
        let node = nodes.find(|node| node.module == module && node.owner.is_none())?;
        Some((&node.name, node.forgotten.as_deref()?))
    }

    /// Uses in a twin's body that give a weight as a plain number.
    pub(crate) fn mistakes(
        &self,
        world: &World,
        (unit, owner): (usize, Option<&str>),
        tokens: &impl ToTokens,
        locals: &Locals,
    ) -> Vec<Mistake> {
        let Some(module) = world.module(&world.units[unit].module) else {
            return Vec::new();
        };
        let place = Place {
            module,
            owner,
            locals,
        };
        let mut mistakes = Vec::new();
        for used in uses::uses(tokens, locals) {
            if let Some((name, pair)) = self.forgotten(world, &place, &used) {
                let message = refuse::forgotten(name, pair);
                mistakes.push(Mistake::new(used.at, message));
                continue;
            }
            let Some(reader) = self.read_by(world, &place, &used) else {
                continue;
            };
            let node = &self.nodes[reader];
            let weight = node.reads.as_deref().unwrap_or_default();
            let message = match node.standing {
                Standing::Unmarked if node.is_macro => refuse::macro_of_weights(&node.name, weight),
                Standing::Unmarked => refuse::unmarked_reader(&node.name, weight),
                Standing::Plain => refuse::plain_reader(&node.name, weight),
                Standing::Traced | Standing::Closed => continue,
            };
            mistakes.push(Mistake::new(used.at, message));
        }
        mistakes
    }
}

impl World {
    /// Mistakes of a body that is to have a twin.
    pub(crate) fn plain_reads(
        &self,
        unit: usize,
        owner: Option<&str>,
        sig: &Signature,
        block: &Block,
    ) -> Vec<Mistake> {
        let locals = Locals::of(Some(sig), block, owner);
        self.readers.mistakes(self, (unit, owner), block, &locals)
    }

    /// The same of an initialiser.
    pub(crate) fn plain_values(
        &self,
        unit: usize,
        owner: Option<&str>,
        value: &syn::Expr,
    ) -> Vec<Mistake> {
        let locals = Locals::default();
        self.readers.mistakes(self, (unit, owner), value, &locals)
    }
}

/// What the twin makes of an item, and the weight that it is.
fn standing(world: &World, node: &Node) -> (Standing, Option<String>) {
    let path = &world.modules[node.module].path;
    let Some(unit) = world.unit_of(path) else {
        return (Standing::Unmarked, None);
    };
    let constant = world
        .constants
        .iter()
        .find(|c| c.unit == unit && c.place == node.place && c.name == node.name);
    if let Some(constant) = constant {
        let is_weight = !constant.leaves.leaves.is_empty();
        return (Standing::Traced, is_weight.then(|| node.name.clone()));
    }
    if let Some(function) = world.function_at(unit, node.place) {
        let f = &world.functions[function];
        let owner_copied = f.owner.as_deref().is_some_and(|o| world.is_copied(o));
        let gives =
            owner_copied || world.differs(&f.returned) || f.params.iter().any(|p| world.differs(p));
        return match (world.has_twin(function), gives) {
            (false, _) => (Standing::Plain, None),
            (true, true) => (Standing::Traced, None),
            (true, false) => (Standing::Closed, None),
        };
    }
    if world.units[unit].frozen.contains(&node.name) {
        return (Standing::Closed, None);
    }
    let holds = |item: &&Item| {
        let at = place_of(item);
        Some(at) == node.block || at == node.place && name_of(item).is_some()
    };
    match world.units[unit].items.iter().find(holds) {
        Some(Item::Impl(block)) => {
            let copied = node.owner.as_deref().is_some_and(|o| world.is_copied(o));
            let is_whole = world.units[unit].whole || has_attribute(&block.attrs, "tunable");
            if copied && is_whole || operator(block).is_some() {
                (Standing::Traced, None)
            } else if is_whole {
                (Standing::Plain, None)
            } else {
                (Standing::Unmarked, None)
            }
        }
        // Refused where it stands.
        Some(Item::Static(item)) if is_lazy(&item.ty) => (Standing::Closed, None),
        Some(Item::Const(item)) if is_lazy(&item.ty) => (Standing::Closed, None),
        Some(_) => (Standing::Plain, None),
        None => (Standing::Unmarked, None),
    }
}

fn is_lazy(ty: &syn::Type) -> bool {
    super::derived::is_lazy(ty)
}

fn is_unit_test(attrs: &[Attribute]) -> bool {
    has_attribute(attrs, "test")
}
