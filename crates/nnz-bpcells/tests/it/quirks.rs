//! Small stores, byte by byte: what real files have beyond the published description, and every
//! kind of damage.

mod chunks;
mod headers;
mod lengths;
mod names;
mod pointers;
mod shape;
mod version;

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

    /// Returns the findings of validation: faults, then notes, each as array, position and message.
    fn findings(&self) -> [Vec<String>; 2] {
        let directory = self.write();
        let (mut faults, mut notes) = (Vec::new(), Vec::new());
        let open = || -> Result<nnz_container::NamedArrays, Error> {
            Ok(nnz_container::NamedArrays::new(Directory::open(directory.path())?))
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
        let missing = format!("{array} is missing");
        let fault = faults.iter().find(|fault| fault.starts_with(&start) || **fault == missing);
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
    // The arrays describe the transpose: 3 rows of up to 4 columns.
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
    assert!(error.contains("val_data: found a directory or special file"), "{error}");
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

#[test]
fn unsorted_and_duplicate_entries_are_read_with_a_note() {
    let store = unpacked().with("index", &u32s(&[2, 0, 1]));
    assert_eq!(store.entries().unwrap(), [(2, 0, 5), (0, 0, 7), (1, 2, 1)]);
    let [faults, notes] = store.findings();
    assert_eq!(faults, [""; 0]);
    assert_eq!(notes, ["note: not in ascending order: entry (row 0, column 0)"]);
    let store = unpacked().with("index", &u32s(&[2, 2, 1]));
    assert_eq!(store.entries().unwrap(), [(2, 0, 5), (2, 0, 7), (1, 2, 1)]);
    let [faults, notes] = store.findings();
    assert_eq!(faults, [""; 0]);
    assert_eq!(notes, ["note: duplicate entry (row 2, column 0)"]);
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
    let arrays: Vec<_> = faults.iter().map(|f| f.split([':', ',', ' ']).next().unwrap()).collect();
    assert_eq!(arrays, ["row_names", "col_names", "idxptr", "index", "val", "val"], "{faults:?}");
}
