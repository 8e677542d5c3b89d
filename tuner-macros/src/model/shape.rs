//! What a place or an expression holds, as far as the twin cares.

/// The shape of a value: which parts of it may depend on weights, a lattice. Containers are
/// transparent: an array of scores has the shape of a score.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Shape {
    /// Nothing that depends on a weight, as far as is known.
    #[default]
    Plain,
    /// A number that may depend on weights.
    Score,
    /// A struct of this name that an annotated module declares.
    Named(String),
    /// A tuple, by component.
    Tuple(Vec<Shape>),
    /// No value: the expression leaves the function or the loop.
    Never,
}

impl Shape {
    /// Widens the shape, which says what in a value may depend on weights, by that of another value
    /// that may be in the same place. Returns whether it changed. `Never` gives way to any other
    /// shape, and a plain value to a score, a struct or a tuple; a shape that is one of these three
    /// stays, except that tuples of the same length are widened part by part.
    pub(crate) fn join(&mut self, other: &Self) -> bool {
        match (&mut *self, other) {
            (_, Self::Plain | Self::Never) => {
                let never = *self == Self::Never && *other == Self::Plain;
                if never {
                    *self = Self::Plain;
                }
                never
            }
            (Self::Plain | Self::Never, _) => {
                *self = other.clone();
                true
            }
            (Self::Tuple(mine), Self::Tuple(theirs)) if mine.len() == theirs.len() => {
                let pairs = mine.iter_mut().zip(theirs);
                pairs.fold(false, |changed, (a, b)| a.join(b) | changed)
            }
            _ => false,
        }
    }

    /// The shape, which says what in a value may depend on weights, of a value that may be of this
    /// shape or of `other`.
    pub(crate) fn joined(mut self, other: &Self) -> Self {
        self.join(other);
        self
    }

    /// Tells whether the value, or some component of a tuple, is a number that may depend on
    /// weights. The fields of a struct are not looked into.
    pub(crate) fn has_score(&self) -> bool {
        match self {
            Self::Score => true,
            Self::Tuple(parts) => parts.iter().any(Self::has_score),
            Self::Plain | Self::Named(_) | Self::Never => false,
        }
    }

    /// Tells whether the value is a number that may depend on weights, or a container of such
    /// numbers.
    pub(crate) fn is_score(&self) -> bool {
        *self == Self::Score
    }

    /// The shape of a tuple of parts with these shapes; the empty tuple `()` is plain.
    pub(crate) fn tuple(parts: impl Iterator<Item = Self>) -> Self {
        let parts: Vec<_> = parts.collect();
        if parts.is_empty() {
            Self::Plain
        } else {
            Self::Tuple(parts)
        }
    }

    /// The shape of the component `index`, from 0, of a tuple; plain if the value is no tuple or
    /// has no such component.
    pub(crate) fn component(&self, index: usize) -> Self {
        match self {
            Self::Tuple(parts) => parts.get(index).cloned().unwrap_or_default(),
            _ => Self::Plain,
        }
    }
}
