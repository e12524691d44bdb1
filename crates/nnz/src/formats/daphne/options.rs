//! Options of DAPHNE targets.

use std::str::FromStr;

use nnz_core::Result;
use nnz_daphne::{BlockType, Dialect};

use crate::formats::{FormatOption, FormatOptions, LAYOUT};

/// Options of targets.
pub(super) const OPTIONS: &[FormatOption] = &[
    FormatOption::parsed::<Dialect>(
        "dialect",
        "DIALECT",
        "Dialect to write: spec, daphne or daphne-2022 [default: spec, which DAPHNE itself cannot read]",
    ),
    LAYOUT,
    FormatOption::parsed::<Block>(
        "block",
        "ROWSxCOLS",
        "Block size such as 1000x1000, or one for a single block [default: one]; a size needs memory for one \
         row of blocks",
    ),
    FormatOption::parsed::<BlockType>(
        "block-type",
        "TYPE",
        "How blocks store elements: empty, dense, sparse or ultra-sparse [default: by their \
         density]",
    ),
    FormatOption::flag(
        "narrow",
        "Store the values of each block in the smallest type that can represent them",
    ),
    FormatOption::flag("meta", "Also write a .meta file in the spec dialect"),
    FormatOption::parsed::<u64>(
        "segments",
        "N",
        "Write a directory of N files, each with some of the rows",
    ),
];

/// How a DAPHNE matrix or frame is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DaphneOptions {
    /// The dialect; by default the dialect of the specification. DAPHNE reads only its own.
    pub(crate) dialect: Option<Dialect>,
    /// Rows and columns of a block; by default there is one block.
    pub(crate) block: Option<(u32, u32)>,
    /// How blocks store elements; by default according to their density.
    pub(crate) block_type: Option<BlockType>,
    /// Whether each block has the narrowest type that holds its values.
    pub(crate) narrow: bool,
    /// Whether a `.meta` file is written for the dialect of the specification; for the others it
    /// always is.
    pub(crate) meta: bool,
    /// The number of files in a directory; by default the matrix is written to one file.
    pub(crate) segments: Option<u64>,
}

impl DaphneOptions {
    /// Parses the options that are set.
    pub(crate) fn parse(options: &FormatOptions) -> Result<Self> {
        Ok(Self {
            dialect: options.parse("dialect")?,
            block: options.parse::<Block>("block")?.and_then(|Block(sides)| sides),
            block_type: options.parse("block-type")?,
            narrow: options.flag("narrow")?,
            meta: options.flag("meta")?,
            segments: options.parse("segments")?,
        })
    }
}

/// Rows and columns of a block; `None` for one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block(Option<(u32, u32)>);

impl FromStr for Block {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let side = |side: &str| side.parse().ok().filter(|&side: &u32| side > 0);
        let sides = text.split_once('x').and_then(|(rows, cols)| side(rows).zip(side(cols)));
        match sides {
            None if text == "one" => Ok(Self(None)),
            None => Err("expected rows and columns of a block, such as 1000x1000, or one"),
            sides => Ok(Self(sides)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_rows_and_columns() {
        assert_eq!("1000x20".parse(), Ok(Block(Some((1000, 20)))));
        assert_eq!("one".parse(), Ok(Block(None)));
        for text in ["", "10", "x", "0x1", "1x0", "1x2x3", "-1x2", "4294967296x1", "One"] {
            assert!(text.parse::<Block>().is_err(), "{text}");
        }
    }
}
