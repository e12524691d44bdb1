//! `idxptr`.

use super::*;

#[test]
fn pointers_start_at_zero() {
    let store = unpacked().with("idxptr", &u64s(&[1, 2, 2, 3]));
    store.breaks_at("idxptr", element(0), "found 1, expected 0");
}

#[test]
fn pointers_do_not_decrease() {
    for store in [unpacked(), packed()] {
        let store = store.with("idxptr", &u64s(&[0, 2, 1, 3]));
        let fault = store.breaks_at("idxptr", element(2), "found 1, expected at least 2");
        assert_eq!(fault, "idxptr, element 2: found 1, expected at least 2");
    }
    let first = first_revision(packed()).with("idxptr", &u32s(&[0, 2, 1, 3]));
    first.breaks_at("idxptr", element(2), "found 1, expected at least 2");
}

#[test]
fn a_pointer_greater_than_the_last_is_an_error() {
    let store = unpacked().with("idxptr", &u64s(&[0, 4, 4, 3]));
    let error = store.entries().unwrap_err();
    assert_eq!(error.place().at, element(1), "{error}");
    assert!(error.to_string().contains("found 4, expected at most 3"), "{error}");
    // Validation cannot know which of the two is wrong; it reports the decrease at the last
    // one.
    let [faults, _] = store.findings();
    assert_eq!(faults[0], "idxptr, element 3: found 3, expected at least 4");
}

#[test]
fn pointers_past_the_stored_entries_are_errors() {
    for last in [4, 129, 1 << 32, 1 << 63, u64::MAX] {
        for store in [unpacked(), packed()] {
            let store = store.with("idxptr", &u64s(&[0, 2, 2, last]));
            // The last chunk has 128 values, so its padding looks like entries.
            if last == 4 && store.0.contains_key("val_data") {
                assert_eq!(store.entries().unwrap().len(), 4);
                continue;
            }
            let error = store.entries().unwrap_err();
            assert!(error.place().array.is_some(), "{error}");
            assert!(!store.findings()[0].is_empty());
        }
    }
}

#[test]
fn fewer_entries_than_stored_are_valid() {
    let store = unpacked().with("idxptr", &u64s(&[0, 2, 2, 2]));
    assert_eq!(store.entries().unwrap(), ENTRIES[..2]);
    let [faults, _] = store.findings();
    let message = ["index: found 3 elements, expected 2", "val: found 3 elements, expected 2"];
    assert_eq!(faults, message);
}
