//! What a name of a body means.

use syn::Item;

use super::{Unit, World};

impl World {
    /// The unit whose module is this one.
    pub(crate) fn unit_of(&self, module: &[String]) -> Option<usize> {
        self.units.iter().position(|u| u.module == module)
    }

    /// Names that the twin of a unit defines: weights, structs, functions.
    pub(crate) fn defines(&self, unit: usize, name: &str) -> bool {
        self.constants
            .iter()
            .any(|c| c.unit == unit && c.name == name && !self.refused.contains(name))
            || self
                .structs
                .iter()
                .any(|s| s.unit == unit && s.name == name && self.is_copied(name))
            || self.units[unit].items.iter().any(|item| {
                // Of what holds the units' structs; what holds numbers is spelt out.
                matches!(item, Item::Type(alias) if alias.ident == name
                    && self.differs(&self.types.shape(&alias.ty, None)))
            })
            || self.named(name).iter().any(|&f| {
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
        let from = &self.units[unit];
        if from.names.contains(name) {
            return None;
        }
        if let Some(item) = self.item_behind(from, &[name.to_owned()]) {
            return self.traced_item(item);
        }
        if let Some((_, path)) = from.imports.iter().find(|(brought, _)| brought == name) {
            return self.lookup_path(unit, path);
        }
        let globs = || from.imports.iter().filter(|(brought, _)| brought == "*");
        globs().find_map(|(_, path)| {
            let unit = self.unit_of(&from.absolute(path))?;
            self.defines(unit, name).then(|| (unit, name.to_owned()))
        })
    }

    /// The same for a path of several segments.
    pub(crate) fn lookup_path(&self, unit: usize, path: &[String]) -> Option<(usize, String)> {
        let from = &self.units[unit];
        if let Some(item) = self.item_behind(from, path) {
            return self.traced_item(item);
        }
        let full = from.absolute(path);
        let (last, module) = full.split_last()?;
        match self.unit_of(module) {
            Some(found) if self.defines(found, last) => Some((found, last.clone())),
            _ => None,
        }
    }

    /// What a path leads to through imports and re-exports, if a twin defines it.
    pub(crate) fn re_exported(&self, unit: usize, path: &[String]) -> Option<(usize, String)> {
        self.traced_item(self.item_behind(&self.units[unit], path)?)
    }

    /// The name that an import brought in under another.
    pub(crate) fn original<'n>(&'n self, unit: usize, name: &'n str) -> &'n str {
        let imports = &self.units[unit].imports;
        let found = imports.iter().find(|(brought, _)| brought == name);
        found
            .and_then(|(_, path)| path.last())
            .map_or(name, String::as_str)
    }

    /// Whether a name means something of this module or of another crate that
    /// has no twin.
    pub(crate) fn is_foreign(&self, unit: usize, name: &str) -> bool {
        let unit = &self.units[unit];
        let import = unit.imports.iter().find(|(brought, _)| brought == name);
        unit.names.contains(name) || import.is_some_and(|(_, path)| !unit.is_inside(path))
    }
}

impl Unit {
    /// Whether a path starts in this crate, as far as anybody can see.
    pub(crate) fn is_inside(&self, path: &[String]) -> bool {
        let Some(first) = path.first() else {
            return false;
        };
        matches!(first.as_str(), "crate" | "self" | "super")
            || self.children.contains(first)
            || self.imports.iter().any(|(brought, full)| {
                brought == first
                    && full.len() > 1
                    && full.first() != Some(first)
                    && self.is_inside(full)
            })
    }

    /// The path from the crate's root, without `crate`; unchanged if it leads out.
    pub(crate) fn absolute(&self, path: &[String]) -> Vec<String> {
        let unit = self;
        let mut module = unit.module.clone();
        match path.first().map(String::as_str) {
            Some("crate") => path[1..].to_vec(),
            Some("self") => module
                .into_iter()
                .chain(path[1..].iter().cloned())
                .collect(),
            Some("super") => {
                let up = path.iter().take_while(|s| *s == "super").count();
                module.truncate(module.len().saturating_sub(up));
                module
                    .into_iter()
                    .chain(path[up..].iter().cloned())
                    .collect()
            }
            Some(first) if unit.children.iter().any(|c| c == first) => {
                module.into_iter().chain(path.iter().cloned()).collect()
            }
            Some(first) => match unit.imports.iter().find(|(n, p)| n == first && p.len() > 1) {
                Some((_, full)) if full.first().is_some_and(|f| f != first) => {
                    let mut full = unit.absolute(full);
                    full.extend(path[1..].iter().cloned());
                    full
                }
                _ => path.to_vec(),
            },
            None => Vec::new(),
        }
    }
}
