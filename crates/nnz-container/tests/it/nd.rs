//! Single `.npy` files of any number of dimensions, in C and Fortran order.

use std::fs;

use nnz_container::npy::{NdArray, read_array, write_array};
use nnz_core::Values;
use nnz_storage::staging::WriteOptions;
use proptest::prelude::*;

/// A file of version 1.0 with big-endian 16-bit elements.
fn file(shape: &[u64], fortran: bool, elements: &[u16]) -> Vec<u8> {
    let shape: String = shape.iter().map(|extent| format!("{extent},")).collect();
    let fortran = if fortran { "True" } else { "False" };
    let text = format!("{{'descr': '>u2', 'fortran_order': {fortran}, 'shape': ({shape}), }}\n");
    let length = u16::try_from(text.len()).unwrap().to_le_bytes();
    let elements: Vec<u8> = elements.iter().flat_map(|element| element.to_be_bytes()).collect();
    [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes(), &elements].concat()
}

#[test]
fn fortran_order_is_converted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    // The element at i, j, k is 100 i + 10 j + k.
    let in_fortran = [0, 100, 10, 110, 20, 120, 1, 101, 11, 111, 21, 121];
    fs::write(&path, file(&[2, 3, 2], true, &in_fortran)).unwrap();
    let expected = vec![0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121];
    let read = read_array(&path, 1 << 20).unwrap();
    assert_eq!(read, NdArray { shape: vec![2, 3, 2], values: Values::U16(expected) });
}

#[test]
fn large_and_truncated_arrays_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let whole = file(&[2, 2], false, &[1, 2, 3, 4]);
    fs::write(&path, &whole).unwrap();
    assert!(read_array(&path, 8).is_ok());
    assert!(read_array(&path, 7).is_err());
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert!(read_array(&path, 1 << 20).is_err());
    fs::write(&path, [&whole[..], &[0]].concat()).unwrap();
    assert!(read_array(&path, 1 << 20).is_err());
    fs::write(&path, file(&[u64::MAX, u64::MAX, 0], true, &[])).unwrap();
    assert_eq!(read_array(&path, 0).unwrap().values, Values::U16(Vec::new()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arrays_are_read_back(shape in prop::collection::vec(0_u64..4, 0..7), seed: u16) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        let elements = u16::try_from(shape.iter().product::<u64>()).unwrap();
        let values = Values::U16((0..elements).map(|element| element.wrapping_add(seed)).collect());
        let array = NdArray { shape, values };
        let write = WriteOptions::default().overwrite(false).sync(false);
        write_array(&path, &array, write).unwrap().commit().unwrap();
        prop_assert_eq!(read_array(&path, 1 << 20).unwrap(), array);
    }
}
