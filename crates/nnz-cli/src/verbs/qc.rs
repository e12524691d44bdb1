//! `nnz qc`.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use clap::Args as Group;
use nnz::annotations::{AnnotationTable, TableOutput};
use nnz::compute::{QcOptions, qc};
use nnz::edit::{AddedColumns, Changes};
use nnz::{Axis, Context, EditOptions, Error, Location};

use super::Run;
use super::compute::{Cells, stating_cells};
use crate::Outcome;
use crate::args::{Memory, Threads, location, reading};
use crate::output::{print_message, print_notes};

/// Compute metrics of the quality of cells and features
///
/// The tables have the columns of calculate_qc_metrics of scanpy: of cells n_genes_by_counts, total_counts,
/// pct_counts_in_top_50_genes and so on, and total_counts_NAME and pct_counts_NAME of each set of features; of features
/// n_cells_by_counts, mean_counts, pct_dropout_by_counts and total_counts.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz qc pbmc.bpcells cells.csv --set mt=^MT- --set ribo=^RP[SL]
  nnz qc pbmc.bpcells depth.csv --features-table genes.csv
  nnz qc study.h5ad --into study.h5ad --set mt=^MT-")]
pub(crate) struct QualityControl {
    /// The matrix of counts
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Table of cells to write: .csv, .tsv or .txt, also with .gz [default: standard output]
    #[arg(value_name = "OUT", value_parser = location())]
    pub(crate) target: Option<Location>,

    /// Table of features to write: .csv, .tsv or .txt, also with .gz
    #[arg(long, value_name = "FILE", value_parser = location())]
    pub(crate) features_table: Option<Location>,

    /// Add the columns to obs and var of an AnnData file with the same cells and features. Existing ones are only
    /// replaced with --force
    #[arg(long, value_name = "FILE", value_parser = location(), conflicts_with_all = ["target", "features_table"])]
    pub(crate) into: Option<Location>,

    /// Set of features: a regular expression that their names match (or, if none does, their text annotations), such as
    /// mt=^MT-
    #[arg(long, value_name = "NAME=REGEX")]
    pub(crate) set: Vec<NamedPattern>,

    /// Set of features: a column of their annotations with true and false
    #[arg(long, value_name = "COLUMN")]
    pub(crate) qc_vars: Vec<String>,

    /// Numbers of the most frequent features of each cell, for their share [default: 50,100,200,500]
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    pub(crate) percent_top: Vec<usize>,

    /// Replace OUT and FILE, or columns, if they exist
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

/// A regular expression with a name.
#[derive(Clone, Debug)]
pub(crate) struct NamedPattern {
    name: String,
    pattern: String,
}

impl FromStr for NamedPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((name, pattern)) if !name.is_empty() && !pattern.is_empty() => {
                Ok(Self { name: name.to_owned(), pattern: pattern.to_owned() })
            }
            _ => Err("expected NAME=REGEX, such as mt=^MT-".to_owned()),
        }
    }
}

impl Run for QualityControl {
    /// Writes tables of cells and features, or adds their columns to a file.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        let tables = [&self.target, &self.features_table].map(|table| table.as_ref().map(absolute));
        if tables[0].is_some() && tables[0] == tables[1] {
            return Err(Error::argument("--features-table is the table of cells"));
        }
        // Before anything is computed.
        let create = |to: &Location| TableOutput::create(to, context.output(self.force, true));
        let features = self.features_table.as_ref().map(create).transpose()?;
        let cells = match &self.target {
            Some(target) => Some(create(target)?),
            None if self.into.is_some() || features.is_some() => None,
            None => Some(create(&Location::Stream)?),
        };
        let source = self.reading.set().open(&self.source, context)?.into_matrix()?;
        let (source, axis, assumed) = stating_cells(&self.cells, &self.source, source)?;
        let mut sets = Vec::with_capacity(self.set.len());
        let mut notes: Vec<String> = assumed.into_iter().collect();
        for NamedPattern { name, pattern } in &self.set {
            let (selection, note) = nnz::engine::matching(&*source, axis.other(), pattern)?;
            notes.extend(note);
            sets.push((name.clone(), selection));
        }
        let tops = (!self.percent_top.is_empty()).then(|| self.percent_top.clone());
        let options = QcOptions::default()
            .axis(Some(axis))
            .sets(sets)
            .columns(self.qc_vars.clone())
            .percent_top(tops);
        let found = qc(&*source, &options, context)?;
        notes.extend(found.notes);
        if !quiet {
            print_notes(&notes);
        }
        if let Some(file) = &self.into {
            let mut tables = vec![(Axis::Rows, found.cells)];
            if is_of_raw(&self.source) {
                if !quiet {
                    let what = "columns of the features of raw are not added; --features-table writes them";
                    print_notes([what]);
                }
            } else {
                tables.push((Axis::Cols, found.features));
            }
            return add_columns(
                file,
                &self.source,
                tables,
                Vec::new(),
                (self.force, quiet),
                context,
            );
        }
        for (output, table) in [(features, found.features), (cells, found.cells)] {
            output.map(|output| output.write(&table)).transpose()?;
        }
        Ok(Outcome::Good)
    }
}

/// Adds the columns of tables to an AnnData file.
pub(super) fn add_columns(
    file: &Location,
    source: &Location,
    tables: impl IntoIterator<Item = (Axis, AnnotationTable)>,
    stated: Vec<(String, Vec<(String, String)>)>,
    (replace, quiet): (bool, bool),
    context: &Context,
) -> Result<Outcome, Error> {
    // The names of the matrix of the file itself need not be unique.
    let by_position = same_file(file, source);
    let added = tables
        .into_iter()
        .map(|(axis, table)| AddedColumns::new(axis, Arc::new(table)).by_position(by_position));
    let changes = Changes::default().added(added.collect()).stated(stated).replace(replace);
    let edited = nnz::edit(file.clone(), &EditOptions::default().changes(changes), context);
    let edited = edited.map_err(|error| match error.hint() {
        Some(hint) if hint.item == "replace" => error.with_hint("force", "replaces it"),
        _ => error,
    })?;
    if !quiet {
        print_message(&file.to_string());
        print_message(&format!("  added: {}", edited.added.join(", ")));
    }
    Ok(Outcome::Good)
}

/// Returns whether a matrix has the features of `raw`, which are not those of the file.
fn is_of_raw(source: &Location) -> bool {
    let Location::Path { group: Some(group), .. } = source else { return false };
    matches!(group.trim_start_matches('/').split(['/', '.']).next(), Some("raw"))
}

/// Returns whether two locations are in the same file.
fn same_file(one: &Location, other: &Location) -> bool {
    match (one, other) {
        (Location::Path { path: one, .. }, Location::Path { path: other, .. }) => {
            let [one, other] = [one, other].map(|path| path.canonicalize().ok());
            one.is_some() && one == other
        }
        _ => false,
    }
}

/// Returns the location of a file that may not exist, in its directory without links.
fn absolute(location: &Location) -> Location {
    let Location::Path { path, group } = location else { return location.clone() };
    let inside = path.file_name().and_then(|name| {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        Some(directory.unwrap_or_else(|| Path::new(".")).canonicalize().ok()?.join(name))
    });
    let found = path.canonicalize().ok().or(inside);
    Location::Path { path: found.unwrap_or_else(|| path.clone()), group: group.clone() }
}
