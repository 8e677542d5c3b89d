//! Tables of text.

use comfy_table::{CellAlignment, ColumnConstraint, Table, presets};
use tuner_report::clean;

/// A table: columns as wide as their widest entry, words to the left, numbers to the
/// right.
#[derive(Debug)]
pub(crate) struct TextTable(Table);

impl TextTable {
    /// Makes a table with its heads, parted by commas in `head`. Where a head begins with `<`,
    /// which is not shown, the column has words and is aligned to the left; others have numbers.
    pub(crate) fn new(head: &str) -> Self {
        let mut table = Table::new();
        table.load_preset(presets::NOTHING);
        table.set_header(head.split(',').map(|name| name.trim_start_matches('<')));
        for (column, name) in table.column_iter_mut().zip(head.split(',')) {
            column.set_padding((0, 2));
            column.set_cell_alignment(if name.starts_with('<') {
                CellAlignment::Left
            } else {
                CellAlignment::Right
            });
        }
        Self(table)
    }

    /// Hides a column, by its number from 0; rows still have a cell for it.
    pub(crate) fn hide(&mut self, column: usize) {
        if let Some(column) = self.0.column_mut(column) {
            column.set_constraint(ColumnConstraint::Hidden);
        }
    }

    /// Adds a row with a cell for each column; characters that a terminal would act on become `�`.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.add_row(cells.into_iter().map(|cell| clean(&cell)));
    }

    /// Returns the lines of the table, each with its end.
    pub(crate) fn text(&self) -> String {
        format!("{}\n", self.0.trim_fmt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_must() {
        let mut table = TextTable::new("<name,value");
        table.row(["α".to_owned(), "1".to_owned()]);
        table.row(["longer".to_owned(), "123456".to_owned()]);
        assert_eq!(
            table.text(),
            "name     value\nα            1\nlonger  123456\n"
        );
    }
}
