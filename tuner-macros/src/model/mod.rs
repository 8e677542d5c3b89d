//! The first phase: what the sources of one crate say. Immutable once read.
//!
//! A *unit* is a module with annotations: the whole module (`traced!()`, or
//! `#[tunable]` on an inline module) or the items marked in it. The model is
//! built from the files, the same in every expansion, so that all expansions
//! of a crate agree on the numbers of the weights.
//!
//! Start with [`Model::read`]. Not here: which values depend on weights; that
//! is inferred.

mod aliases;
pub(crate) mod arguments;
pub(crate) mod computed;
mod constants;
mod declare;
mod dedup;
pub(crate) mod escapes;
pub(crate) mod macro_input;
mod macro_rules;
mod paths;
pub(crate) mod shape;
pub(crate) mod source;
pub(crate) mod types;
mod units;
pub(crate) mod weights;

use std::collections::{HashMap, HashSet};
use std::ops::Deref;

use syn::{Expr, Item, Signature};
use tuner_source::{
    AnnotatedModule, AssociatedConst, CrateFile, CrateModel, Group, Leaves, SourceLocation,
};

pub(crate) use dedup::{deduplicate, restore};
pub(crate) use tuner_source::{
    Module, Target, TokenLocation as Location, attributes, bare, conditions, each_token, ends_in,
    field_name, flatten, has_attribute, identifiers, is_assignment, is_literal, is_operator,
    is_ours, is_zero, last_name, location, location_of, methods, name_of, names_of, path_names,
    table, type_name, typed,
};
pub(crate) use units::number_arguments;

use arguments::Mode;
use macro_rules::Macros;
use shape::Shape;
use source::SourceFile;
use types::Types;

/// A module with annotations.
#[derive(Default)]
pub(crate) struct Unit {
    pub(crate) file: usize,
    pub(crate) module: Vec<String>,
    /// The number of the module among the crate's.
    pub(crate) place: usize,
    /// Whether the whole module is traced, or the marked items only.
    pub(crate) whole: bool,
    /// The mode, linear or not, that an annotation of the whole module says.
    pub(crate) mode: Mode,
    pub(crate) items: Vec<Item>,
    /// The module's aliases of types that have parameters.
    generic_aliases: HashMap<String, aliases::GenericAlias>,
    pub(crate) frozen: Vec<String>,
    /// Names of functions and structs that are to have no twin; the structs are not among the
    /// items.
    pub(crate) untraced: Vec<String>,
    /// The location of the module's `traced!()`, if it has one.
    pub(crate) traced_at: Option<Location>,
}

/// A const or static whose entries depend on weights.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "found apart from the others")]
pub(crate) struct Constant {
    pub(crate) unit: usize,
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) leaves: Leaves,
    /// The parameters that its weights make up: several for a struct of tables.
    pub(crate) groups: Vec<Group>,
    /// The number of its first weight among those of the crate.
    pub(crate) first: u32,
    /// Its initialiser with handles for weights, and each form of entry once; `None` if the macro
    /// cannot see the initialiser.
    pub(crate) planted: Option<Expr>,
    /// The number of its initialiser among the functions.
    pub(crate) body: usize,
    /// Whether the twin's bodies get a reference where they name it.
    pub(crate) by_reference: bool,
    /// Whether it is computed when it is first used, in production as well.
    pub(crate) is_lazy: bool,
    /// Whether its numbers are not weights; its twin is for its type alone.
    pub(crate) is_frozen: bool,
    /// Whether it is under `#[cfg]`; rustc takes the attribute away
    /// before the macro sees it.
    pub(crate) conditional: bool,
    pub(crate) location: Location,
}

/// An operand of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// A function or method of a unit, or the initialiser of a const, which is
/// walked as a body is.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "found apart from the others")]
pub(crate) struct Function {
    pub(crate) unit: usize,
    pub(crate) name: String,
    /// The type of the impl block, if it is in one.
    pub(crate) owner: Option<String>,
    /// Whether the impl block is of an operator, which the twin copies as it is.
    pub(crate) operator: bool,
    /// The trait of the impl block, other than an operator's: the twin's copy of a struct does not
    /// implement it.
    pub(crate) of_trait: Option<String>,
    /// Whether it is a marked method of an unmarked impl block.
    pub(crate) single: bool,
    /// The location of its name; `None` of an initialiser.
    pub(crate) location: Option<Location>,
    pub(crate) mode: Mode,
    /// The shape of each argument, without `self`, by its type.
    pub(crate) params: Vec<Shape>,
    /// The shape of what is returned, by its type.
    pub(crate) returned: Shape,
    /// For each argument, and last for the result, whether it is a number by its type, so that no
    /// struct can flow there.
    pub(crate) numbers: Vec<bool>,
    /// For each argument, and last for the result, the type parameter in its type, if any: each
    /// call has a type of its own there.
    pub(crate) generic: Vec<Option<String>>,
    /// Which operand is a number by its type, if the function is an operator.
    pub(crate) number: Option<Side>,
    /// Whether it is `pub`, so that any crate may ask for its twin.
    pub(crate) public: bool,
    /// The name of the untraced struct (`untraced(…)`) that it makes, if any.
    pub(crate) makes: Option<String>,
    /// Whether the body reads a `static mut` that others write to.
    pub(crate) reads_state: bool,
}

/// A struct of a unit.
pub(crate) struct Struct {
    pub(crate) unit: usize,
    pub(crate) name: String,
    /// Name and shape of each field, the shape by the field's type.
    pub(crate) fields: Vec<(String, Shape)>,
    /// For each field, whether it is a number by its type, so that no struct can flow there.
    pub(crate) numbers: Vec<bool>,
}

/// What the sources of one crate say.
#[derive(Default)]
pub(crate) struct Model {
    declared: CrateModel,
    pub(crate) files: Vec<SourceFile>,
    pub(crate) units: Vec<Unit>,
    pub(crate) constants: Vec<Constant>,
    pub(crate) functions: Vec<Function>,
    pub(crate) structs: Vec<Struct>,
    pub(crate) types: Types,
    /// Messages on files that could not be parsed; rustc has better ones.
    pub(crate) unread: Vec<String>,
    /// The author's macros that build weights: name, and the shape of what they build.
    pub(crate) constructors: HashMap<String, Shape>,
    /// The crate's own macros, by name; `None` where two share one.
    macros: Macros,
    /// Names of the `static mut` that annotated code writes to: they are not weights, and functions
    /// that read them have no twin.
    pub(crate) written: HashSet<String>,
    /// Consts of impl blocks that have `#[tunable]`.
    pub(crate) associated_weights: Vec<AssociatedConst>,
    /// The numbers of the bodies of the other associated consts, by unit and location of the name.
    pub(crate) associated: HashMap<(usize, Location), usize>,
    /// Names of functions and methods of which some may read weights.
    pub(crate) reading: HashSet<String>,
    functions_by_name: HashMap<String, Vec<usize>>,
    /// Whether some struct without twin has a field of a type that a unit, an annotated module,
    /// declares.
    pub(crate) has_plain_pairs: bool,
}

impl Deref for Model {
    type Target = CrateModel;

    /// Leads to what the crate's modules declare and use, so that the model answers for it.
    fn deref(&self) -> &CrateModel {
        &self.declared
    }
}

impl Model {
    /// Reads the model of a crate from `texts`, its files with their items; call it in
    /// `source::forced`, by which tokens have lines and columns. Files that are not Rust are in
    /// `unread` then, if they have annotations.
    pub(crate) fn read(texts: &mut [CrateFile]) -> Self {
        let mut model = Self {
            files: texts.iter().map(SourceFile::of).collect(),
            ..Self::default()
        };
        let mut takes_our_name = false;
        for (text, file) in texts.iter_mut().zip(&model.files) {
            model.associated_weights.append(&mut text.associated);
            let is_annotated = text.text.contains("traced!") || text.text.contains("tunable");
            match &text.items {
                Ok(items) => takes_our_name |= escapes::takes_our_name(items),
                // Of a file without annotations the parser need not know all.
                Err(error) if is_annotated => {
                    let SourceLocation { line, column } = error.location;
                    let name = &file.name;
                    let unread = format!("{name}:{line}:{column}: {error}");
                    model.unread.push(unread);
                }
                Err(_) => {}
            }
        }
        // What every module declares and uses, then the annotated modules as units.
        let modules = AnnotatedModule::of_files(texts);
        model.declared = CrateModel::of(&modules);
        model.add_macros();
        // The crate then has macros of its own in place of `freeze!` and the like. They are no
        // macros to be expanded: the twin has those of `tuner_core`.
        if takes_our_name {
            for name in escapes::NAMES {
                model.macros.remove(name);
            }
        }
        for module in modules {
            model.add_unit(module);
        }
        // Items are taken out of the model while they are rewritten by what it says of names.
        let mut units = std::mem::take(&mut model.units);
        for unit in &mut units {
            for item in &mut unit.items {
                model.normalise(unit.place, item);
            }
        }
        model.units = units;
        for unit in 0..model.units.len() {
            let mut items = std::mem::take(&mut model.units[unit].items);
            model.units[unit].generic_aliases = aliases::generic_aliases(&items);
            for item in &mut items {
                model.write_out_aliases(unit, item);
            }
            model.units[unit].items = items;
        }
        model.declare();
        // Whether a struct that no annotated module declares has a field of a type that one
        // declares. `is_unit`: some annotated module declares this struct.
        let is_unit = |name: &str| model.structs.iter().any(|s| s.name == name);
        let has_plain_pairs = (model.fields()).any(|(of, ty)| !is_unit(of) && is_unit(ty));
        model.has_plain_pairs = has_plain_pairs;
        model
    }

    /// The number of the function whose name is at `location` in `unit`, an annotated module;
    /// `None` if there is none.
    pub(crate) fn function_at(&self, unit: usize, location: Location) -> Option<usize> {
        let mut functions = self.functions.iter();
        functions.position(|f| f.unit == unit && f.location == Some(location))
    }

    /// The number of the function of `unit`, an annotated module, that has the signature `sig`,
    /// which is found by the location of its name; `None` if there is none.
    pub(crate) fn function_of(&self, unit: usize, sig: &Signature) -> Option<usize> {
        self.function_at(unit, location(sig.ident.span()))
    }

    /// Tells whether some annotated module has a function or method of this name at this location.
    pub(crate) fn has_function(&self, ident: &proc_macro2::Ident) -> bool {
        let location = location(ident.span());
        let mut functions = self.functions.iter();
        functions.any(|f| f.location == Some(location) && *ident == f.name)
    }

    /// The const or static `name` of `unit`, an annotated module, if its entries depend on weights
    /// or it is a frozen struct of numbers; else `None`.
    pub(crate) fn constant(&self, unit: usize, name: &str) -> Option<&Constant> {
        let mut constants = self.constants.iter();
        constants.find(|c| c.unit == unit && c.name == name)
    }

    /// The consts and statics that have weights of their own, in the order of their numbers.
    pub(crate) fn weights(&self) -> impl Iterator<Item = &Constant> {
        let constants = self.constants.iter();
        constants.filter(|constant| !constant.leaves.leaves.is_empty())
    }

    /// Tells whether the author freezes a const of this name in any annotated module, so that its
    /// numbers are not weights.
    pub(crate) fn is_frozen(&self, name: &str) -> bool {
        (self.units.iter()).any(|unit| unit.frozen.iter().any(|frozen| frozen == name))
    }

    /// The numbers of the functions and methods of this name in all annotated modules. The
    /// initialisers of consts, which have numbers too, are not among them.
    pub(crate) fn functions_named(&self, name: &str) -> &[usize] {
        self.functions_by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Tells whether a struct of the crate has fields, and all of them are signed integers or
    /// floats, also by an alias.
    pub(crate) fn has_numbers_alone(&self, structure: &str) -> bool {
        let mut types = self.fields().filter(|(of, _)| *of == structure).peekable();
        types.peek().is_some() && types.all(|(_, ty)| self.types.is_number(ty))
    }

    /// The number of the struct `name`; `None` if no annotated module declares one, or it is
    /// generic.
    pub(crate) fn structure(&self, name: &str) -> Option<usize> {
        self.structs.iter().position(|s| s.name == name)
    }

    /// The numbers of the initialisers of `owner::name`, a const of an impl block without
    /// `#[tunable]`; more than one where several modules have a type of that name.
    pub(crate) fn associated_bodies(&self, owner: &str, name: &str) -> impl Iterator<Item = usize> {
        let bodies = self.associated.values().copied();
        bodies.filter(move |&f| {
            let f = &self.functions[f];
            f.owner.as_deref() == Some(owner) && f.name == name
        })
    }
}
