//! How files of DAPHNE and frames are read.

use clap::Args as Group;
use nnz::ValueType;
use nnz::daphne::Dialect;

/// How a file is read.
#[derive(Debug, Group)]
pub(crate) struct Reading {
    /// The dialect to read: spec, daphne or daphne-2022 [default: recognised]
    #[arg(long, value_name = "DIALECT", help_heading = "Options of daphne")]
    pub(crate) dialect: Option<Dialect>,
}

/// What the source of a conversion is.
#[derive(Debug, Group)]
pub(crate) struct SourceIs {
    /// The dialect of SRC: spec, daphne or daphne-2022 [default: recognised]
    #[arg(long, value_name = "DIALECT", help_heading = "Options of daphne")]
    pub(crate) from_dialect: Option<Dialect>,

    /// Frames: the types of the columns of a .csv, as DAPHNE calls them (si64, f64) or as nnz does
    /// [default: the first of int64, uint64 and float64 that holds all values of a column]
    #[arg(long, value_name = "TYPE,...", value_delimiter = ',', value_parser = column_type)]
    pub(crate) types: Option<Vec<ValueType>>,
}

fn column_type(text: &str) -> Result<ValueType, String> {
    nnz::daphne::value_type(text).map_or_else(|| text.parse(), Ok)
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
