//! NetCDF files: files of other programs are read, and arrays are written with dimensions.

use std::path::Path;

use nnz_container::NamedArraysWriter;
use nnz_container::hdf5::{Hdf5File, Hdf5Options, Hdf5Writer};
use nnz_container::netcdf::{groups_with, is_netcdf, is_netcdf4};
use nnz_core::{ErrorKind, Result, ValueType};
use nnz_storage::InputFile;
use nnz_storage::staging::WriteOptions;

use crate::common::golden;

fn opened(path: &Path) -> Hdf5File {
    Hdf5File::open(InputFile::open(path).unwrap()).unwrap()
}

#[test]
fn binsparse_files_match_their_manifest() {
    let files = golden::valid("netcdf");
    assert_eq!(files.len(), 25);
    let mut classic = 0;
    for file in files {
        if is_netcdf(&std::fs::read(&file.path).unwrap()) {
            classic += 1;
            assert!(Hdf5File::open(InputFile::open(&file.path).unwrap()).is_err());
        } else {
            assert!(is_netcdf4(&opened(&file.path)).unwrap());
        }
        let found = groups_with(&file.path, &["binsparse"]).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].group, file.group);
        let container = crate::common::open_netcdf(&file.path, &file.group).unwrap();
        assert_eq!(container.attribute("binsparse").unwrap(), found[0].text);
        let arrays = file.check(&container);
        // Dimensions are not members.
        assert_eq!(container.members().unwrap().len(), arrays + 1, "{}", file.path.display());
    }
    assert_eq!(classic, 3);
}

fn new() -> WriteOptions {
    WriteOptions::default().overwrite(false).sync(false)
}

fn writer(path: &Path, group: &str, write: WriteOptions) -> Result<NamedArraysWriter> {
    let options = Hdf5Options { netcdf: true, ..Hdf5Options::default() };
    Hdf5Writer::create(path, group, write, options).map(NamedArraysWriter::new)
}

/// Writes a group with arrays of the given lengths.
fn write(path: &Path, group: &str, arrays: &[(&str, usize)]) {
    let mut writer = writer(path, group, new()).unwrap();
    writer.set_attribute("text", "two\nlines").unwrap();
    for &(name, len) in arrays {
        let id = writer.create_array(name, ValueType::I16).unwrap();
        writer.append(id, &vec![7_i16; len]).unwrap();
    }
    writer.write_strings("names", &mut [&b"a"[..], b""].into_iter()).unwrap();
    writer.finish().unwrap();
}

#[test]
fn arrays_of_the_same_length_share_a_dimension() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    write(&path, "", &[("a", 3), ("b", 3), ("none", 0), ("length_2", 2)]);
    write(&path, "inner/most", &[("a", 3), ("b", 70_000)]);

    // Dimensions are datasets, which are visible in HDF5.
    let shown = |group| crate::common::open_netcdf(&path, group).unwrap().members().unwrap();
    let there = |group| crate::common::open_hdf5(&path, group).unwrap().members().unwrap();
    assert_eq!(shown(""), ["a", "b", "inner", "length_2", "names", "none", "text"]);
    assert_eq!(
        there(""),
        [
            "_NCProperties",
            "a",
            "b",
            "inner",
            "length_0",
            "length_2",
            "length_2_2",
            "length_3",
            "names",
            "none",
            "text"
        ]
    );
    assert_eq!(shown("inner/most"), ["a", "b", "names", "text"]);
    assert_eq!(
        there("inner/most"),
        ["a", "b", "length_2_3", "length_3_2", "length_70000", "names", "text"]
    );
    // A dimension takes no space, whatever its length.
    let dimension =
        crate::common::open_hdf5(&path, "inner/most").unwrap().array("length_70000").unwrap();
    assert_eq!((dimension.len(), dimension.stored_bytes().unwrap()), (70_000, 0));

    let file = crate::common::open_netcdf(&path, "inner/most").unwrap();
    assert_eq!(file.info().name, "NetCDF");
    assert!(is_netcdf4(&opened(&path)).unwrap());
    assert_eq!(file.attribute("text").unwrap(), "two\nlines");
    assert_eq!(file.array("b").unwrap().len(), 70_000);
    assert_eq!(groups_with(&path, &["text"]).unwrap().len(), 2);
    // A dimension is not a variable.
    let error = file.array("length_70000").err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::Missing), "{error}");
}

#[test]
fn names_too_long_for_netcdf_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    write(&path, "", &[("a", 3)]);
    let before = std::fs::read(&path).unwrap();
    let group = format!("x/{}", "q".repeat(256));
    let refused = writer(&path, &group, new()).unwrap_err();
    assert!(refused.to_string().contains("256 bytes"), "{refused}");
    assert!(std::fs::read(&path).unwrap() == before);
    write(&path, &group[..group.len() - 1], &[("a", 3)]);
}

#[test]
fn a_group_is_replaced_with_its_dimensions() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    write(&path, "one", &[("a", 3)]);
    write(&path, "two", &[("a", 4)]);
    let force = WriteOptions::default().overwrite(true).sync(false);
    let mut writer = writer(&path, "one", force).unwrap();
    writer.create_array("b", ValueType::U64).unwrap();
    writer.finish().unwrap();
    assert_eq!(
        crate::common::open_hdf5(&path, "one").unwrap().members().unwrap(),
        ["b", "length_0"]
    );
    assert_eq!(crate::common::open_netcdf(&path, "two").unwrap().array("a").unwrap().len(), 4);
}

#[test]
fn classic_files_and_unsupported_types_are_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    for value_type in [ValueType::Bint8, ValueType::ComplexF32, ValueType::ComplexF64] {
        let mut writer = writer(&path, "", new()).unwrap();
        let error = writer.create_array("a", value_type).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}");
    }
    let classic = golden::valid("netcdf");
    let classic = classic.iter().map(|file| std::fs::read(&file.path).unwrap());
    let classic = classic.into_iter().find(|bytes| is_netcdf(bytes)).unwrap();
    std::fs::write(&path, &classic).unwrap();
    assert!(writer(&path, "group", new()).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), classic);
}

#[test]
fn files_of_other_programs_are_extended() {
    let dir = tempfile::tempdir().unwrap();
    let of_netcdf = golden::valid("netcdf").into_iter().find(|file| file.group == "mat");
    let of_hdf5 = golden::valid("hdf5").into_iter().find(|file| file.group.is_empty());
    for file in [of_netcdf.unwrap(), of_hdf5.unwrap()] {
        let path = dir.path().join("a.nc");
        std::fs::write(&path, std::fs::read(&file.path).unwrap()).unwrap();
        write(&path, "added", &[("a", 3)]);
        write(&path, "added/within", &[("a", 3)]);
        file.check(&crate::common::open_netcdf(&path, &file.group).unwrap());
        for group in ["added", "added/within"] {
            let added = crate::common::open_netcdf(&path, group).unwrap();
            let mut out = [0_i16; 3];
            added.array("a").unwrap().read_into(0, &mut out).unwrap();
            assert_eq!(out, [7; 3]);
            assert!(!added.members().unwrap().iter().any(|name| name.starts_with("length_")));
        }
    }
}
