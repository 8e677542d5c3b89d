//! A block as a record batch, and its fingerprint.

use std::sync::Arc;

use arrow_array::builder::Int32Builder;
use arrow_array::{
    ArrayRef, Float64Array, Int16Array, ListArray, RecordBatch, UInt16Array, UInt32Array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, Field};

use crate::TraceSet;
use crate::column::Column;
use crate::shapes::Shapes;
use crate::steps::{decode, encode};
use crate::stream::{GROUP, row_end};
use tuner_base::Fingerprint;

/// Returns the lists of steps of a block, one behind the other: for each the number of its words,
/// then the words, of each step its code and its operands.
pub(super) fn encoded_steps(set: &TraceSet) -> Vec<u32> {
    let mut words = Vec::new();
    let shapes = &set.data.nonlinear.shapes;
    let mut steps = Vec::new();
    for shape in 0..shapes.len() as u32 {
        let count = words.len();
        words.push(0);
        shapes.read(shape, &mut steps);
        encode(&steps, &mut words);
        words[count] = (words.len() - count - 1) as u32;
    }
    words
}

/// Reads lists of steps that are one behind the other: for each the number of its words, then the
/// words, of each step its code and its operands. `None` if a list is truncated, or a word means no
/// step.
pub(super) fn decoded_steps(mut words: &[u32]) -> Option<Shapes> {
    let mut lists = Shapes::default();
    while let Some((&count, rest)) = words.split_first() {
        let (list, rest) = rest.split_at_checked(count as usize)?;
        lists.push(&decode(list)?);
        words = rest;
    }
    Some(lists)
}

/// Fingerprint of a block, 16 hexadecimal digits: of its columns in their order, each as a list.
/// `steps`: its lists of steps in words, for each list how many words follow and these. Codes, the
/// numbers of entries in the segments, must have 16 bits: wider ones would be left out.
pub(super) fn fingerprint(set: &TraceSet, steps: &[u32]) -> String {
    let groups = set.narrow().unwrap_or_default();
    let mut hash = Fingerprint::new();
    let word = |&word: &u32| u64::from(word);
    hash.list(set.data.games.iter().map(word));
    for column in [
        &set.outcomes,
        &set.weights,
        &set.data.constants,
        &set.data.search_scores,
    ] {
        hash.list((0..set.len()).map(|row| column.get(row).to_bits()));
    }
    // A group of four codes, and an entry (a slot and two coefficients), as one number each.
    let code = |&[a, b, c, d]: &[u16; GROUP]| {
        u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48
    };
    hash.list(groups.iter().map(code));
    let nonlinear = &set.data.nonlinear;
    hash.list(nonlinear.rows.iter().map(word));
    hash.list(nonlinear.starts.iter().copied());
    hash.list(nonlinear.constants.iter().map(|one| one.to_bits()));
    hash.list(steps.iter().map(word));
    hash.list(set.tokens().iter().map(|token| {
        let [first, second] = token.coefficients.map(|c| u64::from(c.cast_unsigned()));
        u64::from(token.slot) << 32 | first << 16 | second
    }));
    let factors = set.data.factors.all().as_flattened().iter();
    hash.list(factors.map(|factor| factor.to_bits()));
    hash.hex()
}

/// Makes the record batch of a block, with the columns of a file of traces: numbers and segments of
/// each row, then lists of the whole block, which are put into its first row. `steps`: its lists of
/// steps in words, for each list how many words follow and these. Codes, the numbers of entries in
/// the segments, must have 16 bits: wider ones would be left out.
pub(super) fn batch(set: &TraceSet, steps: Vec<u32>) -> Result<RecordBatch, ArrowError> {
    let groups = set.narrow().unwrap_or_default();
    let rows = set.len();
    let numbers = |column: &Column| -> ArrayRef {
        let all: Vec<f64> = (0..rows).map(|row| column.get(row)).collect();
        Arc::new(Float64Array::from(all))
    };
    let mut scores = Int32Builder::with_capacity(rows);
    for row in 0..rows {
        let score = set.data.search_scores.get(row);
        // NaN marks a row without a score, which is null in the file.
        scores.append_option((!score.is_nan()).then_some(score as i32));
    }
    // How many codes each row has: four in a group.
    let mut offset = 0;
    let lengths = (0..rows).map(|_| {
        let end = row_end(groups, offset);
        GROUP * (end - std::mem::replace(&mut offset, end))
    });
    let codes = UInt16Array::from(groups.as_flattened().to_vec());
    let codes = list(Arc::new(codes), lengths.collect())?;
    let nonlinear = &set.data.nonlinear;
    // The number of each row's list of steps. Where all rows are linear none is stored: 0 for each.
    let mut shapes = nonlinear.rows.clone();
    shapes.resize(rows, 0);
    // How many constants each row has: none where all rows are linear.
    let count = |row| nonlinear.checked(row).map_or(0, |(_, list)| list.len());
    let constants = Float64Array::from(nonlinear.constants.clone());
    let constants = list(Arc::new(constants), (0..rows).map(count).collect())?;
    // A list of the whole block is in its first row; the lists of other rows are empty.
    let first = |values: ArrayRef| {
        let length = |row| if row == 0 { values.len() } else { 0 };
        list(Arc::clone(&values), (0..rows).map(length).collect())
    };
    let slots: Vec<u32> = set.tokens().iter().map(|token| token.slot).collect();
    let coefficients: Vec<i16> = set.tokens().iter().flat_map(|t| t.coefficients).collect();
    let factors = set.data.factors.all().as_flattened().to_vec();
    RecordBatch::try_new(
        Arc::new(super::schema()),
        vec![
            Arc::new(UInt32Array::from(set.data.games.clone())),
            numbers(&set.outcomes),
            numbers(&set.weights),
            numbers(&set.data.constants),
            Arc::new(scores.finish()),
            codes,
            Arc::new(UInt32Array::from(shapes)),
            constants,
            first(Arc::new(UInt32Array::from(steps)))?,
            first(Arc::new(UInt32Array::from(slots)))?,
            first(Arc::new(Int16Array::from(coefficients)))?,
            first(Arc::new(Float64Array::from(factors)))?,
        ],
    )
}

/// Makes a column of lists. `values`: those of all lists, one behind the other; `lengths`: the
/// number of values in each list.
fn list(values: ArrayRef, lengths: Vec<usize>) -> Result<ArrayRef, ArrowError> {
    let item: DataType = values.data_type().clone();
    let field = Arc::new(Field::new("item", item, false));
    let offsets = OffsetBuffer::from_lengths(lengths);
    Ok(Arc::new(ListArray::try_new(field, offsets, values, None)?))
}
