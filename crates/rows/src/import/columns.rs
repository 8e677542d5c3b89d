//! The columns of a batch as plain numbers, whatever width they came in.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, GenericListArray, OffsetSizeTrait, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

use super::row::{FACTS, GameId, RawRow};
use super::units::Precision;
use super::{ImportError, TracePlace};

/// The columns of a batch as plain numbers.
#[derive(Debug)]
pub(super) struct Columns {
    /// By the number of a fact in [`FACTS`], its column, `None` if the file has none; a value is
    /// `None` where it is null.
    facts: [Option<Vec<Option<f64>>>; FACTS.len()],
    game: Option<Games>,
    feature: Lists,
    coefficient: Lists,
    precision: Precision,
    /// For each row, its steps as text, empty for a row without; `None` if the file has no such
    /// column.
    steps: Option<Vec<String>>,
}

/// The games of a batch.
#[derive(Debug)]
enum Games {
    Numbers(Vec<f64>),
    Names(Vec<String>),
}

/// A column of lists.
#[derive(Debug)]
struct Lists {
    /// Where each row's list starts, and where the last one ends.
    offsets: Vec<usize>,
    values: Vec<f64>,
}

impl Lists {
    /// Makes empty lists for all rows, for a column that is not read.
    fn empty(rows: usize) -> Self {
        Self {
            offsets: vec![0; rows + 1],
            values: Vec::new(),
        }
    }

    /// Returns the list of a row.
    fn row(&self, row: usize) -> &[f64] {
        &self.values[self.offsets[row]..self.offsets[row + 1]]
    }
}

/// The columns of the format: name, type of values, and whether the file must have it.
const COLUMNS: [(&str, Kind, bool); 11] = [
    ("outcome", Kind::Number, true),
    ("feature", Kind::Features, true),
    ("coefficient", Kind::Coefficients, true),
    ("constant", Kind::Number, false),
    ("phase", Kind::Number, false),
    ("eg_scale", Kind::Number, false),
    ("game", Kind::Game, false),
    ("weight", Kind::Number, false),
    ("search_score", Kind::Integer, false),
    ("score", Kind::Number, false),
    ("steps", Kind::Text, false),
];

/// The values that a column may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Features,
    Coefficients,
    Number,
    Integer,
    Game,
    Text,
}

impl Kind {
    /// Says in words which values a column of this kind has, for messages.
    const fn expected(self) -> &'static str {
        match self {
            Self::Number => "integers or floats",
            Self::Features => "a list of integers",
            Self::Coefficients => "a list of integers or floats",
            Self::Integer => "integers",
            Self::Game => "integers or texts",
            Self::Text => "texts",
        }
    }

    /// Tells whether an Arrow type holds values of this kind.
    fn fits(self, found: &DataType) -> bool {
        match self {
            Self::Number => is_number(found),
            Self::Features => is_list(found, DataType::is_integer),
            Self::Coefficients => is_list(found, is_number),
            Self::Integer => found.is_integer(),
            Self::Game => found.is_integer() || Self::Text.fits(found),
            Self::Text => match found {
                DataType::Dictionary(_, values) => is_text(values),
                other => is_text(other),
            },
        }
    }
}

/// Reports every column of the format that is missing, has another type, or is there twice; and
/// columns that contradict each other: `steps` next to `phase`, or `eg_scale` without `phase`.
pub(super) fn check(schema: &Schema, problems: &mut ImportError) {
    for (name, kind, is_needed) in COLUMNS {
        let mut fields = schema.fields().iter().filter(|field| field.name() == name);
        let expected = kind.expected();
        match fields.next().map(|field| field.data_type()) {
            None if is_needed => {
                problems.column(name, format!("is missing; expected {expected}"));
            }
            Some(found) if !kind.fits(found) => {
                problems.column(name, format!("has type {found}; expected {expected}"));
            }
            _ => {}
        }
        if fields.next().is_some() {
            problems.column(name, "is there twice; keep one");
        }
    }
    if schema.index_of("steps").is_ok() && schema.index_of("phase").is_ok() {
        let what = "is for plain rows; leave `phase` out and multiply coefficients by it";
        problems.column("steps", what);
    }
    if schema.index_of("eg_scale").is_ok() && schema.index_of("phase").is_err() {
        let what = "needs a column `phase`; add it, or leave both out";
        problems.column("eg_scale", what);
    }
}

/// Returns the numbers of the columns that the format has; the file may have further ones, which
/// are not read.
pub(super) fn projection(schema: &Schema) -> Vec<usize> {
    let is_ours = |field: &Field| COLUMNS.iter().any(|(name, ..)| field.name() == name);
    let fields = schema.fields().iter().enumerate();
    let ours = fields.filter(|(_, field)| is_ours(field));
    ours.map(|(index, _)| index).collect()
}

impl Columns {
    /// Reads a batch whose columns were checked; `None` if a value is null that must not be, which
    /// is reported. `first`: the number in the file of its first row. A null `score`,
    /// `search_score` or `steps` is a row without one.
    pub(super) fn of(batch: &RecordBatch, first: u64, problems: &mut ImportError) -> Option<Self> {
        let before = problems.count;
        let facts = FACTS.map(|(name, ..)| {
            let column = batch.column_by_name(name)?;
            // `score` and `search_score` may be null.
            if !name.ends_with("score") {
                refuse_nulls(column, name, first, problems);
            }
            Some(present(column))
        });
        let [feature, coefficient] = ["feature", "coefficient"].map(|name| {
            // Where only features are read, there are no coefficients: empty lists.
            let Some(column) = batch.column_by_name(name) else {
                return Some(Lists::empty(batch.num_rows()));
            };
            lists(column, name, first, problems)
        });
        let game = batch.column_by_name("game").map(|column| {
            refuse_nulls(column, "game", first, problems);
            games(column)
        });
        let coefficients = batch.column_by_name("coefficient");
        // By the type of the numbers in the lists of coefficients.
        let precision = match coefficients.map(Array::data_type) {
            Some(
                DataType::List(field)
                | DataType::LargeList(field)
                | DataType::FixedSizeList(field, _),
            ) => match field.data_type() {
                DataType::Float16 => Precision::Half,
                DataType::Float32 => Precision::Single,
                _ => Precision::Double,
            },
            _ => Precision::Double,
        };
        (problems.count == before).then_some(Self {
            facts,
            game: game.flatten(),
            feature: feature?,
            coefficient: coefficient?,
            precision,
            steps: batch.column_by_name("steps").map(|column| texts(column)),
        })
    }

    /// Returns a row of the batch. `row`: its number in the batch; `place`: where it is in the
    /// file.
    pub(super) fn row(&self, row: usize, place: TracePlace) -> RawRow<'_> {
        let facts = self.facts.each_ref().map(|column| column.as_ref()?[row]);
        RawRow {
            place,
            facts,
            game: self.game.as_ref().map(|games| match games {
                Games::Numbers(numbers) => GameId::Number(numbers[row]),
                Games::Names(names) => GameId::Name((&names[row]).into()),
            }),
            features: self.feature.row(row),
            coefficients: self.coefficient.row(row),
            precision: self.precision,
            steps: self.steps.as_ref().map(|steps| &*steps[row]),
            traced: None,
        }
    }
}

/// Tells whether a type is an integer or a float of any width.
fn is_number(data_type: &DataType) -> bool {
    data_type.is_integer() || data_type.is_floating()
}

/// Tells whether a type is a text in any layout, dictionaries apart.
const fn is_text(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    )
}

/// Tells whether a type is a list, of any kind, of values whose type `fits`.
fn is_list(data_type: &DataType, fits: fn(&DataType) -> bool) -> bool {
    match data_type {
        DataType::List(field) | DataType::LargeList(field) => fits(field.data_type()),
        DataType::FixedSizeList(field, width) => *width >= 0 && fits(field.data_type()),
        _ => false,
    }
}

/// Reports every null of the column `name`; in a column with a dictionary also a row whose value in
/// the dictionary is null. `first`: the number in the file of the column's first row.
fn refuse_nulls(column: &dyn Array, name: &str, first: u64, problems: &mut ImportError) {
    let nulls = column.logical_nulls();
    let is_null = |&row: &usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
    for row in (0..column.len()).filter(is_null) {
        let place = TracePlace::Row(first + row as u64);
        problems.cell(place, name, "is null; expected a value");
    }
}

/// Returns the game of each row: texts as names, integers as numbers. `None` if any is null, which
/// [`refuse_nulls`] has reported.
fn games(column: &dyn Array) -> Option<Games> {
    if column.logical_null_count() > 0 {
        return None;
    }
    if Kind::Text.fits(column.data_type()) {
        return Some(Games::Names(texts(column)));
    }
    values(column).map(Games::Numbers)
}

/// Returns the texts of a column, with or without a dictionary; an empty text for a null.
fn texts(column: &dyn Array) -> Vec<String> {
    let found: Vec<Option<String>> = if let Some(dictionary) = column.as_any_dictionary_opt() {
        let values = dictionary.values();
        let keys = dictionary.normalized_keys().into_iter();
        // A key that is not that of a value gives no text.
        keys.map(|key| (key < values.len()).then(|| text(values, key))?)
            .collect()
    } else {
        (0..column.len()).map(|row| text(column, row)).collect()
    };
    let nulls = column.logical_nulls();
    let is_null = |row| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
    let found = found.into_iter().enumerate();
    let found = found.map(|(row, text)| text.filter(|_| !is_null(row)));
    found.map(Option::unwrap_or_default).collect()
}

/// Returns the text of a row; `None` for a null, and for a column that is not of texts.
fn text(column: &dyn Array, row: usize) -> Option<String> {
    if column.is_null(row) {
        return None;
    }
    Some(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).to_owned(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).to_owned(),
        DataType::Utf8View => column.as_string_view().value(row).to_owned(),
        _ => return None,
    })
}

/// Returns the value of each row, `None` for nulls; an empty list if the column is not of numbers.
fn present(column: &ArrayRef) -> Vec<Option<f64>> {
    let values = values(column).unwrap_or_default();
    let value = |(row, value)| (!column.is_null(row)).then_some(value);
    values.into_iter().enumerate().map(value).collect()
}

/// Returns the numbers of a column, anything in place of nulls; `None` if it is not of integers or
/// floats.
///
/// *Numerics*: 64-bit integers above 2⁵³ round; no valid number of a row is that large.
fn values(column: &dyn Array) -> Option<Vec<f64>> {
    macro_rules! read {
        ($type:ty, $convert:expr) => {{
            let values = column.as_primitive::<$type>().values();
            values.iter().map($convert).collect()
        }};
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

/// Reads the column `name`, of lists; `None` if it has another type. Nulls, of rows and within
/// lists, are reported, and any number is put in their place. `first`: the number in the file of
/// the column's first row.
fn lists(column: &dyn Array, name: &str, first: u64, problems: &mut ImportError) -> Option<Lists> {
    refuse_nulls(column, name, first, problems);
    let (offsets, values): (Vec<usize>, _) = match column.data_type() {
        DataType::List(_) => widened(column.as_list::<i32>()),
        DataType::LargeList(_) => widened(column.as_list::<i64>()),
        DataType::FixedSizeList(_, width) => {
            let list = column.as_fixed_size_list();
            let offsets = (0..=list.len()).map(|row| row * *width as usize);
            (offsets.collect(), ArrayRef::clone(list.values()))
        }
        _ => return None,
    };
    if values.null_count() > 0 {
        for row in 0..column.len() {
            if (offsets[row]..offsets[row + 1]).any(|entry| values.is_null(entry)) {
                let place = TracePlace::Row(first + row as u64);
                problems.cell(place, name, "has a null in its list; expected values");
            }
        }
    }
    Some(Lists {
        offsets,
        values: self::values(&values)?,
    })
}

/// Returns where each list starts among the values, and where the last one ends, and the values. If
/// `list` is a slice of an array, the values are those of the slice alone, so that the first list
/// starts at 0.
fn widened<O: OffsetSizeTrait>(list: &GenericListArray<O>) -> (Vec<usize>, ArrayRef) {
    let offsets = list.value_offsets();
    let first = offsets.first().map_or(0, |offset| offset.as_usize());
    let last = offsets.last().map_or(0, |offset| offset.as_usize());
    let values = list.values().slice(first, last - first);
    let offsets = offsets.iter().map(|offset| offset.as_usize() - first);
    (offsets.collect(), values)
}
