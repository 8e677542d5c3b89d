//! A block as a record batch, and its fingerprint.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, StringBuilder};
use arrow_array::{
    ArrayRef, Float64Array, Int16Array, ListArray, RecordBatch, UInt16Array, UInt32Array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, Field};

use crate::plain::{Numbers, Plain};
use crate::stream::{GROUP, row_end};
use tuner_base::Fingerprint;
use tuner_trace::Step;

/// The text of lists of steps.
pub(super) fn shapes_text(plain: &Plain) -> Result<String, serde_json::Error> {
    match &plain.curved {
        Some(curved) => {
            let lists: Vec<&[Step]> = curved.shapes.iter().map(AsRef::as_ref).collect();
            serde_json::to_string(&lists)
        }
        None => Ok(String::new()),
    }
}

/// Fingerprint of all that a block says, 16 hexadecimal digits. `shapes`: the
/// text of its lists of steps.
pub(super) fn fingerprint(plain: &Plain, shapes: &str) -> String {
    let rows = plain.rows();
    let mut words = Fingerprint::new();
    words.word(rows as u64);
    for &[a, b, c, d] in &plain.groups {
        words.word(u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48);
    }
    for token in &plain.tokens {
        let [first, second] = token.coefficients.map(|c| u64::from(c as u16));
        words.word(u64::from(token.slot) << 32 | first << 16 | second);
    }
    for factor in plain.factors.as_flattened() {
        words.word(factor.to_bits());
    }
    plain
        .games
        .iter()
        .for_each(|&game| words.word(u64::from(game)));
    numbers(&mut words, &plain.outcomes, rows);
    numbers(&mut words, &plain.weights, rows);
    numbers(&mut words, &plain.constants, rows);
    numbers(&mut words, &plain.search_scores, rows);
    if let Some(curved) = &plain.curved {
        shapes.bytes().for_each(|byte| words.word(u64::from(byte)));
        curved
            .rows
            .iter()
            .for_each(|&shape| words.word(u64::from(shape)));
        curved.starts.iter().for_each(|&start| words.word(start));
        curved
            .constants
            .iter()
            .for_each(|c| words.word(c.to_bits()));
    }
    words.hex()
}

fn numbers(words: &mut Fingerprint, numbers: &Numbers, rows: usize) {
    (0..rows).for_each(|row| words.word(numbers.get(row).to_bits()));
}

/// The record batch of a block.
pub(super) fn batch(plain: &Plain, shapes: &str) -> Result<RecordBatch, ArrowError> {
    let rows = plain.rows();
    let numbers = |numbers: &Numbers| -> ArrayRef {
        let all: Vec<f64> = (0..rows).map(|row| numbers.get(row)).collect();
        Arc::new(Float64Array::from(all))
    };
    let mut scores = Int32Builder::with_capacity(rows);
    let mut text = StringBuilder::new();
    for row in 0..rows {
        let score = plain.search_scores.get(row);
        scores.append_option((!score.is_nan()).then_some(score as i32));
        text.append_value(if row == 0 { shapes } else { "" });
    }
    let mut offset = 0;
    let lengths = (0..rows).map(|_| {
        let end = row_end(&plain.groups, offset);
        GROUP * (end - std::mem::replace(&mut offset, end))
    });
    let codes = list(
        Arc::new(UInt16Array::from(plain.groups.as_flattened().to_vec())),
        lengths.collect(),
    )?;
    let (shape, constants, lengths) = match &plain.curved {
        Some(curved) => {
            let count = |row| curved.get(row).map_or(0, |(_, constants)| constants.len());
            let lengths = (0..rows).map(count).collect();
            (curved.rows.clone(), curved.constants.clone(), lengths)
        }
        None => (vec![0; rows], Vec::new(), vec![0; rows]),
    };
    let constants = list(Arc::new(Float64Array::from(constants)), lengths)?;
    let first = |values: ArrayRef| {
        let length = |row| if row == 0 { values.len() } else { 0 };
        list(Arc::clone(&values), (0..rows).map(length).collect())
    };
    let slots: Vec<u32> = plain.tokens.iter().map(|token| token.slot).collect();
    let coefficients: Vec<i16> = plain.tokens.iter().flat_map(|t| t.coefficients).collect();
    let factors = plain.factors.as_flattened().to_vec();
    RecordBatch::try_new(
        Arc::new(super::schema()),
        vec![
            Arc::new(UInt32Array::from(plain.games.clone())),
            numbers(&plain.outcomes),
            numbers(&plain.weights),
            numbers(&plain.constants),
            Arc::new(scores.finish()),
            codes,
            Arc::new(UInt32Array::from(shape)),
            constants,
            first(Arc::new(UInt32Array::from(slots)))?,
            first(Arc::new(Int16Array::from(coefficients)))?,
            first(Arc::new(Float64Array::from(factors)))?,
            Arc::new(text.finish()),
        ],
    )
}

/// A column of lists of these lengths.
fn list(values: ArrayRef, lengths: Vec<usize>) -> Result<ArrayRef, ArrowError> {
    let item: DataType = values.data_type().clone();
    let field = Arc::new(Field::new("item", item, false));
    let offsets = OffsetBuffer::from_lengths(lengths);
    Ok(Arc::new(ListArray::try_new(field, offsets, values, None)?))
}
