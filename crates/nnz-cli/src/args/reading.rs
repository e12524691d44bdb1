//! How files are read.

use clap::Args as Group;
use nnz::formats::values::Dialect;
use nnz::formats::{FormatName, Registry};
use nnz::{ConvertOptions, OpenOptions, ValueType};

use super::ReadArgs;

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
    /// Returns the options to open the file.
    pub(crate) fn set(&self) -> OpenOptions {
        self.from.set(OpenOptions::new().dialect(self.from_dialect))
    }
}

/// How the source of a verb is read that also has options of targets, such as `--dialect`.
#[derive(Debug, Group)]
pub(crate) struct SourceFormat {
    #[command(flatten)]
    pub(crate) from: From,

    /// Dialect of SRC: spec, daphne or daphne-2022 [default: detected]
    #[arg(
        long,
        value_name = "DIALECT",
        help_heading = "Options for daphne",
        conflicts_with = "from_format"
    )]
    pub(crate) from_dialect: Option<Dialect>,
}

impl SourceFormat {
    /// Returns the options to open the file.
    pub(crate) fn set(&self) -> OpenOptions {
        self.from.set(OpenOptions::new().dialect(self.from_dialect))
    }

    /// Adds them to the options of a conversion.
    pub(crate) fn of_conversion(&self, options: ConvertOptions) -> ConvertOptions {
        options.open(self.set())
    }
}

/// The format of a file that is read, and its options.
#[derive(Debug, Group)]
pub(crate) struct From {
    /// Format of SRC: a name from nnz formats [default: detected]
    #[arg(long = "from", value_name = "FORMAT", id = "from_format", value_parser = format_name)]
    pub(crate) format: Option<FormatName>,

    #[command(flatten)]
    pub(crate) options: ReadArgs,
}

impl From {
    /// Sets the format if one is given, and its options.
    pub(crate) fn set(&self, options: OpenOptions) -> OpenOptions {
        let options = options.format_options(self.options.0.clone());
        match self.format {
            Some(name) => options.format(name),
            None => options,
        }
    }
}

fn format_name(text: &str) -> Result<FormatName, String> {
    let registry = Registry::default();
    // Fragments as text are read by `nnz fragments import` only.
    let readable = |name: &FormatName| *name != "fragment-text";
    let found = registry.find(text).map(|format| format.info().name).filter(readable);
    found.ok_or_else(|| {
        let names = registry.formats().iter().map(|format| format.info().name);
        let names: Vec<_> = names.filter(readable).map(FormatName::as_str).collect();
        format!("expected {}", names.join(", "))
    })
}

/// Options for the source of a conversion.
#[derive(Debug, Group)]
pub(crate) struct SourceOptions {
    #[command(flatten)]
    pub(crate) reading: SourceFormat,

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
    let found = nnz::formats::values::parse_daphne_type(text).or_else(|| text.parse().ok());
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
