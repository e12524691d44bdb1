//! `nnz annotations`.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args as Group;
use nnz::annotations::{AnnotationText, separator_of, write_annotations, write_bed};
use nnz::output::StagedFile;
use nnz::{Context, Error, Location, Place};

use super::Run;
use crate::Outcome;
use crate::args::{AxisArg, Memory, location, reading};
use crate::output::{Recording, print_message, with_stdout};

/// Print the names and annotations of rows or columns as a table
///
/// The first line is a header, followed by one line per row or column. Fields are separated by commas if
/// OUT ends in .csv, otherwise by tabs. Missing values are empty. If there are neither names
/// nor annotations, prints only a note on standard error; with OUT, that is an error.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz annotations study.h5ad rows cells.csv
  nnz annotations peaks.bpcells rows peaks.bed")]
pub(crate) struct Annotations {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Axis to print
    #[arg(value_name = "AXIS")]
    pub(crate) axis: AxisArg,

    /// File to write: .csv, .tsv or .txt, or .bed with the names as regions, such as chr1:100-200 [default: standard
    /// output]
    #[arg(value_name = "OUT")]
    pub(crate) target: Option<PathBuf>,

    /// Replace OUT if it exists
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) from: reading::From,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

impl Run for Annotations {
    /// Prints the annotations of an axis, or writes them to a file.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        let options = self.from.set(nnz::OpenOptions::new());
        let opened = options.open(&self.source, context)?.into_axes()?;
        let place = self.source.source_place();
        let axis = self.axis.axis(&self.source, || Ok(opened.header().clone()))?;
        let write = |separator: u8, out: &mut dyn Write| {
            let how = AnnotationText::default().separator(separator);
            write_annotations(&*opened, axis, &how, out, context)
        };
        let Some(target) = &self.target else {
            if opened.read_names(axis)?.is_none() && opened.annotations(axis)?.is_none() {
                let axis = super::plural(axis);
                if !quiet {
                    print_message(&format!("note: the {axis} have no names and no annotations"));
                }
                return Ok(Outcome::Good);
            }
            let output = Place::path("standard output");
            with_stdout(|out| {
                let mut out = Recording::new(out);
                let written = write(b'\t', &mut out);
                written.map_err(|error| out.locate(error, &place, &output))
            })?;
            return Ok(Outcome::Good);
        };
        let bed = target.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bed"));
        let separator = if bed { b'\t' } else { written_separator(target)? };
        let options = context.output(self.force, true);
        let mut out = Recording::new(BufWriter::new(StagedFile::create(target, &options)?));
        let written = match bed {
            true => write_bed(&*opened, axis, &mut out),
            false => write(separator, &mut out),
        };
        written.map_err(|error| out.locate(error, &place, &Place::path(target)))?;
        let staged = out.into_inner().into_inner();
        staged.map_err(|error| Error::io(target, error.into_error()))?.commit()?;
        Ok(Outcome::Good)
    }
}

/// Returns the separator of a table that is written.
fn written_separator(path: &Path) -> Result<u8, Error> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz")) {
        let what = "annotations are written uncompressed; expected .csv, .tsv or .txt";
        return Err(Error::argument(format!("{}: {what}", Place::path(path))));
    }
    separator_of(path)
}
