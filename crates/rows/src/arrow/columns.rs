//! The columns of a batch as plain numbers, whatever width they came in.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Schema};

use super::error::Problems;

/// Where the columns are in the schema.
#[derive(Debug)]
pub(super) struct Names {
    outcome: usize,
    phase: usize,
    eg_scale: usize,
    constant: usize,
    feature: usize,
    coefficient: usize,
    pub(super) game: Option<usize>,
    weight: Option<usize>,
    search_score: Option<usize>,
}

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

impl Names {
    /// Finds the columns and checks their types; reports all that is missing.
    pub(super) fn find(schema: &Schema, problems: &mut Problems) -> Option<Self> {
        let before = problems.count();
        let mut find =
            |name: &'static str, needed: bool, expected: &str, fits: fn(&DataType) -> bool| {
                let found = schema
                    .fields()
                    .iter()
                    .position(|field| field.name() == name);
                match found {
                    None if needed => {
                        problems.column(name, format!("is missing; expected {expected}"));
                    }
                    Some(index) if !fits(schema.field(index).data_type()) => {
                        let found = schema.field(index).data_type();
                        problems.column(name, format!("has type {found}; expected {expected}"));
                    }
                    _ => {}
                }
                found
            };
        let number = "integers or floats";
        let found = [
            find("outcome", true, number, is_number),
            find("phase", true, number, is_number),
            find("eg_scale", true, number, is_number),
            find("constant", true, number, is_number),
            find("feature", true, "a list of integers", |t| {
                is_list(t, DataType::is_integer)
            }),
            find("coefficient", true, "a list of integers or floats", |t| {
                is_list(t, is_number)
            }),
        ];
        let game = find("game", false, "integers", DataType::is_integer);
        let weight = find("weight", false, number, is_number);
        let search_score = find("search_score", false, "integers", DataType::is_integer);
        if problems.count() != before {
            return None;
        }
        let [outcome, phase, eg_scale, constant, feature, coefficient] = found;
        Some(Self {
            outcome: outcome?,
            phase: phase?,
            eg_scale: eg_scale?,
            constant: constant?,
            feature: feature?,
            coefficient: coefficient?,
            game,
            weight,
            search_score,
        })
    }
}

impl Columns {
    /// Reads a batch; `None` if a value is null, which is reported.
    pub(super) fn of(
        batch: &RecordBatch,
        names: &Names,
        first_row: u64,
        problems: &mut Problems,
    ) -> Option<Self> {
        let mut flat = |index: usize, name| {
            let column = batch.column(index);
            refuse_nulls(column, name, first_row, problems);
            numbers(column)
        };
        let outcome = flat(names.outcome, "outcome");
        let phase = flat(names.phase, "phase");
        let eg_scale = flat(names.eg_scale, "eg_scale");
        let constant = flat(names.constant, "constant");
        let game = names.game.map(|index| flat(index, "game"));
        let weight = names.weight.map(|index| flat(index, "weight"));
        let feature = lists(batch.column(names.feature), "feature", first_row, problems);
        let coefficient = lists(
            batch.column(names.coefficient),
            "coefficient",
            first_row,
            problems,
        );
        Some(Self {
            outcome: outcome?,
            phase: phase?,
            eg_scale: eg_scale?,
            constant: constant?,
            feature: feature?,
            coefficient: coefficient?,
            game: game.map_or(Some(None), |game| game.map(Some))?,
            weight: weight.map_or(Some(None), |weight| weight.map(Some))?,
            search_score: (names.search_score).map(|index| optional(batch.column(index))),
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
fn refuse_nulls(column: &dyn Array, name: &'static str, first_row: u64, problems: &mut Problems) {
    for row in (0..column.len()).filter(|&row| column.is_null(row)) {
        problems.row(
            first_row + row as u64,
            Some(name),
            "is null; expected a value".into(),
        );
    }
}

/// Returns the values of a column where there is one.
fn optional(column: &dyn Array) -> Vec<Option<f64>> {
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
    problems: &mut Problems,
) -> Option<Lists> {
    refuse_nulls(column, name, first_row, problems);
    let (offsets, values): (Vec<usize>, _) = match column.data_type() {
        DataType::List(_) => {
            let list = column.as_list::<i32>();
            (
                list.value_offsets()
                    .iter()
                    .map(|&offset| offset as usize)
                    .collect(),
                list.values(),
            )
        }
        DataType::LargeList(_) => {
            let list = column.as_list::<i64>();
            (
                list.value_offsets()
                    .iter()
                    .map(|&offset| offset as usize)
                    .collect(),
                list.values(),
            )
        }
        DataType::FixedSizeList(_, width) => {
            let list = column.as_fixed_size_list();
            (
                (0..=list.len()).map(|row| row * *width as usize).collect(),
                list.values(),
            )
        }
        _ => return None,
    };
    for row in 0..column.len() {
        if (offsets[row]..offsets[row + 1]).any(|entry| values.is_null(entry)) {
            let what = "has a null in its list; expected values".into();
            problems.row(first_row + row as u64, Some(name), what);
        }
    }
    Some(Lists {
        offsets,
        values: numbers(values)?,
    })
}
