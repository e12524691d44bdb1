//! `nnz convert` and `nnz transpose`.

use clap::Args as Group;
use nnz::{Context, Error, Location, MatrixSource, Profile};

use super::Run;
use super::write::{file_size, header_of, options};
use super::written::Written;
use crate::Outcome;
use crate::args::{Writing, location, reading, reordering};

/// Convert a matrix to another format
///
/// The target is written completely or not at all. Values are stored exactly; if one cannot be, the
/// error names the first, and nothing is written. An AnnData, MuData or Loom file is converted to
/// another with everything in it; FILE.h5ad::X is only its matrix, with names and annotations.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz convert filtered_feature_bc_matrix pbmc.bpcells
  nnz convert pbmc.bpcells pbmc.mtx.gz
  nnz convert pbmc.bpcells study.h5ad::bpcells/raw --to bpcells --compress gzip:1
  nnz convert pbmc.bpcells pbmc.rds --to dgCMatrix
  nnz convert study.h5ad study.zarr
  nnz convert counts.mtx counts.bpcells --order row --type double
  nnz convert pbmc.bpcells packed.bpcells --reorder rows=frequency
  nnz convert counts.mtx counts.dbdf --dialect daphne
  nnz convert counts.csv.gz counts.h5ad
  nnz convert people.csv people.dbdf --types si64,f64,ui8")]
pub(crate) struct Convert {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Where to write it; with --to 10x, bpcells or binsparse, a name without an extension is a directory
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    #[command(flatten)]
    pub(crate) source_options: reading::SourceOptions,

    #[command(flatten)]
    pub(crate) reordering: reordering::Reorderings,

    /// Set the options that are not given. fast: for reading; integers are packed in BPCells, nothing is
    /// compressed, and features are ordered by frequency if SRC is stored by cell. small: the same order, and the best
    /// compression that usual programs read. share: gzip, which all programs read
    #[arg(long, value_name = "PURPOSE", value_parser = ["fast", "small", "share"])]
    pub(crate) profile: Option<String>,

    #[command(flatten)]
    pub(crate) writing: Writing,

    #[command(flatten)]
    pub(crate) written: Written,
}

/// `transpose` exchanges rows and columns by default, whatever the format.
const TRANSPOSED_CELL_AXIS: &str = "Axis of the cells in DST: the matrix is transposed only if needed; as-is \
                                    always transposes it [default: as-is]";

/// Transpose a matrix, in any format
///
/// The storage order stays the same: a matrix stored by column is written by column.
#[derive(Debug, Group)]
#[command(mut_arg("types", |arg| arg.hide(true)))]
#[command(mut_arg("cell_axis", |arg| arg.help(TRANSPOSED_CELL_AXIS)))]
#[command(after_help = "Example:\n  nnz transpose pbmc.bpcells cells_by_genes.bpcells")]
pub(crate) struct Transpose {
    #[command(flatten)]
    pub(crate) convert: Convert,
}

impl Run for Convert {
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        convert(self, false, quiet, context)
    }

    fn writing(&mut self) -> Option<&mut Writing> {
        Some(&mut self.writing)
    }
}

impl Run for Transpose {
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        convert(&self.convert, true, quiet, context)
    }

    fn writing(&mut self) -> Option<&mut Writing> {
        Some(&mut self.convert.writing)
    }
}

impl Convert {
    /// Converts a matrix that is open instead of the source, and prints a summary.
    pub(crate) fn run_on(
        &self,
        source: &dyn MatrixSource,
        quiet: bool,
        context: &Context,
    ) -> Result<Outcome, Error> {
        self.written.check(&self.target)?;
        let header = || Ok(source.header().clone());
        let options = options(&self.writing, context)?
            .reorder(self.reordering.of_axes(&self.source, header)?)
            .profile(self.purpose()?);
        let summary = nnz::convert_source(source, &self.target, &options, context)?;
        let places = (std::slice::from_ref(&self.source), &self.target);
        self.written.print(quiet, places, &summary, None)?;
        Ok(Outcome::Good)
    }

    fn purpose(&self) -> Result<Option<Profile>, Error> {
        self.profile.as_deref().map(str::parse).transpose().map_err(Error::argument)
    }
}

/// Converts or transposes, and prints a summary.
fn convert(
    args: &Convert,
    transpose: bool,
    quiet: bool,
    context: &Context,
) -> Result<Outcome, Error> {
    args.written.check(&args.target)?;
    let reading = &args.source_options.reading;
    let options = reading.of_conversion(options(&args.writing, context)?).transpose(transpose);
    let options = options.reorder(
        args.reordering.of_axes(&args.source, || header_of(&args.source, reading, context))?,
    );
    let options = options.profile(args.purpose()?).types(args.source_options.types.clone());
    let bytes_before = file_size(&args.source);
    let mut summary = nnz::convert(&args.source, &args.target, &options, context)?;
    summary.bytes_before = bytes_before.or(summary.bytes_before);
    let places = (std::slice::from_ref(&args.source), &args.target);
    args.written.print(quiet, places, &summary, None)?;
    Ok(Outcome::Good)
}
