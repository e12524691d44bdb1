//! Files with one fault each: validation finds it, and reading fails or returns no wrong entry.

mod faults;

use nnz_binsparse::{EntryReader, MatrixSource, validate};
use nnz_core::{Finding, MatrixSource as _, Result, Severity};

use crate::common::{Case, all_entries};
use faults::FAULTS;

fn findings(case: &Case) -> Vec<Finding> {
    let mut findings = Vec::new();
    let opened = validate(&|| case.open(), &mut |finding| findings.push(finding));
    if let Err(error) = opened {
        findings.push(Finding::fault(error.place().clone(), error.kind().to_string()));
    }
    findings
}

fn read(case: &Case) -> Result<Vec<String>> {
    let mut reader = EntryReader::open(&case.open()?)?;
    let mut count = 0;
    while reader.next_entry()?.is_some() {
        count += 1;
    }
    let matrix = MatrixSource::open(case.open()?)?;
    assert_eq!(all_entries(&matrix)?.len(), count);
    assert_eq!(reader.notes(), matrix.notes());
    Ok(matrix.notes())
}

#[test]
fn every_malformed_file_has_a_fault() {
    let cases = Case::all("malformed/");
    assert_eq!(cases.len(), 132);
    for case in cases {
        let id = case.string("id");
        let (_, expected, readable) = FAULTS.iter().find(|(name, ..)| *name == id).unwrap();
        let findings = findings(&case);
        let texts: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(texts.iter().any(|text| text.contains(&format!(": {expected}"))), "{id} {texts:?}");
        let fault = findings.iter().any(|finding| finding.severity == Severity::Fault);
        // The specification does not define the type of this value.
        assert_eq!(fault, id != "bad_fill_type_differs", "{id}");
        let read = read(&case);
        assert_eq!(read.is_ok(), *readable, "{id} {read:?}");
        if case.string("severity") == "must_reject" {
            // An older writer stores vectors with two dimensions; their meaning is clear.
            assert!(!readable || id == "bad_dvec_rank2", "{id}");
        }
        // Reading gives a note unless the fault is harmless.
        if let Ok(notes) = read {
            assert_eq!(notes.is_empty(), id == "bad_ndiag_wrong", "{id} {notes:?}");
        }
    }
}

#[test]
fn valid_files_have_no_fault() {
    for case in Case::all("valid/") {
        let findings = findings(&case);
        let faults: Vec<_> = findings.iter().filter(|f| f.severity == Severity::Fault).collect();
        assert!(faults.is_empty(), "{} {faults:?}", case.path());
    }
}
