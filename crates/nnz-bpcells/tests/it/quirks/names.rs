//! `row_names` and `col_names`.

use super::*;

#[test]
fn lines_may_end_in_crlf() {
    let store = packed()
        .with("row_names", b"a\r\nb\r\nc\r\nd\r\n")
        .with("storage_order", b"col\r\n")
        .with("version", b"packed-uint-matrix-v2\r\n");
    assert_eq!(store.entries().unwrap(), ENTRIES);
    assert_eq!(store.names(Axis::Rows).unwrap().unwrap(), ["a", "b", "c", "d"]);
    store.is_valid();
}

#[test]
fn the_last_newline_may_be_missing() {
    let store = packed()
        .with("row_names", b"a\nb\nc\nd")
        .with("storage_order", b"col")
        .with("version", b"packed-uint-matrix-v2");
    assert_eq!(store.entries().unwrap(), ENTRIES);
    assert_eq!(store.names(Axis::Rows).unwrap().unwrap(), ["a", "b", "c", "d"]);
    store.is_valid();
}

#[test]
fn an_empty_file_has_no_names_and_an_empty_line_is_a_name() {
    let store = packed().with("row_names", b"").with("col_names", b"x\n\n\n");
    assert_eq!(store.names(Axis::Rows).unwrap(), None);
    assert_eq!(store.names(Axis::Cols).unwrap().unwrap(), ["x", "", ""]);
    store.is_valid();
}

#[test]
fn names_may_repeat_and_need_not_be_utf8() {
    let store = packed().with("row_names", "gène\ngène\n\t\n \n".as_bytes());
    assert_eq!(store.names(Axis::Rows).unwrap().unwrap(), ["gène", "gène", "\t", " "]);
    let latin = packed().with("col_names", b"g\xe8ne\ny\nz\n");
    latin.is_valid();
    let directory = latin.write();
    let names = common::open(directory.path()).unwrap().names(Axis::Cols).unwrap().unwrap();
    assert_eq!(names.iter().next().unwrap(), b"g\xe8ne");
}

#[test]
fn extra_names_are_dropped_and_a_fault() {
    let store = packed().with("row_names", b"a\nb\nc\nd\ne\nf\n");
    assert_eq!(store.entries().unwrap(), ENTRIES);
    assert_eq!(store.names(Axis::Rows).unwrap().unwrap(), ["a", "b", "c", "d"]);
    let [faults, _] = store.findings();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].starts_with("row_names: found 6 names, expected 4"), "{faults:?}");
}

#[test]
fn too_few_names_are_an_error_but_entries_are_read() {
    let store = packed().with("col_names", b"x\ny\n");
    assert_eq!(store.entries().unwrap(), ENTRIES);
    let error = store.names(Axis::Cols).unwrap_err();
    assert_eq!(error.place().array.as_deref(), Some("col_names"));
    assert!(error.to_string().contains("found 2 names, expected 3"), "{error}");
    let [faults, _] = store.findings();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].starts_with("col_names: found 2 names, expected 3"), "{faults:?}");
}
