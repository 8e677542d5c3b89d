//! Some of a list's entries, and the way back.

/// A subset of the indices of a list, ascending.
///
/// The list is *full*; the entries of the subset make a *part*, numbered anew.
///
/// ```
/// use tuner_solve::Subset;
///
/// let subset = Subset::of(&[true, false, true]);
/// assert_eq!(subset.gather(&[5.0, 6.0, 7.0]), [5.0, 7.0]);
/// assert_eq!((subset.index_in_full(1), subset.index_in_part(1)), (2, None));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subset {
    indices: Vec<usize>,
    full: usize,
}

impl Subset {
    /// Makes the subset of the indices at which `mask` is true.
    pub fn of(mask: &[bool]) -> Self {
        Self {
            indices: (0..mask.len()).filter(|&index| mask[index]).collect(),
            full: mask.len(),
        }
    }

    /// Makes the subset of all indices of a list of `full` entries but one.
    pub fn without(index: usize, full: usize) -> Self {
        Self {
            indices: (0..full).filter(|&other| other != index).collect(),
            full,
        }
    }

    /// Returns the number of indices in the subset.
    pub const fn len(&self) -> usize {
        self.indices.len()
    }

    /// Tells whether the subset has no index.
    pub const fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// Returns the number of entries of the full list.
    pub const fn full_len(&self) -> usize {
        self.full
    }

    /// Returns the indices that are in the subset, as those of the full list, ascending.
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// Returns the entries of a full list whose indices are in the subset.
    ///
    /// # Panics
    /// If the list is shorter than the full one.
    pub fn gather<T: Copy>(&self, full: &[T]) -> Vec<T> {
        self.indices.iter().map(|&index| full[index]).collect()
    }

    /// Writes the values of a part, one for each index of the subset, to their places in a full
    /// list; all other places stay as they are.
    ///
    /// # Panics
    /// If the list is shorter than the full one.
    pub fn scatter<T: Copy>(&self, part: &[T], full: &mut [T]) {
        for (&index, &value) in self.indices.iter().zip(part) {
            full[index] = value;
        }
    }

    /// Returns the index in the full list of the entry that has this index among those of the
    /// subset.
    ///
    /// # Panics
    /// If the part has no such entry.
    pub fn index_in_full(&self, index: usize) -> usize {
        self.indices[index]
    }

    /// Returns the place among the subset's entries of an entry of the full list; `None` if it is
    /// not in the subset. *Cost*: a binary search.
    pub fn index_in_part(&self, index: usize) -> Option<usize> {
        self.indices.binary_search(&index).ok()
    }

    /// Tells whether an entry of the full list is one of the subset.
    pub fn contains(&self, index: usize) -> bool {
        self.index_in_part(index).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gathered_is_scattered_to_where_it_was() {
        let full = [1, 2, 3, 4];
        for subset in [
            Subset::of(&[false, true, true, false]),
            Subset::of(&[false; 4]),
            Subset::without(2, 4),
        ] {
            let part = subset.gather(&full);
            let mut back = [0; 4];
            subset.scatter(&part, &mut back);
            for (index, &value) in full.iter().enumerate() {
                assert_eq!(back[index], if subset.contains(index) { value } else { 0 });
                let in_part = subset.index_in_part(index);
                assert_eq!(in_part.is_some(), subset.contains(index));
                assert!(in_part.is_none_or(|number| subset.index_in_full(number) == index));
            }
            assert_eq!((part.len(), subset.full_len()), (subset.len(), 4));
        }
    }
}
