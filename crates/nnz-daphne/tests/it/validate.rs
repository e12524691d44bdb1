//! Valid files have no faults, and all others have one.

use nnz_core::{At, Finding, Severity};
use nnz_daphne::{Dialect, ReadOptions, looks_like, validate};

use crate::common::golden;

fn findings(path: &std::path::Path, dialect: Option<Dialect>) -> Vec<Finding> {
    let mut found = Vec::new();
    validate(path, &ReadOptions { dialect }, None, &mut |finding| found.push(finding)).unwrap();
    found
}

#[test]
fn valid_files_have_no_fault() {
    for golden in golden().into_iter().filter(|g| g.valid) {
        for dialect in [Some(golden.dialect), None] {
            let found = findings(&golden.path(), dialect);
            let faults: Vec<_> = found.iter().filter(|f| f.severity == Severity::Fault).collect();
            assert!(faults.is_empty(), "{}: {}", golden.file, faults[0]);
            let covered = !found.iter().any(|f| f.message.contains("in no block"));
            assert_eq!(covered, golden.file != "multi_partial_cover.dbdf", "{}", golden.file);
        }
        let bytes = golden.bytes();
        assert!(looks_like(&bytes[..bytes.len().min(64)], bytes.len() as u64), "{}", golden.file);
    }
}

#[test]
fn malformed_files_have_a_fault_at_a_byte() {
    let mut same = 0;
    let mut count = 0;
    for golden in golden().into_iter().filter(|g| !g.valid) {
        let found = findings(&golden.path(), None);
        let faults: Vec<_> = found.iter().filter(|f| f.severity == Severity::Fault).collect();
        assert!(!faults.is_empty(), "{}: {}", golden.file, golden.reason);
        let bytes: Vec<u64> = faults
            .iter()
            .map(|fault| match fault.place.at {
                Some(At::Byte(byte)) => byte,
                _ => panic!("{}: {fault}", golden.file),
            })
            .collect();
        if golden.offset.is_none_or(|offset| bytes.contains(&offset)) {
            same += 1;
        } else {
            println!("{} ({} at {:?}): {}", golden.file, golden.reason, golden.offset, faults[0]);
        }
        count += 1;
    }
    assert_eq!(count, 79);
    assert!(same >= 59, "{same}");
}
