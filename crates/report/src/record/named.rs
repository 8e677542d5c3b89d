//! Numbers by name, in the order of the file.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

/// Numbers by name, in the order of the file; one that is `null` was not finite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedValues(pub Vec<(String, Option<f64>)>);

impl<'de> Deserialize<'de> for NamedValues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = NamedValues;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("numbers by name")
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(NamedValues::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(NamedValues(pairs))
            }
        }
        deserializer.deserialize_any(Pairs)
    }
}
