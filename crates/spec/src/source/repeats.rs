//! `[x; N]` written out where its entries are no longer equal.

use std::collections::HashMap;
use std::ops::Range;

use tuner_source::{Literal, RepeatedArray, line_end};

/// Longest line of entries, in characters: that of rustfmt.
const WIDTH: usize = 100;

/// A weight of an array `[x; N]`: its literal, which other entries may share, and the text of its
/// new number.
#[derive(Clone, Debug)]
pub(super) struct RepeatedValue<'a> {
    pub(super) literal: &'a Literal,
    pub(super) new: String,
}

/// Tells whether all weights that share a literal of an array `[x; N]` get the same number, for
/// each literal in `x`, so that the array need not be written out. `values`: of all its weights.
pub(super) fn are_equal(values: &[RepeatedValue<'_>]) -> bool {
    let mut by_place = HashMap::new();
    let mut is_first = |value: &RepeatedValue<'_>| {
        let first = by_place.entry(value.literal.bytes.start);
        let first = first.or_insert(value.new.clone());
        *first == value.new
    };
    values.iter().all(&mut is_first)
}

/// A text, and the arrays `[x; N]` in it, each before those inside it.
#[derive(Clone, Copy)]
pub(super) struct RepeatWriter<'a> {
    pub(super) text: &'a str,
    pub(super) repeats: &'a [&'a RepeatedArray],
}

impl RepeatWriter<'_> {
    /// Returns the text of an array `[x; N]` with new numbers, written out if its entries differ.
    /// `values`: those of all its weights, in their order.
    pub(super) fn array(&self, repeat: &RepeatedArray, values: &[RepeatedValue<'_>]) -> String {
        self.repeat(repeat, values, self.indent(repeat.bytes.start))
    }

    /// Returns the text of an array `[x; N]`, which may be nested in another one, with new numbers.
    /// `values`: those of all its weights, in their order; `indent`: the spaces before the line
    /// that the array begins in.
    ///
    /// If its entries are equal it stays `[x; N]`. Else it is written out: in one line if that
    /// fits; or numbers in columns, of a board a line for each rank; or, if `x` is an array or a
    /// struct, an entry a line.
    fn repeat(&self, array: &RepeatedArray, values: &[RepeatedValue<'_>], indent: usize) -> String {
        // Weights of one entry.
        let each = values.len() / array.len.max(1);
        if each == 0 {
            // No weights, no new numbers: the text stays.
            return self.text[array.bytes.clone()].to_owned();
        }
        // The weights of each entry. All entries are equal if each weight equals that of the next
        // entry.
        let copies: Vec<&[RepeatedValue<'_>]> = values.chunks(each).collect();
        let is_next = |(a, b): (&RepeatedValue<'_>, &RepeatedValue<'_>)| a.new == b.new;
        if values.iter().zip(&values[each..]).all(is_next) {
            let before = &self.text[array.bytes.start..array.entry.start];
            let after = &self.text[array.entry.end..array.bytes.end];
            let entry = self.entry(array.entry.clone(), copies[0], indent);
            return format!("{before}{entry}{after}");
        }
        let inner = indent + 4;
        let entry = |copy: &&[RepeatedValue<'_>]| self.entry(array.entry.clone(), copy, inner);
        let plain: Vec<String> = copies.iter().map(entry).collect();
        // Comments between the brackets and the entry, each of which gets a line of its own.
        let comments = comments(&[
            &self.text[array.bytes.start + 1..array.entry.start],
            &self.text[array.entry.end..array.bytes.end - 1],
        ]);
        let one_line = format!("[{}]", plain.join(", "));
        // 64 and 81 entries are the squares of a board, which gets rows in any case.
        let fits = indent + one_line.len() <= WIDTH && !one_line.contains('\n');
        if fits && comments.is_empty() && array.len != 64 && array.len != 81 {
            return one_line;
        }
        let is_nested = self.text[array.entry.clone()].contains(['[', '{', '\n']);
        let (row, texts) = if is_nested {
            (1, plain)
        } else {
            self.in_columns(array, &copies, inner)
        };
        let (end, space) = (line_end(self.text), " ".repeat(inner));
        let mut out = format!("[{end}");
        for comment in comments {
            out.extend([space.as_str(), &comment, end]);
        }
        for row in texts.chunks(row) {
            out.extend([space.as_str(), &row.join(", "), ",", end]);
        }
        out + &" ".repeat(indent) + "]"
    }

    /// Returns how many entries of an array `[x; N]` of plain numbers make a line, and their texts,
    /// in which each number is padded to the longest at its place in an entry, so that lines are in
    /// columns. A board of 64 or 81 squares, or a half of 32, has a line for each rank, any other
    /// array as many entries as fit. `copies`: the values of each entry, equally many in each;
    /// `inner`: the spaces before a line of entries.
    fn in_columns(
        &self,
        array: &RepeatedArray,
        copies: &[&[RepeatedValue<'_>]],
        inner: usize,
    ) -> (usize, Vec<String>) {
        let each = copies.first().map_or(0, |copy| copy.len());
        let length = |at: usize| copies.iter().map(move |copy| copy[at].new.len());
        let width = |at: usize| length(at).max().unwrap_or(0);
        let widths: Vec<usize> = (0..each).map(width).collect();
        let entry = |copy: &&[RepeatedValue<'_>]| {
            self.entry(array.entry.clone(), &padded(copy, &widths), inner)
        };
        let texts: Vec<String> = copies.iter().map(entry).collect();
        let longest = texts.iter().map(String::len).max().unwrap_or(0);
        let row = match array.len {
            64 | 32 => 8,
            81 => 9,
            // Each entry with comma and blank.
            _ => (WIDTH.saturating_sub(inner) / (longest + 2)).max(1),
        };
        (row, texts)
    }

    /// Returns the text of the entry `x` of an array `[x; N]`, at `bytes` of the source, with new
    /// numbers. `values`: those of all weights in it, in their order: one for each literal, and
    /// several for a literal in an array nested in `x`, which [`repeat`](Self::repeat) writes.
    /// `indent`: the spaces before the line that it is in.
    fn entry(&self, bytes: Range<usize>, values: &[RepeatedValue<'_>], indent: usize) -> String {
        let mut out = String::new();
        // `at`: the first byte that is not copied yet; `rest`: the values that are not written yet.
        let (mut at, mut rest) = (bytes.start, values);
        while let Some(value) = rest.first() {
            let literal = &value.literal.bytes;
            let mut inside = self.repeats.iter();
            let nested = inside.find(|repeat| {
                repeat.bytes.start >= at
                    && repeat.bytes.end <= bytes.end
                    && repeat.bytes.contains(&literal.start)
            });
            if let Some(repeat) = nested {
                let of = |v: &&RepeatedValue<'_>| repeat.bytes.contains(&v.literal.bytes.start);
                let count = rest.iter().take_while(of).count();
                let (own, later) = rest.split_at(count);
                out += &self.text[at..repeat.bytes.start];
                out += &self.repeat(repeat, own, indent);
                (at, rest) = (repeat.bytes.end, later);
            } else {
                out += &self.text[at..literal.start];
                out += &value.new;
                (at, rest) = (literal.end, &rest[1..]);
            }
        }
        out + &self.text[at..bytes.end]
    }

    /// Returns the number of spaces at the start of the line that byte `at` of the text is in.
    fn indent(&self, at: usize) -> usize {
        let line = &self.text[self.text[..at].rfind('\n').map_or(0, |end| end + 1)..];
        line.len() - line.trim_start_matches(' ').len()
    }
}

/// Returns the values of one entry, the text of each filled up with spaces on the left to its width
/// in `widths`.
fn padded<'a>(values: &[RepeatedValue<'a>], widths: &[usize]) -> Vec<RepeatedValue<'a>> {
    let one = |(value, &width): (&RepeatedValue<'a>, &usize)| RepeatedValue {
        literal: value.literal,
        new: format!("{:>width$}", value.new),
    };
    values.iter().zip(widths).map(one).collect()
}

/// Returns the comments, `// …` and `/* … */`, in pieces of source, in their order.
fn comments(pieces: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for piece in pieces {
        let mut rest = *piece;
        while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
            let comment = &rest[at..];
            let length = if comment.starts_with("//") {
                comment.find(['\r', '\n']).unwrap_or(comment.len())
            } else {
                comment.find("*/").map_or(comment.len(), |end| end + 2)
            };
            found.push(comment[..length].to_owned());
            rest = &comment[length..];
        }
    }
    found
}
