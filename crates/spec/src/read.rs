//! Turns TOML into typed sections and continues after a mistake.
//!
//! serde stops at the first wrong value; [`section!`] defines a struct whose
//! fields drive the reading and the list of known keys alike, so the two cannot
//! differ; a test compares the JSON Schema with them.

use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::diagnostic::{Mistakes, TextPlace};
use super::text::{did_you_mean, listed, quoted};

/// A TOML value with its place.
pub(super) struct Value<'t> {
    pub(super) toml: &'t DeValue<'t>,
    place: TextPlace,
}

impl<'t> Value<'t> {
    /// Makes the value that a whole text is. Its place is the start of the text, where keys that
    /// are missing at the top are noted. `mistakes`: the list to which all mistakes are added.
    pub(super) fn root(toml: &'t DeValue<'t>, mistakes: &Mistakes) -> Self {
        let place = mistakes.at(0..0);
        Self { toml, place }
    }

    /// Returns a value inside this list or table, with its own place in the text.
    pub(super) fn inner(&self, inner: &'t Spanned<DeValue<'t>>) -> Self {
        let (toml, place) = (inner.get_ref(), self.place.mistakes.at(inner.span()));
        Self { toml, place }
    }

    /// Returns the text of a key of this table, with the key's place.
    fn key(&self, key: &Spanned<Cow<'_, str>>) -> At<String> {
        let place = self.place.mistakes.at(key.span());
        let value = key.get_ref().clone().into_owned();
        At { place, value }
    }

    /// Returns what `read` returns; `None` if a mistake was noted while it ran.
    pub(super) fn without_mistake<T>(&self, read: impl FnOnce() -> T) -> Option<T> {
        self.place.mistakes.unless_noted(|| Some(read()))
    }

    /// Returns the value as a table, after noting keys that are unknown and keys in `required` that
    /// are missing. `None`, after noting that, if it is not a table.
    pub(super) fn table(&self, required: &[&str], optional: &[&str]) -> Option<&'t DeTable<'t>> {
        let DeValue::Table(table) = self.toml else {
            return self.wrong_type("a table");
        };
        let known = || required.iter().chain(optional).copied();
        for key in table.keys().map(|key| self.key(key)) {
            let word = &*key.value;
            if !known().any(|known| known == word) {
                let found = format!("unknown key {}", quoted(word));
                let cure = did_you_mean(word, known(), "take the key out");
                key.place.note(found, listed(known()), cure);
            }
        }
        for &key in required.iter().filter(|key| !table.contains_key(**key)) {
            let (found, cure) = (quoted(key), format!("add `{key} = …`"));
            self.place
                .note(format!("key {found} is missing"), "it here", cure);
        }
        Some(table)
    }

    /// Reads the entries of the value, a table with keys of the author's own: each key, and its
    /// value, or `Field::Wrong` if that has a mistake, which is noted. `None` if the value is not a
    /// table, which is not noted.
    pub(super) fn entries<T: Read>(&self) -> Option<impl Iterator<Item = (At<String>, Field<T>)>> {
        let DeValue::Table(table) = self.toml else {
            return None;
        };
        let entries = table.iter();
        Some(entries.map(|(key, value)| (self.key(key), Field::read(&self.inner(value)))))
    }

    /// Notes that the value has another type than expected, and returns `None`. `expected`: what is
    /// expected, for the message.
    pub(super) fn wrong_type<T>(&self, expected: &str) -> Option<T> {
        let found = format!("found {}", described(self.toml));
        self.place.refuse(found, expected, "correct the value")
    }
}

/// Something that one TOML value encodes.
pub(super) trait Read: Sized {
    /// Reads it from a TOML value; `None` after noting why it cannot be read.
    fn read(value: &Value<'_>) -> Option<Self>;
}

/// A value with the place that it was read from.
#[derive(Clone, Debug)]
pub(super) struct At<T> {
    pub(super) place: TextPlace,
    pub(super) value: T,
}

impl At<String> {
    /// Returns the value that belongs to this word in `known`, pairs of word and value. `None`
    /// after noting a word that is not among them. `what`: the beginning of the message, such as
    /// `flip`; `cure`: what to do, where the word is not nearly a known one.
    pub(super) fn among<T: Copy>(&self, what: &str, known: &[(&str, T)], cure: &str) -> Option<T> {
        let names = || known.iter().map(|(name, _)| *name);
        let meant = known.iter().find(|(name, _)| *name == self.value);
        meant.map(|(_, one)| *one).or_else(|| {
            let found = format!("{what} {}", quoted(&self.value));
            let cure = did_you_mean(&self.value, names(), cure);
            self.place.refuse(found, listed(names()), cure)
        })
    }
}

impl<T: Read> Read for At<T> {
    /// Reads a value, and keeps its place in the text with it.
    fn read(value: &Value<'_>) -> Option<Self> {
        let place = value.place.clone();
        T::read(value).map(|value| Self { place, value })
    }
}

/// The value of a key: absent, wrong (which was noted), or read.
#[derive(Clone, Debug, Default)]
pub(super) enum Field<T> {
    #[default]
    Absent,
    Wrong,
    Is(At<T>),
}

impl<T> Field<T> {
    /// Returns the value of the key with its place; `None` if the key is absent, or its value was
    /// wrong.
    pub(super) fn get(&self) -> Option<&At<T>> {
        match self {
            Self::Is(at) => Some(at),
            Self::Absent | Self::Wrong => None,
        }
    }

    /// Takes the value of the key with its place out of the field; `None` if the key is absent, or
    /// its value was wrong.
    pub(super) fn is(self) -> Option<At<T>> {
        match self {
            Self::Is(at) => Some(at),
            Self::Absent | Self::Wrong => None,
        }
    }

    /// Returns `absent` if the key is absent, else what `read` makes of its value; `None` if the
    /// value was wrong.
    pub(super) fn or<R>(&self, absent: R, read: impl FnOnce(&At<T>) -> Option<R>) -> Option<R> {
        match self {
            Self::Absent => Some(absent),
            Self::Wrong => None,
            Self::Is(at) => read(at),
        }
    }

    /// Returns a copy of the value of the key; `None` if the key is absent, or its value was wrong.
    pub(super) fn value(&self) -> Option<T>
    where
        T: Clone,
    {
        self.get().map(|at| at.value.clone())
    }
}

impl<L> Field<L> {
    /// Returns the entries of the list that the key has; empty if the key is absent, or its value
    /// was wrong.
    pub(super) fn entries<T>(&self) -> &[T]
    where
        L: AsRef<[T]>,
    {
        self.get().map_or(&[], |list| list.value.as_ref())
    }
}

impl<T: Read> Field<T> {
    /// Reads the value of a key; a mistake in it is noted and makes the field `Wrong`.
    pub(super) fn read(value: &Value<'_>) -> Self {
        At::read(value).map_or(Self::Wrong, Self::Is)
    }

    /// Reads the value of `key` in a table; `Absent` if the table has no such key. `value`: the
    /// table as a value with its place.
    pub(super) fn take<'t>(value: &Value<'t>, table: &'t DeTable<'t>, key: &str) -> Self {
        let field = table.get(key).map(|field| Self::read(&value.inner(field)));
        field.unwrap_or_default()
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

/// Defines a section: a struct of fields, the list of its keys, and its [`Read`].
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
            /// Reads the section, a field for each key that it may have. `None` after noting that
            /// the value is not a table; keys that are unknown or missing are noted, and so is a
            /// mistake in the value of a key, whose field is then `Field::Wrong`.
            fn read(value: &Value<'_>) -> Option<Self> {
                let required = &[$(stringify!($need)),*];
                let optional = &[$(stringify!($may)),*];
                let table = value.table(required, optional)?;
                Some(Self {
                    $($need: Field::take(value, table, stringify!($need)),)*
                    $($may: Field::take(value, table, stringify!($may)),)*
                })
            }
        }
    };
}
pub(super) use section;

/// Returns what a TOML value is, in words for a message: `` the number `1` ``, `a list`.
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
    /// Reads a string of TOML; `None` after noting another type.
    fn read(value: &Value<'_>) -> Option<Self> {
        match value.toml {
            DeValue::String(text) => Some(text.clone().into_owned()),
            _ => value.wrong_type("a string in quotes"),
        }
    }
}

impl Read for i64 {
    /// Reads a whole number, also a hexadecimal one; `None` after noting another type, or a number
    /// that does not fit into 64 bits.
    fn read(value: &Value<'_>) -> Option<Self> {
        let DeValue::Integer(number) = value.toml else {
            return value.wrong_type("a whole number");
        };
        let parsed = Self::from_str_radix(number.as_str(), number.radix()).ok();
        parsed.or_else(|| value.wrong_type("a number of at most 64 bits"))
    }
}

impl<T: Read> Read for Vec<T> {
    /// Reads all entries of a list, so that each mistake in them is noted; `None` if one was wrong.
    fn read(value: &Value<'_>) -> Option<Self> {
        let DeValue::Array(array) = value.toml else {
            return value.wrong_type("a list in brackets");
        };
        let entries = array.iter().map(|entry| value.inner(entry));
        value.without_mistake(|| entries.filter_map(|entry| T::read(&entry)).collect())
    }
}

/// A list of sections. A mistake inside one takes neither it nor the others
/// away, so that the mistakes of all of them are reported together.
#[derive(Clone, Debug)]
pub(super) struct Sections<T>(pub(super) Vec<At<T>>);

impl<T> AsRef<[At<T>]> for Sections<T> {
    /// Returns the sections, with their places.
    fn as_ref(&self) -> &[At<T>] {
        &self.0
    }
}

impl<T: Read> Read for Sections<T> {
    /// Reads all sections of a name, `[[NAME]]`. One that cannot be read is noted and left out.
    fn read(value: &Value<'_>) -> Option<Self> {
        let DeValue::Array(array) = value.toml else {
            return value.wrong_type("sections in double brackets: `[[…]]`");
        };
        let entries = array.iter().map(|entry| value.inner(entry));
        Some(Self(entries.filter_map(|entry| At::read(&entry)).collect()))
    }
}
