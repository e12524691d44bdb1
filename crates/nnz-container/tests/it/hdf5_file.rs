//! New HDF5 files: trees of any size are read back.

use std::io::{Cursor, Seek, SeekFrom, Write};
use std::path::Path;

use nnz_hdf5::{
    CharacterSet, DatasetSpec, Dataspace, ElementType, Field, FileOptions, FileWriter, ObjectId,
    StringPadding, Value,
};

use nnz_container::Compression;
use nnz_core::ValueType;
use nnz_storage::staging::WriteOptions;
use proptest::prelude::*;

use crate::common::hdf5::{Member, member};

fn new() -> WriteOptions {
    WriteOptions::default().overwrite(false).sync(false)
}

const I32: ElementType = ElementType::Number(ValueType::I32);

fn in_memory(threads: usize) -> FileWriter<Cursor<Vec<u8>>> {
    let options = FileOptions { threads, track_order: false };
    FileWriter::new(Cursor::new(Vec::new()), options).unwrap()
}

/// The layout of a dataset of one dimension.
#[derive(Clone, Debug)]
enum Storage {
    Compact,
    Contiguous,
    Chunked { chunk: u32, growing: bool, compression: Compression, shuffle: bool },
}

#[derive(Clone, Debug)]
enum Node {
    Group(Vec<(String, Node)>, Vec<(String, String)>),
    Numbers { value_type: ValueType, bytes: Vec<u8>, storage: Storage },
    Strings { strings: Vec<String>, storage: Storage },
}

fn storage() -> impl Strategy<Value = Storage> {
    let compression = prop_oneof![
        Just(Compression::None),
        (0..=9_u32).prop_map(Compression::Gzip),
        (1..=4_u32).prop_map(Compression::Zstd),
        Just(Compression::Blosc),
        Just("zstd:2+shuffle".parse().unwrap()),
    ];
    let chunked = (1..40_u32, any::<bool>(), compression, any::<bool>()).prop_map(
        |(chunk, growing, compression, shuffle)| Storage::Chunked {
            chunk,
            growing,
            compression,
            shuffle,
        },
    );
    prop_oneof![Just(Storage::Compact), Just(Storage::Contiguous), chunked]
}

fn node() -> impl Strategy<Value = Node> {
    let value_type = prop::sample::select(ValueType::ALL.to_vec());
    let bytes = prop::collection::vec(any::<u8>(), 0..3000);
    let numbers = (value_type, bytes, storage()).prop_map(|(value_type, mut bytes, storage)| {
        bytes.truncate(bytes.len() / value_type.size() * value_type.size());
        if value_type == ValueType::Bint8 {
            bytes.iter_mut().for_each(|byte| *byte &= 1);
        }
        Node::Numbers { value_type, bytes, storage }
    });
    let text = prop_oneof![4 => "[^\0]{0,20}", 1 => "[a-z]{3000,9000}"];
    let strings = prop::collection::vec(text, 0..60);
    let strings =
        (strings, storage()).prop_map(|(strings, storage)| Node::Strings { strings, storage });
    prop_oneof![numbers, strings].prop_recursive(4, 60, 20, |inner| {
        let name = "[a-zé._ -]{1,12}".prop_filter("a name", |name| name != ".");
        let members = prop::collection::btree_map(name, inner, 0..20);
        // Attributes are members of a container too.
        let attributes = prop::collection::btree_map("[A-Z]{1,10}", "[^\0]{0,300}", 0..20);
        (members, attributes).prop_map(|(members, attributes)| {
            Node::Group(members.into_iter().collect(), attributes.into_iter().collect())
        })
    })
}

fn spec(element: ElementType, len: u64, storage: &Storage) -> DatasetSpec {
    match storage {
        Storage::Compact => DatasetSpec::compact(element, &[len]),
        Storage::Contiguous => DatasetSpec::contiguous(element, &[len]),
        Storage::Chunked { chunk, growing, compression, shuffle } => {
            let spec = DatasetSpec::chunked(element, &[if *growing { 0 } else { len }], &[*chunk]);
            let spec = if *growing { spec.growing() } else { spec.max_shape(&[None]) };
            spec.compress(*compression, *shuffle)
        }
    }
}

fn write<W: Write + Seek>(file: &mut FileWriter<W>, parent: ObjectId, name: &str, node: &Node) {
    match node {
        Node::Group(members, attributes) => {
            let group = file.create_group(parent, name).unwrap();
            for (name, node) in members {
                write(file, group, name, node);
            }
            for (name, text) in attributes {
                file.set_attribute(group, name, Value::text(text)).unwrap();
            }
        }
        Node::Numbers { value_type, bytes, storage } => {
            let len = (bytes.len() / value_type.size()) as u64;
            let spec = spec(ElementType::Number(*value_type), len, storage);
            let id = file.create_dataset(parent, name, spec).unwrap();
            for piece in bytes.chunks(value_type.size() * 100) {
                file.append(id, piece).unwrap();
            }
        }
        Node::Strings { strings, storage } => {
            let spec = spec(ElementType::TEXT, strings.len() as u64, storage);
            let id = file.create_dataset(parent, name, spec).unwrap();
            file.append_strings(id, strings).unwrap();
        }
    }
}

fn check(path: &Path, parent: &str, name: &str, node: &Node) {
    let group = crate::common::open_hdf5(path, parent).unwrap();
    match node {
        Node::Group(members, attributes) => {
            let here = format!("{parent}/{name}");
            let group = crate::common::open_hdf5(path, &here).unwrap();
            let mut names: Vec<&String> = members.iter().map(|(name, _)| name).collect();
            names.extend(attributes.iter().map(|(name, _)| name));
            names.sort();
            assert_eq!(group.members().unwrap().iter().collect::<Vec<_>>(), names);
            for (name, text) in attributes {
                assert_eq!(group.attribute(name).unwrap(), *text);
            }
            for (name, node) in members {
                check(path, &here, name, node);
            }
        }
        Node::Numbers { value_type, bytes, .. } => {
            let expected = Member::Numbers(value_type.name(), bytes.clone());
            assert_eq!(member(&group, name).unwrap(), expected);
        }
        Node::Strings { strings, .. } => {
            let strings = strings.iter().map(|string| string.clone().into_bytes()).collect();
            assert_eq!(member(&group, name).unwrap(), Member::Strings(strings));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn trees_are_read_back(node in node(), track_order: bool, threads in 1..4_usize) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.h5");
        let options = FileOptions { threads, track_order };
        let mut file = FileWriter::create(&path, new(), options).unwrap();
        write(&mut file, ObjectId::ROOT, "node", &node);
        let bytes = file.commit().unwrap();
        prop_assert_eq!(bytes, std::fs::metadata(&path).unwrap().len());
        check(&path, "", "node", &node);
    }
}

#[test]
fn groups_of_any_size_are_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    let mut file = FileWriter::create(&path, new(), FileOptions::default()).unwrap();
    // A symbol table node has 8 members, a B-tree node 32 of them.
    let counts = [0, 1, 8, 9, 256, 257, 1000, 8192, 8193, 70_000];
    for count in counts {
        let group = file.group(&format!("g/{count}")).unwrap();
        for at in 0..count {
            file.create_group(group, &format!("m{at}")).unwrap();
        }
    }
    file.commit().unwrap();
    for count in counts {
        let mut expected: Vec<String> = (0..count).map(|at| format!("m{at}")).collect();
        expected.sort();
        let group = crate::common::open_hdf5(&path, &format!("g/{count}")).unwrap();
        assert!(group.members().unwrap() == expected, "{count}");
    }
    assert!(
        crate::common::open_hdf5(&path, "g/70000/m69999").unwrap().members().unwrap().is_empty()
    );
}

#[test]
fn any_number_of_chunks_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    let mut file = FileWriter::create(&path, new(), FileOptions::default()).unwrap();
    // A B-tree node has 64 chunks.
    let counts = [0_i32, 1, 64, 65, 4096, 4097, 5000];
    let mut ids = Vec::new();
    for count in counts {
        let spec = DatasetSpec::chunked(I32, &[0], &[3]).growing();
        ids.push(file.create_dataset(ObjectId::ROOT, &count.to_string(), spec).unwrap());
    }
    // All of them alternately, with an incomplete last chunk.
    for at in 0..5000 * 3 {
        for (count, id) in counts.iter().zip(&ids) {
            if at < count * 3 - 1 {
                file.append(*id, &at.to_le_bytes()).unwrap();
            }
        }
    }
    file.commit().unwrap();
    let group = crate::common::open_hdf5(&path, "").unwrap();
    for count in counts {
        let expected: Vec<u8> = (0..count * 3 - 1).flat_map(i32::to_le_bytes).collect();
        let expected = Member::Numbers("int32", expected);
        assert!(member(&group, &count.to_string()).unwrap() == expected, "{count}");
    }
}

#[test]
fn strings_of_any_length_are_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    let mut file = FileWriter::create(&path, new(), FileOptions::default()).unwrap();
    let lengths = [0, 1, 4063, 4064, 4065, 4095, 4096, 65_503, 65_504, 65_505, 70_000, 0, 1];
    let strings: Vec<String> = lengths.iter().map(|len| "x".repeat(*len)).collect();
    let spec = DatasetSpec::contiguous(ElementType::TEXT, &[strings.len() as u64]);
    let id = file.create_dataset(ObjectId::ROOT, "lengths", spec).unwrap();
    // More than the objects of a collection.
    let spec = DatasetSpec::chunked(ElementType::TEXT, &[0], &[1000]).growing();
    let empty = file.create_dataset(ObjectId::ROOT, "empty", spec).unwrap();
    for string in &strings {
        file.append_strings(id, [string]).unwrap();
        file.append_strings(empty, std::iter::repeat_n("", 10_000)).unwrap();
    }
    file.set_attribute(ObjectId::ROOT, "long", Value::text(&*strings[10])).unwrap();
    file.commit().unwrap();
    let group = crate::common::open_hdf5(&path, "").unwrap();
    let expected = strings.iter().map(|string| string.clone().into_bytes()).collect();
    assert!(member(&group, "lengths").unwrap() == Member::Strings(expected));
    let expected = Member::Strings(vec![Vec::new(); 130_000]);
    assert!(member(&group, "empty").unwrap() == expected);
    assert!(group.attribute("long").unwrap() == strings[10]);
}

#[test]
fn attributes_larger_than_a_header_are_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    let mut file = FileWriter::create(&path, new(), FileOptions::default()).unwrap();
    for count in [4000_u32, 4092, 4093, 4094, 5000, 100_000] {
        let group = file.create_group(ObjectId::ROOT, &count.to_string()).unwrap();
        file.create_group(group, "member").unwrap();
        let columns = Value::texts((0..count).map(|at| at.to_string()));
        file.set_attribute(group, "column-order", columns).unwrap();
        for at in 0..500 {
            file.set_attribute(group, &format!("x{at}"), Value::number(at)).unwrap();
        }
    }
    let many = Value::numbers(&vec![0.5_f64; 1 << 20]);
    file.set_attribute(ObjectId::ROOT, "large", many.clone()).unwrap();
    file.commit().unwrap();
    for count in [4000, 4092, 4093, 4094, 5000, 100_000_u64] {
        let group = crate::common::open_hdf5(&path, &count.to_string()).unwrap();
        assert_eq!(group.members().unwrap().len(), 502);
        let columns = group.group().attribute("column-order").unwrap().unwrap().value;
        let nnz_container::tree::AttributeValue::Strings(columns) = columns else {
            panic!("no strings")
        };
        assert_eq!(columns.len(), count);
        assert!(columns.iter().enumerate().all(|(at, name)| name == at.to_string().as_bytes()));
        let last = group.group().attribute("x499").unwrap().unwrap().value;
        let nnz_container::tree::AttributeValue::Numbers(last) = last else { panic!("no number") };
        assert_eq!(last, nnz_core::Values::I32(vec![499]));
    }

    let path = dir.path().join("b.h5");
    let mut file = FileWriter::create(&path, new(), FileOptions::default()).unwrap();
    file.set_attribute(ObjectId::ROOT, "large", many).unwrap();
    let group = file.create_group(ObjectId::ROOT, "g").unwrap();
    file.set_attribute(group, "larger", Value::numbers(&vec![0_u8; 16 << 20])).unwrap();
    let error = file.commit().unwrap_err().to_string();
    assert!(error.contains("b.h5: g: attributes of 167"), "{error}");
    assert!(!path.exists());
}

/// Several datasets that are appended to alternately.
fn several(threads: usize) -> Vec<u8> {
    let mut file = in_memory(threads);
    let gzip = |chunk| {
        let spec = DatasetSpec::chunked(I32, &[0], &[chunk]).growing();
        spec.compress(Compression::Gzip(1), true)
    };
    let ids = [gzip(1000), gzip(70_000), DatasetSpec::chunked(I32, &[0], &[500]).growing()];
    let ids = [0, 1, 2]
        .map(|at| file.create_dataset(ObjectId::ROOT, &at.to_string(), ids[at].clone()).unwrap());
    let spec = DatasetSpec::contiguous(ElementType::TEXT, &[3000]);
    let names = file.create_dataset(ObjectId::ROOT, "names", spec).unwrap();
    for round in 0..3000_i32 {
        let bytes: Vec<u8> =
            (0..2000).map(|at| at * round % 1000).flat_map(i32::to_le_bytes).collect();
        ids.iter().for_each(|id| file.append(*id, &bytes).unwrap());
        file.append_strings(names, [round.to_string()]).unwrap();
    }
    file.finish().unwrap().into_inner()
}

#[test]
fn bytes_do_not_depend_on_threads() {
    let one = several(1);
    assert!(one == several(2));
    assert!(one == several(9));
}

#[test]
fn invalid_specifications_are_refused() {
    let mut file = in_memory(1);
    let group = file.group("a/b").unwrap();
    assert_eq!(file.group("/a/b/").unwrap(), group);
    let id = file.create_dataset(group, "d", DatasetSpec::contiguous(I32, &[2])).unwrap();
    for name in ["", ".", "x/y", "x\0", "d"] {
        let refused = file.create_group(group, name).unwrap_err().to_string();
        assert!(refused.starts_with("a/b/") || refused.contains("\"\""), "{refused}");
    }
    assert!(file.create_group(id, "x").is_err());
    assert!(file.group("a/b/d/e").is_err());
    assert!(file.append(group, &[]).is_err());
    assert!(file.append_strings(id, ["x"]).is_err());
    assert!(file.set_attribute(group, "a\0", Value::text("")).is_err());
    assert!(file.set_attribute(group, "a", Value::text("\0")).is_err());
    file.set_attribute(group, "a", Value::text("")).unwrap();
    let refused = file.set_attribute(group, "a", Value::text("")).unwrap_err().to_string();
    assert_eq!(refused, "a/b@a: already exists");

    let chunked = |shape: &[u64], chunk: &[u32]| DatasetSpec::chunked(I32, shape, chunk);
    let text = |bytes| ElementType::FixedString {
        bytes,
        padding: StringPadding::NullPadded,
        character_set: CharacterSet::Ascii,
    };
    let fields = |count: u32| {
        let field = |at| Field { name: format!("f{at}"), element: I32 };
        ElementType::Compound((0..count).map(field).collect())
    };
    for (spec, said) in [
        (chunked(&[], &[]), "0 dimensions"),
        (chunked(&[1; 33], &[1; 33]), "33 dimensions"),
        (chunked(&[3], &[1, 1]), "different numbers of dimensions"),
        (chunked(&[3], &[0]), "chunks of 0 bytes"),
        (chunked(&[3], &[4]), "a chunk longer than the maximum length of an axis"),
        (chunked(&[1 << 40], &[1 << 30]), "4 GiB or more"),
        (chunked(&[u64::MAX], &[1]), "2^64"),
        (chunked(&[3], &[1]).max_shape(&[Some(2)]), "exceeds its maximum shape"),
        (chunked(&[3], &[1]).compress(Compression::Gzip(10), true), "levels"),
        (chunked(&[3, 0], &[1, 1]).growing(), "rows of 0 bytes"),
        (DatasetSpec::contiguous(I32, &[3]).growing(), "cannot grow"),
        (DatasetSpec::scalar(I32).growing(), "cannot grow"),
        (
            DatasetSpec::contiguous(I32, &[3]).compress(Compression::Gzip(1), false),
            "only chunked datasets",
        ),
        (DatasetSpec::scalar(I32).unwritten(), "only chunked datasets"),
        (DatasetSpec::compact(I32, &[16_001]), "compact data of 64004 bytes: at most 64000"),
        (DatasetSpec::scalar(text(0)), "0 bytes"),
        (DatasetSpec::scalar(ElementType::Compound(vec![])), "0 bytes"),
        (DatasetSpec::scalar(fields(1500)), "too many fields"),
    ] {
        let refused = file.create_dataset(group, "new", spec).unwrap_err().to_string();
        assert!(refused.starts_with("a/b/new: ") && refused.contains(said), "{refused}");
    }
    assert!(Value::bytes(I32, Dataspace::Scalar, vec![0; 3]).is_err());
    assert!(Value::numbers(&[1_u8, 2]).reshape(Dataspace::simple(&[3])).is_err());

    file.append(id, &[0; 7]).unwrap();
    let refused = file.finish().unwrap_err().to_string();
    assert_eq!(refused, "a/b/d: 7 bytes were written to a dataset of 8");

    let mut file = in_memory(1);
    let spec = DatasetSpec::chunked(I32, &[0, 2], &[1, 2]).growing();
    let id = file.create_dataset(ObjectId::ROOT, "d", spec).unwrap();
    file.append(id, &[0; 12]).unwrap();
    assert_eq!(file.finish().unwrap_err().to_string(), "d: an incomplete last row");

    let mut file = in_memory(1);
    let spec = DatasetSpec::chunked(I32, &[0], &[10]).growing();
    let id = file.create_dataset(ObjectId::ROOT, "d", spec).unwrap();
    file.append(id, &[0; 12]).unwrap();
    file.finish_dataset(id).unwrap();
    file.finish_dataset(id).unwrap();
    let refused = file.append(id, &[0; 4]).unwrap_err().to_string();
    assert_eq!(refused, "d: more elements than the shape of the dataset");
    assert_eq!(file.finish().unwrap_err().to_string(), "an earlier write has failed");
}

/// A disk that becomes full.
struct Full(Cursor<Vec<u8>>, u64);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.position() + bytes.len() as u64 > self.1 {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Seek for Full {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn a_failed_write_is_permanent() {
    for room in [0, 50, 5000, 1 << 20, 3 << 20, 20 << 20] {
        let target = Full(Cursor::new(Vec::new()), room);
        let mut file = FileWriter::new(target, FileOptions::default()).unwrap();
        let spec = DatasetSpec::chunked(I32, &[0], &[1000]).growing();
        let id = file.create_dataset(ObjectId::ROOT, "d", spec).unwrap();
        let mut failed = false;
        for _ in 0..100 {
            failed |= file.append(id, &[7; 100_000]).is_err();
        }
        let complete = file.finish().is_ok();
        assert_eq!(complete, room == 20 << 20, "{room}");
        assert!(!(failed && complete));
    }
}
