//! `nnz annotations`.

use std::io::{BufWriter, Write};

use nnz::annotations::{AnnotationText, separator_of, write_annotations, write_bed};
use nnz::output::{StagedFile, WriteOptions};
use nnz::{Error, ErrorKind, Place};

use crate::output::{print_message, with_stdout};
use crate::{Outcome, args};

/// Prints the annotations of an axis, or writes them to a file.
pub(crate) fn annotations(args: &args::Annotations, quiet: bool) -> Result<Outcome, Error> {
    let memory = args.resources.bytes();
    let options = args.from.set(nnz::OpenOptions::new().memory_limit(memory));
    let opened = super::open_tables(&args.source, &options)?;
    let place = args.source.source_place();
    let axis = args.axis.axis(&args.source, || Ok(opened.header().clone()))?;
    let write = |separator: u8, out: &mut dyn Write| {
        let how = AnnotationText::default().separator(separator).memory(memory);
        write_annotations(&*opened, axis, &how, out).map_err(|error| error.with_context(&place))
    };
    let Some(target) = &args.target else {
        if opened.read_names(axis)?.is_none() && opened.annotations(axis)?.is_none() {
            let axis = super::plural(axis);
            if !quiet {
                print_message(&format!("note: the {axis} have no names and no annotations"));
            }
            return Ok(Outcome::Good);
        }
        with_stdout(|out| write(b'\t', out))?;
        return Ok(Outcome::Good);
    };
    if target.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz")) {
        let what = "annotations are written uncompressed; expected .csv, .tsv or .txt";
        return Err(Error::argument(format!("{}: {what}", Place::path(target))));
    }
    let bed = target.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bed"));
    let separator = if bed { b'\t' } else { separator_of(target)? };
    let io = |error| Error::new(ErrorKind::Io(error), Place::path(target));
    let options = WriteOptions { overwrite: args.force, ..WriteOptions::default() };
    let mut out = BufWriter::new(StagedFile::create(target, options)?);
    match bed {
        true => write_bed(&*opened, axis, &mut out).map_err(|error| error.with_context(&place))?,
        false => write(separator, &mut out)?,
    }
    out.into_inner().map_err(|error| io(error.into_error()))?.commit()?;
    Ok(Outcome::Good)
}
