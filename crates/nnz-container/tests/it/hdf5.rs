//! Groups of HDF5 files: files of other programs are read, and existing contents are kept.

use std::collections::BTreeMap;
use std::path::Path;

use nnz_container::hdf5::{Compression, Hdf5Options, Hdf5Writer, groups_with, is_hdf5};
use nnz_container::{NamedArrays, NamedArraysWriter};
use nnz_core::{ErrorKind, StringReader, ValueType};
use nnz_hdf5::{FileOptions, FileWriter, ObjectId, Value};
use nnz_storage::staging::WriteOptions;
use nnz_testing::command::names_in;
use nnz_testing::random::Random;

use crate::common::hdf5::{everything, golden};

fn new() -> WriteOptions {
    WriteOptions::default().overwrite(false).sync(false)
}

fn force() -> WriteOptions {
    WriteOptions::default().overwrite(true).sync(false)
}

fn writer(path: &Path, group: &str, write: WriteOptions) -> nnz_core::Result<NamedArraysWriter> {
    Hdf5Writer::create(path, group, write, Hdf5Options::default()).map(NamedArraysWriter::new)
}

/// Writes a group with one array.
fn write(path: &Path, group: &str, options: WriteOptions, numbers: &[u32]) {
    let mut writer = writer(path, group, options).unwrap();
    writer.set_attribute("version", "some").unwrap();
    let id = writer.create_array("numbers", ValueType::U32).unwrap();
    writer.append(id, numbers).unwrap();
    writer.finish().unwrap();
}

fn numbers(path: &Path, group: &str) -> Vec<u32> {
    let container = crate::common::open_hdf5(path, group).unwrap();
    let array = container.array("numbers").unwrap();
    let mut out = vec![0_u32; usize::try_from(array.len()).unwrap()];
    array.read_into(0, &mut out).unwrap();
    out
}

#[test]
fn hdf5_and_directories_of_bpcells_are_equal() {
    // The same program wrote both, with the same names.
    let mut compared = 0;
    for kind in ["matrix", "fragments"] {
        for path in golden(&format!("{kind}_h5")) {
            assert!(is_hdf5(&nnz_storage::InputFile::open(&path).unwrap()).unwrap());
            for found in groups_with(&path, &["version"]).unwrap() {
                let name = path.file_stem().unwrap().to_str().unwrap();
                let name = name.trim_end_matches(".gzip4");
                let counterpart = path.parent().unwrap().parent().unwrap();
                let counterpart = counterpart.join(format!("{kind}_dir/{name}.{}", found.group));
                if !counterpart.exists() {
                    continue;
                }
                let hdf5 = crate::common::open_hdf5(&path, &found.group).unwrap();
                let directory = crate::common::open_directory(&counterpart).unwrap();
                assert_eq!(hdf5.attribute("version").unwrap(), found.text);
                assert_eq!(everything(&hdf5), everything(&directory), "{}", counterpart.display());
                compared += 1;
            }
        }
    }
    assert!(compared > 50, "{compared} pairs were compared");
}

#[test]
fn groups_are_opened_by_path() {
    let path = &golden("interop").into_iter().find(|p| p.ends_with("basic_uint.h5ad")).unwrap();
    let container = crate::common::open_hdf5(path, "/X/").unwrap();
    assert!(container.path().to_str().unwrap().ends_with("basic_uint.h5ad::X"));
    assert_eq!(container.attribute("encoding-type").unwrap(), "csr_matrix");
    let shape = container.group().attribute("shape").unwrap().unwrap();
    assert!(
        matches!(shape.value, nnz_container::tree::AttributeValue::Numbers(values) if values.len() == Some(2))
    );
    let missing = crate::common::open_hdf5(path, "X/Y").unwrap_err();
    assert!(matches!(missing.kind(), ErrorKind::Missing), "{missing}");
    // A path relative to the group.
    let root = crate::common::open_hdf5(path, "").unwrap();
    assert_eq!(root.array("X/indptr").unwrap().len(), 151);
    let error = root.array("X").err().unwrap().to_string();
    assert!(error.ends_with("X: found a group, expected a dataset"), "{error}");
    let error = root.array("obs/bpcells_name").err().unwrap().to_string();
    assert!(error.ends_with("found strings, expected numbers"), "{error}");
}

#[test]
fn other_files_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("text");
    std::fs::write(&path, "%%MatrixMarket").unwrap();
    let error = crate::common::open_hdf5(&path, "").unwrap_err().to_string();
    assert!(error.ends_with("found no HDF5 signature, expected an HDF5 file"), "{error}");
    assert!(crate::common::open_hdf5(dir.path(), "").is_err());
    assert!(writer(&path, "group", force()).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), b"%%MatrixMarket");
}

#[test]
fn groups_are_replaced_only_with_overwrite() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    write(&path, "one", new(), &[1]);
    write(&path, "deep/er/two", new(), &[2, 2]);
    write(&path, "deep/er/three", new(), &[3, 3, 3]);
    for group in ["one", "deep/er/two", "deep", ""] {
        let refused = writer(&path, group, new()).err().unwrap();
        assert!(matches!(refused.kind(), ErrorKind::Exists), "{refused}");
    }
    write(&path, "/deep/er/two/", force(), &[4]);
    assert_eq!(numbers(&path, "one"), [1]);
    assert_eq!(numbers(&path, "deep/er/two"), [4]);
    assert_eq!(numbers(&path, "deep/er/three"), [3, 3, 3]);
    assert_eq!(crate::common::open_hdf5(&path, "deep/er/two").unwrap().members().unwrap().len(), 2);

    let error = writer(&path, "one/numbers/x", force()).err().unwrap().to_string();
    assert!(error.ends_with("found the dataset one/numbers, expected a group, or nothing"));
    write(&path, "", force(), &[5]);
    assert_eq!(numbers(&path, ""), [5]);
    assert_eq!(
        crate::common::open_hdf5(&path, "").unwrap().members().unwrap(),
        ["numbers", "version"]
    );
    assert_eq!(names_in(dir.path()), ["a.h5"]);
}

#[test]
fn groups_are_added_next_to_unsupported_objects() {
    for form in ["earliest", "latest"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/hdf5");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.h5");
        std::fs::copy(root.join(format!("neighbours_{form}.h5")), &path).unwrap();
        let before = std::fs::read(&path).unwrap();
        write(&path, "new", new(), &[1]);
        write(&path, "inner/deep/new", new(), &[2]);
        write(&path, "inner/group", force(), &[3]);
        write(&path, "new", force(), &[4]);

        let found: Vec<String> = groups_with(&path, &["version"])
            .unwrap()
            .into_iter()
            .map(|found| found.group)
            .collect();
        assert_eq!(found.len(), 3, "{found:?}");
        for (group, expected) in [("new", 4), ("inner/deep/new", 2), ("inner/group", 3)] {
            assert!(found.iter().any(|found| found == group), "{found:?}");
            assert_eq!(numbers(&path, group), [expected], "{form}: {group}");
        }
        let members = crate::common::open_hdf5(&path, "").unwrap().members().unwrap();
        assert_eq!(
            members,
            ["complex", "external", "inner", "new", "nowhere", "numbers", "virtual"]
        );

        let headers = std::fs::read(root.join(format!("neighbours_{form}.json"))).unwrap();
        let headers: BTreeMap<String, [usize; 2]> = serde_json::from_slice(&headers).unwrap();
        let after = std::fs::read(&path).unwrap();
        assert_eq!(headers.len(), 4);
        for (name, [start, bytes]) in headers {
            let header = start..start + bytes;
            assert_eq!(after[header.clone()], before[header], "{form}: {name}");
        }

        for (group, message) in [
            ("virtual/x", "found the dataset virtual, expected a group, or nothing"),
            ("external/x", "found the dataset external, expected a group, or nothing"),
            ("nowhere/x", "found a broken link at nowhere, expected a group, or nothing"),
        ] {
            let error = writer(&path, group, force()).err().unwrap().to_string();
            assert!(error.ends_with(message), "{form}: {error}");
        }
    }
}

#[test]
fn unfinished_writers_leave_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    drop(writer(&path, "x", new()).unwrap());
    assert!(names_in(dir.path()).is_empty());

    write(&path, "x", new(), &[1]);
    let before = std::fs::read(&path).unwrap();
    let mut half = writer(&path, "y", new()).unwrap();
    let id = half.create_array("a", ValueType::U64).unwrap();
    half.append(id, &vec![7_u64; 100_000]).unwrap();
    assert_eq!(names_in(dir.path()), ["a.h5"]);
    drop(half);
    assert_eq!(std::fs::read(&path).unwrap(), before);

    // A thread would wait for itself.
    let first = writer(&path, "y", new()).unwrap();
    let refused = writer(&path, "z", new()).unwrap_err();
    assert!(refused.to_string().contains("being written"), "{refused}");
    first.finish().unwrap();
    write(&path, "z", new(), &[2]);
    assert_eq!(names_in(dir.path()), ["a.h5"]);
}

#[test]
fn large_arrays_are_read_back_for_all_chunks_and_threads() {
    let dir = tempfile::tempdir().unwrap();
    let all: Vec<u32> = (0..300_000_u32).map(|n| n.wrapping_mul(2_654_435_761) >> 12).collect();
    let gzip = Compression::Gzip(1);
    for (at, (chunk, compress, threads)) in [
        (None, Compression::None, 1),
        (None, gzip, 4),
        (Some(1), Compression::None, 1),
        (Some(1000), gzip, 3),
        (Some(1 << 20), gzip, 2),
        (None, Compression::Zstd(3), 2),
        (Some(1000), Compression::Zstd(19), 1),
    ]
    .into_iter()
    .enumerate()
    {
        let len = if chunk == Some(1) { 5000 } else { all.len() };
        let path = dir.path().join(format!("{at}.h5"));
        let options = Hdf5Options { threads, ..Hdf5Options::default() };
        let writer = Hdf5Writer::create(&path, "g", new(), options).unwrap();
        let writer = NamedArraysWriter::new(writer).compress(compress);
        let mut writer = match chunk {
            Some(chunk) => writer.chunk(chunk),
            None => writer,
        };
        let id = writer.create_array("numbers", ValueType::U32).unwrap();
        for (at, part) in all[..len].chunks(70_001).enumerate() {
            let (head, tail) = part.split_at(at);
            writer.append(id, head).unwrap();
            writer.append(id, tail).unwrap();
        }
        writer.finish().unwrap();
        assert!(numbers(&path, "g") == all[..len], "{chunk:?} {compress:?}");
        let container = nnz_container::hdf5::Hdf5Group::with_threads(&path, "g", threads)
            .map(NamedArrays::new)
            .unwrap();
        let array = container.array("numbers").unwrap();
        std::thread::scope(|scope| {
            for first in (0..len - 3000).step_by(len / 7) {
                let (array, all) = (&array, &all);
                scope.spawn(move || {
                    let mut out = vec![0_u32; 2999];
                    array.read_into(first as u64, &mut out).unwrap();
                    assert!(out == all[first..first + 2999]);
                });
            }
        });
    }
}

#[test]
fn incompressible_data_is_read_back_at_every_level() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("random.h5");
    let mut random = Random::new(7);
    let random_numbers: Vec<u32> = (0..40_000).map(|_| random.next() as u32).collect();
    for compress in (0..=9).map(Compression::Gzip).chain([1, 3, 9].map(Compression::Zstd)) {
        let mut writer = writer(&path, "", force()).unwrap().compress(compress);
        let id = writer.create_array("numbers", ValueType::U32).unwrap();
        writer.append(id, &random_numbers).unwrap();
        writer.finish().unwrap();
        assert!(numbers(&path, "") == random_numbers, "{compress:?}");
    }
}

#[test]
fn ambiguous_text_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(&dir.path().join("a.h5"), "", new()).unwrap();
    for (name, bytes) in [("a", &b"\xff"[..]), ("b", b"x\0y")] {
        let error = writer.write_strings(name, &mut [&b"fine"[..], bytes].into_iter()).unwrap_err();
        assert_eq!(error.place().array.as_deref(), Some(name));
        assert!(error.to_string().contains("element 1: found the name"), "{error}");
    }
    assert!(writer.set_attribute("tag", "x\0y").is_err());
    assert!(writer.create_array("a/b", ValueType::U8).is_err());
    assert!(writer.create_array("", ValueType::U8).is_err());
}

/// More strings than are written at once: by number, and by size.
#[test]
fn long_lists_of_strings_are_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    let many: Vec<String> = (0..150_000_u64)
        .map(|at| format!("{at}{}", "é".repeat(usize::try_from(at % 3).unwrap())))
        .collect();
    let even: Vec<String> = many[..131_070].to_vec();
    let large: Vec<String> = (0..60).map(|at| format!("{at}").repeat(80_000)).collect();
    let lists = [("many", &many), ("even", &even), ("large", &large)];
    let check = |group: &str| {
        let read = crate::common::open_hdf5(&path, group).unwrap();
        for (name, list) in lists {
            let mut strings = read.read_strings(name).unwrap();
            for (at, string) in (0..).zip(list) {
                assert_eq!(strings.remaining(), Some(list.len() as u64 - at));
                assert!(strings.next_string().unwrap() == Some(string.as_bytes()), "{name} {at}");
            }
            assert_eq!(strings.next_string().unwrap(), None);
        }
    };
    let put = |group: &str, write: WriteOptions| {
        let mut writer = writer(&path, group, write).unwrap();
        writer.set_attribute("version", group).unwrap();
        for (name, list) in lists {
            writer.write_strings(name, &mut list.iter().map(String::as_bytes)).unwrap();
        }
        writer.finish().unwrap();
    };
    put("one", new());
    check("one");
    put("two", new());
    // The new list is written where the old one was.
    put("one", force());
    check("one");
    check("two");
}

/// The header of a group moves to the address of a continuation, in both versions of headers.
#[test]
fn groups_are_added_after_a_user_block_and_with_long_texts() {
    let dir = tempfile::tempdir().unwrap();
    let block = [7; 1024];
    for (block, track_order) in [(&[][..], false), (&[], true), (&block[..], false), (&block, true)]
    {
        let path = dir.path().join(format!("{}{track_order}.h5", block.len()));
        let options = FileOptions { threads: 1, track_order };
        let mut file = match block {
            [] => FileWriter::create(&path, new(), options).unwrap(),
            block => FileWriter::create_with_user_block(&path, block, new(), options).unwrap(),
        };
        let group = file.create_group(ObjectId::ROOT, "before").unwrap();
        file.set_attribute(group, "version", Value::text("first")).unwrap();
        file.commit().unwrap();
        let long = "x".repeat(100_000);
        for (at, group) in (0..).zip(["one", "before/two", "a/b/three"]) {
            let options = Hdf5Options { netcdf: track_order, ..Hdf5Options::default() };
            let writer = Hdf5Writer::create(&path, group, new(), options).unwrap();
            let mut writer = NamedArraysWriter::new(writer);
            writer.set_attribute("version", &long).unwrap();
            let id = writer.create_array("numbers", ValueType::U32).unwrap();
            writer.append(id, &[at, 5_u32]).unwrap();
            writer.write_strings("names", &mut [&b"a"[..], b""].into_iter()).unwrap();
            writer.finish().unwrap();
        }
        let found = groups_with(&path, &["version"]).unwrap();
        let texts: Vec<_> = found.iter().map(|f| (&*f.group, f.text.len())).collect();
        let expected =
            [("before", 5), ("one", 100_000), ("before/two", 100_000), ("a/b/three", 100_000)];
        assert_eq!(texts, expected);
        for (at, group) in (0..).zip(["one", "before/two", "a/b/three"]) {
            assert_eq!(numbers(&path, group), [at, 5]);
        }
        assert!(std::fs::read(&path).unwrap().starts_with(block));
    }
}

#[test]
fn groups_with_long_names_are_added_and_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let long = "L".repeat(64_999);
    for (name, track_order) in [("old.h5", false), ("new.h5", true)] {
        let path = dir.path().join(name);
        let options = Hdf5Options { track_order, ..Hdf5Options::default() };
        NamedArraysWriter::new(Hdf5Writer::create(&path, "g", new(), options).unwrap())
            .finish()
            .unwrap();
        for (group, before, number) in [(&long, new(), 1), (&long, force(), 2)] {
            write(&path, group, before, &[number]);
            assert_eq!(numbers(&path, group), [number]);
        }
        write(&path, &format!("g/{long}/inner"), new(), &[3]);
        assert_eq!(numbers(&path, &format!("g/{long}/inner")), [3]);
        let error = writer(&path, &format!("{long}x"), new()).unwrap_err().to_string();
        assert!(error.contains("65000 bytes: HDF5 allows at most 64999"), "{}", error.len());
    }
}

/// A reader that states another number of strings than it returns.
struct WrongCount(u64, u64);

impl StringReader for WrongCount {
    fn next_string(&mut self) -> nnz_core::Result<Option<&[u8]>> {
        self.1 = self.1.saturating_sub(1);
        Ok((self.1 > 0).then_some(b"name"))
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.0)
    }
}

#[test]
fn a_wrong_number_of_strings_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    for (stated, given) in [(3, 2), (2, 3), (100_000, 70_000), (70_000, 100_000), (70_000, 10)] {
        let mut writer = writer(&dir.path().join("a.h5"), "", new()).unwrap();
        let error = writer.copy_strings("names", &mut WrongCount(stated, given + 1)).unwrap_err();
        assert!(error.to_string().contains(&format!("expected the stated {stated}")), "{error}");
    }
    assert_eq!(names_in(dir.path()), [""; 0]);
}

/// More than fits in an object header, which has at most 64 KiB.
#[test]
fn attributes_larger_than_a_header_are_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    let text = "{\n\"comment\": \"\u{2211}\"}".repeat(200_000);
    for group in ["", "one", "two/three"] {
        let mut writer = writer(&path, group, new()).unwrap();
        writer.set_attribute("binsparse", &text).unwrap();
        writer.set_attribute("empty", "").unwrap();
        assert!(writer.set_attribute("zero", "a\0b").is_err());
        writer.finish().unwrap();
    }
    for group in ["", "one", "two/three"] {
        let container = crate::common::open_hdf5(&path, group).unwrap();
        assert!(container.attribute("binsparse").unwrap() == text);
        assert_eq!(container.attribute("empty").unwrap(), "");
    }
    let found = groups_with(&path, &["binsparse"]).unwrap();
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|found| found.text == text));
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
        let writer = writer(&dir.path().join("a.h5"), "", new()).unwrap();
        let mut writer = writer.chunk(chunk).compress(compress);
        let error = writer.create_array("a", ValueType::U32).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Argument(_)), "{error}");
    }
}

/// Needs 10 GB of disk: `cargo test -p nnz-container --release --test it -- --ignored 4_gib`.
#[test]
#[ignore = "writes 5 GB twice"]
fn arrays_of_more_than_4_gib() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = dir.path().join("large.h5");
    let mut writer = writer(&path, "g", new()).unwrap();
    let bytes = writer.create_array("bytes", ValueType::U8).unwrap();
    let second = writer.create_array("numbers", ValueType::U32).unwrap();
    let block: Vec<u8> = (0..1 << 24).map(|n: u32| n.to_le_bytes()[1]).collect();
    const BLOCKS: u64 = 300;
    for at in 0..BLOCKS {
        writer.append(bytes, &block).unwrap();
        writer.append(bytes, &[u8::try_from(at % 251).unwrap()]).unwrap();
    }
    writer.append(second, &[1, 2, 3]).unwrap();
    writer.finish().unwrap();
    // The second group is written to a copy.
    write(&path, "h", new(), &[4]);
    assert!(path.metadata().unwrap().len() > 5_000_000_000);
    let container = crate::common::open_hdf5(&path, "g").unwrap();
    let array = container.array("bytes").unwrap();
    assert_eq!(array.len(), BLOCKS * ((1 << 24) + 1));
    let mut out = vec![0_u8; (1 << 24) + 1];
    for at in [0, 1, 254, 255, 256, 299] {
        array.read_into(at * out.len() as u64, &mut out).unwrap();
        assert!(out[..1 << 24] == block);
        assert_eq!(u64::from(out[1 << 24]), at % 251);
    }
    assert_eq!(numbers(&path, "g"), [1, 2, 3]);
    assert_eq!(numbers(&path, "h"), [4]);
}

#[test]
fn concurrently_added_groups_are_all_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.h5");
    write(&path, "first", new(), &[1, 2, 3]);
    let start = std::sync::Barrier::new(4);
    std::thread::scope(|scope| {
        for thread in 0..4_u32 {
            let (path, start) = (&path, &start);
            scope.spawn(move || {
                start.wait();
                for round in 0..5 {
                    write(path, &format!("g{thread}/{round}"), new(), &[thread, round]);
                }
            });
        }
    });
    assert_eq!(numbers(&path, "first"), [1, 2, 3]);
    for thread in 0..4 {
        for round in 0..5 {
            assert_eq!(numbers(&path, &format!("g{thread}/{round}")), [thread, round]);
        }
    }
    assert_eq!(names_in(dir.path()), ["x.h5"]);
}

#[test]
fn concurrent_changes_without_locks_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.h5");
    let finish = |change: &dyn Fn()| {
        let mut writer = writer(&path, "more", new()).unwrap();
        writer.create_array("numbers", ValueType::U32).unwrap();
        change();
        writer.finish().unwrap_err()
    };
    write(&path, "first", new(), &[1]);
    // Overwritten in place, replaced by another file, removed.
    let other = dir.path().join("other.h5");
    let changes: [&dyn Fn(); 2] = [
        &|| {
            let bytes = std::fs::read(&path).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(20));
            std::fs::write(&path, bytes).unwrap();
        },
        &|| {
            write(&other, "of_another", new(), &[2]);
            std::fs::rename(&other, &path).unwrap();
        },
    ];
    for change in changes {
        assert!(matches!(finish(change).kind(), ErrorKind::Changed));
        assert!(groups_with(&path, &["version"]).unwrap().len() == 1);
    }
    assert_eq!(numbers(&path, "of_another"), [2]);
    assert!(matches!(finish(&|| std::fs::remove_file(&path).unwrap()).kind(), ErrorKind::Changed));
    // A file that appears in between is not replaced by one with a single group of ours, not even
    // with `overwrite`.
    let mut ours = writer(&path, "ours", force()).unwrap();
    ours.create_array("numbers", ValueType::U32).unwrap();
    write(&path, "theirs", new(), &[3]);
    assert!(matches!(ours.finish().unwrap_err().kind(), ErrorKind::Changed));
    assert_eq!(numbers(&path, "theirs"), [3]);
    assert_eq!(names_in(dir.path()), ["x.h5"]);
}

#[test]
#[cfg(target_os = "linux")]
fn an_updated_file_is_locked_against_writers_only() {
    use rustix::fs::{FlockOperation, flock};
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.h5");
    write(&path, "first", new(), &[1]);
    // The locks of the HDF5 library for reading and writing.
    let [shared, exclusive] =
        [FlockOperation::NonBlockingLockShared, FlockOperation::NonBlockingLockExclusive];
    let open = || std::fs::File::open(&path).unwrap();
    let reader = open();
    flock(&reader, shared).unwrap();
    let mut ours = writer(&path, "more", new()).unwrap();
    ours.create_array("numbers", ValueType::U32).unwrap();
    flock(open(), shared).unwrap();
    assert!(flock(open(), exclusive).is_err());
    drop(reader);
    ours.finish().unwrap();
    flock(open(), exclusive).unwrap();
    // Waits for a program that has it open for writing.
    let theirs = open();
    flock(&theirs, exclusive).unwrap();
    std::thread::scope(|scope| {
        let added = scope.spawn(|| write(&path, "last", new(), &[3]));
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(!added.is_finished());
        drop(theirs);
        added.join().unwrap();
    });
    assert_eq!(numbers(&path, "last"), [3]);
}

#[test]
fn a_file_marked_as_open_for_writing_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.h5");
    let latest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/hdf5/neighbours_latest.h5");
    let mut bytes = std::fs::read(latest).unwrap();
    // Superblock version 3 has consistency flags.
    assert_eq!((bytes[8], bytes[11]), (3, 0));
    for flags in [0, 1, 4, 5] {
        bytes[11] = flags;
        // The checksum of the preceding bytes.
        let sum = nnz_hdf5::lookup3(&bytes[..44]);
        bytes[44..48].copy_from_slice(&sum.to_le_bytes());
        std::fs::write(&path, &bytes).unwrap();
        let added = writer(&path, "more", new());
        if flags == 0 {
            drop(added.unwrap());
            continue;
        }
        let refused = added.unwrap_err();
        assert!(refused.to_string().contains("is writing to, or that was not closed"), "{refused}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
}

/// It grew with each write.
#[test]
fn a_file_with_one_group_that_is_replaced_does_not_grow() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    let write = |group: &str| {
        let mut writer = writer(&path, group, force()).unwrap();
        let array = writer.create_array("data", ValueType::U32).unwrap();
        writer.append(array, &(0..10_000).collect::<Vec<u32>>()).unwrap();
        writer.finish().unwrap();
        path.metadata().unwrap().len()
    };
    let bytes = write("a/b");
    assert_eq!(write("a/b"), bytes);
    assert!(write("a/c") > bytes);
    let bytes = write("a/c");
    assert!(write("a/c") > bytes);
    let members = crate::common::open_hdf5(&path, "a").unwrap().members().unwrap();
    assert_eq!(members, ["b", "c"]);
}
