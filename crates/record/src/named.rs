//! Numbers by name, in the order of the file.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

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
    /// Reads an object of numbers in its order; anything else as a value is refused, by its name.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values: Map<String, Value> = Deserialize::deserialize(deserializer)?;
        let number = |(name, value): (String, Value)| {
            let number = value
                .as_f64()
                .ok_or_else(|| D::Error::custom(format!("{name} is {value}; expected a number")))?;
            Ok((name, number))
        };
        let numbers: Result<_, _> = values.into_iter().map(number).collect();
        numbers.map(Self)
    }
}
