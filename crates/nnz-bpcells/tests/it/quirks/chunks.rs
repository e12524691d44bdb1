//! Bit-packed chunks: `_idx`, `_data` and `_idx_offsets`.

use super::*;

#[test]
fn idx_starts_at_zero() {
    // The words would be past the data, and there is only one epoch.
    let store = packed().with("val_idx", &u32s(&[4, 12]));
    assert_eq!(store.findings()[0], ["val_idx, element 0: found 4, expected 0"]);
    let store = packed().with("val_idx", &u32s(&[4, 16]));
    assert!(store.entries().is_err());
}

#[test]
fn idx_steps_are_multiples_of_4_up_to_128() {
    for (end, message) in [
        (1, "found 1, expected 0 plus 0, 4, 8, ... or 128"),
        (10, "found 10, expected 0 plus 0, 4, 8, ... or 128"),
        (132, "found 132, expected 0 plus 0, 4, 8, ... or 128"),
        (u32::MAX, "found 4294967295, expected 0 plus"),
    ] {
        for name in ["index_idx", "val_idx"] {
            let store = packed().with(name, &u32s(&[0, end]));
            store.breaks_at(name, element(1), message);
        }
    }
}

/// Two chunks: 130 entries in the first column, rows ascending.
fn two_chunks() -> Store {
    // In the first chunk indices increase by one, zigzag 2; in the second once by one, then not
    // at all: two bits. The chunks take 8 words each.
    let first = [0, 0xaaaa_aaaa, 0xaaaa_aaaa, 0xaaaa_aaaa];
    let mut index = Vec::new();
    // Lane 0 starts with a step of 0; every later step of all lanes is 2, 0b10.
    index.extend([0xaaaa_aaa8_u32, first[1], first[2], first[3]]);
    index.extend([0xaaaa_aaaa_u32; 4]);
    // In the second, only the second value differs from the one before: lane 1, step 0.
    index.extend([0_u32, 2, 0, 0, 0, 0, 0, 0]);
    packed()
        .with("shape", &u32s(&[200, 1]))
        .with("row_names", b"")
        .with("col_names", b"")
        .with("idxptr", &u64s(&[0, 130]))
        .with("index_data", &u32s(&index))
        .with("index_idx", &u32s(&[0, 8, 16]))
        .with("index_idx_offsets", &u64s(&[0, 3]))
        .with("index_starts", &u32s(&[0, 128]))
        // All values are 1, so nothing is stored for them.
        .with("val_data", &u32s(&[]))
        .with("val_idx", &u32s(&[0, 0, 0]))
        .with("val_idx_offsets", &u64s(&[0, 3]))
}

#[test]
fn chunks_of_0_bits_take_no_words() {
    let store = two_chunks();
    let expected: Vec<_> = (0..130).map(|row| (row, 0, 1)).collect();
    assert_eq!(store.entries().unwrap(), expected);
    assert_eq!(store.findings(), [[""; 0], [""; 0]]);
}

#[test]
fn a_decreasing_idx_is_an_error() {
    let store = two_chunks().with("index_idx", &u32s(&[0, 8, 4]));
    let fault = store.breaks_at("index_idx", element(2), "found 4, expected 8 plus 0, 4, 8");
    assert_eq!(fault, "index_idx, element 2: found 4, expected 8 plus 0, 4, 8, ... or 128");
}

#[test]
fn an_idx_past_the_data_is_an_error() {
    let store = two_chunks().with("index_idx", &u32s(&[0, 8, 20]));
    let error = store.entries().unwrap_err();
    let place = error.place();
    assert_eq!((place.array.as_deref(), place.at.clone()), (Some("index_idx"), element(2)));
    let message = "found 20, expected at most 16, the length of index_data";
    assert!(error.to_string().ends_with(message), "{error}");
    assert_eq!(store.findings()[0], ["index_data: found 16 elements, expected 20"]);
}

#[test]
fn a_chunk_of_32_bits_is_stored_unchanged() {
    // Values and indices unchanged, the padding too: 128 words a chunk.
    let padded = |values: [u32; 3]| -> Vec<u32> {
        values.into_iter().chain(std::iter::repeat_n(values[2], 125)).collect()
    };
    let store = packed()
        .with("shape", &u32s(&[u32::MAX, 3]))
        .with("row_names", b"")
        .with("index_data", &u32s(&padded([3, u32::MAX - 1, 1])))
        .with("index_idx", &u32s(&[0, 128]))
        .with("index_starts", &u32s(&[77]))
        .with("val_data", &u32s(&padded([0, u32::MAX, 1])))
        .with("val_idx", &u32s(&[0, 128]));
    // Explicit zeros are kept.
    let expected = [(3, 0, 0), (u64::from(u32::MAX) - 1, 0, u32::MAX), (1, 2, 1)];
    assert_eq!(store.entries().unwrap(), expected);
    store.is_valid();
}

#[test]
fn idx_offsets_start_at_zero_and_end_at_the_length_of_idx() {
    for found in [&[0_u64, 1][..], &[0, 3], &[1, 2], &[2, 2], &[0, u64::MAX], &[0], &[], &[0, 1, 2]]
    {
        for name in ["index_idx_offsets", "val_idx_offsets"] {
            let store = packed().with(name, &u64s(found));
            let [faults, _] = store.findings();
            assert_eq!(faults.len(), 1, "{found:?}: {faults:?}");
            assert!(faults[0].starts_with(name) && faults[0].contains(": found "), "{faults:?}");
            let error = store.entries().unwrap_err();
            assert_eq!(error.place().array.as_deref(), Some(name), "{error}");
        }
    }
}

#[test]
fn without_entries_idx_is_a_single_zero() {
    let store = packed()
        .with("idxptr", &u64s(&[0, 0, 0, 0]))
        .with("index_data", b"UINT32v1")
        .with("index_starts", b"UINT32v1")
        .with("index_idx", &u32s(&[0]))
        .with("index_idx_offsets", &u64s(&[0, 1]))
        .with("val_data", b"UINT32v1")
        .with("val_idx", &u32s(&[0]))
        .with("val_idx_offsets", &u64s(&[0, 1]));
    assert_eq!(store.entries().unwrap(), []);
    store.is_valid();
}
