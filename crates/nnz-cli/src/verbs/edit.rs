//! `nnz edit`.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{ArgGroup, Args as Group, ValueEnum as _};
use nnz::annotations::{Annotations as _, read_table};
use nnz::edit::{AddedColumns, Changes};
use nnz::{Axis, Compression, Context, EditOptions, EditSummary, Error, Location};

use super::Run;
use crate::Outcome;
use crate::args::{AxisArg, Memory, Threads, location};
use crate::output::{bytes, print_message};

/// Remove or add parts of an AnnData or MuData file in place
///
/// Removes members and columns and adds columns, all in one step: the file has all changes or, after an error or an
/// interruption, none. Everything else is kept bit for bit. FILE is an HDF5 file or a Zarr directory, and FILE::GROUP an
/// AnnData in it. Of a MuData file, the common tables and what belongs to them are changed; FILE::mod/NAME is a modality. A
/// matrix is added with nnz convert.
///
/// In an HDF5 file the space of what was removed is not reused; nnz convert FILE COPY writes a copy without it.
#[derive(Debug, Group)]
#[command(group = ArgGroup::new("changes").args(["drop", "add_columns"]).required(true).multiple(true))]
#[command(after_help = "\
Examples:
  nnz edit study.h5ad --drop layers/raw --drop obs/tissue
  nnz edit study.h5ad --add-columns cells=clusters.csv
  nnz edit study.h5ad --add-columns cells=clusters.csv --categories cluster --replace --dry-run
  nnz edit cite.h5mu --add-columns cells=donors.csv
  nnz edit cite.h5mu::mod/rna --add-columns cells=clusters.csv")]
pub(crate) struct Edit {
    /// The AnnData or MuData file
    #[arg(value_name = "FILE", value_parser = location())]
    pub(crate) file: Location,

    /// Remove layers/NAME, obsm/NAME, varm/NAME, obsp/NAME, varp/NAME, uns/NAME (or uns/NAME/INNER), all of such a group (uns), raw, or a column
    /// obs/NAME or var/NAME [may be repeated]
    #[arg(long, value_name = "PATH")]
    pub(crate) drop: Vec<String>,

    /// Add the columns of a .csv, .tsv or .txt file (optionally .gz) to obs (cells or rows) or var (features or cols); the file
    /// has a header, and in the first column exactly the names of the axis, in any order [may be repeated]
    #[arg(long, value_name = "AXIS=FILE", value_parser = axis_file())]
    pub(crate) add_columns: Vec<AxisFile>,

    /// Columns of the added files that are categories, although they have numbers, such as clusters
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', requires = "add_columns")]
    pub(crate) categories: Vec<String>,

    /// Replace existing columns by added ones with the same names
    #[arg(long, requires = "add_columns")]
    pub(crate) replace: bool,

    /// Compression of added columns: none, gzip:N (1 to 9) or zstd:N (1 to 22) [default: none]
    #[arg(long, value_name = "HOW", requires = "add_columns")]
    pub(crate) compress: Option<Compression>,

    /// Check the changes and print them, without changing FILE
    #[arg(long, short = 'n')]
    pub(crate) dry_run: bool,

    /// Do not wait until the data is on disk (fsync)
    #[arg(long)]
    pub(crate) no_sync: bool,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// An axis, and a file with its columns.
#[derive(Clone, Debug)]
pub(crate) struct AxisFile {
    axis: Axis,
    path: PathBuf,
}

/// Parses an axis and a file, whose name need not be UTF-8.
fn axis_file() -> impl TypedValueParser<Value = AxisFile> {
    OsStringValueParser::new().try_map(|text| parsed(&text))
}

fn parsed(text: &OsStr) -> Result<AxisFile, &'static str> {
    let bytes = text.as_encoded_bytes();
    let at = bytes.iter().position(|byte| *byte == b'=').filter(|at| at + 1 < bytes.len());
    let axis = at.and_then(|at| AxisArg::from_str(str::from_utf8(&bytes[..at]).ok()?, false).ok());
    let (Some(at), Some(axis)) = (at, axis) else {
        return Err("expected rows=, cols=, cells= or features=, and a file");
    };
    let axis = match axis {
        AxisArg::Rows | AxisArg::Cells => Axis::Rows,
        AxisArg::Cols | AxisArg::Features => Axis::Cols,
    };
    let path = PathBuf::from(nnz_storage::os_str_from_bytes(&bytes[at + 1..]).into_owned());
    Ok(AxisFile { axis, path })
}

impl Run for Edit {
    /// Changes an AnnData file.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        let (mut added, mut found) = (Vec::new(), HashSet::new());
        for AxisFile { axis, path } in &self.add_columns {
            let mut table = read_table(path, context.memory() / 4)?;
            for name in &self.categories {
                if table.columns().iter().any(|info| info.name == *name) {
                    found.insert(name);
                    table = table.categorical(name)?;
                }
            }
            added.push(AddedColumns::new(*axis, Arc::new(table)));
        }
        if let Some(name) = self.categories.iter().find(|name| !found.contains(name)) {
            let what = format!("--categories {name}: no added file has a column of this name");
            return Err(Error::argument(what));
        }
        let changes =
            Changes::default().removed(self.drop.clone()).added(added).replace(self.replace);
        let options = EditOptions::default()
            .changes(changes)
            .compress(self.compress.unwrap_or_default())
            .sync(!self.no_sync)
            .dry_run(self.dry_run);
        let done = nnz::edit(&self.file, &options, context)?;
        if !quiet {
            self.print(&done);
        }
        Ok(Outcome::Good)
    }
}

impl Edit {
    fn print(&self, done: &EditSummary) {
        let would = if self.dry_run { "would be " } else { "" };
        print_message(&self.file.to_string());
        for (what, paths) in [("removed", &done.removed), ("added", &done.added)] {
            if !paths.is_empty() {
                print_message(&format!("  {would}{what}: {}", paths.join(", ")));
            }
        }
        if let (Some(before), Some(after)) = (done.bytes_before, done.bytes_after) {
            print_message(&format!("  {} -> {}", bytes(before), bytes(after)));
            if !done.removed.is_empty() {
                print_message(
                    "  the space of what was removed is not reused; nnz convert writes a copy without it",
                );
            }
        }
    }
}
