//! What rows and columns are called and described by.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args as Group;
use nnz::Error;
use nnz::annotations::{Labels, read_table};

/// Other names and annotations than those of the source. Rows and columns are those of the source.
#[derive(Debug, Default, Group)]
#[command(next_help_heading = "Names and annotations of SRC")]
pub(crate) struct Labelling {
    /// Name the rows by a column of their annotations; the names they have become a column
    #[arg(long, value_name = "COLUMN")]
    row_names: Option<String>,

    /// Name the columns, likewise
    #[arg(long, value_name = "COLUMN")]
    col_names: Option<String>,

    /// Add -1, -2 and so on to names that occur again, as scanpy does
    #[arg(long)]
    make_unique: bool,

    /// Add the columns of a table to the annotations of rows: .csv or .tsv, also with .gz, with a header and the
    /// names of rows in the first column
    #[arg(long, value_name = "FILE")]
    row_annotations: Option<PathBuf>,

    /// Add them to the annotations of columns, likewise
    #[arg(long, value_name = "FILE")]
    col_annotations: Option<PathBuf>,
}

impl Labelling {
    /// Returns whether nothing is said.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { row_names, col_names, make_unique, row_annotations, col_annotations } = self;
        let columns = [row_names, col_names].into_iter().all(Option::is_none);
        columns
            && !make_unique
            && [row_annotations, col_annotations].into_iter().all(Option::is_none)
    }

    /// Reads tables into at most that many bytes, and returns what is said of rows and of columns.
    pub(crate) fn labels(&self, memory: u64) -> Result<[Labels; 2], Error> {
        let of = |names: &Option<String>, table: &Option<PathBuf>| {
            let table = table.as_ref().map(|path| read_table(path, memory / 4)).transpose()?;
            Ok(Labels::default()
                .names_from(names.clone())
                .table(table.map(Arc::new))
                .make_unique(self.make_unique))
        };
        Ok([
            of(&self.row_names, &self.row_annotations)?,
            of(&self.col_names, &self.col_annotations)?,
        ])
    }
}
