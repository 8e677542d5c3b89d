//! What a name of a body means.

use syn::Item;

use super::Facts;

impl Facts {
    /// Tells whether the twin of a unit declares this name itself: a weight, a struct that is
    /// copied, an alias of such a type, or a free function with a twin. Other names mean the same
    /// in the twin as in production.
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

    /// The unit whose twin defines what `name` means in `unit`, and its name there; `None` if the
    /// name means in the twin what it means in production.
    pub(crate) fn lookup(&self, unit: usize, name: &str) -> Option<(usize, String)> {
        if self.defines(unit, name) {
            return Some((unit, name.to_owned()));
        }
        if self.place(unit).declared.contains(name) {
            return None;
        }
        self.re_exported(unit, &[name.to_owned()])
    }

    /// What a path leads to through imports and re-exports, if a twin defines it: the unit, and the
    /// name there. Else `None`.
    pub(crate) fn re_exported(&self, unit: usize, path: &[String]) -> Option<(usize, String)> {
        self.traced_item(self.item_behind(self.units[unit].place, path)?)
    }

    /// The unit of an item, given by module and name, and its name, if its twin defines it; else
    /// `None`.
    pub(super) fn traced_item(&self, (module, name): (usize, String)) -> Option<(usize, String)> {
        let unit = self.unit_of(module)?;
        self.defines(unit, &name).then_some((unit, name))
    }

    /// The path of the private module that keeps the unit `from` from naming the twins of `unit`;
    /// `None` if it can name them.
    pub(crate) fn hides(&self, from: usize, unit: usize) -> Option<String> {
        self.hidden_module(&self.units[from].module, &self.units[unit].module)
    }

    /// Tells whether some unit cannot name a struct's copy by a path, since a private module is on
    /// the way: there it is `<Struct as HasTwin>::Twin`.
    pub(crate) fn is_found_by_type(&self, name: &str) -> bool {
        let declared = self.structure(name).map(|index| self.structs[index].unit);
        let mut units = 0..self.units.len();
        declared.is_some_and(|unit| units.any(|from| self.hides(from, unit).is_some()))
    }

    /// Tells whether this name means, in a unit, a struct whose copy no path leads to there.
    pub(crate) fn is_hidden_struct(&self, unit: usize, name: &str) -> bool {
        let found = self.lookup(unit, name);
        found.is_some_and(|(target, original)| {
            self.structure(&original).is_some() && self.hides(unit, target).is_some()
        })
    }
}
