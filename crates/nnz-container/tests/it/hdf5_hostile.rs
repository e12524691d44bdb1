//! Damaged HDF5 files are errors: no panic, no endless loop, and no memory for data that does not
//! exist.

use std::path::Path;
use std::time::{Duration, Instant};

use nnz_container::NamedArraysWriter;
use nnz_container::hdf5::{Compression, Hdf5Options, Hdf5Writer, groups_with};
use nnz_core::ValueType;
use nnz_storage::staging::WriteOptions;
use nnz_testing::mutations::{mutate, rounds};
use nnz_testing::random::Random;

use crate::common::damaged::{self, DamagedFile};
use crate::common::{golden, hdf5};

/// Reads everything that can be read, and returns the size of the largest array.
fn read_all(path: &Path) -> u64 {
    let tags = ["version", "encoding-type", "binsparse"];
    let mut groups: Vec<String> = groups_with(path, &tags)
        .map(|found| found.into_iter().map(|found| found.group).collect())
        .unwrap_or_default();
    groups.extend(["", "packed.col", "unpacked.row", "X", "matrix", "g"].map(str::to_owned));
    let mut most = 0;
    for group in groups {
        let Ok(container) = crate::common::open_hdf5(path, &group) else { continue };
        let mut names = container.members().unwrap_or_default();
        names.extend(
            ["index", "val_data", "idxptr", "data", "row_names", "binsparse", "values"]
                .map(str::to_owned),
        );
        for name in names {
            let _ = container.attribute(&name);
            let mut read = 0_u64;
            let _ = container.for_each_string(&name, &mut |string| {
                read += string.len() as u64;
                Ok(())
            });
            let Ok(array) = container.array(&name) else { continue };
            let all = array.len().saturating_mul(array.value_type().size() as u64);
            most = most.max(all);
            // Readers allocate memory for all of it, so the file must have enough data.
            let mut out = vec![0; usize::try_from(all).unwrap()];
            let _ = array.read_bytes(0, &mut out);
            let middle = array.len() / 2;
            let one = array.value_type().size().min(out.len());
            let _ = array.read_bytes(middle.min(array.len() - u64::from(one > 0)), &mut out[..one]);
        }
    }
    most
}

fn write_file(dir: &Path, compress: Compression) -> std::path::PathBuf {
    let path = dir.join("write_file.h5");
    let options = WriteOptions::default().overwrite(true).sync(false);
    let writer = Hdf5Writer::create(&path, "g", options, Hdf5Options::default()).unwrap();
    let mut writer = NamedArraysWriter::new(writer).chunk(100).compress(compress);
    writer.set_attribute("version", "some").unwrap();
    let id = writer.create_array("data", ValueType::U32).unwrap();
    writer.append(id, &(0..5000).collect::<Vec<u32>>()).unwrap();
    writer.write_strings("row_names", &mut [&b"a"[..], b"bc"].into_iter()).unwrap();
    writer.finish().unwrap();
    path
}

#[test]
fn mutated_files_give_errors() {
    let dir = tempfile::tempdir().unwrap();
    let mut paths = hdf5::golden("interop");
    paths.extend(hdf5::golden("matrix_h5").into_iter().step_by(3));
    paths.extend(hdf5::golden("fragments_h5").into_iter().step_by(3));
    // All forms of texts and numbers that other programs write.
    let variants = golden::valid("hdf5").into_iter().map(|file| file.path);
    paths.extend(variants.filter(|path| path.to_string_lossy().contains("hand/var_")));
    let target = DamagedFile::new();
    let mut random = damaged::random();
    let mut originals: Vec<Vec<u8>> =
        paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    originals.push(std::fs::read(write_file(dir.path(), Compression::Gzip(4))).unwrap());
    originals.push(std::fs::read(write_file(dir.path(), Compression::None)).unwrap());
    let deflated = originals.len();
    originals.push(std::fs::read(write_file(dir.path(), Compression::Zstd(3))).unwrap());
    for (at, original) in originals.into_iter().enumerate() {
        // The maximum ratio of deflate is 1032; Zstandard has a larger one.
        let ratio = if at < deflated { 1032 } else { 1 << 16 };
        for at in 0..rounds() {
            let mut bytes = original.clone();
            mutate(&mut bytes, &mut random);
            let path = target.set(&bytes);
            let started = Instant::now();
            let read = std::panic::catch_unwind(|| read_all(path));
            let kept = std::env::temp_dir().join("nnz-mutated.h5");
            match read {
                Ok(most) => {
                    let justified = (bytes.len() as u64) * ratio + (65 << 20);
                    assert!(most <= justified, "mutation {at}: {most} bytes asked for");
                }
                Err(_) => {
                    std::fs::write(&kept, &bytes).unwrap();
                    panic!("mutation {at} panics; saved as {}", kept.display());
                }
            }
            if started.elapsed() > Duration::from_secs(20) {
                std::fs::write(&kept, &bytes).unwrap();
                panic!("mutation {at} hangs; saved as {}", kept.display());
            }
        }
    }
}

#[test]
fn writing_to_mutated_files_does_not_panic() {
    let dir = tempfile::tempdir().unwrap();
    let original = std::fs::read(write_file(dir.path(), Compression::None)).unwrap();
    let target = dir.path().join("mutated.h5");
    let mut random = Random::new(7);
    for at in 0..rounds() {
        let mut bytes = original.clone();
        mutate(&mut bytes, &mut random);
        std::fs::write(&target, &bytes).unwrap();
        let options = WriteOptions::default().overwrite(true).sync(false);
        // Added next to the damaged group, or replacing it.
        let group = if at % 2 == 0 { "new" } else { "g" };
        let made = Hdf5Writer::create(&target, group, options, Hdf5Options::default());
        if made.and_then(|made| NamedArraysWriter::new(made).finish()).is_err() {
            assert_eq!(std::fs::read(&target).unwrap(), bytes, "a failed write changes nothing");
        }
    }
}

#[test]
fn a_chunk_of_a_wrong_length_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = write_file(dir.path(), Compression::Gzip(9));
    let mut bytes = std::fs::read(&path).unwrap();
    // Chunks of 100 elements become chunks of 99: each is inflated to too many bytes.
    let chunk = [100_u32.to_le_bytes(), 4_u32.to_le_bytes()].concat();
    let at = bytes.windows(8).position(|window| window == chunk).unwrap();
    bytes[at] = 99;
    std::fs::write(&path, &bytes).unwrap();
    let container = crate::common::open_hdf5(&path, "g").unwrap();
    let array = container.array("data").unwrap();
    assert!(array.read_into(0, &mut [0_u32; 5000]).is_err());
    bytes[at] = 101;
    std::fs::write(&path, &bytes).unwrap();
    let container = crate::common::open_hdf5(&path, "g").unwrap();
    let array = container.array("data").unwrap();
    assert!(array.read_into(0, &mut [0_u32; 5000]).is_err());
}

#[test]
fn invalid_widths_of_lengths_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = write_file(dir.path(), Compression::None);
    let valid = std::fs::read(&path).unwrap();
    // The width of lengths follows the width of offsets in every version of the superblock.
    for at in 9..16 {
        for width in [0, 1, 3, 9, 16, 40, 136, 255] {
            let mut bytes = valid.clone();
            bytes[at] = width;
            std::fs::write(&path, &bytes).unwrap();
            read_all(&path);
        }
    }
}

#[test]
fn a_length_without_chunks_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = write_file(dir.path(), Compression::None);
    let mut bytes = std::fs::read(&path).unwrap();
    // The length, followed by the unlimited maximum.
    let length = [5000_u64.to_le_bytes(), [0xff; 8]].concat();
    let at = bytes.windows(16).position(|window| window == length).unwrap();
    bytes[at..at + 8].copy_from_slice(&(1_u64 << 40).to_le_bytes());
    std::fs::write(&path, &bytes).unwrap();
    let error =
        crate::common::open_hdf5(&path, "g").unwrap().array("data").err().unwrap().to_string();
    assert!(error.contains("data: found 1099511627776 elements with chunks"), "{error}");
}
