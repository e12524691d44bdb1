//! Options of targets and sources that only some formats have.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use nnz_core::{Error, Result};

/// An option of the targets or of the sources of a format.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct FormatOption {
    /// The name, as in `--name`. Several formats can have it.
    pub name: &'static str,
    /// The name of the value in help; `None` for a flag.
    pub value: Option<&'static str>,
    /// One sentence of help.
    pub help: &'static str,
    /// Checks a value; the error states what is expected.
    pub check: fn(&str) -> Result<(), String>,
    /// Whether it can be given several times.
    pub repeated: bool,
}

impl FormatOption {
    /// Declares a flag.
    #[must_use]
    pub const fn flag(name: &'static str, help: &'static str) -> Self {
        Self { name, value: None, help, check: is::<bool>, repeated: false }
    }

    /// Declares an option with a value of type `T`.
    #[must_use]
    pub const fn parsed<T: FromStr<Err: fmt::Display>>(
        name: &'static str,
        value: &'static str,
        help: &'static str,
    ) -> Self {
        Self { name, value: Some(value), help, check: is::<T>, repeated: false }
    }

    /// Declares an option that can be given several times, each time with any text.
    #[must_use]
    pub const fn repeated(name: &'static str, value: &'static str, help: &'static str) -> Self {
        Self { name, value: Some(value), help, check: is::<String>, repeated: true }
    }
}

impl fmt::Debug for FormatOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FormatOption")
            .field("name", &self.name)
            .field("value", &self.value)
            .finish_non_exhaustive()
    }
}

fn is<T: FromStr<Err: fmt::Display>>(text: &str) -> Result<(), String> {
    text.parse::<T>().map(drop).map_err(|error| error.to_string())
}

/// Values of format options, by name. The value of a flag is `true` or `false`.
///
/// ```
/// use nnz::formats::FormatOptions;
/// use nnz::formats::values::Layout;
///
/// let options = FormatOptions::new().with("layout", "array").with("narrow", "true");
/// assert_eq!(options.parse::<Layout>("layout")?, Some(Layout::Array));
/// assert!(options.flag("narrow")?);
/// assert!(options.parse::<u64>("layout").is_err());
/// # Ok::<(), nnz::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormatOptions(BTreeMap<String, Vec<String>>);

impl FormatOptions {
    /// Creates an empty set of options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets an option.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.set(name, value);
        self
    }

    /// Sets an option.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.insert(name.into(), vec![value.into()]);
    }

    /// Adds a value of an option that can be given several times.
    pub fn add(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.entry(name.into()).or_default().push(value.into());
    }

    /// Returns the value of an option; the first if there are several.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).first().map(String::as_str)
    }

    /// Returns all values of an option.
    #[must_use]
    pub fn all(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the names of the set options.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns whether no option is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Parses the value of an option.
    ///
    /// # Errors
    ///
    /// Fails if the value is not one of the type.
    pub fn parse<T: FromStr<Err: fmt::Display>>(&self, name: &str) -> Result<Option<T>> {
        let parse = |text: &str| {
            text.parse().map_err(|error| {
                let text = text.escape_debug();
                Error::argument(format!("invalid value \"{text}\" of the option {name}: {error}"))
            })
        };
        self.get(name).map(parse).transpose()
    }

    /// Returns whether a flag is set.
    ///
    /// # Errors
    ///
    /// Fails if the value is neither `true` nor `false`.
    pub fn flag(&self, name: &str) -> Result<bool> {
        Ok(self.parse(name)?.unwrap_or(false))
    }
}
