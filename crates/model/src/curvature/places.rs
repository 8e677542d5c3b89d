//! Which rows that wait have a slot.

/// The entries of rows by the number of their slot.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// By slot: where its entries end in `all`; they begin where those of the slot before end.
    ends: Vec<u32>,
    /// Slot by slot its entries: the row, and the number of the entry among those of all rows.
    all: Vec<(u32, u32)>,
}

impl Places {
    /// Lists the entries of rows by slot, those of one slot in the order of rows; a list from
    /// before is forgotten. `size`: how many slots there are; `numbers`: the slot of each entry,
    /// row after row; `ends`: of each row, how many entries all rows up to it have. It is a sort by
    /// counting.
    pub(super) fn find(
        &mut self,
        size: usize,
        numbers: impl Iterator<Item = u32> + Clone,
        ends: impl Iterator<Item = u32>,
    ) {
        self.ends.clear();
        self.ends.resize(size + 1, 0);
        let mut count = 0;
        for number in numbers.clone() {
            self.ends[number as usize + 1] += 1;
            count += 1;
        }
        for number in 0..size {
            self.ends[number + 1] += self.ends[number];
        }
        self.all.clear();
        self.all.resize(count, (0, 0));
        let mut numbers = (0..).zip(numbers);
        let mut first = 0;
        for (row, end) in (0..).zip(ends) {
            for (entry, number) in numbers.by_ref().take((end - first) as usize) {
                // Until now where entries of the slot start; once all are placed, where they end.
                let place = &mut self.ends[number as usize];
                self.all[*place as usize] = (row, entry);
                *place += 1;
            }
            first = end;
        }
    }

    /// Returns the entries of the slot `number`: of each the row, and the number of the entry among
    /// those of all rows.
    pub(super) fn of(&self, number: usize) -> &[(u32, u32)] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start as usize..self.ends[number] as usize]
    }
}
