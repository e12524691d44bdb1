//! The findings of validation, and the part of a file that cannot be read.

use nnz_core::{ErrorKind, Finding, Place, Result, Severity};
use nnz_engine::report_error;

use super::ReportOptions;
use crate::{Context, Location, ValidateOptions};

/// Findings that are listed.
const MOST: usize = 100;

/// Findings of the validation.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Findings {
    /// The first findings.
    pub listed: Vec<Finding>,
    /// The number of errors, including those that are not listed.
    pub faults: u64,
    /// The number of findings that are not listed.
    pub more: u64,
}

impl Findings {
    fn add(&mut self, finding: Finding) {
        self.faults += u64::from(finding.severity == Severity::Fault);
        match self.listed.len() < MOST {
            true => self.listed.push(finding),
            false => self.more += 1,
        }
    }

    /// Adds faults of reading if validation found none, which are usually the same ones in other words.
    pub(super) fn add_unless_faulty(&mut self, faults: Faults) {
        if self.faults == 0 {
            faults.found.into_iter().for_each(|finding| self.add(finding));
        }
    }
}

/// Validates a location.
pub(super) fn of_location(
    location: &Location,
    options: &ReportOptions,
    context: &Context,
) -> Result<Findings> {
    let mut findings = Findings::default();
    let how = ValidateOptions::default().open(options.open.clone());
    match crate::validate(location, &how, context, &mut |finding| findings.add(finding)) {
        Err(error) if matches!(error.kind(), ErrorKind::Unrecognized(_)) => {
            let (kind, place) = error.into_parts();
            findings.add(Finding::fault(place, kind.to_string()));
        }
        done => done?,
    }
    Ok(findings)
}

/// The faults that were found while reading, if the rest of a broken file is read nevertheless.
pub(super) struct Faults {
    /// Where the matrix is; `None` if each fault is an error.
    place: Option<Place>,
    found: Vec<Finding>,
}

impl Faults {
    /// Keeps the faults of a location.
    pub(super) fn tolerated(place: Place) -> Self {
        Self { place: Some(place), found: Vec::new() }
    }

    /// Returns each fault as an error.
    pub(super) fn refused() -> Self {
        Self { place: None, found: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns what was read, or `None` if it is broken.
    pub(super) fn keep<T>(&mut self, read: Result<T>) -> Result<Option<T>> {
        match (read, &self.place) {
            (Ok(found), _) => Ok(Some(found)),
            (Err(error), Some(place)) => {
                report_error(error.with_context(place), &mut |fault| self.found.push(fault))?;
                Ok(None)
            }
            (Err(error), None) => Err(error),
        }
    }
}
