//! `nnz validate`.

use clap::Args as Group;
use nnz::{
    Context, Error, ErrorKind, Location, ValidateOptions,
    error::{Finding, Severity},
};
use serde::Serialize;

use super::Run;
use crate::Outcome;
use crate::args::{Memory, Threads, location, reading};
use crate::output::{failed, print_answer, print_json};

/// Check a file for errors; prints nothing if it is valid
///
/// Errors are printed one per line with their position, and the exit status is 1, also if the format
/// of SRC is not recognized. It is 2 if SRC is missing or cannot be read. All matrices of a file are
/// checked, unless SRC names one; the check of the entries of a matrix stops at the first error.
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz validate pbmc.bpcells && echo valid")]
pub(crate) struct Validate {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Also print notes on valid but unusual data, such as unsorted rows or missing chunks of Zarr
    #[arg(long)]
    pub(crate) notes: bool,

    /// Print errors and notes as JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) reading: reading::Reading,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

#[derive(Serialize)]
struct Report {
    valid: bool,
    findings: Vec<FindingLine>,
}

#[derive(Serialize)]
struct FindingLine {
    severity: &'static str,
    place: String,
    message: String,
}

impl Run for Validate {
    /// Checks a matrix.
    fn run(&self, _: bool, context: &Context) -> Result<Outcome, Error> {
        let mut findings: Vec<Finding> = Vec::new();
        let each = &mut |finding| findings.push(finding);
        let options = ValidateOptions::default().open(self.reading.set());
        if let Err(error) = nnz::validate(&self.source, &options, context, each) {
            if !matches!(error.kind(), ErrorKind::Unrecognized(_)) {
                return Err(error);
            }
            let hint = crate::hints::hint(&error);
            let (kind, place) = error.into_parts();
            findings.push(Finding::fault(place, format!("{kind}{hint}")));
        }
        let valid = findings.iter().all(|finding| finding.severity == Severity::Note);
        if self.json {
            let findings = findings.iter().map(|finding| FindingLine {
                severity: match finding.severity {
                    Severity::Fault => "fault",
                    Severity::Note => "note",
                },
                place: finding.place.to_string(),
                message: finding.message.clone(),
            });
            print_json("nnz-validate/1", &Report { valid, findings: findings.collect() })?;
        } else {
            print_answer(|out| {
                let mut shown = findings
                    .iter()
                    .filter(|finding| self.notes || finding.severity == Severity::Fault);
                shown.try_for_each(|finding| writeln!(out, "{finding}").map_err(failed))
            })?;
        }
        Ok(if valid { Outcome::Good } else { Outcome::Bad })
    }

    fn answers_by_status(&self) -> bool {
        true
    }
}
