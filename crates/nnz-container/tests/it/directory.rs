//! Strings in text files of a directory.

use nnz_container::directory::DirectoryWriter;
use nnz_container::{NamedArrays, NamedArraysWriter};
use nnz_core::{ErrorKind, ValueType};
use nnz_storage::staging::WriteOptions;

/// Writes a name, reads it back and returns it.
fn round_trip(name: &[u8]) -> nnz_core::Result<Vec<u8>> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let options = WriteOptions::default().overwrite(false).sync(false);
    let mut writer = NamedArraysWriter::new(DirectoryWriter::create(&path, options, &["names"])?);
    writer.write_strings("names", &mut std::iter::once(name))?;
    writer.finish()?;
    let store = crate::common::open_directory(&path)?;
    let store: &NamedArrays = &store;
    let names = store.strings("names")?;
    Ok(names.iter().next().unwrap().to_vec())
}

#[test]
fn the_longest_names_are_read_back() {
    let longest = vec![b'x'; 1 << 20];
    assert!(round_trip(&longest).unwrap() == longest);
    let longer = vec![b'x'; (1 << 20) + 1];
    let error = round_trip(&longer).unwrap_err().to_string();
    assert!(error.contains("names: found a name of 1048577 bytes"), "{error}");
}

#[test]
fn a_carriage_return_at_the_end_of_a_name_is_refused() {
    // Found by fuzzing: a file with `c\r\r\n` is read as this, which cannot be written as text
    // again.
    assert_eq!(round_trip(b"c\rd").unwrap(), b"c\rd");
    assert!(round_trip(b"c\r").is_err());
}

#[test]
fn a_target_that_is_no_longer_a_store_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("store");
    let options = WriteOptions::default().overwrite(true).sync(false);
    std::fs::create_dir(&target).unwrap();
    std::fs::write(target.join("version"), "packed-uint-matrix-v2\n").unwrap();
    let mut writer = NamedArraysWriter::new(
        DirectoryWriter::create(&target, options, &["version", "val"]).unwrap(),
    );
    writer.set_attribute("version", "packed-uint-matrix-v2").unwrap();
    std::fs::write(target.join("version"), "1.0.0\n").unwrap();
    std::fs::write(target.join("val"), "mine").unwrap();
    let error = writer.finish().unwrap_err().to_string();
    assert!(error.contains("is not replaced, because it contains"), "{error}");
    assert_eq!(std::fs::read(target.join("val")).unwrap(), b"mine");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn arrays_remain_those_of_the_opened_directory() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x");
    let write = |number: u32| {
        let options = WriteOptions::default().overwrite(true).sync(false);
        let members: &[&str] = &["version", "a"];
        let mut to: NamedArraysWriter =
            NamedArraysWriter::new(DirectoryWriter::create(&path, options, members).unwrap());
        to.set_attribute("version", "packed-uint-matrix-v2").unwrap();
        let id = to.create_array("a", ValueType::U32).unwrap();
        to.append(id, &[number]).unwrap();
        to.finish().unwrap();
    };
    write(1);
    let first = crate::common::open_directory(&path).unwrap();
    write(2);
    assert!(matches!(first.array("a").err().unwrap().kind(), ErrorKind::Missing));
    let mut out = [0_u32];
    crate::common::open_directory(&path)
        .unwrap()
        .array("a")
        .unwrap()
        .read_into(0, &mut out)
        .unwrap();
    assert_eq!(out, [2]);
}
