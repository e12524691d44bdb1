//! `nnz concat`.

use clap::{Args as Group, ValueEnum};
use nnz::collection::{CollectionConcatOptions, Join};
use nnz::{ConcatOptions, Context, Error, Location};

use super::Run;
use super::write::{first_of_several, header_of, options};
use super::written::Written;
use crate::Outcome;
use crate::args::values::number;
use crate::args::{AxisArg, Writing, location, reading};

const COMMON_TYPE: &str = "Value type: int8 to int64, uint8 to uint64, float32, float64, bint8 (bool), \
                           complex[float32] or complex[float64], if the target supports it; int, uint, \
                           float and double are int32, uint32, float32 and float64 [default: the smallest \
                           type that holds the values of all matrices]";

/// Concatenate matrices along an axis
///
/// With --axis rows, the rows of each matrix follow the rows of the previous matrix; with --axis cols,
/// the columns. The other axis must have the same size and, if present, the same names. The target has the
/// smallest value type that holds the values of all matrices exactly. AnnData files are concatenated along
/// cells with all layers, raw, obs and obsm; genes are matched by name. So are MuData files, with the modalities that all of them have, and Loom
/// files. Along features, AnnData files become the modalities of a .h5mu file. FILE.h5ad::X is only the matrix.
#[derive(Debug, Group)]
#[command(mut_arg("value_type", |arg| arg.help(COMMON_TYPE)))]
#[command(after_help = "\
Examples:
  nnz concat monday.bpcells tuesday.bpcells all.bpcells --axis cols
  nnz concat monday.bpcells tuesday.bpcells days.h5ad --axis cells --label day --index-unique -
  nnz concat a.h5ad b.h5ad all.h5ad --axis rows --join outer --label batch --keys first,second
  nnz concat a.h5ad b.h5ad both.h5mu --axis features --keys rna,protein")]
pub(crate) struct Concat {
    /// The matrices, at least two
    #[arg(value_name = "SRC", value_parser = location(), required = true)]
    pub(crate) sources: Vec<Location>,

    /// Where to write the result
    #[arg(value_name = "DST", value_parser = location(), required = true)]
    pub(crate) target: Location,

    /// Axis to concatenate along
    #[arg(long, value_name = "AXIS")]
    pub(crate) axis: AxisArg,

    /// Use the names of the other axis of the first matrix with names, even if they differ
    #[arg(long)]
    pub(crate) ignore_names: bool,

    #[command(flatten)]
    pub(crate) reading: reading::SourceFormat,

    #[command(flatten)]
    pub(crate) files: ConcatFiles,

    #[command(flatten)]
    pub(crate) writing: Writing,

    #[command(flatten)]
    pub(crate) written: Written,
}

const WHOLE_FILES: &str = "Options for whole AnnData and MuData files";
const KEYS: &str = "Options for the source of each cell";

/// How whole files are concatenated.
#[derive(Debug, Group)]
pub(crate) struct ConcatFiles {
    /// Keep the genes and the columns of obs that all files have (inner) or that any file has (outer);
    /// genes are matched by name [default: all files must have the same genes]. Of files that become modalities, keep the
    /// cells that all have (inner) or any has (outer, the default)
    #[arg(long, value_name = "HOW", help_heading = WHOLE_FILES)]
    pub(crate) join: Option<JoinArg>,

    /// Add a column of annotations with the key of the source
    #[arg(long, value_name = "COLUMN", help_heading = KEYS)]
    pub(crate) label: Option<String>,

    /// Make names unique: append SEPARATOR and the key of the source
    #[arg(long, value_name = "SEPARATOR", help_heading = KEYS)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) index_unique: Option<String>,

    /// The keys, one for each source, separated by commas [default: 0, 1, ... of AnnData and MuData files, and
    /// the names of other sources without extension]. Of files that become modalities, their names
    #[arg(long, value_name = "KEYS", help_heading = KEYS, value_delimiter = ',')]
    pub(crate) keys: Vec<String>,

    /// Value of missing elements of dense arrays with --join outer [default: NaN]; missing elements
    /// of sparse arrays are 0, so if there are any, another NUMBER is an error
    #[arg(long, value_name = "NUMBER", help_heading = WHOLE_FILES)]
    #[arg(allow_negative_numbers = true, value_parser = number)]
    pub(crate) fill: Option<f64>,
}

/// Which genes and columns are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum JoinArg {
    Inner,
    Outer,
}

impl From<JoinArg> for Join {
    fn from(join: JoinArg) -> Self {
        match join {
            JoinArg::Inner => Self::Inner,
            JoinArg::Outer => Self::Outer,
        }
    }
}

impl Run for Concat {
    /// Concatenates matrices.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        self.written.check(&self.target)?;
        let options = self.reading.of_conversion(options(&self.writing, context)?);
        let first = first_of_several(&self.sources, &self.target)?;
        let axis = self.axis.axis(first, || header_of(first, &self.reading, context))?;
        let collections = CollectionConcatOptions::default()
            .join(self.files.join.map(Into::into))
            .label(self.files.label.clone())
            .index_unique(self.files.index_unique.clone())
            .keys(self.files.keys.clone())
            .fill(self.files.fill);
        let how = ConcatOptions::default().ignore_names(self.ignore_names).collections(collections);
        let summary = nnz::concat(&self.sources, &self.target, axis, &how, &options, context)?;
        self.written.print(quiet, (&self.sources, &self.target), &summary, None)?;
        Ok(Outcome::Good)
    }

    fn writing(&mut self) -> Option<&mut Writing> {
        Some(&mut self.writing)
    }
}
