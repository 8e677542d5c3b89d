//! Coefficients of one form, gathered weight by weight.

use super::registry::Leaf;

/// The terms of one form while they are gathered, each leaf once, with the place of each leaf among
/// the terms.
#[derive(Debug, Default)]
pub(super) struct Leaves {
    terms: Vec<(Leaf, i64)>,
    /// By leaf: its number among the terms, from 1; 0 if it has no term, and all 0 between forms.
    place: Vec<u32>,
    /// Whether the sum of a leaf was 0 at some time, so that a term may have to be removed.
    cancelled: bool,
}

impl Leaves {
    /// Counts a weight, by its leaf number, `by` times more.
    #[inline]
    pub(super) fn add(&mut self, leaf: u32, by: i64) {
        let Some(place) = self.place.get_mut(leaf as usize) else {
            return self.add_first(leaf, by);
        };
        if *place == 0 {
            self.cancelled |= by == 0;
            self.terms.push((Leaf(leaf), by));
            *place = self.terms.len() as u32;
        } else {
            let sum = &mut self.terms[*place as usize - 1].1;
            *sum += by;
            self.cancelled |= *sum == 0;
        }
    }

    /// Counts a weight, by its leaf number, `by` times, after lengthening the list of places, which
    /// does not reach to that number.
    #[cold]
    fn add_first(&mut self, leaf: u32, by: i64) {
        self.place.resize(leaf as usize + 1, 0);
        self.add(leaf, by);
    }

    /// Moves the terms whose coefficient is not 0 into `terms`, whose content is lost; no term is
    /// left here for the next form.
    pub(super) fn take(&mut self, terms: &mut Vec<(Leaf, i64)>) {
        for &(leaf, _) in &self.terms {
            self.place[leaf.index()] = 0;
        }
        if std::mem::take(&mut self.cancelled) {
            self.terms.retain(|&(_, c)| c != 0);
        }
        std::mem::swap(&mut self.terms, terms);
        self.terms.clear();
    }
}
