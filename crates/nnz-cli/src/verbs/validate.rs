//! `nnz validate`.

use nnz::{Error, Finding, Severity, ValidateOptions};
use serde::Serialize;

use crate::output::{failed, with_stdout};
use crate::{Outcome, args};

#[derive(Serialize)]
struct Told {
    valid: bool,
    findings: Vec<One>,
}

#[derive(Serialize)]
struct One {
    severity: &'static str,
    place: String,
    message: String,
}

/// Checks a matrix.
pub(crate) fn validate(args: &args::Validate) -> Result<Outcome, Error> {
    let mut findings: Vec<Finding> = Vec::new();
    let each = &mut |finding| findings.push(finding);
    let memory = args.resources.bytes();
    let options = ValidateOptions { memory, threads: args.threads.number() };
    match args.reading.dialect {
        Some(dialect) => nnz::daphne::validate_as(&args.source, dialect, each)?,
        None => nnz::validate(&args.source, &options, each)?,
    }
    let valid = findings.iter().all(|finding| finding.severity == Severity::Note);
    with_stdout(|out| {
        if args.json {
            let findings = findings.iter().map(|finding| One {
                severity: match finding.severity {
                    Severity::Fault => "fault",
                    Severity::Note => "note",
                },
                place: finding.place.to_string(),
                message: finding.message.clone(),
            });
            let told = Told { valid, findings: findings.collect() };
            serde_json::to_writer_pretty(&mut *out, &told).map_err(|e| failed(e.into()))?;
            return writeln!(out).map_err(failed);
        }
        for finding in &findings {
            if args.notes || finding.severity == Severity::Fault {
                writeln!(out, "{finding}").map_err(failed)?;
            }
        }
        Ok(())
    })?;
    Ok(if valid { Outcome::Good } else { Outcome::Bad })
}
