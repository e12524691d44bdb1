//! `nnz plot`.

mod json;
mod numbers;
mod output;

use std::path::PathBuf;

use clap::{Args as Group, ValueEnum};
use nnz::engine::Slice;
use nnz::plot::{LengthMeasure, PackedWidths};
use nnz::{Context, Dataset, Error, Location, MatrixSource, Place};
use numbers::Numbers;
use output::Output;

use super::Run;
use crate::Outcome;
use crate::args::{AxisArg, Memory, Selecting, Threads, location, reading};

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

    /// Width and height, such as 800x600: in pixels from 480x360 to 4000x4000, in the terminal in characters from 24x10 to
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

/// The error for a measure of something else.
const NOT_MEASURED: &str =
    "--measure applies to --kind rows, cols, cells and features; --kind spy draws nnz";

/// The error for a selection from something else.
const NOT_SELECTED: &str =
    "--rows, --cols, --cells and --features do not apply to --kind bits and fragments";

/// Bins along a file.
const BINS: usize = 400;

impl Run for Plot {
    /// Draws a picture of a matrix or of fragments, or prints its numbers.
    fn run(&self, _: bool, context: &Context) -> Result<Outcome, Error> {
        // An invalid output is reported before anything is read.
        let output = Output::of(self, context)?;
        check(self)?;
        let options = self.reading.set();
        let dataset = options.open(&self.source, context)?;
        let kind = self.kind.unwrap_or(match &dataset {
            Dataset::Fragments(_) => KindArg::Fragments,
            _ => KindArg::Spy,
        });
        let numbers = numbers(self, kind, dataset, &output, context)?;
        if self.json {
            numbers.print()?;
        } else {
            output.draw(&numbers.figure(&title(self)))?;
        }
        Ok(Outcome::Good)
    }
}

/// Computes the numbers of a kind.
fn numbers(
    args: &Plot,
    kind: KindArg,
    dataset: Dataset,
    output: &Output,
    context: &Context,
) -> Result<Numbers, Error> {
    let place = args.source.source_place();
    let axis = match kind {
        KindArg::Bits => return bits(dataset, &place).map(Numbers::Bits),
        KindArg::Fragments => {
            // If the kind follows from the file, they were not refused before.
            if args.measure.is_some() {
                return Err(Error::argument(NOT_MEASURED));
            }
            if !args.selecting.is_empty() {
                return Err(Error::argument(NOT_SELECTED));
            }
            let found = dataset.into_fragments().ok_or_else(|| {
                let what = "contains a matrix; --kind fragments requires genomic fragments";
                Error::unsupported(place.clone(), what)
            })?;
            let lengths = nnz::engine::plot::fragment_lengths(&*found, context);
            return lengths.map(Numbers::Fragments);
        }
        KindArg::Spy | KindArg::Values => None,
        KindArg::Rows => Some(AxisArg::Rows),
        KindArg::Cols => Some(AxisArg::Cols),
        KindArg::Cells => Some(AxisArg::Cells),
        KindArg::Features => Some(AxisArg::Features),
    };
    let matrix = matrix(args, dataset)?;
    if kind == KindArg::Values {
        return nnz::engine::plot::values(&*matrix, context).map(Numbers::Values);
    }
    let Some(axis) = axis else {
        let most = output.bins(matrix.header().shape);
        let found = nnz::engine::plot::density(&*matrix, most, context);
        return found.map(Numbers::Spy);
    };
    let axis = axis.axis(&args.source, || Ok(matrix.header().clone()))?;
    let measure = match args.measure {
        None | Some(MeasureArg::Nnz) => LengthMeasure::Nnz,
        Some(MeasureArg::Sum) => LengthMeasure::Sum,
    };
    let found = nnz::engine::plot::lengths(&*matrix, axis, measure, context);
    found.map(Numbers::Lengths)
}

/// Returns the bits of packed values along the arrays of a file.
fn bits(dataset: Dataset, place: &Place) -> Result<Vec<PackedWidths>, Error> {
    let found = match dataset {
        Dataset::Fragments(source) => source.packed_widths(BINS),
        other => other.into_matrix().and_then(|matrix| matrix.packed_widths(BINS)),
    };
    let found = found.map_err(|error| error.with_context(place))?;
    found.ok_or_else(|| {
        let what = "not bit-packed; --kind bits requires packed BPCells matrices or fragments";
        Error::unsupported(place.clone(), what)
    })
}

/// Refuses options that do not apply to the kind.
fn check(args: &Plot) -> Result<(), Error> {
    let is_measured = match (args.kind, args.measure) {
        (Some(KindArg::Rows | KindArg::Cols | KindArg::Cells | KindArg::Features), _) => true,
        // This is what is drawn.
        (None | Some(KindArg::Spy), Some(MeasureArg::Nnz)) => true,
        (_, measure) => measure.is_none(),
    };
    if !is_measured {
        return Err(Error::argument(NOT_MEASURED));
    }
    if matches!(args.kind, Some(KindArg::Bits | KindArg::Fragments)) && !args.selecting.is_empty() {
        return Err(Error::argument(NOT_SELECTED));
    }
    Ok(())
}

/// Returns the matrix, or the selection from it.
fn matrix(args: &Plot, dataset: Dataset) -> Result<Box<dyn MatrixSource>, Error> {
    let opened = dataset.into_matrix()?;
    let selected = args.selecting.of_axes(&args.source, || Ok(opened.header().clone()))?;
    let [None, None] = selected else {
        let [rows, cols] = selected.map(Option::unwrap_or_default);
        let part = Slice::in_source_order(opened, &rows, &cols)?;
        return Ok(Box::new(part));
    };
    Ok(opened)
}

/// Returns the title: by default the name of the source, without its directory.
fn title(args: &Plot) -> String {
    let text = args.title.clone().unwrap_or_else(|| match &args.source {
        Location::Path { path, group } => {
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
            group.as_ref().map_or_else(|| name.to_string(), |group| format!("{name}::{group}"))
        }
        other => other.to_string(),
    });
    nnz::text::escaped(&text).into_owned()
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
