//! Options of reading, as in the command.

use nnz::formats::{FormatName, FormatOption, FormatOptions, Registry, list};
use nnz::{ConvertOptions, OpenOptions};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

use crate::error::argument;
use crate::options::limits;
use crate::task::Limits;

/// The format of a source, and its options.
#[derive(Clone, Default)]
pub(crate) struct Reading {
    pub(crate) format: Option<FormatName>,
    pub(crate) options: FormatOptions,
}

impl Reading {
    /// Parses the options of a source.
    pub(crate) fn new(given: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut reading = Self::default();
        for (name, value) in given.into_iter().flatten() {
            let name: String = name.extract()?;
            if !value.is_none() && !reading.set(&name, &value)? {
                return Err(argument(value.py(), format!("unknown option {name:?}")));
            }
        }
        Ok(reading)
    }

    /// Sets an option; returns whether it is one of sources.
    pub(crate) fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        if name == FROM_FORMAT {
            self.format = Some(format(value)?);
            return Ok(true);
        }
        let known = list().into_iter().flat_map(|format| format.read_options);
        set_of_some_format(known, (name, value), &mut self.options)
    }

    /// Returns whether nothing is set.
    pub(crate) fn is_empty(&self) -> bool {
        self.format.is_none() && self.options.is_empty()
    }

    /// Returns the options to open a source.
    pub(crate) fn open_options(&self) -> OpenOptions {
        let options = OpenOptions::new().format_options(self.options.clone());
        match self.format {
            Some(name) => options.format(name),
            None => options,
        }
    }

    /// Adds them to the options of a conversion.
    pub(crate) fn of_conversion(self, options: ConvertOptions) -> ConvertOptions {
        options.open(self.open_options())
    }
}

/// The name of the option with the format.
pub(crate) const FROM_FORMAT: &str = "from_format";

/// Parses the options to open a source, and its limits.
pub(crate) fn open_options(
    py: Python<'_>,
    memory_limit: Option<&Bound<'_, PyAny>>,
    given: Option<&Bound<'_, PyDict>>,
) -> PyResult<(OpenOptions, Limits)> {
    let limits = limits(py, memory_limit, None)?;
    Ok((Reading::new(given)?.open_options(), limits))
}

/// Parses the name of the format of a source.
pub(crate) fn format(value: &Bound<'_, PyAny>) -> PyResult<FormatName> {
    let py = value.py();
    let Ok(name) = value.extract::<String>() else {
        return Err(argument(py, format!("{FROM_FORMAT} {}: expected a string", value.repr()?)));
    };
    match Registry::default().find(&name) {
        Some(format) => Ok(format.info().name),
        None => Err(argument(py, format!("unknown format {name:?}"))),
    }
}

/// Sets an option of some format, which has underscores for dashes and, if it can be repeated, a list of values. Returns
/// whether a format has it. Several formats can have the same name; the format checks the value again.
pub(crate) fn set_of_some_format(
    known: impl IntoIterator<Item = &'static FormatOption> + Clone,
    (name, value): (&str, &Bound<'_, PyAny>),
    options: &mut FormatOptions,
) -> PyResult<bool> {
    let is_named = |option: &&FormatOption| option.name.replace('-', "_") == name;
    if let Some(option) = known.clone().into_iter().find(|one| one.repeated && is_named(one)) {
        let values = match value.extract::<String>() {
            Ok(one) => vec![one],
            Err(_) => value.extract::<Vec<String>>().map_err(|_| {
                argument(value.py(), format!("{name}: expected a string or a list of strings"))
            })?,
        };
        values.into_iter().for_each(|value| options.add(option.name, value));
        return Ok(true);
    }
    let text = match value.cast::<PyBool>() {
        Ok(flag) => flag.is_true().to_string(),
        Err(_) => value.str()?.to_string(),
    };
    let mut refused = None;
    for option in known.into_iter().filter(is_named) {
        match (option.check)(&text) {
            Ok(()) => {
                options.set(option.name, text);
                return Ok(true);
            }
            Err(error) => refused = Some(format!("{name} {text:?}: {error}")),
        }
    }
    refused.map_or(Ok(false), |what| Err(argument(value.py(), what)))
}
