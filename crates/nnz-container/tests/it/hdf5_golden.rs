//! Every HDF5 file of the Binsparse sample reads as its manifest says.
#![cfg(feature = "hdf5")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod golden_common;

use nnz_container::Container;
use nnz_container::hdf5::{Hdf5, groups_with};
use nnz_core::{ErrorKind, ValueType};

#[test]
fn binsparse_files_hold_what_their_manifest_says() {
    let files = golden_common::valid("hdf5");
    assert_eq!(files.len(), 443);
    let mut arrays = 0;
    for file in files {
        let found = groups_with(&file.path, &["binsparse"]).unwrap();
        assert!(found.iter().any(|found| found.group == file.group), "{}", file.path.display());
        arrays += file.check(&Hdf5::open(&file.path, &file.group).unwrap());
    }
    assert!(arrays > 1_000, "{arrays} arrays were compared");
}

/// Opens a file that is not as it should be.
fn malformed(name: &str) -> nnz_core::Result<Hdf5> {
    Hdf5::open(&golden_common::malformed(name), "")
}

#[test]
fn arrays_that_are_no_lists_of_numbers_are_refused_by_what_they_are() {
    for (name, said) in [
        ("values_2d", "found a dataset of 3 x 4, expected one dimension"),
        ("values_group", "found a group, expected a dataset"),
        ("values_scalar", "found a single number, expected one dimension"),
        ("values_string", "found strings, expected numbers"),
    ] {
        let error = malformed(name).unwrap().array("values").err().unwrap().to_string();
        assert!(error.ends_with(said), "{name}: {error}");
    }
    let complex = malformed("complex_compound").unwrap().array("values").unwrap();
    assert_eq!(complex.value_type(), ValueType::ComplexF64);
}

#[test]
fn damaged_files_are_refused() {
    for name in ["not_hdf5", "empty_file", "truncated_file"] {
        assert!(malformed(name).is_err(), "{name}");
    }
    let missing = malformed("no_attr").unwrap().attribute("binsparse").unwrap_err();
    assert!(matches!(missing.kind(), ErrorKind::Missing), "{missing}");
    let broken = malformed("corrupt_gzip").unwrap();
    let arrays = broken.members().unwrap().into_iter().filter_map(|name| broken.array(&name).ok());
    let read = arrays.map(|array| {
        let bytes = usize::try_from(array.len()).unwrap() * array.value_type().size();
        array.read_bytes(0, &mut vec![0; bytes])
    });
    assert!(read.filter(nnz_core::Result::is_err).count() > 0);
}
