//! Small stores, byte by byte: what real files have beyond the published description, and every
//! kind of damage.

use std::collections::BTreeMap;
use std::path::Path;

use nnz_bpcells::{FormatVersion, Packing, SinkOptions};
use nnz_container::directory::Directory;
use nnz_core::{At, Axis, Error, ErrorKind, MatrixSource as _, Order, Severity};

use crate::common;

/// The files of a store by name.
#[derive(Clone)]
struct Store(BTreeMap<&'static str, Vec<u8>>);

fn words(header: &[u8; 8], words: &[u32]) -> Vec<u8> {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    header.iter().copied().chain(bytes).collect()
}

fn u32s(elements: &[u32]) -> Vec<u8> {
    words(b"UINT32v1", elements)
}

fn u64s(elements: &[u64]) -> Vec<u8> {
    let bytes = elements.iter().flat_map(|element| element.to_le_bytes());
    b"UINT64v1".iter().copied().chain(bytes).collect()
}

/// Four rows and three columns; 5 and 7 in the first column, 1 in the last:
///
/// ```text
///      x y z
///   a  5 . .
///   b  . . 1
///   c  7 . .
///   d  . . .
/// ```
fn unpacked() -> Store {
    Store(BTreeMap::from([
        ("version", b"unpacked-uint-matrix-v2\n".to_vec()),
        ("storage_order", b"col\n".to_vec()),
        ("row_names", b"a\nb\nc\nd\n".to_vec()),
        ("col_names", b"x\ny\nz\n".to_vec()),
        // rows, then columns
        ("shape", b"UINT32v1\x04\x00\x00\x00\x03\x00\x00\x00".to_vec()),
        // where each column starts, and where the last one ends
        (
            "idxptr",
            [
                &b"UINT64v1"[..],
                b"\x00\x00\x00\x00\x00\x00\x00\x00",
                b"\x02\x00\x00\x00\x00\x00\x00\x00",
                b"\x02\x00\x00\x00\x00\x00\x00\x00", // nothing in column y
                b"\x03\x00\x00\x00\x00\x00\x00\x00",
            ]
            .concat(),
        ),
        // rows a and c, then row b
        ("index", b"UINT32v1\x00\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00".to_vec()),
        ("val", b"UINT32v1\x05\x00\x00\x00\x07\x00\x00\x00\x01\x00\x00\x00".to_vec()),
    ]))
}

/// The same matrix, packed: one chunk of 128 values, padded with the last one.
fn packed() -> Store {
    let mut store = unpacked();
    store.0.remove("index");
    store.0.remove("val");
    store.put("version", b"packed-uint-matrix-v2\n");
    // Indices 0 2 1 1 1 ... differ by 0 +2 -1 0 0 ..., as zigzag 0 4 1 0 0 ...: three bits each.
    // The first four are in four lanes, in the low bits of the first word of each. Three bits a
    // value make three words a lane.
    store.put("index_data", &u32s(&[0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    store.put("index_starts", &u32s(&[0]));
    // The chunk starts at word 0 and ends at word 12.
    store.put("index_idx", &u32s(&[0, 12]));
    // All of idx belongs to the first 2^32 words.
    store.put("index_idx_offsets", &u64s(&[0, 2]));
    // Values 5 7 1 1 1 ... minus one are 4 6 0 0 0 ...: three bits each.
    store.put("val_data", &u32s(&[4, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    store.put("val_idx", &u32s(&[0, 12]));
    store.put("val_idx_offsets", &u64s(&[0, 2]));
    store
}

/// The same matrix in version 1: 32-bit pointers, no `idx_offsets`.
fn first_revision(mut store: Store) -> Store {
    let version = String::from_utf8(store.0["version"].clone()).unwrap().replace("v2", "v1");
    store.put("version", version.as_bytes());
    store.put("idxptr", &u32s(&[0, 2, 2, 3]));
    store.0.remove("index_idx_offsets");
    store.0.remove("val_idx_offsets");
    store
}

impl Store {
    fn put(&mut self, name: &'static str, bytes: &[u8]) {
        self.0.insert(name, bytes.to_vec());
    }

    fn with(mut self, name: &'static str, bytes: &[u8]) -> Self {
        self.put(name, bytes);
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.0.remove(name).unwrap();
        self
    }

    /// Truncates a file, or appends bytes.
    fn resized(mut self, name: &'static str, len: usize) -> Self {
        self.0.get_mut(name).unwrap().resize(len, 0xaa);
        self
    }

    fn write(&self) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for (name, bytes) in &self.0 {
            std::fs::write(directory.path().join(name), bytes).unwrap();
        }
        directory
    }

    /// Entries as (row, column, value).
    fn entries(&self) -> Result<Vec<(u64, u64, u32)>, Error> {
        let directory = self.write();
        let result = common::open(directory.path()).and_then(|m| common::all_entries(&m));
        if let Err(error) = &result {
            assert_eq!(error.place().path.as_deref(), Some(directory.path()), "{error}");
        }
        let value = |bits: String| u32::from_str_radix(&bits, 16).unwrap();
        result.map(|all| all.into_iter().map(|(row, col, bits)| (row, col, value(bits))).collect())
    }

    fn names(&self, axis: Axis) -> Result<Option<Vec<String>>, Error> {
        let directory = self.write();
        let names = common::open(directory.path())?.names(axis)?;
        let text = |name: &[u8]| String::from_utf8(name.to_vec()).unwrap();
        Ok(names.map(|names| names.iter().map(text).collect()))
    }

    /// What validation finds: faults, then notes, each as array, position and message.
    fn findings(&self) -> [Vec<String>; 2] {
        let directory = self.write();
        let (mut faults, mut notes) = (Vec::new(), Vec::new());
        let open = || -> Result<Box<dyn nnz_container::Container>, Error> {
            Ok(Box::new(Directory::open(directory.path())?))
        };
        nnz_bpcells::validate(&open, &mut |finding| {
            assert_eq!(finding.place.path.as_deref(), Some(directory.path()), "{finding}");
            let list = if finding.severity == Severity::Fault { &mut faults } else { &mut notes };
            list.push(without_path(&finding.to_string(), directory.path()));
        })
        .unwrap();
        [faults, notes]
    }

    #[track_caller]
    fn is_valid(&self) {
        assert_eq!(self.findings()[0], [""; 0]);
    }

    /// Checks that reading fails at an array and position with this message, and that validation
    /// finds a fault at the same location. Returns the first fault.
    #[track_caller]
    fn breaks_at(&self, array: &str, at: Option<At>, message: &str) -> String {
        let error = self.entries().expect_err("a damaged store was read");
        let place = error.place();
        assert_eq!(place.array.as_deref(), Some(array), "{error}");
        assert_eq!(place.at, at, "{error}");
        assert!(error.to_string().contains(message), "{error}");
        let [faults, _] = self.findings();
        let start = match &at {
            Some(at) => format!("{array}, {at}: "),
            None => format!("{array}: "),
        };
        let fault = faults.iter().find(|fault| fault.starts_with(&start));
        fault.unwrap_or_else(|| panic!("{start} not among {faults:?}")).clone()
    }
}

fn without_path(finding: &str, path: &Path) -> String {
    finding.replace(&format!("{}: ", path.display()), "")
}

fn element(element: u64) -> Option<At> {
    Some(At::Element(element))
}

const ENTRIES: [(u64, u64, u32); 3] = [(0, 0, 5), (2, 0, 7), (1, 2, 1)];

fn all() -> [Store; 4] {
    [unpacked(), packed(), first_revision(unpacked()), first_revision(packed())]
}

#[test]
fn the_sample_stores_are_valid() {
    for store in all() {
        assert_eq!(store.entries().unwrap(), ENTRIES);
        assert_eq!(store.findings(), [[""; 0], [""; 0]]);
    }
}

#[test]
fn writing_gives_exactly_these_bytes() {
    let source = unpacked().write();
    let matrix = common::open(source.path()).unwrap();
    for (store, packing, format_version) in [
        (unpacked(), Packing::Unpacked, FormatVersion::V2),
        (packed(), Packing::Packed, FormatVersion::V2),
        (first_revision(unpacked()), Packing::Unpacked, FormatVersion::V1),
        (first_revision(packed()), Packing::Packed, FormatVersion::V1),
    ] {
        let scratch = tempfile::tempdir().unwrap();
        let target = scratch.path().join("t");
        common::write(&matrix, &target, SinkOptions { packing, format_version }).unwrap();
        assert_eq!(std::fs::read_dir(&target).unwrap().count(), store.0.len());
        for (name, bytes) in &store.0 {
            assert_eq!(&std::fs::read(target.join(name)).unwrap(), bytes, "{name}");
        }
    }
}

#[test]
fn a_row_major_store_keeps_names_with_their_axes() {
    // The arrays are those of the transpose: 3 rows of up to 4 columns.
    let store = unpacked()
        .with("storage_order", b"row\n")
        .with("shape", &u32s(&[3, 4]))
        .with("row_names", b"x\ny\nz\n")
        .with("col_names", b"a\nb\nc\nd\n");
    assert_eq!(store.entries().unwrap(), [(0, 0, 5), (0, 2, 7), (2, 1, 1)]);
    assert_eq!(store.names(Axis::Rows).unwrap().unwrap(), ["x", "y", "z"]);
    let directory = store.write();
    assert_eq!(common::open(directory.path()).unwrap().header().order, Order::Row);
    store.is_valid();
}

mod names {
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
}

mod shape {
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
        store.breaks_at("idxptr", element(1), "found 3, expected 0, since shape has 0 cols");
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
            assert!(fault.contains(&format!("since shape has {cols} cols")), "{fault}");
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
}

mod headers {
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
}

mod version {
    use super::*;

    #[test]
    fn version_is_one_line() {
        packed().with("version", b"").breaks_at("version", None, "found no line");
        let two = b"packed-uint-matrix-v2\npacked-uint-matrix-v2\n";
        packed().with("version", two).breaks_at("version", None, "found several lines");
        packed().with("version", b"\n").breaks_at("version", None, "version \"\"");
        packed().with("version", b"packed-uint-matrix-v2\n\n").breaks_at("version", None, "lines");
    }

    #[test]
    fn other_versions_are_errors() {
        for (version, why) in [
            ("packed-uint-matrix-v9999", "never published"),
            ("packed-ulong-matrix-v2", "64-bit"),
            ("unpacked-ulong-matrix-v2", "64-bit"),
            ("packed-fragments-v2", "fragments"),
            ("unpacked-fragments-v1", "fragments"),
            ("packed-uint-matrix-v3", "not known"),
            ("packed-half-matrix-v2", "not known"),
            ("Packed-uint-matrix-v2", ""),
            (" packed-uint-matrix-v2", ""),
            ("something else", ""),
        ] {
            let store = packed().with("version", format!("{version}\n").as_bytes());
            let named = format!("version \"{version}\"");
            let fault = store.breaks_at("version", None, &named);
            assert!(fault.contains(why), "{fault}");
            assert!(matches!(store.entries().unwrap_err().kind(), ErrorKind::Unsupported(_)));
        }
    }
}

#[test]
fn the_storage_order_is_row_or_col() {
    for (text, found) in [
        (&b"diagonal\n"[..], "found \"diagonal\", expected \"row\" or \"col\""),
        (b"COL\n", "found \"COL\""),
        (b"col \n", "found \"col \""),
        (b"\n", "found \"\""),
        (b"", "found 0 lines, expected 1 line"),
        (b"col\nrow\n", "found 2 lines, expected 1 line"),
        (b"\xff\x1b\n", "found \"\\xff\\x1b\""),
    ] {
        packed().with("storage_order", text).breaks_at("storage_order", None, found);
    }
}

#[test]
fn a_missing_member_is_an_error() {
    for store in all() {
        for name in store.0.keys() {
            let broken = store.clone().without(name);
            broken.breaks_at(name, None, "missing");
            assert!(matches!(broken.entries().unwrap_err().kind(), ErrorKind::Missing));
        }
    }
}

#[test]
fn a_directory_in_place_of_a_member_is_an_error() {
    let directory = packed().without("val_data").write();
    std::fs::create_dir(directory.path().join("val_data")).unwrap();
    let error = common::open(directory.path()).err().unwrap().to_string();
    assert!(error.contains("val_data: found no regular file"), "{error}");
}

#[test]
fn unknown_members_are_ignored_with_a_note() {
    let store = packed().with("Thumbs.db", b"\x00").with("val", b"UINT32v1");
    assert_eq!(store.entries().unwrap(), ENTRIES);
    let [faults, notes] = store.findings();
    assert_eq!(faults, [""; 0]);
    let named = |name: &str| notes.iter().any(|note| note.starts_with(&format!("note: {name}: ")));
    assert!(named("Thumbs.db") && named("val"), "{notes:?}");
    // An array of the other version is not a member either.
    let first = first_revision(packed()).with("val_idx_offsets", b"UINT64v1");
    assert_eq!(first.entries().unwrap(), ENTRIES);
    assert!(first.findings()[1][0].starts_with("note: val_idx_offsets: "));
}

mod lengths {
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
}

mod pointers {
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
}

mod chunks {
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
        let message = "found 20, expected at most 16, the words of index_data";
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
        for found in
            [&[0_u64, 1][..], &[0, 3], &[1, 2], &[2, 2], &[0, u64::MAX], &[0], &[], &[0, 1, 2]]
        {
            for name in ["index_idx_offsets", "val_idx_offsets"] {
                let store = packed().with(name, &u64s(found));
                let [faults, _] = store.findings();
                assert_eq!(faults.len(), 1, "{found:?}: {faults:?}");
                assert!(faults[0].starts_with(&format!("{name}: found ")), "{faults:?}");
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
}

#[test]
fn unsorted_and_duplicate_entries_are_read_with_a_note() {
    let store = unpacked().with("index", &u32s(&[2, 0, 1]));
    assert_eq!(store.entries().unwrap(), [(2, 0, 5), (0, 0, 7), (1, 2, 1)]);
    let [faults, notes] = store.findings();
    assert_eq!(faults, [""; 0]);
    assert_eq!(notes, ["note: entry (row 0, column 0): is not in ascending order"]);
    let store = unpacked().with("index", &u32s(&[2, 2, 1]));
    assert_eq!(store.entries().unwrap(), [(2, 0, 5), (2, 0, 7), (1, 2, 1)]);
    let [faults, notes] = store.findings();
    assert_eq!(faults, [""; 0]);
    assert_eq!(notes, ["note: entry (row 2, column 0): is stored twice"]);
}

#[test]
fn validation_finds_all_faults_at_once() {
    let store = unpacked()
        .with("row_names", b"a\n")
        .with("col_names", b"x\n")
        .with("idxptr", &u64s(&[0, 2, 3]))
        .resized("val", 8 + 4 + 1)
        .without("index");
    let [faults, _] = store.findings();
    let arrays: Vec<_> = faults.iter().map(|f| f.split([':', ',']).next().unwrap()).collect();
    assert_eq!(arrays, ["row_names", "col_names", "idxptr", "index", "val", "val"], "{faults:?}");
}
