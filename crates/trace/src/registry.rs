//! The weights that the macro found in the source.

/// A literal of the source that is a weight, by its number among all of the
/// crate's.
/// Which weight of the spec it is, the link of an engine says (`tuner-engine`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Leaf(
    /// The number, from 0.
    pub u32,
);

impl Leaf {
    /// Returns the number, to index lists by.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One `const` or `static` whose literals are weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Declared {
    /// The item's name, `MATERIAL`.
    pub name: &'static str,
    /// Its module, `crate::eval::weights`.
    pub module: &'static str,
    /// Its file, relative to the package.
    pub file: &'static str,
    /// Line of the name, counted from 1.
    pub line: u32,
    /// Column of the name, counted from 1.
    pub column: u32,
    /// Lengths of the arrays around an entry, outermost first.
    pub dims: &'static [usize],
    /// Literals in an entry: 1 for a number, 2 for a pair.
    pub lanes: usize,
    /// The literals in source order: entries row-major, lanes innermost.
    pub values: &'static [f64],
    /// Number of the first literal among all of the crate's.
    pub first: u32,
    /// Where entries are other consts, which have no literals here: the place of each
    /// literal among the numbers of all entries, row-major. Empty where every
    /// entry is of literals.
    pub places: &'static [usize],
}

/// Every weight that the macro found in one crate, in numbering order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Registry {
    /// The items, ordered by [`Declared::first`].
    pub parameters: &'static [Declared],
}

impl Registry {
    /// Returns the number of literals over all items.
    pub fn leaves(&self) -> usize {
        self.parameters.iter().map(|p| p.values.len()).sum()
    }

    /// Returns the literals' values, indexed by leaf number.
    pub fn values(&self) -> Vec<f64> {
        let values = self.parameters.iter().map(|p| p.values);
        values.collect::<Vec<_>>().concat()
    }
}
