//! A block as a record batch, and its fingerprint.

use std::sync::Arc;

use arrow_array::builder::Int32Builder;
use arrow_array::{
    ArrayRef, Float64Array, Int16Array, ListArray, RecordBatch, UInt16Array, UInt32Array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, Field};

use crate::plain::{Numbers, Plain};
use crate::steps::{decode, encode};
use crate::stream::{GROUP, row_end};
use tuner_base::Fingerprint;
use tuner_trace::Step;

/// The lists of steps of a block, each with its length in front.
pub(super) fn encoded_steps(plain: &Plain) -> Vec<u32> {
    let mut words = Vec::new();
    for steps in plain
        .nonlinear
        .iter()
        .flat_map(|nonlinear| &nonlinear.shapes)
    {
        let count = words.len();
        words.push(0);
        encode(steps, &mut words);
        words[count] = (words.len() - count - 1) as u32;
    }
    words
}

/// Reads what [`encoded_steps`] wrote; `None` if it is something else.
pub(super) fn decoded_steps(mut words: &[u32]) -> Option<Vec<Arc<[Step]>>> {
    let mut lists = Vec::new();
    while let Some((&count, rest)) = words.split_first() {
        let (list, rest) = rest.split_at_checked(count as usize)?;
        lists.push(Arc::from(decode(list)?));
        words = rest;
    }
    Some(lists)
}

/// Fingerprint of all that a block says, 16 hexadecimal digits: of every column
/// in their order, each as a list. `steps`: its encoded lists of steps.
pub(super) fn fingerprint(plain: &Plain, steps: &[u32]) -> String {
    let rows = plain.rows();
    let mut hash = Fingerprint::new();
    let word = |&word: &u32| u64::from(word);
    hash.list(plain.games.iter().map(word));
    for column in [
        &plain.outcomes,
        &plain.weights,
        &plain.constants,
        &plain.search_scores,
    ] {
        hash.list((0..rows).map(|row| column.get(row).to_bits()));
    }
    let code = |&[a, b, c, d]: &[u16; 4]| {
        u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48
    };
    hash.list(plain.groups.iter().map(code));
    let (shapes, starts, constants) = match &plain.nonlinear {
        Some(nonlinear) => (
            &nonlinear.rows[..],
            &nonlinear.starts[..],
            &nonlinear.constants[..],
        ),
        None => Default::default(),
    };
    hash.list(shapes.iter().map(word));
    hash.list(starts.iter().copied());
    hash.list(constants.iter().map(|constant| constant.to_bits()));
    hash.list(steps.iter().map(word));
    hash.list(plain.tokens.iter().map(|token| {
        let [first, second] = token.coefficients.map(|c| u64::from(c.cast_unsigned()));
        u64::from(token.slot) << 32 | first << 16 | second
    }));
    let factors = plain.factors.as_flattened().iter();
    hash.list(factors.map(|factor| factor.to_bits()));
    hash.hex()
}

/// The record batch of a block.
pub(super) fn batch(plain: &Plain, steps: Vec<u32>) -> Result<RecordBatch, ArrowError> {
    let rows = plain.rows();
    let numbers = |numbers: &Numbers| -> ArrayRef {
        let all: Vec<f64> = (0..rows).map(|row| numbers.get(row)).collect();
        Arc::new(Float64Array::from(all))
    };
    let mut scores = Int32Builder::with_capacity(rows);
    for row in 0..rows {
        let score = plain.search_scores.get(row);
        scores.append_option((!score.is_nan()).then_some(score as i32));
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
    let (shape, constants, lengths) = match &plain.nonlinear {
        Some(nonlinear) => {
            let count = |row| {
                nonlinear
                    .get(row)
                    .map_or(0, |(_, constants)| constants.len())
            };
            let lengths = (0..rows).map(count).collect();
            (nonlinear.rows.clone(), nonlinear.constants.clone(), lengths)
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
            first(Arc::new(UInt32Array::from(steps)))?,
            first(Arc::new(UInt32Array::from(slots)))?,
            first(Arc::new(Int16Array::from(coefficients)))?,
            first(Arc::new(Float64Array::from(factors)))?,
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
