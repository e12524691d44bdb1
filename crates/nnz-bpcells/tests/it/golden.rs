//! Files of BPCells are read exactly, and writing them again gives the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use nnz_bpcells::{FormatVersion, Packing, SinkOptions};
use nnz_core::{Axis, MatrixSource as _, Order, Severity};
use serde_json::Value;

use crate::common::{Entry, all_entries, entries, open, testdata, write};

/// The entries of the manifest for matrices in directories.
fn artifacts(kind: &str) -> Vec<Value> {
    let manifest = fs::read(testdata().join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let all = manifest["artifacts"].as_array().unwrap().iter();
    all.filter(|a| a["kind"] == kind && a["path"].is_string()).cloned().collect()
}

fn directories() -> Vec<Value> {
    let is_readable = |a: &Value| {
        a["backend"] == "dir" && !a["path"].as_str().unwrap().ends_with("EXPERIMENTAL_v9999")
    };
    let matrices: Vec<_> = artifacts("matrix").into_iter().filter(is_readable).collect();
    assert!(matrices.len() >= 110, "{} matrices", matrices.len());
    matrices
}

/// Reads lines of row, column, value and, if present, the bits of the value.
fn expected(path: &str) -> Vec<Entry> {
    let text = fs::read_to_string(testdata().join(path)).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<_> = line.split('\t').collect();
            let bits = match fields.get(3) {
                Some(bits) => (*bits).to_owned(),
                None => format!("{:08x}", fields[2].parse::<u32>().unwrap()),
            };
            (fields[0].parse().unwrap(), fields[1].parse().unwrap(), bits)
        })
        .collect()
}

#[test]
fn every_matrix_holds_the_expected_entries() {
    for artifact in directories() {
        let path = artifact["path"].as_str().unwrap();
        let matrix = open(&testdata().join(path)).unwrap();
        let header = matrix.header();
        assert_eq!(matrix.version().to_string(), artifact["version"].as_str().unwrap());
        let shape = [header.shape.rows, header.shape.cols];
        assert_eq!(serde_json::to_value(shape).unwrap(), artifact["shape"], "{path}");
        assert_eq!(header.order.to_string(), artifact["storage_order"].as_str().unwrap());
        assert_eq!(header.nnz, artifact["nnz"].as_u64());

        let found = all_entries(&matrix).unwrap();
        let mut expected = expected(artifact["expected"].as_str().unwrap());
        if header.order == Order::Row {
            // The files list entries by column.
            expected.sort_by_key(|(row, col, _)| (*row, *col));
        }
        assert_eq!(found, expected, "{path}");
    }
}

#[test]
fn every_matrix_has_the_expected_names() {
    for artifact in directories() {
        let matrix = open(&testdata().join(artifact["path"].as_str().unwrap())).unwrap();
        let names = fs::read(testdata().join(artifact["names"].as_str().unwrap())).unwrap();
        let names: BTreeMap<String, Value> = serde_json::from_slice(&names).unwrap();
        for (axis, key) in [(Axis::Rows, "row_names"), (Axis::Cols, "col_names")] {
            let found = matrix.names(axis).unwrap();
            if artifact["path"].as_str().unwrap().ends_with("import_mtx.row") {
                // Imported from Matrix Market without names.
                assert!(found.is_none());
                continue;
            }
            match &names[key] {
                Value::Null => assert!(found.is_none()),
                expected => {
                    let found = found.map(|list| {
                        let text = list.iter().map(|n| String::from_utf8(n.to_vec()).unwrap());
                        text.collect::<Vec<_>>()
                    });
                    let found = found.unwrap_or_default();
                    assert_eq!(&serde_json::to_value(found).unwrap(), expected);
                }
            }
        }
    }
}

#[test]
fn handmade_files_are_read_in_stored_order() {
    let handmade = artifacts("handmade");
    assert_eq!(handmade.len(), 7);
    for artifact in handmade {
        let path = artifact["path"].as_str().unwrap();
        let matrix = open(&testdata().join(path)).unwrap();
        let found = all_entries(&matrix).unwrap();
        assert_eq!(found, expected(artifact["expected"].as_str().unwrap()), "{path}");
    }
}

#[test]
fn crlf_does_not_change_names() {
    let names = |path: &str| {
        let matrix = open(&testdata().join(path)).unwrap();
        [Axis::Rows, Axis::Cols].map(|axis| matrix.names(axis).unwrap())
    };
    let crlf = names("handmade/crlf.packed");
    assert!(crlf[0].as_ref().is_some_and(|list| list.iter().all(|n| !n.contains(&b'\r'))));
    let cut = names("handmade/no_trailing_newline.packed");
    assert_eq!(crlf.map(|n| n.map(|n| n.len())), cut.map(|n| n.map(|n| n.len())));
    let odd = names("handmade/empty_and_duplicate_names.unpacked");
    assert_eq!(odd[0].as_ref().map(|n| n.len()), Some(3));
}

#[test]
fn unpublished_versions_are_errors() {
    let path = testdata().join("matrix_dir/basic_uint.EXPERIMENTAL_v9999");
    let error = open(&path).err().unwrap().to_string();
    assert!(error.contains("packed-uint-matrix-v9999"), "{error}");
    let fragments = testdata().join("fragments_dir/basic.packed");
    let error = open(&fragments).err().unwrap().to_string();
    assert!(error.contains("packed-fragments-v2"), "{error}");
}

fn bytes_of(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(path).unwrap().map(|entry| entry.unwrap());
    files.map(|f| (f.file_name().into_string().unwrap(), fs::read(f.path()).unwrap())).collect()
}

#[test]
fn written_files_equal_those_of_bpcells() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("out");
    let mut sources = 0;
    for artifact in directories() {
        let path = artifact["path"].as_str().unwrap();
        for packing in [Packing::Packed, Packing::Unpacked] {
            let (is, other) = match packing {
                Packing::Packed => (".unpacked.", ".packed."),
                _ => (".packed.", ".unpacked."),
            };
            // Each file is also written from itself.
            for source in [path.replace(is, other), path.to_owned()] {
                let reference = testdata().join(&source);
                let fits = source.contains(other) && reference.exists();
                if !fits {
                    continue;
                }
                let format_version =
                    if source.contains(".v1.") { FormatVersion::V1 } else { FormatVersion::V2 };
                let matrix = open(&testdata().join(path)).unwrap();
                let options = SinkOptions { packing, format_version };
                let bytes = write(&matrix, &target, options).unwrap();
                let (found, expected) = (bytes_of(&target), bytes_of(&reference));
                for (name, bytes) in &expected {
                    assert!(found.get(name) == Some(bytes), "{path} as {source}: {name}");
                }
                assert_eq!(found.len(), expected.len());
                assert_eq!(bytes, found.values().map(|b| b.len() as u64).sum::<u64>());
                sources += 1;
            }
        }
    }
    assert!(sources >= 200, "{sources} sources");
}

#[test]
fn threads_read_any_range_of_majors() {
    for name in [
        "bits_uint.packed.col",
        "basic_float.packed.row",
        "longcol_uint.v2",
        "basic_uint.unpacked.col",
    ] {
        let path = testdata().join("matrix_dir").join(name.replace(".v2", ".packed.col"));
        let matrix = open(&path).unwrap();
        let header = matrix.header();
        let majors = header.shape.major(header.order);
        let whole = all_entries(&matrix).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (matrix, whole) = (&matrix, &whole);
                scope.spawn(move || {
                    for start in (thread..=majors).step_by(4) {
                        let end = (start + start % 7).min(majors);
                        let range = |major: u64| matrix.stored_before(major).unwrap().unwrap();
                        let part = entries(matrix, start..end).unwrap();
                        let [from, to] = [start, end].map(|m| usize::try_from(range(m)).unwrap());
                        assert_eq!(part, whole[from..to], "{start}..{end}");
                    }
                });
            }
        });
        assert!(matrix.batches(0..majors + 1, nnz_core::Projection::ALL).is_err());
    }
}

#[test]
fn real_files_are_valid() {
    for artifact in directories().into_iter().chain(artifacts("handmade")) {
        let path = artifact["path"].as_str().unwrap();
        let full = testdata().join(path);
        let mut faults = Vec::new();
        nnz_bpcells::validate(
            &|| {
                Ok(nnz_container::NamedArrays::new(nnz_container::directory::Directory::open(
                    &full,
                )?))
            },
            &mut |finding| {
                if finding.severity == Severity::Fault {
                    faults.push(finding.to_string());
                }
            },
        )
        .unwrap();
        assert!(faults.is_empty(), "{path}: {faults:?}");
    }
}
