//! `nnz validate`.

use nnz::Context;
use nnz::{
    Error, ErrorKind, ValidateOptions,
    error::{Finding, Severity},
};
use serde::Serialize;

use super::Run;
use crate::output::{failed, print_answer, print_json};
use crate::{Outcome, args};

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

impl Run for args::Validate {
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
