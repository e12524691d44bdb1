//! NumPy arrays in zip files and in directories.

use std::path::{Path, PathBuf};

use nnz_container::npy::{NpyDirectoryWriter, is_npy_directory};
use nnz_container::npz::{NpzOptions, NpzWriter, is_npz};
use nnz_container::{Compression, NamedArrays, NamedArraysWriter};
use nnz_core::{Result, ValueType};
use nnz_storage::InputDirectory;
use nnz_storage::staging::WriteOptions;

use crate::common::binsparse;

fn unsynced() -> WriteOptions {
    WriteOptions::default().overwrite(false).sync(false)
}

/// `numpy.save` of `[1, 2]` as `>i2`.
fn two() -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(0x76_u16.to_le_bytes());
    bytes.extend(b"{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }");
    bytes.resize(127, b' ');
    bytes.push(b'\n');
    bytes.extend([0, 1, 0, 2]);
    bytes
}

/// A zip file with one stored entry, `a.npy`, with the given size and checksum.
fn zip(data: &[u8], size: u32, crc: u32) -> Vec<u8> {
    let common = |bytes: &mut Vec<u8>| {
        bytes.extend([20, 0, 0, 0, 0, 0]); // Version 2.0, no flags, stored.
        bytes.extend([0, 0, 33, 0]); // Midnight, the first day of 1980.
        bytes.extend(crc.to_le_bytes());
        bytes.extend(size.to_le_bytes()); // Compressed size
        bytes.extend(size.to_le_bytes()); // and uncompressed size.
        bytes.extend([5, 0, 0, 0]); // Length of the name; nothing extra.
    };
    let mut bytes = b"PK\x03\x04".to_vec();
    common(&mut bytes);
    bytes.extend(b"a.npy");
    bytes.extend(data);
    let start = u32::try_from(bytes.len()).unwrap();
    bytes.extend(b"PK\x01\x02\x14\x00");
    common(&mut bytes);
    bytes.extend([0; 10]); // No comment, part 0, no attributes.
    bytes.extend([0; 4]); // The entry starts at byte 0.
    bytes.extend(b"a.npy");
    let length = u32::try_from(bytes.len()).unwrap() - start;
    bytes.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    bytes.extend(length.to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

fn file(dir: &Path, bytes: &[u8]) -> PathBuf {
    let path = dir.join("x.npz");
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Reads the array `a`.
fn read(container: &NamedArrays) -> Result<Vec<u8>> {
    let array = container.array("a")?;
    let mut bytes = vec![0; usize::try_from(array.len()).unwrap() * array.value_type().size()];
    array.read_bytes(0, &mut bytes)?;
    Ok(bytes)
}

#[test]
fn files_of_numpy_are_read_exactly() {
    let entries = binsparse::entries("npz");
    assert!(entries.len() >= 20);
    for entry in entries {
        let path = binsparse::root().join(entry["path"].as_str().unwrap());
        assert!(is_npz(&std::fs::read(&path).unwrap()));
        let npz = crate::common::open_npz(&path).unwrap();
        binsparse::check(&npz, &entry);

        // The same in a directory, and in a compressed zip file.
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join("store");
        copy(&npz, NamedArraysWriter::new(NpyDirectoryWriter::create(&at, unsynced()).unwrap()));
        assert!(is_npy_directory(&InputDirectory::open(&at).unwrap()).unwrap());
        binsparse::check(&crate::common::open_npy(&at).unwrap(), &entry);
        let at = dir.path().join("packed.npz");
        let options = NpzOptions { compress: Compression::Gzip(9) };
        copy(&npz, NamedArraysWriter::new(NpzWriter::create(&at, unsynced(), options).unwrap()));
        binsparse::check(&crate::common::open_npz(&at).unwrap(), &entry);
    }
}

fn copy(from: &NamedArrays, mut to: NamedArraysWriter) {
    for name in from.members().unwrap() {
        let Ok(array) = from.array(&name) else {
            to.set_attribute(&name, &from.attribute(&name).unwrap()).unwrap();
            continue;
        };
        let id = to.create_array(&name, array.value_type()).unwrap();
        let mut bytes = vec![0; usize::try_from(array.len()).unwrap() * array.value_type().size()];
        array.read_bytes(0, &mut bytes).unwrap();
        to.append_bytes(id, &bytes).unwrap();
    }
    to.finish().unwrap();
}

#[test]
fn every_type_byte_order_and_version_is_read() {
    let (root, manifest) = binsparse::codec_files("numpy");
    let text = manifest["text"].as_str().unwrap();
    for file in ["stored.npz", "deflated.npz"] {
        let npz = crate::common::open_npz(&root.join(file)).unwrap();
        binsparse::check_codec_file(&npz, &manifest, file);
        assert_eq!(npz.attribute("binsparse").unwrap(), text);
    }
    let directory = crate::common::open_npy(&root.join("directory")).unwrap();
    binsparse::check_codec_file(&directory, &manifest, "directory");
    assert_eq!(directory.attribute("binsparse").unwrap(), text);
    assert_eq!(directory.members().unwrap(), ["binsparse", "version_1", "version_2", "version_3"]);
}

#[test]
fn other_arrays_are_refused_with_a_reason() {
    for (name, member, message) in [
        ("npz_2d", "values", "values: found an array of 1 x 35".to_owned()),
        ("npz_object", "values", "values, byte 10: NumPy arrays of pickled".to_owned()),
        ("npz_missing_values", "values", "values is missing".to_owned()),
    ] {
        let path = binsparse::root().join(format!("malformed/{name}.npz"));
        let error =
            crate::common::open_npz(&path).unwrap().array(member).err().unwrap().to_string();
        assert!(error.contains(&message), "{error}");
    }
    let path = binsparse::root().join("malformed/npz_header_bytes.npz");
    let error =
        crate::common::open_npz(&path).unwrap().attribute("binsparse").unwrap_err().to_string();
    assert!(error.contains("numbers of type int64, expected strings"), "{error}");
}

#[test]
fn big_endian_entries_are_converted() {
    let dir = tempfile::tempdir().unwrap();
    let data = two();
    let size = u32::try_from(data.len()).unwrap();
    let expected = [1_i16, 2].map(i16::to_ne_bytes).concat();
    let valid = zip(&data, size, crc(&data));
    assert_eq!(
        read(&crate::common::open_npz(&file(dir.path(), &valid)).unwrap()).unwrap(),
        expected
    );
    // After a self-extractor, and with a comment.
    let mut shifted = [&b"#!/bin/sh\n"[..], &valid].concat();
    let end = shifted.len() - 2;
    shifted[end] = 3;
    shifted.extend(b"PK\x05");
    assert_eq!(
        read(&crate::common::open_npz(&file(dir.path(), &shifted)).unwrap()).unwrap(),
        expected
    );
}

#[test]
fn entries_with_wrong_sizes_and_checksums_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let data = two();
    let size = u32::try_from(data.len()).unwrap();
    let cases = [
        (zip(&data, size, crc(&data) ^ 1), "damaged data with the checksum"),
        (zip(&data, size - 1, crc(&data[..131])), "3 bytes after the header"),
        (zip(&data, size + 1_000_000, crc(&data)), "the end of the file"),
        (zip(&data, u32::MAX, crc(&data)), "the end of the file"),
        (zip(b"", 0, 0), "the file is empty"),
        (zip(&data[..20], 20, crc(&data[..20])), "expected a header of 128 bytes"),
    ];
    for (bytes, message) in cases {
        let npz = crate::common::open_npz(&file(dir.path(), &bytes)).unwrap();
        let error = read(&npz).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        assert!(error.contains("x.npz: a"), "{error}");
    }
    let mut encrypted = zip(&data, size, crc(&data));
    let central = encrypted.len() - 22 - 51;
    encrypted[central + 8] = 1;
    let npz = crate::common::open_npz(&file(dir.path(), &encrypted)).unwrap();
    assert!(read(&npz).unwrap_err().to_string().contains("encrypted"));
    let mut imploded = zip(&data, size, crc(&data));
    imploded[central + 10] = 6;
    let npz = crate::common::open_npz(&file(dir.path(), &imploded)).unwrap();
    assert!(read(&npz).unwrap_err().to_string().contains("method 6"));
}

#[test]
fn other_files_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for bytes in [&b""[..], b"PK\x05\x06", &[b'x'; 100_000], b"PK\x03\x04 and then nothing at all"]
    {
        assert!(crate::common::open_npz(&file(dir.path(), bytes)).is_err());
    }
    assert!(!is_npz(b"\x93NUMPY"));
    assert!(crate::common::open_npz(dir.path()).is_err());
}

#[test]
fn zip_bombs_are_inflated_up_to_the_stated_size() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npz");
    let options = NpzOptions { compress: Compression::Gzip(9) };
    let mut writer: NamedArraysWriter =
        NamedArraysWriter::new(NpzWriter::create(&path, unsynced(), options).unwrap());
    let id = writer.create_array("a", ValueType::U8).unwrap();
    writer.append_bytes(id, &vec![0; 3 << 20]).unwrap();
    writer.finish().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    assert!(bytes.len() < 5000);
    assert_eq!(read(&crate::common::open_npz(&path).unwrap()).unwrap(), vec![0; 3 << 20]);

    // The directory states fewer bytes than the data has.
    let central = bytes.windows(4).rposition(|four| four == b"PK\x01\x02").unwrap();
    bytes[central + 26] = 0x2f;
    let error =
        read(&crate::common::open_npz(&file(dir.path(), &bytes)).unwrap()).unwrap_err().to_string();
    assert!(error.contains("bytes after the header"), "{error}");
    // Or more than possible.
    bytes[central + 24..central + 28].copy_from_slice(&0x7fff_ffff_u32.to_le_bytes());
    let error =
        read(&crate::common::open_npz(&file(dir.path(), &bytes)).unwrap()).unwrap_err().to_string();
    assert!(error.contains("stored bytes that decompress to 2147483647"), "{error}");
}

#[test]
fn long_compressed_entries_have_random_access() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npz");
    let numbers: Vec<u32> = (0..1_000_000_u32).map(|n| n.wrapping_mul(2_654_435_761)).collect();
    let options = NpzOptions { compress: Compression::Gzip(1) };
    let mut writer: NamedArraysWriter =
        NamedArraysWriter::new(NpzWriter::create(&path, unsynced(), options).unwrap());
    // Arrays may be appended to alternately.
    let a = writer.create_array("a", ValueType::U32).unwrap();
    let b = writer.create_array("b", ValueType::F64).unwrap();
    for piece in numbers.chunks(70_001) {
        writer.append(a, piece).unwrap();
        writer.append(b, &[f64::from(piece[0])]).unwrap();
    }
    writer.finish().unwrap();
    let npz = crate::common::open_npz(&path).unwrap();
    let array = npz.array("a").unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4_usize {
            let (array, numbers) = (&array, &numbers);
            scope.spawn(move || {
                let mut out = vec![0_u32; 1000];
                for step in 0..50 {
                    let first = (thread * 239_017 + step * 19_997) % 999_000;
                    array.read_into(first as u64, &mut out).unwrap();
                    assert_eq!(out, numbers[first..first + 1000]);
                }
            });
        }
    });
    assert_eq!(npz.array("b").unwrap().len(), 15);
}

#[test]
fn strings_have_the_length_of_the_longest() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npz");
    let mut writer: NamedArraysWriter = NamedArraysWriter::new(
        NpzWriter::create(&path, unsynced(), NpzOptions::default()).unwrap(),
    );
    let strings = [&b"a"[..], "h\u{e9}".as_bytes(), b"", "\u{1f600}".as_bytes()];
    writer.write_strings("s", &mut strings.into_iter()).unwrap();
    writer.finish().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(6).position(|six| six == b"\x93NUMPY").unwrap();
    assert!(
        bytes[at + 10..].starts_with(b"{'descr': '<U2', 'fortran_order': False, 'shape': (4,)")
    );
    // Code points of four bytes, padded with zeros.
    let expected = [0x61_u32, 0, 0x68, 0xe9, 0, 0, 0x1f600, 0].map(u32::to_le_bytes).concat();
    assert_eq!(bytes[at + 128..at + 160], expected);
    let npz: &NamedArrays = &crate::common::open_npz(&path).unwrap();
    assert_eq!(npz.strings("s").unwrap().iter().collect::<Vec<_>>(), strings);

    // An invalid code point.
    let mut wrong = two()[..10].to_vec();
    wrong.extend(b"{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }");
    wrong.resize(127, b' ');
    wrong.push(b'\n');
    wrong.extend(0xd800_u32.to_le_bytes());
    let size = u32::try_from(wrong.len()).unwrap();
    let npz: &NamedArrays =
        &crate::common::open_npz(&file(dir.path(), &zip(&wrong, size, crc(&wrong)))).unwrap();
    let error = npz.strings("a").unwrap_err().to_string();
    assert!(error.contains("a, element 0: found the code point 0xd800"), "{error}");
}

#[test]
fn directories_with_other_files_are_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store");
    let forced = WriteOptions::default().overwrite(true).sync(false);
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join("a.npy"), two()).unwrap();
    assert!(is_npy_directory(&InputDirectory::open(&path).unwrap()).unwrap());
    assert!(NpyDirectoryWriter::create(&path, unsynced()).is_err());
    let error = NpyDirectoryWriter::create(&path, forced.clone()).unwrap_err().to_string();
    assert!(error.contains("it contains another file, \"a.npy\""), "{error}");
    let described = r#"{"binsparse": {"data_types": {"a": "float32"}}}"#;
    std::fs::write(path.join("binsparse.json"), described).unwrap();
    drop(NpyDirectoryWriter::create(&path, forced.clone()).unwrap());
    std::fs::write(path.join("thesis.tex"), "").unwrap();
    let error = NpyDirectoryWriter::create(&path, forced).unwrap_err().to_string();
    assert!(error.contains("thesis.tex"), "{error}");
}

#[test]
fn zstd_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    for compress in [Compression::Zstd(3), Compression::Gzip(10)] {
        let path = dir.path().join("x.npz");
        assert!(NpzWriter::create(&path, unsynced(), NpzOptions { compress }).is_err());
    }
}

#[test]
#[ignore = "writes 5 GB twice"]
fn entries_of_more_than_4_gib() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npz");
    let mut writer: NamedArraysWriter = NamedArraysWriter::new(
        NpzWriter::create(&path, unsynced(), NpzOptions::default()).unwrap(),
    );
    let (a, b) = (
        writer.create_array("a", ValueType::U64).unwrap(),
        writer.create_array("b", ValueType::U32).unwrap(),
    );
    let mut piece = vec![0_u64; 1 << 20];
    for number in 0..640_u64 {
        piece.fill(number);
        writer.append(a, &piece).unwrap();
    }
    writer.append(b, &[7_u32, 8]).unwrap();
    writer.finish().unwrap();
    let npz = crate::common::open_npz(&path).unwrap();
    let mut one = [0_u64];
    npz.array("a").unwrap().read_into((1 << 20) * 639 + 5, &mut one).unwrap();
    assert_eq!(one, [639]);
    let mut two = [0_u32; 2];
    npz.array("b").unwrap().read_into(0, &mut two).unwrap();
    assert_eq!(two, [7, 8]);
}
