//! The tables of names: structs, aliases, functions, weights.

use std::collections::HashSet;

use syn::{Fields, FnArg, ImplItem, Item, ItemImpl, Signature, Type, Visibility};

use super::arguments::Mode;
use super::item::mode;
use super::shape::Shape;
use super::{
    Function, Model, Side, Struct, Unit, assignment, has_attribute, location, names_of, operator,
    type_name,
};

impl Model {
    /// Fills the tables with names and declared types.
    pub(super) fn declare(&mut self) {
        for unit in 0..self.units.len() {
            for item in &self.units[unit].items {
                if let Item::Struct(item) = item {
                    if is_container(item) {
                        self.types.generic.push(item.ident.to_string());
                        continue;
                    }
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
                        numbers: item
                            .fields
                            .iter()
                            .map(|f| self.types.is_number_type(&f.ty))
                            .collect(),
                    });
                }
            }
        }
        self.declare_containers();
        self.declare_written();
        self.declare_plain_aliases();
        let mut functions = Vec::new();
        for (index, unit) in self.units.iter().enumerate() {
            for item in &unit.items {
                match item {
                    Item::Fn(item) => {
                        let mut function = self.function(index, &item.sig, None);
                        function.mode = unit.mode.or(mode(&item.attrs));
                        function.reads_state = self.reads_state(&item.block);
                        function.public = is_public(&item.vis);
                        functions.push(function);
                    }
                    Item::Impl(item) => {
                        let owner = type_name(&item.self_ty);
                        for member in &item.items {
                            if let ImplItem::Fn(f) = member {
                                let mut function = self.function(index, &f.sig, owner.clone());
                                function.operator = operator(item).is_some();
                                let of_block = unit.mode.or(mode(&item.attrs));
                                function.mode = of_block.or(mode(&f.attrs));
                                function.single = is_single(unit, item);
                                function.reads_state = self.reads_state(&f.block);
                                function.public = is_public(&f.vis);
                                functions.push(function);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        for (index, function) in functions.iter().enumerate() {
            self.functions_by_name
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
        self.declare_associated();
    }

    /// Initialisers of consts in impl blocks.
    fn declare_associated(&mut self) {
        let mut found = Vec::new();
        for (unit, items) in self.units.iter().map(|u| &u.items).enumerate() {
            for item in items {
                let Item::Impl(block) = item else { continue };
                for member in &block.items {
                    if let ImplItem::Const(c) = member {
                        let owner = type_name(&block.self_ty);
                        let shape = self.types.shape(&c.ty, owner.as_deref());
                        let at = location(c.ident.span());
                        found.push((unit, at, owner, c.ident.to_string(), shape));
                    }
                }
            }
        }
        for (unit, at, owner, name, shape) in found {
            let body = self.add_body(unit, owner, name);
            self.functions[body].returned = shape;
            self.associated.insert((unit, at), body);
        }
    }

    /// Adds an initialiser: no function that could be called.
    pub(super) fn add_body(&mut self, unit: usize, owner: Option<String>, name: String) -> usize {
        self.functions.push(Function {
            mode: self.units[unit].mode,
            ..Function::unknown(unit, owner, name)
        });
        self.functions.len() - 1
    }

    /// Each `static mut` that some body of the units assigns to, but for
    /// frozen ones.
    fn declare_written(&mut self) {
        let items = || self.units.iter().flat_map(|unit| &unit.items);
        let frozen = |name: &String| self.units.iter().any(|unit| unit.frozen.contains(name));
        let mutable = items().filter_map(|item| match item {
            Item::Static(i) if !matches!(i.mutability, syn::StaticMutability::None) => {
                Some(i.ident.to_string())
            }
            _ => None,
        });
        let mutable = mutable.filter(|name| !frozen(name));
        let written = mutable.filter(|name| {
            let mut bodies = items().filter(|i| matches!(i, Item::Fn(_) | Item::Impl(_)));
            bodies.any(|item| assignment::assigns(item, name))
        });
        self.written = written.collect();
    }

    /// Whether a body reads what annotated code writes to.
    fn reads_state(&self, block: &syn::Block) -> bool {
        !self.written.is_empty() && !names_of(block).is_disjoint(&self.written)
    }

    fn function(&self, unit: usize, sig: &Signature, owner: Option<String>) -> Function {
        let owner_name = owner.as_deref();
        let params = sig.inputs.iter().filter_map(|arg| match arg {
            FnArg::Typed(arg) => Some(self.types.shape(&arg.ty, owner_name)),
            FnArg::Receiver(_) => None,
        });
        let returned = self.types.returned(&sig.output, owner_name);
        let (params, number) = (params.collect(), self.number(sig, owner_name));
        let function = Function::unknown(unit, owner, sig.ident.to_string());
        Function {
            number,
            location: location(sig.ident.span()),
            params,
            numbers: self.numbers(sig),
            returned,
            ..function
        }
    }

    /// Which arguments, and last whether the value, are numbers by their type.
    fn numbers(&self, sig: &Signature) -> Vec<bool> {
        let arguments = sig.inputs.iter().filter_map(|arg| match arg {
            FnArg::Typed(arg) => Some(self.types.is_number_type(&arg.ty)),
            FnArg::Receiver(_) => None,
        });
        let returned = match &sig.output {
            syn::ReturnType::Type(_, ty) => self.types.is_number_type(ty),
            syn::ReturnType::Default => false,
        };
        arguments.chain([returned]).collect()
    }

    /// Which operand of an operator is a number by its type.
    fn number(&self, sig: &Signature, owner: Option<&str>) -> Option<Side> {
        let arguments = sig.inputs.iter().filter_map(|arg| match arg {
            FnArg::Typed(arg) => Some(&arg.ty),
            FnArg::Receiver(_) => None,
        });
        let is_number = |ty: &Type| {
            self.types.can_hold_weights(ty) && self.types.shape(ty, owner) == Shape::Plain
        };
        if arguments.take(1).any(|ty| is_number(ty)) {
            Some(Side::Right)
        } else {
            owner
                .filter(|owner| self.types.is_number(owner))
                .map(|_| Side::Left)
        }
    }
}

impl Function {
    /// One of which nothing but its name is declared.
    fn unknown(unit: usize, owner: Option<String>, name: String) -> Self {
        Self {
            unit,
            name,
            owner,
            operator: false,
            single: false,
            public: false,
            reads_state: false,
            mode: Mode::Linear,
            number: None,
            location: (usize::MAX, usize::MAX),
            params: Vec::new(),
            returned: Shape::Plain,
            numbers: Vec::new(),
        }
    }
}

fn is_public(vis: &Visibility) -> bool {
    matches!(vis, Visibility::Public(_))
}

fn is_single(unit: &Unit, block: &ItemImpl) -> bool {
    !unit.whole && !has_attribute(&block.attrs, "tunable")
}

/// Whether all fields of a struct are of its type parameters.
fn is_container(item: &syn::ItemStruct) -> bool {
    let given: HashSet<String> = item
        .generics
        .type_params()
        .map(|p| p.ident.to_string())
        .collect();
    let mut types = item.fields.iter().map(|f| &f.ty);
    !given.is_empty() && types.all(|ty| !names_of(ty).is_disjoint(&given))
}

fn field_names(fields: &Fields) -> Vec<String> {
    let names = fields.iter().enumerate();
    names
        .map(|(i, f)| {
            f.ident
                .as_ref()
                .map_or_else(|| i.to_string(), ToString::to_string)
        })
        .collect()
}
