//! `nnz normalize`, `nnz aggregate`, `nnz pca` and `nnz markers`.

use clap::{Args as Group, ValueEnum};
use nnz::compute::{
    AggregateOptions, Aggregation, MarkerOptions, MarkerTest, Normalization, PcaOptions,
    PearsonOptions, TargetSum,
};
use nnz::{Axis, Compression, Context, ConvertOptions, Error, Location, MatrixSource};

use super::Run;
use super::write::{self, counted, heading};
use super::written::Written;
use crate::Outcome;
use crate::args::reading::SourceFormat;
use crate::args::selecting::{FEATURES, selection};
use crate::args::values::SelectionArg;
use crate::args::{AxisArg, Labelling, Memory, Threads, Writing, location, reading};
use crate::output::{bytes, print_message, print_notes};

/// Normalize counts: scale each cell to the same sum, and take logarithms
///
/// Like normalize_total and log1p of scanpy, or normalize_pearson_residuals and regress_out. Values become float32, or float64 if SRC has values of 64
/// bits. Of an AnnData file, one matrix is written, with names and annotations: X, or the layer
/// FILE.h5ad::layers/NAME.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz normalize pbmc.bpcells normalized.h5ad --target-sum 1e4 --log1p
  nnz normalize pbmc.bpcells residuals.h5ad --pearson-residuals
  nnz normalize study.h5ad regressed.h5ad --target-sum 1e4 --log1p --regress-out n_counts
  nnz normalize study.h5ad study.h5ad::layers/lognorm --to anndata --target-sum 1e4 --log1p")]
pub(crate) struct Normalize {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Where to write it
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    /// Sum of each cell: a number, median for the median of the positive sums, or none to scale nothing [default: median,
    /// and none with --regress-out and --ranks]
    #[arg(long, value_name = "SUM")]
    pub(crate) target_sum: Option<OptionalSum>,

    /// Replace each value x by ln(1 + x), after scaling
    #[arg(long)]
    pub(crate) log1p: bool,

    /// Instead of scaling, replace counts by their Pearson residuals, which are dense: the differences from what the sums of
    /// cell and feature make expected, in standard deviations
    #[arg(long, conflicts_with_all = ["target_sum", "log1p"])]
    pub(crate) pearson_residuals: bool,

    /// Overdispersion of counts, for --pearson-residuals; inf for none
    #[arg(long, value_name = "THETA", default_value = "100", requires = "pearson_residuals")]
    pub(crate) theta: f64,

    /// Greatest absolute value of Pearson residuals [default: the square root of the number of cells]
    #[arg(long, value_name = "LIMIT", requires = "pearson_residuals")]
    pub(crate) clip: Option<f64>,

    /// Subtract what these annotations of cells explain, in a linear fit to each feature; values become dense
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub(crate) regress_out: Vec<String>,

    /// Replace values by their ranks in each cell or feature, minus the rank of zero
    #[arg(long, value_name = "AXIS")]
    pub(crate) ranks: Option<AxisArg>,

    #[command(flatten)]
    pub(crate) cells: Cells,

    #[command(flatten)]
    pub(crate) reading: reading::SourceFormat,

    #[command(flatten)]
    pub(crate) writing: Writing,

    #[command(flatten)]
    pub(crate) written: Written,
}

/// Add up the cells that have the same value of an annotation (pseudobulk)
///
/// DST has a row or column for each value instead of each cell, with the number of cells. Values are in the order of categories, or
/// sorted. Cells without a value are left out. Sums of integers are integers, other results are float64.
/// --col-annotations or --row-annotations adds a table to the annotations first.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz aggregate study.h5ad sums.h5ad --by tissue
  nnz aggregate study.h5ad bulk.h5ad --by tissue --by sample
  nnz aggregate pbmc.bpcells means.h5ad --by cluster --col-annotations clusters.csv --function mean")]
pub(crate) struct Aggregate {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Where to write the result
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    /// Column of the annotations of cells; several make a group of each combination of their values
    #[arg(long, value_name = "COLUMN", required = true)]
    pub(crate) by: Vec<String>,

    /// How to combine the values of each group
    #[arg(long, value_name = "FUNCTION", default_value = "sum")]
    pub(crate) function: Function,

    #[command(flatten)]
    pub(crate) cells: Cells,

    #[command(flatten)]
    pub(crate) reading: reading::SourceFormat,

    #[command(flatten)]
    pub(crate) writing: Writing,

    #[command(flatten)]
    pub(crate) written: Written,
}

/// Compute principal components
///
/// Features are centred. OUT.npz has the arrays scores (a row for each cell), loadings (a row for each
/// feature), singular_values, explained_variance, explained_variance_ratio and mean. OUT.h5ad has obsm/X_pca,
/// varm/PCs, uns/pca, names and annotations, but no X; with --into, they are added to an AnnData file. Components are found
/// in several passes over the entries by a randomized block Krylov method.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz pca pbmc.bpcells pca.h5ad --target-sum 1e4 --log1p
  nnz pca normalized.h5ad pca.npz --components 20
  nnz pca study.h5ad --into study.h5ad --target-sum 1e4 --log1p --features highly_variable=True")]
pub(crate) struct PrincipalComponents {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// File to write: .npz, .h5ad or .zarr
    #[arg(value_name = "OUT", value_parser = location(), required_unless_present = "into", conflicts_with = "into")]
    pub(crate) target: Option<Location>,

    /// Add the components to an AnnData file with the same cells, such as SRC. Existing ones are only replaced with
    /// --force
    #[arg(long, value_name = "FILE", value_parser = location())]
    pub(crate) into: Option<Location>,

    /// Number of components
    #[arg(long, value_name = "N", default_value = "50", value_parser = positive)]
    pub(crate) components: usize,

    /// First scale each cell to this sum: a number, or median [default: values as they are]
    #[arg(long, value_name = "SUM")]
    pub(crate) target_sum: Option<TargetSum>,

    /// First replace each value x by ln(1 + x), after scaling
    #[arg(long)]
    pub(crate) log1p: bool,

    /// Then subtract what these annotations of cells explain, in a linear fit to each feature
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub(crate) regress_out: Vec<String>,

    /// Only these features, as in nnz slice, such as highly_variable=True; sums of cells are those of all features
    #[arg(long, aliases = FEATURES, value_name = "LIST", value_parser = selection(), allow_negative_numbers = true)]
    pub(crate) features: Vec<SelectionArg>,

    /// Number of iterations; fewer are faster, and make the last components less precise [default: until all are precise]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) iterations: Option<usize>,

    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value = "0")]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) cells: Cells,

    #[command(flatten)]
    pub(crate) reading: reading::SourceFormat,

    #[command(flatten)]
    pub(crate) written: Written,

    /// Compression of OUT.h5ad and OUT.zarr: none, gzip:N (1 to 9) or zstd:N (1 to 22) [default: none]
    #[arg(long, value_name = "HOW")]
    pub(crate) compress: Option<Compression>,

    #[command(flatten)]
    pub(crate) labelling: Labelling,

    /// Overwrite OUT
    #[arg(long)]
    pub(crate) force: bool,

    /// Do not wait until the data is on disk (fsync)
    #[arg(long)]
    pub(crate) no_sync: bool,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// Find marker genes: features whose values in a group of cells differ from those in all other cells
///
/// Like rank_genes_groups of scanpy. OUT has a line for each group and feature, those with the highest scores first: score,
/// binary logarithm of the fold change, p-value, p-value adjusted by the method of Benjamini and Hochberg, and
/// the fractions of cells with a value other than zero in the group and outside of it. Values are taken for
/// logarithms, as --log1p makes them. Cells without a value of COLUMN are in no group, but among the others of every group.
/// If SRC is not stored by feature, its entries are sorted first. --col-annotations or --row-annotations adds a table to
/// the annotations first.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz markers normalized.h5ad markers.csv --by cluster
  nnz markers pbmc.bpcells genes.csv --by cluster --col-annotations clusters.csv --log1p
  nnz markers normalized.h5ad - --by cluster --top 5")]
pub(crate) struct Markers {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// File to write: .csv, .tsv or .txt, also with .gz, or - for standard output
    #[arg(value_name = "OUT", value_parser = location())]
    pub(crate) target: Location,

    /// Column of the annotations of cells, whose values are groups
    #[arg(long, value_name = "COLUMN")]
    pub(crate) by: String,

    /// Test of each group against all other cells
    #[arg(long, value_name = "TEST", default_value = "wilcoxon")]
    pub(crate) test: Test,

    /// Do not correct the Wilcoxon test for equal values
    #[arg(long)]
    pub(crate) no_tie_correction: bool,

    /// Number of features of each group to write [default: all]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) top: Option<usize>,

    /// First scale each cell to this sum: a number, or median [default: values as they are]
    #[arg(long, value_name = "SUM")]
    pub(crate) target_sum: Option<TargetSum>,

    /// First replace each value x by ln(1 + x), after scaling
    #[arg(long)]
    pub(crate) log1p: bool,

    #[command(flatten)]
    pub(crate) cells: Cells,

    #[command(flatten)]
    pub(crate) reading: reading::SourceFormat,

    #[command(flatten)]
    pub(crate) written: Written,

    #[command(flatten)]
    pub(crate) labelling: Labelling,

    /// Overwrite OUT
    #[arg(long)]
    pub(crate) force: bool,

    /// Do not wait until the data is on disk (fsync)
    #[arg(long)]
    pub(crate) no_sync: bool,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// A sum of each cell, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OptionalSum(pub(crate) Option<TargetSum>);

impl std::str::FromStr for OptionalSum {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "none" => Ok(Self(None)),
            _ => {
                text.parse().map(|sum| Self(Some(sum))).map_err(|error: String| error + ", or none")
            }
        }
    }
}

/// Which axis has the cells.
#[derive(Debug, Group)]
pub(crate) struct Cells {
    /// Axis of the cells in SRC: rows or cols [default: as SRC states, otherwise rows, or columns of .rds]
    #[arg(long = "axis", value_name = "AXIS", id = "cells_axis")]
    axis: Option<AxisArg>,
}

impl Cells {
    /// Returns the axis, if it is given.
    pub(crate) fn axis(
        &self,
        source: &Location,
        open: impl FnOnce() -> Result<Box<dyn MatrixSource>, Error>,
    ) -> Result<Option<Axis>, Error> {
        self.axis.map(|axis| axis.axis(source, || Ok(open()?.header().clone()))).transpose()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Function {
    /// The sum
    Sum,
    /// The mean of all cells of the group
    Mean,
    /// The number of cells with a value other than zero
    CountNonzero,
    /// The variance, with the number of cells minus 1 in the denominator
    Variance,
}

impl From<Function> for Aggregation {
    fn from(function: Function) -> Self {
        match function {
            Function::Sum => Self::Sum,
            Function::Mean => Self::Mean,
            Function::CountNonzero => Self::CountNonzero,
            Function::Variance => Self::Variance,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Test {
    /// The Wilcoxon rank-sum test
    Wilcoxon,
    /// Welch's t-test
    TTest,
}

impl From<Test> for MarkerTest {
    fn from(test: Test) -> Self {
        match test {
            Test::Wilcoxon => Self::Wilcoxon,
            Test::TTest => Self::TTest,
        }
    }
}

/// Returns the normalization of two options.
pub(crate) fn normalization(target_sum: Option<TargetSum>, log1p: bool) -> Normalization {
    Normalization::default().target_sum(target_sum).log1p(log1p)
}

/// Parses a number that is at least 1.
pub(super) fn positive(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(|| "expected a number of at least 1".to_owned())
}

impl Run for Normalize {
    /// Writes normalized values.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        self.written.check(&self.target)?;
        let options = self.reading.of_conversion(write::options(&self.writing, context)?);
        let axis = axis(&self.cells, &self.source, &self.reading, context)?;
        let residuals = PearsonOptions::default().theta(self.theta).clip(self.clip);
        let is_scaled =
            !self.pearson_residuals && self.regress_out.is_empty() && self.ranks.is_none();
        let target_sum = match self.target_sum {
            Some(OptionalSum(sum)) => sum,
            None => is_scaled.then(TargetSum::default),
        };
        let along = |given: AxisArg| {
            let header = || {
                Ok(self.reading.set().open(&self.source, context)?.into_matrix()?.header().clone())
            };
            given.axis(&self.source, header)
        };
        let how = normalization(target_sum, self.log1p)
            .axis(axis)
            .pearson_residuals(self.pearson_residuals.then_some(residuals))
            .regress_out(self.regress_out.clone())
            .ranks(self.ranks.map(along).transpose()?);
        let bytes_before = write::file_size(&self.source);
        let mut done =
            nnz::compute::normalize(&self.source, &self.target, &how, &options, context)?;
        done.bytes_before = bytes_before.or(done.bytes_before);
        let places = (std::slice::from_ref(&self.source), &self.target);
        self.written.print(quiet, places, &done, None)?;
        Ok(Outcome::Good)
    }

    fn writing(&mut self) -> Option<&mut Writing> {
        Some(&mut self.writing)
    }
}

impl Run for Aggregate {
    /// Writes sums of the cells of each group.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        self.written.check(&self.target)?;
        let options = self.reading.of_conversion(write::options(&self.writing, context)?);
        let axis = axis(&self.cells, &self.source, &self.reading, context)?;
        let how = AggregateOptions::default().aggregation(self.function.into()).axis(axis);
        let (source, target) = (&self.source, &self.target);
        let by: Vec<&str> = self.by.iter().map(String::as_str).collect();
        let done = nnz::compute::aggregate(source, target, &by, &how, &options, context)?;
        self.written.print(quiet, (std::slice::from_ref(source), target), &done, None)?;
        Ok(Outcome::Good)
    }

    fn writing(&mut self) -> Option<&mut Writing> {
        Some(&mut self.writing)
    }
}

impl Run for PrincipalComponents {
    /// Writes principal components.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        let Some(target) = self.target.as_ref().or(self.into.as_ref()) else {
            return Err(Error::argument("no file to write is given"));
        };
        self.written.check(target)?;
        let memory = context.memory();
        let [row_labels, col_labels] = self.labelling.labels(memory)?;
        let convert = ConvertOptions::default()
            .compress(self.compress)
            .overwrite(self.force)
            .sync(!self.no_sync)
            .row_labels(row_labels)
            .col_labels(col_labels);
        let convert = self.reading.of_conversion(convert);
        let axis = axis(&self.cells, &self.source, &self.reading, context)?;
        let features = SelectionArg::all(&self.features, false)?;
        let how = normalization(self.target_sum, self.log1p)
            .axis(axis)
            .features(features)
            .regress_out(self.regress_out.clone());
        let options = PcaOptions::default()
            .components(self.components)
            .iterations(self.iterations)
            .seed(self.seed);
        let source = &self.source;
        let done = match &self.into {
            None => nnz::compute::pca(source, target, &how, &options, &convert, context)?,
            Some(file) => nnz::compute::pca_into(source, file, &how, &options, &convert, context)?,
        };
        if self.written.is_json() {
            Written::print_components((source, target), &done)?;
            return Ok(Outcome::Good);
        }
        if quiet {
            return Ok(Outcome::Good);
        }
        print_notes(&done.notes);
        print_message(&heading(std::slice::from_ref(source), target));
        let cells = counted(done.shape.rows, "cell", "cells");
        let features = counted(done.shape.cols, "feature", "features");
        let components = counted(done.variance_ratio.len() as u64, "component", "components");
        let explained = 100.0 * done.variance_ratio.iter().sum::<f64>();
        print_message(&format!("  {cells}, {features}"));
        print_message(&match explained.is_nan() {
            true => format!("  {components} of values without variance"),
            false => format!("  {components} with {explained:.1} % of the variance"),
        });
        print_message(&format!("  {}, {:.2} s", bytes(done.bytes), done.seconds));
        Ok(Outcome::Good)
    }
}

impl Run for Markers {
    /// Writes markers.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        self.written.check(&self.target)?;
        let [row_labels, col_labels] = self.labelling.labels(context.memory())?;
        let convert = ConvertOptions::default()
            .overwrite(self.force)
            .sync(!self.no_sync)
            .row_labels(row_labels)
            .col_labels(col_labels);
        let convert = self.reading.of_conversion(convert);
        let axis = axis(&self.cells, &self.source, &self.reading, context)?;
        let how = normalization(self.target_sum, self.log1p).axis(axis);
        let options = MarkerOptions::default()
            .test(self.test.into())
            .tie_correction(!self.no_tie_correction)
            .top(self.top);
        let (source, target) = (&self.source, &self.target);
        let done =
            nnz::compute::markers(source, target, &self.by, &how, &options, &convert, context)?;
        if self.written.is_json() {
            Written::print_markers((source, target), &done)?;
            return Ok(Outcome::Good);
        }
        if quiet {
            return Ok(Outcome::Good);
        }
        print_notes(&done.notes);
        print_message(&heading(std::slice::from_ref(source), target));
        let cells = counted(done.shape.rows, "cell", "cells");
        let features = counted(done.shape.cols, "feature", "features");
        let groups = counted(done.groups, "group", "groups");
        print_message(&format!("  {cells} in {groups}, {features}"));
        print_message(&format!("  {}, {:.2} s", bytes(done.bytes), done.seconds));
        Ok(Outcome::Good)
    }
}

/// A matrix, the axis of its cells, and a note.
type Stated = (Box<dyn MatrixSource>, Axis, Option<String>);

/// Returns a matrix that states the axis of its cells, that axis or the one that is given, and a note if it is assumed.
pub(super) fn stating_cells(
    cells: &Cells,
    place: &Location,
    source: Box<dyn MatrixSource>,
) -> Result<Stated, Error> {
    let given = cells.axis.map(|axis| axis.axis(place, || Ok(source.header().clone())));
    let (given, options) = (given.transpose()?, ConvertOptions::default());
    let (source, _, note) = nnz::compute::stating_cells(source, given, &options);
    let axis = given.unwrap_or_else(|| nnz::engine::compute::cell_axis(source.header()));
    Ok((source, axis, note))
}

/// Returns the axis of the cells, if it is given.
fn axis(
    cells: &Cells,
    source: &Location,
    reading: &SourceFormat,
    context: &Context,
) -> Result<Option<Axis>, Error> {
    cells.axis(source, || {
        let opened = reading.set().open(source, context)?;
        opened.into_matrix()
    })
}
