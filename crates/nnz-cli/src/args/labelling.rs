//! Options that change names and annotations.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args as Group;
use nnz::Error;
use nnz::annotations::{Labels, read_names, read_table};

const LABELS: &str = "Names and annotations";

/// Names and annotations that replace the ones of the source, or are added to them.
#[derive(Debug, Default, Group)]
pub(crate) struct Labelling {
    /// Use an annotation column of the rows of SRC as their names; the old names become a column
    #[arg(long, value_name = "COLUMN", help_heading = LABELS)]
    row_names: Option<String>,

    /// Use an annotation column of the columns of SRC as their names, like --row-names
    #[arg(long, value_name = "COLUMN", help_heading = LABELS)]
    col_names: Option<String>,

    /// Names of the rows of SRC, which has none: the first column of a .csv, .tsv or .txt file (optionally .gz),
    /// with or without a header, such as genes.tsv beside an .mtx
    #[arg(long, value_name = "FILE", help_heading = LABELS)]
    row_names_file: Option<PathBuf>,

    /// Names of the columns of SRC, like --row-names-file, such as barcodes.tsv
    #[arg(long, value_name = "FILE", help_heading = LABELS)]
    col_names_file: Option<PathBuf>,

    /// Append -1, -2, ... to repeated names, as anndata does
    #[arg(long, help_heading = LABELS)]
    make_unique: bool,

    /// Join the columns of a .csv, .tsv or .txt file (optionally .gz) to the annotations of the rows of SRC, which
    /// must not have columns of the same names; the file has a header, and row names in the first column
    #[arg(long, value_name = "FILE", help_heading = LABELS)]
    row_annotations: Option<PathBuf>,

    /// Join the columns of a file to the annotations of the columns of SRC, like --row-annotations
    #[arg(long, value_name = "FILE", help_heading = LABELS)]
    col_annotations: Option<PathBuf>,
}

impl Labelling {
    /// Reads the tables, within the memory given, and returns the labels of rows and of columns.
    pub(crate) fn labels(&self, memory: u64) -> Result<[Labels; 2], Error> {
        let of = |file: &Option<PathBuf>, names: &Option<String>, table: &Option<PathBuf>| {
            let table = table.as_ref().map(|path| read_table(path, memory / 4)).transpose()?;
            let list = file.as_ref().map(|path| read_names(path, memory / 4)).transpose()?;
            Ok(Labels::default()
                .names(list.map(Arc::new))
                .names_from(names.clone())
                .table(table.map(Arc::new))
                .make_unique(self.make_unique))
        };
        Ok([
            of(&self.row_names_file, &self.row_names, &self.row_annotations)?,
            of(&self.col_names_file, &self.col_names, &self.col_annotations)?,
        ])
    }
}
