//! Writing and replacing Zarr stores.

use std::path::{Path, PathBuf};

use nnz_container::tree::{ArraySpec, ElementType, NodeId, TreeWriter as _};
use nnz_container::zarr::{ZarrGroup, ZarrOptions, ZarrVersion, ZarrWriter, groups_with};
use nnz_container::{Compression, NamedArrays, NamedArraysWriter};
use nnz_core::{Result, StringList, ValueType, Values};
use nnz_storage::staging::WriteOptions;
use nnz_testing::random::Random;

fn new() -> WriteOptions {
    WriteOptions::default().overwrite(false).sync(false)
}

fn forced() -> WriteOptions {
    WriteOptions::default().overwrite(true).sync(false)
}

/// Starts writing a group as named arrays are stored.
fn create(path: &Path, group: &str, write: WriteOptions, threads: usize) -> Result<ZarrWriter> {
    let options = ZarrOptions { consolidate: false, threads, ..ZarrOptions::default() };
    ZarrWriter::create(path, group, write, options)
}

fn writer(path: &Path, group: &str) -> NamedArraysWriter {
    NamedArraysWriter::new(create(path, group, new(), 2).unwrap())
}

#[test]
fn files_match_the_specification() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.zarr");
    let mut to = writer(&path, "").chunk(3);
    to.set_attribute("binsparse", " {\"b\": 1, \"a\": 18446744073709551616}").unwrap();
    to.set_attribute("kind", "say \"a\"").unwrap();
    let id = to.create_array("a", ValueType::U16).unwrap();
    to.append(id, &[1_u16, 2, 3, 4]).unwrap();
    to.write_strings("s", &mut [&b"x"[..], "\u{e9}".as_bytes()].into_iter()).unwrap();
    to.finish().unwrap();
    let text = |name: &str| std::fs::read_to_string(path.join(name)).unwrap();
    // An attribute that is JSON is stored unchanged, with the order of members and all digits.
    assert_eq!(
        text("zarr.json"),
        r#"{"zarr_format":3,"node_type":"group","attributes":{"binsparse":{"b": 1, "a": 18446744073709551616},"kind":"say \"a\""}}"#
    );
    let json = |name: &str| -> serde_json::Value { serde_json::from_str(&text(name)).unwrap() };
    let array = json("a/zarr.json");
    assert_eq!(array["shape"], serde_json::json!([4]));
    assert_eq!(array["chunk_grid"]["configuration"]["chunk_shape"], serde_json::json!([3]));
    let bytes = std::fs::read(path.join("a/c/0")).unwrap();
    assert_eq!(bytes, [1, 0, 2, 0, 3, 0]);
    // The last chunk is stored completely.
    assert_eq!(std::fs::read(path.join("a/c/1")).unwrap(), [4, 0, 0, 0, 0, 0]);
    // The number of strings, then each after its length.
    let bytes = std::fs::read(path.join("s/c/0")).unwrap();
    assert_eq!(bytes[..9], [3, 0, 0, 0, 1, 0, 0, 0, b'x']);
    assert_eq!(bytes[9..], [2, 0, 0, 0, 0xc3, 0xa9, 0, 0, 0, 0]);
}

#[test]
fn large_arrays_are_read_back_for_all_chunks_and_threads() {
    let numbers: Vec<u32> = (0..700_000_u32).map(|n| n.wrapping_mul(2_654_435_761) >> 12).collect();
    for (chunk, compress, threads) in [
        (None, Compression::None, 1),
        (Some(60_000), Compression::Zstd(1), 4),
        (Some(60_000), Compression::Gzip(1), 1),
        (Some(1), Compression::None, 3),
    ] {
        let numbers = if chunk == Some(1) { &numbers[..300] } else { &numbers };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.zarr");
        let to = NamedArraysWriter::new(create(&path, "", new(), threads).unwrap());
        let to = to.compress(compress);
        let mut to = match chunk {
            Some(chunk) => to.chunk(chunk),
            None => to,
        };
        let id = to.create_array("a", ValueType::U32).unwrap();
        for piece in numbers.chunks(99_991) {
            to.append(id, piece).unwrap();
        }
        to.finish().unwrap();
        for threads in [1, 4] {
            let array = ZarrGroup::with_threads(&path, "", threads)
                .map(NamedArrays::new)
                .unwrap()
                .array("a")
                .unwrap();
            let mut all = vec![0; numbers.len()];
            array.read_into(0, &mut all).unwrap();
            assert!(all == numbers);
            std::thread::scope(|scope| {
                for thread in 0..4_usize {
                    let (array, numbers) = (&array, &numbers);
                    scope.spawn(move || {
                        let mut few = vec![0; numbers.len().min(100)];
                        for step in 0..40 {
                            let first =
                                (thread * 7919 + step * 50_021) % (numbers.len() - few.len());
                            array.read_into(first as u64, &mut few).unwrap();
                            assert_eq!(few, numbers[first..first + few.len()]);
                        }
                    });
                }
            });
            let mut some = vec![0; numbers.len() / 3];
            array.read_into(numbers.len() as u64 / 2, &mut some).unwrap();
            assert!(some == numbers[numbers.len() / 2..][..some.len()]);
        }
    }
}

/// Random numbers of a type: noise, few values, or sorted.
fn numbers(value_type: ValueType, len: usize, random: &mut Random) -> Vec<u8> {
    let mut values = Values::new(value_type);
    let size = value_type.size();
    let bytes = values.resize_bytes(len);
    let kind = random.below(3);
    for (at, element) in bytes.chunks_exact_mut(size).enumerate() {
        let number = match kind {
            0 => random.next(),
            1 => random.next() % 5,
            _ => (at * 3) as u64 + random.next() % 3,
        };
        for (byte, from) in element.iter_mut().zip(number.to_le_bytes()) {
            *byte = if value_type == ValueType::Bint8 { from & 1 } else { from };
        }
    }
    bytes.to_vec()
}

#[test]
fn every_compression_of_every_type_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut random = Random::new(7);
    let compressions = [
        "blosc",
        "pcodec:0",
        "pcodec:8",
        "gzip:1+delta",
        "zstd:1+delta",
        "zstd:3+shuffle",
        "zstd:1+delta+shuffle",
    ];
    for version in [ZarrVersion::V2, ZarrVersion::V3] {
        for (number, compress) in compressions.iter().enumerate() {
            let path = dir.path().join(format!("{version:?}-{number}.zarr"));
            let options = ZarrOptions { version, ..ZarrOptions::default() };
            let mut to = ZarrWriter::create(&path, "", new(), options).unwrap();
            let mut written = Vec::new();
            for &value_type in ValueType::ALL {
                for (len, chunk) in [(0, 5), (1, 5), (1000, 300), (70_000, 1 << 20), (9, 2)] {
                    let name = format!("{value_type:?}-{len}");
                    let spec = ArraySpec::new(ElementType::Number(value_type), &[len as u64]);
                    let spec = spec.chunk(&[chunk]).compress(compress.parse().unwrap());
                    let id = to.create_array(NodeId::ROOT, &name, &spec).unwrap();
                    let bytes = numbers(value_type, len, &mut random);
                    to.append_bytes(id, &bytes).unwrap();
                    written.push((name, bytes));
                }
            }
            let text =
                ArraySpec::new(ElementType::String, &[2]).compress(compress.parse().unwrap());
            let id = to.create_array(NodeId::ROOT, "text", &text).unwrap();
            let texts: StringList = ["a", "bc"].into_iter().collect();
            to.append_strings(id, &mut *texts.reader()).unwrap();
            Box::new(to).finish().unwrap();
            let store = crate::common::open_zarr(&path, "").unwrap();
            for (name, bytes) in written {
                let array = store.array(&name).unwrap();
                let mut values = Values::new(array.value_type());
                let found = values.resize_bytes(bytes.len() / array.value_type().size());
                array.read_bytes(0, found).unwrap();
                assert!(*found == *bytes, "{compress}, {version:?}, {name}");
            }
        }
    }
}

#[test]
fn bytes_do_not_depend_on_threads() {
    let written = |threads| {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.zarr");
        let to = NamedArraysWriter::new(create(&path, "", new(), threads).unwrap());
        let mut to = to.chunk(1000).compress(Compression::Zstd(3));
        let id = to.create_array("a", ValueType::U64).unwrap();
        to.append(id, &(0..10_500).collect::<Vec<u64>>()).unwrap();
        to.finish().unwrap();
        let mut files: Vec<PathBuf> = Vec::new();
        files.extend(std::fs::read_dir(path.join("a/c")).unwrap().map(|file| file.unwrap().path()));
        files.sort();
        files.iter().map(|file| std::fs::read(file).unwrap()).collect::<Vec<_>>()
    };
    let one = written(1);
    assert_eq!(one.len(), 11);
    assert_eq!(one, written(3));
}

#[test]
fn deeply_nested_attributes_are_kept_as_text() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.zarr");
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let mut to = writer(&path, "");
    to.set_attribute("deep", &deep).unwrap();
    to.set_attribute("almost", "{\"a\": 1,}").unwrap();
    to.finish().unwrap();
    let zarr = crate::common::open_zarr(&path, "").unwrap();
    assert!(zarr.attribute("deep").unwrap() == deep);
    assert_eq!(zarr.attribute("almost").unwrap(), "{\"a\": 1,}");
}

#[test]
fn groups_are_replaced_only_with_overwrite() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.zarr");
    let put = |group: &str, write: WriteOptions, tag: &str| -> Result<u64> {
        let mut to = NamedArraysWriter::new(create(&path, group, write, 2)?);
        to.set_attribute("tag", tag)?;
        let id = to.create_array("a", ValueType::U8)?;
        to.append(id, &[1_u8])?;
        to.finish()
    };
    let tag =
        |group: &str| crate::common::open_zarr(&path, group).unwrap().attribute("tag").unwrap();
    put("one/two", new(), "first").unwrap();
    put("one/three", new(), "second").unwrap();
    put("four/five/six", new(), "third").unwrap();
    assert!(put("one/two", new(), "no").is_err());
    put("one/two", forced(), "again").unwrap();
    assert_eq!(
        [tag("one/two"), tag("one/three"), tag("four/five/six")],
        ["again", "second", "third"]
    );
    assert_eq!(crate::common::open_zarr(&path, "").unwrap().members().unwrap(), ["four", "one"]);
    let found = groups_with(&path, &["tag", "other"]).unwrap();
    let groups: Vec<_> = found.iter().map(|found| found.group.as_str()).collect();
    assert_eq!(groups, ["one/three", "one/two", "four/five/six"]);
    assert_eq!(found[0].text, "second");
    // No hidden files are left.
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    assert_eq!(std::fs::read_dir(&path).unwrap().count(), 3);
    // An array is not a group to write into, nor is an invalid name.
    assert!(put("one/two/a/b", new(), "no").is_err());
    // It is not replaced by a group either, as this would break its parent group.
    for write in [new(), forced()] {
        let refused = put("one/two/a", write, "no").unwrap_err().to_string();
        assert!(refused.contains("an array, expected a group, or nothing"), "{refused}");
    }
    assert_eq!(crate::common::open_zarr(&path, "one/two").unwrap().array("a").unwrap().len(), 1);
    for name in ["..", "a/../b", "__reserved", "zarr.json"] {
        assert!(put(name, new(), "no").is_err(), "{name}");
    }
    put("", forced(), "all").unwrap();
    assert_eq!(crate::common::open_zarr(&path, "").unwrap().members().unwrap(), ["a", "tag"]);
}

#[test]
fn only_stores_are_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.zarr");
    let again = || create(&path, "", forced(), 2);
    let mut to = writer(&path, "g");
    let id = to.create_array("a", ValueType::U8).unwrap();
    to.append(id, &[1_u8]).unwrap();
    to.finish().unwrap();
    drop(again().unwrap());
    for name in ["notes.txt", "g/notes.txt", "g/a/notes.txt", "g/a/c/notes.txt"] {
        std::fs::write(path.join(name), "").unwrap();
        assert!(again().is_err(), "{name}");
        std::fs::remove_file(path.join(name)).unwrap();
    }
    std::fs::create_dir(path.join("photos")).unwrap();
    assert!(again().is_err());
    std::fs::remove_dir(path.join("photos")).unwrap();
    drop(again().unwrap());
    // A directory of stores is not a store, nor is one with metadata of another kind.
    assert!(create(dir.path(), "", forced(), 2).is_err());
    let other = dir.path().join("other");
    std::fs::create_dir(&other).unwrap();
    drop(create(&other, "", forced(), 2).unwrap());
    for text in ["", "{}", "{\"name\": 1}", r#"{"zarr_format": 3, "node_type": "x"}"#] {
        std::fs::write(other.join("zarr.json"), text).unwrap();
        let refused = create(&other, "", forced(), 2);
        assert!(refused.unwrap_err().to_string().contains("is not replaced, because it"), "{text}");
    }
    // Stores of version 2 too.
    let old = Path::new(env!("CARGO_MANIFEST_DIR"));
    let old = old.join("../../testdata/binsparse/valid/hand/csr_v2.zarr");
    let copy = dir.path().join("old.zarr");
    copy_tree(&old, &copy);
    drop(create(&copy, "", forced(), 2).unwrap());
    let error = create(&copy, "g", new(), 2).unwrap_err().to_string();
    assert!(error.contains("version 2"), "{error}");
    // Consolidated metadata would not include the new group.
    let listing = r#"{"zarr_format": 3, "node_type": "group", "consolidated_metadata": {}}"#;
    std::fs::write(path.join("zarr.json"), listing).unwrap();
    let error = create(&path, "h", new(), 2).unwrap_err().to_string();
    assert!(error.contains("consolidated"), "{error}");
}

fn copy_tree(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_tree(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn unfinished_writers_leave_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut to = writer(&dir.path().join("x.zarr"), "a/b");
    let id = to.create_array("a", ValueType::U8).unwrap();
    to.append(id, &vec![1_u8; 3 << 20]).unwrap();
    drop(to);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn invalid_options_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for (chunk, compress) in [
        (0, Compression::None),
        (u64::MAX, Compression::None),
        (1, Compression::Gzip(10)),
        (1, Compression::Zstd(0)),
        (1, Compression::Zstd(23)),
    ] {
        let mut to = writer(&dir.path().join("x"), "").chunk(chunk).compress(compress);
        assert!(to.create_array("a", ValueType::U32).is_err(), "{chunk} {compress}");
    }
}

/// Writes a group with one array.
fn add(path: &Path, group: &str, number: u32) -> Result<u64> {
    let mut to = NamedArraysWriter::new(create(path, group, new(), 2)?);
    let id = to.create_array("a", ValueType::U32)?;
    to.append(id, &[number])?;
    to.finish()
}

fn number(path: &Path, group: &str) -> u32 {
    let mut out = [0_u32];
    crate::common::open_zarr(path, group)
        .unwrap()
        .array("a")
        .unwrap()
        .read_into(0, &mut out)
        .unwrap();
    out[0]
}

#[test]
fn concurrently_added_groups_are_all_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.zarr");
    add(&path, "", 1).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4_u32 {
            let path = &path;
            scope.spawn(move || {
                for round in 0..5 {
                    // Parent groups are created by the first one.
                    add(path, &format!("deep/{round}/{thread}"), 10 * thread + round).unwrap();
                }
            });
        }
    });
    for thread in 0..4 {
        for round in 0..5 {
            assert_eq!(number(&path, &format!("deep/{round}/{thread}")), 10 * thread + round);
        }
    }
}

#[test]
fn a_store_that_appears_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.zarr");
    for write in [new(), forced()] {
        let ours = NamedArraysWriter::new(create(&path, "ours", write, 2).unwrap());
        add(&path, "theirs", 7).unwrap();
        let refused = ours.finish().unwrap_err();
        assert!(matches!(refused.kind(), nnz_core::ErrorKind::Changed), "{refused}");
        assert_eq!(number(&path, "theirs"), 7);
        std::fs::remove_dir_all(&path).unwrap();
    }
}

#[test]
fn an_unfinished_store_is_not_visible() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.zarr");
    let names = |path: &Path| std::fs::read_dir(path).unwrap().count();
    for (group, seen) in [("", 0), ("g", 1)] {
        let mut to = writer(&path, group).chunk(2);
        let id = to.create_array("a", ValueType::U32).unwrap();
        to.append(id, &[1_u32; 100]).unwrap();
        to.write_strings("s", &mut [&b"x"[..]; 100].into_iter()).unwrap();
        assert_eq!(names(dir.path()), seen);
        to.finish().unwrap();
    }
}

#[test]
#[cfg(unix)]
fn a_group_is_as_private_as_the_store_around_it() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.zarr");
    add(&path, "", 1).unwrap();
    let set = |name: &str, mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(path.join(name), permissions).unwrap();
    };
    let mode = |name: &str| path.join(name).metadata().unwrap().permissions().mode() & 0o777;
    set("", 0o700);
    set("zarr.json", 0o600);
    add(&path, "g", 2).unwrap();
    assert_eq!((mode(""), mode("g"), mode("g/a"), mode("g/a/c")), (0o700, 0o700, 0o700, 0o700));
    assert_eq!((mode("g/zarr.json"), mode("g/a/c/0")), (0o600, 0o600));
    // A replaced group keeps its mode.
    set("g", 0o750);
    set("g/zarr.json", 0o640);
    let to = create(&path, "g", forced(), 2).unwrap();
    Box::new(to).finish().unwrap();
    assert_eq!((mode(""), mode("g"), mode("g/zarr.json")), (0o700, 0o750, 0o640));
}

#[test]
fn missing_chunks_of_a_replaced_store_are_errors() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.zarr");
    let write = |write, number| {
        let to = create(&path, "", write, 2).unwrap();
        let mut to = NamedArraysWriter::new(to).chunk(2);
        let id = to.create_array("a", ValueType::U32).unwrap();
        to.append(id, &[number; 100]).unwrap();
        to.finish().unwrap();
    };
    write(new(), 1_u32);
    let array = crate::common::open_zarr(&path, "").unwrap().array("a").unwrap();
    let mut out = [0_u32; 2];
    array.read_into(0, &mut out).unwrap();
    assert_eq!(out, [1, 1]);
    write(forced(), 2);
    // Neither zeros nor the numbers of the other store.
    let refused = array.read_into(50, &mut out).unwrap_err();
    assert!(matches!(refused.kind(), nnz_core::ErrorKind::Changed), "{refused}");
    let again = crate::common::open_zarr(&path, "").unwrap().array("a").unwrap();
    again.read_into(50, &mut out).unwrap();
    assert_eq!(out, [2, 2]);
}

#[test]
fn chunks_of_a_replaced_group_are_not_mixed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.zarr");
    let write = |write, number| {
        let to = create(&path, "g", write, 2).unwrap();
        let mut to = NamedArraysWriter::new(to).chunk(2);
        let id = to.create_array("a", ValueType::U32).unwrap();
        to.append(id, &[number; 100]).unwrap();
        to.finish().unwrap();
    };
    write(new(), 1_u32);
    let group = crate::common::open_zarr(&path, "g").unwrap();
    let array = group.array("a").unwrap();
    write(forced(), 2);
    let mut out = [0_u32; 2];
    let refused = array.read_into(50, &mut out).unwrap_err();
    assert!(matches!(refused.kind(), nnz_core::ErrorKind::Changed), "{refused}");
    // Nor is an array that is opened now.
    assert!(group.array("a").is_err());
}
