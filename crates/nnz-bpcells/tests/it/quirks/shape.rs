//! `shape`, and how it agrees with `idxptr`.

use super::*;

/// A matrix of some shape without entries.
fn empty(shape: [u32; 2], order: &str, pointers: &[u64]) -> Store {
    unpacked()
        .with("shape", &u32s(&shape))
        .with("storage_order", order.as_bytes())
        .with("row_names", b"")
        .with("col_names", b"")
        .with("idxptr", &u64s(pointers))
        .with("index", b"UINT32v1")
        .with("val", b"UINT32v1")
}

#[test]
fn without_majors_one_or_two_pointers_are_valid() {
    for (shape, order) in [([5, 0], "col\n"), ([0, 5], "row\n"), ([0, 0], "col\n")] {
        let real = empty(shape, order, &[0, 0]);
        assert_eq!(real.entries().unwrap(), []);
        let [faults, notes] = real.findings();
        assert_eq!(faults, [""; 0]);
        assert!(notes[0].starts_with("note: idxptr: "), "{notes:?}");
        let strict = empty(shape, order, &[0]);
        assert_eq!(strict.entries().unwrap(), []);
        assert_eq!(strict.findings(), [[""; 0], [""; 0]]);
    }
}

#[test]
fn without_majors_entries_are_an_error() {
    let store = empty([5, 0], "col\n", &[0, 3])
        .with("index", &u32s(&[0, 2, 1]))
        .with("val", &u32s(&[5, 7, 1]));
    store.breaks_at("idxptr", element(1), "found 3, expected 0, since shape has 0 columns");
}

#[test]
fn without_minors_entries_are_an_error() {
    let store = empty([0, 3], "col\n", &[0, 0, 0, 0]);
    assert_eq!(store.entries().unwrap(), []);
    store.is_valid();
    let store = unpacked().with("shape", &u32s(&[0, 3])).with("row_names", b"");
    store.breaks_at("index", element(0), "found the index 0, expected less than 0");
}

#[test]
fn a_shape_that_disagrees_with_the_pointers_is_an_error() {
    for cols in [0, 2, 4, u32::MAX] {
        let store = packed().with("shape", &u32s(&[4, cols])).with("col_names", b"");
        let fault = store.breaks_at("idxptr", None, "found 4 elements");
        assert!(fault.contains(&format!("since shape has {cols} columns")), "{fault}");
    }
}

#[test]
fn an_index_past_the_minor_axis_is_an_error() {
    for store in [packed(), unpacked()] {
        let array = if store.0.contains_key("index") { "index" } else { "index_data" };
        let store = store.with("shape", &u32s(&[2, 3])).with("row_names", b"");
        let message = "found the index 2, expected less than 2, the number of rows";
        store.breaks_at(array, element(1), message);
    }
    let by_row = unpacked()
        .with("storage_order", b"row\n")
        .with("shape", &u32s(&[3, 2]))
        .with("row_names", b"")
        .with("col_names", b"");
    by_row.breaks_at("index", element(1), "less than 2, the number of columns");
}

#[test]
fn the_largest_index_is_read() {
    let store = unpacked()
        .with("shape", &u32s(&[u32::MAX, 3]))
        .with("row_names", b"")
        .with("index", &u32s(&[0, u32::MAX - 1, 1]));
    assert_eq!(store.entries().unwrap()[1], (4_294_967_294, 0, 7));
    let store = store.with("index", &u32s(&[0, u32::MAX, 1]));
    store.breaks_at("index", element(1), "found the index 4294967295");
}

#[test]
fn shape_has_two_elements() {
    for elements in [&[][..], &[4], &[4, 3, 1]] {
        let store = unpacked().with("shape", &u32s(elements));
        let message = format!("found {} elements, expected 2 elements", elements.len());
        store.breaks_at("shape", None, &message);
    }
    unpacked().with("shape", &u64s(&[4, 3])).breaks_at("shape", None, "uint64");
}
