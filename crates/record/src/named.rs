//! Numbers by name, in the order of the file.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Numbers by name, in the order of the file: an object. Whole numbers are written as such.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedValues(pub Vec<(String, f64)>);

impl NamedValues {
    /// Gives each value the name at its place; both lists have the same order.
    pub fn new(names: &[String], values: &[f64]) -> Self {
        Self(names.iter().cloned().zip(values.iter().copied()).collect())
    }
}

impl Serialize for NamedValues {
    /// Writes an object; numbers that are whole, up to 2⁵³, without a decimal point.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = |value: f64| match value {
            whole if whole.fract() == 0.0 && whole.abs() <= (1_u64 << 53) as f64 => {
                Value::from(whole as i64)
            }
            value => Value::from(value),
        };
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, number(*value))))
    }
}

impl<'de> Deserialize<'de> for NamedValues {
    /// Reads an object of numbers in its order; anything else as a value is refused, by its name,
    /// and so is a name that is there twice.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(NamesVisitor)
    }
}

/// Reads names and values one by one, as a map would keep only the last value of a name.
struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = NamedValues;

    /// Says what is expected, for messages on anything but an object.
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    /// Reads the entries of the object.
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<NamedValues, A::Error> {
        let (mut values, mut seen) = (Vec::new(), HashSet::new());
        while let Some((name, value)) = entries.next_entry::<String, Value>()? {
            let Some(number) = value.as_f64() else {
                let found = format!("{name} is {value}; expected a number");
                return Err(A::Error::custom(found));
            };
            if !seen.insert(name.clone()) {
                let found = format!("{name} is there twice; expected each name once");
                return Err(A::Error::custom(found));
            }
            values.push((name, number));
        }
        Ok(NamedValues(values))
    }
}
