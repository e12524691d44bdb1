//! The HDF5 files of the Binsparse samples, compared with their manifest.

use nnz_container::hdf5::groups_with;
use nnz_core::{ErrorKind, ValueType};

use crate::common::golden;

#[test]
fn binsparse_files_match_their_manifest() {
    let files = golden::valid("hdf5");
    assert_eq!(files.len(), 443);
    let mut arrays = 0;
    for file in files {
        let found = groups_with(&file.path, &["binsparse"]).unwrap();
        assert!(found.iter().any(|found| found.group == file.group), "{}", file.path.display());
        arrays += file.check(&crate::common::open_hdf5(&file.path, &file.group).unwrap());
    }
    assert!(arrays > 1_000, "{arrays} arrays were compared");
}

/// Opens an invalid file.
fn malformed(name: &str) -> nnz_core::Result<nnz_container::NamedArrays> {
    crate::common::open_hdf5(&golden::malformed(name), "")
}

#[test]
fn datasets_of_other_kinds_are_refused() {
    for (name, message) in [
        ("values_2d", "found an array of 3 x 4, expected one dimension"),
        ("values_group", "found a group, expected a dataset"),
        ("values_scalar", "found a single number, expected one dimension"),
        ("values_string", "found strings, expected numbers"),
    ] {
        let error = malformed(name).unwrap().array("values").err().unwrap().to_string();
        assert!(error.ends_with(message), "{name}: {error}");
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
