//! Everything the macro knows of one crate: its units, their weights,
//! functions and structs, and the shapes that the analysis found.
//!
//! A *unit* is a module with annotations: the whole module (`traced!()`, or
//! `#[tunable]` on an inline module) or the items marked in it. The world is
//! built from the files, the same in every expansion, so that all expansions
//! of a crate agree on the numbers of the weights.

mod alias;
mod declare;
pub(crate) mod derived;
mod item;
mod modules;
mod names;
mod reach;
mod readers;
mod twins;
mod units;

use std::collections::{HashMap, HashSet};

use syn::{Expr, Item};
use tuner_source::{Group, Leaves};

pub(crate) use item::{
    attributes, has_attribute, identifiers, is_literal, name_of, operator, place, place_of,
    type_name,
};
pub(crate) use units::{flatten, is_test};

use modules::Module;
pub(crate) use modules::Target;
use readers::Readers;

use crate::aliases;
use crate::args::Mode;
use crate::lazy;
use crate::rules::Macros;
use crate::shape::Shape;
use crate::source::{self, SourceFile};
use crate::tables;
use crate::tree::Text;
use crate::types::Types;
use crate::walk;

/// A module with annotations.
pub(crate) struct Unit {
    pub(crate) file: usize,
    pub(crate) module: Vec<String>,
    /// Whether the whole module is traced, or the marked items only.
    pub(crate) whole: bool,
    /// The mode of the whole module.
    pub(crate) mode: Mode,
    pub(crate) items: Vec<Item>,
    /// `use` items flattened: the name brought in (`*` for a glob), the path.
    pub(crate) imports: Vec<(String, Vec<String>)>,
    /// The same of those that hand on what they bring.
    pub(crate) exports: Vec<(String, Vec<String>)>,
    /// Modules declared here.
    pub(crate) children: Vec<String>,
    pub(crate) frozen: Vec<String>,
    /// Functions that are to have no twin.
    pub(crate) untraced: Vec<String>,
    /// Everything declared here, traced or not.
    pub(crate) names: HashSet<String>,
    /// Where the module's `traced!()` stands.
    pub(crate) traced_at: Option<(usize, usize)>,
}

/// A const or static whose entries depend on weights.
pub(crate) struct Constant {
    pub(crate) unit: usize,
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) leaves: Leaves,
    /// The parameters that they make up.
    pub(crate) groups: Vec<Group>,
    pub(crate) first: u32,
    /// Its initialiser with handles for weights, each form of entry once;
    /// `None` if nobody can see it.
    pub(crate) planted: Option<Expr>,
    /// What is known of its initialiser, which is walked as a body is.
    pub(crate) body: usize,
    /// Whether the twin's bodies name it by reference.
    pub(crate) by_reference: bool,
    /// Whether it is computed when it is first used, in production as well.
    pub(crate) is_lazy: bool,
    /// Whether it stands under `#[cfg]`; rustc takes the attribute away
    /// before the macro sees it.
    pub(crate) conditional: bool,
    pub(crate) place: (usize, usize),
}

/// An operand of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// A function or method of a unit.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is found apart from the others"
)]
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
    pub(crate) mode: Mode,
    /// The shape of `self` where it is a number.
    pub(crate) receiver: Shape,
    /// One for each argument but `self`.
    pub(crate) params: Vec<Shape>,
    pub(crate) returned: Shape,
    /// Which of the arguments, and last what is returned, are numbers by their
    /// type, so that no struct can flow there.
    pub(crate) numbers: Vec<bool>,
    /// Which operand is a number by its type, if the function is an operator.
    pub(crate) number: Option<Side>,
    /// Of an operator: the same function for a score in place of the number.
    pub(crate) scored: Option<usize>,
    /// Whether some body calls it, as far as types are known.
    pub(crate) called: bool,
    /// Whether it is `pub`, so that anybody may ask for its twin.
    pub(crate) public: bool,
    /// Whether the body reads a `static mut` that others write to.
    pub(crate) reads_state: bool,
    /// Whether the body computes with scores, so that its twin is no const fn.
    pub(crate) arithmetic: bool,
    /// Shapes of the variables, in the order in which the walk meets them.
    pub(crate) bindings: Vec<Shape>,
}

/// A struct of a unit.
pub(crate) struct Struct {
    pub(crate) unit: usize,
    pub(crate) name: String,
    pub(crate) fields: Vec<(String, Shape)>,
    /// Fields that are numbers by their type, so that no struct can flow there.
    pub(crate) numbers: Vec<bool>,
}

#[derive(Default)]
pub(crate) struct World {
    pub(crate) files: Vec<SourceFile>,
    pub(crate) units: Vec<Unit>,
    pub(crate) constants: Vec<Constant>,
    pub(crate) functions: Vec<Function>,
    pub(crate) structs: Vec<Struct>,
    pub(crate) types: Types,
    /// Files that could not be parsed; rustc says why better than we could.
    pub(crate) unread: Vec<String>,
    /// Macros that build weights, and what they build.
    pub(crate) constructors: HashMap<String, Shape>,
    /// The crate's own macros, by name; `None` where two share one.
    pub(crate) macros: Macros,
    /// The names in each macro of the crate.
    pub(crate) outputs: HashMap<String, HashSet<String>>,
    /// Each `static mut` that annotated code writes to: no weights, and what
    /// reads them has no twin.
    pub(crate) written: HashSet<String>,
    /// Initialisers of associated consts, by unit and place of the name.
    pub(crate) associated: HashMap<(usize, (usize, usize)), usize>,
    /// Names of weights whose initialiser is refused.
    pub(crate) refused: HashSet<String>,
    pub(crate) modules: Vec<Module>,
    pub(crate) readers: Readers,
    /// Names of functions and methods some of which may read weights.
    pub(crate) reading: HashSet<String>,
    by_name: HashMap<String, Vec<usize>>,
    /// Identifiers in what the twins hold; methods of copied structs that no
    /// body names are left out.
    used: HashSet<String>,
}

impl World {
    /// Reads the crate of these files; call it `forced`.
    pub(crate) fn read(texts: &[Text]) -> Self {
        let mut world = Self::default();
        for (path, module, text) in texts {
            match source::parse(path, module, text) {
                Ok(mut parsed) => {
                    lazy::written_out(&mut parsed.items);
                    world.files.push(parsed);
                }
                // Of a file without annotations the parser need not know all.
                Err(error) if text.contains("traced!") || text.contains("tunable") => {
                    world.unread.push(error);
                }
                Err(_) => {}
            }
        }
        for index in 0..world.files.len() {
            let items = std::mem::take(&mut world.files[index].items);
            let module = world.files[index].module.clone();
            world.add_names(&module, &items);
            world.add_macros(&items);
            world.files[index].items = items;
        }
        let mut readers = Readers::default();
        for file in &world.files {
            readers.add(&world, &file.module, &file.items);
        }
        for index in 0..world.files.len() {
            let module = world.files[index].module.clone();
            let items = std::mem::take(&mut world.files[index].items);
            world.add_module(index, module, items, None);
        }
        for unit in 0..world.units.len() {
            let mut items = std::mem::take(&mut world.units[unit].items);
            for item in &mut items {
                aliases::spell_out(&world, &world.units[unit].module, item);
            }
            world.units[unit].items = items;
        }
        world.declare();
        world.analyse();
        // What bodies compute and call is asked once all shapes are known.
        for function in &mut world.functions {
            function.arithmetic = false;
            function.called = false;
        }
        world.analyse();
        world.reach();
        readers.settle(&world);
        world.readers = readers;
        world.refused = tables::refused(&mut world);
        world
    }

    /// The function whose name stands at this place of its file.
    pub(crate) fn function_at(&self, unit: usize, place: (usize, usize)) -> Option<usize> {
        self.functions
            .iter()
            .position(|f| f.unit == unit && f.place == place)
    }

    /// Whether a function of this name stands at this place of some file.
    pub(crate) fn has_function(&self, ident: &proc_macro2::Ident) -> bool {
        let place = place(ident.span());
        let mut functions = self.functions.iter();
        functions.any(|f| f.place == place && *ident == f.name)
    }

    /// The const or static of a unit whose name this is.
    pub(crate) fn constant(&self, unit: usize, name: &str) -> Option<&Constant> {
        self.constants
            .iter()
            .find(|c| c.unit == unit && c.name == name)
    }

    /// Whether the twin computes it when it is first used: its initialiser
    /// computes with weights, which no const of the twin can.
    pub(crate) fn is_derived(&self, constant: &Constant) -> bool {
        constant.is_lazy || self.functions[constant.body].arithmetic
    }

    /// The shape of an associated const, by its type.
    pub(crate) fn associated_shape(&self, owner: &str, name: &str) -> Option<Shape> {
        let bodies = self.associated.values().map(|&f| &self.functions[f]);
        let mut own = bodies.filter(|f| f.owner.as_deref() == Some(owner) && f.name == name);
        own.next().map(|f| f.returned.clone())
    }

    /// An associated const whose twin is computed where it is used.
    pub(crate) fn is_computed(&self, owner: &str, name: &str) -> bool {
        let bodies = self.associated.values().map(|&f| &self.functions[f]);
        bodies
            .filter(|f| f.owner.as_deref() == Some(owner) && f.name == name)
            .any(|f| f.arithmetic)
    }

    /// Sees to it that an operator of a pair has a twin for a score in place
    /// of its number; tells whether that is new.
    pub(crate) fn score_operand(&mut self, function: usize) -> bool {
        if self.functions[function].scored.is_some() {
            return false;
        }
        let mut scored = self.functions[function].clone();
        scored.bindings.clear();
        match scored.number {
            Some(Side::Left) => scored.receiver = Shape::Score,
            Some(Side::Right) => scored.params[0] = Shape::Score,
            None => return false,
        }
        self.functions[function].scored = Some(self.functions.len());
        self.functions.push(scored);
        true
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
}
