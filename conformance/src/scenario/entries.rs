//! A mapping that keeps the order in which it was written.
//!
//! [`Entries`] refuses nothing by itself: double keys are refused by the YAML reader.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Names and values, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entries<T>(Vec<(String, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Entries<T> {
    /// The entries.
    pub fn into_inner(self) -> Vec<(String, T)> {
        self.0
    }

    /// The entries, of which there must be one.
    ///
    /// # Errors
    /// There is none; `what` names the mapping.
    pub fn not_empty(self, what: &str) -> Result<Vec<(String, T)>, String> {
        if self.0.is_empty() {
            Err(format!("empty `{what}`, expected at least one entry"))
        } else {
            Ok(self.0)
        }
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for InOrder<T> {
            type Value = Entries<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<T>, A::Error> {
                let mut entries: Vec<(String, T)> = Vec::new();
                while let Some(key) = map.next_key::<String>()? {
                    if entries.iter().any(|(known, _)| *known == key) {
                        return Err(A::Error::custom(format!("duplicate key `{key}`, remove one")));
                    }
                    entries.push((key, map.next_value()?));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(InOrder(PhantomData))
    }
}
