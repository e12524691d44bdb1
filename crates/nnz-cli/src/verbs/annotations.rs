//! `nnz annotations`.

use nnz::Context;
use std::io::{BufWriter, Write};

use nnz::annotations::{AnnotationText, separator_of, write_annotations, write_bed};
use nnz::output::StagedFile;
use nnz::{Error, Place};

use super::Run;
use crate::output::{Recording, print_message, with_stdout};
use crate::{Outcome, args};

impl Run for args::Annotations {
    /// Prints the annotations of an axis, or writes them to a file.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        let options = self.from.set(nnz::OpenOptions::new());
        let opened = super::open_tables(&self.source, &options, context)?;
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
        if target.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz")) {
            let what = "annotations are written uncompressed; expected .csv, .tsv or .txt";
            return Err(Error::argument(format!("{}: {what}", Place::path(target))));
        }
        let bed = target.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bed"));
        let separator = if bed { b'\t' } else { separator_of(target)? };
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
