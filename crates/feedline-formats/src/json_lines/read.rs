//! From the text of a row to its values, by way of the JSON parser's visits.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::row::{JsonRow, Scalar};

/// Reads `text`, one object, into `row`.
pub(super) fn read(text: &[u8], row: &mut JsonRow) -> serde_json::Result<()> {
    let mut parser = serde_json::Deserializer::from_slice(text);
    Top(row).deserialize(&mut parser)?;
    parser.end()
}

/// Reads the object of a line.
struct Top<'r>(&'r mut JsonRow);
/// Reads the value of a key.
struct Value<'r>(&'r mut JsonRow);
/// Reads an element of a list.
struct Element<'r>(&'r mut JsonRow);

impl<'de> DeserializeSeed<'de> for Top<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Top<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object, {…}")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        object(self.0, map)
    }
}

fn object<'de, A: MapAccess<'de>>(row: &mut JsonRow, mut map: A) -> Result<(), A::Error> {
    let outer = row.path.len();
    while map.next_key_seed(Key(row))?.is_some() {
        map.next_value_seed(Value(row))?;
        row.path.truncate(outer);
    }
    Ok(())
}

/// Reads a key onto the end of the path.
struct Key<'r>(&'r mut JsonRow);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<(), E> {
        if !self.0.path.is_empty() {
            self.0.path.push('.');
        }
        self.0.path.push_str(key);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// The visits that a value and an element of a list have in common: scalars.
macro_rules! visit_scalars {
    ($done:expr) => {
        fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
            self.0.push(Scalar::Bool(value), if value { "true" } else { "false" });
            $done(self.0);
            Ok(())
        }

        fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
            self.0.push(Scalar::Int(value), "");
            $done(self.0);
            Ok(())
        }

        fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
            self.0.push(i64::try_from(value).map_or(Scalar::Large(value as f64), Scalar::Int), "");
            $done(self.0);
            Ok(())
        }

        fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
            self.0.push(Scalar::Float(value), "");
            $done(self.0);
            Ok(())
        }

        fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
            self.0.push(Scalar::Text, value);
            $done(self.0);
            Ok(())
        }
    };
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    visit_scalars!(|row: &mut JsonRow| row.end_column(Some(row.num_values() - 1)));

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.0.end_column(None);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let first = self.0.num_values();
        while list.next_element_seed(Element(self.0))?.is_some() {}
        self.0.end_column(Some(first));
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        object(self.0, map)
    }
}

impl<'de> DeserializeSeed<'de> for Element<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Element<'_> {
    fn refuse<E: serde::de::Error>(&self, what: &str) -> E {
        E::custom(format_args!(
            "the list `{}` holds {what}, expected numbers, strings or booleans",
            self.0.path
        ))
    }
}

impl<'de> Visitor<'de> for Element<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a string or a boolean")
    }

    visit_scalars!(|_: &mut JsonRow| {});

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        Err(self.refuse("null"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Err(self.refuse("another list"))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Err(self.refuse("an object"))
    }
}
