//! What a name of a body means.

use syn::Item;

use super::Facts;

impl Facts {
    /// Tells whether the twin of the annotated module `unit` has an item of its own under this
    /// name: a table of weights, a struct with a score in it, an alias of a type with such a
    /// struct, or a free function with a twin. Any other name means the same in the twin as in
    /// production.
    pub(crate) fn defines(&self, unit: usize, name: &str) -> bool {
        self.constants
            .iter()
            // A table of weights that is not refused, or a frozen table whose type differs in the
            // twin.
            .filter(|c| c.unit == unit && c.name == name && !self.refused.contains(name))
            .any(|c| !c.is_frozen || self.differs(&c.shape))
            || self
                .structs
                .iter()
                .any(|s| s.unit == unit && s.name == name && self.is_copied(name))
            || self.units[unit].items.iter().any(|item| {
                // An alias of plain numbers is not in the twin, which writes the type out in full.
                matches!(item, Item::Type(alias) if alias.ident == name
                    && self.differs(&self.types.shape(&alias.ty, None)))
            })
            || self.functions_named(name).iter().any(|&f| {
                self.functions[f].unit == unit
                    && self.functions[f].owner.is_none()
                    && self.has_twin(f)
            })
    }

    /// The annotated module whose twin defines what `name` means in the annotated module `unit`,
    /// and the name of the item there; `None` if `name` means in the twin what it means in
    /// production.
    pub(crate) fn lookup(&self, unit: usize, name: &str) -> Option<(usize, String)> {
        if self.defines(unit, name) {
            return Some((unit, name.to_owned()));
        }
        // An item of the module itself hides what an import brings under its name.
        if self.place(unit).declared.contains(name) {
            return None;
        }
        self.re_exported(unit, &[name.to_owned()])
    }

    /// What a path in the annotated module `unit` leads to, also through imports and re-exports, if
    /// a twin defines the item: the number of the annotated module with that twin, and the name of
    /// the item there. Else `None`.
    pub(crate) fn re_exported(&self, unit: usize, path: &[String]) -> Option<(usize, String)> {
        self.traced_item(self.item_behind(self.units[unit].place, path)?)
    }

    /// The number of the annotated module of an item, and the name of the item, if the twin of that
    /// module defines it; else `None`. The item is given by the number of its module among all
    /// modules, and its name.
    pub(super) fn traced_item(&self, (module, name): (usize, String)) -> Option<(usize, String)> {
        let unit = self.unit_of(module)?;
        self.defines(unit, &name).then_some((unit, name))
    }

    /// The path of a private module because of which the annotated module `from` cannot name the
    /// twins in the annotated module `unit`; `None` if it can name them.
    pub(crate) fn hides(&self, from: usize, unit: usize) -> Option<String> {
        self.hidden_module(&self.units[from].module, &self.units[unit].module)
    }

    /// Tells whether some annotated module cannot name the twin's copy of the struct `name` by a
    /// path, since a private module is on the way. Such a module names it by its type, as `<Struct
    /// as HasTwin>::Twin`.
    pub(crate) fn is_found_by_type(&self, name: &str) -> bool {
        let declared = self.structure(name).map(|index| self.structs[index].unit);
        let mut units = 0..self.units.len();
        declared.is_some_and(|unit| units.any(|from| self.hides(from, unit).is_some()))
    }

    /// Tells whether this name means, in the annotated module `unit`, a struct whose copy in the
    /// twin cannot be named by a path there, since a private module is on the way.
    pub(crate) fn is_hidden_struct(&self, unit: usize, name: &str) -> bool {
        let found = self.lookup(unit, name);
        found.is_some_and(|(target, original)| {
            self.structure(&original).is_some() && self.hides(unit, target).is_some()
        })
    }
}
