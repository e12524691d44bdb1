//! The header of each array.

use super::*;

#[test]
fn an_array_starts_with_a_header_of_its_type() {
    for (name, bytes, message) in [
        ("val", &b"UINT32v2\x05\x00\x00\x00"[..], "found the header \"UINT32v2\""),
        ("val", b"", "found a file of 0 bytes"),
        ("val", b"UINT32", "found a file of 6 bytes"),
        ("index", b"\x00\x01\x02\x03\x04\x05\x06\x07", "found the header \"\\x00\\x01"),
        // As written by a big-endian machine.
        ("index", b"TNIU1v23\x00\x00\x00\x00", "of a big-endian file"),
        ("idxptr", b"TNIU1v46\x00\x00\x00\x00\x00\x00\x00\x00", "of a big-endian file"),
    ] {
        let fault = unpacked().with(name, bytes).breaks_at(name, None, message);
        assert!(fault.contains("UINT32v1, UINT64v1, FLOATSv1, DOUBLEv1"), "{fault}");
    }
}

#[test]
fn the_version_determines_the_types() {
    let narrow = u32s(&[0, 2, 2, 3]);
    unpacked().with("idxptr", &narrow).breaks_at("idxptr", None, "elements of type uint32");
    let wide = u64s(&[0, 2, 2, 3]);
    let first = first_revision(unpacked()).with("idxptr", &wide);
    first.breaks_at("idxptr", None, "elements of type uint64");
    let float = words(b"FLOATSv1", &[5, 7, 1]);
    unpacked().with("val", &float).breaks_at("val", None, "elements of type float32");
    unpacked().with("index", &u64s(&[0, 2, 1])).breaks_at("index", None, "type uint64");
    packed().with("index_idx", &u64s(&[0, 12])).breaks_at("index_idx", None, "type uint64");
    let offsets = u32s(&[0, 2]);
    let store = packed().with("val_idx_offsets", &offsets);
    store.breaks_at("val_idx_offsets", None, "type uint32");
}

#[test]
fn packed_matrices_store_floats_unpacked() {
    let store = packed()
        .without("val_data")
        .without("val_idx")
        .without("val_idx_offsets")
        .with("version", b"packed-float-matrix-v2\n")
        .with("val", &words(b"FLOATSv1", &[5, 7, 0x7fc0_0001]));
    // Bits are kept: subnormals, and a NaN with a payload.
    assert_eq!(store.entries().unwrap(), [(0, 0, 5), (2, 0, 7), (1, 2, 0x7fc0_0001)]);
    store.is_valid();
    let store = store.with("version", b"packed-double-matrix-v2\n");
    store.breaks_at("val", None, "elements of type float32");
}
