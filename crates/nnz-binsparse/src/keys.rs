//! Members of a JSON object, with their values as text.

use std::fmt;

use nnz_core::{Error, Result};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

/// Members of a JSON object, in order.
///
/// Values are kept as text, so that numbers of any length are preserved.
///
/// ```
/// let mut keys = nnz_binsparse::Keys::default();
/// keys.set("author", "\"John Doe\"")?;
/// assert_eq!(keys.to_string(), r#"{"author":"John Doe"}"#);
/// # Ok::<(), nnz_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Keys(Vec<(String, Box<RawValue>)>);

impl Keys {
    /// Parses the members of an object.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a JSON object, or has a key twice.
    pub fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text)
            .map_err(|error| Error::argument(error.to_string()).with_source(error))
    }

    /// Returns the JSON text of a member.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.get())
    }

    /// Sets a member to a JSON value, replacing an existing one.
    ///
    /// # Errors
    ///
    /// Fails if the text is not JSON.
    pub fn set(&mut self, key: &str, json: &str) -> Result<()> {
        let value: Box<RawValue> = serde_json::from_str(json).map_err(|error| {
            Error::argument(format!("the value of {key:?}: {error}")).with_source(error)
        })?;
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some((_, place)) => *place = value,
            None => self.0.push((key.to_owned(), value)),
        }
        Ok(())
    }

    /// Sets a member to a string.
    ///
    /// # Errors
    ///
    /// Never fails: any text is a valid JSON string.
    pub fn set_string(&mut self, key: &str, text: &str) -> Result<()> {
        self.set(key, &serde_json::Value::from(text).to_string())
    }

    /// Removes a member, and returns its JSON text.
    pub fn remove(&mut self, key: &str) -> Option<String> {
        let at = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(at).1.get().to_owned())
    }

    /// Iterates over all members, with their JSON texts.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (&**key, value.get()))
    }

    /// Returns whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends members whose keys are not present yet.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.0.extend(other.0.iter().cloned());
    }

    /// Keeps only the members whose keys satisfy `keep`.
    pub(crate) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.0.retain(|(key, _)| keep(key));
    }
}

impl PartialEq for Keys {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Display for Keys {
    /// Writes the object in one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_string(self).map_err(|_| fmt::Error)?;
        // Inside strings these characters are escaped; the rest of them are between values.
        f.write_str(&text.replace(['\n', '\r', '\t'], " "))
    }
}

impl Serialize for Keys {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Keys;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
                let mut members = Vec::new();
                let mut seen = std::collections::HashSet::new();
                while let Some((key, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    if !seen.insert(key.clone()) {
                        return Err(A::Error::custom(format!("duplicate key {key:?}")));
                    }
                    members.push((key, value));
                }
                Ok(Keys(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}
