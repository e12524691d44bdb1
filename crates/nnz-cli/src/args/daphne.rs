//! How files are read.

use clap::Args as Group;
use nnz::daphne::Dialect;
use nnz::formats::Registry;
use nnz::{OpenOptions, ValueType};

/// How a file is read.
#[derive(Debug, Group)]
pub(crate) struct Reading {
    #[command(flatten)]
    pub(crate) from: From,

    /// Dialect of SRC: spec, daphne or daphne-2022 [default: detected]
    #[arg(
        long,
        alias = "dialect",
        value_name = "DIALECT",
        help_heading = "Options for daphne",
        conflicts_with = "from_format"
    )]
    pub(crate) from_dialect: Option<Dialect>,
}

impl Reading {
    /// Returns the options to open the file, with a memory limit if one is given.
    pub(crate) fn set(&self, memory: Option<u64>) -> OpenOptions {
        self.from.set(OpenOptions::new().memory_limit(memory).dialect(self.from_dialect))
    }
}

/// The format of a file that is read.
#[derive(Debug, Group)]
pub(crate) struct From {
    /// Format of SRC: a name from nnz formats [default: detected]
    #[arg(long = "from", value_name = "FORMAT", id = "from_format", value_parser = format_name)]
    pub(crate) format: Option<&'static str>,
}

impl From {
    /// Sets the format if one is given.
    pub(crate) fn set(&self, options: OpenOptions) -> OpenOptions {
        match self.format {
            Some(name) => options.format(name),
            None => options,
        }
    }
}

fn format_name(text: &str) -> Result<&'static str, String> {
    let registry = Registry::default();
    // Fragments as text are read by `nnz fragments import` only.
    let readable = |name: &&str| *name != "fragment-text";
    let found = registry.find(text).map(|format| format.info().name).filter(readable);
    found.ok_or_else(|| {
        let names = registry.formats().iter().map(|format| format.info().name);
        let names: Vec<_> = names.filter(readable).collect();
        format!("expected {}", names.join(", "))
    })
}

/// The dialect of sources.
#[derive(Debug, Group)]
pub(crate) struct FromDialect {
    /// Dialect of SRC: spec, daphne or daphne-2022 [default: detected]
    #[arg(long, value_name = "DIALECT", help_heading = "Options for daphne")]
    pub(crate) from_dialect: Option<Dialect>,
}

/// Options for the source of a conversion.
#[derive(Debug, Group)]
pub(crate) struct SourceOptions {
    #[command(flatten)]
    pub(crate) dialect: FromDialect,

    /// Column types of a .csv source, with names of DAPHNE such as si64 or of nnz such as int64 [default: the
    /// first of int64, uint64 and float64 that holds all values of the column]
    #[arg(
        long,
        value_name = "TYPE,...",
        value_delimiter = ',',
        value_parser = column_type,
        help_heading = "Options for daphne"
    )]
    pub(crate) types: Option<Vec<ValueType>>,
}

fn column_type(text: &str) -> Result<ValueType, String> {
    let found = nnz::daphne::value_type(text).or_else(|| text.parse().ok());
    found.ok_or_else(|| {
        "expected si8 to si64, ui8 to ui64, f32 or f64; or int8 to int64, uint8 to uint64, float32 or \
         float64"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_columns_have_names_of_daphne_and_of_nnz() {
        assert_eq!(column_type("si16"), Ok(ValueType::I16));
        assert_eq!(column_type("f64"), Ok(ValueType::F64));
        assert_eq!(column_type("uint8"), Ok(ValueType::U8));
        assert_eq!(column_type("double"), Ok(ValueType::F64));
        assert!(column_type("str").is_err());
    }
}
