//! What has a twin, and under which name.

use super::World;
use crate::shape::Shape;

impl World {
    /// Whether the twin needs its own copy of a struct.
    pub(crate) fn is_copied(&self, name: &str) -> bool {
        self.copied(name, &mut Vec::new())
    }

    pub(super) fn copied<'a>(&'a self, name: &'a str, above: &mut Vec<&'a str>) -> bool {
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
        if function.reads_state || self.units[function.unit].untraced.contains(&function.name) {
            return false;
        }
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
}
