//! Turns TOML into typed sections and continues after a mistake.
//!
//! serde stops at the first wrong value; [`section!`] defines a struct whose
//! fields drive the reading and the list of known keys alike, so the two cannot
//! differ; a test compares the JSON Schema with them.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::diagnostic::Mistakes;
use super::text::{did_you_mean, listed, quoted};

/// A TOML value with its place.
pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// Something that one TOML value encodes.
pub(super) trait Read: Sized {
    /// Reads it, or notes why it cannot be read and returns `None`.
    fn read(value: &Value<'_>, mistakes: &mut Mistakes) -> Option<Self>;
}

/// A value with the bytes it was read from.
#[derive(Clone, Debug)]
pub(super) struct At<T> {
    pub(super) span: Range<usize>,
    pub(super) value: T,
}

impl At<String> {
    /// A key of a table.
    pub(super) fn key(key: &Spanned<Cow<'_, str>>) -> Self {
        Self {
            span: key.span(),
            value: key.get_ref().clone().into_owned(),
        }
    }

    /// What the word stands for, one of `known`; notes it if it is none: `what` it was to name.
    pub(super) fn among<T: Copy>(
        &self,
        what: &str,
        known: &[(&'static str, T)],
        fallback: &str,
        mistakes: &mut Mistakes,
    ) -> Option<T> {
        let names = || known.iter().map(|(name, _)| *name);
        let meant = known.iter().find(|(name, _)| *name == self.value);
        meant.map(|(_, one)| *one).or_else(|| {
            mistakes.refuse(
                &self.span,
                format!("{what} {}", quoted(&self.value)),
                listed(names()),
                did_you_mean(&self.value, names(), fallback),
            )
        })
    }
}

impl<T: Read> Read for At<T> {
    fn read(value: &Value<'_>, mistakes: &mut Mistakes) -> Option<Self> {
        let span = value.span();
        T::read(value, mistakes).map(|value| Self { span, value })
    }
}

/// A key of a section: absent, there but already reported, or there.
#[derive(Clone, Debug, Default)]
pub(super) enum Field<T> {
    #[default]
    Absent,
    Wrong,
    Is(At<T>),
}

impl<T> Field<T> {
    /// The value with its place, if there is one that can be used.
    pub(super) fn get(&self) -> Option<&At<T>> {
        match self {
            Self::Is(at) => Some(at),
            Self::Absent | Self::Wrong => None,
        }
    }

    /// What `read` makes of the value, or `absent` without one; `None` if there is one that
    /// cannot be used.
    pub(super) fn or<R>(&self, absent: R, read: impl FnOnce(&At<T>) -> Option<R>) -> Option<R> {
        match self {
            Self::Absent => Some(absent),
            Self::Wrong => None,
            Self::Is(at) => read(at),
        }
    }

    /// The value alone.
    pub(super) fn value(&self) -> Option<T>
    where
        T: Clone,
    {
        self.get().map(|at| at.value.clone())
    }
}

impl<L> Field<L> {
    /// The entries of a list; none if it is absent.
    pub(super) fn entries<T>(&self) -> &[T]
    where
        L: AsRef<[T]>,
    {
        self.get().map_or(&[], |list| list.value.as_ref())
    }
}

impl<T: Read> Field<T> {
    /// Reads key `key` of a table.
    pub(super) fn take(table: &DeTable<'_>, key: &str, mistakes: &mut Mistakes) -> Self {
        match table.get(key) {
            None => Self::Absent,
            Some(value) => At::read(value, mistakes).map_or(Self::Wrong, Self::Is),
        }
    }
}

/// A key of a section, and the lines that describe it.
#[cfg(test)]
pub(super) type Described = (&'static str, &'static [&'static str]);

/// What a section is, to compare it with the JSON Schema.
#[cfg(test)]
pub(super) trait Section: Read {
    const ABOUT: &'static [&'static str];
    const REQUIRED: &'static [Described];
    const OPTIONAL: &'static [Described];
}

/// Defines a section: its struct, its keys and how it is read.
macro_rules! section {
    (
        $(#[doc = $about:literal])* $name:ident
        required { $($(#[doc = $need_doc:literal])* $need:ident: $need_type:ty,)* }
        optional { $($(#[doc = $may_doc:literal])* $may:ident: $may_type:ty,)* }
    ) => {
        $(#[doc = $about])*
        #[derive(Debug)]
        pub(super) struct $name {
            $($(#[doc = $need_doc])* pub(super) $need: Field<$need_type>,)*
            $($(#[doc = $may_doc])* pub(super) $may: Field<$may_type>,)*
        }

        #[cfg(test)]
        impl crate::read::Section for $name {
            const ABOUT: &'static [&'static str] = &[$($about),*];
            const REQUIRED: &'static [crate::read::Described] =
                &[$((stringify!($need), &[$($need_doc),*])),*];
            const OPTIONAL: &'static [crate::read::Described] =
                &[$((stringify!($may), &[$($may_doc),*])),*];
        }

        impl Read for $name {
            fn read(value: &Value<'_>, mistakes: &mut Mistakes) -> Option<Self> {
                let required = &[$(stringify!($need)),*];
                let optional = &[$(stringify!($may)),*];
                let table = crate::read::table(value, required, optional, mistakes)?;
                Some(Self {
                    $($need: Field::take(table, stringify!($need), mistakes),)*
                    $($may: Field::take(table, stringify!($may), mistakes),)*
                })
            }
        }
    };
}
pub(super) use section;

/// The table in `value`, after noting unknown and missing keys.
pub(super) fn table<'v, 'a>(
    value: &'v Value<'a>,
    required: &[&str],
    optional: &[&str],
    mistakes: &mut Mistakes,
) -> Option<&'v DeTable<'a>> {
    let DeValue::Table(table) = value.get_ref() else {
        return wrong_type(value, "a table", mistakes);
    };
    let known = || required.iter().chain(optional).copied();
    for key in table.keys() {
        let word: &str = key.get_ref();
        if !known().any(|known| known == word) {
            mistakes.add(
                &key.span(),
                format!("unknown key {}", quoted(word)),
                listed(known()),
                did_you_mean(word, known(), "take the key out"),
            );
        }
    }
    for &key in required {
        if !table.contains_key(key) {
            mistakes.add(
                &value.span(),
                format!("key {} is missing", quoted(key)),
                "it here",
                format!("add `{key} = …`"),
            );
        }
    }
    Some(table)
}

/// Notes that a value has another type than expected.
pub(super) fn wrong_type<T>(
    value: &Value<'_>,
    expected: &str,
    mistakes: &mut Mistakes,
) -> Option<T> {
    let found = format!("found {}", described(value.get_ref()));
    mistakes.refuse(&value.span(), found, expected, "correct the value")
}

/// A value in words.
fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the string {}", quoted(text)),
        DeValue::Integer(number) => format!("the number {}", quoted(&number.to_string())),
        DeValue::Float(number) => format!("the number {}", quoted(number.as_str())),
        DeValue::Boolean(value) => format!("`{value}`"),
        DeValue::Datetime(_) => "a date or time".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

impl Read for String {
    fn read(value: &Value<'_>, mistakes: &mut Mistakes) -> Option<Self> {
        if let DeValue::String(text) = value.get_ref() {
            return Some(text.clone().into_owned());
        }
        wrong_type(value, "a string in quotes", mistakes)
    }
}

impl Read for i64 {
    fn read(value: &Value<'_>, mistakes: &mut Mistakes) -> Option<Self> {
        let DeValue::Integer(number) = value.get_ref() else {
            return wrong_type(value, "a whole number", mistakes);
        };
        let parsed = Self::from_str_radix(number.as_str(), number.radix()).ok();
        parsed.or_else(|| wrong_type(value, "a number of at most 64 bits", mistakes))
    }
}

impl<T: Read> Read for Vec<T> {
    /// Reads all entries, so that each mistake is noted; `None` if one was wrong.
    fn read(value: &Value<'_>, mistakes: &mut Mistakes) -> Option<Self> {
        let DeValue::Array(array) = value.get_ref() else {
            return wrong_type(value, "a list in brackets", mistakes);
        };
        let before = mistakes.count();
        let entries = array.iter().filter_map(|entry| T::read(entry, mistakes));
        let entries: Vec<T> = entries.collect();
        (mistakes.count() == before).then_some(entries)
    }
}

/// A list of sections. A mistake inside one takes neither it nor the others
/// away, so that the mistakes of all of them are reported together.
#[derive(Clone, Debug)]
pub(super) struct Sections<T>(pub(super) Vec<At<T>>);

impl<T> AsRef<[At<T>]> for Sections<T> {
    fn as_ref(&self) -> &[At<T>] {
        &self.0
    }
}

impl<T: Read> Read for Sections<T> {
    fn read(value: &Value<'_>, mistakes: &mut Mistakes) -> Option<Self> {
        let DeValue::Array(array) = value.get_ref() else {
            return wrong_type(value, "sections in double brackets: `[[…]]`", mistakes);
        };
        let sections = array.iter().filter_map(|entry| At::read(entry, mistakes));
        Some(Self(sections.collect()))
    }
}
