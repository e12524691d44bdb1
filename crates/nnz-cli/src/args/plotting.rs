//! `nnz plot`.

use std::path::PathBuf;

use clap::{Args as Group, ValueEnum};
use nnz::Location;

use super::{Memory, Selecting, Threads, location, reading};

/// Draw where entries are, or how counts and values are distributed
///
/// Without OUT, the picture is drawn in the terminal, as text if the output is not a terminal; NO_COLOR switches colours
/// off. The entries are read once, in little memory. Of a symmetric matrix, the implied entries are drawn, too; of a dense
/// matrix, the elements that are not zero.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz plot pbmc.bpcells
  nnz plot pbmc.bpcells spy.svg
  nnz plot pbmc.bpcells knee.png --kind cols --measure sum
  nnz plot pbmc.bpcells --kind values --json")]
pub(crate) struct Plot {
    /// The matrix, or fragments
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// File to write: .svg or .png [default: draw in the terminal]
    #[arg(value_name = "OUT")]
    pub(crate) target: Option<PathBuf>,

    /// Kind of plot [default: spy, for fragments: fragments]
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<KindArg>,

    /// Measure of each row or column [default: nnz]
    #[arg(long, value_name = "WHAT")]
    pub(crate) measure: Option<MeasureArg>,

    /// Width and height, such as 800x600: in pixels from 300x200 to 4000x4000, in the terminal in characters from 24x10 to
    /// 1000x1000 [default: 800x600, as PNG 1600x1200, or the size of the terminal]
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub(crate) size: Option<[u32; 2]>,

    /// Title of the picture [default: the name of SRC]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,

    /// Print JSON
    #[arg(long, conflicts_with_all = ["target", "title"])]
    pub(crate) json: bool,

    /// Replace OUT if it exists
    #[arg(long, requires = "target")]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) selecting: Selecting,

    #[command(flatten)]
    pub(crate) reading: reading::Reading,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// The kind of plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindArg {
    /// Where entries are: their number in each bin of a grid
    Spy,
    /// How entries or sums of rows are distributed
    Rows,
    /// How entries or sums of columns are distributed
    Cols,
    /// How entries or sums of cells are distributed
    Cells,
    /// How entries or sums of features are distributed
    Features,
    /// How values are distributed
    Values,
    /// Bits per value along a bit-packed BPCells file
    Bits,
    /// How lengths of fragments are distributed
    Fragments,
}

/// The measure of a row or column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeasureArg {
    /// The number of stored entries, in a dense matrix of nonzero elements
    Nnz,
    /// The sum of the values
    Sum,
}

/// Parses a size.
fn size(text: &str) -> Result<[u32; 2], String> {
    let number = |text: &str| text.parse().ok().filter(|number| *number > 0);
    let sides = text.split_once(['x', 'X']).map(|(width, height)| [number(width), number(height)]);
    match sides {
        Some([Some(width), Some(height)]) => Ok([width, height]),
        _ => Err("expected a width and a height, such as 800x600".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_a_width_and_a_height() {
        assert_eq!(size("800x600"), Ok([800, 600]));
        for text in
            ["", "800", "800x", "x600", "0x600", "-1x5", "800x600x2", "1e3x5", "99999999999x1"]
        {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
