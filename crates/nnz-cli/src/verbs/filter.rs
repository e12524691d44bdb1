//! `nnz filter`.

use crate::args::Writing;
use nnz::Context;
use nnz::engine::{FilterResult, FilteredAxis, Observed, filter as found_of};
use nnz::{Axis, Error};

use super::Run;
use super::write::{self, counted, summarise};
use crate::Outcome;
use crate::args::filtering::Filter;
use crate::output::{failed, print_message, with_stdout};

impl Run for Filter {
    /// Writes the rows and columns that meet conditions, or prints how many do.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        if self.filtering.is_empty() {
            let what = "no condition is given; use --rows, --cols, --cells or --features";
            return Err(Error::argument(what));
        }
        let options = self.reading.of_conversion(write::options(&self.writing, context)?);
        let header = || write::header_of(&self.source, &self.reading, context);
        let [rows, cols] = self.filtering.of_axes(&self.source, header)?;
        let target = match &self.target {
            Some(target) if !self.dry_run => target,
            _ => {
                let open = self.reading.set();
                let matrix = open.open(&self.source, context)?.into_matrix()?;
                let observed = Observed::new(&*matrix, "measuring", context.progress());
                let found = found_of(&observed, [&rows, &cols], context)?;
                print_notes(&found, quiet);
                let empty =
                    [&found.rows, &found.cols].into_iter().filter_map(|kept| kept.check().err());
                for nothing in empty.filter(|_| !quiet) {
                    let hint = crate::hints::hint(&nothing);
                    print_message(&format!(
                        "note: nothing would be written: {}{hint}",
                        nothing.without_hint()
                    ));
                }
                with_stdout(|out| {
                    let lines = kept_lines(&found).join("\n");
                    writeln!(out, "{lines}").map_err(failed)
                })?;
                return Ok(Outcome::Good);
            }
        };
        let (found, summary) =
            nnz::filter(self.source.clone(), target.clone(), [&rows, &cols], &options, context)?;
        print_notes(&found, quiet);
        if !quiet {
            summarise(std::slice::from_ref(&self.source), target, &summary);
            kept_lines(&found).iter().for_each(|line| print_message(&format!("  {line}")));
        }
        Ok(Outcome::Good)
    }

    fn writing(&mut self) -> Option<&mut Writing> {
        Some(&mut self.writing)
    }
}

fn print_notes(found: &FilterResult, quiet: bool) {
    for note in found.notes.iter().filter(|_| !quiet) {
        print_message(&format!("note: {note}"));
    }
}

/// Says how many rows and columns are kept, and how many each condition alone would keep.
fn kept_lines(found: &FilterResult) -> Vec<String> {
    let mut lines = Vec::new();
    for (axis, kept) in [(Axis::Rows, &found.rows), (Axis::Cols, &found.cols)] {
        let FilteredAxis { of, conditions, .. } = kept;
        let (one, several) = match axis {
            Axis::Rows => ("row", "rows"),
            Axis::Cols => ("column", "columns"),
        };
        lines.push(format!("{} of {} kept", kept.count(), counted(*of, one, several)));
        for (text, alone) in conditions.iter().filter(|_| conditions.len() > 1) {
            lines.push(format!("  {}: {alone}", nnz::text::escaped(text)));
        }
    }
    lines
}
