//! The lengths of arrays.

use super::*;

#[test]
fn truncated_arrays_are_errors_at_their_end() {
    // Eight bytes of header, and two of three elements.
    for name in ["index", "val"] {
        let store = unpacked().resized(name, 8 + 4 * 2);
        let error = store.entries().unwrap_err();
        assert_eq!(error.place().array.as_deref(), Some(name), "{error}");
        assert!(error.to_string().contains("2 elements"), "{error}");
        let [faults, _] = store.findings();
        assert_eq!(faults, [format!("{name}: found 2 elements, expected 3")]);
    }
    let store = unpacked().resized("idxptr", 8 + 8 * 3);
    store.breaks_at("idxptr", None, "found 3 elements, expected 4");
    for name in ["index_idx", "val_idx"] {
        let store = packed().resized(name, 8 + 4);
        let error = store.entries().unwrap_err();
        assert_eq!(error.place().array.as_deref(), Some(name), "{error}");
        let [faults, _] = store.findings();
        assert_eq!(faults, [format!("{name}: found 1 elements, expected 2")]);
    }
    let store = packed().resized("index_starts", 8);
    assert_eq!(store.entries().unwrap_err().place().array.as_deref(), Some("index_starts"));
    assert_eq!(store.findings()[0], ["index_starts: found 0 elements, expected 1"]);
    for (name, data) in [("index_idx", "index_data"), ("val_idx", "val_data")] {
        let store = packed().resized(data, 8 + 4 * 11);
        let error = store.entries().unwrap_err();
        assert_eq!(error.place().array.as_deref(), Some(name), "{error}");
        assert!(error.to_string().contains("found 12, expected at most 11"), "{error}");
        assert_eq!(store.findings()[0], [format!("{data}: found 11 elements, expected 12")]);
    }
}

#[test]
fn a_partial_last_element_is_ignored_and_a_fault() {
    for store in all() {
        for name in store.0.keys().copied() {
            let bytes = &store.0[name];
            if !bytes.starts_with(b"UINT") {
                continue;
            }
            let size = if bytes.starts_with(b"UINT64") { 8 } else { 4 };
            for more in [1, size - 1] {
                let store = store.clone().resized(name, bytes.len() + more);
                assert_eq!(store.entries().unwrap(), ENTRIES);
                let elements = (bytes.len() - 8) / size;
                let message = format!(
                    "{name}, element {elements}: found {more} bytes after the last whole \
                     element"
                );
                assert_eq!(store.findings()[0], [message]);
            }
        }
    }
}

#[test]
fn extra_elements_are_a_fault() {
    for (store, names) in [
        (unpacked(), &["index", "val"][..]),
        (packed(), &["index_data", "index_idx", "index_starts", "val_data", "val_idx"]),
    ] {
        for &name in names {
            let bytes = store.0[name].len();
            let longer = store.clone().resized(name, bytes + 4);
            assert_eq!(longer.entries().unwrap(), ENTRIES, "{name}");
            let (found, expected) = ((bytes - 4) / 4, (bytes - 8) / 4);
            let message = format!("{name}: found {found} elements, expected {expected}");
            assert_eq!(longer.findings()[0], [message]);
        }
    }
}
