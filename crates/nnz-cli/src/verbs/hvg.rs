//! `nnz hvg`.

use clap::Args as Group;
use nnz::annotations::TableOutput;
use nnz::compute::{TargetSum, VariableOptions, batches_by, highly_variable, notes_on_logarithms};
use nnz::{Axis, Context, ConvertOptions, Error, Location};

use super::Run;
use super::compute::{Cells, normalization, positive, stating_cells};
use super::qc::add_columns;
use crate::Outcome;
use crate::args::{Memory, Threads, location, reading};
use crate::output::print_notes;

/// Find highly variable features
///
/// The table has the columns of highly_variable_genes of scanpy with the flavor seurat: means, dispersions,
/// dispersions_norm and highly_variable. SRC has logarithms, or --target-sum and --log1p compute them.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz hvg counts.h5ad --into counts.h5ad --target-sum 1e4 --log1p --top 2000
  nnz hvg pbmc.bpcells genes.csv --target-sum 1e4 --log1p")]
pub(crate) struct HighlyVariable {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Table of features to write: .csv, .tsv or .txt, also with .gz, or - for standard output
    #[arg(value_name = "OUT", value_parser = location(), default_value = "-")]
    pub(crate) target: Location,

    /// Add the columns to var of an AnnData file with the same features. Existing ones are only replaced with --force
    #[arg(long, value_name = "FILE", value_parser = location(), conflicts_with = "target")]
    pub(crate) into: Option<Location>,

    /// Number of features to choose [default: those within the limits]
    #[arg(long, value_name = "N", value_parser = positive)]
    #[arg(conflicts_with_all = ["min_mean", "max_mean", "min_disp", "max_disp"])]
    pub(crate) top: Option<usize>,

    /// Lower limit of ln(1 + mean)
    #[arg(long, value_name = "X", default_value = "0.0125")]
    pub(crate) min_mean: f64,

    /// Upper limit of ln(1 + mean)
    #[arg(long, value_name = "X", default_value = "3")]
    pub(crate) max_mean: f64,

    /// Lower limit of the normalized dispersion
    #[arg(long, value_name = "X", default_value = "0.5")]
    pub(crate) min_disp: f64,

    /// Upper limit of the normalized dispersion
    #[arg(long, value_name = "X", default_value = "inf")]
    pub(crate) max_disp: f64,

    /// Annotation of cells with their batch: features are found in each, and those found in most are chosen
    #[arg(long, value_name = "COLUMN")]
    pub(crate) batch: Option<String>,

    /// First scale each cell to this sum: a number, or median [default: values as they are]
    #[arg(long, value_name = "SUM")]
    pub(crate) target_sum: Option<TargetSum>,

    /// First replace each value x by ln(1 + x), after scaling
    #[arg(long)]
    pub(crate) log1p: bool,

    /// Replace OUT, or columns of FILE, if they exist
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) cells: Cells,

    #[command(flatten)]
    pub(crate) reading: reading::SourceFormat,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

impl Run for HighlyVariable {
    /// Writes a table of features, or adds its columns to a file.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        // Before anything is computed.
        let output = match &self.into {
            Some(_) => None,
            None => Some(TableOutput::create(&self.target, context.output(self.force, true))?),
        };
        let source = self.reading.set().open(&self.source, context)?.into_matrix()?;
        let (source, axis, assumed) = stating_cells(&self.cells, &self.source, source)?;
        let how = normalization(self.target_sum, self.log1p).axis(Some(axis));
        let notes = assumed.into_iter().chain(notes_on_logarithms(&*source, &how, context)?);
        if !quiet {
            print_notes(notes);
        }
        let source = how.apply(source, &ConvertOptions::default(), context)?;
        let batches = self.batch.as_deref();
        let batches = batches.map(|name| batches_by(&*source, axis, name, context)).transpose()?;
        let options = VariableOptions::default()
            .axis(Some(axis))
            .top(self.top)
            .mean([self.min_mean, self.max_mean])
            .dispersion([self.min_disp, self.max_disp])
            .batches(batches);
        let found = highly_variable(&*source, &options, context)?;
        if let Some(file) = &self.into {
            let tables = [(Axis::Cols, found)];
            // As scanpy states it.
            let flavor = vec![("flavor".to_owned(), "seurat".to_owned())];
            let stated = vec![("hvg".to_owned(), flavor)];
            return add_columns(file, &self.source, tables, stated, (self.force, quiet), context);
        }
        output.map(|output| output.write(&found)).transpose()?;
        Ok(Outcome::Good)
    }
}
