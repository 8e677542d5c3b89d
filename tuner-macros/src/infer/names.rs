//! What a name of a body means.

use syn::Item;

use super::Facts;

impl Facts {
    /// Whether the twin of a unit has an item of this name of its own: a weight, a struct that is
    /// copied, an alias of such a type or a free function with a twin. Other names mean in the twin
    /// what they mean in production.
    pub(crate) fn defines(&self, unit: usize, name: &str) -> bool {
        self.constants
            .iter()
            .filter(|c| c.unit == unit && c.name == name && !self.refused.contains(name))
            .any(|c| !c.is_frozen || self.differs(&c.shape))
            || self
                .structs
                .iter()
                .any(|s| s.unit == unit && s.name == name && self.is_copied(name))
            || self.units[unit].items.iter().any(|item| {
                // Of what holds the units' structs; what holds numbers is written in full.
                matches!(item, Item::Type(alias) if alias.ident == name
                    && self.differs(&self.types.shape(&alias.ty, None)))
            })
            || self.functions_named(name).iter().any(|&f| {
                self.functions[f].unit == unit
                    && self.functions[f].owner.is_none()
                    && self.has_twin(f)
            })
    }

    /// The unit whose twin defines what `name` means in `unit`, and its name there.
    pub(crate) fn lookup(&self, unit: usize, name: &str) -> Option<(usize, String)> {
        if self.defines(unit, name) {
            return Some((unit, name.to_owned()));
        }
        if self.place(unit).declared.contains(name) {
            return None;
        }
        self.re_exported(unit, &[name.to_owned()])
    }

    /// What a path leads to through imports and re-exports, if a twin defines it.
    pub(crate) fn re_exported(&self, unit: usize, path: &[String]) -> Option<(usize, String)> {
        self.traced_item(self.item_behind(self.units[unit].place, path)?)
    }

    /// The unit of an item, if its twin defines it.
    pub(super) fn traced_item(&self, (module, name): (usize, String)) -> Option<(usize, String)> {
        let unit = self.unit_of(module)?;
        self.defines(unit, &name).then_some((unit, name))
    }

    /// The module that keeps the twins of a unit out of the sight of another.
    pub(crate) fn hides(&self, from: usize, unit: usize) -> Option<String> {
        self.hidden_module(&self.units[from].module, &self.units[unit].module)
    }

    /// Whether a struct's copy must be found by the struct, from some unit.
    pub(crate) fn is_found_by_type(&self, name: &str) -> bool {
        let declared = self.structure(name).map(|index| self.structs[index].unit);
        let mut units = 0..self.units.len();
        declared.is_some_and(|unit| units.any(|from| self.hides(from, unit).is_some()))
    }

    /// Whether this name, in a unit, is a struct whose copy it must find so.
    pub(crate) fn is_hidden_struct(&self, unit: usize, name: &str) -> bool {
        let found = self.lookup(unit, name);
        found.is_some_and(|(target, original)| {
            self.structure(&original).is_some() && self.hides(unit, target).is_some()
        })
    }
}
