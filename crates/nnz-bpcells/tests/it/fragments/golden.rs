//! Files of BPCells are read exactly, and writing them again gives the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use nnz_bpcells::{
    FRAGMENT_MEMBERS, FormatVersion, FragmentSource, MatrixSource, Packing, SinkOptions,
    holds_fragments,
};
use nnz_container::NamedArrays;
use nnz_container::NamedArraysWriter;
use nnz_container::directory::{Directory, DirectoryWriter};
use nnz_container::hdf5::Hdf5Group;
use nnz_container::memory::Memory;
use nnz_core::{FragmentFields, FragmentSource as _, StringList};
use nnz_storage::staging::WriteOptions;
use serde_json::Value;

use crate::fragments::common;
use crate::fragments::common::{Fragment, batches, members_of, read, read_all, write};

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/bpcells")
}

/// The entries of the manifest for fragments in directories or HDF5 files.
fn artifacts() -> Vec<Value> {
    let manifest = fs::read(testdata().join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let all = manifest["artifacts"].as_array().unwrap().iter();
    let reference = all.filter(|a| a["kind"] == "fragments" && a["backend"] != "rds");
    let reference: Vec<_> = reference.cloned().collect();
    assert_eq!(reference.len(), 46);
    reference
}

fn open(artifact: &Value) -> NamedArrays {
    let path = testdata().join(artifact["path"].as_str().unwrap());
    match artifact["group"].as_str() {
        Some(group) => NamedArrays::new(Hdf5Group::open(&path, group).unwrap()),
        None => NamedArrays::new(Directory::open(&path).unwrap()),
    }
}

fn texts(names: &StringList) -> Vec<String> {
    names.iter().map(|name| String::from_utf8(name.to_vec()).unwrap()).collect()
}

#[test]
fn every_file_holds_the_expected_fragments() {
    for artifact in artifacts() {
        assert!(holds_fragments(&open(&artifact)).unwrap());
        let source = FragmentSource::open(open(&artifact)).unwrap();
        assert_eq!(source.version().to_string(), artifact["version"].as_str().unwrap());
        let header = source.header();
        assert_eq!(Some(header.count), artifact["n"].as_u64());
        let chromosomes = texts(&source.chromosome_names().unwrap());
        assert_eq!(serde_json::to_value(&chromosomes).unwrap(), artifact["chr_names"]);
        assert_eq!(header.chromosomes as usize, chromosomes.len());
        let cells = texts(&source.cell_names().unwrap());
        assert_eq!(Some(cells.len() as u64), artifact["n_cells"].as_u64());

        let found = read_all(&source).unwrap();
        let text = fs::read_to_string(testdata().join(artifact["expected"].as_str().unwrap()));
        let text = text.unwrap();
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        for (chromosome, start, end, cell) in found {
            let (chromosome, name) = (&chromosomes[chromosome as usize], &cells[cell as usize]);
            let line = format!("{chromosome}\t{start}\t{end}\t{cell}\t{name}");
            assert_eq!(lines.next(), Some(&*line), "{artifact}");
        }
        assert_eq!(lines.next(), None);
    }
}

#[test]
fn every_file_is_valid() {
    for artifact in artifacts() {
        let about = FragmentSource::open(open(&artifact)).unwrap().about().unwrap();
        assert_eq!(about.format, "BPCells fragments");
        assert_eq!(about.bytes, about.arrays.iter().map(|array| array.bytes).sum());
        let mut found = Vec::new();
        nnz_bpcells::validate_fragments(&|| Ok(open(&artifact)), u64::MAX, &mut |finding| {
            found.push(finding.to_string());
        })
        .unwrap();
        // Not even a note: `end_max` is bit for bit what BPCells writes.
        assert!(found.is_empty(), "{artifact}: {found:?}");
    }
}

fn bytes_of(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(path).unwrap().map(|entry| entry.unwrap());
    files.map(|f| (f.file_name().into_string().unwrap(), fs::read(f.path()).unwrap())).collect()
}

#[test]
fn written_files_equal_those_of_bpcells() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("out");
    let mut compared = 0;
    for artifact in artifacts() {
        let source = FragmentSource::open(open(&artifact)).unwrap();
        let fragments = read_all(&source).unwrap();
        let (chromosomes, cells) =
            (source.chromosome_names().unwrap(), source.cell_names().unwrap());
        let case = artifact["case"].as_str().unwrap();
        for options in common::all_options() {
            let SinkOptions { packing, format_version } = options;
            let v1 = if format_version == FormatVersion::V1 { ".v1" } else { "" };
            let packed = if packing == Packing::Packed { "packed" } else { "unpacked" };
            let reference = testdata().join(format!("fragments_dir/{case}{v1}.{packed}"));
            if !reference.exists() {
                continue;
            }
            let write_options = WriteOptions::default().overwrite(true).sync(false);
            let into = DirectoryWriter::create(&target, write_options, FRAGMENT_MEMBERS).unwrap();
            let batches = batches(&fragments, 1 + compared % 300);
            let bytes =
                write(NamedArraysWriter::new(into), options, &batches, &chromosomes, &cells)
                    .unwrap();
            let (found, expected) = (bytes_of(&target), bytes_of(&reference));
            for (name, bytes) in &expected {
                assert!(found.get(name) == Some(bytes), "{artifact} as {reference:?}: {name}");
            }
            assert_eq!(found.len(), expected.len());
            assert_eq!(bytes, found.values().map(|b| b.len() as u64).sum::<u64>());

            // The same arrays in memory.
            let memory = Memory::new();
            write(memory.writer(), options, &batches, &chromosomes, &cells).unwrap();
            assert_eq!(
                members_of(&memory.arrays()),
                members_of(&nnz_container::NamedArrays::new(Directory::open(&reference).unwrap()))
            );
            compared += 1;
        }
    }
    assert!(compared >= 100, "{compared} compared");
}

#[test]
fn regions_and_ranges_equal_slices_of_all_fragments() {
    for artifact in artifacts() {
        let source = FragmentSource::open(open(&artifact)).unwrap();
        let whole = read_all(&source).unwrap();
        for (start, end) in [(0, 1), (0, 127), (5, 300), (127, 129), (256, 256), (300, 1100)] {
            let [start, end] = [start, end].map(|at: usize| at.min(whole.len()));
            let part = read(&source, start as u64..end as u64).unwrap();
            assert_eq!(part, whole[start..end]);
        }
        assert!(source.units(0..whole.len() as u64 + 1, FragmentFields::ALL).is_err());
        for chromosome in 0..source.header().chromosomes {
            for base in (0..220_000).step_by(7001) {
                let region = base..base + 3000;
                let positions = source.overlapping(chromosome, region.clone()).unwrap();
                let overlaps =
                    |f: &Fragment| f.0 == chromosome && f.1 < region.end && f.2 > region.start;
                let expected: Vec<_> = whole.iter().copied().filter(overlaps).collect();
                let mut found = read(&source, positions).unwrap();
                found.retain(overlaps);
                assert_eq!(found, expected, "{artifact}: {chromosome}: {region:?}");
            }
        }
        assert!(source.overlapping(source.header().chromosomes, 0..1).is_err());
    }
}

#[test]
fn opening_the_wrong_kind_is_an_error() {
    let open = |path: &str| NamedArrays::new(Directory::open(&testdata().join(path)).unwrap());
    let error = MatrixSource::open(open("fragments_dir/basic.packed")).err().unwrap();
    assert!(
        error.to_string().contains("is a version of genomic fragments, not of a matrix"),
        "{error}"
    );
    let matrix = open("matrix_dir/basic_uint.packed.col");
    assert!(!holds_fragments(&matrix).unwrap());
    let error = FragmentSource::open(matrix).err().unwrap();
    assert!(
        error.to_string().contains("is a version of a matrix, not of genomic fragments"),
        "{error}"
    );
}
