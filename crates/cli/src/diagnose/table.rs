//! Tables of text.

use tuner_report::clean;

/// A table: columns as wide as their widest entry, words to the left, numbers to the
/// right.
#[derive(Debug)]
pub(super) struct TextTable {
    rows: Vec<Vec<String>>,
    columns: Vec<Align>,
}

/// Which side of a column its entries are at.
#[derive(Clone, Copy, Debug)]
pub(super) enum Align {
    Left,
    Right,
}

impl TextTable {
    /// Makes a table with its first row; a name that begins with `<` is of a column of
    /// words.
    pub(super) fn new(head: &[&str]) -> Self {
        let align = |name: &&str| {
            if name.starts_with('<') {
                Align::Left
            } else {
                Align::Right
            }
        };
        Self {
            columns: head.iter().map(align).collect(),
            rows: vec![
                head.iter()
                    .map(|name| name.trim_start_matches('<').to_owned())
                    .collect(),
            ],
        }
    }

    /// Adds a row, without what a terminal would act on.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let clean = |cell: String| clean(&cell);
        self.rows.push(cells.into_iter().map(clean).collect());
    }

    /// The lines, each with its end.
    pub(super) fn text(&self) -> String {
        let wide = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(wide).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(self.columns.iter().zip(&widths));
            let cells = cells.map(|(cell, (align, &width))| match align {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            });
            let cells: Vec<String> = cells.collect();
            format!("{}\n", cells.join("  ").trim_end())
        };
        self.rows.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_must() {
        let mut table = TextTable::new(&["<name", "value"]);
        table.row(["α".to_owned(), "1".to_owned()]);
        table.row(["longer".to_owned(), "123456".to_owned()]);
        assert_eq!(
            table.text(),
            "name     value\nα            1\nlonger  123456\n"
        );
    }
}
