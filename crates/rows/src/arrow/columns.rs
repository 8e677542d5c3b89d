//! The columns of a batch as plain numbers, whatever width they came in.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, GenericListArray, OffsetSizeTrait, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

use super::ArrowTraceError;

/// The values of a batch.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) outcome: Vec<f64>,
    pub(super) phase: Vec<f64>,
    pub(super) eg_scale: Vec<f64>,
    pub(super) constant: Vec<f64>,
    pub(super) feature: Lists,
    pub(super) coefficient: Lists,
    pub(super) game: Option<Vec<f64>>,
    pub(super) weight: Option<Vec<f64>>,
    /// `None` where there is none.
    pub(super) search_score: Option<Vec<Option<f64>>>,
}

/// A column of lists.
#[derive(Debug)]
pub(super) struct Lists {
    /// Where each row's list starts, and where the last one ends.
    offsets: Vec<usize>,
    values: Vec<f64>,
}

impl Lists {
    /// Returns the list of a row.
    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.values[self.offsets[row]..self.offsets[row + 1]]
    }
}

/// Tells whether all columns are there with their types; reports all that is missing.
pub(super) fn check(schema: &Schema, problems: &mut ArrowTraceError) -> bool {
    let before = problems.count;
    let mut check = |name, needed, expected, fits: fn(&DataType) -> bool| {
        let found = schema.field_with_name(name).ok().map(Field::data_type);
        let what = match found {
            None if needed => format!("is missing; expected {expected}"),
            Some(found) if !fits(found) => format!("has type {found}; expected {expected}"),
            _ => return,
        };
        problems.add(None, Some(name), what);
    };
    let number = "integers or floats";
    for name in ["outcome", "phase", "eg_scale", "constant"] {
        check(name, true, number, is_number);
    }
    check("feature", true, "a list of integers", |t| {
        is_list(t, DataType::is_integer)
    });
    check("coefficient", true, "a list of integers or floats", |t| {
        is_list(t, is_number)
    });
    check("game", false, "integers", DataType::is_integer);
    check("weight", false, number, is_number);
    check("search_score", false, "integers", DataType::is_integer);
    problems.count == before
}

impl Columns {
    /// Reads a batch; `None` if a value is null, which is reported.
    pub(super) fn of(
        batch: &RecordBatch,
        first_row: u64,
        problems: &mut ArrowTraceError,
    ) -> Option<Self> {
        // `None` of a column that is not there.
        let mut flat = |name| {
            let column = batch.column_by_name(name)?;
            refuse_nulls(column, name, first_row, problems);
            Some(numbers(column))
        };
        let [outcome, phase, eg_scale, constant, game, weight] =
            ["outcome", "phase", "eg_scale", "constant", "game", "weight"].map(&mut flat);
        let [feature, coefficient] = ["feature", "coefficient"].map(|name| {
            let column = batch.column_by_name(name)?;
            lists(column, name, first_row, problems)
        });
        let optional = |column: Option<Option<_>>| column.map_or(Some(None), |read| read.map(Some));
        Some(Self {
            outcome: outcome??,
            phase: phase??,
            eg_scale: eg_scale??,
            constant: constant??,
            feature: feature?,
            coefficient: coefficient?,
            game: optional(game)?,
            weight: optional(weight)?,
            search_score: batch.column_by_name("search_score").map(present),
        })
    }
}

fn is_number(data_type: &DataType) -> bool {
    data_type.is_integer() || data_type.is_floating()
}

fn is_list(data_type: &DataType, fits: fn(&DataType) -> bool) -> bool {
    match data_type {
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
            fits(field.data_type())
        }
        _ => false,
    }
}

/// Reports every null of a column.
fn refuse_nulls(
    column: &dyn Array,
    name: &'static str,
    first_row: u64,
    problems: &mut ArrowTraceError,
) {
    for row in (0..column.len()).filter(|&row| column.is_null(row)) {
        let what = "is null; expected a value".into();
        problems.add(Some(first_row + row as u64), Some(name), what);
    }
}

/// Returns the values of a column where there is one.
fn present(column: &ArrayRef) -> Vec<Option<f64>> {
    let values = values(column).unwrap_or_default();
    let value = |(row, value)| (!column.is_null(row)).then_some(value);
    values.into_iter().enumerate().map(value).collect()
}

/// Returns the values of a column as `f64`; `None` for nulls and other types.
fn numbers(column: &dyn Array) -> Option<Vec<f64>> {
    if column.null_count() > 0 {
        return None;
    }
    values(column)
}

/// Returns the values of a column, anything for nulls; `None` for other types.
///
/// *Numerics*: 64-bit integers above 2⁵³ round; none that large is valid here.
fn values(column: &dyn Array) -> Option<Vec<f64>> {
    macro_rules! read {
        ($type:ty, $convert:expr) => {
            column
                .as_primitive::<$type>()
                .values()
                .iter()
                .map($convert)
                .collect()
        };
    }
    Some(match column.data_type() {
        DataType::Float16 => read!(Float16Type, |&v| v.to_f64()),
        DataType::Float32 => read!(Float32Type, |&v| f64::from(v)),
        DataType::Float64 => read!(Float64Type, |&v| v),
        DataType::Int8 => read!(Int8Type, |&v| f64::from(v)),
        DataType::Int16 => read!(Int16Type, |&v| f64::from(v)),
        DataType::Int32 => read!(Int32Type, |&v| f64::from(v)),
        DataType::Int64 => read!(Int64Type, |&v| v as f64),
        DataType::UInt8 => read!(UInt8Type, |&v| f64::from(v)),
        DataType::UInt16 => read!(UInt16Type, |&v| f64::from(v)),
        DataType::UInt32 => read!(UInt32Type, |&v| f64::from(v)),
        DataType::UInt64 => read!(UInt64Type, |&v| v as f64),
        _ => return None,
    })
}

/// Reads a column of lists; nulls, of rows and within lists, are reported.
fn lists(
    column: &dyn Array,
    name: &'static str,
    first_row: u64,
    problems: &mut ArrowTraceError,
) -> Option<Lists> {
    refuse_nulls(column, name, first_row, problems);
    let (offsets, values): (Vec<usize>, _) = match column.data_type() {
        DataType::List(_) => widened(column.as_list::<i32>()),
        DataType::LargeList(_) => widened(column.as_list::<i64>()),
        DataType::FixedSizeList(_, width) => {
            let list = column.as_fixed_size_list();
            let offsets = (0..=list.len()).map(|row| row * *width as usize);
            (offsets.collect(), list.values())
        }
        _ => return None,
    };
    for row in 0..column.len() {
        if (offsets[row]..offsets[row + 1]).any(|entry| values.is_null(entry)) {
            let what = "has a null in its list; expected values".into();
            problems.add(Some(first_row + row as u64), Some(name), what);
        }
    }
    Some(Lists {
        offsets,
        values: numbers(values)?,
    })
}

fn widened<O: OffsetSizeTrait>(list: &GenericListArray<O>) -> (Vec<usize>, &ArrayRef) {
    let offsets = list.value_offsets().iter().map(|offset| offset.as_usize());
    (offsets.collect(), list.values())
}
