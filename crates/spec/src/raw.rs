//! The sections of a spec as they are written. The comments on the fields are
//! the descriptions in `schema.json`, word for word, so they speak to the author of a spec.

use toml::de::DeValue;

use super::decimal::Decimal;
use super::read::{At, Field, Read, Sections, Value, section};

section! {
    /// Every parameter of an evaluation, declared once.
    RawSpec
    required {
        /// Version of this format: 1.
        version: i64,
        /// An identifier; appears in the header of the generated file.
        name: String,
        /// The parameters, in the order of the weights.
        parameter: Sections<RawParameter>,
    }
    optional {
        /// Unit of the values, for people.
        unit: String,
        /// Where the initial values come from, in one line: `spec set` writes it.
        values: String,
        /// The scaling constant that goes with the initial values: fits keep it.
        k: Decimal,
        /// How the generated Rust looks.
        output: RawOutput,
        /// Lists of index names, used in `shape`; `"a1"` and `"a8"` are all squares of chess from there, `"9a"` those of shogi.
        names: RawNames,
        /// Entries that equal other entries.
        tie: Sections<RawTie>,
        /// Sums of weights that stay between limits.
        constraint: Sections<RawConstraint>,
    }
}

section! {
    /// How the generated Rust looks.
    RawOutput
    required {}
    optional {
        /// Type of a tapered value.
        pair: String,
        /// Path of a type to import instead of defining one; built as `S(mg, eg)`.
        pair_from: String,
        /// Type of an untapered value and of both halves of a pair.
        integer: String,
        /// Type of the numbers of a parameter whose `step` has a point.
        float: String,
        /// Name of one const of a struct, for parameters `NAME_…`, whose fields they are.
        in_struct: String,
    }
}

section! {
    /// One parameter: a value or a table of values.
    RawParameter
    required {
        /// The name of the const: an upper-case identifier.
        name: String,
        /// A number or a pair `[mg, eg]` for all entries, or nested lists, or `{ mg = …, eg = … }`.
        initial: Nested,
    }
    optional {
        /// Becomes the doc comment.
        doc: String,
        /// Lengths of the dimensions, outermost first: numbers, or names of lists in `[names]`.
        shape: Vec<At<RawDim>>,
        /// `["mg", "eg"]` for a tapered parameter; three or more names of your own make arrays
        /// of so many numbers.
        phases: Vec<At<String>>,
        /// Lower and upper limit of every weight, inclusive.
        bounds: Vec<At<Decimal>>,
        /// What every weight is a multiple of. With a point, as in `0.01`, the parameter
        /// holds floats of as many decimals.
        step: Decimal,
        /// `true`, or the paths inside the parameter whose weights are not tuned.
        frozen: RawFrozen,
        /// Symmetries of a board along one dimension, one or a list of them.
        mirror: OneOrMany<RawMirror>,
        /// Orders and shapes along a dimension, one or a list of them.
        order: OneOrMany<RawOrder>,
        /// How far a weight may be off its initial value, as a standard deviation.
        prior: Decimal,
        /// A smoothness prior for neighbours in the table.
        smooth: RawSmooth,
        /// Entries along a dimension are drawn toward their common mean.
        pool: RawPool,
        /// A prior by distance, which keeps most weights exactly where it draws them.
        l1: RawLaplace,
        /// Name of a group, for reports.
        group: String,
    }
}

section! {
    /// A prior by the distance from 0 or from the initial value, not its square.
    RawLaplace
    required {
        /// How far weights may be off, as a standard deviation.
        deviation: Decimal,
    }
    optional {
        /// What it draws to.
        toward: String,
    }
}

section! {
    /// A smoothness prior for neighbours along `axis`; with `width`, those on a board.
    RawSmooth
    required {
        /// How far neighbours may differ, as a standard deviation.
        deviation: Decimal,
        /// Which dimension, counted from 0, or a list of them: rows and columns.
        axis: RawAxes,
    }
    optional {
        /// Length of a row, where one axis holds a whole board.
        width: i64,
    }
}

section! {
    /// Entries along `axis` are drawn toward their common mean, as the tables of king buckets.
    RawPool
    required {
        /// Which dimension, counted from 0, or by the name of its list.
        axis: RawAxis,
    }
    optional {
        /// How far entries may be off their mean, as a standard deviation; by default the
        /// evidence says it.
        deviation: Decimal,
    }
}

section! {
    /// Along `axis`, in rows of `width`, each entry equals the mirrored one.
    RawMirror
    required {
        /// Which dimension, counted from 0.
        axis: i64,
        /// Length of a row.
        width: i64,
    }
    optional {
        /// What is mirrored: the entries of each row, the rows, or the board at a diagonal.
        flip: String,
    }
}

section! {
    /// Along `axis`, entries rise, fall, or bend in one way; with `width`, from row to row.
    RawOrder
    required {
        /// Which dimension, counted from 0.
        axis: i64,
        /// What they do: no entry below the one before, none above it, no step below the
        /// one before, none above it.
        is: String,
    }
    optional {
        /// Length of a row, where one axis holds a whole board: rows are compared.
        width: i64,
    }
}

section! {
    /// A sum of weights, each times a whole number, that stays between limits.
    RawConstraint
    required {
        /// What each weight is multiplied by, by path; a path to several means all of them.
        sum: RawSum,
    }
    optional {
        /// Lower limit of the sum.
        at_least: Decimal,
        /// Upper limit of the sum.
        at_most: Decimal,
        /// Both limits.
        equals: Decimal,
    }
}

section! {
    /// An entry or a sub-table that is tied to another: entry = factor · to + difference.
    RawTie
    required {
        /// Path of what is tied.
        entry: String,
        /// Path of what it follows.
        to: String,
    }
    optional {
        /// A whole number, not 0; default 1.
        factor: i64,
        /// A number; default 0.
        difference: Decimal,
    }
}

/// One of something, or a list of it.
#[derive(Debug)]
pub(super) struct OneOrMany<T>(pub(super) Vec<At<T>>);

impl<T> AsRef<[At<T>]> for OneOrMany<T> {
    /// Returns the values, with their places.
    fn as_ref(&self) -> &[At<T>] {
        &self.0
    }
}

impl<T: Read> Read for OneOrMany<T> {
    /// Reads a list, or a single value as a list of one.
    fn read(value: &Value<'_>) -> Option<Self> {
        match value.toml {
            DeValue::Array(_) => Vec::read(value).map(Self),
            _ => At::read(value).map(|one| Self(vec![one])),
        }
    }
}

/// The values of a table by their keys.
type Entries<T> = Vec<(At<String>, At<T>)>;

/// Reads the entries of a table, its keys and values. `None` after noting entries that cannot be
/// read, or that `value` is not a table; `expected`: what the table is, for that message.
fn entries<T: Read>(value: &Value<'_>, expected: &str) -> Option<Entries<T>> {
    match value.entries() {
        Some(entries) => value.without_mistake(|| {
            let entries = entries.filter_map(|(key, value)| Some((key, value.is()?)));
            entries.collect()
        }),
        None => value.wrong_type(expected),
    }
}

/// The factors of a sum, by path.
#[derive(Debug)]
pub(super) struct RawSum(pub(super) Entries<i64>);

impl Read for RawSum {
    /// Reads a table of factors by path, `{ "QUEEN" = 1, "ROOK" = -2 }`.
    fn read(value: &Value<'_>) -> Option<Self> {
        entries(value, "a table of paths and whole numbers").map(Self)
    }
}

/// One dimension: a length, or the name of a list of indices.
#[derive(Debug)]
pub(super) enum RawDim {
    /// A length.
    Length(i64),
    /// The name of a list in `[names]`.
    Names(String),
}

impl Read for RawDim {
    /// Reads a dimension of a shape: a length, or the name of a list of indices.
    fn read(value: &Value<'_>) -> Option<Self> {
        match value.toml {
            DeValue::Integer(_) => i64::read(value).map(Self::Length),
            DeValue::String(_) => String::read(value).map(Self::Names),
            _ => value.wrong_type("a length or the name of a list in `[names]`"),
        }
    }
}

/// The dimensions along which entries are neighbours.
#[derive(Debug)]
pub(super) struct RawAxes(pub(super) Vec<At<i64>>);

impl Read for RawAxes {
    /// Reads the number of one dimension, or a list of such numbers.
    fn read(value: &Value<'_>) -> Option<Self> {
        match value.toml {
            DeValue::Integer(_) => At::read(value).map(|one| Self(vec![one])),
            DeValue::Array(_) => Vec::read(value).map(Self),
            _ => value.wrong_type("a dimension or a list of them"),
        }
    }
}

/// A dimension.
#[derive(Debug)]
pub(super) enum RawAxis {
    /// Counted from 0.
    Number(i64),
    /// By the name of its list in `[names]`, or `phase`.
    Name(String),
}

impl Read for RawAxis {
    /// Reads the number of a dimension, or the name of its list of indices.
    fn read(value: &Value<'_>) -> Option<Self> {
        match value.toml {
            DeValue::Integer(_) => i64::read(value).map(Self::Number),
            DeValue::String(_) => String::read(value).map(Self::Name),
            _ => value.wrong_type("a dimension or the name of its list"),
        }
    }
}

/// What is not tuned.
#[derive(Debug)]
pub(super) enum RawFrozen {
    /// All of the parameter, or nothing.
    All(bool),
    /// Paths inside the parameter.
    Paths(Vec<At<String>>),
}

impl Read for RawFrozen {
    /// Reads `true` or `false`, for all weights of a parameter, or a list of paths inside it.
    fn read(value: &Value<'_>) -> Option<Self> {
        match value.toml {
            DeValue::Boolean(all) => Some(Self::All(*all)),
            DeValue::Array(_) => Vec::read(value).map(Self::Paths),
            _ => value.wrong_type("`true` or a list of paths inside the parameter"),
        }
    }
}

/// The lists of index names, by name.
#[derive(Debug)]
pub(super) struct RawNames(pub(super) Vec<(At<String>, Field<RawList>)>);

/// One list of index names.
#[derive(Debug)]
pub(super) struct RawList(pub(super) Vec<At<String>>);

impl Read for RawList {
    /// Reads a list of names of indices in brackets; or the name of the first square of a board,
    /// `"a1"` or `"a8"` in chess, `"9a"` in shogi, for the names of all its squares, row by row.
    fn read(value: &Value<'_>) -> Option<Self> {
        if !matches!(value.toml, DeValue::String(_)) {
            return Vec::read(value).map(Self);
        }
        let corner = At::<String>::read(value)?;
        // The length of a row, and for chess what the number of a row from 0 is combined with by
        // exclusive or, to get that of the rank: 0 leaves it, 7 counts from the last rank down.
        let corners = [("a1", (8, 0)), ("a8", (8, 7)), ("9a", (9, 0))];
        let (side, first) =
            corner.among("no first square", &corners, "list other names in brackets")?;
        let square = |n: u8| At {
            place: corner.place.clone(),
            value: match side {
                8 => format!("{}{}", char::from(b'a' + n % 8), 1 + ((n / 8) ^ first)),
                _ => format!("{}{}", 9 - n % 9, char::from(b'a' + n / 9)),
            },
        };
        Some(Self((0..side * side).map(square).collect()))
    }
}

impl Read for RawNames {
    /// Reads the section `[names]`: lists by their names. A list with a mistake, which is noted,
    /// stays among them as `Field::Wrong`, so that its name is known. `None` after noting that the
    /// value is not a table.
    fn read(value: &Value<'_>) -> Option<Self> {
        match value.entries() {
            Some(lists) => Some(Self(lists.collect())),
            None => value.wrong_type("a table of lists"),
        }
    }
}

/// Initial values: a number, nested lists of numbers, or a table by phase.
#[derive(Debug)]
pub(super) enum Nested {
    Number(Decimal),
    List(Vec<At<Nested>>),
    Phases(Entries<Nested>),
}

impl Read for Nested {
    /// Reads initial values: a list, whose entries may be lists; a table by phase; or a number.
    fn read(value: &Value<'_>) -> Option<Self> {
        match value.toml {
            DeValue::Array(_) => Vec::read(value).map(Self::List),
            DeValue::Table(_) => entries(value, "a table").map(Self::Phases),
            _ => Decimal::read(value).map(Self::Number),
        }
    }
}
