//! What can be said of files of DAPHNE.

use clap::Args as Group;
use nnz::ValueType;
use nnz::daphne::{BlockType, DaphneOptions, Dialect};

/// How a file is read.
#[derive(Debug, Group)]
pub(crate) struct Reading {
    /// DAPHNE: the dialect to read: spec, daphne or daphne-2022 [default: recognised]
    #[arg(long, value_name = "DIALECT")]
    pub(crate) dialect: Option<Dialect>,
}

/// What the source of a conversion is.
#[derive(Debug, Group)]
pub(crate) struct SourceIs {
    /// DAPHNE: the dialect of SRC: spec, daphne or daphne-2022 [default: recognised]
    #[arg(long, value_name = "DIALECT")]
    pub(crate) from_dialect: Option<Dialect>,

    /// Frames: the types of the columns of a .csv, as DAPHNE calls them (si64, f64) or as nnz does
    /// [default: the first of int64, uint64 and float64 that holds all values of a column]
    #[arg(long, value_name = "TYPE,...", value_delimiter = ',', value_parser = column_type)]
    pub(crate) types: Option<Vec<ValueType>>,
}

/// How a file is written.
#[derive(Debug, Group)]
pub(crate) struct Written {
    /// DAPHNE: the dialect to write: spec, daphne (what it reads) or daphne-2022 [default: spec]
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<Dialect>,

    /// DAPHNE: rows and columns of a block, such as 1000x1000, or one; the entries of as many rows are in
    /// memory then [default: one]
    #[arg(long, value_name = "ROWSxCOLS", value_parser = block)]
    block: Option<Block>,

    /// DAPHNE: how blocks store cells: empty, dense, sparse or ultra-sparse [default: as their
    /// density suggests]
    #[arg(long, value_name = "TYPE")]
    block_type: Option<BlockType>,

    /// DAPHNE: give each block the narrowest type that holds its values
    #[arg(long)]
    narrow: bool,

    /// DAPHNE: write a .meta beside the published dialect too
    #[arg(long)]
    meta: bool,

    /// DAPHNE: write a directory of so many files, each with some of the rows
    #[arg(long, value_name = "N")]
    segments: Option<u64>,
}

impl Written {
    /// Returns what was said.
    pub(crate) fn options(&self) -> DaphneOptions {
        DaphneOptions {
            dialect: self.dialect,
            block: self.block.and_then(|Block(sides)| sides),
            block_type: self.block_type,
            narrow: self.narrow,
            meta: self.meta,
            segments: self.segments,
        }
    }
}

/// Rows and columns of a block; `None` where there is but one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block(Option<(u32, u32)>);

fn block(text: &str) -> Result<Block, String> {
    let side = |side: &str| side.parse().ok().filter(|&side: &u32| side > 0);
    let sides = text.split_once('x').and_then(|(rows, cols)| side(rows).zip(side(cols)));
    match sides {
        None if text == "one" => Ok(Block(None)),
        None => Err("expected rows and columns of a block, such as 1000x1000, or one".to_owned()),
        sides => Ok(Block(sides)),
    }
}

fn column_type(text: &str) -> Result<ValueType, String> {
    nnz::daphne::value_type(text).map_or_else(|| text.parse(), Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_two_sides() {
        assert_eq!(block("1000x20"), Ok(Block(Some((1000, 20)))));
        assert_eq!(block("one"), Ok(Block(None)));
        for text in ["", "10", "x", "0x1", "1x0", "1x2x3", "-1x2", "4294967296x1", "One"] {
            assert!(block(text).is_err(), "{text}");
        }
    }

    #[test]
    fn types_of_columns_have_names_of_daphne_and_of_nnz() {
        assert_eq!(column_type("si16"), Ok(ValueType::I16));
        assert_eq!(column_type("f64"), Ok(ValueType::F64));
        assert_eq!(column_type("uint8"), Ok(ValueType::U8));
        assert_eq!(column_type("double"), Ok(ValueType::F64));
        assert!(column_type("str").is_err());
    }
}
